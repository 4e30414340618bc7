//! Facts as they were at an earlier tick, for a query about the past: what was learned later must not rank them.

use std::collections::{HashMap, HashSet};

use super::candidate::Candidate;
use super::filter::Filters;
use crate::error::Result;
use crate::facts::FactStore;
use crate::index::hot::{HotSet, Row};
use crate::index::lexical::Slot;
use crate::model::{Fact, Id};

/// Where earlier states of facts are kept.
pub trait FactHistory: Sync {
    /// The facts that may have been in force at the end of a tick: all that were, and some that were not.
    fn facts_around(&self, tick: u64) -> Result<HashSet<Id>>;

    /// The facts as they were at the end of a tick; none where one was not known yet.
    fn facts_at(&self, ids: &[Id], tick: u64) -> Result<Vec<Option<Fact>>>;
}

impl FactHistory for FactStore {
    fn facts_around(&self, tick: u64) -> Result<HashSet<Id>> {
        self.not_ended_before(tick)
    }

    fn facts_at(&self, ids: &[Id], tick: u64) -> Result<Vec<Option<Fact>>> {
        self.get_as_of(ids, tick)
    }
}

/// Rows of the facts among the candidates as they were at the end of a tick; candidates that were not in force then, or not
/// as sure as is asked for, go.
pub fn rows_at_tick(
    hot: &HotSet,
    candidates: &mut Vec<Candidate>,
    past: &dyn FactHistory,
    filters: &Filters,
    (tick, tau_ticks): (u64, f64),
) -> Result<HashMap<Slot, Row>> {
    let fact_row = |slot| hot.row(slot).filter(|row| row.fact.is_some());
    let rows: Vec<(Slot, &Row)> =
        candidates.iter().filter_map(|candidate| Some((candidate.slot, fact_row(candidate.slot)?))).collect();
    let ids: Vec<Id> = rows.iter().map(|(_, row)| row.id).collect();
    let mut then = HashMap::new();
    for ((slot, row), fact) in rows.into_iter().zip(past.facts_at(&ids, tick)?) {
        let Some(fact) = fact else { continue };
        let row = row.with_numbers_of(&fact);
        let holds = row.fact.as_ref().is_some_and(|state| filters.holds(row.id, state, tick));
        if holds && filters.is_sure(&row, tick, tau_ticks) {
            then.insert(slot, row);
        }
    }
    candidates.retain(|candidate| fact_row(candidate.slot).is_none() || then.contains_key(&candidate.slot));
    Ok(then)
}
