//! Traces of deletion: tombstones on texts, and a history without gaps.

use std::collections::BTreeSet;

use super::rows::{self as record, StoredFact, text_key};
use super::sqlite::Step;
use super::transaction::{Writer, meta};
use super::versions::rewind;
use crate::model::{Fact, FactStatus, Id};

/// Before the text key of a fact that is not to come back, among the settings of the store.
const TOMBSTONE: &str = "forgotten ";

/// Whether a fact with this text was forgotten and is not to come back.
pub(crate) fn is_forgotten(writer: &Writer<'_>, text: &str) -> Step<bool> {
    Ok(meta::<i64>(&writer.transaction, &tombstone(text))?.is_some())
}

pub(crate) fn tombstone(text: &str) -> String {
    format!("{TOMBSTONE}{:016x}", text_key(text))
}

pub(crate) fn stands_alone(fact: &Fact, gone: &BTreeSet<Id>) -> bool {
    let lost = fact.evidence.iter().filter(|episode| gone.contains(episode)).count();
    lost > 0 && lost == fact.evidence.len() && fact.support as usize <= lost
}

/// Joins the neighbours of a fact that is about to be deleted, as if it had never been between them: what it alone had
/// superseded holds again.
pub(crate) fn mend_history(writer: &Writer<'_>, stored: &StoredFact) -> Step<()> {
    let newer = match stored.fact.superseded_by {
        Some(newer) => record::find(&writer.transaction, newer)?,
        None => None,
    };
    let heir = newer.as_ref().map(|newer| newer.fact.id);
    for mut older in record::select(&writer.transaction, "WHERE superseded_by = ?1", [stored.fact.id.0])? {
        older.fact.superseded_by = heir;
        if heir.is_none() {
            resume(writer, &mut older)?;
        }
        writer.note(&older)?;
    }
    if let Some(mut newer) = newer {
        newer.fact.supersedes = stored.fact.supersedes;
        writer.note(&newer)?;
    }
    Ok(())
}

/// Puts a fact in force again, with the end that its statement had before it was superseded.
fn resume(writer: &Writer<'_>, stored: &mut StoredFact) -> Step<()> {
    let before = match stored.ended_tick.and_then(|ended| ended.checked_sub(1)) {
        Some(tick) => rewind(&writer.transaction, stored.clone(), tick)?.map(|then| then.fact),
        None => None,
    };
    if let Some(statement) = &mut stored.fact.statement {
        statement.until =
            before.as_ref().and_then(|fact| fact.statement.as_ref()).and_then(|known| known.until);
    }
    stored.fact.ended_by = before.and_then(|fact| fact.ended_by);
    stored.fact.status = FactStatus::Active;
    stored.ended_tick = None;
    Ok(())
}

/// Deletes the earlier states of a fact, whose figures counted what is forgotten, here and in the journal.
pub(crate) fn forget_states(writer: &Writer<'_>, stored: &StoredFact) -> Step<()> {
    for table in ["versions", "act_facts"] {
        let query = format!("DELETE FROM {table} WHERE fact = ?1");
        writer.transaction.prepare_cached(&query)?.execute([stored.serial])?;
    }
    Ok(())
}
