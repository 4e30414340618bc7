//! Dreams turn replayed episodes into proposals that only later episodes can confirm, and let rules compete.
//!
//! *NREM*: numbers of replayed episodes are estimated again and compared with the long run; a moved one is proposed as a shift.
//! *REM*: links
//! that share a middle are joined, thresholds of rules are perturbed and tried on the replayed episodes. *Evolution*: of
//! rules that say the same with other bounds the worse is retired. A proposal is a hypothesis of the ledger with a share of
//! trust of its own: the Curator bets on it window by window, as on any other, and what is believed becomes the agent's own
//! knowledge. An unconfirmed proposal expires.

use std::collections::BTreeSet;

use crate::consolidate::batch::{Batch, VerifiedEpisodes};
use crate::consolidate::curator::{CuratorReport, CuratorSettings, Pass};
use crate::consolidate::discovery::claims::{Claim, Measure};
use crate::consolidate::discovery::e_values::dream_share;
use crate::consolidate::discovery::hypotheses::{Ledger, StatedClaim};
use crate::consolidate::discovery::subgroups;
use crate::consolidate::discovery::window::{Label, Window};
use crate::consolidate::fact_text::{one_line, short};
use crate::consolidate::observed_ticks::ObservedTicks;
use crate::consolidate::statistics::agreement::{Verdict, compare_claim};
use crate::consolidate::statistics::baseline;
use crate::consolidate::statistics::identifiers::is_identifier;
use crate::error::{Error, Result};
use crate::facts::rows as record;
use crate::facts::sqlite::Step;
use crate::facts::transaction::Writer;
use crate::facts::transitions::replace;
use crate::facts::{Actor, EndCause, FactStore};
use crate::model::{Episode, Fact, FactPayload, FactStatus, Id, Micros, Source};

/// The name of its acts in the journal.
const ACTOR: &str = "dream";
/// Episodes that one dream takes in at most: they are in memory at once.
pub const REPLAYED: usize = 4_096;
/// Maximum number of proposals of one dream; chosen so that a dream a night keeps the ledger small.
const PROPOSALS: usize = 8;
/// Confidence of what a dream proposes.
const CONFIDENCE: f32 = 0.3;
/// Replayed observations of a number before a shift is proposed: enough for the normal approximation.
const OBSERVATIONS: u64 = 30;
/// Counts dreams, among the settings of the fact store.
const DREAMS: &str = "dreams";

/// Report of a dream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DreamReport {
    /// Different episodes that were replayed.
    pub replayed: u64,
    /// Numbers that were estimated again.
    pub estimates: u64,
    /// Proposals: numbers that may have shifted, ...
    pub shifts: Vec<Id>,
    /// ... events that may follow each other through a third, ...
    pub links: Vec<Id>,
    /// ... and rules with other thresholds.
    pub rules: Vec<Id>,
    /// Rules that a better one replaced.
    pub retired: Vec<Id>,
    /// Its number in the journal; none if no fact was touched.
    pub act: Option<u64>,
}

/// A hypothesis that is not in the ledger yet, and the fact that says it.
struct Proposal {
    claim: Claim,
    fact: Fact,
}

/// Dreams of these episodes, in one transaction. The same history gives the same dream.
pub fn dream(
    store: &FactStore,
    source: &impl VerifiedEpisodes,
    replayed: &[Id],
    tick: u64,
    now: Micros,
    settings: CuratorSettings,
) -> Result<DreamReport> {
    if source.agent() != store.agent() {
        return Err(Error::invalid(
            format!("the episodes are {:?}'s and the facts {:?}'s", source.agent(), store.agent()),
            "Let each agent dream of its own episodes",
        ));
    }
    let different: BTreeSet<Id> = replayed.iter().copied().collect();
    if different.len() > REPLAYED {
        return Err(Error::invalid(
            format!("{} episodes were replayed", different.len()),
            format!("A dream takes in at most {REPLAYED}"),
        ));
    }
    let source = &ObservedTicks::new(source, settings.seconds);
    let ids: Vec<Id> = different.into_iter().collect();
    let episodes: Vec<Episode> =
        source.episodes(&ids)?.into_iter().flatten().filter(|episode| episode.annotations.verified).collect();
    let pass = Pass { tick, now, settings, retention: store.retention() };
    // Before the transaction, for which other writers wait.
    let tried = perturbed(&Ledger::read(store)?, &Window::of(&episodes), &pass.settings.outcomes);
    let actor = Actor { name: ACTOR, tick, now };
    let (report, act) = store.act(actor, |writer| night(writer, store, &pass, &episodes, tried))?;
    Ok(DreamReport { act, ..report })
}

