//! Inheritance: surveys the log of a dying agent, selects the facts of its testament, and discounts an heir's
//! confidence in them.

mod discount;
mod select;
mod similar;
mod survey;

pub use discount::{ANTI_KNOWLEDGE_FLOOR, Discount, GenerationDiscount};
pub use select::{Exclusion, Measure, Selection, Thresholds, select};
pub use survey::{Survey, Uncommon};
