//! One write to `facts.db` in progress: ids, change numbers and counters.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::{FromSql, ToSql};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::rows::{self as record, StoredFact, signed};
use super::sqlite::{Step, damaged, rows};
use super::versions;
use crate::error::Error;
use crate::model::{Fact, FactStatus, Fingerprint, Id, IdSource, Micros};

/// Counts changes of knowledge: every change but a look at a fact.
pub(crate) const LEARNED: &str = "learned";

/// Numbers of facts that one write took out of force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EndCounts {
    /// Facts that are history.
    pub superseded: u64,
    /// Facts in the cold tier.
    pub archived: u64,
}

/// One write in progress.
pub(crate) struct Writer<'a> {
    /// Holds the write lock.
    pub transaction: Transaction<'a>,
    ids: IdSource,
    /// Facts that were written, by the order of their first change, as they were before it.
    written: RefCell<BTreeMap<Id, (usize, Option<StoredFact>)>>,
    /// Links that were drawn and had not been there.
    drawn: RefCell<Vec<(Id, Id, &'static str)>>,
}

impl<'a> Writer<'a> {
    /// Around an immediate transaction.
    pub const fn new(transaction: Transaction<'a>, ids: IdSource) -> Self {
        Self { transaction, ids, written: RefCell::new(BTreeMap::new()), drawn: RefCell::new(Vec::new()) }
    }

    /// Writes a new fact, giving it an id if it has none; the answer is its row.
    pub fn insert(&self, fact: &mut Fact) -> Step<i64> {
        if fact.id == Id::ABSENT {
            fact.id = self.new_id(fact.created_at)?;
        }
        self.next(LEARNED)?;
        self.remember(fact.id, None);
        record::insert(&self.transaction, self.next("change")?, fact)
    }

    /// The facts that were written, in the order of their first change: as they were before it, and as they are now.
    pub fn touched(&self) -> Step<Vec<(Option<StoredFact>, StoredFact)>> {
        let written = self.written.borrow();
        let mut order: Vec<(usize, Id, &Option<StoredFact>)> =
            written.iter().map(|(id, (place, before))| (*place, *id, before)).collect();
        order.sort_unstable_by_key(|(place, ..)| *place);
        let mut touched = Vec::with_capacity(order.len());
        for (_, id, before) in order {
            let after = record::find(&self.transaction, id)?;
            touched.extend(after.map(|after| (before.clone(), after)));
        }
        Ok(touched)
    }

    /// The links that were drawn and had not been there: from, to, how they stand to each other.
    pub fn drawn(&self) -> Vec<(Id, Id, &'static str)> {
        self.drawn.borrow().clone()
    }

    /// Numbers of facts that were known before and left force.
    pub fn ended(&self) -> Step<EndCounts> {
        let mut counts = EndCounts::default();
        let mut status = self.transaction.prepare_cached("SELECT status, intact FROM facts WHERE id = ?1")?;
        for (id, (_, before)) in self.written.borrow().iter() {
            let was_known = before.as_ref().is_some_and(|before| {
                !matches!(before.fact.status, FactStatus::Superseded | FactStatus::Archived)
            });
            if was_known {
                let now: Option<String> = status.query_row([id.0], |row| row.get(0)).optional()?;
                counts.superseded += u64::from(now.as_deref() == Some(FactStatus::Superseded.name()));
                counts.archived += u64::from(now.as_deref() == Some(FactStatus::Archived.name()));
            }
        }
        Ok(counts)
    }

    /// Remembers that a link was drawn that had not been there.
    pub fn draw(&self, src: Id, dst: Id, relation: &'static str) {
        self.drawn.borrow_mut().push((src, dst, relation));
    }

    fn remember(&self, id: Id, before: Option<StoredFact>) {
        let mut written = self.written.borrow_mut();
        let place = written.len();
        written.entry(id).or_insert((place, before));
    }

    /// Writes what changed about a stored fact at a tick. How it was before stays readable as of the ticks before
    /// (law 3); several changes at one tick leave one state.
    pub fn update(&self, stored: &StoredFact, tick: u64) -> Step<()> {
        let Some(before) = record::select(&self.transaction, "WHERE serial = ?1", [stored.serial])?.pop()
        else {
            return Err(Error::NotFound { kind: "fact", id: stored.fact.id.to_string() }.into());
        };
        let since_tick = versions::keep(&self.transaction, &before, stored, tick)?;
        self.remember(stored.fact.id, Some(before));
        self.note(&StoredFact { since_tick, ..stored.clone() })
    }

    /// Writes what is no knowledge about a stored fact, such as its episodes: no state is kept.
    pub fn note(&self, stored: &StoredFact) -> Step<()> {
        self.next(LEARNED)?;
        record::update(&self.transaction, self.next("change")?, stored)
    }

    /// Counts a look at each of these facts: the hot set takes the count over without reading the fact again.
    pub fn look_at(&self, ids: &[Id], tick: u64) -> Step<()> {
        let tick = signed(tick)?;
        let mut change = self.count("change", rows(ids.len()))? - rows(ids.len());
        let mut statement = self.transaction.prepare_cached(
            "UPDATE facts SET mentions = min(mentions + 1, ?4), accessed_tick = max(accessed_tick, ?2), change = ?3
             WHERE id = ?1 AND intact",
        )?;
        for id in ids {
            change += 1;
            if statement.execute(params![id.0, tick, change, u32::MAX])? == 0 {
                return Err(Error::NotFound { kind: "fact", id: id.to_string() }.into());
            }
        }
        Ok(())
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
        // `RETURNING` fires a trigger of SQLite's own, which would write the words gathered so far (see `facts_words`).
        self.transaction
            .prepare_cached(
                "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = value + ?2 WHERE intact",
            )?
            .execute(params![name, more])?;
        Ok(self
            .transaction
            .prepare_cached("SELECT value, intact FROM meta WHERE key = ?1")?
            .query_row([name], |row| row.get(0))?)
    }
}

/// A stored setting.
pub(crate) fn meta<T: FromSql>(connection: &Connection, key: &str) -> Step<Option<T>> {
    Ok(connection
        .prepare_cached("SELECT value, intact FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?)
}

/// Stores a setting.
pub(crate) fn set_meta(connection: &Connection, key: &str, value: &dyn ToSql) -> Step<()> {
    connection
        .prepare_cached(
            "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2 WHERE intact",
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

/// Counts what was written about how facts and entities stand to each other.
pub(crate) const EDGES: &str = "edges";

/// Answers of a language model in stage 2 of an upsert.
pub(crate) const ANSWERS: [&str; 3] = ["new", "update", "duplicate"];
