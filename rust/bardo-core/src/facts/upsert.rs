//! Same meaning is renewed, not stored twice.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::contested::{contested_statement, contested_text};
use super::end_cause::contested_by;
use super::filter::Retention;
use super::fingerprint::{FactVectors, check_vector, claim_fingerprint};
use super::renew::{LIVING, renew, same_text};
use super::rows::{self as record, StoredFact, normalised, signed};
use super::schema::{Direction, encode};
use super::slots::{Moment, dispute, same_statement, settle};
use super::sqlite::Step;
use super::store::FactStore;
use super::structured_rules::structured;
use super::tombstones::is_forgotten;
use super::transaction::Writer;
use super::transitions::{contest, limited_by_source, make_room, rebase, retire, revive};
use crate::error::{Error, Result};
use crate::model::decay::confidence_now;
use crate::model::{Fact, FactKind, FactPayload, FactStatus, Id, Metadata, Micros, Source};
use crate::text::same_statement::same_sense;
use crate::text::urls_commands_paths::findings;

/// Cosine above which two facts of one kind and category mean the same.
pub const SAME_MEANING: f64 = 0.95;
/// The same for insights, whose wording varies more.
pub const SAME_INSIGHT: f64 = 0.92;

/// Result of an upsert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpsertOutcome {
    /// Nothing like it was there.
    New,
    /// The same text was there.
    Exact,
    /// The same meaning was there in other words.
    Similar,
    /// The same text was forgotten: nothing was stored, and the id stands for nothing.
    Forgotten,
}

impl UpsertOutcome {
    /// The name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Exact => "exact",
            Self::Similar => "similar",
            Self::Forgotten => "forgotten",
        }
    }
}

/// One fact that is handed in.
struct Offer<'a> {
    fact: &'a Fact,
    vector: Option<&'a [u8]>,
    tick: u64,
    now: Micros,
}

impl FactStore {
    /// Stores each fact, or renews the one that already says it; the answer has the id that now stands for each.
    ///
    /// A fact with an id that is already there is a retry and changes nothing, unless it is hearsay of a nearer or surer
    /// testator: the greater confidence holds. An expired fact is not renewed but learned again. One agent's own fact renews the one it
    /// repeats; hearsay that repeats something known changes nothing about the agent's own knowledge.
    pub fn upsert(
        &self,
        facts: &[Fact],
        vectors: Option<FactVectors<'_>>,
        tick: u64,
        now: Micros,
    ) -> Result<Vec<(Id, UpsertOutcome)>> {
        check_offered(facts, vectors)?;
        self.write(|writer| self.upsert_all(writer, facts, vectors, tick, now))
    }

    /// [`FactStore::upsert`] within a write.
    pub(crate) fn upsert_all(
        &self,
        writer: &Writer<'_>,
        facts: &[Fact],
        vectors: Option<FactVectors<'_>>,
        tick: u64,
        now: Micros,
    ) -> Step<Vec<(Id, UpsertOutcome)>> {
        let retention = self.retention();
        if let Some(given) = &vectors {
            claim_fingerprint(writer, given.fingerprint, &self.path)?;
        }
        let mut neighbours = Neighbours::default();
        let mut outcomes = Vec::with_capacity(facts.len());
        for (index, fact) in facts.iter().enumerate() {
            let vector = vectors.as_ref().map(|given| encode(given.rows[index]));
            let offer = Offer { fact, vector: vector.as_deref(), tick, now };
            let (id, outcome) = self.upsert_one(writer, &mut neighbours, &offer, retention)?;
            writer.count(&format!("upsert_{}", outcome.name()), 1)?;
            outcomes.push((id, outcome));
        }
        Ok(outcomes)
    }

