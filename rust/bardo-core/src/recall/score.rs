//! From fused relevance to a score: terms that are added, and factors that multiply their sum.
//!
//! [`Score`] holds every number once: the score is computed from it, and the explanation reports it. A term that carries
//! no information is neutral, the same for every memory without it, so that it cannot change their order: on plain
//! conversations the score ranks as the fusion does.

use super::settings::{Factors, Policy, Settings};
use crate::index::hot::{FactRow, Row};
use crate::model::decay::{DecayFactors, decay};
use crate::model::{FactKind, FactStatus, Pad, Source};

/// A factor that carries no information.
pub const NEUTRAL: f32 = 0.5;

/// Fused relevance below the best, in standard deviations of the candidates, at which the relevance factor has fallen
/// to 1/e. With a span of 2, one standard deviation is worth as much as the whole of the importance factor from 0.4 to
/// 1; what lies far behind can never be lifted past what fits.
const RELEVANCE_SPAN: f32 = 2.0;

/// Relevance from which the other terms have their full weight: a span behind the best. Below it they fall with the
/// relevance, so that no age, importance or trust lifts what does not fit above what does.
const FULL_WEIGHT: f32 = 0.37;

/// Fused relevance from 0 to 1: the best candidate has 1, and order is kept.
#[must_use]
pub fn relevance(fused: f32, best: f32) -> f32 {
    ((fused - best) / RELEVANCE_SPAN).exp()
}

/// Confidence of a fact at a tick.
#[must_use]
pub fn confidence_now(fact: &FactRow, tick: u64, tau_ticks: f64) -> f32 {
    let elapsed = tick.saturating_sub(fact.reinforced_tick);
    decay(
        f64::from(fact.confidence),
        fact.support,
        elapsed,
        &DecayFactors { tau_ticks, ..fact.decay_factors },
    ) as f32
}

fn retention_of_fact(fact: &FactRow, tick: u64, tau_ticks: f64) -> f32 {
    let elapsed = tick.saturating_sub(fact.reinforced_tick);
    decay(1.0, fact.support, elapsed, &DecayFactors { tau_ticks, ..fact.decay_factors }) as f32
}

/// Retention of an episode that was verified: as an insight supported by its own replays.
fn retention_of_episode(row: &Row, tick: u64, tau_ticks: f64) -> f32 {
    let decay_factors = DecayFactors {
        tau_ticks,
        kind: FactKind::Insight,
        from_death: false,
        pinned: false,
        persistence: None,
    };
    decay(1.0, row.replay_count.saturating_add(1), tick.saturating_sub(row.tick), &decay_factors) as f32
}

/// Retention of a fact, by the part of a certain fact that its support makes: half at one episode or none, two thirds at
/// two (Laplace's rule of succession), so that what restates an episode or two does not outweigh episodes. An episode is
/// what happened and does not fade below neutral; once an outcome verified it, it starts at 1 and fades to neutral, more
/// slowly the more often it was replayed.
#[must_use]
pub fn temporal(row: &Row, tick: u64, tau_ticks: f64) -> f32 {
    match &row.fact {
        Some(fact) => temporal_of_fact(fact.support, retention_of_fact(fact, tick, tau_ticks)),
        None if row.verified => temporal_of_episode(retention_of_episode(row, tick, tau_ticks)),
        None => NEUTRAL,
    }
}

/// Temporal factor of a fact; see [`temporal`].
#[must_use]
pub fn temporal_of_fact(support: u32, retention: f32) -> f32 {
    let support = support.max(1) as f32;
    support / (support + 1.0) * retention
}

/// Temporal factor of a verified episode; see [`temporal`].
#[must_use]
pub fn temporal_of_episode(retention: f32) -> f32 {
    NEUTRAL + (1.0 - NEUTRAL) * retention
}

/// Certainty of an episode. The agent's own happened for sure; a predecessor's is hearsay, as sure as a testament's
/// entry when it arrives.
const INHERITED_EPISODE: f32 = 0.4;

/// Confidence of any memory today: a fact's fades, an episode's depends on who lived it.
#[must_use]
pub fn confidence_of(row: &Row, tick: u64, tau_ticks: f64) -> f32 {
    match &row.fact {
        Some(fact) => confidence_now(fact, tick, tau_ticks),
        None if row.source == Source::Testament => INHERITED_EPISODE,
        None => 1.0,
    }
}

