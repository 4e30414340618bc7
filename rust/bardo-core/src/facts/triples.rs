//! Subject, predicate, object: what holds between two entities, from when to when, and who says so.

use rusqlite::{Connection, OptionalExtension, Params, Row, named_params, params};

use super::end_cause::EndCause;
use super::filter::check_fraction;
use super::mention_rows::find;
use super::mention_rows::introduce;
use super::rows::signed;
use super::slots;
use super::sqlite::Step;
use super::sqlite::rows;
use super::store::FactStore;
use super::transaction::EDGES;
use super::transaction::Writer;
use super::transitions::retire;
use crate::error::{Error, Result};
use crate::model::{Fact, FactPayload, FactStatus, Id, Statement, limits};
use crate::text::names::EntityKind;

/// Predicate of a causal link.
const CAUSES: &str = "causes";

/// A triple that is handed in.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTriple {
    /// Name of an entity; a new one is made.
    pub subject: String,
    /// Name of the relation.
    pub predicate: String,
    /// Name of an entity; a new one is made.
    pub object: String,
    /// 0..1.
    pub confidence: f64,
    /// The episode or fact that says so.
    pub source: Option<Id>,
    /// First tick at which it holds.
    pub valid_from: u64,
    /// Tick from which it no longer holds.
    pub valid_to: Option<u64>,
    /// Whether what the subject had by this predicate until now ends with it, also what facts state (one can only live in
    /// one place).
    pub replaces: bool,
}

/// A triple as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Triple {
    /// Running number.
    pub serial: i64,
    /// Canonical name.
    pub subject: String,
    /// Name of the relation.
    pub predicate: String,
    /// Canonical name.
    pub object: String,
    /// 0..1.
    pub confidence: f64,
    /// The episode or fact that says so.
    pub source: Option<Id>,
    /// First tick at which it holds.
    pub valid_from: u64,
    /// Tick from which it no longer holds.
    pub valid_to: Option<u64>,
    /// Whether it was read from the payload of its source.
    pub is_derived: bool,
}

/// Which triples; the default is every one.
#[derive(Clone, Debug, Default)]
pub struct TripleFilter {
    /// With this entity at either end.
    pub entity: Option<String>,
    /// With this predicate.
    pub predicate: Option<String>,
    /// That hold at this tick.
    pub as_of: Option<u64>,
}

impl FactStore {
    /// Keeps a triple; the answer is its number. The same one, if it still holds, takes the higher confidence. One that
    /// replaces others and holds at the tick also ends the statements of its slot that give it another value.
    pub fn relate(&self, triple: &NewTriple, tick: u64) -> Result<i64> {
        check_fraction(triple.confidence)?;
        let names = [&triple.subject, &triple.predicate, &triple.object];
        if names.iter().any(|name| name.trim().is_empty() || name.len() > limits::NAME_BYTES) {
            return Err(Error::invalid(
                format!("one of {names:?} is empty or longer than {} bytes", limits::NAME_BYTES),
                "Name a subject, a predicate and an object",
            ));
        }
        if let Some(end) = triple.valid_to
            && end <= triple.valid_from
        {
            return Err(Error::invalid(
                format!("it would hold from tick {} to {end}", triple.valid_from),
                "Let it end after it begins",
            ));
        }
        self.write(|writer| {
            if triple.replaces && triple.valid_from <= tick && triple.valid_to.is_none_or(|end| end > tick) {
                end_statements(writer, triple)?;
            }
            insert(writer, triple, false)
        })
    }

