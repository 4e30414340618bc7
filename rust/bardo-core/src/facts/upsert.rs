//! Same meaning is renewed, not stored twice (spec 2, "Upsert", stage 1).

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::filter::Retention;
use super::mentions::with_findings;
use super::purge::is_forgotten;
use super::quarantine::release;
use super::quota::{make_room, tempered};
use super::rows::{self as record, Stored, normalised, signed};
use super::schema::{Direction, encode};
use super::sqlite::Step;
use super::store::FactStore;
use super::transaction::Writer;
use super::vectors::{check_vector, claim_fingerprint};
use crate::error::{Error, Result};
use crate::model::decay::{confidence_now, reinforced};
use crate::model::{Fact, FactKind, FactStatus, Fingerprint, Id, Micros, Source};
use crate::text::same_statement::same_sense;

/// Cosine above which two facts of one kind and category mean the same (spec 2).
pub const SAME_MEANING: f64 = 0.95;
/// The same for insights, whose wording varies more (spec 2).
pub const SAME_INSIGHT: f64 = 0.92;

/// What became of a fact that was handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing like it was there.
    New,
    /// The same text was there.
    Exact,
    /// The same meaning was there in other words.
    Similar,
    /// The same text was forgotten: nothing was stored, and the id stands for nothing.
    Forgotten,
}

impl Outcome {
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

/// Vectors of a batch of facts, row by row, and the model that made them.
#[derive(Clone, Copy, Debug)]
pub struct FactVectors<'a> {
    /// One row per fact.
    pub rows: &'a [&'a [f32]],
    /// Their model.
    pub fingerprint: &'a Fingerprint,
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
    /// testator: the greater confidence holds. What has expired is not renewed but learned anew. One agent's own fact renews the one it
    /// repeats; hearsay that repeats something known changes nothing about the agent's own knowledge (spec 6).
    pub fn upsert(
        &self,
        facts: &[Fact],
        vectors: Option<FactVectors<'_>>,
        tick: u64,
        now: Micros,
    ) -> Result<Vec<(Id, Outcome)>> {
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
    ) -> Step<Vec<(Id, Outcome)>> {
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
    ) -> Step<(Id, Outcome)> {
        let Offer { fact, vector, tick, now } = *offer;
        let fact = &tempered(fact.clone(), tick, retention);
        if fact.id != Id::ABSENT
            && let Some(mut known) = record::find(&writer.transaction, fact.id)?
        {
            if normalised(&known.fact.text) == normalised(&fact.text) {
                if tells_more(fact, &known.fact) {
                    revive(&mut known);
                    renew(writer, known, fact, retention, tick)?;
                }
                return Ok((fact.id, Outcome::Exact));
            }
            return Err(Error::invalid(
                format!("the id {} already stands for another text", fact.id),
                "Leave the id out, or replace that fact with `supersede`",
            )
            .into());
        }
        if is_forgotten(writer, &fact.text)? {
            return Ok((fact.id, Outcome::Forgotten));
        }
        let mut found = same_text(&writer.transaction, fact, tick)?.map(|stored| (stored, Outcome::Exact));
        if let (None, Some(vector)) = (&found, vector) {
            found = neighbours
                .find(&writer.transaction, fact, vector, tick)?
                .map(|stored| (stored, Outcome::Similar));
        }
        if let Some((stored, outcome)) = found {
            let id = stored.fact.id;
            renew(writer, stored, fact, retention, tick)?;
            return Ok((id, outcome));
        }
        if !has_living(writer, fact, tick)? {
            writer.count("upsert_no_existing", 1)?;
        }
        let mut fact = self.born(fact, tick, now);
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
        Ok((fact.id, Outcome::New))
    }

    /// A fact as it enters the store.
    pub(crate) fn born(&self, fact: &Fact, tick: u64, now: Micros) -> Fact {
        let mut fact = fact.clone();
        fact.created_tick = tick;
        fact.created_at = now;
        fact.reinforced_tick = tick;
        // Nobody has looked at it later than now, whatever is claimed: the latest tick of a record is where time goes on.
        fact.accessed_tick = fact.accessed_tick.min(tick);
        if fact.observed == (0, 0) {
            fact.observed = (tick, tick);
        }
        if fact.origin.is_empty() {
            fact.origin.clone_from(&self.agent);
        }
        fact.support = fact.support.max(fact.evidence.len() as u32);
        with_findings(&mut fact);
        fact
    }
}

