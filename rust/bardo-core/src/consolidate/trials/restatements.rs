//! Episodes that say what a fact says, or the contrary: each is a new reason to believe it, or to doubt it.

use std::collections::BTreeMap;

use rusqlite::params;

use crate::consolidate::batch::Utterance;
use crate::consolidate::curator::{CuratorReport, Pass};
use crate::consolidate::words::contradiction::{ContradictionKind, contradiction};
use crate::facts::SAME_MEANING;
use crate::facts::evidence::{reinforce_one, weaken_one};
use crate::facts::rows::{self as record, StoredFact, normalised};
use crate::facts::schema::Direction;
use crate::facts::sqlite::Step;
use crate::facts::transaction::Writer;
use crate::facts::transitions::confirm;
use crate::text::same_statement::same_sense;

/// Cosine from which an episode may speak of what a fact speaks of: what says the contrary is about as near as what says
/// the same.
const SAME_TOPIC: f64 = 0.7;
/// Facts that an episode may restate, also while they are held: it comes by but once. Baselines are about their numbers and have a test of their own.
const LIVING: &str = "status IN ('active', 'contradicted', 'held') AND kind <> 'baseline'";

/// Reinforces every fact that an episode of the batch restates; hearsay that is restated becomes one's own knowledge.
pub(crate) fn apply(
    writer: &Writer<'_>,
    pass: &Pass,
    sayings: &[Utterance],
    report: &mut CuratorReport,
) -> Step<()> {
    let mut meant = by_meaning(writer, sayings)?;
    for (index, saying) in sayings.iter().enumerate() {
        meant.extend(by_words(writer, saying)?.into_iter().map(|serial| ((index, serial), 1.0)));
    }
    report.compared = sayings.iter().filter(|saying| saying.vector.is_some()).count() as u64;
    // In the order of the sayings, which is that of their ticks.
    for ((index, serial), likeness) in meant {
        let saying = &sayings[index];
        let Some(stored) = record::select(&writer.transaction, "WHERE serial = ?1", [serial])?.pop() else {
            continue;
        };
        if likeness > SAME_MEANING && same_sense(&stored.fact.text, &saying.text) {
            restate(writer, pass, stored, saying, report)?;
        } else if is_contrary(&stored.fact.text, &saying.text) {
            dispute(writer, pass, stored, saying, report)?;
        }
    }
    Ok(())
}

/// Whether an episode says that what a fact says is not so, or is no longer so. Another figure is no such thing: it may be
/// that of another day.
fn is_contrary(fact: &str, saying: &str) -> bool {
    contradiction(fact, saying).is_some_and(|found| {
        matches!(found.shape, ContradictionKind::PolarityFlip | ContradictionKind::Retraction)
    })
}

/// One contrary episode lowers a fact by one step, twice as large for hearsay, as of its own tick.
fn dispute(
    writer: &Writer<'_>,
    pass: &Pass,
    stored: StoredFact,
    saying: &Utterance,
    report: &mut CuratorReport,
) -> Step<()> {
    if stored.fact.pinned || stored.fact.evidence.contains(&saying.id) {
        return Ok(());
    }
    let tick = saying.tick.min(pass.tick).max(stored.fact.reinforced_tick);
    weaken_one(writer, stored, tick, pass.retention)?;
    report.facts_disputed += 1;
    Ok(())
}

/// One restatement. It counts as of the episode's own tick, so that the result does not depend on when passes ran. What is
/// pinned stays as it is, however often it is repeated or denied.
fn restate(
    writer: &Writer<'_>,
    pass: &Pass,
    mut stored: StoredFact,
    saying: &Utterance,
    report: &mut CuratorReport,
) -> Step<()> {
    if stored.fact.pinned || stored.fact.evidence.contains(&saying.id) {
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

fn by_words(writer: &Writer<'_>, saying: &Utterance) -> Step<Vec<i64>> {
    let mut statement = writer.transaction.prepare_cached(&format!(
        "SELECT serial, text, intact FROM facts WHERE text_key = ?1 AND {LIVING}"
    ))?;
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

/// Pairs of a saying's index and a fact's row that may be about one thing, with the cosine of their vectors; one walk over
/// the vectors, none kept.
fn by_meaning(writer: &Writer<'_>, sayings: &[Utterance]) -> Step<BTreeMap<(usize, i64), f64>> {
    let vectors: Vec<(usize, Direction)> = sayings
        .iter()
        .enumerate()
        .filter_map(|(index, saying)| saying.vector.clone().map(|vector| (index, Direction::of(vector))))
        .collect();
    let mut meant = BTreeMap::new();
    if vectors.is_empty() {
        return Ok(meant);
    }
    let mut statement = writer.transaction.prepare_cached(&format!(
        "SELECT serial, vector, vectors.intact FROM vectors JOIN facts ON facts.serial = vectors.fact WHERE {LIVING}"
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let fact = Direction::stored(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
        for (index, saying) in &vectors {
            let likeness = fact.cosine(saying);
            if likeness > SAME_TOPIC {
                meant.insert((*index, row.get(0)?), likeness);
            }
        }
    }
    Ok(meant)
}
