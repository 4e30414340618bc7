//! One pass of the Curator over what was verified since the last one: select, extract baselines, reconcile what
//! is known, test hypotheses, prune.
//!
//! The episodes are read and boiled down first, outside of any transaction. Then facts, baselines and the watermark (the
//! number of the last verification that was counted) change in one transaction: a pass that is killed at any point has
//! not happened, and the next one counts every episode once.

use super::batch::{Batch, VerifiedEpisodes, gather};
use super::bloodstains::{self, Failure};
use super::discovery::hypotheses::Ledger;
use super::discovery::known_rules::KnownRules;
use super::discovery::window::{Schedule, Window};
use super::observed_ticks::ObservedTicks;
use super::reconcile;
use super::replay::buffer::ReplaySettings;
use super::replay::look_back;
use super::replay::look_back::LookBack;
use super::statistics::baseline;
use super::trials::{restatements, rule_trials};
use super::upkeep::evict;
use crate::error::{Error, Result};
use crate::facts::rows::{self as record, signed};
use crate::facts::slots::end_due;
use crate::facts::sqlite::{Step, damaged};
use crate::facts::transaction::{Writer, counter, set_meta};
use crate::facts::transitions::archive;
use crate::facts::{Actor, EndCause, FactChange, FactStore, Retention};
use crate::model::decay::EXPIRY_TICKS;
use crate::model::{FactStatus, Id, Micros};

/// Name of the watermark among the settings of the fact store.
pub(crate) const WATERMARK: &str = "watermark";
/// Confidence below which a fact is a candidate for pruning.
pub const EVICTION_THRESHOLD: f64 = 0.05;
/// Facts in force at most: as many as are searched far below 25 ms, and a few megabytes of memory.
pub const CAPACITY: usize = 16_384;
/// Episodes that any fact needs.
pub const MINIMUM_EPISODES: u64 = 3;
/// Own observations before a claim is held against them: enough for the normal approximation.
pub const CONFIRM_OBSERVATIONS: u64 = 30;
/// Earlier episodes that a search for rules reads again: the search has four times as many as one window.
pub const REPLAY: u64 = 768;
/// Share of the episodes of a pass that are old: old and new interleaved 30 to 70, as in replay.
pub const LOOK_BACK: f64 = 0.3;
/// The name of its acts in the journal.
const ACTOR: &str = "curator";
/// Maximum number of restarts of a pass because another process consolidated meanwhile.
const ATTEMPTS: usize = 8;

/// How a pass decides.
#[derive(Clone, Debug, PartialEq)]
pub struct CuratorSettings {
    /// Episodes behind a baseline before it is stated as a fact.
    pub minimum: u64,
    /// Own observations before an inherited baseline is confirmed or refuted.
    pub confirm_minimum: u64,
    /// Ticks after which a contradicted fact expires.
    pub expiry_ticks: u64,
    /// Confidence below which a fact leaves for the cold tier; 0 keeps all.
    pub eviction_threshold: f64,
    /// Facts in force at most, pinned ones aside.
    pub capacity: usize,
    /// Numbers of a payload that say how something ended, by their paths or the last parts of these: heuristics are about
    /// them.
    pub outcomes: Vec<String>,
    /// Earlier episodes that are read again beside those of a window when rules are searched; 0 searches the window alone.
    pub replay: u64,
    /// Share of the episodes of a pass that are old ones, read again to test rules that were told: from 0, below 1.
    pub look_back: f64,
    /// Priorities by which they are drawn.
    pub draw: ReplaySettings,
    /// Whether what comes into being, running statistics aside, is held until the shadow trial releases it.
    pub hold: bool,
    /// Offset of the ticks from the seconds of the epoch; `None` where ticks are loops, which have no times.
    pub seconds: Option<i64>,
}

/// Names of numbers that state an outcome.
pub const OUTCOMES: [&str; 8] = ["outcome", "pnl", "profit", "return", "reward", "score", "success", "value"];

