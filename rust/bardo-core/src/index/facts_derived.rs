//! Insights of the agent's own (spec 3, "Dossier"): where they start, and how many it may hold at once.

use super::facts_change::archive;
use super::facts_record::{self as record};
use super::facts_write::Writer;
use super::migrate::Step;
use crate::model::{Fact, Source};

/// Confidence at which a conclusion of the agent's own starts (spec 3).
pub const DERIVED_CONFIDENCE: f32 = 0.7;
/// Its importance: 4 of 10 (spec 3).
pub const DERIVED_IMPORTANCE: f32 = 0.4;
/// Conclusions that an agent holds at most; the oldest leaves first (spec 3).
pub const DERIVED_KEPT: i64 = 50;

/// A conclusion enters at one confidence and importance, whatever whoever drew it thinks of it.
pub(crate) fn tempered(mut fact: Fact) -> Fact {
    if fact.source == Source::Derived {
        fact.confidence = DERIVED_CONFIDENCE;
        fact.importance = DERIVED_IMPORTANCE;
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
