//! Changes of state that several verbs share: a fact fades less, gains or loses force, is replaced or archived, and is
//! linked with another.
//!
//! Each works on a fact that was just read, inside the transaction of its caller.

use std::str::FromStr;

use rusqlite::{OptionalExtension, params};

use super::end_cause::{EndCause, contested_by};
use super::filter::Retention;
use super::quota::{DERIVED_CONFIDENCE, DERIVED_IMPORTANCE, DERIVED_KEPT, arrival_confidence};
use super::rows::{self as record, StoredFact, signed};
use super::sqlite::Step;
use super::structured_rules::is_testable;
use super::transaction::{EDGES, Writer};
use crate::error::{Error, Result};
use crate::model::decay::{CONTRADICTED_CEILING, confidence_now, is_spaced, longer};
use crate::model::{Fact, FactKind, FactStatus, Id, Persistence, Source};

/// Weight of a correction that ended what the older record says.
pub const ENDED: f64 = 1.0;
/// Weight of a correction that leaves open which of two records holds.
pub const DISPUTED: f64 = 0.5;
/// Weight of a link to a later record that probably replaces the older one: it puts the later one first, and speaks against
/// neither.
pub const PRESUMED: f64 = 0.375;
/// Weight of a link to a later record about the same: it puts the later one first where both are about as relevant, and
/// speaks against neither.
pub const FOLLOWED: f64 = 0.25;

/// How two facts stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The first makes the second more likely.
    Supports,
    /// Both cannot hold.
    Contradicts,
    /// The first says the second more exactly.
    Refines,
    /// The first brings about the second.
    Causes,
    /// The first belongs to the second.
    PartOf,
    /// Worth reading together.
    SeeAlso,
    /// The first, a later episode, replaces or denies what the second says.
    Corrects,
}

impl Relation {
    const ALL: [Self; 7] = [
        Self::Supports,
        Self::Contradicts,
        Self::Refines,
        Self::Causes,
        Self::PartOf,
        Self::SeeAlso,
        Self::Corrects,
    ];

    /// The name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Supports => "supports",
            Self::Contradicts => "contradicts",
            Self::Refines => "refines",
            Self::Causes => "causes",
            Self::PartOf => "part_of",
            Self::SeeAlso => "see_also",
            Self::Corrects => "corrects",
        }
    }
}

impl FromStr for Relation {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|relation| relation.name() == name).ok_or_else(|| {
            Error::invalid(
                format!("{name:?} is not a relation"),
                "Use one of: supports, contradicts, refines, causes, part_of, see_also, corrects",
            )
        })
    }
}

/// One link between two facts.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// From.
    pub src: Id,
    /// To.
    pub dst: Id,
    /// How they stand to each other.
    pub relation: Relation,
    /// 0..1.
    pub weight: f64,
    /// When it was drawn.
    pub tick: u64,
}

/// Lowers a contradicted fact; it expires unless it is confirmed.
pub(crate) fn lower(stored: &mut StoredFact, confidence: f64, tick: u64, expires_tick: u64) {
    rebase(&mut stored.fact, confidence, tick);
    stored.fact.expires_tick = Some(expires_tick);
    stored.fact.status = FactStatus::Contradicted;
}

/// Lowers a belief that outcomes refuted; it expires unless it is confirmed.
pub(crate) fn refute(stored: &mut StoredFact, tick: u64, retention: Retention) {
    contest(stored, &EndCause::Refutation, tick, retention);
}

/// Lowers a belief that is contested for this cause; it expires unless it is confirmed.
pub(crate) fn contest(stored: &mut StoredFact, cause: &EndCause, tick: u64, retention: Retention) {
    let confidence = confidence_now(&stored.fact, tick, retention.tau_ticks).min(CONTRADICTED_CEILING);
    let expires = tick.saturating_add(retention.expiry_ticks).min(i64::MAX.unsigned_abs());
    lower(stored, confidence, tick, expires);
    (stored.fact.superseded_by, stored.ended_tick) = (None, None);
    stored.fact.ended_by = Some(cause.name().to_owned());
}

/// Sends a fact to the cold tier: out of force, but there. A contested one keeps that cause.
pub(crate) fn archive(writer: &Writer<'_>, stored: &mut StoredFact, cause: &EndCause, tick: u64) -> Step<()> {
    let contested = contested_by(&stored.fact);
    end_as(writer, stored, FactStatus::Archived, contested.as_ref().unwrap_or(cause), tick)
}

