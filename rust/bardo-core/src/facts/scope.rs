//! Thread and mode of facts: what the episodes behind a fact share (spec 4, "Mode isolation").
//!
//! The log is not at hand where evidence is written. So each change of a fact's evidence notes that its scope is due, and
//! whoever holds log and facts derives it before anything reads the fact anew.

use rusqlite::{Connection, OptionalExtension, params};

use super::rows as record;
use super::sqlite::Step;
use super::store::FactStore;
use crate::capture::EpisodeLog;
use crate::error::Result;
use crate::model::{Episode, Id, share_a_mode};

/// Facts whose scope is derived in one transaction.
const PAGE: i64 = 256;

/// Where a fact is known; a missing part is no restriction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Thread of all its evidence.
    pub thread: Option<String>,
    /// Mode of all its evidence, up to modes that share what they know.
    pub mode: Option<String>,
}

impl Scope {
    /// What episodes share.
    fn shared(episodes: &[Episode]) -> Self {
        let Some((first, others)) = episodes.split_first() else { return Self::default() };
        let thread = first.thread.as_ref().filter(|_| others.iter().all(|one| one.thread == first.thread));
        let mode = first.mode.as_ref().filter(|mode| {
            others.iter().all(|one| one.mode.as_ref().is_some_and(|other| share_a_mode(mode, other)))
        });
        Self { thread: thread.cloned(), mode: mode.cloned() }
    }
}

impl FactStore {
    /// Derives the scopes that are due from the episodes of the log; says how many changed. A fact none of whose evidence
    /// is in the log keeps the scope it has: forgetting widens nothing.
    pub fn derive_scopes(&self, log: &EpisodeLog) -> Result<u64> {
        let mut changed = 0;
        loop {
            let due = self.read(|connection| due(connection))?;
            if due.is_empty() {
                return Ok(changed);
            }
            let mut scopes = Vec::with_capacity(due.len());
            for (serial, evidence) in due {
                let episodes: Vec<Episode> = log.get(&evidence)?.into_iter().flatten().collect();
                scopes.push((serial, (!episodes.is_empty()).then(|| Scope::shared(&episodes))));
            }
            changed += self.write(|writer| {
                let mut changed = 0;
                for (serial, scope) in scopes {
                    let connection = &writer.transaction;
                    connection.prepare_cached("DELETE FROM unscoped WHERE fact = ?1")?.execute([serial])?;
                    let Some(scope) = scope else { continue };
                    if of(connection, serial)? == scope {
                        continue;
                    }
                    let found = record::select(connection, "WHERE serial = ?1", [serial])?;
                    for stored in found {
                        put(connection, serial, &scope)?;
                        writer.note(&stored)?;
                        changed += 1;
                    }
                }
                Ok(changed)
            })?;
        }
    }

    /// The scopes of these facts, in their order.
    pub fn scopes(&self, ids: &[Id]) -> Result<Vec<Scope>> {
        self.read(|connection| {
            let mut serial = connection.prepare_cached("SELECT serial FROM facts WHERE id = ?1")?;
            let mut found = Vec::with_capacity(ids.len());
            for id in ids {
                let serial: Option<i64> = serial.query_row([id.0], |row| row.get(0)).optional()?;
                found.push(serial.map(|serial| of(connection, serial)).transpose()?.unwrap_or_default());
            }
            Ok(found)
        })
    }

    /// Sets the scope of facts that have no evidence here, such as inherited ones; evidence decides about the others.
    pub fn set_scopes(&self, scopes: &[(Id, Scope)]) -> Result<()> {
        self.write(|writer| {
            for (id, scope) in scopes {
                let stored = record::require(&writer.transaction, *id)?;
                if stored.fact.evidence.is_empty() && of(&writer.transaction, stored.serial)? != *scope {
                    put(&writer.transaction, stored.serial, scope)?;
                    writer.note(&stored)?;
                }
            }
            Ok(())
        })
    }
}

/// Notes that the evidence of a fact changed.
pub(crate) fn mark_due(connection: &Connection, serial: i64) -> Step<()> {
    connection.prepare_cached("INSERT OR IGNORE INTO unscoped (fact) VALUES (?1)")?.execute([serial])?;
    Ok(())
}

/// The scope of a fact.
pub(crate) fn of(connection: &Connection, serial: i64) -> Step<Scope> {
    let found = connection
        .prepare_cached("SELECT thread, mode, intact FROM scopes WHERE fact = ?1")?
        .query_row([serial], |row| Ok(Scope { thread: row.get(0)?, mode: row.get(1)? }))
        .optional()?;
    Ok(found.unwrap_or_default())
}

fn put(connection: &Connection, serial: i64, scope: &Scope) -> Step<()> {
    connection
        .prepare_cached(
            "INSERT INTO scopes (fact, thread, mode) VALUES (?1, ?2, ?3)
             ON CONFLICT (fact) DO UPDATE SET thread = excluded.thread, mode = excluded.mode",
        )?
        .execute(params![serial, scope.thread, scope.mode])?;
    Ok(())
}

/// Facts whose scope is due, with their evidence.
fn due(connection: &Connection) -> Step<Vec<(i64, Vec<Id>)>> {
    let facts: Vec<i64> = connection
        .prepare_cached("SELECT fact FROM unscoped ORDER BY fact LIMIT ?1")?
        .query_map([PAGE], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut episodes =
        connection.prepare_cached("SELECT episode FROM evidence WHERE fact = ?1 ORDER BY position")?;
    let mut found = Vec::with_capacity(facts.len());
    for serial in facts {
        let evidence = episodes.query_map([serial], |row| row.get(0).map(Id))?;
        found.push((serial, evidence.collect::<rusqlite::Result<_>>()?));
    }
    Ok(found)
}
