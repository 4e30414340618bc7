//! What the benchmarks of the core share: the data, the searches that are measured, and what they are measured beside.

pub mod data;
pub mod ours;
pub mod peers;

pub use data::World;
