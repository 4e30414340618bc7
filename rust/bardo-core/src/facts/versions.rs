//! States of a fact as rows: what each change replaced, and reading a fact back as of a tick.
//!
//! A row of `versions` holds the fields that the next state changed, as they were. An earlier state is the latest one
//! with such rows laid over it, newest first. Retrieval counters have
//! no history, and evidence has a tick of its own.

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use serde_json::{Map, Value};

use super::filter::FactFilter;
use super::rows::{self as record, StoredFact, json, signed};
use super::sqlite::{Step, rows};
use crate::model::{Fact, FactKind, FactStatus, Id};

/// Fields without history: who looked is no knowledge, and evidence is kept by its own ticks.
const WITHOUT_HISTORY: [&str; 3] = ["mentions", "accessed_tick", "evidence"];

/// The one field that only the store knows.
const ENDED: &str = "ended_tick";

/// A fact as it was for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct FactState {
    /// First tick at whose end it was like this.
    pub from_tick: u64,
    /// Tick from which it was different; none for the state of today.
    pub to_tick: Option<u64>,
    /// The record.
    pub fact: Fact,
}

/// Keeps the stored state of a record that is about to be changed at a tick, and writes its new subjects; the answer is
/// the tick from which the new state holds.
pub(crate) fn keep(
    connection: &Connection,
    before: &StoredFact,
    changed: &StoredFact,
    tick: u64,
) -> Step<u64> {
    if before.fact.subjects != changed.fact.subjects {
        record::write_subjects(connection, changed.serial, &changed.fact.subjects)?;
    }
    let after = fields(changed)?;
    let mut earlier = fields(before)?;
    earlier.retain(|name, value| after.get(name) != Some(value));
    if earlier.is_empty() {
        return Ok(before.since_tick);
    }
    if tick > before.since_tick {
        write(connection, changed.serial, before.since_tick, &earlier)?;
        return Ok(tick);
    }
    // A further change at the same tick: the state before the tick differs from the new one in these fields too.
    if let Some((since, mut known)) = latest_of(connection, changed.serial)? {
        for (name, value) in earlier {
            known.entry(name).or_insert(value);
        }
        write(connection, changed.serial, since, &known)?;
    }
    Ok(before.since_tick)
}

fn write(connection: &Connection, serial: i64, since_tick: u64, earlier: &Map<String, Value>) -> Step<()> {
    connection
        .prepare_cached(
            "INSERT INTO versions (fact, since_tick, earlier) VALUES (?1, ?2, ?3)
             ON CONFLICT (fact, since_tick) DO UPDATE SET earlier = ?3 WHERE intact",
        )?
        .execute(params![serial, signed(since_tick)?, json(earlier)?])?;
    Ok(())
}

/// A record as it was at the end of a tick; `None` if it was not there yet.
pub(crate) fn rewind(connection: &Connection, stored: StoredFact, tick: u64) -> Step<Option<StoredFact>> {
    if stored.fact.created_tick > tick {
        return Ok(None);
    }
    let mut stored = if stored.since_tick <= tick { stored } else { unwind(connection, &stored, tick)? };
    let mut statement = connection.prepare_cached(
        "SELECT episode, intact FROM evidence WHERE fact = ?1 AND tick <= ?2 ORDER BY position",
    )?;
    stored.fact.evidence = statement
        .query_map(params![stored.serial, signed(tick)?], |row| row.get(0).map(Id))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Some(stored))
}

fn unwind(connection: &Connection, stored: &StoredFact, tick: u64) -> Step<StoredFact> {
    let mut known = fields(stored)?;
    let mut since_tick = stored.since_tick;
    for (since, earlier) in version_rows(connection, stored.serial)?.into_iter().rev() {
        known.extend(earlier);
        since_tick = since;
        if since <= tick {
            break;
        }
    }
    restored(stored, known, since_tick)
}

pub(crate) fn states_of(connection: &Connection, stored: &StoredFact) -> Step<Vec<FactState>> {
    let mut known = fields(stored)?;
    let mut to_tick = Some(stored.since_tick);
    let mut states =
        vec![FactState { from_tick: stored.since_tick, to_tick: None, fact: stored.fact.clone() }];
    for (since, earlier) in version_rows(connection, stored.serial)?.into_iter().rev() {
        known.extend(earlier);
        let mut fact = restored(stored, known.clone(), since)?.fact;
        // The last tick of the state: what was noted on it was known in it.
        let last = to_tick.map_or(since, |next| next - 1);
        fact.evidence =
            rewind(connection, stored.clone(), last)?.map_or_else(Vec::new, |then| then.fact.evidence);
        states.push(FactState { from_tick: since, to_tick, fact });
        to_tick = Some(since);
    }
    states.reverse();
    Ok(states)
}

