//! Which memories a query may see. Filters are applied inside the scan: a filtered query finds as much as an
//! unfiltered one.

use std::collections::HashSet;

use super::score::confidence_of;
use crate::index::hot::{FactRow, HotSet, Layer, NO_NAME, Row, Symbol};
use crate::model::{FactStatus, Id, Micros, Role, Source, modes_with};

/// Conditions that a memory must meet, all of them; an empty one lets everything through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters {
    /// Episodes, facts or both.
    pub layers: Vec<Layer>,
    /// Kinds of episodes or facts.
    pub kinds: Vec<String>,
    /// Category path of a fact, or the beginning of it up to a slash. Episodes have none.
    pub category: Option<String>,
    /// At least one of these subjects.
    pub subjects: Vec<String>,
    /// This thread; of a fact, the one that all its evidence is of.
    pub thread: Option<String>,
    /// This session. Facts have none.
    pub session: Option<String>,
    /// This mode and those that share memories with it, or none recorded; of a fact, that of its evidence.
    pub mode: Option<String>,
    /// Authors. Facts have none.
    pub roles: Vec<Role>,
    /// Authors whose episodes are left out; facts stay.
    pub without_roles: Vec<Role>,
    /// Wall clock from here on.
    pub since: Option<Micros>,
    /// Wall clock up to here.
    pub until: Option<Micros>,
    /// Confidence now of a fact, at least.
    pub min_confidence: Option<f32>,
    /// Sources.
    pub sources: Vec<Source>,
    /// Restricts to the state of knowledge at this tick.
    pub as_of: Option<u64>,
    /// Held facts that count as in force for this query: what is tried.
    pub trying: Vec<Id>,
}

/// Stands for a name that no row has.
const UNKNOWN: Symbol = Symbol::MAX;

/// Filters with their names looked up.
struct CompiledFilters<'filters> {
    filters: &'filters Filters,
    /// By symbol, where kinds are named.
    kinds: Option<Vec<Symbol>>,
    /// By symbol.
    categories: Option<Vec<bool>>,
    subjects: Option<Vec<Symbol>>,
    thread: Option<Symbol>,
    session: Option<Symbol>,
    modes: Option<Vec<Symbol>>,
    tick: u64,
    tau_ticks: f64,
    /// Facts that are judged later, by what they were.
    then: Option<HashSet<Id>>,
}

impl Filters {
    /// Layers as a filter: none where both are named, as that filters nothing.
    #[must_use]
    pub fn layers(layers: Vec<Layer>) -> Vec<Layer> {
        let is_all = layers.contains(&Layer::Episode) && layers.contains(&Layer::Fact);
        if is_all { Vec::new() } else { layers }
    }

    /// Writes whether each slot may be seen, and returns how many may.
    ///
    /// A question about an earlier tick that can look past lets the facts through that are in `then`, which hold those in
    /// force at that tick: what was believed of them is seen when they are looked up.
    pub fn apply(
        &self,
        hot: &HotSet,
        (now_tick, tau_ticks): (u64, f64),
        then: Option<HashSet<Id>>,
        allowed: &mut Vec<bool>,
    ) -> usize {
        let compiled = CompiledFilters::new(self, hot, (now_tick, tau_ticks), then);
        allowed.clear();
        if *self == Self::default() {
            // Every episode may be seen: there is no need to look at any.
            allowed.extend_from_slice(hot.holds_episode());
            let mut count = hot.len() - hot.facts();
            for (slot, row) in hot.fact_rows() {
                let is_in_force = compiled.is_in_force(hot, row);
                allowed[slot as usize] = is_in_force;
                count += usize::from(is_in_force);
            }
            return count;
        }
        allowed.resize(hot.slots(), false);
        let mut count = 0;
        for (slot, row) in hot.rows() {
            let is_allowed = compiled.allows(hot, row);
            allowed[slot as usize] = is_allowed;
            count += usize::from(is_allowed);
        }
        count
    }

