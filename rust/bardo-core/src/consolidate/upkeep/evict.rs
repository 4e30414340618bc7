//! Moves faded facts to the cold tier: archived, found by `history` and by id, never deleted.
//!
//! A pass looks at a bounded number of facts, in turns, so that its time does not grow with what is known; and where more
//! are in force than there is room for, those leave that are the least sure and the least important.

use rusqlite::params;

use crate::consolidate::curator::Pass;
use crate::facts::EndCause;
use crate::facts::rows::{self as record, StoredFact};
use crate::facts::sqlite::Step;
use crate::facts::sqlite::rows;
use crate::facts::transaction::{Writer, counter, set_meta};
use crate::facts::transitions::archive;
use crate::model::decay::{DecayFactors, confidence_now, decay};
use crate::model::is_from_death;

/// Row of the last fact that was looked at, among the settings of the fact store.
const LOOKED_AT: &str = "evicted";
/// Facts that one pass looks at.
const LOOKS: usize = 512;
/// Facts beyond the room there is that one pass archives at most.
const AT_ONCE: usize = 1_024;
/// Condition on facts that may leave: in force or held, and not exempt. What a dream proposed waits for its test, and
/// expires by itself.
const MAY_LEAVE: &str = "status IN ('active', 'contradicted', 'held') AND NOT pinned AND source <> 'dream'";

/// Archives what is less sure at a tick than the threshold, and what is beyond the room there is.
pub(crate) fn apply(writer: &Writer<'_>, pass: &Pass, tick: u64) -> Step<()> {
    faded(writer, pass, tick)?;
    surplus(writer, pass, tick)
}

fn faded(writer: &Writer<'_>, pass: &Pass, tick: u64) -> Step<()> {
    if pass.settings.eviction_threshold <= 0.0 {
        return Ok(());
    }
    let last = counter(&writer.transaction, LOOKED_AT)?;
    let page = record::select(
        &writer.transaction,
        &format!("WHERE serial > ?1 AND {MAY_LEAVE} ORDER BY serial LIMIT ?2"),
        params![last, rows(LOOKS)],
    )?;
    // At the end the scan starts again.
    let through = page.last().filter(|_| page.len() == LOOKS).map_or(0, |stored| stored.serial);
    for mut stored in page {
        if confidence(&stored, pass, tick) < pass.settings.eviction_threshold {
            archive(writer, &mut stored, &EndCause::Decay, tick)?;
        }
    }
    if through != last {
        set_meta(&writer.transaction, LOOKED_AT, &through)?;
    }
    Ok(())
}

fn surplus(writer: &Writer<'_>, pass: &Pass, tick: u64) -> Step<()> {
    let count: i64 = writer
        .transaction
        .prepare_cached(&format!("SELECT count(*) FROM facts WHERE {MAY_LEAVE}"))?
        .query_row([], |row| row.get(0))?;
    let over = usize::try_from(count - rows(pass.settings.capacity)).unwrap_or(0).min(AT_ONCE);
    if over == 0 {
        return Ok(());
    }
    let mut all = eviction_scores(writer, pass, tick)?;
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (_, serial) in all.into_iter().take(over) {
        let found = record::select(&writer.transaction, "WHERE serial = ?1", [serial])?;
        for mut stored in found {
            archive(writer, &mut stored, &EndCause::Capacity, tick)?;
        }
    }
    Ok(())
}

/// Confidence times importance of every fact that may leave, with its row; nothing else of it is read.
fn eviction_scores(writer: &Writer<'_>, pass: &Pass, tick: u64) -> Step<Vec<(f64, i64)>> {
    let mut statement = writer.transaction.prepare_cached(&format!(
        "SELECT serial, confidence, support, reinforced_tick, kind, bloodstain, importance, source, persistence, intact
         FROM facts WHERE {MAY_LEAVE}"
    ))?;
    let mut rows = statement.query([])?;
    let mut worths = Vec::new();
    while let Some(row) = rows.next()? {
        let name = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
        let kind = name(4)?.parse()?;
        let decay_factors = DecayFactors {
            tau_ticks: pass.retention.tau_ticks,
            kind,
            from_death: is_from_death(kind, row.get(5)?, name(7)?.parse()?),
            pinned: false,
            persistence: row.get::<_, Option<String>>(8)?.map(|name| name.parse()).transpose()?,
        };
        let elapsed = tick.saturating_sub(row.get::<_, i64>(3)?.unsigned_abs());
        let sure = decay(row.get(1)?, row.get(2)?, elapsed, &decay_factors);
        worths.push((sure * row.get::<_, f64>(6)?, row.get(0)?));
    }
    Ok(worths)
}

fn confidence(stored: &StoredFact, pass: &Pass, tick: u64) -> f64 {
    confidence_now(&stored.fact, tick, pass.retention.tau_ticks)
}
