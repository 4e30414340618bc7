//! Thread and mode of facts: what the episodes behind a fact share.
//!
//! The log is not at hand where evidence is written. So each change of a fact's evidence notes that its scope is due, and
//! the engine, which holds log and facts, derives it before anything reads the fact again.

use rusqlite::{Connection, OptionalExtension};

use super::rows as record;
use super::scope_rows::{Scope, of, put};
use super::sqlite::Step;
use super::store::FactStore;
use crate::capture::EpisodeLog;
use crate::error::Result;
use crate::model::{Episode, FactStatus, Id};

/// Facts whose scope is derived in one transaction.
const PAGE: i64 = 256;

impl FactStore {
    /// Derives the scopes that are due from the episodes of the log; says how many changed. A fact none of whose evidence
    /// is in the log keeps the scope it has: forgetting widens nothing.
    pub fn derive_scopes(&self, log: &EpisodeLog) -> Result<u64> {
        let mut changed = 0;
        loop {
            let due = self.read(|connection| due_scopes(connection))?;
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

    /// Whether any fact in force is known in a mode alone.
    pub fn has_modes(&self) -> Result<bool> {
        self.read(|connection| {
            let found = connection
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM scopes JOIN facts ON facts.serial = scopes.fact
                     WHERE scopes.mode IS NOT NULL AND facts.status = ?1)",
                )?
                .query_row([FactStatus::Active.name()], |row| row.get(0))?;
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

/// Facts whose scope is due, with their evidence.
fn due_scopes(connection: &Connection) -> Step<Vec<(i64, Vec<Id>)>> {
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
