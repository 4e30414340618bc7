//! One write to `facts.db` in progress: ids, change numbers and counters.

use std::path::Path;

use rusqlite::types::{FromSql, ToSql};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::facts_record::{self as record, Stored};
use super::facts_versions as versions;
use super::migrate::{Step, damaged};
use crate::model::{Fact, Fingerprint, Id, IdSource, Micros};

/// One write in progress.
pub(crate) struct Writer<'a> {
    /// Holds the write lock.
    pub transaction: Transaction<'a>,
    ids: IdSource,
}

impl<'a> Writer<'a> {
    /// Around an immediate transaction.
    pub const fn new(transaction: Transaction<'a>, ids: IdSource) -> Self {
        Self { transaction, ids }
    }

    /// Writes a new fact, giving it an id if it has none; the answer is its row.
    pub fn insert(&self, fact: &mut Fact) -> Step<i64> {
        if fact.id == Id::ABSENT {
            fact.id = self.new_id(fact.created_at)?;
        }
        record::insert(&self.transaction, self.next("change")?, fact)
    }

    /// Writes what changed about a stored fact at a tick. How it was before stays readable as of the ticks before
    /// (law 3); several changes at one tick leave one state.
    pub fn update(&self, stored: &Stored, tick: u64) -> Step<()> {
        let since_tick = versions::keep(&self.transaction, stored, tick)?;
        self.note(&Stored { since_tick, ..stored.clone() })
    }

    /// Writes what is no knowledge about a stored fact, such as that it was looked at: no state is kept.
    pub fn note(&self, stored: &Stored) -> Step<()> {
        record::update(&self.transaction, self.next("change")?, stored)
    }

    fn new_id(&self, at: Micros) -> Step<Id> {
        loop {
            let id = self.ids.make(at, self.next("serial")?.unsigned_abs());
            // A testament can bring the ids of a twin with the same seed.
            let taken =
                self.transaction.prepare_cached("SELECT 1 FROM facts WHERE id = ?1")?.exists([id.0])?;
            if !taken {
                return Ok(id);
            }
        }
    }

    /// The next number of a running counter, from 1.
    pub fn next(&self, name: &str) -> Step<i64> {
        self.count(name, 1)
    }

    /// Adds to a counter; the answer is its new value.
    pub fn count(&self, name: &str, more: i64) -> Step<i64> {
        Ok(self
            .transaction
            .prepare_cached(
                "INSERT INTO meta (key, value) VALUES (?1, ?2)
                 ON CONFLICT (key) DO UPDATE SET value = value + ?2 RETURNING value",
            )?
            .query_row(params![name, more], |row| row.get(0))?)
    }
}

/// A stored setting.
pub(crate) fn meta<T: FromSql>(connection: &Connection, key: &str) -> Step<Option<T>> {
    Ok(connection
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?)
}

/// Stores a setting.
pub(crate) fn set_meta(connection: &Connection, key: &str, value: &dyn ToSql) -> Step<()> {
    connection
        .prepare_cached(
            "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
        )?
        .execute(params![key, value])?;
    Ok(())
}

/// A running counter, 0 if it never ran.
pub(crate) fn counter(connection: &Connection, key: &str) -> Step<i64> {
    Ok(meta(connection, key)?.unwrap_or(0))
}

/// The model of the stored vectors.
pub(crate) fn fingerprint(connection: &Connection, path: &Path) -> Step<Option<Fingerprint>> {
    let text: Option<String> = meta(connection, "fingerprint")?;
    Ok(text
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|cause| damaged(path, &format!("its embedding fingerprint is unreadable: {cause}")))?)
}
