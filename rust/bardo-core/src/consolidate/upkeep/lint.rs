//! Lint puts facts in order: it merges duplicates, archives unused facts, files facts without a category
//! beside similar ones, and flags contradictions.
//!
//! One lint is one act of the journal: it can be looked at fact by fact, and taken back. What was taken back is left alone
//! from then on. Only the latest facts are looked at, so that it costs the same at any age; what is pinned is not touched.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::gaps;
use super::lint_acts::{LintItem, SimilarPairs, archive, file, flag, gather, is_duplicate, merge};
use crate::error::Result;
use crate::facts::sqlite::Step;
use crate::facts::transaction::Writer;
use crate::facts::{Actor, FactChange, FactStore};
use crate::model::decay::confidence_now;
use crate::model::{FactKind, FactStatus, Id, Micros};

/// The name of its acts in the journal.
pub const LINT: &str = "lint";
/// Facts from which there is anything to put in order.
pub const LEAST_FACTS: usize = 5;
/// Facts that are looked at: the latest.
pub const LATEST_FACTS: usize = 200;
/// Days without a look or a reason, after which an unimportant fact leaves.
pub const STALE_DAYS: u64 = 60;
/// Less important than a conclusion of the agent's own (those have 4 of 10).
pub const UNIMPORTANT: f32 = 0.4;

/// When what is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LintSettings {
    /// Facts in force that there must be.
    pub least: usize,
    /// Facts that are looked at, the latest first.
    pub latest: usize,
    /// Ticks without a look or a reason, after which an unimportant fact leaves.
    pub stale_ticks: u64,
}

impl Default for LintSettings {
    fn default() -> Self {
        Self { least: LEAST_FACTS, latest: LATEST_FACTS, stale_ticks: STALE_DAYS * 1_440 }
    }
}

/// Report of a lint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LintReport {
    /// Facts that were looked at.
    pub looked: usize,
    /// Which fact stands for which other from now on.
    pub merged: Vec<(Id, Id)>,
    /// Facts that left for the cold tier.
    pub deprecated: Vec<Id>,
    /// Facts that were filed.
    pub recategorised: Vec<Id>,
    /// Pairs that speak against each other, and are linked from now on.
    pub contradictions: Vec<(Id, Id)>,
    /// Questions that are open (see `gaps`); they are no facts, and no part of the act.
    pub open_questions: usize,
    /// Number of the act in the journal; none if nothing was done.
    pub act: Option<u64>,
}

/// Puts the latest facts in order, in one transaction and as one act.
pub fn lint(store: &FactStore, tick: u64, now: Micros, settings: LintSettings) -> Result<LintReport> {
    let tau = store.retention().tau_ticks;
    let actor = Actor { name: LINT, tick, now };
    let (report, act) = store.act(actor, |writer| apply(writer, tick, tau, settings))?;
    Ok(LintReport { act, ..report })
}

/// Dry run of [`lint`]: its report, and every fact before and after.
pub fn rehearse_lint(
    store: &FactStore,
    tick: u64,
    settings: LintSettings,
) -> Result<(LintReport, Vec<FactChange>)> {
    let tau = store.retention().tau_ticks;
    store.rehearse(|writer| apply(writer, tick, tau, settings))
}

