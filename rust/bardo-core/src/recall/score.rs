//! From fused relevance to a score: four factors, the discount of the source, and the boosts (spec 4, "Score").
//!
//! A factor that carries no information is neutral, the same for every memory without it, so that it cannot change
//! their order: on plain conversations the score ranks as the fusion does.

use super::settings::Settings;
use crate::index::hot::{FactRow, Row};
use crate::model::decay::{Fading, decay};
use crate::model::{FactKind, Pad, Source};

/// A factor that carries no information.
pub const NEUTRAL: f32 = 0.5;

/// Fused relevance below the best, in standard deviations of the candidates, at which the semantic factor has fallen
/// to 1/e. With a span of 2, one standard deviation is worth as much as the whole of the importance factor from 0.4 to
/// 1; what lies far behind can never be lifted past what fits.
const SEMANTIC_SPAN: f32 = 2.0;

/// Fused relevance from 0 to 1: the best candidate has 1, and order is kept.
#[must_use]
pub fn semantic(fused: f32, best: f32) -> f32 {
    ((fused - best) / SEMANTIC_SPAN).exp()
}

/// Confidence of a fact at a tick (spec 2, "Ebbinghaus decay").
#[must_use]
pub fn confidence_now(fact: &FactRow, tick: u64, tau_ticks: f64) -> f32 {
    let elapsed = tick.saturating_sub(fact.reinforced_tick);
    decay(f64::from(fact.confidence), fact.support, elapsed, &Fading { tau_ticks, ..fact.fading }) as f32
}

fn retention_of_fact(fact: &FactRow, tick: u64, tau_ticks: f64) -> f32 {
    let elapsed = tick.saturating_sub(fact.reinforced_tick);
    decay(1.0, fact.support, elapsed, &Fading { tau_ticks, ..fact.fading }) as f32
}

/// Retention of an episode that was verified: as an insight supported by its own replays.
fn retention_of_episode(row: &Row, tick: u64, tau_ticks: f64) -> f32 {
    let fading = Fading { tau_ticks, kind: FactKind::Insight, from_death: false, pinned: false };
    decay(1.0, row.replay_count.saturating_add(1), tick.saturating_sub(row.tick), &fading) as f32
}

/// Retention of a fact; half of it where the fact rests on one episode alone, so that what restates an episode never
/// outweighs it. An episode is what happened and does not fade below neutral; once an outcome verified it, it
/// starts at 1 and fades to neutral, more slowly the more often it was replayed.
#[must_use]
pub fn temporal(row: &Row, tick: u64, tau_ticks: f64) -> f32 {
    match &row.fact {
        Some(fact) if fact.support == 1 => NEUTRAL * retention_of_fact(fact, tick, tau_ticks),
        Some(fact) => retention_of_fact(fact, tick, tau_ticks),
        None if row.verified => NEUTRAL + (1.0 - NEUTRAL) * retention_of_episode(row, tick, tau_ticks),
        None => NEUTRAL,
    }
}

/// What the agent lived is certain to have happened; what a predecessor lived is hearsay, as sure as a testament's
/// entry when it arrives (spec 4, table of sources).
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

/// Discount at recall by source (spec 4). Styx carries facts of its Vault at par, the others under their own names.
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

/// The four factors of one memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FourFactors {
    /// Fused relevance, 0..1.
    pub semantic: f32,
    /// Retention, 0..1.
    pub temporal: f32,
    /// Quality or importance, 0..1.
    pub importance: f32,
    /// Mood congruence, 0..1.
    pub emotional: f32,
}

impl FourFactors {
    /// All but the semantic one come from the row.
    #[must_use]
    pub fn of(row: &Row, semantic: f32, mood: &Pad, tick: u64, tau_ticks: f64) -> Self {
        Self {
            semantic,
            temporal: temporal(row, tick, tau_ticks),
            importance: row.importance.unwrap_or(NEUTRAL),
            emotional: emotional(&row.pad, mood),
        }
    }

    /// Their weighted sum.
    #[must_use]
    pub fn sum(&self, settings: &Settings) -> f32 {
        let weights = &settings.factors;
        weights.semantic * self.semantic
            + weights.temporal * self.temporal
            + weights.importance * self.importance
            + weights.emotional * self.emotional
    }
}

/// The `pinned` policy: relevance 0.5, importance 0.3, pinned 0.3, not pinned 0.2 x relevance, where importance is
/// half heuristic, half stored (spec 4).
#[must_use]
pub fn pinned_score(row: &Row, factors: &FourFactors, confidence: f32, age_days: f64) -> f32 {
    /// Days over which the heuristic importance fades, and what it keeps.
    const FADING_DAYS: f64 = 180.0;
    const KEPT: f64 = 0.1;
    let mentions = row.fact.as_ref().map_or(0, |fact| fact.mentions);
    let freshness = (1.0 - age_days / FADING_DAYS).max(KEPT) as f32;
    let heuristic = confidence * (0.3 + 0.1 * mentions as f32).min(1.0) * freshness;
    let importance = f32::midpoint(heuristic, factors.importance);
    let is_pinned = row.fact.as_ref().is_some_and(|fact| fact.fading.pinned);
    let pin = if is_pinned { 0.3 } else { 0.2 * factors.semantic };
    0.5 * factors.semantic + 0.3 * importance + pin
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
        fn the_semantic_factor_keeps_order_and_stays_between_0_and_1(
            best in -5.0_f32..10.0, one in 0.0_f32..15.0, more in 0.01_f32..5.0,
        ) {
            let (nearer, farther) = (semantic(best - one, best), semantic(best - one - more, best));
            prop_assert!(nearer > farther && farther > 0.0 && nearer <= 1.0);
        }
    }
}
