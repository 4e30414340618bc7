//! Reconciles a newer fact with older ones that it contradicts.
//!
//! Candidates come from the words and from the vectors, each arm by itself; the words decide (see `contradiction`). Nothing
//! is overwritten: what was surely replaced stays as history, what is disputed stays in force and is linked, hearsay that
//! own knowledge speaks against is lowered, what is narrowed keeps standing beside what narrows it.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;
use unicode_segmentation::UnicodeSegmentation;

use super::curator::{CuratorReport, Pass};
use super::words::contradiction::{Contradiction, ContradictionKind, contradiction, is_disputed};
use crate::facts::evidence::{oppose, weaken_one};
use crate::facts::rows::{self as record, StoredFact, signed};
use crate::facts::schema::Direction;
use crate::facts::slots::may_end;
use crate::facts::sqlite::Step;
use crate::facts::sqlite::rows;
use crate::facts::transaction::{Writer, counter, set_meta};
use crate::facts::transitions::link_both;
use crate::facts::transitions::replace;
use crate::facts::transitions::write_link;
use crate::facts::transitions::{ENDED, correct};
use crate::facts::{EndCause, Link, Relation};
use crate::model::decay::confidence_now;
use crate::model::{Fact, FactStatus, STATISTICS};
use crate::text::stop_words::is_stop_word;

/// Row of the last fact that was reconciled, among the settings of the fact store.
pub(crate) const RECONCILED: &str = "reconciled";
/// Facts that one pass reconciles at most.
const FACTS: usize = 256;
/// Older facts that one is held against, from each arm.
const CANDIDATES: usize = 16;
/// Words of a fact that are looked for in others.
const WORDS: usize = 32;
/// Cosine from which two facts may be about one thing: what says the opposite is about as near as what says the same.
const SAME_TOPIC: f64 = 0.5;

/// Holds the facts that came since the last pass, or were released since, against the others, in the order in which they
/// came.
pub(crate) fn apply(writer: &Writer<'_>, pass: &Pass, report: &mut CuratorReport) -> Step<()> {
    let told = told();
    let last = counter(&writer.transaction, RECONCILED)?;
    let mut newer = record::select(
        &writer.transaction,
        &format!(
            "WHERE serial IN (SELECT fact FROM released) AND serial <= ?1 AND status = 'active' AND {told}
             ORDER BY serial LIMIT ?2"
        ),
        params![last, rows(FACTS)],
    )?;
    let late: BTreeSet<i64> = newer.iter().map(|stored| stored.serial).collect();
    newer.append(&mut fresh(writer, last)?);
    let through = match newer.last() {
        Some(stored) if newer.len() - late.len() == FACTS => stored.serial,
        _ => writer
            .transaction
            .prepare_cached("SELECT coalesce(max(serial), 0) FROM facts")?
            .query_row([], |row| row.get(0))?,
    };
    let done = ReconciledRows { last, late: &late };
    let mut near = by_meaning(writer, &newer, &done)?;
    for stored in &newer {
        let mut candidates = near.remove(&stored.serial).unwrap_or_default();
        candidates.extend(by_words(writer, stored, &done)?);
        for serial in candidates.into_iter().rev() {
            weigh(writer, pass, stored.serial.max(serial), stored.serial.min(serial), report)?;
        }
    }
    let is_page = late.len() == FACTS;
    forget_released(writer, last, late.last().filter(|_| is_page).copied())?;
    if through != last {
        set_meta(&writer.transaction, RECONCILED, &through)?;
    }
    Ok(())
}

/// Progress of reconciliation: every row up to the last, except those released since.
struct ReconciledRows<'a> {
    last: i64,
    late: &'a BTreeSet<i64>,
}

impl ReconciledRows<'_> {
    /// Whether a fact is held against another: each pair once, by the later of the two.
    fn meets(&self, own: i64, other: i64) -> bool {
        other < own || (other > own && other <= self.last && !self.late.contains(&other))
    }
}

/// The facts that came since the last pass.
fn fresh(writer: &Writer<'_>, last: i64) -> Step<Vec<StoredFact>> {
    let told = told();
    record::select(
        &writer.transaction,
        &format!("WHERE serial > ?1 AND status = 'active' AND {told} ORDER BY serial LIMIT ?2"),
        params![last, rows(FACTS)],
    )
}

