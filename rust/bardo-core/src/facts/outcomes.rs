//! Outcomes of acting on facts: an outcome moves their confidence (law 5), and is counted for each of them.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::evidence::{reinforce_one, weaken_one};
use super::filter::Retention;
use super::filter::check_fraction;
use super::rows::{self as record, StoredFact, signed};
use super::sqlite::{Failure, Step};
use super::store::FactStore;
use super::transaction::{Writer, counter};
use super::transitions::{confirm, refute};
use crate::error::{Error, Result};
use crate::model::decay::{CONTRADICTED_CEILING, confidence_now};
use crate::model::statistics::NORMAL_975;
use crate::model::{FactStatus, Id};

/// The outcomes of acting on one fact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutcomeTally {
    /// Outcomes above zero.
    pub good: u64,
    /// Outcomes below zero.
    pub bad: u64,
    /// Their sum; each is from -1 to 1.
    pub total: f64,
    /// Tick of the first.
    pub first_tick: u64,
    /// Tick of the last.
    pub last_tick: u64,
    /// Good outcomes that were far enough apart to count as one each.
    pub spaced: u64,
    /// Sum of the spaced good outcomes and of every bad one.
    pub net: f64,
}

impl OutcomeTally {
    /// Whether acting on it did good on the whole.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.good > 0 && self.total > 0.0
    }

    /// Whether outcomes confirm what was handed down: at least [`EARNED_BY`] good ones, spaced, and a positive sum.
    #[must_use]
    pub fn confirms_inheritance(&self) -> bool {
        self.spaced >= EARNED_BY && self.net > 0.0
    }

    /// Whether outcomes speak against it for certain: the share of good ones is below one half, by the upper bound of a
    /// Wilson score interval of 95 % (E. B. Wilson, Journal of the American Statistical Association 22, 1927). Bad ones
    /// count by their size, less that of good ones: four of -1 suffice, or five of -0.8.
    #[must_use]
    pub fn refutes(&self) -> bool {
        let (good, bad) = (self.good as f64, (-self.total).max(0.0));
        let cases = good + bad;
        if cases <= 0.0 {
            return false;
        }
        let (share, square) = (good / cases, NORMAL_975 * NORMAL_975);
        let half = NORMAL_975 * (share * (1.0 - share) / cases + square / (4.0 * cases * cases)).sqrt();
        (share + square / (2.0 * cases) + half) / (1.0 + square / cases) < 0.5
    }
}

/// Spaced good outcomes that make an inherited fact the agent's own: as many as the episodes that any fact needs.
pub const EARNED_BY: u64 = 3;

impl FactStore {
    /// Tells what came of acting on these facts, from -1 to 1, in one transaction: above zero they are reinforced by that
    /// part of the step, below zero weakened by it, and each keeps count. What was handed down and spaced outcomes bear
    /// out becomes the agent's own. Says how many moved.
    pub fn apply_outcome(&self, ids: &[Id], value: f64, tick: u64, retention: Retention) -> Result<usize> {
        if !(-1.0..=1.0).contains(&value) {
            return Err(Error::invalid(
                format!("the outcome is {value}"),
                "It must be a number from -1 to 1",
            ));
        }
        check_fraction(retention.reinforcement)?;
        let step = Retention { reinforcement: retention.reinforcement * value.abs(), ..retention };
        self.write(|writer| {
            let mut moved = 0;
            for id in ids {
                let stored = record::require(&writer.transaction, *id)?;
                let serial = stored.serial;
                if value != 0.0 {
                    weigh(writer, confidence_now(&stored.fact, tick, retention.tau_ticks), value > 0.0)?;
                }
                let counted = match value {
                    value if value > 0.0 => reinforce_one(writer, stored, &[], tick, step)?,
                    value if value < 0.0 => {
                        weaken_one(writer, stored, tick, step)?;
                        true
                    }
                    _ => false,
                };
                moved += usize::from(counted);
                count(writer, serial, value, counted, tick)?;
                if value < 0.0 {
                    give_up(writer, record::require(&writer.transaction, *id)?, tick, retention)?;
                }
                if value > 0.0 && counted {
                    earn(writer, record::require(&writer.transaction, *id)?, tick, retention)?;
                }
            }
            Ok(moved)
        })
    }
}

/// Effect of a confirmation by decisions that followed a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Credit {
    /// None, because the last confirmation was too near.
    None,
    /// One good outcome.
    Counted,
    /// One good outcome, by which an inherited rule became the agent's own.
    Earned,
}

