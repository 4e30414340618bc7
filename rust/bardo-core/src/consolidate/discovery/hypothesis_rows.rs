//! Rows of hypotheses in the fact store.

use rusqlite::{Connection, params};

use super::hypothesis::Hypothesis;
use crate::consolidate::trials::rule_trial_rows;
use crate::facts::rows::{json, signed, unreadable};
use crate::facts::sqlite::Step;
use crate::facts::transaction::Writer;
use crate::model::Id;

/// Reads all hypotheses.
pub(super) fn load(connection: &Connection) -> Step<Vec<Hypothesis>> {
    let mut statement = connection.prepare_cached(
        "SELECT claim, share, log_fortune, windows, measure, evidence, first_tick, last_tick, fact, intact FROM hypotheses
         ORDER BY serial",
    )?;
    let rows = statement.query_map([], |row| {
        let count = |index: usize| row.get::<_, i64>(index).map(i64::unsigned_abs);
        let measure: Option<String> = row.get(4)?;
        let evidence: Vec<u8> = row.get(5)?;
        Ok(Hypothesis {
            claim: serde_json::from_str(&row.get::<_, String>(0)?).map_err(unreadable)?,
            share: row.get(1)?,
            log_wealth: row.get(2)?,
            windows: count(3)?,
            measure: measure.map(|text| serde_json::from_str(&text).map_err(unreadable)).transpose()?,
            evidence: evidence.as_chunks::<16>().0.iter().copied().map(Id).collect(),
            ticks: (count(6)?, count(7)?),
            fact: row.get::<_, Option<[u8; 16]>>(8)?.map(Id),
            subjects: Vec::new(),
            is_broken: false,
            broken_at: 0,
            replaced_by: None,
            changed: false,
            tested: false,
        })
    })?;
    let mut rows: Vec<Hypothesis> = rows.collect::<rusqlite::Result<_>>()?;
    for (fact, broken_at) in rule_trial_rows::broken(connection)? {
        let Some(broken) = rows.iter().find(|row| row.fact == Some(fact)).map(|row| row.claim.clone()) else {
            continue;
        };
        let ended = rows.iter_mut().filter(|row| row.fact == Some(fact) || row.ends_with(&broken));
        ended.for_each(|row| row.broken_at = row.broken_at.max(broken_at));
    }
    Ok(rows)
}

/// Writes a hypothesis.
pub(super) fn save(writer: &Writer<'_>, row: &Hypothesis) -> Step<()> {
    let evidence: Vec<u8> = row.evidence.iter().flat_map(|id| id.0).collect();
    writer
        .transaction
        .prepare_cached(
            "INSERT INTO hypotheses
             (claim, share, log_fortune, windows, measure, evidence, first_tick, last_tick, fact)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (claim) DO UPDATE SET log_fortune = ?3, windows = ?4, measure = ?5, evidence = ?6,
             first_tick = ?7, last_tick = ?8, fact = ?9",
        )?
        .execute(params![
            json(&row.claim)?,
            row.share,
            row.log_wealth,
            signed(row.windows)?,
            row.measure.as_ref().map(json).transpose()?,
            evidence,
            signed(row.ticks.0)?,
            signed(row.ticks.1)?,
            row.fact.map(|id| id.0),
        ])?;
    Ok(())
}

/// Begins the hypothesis that a fact states again, and those that end with it, after its prediction broke: episodes that
/// come later must bear them out.
pub(in crate::consolidate) fn restart(writer: &Writer<'_>, fact: Id) -> Step<()> {
    let mut rows = load(&writer.transaction)?;
    let Some(broken) = rows.iter().find(|row| row.fact == Some(fact)).map(|row| row.claim.clone()) else {
        return Ok(());
    };
    for row in rows.iter_mut().filter(|row| row.fact == Some(fact) || row.ends_with(&broken)) {
        row.restart();
        save(writer, row)?;
    }
    Ok(())
}
