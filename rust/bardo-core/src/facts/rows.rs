//! One fact as rows of `facts.db`, both ways.

use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlError, Type};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use serde::de::DeserializeOwned;

use super::fulltext as words;
use super::sqlite::{Step, rows};
use crate::error::{Error, Result};
use crate::model::{Fact, Id, Persistence, Statement};

/// Ids of supporting episodes that a fact keeps; `support` counts them all.
pub const EVIDENCE_KEPT: usize = 32;

/// A fact with what only the store knows about it.
#[derive(Clone, Debug)]
pub(crate) struct StoredFact {
    /// Row number, for ever.
    pub serial: i64,
    /// Running number of its last write.
    pub change: u64,
    /// Tick of the last reinforcement that counted.
    pub spaced_tick: Option<u64>,
    /// Tick from which it is no longer in force because it was superseded or archived.
    pub ended_tick: Option<u64>,
    /// Tick from which the record is as it is now.
    pub since_tick: u64,
    /// The record.
    pub fact: Fact,
}

const COLUMNS: &str = "serial, change, spaced_tick, ended_tick, since_tick, id, text, kind, category, support, confidence, \
    importance, quality, created_tick, created_at, observed_from, observed_to, reinforced_tick, accessed_tick, \
    mentions, source, origin, generation, pleasure, arousal, dominance, supersedes, superseded_by, expires_tick, \
    status, pinned, bloodstain, metadata, payload, statement, persistence, ended_by";

/// The facts that satisfy a condition (everything after `FROM facts`), whole, in its order.
pub(crate) fn select(
    connection: &Connection,
    condition: &str,
    parameters: impl Params,
) -> Step<Vec<StoredFact>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS}, intact FROM facts {condition}"))?;
    let mut found = statement.query_map(parameters, read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut subjects = connection
        .prepare_cached("SELECT subject, intact FROM subjects WHERE fact = ?1 ORDER BY position")?;
    let mut evidence = connection
        .prepare_cached("SELECT episode, intact FROM evidence WHERE fact = ?1 ORDER BY position")?;
    for stored in &mut found {
        stored.fact.subjects =
            subjects.query_map([stored.serial], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        stored.fact.evidence = evidence
            .query_map([stored.serial], |row| row.get(0).map(Id))?
            .collect::<rusqlite::Result<_>>()?;
    }
    Ok(found)
}

/// The fact with this id.
pub(crate) fn find(connection: &Connection, id: Id) -> Step<Option<StoredFact>> {
    Ok(select(connection, "WHERE id = ?1", [id.0])?.pop())
}

/// The fact with this id, which must be there.
pub(crate) fn require(connection: &Connection, id: Id) -> Step<StoredFact> {
    Ok(find(connection, id)?.ok_or_else(|| Error::NotFound { kind: "fact", id: id.to_string() })?)
}

/// The columns of a row one after another: asked for by name, each would be looked for among all names.
struct Columns<'row> {
    row: &'row Row<'row>,
    read: usize,
}

impl Columns<'_> {
    fn next<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        self.read += 1;
        self.row.get(self.read - 1)
    }

    fn tick(&mut self) -> rusqlite::Result<u64> {
        self.next::<i64>().map(i64::unsigned_abs)
    }

    fn optional_tick(&mut self) -> rusqlite::Result<Option<u64>> {
        Ok(self.next::<Option<i64>>()?.map(i64::unsigned_abs))
    }

    fn optional_id(&mut self) -> rusqlite::Result<Option<Id>> {
        Ok(self.next::<Option<[u8; 16]>>()?.map(Id))
    }

    fn named<T: FromStr<Err = Error>>(&mut self) -> rusqlite::Result<T> {
        self.next::<String>()?.parse().map_err(|error: Error| {
            let cause = FromSqlError::Other(Box::new(error));
            rusqlite::Error::FromSqlConversionFailure(self.read - 1, Type::Text, Box::new(cause))
        })
    }

    fn optional_named<T: FromStr<Err = Error>>(&mut self) -> rusqlite::Result<Option<T>> {
        let Some(name) = self.next::<Option<String>>()? else { return Ok(None) };
        name.parse().map(Some).map_err(|error: Error| {
            let cause = FromSqlError::Other(Box::new(error));
            rusqlite::Error::FromSqlConversionFailure(self.read - 1, Type::Text, Box::new(cause))
        })
    }

    fn optional_json<T: DeserializeOwned>(&mut self) -> rusqlite::Result<Option<T>> {
        self.next::<Option<String>>()?.map(|text| serde_json::from_str(&text)).transpose().map_err(unreadable)
    }

    fn json<T: DeserializeOwned>(&mut self) -> rusqlite::Result<T> {
        serde_json::from_str(&self.next::<String>()?).map_err(unreadable)
    }
}