fn apply(writer: &Writer<'_>, tick: u64, tau_ticks: f64, settings: LintSettings) -> Step<LintReport> {
    let mut report = LintReport::default();
    let in_force: i64 = writer
        .transaction
        .prepare_cached("SELECT count(*) FROM facts WHERE status = 'active'")?
        .query_row([], |row| row.get(0))?;
    if in_force.unsigned_abs() < settings.least as u64 {
        report.open_questions = gaps::renew(writer, tick)?;
        return Ok(report);
    }
    let mut items = gather(&writer.transaction, settings.latest, tick)?;
    report.looked = items.len();
    let left_alone = undone_rows(&writer.transaction)?;
    for item in &mut items {
        item.is_free &= !left_alone.contains(&item.stored.serial);
    }
    for item in items.iter_mut().filter(|item| is_stale(item, tick, settings.stale_ticks)) {
        archive(writer, item, tick)?;
        report.deprecated.push(item.stored.fact.id);
    }
    let pairs = SimilarPairs::of(&items);
    merge_all(writer, &mut items, &pairs, tick, tau_ticks, &mut report)?;
    for (older, newer) in pairs.related() {
        let (one, other) = (&items[older], &items[newer]);
        if one.is_in_force() && other.is_in_force() && flag(writer, one, other, tick)? {
            report.contradictions.push((one.stored.fact.id, other.stored.fact.id));
        }
    }
    file_all(writer, &mut items, tick, &mut report)?;
    report.open_questions = gaps::renew(writer, tick)?;
    Ok(report)
}

/// Makes one of all that say the same, until none is left.
fn merge_all(
    writer: &Writer<'_>,
    items: &mut [LintItem],
    pairs: &SimilarPairs,
    tick: u64,
    tau_ticks: f64,
    report: &mut LintReport,
) -> Step<()> {
    loop {
        let found = pairs.same().find(|(one, other)| is_duplicate(&items[*one], &items[*other]));
        let Some((one, other)) = found else { return Ok(()) };
        let first = items[one].is_better_than(&items[other]);
        let (kept, gone) = if first { (one, other) } else { (other, one) };
        let now = |item: &LintItem| confidence_now(&item.stored.fact, tick, tau_ticks);
        let confidences = (now(&items[kept]), now(&items[gone]));
        let [kept, gone] = if kept < gone {
            let (left, right) = items.split_at_mut(gone);
            [&mut left[kept], &mut right[0]]
        } else {
            let (left, right) = items.split_at_mut(kept);
            [&mut right[0], &mut left[gone]]
        };
        merge(writer, kept, gone, confidences, tick)?;
        report.merged.push((kept.stored.fact.id, gone.stored.fact.id));
    }
}

/// Files what is filed nowhere with its like, until nothing moves: what was filed may be the like of others.
fn file_all(writer: &Writer<'_>, items: &mut [LintItem], tick: u64, report: &mut LintReport) -> Step<()> {
    loop {
        let found = (0..items.len()).find_map(|place| Some((place, file(items, place)?)));
        let Some((place, category)) = found else { return Ok(()) };
        items[place].stored.fact.category = category;
        writer.update(&items[place].stored, tick)?;
        report.recategorised.push(items[place].stored.fact.id);
    }
}

/// Unimportant, and neither born, renewed nor looked at for long. Prohibitions and names do not go stale.
fn is_stale(item: &LintItem, tick: u64, stale_ticks: u64) -> bool {
    let fact = &item.stored.fact;
    let last = fact.created_tick.max(fact.reinforced_tick).max(fact.accessed_tick);
    item.is_free
        && fact.importance < UNIMPORTANT
        && !fact.bloodstain
        && !matches!(fact.kind, FactKind::AntiKnowledge | FactKind::Identity)
        && tick.saturating_sub(last) >= stale_ticks
}

/// Rows of the facts whose change by an earlier lint was undone.
fn undone_rows(connection: &Connection) -> Step<BTreeSet<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT fact FROM act_facts JOIN acts ON acts.serial = act_facts.act
         WHERE acts.name = ?1 AND acts.undone_by IS NOT NULL AND NOT EXISTS
         (SELECT 1 FROM acts AS later WHERE later.serial = acts.undone_by AND later.undone_by IS NOT NULL)",
    )?;
    let facts = statement.query_map(params![LINT], |row| row.get(0))?;
    Ok(facts.collect::<rusqlite::Result<_>>()?)
}

impl LintItem {
    /// Whether it is still in force.
    pub(in crate::consolidate) fn is_in_force(&self) -> bool {
        self.stored.fact.status == FactStatus::Active
    }
}
