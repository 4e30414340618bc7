//! Inheritance: surveys the log of a dying agent, selects the facts of its testament, bundles all that was known, and
//! discounts an heir's confidence in them.

mod discount;
mod hypervector;
mod known;
mod select;
mod similar;
mod survey;

pub use discount::{ANTI_KNOWLEDGE_FLOOR, Discount, GenerationDiscount};
pub use hypervector::DIMENSIONS;
pub use known::{FAMILIAR_SHARE, Familiarity, KnownThings, LOAD, SHARD_LIMIT, novel_texts};
pub use select::{Exclusion, Measure, Selection, Thresholds, select};
pub use survey::{Survey, Uncommon};