impl Default for CuratorSettings {
    fn default() -> Self {
        Self {
            minimum: MINIMUM_EPISODES,
            confirm_minimum: CONFIRM_OBSERVATIONS,
            expiry_ticks: EXPIRY_TICKS,
            eviction_threshold: EVICTION_THRESHOLD,
            capacity: CAPACITY,
            outcomes: OUTCOMES.map(str::to_owned).to_vec(),
            replay: REPLAY,
            look_back: LOOK_BACK,
            draw: ReplaySettings::default(),
            hold: false,
            seconds: None,
        }
    }
}

/// Report of a pass, and of the remaining work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CuratorReport {
    /// Verified episodes that were counted.
    pub episodes: u64,
    /// Baselines that they moved.
    pub baselines: u64,
    /// Facts that were born.
    pub facts_new: u64,
    /// The agent's own facts that gained by new evidence.
    pub facts_reinforced: u64,
    /// Inherited facts that the agent's own episodes bore out; they are its own knowledge now.
    pub confirmed: Vec<Id>,
    /// Inherited facts that the agent's own statistics contradict.
    pub refuted: Vec<Id>,
    /// Facts of the agent's own that its statistics contradict.
    pub facts_contradicted: u64,
    /// Windows of episodes that came to their end, and were tested.
    pub windows: u64,
    /// Tests of hypotheses that they allowed.
    pub hypotheses_tested: u64,
    /// Rules about outcomes that are believed for the first time.
    pub heuristics_proposed: u64,
    /// Facts whose place a newer one took; they are history.
    pub facts_superseded: u64,
    /// Facts that a newer one narrowed to some cases or to a time.
    pub facts_refined: u64,
    /// Episodes that spoke against a fact, which lost by it.
    pub facts_disputed: u64,
    /// Rules that the decisions that followed them confirmed.
    pub rules_followed: u64,
    /// Rules that the decisions that followed them came out against.
    pub rules_broken: u64,
    /// Severe failures that were written as warnings, new or again.
    pub bloodstains: u64,
    /// Number of dreamt proposals that later episodes confirmed.
    pub dreams_confirmed: u64,
    /// Facts that were archived: expired, faded, refuted, or beyond the room there is.
    pub entries_pruned: u64,
    /// Old episodes that were read again, to test rules that were told.
    pub reread: u64,
    /// Verified episodes that wait for the next pass.
    pub pending: u64,
    /// Number of the last verification that is counted.
    pub watermark: u64,
    /// Numbers left out: more than 1,024 in one episode, or under a name of more than 256 bytes.
    pub skipped_numbers: u64,
    /// Episodes whose numbers were left out because they name no subject.
    pub without_subject: u64,
    /// Its number in the journal; none if no fact was touched.
    pub act: Option<u64>,
    /// Episodes that were compared with facts by their vectors; the others only by their words.
    pub compared: u64,
}

/// The frame of a pass.
pub(crate) struct Pass {
    /// Now, in ticks.
    pub tick: u64,
    /// Now, in microseconds.
    pub now: Micros,
    /// How it decides.
    pub settings: CuratorSettings,
    /// How confidence moves.
    pub retention: Retention,
}

impl Pass {
    /// Status with which an inferred fact begins, or comes back.
    pub const fn birth(&self) -> FactStatus {
        if self.settings.hold { FactStatus::Held } else { FactStatus::Active }
    }

    /// When what is contradicted, or dreamt, at a tick expires.
    pub fn expiry(&self, tick: u64) -> u64 {
        tick.saturating_add(self.settings.expiry_ticks).min(i64::MAX.unsigned_abs())
    }
}

/// Consolidates at most `batch` verified episodes that were not counted before.
pub fn consolidate(
    store: &FactStore,
    source: &impl VerifiedEpisodes,
    batch: usize,
    tick: u64,
    now: Micros,
    settings: CuratorSettings,
) -> Result<CuratorReport> {
    let retention = store.retention();
    let source = &ObservedTicks::new(source, settings.seconds);
    let pass = Pass { tick, now, settings, retention };
    for _ in 0..ATTEMPTS {
        let lesson = PassInput::prepare(store, source, batch, &pass.settings)?;
        let last = lesson.last;
        let actor = Actor { name: ACTOR, tick, now };
        let (report, act) = store.act(actor, |writer| lesson.apply(writer, store, &pass))?;
        if let Some(report) = report {
            return Ok(CuratorReport { pending: last - report.watermark, act, ..report });
        }
    }
    Err(Error::StoreLocked {
        path: store.path().to_owned(),
        holder: "another process, which consolidates it over and over".to_owned(),
    })
}

