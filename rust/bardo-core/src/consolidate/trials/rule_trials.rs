//! Credit for following: each decision made under a rule tests its prediction.
//!
//! A rule predicts that the outcome of a decision under its conditions lies by its effect beside that of other decisions.
//! The log likelihood ratio between this and no effect is summed over the decisions that followed the rule, in two ways: a
//! sum that confirms the rule where it reaches the bound of a sequential probability ratio test (Wald, 1945), and one that
//! doubts it where it has fallen by more than chance allows (CUSUM; Page, Biometrika 41, 1954). An obeyed rule is thereby
//! confirmed by what comes out as predicted, and a rule that stops predicting is lowered after a few decisions.

use std::collections::BTreeSet;

use super::rule_confidence::raise;
use super::rule_trial_rows::{load, save};
use crate::consolidate::curator::{CuratorReport, Pass};
use crate::consolidate::discovery::hypothesis_rows;
use crate::consolidate::discovery::known_rules::is_beside;
use crate::consolidate::discovery::subgroups::{Condition, Outcomes, Rule, members};
use crate::consolidate::discovery::window::Window;
use crate::consolidate::statistics::agreement::student;
use crate::consolidate::statistics::baseline::lower;
use crate::consolidate::statistics::statistic::Statistic;
use crate::facts::outcomes::{Credit, credit, debit};
use crate::facts::rows::{self as record, StoredFact};
use crate::facts::sqlite::Step;
use crate::facts::transaction::Writer;
use crate::facts::transitions::rebase;
use crate::model::decay::confidence_now;
use crate::model::statistics::NORMAL_975;
use crate::model::{Fact, FactPayload};

/// Rules in force that one pass tests at most, the surest first.
pub(crate) const RULES: i64 = 4_096;
/// Log likelihood ratio at which a rule is confirmed once more: 20 to 1.
const CONFIRMED: f64 = 2.995_732_273_553_991;
/// Fall of the log likelihood ratio at which a rule is doubted. Where the rule holds, a fall by chance takes at least
/// `exp` of it, 10,000 decisions on average.
const DOUBTED: f64 = 9.210_340_371_976_184;
/// Other decisions before a prediction can be compared with them.
const LEAST_OTHERS: u64 = 8;
/// Other decisions that are remembered, the later ones counting more.
const OTHERS_KEPT: u64 = 256;
/// Effect in standard deviations that one decision speaks for at most.
const LARGEST_EFFECT: f64 = 1.5;
/// Effect that a rule without figures predicts, in standard deviations: a small to medium one (Cohen, 1988).
const UNMEASURED: f64 = 0.3;
/// Standard deviations beyond the prediction at which an outcome counts no further: heavy tails decide nothing alone.
const OUTLIER: f64 = 2.5;

/// Decisions that followed an inherited rule and did not bear it out, after which it has faded by one time constant: as many
/// as the first window that tests rules has. A rule of a small effect is missed by nearly half of its decisions, and gains
/// more by the others.
const MISSES: f64 = 64.0;

/// A rule on trial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RuleTrial {
    pub(in crate::consolidate) followed: u64,
    pub(in crate::consolidate) others: Option<Statistic>,
    pub(in crate::consolidate) gained: f64,
    pub(in crate::consolidate) lost: f64,
    pub(in crate::consolidate) confirmed: u64,
    pub(in crate::consolidate) broken_at: u64,
    /// Decisions that followed it since it was read, and did not bear it out, while it was not confirmed.
    pub(in crate::consolidate) missed: u32,
}

/// Prediction of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Prediction {
    rule: Rule,
    effect: Effect,
}

/// Size of a predicted effect, without sign.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// Effect in units of the outcome: the end of its interval that is nearer to zero, at least half of the effect.
    Measured(f64),
    /// Effect in standard deviations of other outcomes, for a rule that came without figures.
    Deviations(f64),
}

