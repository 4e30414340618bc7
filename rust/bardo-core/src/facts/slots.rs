//! Statements replace each other within one slot: subject, attribute and condition.
//!
//! No likeness is involved. A positive statement of a functional attribute ends the other values of its slot, a denial
//! ends the value that it denies. Bounds of time decide first: a statement about the future bounds the present one, and
//! a statement about the past enters as history.

use rusqlite::params;

use super::acts::{ActCounts, Actor};
use super::end_cause::{EndCause, contested_by};
use super::evidence::oppose;
use super::filter::Retention;
use super::renew::LIVING;
use super::rows::{self as record, StoredFact, signed};
use super::sqlite::Step;
use super::store::{FactStore, facts};
use super::transaction::Writer;
use super::transitions::{DISPUTED, ENDED, Link, Relation, correct, link_both, rebase, retire, write_link};
use crate::error::Result;
use crate::model::decay::{confidence_now, longer};
use crate::model::{Fact, FactStatus, Id, Micros, Persistence, Statement};

/// Fraction of the older fact's confidence that the newer one needs to end it.
const OVERRULES: f64 = 0.5;

/// Instant and constants of a settlement.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    pub tick: u64,
    pub now: Micros,
    pub retention: Retention,
}

/// The living fact with the same slot, value and polarity.
pub(crate) fn same_statement(
    writer: &Writer<'_>,
    statement: &Statement,
    tick: u64,
) -> Step<Option<StoredFact>> {
    let found = of_slot(writer, statement, tick)?;
    let is_same =
        |stored: &StoredFact| stored.fact.statement.as_ref().is_some_and(|known| known.says_same(statement));
    Ok(found.into_iter().find(is_same))
}

/// The living facts of a slot.
pub(super) fn of_slot(writer: &Writer<'_>, statement: &Statement, tick: u64) -> Step<Vec<StoredFact>> {
    let found = record::select(
        &writer.transaction,
        &format!("WHERE slot_key = ?1 AND owner_key = ?2 AND {LIVING} ORDER BY serial"),
        params![statement.slot_key(), statement.owner_key(), signed(tick)?],
    )?;
    let is_same = |stored: &StoredFact| {
        stored.fact.statement.as_ref().is_some_and(|known| known.has_same_slot(statement))
    };
    Ok(found.into_iter().filter(is_same).collect())
}

/// Settles the slot of a fact that was just stored, stated again or released.
pub(crate) fn settle(writer: &Writer<'_>, id: Id, moment: Moment) -> Step<()> {
    let Some(mut newer) = record::find(&writer.transaction, id)? else { return Ok(()) };
    let Some(statement) = newer.fact.statement.clone() else { return Ok(()) };
    if newer.fact.status != FactStatus::Active {
        return Ok(());
    }
    let is_rival = |older: &StoredFact| {
        older.serial != newer.serial
            && older.fact.status != FactStatus::Held
            && older.fact.statement.as_ref().is_some_and(|known| known.excludes(&statement))
    };
    let rivals: Vec<_> = of_slot(writer, &statement, moment.tick)?.into_iter().filter(is_rival).collect();
    if statement.until.is_some_and(|until| until <= moment.now) {
        // It tells of a time that is over: known from now on, and not in force.
        let older = rivals.first().map(|older| older.fact.id);
        return retire(writer, &mut newer, older, &EndCause::Until, moment.tick);
    }
    for older in rivals {
        settle_pair(writer, &mut newer, older, &statement, moment)?;
        if newer.fact.status != FactStatus::Active {
            break;
        }
    }
    Ok(())
}

/// Links a contested fact with the other values of its slot.
pub(crate) fn dispute(writer: &Writer<'_>, id: Id, tick: u64) -> Step<()> {
    let Some(contested) = record::find(&writer.transaction, id)? else { return Ok(()) };
    let Some(statement) = &contested.fact.statement else { return Ok(()) };
    for other in of_slot(writer, statement, tick)? {
        if other.serial != contested.serial
            && other.fact.status == FactStatus::Active
            && other.fact.statement.as_ref().is_some_and(|known| known.excludes(statement))
        {
            oppose_contested(writer, &contested, &other, tick)?;
        }
    }
    Ok(())
}

