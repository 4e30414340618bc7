//! Statements replace each other within one slot: subject, attribute and condition.
//!
//! No likeness is involved. A positive statement of a functional attribute ends the other values of its slot, a denial
//! ends the value that it denies. Bounds of time decide first: a statement about the future bounds the present one, and
//! a statement about the past enters as history.

use rusqlite::params;

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

/// Name of the rule by which a statement ends another of its slot.
pub const SLOT_RULE: &str = "slot";
/// Name of the rule that ends a statement at the end it was given.
pub const END_RULE: &str = "until";
/// Fraction of the older fact's confidence that the newer one needs to end it.
pub(crate) const OVERRULES: f64 = 0.5;

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
    Ok(found.into_iter().find(|stored| {
        stored.fact.statement.as_ref().is_some_and(|known| {
            known.denied == statement.denied && known.has_same_value(statement) && overlap(known, statement)
        })
    }))
}

/// The living facts of a slot.
fn of_slot(writer: &Writer<'_>, statement: &Statement, tick: u64) -> Step<Vec<StoredFact>> {
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

/// Whether two statements can hold at one instant, as far as their bounds say.
fn overlap(one: &Statement, other: &Statement) -> bool {
    let before =
        |a: &Statement, b: &Statement| matches!((a.until, b.since), (Some(end), Some(start)) if end <= start);
    !before(one, other) && !before(other, one)
}

/// Settles the slot of a fact that was just stored, stated again or released.
pub(crate) fn settle(writer: &Writer<'_>, id: Id, moment: Moment) -> Step<()> {
    let Some(mut newer) = record::find(&writer.transaction, id)? else { return Ok(()) };
    let Some(statement) = newer.fact.statement.clone() else { return Ok(()) };
    if newer.fact.status != FactStatus::Active {
        return Ok(());
    }
    for older in of_slot(writer, &statement, moment.tick)? {
        let is_rival = older.serial != newer.serial
            && older.fact.status != FactStatus::Held
            && older.fact.statement.as_ref().is_some_and(|known| conflicts(known, &statement));
        if is_rival {
            settle_pair(writer, &mut newer, older, &statement, moment)?;
        }
        if newer.fact.status != FactStatus::Active {
            break;
        }
    }
    Ok(())
}

/// Whether two statements of one slot exclude each other.
fn conflicts(older: &Statement, newer: &Statement) -> bool {
    let same = older.has_same_value(newer);
    match (older.denied, newer.denied) {
        (false, false) => !same && older.functional && newer.functional && overlap(older, newer),
        (true, true) => false,
        (false, true) => same || newer.value.is_empty(),
        (true, false) => same || older.value.is_empty(),
    }
}

fn settle_pair(
    writer: &Writer<'_>,
    newer: &mut StoredFact,
    older: StoredFact,
    statement: &Statement,
    moment: Moment,
) -> Step<()> {
    let Moment { tick, now, retention } = moment;
    if statement.until.is_some_and(|until| until <= now) {
        // It tells of a time that is over: known from now on, and not in force.
        return retire_by(writer, newer, older.fact.id, END_RULE, None, tick);
    }
    let start = older.fact.statement.as_ref().and_then(|known| known.since).filter(|since| *since > now);
    if let Some(start) = start
        && statement.since.is_none_or(|since| since < start)
    {
        // The older one tells of a time to come: the newer one holds until then.
        if let Some(known) = &mut newer.fact.statement {
            known.until = Some(known.until.map_or(start, |until| until.min(start)));
        }
        newer.fact.ended_by = Some(SLOT_RULE.to_owned());
        return writer.update(newer, tick);
    }
    if newer.fact.is_hearsay() && !older.fact.is_hearsay() {
        let expires = tick.saturating_add(retention.expiry_ticks).min(i64::MAX.unsigned_abs());
        oppose(writer, newer.clone(), older, tick, expires, retention)?;
        *newer = record::require(&writer.transaction, newer.fact.id)?;
        return Ok(());
    }
    let then = |stored: &StoredFact| confidence_now(&stored.fact, tick, retention.tau_ticks);
    if (older.fact.pinned && !newer.fact.pinned) || then(newer) < OVERRULES * then(&older) {
        return link_both(writer, newer.fact.id, older.fact.id, tick);
    }
    end(writer, newer, older, SLOT_RULE, statement.since, moment)
}

/// Ends an older fact by a newer one: at once, or at the future instant from which the newer one holds.
pub(crate) fn end(
    writer: &Writer<'_>,
    newer: &mut StoredFact,
    mut older: StoredFact,
    rule: &str,
    from: Option<Micros>,
    Moment { tick, now, .. }: Moment,
) -> Step<()> {
    if let Some(from) = from.filter(|from| *from > now) {
        if let Some(known) = &mut older.fact.statement {
            known.until = Some(known.until.map_or(from, |until| until.min(from)));
            older.fact.ended_by = Some(rule.to_owned());
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
    retire_by(writer, &mut older, newer.fact.id, rule, Some(from.unwrap_or(now)), tick)
}

/// Turns a fact into the history of another, by a rule, as of an instant.
fn retire_by(
    writer: &Writer<'_>,
    stored: &mut StoredFact,
    newer: Id,
    rule: &str,
    until: Option<Micros>,
    tick: u64,
) -> Step<()> {
    stored.fact.ended_by = Some(rule.to_owned());
    if let (Some(known), Some(until)) = (&mut stored.fact.statement, until)
        && known.since.is_none_or(|since| since < until)
    {
        known.until = Some(known.until.map_or(until, |end| end.min(until)));
    }
    retire(writer, stored, newer, tick)
}

/// Retires the facts whose statement has ended by now; the answer is their number.
pub(crate) fn end_due(writer: &Writer<'_>, tick: u64, now: Micros) -> Step<u64> {
    let due = record::select(
        &writer.transaction,
        "WHERE slot_key IS NOT NULL AND status IN ('active', 'contradicted')
           AND json_extract(statement, '$.until') IS NOT NULL AND json_extract(statement, '$.until') <= ?1 ORDER BY serial",
        params![now],
    )?;
    let mut count = 0;
    for mut stored in due {
        let Some(statement) = stored.fact.statement.clone() else { continue };
        let newer = of_slot(writer, &statement, tick)?.into_iter().find(|other| {
            statement.functional
                && other.serial != stored.serial
                && other.fact.statement.as_ref().is_some_and(|known| known.holds_at(now) && !known.denied)
        });
        stored.fact.ended_by.get_or_insert_with(|| END_RULE.to_owned());
        stored.fact.superseded_by = newer.as_ref().map(|newer| newer.fact.id);
        stored.fact.status = FactStatus::Superseded;
        stored.ended_tick = Some(tick);
        if let Some(newer) = &newer {
            correct(writer, newer, &stored, ENDED, tick)?;
        }
        writer.update(&stored, tick)?;
        count += 1;
    }
    Ok(count)
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
    /// Memories of which the first corrects the second, with the weight of their link: [`ENDED`], [`DISPUTED`] or, for a
    /// later one about the same, [`FOLLOWED`](super::FOLLOWED).
    pub corrections: &'a [(Id, Id, f64)],
}

/// Counts of what resolutions did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// Facts that ended.
    pub ended: u64,
    /// Pairs that are disputed.
    pub disputed: u64,
}

/// Applies a verdict on a fact that is in force. Pinned, surer or own knowledge is disputed instead of ended.
pub(crate) fn apply(
    writer: &Writer<'_>,
    newer: Id,
    resolution: &Resolution,
    moment: Moment,
    resolved: &mut Resolved,
) -> Step<()> {
    let in_force =
        |stored: &StoredFact| matches!(stored.fact.status, FactStatus::Active | FactStatus::Contradicted);
    let found =
        record::find(&writer.transaction, newer)?.zip(record::find(&writer.transaction, resolution.older)?);
    let Some((mut newer, older)) = found else { return Ok(()) };
    if newer.serial == older.serial || !in_force(&newer) || !in_force(&older) {
        return Ok(());
    }
    let then = |stored: &StoredFact| confidence_now(&stored.fact, moment.tick, moment.retention.tau_ticks);
    let may_end = !older.fact.pinned
        && (older.fact.is_hearsay() || !newer.fact.is_hearsay())
        && then(&newer) >= OVERRULES * then(&older);
    match &resolution.verdict {
        Verdict::Ends { from } if may_end => {
            resolved.ended += 1;
            end(writer, &mut newer, older, &resolution.rule, *from, moment)
        }
        _ => {
            resolved.disputed += 1;
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
        (tick, now): (u64, Micros),
    ) -> Result<()> {
        statement.map_or(Ok(()), Statement::validate)?;
        let retention = self.retention();
        self.write(|writer| {
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
