//! Deleting what was derived from episodes alone (law 11): one transaction, and nothing of it left in the file.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::mention_rows::drop_unnamed;
use super::names_state::NAMES_EPOCH;
use super::rows::{self as record, StoredFact, mark_due};
use super::sqlite::{Step, rows};
use super::store::FactStore;
use super::tombstones::mend_history;
use super::transaction::{EDGES, Writer};
use crate::error::Result;
use crate::model::{FactKind, Id};

/// Counts of the records deleted together with episodes or facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeletionReport {
    /// Facts that nothing else supported. An index in memory must drop them too.
    pub facts: Vec<Id>,
    /// Facts that keep other support, and lost what the deleted gave.
    pub kept: Vec<Id>,
    /// Running statistics that counted deleted episodes alone.
    pub baselines: usize,
    /// Memories whose mentions of entities and findings were deleted.
    pub memories: usize,
    /// Entities that nothing else mentions.
    pub entities: usize,
    /// Triples that deleted memories said.
    pub triples: usize,
}

impl FactStore {
    /// Deletes everything that was derived from these episodes alone: facts without other support, with their states,
    /// links and vectors; what the texts named; entities that nothing else names. Facts with other support stay and lose
    /// the evidence.
    ///
    /// A running statistic that also counts other episodes stays as it is: a minimum cannot be taken back. Unknown ids are
    /// no error, so that a deletion can be repeated. What is deleted is overwritten in the file.
    pub fn forget_episodes(&self, episodes: &[Id]) -> Result<DeletionReport> {
        let forgotten = self.write(|writer| {
            let mut forgotten = DeletionReport::default();
            let deleted: BTreeSet<Id> = episodes.iter().copied().collect();
            for serial in supported_by(&writer.transaction, &deleted)? {
                let found = record::select(&writer.transaction, "WHERE serial = ?1", [serial])?;
                for stored in found {
                    release(writer, stored, &deleted, &mut forgotten)?;
                }
            }
            forgotten.baselines = forget_baselines(&writer.transaction, &deleted)?;
            for episode in &deleted {
                for table in ["links", "act_links"] {
                    writer
                        .transaction
                        .prepare_cached(&format!("DELETE FROM {table} WHERE src = ?1 OR dst = ?1"))?
                        .execute([episode.0])?;
                }
            }
            writer.next(EDGES)?;
            let facts = forgotten.facts.clone();
            forget_sources(writer, deleted.into_iter().chain(facts), &mut forgotten)?;
            Ok(forgotten)
        })?;
        self.checkpoint()?;
        Ok(forgotten)
    }

    /// Deletes these facts with their states, links, vectors, and what their texts named. Unknown ids are no error.
    pub fn forget_facts(&self, facts: &[Id]) -> Result<DeletionReport> {
        let forgotten = self.write(|writer| {
            let mut forgotten = DeletionReport::default();
            for id in facts {
                if let Some(stored) = record::find(&writer.transaction, *id)? {
                    delete(writer, &stored)?;
                    forgotten.facts.push(*id);
                }
            }
            let facts = forgotten.facts.clone();
            forget_sources(writer, facts.into_iter(), &mut forgotten)?;
            Ok(forgotten)
        })?;
        self.checkpoint()?;
        Ok(forgotten)
    }

    /// Moves everything into the main file and empties the write-ahead log, which would still hold what was deleted.
    fn checkpoint(&self) -> Result<()> {
        self.with(|connection| Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?))
    }
}

/// Rows of facts with any of these episodes as evidence.
fn supported_by(connection: &Connection, episodes: &BTreeSet<Id>) -> Step<BTreeSet<i64>> {
    let mut statement = connection.prepare_cached("SELECT fact FROM evidence WHERE episode = ?1")?;
    let mut facts = BTreeSet::new();
    for episode in episodes {
        for fact in statement.query_map([episode.0], |row| row.get(0))? {
            facts.insert(fact?);
        }
    }
    Ok(facts)
}

