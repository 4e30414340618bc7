//! Decay and reinforcement of confidence.
//!
//! Pure functions of time: nothing is written back by a sweep, so the confidence at a tick does not depend on the
//! number of reads. The module is in `model` because the store needs it before `consolidate`, which re-exports it.

use serde::{Deserialize, Serialize};

use super::{Fact, FactKind, Persistence};
use crate::error::{Error, Result};

/// Minimum confidence of anti-knowledge.
pub const ANTI_KNOWLEDGE_FLOOR: f64 = 0.3;
/// Slowdown factor of the decay of a warning that was learned in a death, or handed down by one.
pub const DEATH_SLOWDOWN: f64 = 3.0;
/// Maximum confidence of a contradicted fact.
pub const CONTRADICTED_CEILING: f64 = 0.3;
/// Factor on the step by which contrary evidence moves an inherited fact.
pub const LABILE_STEP: f64 = 2.0;
/// Default fraction of the gap to 1 that one reinforcement closes.
pub const REINFORCEMENT: f64 = 0.1;
/// Interval in ticks within which several reinforcements count once.
pub const SPACING_TICKS: u64 = 50;
/// Ticks until a contradicted fact, or a dream without confirmation, expires: 14 days at one loop a minute.
pub const EXPIRY_TICKS: u64 = 14 * 1_440;
/// e-folding time in ticks when ticks count loops.
pub const LOOP_TAU_TICKS: f64 = 500.0;

/// Decay rate of each kind relative to an insight: tactical facts decay faster, structural ones more slowly
/// ("demurrage"). The sizes are our choice, in powers of two around 1, without a source.
#[must_use]
pub const fn demurrage(kind: FactKind) -> f64 {
    match kind {
        FactKind::Context => 2.0,
        FactKind::Insight
        | FactKind::Heuristic
        | FactKind::Baseline
        | FactKind::Pattern
        | FactKind::Goal
        | FactKind::Interest => 1.0,
        FactKind::Warning
        | FactKind::CausalLink
        | FactKind::AntiKnowledge
        | FactKind::Procedural
        | FactKind::Preference => 0.5,
        FactKind::Identity => 0.25,
    }
}

/// e-folding time of each persistence in multiples of `tau_ticks` (14 days where ticks are seconds); `None` for a fact
/// that does not decay. Powers of two near the durations in the names: 2.5 years, 16 weeks, 4 weeks, 3.5 days.
#[must_use]
pub const fn persistence_factor(persistence: Persistence) -> Option<f64> {
    match persistence {
        Persistence::Permanent => None,
        Persistence::Years => Some(64.0),
        Persistence::Months => Some(8.0),
        Persistence::Weeks => Some(2.0),
        Persistence::Days => Some(0.25),
    }
}

/// The longer of two persistences; one that is not given is shorter.
#[must_use]
pub fn longer(one: Option<Persistence>, other: Option<Persistence>) -> Option<Persistence> {
    let factor = |given: Option<Persistence>| {
        given.map_or(0.0, |persistence| persistence_factor(persistence).unwrap_or(f64::INFINITY))
    };
    if factor(other) > factor(one) { other } else { one }
}

/// Factors of a fact's decay besides its support.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecayFactors {
    /// e-folding time in ticks of an insight with little support.
    pub tau_ticks: f64,
    /// Kind, which sets the demurrage and the floor.
    pub kind: FactKind,
    /// Whether it is a warning learned in a death or handed down by one.
    pub from_death: bool,
    /// Whether it is exempt from decay.
    pub pinned: bool,
    /// Persistence without restatement; replaces the demurrage of its kind.
    #[serde(default)]
    pub persistence: Option<Persistence>,
}

impl DecayFactors {
    /// Decay factors of a fact.
    #[must_use]
    pub fn of(fact: &Fact, tau_ticks: f64) -> Self {
        Self {
            tau_ticks,
            kind: fact.kind,
            from_death: fact.from_death(),
            pinned: fact.pinned,
            persistence: fact.persistence,
        }
    }
}

