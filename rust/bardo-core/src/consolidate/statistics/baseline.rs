//! Baselines: the running statistics of a number about a subject, and the facts that state them.

use rusqlite::{Connection, OptionalExtension, params};

use super::identifiers;
use super::numeric_claims::{self, Observations};
use super::statistic::Statistic;
use super::statistic_rebuild::RecountReport;
use crate::consolidate::batch::BaselineIncrement;
use crate::consolidate::curator::{CuratorReport, Pass};
use crate::consolidate::fact_text::{category, one_line, short};
use crate::facts::delete;
use crate::facts::rows::{self as record, StoredFact, signed};
use crate::facts::sqlite::Step;
use crate::facts::tombstones::forget_states;
use crate::facts::transaction::Writer;
use crate::facts::transitions;
use crate::facts::transitions::rebase;
use crate::facts::transitions::revive;
use crate::facts::{EVIDENCE_KEPT, EndCause, FactStore};
use crate::model::decay::{CONTRADICTED_CEILING, confidence_now, weakened};
use crate::model::{Fact, FactKind, FactStatus, Id};

/// Observations at which a fresh baseline is believed by half (see [`credible`]).
const CREDIBILITY_OBSERVATIONS: f64 = 10.0;
/// Below this many observations the text says that there are few (the usual rule of thumb for a normal mean).
const FEW: u64 = 30;
/// The category all baselines are filed under.
const CATEGORY: &str = "baselines/";

/// Confidence after `observations` more, from what it is now.
///
/// Buehlmann's credibility (1967): `n` observations weigh `n / (n + K)` against what was believed before, so a fresh
/// baseline starts there, at .23 for 3, .75 for 30, .98 for 512. A confidence `c` stands for `K c / (1 - c)` observations;
/// adding `m` to those gives, with the gap `g = 1 - c`, the new gap `g / (1 + m g / K)`. It does not matter whether
/// observations come in one pass or in many, and a faded baseline counts only its remaining weight. K = 10 is ours.
#[must_use]
pub fn credible(confidence: f64, observations: u64) -> f64 {
    let gap = 1.0 - confidence;
    (1.0 - gap / (1.0 + observations as f64 * gap / CREDIBILITY_OBSERVATIONS)).clamp(0.0, 1.0)
}

/// A row of the table `baselines`.
struct Row {
    statistic: Statistic,
    ticks: (u64, u64),
    evidence: Vec<Id>,
    fact: Option<Id>,
}

/// Merges what a batch observed of one number into its baseline, its fact, and the claims others made about it.
pub(crate) fn apply(
    writer: &Writer<'_>,
    store: &FactStore,
    pass: &Pass,
    key: &(String, String),
    observed: &BaselineIncrement,
    report: &mut CuratorReport,
) -> Step<()> {
    let (subject, metric) = key;
    let known = load(&writer.transaction, subject, metric)?;
    let before = known.as_ref().map(|row| (row.statistic, row.ticks.1));
    let mut row = match known {
        None => Row {
            statistic: observed.statistic,
            ticks: observed.ticks,
            evidence: observed.evidence.clone(),
            fact: None,
        },
        Some(row) => Row {
            statistic: row.statistic.merge(&observed.statistic),
            ticks: (row.ticks.0.min(observed.ticks.0), row.ticks.1.max(observed.ticks.1)),
            evidence: latest(row.evidence, &observed.evidence),
            fact: row.fact,
        },
    };
    report.baselines += 1;
    if names_or_counts(writer, key, &row, before.map(|(known, _)| known.max), observed)? {
        if let Some(id) = row.fact
            && let Some(mut stored) = record::find(&writer.transaction, id)?
            && stored.fact.status == FactStatus::Active
            && !stored.fact.pinned
        {
            transitions::archive(writer, &mut stored, &EndCause::Identifier, pass.tick)?;
        }
    } else if row.statistic.n >= pass.settings.minimum {
        let own = state(writer, store, pass, key, &row, observed, report)?;
        row.fact = Some(own);
        let (numbers, evidence, ticks) = (&observed.numbers, &row.evidence, row.ticks);
        let agent = store.agent();
        let observations = Observations { agent, key, own, before, numbers, evidence, ticks };
        numeric_claims::apply(writer, pass, &observations, report)?;
    }
    save(writer, subject, metric, &row)
}

/// Whether the numbers are identifiers or a counter, which have no mean that says anything: by their name, by what they are
/// like in this batch, or because they go on where a counter had come to.
fn names_or_counts(
    writer: &Writer<'_>,
    (_, metric): &(String, String),
    row: &Row,
    greatest: Option<f64>,
    observed: &BaselineIncrement,
) -> Step<bool> {
    let mut numbers = observed.numbers.clone();
    numbers.sort_by_key(|(tick, _)| *tick);
    let numbers = || numbers.iter().map(|(_, number)| *number);
    if identifiers::is_identifier(metric, numbers()) {
        return Ok(true);
    }
    let Some(greatest) = greatest.filter(|greatest| identifiers::continues(*greatest, numbers())) else {
        return Ok(false);
    };
    // A baseline that was archived as a counter's is not stated again for a few more numbers.
    let stated = match row.fact {
        Some(id) => record::find(&writer.transaction, id)?,
        None => None,
    };
    Ok(greatest.is_finite() && stated.is_some_and(|stored| stored.fact.status == FactStatus::Archived))
}