    /// The triples that pass the filter, the latest first.
    pub fn triples(&self, filter: &TripleFilter, limit: usize) -> Result<Vec<Triple>> {
        self.read(|connection| {
            let entity = match &filter.entity {
                Some(name) => match find(connection, name)? {
                    Some(entity) => Some(entity),
                    None => return Ok(Vec::new()),
                },
                None => None,
            };
            select_triples(
                connection,
                "WHERE (:entity IS NULL OR subject = :entity OR object = :entity)
                   AND (:predicate IS NULL OR predicate = :predicate)
                   AND (:as_of IS NULL OR (valid_from <= :as_of AND (valid_to IS NULL OR valid_to > :as_of)))
                 ORDER BY valid_from DESC, triples.serial DESC LIMIT :limit",
                named_params! {
                    ":entity": entity,
                    ":predicate": filter.predicate,
                    ":as_of": filter.as_of.map(signed).transpose()?,
                    ":limit": rows(limit),
                },
            )
        })
    }
}

/// The triples that a clause of SQL names.
pub(crate) fn select_triples(connection: &Connection, which: &str, given: impl Params) -> Step<Vec<Triple>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT triples.serial, subjects.name, predicate, objects.name, confidence, source, valid_from, valid_to, derived,
             triples.intact, subjects.intact, objects.intact
         FROM triples JOIN entities AS subjects ON subjects.serial = subject
         JOIN entities AS objects ON objects.serial = object {which}"
    ))?;
    let found = statement.query_map(given, read)?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Triple> {
    let source: Option<[u8; 16]> = row.get(5)?;
    Ok(Triple {
        serial: row.get(0)?,
        subject: row.get(1)?,
        predicate: row.get(2)?,
        object: row.get(3)?,
        confidence: row.get(4)?,
        source: source.map(Id),
        valid_from: row.get::<_, i64>(6)?.unsigned_abs(),
        valid_to: row.get::<_, Option<i64>>(7)?.map(i64::unsigned_abs),
        is_derived: row.get(8)?,
    })
}

fn insert(writer: &Writer<'_>, triple: &NewTriple, derived: bool) -> Step<i64> {
    let connection = &writer.transaction;
    let entity = |name: &str| -> Step<i64> {
        match introduce(connection, name, EntityKind::Name, false)? {
            Some((entity, _)) => Ok(entity),
            None => Err(Error::invalid(format!("{name:?} is no name"), "Use a letter or a digit").into()),
        }
    };
    let (subject, object) = (entity(&triple.subject)?, entity(&triple.object)?);
    let (from, to) = (signed(triple.valid_from)?, triple.valid_to.map(signed).transpose()?);
    let known: Option<i64> = connection
        .prepare_cached(
            "UPDATE triples SET confidence = max(confidence, ?4) WHERE subject = ?1 AND predicate = ?2 AND object = ?3
             AND source IS ?5 AND valid_from <= ?6 AND valid_to IS ?7 AND intact RETURNING serial",
        )?
        .query_row(
            params![
                subject,
                triple.predicate,
                object,
                triple.confidence,
                triple.source.map(|id| id.0),
                from,
                to
            ],
            |row| row.get(0),
        )
        .optional()?;
    if triple.replaces {
        connection
            .prepare_cached(
                "UPDATE triples SET valid_to = ?4 WHERE subject = ?1 AND predicate = ?2 AND object <> ?3 AND NOT derived
                 AND valid_from <= ?4 AND (valid_to IS NULL OR valid_to > ?4) AND intact",
            )?
            .execute(params![subject, triple.predicate, object, from])?;
    }
    writer.next(EDGES)?;
    if let Some(known) = known {
        return Ok(known);
    }
    connection
        .prepare_cached(
            "INSERT INTO triples (subject, predicate, object, confidence, source, valid_from, valid_to, derived)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            subject,
            triple.predicate,
            object,
            triple.confidence,
            triple.source.map(|id| id.0),
            from,
            to,
            derived
        ])?;
    Ok(connection.last_insert_rowid())
}

/// Ends the statements that a relation excludes: those of its slot with another value, and the denial of its value.
/// A pinned fact stays.
fn end_statements(writer: &Writer<'_>, triple: &NewTriple) -> Step<()> {
    let told = Statement {
        subject: triple.subject.clone(),
        attribute: triple.predicate.clone(),
        value: triple.object.clone(),
        functional: true,
        ..Statement::default()
    };
    for mut stored in slots::of_slot(writer, &told, triple.valid_from)? {
        let is_excluded =
            |known: &Statement| known.denied == (known.has_same_value(&told) || known.value.is_empty());
        if !stored.fact.pinned
            && stored.fact.created_tick <= triple.valid_from
            && stored.fact.statement.as_ref().is_some_and(is_excluded)
        {
            retire(writer, &mut stored, None, &EndCause::Slot, triple.valid_from)?;
        }
    }
    Ok(())
}

