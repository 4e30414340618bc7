//! What makes a deletion from `facts.db` final: tombstones on texts, a file written anew, and the second look at its
//! bytes. The rows themselves go in `delete.rs`.

use std::collections::BTreeSet;
use std::path::Path;

use super::rows::{self as record, Stored, text_key};
use super::sqlite::Step;
use super::store::FactStore;
use super::transaction::{Writer, meta, set_meta};
use crate::capture::traces;
use crate::error::Result;
use crate::model::{Fact, FactKind, FactStatus, Id};

/// Before the text key of a fact that is not to come back, among the settings of the store.
const TOMBSTONE: &str = "forgotten ";

impl FactStore {
    /// The facts that stand on these episodes alone: no other evidence, and no more support than they gave.
    pub fn derived_from(&self, episodes: &[Id]) -> Result<Vec<Fact>> {
        self.read(|connection| {
            let gone: BTreeSet<Id> = episodes.iter().copied().collect();
            let mut serials = BTreeSet::new();
            let mut known = connection.prepare_cached("SELECT fact FROM evidence WHERE episode = ?1")?;
            for episode in &gone {
                for serial in known.query_map([episode.0], |row| row.get::<_, i64>(0))? {
                    serials.insert(serial?);
                }
            }
            let mut found = Vec::new();
            for serial in serials {
                found.extend(record::select(connection, "WHERE serial = ?1", [serial])?);
            }
            Ok(found.into_iter().map(|stored| stored.fact).filter(|fact| stands_alone(fact, &gone)).collect())
        })
    }

    /// Refuses the texts of these facts from now on: [`FactStore::upsert`] answers that they were forgotten. A baseline
    /// is passed over: its text carries its latest figures and would never come back word for word.
    pub fn bury(&self, facts: &[Id]) -> Result<()> {
        self.write(|writer| {
            for id in facts {
                if let Some(stored) = record::find(&writer.transaction, *id)?
                    && stored.fact.kind != FactKind::Baseline
                {
                    set_meta(&writer.transaction, &tombstone(&stored.fact.text), &1)?;
                }
            }
            Ok(())
        })
    }

    /// Writes the file anew, so that no freed page keeps a byte of what was deleted, and empties the write-ahead log.
    /// Costs as much as writing all facts once. Says whether the write-ahead log could be emptied: a reader in another
    /// process can hold it.
    pub fn vacuum(&self) -> Result<bool> {
        self.with(|connection| {
            // The words of rows that were deleted by an older build stay in the segments until they are made anew.
            connection.execute_batch("INSERT INTO words (words) VALUES ('rebuild'); VACUUM")?;
            let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            Ok(busy == 0)
        })
    }

    /// The second look after a deletion: which needles occur in the raw bytes of the file and of its write-ahead log,
    /// and how many bytes were read. The file is closed and opened again.
    pub fn traces(&self, needles: &[Vec<u8>]) -> Result<(Vec<usize>, u64)> {
        self.aside(|path| {
            let mut log = path.as_os_str().to_owned();
            log.push("-wal");
            let (mut found, mut bytes) = traces(path, needles)?;
            if Path::new(&log).exists() {
                let (more, length) = traces(Path::new(&log), needles)?;
                found.extend(more);
                bytes += length;
            }
            found.sort_unstable();
            found.dedup();
            Ok((found, bytes))
        })
    }
}

/// Whether a fact with this text was forgotten and is not to come back.
pub(crate) fn is_forgotten(writer: &Writer<'_>, text: &str) -> Step<bool> {
    Ok(meta::<i64>(&writer.transaction, &tombstone(text))?.is_some())
}

fn tombstone(text: &str) -> String {
    format!("{TOMBSTONE}{:016x}", text_key(text))
}

fn stands_alone(fact: &Fact, gone: &BTreeSet<Id>) -> bool {
    let lost = fact.evidence.iter().filter(|episode| gone.contains(episode)).count();
    lost > 0 && lost == fact.evidence.len() && fact.support as usize <= lost
}

/// Joins the neighbours of a fact that is about to be deleted, as if it had never been between them: what it alone had
/// superseded holds again.
pub(crate) fn mend_history(writer: &Writer<'_>, stored: &Stored) -> Step<()> {
    let newer = match stored.fact.superseded_by {
        Some(newer) => record::find(&writer.transaction, newer)?,
        None => None,
    };
    let heir = newer.as_ref().map(|newer| newer.fact.id);
    for mut older in record::select(&writer.transaction, "WHERE superseded_by = ?1", [stored.fact.id.0])? {
        older.fact.superseded_by = heir;
        if heir.is_none() {
            older.fact.status = FactStatus::Active;
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
pub(crate) fn forget_states(writer: &Writer<'_>, stored: &Stored) -> Step<()> {
    for table in ["versions", "act_facts"] {
        let query = format!("DELETE FROM {table} WHERE fact = ?1");
        writer.transaction.prepare_cached(&query)?.execute([stored.serial])?;
    }
    Ok(())
}
