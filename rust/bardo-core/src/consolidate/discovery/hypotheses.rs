//! The ledger of hypotheses: what was tested, on how many windows, with what fortune (see `e_values`), and which fact
//! states what is believed.

use rusqlite::Connection;

use super::claims::{Claim, Measure};
use super::e_values::{FALSE_DISCOVERY_RATE, discoveries, share};
use super::foreign_claims::{ForeignClaims, confirm_claim};
use super::hypothesis::Hypothesis;
use super::hypothesis_ranks::Ranks;
use super::hypothesis_rows::{load, save};
use super::known_rules::{Covering, KnownRules};
use super::redundant_rules::{MeasuredRule, redundant};
use super::window::Window;
use super::{links, periodicity, subgroup_search, subgroups};
use crate::consolidate::curator::{CuratorReport, Pass};
use crate::consolidate::statistics::baseline::{credible, lower};
use crate::error::Result;
use crate::facts::rows::{self as record, json};
use crate::facts::sqlite::Step;
use crate::facts::tombstones::is_forgotten;
use crate::facts::transaction::Writer;
use crate::facts::transitions::archive;
use crate::facts::transitions::confirm;
use crate::facts::transitions::rebase;
use crate::facts::transitions::revive_as;
use crate::facts::{EndCause, FactStore};
use crate::model::{Fact, FactStatus, Id, Source};

/// The most frequent sorts of event of a window that are compared with one another.
const LABELS: usize = 12;
/// Hypotheses that a window tests again, the most promising first.
const TESTED: usize = 256;
/// Hypotheses that are kept; beyond, the least promising that no fact states leave.
const KEPT: usize = 1_024;
/// Windows after which a rule that lost money is given up, so that there is room for others.
const PATIENCE: u64 = 8;
/// Part of all trust that claims about events have; rules have the rest.
const EVENTS: f64 = 0.5;

/// A hypothesis that a fact states.
pub(crate) struct StatedClaim<'ledger> {
    pub claim: &'ledger Claim,
    pub measure: &'ledger Measure,
    pub fact: Id,
}

/// All hypotheses of a store, in memory between reading and writing.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    rows: Vec<Hypothesis>,
    /// Claims that left.
    gone: Vec<Claim>,
    /// Tests made since it was read.
    tested: u64,
}

impl Ledger {
    /// Reads the stored hypotheses.
    pub fn read(store: &FactStore) -> Result<Self> {
        store.read(|connection| Self::load(connection))
    }

    /// The same within a transaction.
    pub fn load(connection: &Connection) -> Step<Self> {
        Ok(Self { rows: load(connection)?, ..Self::default() })
    }

