//! One hypothesis: its claim, its fortune (see `e_values`), and what windows measured of it.

use std::collections::BTreeSet;

use super::claims::{Claim, Measure};
use super::e_values::wealth;
use super::known_rules::Covering;
use super::redundant_rules::{implies, same_features};
use super::window::Window;
use crate::consolidate::trials::rule_trials::{Prediction, RuleTrial};
use crate::facts::EVIDENCE_KEPT;
use crate::model::Id;

/// One hypothesis.
#[derive(Clone, Debug)]
pub(super) struct Hypothesis {
    pub(super) claim: Claim,
    /// Share of all trust (see `e_values::share`).
    pub(super) share: f64,
    pub(super) log_wealth: f64,
    pub(super) windows: u64,
    pub(super) measure: Option<Measure>,
    pub(super) evidence: Vec<Id>,
    pub(super) ticks: (u64, u64),
    pub(super) fact: Option<Id>,
    /// Subjects of nearly all of its episodes in the last window.
    pub(super) subjects: Vec<String>,
    /// Whether the last window's decisions came out otherwise than it predicts.
    pub(super) is_broken: bool,
    /// Verification up to which earlier episodes bear it out no more; 0 for none.
    pub(super) broken_at: u64,
    /// Rule that makes it redundant by the latest window.
    pub(super) replaced_by: Option<Claim>,
    /// Whether it differs from what is stored.
    pub(super) changed: bool,
    /// Whether it was tested since it was read.
    pub(super) tested: bool,
}

impl Hypothesis {
    pub(super) const fn new(claim: Claim, share: f64) -> Self {
        Self {
            claim,
            share,
            log_wealth: 0.0,
            windows: 0,
            measure: None,
            evidence: Vec::new(),
            ticks: (0, 0),
            fact: None,
            subjects: Vec::new(),
            is_broken: false,
            broken_at: 0,
            replaced_by: None,
            changed: true,
            tested: false,
        }
    }

    /// Begins it again: nothing that was measured before bears it out.
    pub(super) fn restart(&mut self) {
        (self.log_wealth, self.windows, self.measure) = (0.0, 0, None);
        self.evidence.clear();
        self.changed = true;
    }

    /// Whether it has no evidence of its own once another claim stopped holding: a rule with other bounds, or a special
    /// case that no fact states.
    pub(super) fn ends_with(&self, broken: &Claim) -> bool {
        let (Claim::Differs(rule), Claim::Differs(broken)) = (&self.claim, broken) else { return false };
        rule.outcome == broken.outcome
            && rule.higher == broken.higher
            && (same_features(rule, broken) || self.fact.is_none() && implies(rule, broken))
    }

    pub(super) fn score(&self) -> f64 {
        self.share.ln() + self.log_wealth
    }

    /// Subjects that it names, or that its episodes share.
    pub(super) fn about(&self) -> Vec<String> {
        let mut subjects = self.claim.subjects();
        if let Claim::Differs(_) = self.claim {
            let shared = self.subjects.iter().filter(|subject| !subjects.contains(subject));
            let shared: Vec<String> = shared.cloned().collect();
            subjects.extend(shared);
        }
        subjects
    }

    /// Tests it on a window; returns whether the window had enough data.
    pub(super) fn test(&mut self, window: &Window, covering: &Covering) -> bool {
        if window.begin < self.broken_at {
            return false;
        }
        let Some(tested) = self.claim.test(window, self.measure.as_ref(), covering) else { return false };
        self.changed = true;
        if let (Claim::Differs(rule), Some(Measure::Differs { inside, outside })) =
            (&self.claim, &self.measure)
        {
            let least = self.measure.as_ref().map_or(0.0, Measure::least_effect);
            let effect = least.max((inside.mean - outside.mean).abs() / 2.0);
            let mut trial = RuleTrial::new(Some(*outside));
            trial.follow(window, &Prediction::new(rule.clone(), effect), &BTreeSet::new());
            self.is_broken = trial.is_broken();
        }
        if self.is_broken {
            self.restart();
            self.tested = true;
            return true;
        }
        self.subjects = window.subjects_of(&tested.positions);
        self.measure = Some(
            self.measure
                .as_ref()
                .map_or_else(|| tested.measure.clone(), |known| known.merge(&tested.measure)),
        );
        let Some(log_e_value) = tested.log_e_value else { return false };
        self.log_wealth = wealth(self.log_wealth, log_e_value, self.share);
        self.windows += 1;
        self.tested = true;
        let (latest, ticks) = window.evidence(&tested.positions, EVIDENCE_KEPT);
        self.ticks =
            if self.windows == 1 { ticks } else { (self.ticks.0.min(ticks.0), self.ticks.1.max(ticks.1)) };
        self.evidence.extend(latest);
        let surplus = self.evidence.len().saturating_sub(EVIDENCE_KEPT);
        self.evidence.drain(..surplus);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consolidate::discovery::subgroups::{Condition, Rule};

    fn claim(conditions: &[Condition], higher: bool) -> Claim {
        Claim::Differs(Rule { conditions: conditions.to_vec(), outcome: "pnl".into(), higher })
    }

    #[test]
    fn rules_with_other_bounds_and_unstated_special_cases_end_with_a_broken_rule() {
        let calm = |bound| Condition::AtMost("volatility".into(), bound);
        let long = Condition::Is("action".into(), "long".into());
        let broken = claim(&[calm(0.5)], true);
        let row = |claim| Hypothesis::new(claim, 0.1);
        assert!(row(claim(&[calm(0.7)], true)).ends_with(&broken));
        assert!(!row(claim(&[calm(0.7)], false)).ends_with(&broken));
        let mut special = row(claim(&[calm(0.7), long.clone()], true));
        assert!(special.ends_with(&broken));
        special.fact = Some(Id::ABSENT);
        assert!(!special.ends_with(&broken), "decisions that follow a rule in force test it");
        assert!(!row(claim(&[long], true)).ends_with(&broken));
    }
}