/// Lets a fact that is there take the place of another, which becomes its history.
pub(crate) fn replace(
    writer: &Writer<'_>,
    newer: &mut StoredFact,
    mut older: StoredFact,
    cause: &EndCause,
    tick: u64,
) -> Step<()> {
    if newer.fact.supersedes.is_none() {
        newer.fact.supersedes = Some(older.fact.id);
        writer.update(newer, tick)?;
    }
    retire(writer, &mut older, Some(newer.fact.id), cause, tick)
}

/// Turns a fact into history: that of a newer one, where there is one.
pub(crate) fn retire(
    writer: &Writer<'_>,
    stored: &mut StoredFact,
    newer: Option<Id>,
    cause: &EndCause,
    tick: u64,
) -> Step<()> {
    stored.fact.superseded_by = newer;
    end_as(writer, stored, FactStatus::Superseded, cause, tick)
}

/// Writes the end of a fact with its cause.
fn end_as(
    writer: &Writer<'_>,
    stored: &mut StoredFact,
    status: FactStatus,
    cause: &EndCause,
    tick: u64,
) -> Step<()> {
    stored.fact.status = status;
    stored.fact.ended_by = Some(cause.name().to_owned());
    stored.ended_tick = Some(tick);
    writer.update(stored, tick)
}

/// Labels two facts as contradicting each other.
pub(crate) fn link_both(writer: &Writer<'_>, a: Id, b: Id, tick: u64) -> Step<()> {
    for (src, dst) in [(a, b), (b, a)] {
        write_link(writer, &Link { src, dst, relation: Relation::Contradicts, weight: 1.0, tick })?;
    }
    Ok(())
}

/// Writes one link.
pub(crate) fn write_link(writer: &Writer<'_>, link: &Link) -> Step<()> {
    let relation = link.relation.name();
    let is_new: bool = writer
        .transaction
        .prepare_cached(
            "SELECT NOT EXISTS (SELECT 1 FROM links WHERE src = ?1 AND dst = ?2 AND relation = ?3)",
        )?
        .query_row(params![link.src.0, link.dst.0, relation], |row| row.get(0))?;
    if is_new {
        writer.draw(link.src, link.dst, relation);
    }
    writer
        .transaction
        .prepare_cached(
            "INSERT INTO links (src, dst, relation, weight, tick) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (src, dst, relation) DO UPDATE SET weight = excluded.weight, tick = excluded.tick WHERE intact",
        )?
        .execute(params![link.src.0, link.dst.0, relation, link.weight, signed(link.tick)?])?;
    writer.next(EDGES)?;
    Ok(())
}

/// Links the records behind two facts, so that recall shows the newer one first. A newer fact without evidence, as a
/// statement said outright has none, is linked itself.
pub(crate) fn correct(
    writer: &Writer<'_>,
    newer: &StoredFact,
    older: &StoredFact,
    weight: f64,
    tick: u64,
) -> Step<()> {
    let evidence = &newer.fact.evidence;
    let newer = if evidence.is_empty() { std::slice::from_ref(&newer.fact.id) } else { evidence };
    for src in newer {
        for dst in older.fact.evidence.iter().filter(|dst| *dst != src) {
            link_correction(writer, (*src, *dst, weight), tick)?;
        }
    }
    Ok(())
}

/// Links a record with an older one that it corrects; a dispute leaves the link of an end as it is.
pub(crate) fn link_correction(writer: &Writer<'_>, (src, dst, weight): (Id, Id, f64), tick: u64) -> Step<()> {
    let relation = Relation::Corrects;
    let known: Option<f64> = writer
        .transaction
        .prepare_cached("SELECT weight FROM links WHERE src = ?1 AND dst = ?2 AND relation = ?3 AND intact")?
        .query_row(params![src.0, dst.0, relation.name()], |row| row.get(0))
        .optional()?;
    let weight = known.map_or(weight, |known| known.max(weight));
    write_link(writer, &Link { src, dst, relation, weight, tick })
}

/// Persistence of an inherited rule that decisions can test: they make it fade, and days alone hardly do. Over years, as a
/// rule of which the situation never comes is of no use either.
const TESTABLE_RULE: Persistence = Persistence::Years;