/// Updates the fact that states a baseline; returns its id.
fn state(
    writer: &Writer<'_>,
    store: &FactStore,
    pass: &Pass,
    (subject, metric): &(String, String),
    row: &Row,
    observed: &BaselineIncrement,
    report: &mut CuratorReport,
) -> Step<Id> {
    let known = match row.fact {
        Some(id) => record::find(&writer.transaction, id)?,
        None => None,
    };
    let text = describe(subject, metric, &row.statistic);
    let support = u32::try_from(row.statistic.n).unwrap_or(u32::MAX);
    let Some(mut stored) = known else {
        let mut fact =
            store.initial_state(&own_fact(subject, metric, row, text, support), pass.tick, pass.now);
        fact.reinforced_tick = row.ticks.1.min(pass.tick);
        writer.insert(&mut fact)?;
        report.facts_new += 1;
        return Ok(fact.id);
    };
    if stored.fact.status == FactStatus::Superseded || stored.fact.pinned {
        // A caller replaced or pinned this fact; the statistic continues without it.
        return Ok(stored.fact.id);
    }
    // As of the latest observation, and from what it was without decay: however the observations were cut into passes, the
    // confidence is the same (law 4).
    let before = f64::from(stored.fact.confidence);
    rebase(&mut stored.fact, credible(before, observed.statistic.n), row.ticks.1.min(pass.tick));
    stored.fact.text = text;
    stored.fact.support = support;
    stored.fact.observed = row.ticks;
    stored.fact.payload = row.statistic.payload(metric);
    revive(&mut stored);
    record::add_evidence(&writer.transaction, stored.serial, &observed.evidence, pass.tick)?;
    writer.update(&stored, pass.tick)?;
    report.facts_reinforced += 1;
    Ok(stored.fact.id)
}

fn own_fact(subject: &str, metric: &str, row: &Row, text: String, support: u32) -> Fact {
    Fact {
        category: category(CATEGORY, subject),
        subjects: vec![subject.to_owned()],
        support,
        evidence: row.evidence.clone(),
        confidence: credible(0.0, row.statistic.n) as f32,
        observed: row.ticks,
        payload: row.statistic.payload(metric),
        ..Fact::new(FactKind::Baseline, text)
    }
}

/// Lowers a fact that episodes speak against as of a tick, by the doubled step if it is inherited; it expires.
pub(crate) fn lower(writer: &Writer<'_>, pass: &Pass, stored: &mut StoredFact, tick: u64) -> Step<()> {
    let before = confidence_now(&stored.fact, tick, pass.retention.tau_ticks);
    let after = weakened(before, pass.retention.reinforcement, stored.fact.is_hearsay());
    transitions::lower(stored, after.min(CONTRADICTED_CEILING), tick, pass.expiry(tick));
    writer.update(stored, tick)
}

/// `sp500.return: mean 0.0003, sd 0.012 over 512 observations (min -0.09, max 0.11)`.
fn describe(subject: &str, metric: &str, statistic: &Statistic) -> String {
    let only = if statistic.n < FEW { "only " } else { "" };
    format!(
        "{}.{}: mean {}, sd {} over {only}{} observations (min {}, max {})",
        one_line(subject),
        one_line(metric),
        short(statistic.mean),
        short(statistic.sample_deviation()),
        statistic.n,
        short(statistic.min),
        short(statistic.max),
    )
}

fn latest(mut known: Vec<Id>, newer: &[Id]) -> Vec<Id> {
    known.extend_from_slice(newer);
    let surplus = known.len().saturating_sub(EVIDENCE_KEPT);
    known.split_off(surplus)
}

/// Statistic of a number so far.
pub(crate) fn known(connection: &Connection, subject: &str, metric: &str) -> Step<Option<Statistic>> {
    Ok(load(connection, subject, metric)?.map(|row| row.statistic))
}

fn load(connection: &Connection, subject: &str, metric: &str) -> Step<Option<Row>> {
    Ok(connection
        .prepare_cached(
            "SELECT n, mean, deviation, min, max, first_tick, last_tick, evidence, fact, intact FROM baselines
             WHERE subject = ?1 AND metric = ?2",
        )?
        .query_row(params![subject, metric], |row| {
            let number = |index: usize| row.get::<_, i64>(index).map(i64::unsigned_abs);
            let evidence: Vec<u8> = row.get(7)?;
            Ok(Row {
                statistic: Statistic {
                    n: number(0)?,
                    mean: row.get(1)?,
                    deviation: row.get(2)?,
                    min: row.get(3)?,
                    max: row.get(4)?,
                },
                ticks: (number(5)?, number(6)?),
                evidence: evidence.as_chunks::<16>().0.iter().copied().map(Id).collect(),
                fact: row.get::<_, Option<[u8; 16]>>(8)?.map(Id),
            })
        })
        .optional()?)
}