fn night(
    writer: &Writer<'_>,
    store: &FactStore,
    pass: &Pass,
    episodes: &[Episode],
    tried: Vec<Proposal>,
) -> Step<DreamReport> {
    let number = writer.next(DREAMS)?.unsigned_abs();
    forget_expired(writer)?;
    let mut ledger = Ledger::load(&writer.transaction)?;
    let mut report = DreamReport { replayed: episodes.len() as u64, ..DreamReport::default() };
    let found = [shifted(writer, episodes, &mut report)?, joined(&ledger), tried];
    let chosen = in_turns(found, &ledger);
    let share = dream_share(number, chosen.len());
    for (sort, proposal) in chosen {
        let id = propose(writer, store, pass, proposal.fact)?;
        ledger.begin(proposal.claim, share, id);
        [&mut report.shifts, &mut report.links, &mut report.rules][sort].push(id);
    }
    compete(writer, pass, &ledger, &mut report)?;
    ledger.apply(writer, store, pass, &mut CuratorReport::default())?;
    Ok(report)
}

/// The best of each sort that are not known yet, in turns, so that no sort crowds out the others; with its place.
fn in_turns(found: [Vec<Proposal>; 3], ledger: &Ledger) -> Vec<(usize, Proposal)> {
    let mut sorts =
        found.map(|proposals| proposals.into_iter().filter(|proposal| !ledger.holds(&proposal.claim)));
    let mut chosen: Vec<(usize, Proposal)> = Vec::new();
    for _ in 0..PROPOSALS {
        for (sort, proposals) in sorts.iter_mut().enumerate() {
            if let Some(proposal) = proposals.next()
                && chosen.len() < PROPOSALS
                && chosen.iter().all(|(_, other)| other.claim != proposal.claim)
            {
                chosen.push((sort, proposal));
            }
        }
    }
    chosen
}

/// Hypotheses whose proposals expired are given up, so that dreams do not fill the ledger.
fn forget_expired(writer: &Writer<'_>) -> Step<()> {
    writer
        .transaction
        .prepare_cached(
            "DELETE FROM hypotheses WHERE fact IN
             (SELECT id FROM facts WHERE source = 'dream' AND status = 'archived')",
        )?
        .execute([])?;
    Ok(())
}

fn propose(writer: &Writer<'_>, store: &FactStore, pass: &Pass, fact: Fact) -> Step<Id> {
    let fact = Fact {
        confidence: CONFIDENCE,
        source: Source::Dream,
        status: pass.birth(),
        expires_tick: Some(pass.expiry(pass.tick)),
        ..fact
    };
    let mut fact = store.initial_state(&fact, pass.tick, pass.now);
    writer.insert(&mut fact)?;
    Ok(fact.id)
}