/// Links a contested fact with another that it contradicts; the records behind the other come first.
fn oppose_contested(writer: &Writer<'_>, contested: &StoredFact, other: &StoredFact, tick: u64) -> Step<()> {
    correct(writer, other, contested, DISPUTED, tick)?;
    link_both(writer, contested.fact.id, other.fact.id, tick)
}

fn settle_pair(
    writer: &Writer<'_>,
    newer: &mut StoredFact,
    older: StoredFact,
    statement: &Statement,
    moment: Moment,
) -> Step<()> {
    let Moment { tick, now, retention } = moment;
    if precedes(newer, &older, statement, now) {
        // A message of an earlier time that is read late: known from now on, and not in force.
        let from = older.fact.statement.as_ref().and_then(|known| known.since);
        let until = from.unwrap_or_else(|| said_at(&older, now));
        if let Some(known) = &mut newer.fact.statement {
            known.until = Some(known.until.map_or(until, |end| end.min(until)));
        }
        return retire(writer, newer, Some(older.fact.id), &EndCause::Slot, tick);
    }
    let start = older.fact.statement.as_ref().and_then(|known| known.since).filter(|since| *since > now);
    if let Some(start) = start
        && statement.since.is_none_or(|since| since < start)
    {
        // The older one tells of a time to come: the newer one holds until then.
        if let Some(known) = &mut newer.fact.statement {
            known.until = Some(known.until.map_or(start, |until| until.min(start)));
        }
        newer.fact.ended_by = Some(EndCause::Slot.name().to_owned());
        return writer.update(newer, tick);
    }
    if newer.fact.is_hearsay() && !older.fact.is_hearsay() {
        let expires = tick.saturating_add(retention.expiry_ticks).min(i64::MAX.unsigned_abs());
        oppose(writer, newer.clone(), older, tick, expires, retention)?;
        *newer = record::require(&writer.transaction, newer.fact.id)?;
        return Ok(());
    }
    if (older.fact.pinned && !newer.fact.pinned) || !is_sure_enough(newer, &older, tick, retention) {
        return link_both(writer, newer.fact.id, older.fact.id, tick);
    }
    end(writer, newer, older, &EndCause::Slot, statement.since, moment)
}

/// Instant at which a fact was said: that of its latest evidence, whose id has it, otherwise that at which it was stored.
fn said_at(stored: &StoredFact, now: Micros) -> Micros {
    stored.fact.evidence.iter().filter_map(Id::at).max().unwrap_or(stored.fact.created_at).min(now)
}

/// Whether a fact rests on messages that are earlier than what an older fact of its slot rests on, and names no beginning
/// after that: a chat that is handed over late.
fn precedes(newer: &StoredFact, older: &StoredFact, statement: &Statement, now: Micros) -> bool {
    let known = said_at(older, now);
    !newer.fact.evidence.is_empty()
        && !newer.fact.pinned
        && !newer.fact.is_hearsay()
        && !older.fact.is_hearsay()
        && older.fact.status == FactStatus::Active
        && said_at(newer, now) < known
        && statement.since.is_none_or(|since| since < known)
        && older.fact.statement.as_ref().is_some_and(|said| said.since.is_none_or(|since| since <= now))
}

/// Whether a newer fact may end an older one: it is neither contested nor hearsay about what the agent knows itself, and it
/// is sure enough. A pinned fact gives way to nothing.
pub(crate) fn may_end(newer: &StoredFact, older: &StoredFact, tick: u64, retention: Retention) -> bool {
    !older.fact.pinned
        && contested_by(&newer.fact).is_none()
        && (older.fact.is_hearsay() || !newer.fact.is_hearsay())
        && is_sure_enough(newer, older, tick, retention)
}