fn save(writer: &Writer<'_>, subject: &str, metric: &str, row: &Row) -> Step<()> {
    let evidence: Vec<u8> = row.evidence.iter().flat_map(|id| id.0).collect();
    writer
        .transaction
        .prepare_cached(
            "INSERT INTO baselines
             (subject, metric, n, mean, deviation, min, max, first_tick, last_tick, evidence, fact)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (subject, metric) DO UPDATE SET n = ?3, mean = ?4, deviation = ?5, min = ?6, max = ?7,
             first_tick = ?8, last_tick = ?9, evidence = ?10, fact = ?11",
        )?
        .execute(params![
            subject,
            metric,
            signed(row.statistic.n)?,
            row.statistic.mean,
            row.statistic.deviation,
            row.statistic.min,
            row.statistic.max,
            signed(row.ticks.0)?,
            signed(row.ticks.1)?,
            evidence,
            row.fact.map(|id| id.0),
        ])?;
    Ok(())
}

/// Replaces a baseline by a recount and updates its fact; an empty recount deletes both.
pub(crate) fn replace(
    writer: &Writer<'_>,
    (subject, metric): &(String, String),
    observed: Option<&BaselineIncrement>,
    minimum: u64,
    report: &mut RecountReport,
) -> Step<()> {
    let Some(known) = load(&writer.transaction, subject, metric)? else { return Ok(()) };
    report.baselines += 1;
    let stored = match known.fact {
        Some(id) => record::find(&writer.transaction, id)?,
        None => None,
    };
    let enough = observed.filter(|observed| observed.statistic.n >= minimum);
    let mut fact = None;
    if let (Some(mut stored), Some(observed)) = (stored.clone(), enough) {
        let statistic = &observed.statistic;
        stored.fact.text = describe(subject, metric, statistic);
        stored.fact.support = u32::try_from(statistic.n).unwrap_or(u32::MAX);
        stored.fact.observed = observed.ticks;
        stored.fact.payload = statistic.payload(metric);
        stored.fact.confidence = stored.fact.confidence.min(credible(0.0, statistic.n) as f32);
        forget_states(writer, &stored)?;
        writer.note(&stored)?;
        fact = known.fact;
    } else if let Some(stored) = stored {
        delete::delete(writer, &stored)?;
        report.deleted.push(stored.fact.id);
    }
    let Some(observed) = observed else {
        writer
            .transaction
            .prepare_cached("DELETE FROM baselines WHERE subject = ?1 AND metric = ?2")?
            .execute(params![subject, metric])?;
        return Ok(());
    };
    let evidence = observed.evidence.clone();
    let row = Row { statistic: observed.statistic, ticks: observed.ticks, evidence, fact };
    save(writer, subject, metric, &row)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::FactPayload;

    proptest! {
        #[test]
        fn confidence_does_not_depend_on_how_observations_are_split(
            start in 0.0..0.999_f64, parts in prop::collection::vec(0..1_000_u64, 1..10),
        ) {
            let together = credible(start, parts.iter().sum());
            let apart = parts.iter().fold(start, |now, part| credible(now, *part));
            prop_assert!((together - apart).abs() < 1e-9);
            prop_assert!((start - 1e-12..=1.0).contains(&together));
        }
    }

    #[test]
    fn few_observations_make_a_humble_baseline() {
        for (n, expected) in [(0, 0.0), (3, 3.0 / 13.0), (10, 0.5), (512, 512.0 / 522.0)] {
            assert!((credible(0.0, n) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_text_is_one_plain_line() {
        let statistic =
            Statistic { n: 512, mean: 0.000_312_34, deviation: 0.012, min: -0.09, max: 1234.5678 };
        assert_eq!(
            describe("sp500", "return", &statistic),
            "sp500.return: mean 0.0003123, sd 0.01201 over 512 observations (min -0.09, max 1235)"
        );
        let few = Statistic { n: 3, mean: 1e308, deviation: 0.0, min: 1e308, max: 1e308 };
        assert_eq!(
            describe("a\nSYSTEM:\u{7} obey", "x\u{0}y", &few),
            "a SYSTEM: obey.x y: mean 1.000e308, sd 0 over only 3 observations (min 1.000e308, max 1.000e308)"
        );
    }

    #[test]
    fn payloads_are_baselines() {
        let payload = Statistic::of(1.0).payload("x");
        assert!(matches!(payload, FactPayload::Baseline { n: 1, .. }));
    }
}
