//! Claims of hypotheses: their measurements, and the facts that state them.

use serde::{Deserialize, Serialize};

use super::known_rules::Covering;
use super::periodicity::{self, Block, Clock, RhythmResult, standing_out};
use super::subgroups::{self, Rule};
use super::window::{Label, Window};
use super::{links, subgroups::Condition};
use crate::consolidate::fact_text::{one_line, short};
use crate::consolidate::statistics::agreement::{standard_error, student};
use crate::consolidate::statistics::shift;
use crate::consolidate::statistics::statistic::Statistic;
use crate::model::calendar::WEEKDAYS;
use crate::model::statistics::NORMAL_975;
use crate::model::{FactKind, FactPayload, Id};

/// Names of numbers and words in a payload that say what the agent did.
pub(in crate::consolidate) const ACTIONS: [&str; 4] = ["action", "decision", "side", "strategy"];

/// Something that may hold in general.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Claim {
    /// One sort of event follows another.
    Follows {
        /// The earlier.
        cause: Label,
        /// The later.
        effect: Label,
    },
    /// A sort of event comes in heaps.
    Bursts {
        /// Following event.
        event: Label,
    },
    /// A sort of event prefers an hour of the day.
    Hours {
        /// Event.
        event: Label,
    },
    /// A sort of event prefers a day of the week.
    Weekdays {
        /// Event.
        event: Label,
    },
    /// An outcome differs under a condition.
    Differs(Rule),
    /// A number is no longer what it was.
    Shifted {
        /// Subject of the number.
        subject: String,
        /// Its path in the payload.
        metric: String,
        /// Its mean in the long run.
        before: f64,
        /// Its mean now.
        now: f64,
    },
}

/// Measurements of a claim, over all windows that tested it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Measure {
    Follows {
        within: u64,
        lag: u64,
        effects: u64,
        followed: u64,
        expected: f64,
    },
    Bursts {
        events: u64,
        most: u64,
        expected: f64,
        within: u64,
    },
    Rhythm {
        happened: Vec<f64>,
        expected: Vec<f64>,
        blocks: u64,
        events: u64,
        /// Days or weeks that were not tested yet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        waiting: Vec<Block>,
    },
    Differs {
        inside: Statistic,
        outside: Statistic,
    },
    Shifted {
        since: Statistic,
    },
}

/// Result of testing a claim on one window.
pub(crate) struct TestResult {
    /// Logarithm of the winnings; none if all of it waits for more episodes.
    pub log_e_value: Option<f64>,
    pub measure: Measure,
    /// Episodes of the window that the claim is about.
    pub positions: Vec<usize>,
}

impl Claim {
    /// Tests the claim on a window, given earlier measurements and the rules in force; nothing if there is too little in it.
    pub(crate) fn test(
        &self,
        window: &Window,
        known: Option<&Measure>,
        covering: &Covering,
    ) -> Option<TestResult> {
        let positions = |event: &Label| window.events.get(event).cloned().unwrap_or_default();
        match self {
            Self::Follows { cause, effect } => {
                let found = links::test(window, cause, effect)?;
                let measure = Measure::Follows {
                    within: found.within,
                    lag: found.lag,
                    effects: found.effects,
                    followed: found.had_cause,
                    expected: found.expected,
                };
                Some(TestResult {
                    log_e_value: Some(found.log_e_value),
                    measure,
                    positions: positions(effect),
                })
            }
            Self::Bursts { event } => {
                let found = periodicity::bursts(window, event)?;
                let positions = positions(event);
                let measure = Measure::Bursts {
                    events: positions.len() as u64,
                    most: found.most,
                    expected: found.expected,
                    within: found.within,
                };
                Some(TestResult { log_e_value: Some(found.log_e_value), measure, positions })
            }
            Self::Hours { event } => Some(rhythm_of(window, event, Clock::Hours, known)),
            Self::Weekdays { event } => Some(rhythm_of(window, event, Clock::Weekdays, known)),
            Self::Shifted { subject, metric, before, now } => {
                let found = shift::test(window, subject, metric, *before, *now)?;
                let measure = Measure::Shifted { since: found.since };
                Some(TestResult { log_e_value: Some(found.log_e_value), measure, positions: found.positions })
            }
            Self::Differs(rule) => {
                let found = subgroups::test(window, rule, covering)?;
                let measure = Measure::Differs { inside: found.inside, outside: found.outside };
                Some(TestResult { log_e_value: Some(found.log_e_value), measure, positions: found.positions })
            }
        }
    }

    /// Subjects that it is about.
    pub(crate) fn subjects(&self) -> Vec<String> {
        let mut subjects: Vec<String> = match self {
            Self::Follows { cause, effect } => {
                [&cause.subject, &effect.subject].into_iter().flatten().cloned().collect()
            }
            Self::Bursts { event } | Self::Hours { event } | Self::Weekdays { event } => {
                event.subject.iter().cloned().collect()
            }
            Self::Shifted { subject, .. } => vec![subject.clone()],
            Self::Differs(rule) => rule
                .conditions
                .iter()
                .filter_map(|condition| match condition {
                    Condition::Is(path, word) if path == "subject" => Some(word.clone()),
                    _ => None,
                })
                .collect(),
        };
        subjects.dedup();
        subjects
    }

