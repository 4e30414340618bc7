//! Simulated generations of agents.

use bardo_core::simulate;
use pyo3::prelude::*;

use crate::forward::functions;

functions! {
    /// The records of the generations of one arm under one seed, as JSON.
    fn simulate_lives(world: &str, arm: &str, seed: u64) => simulate::run_json(world, arm, seed);
}