/// Confirms a rule by decisions that followed it and came out as predicted: as one good outcome, if it is far enough from
/// the last one to count.
pub(crate) fn credit(
    writer: &Writer<'_>,
    stored: StoredFact,
    evidence: &[Id],
    tick: u64,
    retention: Retention,
) -> Step<Credit> {
    let (id, serial) = (stored.fact.id, stored.serial);
    let before = confidence_now(&stored.fact, tick, retention.tau_ticks);
    if !reinforce_one(writer, stored, evidence, tick, retention)? {
        return Ok(Credit::None);
    }
    weigh(writer, before, true)?;
    count(writer, serial, 1.0, true, tick)?;
    let earned = earn(writer, record::require(&writer.transaction, id)?, tick, retention)?;
    Ok(if earned { Credit::Earned } else { Credit::Counted })
}

/// Counts a bad outcome of a rule whose prediction broke; the caller lowers it.
pub(crate) fn debit(writer: &Writer<'_>, stored: &StoredFact, tick: u64, retention: Retention) -> Step<()> {
    weigh(writer, confidence_now(&stored.fact, tick, retention.tau_ticks), false)?;
    count(writer, stored.serial, -1.0, true, tick)
}

impl FactStore {
    /// Outcomes and good ones by the confidence that their fact had before.
    pub fn judged_by_confidence(&self) -> Result<[(u64, u64); BINS]> {
        self.read(|connection| bins(connection))
    }

    /// The numbers of good and bad outcomes of acting on each of these facts; zeros without any.
    pub fn tallies(&self, ids: &[Id]) -> Result<Vec<(u64, u64)>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT good, bad, outcomes.intact FROM outcomes JOIN facts ON facts.serial = fact WHERE facts.id = ?1",
            )?;
            let counts = |row: &Row<'_>| {
                Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, i64>(1)?.unsigned_abs()))
            };
            ids.iter().map(|id| Ok(statement.query_row([id.0], counts).optional()?.unwrap_or_default())).collect()
        })
    }
}

/// Parts of 0..1 under which outcomes are counted by the confidence that their fact had.
pub const BINS: usize = 20;
/// Before the number of a bin, among the settings of the store: outcomes, and good ones.
const JUDGED: &str = "judged at ";
const HELD: &str = "held at ";
/// Sum of the squared distances of confidences from outcomes, in millionths.
const SQUARES: &str = "squared distances";
const MILLION: f64 = 1e6;
/// Outcomes that were counted in all.
const TOLD: &str = "outcomes told";
/// Outcomes after which what was counted by confidence is halved.
const FORGETS: i64 = 512;

/// Counts an outcome under the confidence that its fact had before.
fn weigh(writer: &Writer<'_>, confidence: f64, held: bool) -> Step<()> {
    let bin = ((confidence * BINS as f64) as usize).min(BINS - 1);
    writer.count(&format!("{JUDGED}{bin}"), 1)?;
    if held {
        writer.count(&format!("{HELD}{bin}"), 1)?;
    }
    let distance = confidence - f64::from(u8::from(held));
    writer.count(SQUARES, (distance * distance * MILLION).round() as i64)?;
    if writer.count(TOLD, 1)? % FORGETS == 0 {
        // Early counts belong to confidences that had not settled: half of them is dropped.
        writer
            .transaction
            .prepare_cached(
                "UPDATE meta SET value = value / 2 WHERE key LIKE 'judged at %' OR key LIKE 'held at %'",
            )?
            .execute([])?;
    }
    Ok(())
}

/// Outcomes and good ones by confidence, how many outcomes there were in all, and the sum of squared distances.
type OutcomeCounts = (Vec<(u64, u64)>, u64, f64);

/// Outcomes and good ones by confidence, the older ones counting less; of all outcomes how many there were, and the sum of
/// squared distances.
pub(crate) fn counted(connection: &Connection) -> Step<OutcomeCounts> {
    let number = |name: String| Ok::<u64, Failure>(counter(connection, &name)?.unsigned_abs());
    Ok((bins(connection)?.to_vec(), number(TOLD.to_owned())?, number(SQUARES.to_owned())? as f64 / MILLION))
}

/// Outcomes and good ones by confidence, the older ones counting less.
fn bins(connection: &Connection) -> Step<[(u64, u64); BINS]> {
    let mut bins = [(0, 0); BINS];
    let mut statement = connection.prepare_cached(
        "SELECT key, value, intact FROM meta WHERE key LIKE 'judged at %' OR key LIKE 'held at %'",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let key: String = row.get(0)?;
        let count = row.get::<_, i64>(1)?.unsigned_abs();
        let place = |prefix: &str| key.strip_prefix(prefix).and_then(|bin| bin.parse::<usize>().ok());
        if let Some((judged, _)) = place(JUDGED).and_then(|bin| bins.get_mut(bin)) {
            *judged = count;
        } else if let Some((_, held)) = place(HELD).and_then(|bin| bins.get_mut(bin)) {
            *held = count;
        }
    }
    Ok(bins)
}