/// A row of [`COLUMNS`], in their order.
fn read(row: &Row<'_>) -> rusqlite::Result<StoredFact> {
    let mut columns = Columns { row, read: 0 };
    Ok(StoredFact {
        serial: columns.next()?,
        change: columns.tick()?,
        spaced_tick: columns.optional_tick()?,
        ended_tick: columns.optional_tick()?,
        since_tick: columns.tick()?,
        fact: Fact {
            id: Id(columns.next()?),
            text: columns.next()?,
            kind: columns.named()?,
            category: columns.next()?,
            subjects: Vec::new(),
            support: columns.next()?,
            evidence: Vec::new(),
            confidence: columns.next()?,
            importance: columns.next()?,
            quality: columns.optional_json()?,
            created_tick: columns.tick()?,
            created_at: columns.next()?,
            observed: (columns.tick()?, columns.tick()?),
            reinforced_tick: columns.tick()?,
            accessed_tick: columns.tick()?,
            mentions: columns.next()?,
            source: columns.named()?,
            origin: columns.next()?,
            generation: columns.next()?,
            pad: [columns.next()?, columns.next()?, columns.next()?],
            supersedes: columns.optional_id()?,
            superseded_by: columns.optional_id()?,
            expires_tick: columns.optional_tick()?,
            status: columns.named()?,
            pinned: columns.next()?,
            bloodstain: columns.next()?,
            metadata: columns.json()?,
            payload: columns.json()?,
            statement: columns.optional_json()?,
            persistence: columns.optional_named()?,
            ended_by: columns.next()?,
        },
    })
}

/// A value of a column that is not the JSON it should be.
pub(crate) fn unreadable(cause: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(cause))
}

/// Writes a new fact under a change number; the answer is its row number.
pub(crate) fn insert(connection: &Connection, change: i64, fact: &Fact) -> Step<i64> {
    connection
        .prepare_cached(
            "INSERT INTO facts (id, change, text, text_key, kind, category, support, confidence, importance, quality, \
             created_tick, created_at, observed_from, observed_to, reinforced_tick, accessed_tick, mentions, source, \
             origin, generation, pleasure, arousal, dominance, supersedes, superseded_by, expires_tick, status, \
             pinned, bloodstain, metadata, payload, since_tick, statement, persistence, ended_by, owner_key, slot_key) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, \
             ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?11, ?32, ?33, ?34, ?35, ?36)",
        )?
        .execute(params![
            fact.id.0,
            change,
            fact.text,
            text_key(&fact.text),
            fact.kind.name(),
            fact.category,
            fact.support,
            f64::from(fact.confidence),
            f64::from(fact.importance),
            fact.quality.as_ref().map(json).transpose()?,
            signed(fact.created_tick)?,
            fact.created_at,
            signed(fact.observed.0)?,
            signed(fact.observed.1)?,
            signed(fact.reinforced_tick)?,
            signed(fact.accessed_tick)?,
            fact.mentions,
            fact.source.name(),
            fact.origin,
            fact.generation,
            f64::from(fact.pad[0]),
            f64::from(fact.pad[1]),
            f64::from(fact.pad[2]),
            fact.supersedes.map(|id| id.0),
            fact.superseded_by.map(|id| id.0),
            fact.expires_tick.map(signed).transpose()?,
            fact.status.name(),
            fact.pinned,
            fact.bloodstain,
            json(&fact.metadata)?,
            json(&fact.payload)?,
            fact.statement.as_ref().map(json).transpose()?,
            fact.persistence.map(Persistence::name),
            fact.ended_by,
            fact.statement.as_ref().map(Statement::owner_key),
            fact.statement.as_ref().map(Statement::slot_key),
        ])?;
    let serial = connection.last_insert_rowid();
    words::enter(connection, serial, fact.kind, &fact.text)?;
    write_subjects(connection, serial, &fact.subjects)?;
    add_evidence(connection, serial, &fact.evidence, fact.created_tick)?;
    Ok(serial)
}

