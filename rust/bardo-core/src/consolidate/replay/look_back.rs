//! Look-back: a pass re-reads slices of old episodes beside the new ones, and tests on them what the agent was told.
//!
//! A rule that was discovered was sought in the episodes before it, and later ones tested it. A rule that was told (learned,
//! inherited, adopted) came without them: what the agent lived before has not been held against it. Slices of those episodes
//! are drawn by priority (see `replay`). Each rule keeps account of the slices that it was tested on and of the verification up to which
//! none was counted before, so that an episode counts once for each rule: in a slice, or in the pass that consolidated it.

use std::collections::BTreeSet;

use rand::seq::index;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use rusqlite::{Connection, OptionalExtension, params};

use super::buffer::{ReplaySettings, without_replacement};
use super::sum_tree::SumTree;
use crate::consolidate::batch::VerifiedEpisodes;
use crate::consolidate::curator::{CuratorReport, CuratorSettings, Pass, WATERMARK};
use crate::consolidate::discovery::window::Window;
use crate::consolidate::statistics::baseline::lower;
use crate::consolidate::trials::rule_trial_rows::load;
use crate::consolidate::trials::rule_trials::{IN_FORCE, Prediction, RULES, RuleTrial, beside};
use crate::error::Result;
use crate::facts::outcomes::{Credit, credit, debit};
use crate::facts::rows::{self as record, StoredFact, signed};
use crate::facts::sqlite::Step;
use crate::facts::transaction::{Writer, counter};
use crate::facts::{EVIDENCE_KEPT, FactStore};
use crate::model::Id;

/// Verified episodes of a slice: enough other decisions to compare the followed ones with.
pub(crate) const SLICE: u64 = 64;
/// Episodes held in memory at once while priorities are added up.
const PAGE: usize = 32;
/// Slices whose priorities are compared for each one that is drawn.
const CANDIDATES: usize = 4;
/// Slices that a draw looks among at most, so that a pass of an old agent does no more than one of a young one.
const LOOKED_AMONG: usize = 4_096;
/// Told rules that one pass looks back for, the surest first.
const TOLD: i64 = 256;
/// Rules in force that no hypothesis of the agent states.
const TOLD_IN_FORCE: &str = "WHERE kind = 'heuristic' AND status = 'active' AND source <> 'dream'
     AND NOT EXISTS (SELECT 1 FROM hypotheses WHERE hypotheses.fact = facts.id)
     ORDER BY confidence DESC, serial LIMIT ?1";

/// Slices that a pass re-reads: their numbers and columns.
#[derive(Debug, Default)]
pub(crate) struct LookBack {
    slices: Vec<(u64, Window)>,
}

/// Account of the old episodes that a rule was tested on.
#[derive(Clone, Debug, PartialEq)]
struct Account {
    /// Verification up to which no pass counted an episode for the rule.
    unseen: u64,
    gained: f64,
    lost: f64,
    /// Slices that the rule was tested on.
    read: BTreeSet<u64>,
}

impl Account {
    /// The account of a rule that no pass has met yet; one that was tested before accounts were kept is owed nothing.
    const fn new(is_tested: bool, watermark: u64) -> Self {
        let unseen = if is_tested { 0 } else { watermark };
        Self { unseen, gained: 0.0, lost: 0.0, read: BTreeSet::new() }
    }

    /// Whether the rule is to be tested on a slice.
    fn owes(&self, slice: u64) -> bool {
        (slice + 1) * SLICE <= self.unseen && !self.read.contains(&slice)
    }
}

/// Slices that a pass over these verifications has room for, where they are to be a share of all that it reads.
fn room((first, last): (u64, u64), share: f64) -> usize {
    let slices = |number: u64| (number as f64 * share / (1.0 - share) / SLICE as f64).floor();
    (slices(last) - slices(first)).max(0.0) as usize
}

/// Draws `count` of the slices below `slices` that are owed, by the priorities of their episodes together, and reads them.
/// The same history and seed draw the same. The work is bounded by `count`, however many there are.
fn draw(
    source: &impl VerifiedEpisodes,
    slices: u64,
    count: usize,
    seed: u64,
    settings: &ReplaySettings,
    owed: impl Fn(u64) -> bool,
) -> Result<Vec<(u64, Window)>> {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let mut some = |of: usize, count: usize| index::sample(&mut generator, of, count.min(of)).into_vec();
    let among = some(slices as usize, LOOKED_AMONG).into_iter().map(|slice| slice as u64);
    let owed: Vec<u64> = among.filter(|slice| owed(*slice)).collect();
    let candidates = some(owed.len(), count * CANDIDATES);
    let mut weights = Vec::with_capacity(candidates.len());
    for place in &candidates {
        weights.push(weight(source, owed[*place] * SLICE, settings)?);
    }
    let mut tree = SumTree::new(&weights);
    let drawn = without_replacement(&mut tree, 0..weights.len(), count, &mut generator);
    let read = |(place, _): (usize, f64)| {
        let slice = owed[candidates[place]];
        Ok((slice, Window::between(source, slice * SLICE, (slice + 1) * SLICE, false)?))
    };
    drawn.into_iter().map(read).collect()
}