/// Drops released rows that are reconciled, up to a row or all. Rows above the last are found without them.
fn forget_released(writer: &Writer<'_>, last: i64, through: Option<i64>) -> Step<()> {
    writer
        .transaction
        .prepare_cached("DELETE FROM released WHERE fact <= ?1 OR fact > ?2")?
        .execute([through.unwrap_or(i64::MAX), last])?;
    Ok(())
}

/// Facts in force that share words with this one, the nearest first.
fn by_words(writer: &Writer<'_>, newer: &StoredFact, done: &ReconciledRows<'_>) -> Step<Vec<i64>> {
    let words: BTreeSet<String> = newer
        .fact
        .text
        .unicode_words()
        .map(str::to_lowercase)
        .filter(|word| !is_stop_word(word) && !word.contains('\0'))
        .take(WORDS)
        .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
        .collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let query = words.into_iter().collect::<Vec<_>>().join(" OR ");
    let told = told();
    let mut statement = writer.transaction.prepare_cached(&format!(
        "SELECT serial FROM words JOIN facts ON facts.serial = words.rowid
         WHERE words MATCH ?1 AND serial <> ?2 AND serial <= max(?2, ?4) AND status IN ('active', 'contradicted') AND {told}
         ORDER BY bm25(words), serial LIMIT ?3"
    ))?;
    let found: Vec<i64> = statement
        .query_map(params![query, newer.serial, rows(CANDIDATES), done.last], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(found.into_iter().filter(|serial| done.meets(newer.serial, *serial)).collect())
}

/// The facts in force whose vectors are nearest to each of these; one walk over the vectors, none kept.
fn by_meaning(
    writer: &Writer<'_>,
    newer: &[StoredFact],
    done: &ReconciledRows<'_>,
) -> Step<BTreeMap<i64, BTreeSet<i64>>> {
    let mut wanted = Vec::new();
    let mut vector =
        writer.transaction.prepare_cached("SELECT vector, intact FROM vectors WHERE fact = ?1")?;
    for stored in newer {
        let mut found = vector.query([stored.serial])?;
        if let Some(row) = found.next()? {
            let blob = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            wanted.push((stored.serial, Direction::stored(blob), Vec::<(f64, i64)>::new()));
        }
    }
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let told = told();
    let mut statement = writer.transaction.prepare_cached(&format!(
        "SELECT serial, vector, vectors.intact FROM vectors JOIN facts ON facts.serial = vectors.fact
         WHERE status IN ('active', 'contradicted') AND {told}"
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let serial: i64 = row.get(0)?;
        let known = Direction::stored(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
        for (own, direction, near) in &mut wanted {
            let cosine = direction.cosine(&known);
            if cosine > SAME_TOPIC && done.meets(*own, serial) {
                near.push((cosine, serial));
                if near.len() > 4 * CANDIDATES {
                    keep_nearest(near);
                }
            }
        }
    }
    let nearest = wanted.into_iter().map(|(own, _, mut near)| {
        keep_nearest(&mut near);
        (own, near.into_iter().map(|(_, serial)| serial).collect())
    });
    Ok(nearest.collect())
}

fn keep_nearest(near: &mut Vec<(f64, i64)>) {
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    near.truncate(CANDIDATES);
}

/// Holds one fact against one older one, both as they are now.
fn weigh(writer: &Writer<'_>, pass: &Pass, newer: i64, older: i64, report: &mut CuratorReport) -> Step<()> {
    let living = |serial: i64| -> Step<Option<StoredFact>> {
        let condition = "WHERE serial = ?1 AND status IN ('active', 'contradicted')";
        Ok(record::select(&writer.transaction, condition, [serial])?.pop())
    };
    let (Some(mut newer), Some(older)) = (living(newer)?, living(older)?) else { return Ok(()) };
    let about_others = !newer.fact.subjects.is_empty()
        && !older.fact.subjects.is_empty()
        && newer.fact.subjects.iter().all(|subject| !older.fact.subjects.contains(subject));
    if about_others || has_one_attribute(&newer.fact, &older.fact) {
        return Ok(());
    }
    let found = contradiction(&older.fact.text, &newer.fact.text);
    match found {
        Some(Contradiction {
            shape: shape @ (ContradictionKind::Partial | ContradictionKind::BoundedValidity),
            ..
        }) => narrow(writer, pass, newer, older, shape, report),
        Some(found)
            if found.is_certain && may_end(&newer, &older, newer.fact.created_tick, pass.retention) =>
        {
            // As of the tick at which the newer one came.
            let tick = newer.fact.created_tick.max(older.fact.created_tick);
            correct(writer, &newer, &older, ENDED, tick)?;
            replace(writer, &mut newer, older, &EndCause::Wording, tick)?;
            Ok(())
        }
        _ if older.fact.status == FactStatus::Contradicted => Ok(()),
        Some(_) if newer.fact.is_hearsay() != older.fact.is_hearsay() => {
            refute(writer, pass, newer, older, report)
        }
        _ if is_disputed(&older.fact.text, &newer.fact.text) => {
            let tick = newer.fact.created_tick.min(pass.tick);
            link_both(writer, newer.fact.id, older.fact.id, tick)?;
            report.facts_contradicted += 1;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether both facts state an attribute of one subject: then their conditions, values and bounds tell whether they
/// exclude each other (see `facts::slots`), and their words do not.
pub(super) fn has_one_attribute(one: &Fact, other: &Fact) -> bool {
    one.statement
        .as_ref()
        .zip(other.statement.as_ref())
        .is_some_and(|(one, other)| one.has_same_attribute(other))
}

/// Condition on a fact that texts can contradict; those of the Curator itself have statistical tests instead.
fn told() -> String {
    format!("json_extract(payload, '$.type') NOT IN ('{}')", STATISTICS.join("', '"))
}

/// Hearsay and the agent's own knowledge speak against each other: hearsay that is the weaker is lowered and expires
///; what the agent knows itself stays, and is disputed.
fn refute(
    writer: &Writer<'_>,
    pass: &Pass,
    newer: StoredFact,
    older: StoredFact,
    report: &mut CuratorReport,
) -> Step<()> {
    let tick = newer.fact.created_tick.min(pass.tick);
    let then = |stored: &StoredFact| confidence_now(&stored.fact, tick, pass.retention.tau_ticks);
    let (own, hearsay) = if newer.fact.is_hearsay() { (&older, &newer) } else { (&newer, &older) };
    if hearsay.fact.pinned || (then(hearsay) > then(own) && !own.fact.pinned) {
        link_both(writer, newer.fact.id, older.fact.id, tick)?;
        report.facts_contradicted += 1;
        return Ok(());
    }
    report.refuted.push(oppose(writer, newer, older, tick, pass.expiry(tick), pass.retention)?);
    Ok(())
}

/// Both stand: the newer one says more exactly where, or until when, the older one holds. What it leaves out speaks
/// against the older one by one step, twice as large for hearsay (reconsolidation).
fn narrow(
    writer: &Writer<'_>,
    pass: &Pass,
    mut newer: StoredFact,
    older: StoredFact,
    shape: ContradictionKind,
    report: &mut CuratorReport,
) -> Step<()> {
    let tick = newer.fact.created_tick.max(older.fact.reinforced_tick).min(pass.tick);
    write_link(
        writer,
        &Link {
            src: newer.fact.id,
            dst: older.fact.id,
            relation: Relation::Refines,
            weight: 1.0,
            tick: newer.fact.created_tick,
        },
    )?;
    report.facts_refined += 1;
    if shape == ContradictionKind::BoundedValidity {
        let end = bound(&newer.fact.text).filter(|end| *end >= newer.fact.created_tick);
        if let (Some(end), None) = (end, newer.fact.expires_tick) {
            newer.fact.expires_tick = Some(signed(end)?.unsigned_abs());
            writer.update(&newer, newer.fact.created_tick)?;
        }
    } else if !older.fact.pinned {
        weaken_one(writer, older, tick, pass.retention)?;
    }
    Ok(())
}

/// The tick up to which a statement says that it holds: "until tick 900", "until block 19,000,123".
fn bound(text: &str) -> Option<u64> {
    let words: Vec<String> = text.unicode_words().map(str::to_lowercase).collect();
    words.windows(3).find_map(|three| {
        let is_tick = matches!(three[0].as_str(), "until" | "till")
            && matches!(three[1].as_str(), "tick" | "block" | "loop");
        if is_tick { three[2].replace(',', "").parse().ok() } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_read_where_it_is_a_tick() {
        assert_eq!(bound("The fee is zero until tick 900"), Some(900));
        assert_eq!(bound("Trading is halted till block 19,000,123."), Some(19_000_123));
        assert_eq!(bound("The fee is zero until Friday"), None);
        assert_eq!(bound("until"), None);
    }
}