/// Writes what may change about a stored fact under a new change number; evidence and subjects have verbs of their own.
pub(crate) fn update(connection: &Connection, change: i64, stored: &StoredFact) -> Step<()> {
    let fact = &stored.fact;
    words::reword(connection, stored.serial, fact.kind, &fact.text)?;
    connection
        .prepare_cached(
            "UPDATE facts SET change = ?2, text = ?3, text_key = ?4, support = ?5, confidence = ?6, importance = ?7, \
             observed_from = ?8, observed_to = ?9, reinforced_tick = ?10, spaced_tick = ?11, accessed_tick = ?12, \
             mentions = ?13, source = ?14, generation = ?15, superseded_by = ?16, expires_tick = ?17, \
             ended_tick = ?18, status = ?19, pinned = ?20, bloodstain = ?21, payload = ?22, supersedes = ?23, \
             since_tick = ?24, category = ?25, created_tick = ?26, statement = ?27, persistence = ?28, ended_by = ?29, \
             owner_key = ?30, slot_key = ?31 WHERE serial = ?1 AND intact",
        )?
        .execute(params![
            stored.serial,
            change,
            fact.text,
            text_key(&fact.text),
            fact.support,
            f64::from(fact.confidence),
            f64::from(fact.importance),
            signed(fact.observed.0)?,
            signed(fact.observed.1)?,
            signed(fact.reinforced_tick)?,
            stored.spaced_tick.map(signed).transpose()?,
            signed(fact.accessed_tick)?,
            fact.mentions,
            fact.source.name(),
            fact.generation,
            fact.superseded_by.map(|id| id.0),
            fact.expires_tick.map(signed).transpose()?,
            stored.ended_tick.map(signed).transpose()?,
            fact.status.name(),
            fact.pinned,
            fact.bloodstain,
            json(&fact.payload)?,
            fact.supersedes.map(|id| id.0),
            signed(stored.since_tick)?,
            fact.category,
            signed(fact.created_tick)?,
            fact.statement.as_ref().map(json).transpose()?,
            fact.persistence.map(Persistence::name),
            fact.ended_by,
            fact.statement.as_ref().map(Statement::owner_key),
            fact.statement.as_ref().map(Statement::slot_key),
        ])?;
    Ok(())
}

/// Deletes a fact and its words; its subjects, evidence, states and vector go with its row.
pub(crate) fn delete(connection: &Connection, serial: i64) -> Step<()> {
    words::strike(connection, serial)?;
    connection.prepare_cached("DELETE FROM facts WHERE serial = ?1")?.execute([serial])?;
    Ok(())
}

/// Replaces the subjects of a fact, keeping their order.
pub(crate) fn write_subjects(connection: &Connection, serial: i64, subjects: &[String]) -> Step<()> {
    connection.prepare_cached("DELETE FROM subjects WHERE fact = ?1")?.execute([serial])?;
    let mut insert =
        connection.prepare_cached("INSERT INTO subjects (fact, position, subject) VALUES (?1, ?2, ?3)")?;
    for (position, subject) in subjects.iter().enumerate() {
        insert.execute(params![serial, rows(position), subject])?;
    }
    Ok(())
}

/// Adds the episodes that are not known yet as evidence, noted at a tick, and keeps the latest [`EVIDENCE_KEPT`]; says how
/// many were new.
pub(crate) fn add_evidence(connection: &Connection, serial: i64, episodes: &[Id], tick: u64) -> Step<usize> {
    let tick = signed(tick)?;
    let mut known = connection.prepare_cached("SELECT 1 FROM evidence WHERE fact = ?1 AND episode = ?2")?;
    let mut insert = connection
        .prepare_cached("INSERT INTO evidence (fact, position, episode, tick) VALUES (?1, ?2, ?3, ?4)")?;
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(position) FROM evidence WHERE fact = ?1")?
        .query_row([serial], |row| row.get(0))
        .optional()?
        .flatten();
    let mut position = last.map_or(0, |last| last + 1);
    let first = position;
    for episode in episodes {
        if known.exists(params![serial, episode.0])? {
            continue;
        }
        insert.execute(params![serial, position, episode.0, tick])?;
        position += 1;
    }
    if position > first {
        mark_due(connection, serial)?;
    }
    connection
        .prepare_cached("DELETE FROM evidence WHERE fact = ?1 AND position < ?2")?
        .execute(params![serial, position - rows(EVIDENCE_KEPT)])?;
    Ok(usize::try_from(position - first).unwrap_or(0))
}

/// A tick or count as SQLite holds it.
pub(crate) fn signed(number: u64) -> Result<i64> {
    i64::try_from(number)
        .map_err(|_| Error::invalid(format!("{number} is too large"), "Ticks and counts go up to 2**63 - 1"))
}

/// A value as JSON text.
pub(crate) fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|cause| Error::invalid(format!("a value cannot be stored as JSON: {cause}"), "Report this"))
}

/// The text without case and white space: what makes two texts the same.
pub(crate) fn normalised(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// The hash of the normalised text, by which the same text is found.
pub(crate) fn text_key(text: &str) -> i64 {
    xxhash_rust::xxh3::xxh3_64(normalised(text).as_bytes()).cast_signed()
}

/// Notes that the evidence of a fact changed.
pub(crate) fn mark_due(connection: &Connection, serial: i64) -> Step<()> {
    connection.prepare_cached("INSERT OR IGNORE INTO unscoped (fact) VALUES (?1)")?.execute([serial])?;
    Ok(())
}
