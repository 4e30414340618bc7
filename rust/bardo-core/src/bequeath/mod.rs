//! Inheritance: selects the facts of a testament, and discounts an heir's confidence in them.

mod discount;
mod select;
mod similar;

pub use discount::{ANTI_KNOWLEDGE_FLOOR, Discount, GenerationDiscount};
pub use select::{Exclusion, Measure, Selection, Thresholds, select};
