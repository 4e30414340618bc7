//! Inheritance: selects the facts that cross a death, and discounts the trust of an heir in them.

mod discount;
mod select;
mod similar;

pub use discount::{ANTI_KNOWLEDGE_FLOOR, Discount, GenerationDiscount};
pub use select::{Exclusion, Measure, Selection, Thresholds, select};
