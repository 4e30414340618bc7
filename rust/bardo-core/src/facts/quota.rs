//! Limits by source: how sure a fact arrives, and how many conclusions of its own an agent keeps.

use crate::model::Source;

/// Confidence at which a conclusion of the agent's own starts.
pub const DERIVED_CONFIDENCE: f32 = 0.7;
/// Its importance: 4 of 10.
pub const DERIVED_IMPORTANCE: f32 = 0.4;
/// Conclusions that an agent holds at most; the oldest leaves first.
pub const DERIVED_KEPT: i64 = 50;

/// Confidence at which a fact of this source arrives at most; none for what the agent lived or
/// its user gave it.
#[must_use]
pub const fn arrival_confidence(source: Source) -> Option<f32> {
    match source {
        Source::Clade | Source::Testament => Some(0.4),
        Source::Dream => Some(0.3),
        Source::Styx => Some(0.25),
        Source::Lethe | Source::Market => Some(0.2),
        Source::Derived => Some(DERIVED_CONFIDENCE),
        Source::SelfLived | Source::Upload => None,
    }
}