/// Mood congruence: the cosine of two affects on a scale from 0 to 1; neutral where either is not recorded.
#[must_use]
pub fn emotional(memory: &Pad, now: &Pad) -> f32 {
    let dot = |left: &Pad, right: &Pad| left.iter().zip(right).map(|(a, b)| a * b).sum::<f32>();
    let norms = (dot(memory, memory) * dot(now, now)).sqrt();
    if norms == 0.0 { NEUTRAL } else { (f32::midpoint(1.0, dot(memory, now) / norms)).clamp(0.0, 1.0) }
}

/// Discount at recall by source. Styx carries facts of its Vault at par, the others under their own names.
#[must_use]
pub const fn source_discount(source: Source) -> f32 {
    match source {
        Source::Clade => 0.80,
        Source::Lethe => 0.50,
        Source::Market => 0.60,
        Source::SelfLived
        | Source::Dream
        | Source::Testament
        | Source::Styx
        | Source::Upload
        | Source::Derived => 1.0,
    }
}

/// Trust in a memory of confidence 0: half of what certain memories have.
const LEAST_TRUST: f32 = 0.5;

/// Trust in a memory, from what its confidence is worth: .5 to 1. What the agent lived itself has 1.
#[must_use]
pub fn trust(worth: f32) -> f32 {
    LEAST_TRUST + (1.0 - LEAST_TRUST) * worth.clamp(0.0, 1.0)
}

/// Factor of a fact that evidence speaks against, until it is confirmed or expires.
const CONTRADICTED: f32 = 0.5;

/// Factor of what another life handed down and this one did not confirm, where the source has no discount of its own: at
/// like relevance own knowledge precedes it. As large as one generation costs at inheritance.
const INHERITED: f32 = 0.85;

/// Factor of a source without a discount of its own; see [`INHERITED`].
#[must_use]
pub const fn inherited(source: Source) -> f32 {
    match source {
        Source::Testament | Source::Styx => INHERITED,
        Source::SelfLived
        | Source::Dream
        | Source::Clade
        | Source::Lethe
        | Source::Market
        | Source::Upload
        | Source::Derived => 1.0,
    }
}

/// One number that is added to a score: its value times its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Name of the factor.
    pub name: &'static str,
    /// Measured value.
    pub value: f32,
    /// Weight of the value in the sum.
    pub weight: f32,
}

impl Term {
    const fn new(name: &'static str, value: f32, weight: f32) -> Self {
        Self { name, value, weight }
    }

    /// Part of the sum.
    #[must_use]
    pub fn part(&self) -> f32 {
        self.weight * self.value
    }
}

/// Terms of the four-factor policy, from values in 0..1. Below [`FULL_WEIGHT`] the weights of the others fall with the
/// relevance.
#[must_use]
pub fn four_factors(
    weights: &Factors,
    relevance: f32,
    temporal: f32,
    importance: f32,
    emotional: f32,
) -> [Term; 4] {
    let fit = (relevance / FULL_WEIGHT).min(1.0);
    [
        Term::new("relevance", relevance, weights.relevance),
        Term::new("temporal", temporal, fit * weights.temporal),
        Term::new("importance", importance, fit * weights.importance),
        Term::new("emotional", emotional, fit * weights.emotional),
    ]
}

/// Names of the factors, in the order in which they multiply the sum of the terms.
pub const FACTORS: [&str; 6] = ["trust", "contradicted", "source", "inherited", "bloodstain", "thread"];

/// Factors among [`FACTORS`] that say how much a memory is believed, not how well it fits.
const BELIEF: [&str; 3] = ["trust", "source", "inherited"];

/// A score, and every number that it is computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    terms: [Option<Term>; 4],
    factors: [f32; FACTORS.len()],
}

/// Input of the score of one memory, apart from its row.
#[derive(Clone, Copy, Debug)]
pub struct ScoreInput<'query> {
    /// Weights, policy and boosts.
    pub settings: &'query Settings,
    /// Fused relevance as the arms give it.
    pub fused: f32,
    /// Fused relevance from 0 to 1.
    pub relevance: f32,
    /// Affect of the asker.
    pub mood: &'query Pad,
    /// Tick that is asked about.
    pub tick: u64,
    /// Confidence at that tick.
    pub confidence: f32,
    /// How often facts of that confidence hold.
    pub worth: f32,
    /// Days since the memory was made.
    pub age_days: f64,
    /// Whether the memory belongs to the active thread.
    pub is_of_thread: bool,
}