    /// The fact that [`FactStore::upsert`] would renew at a tick for each of these; `None` where it would store a new one.
    pub fn known(
        &self,
        facts: &[Fact],
        vectors: Option<FactVectors<'_>>,
        tick: u64,
    ) -> Result<Vec<Option<Id>>> {
        check_offered(facts, vectors)?;
        self.read(|connection| {
            let mut neighbours = Neighbours::default();
            let mut found = Vec::with_capacity(facts.len());
            for (index, fact) in facts.iter().enumerate() {
                let mut stored = same_text(connection, fact, tick)?;
                if let (None, Some(given)) = (&stored, &vectors) {
                    stored = neighbours.find(connection, fact, &encode(given.rows[index]), tick)?;
                }
                if stored.is_none() {
                    stored = contested_text(connection, fact, tick)?;
                }
                found.push(stored.map(|stored| stored.fact.id));
            }
            Ok(found)
        })
    }

    fn upsert_one(
        &self,
        writer: &Writer<'_>,
        neighbours: &mut Neighbours,
        offer: &Offer<'_>,
        retention: Retention,
    ) -> Step<(Id, UpsertOutcome)> {
        let Offer { fact, vector, tick, now } = *offer;
        let fact = &limited_by_source(fact.clone(), tick, retention);
        if fact.id != Id::ABSENT
            && let Some(mut known) = record::find(&writer.transaction, fact.id)?
        {
            if normalised(&known.fact.text) == normalised(&fact.text) {
                if end_by_ancestor(writer, &mut known, fact, retention, tick)? {
                    return Ok((fact.id, UpsertOutcome::Exact));
                }
                if tells_more(fact, &known.fact) && contested_by(&known.fact).is_none() {
                    revive(&mut known);
                    renew(writer, known, fact, retention, tick)?;
                }
                return Ok((fact.id, UpsertOutcome::Exact));
            }
            return Err(Error::invalid(
                format!("the id {} already stands for another text", fact.id),
                "Leave the id out, or replace that fact with `supersede`",
            )
            .into());
        }
        if is_forgotten(writer, &fact.text)? {
            return Ok((fact.id, UpsertOutcome::Forgotten));
        }
        let mut found = same_text(&writer.transaction, fact, tick)?
            .filter(|stored| says_the_same(stored, fact))
            .map(|stored| (stored, UpsertOutcome::Exact));
        if let (None, Some(statement)) = (&found, &fact.statement) {
            found = same_statement(writer, statement, tick)?.map(|stored| (stored, UpsertOutcome::Similar));
        }
        if let (None, Some(vector)) = (&found, vector) {
            found = neighbours
                .find(&writer.transaction, fact, vector, tick)?
                .filter(|stored| says_the_same(stored, fact))
                .map(|stored| (stored, UpsertOutcome::Similar));
        }
        let moment = Moment { tick, now, retention };
        if found.is_none()
            && let Some(mut stored) = contested_text(&writer.transaction, fact, tick)?
            && let Some(cause) = contested_by(&stored.fact)
        {
            let id = stored.fact.id;
            if !fact.is_hearsay() {
                contest(&mut stored, &cause, tick, retention);
                if let Some(known) = &mut stored.fact.statement {
                    // It is stated again, so that the end of its earlier validity is not that of this one.
                    let stated = fact.statement.as_ref();
                    (known.since, known.until) =
                        (stated.and_then(|new| new.since), stated.and_then(|new| new.until));
                }
                renew(writer, stored, fact, retention, tick)?;
                dispute(writer, id, tick)?;
            }
            return Ok((id, UpsertOutcome::Exact));
        }
        if found.is_none()
            && fact.is_hearsay()
            && let Some(statement) = &fact.statement
            && let Some(ended) = contested_statement(&writer.transaction, statement, tick)?
        {
            return Ok((ended.fact.id, UpsertOutcome::Similar));
        }
        if let Some((mut stored, outcome)) = found {
            let id = stored.fact.id;
            if (outcome == UpsertOutcome::Exact || fact.statement.is_some())
                && end_by_ancestor(writer, &mut stored, fact, retention, tick)?
            {
                return Ok((id, outcome));
            }
            renew(writer, stored, fact, retention, tick)?;
            settle(writer, id, moment)?;
            return Ok((id, outcome));
        }
        if !has_living(writer, fact, tick)? {
            writer.count("upsert_no_existing", 1)?;
        }
        let mut fact = self.initial_state(fact, tick, now);
        let serial = writer.insert(&mut fact)?;
        if let Some(vector) = vector {
            writer
                .transaction
                .prepare_cached("INSERT INTO vectors (fact, vector) VALUES (?1, ?2)")?
                .execute(params![serial, vector])?;
            neighbours.add(&fact, serial, vector);
        }
        if fact.source == Source::Derived {
            make_room(writer, tick)?;
        }
        settle(writer, fact.id, moment)?;
        Ok((fact.id, UpsertOutcome::New))
    }

