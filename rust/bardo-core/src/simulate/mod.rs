//! Simulation of generations of agents, to measure whether inheritance helps.
//!
//! The world is a pure function of the settings and the seed: regime path, offers, noise, springs and hazards do not
//! depend on the actions of an agent, so that arms are compared in pairs. The memory of the agents is bardo's own: decay
//! ([`crate::model::decay`]), replay ([`crate::consolidate::ReplayBuffer`]), the score of recall
//! ([`crate::recall::score`]), selection and discount of testaments ([`crate::bequeath`]). Entries are rows in memory
//! instead of rows of SQLite; one run takes no thread, no clock and no file.

mod curator;
mod legacy;
mod life;
mod memory;
mod random;
mod reader;
mod settings;
mod world;

#[cfg(test)]
mod tests;

pub use life::{Cause, GenerationRecord};
pub use settings::{Arm, Replay, Trust, WorldSettings};

use crate::error::{Error, Result};

/// [`run`] with settings, arm and records as JSON.
pub fn run_json(settings: &str, arm: &str, seed: u64) -> Result<String> {
    let refused = |what: &str, error: &serde_json::Error| {
        Error::invalid(
            format!("{what} of the simulation: {error}"),
            "See bardo.simulate.World and bardo.simulate.Arm",
        )
    };
    let settings = serde_json::from_str(settings).map_err(|error| refused("the world", &error))?;
    let arm = serde_json::from_str(arm).map_err(|error| refused("an arm", &error))?;
    let records = run(&settings, &arm, seed)?;
    serde_json::to_string(&records).map_err(|error| refused("the records", &error))
}

/// Runs the generations of one arm under one seed; one record per generation.
pub fn run(settings: &WorldSettings, arm: &Arm, seed: u64) -> Result<Vec<GenerationRecord>> {
    settings.check()?;
    arm.check()?;
    let world = world::World::new(settings, seed);
    let mut legacy = legacy::Legacy::default();
    let mut records = Vec::with_capacity(settings.generations as usize);
    for generation in 0..settings.generations {
        let mut dead = Vec::with_capacity(arm.parents as usize);
        for sibling in 0..arm.parents {
            let life = life::Life::new(&world, arm, generation, sibling, &legacy)?;
            dead.push(life.live());
        }
        let (record, _) = &dead[0];
        records.push(record.clone());
        legacy =
            legacy::bequeath(&world, arm, generation, dead.into_iter().map(|(_, estate)| estate).collect())?;
    }
    Ok(records)
}
