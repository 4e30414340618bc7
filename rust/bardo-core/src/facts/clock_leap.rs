//! The way back from a clock that ran ahead: ticks go on from where they are, and the stretch that never passed is taken out
//! of the age of what was known before it.

use rusqlite::params;

use super::batch::mark_key;
use super::rows::{self as record, signed};
use super::sqlite::Step;
use super::store::FactStore;
use super::transaction::EDGES;
use super::transaction::{Writer, set_meta};
use crate::error::Result;

/// A stretch of ticks that never passed.
#[derive(Clone, Copy, Debug)]
pub struct ClockLeap {
    /// The last tick before it.
    pub through: u64,
    /// How long it is.
    pub by: u64,
    /// Now, after it.
    pub tick: u64,
}

impl ClockLeap {
    /// A tick of before the leap as if the leap had not been; later ones stay.
    fn moved(&self, tick: u64) -> u64 {
        if tick > self.through { tick } else { self.later(tick) }
    }

    fn later(&self, tick: u64) -> u64 {
        tick.saturating_add(self.by).min(i64::MAX.unsigned_abs())
    }
}

impl FactStore {
    /// Lets every fact fade, and expire, as if a leap had not been; earlier states of it stay readable as of their ticks.
    /// Keeps `offset` as the mark `name` in the same transaction, so that a leap counts once. The answer is how many facts
    /// it concerned.
    pub fn rebase(&self, leap: ClockLeap, name: &str, offset: i64) -> Result<u64> {
        self.write(|writer| {
            let count = move_facts(writer, &leap)?;
// An end in the future keeps its distance from now.
            writer
                .transaction
                .prepare_cached(
                    "UPDATE triples SET valid_to = min(valid_to, ?3 - ?2) + ?2 WHERE valid_from <= ?1 AND valid_to > ?1 AND intact",
                )?
                .execute(params![signed(leap.through)?, signed(leap.by)?, i64::MAX])?;
            writer.next(EDGES)?;
            set_meta(&writer.transaction, &mark_key(name), &offset)?;
            Ok(count)
        })
    }
}

fn move_facts(writer: &Writer<'_>, leap: &ClockLeap) -> Step<u64> {
    let older = record::select(
        &writer.transaction,
        "WHERE created_tick <= ?1 ORDER BY serial",
        [signed(leap.through)?],
    )?;
    let count = older.len() as u64;
    for mut stored in older {
        stored.fact.reinforced_tick = leap.moved(stored.fact.reinforced_tick);
        stored.spaced_tick = stored.spaced_tick.map(|tick| leap.moved(tick));
        // An end that was set during the leap is as far from now as it should be, and later than now.
        let is_older = |end: u64| stored.since_tick <= leap.through || end <= leap.tick;
        stored.fact.expires_tick =
            stored.fact.expires_tick.map(|end| if is_older(end) { leap.later(end) } else { end });
        writer.update(&stored, leap.tick)?;
    }
    Ok(count)
}