    /// A fact as it enters the store.
    pub(crate) fn initial_state(&self, fact: &Fact, tick: u64, now: Micros) -> Fact {
        let mut fact = fact.clone();
        fact.created_tick = tick;
        fact.created_at = now;
        fact.reinforced_tick = tick;
        // A last look later than now is refused: time continues at the latest tick of a record.
        fact.accessed_tick = fact.accessed_tick.min(tick);
        if fact.observed == (0, 0) {
            fact.observed = (tick, tick);
        }
        if fact.origin.is_empty() {
            fact.origin.clone_from(&self.agent);
        }
        fact.support = fact.support.max(fact.evidence.len() as u32);
        set_metadata(&mut fact);
        fact
    }
}

/// Whether a stored fact says the same as a new one, as far as both are statements: words that are alike can name another
/// value.
fn says_the_same(stored: &StoredFact, fact: &Fact) -> bool {
    match (&stored.fact.statement, &fact.statement) {
        (Some(known), Some(new)) => {
            known.has_same_slot(new) && known.has_same_value(new) && known.denied == new.denied
        }
        _ => !states_other_conditions(&stored.fact.payload, &fact.payload),
    }
}

/// Whether two rules in structured words name different conditions or outcomes: texts about "momentum is high" and about
/// "momentum is high and action is long" are alike, and the rules are not.
fn states_other_conditions(one: &FactPayload, two: &FactPayload) -> bool {
    match (structured(one), structured(two)) {
        (Some(one), Some(two)) => one != two,
        _ => false,
    }
}

/// Whether hearsay that came by another way says more of what was heard before: a nearer or surer testator.
fn tells_more(fact: &Fact, known: &Fact) -> bool {
    fact.is_hearsay()
        && known.is_hearsay()
        && (fact.confidence > known.confidence || fact.generation < known.generation)
}

/// Ends inherited knowledge that another ancestor ended, also what a newer value has replaced; returns whether it did.
fn end_by_ancestor(
    writer: &Writer<'_>,
    stored: &mut StoredFact,
    fact: &Fact,
    retention: Retention,
    tick: u64,
) -> Step<bool> {
    let is_inherited = fact.is_hearsay() && stored.fact.is_hearsay();
    let is_open = stored.fact.status != FactStatus::Archived && contested_by(&stored.fact).is_none();
    let Some(cause) = contested_by(fact).filter(|_| is_inherited && is_open) else { return Ok(false) };
    let least = confidence_now(&stored.fact, tick, retention.tau_ticks).min(f64::from(fact.confidence));
    rebase(&mut stored.fact, least, tick);
    let newer = stored.fact.superseded_by;
    retire(writer, stored, newer, &cause, tick)?;
    Ok(true)
}