    /// Whether it says any of these subjects or words.
    pub(crate) fn names(&self, wanted: &dyn Fn(&str) -> bool) -> bool {
        self.subjects().iter().any(|subject| wanted(subject))
            || self.has_condition(|condition| matches!(condition, Condition::Is(_, word) if wanted(word)))
    }

    /// Whether it quotes any of these episodes.
    pub(crate) fn quotes(&self, episodes: &[Id]) -> bool {
        self.has_condition(
            |condition| matches!(condition, Condition::Like(like) if episodes.contains(&like.episode)),
        )
    }

    fn has_condition(&self, is: impl Fn(&Condition) -> bool) -> bool {
        matches!(self, Self::Differs(rule) if rule.conditions.iter().any(is))
    }

    /// Kind and category of the fact that states it.
    pub(crate) const fn kind(&self) -> (FactKind, &'static str) {
        match self {
            Self::Follows { .. } => (FactKind::CausalLink, "patterns/links"),
            Self::Bursts { .. } => (FactKind::Pattern, "patterns/bursts"),
            Self::Hours { .. } | Self::Weekdays { .. } => (FactKind::Pattern, "patterns/rhythms"),
            Self::Differs(_) => (FactKind::Heuristic, "heuristics"),
            Self::Shifted { .. } => (FactKind::Pattern, "patterns/shifts"),
        }
    }

    /// The claim and what was measured, as the text and the payload of a fact. `p_value` is one that may be looked at at
    /// any time: the inverse of the fortune.
    pub(crate) fn statement(&self, measure: &Measure, p_value: f64) -> Option<(String, FactPayload)> {
        match (self, measure) {
            (
                Self::Follows { cause, effect },
                Measure::Follows { within, lag, effects, followed, expected },
            ) => {
                let (cause, effect) = (one_line(&cause.words()), one_line(&effect.words()));
                let lift = *followed as f64 / expected.max(0.5);
                let text = format!(
                    "{effect} follows {cause}: within {within} ticks in {followed} of {effects} cases, {} times as often \
                     as by chance, usually after {lag}",
                    short(lift)
                );
                Some((text, FactPayload::CausalLink { cause, effect, lag_ticks: *lag, lift, p_value }))
            }
            (Self::Bursts { event }, Measure::Bursts { most, expected, within, .. }) => {
                let text = format!(
                    "{} comes in bursts: up to {most} within {within} ticks, where an even background has {} at most",
                    one_line(&event.words()),
                    short(*expected)
                );
                Some(pattern(text, *most as f64 / expected.max(0.5), p_value))
            }
            (
                Self::Hours { event } | Self::Weekdays { event },
                Measure::Rhythm { happened, expected, blocks, .. },
            ) => {
                let (excess, slot) = standing_out(happened, expected, *blocks as f64)?;
                let (when, each) = match self {
                    Self::Hours { .. } => {
                        (format!("between {slot}:00 and {}:00 UTC", (slot + 1) % 24), "days")
                    }
                    _ => (format!("on {}s", WEEKDAYS[slot]), "weeks"),
                };
                let text = format!(
                    "{} happens mostly {when}: in {} of {blocks} {each}, where chance has {}",
                    one_line(&event.words()),
                    happened[slot],
                    short(expected[slot])
                );
                Some(pattern(text, excess, p_value))
            }
            (Self::Differs(rule), Measure::Differs { inside, outside }) => {
                Some(heuristic(rule, inside, outside))
            }
            (Self::Shifted { subject, metric, before, .. }, Measure::Shifted { since }) => {
                let text = format!(
                    "{}.{} has shifted: mean {} over the latest {} observations, {} before",
                    one_line(subject),
                    one_line(metric),
                    short(since.mean),
                    since.n,
                    short(*before)
                );
                Some(pattern(text, since.mean - before, p_value))
            }
            _ => None,
        }
    }
}

fn rhythm_of(window: &Window, event: &Label, clock: Clock, known: Option<&Measure>) -> TestResult {
    let before: &[Block] = match known {
        Some(Measure::Rhythm { waiting, .. }) => waiting,
        _ => &[],
    };
    let (found, waiting) = periodicity::rhythm(window, event, clock, before);
    let log_e_value = found.as_ref().map(|found| found.log_e_value);
    let measure = match found {
        Some(RhythmResult { happened, expected, blocks, events, .. }) => {
            Measure::Rhythm { happened, expected, blocks, events, waiting }
        }
        None => Measure::Rhythm { happened: Vec::new(), expected: Vec::new(), blocks: 0, events: 0, waiting },
    };
    TestResult { log_e_value, measure, positions: window.events.get(event).cloned().unwrap_or_default() }
}