/// Priorities of the episodes of the slice after this verification, together.
fn weight(source: &impl VerifiedEpisodes, begin: u64, settings: &ReplaySettings) -> Result<f64> {
    let (mut last, mut weight) = (begin, f64::MIN_POSITIVE);
    loop {
        let page = source.verified_since(last, PAGE)?;
        let Some((end, _)) = page.last() else { return Ok(weight) };
        last = *end;
        let within = page.iter().filter(|(number, _)| *number <= begin + SLICE);
        weight += within.map(|(_, episode)| settings.weight(episode)).sum::<f64>();
        if last >= begin + SLICE {
            return Ok(weight);
        }
    }
}

/// Draws and reads the slices of a pass over the verifications after the first of these up to the second.
pub(crate) fn prepare(
    store: &FactStore,
    source: &impl VerifiedEpisodes,
    numbers: (u64, u64),
    settings: &CuratorSettings,
) -> Result<LookBack> {
    let room = room(numbers, settings.look_back);
    if room == 0 {
        return Ok(LookBack::default());
    }
    let accounts = store.read(|connection| accounts(connection))?;
    let slices = accounts.iter().map(|account| account.unseen / SLICE).max().unwrap_or(0);
    let owed = |slice| accounts.iter().any(|account| account.owes(slice));
    let slices = draw(source, slices, room, numbers.0, &settings.draw, owed)?;
    Ok(LookBack { slices })
}

/// Accounts of the told rules in force.
fn accounts(connection: &Connection) -> Step<Vec<Account>> {
    let watermark = counter(connection, WATERMARK)?.unsigned_abs();
    let told = record::select(connection, TOLD_IN_FORCE, [TOLD])?;
    told.iter().map(|stored| account(connection, stored, watermark)).collect()
}

/// Opens the accounts of rules that this pass meets first, and tests the told rules on the slices that they are owed.
/// Called before the new decisions test anything.
pub(crate) fn apply(
    writer: &Writer<'_>,
    pass: &Pass,
    watermark: u64,
    look_back: &LookBack,
    report: &mut CuratorReport,
) -> Step<()> {
    let told = record::select(&writer.transaction, TOLD_IN_FORCE, [TOLD])?;
    let in_force = if look_back.slices.is_empty() || told.is_empty() {
        Vec::new()
    } else {
        record::select(&writer.transaction, IN_FORCE, [RULES])?
    };
    let predictions: Vec<Predictions> =
        look_back.slices.iter().map(|(_, window)| predict(&in_force, window)).collect();
    for stored in told {
        let mut account = account(&writer.transaction, &stored, watermark)?;
        let mut evidence = Vec::new();
        for ((slice, window), rules) in look_back.slices.iter().zip(&predictions) {
            if !account.owes(*slice) {
                continue;
            }
            account.read.insert(*slice);
            evidence.extend(test(writer, &stored, rules, window, &mut account)?);
        }
        evidence.drain(..evidence.len().saturating_sub(EVIDENCE_KEPT));
        settle(writer, pass, stored, &mut account, &evidence, report)?;
    }
    report.reread += look_back.slices.iter().map(|(_, window)| window.moments.len() as u64).sum::<u64>();
    Ok(())
}

/// Predictions on a slice of the rules in force, each with the serial number of its rule.
type Predictions = Vec<(i64, Prediction)>;

fn predict(in_force: &[StoredFact], window: &Window) -> Predictions {
    let prediction =
        |stored: &StoredFact| Some((stored.serial, Prediction::of(&stored.fact.payload, window)?));
    in_force.iter().filter_map(prediction).collect()
}

