//! What many episodes teach, and how it fades (spec 2 and 3).

mod agreement;
mod baseline;
mod curator;
mod gather;
mod recount;
mod restate;
mod statistic;

pub use crate::model::decay;
pub use agreement::{Verdict, judge};
pub use baseline::credible;
pub use curator::{
    CONFIRM_OBSERVATIONS, CuratorReport, CuratorSettings, EXPIRY_TICKS, MINIMUM_EPISODES, consolidate,
};
pub use gather::{NUMBERS_PER_EPISODE, VerifiedEpisodes};
pub use recount::{NumberName, Recounted, number_names, recount};
pub use statistic::Statistic;
