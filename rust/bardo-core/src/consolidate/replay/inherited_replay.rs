//! Replay of inherited episodes: the rules that an heir found itself are tested on decisions that its ancestors lived.
//!
//! Decisions of others are no evidence of the agent's own. So nothing is written: they confirm no rule, lower none, and enter
//! no account of the rule. A rule that an ancestor found is not tested, since its own episodes would count for it twice.

use crate::consolidate::discovery::window::Window;
use crate::consolidate::trials::rule_trials::{IN_FORCE, Prediction, RULES, RuleTrial, beside};
use crate::error::Result;
use crate::facts::FactStore;
use crate::facts::rows as record;
use crate::model::{Episode, Id};

/// Result of one rule on the decisions of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InheritedTest {
    /// The rule.
    pub fact: Id,
    /// Decisions that followed it.
    pub followed: u64,
    /// Whether these came out as predicted, at 20 to 1.
    pub agrees: bool,
    /// Whether they came out otherwise, at 10,000 to 1.
    pub against: bool,
}

/// Tests the own rules in force on episodes as an ancestor lived them; of a rule that none of them followed nothing is told.
pub fn replay_inherited(store: &FactStore, episodes: &[Episode]) -> Result<Vec<InheritedTest>> {
    let window = Window::of(episodes);
    if window.numbers.is_empty() {
        return Ok(Vec::new());
    }
    let in_force = store.read(|connection| record::select(connection, IN_FORCE, [RULES]))?;
    let rules: Vec<_> = in_force
        .into_iter()
        .filter_map(|stored| Some((Prediction::of(&stored.fact.payload, &window)?, stored)))
        .collect();
    let mut found = Vec::new();
    for (place, (prediction, stored)) in rules.iter().enumerate() {
        let is_own = !stored.fact.is_hearsay() && stored.fact.origin == store.agent();
        if !is_own {
            continue;
        }
        let others = rules.iter().enumerate().filter(|(other, _)| *other != place);
        let beside = beside(prediction, others.map(|(_, (other, _))| other), &window);
        let mut trial = RuleTrial::relived(None, &stored.fact, (0.0, 0.0));
        let followed = trial.relive(&window, prediction, &beside).len() as u64;
        if followed > 0 {
            let (agrees, against) = (trial.is_confirmed(), trial.is_broken());
            found.push(InheritedTest { fact: stored.fact.id, followed, agrees: agrees && !against, against });
        }
    }
    Ok(found)
}
