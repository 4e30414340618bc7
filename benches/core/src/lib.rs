//! Shared parts of the core's benchmarks: the data, the measured searches, and their peers.

pub mod data;
pub mod ours;
pub mod peers;

pub use data::World;
