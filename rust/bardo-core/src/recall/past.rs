//! Facts as they were at an earlier tick, for a query about the past: what was learned later must not rank them.

use std::collections::HashMap;

use super::candidate::Candidate;
use crate::error::Result;
use crate::index::FactStore;
use crate::index::hot::{HotSet, Row};
use crate::index::lexical::Slot;
use crate::model::{Fact, Id};

/// Where earlier states of facts are kept.
pub trait Past: Sync {
    /// The facts as they were at the end of a tick; none where one was not known yet.
    fn facts_at(&self, ids: &[Id], tick: u64) -> Result<Vec<Option<Fact>>>;
}

impl Past for FactStore {
    fn facts_at(&self, ids: &[Id], tick: u64) -> Result<Vec<Option<Fact>>> {
        self.get_as_of(ids, tick)
    }
}

/// Rows of the facts among the candidates with the numbers that they had at the end of a tick.
pub fn rows_then(
    hot: &HotSet,
    candidates: &[Candidate],
    past: &dyn Past,
    tick: u64,
) -> Result<HashMap<Slot, Row>> {
    let fact_row = |candidate: &Candidate| {
        let row = hot.row(candidate.slot).filter(|row| row.fact.is_some())?;
        Some((candidate.slot, row))
    };
    let (rows, ids): (Vec<(Slot, &Row)>, Vec<Id>) =
        candidates.iter().filter_map(fact_row).map(|(slot, row)| ((slot, row), row.id)).unzip();
    let then = past.facts_at(&ids, tick)?;
    Ok(rows
        .into_iter()
        .zip(then)
        .filter_map(|((slot, row), fact)| Some((slot, row.with_numbers_of(&fact?))))
        .collect())
}