impl Prediction {
    /// Reads the prediction of a fact; none where it states no rule with structured conditions. "High" and "low" of a rule
    /// that came without figures are above and below the median of a window.
    pub(crate) fn of(payload: &FactPayload, window: &Window) -> Option<Self> {
        let FactPayload::Heuristic { condition, action, outcome, effect, interval, .. } = payload else {
            return None;
        };
        let (outcome, higher) = match outcome.strip_suffix(" is higher") {
            Some(name) => (name, true),
            None => (outcome.strip_suffix(" is lower")?, false),
        };
        let parts = [condition, action].into_iter().flat_map(|words| words.split(" and "));
        let conditions: Option<Vec<Condition>> =
            parts.filter(|part| !part.is_empty()).map(|part| Condition::stated(part, window)).collect();
        let conditions = conditions.filter(|conditions| !conditions.is_empty())?;
        let least = interval.0.abs().min(interval.1.abs());
        let is_measured = interval.0 < interval.1 && interval.0 * interval.1 > 0.0;
        let effect = if is_measured {
            Effect::Measured(least.max(effect.abs() / 2.0))
        } else {
            Effect::Deviations(UNMEASURED)
        };
        Some(Self { rule: Rule { conditions, outcome: outcome.to_owned(), higher }, effect })
    }

    /// Takes the rule.
    pub(crate) fn into_rule(self) -> Rule {
        self.rule
    }

    /// Whether the decisions that follow another rule say nothing about this one: it is about the same outcome, and
    /// promises a difference in the same direction, or explains its decisions by other conditions. The figures of a
    /// discovered rule leave these out as well.
    fn is_tested_without(&self, other: &Self) -> bool {
        self.rule.outcome == other.rule.outcome
            && (self.rule.higher == other.rule.higher || is_beside(&other.rule, &self.rule))
    }

    /// Positions of the decisions of a window that follow the rule.
    fn followed(&self, window: &Window) -> BTreeSet<usize> {
        let Some(rows) = window.numbers.get(&self.rule.outcome) else { return BTreeSet::new() };
        let outcome = Outcomes { name: &self.rule.outcome, rows };
        let members = members(window, &outcome, &self.rule.conditions);
        members.iter().zip(rows).filter(|(member, _)| **member).map(|(_, (position, _))| *position).collect()
    }

    /// The same for a hypothesis.
    pub(crate) const fn new(rule: Rule, effect: f64) -> Self {
        Self { rule, effect: Effect::Measured(effect) }
    }
}

impl RuleTrial {
    /// Before the first decision, from outcomes of other decisions.
    pub(crate) fn new(others: Option<Statistic>) -> Self {
        let others = others.map(|others| Statistic { n: others.n.min(OTHERS_KEPT), ..others });
        Self { followed: 0, others, gained: 0.0, lost: 0.0, confirmed: 0, broken_at: 0, missed: 0 }
    }

    /// Before earlier decisions, with the sums that others of them left: compared with what is known of other decisions.
    pub(crate) fn relived(known: Option<Self>, fact: &Fact, (gained, lost): (f64, f64)) -> Self {
        let others = known.map_or_else(|| others_told(fact), |known| known.others);
        Self { gained, lost, ..Self::new(others) }
    }

    /// Tests a prediction on earlier decisions as a whole: those that followed it are compared with the others of the same
    /// time, where these are enough. Returns the positions of those that followed it.
    pub(crate) fn relive(
        &mut self,
        window: &Window,
        prediction: &Prediction,
        beside: &BTreeSet<usize>,
    ) -> Vec<usize> {
        let Some(rows) = window.numbers.get(&prediction.rule.outcome) else { return Vec::new() };
        let members = prediction.followed(window);
        let others =
            rows.iter().filter(|(position, _)| !members.contains(position) && !beside.contains(position));
        let others = others.map(|(_, number)| Statistic::of(*number)).reduce(|all, one| all.merge(&one));
        self.others = others.filter(|others| others.n >= LEAST_OTHERS).or(self.others);
        let sign = if prediction.rule.higher { 1.0 } else { -1.0 };
        for (_, number) in rows.iter().filter(|(position, _)| members.contains(position)) {
            self.test(sign, *number, prediction.effect);
        }
        members.into_iter().collect()
    }

