//! What many episodes teach, and how it fades (spec 2 and 3).

pub use crate::model::decay;
