//! What survives a death (spec 6): which facts may cross, which of them fit, and how far an heir trusts them.

mod discount;
mod select;
mod similar;

pub use discount::{ANTI_KNOWLEDGE_FLOOR, Discount, Fading};
pub use select::{Exclusion, Measure, Selection, Thresholds, select};