    /// The hypotheses that are believed and that facts state, the surest first.
    pub fn stated(&self) -> impl Iterator<Item = StatedClaim<'_>> {
        let (certain, _) = discoveries(&self.scores(), FALSE_DISCOVERY_RATE);
        certain.into_iter().filter_map(|index| {
            let row = &self.rows[index];
            Some(StatedClaim { claim: &row.claim, measure: row.measure.as_ref()?, fact: row.fact? })
        })
    }

    fn scores(&self) -> Vec<f64> {
        self.rows.iter().map(Hypothesis::score).collect()
    }

    /// Whether a claim is known.
    pub fn holds(&self, claim: &Claim) -> bool {
        self.rows.iter().any(|row| row.claim == *claim)
    }

    /// How many rules are known that differ from this one in their bounds at most.
    pub fn variants(&self, rule: &subgroups::Rule) -> usize {
        let like = |row: &&Hypothesis| matches!(&row.claim, Claim::Differs(other) if other.is_like(rule));
        self.rows.iter().filter(like).count()
    }

    /// Begins to test a claim that a fact proposes.
    pub fn begin(&mut self, claim: Claim, share: f64, fact: Id) {
        self.rows.push(Hypothesis { fact: Some(fact), ..Hypothesis::new(claim, share) });
    }

    /// Tests claims about events, known and new, on a window that none of them was tested on before.
    pub fn examine_events(&mut self, window: &Window) {
        let covering = Covering::default();
        self.examine(window, &covering, |claim| !matches!(claim, Claim::Differs(_)));
        let begun = self.new_claims(window);
        let share = share(window.number, begun.len()) * EVENTS;
        for claim in begun {
            let mut hypothesis = Hypothesis::new(claim, share);
            self.tested += u64::from(hypothesis.test(window, &covering));
            self.rows.push(hypothesis);
        }
        self.prune_losers();
    }

    /// Tests the known rules on a window that none of them was tested on before, and begins new ones, which later windows
    /// test: they were chosen because they do well in the episodes that were searched.
    pub fn examine_rules(
        &mut self,
        window: &Window,
        searched: &Window,
        outcomes: &[String],
        known: &KnownRules,
    ) {
        self.examine(window, &known.in_window(window), |claim| matches!(claim, Claim::Differs(_)));
        let begun = self.new_rules(searched, outcomes, &known.in_window(searched));
        let share = share(window.number, begun.len()) * (1.0 - EVENTS);
        self.rows.extend(begun.into_iter().map(|claim| Hypothesis::new(claim, share)));
        self.prune_losers();
        self.find_redundant(searched);
    }

    fn examine(&mut self, window: &Window, covering: &Covering, wanted: impl Fn(&Claim) -> bool) {
        self.rows.sort_by(|a, b| b.score().total_cmp(&a.score()));
        let mut ranks = Ranks::default();
        for hypothesis in self.rows.iter_mut().filter(|row| wanted(&row.claim)) {
            if ranks.next(&hypothesis.claim, TESTED) {
                self.tested += u64::from(hypothesis.test(window, covering));
            }
        }
        let broken: Vec<Claim> =
            self.rows.iter().filter(|row| row.is_broken).map(|row| row.claim.clone()).collect();
        for row in self.rows.iter_mut().filter(|row| broken.iter().any(|claim| row.ends_with(claim))) {
            row.restart();
        }
    }

    /// Possible claims about the events that are frequent in a window.
    fn new_claims(&self, window: &Window) -> Vec<Claim> {
        let linked = window.frequent(links::LEAST, LABELS);
        let mut claims = Vec::new();
        for cause in &linked {
            for effect in linked.iter().filter(|effect| *effect != cause) {
                claims.push(Claim::Follows { cause: cause.clone(), effect: effect.clone() });
            }
        }
        for event in window.frequent(periodicity::LEAST, LABELS) {
            claims.push(Claim::Bursts { event });
        }
        // However seldom within a window: days and weeks are gathered over many.
        for event in window.frequent(1, LABELS) {
            claims.push(Claim::Hours { event: event.clone() });
            claims.push(Claim::Weekdays { event });
        }
        claims.retain(|claim| self.rows.iter().all(|known| known.claim != *claim));
        claims
    }

    fn new_rules(&self, window: &Window, outcomes: &[String], covering: &Covering) -> Vec<Claim> {
        let known = self.rows.iter().filter_map(|row| match &row.claim {
            Claim::Differs(rule) => Some(rule),
            _ => None,
        });
        subgroup_search::propose(window, outcomes, &known, covering).into_iter().map(Claim::Differs).collect()
    }

    /// Drops rules that lost for long, and the least promising of the rest beyond what is kept.
    fn prune_losers(&mut self) {
        self.rows.sort_by(|a, b| b.score().total_cmp(&a.score()));
        let mut ranks = Ranks::default();
        let gone = &mut self.gone;
        self.rows.retain(|row| {
            let lost =
                matches!(row.claim, Claim::Differs(_)) && row.windows >= PATIENCE && row.log_wealth < 0.0;
            let stays = ranks.next(&row.claim, KEPT) && !lost || row.fact.is_some();
            if !stays {
                gone.push(row.claim.clone());
            }
            stays
        });
    }

    /// Finds the believed rules that another one of them makes redundant by the episodes of a window.
    fn find_redundant(&mut self, window: &Window) {
        let (certain, _) = discoveries(&self.scores(), FALSE_DISCOVERY_RATE);
        let measured = |index: &usize| {
            let row = &self.rows[*index];
            match (&row.claim, &row.measure) {
                (Claim::Differs(rule), Some(Measure::Differs { inside, outside })) => {
                    let rule = MeasuredRule { rule, inside, outside, is_stated: row.fact.is_some() };
                    Some((*index, rule))
                }
                _ => None,
            }
        };
        let (places, rules): (Vec<usize>, Vec<MeasuredRule<'_>>) =
            certain.iter().filter_map(measured).unzip();
        let replaced_by: Vec<Option<Claim>> = redundant(&rules, window)
            .into_iter()
            .map(|by| by.map(|by| self.rows[places[by]].claim.clone()))
            .collect();
        self.rows.iter_mut().for_each(|row| row.replaced_by = None);
        for (place, by) in places.into_iter().zip(replaced_by) {
            self.rows[place].replaced_by = by;
        }
    }

    /// Writes what changed, and lets facts say what is believed now.
    pub fn apply(
        mut self,
        writer: &Writer<'_>,
        store: &FactStore,
        pass: &Pass,
        report: &mut CuratorReport,
    ) -> Step<()> {
        report.hypotheses_tested = self.tested;
        for claim in &self.gone {
            writer
                .transaction
                .prepare_cached("DELETE FROM hypotheses WHERE claim = ?1")?
                .execute([json(claim)?])?;
        }
        let (certain, doubted_below) = discoveries(&self.scores(), FALSE_DISCOVERY_RATE);
        let mut heard = None;
        for index in certain {
            let row = &mut self.rows[index];
            if row.tested && row.replaced_by.is_none() {
                let heard = match &heard {
                    Some(heard) => heard,
                    None => heard.insert(ForeignClaims::read(writer)?),
                };
                state(writer, store, pass, row, heard, report)?;
            }
        }
        for row in &self.rows {
            if let Some(by) = &row.replaced_by {
                let by = self.rows.iter().find(|other| other.claim == *by).and_then(|other| other.fact);
                give_up(writer, pass, row, &EndCause::Redundancy, by)?;
            } else if row.is_broken {
                give_up(writer, pass, row, &EndCause::Refutation, None)?;
            }
        }
        for row in self.rows.iter().filter(|row| row.changed) {
            if row.tested && row.fact.is_some() && row.score() < doubted_below {
                doubt(writer, pass, row, report)?;
            }
            save(writer, row)?;
        }
        Ok(())
    }
}