impl Score {
    /// The score of a memory by the policy in force. The terms and factors that the policy leaves out are absent.
    #[must_use]
    pub fn of(row: &Row, situation: &ScoreInput<'_>) -> Self {
        let settings = situation.settings;
        let importance = row.importance.unwrap_or(NEUTRAL);
        let terms = match settings.policy {
            Policy::FourFactor => {
                let weights = &settings.factors;
                let temporal = temporal(row, situation.tick, settings.tau_ticks);
                let emotional = emotional(&row.pad, situation.mood);
                four_factors(weights, situation.relevance, temporal, importance, emotional).map(Some)
            }
            Policy::Rrf => [Some(Term::new("fused", situation.fused, 1.0)), None, None, None],
            Policy::Pinned => pinned_terms(row, situation, importance),
        };
        let factors = match settings.policy {
            // Fusion alone.
            Policy::Rrf => [1.0; FACTORS.len()],
            Policy::FourFactor | Policy::Pinned => {
                let fact = row.fact.as_deref();
                let is = |condition: bool, factor: f32| if condition { factor } else { 1.0 };
                [
                    trust(situation.worth),
                    is(fact.is_some_and(|fact| fact.status == FactStatus::Contradicted), CONTRADICTED),
                    source_discount(row.source),
                    inherited(row.source),
                    is(fact.is_some_and(|fact| fact.bloodstain), settings.bloodstain_boost),
                    is(situation.is_of_thread, settings.thread_boost),
                ]
            }
        };
        Self { terms, factors }
    }

    /// The sum of the terms times the factors.
    #[must_use]
    pub fn total(&self) -> f32 {
        let sum: f32 = self.terms().map(Term::part).sum();
        sum * self.factors.iter().product::<f32>()
    }

    /// The score of a memory that is fully believed.
    #[must_use]
    pub fn undiscounted(&self) -> f32 {
        let sum: f32 = self.terms().map(Term::part).sum();
        sum * self
            .factors()
            .filter(|(name, _)| !BELIEF.contains(name))
            .map(|(_, factor)| factor)
            .product::<f32>()
    }

    /// The terms that the policy adds.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.terms.iter().flatten()
    }

    /// The factors that change the score, by name.
    pub fn factors(&self) -> impl Iterator<Item = (&'static str, f32)> {
        #[expect(clippy::float_cmp, reason = "a factor that is left out is exactly 1")]
        FACTORS.into_iter().zip(self.factors).filter(|(_, factor)| *factor != 1.0)
    }
}

/// Terms of the `pinned` policy: relevance 0.5, importance 0.3, pinned 0.3, not pinned 0.2 x relevance, where importance
/// is half heuristic, half stored.
fn pinned_terms(row: &Row, situation: &ScoreInput<'_>, stored: f32) -> [Option<Term>; 4] {
    /// Days over which the heuristic importance fades, and what it keeps.
    const FADING_DAYS: f64 = 180.0;
    const KEPT: f64 = 0.1;
    let mentions = row.fact.as_ref().map_or(0, |fact| fact.mentions);
    let freshness = (1.0 - situation.age_days / FADING_DAYS).max(KEPT) as f32;
    let heuristic = situation.confidence * (0.3 + 0.1 * mentions as f32).min(1.0) * freshness;
    let is_pinned = row.fact.as_ref().is_some_and(|fact| fact.decay_factors.pinned);
    let pin = if is_pinned {
        Term::new("pinned", 1.0, 0.3)
    } else {
        Term::new("unpinned", situation.relevance, 0.2)
    };
    [
        Some(Term::new("relevance", situation.relevance, 0.5)),
        Some(Term::new("importance", f32::midpoint(heuristic, stored), 0.3)),
        Some(pin),
        None,
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_unrecorded_mood_is_neutral_and_the_same_mood_is_best() {
        assert!((emotional(&[0.0; 3], &[0.5, 0.1, 0.2]) - NEUTRAL).abs() < f32::EPSILON);
        assert!((emotional(&[0.5, 0.1, 0.2], &[0.5, 0.1, 0.2]) - 1.0).abs() < 1e-6);
        assert!(emotional(&[-0.5, -0.1, -0.2], &[0.5, 0.1, 0.2]) < 1e-6);
    }

    proptest! {
        #[test]
        fn the_relevance_factor_keeps_order_and_stays_between_0_and_1(
            best in -5.0_f32..10.0, one in 0.0_f32..15.0, more in 0.01_f32..5.0,
        ) {
            let (nearer, farther) = (relevance(best - one, best), relevance(best - one - more, best));
            prop_assert!(nearer > farther && farther > 0.0 && nearer <= 1.0);
        }
    }
}