/// NREM: numbers whose mean in the later half of what was replayed is surely not that of the long run.
fn shifted(writer: &Writer<'_>, episodes: &[Episode], report: &mut DreamReport) -> Step<Vec<Proposal>> {
    let mut order: Vec<&Episode> = episodes.iter().collect();
    order.sort_by_key(|episode| (episode.tick, episode.event_index, episode.id));
    let mut late = Batch::one_by_one();
    for episode in &order[order.len() / 2..] {
        late.count(episode);
    }
    let mut found = Vec::new();
    for ((subject, metric), observed) in &late.observed {
        let now = &observed.statistic;
        if now.n < OBSERVATIONS || is_identifier(metric, observed.numbers.iter().map(|(_, number)| *number)) {
            continue;
        }
        report.estimates += 1;
        let Some(long) = baseline::known(&writer.transaction, subject, metric)? else { continue };
        if compare_claim(now, &long, OBSERVATIONS) != Verdict::Disagrees
            || !(now.mean - long.mean).is_normal()
        {
            continue;
        }
        let claim = Claim::Shifted {
            subject: subject.clone(),
            metric: metric.clone(),
            before: long.mean,
            now: now.mean,
        };
        let text = format!(
            "{}.{} may have shifted: mean {} of {} that were replayed of late, {} over all {} observations",
            one_line(subject),
            one_line(metric),
            short(now.mean),
            now.n,
            short(long.mean),
            long.n
        );
        let strength = (now.mean - long.mean).abs() / long.sample_deviation().max(f64::MIN_POSITIVE);
        let evidence = observed.evidence.clone();
        found.push((
            strength,
            Proposal { fact: dream_fact(&claim, text, FactPayload::None, evidence), claim },
        ));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(found.into_iter().map(|(_, proposal)| proposal).collect())
}

/// REM: what follows what follows something may follow it.
fn joined(ledger: &Ledger) -> Vec<Proposal> {
    let links: Vec<(&Label, &Label, u64, u64, f64)> = ledger
        .stated()
        .filter_map(|stated| match (stated.claim, stated.measure) {
            (Claim::Follows { cause, effect }, Measure::Follows { lag, followed, expected, .. }) => {
                Some((cause, effect, *lag, *followed, *followed as f64 / expected.max(0.5)))
            }
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    for (cause, middle, first, seen, lift) in &links {
        for (also, effect, second, later, more) in &links {
            if also != middle || effect == cause {
                continue;
            }
            let claim = Claim::Follows { cause: (*cause).clone(), effect: (*effect).clone() };
            let [start, between, end] = [cause, middle, effect].map(|label| one_line(&label.words()));
            let text =
                format!("{end} may follow {start}: {between} follows {start}, and {end} follows {between}");
            let payload = FactPayload::CausalLink {
                cause: start,
                effect: end,
                lag_ticks: first.saturating_add(*second),
                lift: lift.min(*more),
                p_value: 1.0,
            };
            let fact = dream_fact(&claim, text, payload, Vec::new());
            found.push((*seen.min(later), Proposal { claim, fact }));
        }
    }
    found.sort_by_key(|(seen, _)| std::cmp::Reverse(*seen));
    found.into_iter().map(|(_, proposal)| proposal).collect()
}

/// REM: rules with other thresholds, where these do better on what was replayed.
fn perturbed(ledger: &Ledger, window: &Window, outcomes: &[String]) -> Vec<Proposal> {
    let mut found = Vec::new();
    for StatedClaim { claim, .. } in ledger.stated() {
        let Claim::Differs(rule) = claim else { continue };
        // One variant at a time: the next dream tries another if this one is not borne out.
        if ledger.variants(rule) > 1 {
            continue;
        }
        for (better, gain) in subgroups::variants(window, rule, outcomes) {
            let claim = Claim::Differs(better.rule);
            let Some((text, payload)) =
                claim.statement(&Measure::Differs { inside: better.inside, outside: better.outside }, 1.0)
            else {
                continue;
            };
            let text = format!("Perhaps: {text} of those that were replayed");
            found.push((gain, Proposal { fact: dream_fact(&claim, text, payload, Vec::new()), claim }));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, proposal)| proposal).collect()
}

fn dream_fact(claim: &Claim, text: String, payload: FactPayload, evidence: Vec<Id>) -> Fact {
    let (kind, category) = claim.kind();
    Fact {
        category: category.to_owned(),
        subjects: claim.subjects(),
        support: evidence.len() as u32,
        evidence,
        payload,
        ..Fact::new(kind, text)
    }
}

/// Evolution: of rules in force that differ in their bounds alone, the one whose effect is surely larger takes the place of
/// the others.
fn compete(writer: &Writer<'_>, pass: &Pass, ledger: &Ledger, report: &mut DreamReport) -> Step<()> {
    let rules: Vec<(&subgroups::Rule, f64, Id)> = ledger
        .stated()
        .filter_map(|stated| match (stated.claim, stated.measure) {
            (Claim::Differs(rule), measure @ Measure::Differs { .. }) => {
                Some((rule, measure.least_effect(), stated.fact))
            }
            _ => None,
        })
        .collect();
    let mut gone: BTreeSet<Id> = BTreeSet::new();
    for (index, (rule, effect, fact)) in rules.iter().enumerate() {
        for (other, more, better) in &rules[index + 1..] {
            if !rule.is_like(other) || gone.contains(fact) || gone.contains(better) {
                continue;
            }
            let (worse, better) = if effect < more { (*fact, *better) } else { (*better, *fact) };
            let (Some(loser), Some(mut winner)) =
                (record::find(&writer.transaction, worse)?, record::find(&writer.transaction, better)?)
            else {
                continue;
            };
            let in_force = |fact: &Fact| fact.status == FactStatus::Active && fact.source != Source::Dream;
            if !in_force(&loser.fact) || !in_force(&winner.fact) || loser.fact.pinned {
                continue;
            }
            replace(writer, &mut winner, loser, &EndCause::Competition, pass.tick)?;
            gone.insert(worse);
            report.retired.push(worse);
        }
    }
    Ok(())
}