/// Makes a fact that was handed down the agent's own, where its outcomes bear it out. Its earlier states tell that it was
/// inherited, and its origin who lived it first. Says whether it did.
fn earn(writer: &Writer<'_>, mut stored: StoredFact, tick: u64, retention: Retention) -> Step<bool> {
    let is_earned = stored.fact.is_hearsay()
        && stored.fact.status == FactStatus::Active
        && outcome_tally(&writer.transaction, stored.serial)?.is_some_and(|told| told.confirms_inheritance());
    if is_earned {
        confirm(&mut stored.fact, tick, retention.tau_ticks);
        writer.update(&stored, tick)?;
    }
    Ok(is_earned)
}

/// Refutes a belief that outcomes speak against for certain, once it is hardly believed. A danger is none: what went well
/// does not disprove that it may go wrong.
fn give_up(writer: &Writer<'_>, mut stored: StoredFact, tick: u64, retention: Retention) -> Step<()> {
    let is_refuted = stored.fact.status == FactStatus::Active
        && !stored.fact.pinned
        && !stored.fact.kind.is_danger()
        && confidence_now(&stored.fact, tick, retention.tau_ticks) <= CONTRADICTED_CEILING
        && outcome_tally(&writer.transaction, stored.serial)?.is_some_and(|told| told.refutes());
    if is_refuted {
        refute(&mut stored, tick, retention);
        writer.update(&stored, tick)?;
    }
    Ok(())
}

fn count(writer: &Writer<'_>, serial: i64, value: f64, counted: bool, tick: u64) -> Step<()> {
    writer
        .transaction
        .prepare_cached(
            "INSERT INTO outcomes (fact, good, bad, total, first_tick, last_tick, spaced, net)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7)
             ON CONFLICT (fact) DO UPDATE SET good = good + excluded.good, bad = bad + excluded.bad,
             total = total + excluded.total, last_tick = max(last_tick, excluded.last_tick),
             spaced = spaced + excluded.spaced, net = net + excluded.net WHERE intact",
        )?
        .execute(params![
            serial,
            value > 0.0,
            value < 0.0,
            value,
            signed(tick)?,
            counted && value > 0.0,
            if counted { value } else { 0.0 },
        ])?;
    Ok(())
}

/// Adds the outcomes of one fact to those of another that stands for it.
pub(crate) fn transfer_outcomes(connection: &Connection, kept: i64, gone: i64) -> Step<()> {
    connection
        .prepare_cached(
            "INSERT INTO outcomes (fact, good, bad, total, first_tick, last_tick, spaced, net)
             SELECT ?1, good, bad, total, first_tick, last_tick, spaced, net FROM outcomes WHERE fact = ?2
             ON CONFLICT (fact) DO UPDATE SET good = good + excluded.good, bad = bad + excluded.bad,
             total = total + excluded.total, first_tick = min(first_tick, excluded.first_tick),
             last_tick = max(last_tick, excluded.last_tick), spaced = spaced + excluded.spaced,
             net = net + excluded.net WHERE intact",
        )?
        .execute(params![kept, gone])?;
    Ok(())
}

/// The outcomes of acting on a fact, by its row; `None` if none was recorded.
pub(crate) fn outcome_tally(connection: &Connection, serial: i64) -> Step<Option<OutcomeTally>> {
    Ok(connection
        .prepare_cached(
            "SELECT good, bad, total, first_tick, last_tick, spaced, net, intact FROM outcomes WHERE fact = ?1",
        )?
        .query_row([serial], read)
        .optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<OutcomeTally> {
    let number = |index: usize| row.get::<_, i64>(index).map(i64::unsigned_abs);
    Ok(OutcomeTally {
        good: number(0)?,
        bad: number(1)?,
        total: row.get(2)?,
        first_tick: number(3)?,
        last_tick: number(4)?,
        spaced: number(5)?,
        net: row.get(6)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(good: u64, bad: u64, size: f64) -> OutcomeTally {
        let total = size * (good as f64 - bad as f64);
        OutcomeTally { good, bad, total, first_tick: 1, last_tick: 9, spaced: good, net: total }
    }

    #[test]
    fn several_bad_outcomes_refute_and_small_or_mixed_ones_do_not() {
        assert!(tally(0, 4, 1.0).refutes());
        assert!(!tally(0, 3, 1.0).refutes());
        assert!(tally(0, 5, 0.8).refutes());
        assert!(!tally(0, 20, 0.1).refutes(), "small ones");
        assert!(!tally(2, 8, 1.0).refutes(), "too many good ones");
        assert!(!tally(0, 0, 1.0).refutes());
    }
}
