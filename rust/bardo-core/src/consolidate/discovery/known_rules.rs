//! Rules in force, and the decisions of a window that they explain: evidence for a further rule comes from the others.
//!
//! An agent that obeys a rule always acts alike under its conditions. The conditions without the action, or another
//! grouping of the obeyed decisions, then go with the outcome as well, and have no evidence of their own. Other rules are
//! therefore sought also in what the rules in force leave of the outcomes, and tested without the decisions that these cover
//! (sequential covering; Lavrač, Kavšek, Flach and Todorovski, Journal of Machine Learning Research 5, 2004).

use std::collections::{BTreeMap, BTreeSet};

use super::redundant_rules::{implies, same_features};
use super::subgroups::{Outcomes, Rule, members};
use super::window::Window;
use crate::consolidate::statistics::statistic::Statistic;
use crate::consolidate::trials::rule_trials::{IN_FORCE, Prediction, RULES};
use crate::error::Result;
use crate::facts::FactStore;
use crate::facts::rows as record;
use crate::model::FactPayload;

/// Conditions of a rule below which it covers too much to leave its decisions out of the tests of rules beside it.
const SPECIFIC: usize = 2;

/// Rules in force, as their facts state them.
#[derive(Debug, Default)]
pub(crate) struct KnownRules {
    stated: Vec<(FactPayload, bool)>,
}

impl KnownRules {
    /// Reads the heuristics in force, the surest first.
    pub(crate) fn read(store: &FactStore) -> Result<Self> {
        let facts = store.read(|connection| record::select(connection, IN_FORCE, [RULES]))?;
        let stated = |stored: record::StoredFact| (stored.fact.payload.clone(), !stored.fact.is_hearsay());
        Ok(Self { stated: facts.into_iter().map(stated).collect() })
    }

    /// Finds the decisions of a window that follow each rule.
    pub(crate) fn in_window(&self, window: &Window) -> Covering {
        let covered = |(payload, is_own): &(FactPayload, bool)| {
            let rule = Prediction::of(payload, window)?.into_rule();
            let rows = window.numbers.get(&rule.outcome)?;
            let outcome = Outcomes { name: &rule.outcome, rows };
            let holds = members(window, &outcome, &rule.conditions);
            let positions =
                holds.iter().zip(rows).filter(|(member, _)| **member).map(|(_, row)| row.0).collect();
            Some(CoveredRule { rule, is_own: *is_own, positions })
        };
        Covering { rules: self.stated.iter().filter_map(covered).collect() }
    }
}

/// Whether what follows a known rule says nothing about another one on the same outcome: the known rule is specific, no
/// less than the other one, and neither another grouping nor a special case of it.
pub(crate) fn is_beside(known: &Rule, rule: &Rule) -> bool {
    known.conditions.len() >= rule.conditions.len().max(SPECIFIC)
        && !same_features(known, rule)
        && !implies(known, rule)
}

/// A rule in force with the positions of the decisions that follow it.
#[derive(Clone, Debug)]
struct CoveredRule {
    rule: Rule,
    is_own: bool,
    positions: BTreeSet<usize>,
}

/// Rules in force with their decisions in one window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covering {
    rules: Vec<CoveredRule>,
}

impl Covering {
    /// Residuals of some outcomes under the agent's own rules: the distance of each from the mean of those that follow
    /// the same rules; `None` without rules.
    pub(crate) fn residuals(&self, outcome: &Outcomes<'_>) -> Option<Vec<(usize, f64)>> {
        let own: Vec<&CoveredRule> =
            self.rules.iter().filter(|known| known.is_own && known.rule.outcome == outcome.name).collect();
        let followed = |position: &usize| -> Vec<bool> {
            own.iter().map(|known| known.positions.contains(position)).collect()
        };
        let mut groups: BTreeMap<Vec<bool>, Statistic> = BTreeMap::new();
        for (position, number) in outcome.rows {
            let one = Statistic::of(*number);
            groups.entry(followed(position)).and_modify(|all| *all = all.merge(&one)).or_insert(one);
        }
        let rest = |(position, number): &(usize, f64)| (*position, number - groups[&followed(position)].mean);
        (!own.is_empty()).then(|| outcome.rows.iter().map(rest).collect())
    }

    /// Positions of decisions that say nothing about a rule, because they follow the agent's own rules beside it: those
    /// with two conditions or more, and no fewer than the rule itself.
    pub(crate) fn beside(&self, rule: &Rule) -> BTreeSet<usize> {
        self.positions(rule, |known| known.is_own && is_beside(&known.rule, rule))
    }

    /// Positions of decisions that follow a special case of a rule, with the same outcome in the same direction; none where
    /// no special case is in force.
    pub(crate) fn within(&self, rule: &Rule) -> BTreeSet<usize> {
        self.positions(rule, |known| known.rule.higher == rule.higher && implies(&known.rule, rule))
    }

    fn positions(&self, rule: &Rule, is_meant: impl Fn(&CoveredRule) -> bool) -> BTreeSet<usize> {
        let meant = self.rules.iter().filter(|known| known.rule.outcome == rule.outcome && is_meant(known));
        meant.flat_map(|known| &known.positions).copied().collect()
    }
}