    /// Whether the decisions that followed the rule came out as predicted.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.gained >= CONFIRMED
    }

    /// Whether decisions confirmed the rule, or are about to.
    pub(crate) fn bears_out(&self) -> bool {
        self.confirmed > 0 || self.is_confirmed()
    }

    /// Whether the latest decisions say that the rule does not hold, though not surely yet.
    pub(crate) fn casts_doubt(&self) -> bool {
        self.lost >= CONFIRMED
    }

    /// Whether the decisions that followed the rule came out otherwise than predicted.
    pub(crate) fn is_broken(&self) -> bool {
        self.lost >= DOUBTED
    }

    /// Tests a prediction on the decisions of a window, in their order; returns the positions of those that followed it.
    ///
    /// Other decisions are those that follow neither the rule nor one of `beside`, so that an agent that obeys several rules
    /// does not compare them with one another.
    pub(crate) fn follow(
        &mut self,
        window: &Window,
        prediction: &Prediction,
        beside: &BTreeSet<usize>,
    ) -> Vec<usize> {
        let Prediction { rule, effect } = prediction;
        let Some(rows) = window.numbers.get(&rule.outcome) else { return Vec::new() };
        let outcome = Outcomes { name: &rule.outcome, rows };
        let sign = if rule.higher { 1.0 } else { -1.0 };
        let mut followed = Vec::new();
        for (member, (position, number)) in members(window, &outcome, &rule.conditions).iter().zip(rows) {
            if *member {
                followed.push(*position);
                self.test(sign, *number, *effect);
            } else if !beside.contains(position) {
                let one = Statistic::of(*number);
                let all = self.others.map_or(one, |others| others.merge(&one));
                self.others = Some(Statistic { n: all.n.min(OTHERS_KEPT), ..all });
            }
        }
        self.followed += followed.len() as u64;
        followed
    }

    fn test(&mut self, sign: f64, number: f64, effect: Effect) {
        let Some(others) = self.others.filter(|others| others.n >= LEAST_OTHERS) else { return };
        let deviation = others.sample_deviation();
        if deviation <= 0.0 {
            return;
        }
        let predicted = match effect {
            Effect::Measured(effect) => (effect / deviation).min(LARGEST_EFFECT),
            Effect::Deviations(effect) => effect,
        };
        let found = (sign * (number - others.mean) / deviation).clamp(-OUTLIER, predicted + OUTLIER);
        let ratio = predicted * (found - predicted / 2.0);
        self.gained = (self.gained + ratio).clamp(0.0, 2.0 * CONFIRMED);
        self.lost = (self.lost - ratio).max(0.0);
        // A rule that is confirmed already waits for its next credit, which is spaced: no single decision speaks against it.
        self.missed += u32::from(ratio <= 0.0 && !self.is_confirmed());
    }
}

impl Condition {
    /// Reads a condition as [`Condition::words`] states it; none for one that is like a situation, or in other words.
    fn stated(words: &str, window: &Window) -> Option<Self> {
        let bound = |sign: &str| {
            let (path, bound) = words.split_once(sign)?;
            Some((path.to_owned(), bound.trim().parse::<f64>().ok().filter(|bound| bound.is_finite())?))
        };
        if let Some((path, bound)) = bound(" >= ") {
            Some(Self::AtLeast(path, bound))
        } else if let Some((path, bound)) = bound(" <= ") {
            Some(Self::AtMost(path, bound))
        } else {
            let (path, word) = words.split_once(" is ")?;
            let numbers = || median(window.numbers.get(path)?.iter().map(|(_, number)| *number));
            match word {
                "high" if window.numbers.contains_key(path) => {
                    Some(Self::AtLeast(path.to_owned(), numbers()?))
                }
                "low" if window.numbers.contains_key(path) => Some(Self::AtMost(path.to_owned(), numbers()?)),
                _ => (!path.contains(' ') && !word.is_empty() && !word.starts_with("like "))
                    .then(|| Self::Is(path.to_owned(), word.to_owned())),
            }
        }
    }
}

/// Positions of decisions that say nothing about a prediction, because they follow other rules.
pub(crate) fn beside<'rules>(
    prediction: &Prediction,
    others: impl Iterator<Item = &'rules Prediction>,
    window: &Window,
) -> BTreeSet<usize> {
    others
        .filter(|other| prediction.is_tested_without(other))
        .flat_map(|other| other.followed(window))
        .collect()
}

fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

