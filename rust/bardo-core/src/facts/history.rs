//! Facts as they were: every change leaves the earlier state readable as of a tick (law 3). `versions.rs` keeps them.

use std::collections::HashSet;

use rusqlite::OptionalExtension;

use super::rows::{self as record, signed};
use super::store::FactStore;
use super::versions::{FactState, rewind, states_of};
use crate::error::Result;
use crate::model::{Fact, Id};

impl FactStore {
    /// The facts with these ids as they were at the end of a tick, in their order; `None` where there was none yet.
    pub fn get_as_of(&self, ids: &[Id], tick: u64) -> Result<Vec<Option<Fact>>> {
        self.read(|connection| {
            ids.iter()
                .map(|id| {
                    let Some(stored) = record::find(connection, *id)? else { return Ok(None) };
                    Ok(rewind(connection, stored, tick)?.map(|stored| stored.fact))
                })
                .collect()
        })
    }

    /// Ids of the facts that were born by the end of a tick and had not been superseded or permanently archived by then.
    pub fn not_ended_before(&self, tick: u64) -> Result<HashSet<Id>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, intact FROM facts WHERE created_tick <= ?1 AND (ended_tick IS NULL OR ended_tick > ?1)",
            )?;
            let ids = statement.query_map([signed(tick)?], |row| row.get(0).map(Id))?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The tick of the latest change of a fact; 0 before the first.
    pub fn latest_tick(&self) -> Result<u64> {
        self.read(|connection| {
            let latest = connection
                .prepare_cached(
                    "SELECT max(created_tick, reinforced_tick, accessed_tick, since_tick, ifnull(ended_tick, 0))
                     FROM facts ORDER BY change DESC LIMIT 1",
                )?
                .query_row([], |row| row.get::<_, i64>(0))
                .optional()?;
            Ok(latest.unwrap_or(0).unsigned_abs())
        })
    }

    /// Every state of every fact in the supersession chain of this one, oldest first.
    pub fn states(&self, id: Id) -> Result<Vec<FactState>> {
        let chain = self.history(id)?;
        self.read(|connection| {
            let mut states = Vec::new();
            for fact in &chain {
                states.append(&mut states_of(connection, &record::require(connection, fact.id)?)?);
            }
            Ok(states)
        })
    }
}