    /// Whether a fact that is in this state is in force at a tick.
    pub(super) fn holds(&self, id: Id, fact: &FactRow, tick: u64) -> bool {
        let in_force = match fact.status {
            FactStatus::Active | FactStatus::Contradicted => true,
            FactStatus::Archived | FactStatus::Superseded => false,
            FactStatus::Held => self.trying.contains(&id),
        };
        in_force && fact.expires_tick.is_none_or(|expires| expires >= tick)
    }

    /// Whether a memory is as sure at a tick as is asked for.
    pub(super) fn is_sure(&self, row: &Row, tick: u64, tau_ticks: f64) -> bool {
        self.min_confidence.is_none_or(|least| confidence_of(row, tick, tau_ticks) >= least)
    }
}

impl<'filters> CompiledFilters<'filters> {
    fn new(
        filters: &'filters Filters,
        hot: &HotSet,
        (now_tick, tau_ticks): (u64, f64),
        then: Option<HashSet<Id>>,
    ) -> Self {
        let names = hot.names();
        let find_all = |wanted: &[String]| {
            (!wanted.is_empty()).then(|| wanted.iter().filter_map(|name| names.find(name)).collect())
        };
        let find = |wanted: &Option<String>| wanted.as_ref().map(|name| names.find(name).unwrap_or(UNKNOWN));
        let categories = filters.category.as_deref().map(|prefix| {
            let prefix = prefix.trim_end_matches('/');
            let is_under = |name: &str| {
                name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    && !name.is_empty()
            };
            names.names().map(is_under).collect()
        });
        Self {
            filters,
            kinds: find_all(&filters.kinds),
            categories,
            subjects: find_all(&filters.subjects),
            thread: find(&filters.thread),
            session: find(&filters.session),
            modes: filters
                .mode
                .as_deref()
                .map(|mode| modes_with(mode).into_iter().filter_map(|name| names.find(name)).collect()),
            tick: filters.as_of.unwrap_or(now_tick),
            tau_ticks,
            then,
        }
    }

    fn allows(&self, hot: &HotSet, row: &Row) -> bool {
        let filters = self.filters;
        let is_named = |wanted: Option<Symbol>, name: Symbol| wanted.is_none_or(|wanted| wanted == name);
        (filters.layers.is_empty() || filters.layers.contains(&row.layer()))
            && self.is_in_force(hot, row)
            && self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&row.kind))
            && self.categories.as_ref().is_none_or(|under| under[row.category as usize])
            && self
                .subjects
                .as_ref()
                .is_none_or(|wanted| row.subjects.iter().any(|subject| wanted.contains(subject)))
            && is_named(self.thread, row.thread)
            && is_named(self.session, row.session)
            && (row.mode == NO_NAME || self.modes.as_ref().is_none_or(|modes| modes.contains(&row.mode)))
            && (filters.roles.is_empty() || row.role.is_some_and(|role| filters.roles.contains(&role)))
            && row.role.is_none_or(|role| !filters.without_roles.contains(&role))
            && filters.since.is_none_or(|since| row.at >= since)
            && filters.until.is_none_or(|until| row.at <= until)
            && (filters.sources.is_empty() || filters.sources.contains(&row.source))
            && (self.then.is_some() && row.fact.is_some() || filters.is_sure(row, self.tick, self.tau_ticks))
    }

    /// Whether the memory was known, and in force if it is a fact, at the tick that is asked about.
    fn is_in_force(&self, hot: &HotSet, row: &Row) -> bool {
        if self.filters.as_of.is_some() && row.tick > self.tick {
            return false;
        }
        let Some(fact) = &row.fact else { return true };
        if let Some(then) = &self.then {
            return then.contains(&row.id);
        }
        if self.filters.holds(row.id, fact, self.tick) {
            return true;
        }
        // Without the past, the birth of what replaced it tells.
        let successor = fact.superseded_by.and_then(|id| hot.find(&id));
        self.filters.as_of.is_some()
            && fact.status == FactStatus::Superseded
            && successor.is_some_and(|successor| successor.tick > self.tick)
    }
}