/// The outcomes of other decisions as the text of a rule tells them: their mean and number, and a deviation that gives its
/// interval. An heir that always follows a rule has none of its own.
fn others_told(fact: &Fact) -> Option<Statistic> {
    let FactPayload::Heuristic { interval, .. } = &fact.payload else { return None };
    let (_, told) = fact.text.rsplit_once("): ")?;
    let (inside, outside) = told.split_once(" cases, ")?;
    let within: u64 = inside.rsplit(' ').next()?.parse().ok()?;
    let (mean, others) = outside.split_once(" in the other ")?;
    let (mean, n): (f64, u64) = (mean.trim().parse().ok()?, others.trim().parse().ok()?);
    if n < LEAST_OTHERS || within < 2 {
        return None;
    }
    let margin = (interval.1 - interval.0) / 2.0;
    let freedom = (n + within - 2) as f64;
    let deviation = margin / (student(NORMAL_975, freedom) * (1.0 / n as f64 + 1.0 / within as f64).sqrt());
    let is_sound = mean.is_finite() && deviation.is_finite() && deviation > 0.0;
    // It weighs no more than a few decisions of the heir's own.
    is_sound.then(|| Statistic {
        n: n.min(2 * LEAST_OTHERS),
        mean,
        deviation,
        min: mean - deviation,
        max: mean + deviation,
    })
}

/// Rules in force, and own measurements of the hypotheses that they state.
pub(crate) const IN_FORCE: &str = "WHERE kind = 'heuristic' AND status = 'active' AND source <> 'dream' ORDER BY confidence DESC, serial LIMIT ?1";

/// Tests the rules in force on the decisions of a batch: confirms what came out as predicted, and lowers what did not.
pub(crate) fn apply(
    writer: &Writer<'_>,
    pass: &Pass,
    window: &Window,
    (first, last): (u64, u64),
    report: &mut CuratorReport,
) -> Step<()> {
    if window.numbers.is_empty() {
        return Ok(());
    }
    let rules: Vec<(StoredFact, Prediction)> = record::select(&writer.transaction, IN_FORCE, [RULES])?
        .into_iter()
        .filter_map(|stored| Some((Prediction::of(&stored.fact.payload, window)?, stored)))
        .map(|(prediction, stored)| (stored, prediction))
        .collect();
    let followed: Vec<BTreeSet<usize>> =
        rules.iter().map(|(_, prediction)| prediction.followed(window)).collect();
    let beside: Vec<BTreeSet<usize>> = rules
        .iter()
        .enumerate()
        .map(|(place, (_, one))| {
            let others = rules.iter().zip(&followed).enumerate();
            let apart = others.filter(|(other, ((_, two), _))| *other != place && one.is_tested_without(two));
            apart.flat_map(|(_, (_, positions))| positions).copied().collect()
        })
        .collect();
    for ((stored, prediction), beside) in rules.into_iter().zip(&beside) {
        let known = load(&writer.transaction, stored.serial)?;
        // Told outcomes are no evidence of the agent's own; a pass tells of its own windows.
        let mut trial = match known {
            Some(known) => known,
            None => RuleTrial::new(others_told(&stored.fact)),
        };
        let before = trial.clone();
        let followed = trial.follow(window, &prediction, beside);
        if trial == before {
            continue;
        }
        settle(writer, pass, window, stored, &mut trial, &followed, (first, last), report)?;
    }
    Ok(())
}

/// Confirms or lowers a fact by its trial, and stores the trial.
#[expect(clippy::too_many_arguments, reason = "the parts of one pass")]
fn settle(
    writer: &Writer<'_>,
    pass: &Pass,
    window: &Window,
    mut stored: StoredFact,
    trial: &mut RuleTrial,
    followed: &[usize],
    (_, last): (u64, u64),
    report: &mut CuratorReport,
) -> Step<()> {
    let serial = stored.serial;
    let tick = window.span().1.min(pass.tick);
    if trial.is_broken() {
        trial.broken_at = last;
        (trial.gained, trial.lost) = (0.0, 0.0);
        if !stored.fact.pinned {
            debit(writer, &stored, tick, pass.retention)?;
            hypothesis_rows::restart(writer, stored.fact.id)?;
            let at = tick.max(stored.fact.reinforced_tick);
            lower(writer, pass, &mut stored, at)?;
            report.facts_contradicted += 1;
            report.rules_broken += 1;
        }
        return save(writer, serial, trial);
    }
    fade(writer, pass, &mut stored, trial.missed, tick)?;
    if trial.is_confirmed() {
        let (evidence, _) = window.evidence(followed, crate::facts::EVIDENCE_KEPT);
        let id = stored.fact.id;
        let credit = credit(writer, stored, &evidence, tick, pass.retention)?;
        report.confirmed.extend((credit == Credit::Earned).then_some(id));
        if credit != Credit::None {
            trial.gained = 0.0;
            trial.confirmed += 1;
            report.facts_reinforced += 1;
            report.rules_followed += 1;
            // After a break only the latest decisions are known to bear it out.
            let unbroken = if trial.broken_at == 0 { trial.followed } else { 0 };
            raise(writer, pass, serial, tick, (followed.len() as u64, unbroken))?;
        }
    }
    save(writer, serial, trial)
}