/// Takes deleted evidence away from a fact; without any other support the fact goes too.
fn release(
    writer: &Writer<'_>,
    mut stored: StoredFact,
    deleted: &BTreeSet<Id>,
    forgotten: &mut DeletionReport,
) -> Step<()> {
    let before = stored.fact.evidence.len();
    stored.fact.evidence.retain(|episode| !deleted.contains(episode));
    let lost = (before - stored.fact.evidence.len()) as u32;
    if stored.fact.evidence.is_empty() && stored.fact.support <= lost {
        delete(writer, &stored)?;
        forgotten.facts.push(stored.fact.id);
        return Ok(());
    }
    for episode in deleted {
        writer
            .transaction
            .prepare_cached("DELETE FROM evidence WHERE fact = ?1 AND episode = ?2")?
            .execute(params![stored.serial, episode.0])?;
    }
    mark_due(&writer.transaction, stored.serial)?;
    // The support of a baseline is the count of its statistic, which stays.
    if stored.fact.kind != FactKind::Baseline {
        let kept = stored.fact.evidence.len() as u32;
        stored.fact.support = stored.fact.support.saturating_sub(lost).max(kept).max(1);
    }
    writer.note(&stored)?;
    forgotten.kept.push(stored.fact.id);
    Ok(())
}

/// Deletes a fact; its subjects, evidence, states and vector go with its row.
pub(crate) fn delete(writer: &Writer<'_>, stored: &StoredFact) -> Step<()> {
    mend_history(writer, stored)?;
    let id = stored.fact.id.0;
    let run = |query: &str| writer.transaction.prepare_cached(query)?.execute([id]);
    run("DELETE FROM links WHERE src = ?1 OR dst = ?1")?;
    run("DELETE FROM act_links WHERE src = ?1 OR dst = ?1")?;
    run("UPDATE facts SET supersedes = NULL WHERE supersedes = ?1 AND intact")?;
    run("DELETE FROM baselines WHERE fact = ?1")?;
    run("DELETE FROM hypotheses WHERE fact = ?1")?;
    record::delete(&writer.transaction, stored.serial)?;
    // The row number may be given to the next fact, which has not been reconciled.
    writer
        .transaction
        .prepare_cached("UPDATE meta SET value = min(value, ?1) WHERE key = 'reconciled'")?
        .execute([stored.serial - 1])?;
    writer.next(EDGES)?;
    writer.next("change")?;
    Ok(())
}

/// Deletes the statistics that counted only these episodes, and their ids from the others; says how many were deleted.
fn forget_baselines(connection: &Connection, deleted: &BTreeSet<Id>) -> Step<usize> {
    if deleted.is_empty() {
        return Ok(0);
    }
    let mut touched = Vec::new();
    let mut statement =
        connection.prepare_cached("SELECT subject, metric, n, evidence, intact FROM baselines")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let evidence: Vec<u8> = row.get(3)?;
        let kept: Vec<u8> = evidence
            .chunks_exact(16)
            .filter(|id| !<[u8; 16]>::try_from(*id).is_ok_and(|id| deleted.contains(&Id(id))))
            .flatten()
            .copied()
            .collect();
        if kept.len() < evidence.len() {
            let lost = (evidence.len() - kept.len()) / 16;
            let is_gone = row.get::<_, i64>(2)? <= rows(lost);
            touched.push((row.get::<_, String>(0)?, row.get::<_, String>(1)?, is_gone, kept));
        }
    }
    let mut gone = 0;
    for (subject, metric, is_gone, kept) in touched {
        if is_gone {
            gone += connection
                .prepare_cached("DELETE FROM baselines WHERE subject = ?1 AND metric = ?2")?
                .execute(params![subject, metric])?;
        } else {
            connection
                .prepare_cached(
                    "UPDATE baselines SET evidence = ?3 WHERE subject = ?1 AND metric = ?2 AND intact",
                )?
                .execute(params![subject, metric, kept])?;
        }
    }
    Ok(gone)
}

/// Deletes what deleted memories named and said.
fn forget_sources(
    writer: &Writer<'_>,
    sources: impl Iterator<Item = Id>,
    forgotten: &mut DeletionReport,
) -> Step<()> {
    let connection = &writer.transaction;
    for source in sources {
        forgotten.triples +=
            connection.prepare_cached("DELETE FROM triples WHERE source = ?1")?.execute([source.0])?;
        let memory: Option<i64> = connection
            .prepare_cached("DELETE FROM memories WHERE id = ?1 RETURNING serial")?
            .query_row([source.0], |row| row.get(0))
            .optional()?;
        forgotten.memories += usize::from(memory.is_some());
    }
    if forgotten.memories > 0 || forgotten.triples > 0 {
        forgotten.entities = drop_unnamed(connection)?;
        writer.next(NAMES_EPOCH)?;
    }
    Ok(())
}