/// Refuses facts that break a limit, and vectors that do not belong to them.
pub(crate) fn check_offered(facts: &[Fact], vectors: Option<FactVectors<'_>>) -> Result<()> {
    facts.iter().try_for_each(Fact::validate)?;
    let Some(given) = vectors else { return Ok(()) };
    if given.rows.len() != facts.len() {
        return Err(Error::vector(
            format!("{} vectors for {} facts", given.rows.len(), facts.len()),
            "Pass one row per fact",
        ));
    }
    given.rows.iter().try_for_each(|row| check_vector(row, given.fingerprint))
}

/// Whether there is anything that the fact could have been compared with.
fn has_living(writer: &Writer<'_>, fact: &Fact, tick: u64) -> Step<bool> {
    let query = format!("SELECT 1 FROM facts WHERE category = ?1 AND kind = ?2 AND {LIVING}");
    let given = params![fact.category, fact.kind.name(), signed(tick)?];
    Ok(writer.transaction.prepare_cached(&query)?.exists(given)?)
}

/// Facts of like meaning that are looked at for the same sense.
const CANDIDATES: usize = 8;

/// The vectors of the categories that a batch touches, read once.
#[derive(Default)]
struct Neighbours {
    known: HashMap<(String, FactKind), Vec<(i64, Direction)>>,
}

impl Neighbours {
    /// The living fact that means the same as the new one, if any.
    fn find(
        &mut self,
        connection: &Connection,
        fact: &Fact,
        vector: &[u8],
        tick: u64,
    ) -> Step<Option<StoredFact>> {
        // Baselines of two metrics read almost alike; what they are about is in their payload.
        if fact.kind == FactKind::Baseline {
            return Ok(None);
        }
        let threshold = if fact.kind == FactKind::Insight { SAME_INSIGHT } else { SAME_MEANING };
        let wanted = Direction::stored(vector);
        let mut near: Vec<(f64, i64)> = self
            .of(connection, fact, tick)?
            .iter()
            .map(|(serial, direction)| (direction.cosine(&wanted), *serial))
            .filter(|(cosine, _)| *cosine > threshold)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, serial) in near.into_iter().take(CANDIDATES) {
            let found = record::select(connection, "WHERE serial = ?1", [serial])?;
            // One fact of a batch may have made another leave.
            let living = |stored: &StoredFact| {
                !matches!(stored.fact.status, FactStatus::Archived | FactStatus::Superseded)
            };
            let is_same = |stored: &StoredFact| {
                living(stored)
                    && same_sense(&stored.fact.text, &fact.text)
                    && !states_other_conditions(&stored.fact.payload, &fact.payload)
            };
            if let Some(stored) = found.into_iter().find(is_same) {
                return Ok(Some(stored));
            }
        }
        Ok(None)
    }

    /// Takes up a fact that was just stored.
    fn add(&mut self, fact: &Fact, serial: i64, vector: &[u8]) {
        if let Some(known) = self.known.get_mut(&(fact.category.clone(), fact.kind)) {
            known.push((serial, Direction::stored(vector)));
        }
    }

    fn of(&mut self, connection: &Connection, fact: &Fact, tick: u64) -> Step<&[(i64, Direction)]> {
        let key = (fact.category.clone(), fact.kind);
        if !self.known.contains_key(&key) {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT serial, vector, vectors.intact FROM facts JOIN vectors ON vectors.fact = facts.serial
                 WHERE category = ?1 AND kind = ?2 AND {LIVING} ORDER BY serial"
            ))?;
            let rows = statement
                .query_map(params![fact.category, fact.kind.name(), signed(tick)?], |row| {
                    Ok((row.get(0)?, Direction::stored(row.get_ref(1)?.as_blob()?)))
                })?;
            self.known.insert(key.clone(), rows.collect::<rusqlite::Result<_>>()?);
        }
        Ok(&self.known[&key])
    }
}

/// Extracts addresses, commands and paths of a fact's text into its metadata.
pub(crate) fn set_metadata(fact: &mut Fact) {
    if fact.metadata == Metadata::default() {
        fact.metadata = findings(&fact.text);
    }
}
