//! Trials of what is believed: decisions under a rule, repetitions of a fact, and the ranks that it earns.

pub(super) mod promote;
pub(super) mod restatements;
pub(super) mod rule_confidence;
pub(super) mod rule_trial_rows;
pub(super) mod rule_trials;
