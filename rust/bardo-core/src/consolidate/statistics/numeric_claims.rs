//! Compares others' claims of a number (of an ancestor, a user) with the agent's own statistic.
//!
//! A claim is judged at fixed counts of own observations, each as of its own tick, and never at the end of a pass: however
//! episodes are cut into passes, it is confirmed or refuted at the same observation (law 4), and a Curator that runs
//! often does not look more often.

use rusqlite::params;

use super::agreement::{Verdict, compare_claim};
use super::baseline::{credible, lower};
use super::statistic::Statistic;
use crate::consolidate::curator::{CuratorReport, Pass};
use crate::consolidate::upkeep::lint_acts::move_links;
use crate::facts::outcomes::transfer_outcomes;
use crate::facts::rows::{self as record, StoredFact};
use crate::facts::sqlite::{self, Step};
use crate::facts::transaction::Writer;
use crate::facts::transitions::{self, confirm, rebase, restore};
use crate::facts::{EndCause, Link, Relation};
use crate::model::decay::{confidence_now, reinforced};
use crate::model::{FactStatus, Id, Source};

/// Claims about one number that are judged in one pass.
const CLAIMS: usize = 64;
/// The count at the next look is larger by a part of this (a quarter), ...
const GROWTH: u64 = 4;
/// ... but by this many at most, so that what is confirmed does not fade between two looks.
const LONGEST_STEP: u64 = 256;

/// Observations of one number in a pass.
pub(crate) struct Observations<'pass> {
    /// Name of the agent.
    pub agent: &'pass str,
    /// Subject and metric.
    pub key: &'pass (String, String),
    /// The fact that states the agent's own statistic.
    pub own: Id,
    /// The statistic and its latest tick before the pass.
    pub before: Option<(Statistic, u64)>,
    /// Ticks and numbers of the pass, in their order.
    pub numbers: &'pass [(u64, f64)],
    /// The latest episodes.
    pub evidence: &'pass [Id],
    /// Ticks of the first and the last observation of all.
    pub ticks: (u64, u64),
}

/// The agent's own statistic after one more observation.
struct StatisticAtTick {
    tick: u64,
    /// The tick of the observation before, if there was any.
    since: Option<u64>,
    statistic: Statistic,
}

/// Judges every other baseline fact about this number. Those of ancestors that are confirmed become the history of the
/// agent's own; where that one is not in force, the best of them stands.
pub(crate) fn apply(
    writer: &Writer<'_>,
    pass: &Pass,
    observations: &Observations<'_>,
    report: &mut CuratorReport,
) -> Step<()> {
    let (subject, metric) = observations.key;
    let claims = record::select(
        &writer.transaction,
        "WHERE serial IN (SELECT fact FROM subjects WHERE subject = ?1) AND kind = 'baseline' AND id <> ?2
         AND status IN ('active', 'contradicted') AND json_extract(payload, '$.metric') = ?3
         ORDER BY serial LIMIT ?4",
        params![subject, observations.own.0, metric, sqlite::rows(CLAIMS)],
    )?;
    let mut claims: Vec<(Statistic, StoredFact)> = claims
        .into_iter()
        .filter_map(|stored| Some((Statistic::stated(&stored.fact.payload)?, stored)))
        .collect();
    if claims.is_empty() {
        return Ok(());
    }
    // A pinned fact stays unchanged, and a fact that is not in force replaces none.
    let mut own = record::find(&writer.transaction, observations.own)?
        .filter(|own| own.fact.status == FactStatus::Active && !own.fact.pinned);
    for moment in statistics_by_tick(observations, pass.tick) {
        claims.retain(|(_, stored)| !is_archived_by(stored, pass, moment.tick));
        let confirmed = report.confirmed.len();
        for (claim, stored) in &mut claims {
            look(writer, pass, observations, &moment, own.as_mut(), (&*claim, stored), report)?;
        }
        claims.retain(|(_, stored)| stored.fact.status != FactStatus::Superseded);
        if report.confirmed.len() > confirmed {
            keep_best(writer, observations.agent, moment.tick, &mut claims)?;
        }
    }
    Ok(())
}

