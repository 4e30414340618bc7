//! Traces of deletion: tombstones on texts, and a history without gaps.

use std::collections::BTreeSet;

use super::rows::{self as record, StoredFact, text_key};
use super::sqlite::Step;
use super::transaction::{Writer, meta};
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
            older.fact.status = FactStatus::Active;
            older.fact.ended_by = None;
            older.ended_tick = None;
        }
        writer.note(&older)?;
    }
    if let Some(mut newer) = newer {
        newer.fact.supersedes = stored.fact.supersedes;
        writer.note(&newer)?;
    }
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