/// Refuses a time constant that is not a positive number.
pub fn check_tau(tau_ticks: f64) -> Result<f64> {
    if tau_ticks.is_finite() && tau_ticks > 0.0 {
        return Ok(tau_ticks);
    }
    Err(Error::invalid(format!("tau is {tau_ticks} ticks"), "It must be a positive number of ticks"))
}

/// Stability `S = tau * max(1, ln(support))` in ticks, times the persistence of the statement or else divided by the
/// kind's demurrage; infinite without decay.
#[must_use]
pub fn stability(support: u32, decay_factors: &DecayFactors) -> f64 {
    let slowdown = if decay_factors.from_death { DEATH_SLOWDOWN } else { 1.0 };
    let factor = match decay_factors.persistence {
        Some(persistence) => persistence_factor(persistence).unwrap_or(f64::INFINITY),
        None => demurrage(decay_factors.kind).recip(),
    };
    decay_factors.tau_ticks * f64::from(support.max(1)).ln().max(1.0) * slowdown * factor
}

/// Retention of a fact at a tick, 0..1: the probability that it still holds, regardless of its confidence.
#[must_use]
pub fn retention_now(fact: &Fact, tick: u64, tau_ticks: f64) -> f64 {
    let elapsed = tick.saturating_sub(fact.reinforced_tick);
    decay(1.0, fact.support, elapsed, &DecayFactors::of(fact, tau_ticks))
}

/// Confidence after `elapsed_ticks` without reinforcement: `confidence * exp(-elapsed / S)`, with the floor and the
/// exemptions. Both confidences are in 0..1.
#[must_use]
pub fn decay(confidence: f64, support: u32, elapsed_ticks: u64, decay_factors: &DecayFactors) -> f64 {
    let faded = if decay_factors.pinned {
        confidence
    } else {
        confidence * (-(elapsed_ticks as f64) / stability(support, decay_factors)).exp()
    };
    match decay_factors.kind {
        FactKind::AntiKnowledge => faded.max(ANTI_KNOWLEDGE_FLOOR),
        _ => faded,
    }
}

/// The confidence of a fact at a tick.
#[must_use]
pub fn confidence_now(fact: &Fact, tick: u64, tau_ticks: f64) -> f64 {
    let elapsed = tick.saturating_sub(fact.reinforced_tick);
    decay(f64::from(fact.confidence), fact.support, elapsed, &DecayFactors::of(fact, tau_ticks))
}

/// Confidence after one reinforcement, which closes a fixed fraction of the gap to 1.
#[must_use]
pub fn reinforced(confidence: f64, fraction: f64) -> f64 {
    (confidence + fraction * (1.0 - confidence)).clamp(0.0, 1.0)
}

/// Confidence after a repetition: no less than before or than stated, and reinforced if the repetition counts.
#[must_use]
pub fn renewed(before: f64, stated: f64, counted: bool, fraction: f64) -> f64 {
    let after = before.max(stated);
    if counted { after.max(reinforced(before, fraction)) } else { after }
}

/// Whether a reinforcement at this tick is far enough from the last one that counted.
#[must_use]
pub fn is_spaced(last_counted: Option<u64>, spacing_ticks: u64, tick: u64) -> bool {
    last_counted.is_none_or(|last| tick.saturating_sub(last) >= spacing_ticks.max(1))
}