/// Ends the relations of callers that a statement excludes: other values of an attribute with one at a time, or the value
/// that it denies. Hearsay, a condition and a time to come end none.
fn end_relations(connection: &Connection, fact: &Fact, statement: &Statement) -> Step<()> {
    let is_present = fact.status == FactStatus::Active
        && statement.condition.is_empty()
        && statement.since.is_none_or(|since| since <= fact.created_at)
        && statement.until.is_none_or(|until| until > fact.created_at);
    if !is_present || fact.is_hearsay() || !(statement.functional || statement.denied) {
        return Ok(());
    }
    let Some(subject) = find(connection, &statement.subject)? else { return Ok(()) };
    let value = find(connection, &statement.value)?;
    connection
        .prepare_cached(
            "UPDATE triples SET valid_to = ?5 WHERE subject = ?1 AND predicate = ?2 COLLATE NOCASE
               AND (object IS ?3) = ?4 AND NOT derived AND valid_from <= ?5
               AND (valid_to IS NULL OR valid_to > ?5) AND intact",
        )?
        .execute(params![
            subject,
            statement.attribute,
            value,
            statement.denied,
            signed(fact.created_tick)?
        ])?;
    Ok(())
}

/// Subject, attribute and value of a statement, if subject and value are known entities and nothing is denied.
fn of_entities<'a>(connection: &Connection, statement: &'a Statement) -> Step<Option<[&'a str; 3]>> {
    let is_entity = |name: &str| -> Step<bool> { Ok(find(connection, name)?.is_some()) };
    if statement.denied || !is_entity(&statement.subject)? || !is_entity(&statement.value)? {
        return Ok(None);
    }
    Ok(Some([&statement.subject, &statement.attribute, &statement.value]))
}

/// Synchronises the triple that a fact states, by its typed payload or its statement, with the fact, and ends what callers
/// related that it excludes.
pub(crate) fn derive(writer: &Writer<'_>, fact: &Fact) -> Step<()> {
    if let Some(statement) = &fact.statement {
        end_relations(&writer.transaction, fact, statement)?;
    }
    let stated = match (&fact.payload, &fact.statement) {
        (FactPayload::CausalLink { cause, effect, .. }, _) => Some([cause.as_str(), CAUSES, effect.as_str()]),
        (_, Some(statement)) => of_entities(&writer.transaction, statement)?,
        _ => return Ok(()),
    };
    writer
        .transaction
        .prepare_cached("DELETE FROM triples WHERE source = ?1 AND derived")?
        .execute([fact.id.0])?;
    let Some([subject, predicate, object]) = stated else { return Ok(()) };
    if fact.status == FactStatus::Held {
        return Ok(());
    }
    let is_named = |name: &str| name.len() <= limits::NAME_BYTES && name.chars().any(char::is_alphanumeric);
    if ![subject, predicate, object].into_iter().all(is_named) {
        return Ok(());
    }
    let ended: Option<i64> = writer
        .transaction
        .prepare_cached("SELECT ended_tick, intact FROM facts WHERE id = ?1")?
        .query_row([fact.id.0], |row| row.get(0))
        .optional()?
        .flatten();
    let is_over = matches!(fact.status, FactStatus::Superseded | FactStatus::Archived);
    let triple = NewTriple {
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        confidence: f64::from(fact.confidence),
        source: Some(fact.id),
        valid_from: fact.created_tick,
        valid_to: ended.filter(|_| is_over).map(i64::unsigned_abs),
        replaces: false,
    };
    insert(writer, &triple, true)?;
    Ok(())
}
