//! The stored trials of rules (see `rule_trials`).

use rusqlite::{Connection, OptionalExtension, params};

use super::rule_trials::RuleTrial;
use crate::consolidate::statistics::statistic::Statistic;
use crate::facts::rows::signed;
use crate::facts::sqlite::Step;
use crate::facts::transaction::Writer;
use crate::model::Id;

/// Reads the trial of a rule; `None` if it was not tested.
pub(in crate::consolidate) fn load(connection: &Connection, serial: i64) -> Step<Option<RuleTrial>> {
    Ok(connection
        .prepare_cached(
            "SELECT followed, others, mean, deviation, least, greatest, gained, lost, confirmed, broken_at, intact
             FROM rule_trials WHERE fact = ?1",
        )?
        .query_row([serial], |row| {
            let count = |index: usize| row.get::<_, i64>(index).map(i64::unsigned_abs);
            let n = count(1)?;
            let others = Statistic {
                n,
                mean: row.get(2)?,
                deviation: row.get(3)?,
                min: row.get(4)?,
                max: row.get(5)?,
            };
            Ok(RuleTrial {
                followed: count(0)?,
                others: (n > 0).then_some(others),
                gained: row.get(6)?,
                lost: row.get(7)?,
                confirmed: count(8)?,
                broken_at: count(9)?,
                missed: 0,
            })
        })
        .optional()?)
}

pub(in crate::consolidate) fn save(writer: &Writer<'_>, serial: i64, trial: &RuleTrial) -> Step<()> {
    let others = trial.others.unwrap_or(Statistic { n: 0, mean: 0.0, deviation: 0.0, min: 0.0, max: 0.0 });
    writer
        .transaction
        .prepare_cached(
            "INSERT INTO rule_trials
             (fact, followed, others, mean, deviation, least, greatest, gained, lost, confirmed, broken_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (fact) DO UPDATE SET followed = ?2, others = ?3, mean = ?4, deviation = ?5, least = ?6,
             greatest = ?7, gained = ?8, lost = ?9, confirmed = ?10, broken_at = ?11",
        )?
        .execute(params![
            serial,
            signed(trial.followed)?,
            signed(others.n)?,
            others.mean,
            others.deviation,
            others.min,
            others.max,
            trial.gained,
            trial.lost,
            signed(trial.confirmed)?,
            signed(trial.broken_at)?,
        ])?;
    Ok(())
}

/// Facts whose prediction broke, with the verification up to which it had: earlier episodes bear them out no more.
pub(crate) fn broken(connection: &Connection) -> Step<Vec<(Id, u64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, broken_at, rule_trials.intact FROM rule_trials JOIN facts ON serial = fact WHERE broken_at > 0",
    )?;
    let rows = statement
        .query_map([], |row| Ok((Id(row.get::<_, [u8; 16]>(0)?), row.get::<_, i64>(1)?.unsigned_abs())))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