fn is_sure_enough(newer: &StoredFact, older: &StoredFact, tick: u64, retention: Retention) -> bool {
    let then = |stored: &StoredFact| confidence_now(&stored.fact, tick, retention.tau_ticks);
    then(newer) >= OVERRULES * then(older)
}

/// Ends an older fact by a newer one: at the instant from which the newer one holds, which may be to come, otherwise at that
/// at which it was said. The tick tells when that was known.
pub(crate) fn end(
    writer: &Writer<'_>,
    newer: &mut StoredFact,
    mut older: StoredFact,
    cause: &EndCause,
    from: Option<Micros>,
    Moment { tick, now, .. }: Moment,
) -> Step<()> {
    if let Some(from) = from.filter(|from| *from > now) {
        if let Some(known) = &mut older.fact.statement {
            known.until = Some(known.until.map_or(from, |until| until.min(from)));
            older.fact.ended_by = Some(cause.name().to_owned());
            older.fact.superseded_by = None;
            writer.update(&older, tick)?;
        }
        let (src, dst) = (newer.fact.id, older.fact.id);
        return write_link(writer, &Link { src, dst, relation: Relation::Refines, weight: 1.0, tick });
    }
    if newer.fact.supersedes.is_none() {
        newer.fact.supersedes = Some(older.fact.id);
        writer.update(newer, tick)?;
    }
    correct(writer, newer, &older, ENDED, tick)?;
    let until = from.unwrap_or_else(|| said_at(newer, now).max(said_at(&older, now)));
    if let Some(known) = &mut older.fact.statement
        && known.since.is_none_or(|since| since < until)
    {
        known.until = Some(known.until.map_or(until, |end| end.min(until)));
    }
    retire(writer, &mut older, Some(newer.fact.id), cause, tick)
}

/// Retires the facts whose statement has ended by now. The cause is the one that gave the statement its end.
pub(crate) fn end_due(writer: &Writer<'_>, tick: u64, now: Micros) -> Step<()> {
    let due = record::select(
        &writer.transaction,
        "WHERE slot_key IS NOT NULL AND status IN ('active', 'contradicted')
           AND json_extract(statement, '$.until') IS NOT NULL AND json_extract(statement, '$.until') <= ?1 ORDER BY serial",
        params![now],
    )?;
    for mut stored in due {
        let Some(statement) = stored.fact.statement.clone() else { continue };
        let newer = of_slot(writer, &statement, tick)?.into_iter().find(|other| {
            statement.functional
                && other.serial != stored.serial
                && other.fact.statement.as_ref().is_some_and(|known| known.holds_at(now) && !known.denied)
        });
        if let Some(newer) = &newer {
            correct(writer, newer, &stored, ENDED, tick)?;
        }
        let cause = stored.fact.ended_by.as_deref().map_or(EndCause::Until, EndCause::named);
        retire(writer, &mut stored, newer.map(|newer| newer.fact.id), &cause, tick)?;
    }
    Ok(())
}

/// Effect of a newer fact on an older one, as rules of a language or a model found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The older one no longer holds, from this instant or at once.
    Ends {
        /// First instant at which the older one no longer holds; none for now.
        from: Option<Micros>,
    },
    /// Both may hold; the newer one comes first.
    Disputes,
}

/// The newer fact of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewerFact {
    /// Place in the batch that is stored with the verdict.
    InBatch(usize),
    /// A fact that is stored already.
    Stored(Id),
}

/// One verdict of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The newer fact.
    pub newer: NewerFact,
    /// The older fact.
    pub older: Id,
    /// Effect on the older fact.
    pub verdict: Verdict,
    /// Name of the rule.
    pub rule: String,
}

/// Effects of a batch on what is stored already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effects<'a> {
    /// Verdicts on older facts.
    pub resolutions: &'a [Resolution],
    /// Memories of which the first corrects the second, with the weight of their link: [`ENDED`], [`DISPUTED`] or, where
    /// the later one speaks against nothing, [`PRESUMED`](super::PRESUMED) or [`FOLLOWED`](super::FOLLOWED).
    pub corrections: &'a [(Id, Id, f64)],
}