fn pattern(text: String, statistic: f64, p_value: f64) -> (String, FactPayload) {
    (text.clone(), FactPayload::Pattern { description: text, statistic, p_value })
}

fn heuristic(rule: &Rule, inside: &Statistic, outside: &Statistic) -> (String, FactPayload) {
    let is_action = |condition: &&Condition| matches!(condition, Condition::Is(path, _) if ACTIONS.contains(&path.as_str()));
    let words = |conditions: Vec<&Condition>| {
        one_line(&conditions.into_iter().map(Condition::words).collect::<Vec<_>>().join(" and "))
    };
    let direction = if rule.higher { "higher" } else { "lower" };
    let (effect, (low, high)) = difference(inside, outside);
    let outcome = one_line(&rule.outcome);
    // By how much it is lower: without a sign, as the effect.
    let (least, most) = if rule.higher { (low, high) } else { (-high, -low) };
    // A subject that a feature names, too, is told once.
    let is_told = |condition: &&Condition| match condition {
        Condition::Is(path, subject) if path == "subject" => rule
            .conditions
            .iter()
            .any(|other| matches!(other, Condition::Is(path, word) if path != "subject" && word == subject)),
        _ => false,
    };
    let text = format!(
        "When {}, {outcome} is {direction} by {} (95 % interval {} to {}): {} on average in {} cases, {} in the other {}",
        words(rule.conditions.iter().filter(|condition| !is_told(condition)).collect()),
        short(effect.abs()),
        short(least),
        short(most),
        short(inside.mean),
        inside.n,
        short(outside.mean),
        outside.n
    );
    let payload = FactPayload::Heuristic {
        condition: words(rule.conditions.iter().filter(|condition| !is_action(condition)).collect()),
        action: words(rule.conditions.iter().filter(is_action).collect()),
        outcome: format!("{outcome} is {direction}"),
        n: inside.n + outside.n,
        effect,
        interval: (low, high),
    };
    (text, payload)
}

/// The difference of two means, with Welch's interval of 95 %.
fn difference(inside: &Statistic, outside: &Statistic) -> (f64, (f64, f64)) {
    let finite = |number: f64| number.clamp(f64::MIN, f64::MAX);
    let effect = finite(inside.mean - outside.mean);
    let (error, freedom) = standard_error(
        inside.sample_deviation(),
        inside.n as f64,
        outside.sample_deviation(),
        outside.n as f64,
    );
    let margin = finite(student(NORMAL_975, freedom) * error);
    (effect, (finite(effect - margin), finite(effect + margin)))
}

impl Measure {
    /// The measure of both sets of windows together; a part that belongs to one window alone is the later one's.
    pub fn merge(&self, later: &Self) -> Self {
        match (self, later) {
            (
                Self::Follows { effects, followed, expected, .. },
                Self::Follows { within, lag, effects: more, followed: also, expected: by_chance },
            ) => Self::Follows {
                within: *within,
                lag: *lag,
                effects: effects + more,
                followed: followed + also,
                expected: expected + by_chance,
            },
            (Self::Bursts { events, .. }, Self::Bursts { events: more, most, expected, within }) => {
                Self::Bursts { events: events + more, most: *most, expected: *expected, within: *within }
            }
            (
                Self::Rhythm { happened, expected, blocks, events, .. },
                Self::Rhythm { happened: also, expected: by_chance, blocks: more, events: later, waiting },
            ) => Self::Rhythm {
                happened: sum(happened, also),
                expected: sum(expected, by_chance),
                blocks: blocks + more,
                events: events + later,
                waiting: waiting.clone(),
            },
            (Self::Differs { inside, outside }, Self::Differs { inside: also, outside: other }) => {
                Self::Differs { inside: inside.merge(also), outside: outside.merge(other) }
            }
            (Self::Shifted { since }, Self::Shifted { since: later }) => {
                Self::Shifted { since: since.merge(later) }
            }
            _ => later.clone(),
        }
    }

    /// Episodes behind it.
    pub const fn support(&self) -> u64 {
        match self {
            Self::Follows { effects, .. } => *effects,
            Self::Bursts { events, .. } | Self::Rhythm { events, .. } => *events,
            Self::Differs { inside, .. } => inside.n,
            Self::Shifted { since } => since.n,
        }
    }

    /// The effect of a rule that is surely there: the end of its interval that is nearer to none; 0 for anything else.
    pub fn least_effect(&self) -> f64 {
        let Self::Differs { inside, outside } = self else { return 0.0 };
        let (_, (low, high)) = difference(inside, outside);
        if low.signum() == high.signum() { low.abs().min(high.abs()) } else { 0.0 }
    }
}

/// The sums of two lists, place by place; a missing place counts as 0.
fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    let at = |numbers: &[f64], place| numbers.get(place).copied().unwrap_or(0.0);
    (0..a.len().max(b.len())).map(|place| at(a, place) + at(b, place)).collect()
}