/// Tests a rule on a slice; returns the episodes whose decisions followed it.
fn test(
    writer: &Writer<'_>,
    stored: &StoredFact,
    rules: &Predictions,
    window: &Window,
    account: &mut Account,
) -> Step<Vec<Id>> {
    let Some(prediction) = Prediction::of(&stored.fact.payload, window) else { return Ok(Vec::new()) };
    let others = rules.iter().filter(|(serial, _)| *serial != stored.serial).map(|(_, other)| other);
    let known = load(&writer.transaction, stored.serial)?;
    let mut trial = RuleTrial::relived(known, &stored.fact, (account.gained, account.lost));
    let followed = trial.relive(window, &prediction, &beside(&prediction, others, window));
    (account.gained, account.lost) = (trial.gained, trial.lost);
    Ok(window.evidence(&followed, EVIDENCE_KEPT).0)
}

/// Confirms or lowers a rule by its account, and stores the account. The present has the last word: what earlier decisions
/// say counts only while the new ones do not say the contrary.
fn settle(
    writer: &Writer<'_>,
    pass: &Pass,
    mut stored: StoredFact,
    account: &mut Account,
    evidence: &[Id],
    report: &mut CuratorReport,
) -> Step<()> {
    let serial = stored.serial;
    let trial = RuleTrial::relived(None, &stored.fact, (account.gained, account.lost));
    let present = load(&writer.transaction, serial)?;
    if trial.is_broken() && !present.as_ref().is_some_and(RuleTrial::bears_out) {
        (account.gained, account.lost) = (0.0, 0.0);
        if !stored.fact.pinned {
            debit(writer, &stored, pass.tick, pass.retention)?;
            let tick = pass.tick.max(stored.fact.reinforced_tick);
            lower(writer, pass, &mut stored, tick)?;
            report.facts_contradicted += 1;
            report.rules_broken += 1;
        }
    } else if trial.is_confirmed() && !present.is_some_and(|present| present.casts_doubt()) {
        let id = stored.fact.id;
        let credit = credit(writer, stored, evidence, pass.tick, pass.retention)?;
        report.confirmed.extend((credit == Credit::Earned).then_some(id));
        if credit != Credit::None {
            account.gained = 0.0;
            report.facts_reinforced += 1;
            report.rules_followed += 1;
        }
    }
    save(writer, serial, account)
}

fn account(connection: &Connection, stored: &StoredFact, watermark: u64) -> Step<Account> {
    let known = connection
        .prepare_cached("SELECT unseen, gained, lost, slices, intact FROM look_backs WHERE fact = ?1")?
        .query_row([stored.serial], |row| {
            let slices: Vec<u8> = row.get(3)?;
            Ok(Account {
                unseen: row.get::<_, i64>(0)?.unsigned_abs(),
                gained: row.get(1)?,
                lost: row.get(2)?,
                read: slices.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect(),
            })
        })
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    // An own rule that episodes support was found in them, though its hypothesis may be gone.
    let is_found = !stored.fact.is_hearsay() && !stored.fact.evidence.is_empty();
    Ok(Account::new(is_found || load(connection, stored.serial)?.is_some(), watermark))
}

fn save(writer: &Writer<'_>, serial: i64, account: &Account) -> Step<()> {
    let slices: Vec<u8> = account.read.iter().flat_map(|slice| slice.to_le_bytes()).collect();
    writer
        .transaction
        .prepare_cached(
            "INSERT INTO look_backs (fact, unseen, gained, lost, slices) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (fact) DO UPDATE SET gained = ?3, lost = ?4, slices = ?5
             WHERE (gained, lost, slices) IS NOT (?3, ?4, ?5)",
        )?
        .execute(params![serial, signed(account.unseen)?, account.gained, account.lost, slices])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_episodes_are_the_share_of_what_passes_read_however_they_are_cut() {
        let slices = |cut: u64, share: f64| -> usize {
            (0..10_000 / cut).map(|pass| room((pass * cut, (pass + 1) * cut), share)).sum()
        };
        for cut in [1, 10, 50, 1_000] {
            let old = slices(cut, 0.3) as u64 * SLICE;
            assert!((old as f64 / (old + 10_000) as f64 - 0.3).abs() < 0.005, "{cut}: {old}");
        }
        assert_eq!(slices(50, 0.0), 0);
    }

    #[test]
    fn a_slice_is_owed_once_and_only_if_no_pass_counted_any_of_it() {
        let mut account = Account::new(false, 3 * SLICE - 1);
        let owed = |account: &Account| (0..5).filter(|slice| account.owes(*slice)).collect::<Vec<_>>();
        assert_eq!(owed(&account), [0, 1]);
        account.read.insert(1);
        assert_eq!(owed(&account), [0]);
        assert!(owed(&Account::new(true, 1_000)).is_empty());
    }
}