/// Lets an inherited rule fade by the decisions that followed it and did not bear it out. It hardly fades by days: while
/// its situation does not come, nothing speaks against it.
fn fade(writer: &Writer<'_>, pass: &Pass, stored: &mut StoredFact, missed: u32, tick: u64) -> Step<()> {
    if missed == 0 || stored.fact.pinned || !stored.fact.is_hearsay() {
        return Ok(());
    }
    let tick = tick.max(stored.fact.reinforced_tick);
    let before = confidence_now(&stored.fact, tick, pass.retention.tau_ticks);
    rebase(&mut stored.fact, before * (-f64::from(missed) / MISSES).exp(), tick);
    writer.update(stored, tick)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact() -> Fact {
        Fact {
            payload: FactPayload::Heuristic {
                condition: "momentum >= 0.65".into(),
                action: "action is long".into(),
                outcome: "pnl is higher".into(),
                n: 1_000,
                effect: 0.8,
                interval: (0.6, 1.0),
            },
            ..Fact::new(
                crate::model::FactKind::Heuristic,
                "When momentum >= 0.65 and action is long, pnl is higher by 0.8 (95 % interval 0.6 to 1): 0.81 on \
                 average in 100 cases, 0.01 in the other 900",
            )
        }
    }

    #[test]
    fn the_other_decisions_of_a_rule_are_read_from_its_text() {
        let others = others_told(&fact()).unwrap();
        assert!((others.mean - 0.01).abs() < 1e-12);
        assert!((others.deviation - 0.968).abs() < 0.01, "{others:?}");
    }

    #[test]
    fn a_rule_in_structured_words_predicts_and_one_in_free_words_does_not() {
        let prediction = Prediction::of(&fact().payload, &Window::default()).unwrap();
        assert_eq!(
            prediction.rule.conditions,
            [Condition::AtLeast("momentum".into(), 0.65), Condition::Is("action".into(), "long".into())]
        );
        assert!(matches!(prediction.effect, Effect::Measured(effect) if (effect - 0.6).abs() < 1e-12));
        let window = Window {
            numbers: [("momentum".to_owned(), vec![(0, 0.1), (1, 0.5), (2, 0.9)])].into(),
            ..Window::default()
        };
        assert_eq!(Condition::stated("it is like \"a gas spike\"", &window), None);
        let high = Condition::stated("momentum is high", &window);
        assert_eq!(high, Some(Condition::AtLeast("momentum".into(), 0.5)));
        assert_eq!(
            Condition::stated("mood is high", &window),
            Some(Condition::Is("mood".into(), "high".into()))
        );
    }

    #[test]
    fn a_rule_that_goes_on_predicting_is_confirmed_and_one_that_stops_is_broken() {
        let others = Statistic { n: 100, mean: 0.0, deviation: 1.0, min: -3.0, max: 3.0 };
        let noise = |step: u32| f64::from(step * 37 % 101) / 50.0 - 1.0;
        let mut trial = RuleTrial::new(Some(others));
        let mut confirmed = 0;
        for step in 0..200 {
            trial.test(1.0, 0.8 + noise(step), Effect::Measured(0.6));
            confirmed += u32::from(trial.gained >= CONFIRMED);
        }
        assert!(confirmed > 100 && !trial.is_broken(), "{trial:?}");
        let steps = (0..400).position(|step| {
            trial.test(1.0, noise(step), Effect::Measured(0.6));
            trial.is_broken()
        });
        assert!(steps.is_some_and(|steps| steps < 120), "{steps:?}");
    }
}