/// Withdraws the fact of a hypothesis that the rule of another fact makes redundant, or that its latest episodes break.
fn give_up(writer: &Writer<'_>, pass: &Pass, row: &Hypothesis, cause: &EndCause, by: Option<Id>) -> Step<()> {
    let Some(id) = row.fact else { return Ok(()) };
    let Some(mut stored) = record::find(&writer.transaction, id)? else { return Ok(()) };
    let is_there = matches!(stored.fact.status, FactStatus::Active | FactStatus::Held);
    if is_there && !stored.fact.pinned && stored.fact.source != Source::Dream {
        stored.fact.superseded_by = by;
        archive(writer, &mut stored, cause, pass.tick)?;
    }
    Ok(())
}

/// Lets a fact say what is believed of a hypothesis.
fn state(
    writer: &Writer<'_>,
    store: &FactStore,
    pass: &Pass,
    row: &mut Hypothesis,
    heard: &ForeignClaims,
    report: &mut CuratorReport,
) -> Step<()> {
    let Some(measure) = &row.measure else { return Ok(()) };
    let Some((text, payload)) = row.claim.statement(measure, (-row.log_wealth).exp().min(1.0)) else {
        return Ok(());
    };
    let support = u32::try_from(measure.support()).unwrap_or(u32::MAX);
    let confidence = (1.0 - FALSE_DISCOVERY_RATE) * credible(0.0, measure.support());
    let tick = row.ticks.1.min(pass.tick);
    if row.fact.is_none() {
        row.fact = heard.same(writer, pass, &payload, tick)?;
    }
    let known = match row.fact {
        Some(id) => record::find(&writer.transaction, id)?,
        None => None,
    };
    let Some(mut stored) = known else {
        if is_forgotten(writer, &text)? {
            return Ok(());
        }
        let (kind, category) = row.claim.kind();
        let fact = Fact {
            category: category.to_owned(),
            subjects: row.about(),
            support,
            evidence: row.evidence.clone(),
            confidence: confidence as f32,
            observed: row.ticks,
            status: pass.birth(),
            payload,
            ..Fact::new(kind, text)
        };
        let mut fact = store.initial_state(&fact, pass.tick, pass.now);
        fact.reinforced_tick = tick;
        writer.insert(&mut fact)?;
        report.facts_new += 1;
        report.heuristics_proposed += u64::from(matches!(row.claim, Claim::Differs(_)));
        row.fact = Some(fact.id);
        return heard.apply(writer, pass, fact.id, tick, report);
    };
    if stored.fact.status == FactStatus::Superseded || stored.fact.pinned {
        return Ok(());
    }
    if stored.fact.source == Source::Dream {
        // Episodes that came after the dream bore it out.
        confirm(&mut stored.fact, pass.tick, pass.retention.tau_ticks);
        stored.fact.expires_tick = None;
        report.dreams_confirmed += 1;
    }
    // As of the latest episode of the windows, whenever the pass runs (law 4).
    if stored.fact.is_hearsay() {
        confirm_claim(&mut stored, tick, confidence, support, pass.retention.tau_ticks);
        report.confirmed.push(stored.fact.id);
    } else {
        rebase(&mut stored.fact, confidence, tick);
        stored.fact.support = support;
    }
    stored.fact.text = text;
    stored.fact.payload = payload;
    stored.fact.observed = row.ticks;
    revive_as(&mut stored, pass.birth());
    record::add_evidence(&writer.transaction, stored.serial, &row.evidence, pass.tick)?;
    writer.update(&stored, pass.tick)?;
    report.facts_reinforced += 1;
    heard.apply(writer, pass, stored.fact.id, tick, report)
}

/// A hypothesis that is no longer believed lowers its fact, which expires unless later windows confirm it. A held
/// fact never comes into force.
fn doubt(writer: &Writer<'_>, pass: &Pass, row: &Hypothesis, report: &mut CuratorReport) -> Step<()> {
    let Some(id) = row.fact else { return Ok(()) };
    let Some(mut stored) = record::find(&writer.transaction, id)? else { return Ok(()) };
    // An unconfirmed dream expires by itself.
    if stored.fact.status == FactStatus::Held && !stored.fact.pinned && stored.fact.source != Source::Dream {
        return archive(writer, &mut stored, &EndCause::Refutation, pass.tick);
    }
    if stored.fact.status != FactStatus::Active || stored.fact.pinned || stored.fact.source == Source::Dream {
        return Ok(());
    }
    let tick = row.ticks.1.min(pass.tick).max(stored.fact.reinforced_tick);
    lower(writer, pass, &mut stored, tick)?;
    report.facts_contradicted += 1;
    Ok(())
}