/// Applies a verdict on a fact that is in force. Pinned, surer or own knowledge is disputed instead of ended. A newer fact
/// in quarantine ends the older one when it is released, and disputes nothing.
pub(crate) fn apply(writer: &Writer<'_>, newer: Id, resolution: &Resolution, moment: Moment) -> Step<()> {
    let in_force =
        |stored: &StoredFact| matches!(stored.fact.status, FactStatus::Active | FactStatus::Contradicted);
    let is_held = |stored: &StoredFact| stored.fact.status == FactStatus::Held;
    let found =
        record::find(&writer.transaction, newer)?.zip(record::find(&writer.transaction, resolution.older)?);
    let Some((mut newer, older)) = found else { return Ok(()) };
    if newer.serial == older.serial || !(in_force(&newer) || is_held(&newer)) || !in_force(&older) {
        return Ok(());
    }
    let may_end = may_end(&newer, &older, moment.tick, moment.retention);
    match &resolution.verdict {
        Verdict::Ends { .. } if may_end && is_held(&newer) => {
            newer.fact.supersedes = newer.fact.supersedes.or(Some(older.fact.id));
            writer.update(&newer, moment.tick)
        }
        _ if is_held(&newer) => Ok(()),
        Verdict::Ends { from } if may_end => {
            end(writer, &mut newer, older, &EndCause::rule(&resolution.rule)?, *from, moment)
        }
        _ if contested_by(&newer.fact).is_some() => oppose_contested(writer, &newer, &older, moment.tick),
        _ => {
            correct(writer, &newer, &older, DISPUTED, moment.tick)?;
            link_both(writer, newer.fact.id, older.fact.id, moment.tick)
        }
    }
}

impl FactStore {
    /// Gives a sentence that was learned the form that a reader found in it, if it has none: its statement, which then
    /// settles its slot, and how long it holds if that is longer. What it has faded until now stays.
    pub fn describe(
        &self,
        id: Id,
        statement: Option<&Statement>,
        persistence: Option<Persistence>,
        actor: Actor<'_>,
    ) -> Result<ActCounts> {
        statement.map_or(Ok(()), Statement::validate)?;
        let retention = self.retention();
        let Actor { tick, now, .. } = actor;
        self.counted_act(actor, |writer| {
            let mut stored = record::require(&writer.transaction, id)?;
            if stored.fact.statement.is_some() {
                return Ok(());
            }
            let confidence = confidence_now(&stored.fact, tick, retention.tau_ticks);
            rebase(&mut stored.fact, confidence, tick);
            stored.fact.statement = statement.cloned();
            stored.fact.persistence = longer(stored.fact.persistence, persistence);
            writer.update(&stored, tick)?;
            settle(writer, id, Moment { tick, now, retention })
        })
        .map(|((), changes)| changes)
    }

    /// The facts in force whose statement has an end, with that instant, the soonest first.
    pub fn statement_ends(&self) -> Result<Vec<(Id, Micros)>> {
        self.read(|connection| {
            let bounded = record::select(
                connection,
                "WHERE slot_key IS NOT NULL AND status IN ('active', 'contradicted')
                   AND json_extract(statement, '$.until') IS NOT NULL
                 ORDER BY json_extract(statement, '$.until'), serial",
                params![],
            )?;
            let end = |fact: Fact| fact.statement.and_then(|known| known.until).map(|until| (fact.id, until));
            Ok(facts(bounded).into_iter().filter_map(end).collect())
        })
    }

    /// The facts in force at a tick whose statement is about a subject, the latest first.
    pub fn of_subject(&self, subject: &str, tick: u64) -> Result<Vec<Fact>> {
        let key = Statement { subject: subject.to_owned(), ..Statement::default() }.owner_key();
        self.read(|connection| {
            let found = record::select(
                connection,
                "WHERE owner_key = ?1 AND status IN ('active', 'contradicted')
                   AND (expires_tick IS NULL OR expires_tick >= ?2) ORDER BY serial DESC",
                params![key, signed(tick)?],
            )?;
            Ok(facts(found))
        })
    }
}
