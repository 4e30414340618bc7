//! Episodes that say what a fact says: each is a new reason to believe it.

use std::collections::BTreeSet;

use rusqlite::params;

use super::curator::{CuratorReport, Pass};
use super::gather::Saying;
use crate::index::SAME_MEANING;
use crate::index::facts_change::reinforce_one;
use crate::index::facts_record::{self as record, Stored, normalised};
use crate::index::facts_schema::Direction;
use crate::index::facts_upsert::confirm;
use crate::index::facts_write::Writer;
use crate::index::migrate::Step;
use crate::index::sense::same_sense;

/// Facts that an episode may restate. Baselines are about their numbers and have a test of their own.
const LIVING: &str = "status IN ('active', 'contradicted') AND kind <> 'baseline'";

/// Reinforces every fact that an episode of the batch restates; hearsay that is restated becomes one's own knowledge.
pub(crate) fn settle(
    writer: &Writer<'_>,
    pass: &Pass,
    sayings: &[Saying],
    report: &mut CuratorReport,
) -> Step<()> {
    let mut meant = by_meaning(writer, sayings)?;
    for (index, saying) in sayings.iter().enumerate() {
        meant.extend(by_words(writer, saying)?.into_iter().map(|serial| (index, serial)));
    }
    report.compared = sayings.iter().filter(|saying| saying.vector.is_some()).count() as u64;
    // In the order of the sayings, which is that of their ticks.
    for (index, serial) in meant {
        let saying = &sayings[index];
        let Some(stored) = record::select(&writer.transaction, "WHERE serial = ?1", [serial])?.pop() else {
            continue;
        };
        if same_sense(&stored.fact.text, &saying.text) {
            restate(writer, pass, stored, saying, report)?;
        }
    }
    Ok(())
}

/// One restatement. It counts as of the episode's own tick, so that the result does not depend on when passes ran.
fn restate(
    writer: &Writer<'_>,
    pass: &Pass,
    mut stored: Stored,
    saying: &Saying,
    report: &mut CuratorReport,
) -> Step<()> {
    if stored.fact.evidence.contains(&saying.id) {
        return Ok(());
    }
    let tick = saying.tick.min(pass.tick).max(stored.fact.reinforced_tick);
    stored.fact.observed.0 = stored.fact.observed.0.min(saying.tick);
    stored.fact.observed.1 = stored.fact.observed.1.max(saying.tick);
    let hearsay = stored.fact.is_hearsay();
    if hearsay {
        stored.fact.observed = (saying.tick, saying.tick);
        confirm(&mut stored.fact, tick, pass.retention.tau_ticks);
        report.confirmed.push(stored.fact.id);
    }
    let counted = reinforce_one(writer, stored, &[saying.id], tick, pass.retention)?;
    report.facts_reinforced += u64::from(counted && !hearsay);
    Ok(())
}

fn by_words(writer: &Writer<'_>, saying: &Saying) -> Step<Vec<i64>> {
    let mut statement = writer
        .transaction
        .prepare_cached(&format!("SELECT serial, text FROM facts WHERE text_key = ?1 AND {LIVING}"))?;
    let mut rows = statement.query(params![record::text_key(&saying.text)])?;
    let text = normalised(&saying.text);
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if normalised(&row.get::<_, String>(1)?) == text {
            found.push(row.get(0)?);
        }
    }
    Ok(found)
}

/// Pairs of a saying's index and a fact's row whose vectors say the same; one walk over the vectors, none kept.
fn by_meaning(writer: &Writer<'_>, sayings: &[Saying]) -> Step<BTreeSet<(usize, i64)>> {
    let vectors: Vec<(usize, Direction)> = sayings
        .iter()
        .enumerate()
        .filter_map(|(index, saying)| saying.vector.clone().map(|vector| (index, Direction::of(vector))))
        .collect();
    let mut meant = BTreeSet::new();
    if vectors.is_empty() {
        return Ok(meant);
    }
    let mut statement = writer.transaction.prepare_cached(&format!(
        "SELECT serial, vector FROM vectors JOIN facts ON facts.serial = vectors.fact WHERE {LIVING}"
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let fact = Direction::stored(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
        for (index, saying) in &vectors {
            if fact.cosine(saying) > SAME_MEANING {
                meant.insert((*index, row.get(0)?));
            }
        }
    }
    Ok(meant)
}
