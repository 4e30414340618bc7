//! How a fact arrives by its source (spec 4), and how many insights of its own the agent holds (spec 3, "Dossier").

use super::evidence::archive;
use super::filter::Retention;
use super::rows as record;
use super::sqlite::Step;
use super::transaction::Writer;
use crate::model::{Fact, Source};

/// Confidence at which a conclusion of the agent's own starts (spec 3).
pub const DERIVED_CONFIDENCE: f32 = 0.7;
/// Its importance: 4 of 10 (spec 3).
pub const DERIVED_IMPORTANCE: f32 = 0.4;
/// Conclusions that an agent holds at most; the oldest leaves first (spec 3).
pub const DERIVED_KEPT: i64 = 50;

/// Confidence at which a fact of this source arrives at most (spec 4, table of sources); none for what the agent lived or
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

/// A fact as it enters the store: no surer than its source allows, whoever writes it. A conclusion enters at one
/// confidence and importance, and a dream ends.
pub(crate) fn tempered(mut fact: Fact, tick: u64, retention: Retention) -> Fact {
    let source = if fact.is_hearsay() && arrival_confidence(fact.source).is_none() {
        Source::Testament
    } else {
        fact.source
    };
    if let Some(most) = arrival_confidence(source) {
        fact.confidence = fact.confidence.min(most);
    }
    match fact.source {
        Source::Derived => {
            fact.confidence = DERIVED_CONFIDENCE;
            fact.importance = DERIVED_IMPORTANCE;
        }
        Source::Dream => {
            let end = tick.saturating_add(retention.expiry_ticks).min(i64::MAX.unsigned_abs());
            fact.expires_tick = Some(fact.expires_tick.map_or(end, |given| given.min(end)));
        }
        _ => {}
    }
    fact
}

/// Archives the oldest conclusions beyond those that are kept. What is pinned stays, and counts.
pub(crate) fn make_room(writer: &Writer<'_>, tick: u64) -> Step<()> {
    let surplus: i64 = writer
        .transaction
        .prepare_cached("SELECT count(*) - ?1 FROM facts WHERE source = 'derived' AND status IN ('active', 'contradicted')")?
        .query_row([DERIVED_KEPT], |row| row.get(0))?;
    if surplus <= 0 {
        return Ok(());
    }
    let oldest = record::select(
        &writer.transaction,
        "WHERE source = 'derived' AND status IN ('active', 'contradicted') AND NOT pinned
         ORDER BY created_tick, serial LIMIT ?1",
        [surplus],
    )?;
    for mut stored in oldest {
        archive(writer, &mut stored, tick)?;
    }
    Ok(())
}