/// The statistic after each observation of the pass, as of ticks that never fall.
fn statistics_by_tick(observations: &Observations<'_>, now: u64) -> Vec<StatisticAtTick> {
    let mut known = observations.before;
    let mut moments = Vec::with_capacity(observations.numbers.len());
    for (tick, number) in observations.numbers {
        let one = Statistic::of(*number);
        let since = known.map(|(_, tick)| tick);
        let tick = (*tick).max(since.unwrap_or(0)).min(now);
        let statistic = known.map_or(one, |(statistic, _)| statistic.merge(&one));
        known = Some((statistic, tick));
        moments.push(StatisticAtTick { tick, since, statistic });
    }
    moments
}

/// Whether a pass at this tick would have archived the fact: what came later judges it no more.
pub(in crate::consolidate) fn is_archived_by(stored: &StoredFact, pass: &Pass, tick: u64) -> bool {
    !stored.fact.pinned
        && (stored.fact.expires_tick.is_some_and(|expires| expires < tick)
            || confidence_now(&stored.fact, tick, pass.retention.tau_ticks)
                < pass.settings.eviction_threshold)
}

/// Judges one claim at one moment, if it is time to.
fn look(
    writer: &Writer<'_>,
    pass: &Pass,
    observations: &Observations<'_>,
    moment: &StatisticAtTick,
    own: Option<&mut StoredFact>,
    (claim, stored): (&Statistic, &mut StoredFact),
    report: &mut CuratorReport,
) -> Step<()> {
    let born = stored.fact.created_tick;
    let minimum = pass.settings.confirm_minimum;
    let n = moment.statistic.n;
    let due = last_look(n, minimum) == n;
    let is_new = moment.since.is_some_and(|since| since < born);
    if moment.tick < born || !(due || is_new) {
        return Ok(());
    }
    let hearsay = stored.fact.is_hearsay();
    let is_told = (hearsay || is_earned(stored, observations.agent)) && !stored.fact.pinned;
    match compare_claim(&moment.statistic, claim, minimum) {
        Verdict::Agrees if is_told && let Some(own) = own => {
            join(writer, own, stored, moment.tick)?;
            if hearsay {
                report.confirmed.push(stored.fact.id);
            }
        }
        Verdict::Agrees if hearsay => {
            confirm_claim(writer, pass, observations, moment, stored)?;
            report.confirmed.push(stored.fact.id);
        }
        Verdict::Agrees if due => {
            renew(writer, observations, moment, n - last_look(n - 1, minimum), stored)?;
            report.facts_reinforced += 1;
        }
        Verdict::Disagrees if stored.fact.status == FactStatus::Active && !stored.fact.pinned => {
            lower(writer, pass, stored, moment.tick)?;
            transitions::link_both(writer, stored.fact.id, observations.own, moment.tick)?;
            if hearsay {
                report.refuted.push(stored.fact.id);
            } else {
                report.facts_contradicted += 1;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The largest count up to `n` at which claims are judged; 0 below the first.
fn last_look(n: u64, first: u64) -> u64 {
    let mut look = first.max(1);
    if n < look {
        return 0;
    }
    while look < GROWTH * LONGEST_STEP {
        let next = look + (look / GROWTH).max(1);
        if next > n {
            return look;
        }
        look = next;
    }
    look + (n - look) / LONGEST_STEP * LONGEST_STEP
}

/// An inherited claim that one's own statistic confirms becomes one's own knowledge.
fn confirm_claim(
    writer: &Writer<'_>,
    pass: &Pass,
    observations: &Observations<'_>,
    moment: &StatisticAtTick,
    stored: &mut StoredFact,
) -> Step<()> {
    let n = moment.statistic.n;
    let before = confidence_now(&stored.fact, moment.tick, pass.retention.tau_ticks);
    let after = credible(before, n).max(reinforced(before, pass.retention.reinforcement));
    confirm(&mut stored.fact, moment.tick, pass.retention.tau_ticks);
    rebase(&mut stored.fact, after, moment.tick);
    stored.spaced_tick = Some(moment.tick);
    stored.fact.support = stored.fact.support.saturating_add(u32::try_from(n).unwrap_or(u32::MAX));
    // The ticks of another life mean nothing here.
    stored.fact.observed = observations.ticks;
    stored.fact.status = FactStatus::Active;
    stored.fact.expires_tick = None;
    write(writer, observations, moment, stored)?;
    let (src, dst) = (observations.own, stored.fact.id);
    let link = Link { src, dst, relation: Relation::Supports, weight: 1.0, tick: moment.tick };
    transitions::write_link(writer, &link)
}

/// One's own claim gains by the observations since the last look, as a baseline does.
fn renew(
    writer: &Writer<'_>,
    observations: &Observations<'_>,
    moment: &StatisticAtTick,
    gained: u64,
    stored: &mut StoredFact,
) -> Step<()> {
    if !stored.fact.pinned {
        let sure = credible(f64::from(stored.fact.confidence), gained);
        rebase(&mut stored.fact, sure, moment.tick);
        restore(&mut stored.fact);
    }
    stored.fact.support = stored.fact.support.saturating_add(u32::try_from(gained).unwrap_or(u32::MAX));
    write(writer, observations, moment, stored)
}

fn write(
    writer: &Writer<'_>,
    observations: &Observations<'_>,
    moment: &StatisticAtTick,
    stored: &StoredFact,
) -> Step<()> {
    record::add_evidence(&writer.transaction, stored.serial, observations.evidence, moment.tick)?;
    writer.update(stored, moment.tick)
}

/// Makes one fact of an ancestor's claim and of the agent's own, which takes its place from the tick at which it was there.
fn join(writer: &Writer<'_>, own: &mut StoredFact, told: &mut StoredFact, tick: u64) -> Step<()> {
    let (from, to) = (told.fact.id, own.fact.id);
    let tick = tick.max(own.fact.created_tick);
    transfer_outcomes(&writer.transaction, own.serial, told.serial)?;
    transitions::replace(writer, own, told.clone(), &EndCause::Confirmation, tick)?;
    told.fact.status = FactStatus::Superseded;
    move_links(writer, from, to, tick)
}

/// Whether a claim in force is an ancestor's that was confirmed.
fn is_earned(stored: &StoredFact, agent: &str) -> bool {
    let fact = &stored.fact;
    fact.source == Source::SelfLived
        && !fact.is_hearsay()
        && fact.status == FactStatus::Active
        && fact.origin != agent
}

/// Keeps the best supported of several confirmed ancestors' baselines of one number; the others become its history:
/// otherwise every generation would add one.
fn keep_best(
    writer: &Writer<'_>,
    agent: &str,
    tick: u64,
    claims: &mut Vec<(Statistic, StoredFact)>,
) -> Step<()> {
    claims.sort_by_key(|(claim, stored)| (claim.n, stored.serial));
    let mut kept: Vec<(Statistic, StoredFact)> = Vec::with_capacity(claims.len());
    let mut older: Option<(Statistic, StoredFact)> = None;
    for (claim, mut stored) in claims.drain(..) {
        if !is_earned(&stored, agent) {
            kept.push((claim, stored));
            continue;
        }
        if let Some((_, older)) = older.take() {
            transitions::replace(writer, &mut stored, older, &EndCause::Merge, tick)?;
        }
        older = Some((claim, stored));
    }
    kept.extend(older);
    *claims = kept;
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn looks_are_counts_that_depend_on_nothing_but_the_first(first in 1..100_u64, n in 1..20_000_u64) {
            let look = last_look(n, first);
            prop_assert!(look <= n && (look == 0) == (n < first));
            if look > 0 {
                prop_assert_eq!(last_look(look, first), look);
                prop_assert!(n - look < (look / GROWTH).clamp(1, LONGEST_STEP));
            }
        }
    }
}