/// Confidence after one contrary outcome, which takes a fixed fraction, twice that of an inherited fact.
#[must_use]
pub fn weakened(confidence: f64, fraction: f64, inherited: bool) -> f64 {
    let step = if inherited { LABILE_STEP * fraction } else { fraction };
    confidence * (1.0 - step.min(1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decay_factors(tau_ticks: f64, kind: FactKind, from_death: bool) -> DecayFactors {
        DecayFactors { tau_ticks, kind, from_death, pinned: false, persistence: None }
    }

    fn kinds() -> impl Strategy<Value = FactKind> {
        prop::sample::select(FactKind::ALL.to_vec())
    }

    proptest! {
        #[test]
        fn decay_is_monotone_and_stays_a_confidence(
            confidence in 0.0..=1.0_f64, support in 0..10_000_u32, first in 0..1_000_000_u64, more in 0..1_000_000_u64,
            tau in 1.0..1e6_f64, kind in kinds(), from_death: bool,
        ) {
            let decay_factors = decay_factors(tau, kind, from_death);
            let sooner = decay(confidence, support, first, &decay_factors);
            let later = decay(confidence, support, first + more, &decay_factors);
            prop_assert!(later <= sooner);
            prop_assert!((0.0..=1.0).contains(&later));
        }

        #[test]
        fn decay_does_not_depend_on_how_often_anyone_looked(
            confidence in 0.0..=1.0_f64, support in 0..10_000_u32, steps in prop::collection::vec(0..5_000_u64, 1..20),
            tau in 10.0..1e5_f64, from_death: bool,
        ) {
            // Writing back the result at each read must end at the same value as a single read.
            let decay_factors = decay_factors(tau, FactKind::Insight, from_death);
            let at_once = decay(confidence, support, steps.iter().sum(), &decay_factors);
            let looked = steps.iter().fold(confidence, |now, step| decay(now, support, *step, &decay_factors));
            prop_assert!((at_once - looked).abs() < 1e-9);
        }

        #[test]
        fn anti_knowledge_keeps_its_floor_and_pins_keep_everything(
            confidence in 0.0..=1.0_f64, elapsed: u64, tau in 1.0..1e6_f64,
        ) {
            let floored = decay(confidence, 1, elapsed, &decay_factors(tau, FactKind::AntiKnowledge, false));
            prop_assert!(floored >= ANTI_KNOWLEDGE_FLOOR);
            let pinned = DecayFactors { pinned: true, ..decay_factors(tau, FactKind::Insight, false) };
            prop_assert!((decay(confidence, 1, elapsed, &pinned) - confidence).abs() < f64::EPSILON);
        }

        #[test]
        fn more_support_never_fades_faster(
            confidence in 0.0..=1.0_f64, support in 0..10_000_u32, more in 0..10_000_u32, elapsed in 0..1_000_000_u64,
        ) {
            let decay_factors = decay_factors(500.0, FactKind::Insight, false);
            prop_assert!(
                decay(confidence, support + more, elapsed, &decay_factors) >= decay(confidence, support, elapsed, &decay_factors)
            );
        }
    }

    #[test]
    fn decay_meets_the_curve_of_the_spec() {
        let plain = decay_factors(500.0, FactKind::Insight, false);
        assert!((decay(1.0, 2, 500, &plain) - (-1.0_f64).exp()).abs() < 1e-12);
        assert!((decay(1.0, 50, 500, &plain) - (-1.0 / 50.0_f64.ln()).exp()).abs() < 1e-12);
        let from_death = decay_factors(500.0, FactKind::Insight, true);
        assert!((decay(1.0, 1, 1_500, &from_death) - (-1.0_f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn what_is_permanent_does_not_fade_and_what_lasts_longer_fades_more_slowly() {
        let left = |persistence| {
            let factors = DecayFactors { persistence, ..decay_factors(500.0, FactKind::Preference, false) };
            decay(0.8, 1, 50_000, &factors)
        };
        assert!((left(Some(Persistence::Permanent)) - 0.8).abs() < 1e-12);
        let falling: Vec<f64> =
            [Persistence::Years, Persistence::Months, Persistence::Weeks, Persistence::Days]
                .map(|persistence| left(Some(persistence)))
                .into();
        assert!(falling.windows(2).all(|pair| pair[0] > pair[1]), "{falling:?}");
        assert!(left(None) < left(Some(Persistence::Years)));
    }

    #[test]
    fn a_step_against_an_inherited_fact_is_twice_as_large() {
        assert!((weakened(0.5, 0.1, false) - 0.45).abs() < 1e-12);
        assert!((weakened(0.5, 0.1, true) - 0.40).abs() < 1e-12);
        assert!((reinforced(0.5, 0.1) - 0.55).abs() < 1e-12);
    }
}
