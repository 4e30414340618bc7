//! What came of acting on facts: an outcome moves their confidence (law 5), and is counted for each of them.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::facts::{FactStore, Retention, check_fraction};
use super::facts_change::{reinforce_one, weaken_one};
use super::facts_record::{self as record, signed};
use super::facts_write::Writer;
use super::migrate::Step;
use crate::error::{Error, Result};
use crate::model::Id;

/// The outcomes of acting on one fact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
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
}

impl Judged {
    /// Whether acting on it did good on the whole.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.good > 0 && self.total > 0.0
    }
}

impl FactStore {
    /// Tells what came of acting on these facts, from -1 to 1, in one transaction: above zero they are reinforced by that
    /// part of the step, below zero weakened by it, and each keeps count. Says how many moved.
    pub fn judge(&self, ids: &[Id], value: f64, tick: u64, retention: Retention) -> Result<usize> {
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
                count(writer, stored.serial, value, tick)?;
                moved += match value {
                    value if value > 0.0 => usize::from(reinforce_one(writer, stored, &[], tick, step)?),
                    value if value < 0.0 => {
                        weaken_one(writer, stored, tick, step)?;
                        1
                    }
                    _ => 0,
                };
            }
            Ok(moved)
        })
    }
}

fn count(writer: &Writer<'_>, serial: i64, value: f64, tick: u64) -> Step<()> {
    writer
        .transaction
        .prepare_cached(
            "INSERT INTO outcomes (fact, good, bad, total, first_tick, last_tick) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
             ON CONFLICT (fact) DO UPDATE SET good = good + excluded.good, bad = bad + excluded.bad,
             total = total + excluded.total, last_tick = max(last_tick, excluded.last_tick)",
        )?
        .execute(params![serial, value > 0.0, value < 0.0, value, signed(tick)?])?;
    Ok(())
}

/// The outcomes of acting on a fact, by its row; `None` if nobody ever told of one.
pub(crate) fn judged(connection: &Connection, serial: i64) -> Step<Option<Judged>> {
    Ok(connection
        .prepare_cached("SELECT good, bad, total, first_tick, last_tick FROM outcomes WHERE fact = ?1")?
        .query_row([serial], read)
        .optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Judged> {
    let number = |index: usize| row.get::<_, i64>(index).map(i64::unsigned_abs);
    Ok(Judged {
        good: number(0)?,
        bad: number(1)?,
        total: row.get(2)?,
        first_tick: number(3)?,
        last_tick: number(4)?,
    })
}