/// Whether hearsay that came by another way says more of what was heard before: a nearer or surer testator.
fn tells_more(fact: &Fact, known: &Fact) -> bool {
    fact.is_hearsay()
        && known.is_hearsay()
        && (fact.confidence > known.confidence || fact.generation < known.generation)
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

/// In force, contradicted or held, and not yet expired by tick ?3: what a repetition may renew.
const LIVING: &str =
    "status IN ('active', 'contradicted', 'held') AND (expires_tick IS NULL OR expires_tick >= ?3)";

/// Whether there is anything that the fact could have been compared with.
fn has_living(writer: &Writer<'_>, fact: &Fact, tick: u64) -> Step<bool> {
    let query = format!("SELECT 1 FROM facts WHERE category = ?1 AND kind = ?2 AND {LIVING}");
    let given = params![fact.category, fact.kind.name(), signed(tick)?];
    Ok(writer.transaction.prepare_cached(&query)?.exists(given)?)
}

/// The living fact of the same words, if any.
pub(crate) fn same_text(connection: &Connection, fact: &Fact, tick: u64) -> Step<Option<Stored>> {
    let candidates = record::select(
        connection,
        &format!("WHERE text_key = ?1 AND category = ?2 AND {LIVING} ORDER BY serial"),
        params![record::text_key(&fact.text), fact.category, signed(tick)?],
    )?;
    let text = normalised(&fact.text);
    Ok(candidates.into_iter().find(|stored| normalised(&stored.fact.text) == text))
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
    ) -> Step<Option<Stored>> {
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
            let living = |stored: &Stored| {
                !matches!(stored.fact.status, FactStatus::Archived | FactStatus::Superseded)
            };
            if let Some(stored) =
                found.into_iter().find(|stored| living(stored) && same_sense(&stored.fact.text, &fact.text))
            {
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

/// What a repetition does to the fact that is there.
pub(crate) fn renew(
    writer: &Writer<'_>,
    mut stored: Stored,
    incoming: &Fact,
    retention: Retention,
    tick: u64,
) -> Step<()> {
    let before = confidence_now(&stored.fact, tick, retention.tau_ticks);
    let given = f64::from(incoming.confidence);
    let hearsay = incoming.is_hearsay();
    if hearsay && !stored.fact.is_hearsay() {
        return Ok(());
    }
    // What was dreamt again is no evidence, either.
    let counted =
        !hearsay && incoming.source != Source::Dream && spaced(&stored, retention.spacing_ticks, tick);
    let mut after = before.max(given);
    if counted {
        after = after.max(reinforced(before, retention.reinforcement));
        stored.fact.support = stored.fact.support.saturating_add(1);
        stored.spaced_tick = Some(tick);
    }
    // Also when nothing was gained: what follows may change how fast it fades, which must not reach into the past.
    rebase(&mut stored.fact, after, tick);
    stored.fact.expires_tick = prolonged(&stored.fact, incoming);
    if hearsay {
        stored.fact.generation = stored.fact.generation.min(incoming.generation);
    } else if confirms(incoming.source, &stored.fact) {
        confirm(&mut stored.fact, tick, retention.tau_ticks);
    }
    restore(&mut stored.fact);
    stored.fact.importance = stored.fact.importance.max(incoming.importance);
    stored.fact.bloodstain |= incoming.bloodstain;
    stored.fact.pinned |= incoming.pinned;
    for subject in &incoming.subjects {
        if !stored.fact.subjects.contains(subject) {
            stored.fact.subjects.push(subject.clone());
        }
    }
    record::add_evidence(&writer.transaction, stored.serial, &incoming.evidence, tick)?;
    // What somebody says, and nothing infers, needs no trial.
    if stored.fact.status == FactStatus::Held && incoming.status != FactStatus::Held {
        return release(writer, stored, tick);
    }
    writer.update(&stored, tick)
}

/// Whether a fact of this source makes one that says the same the agent's own: the agent lived it, or concluded what it had
/// only heard or dreamt of.
fn confirms(source: Source, stored: &Fact) -> bool {
    match source {
        Source::SelfLived => true,
        Source::Derived => stored.is_hearsay() || stored.source == Source::Dream,
        _ => false,
    }
}

/// When a fact ends that is stated again: later, if whoever lived it, or the same source, says so; never, if it was only
/// dreamt or heard of and now whoever lived it names no end. An end that was set on purpose is not taken away, nor is
/// that of a contradiction.
fn prolonged(stored: &Fact, incoming: &Fact) -> Option<u64> {
    let lived = matches!(incoming.source, Source::SelfLived | Source::Derived);
    let repeats = incoming.source == stored.source && stored.source != Source::Dream;
    match (stored.expires_tick, incoming.expires_tick) {
        _ if stored.status == FactStatus::Contradicted => stored.expires_tick,
        (Some(before), Some(end)) if lived || repeats => Some(before.max(end)),
        (Some(_), None) if confirms(incoming.source, stored) && stored.source != Source::SelfLived => None,
        (before, _) => before,
    }
}

/// Whether a reinforcement at this tick is far enough from the last one that counted.
pub(crate) fn spaced(stored: &Stored, spacing_ticks: u64, tick: u64) -> bool {
    stored.spaced_tick.is_none_or(|last| tick.saturating_sub(last) >= spacing_ticks.max(1))
}

/// Lets decay count from this tick on. Exponential decay has no memory, so that this alone changes nothing.
pub(crate) fn rebase(fact: &mut Fact, confidence: f64, tick: u64) {
    fact.confidence = confidence as f32;
    fact.reinforced_tick = fact.reinforced_tick.max(tick);
}

/// What the agent's own episodes confirm becomes its own knowledge (spec 6, "Inheritance"). The origin stays: it says
/// who lived it first. A warning keeps the mark of the death that it came from, so that it fades no faster than before.
pub(crate) fn confirm(fact: &mut Fact, tick: u64, tau_ticks: f64) {
    rebase(fact, confidence_now(fact, tick, tau_ticks), tick);
    fact.bloodstain |= fact.from_death();
    fact.source = Source::SelfLived;
    fact.generation = 0;
}

/// Confidence above which a contradicted fact is in force again: more likely than not.
const RESTORED_ABOVE: f32 = 0.5;

/// A fact that new evidence states again is in force, if it had only left for the cold tier or is likely again.
pub(crate) fn revive(stored: &mut Stored) {
    revive_as(stored, FactStatus::Active);
}

/// As [`revive`]; what comes back from the cold tier comes back as `birth`: in force, or held.
pub(crate) fn revive_as(stored: &mut Stored, birth: FactStatus) {
    if stored.fact.status == FactStatus::Archived {
        stored.fact.status = birth;
        stored.ended_tick = None;
    }
    restore(&mut stored.fact);
}

/// A contradicted fact that new evidence made likely again is in force, and no longer expires.
pub(crate) fn restore(fact: &mut Fact) {
    if fact.status == FactStatus::Contradicted && fact.confidence > RESTORED_ABOVE {
        fact.status = FactStatus::Active;
        fact.expires_tick = None;
    }
}