/// Dry run of [`consolidate`]: the report, and every fact that would be written, before (if it exists) and after.
pub fn rehearse(
    store: &FactStore,
    source: &impl VerifiedEpisodes,
    batch: usize,
    tick: u64,
    now: Micros,
    settings: CuratorSettings,
) -> Result<DryRun> {
    let source = &ObservedTicks::new(source, settings.seconds);
    let pass = Pass { tick, now, settings, retention: store.retention() };
    let lesson = PassInput::prepare(store, source, batch, &pass.settings)?;
    let last = lesson.last;
    let (report, changes) = store.rehearse(|writer| lesson.apply(writer, store, &pass))?;
    // Another process that consolidated meanwhile has left nothing to rehearse.
    let report = report.unwrap_or(CuratorReport { watermark: last, ..CuratorReport::default() });
    Ok(DryRun { report: CuratorReport { pending: last - report.watermark, ..report }, changes })
}

/// Result of a dry run.
#[derive(Clone, Debug, PartialEq)]
pub struct DryRun {
    /// Report that the pass itself would give.
    pub report: CuratorReport,
    /// Facts before (where they are there already) and after.
    pub changes: Vec<FactChange>,
}

/// Result of a batch, computed before anything is written.
struct PassInput {
    watermark: u64,
    /// Number of the last verification there is.
    last: u64,
    batch: Batch,
    ledger: Ledger,
    windows: u64,
    /// Columns of the batch.
    decisions: Window,
    look_back: LookBack,
    failures: Vec<Failure>,
}

impl PassInput {
    fn prepare(
        store: &FactStore,
        source: &impl VerifiedEpisodes,
        batch: usize,
        settings: &CuratorSettings,
    ) -> Result<Self> {
        if source.agent() != store.agent() {
            return Err(Error::invalid(
                format!("the episodes are {:?}'s and the facts {:?}'s", source.agent(), store.agent()),
                "Consolidate each agent's episodes into its own facts",
            ));
        }
        let watermark = store.read(|connection| counter(connection, WATERMARK))?.unsigned_abs();
        let last = source.last_verification()?;
        if last < watermark {
            return Err(damaged(
                store.path(),
                &format!(
                    "it counts verifications up to {watermark}, but the log of episodes ends at {last}: the log \
                     was replaced or rolled back"
                ),
            ));
        }
        let batch = gather(source, (watermark, last), batch, store.fingerprint()?.as_ref())?;
        let (ledger, windows) = examine(store, source, watermark, batch.last, settings)?;
        let decisions = Window::between(source, watermark, batch.last, false)?;
        let look_back = look_back::prepare(store, source, (watermark, batch.last), settings)?;
        let failures = bloodstains::prepare(source, &decisions, (watermark, batch.last), &settings.outcomes)?;
        let last = last.max(batch.last);
        Ok(Self { watermark, last, batch, ledger, windows, decisions, look_back, failures })
    }

    /// Writes all of it; `None` if another process counted the batch first.
    fn apply(self, writer: &Writer<'_>, store: &FactStore, pass: &Pass) -> Step<Option<CuratorReport>> {
        let Some(mut report) = apply(writer, store, pass, self.watermark, &self.batch)? else {
            return Ok(None);
        };
        // While episodes wait, time has come as far as the batch: what they say may yet keep a fact.
        let waiting = self.batch.last < self.last;
        let time = if waiting { self.batch.tick.min(pass.tick) } else { pass.tick };
        report.windows = self.windows;
        // Before anything leaves: what episodes confirm as of their own ticks has not faded yet.
        self.ledger.apply(writer, store, pass, &mut report)?;
        end_due(writer, time, pass.now)?;
        look_back::apply(writer, pass, self.watermark, &self.look_back, &mut report)?;
        let numbers = (self.watermark, self.batch.last);
        rule_trials::apply(writer, pass, &self.decisions, numbers, &mut report)?;
        bloodstains::apply(writer, store, pass, &self.decisions, &self.failures, &mut report)?;
        expire(writer, time)?;
        evict::apply(writer, pass, time)?;
        let ended = writer.ended()?;
        (report.facts_superseded, report.entries_pruned) = (ended.superseded, ended.archived);
        Ok(Some(report))
    }
}