/// A fact as it enters the store: no surer than its source allows, for any writer. A conclusion enters at one
/// confidence and importance, a dream ends, and an inherited rule waits for decisions that test it.
pub(crate) fn limited_by_source(mut fact: Fact, tick: u64, retention: Retention) -> Fact {
    let source = if fact.is_hearsay() && arrival_confidence(fact.source).is_none() {
        Source::Testament
    } else {
        fact.source
    };
    if let Some(most) = arrival_confidence(source) {
        fact.confidence = fact.confidence.min(most);
    }
    if source == Source::Testament && fact.kind == FactKind::Heuristic && is_testable(&fact.payload) {
        fact.persistence = longer(fact.persistence, Some(TESTABLE_RULE));
    }
    match fact.source {
        Source::Derived => {
            fact.confidence = DERIVED_CONFIDENCE;
            fact.importance = DERIVED_IMPORTANCE;
        }
        Source::Dream => {
            let end = tick.saturating_add(retention.expiry_ticks).min(i64::MAX.unsigned_abs());
            fact.expires_tick = Some(fact.expires_tick.map_or(end, |given| given.min(end)));
        }
        _ => {}
    }
    fact
}

/// Archives the oldest conclusions beyond those that are kept. What is pinned stays, and counts.
pub(crate) fn make_room(writer: &Writer<'_>, tick: u64) -> Step<()> {
    let surplus: i64 = writer
        .transaction
        .prepare_cached("SELECT count(*) - ?1 FROM facts WHERE source = 'derived' AND status IN ('active', 'contradicted')")?
        .query_row([DERIVED_KEPT], |row| row.get(0))?;
    if surplus <= 0 {
        return Ok(());
    }
    let oldest = record::select(
        &writer.transaction,
        "WHERE source = 'derived' AND status IN ('active', 'contradicted') AND NOT pinned
         ORDER BY created_tick, serial LIMIT ?1",
        [surplus],
    )?;
    for mut stored in oldest {
        archive(writer, &mut stored, &EndCause::Capacity, tick)?;
    }
    Ok(())
}

/// Those of these facts that are held; others were deleted, stated by a caller or withdrawn meanwhile.
pub(crate) fn held_of(writer: &Writer<'_>, ids: &[Id]) -> Step<Vec<StoredFact>> {
    let mut found = Vec::new();
    for id in ids {
        let stored = record::find(&writer.transaction, *id)?;
        found.extend(stored.filter(|stored| stored.fact.status == FactStatus::Held));
    }
    Ok(found)
}

/// Puts a held fact in force. It was not known before, so that it counts as born now, and what it supersedes stood until now.
pub(crate) fn release(writer: &Writer<'_>, mut stored: StoredFact, tick: u64) -> Step<()> {
    stored.fact.status = FactStatus::Active;
    stored.fact.created_tick = stored.fact.created_tick.max(tick);
    writer.update(&stored, tick)?;
    if let Some(older) = stored.fact.supersedes
        && let Some(mut older) = record::find(&writer.transaction, older)?
        && older.fact.superseded_by.is_none()
    {
        retire(writer, &mut older, Some(stored.fact.id), &EndCause::Release, tick)?;
    }
    if stored.fact.source == Source::Derived {
        make_room(writer, tick)?;
    }
    writer
        .transaction
        .prepare_cached("INSERT OR IGNORE INTO released (fact) VALUES (?1)")?
        .execute(params![stored.serial])?;
    Ok(())
}

/// Whether a reinforcement at this tick is far enough from the last one that counted.
pub(crate) fn spaced(stored: &StoredFact, spacing_ticks: u64, tick: u64) -> bool {
    is_spaced(stored.spaced_tick, spacing_ticks, tick)
}

/// Lets decay count from this tick on. Exponential decay has no memory, so that this alone changes nothing.
pub(crate) fn rebase(fact: &mut Fact, confidence: f64, tick: u64) {
    fact.confidence = confidence as f32;
    fact.reinforced_tick = fact.reinforced_tick.max(tick);
}

/// Makes a fact that the agent's own episodes confirm its own knowledge. The origin stays: it says
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
pub(crate) fn revive(stored: &mut StoredFact) {
    revive_as(stored, FactStatus::Active);
}

/// Revives a fact as [`revive`] does; from the cold tier it comes back as `birth`: in force, or held.
pub(crate) fn revive_as(stored: &mut StoredFact, birth: FactStatus) {
    if stored.fact.status == FactStatus::Archived {
        stored.fact.status = birth;
        stored.fact.superseded_by = None;
        stored.fact.ended_by = None;
        stored.ended_tick = None;
    }
    restore(&mut stored.fact);
}

/// A contradicted fact that new evidence made likely again is in force, and no longer expires.
pub(crate) fn restore(fact: &mut Fact) {
    if fact.status == FactStatus::Contradicted && fact.confidence > RESTORED_ABOVE {
        fact.status = FactStatus::Active;
        fact.expires_tick = None;
        fact.ended_by = None;
    }
}