/// Earlier values of the fields that the next state changed, and its tick.
type Earlier = (u64, Map<String, Value>);

/// The kept differences of a fact, oldest first.
fn version_rows(connection: &Connection, serial: i64) -> Step<Vec<Earlier>> {
    let mut statement = connection.prepare_cached(
        "SELECT since_tick, earlier, intact FROM versions WHERE fact = ?1 ORDER BY since_tick",
    )?;
    let earlier = statement.query_map([serial], read)?.collect::<rusqlite::Result<_>>()?;
    Ok(earlier)
}

/// The latest of them; however long the history is, the others are not read for it.
fn latest_of(connection: &Connection, serial: i64) -> Step<Option<Earlier>> {
    Ok(connection
        .prepare_cached(
            "SELECT since_tick, earlier, intact FROM versions WHERE fact = ?1 ORDER BY since_tick DESC LIMIT 1",
        )?
        .query_row([serial], read)
        .optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Earlier> {
    let fields = serde_json::from_str(&row.get::<_, String>(1)?).map_err(record::unreadable)?;
    Ok((row.get::<_, i64>(0)?.unsigned_abs(), fields))
}

/// The fields of a record that have a history, as JSON.
pub(super) fn fields(stored: &StoredFact) -> Step<Map<String, Value>> {
    // Written out and taken away again, its episodes would be most of the work.
    let fact = Fact { evidence: Vec::new(), ..stored.fact.clone() };
    let Value::Object(mut fields) = serde_json::to_value(&fact).map_err(record::unreadable)? else {
        return Ok(Map::new());
    };
    fields.insert(ENDED.to_owned(), stored.ended_tick.into());
    for name in WITHOUT_HISTORY {
        fields.remove(name);
    }
    Ok(fields)
}

pub(super) fn restored(stored: &StoredFact, known: Map<String, Value>, since_tick: u64) -> Step<StoredFact> {
    let ended_tick = known.get(ENDED).and_then(Value::as_u64);
    let mut whole = serde_json::to_value(&stored.fact).map_err(record::unreadable)?;
    if let Value::Object(whole) = &mut whole {
        whole.extend(known);
    }
    let fact: Fact = serde_json::from_value(whole).map_err(record::unreadable)?;
    Ok(StoredFact { ended_tick, since_tick, fact, ..stored.clone() })
}

/// The facts that were in force at a tick and pass the filter, as they were then, by id.
pub(crate) fn list_as_of(
    connection: &Connection,
    filter: &FactFilter,
    tick: u64,
    limit: usize,
) -> Step<Vec<Fact>> {
    let category = filter.category.as_deref().filter(|category| !category.is_empty());
    let mut found = Vec::new();
    let mut after = filter.after;
    loop {
        let page = record::select(
            connection,
            "WHERE created_tick <= :tick AND (:kind IS NULL OR kind = :kind)
               AND (:category IS NULL OR category = :category OR substr(category, 1, length(:below)) = :below)
               AND (:after IS NULL OR id > :after)
             ORDER BY id LIMIT :limit",
            named_params! {
                ":tick": signed(tick)?,
                ":kind": filter.kind.map(FactKind::name),
                ":category": category,
                ":below": category.map(|category| format!("{category}/")),
                ":after": after.map(|id| id.0),
                ":limit": rows(limit),
            },
        )?;
        let is_last = page.len() < limit;
        for stored in page {
            after = Some(stored.fact.id);
            if let Some(then) = rewind(connection, stored, tick)?
                && in_force(&then, tick)
                && filter.source.is_none_or(|source| then.fact.source == source)
                && filter.subject.as_ref().is_none_or(|subject| then.fact.subjects.contains(subject))
            {
                found.push(then.fact);
                if found.len() == limit {
                    return Ok(found);
                }
            }
        }
        if is_last {
            return Ok(found);
        }
    }
}

/// Whether a record, as it was at a tick, was in force at it.
fn in_force(then: &StoredFact, tick: u64) -> bool {
    matches!(then.fact.status, FactStatus::Active | FactStatus::Contradicted)
        && then.ended_tick.is_none_or(|ended| ended > tick)
        && then.fact.expires_tick.is_none_or(|expires| expires >= tick)
}