/// Tests hypotheses on the windows that end within a batch; the ledger is changed in memory alone.
fn examine(
    store: &FactStore,
    source: &impl VerifiedEpisodes,
    watermark: u64,
    last: u64,
    settings: &CuratorSettings,
) -> Result<(Ledger, u64)> {
    let (events, rules) = (Schedule::EVENTS, Schedule::RULES);
    let (mut events_end, mut rules_end) = (events.end(watermark), rules.end(watermark));
    if events_end.min(rules_end) > last {
        return Ok((Ledger::default(), 0));
    }
    let mut ledger = Ledger::read(store)?;
    let known = KnownRules::read(store)?;
    let mut windows = 0;
    while events_end.min(rules_end) <= last {
        if rules_end <= events_end {
            let window = Window::read(source, rules, rules_end)?;
            let searched = match settings.replay {
                0 => None,
                replay => {
                    Some(Window::between(source, window.begin.saturating_sub(replay), rules_end, true)?)
                }
            };
            ledger.examine_rules(&window, searched.as_ref().unwrap_or(&window), &settings.outcomes, &known);
            rules_end = rules.end(rules_end);
        } else {
            ledger.examine_events(&Window::read(source, events, events_end)?);
            events_end = events.end(events_end);
        }
        windows += 1;
    }
    Ok((ledger, windows))
}

/// Writes everything a batch teaches; `None` if another process counted the batch first.
fn apply(
    writer: &Writer<'_>,
    store: &FactStore,
    pass: &Pass,
    watermark: u64,
    batch: &Batch,
) -> Step<Option<CuratorReport>> {
    if counter(&writer.transaction, WATERMARK)?.unsigned_abs() != watermark {
        return Ok(None);
    }
    let mut report = CuratorReport {
        episodes: batch.episodes,
        watermark: batch.last,
        skipped_numbers: batch.skipped,
        without_subject: batch.unnamed,
        ..CuratorReport::default()
    };
    for (key, observed) in &batch.observed {
        baseline::apply(writer, store, pass, key, observed, &mut report)?;
    }
    reconcile::apply(writer, pass, &mut report)?;
    restatements::apply(writer, pass, &batch.sayings, &mut report)?;
    if batch.last > watermark {
        set_meta(&writer.transaction, WATERMARK, &signed(batch.last)?)?;
    }
    Ok(Some(report))
}

/// Facts archived at most in one pass, so that its time is bounded.
const EXPIRED_AT_ONCE: i64 = 1_024;

/// Facts past their expiry, the first to expire first.
const EXPIRED: &str =
    "WHERE expires_tick < ?1 AND status IN ('active', 'contradicted', 'held') AND NOT pinned
     ORDER BY expires_tick, serial LIMIT ?2";

/// Archives what is past its expiry; nothing is deleted.
fn expire(writer: &Writer<'_>, tick: u64) -> Step<()> {
    for mut stored in record::select(&writer.transaction, EXPIRED, [signed(tick)?, EXPIRED_AT_ONCE])? {
        archive(writer, &mut stored, &EndCause::Expiry, tick)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{FactOptions, FactStore};

    #[test]
    fn a_pass_looks_for_expired_facts_among_living_ones_alone() {
        let folder = tempfile::tempdir().unwrap();
        let options = FactOptions {
            agent: "tester".into(),
            seed: 1,
            now: 0,
            create: true,
            retention: Retention::default(),
        };
        let store = FactStore::open(&folder.path().join("facts.db"), &options).unwrap();
        let plan = store.read(|connection| {
            let mut statement =
                connection.prepare(&format!("EXPLAIN QUERY PLAN SELECT * FROM facts {EXPIRED}"))?;
            let steps = statement.query_map([1, 1], |row| row.get::<_, String>(3))?;
            Ok(steps.collect::<rusqlite::Result<Vec<_>>>()?)
        });
        assert_eq!(plan.unwrap(), ["SEARCH facts USING INDEX facts_expiring (expires_tick<?)"]);
    }
}
