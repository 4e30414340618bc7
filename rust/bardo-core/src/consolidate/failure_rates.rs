//! Failure rates of a warning: how often severe failures came under its conditions, and in other cases.
//!
//! With many conditions the worst failure under each is no news. So a warning says how rare its failure is, and whether its
//! conditions matter. The failure that it was made from chose the conditions and proves nothing about them: only further
//! failures count (Webb, Machine Learning 68, 2007), by an e-value, which may be read after each of them: the likelihood ratio
//! of a uniform mixture of frequencies (Robbins, The Annals of Mathematical Statistics 41, 1970).

use std::collections::BTreeSet;
use std::ops::Range;

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::discovery::subgroups::{Condition, LEAST_GROUP, Outcomes, members};
use super::discovery::window::Window;
use super::statistics::agreement::QUANTILE_REFUTE;
use super::statistics::statistic::Statistic;
use crate::facts::rows::{StoredFact, json, unreadable};
use crate::facts::sqlite::Step;
use crate::facts::transaction::Writer;
use crate::model::Id;

/// Cases under the conditions from which a failure that did not come more often is said not to.
const LEAST_CASES: u64 = 30;
/// E-value from which failures are said to come more often: an error in 20 lives with 50 warnings each.
const MORE_OFTEN: f64 = 1_000.0;
/// Share by which the cases grow between two statements of them: a text that changes is embedded again.
const GROWTH: u64 = 4;
/// End of the sentence that the rates follow.
const EARLIER_CASES: &str = " earlier cases";
const BEGIN: &str = " (severe in ";

/// Outcomes of some cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Cases {
    outcomes: Option<Statistic>,
    failures: u64,
}

impl Cases {
    fn count(self) -> u64 {
        self.outcomes.map_or(0, |outcomes| outcomes.n)
    }

    fn add(&mut self, outcome: f64, failed: bool) {
        let one = Statistic::of(outcome);
        self.outcomes = Some(self.outcomes.map_or(one, |known| known.merge(&one)));
        self.failures += u64::from(failed);
    }
}

/// Failures under the conditions of a warning and in other cases of its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct FailureRates {
    /// Path of the outcome.
    outcome: String,
    /// Kind of the episodes.
    kind: String,
    /// Conditions of the warning, and its subject.
    conditions: Vec<Condition>,
    /// Outcome of the failure; one that is as bad failed, too.
    bound: f64,
    inside: Cases,
    outside: Cases,
    /// Cases under the conditions when they were last stated.
    stated: u64,
    /// Statement of the rates.
    words: String,
}

impl FailureRates {
    /// Rates before any case.
    pub(super) fn new(outcome: String, kind: String, conditions: Vec<Condition>, bound: f64) -> Self {
        let (inside, outside) = (Cases::default(), Cases::default());
        Self { outcome, kind, conditions, bound, inside, outside, stated: 0, words: String::new() }
    }

    /// Counts the cases at some positions of a window; `severe` are episodes that failed
    /// by the standard of their time.
    ///
    /// The rates are stated after each failure under the conditions, and when the cases have grown by a quarter, for any
    /// division of the cases into windows.
    pub(super) fn count(&mut self, window: &Window, positions: Range<usize>, severe: &BTreeSet<Id>) {
        let Some(rows) = window.numbers.get(&self.outcome) else { return };
        let outcome = Outcomes { name: &self.outcome, rows };
        let of_kind = members(window, &outcome, &[Condition::Is("kind".to_owned(), self.kind.clone())]);
        let meeting = members(window, &outcome, &self.conditions);
        for ((position, number), (of_kind, meets)) in rows.iter().zip(of_kind.into_iter().zip(meeting)) {
            if !of_kind || !positions.contains(position) {
                continue;
            }
            let failed = *number <= self.bound || severe.contains(&window.moments[*position].id);
            if !meets {
                self.outside.add(*number, failed);
                continue;
            }
            self.inside.add(*number, failed);
            let count = self.inside.count();
            if failed || count > self.stated + self.stated / GROWTH {
                self.stated = count;
                self.words = self.in_words();
            }
        }
    }

    fn in_words(&self) -> String {
        let (inside, outside) = (self.inside, self.outside);
        let mut words = format!("{BEGIN}{} of {} such cases", inside.failures, inside.count());
        if outside.count() == 0 {
            return format!("{words})");
        }
        words = format!("{words} and {} of {} others", outside.failures, outside.count());
        let frequency = if self.is_more_frequent() {
            Some("surely more often")
        } else {
            (inside.count() >= LEAST_CASES).then_some("not surely more often")
        };
        let told: Vec<&str> = [frequency, self.difference()].into_iter().flatten().collect();
        if told.is_empty() { format!("{words})") } else { format!("{words}; {})", told.join(", ")) }
    }

    /// Whether further failures came under the conditions more often than by chance.
    fn is_more_frequent(&self) -> bool {
        let (inside, outside) = (self.inside, self.outside);
        let further = inside.failures.saturating_sub(1) as f64;
        let all = further + outside.failures as f64;
        let expected = inside.count() as f64 / (inside.count() + outside.count()).max(1) as f64;
        if further <= expected * all {
            return false;
        }
        let chosen: f64 = (1..=further as u64).map(|k| ((all - further + k as f64) / k as f64).ln()).sum();
        let chance = chosen + further * expected.ln() + (all - further) * (1.0 - expected).ln();
        -chance - (all + 1.0).ln() >= MORE_OFTEN.ln()
    }

    /// Whether the outcome is surely lower, or higher, on average than in other cases.
    fn difference(&self) -> Option<&'static str> {
        let (inside, outside) = (self.inside.outcomes?, self.outside.outcomes?);
        if inside.n.min(outside.n) < LEAST_GROUP as u64 {
            return None;
        }
        let error = |cases: &Statistic| cases.sample_deviation() / (cases.n as f64).sqrt();
        let least = QUANTILE_REFUTE * error(&inside).hypot(error(&outside));
        let difference = inside.mean / 2.0 - outside.mean / 2.0;
        (difference.abs() > least / 2.0).then_some(if difference < 0.0 {
            "on average lower"
        } else {
            "on average higher"
        })
    }

    /// A text of a warning with the rates as they are stated now.
    pub(super) fn restate(&self, text: &str) -> String {
        let Some(place) = text.rfind(EARLIER_CASES) else { return text.to_owned() };
        let (head, tail) = text.split_at(place + EARLIER_CASES.len());
        let rest = match tail.strip_prefix(BEGIN).and_then(|known| known.split_once(')')) {
            Some((_, rest)) => rest,
            None => tail,
        };
        format!("{head}{}{rest}", self.words)
    }
}

/// Reads the rates of a warning; `None` if its cases are not counted.
pub(super) fn load(writer: &Writer<'_>, serial: i64) -> Step<Option<FailureRates>> {
    let stored: Option<String> = writer
        .transaction
        .prepare_cached("SELECT rates, intact FROM failure_rates WHERE fact = ?1")?
        .query_row([serial], |row| row.get(0))
        .optional()?;
    Ok(stored.map(|rates| serde_json::from_str(&rates).map_err(unreadable)).transpose()?)
}

pub(super) fn save(writer: &Writer<'_>, serial: i64, rates: &FailureRates) -> Step<()> {
    writer
        .transaction
        .prepare_cached(
            "INSERT INTO failure_rates (fact, rates) VALUES (?1, ?2)
             ON CONFLICT (fact) DO UPDATE SET rates = ?2 WHERE intact",
        )?
        .execute(params![serial, json(rates)?])?;
    Ok(())
}

/// Counts the cases of a pass for the warnings whose rates are known, and states what changed.
pub(super) fn follow(
    writer: &Writer<'_>,
    warnings: Vec<StoredFact>,
    decisions: &Window,
    severe: &BTreeSet<Id>,
    tick: u64,
) -> Step<()> {
    for mut stored in warnings {
        let Some(mut rates) = load(writer, stored.serial)? else { continue };
        let before = rates.clone();
        rates.count(decisions, 0..decisions.moments.len(), severe);
        if rates == before {
            continue;
        }
        save(writer, stored.serial, &rates)?;
        let text = rates.restate(&stored.fact.text);
        if text != stored.fact.text {
            stored.fact.text = text;
            writer.update(&stored, tick)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(inside: (u64, u64), outside: (u64, u64), means: (f64, f64)) -> FailureRates {
        let cases = |(failures, n): (u64, u64), mean: f64| Cases {
            outcomes: Some(Statistic { n, mean, deviation: 1.0, min: -9.0, max: 9.0 }),
            failures,
        };
        FailureRates {
            inside: cases(inside, means.0),
            outside: cases(outside, means.1),
            ..FailureRates::new("pnl".into(), "trade".into(), Vec::new(), -3.0)
        }
    }

    #[test]
    fn the_failure_that_chose_the_conditions_does_not_show_that_they_matter() {
        let words = |inside, outside| rates(inside, outside, (0.0, 0.0)).in_words();
        assert_eq!(words((1, 9), (0, 80)), " (severe in 1 of 9 such cases and 0 of 80 others)");
        let rare = " (severe in 1 of 60 such cases and 3 of 540 others; not surely more often)";
        assert_eq!(words((1, 60), (3, 540)), rare);
        assert!(words((6, 60), (1, 540)).ends_with("; surely more often)"));
        assert_eq!(words((1, 40), (0, 0)), " (severe in 1 of 40 such cases)");
    }

    #[test]
    fn a_mean_is_told_only_where_it_surely_differs() {
        assert_eq!(rates((1, 200), (5, 600), (0.5, 0.0)).difference(), Some("on average higher"));
        assert_eq!(rates((1, 200), (5, 600), (-0.5, 0.0)).difference(), Some("on average lower"));
        assert_eq!(rates((1, 200), (5, 600), (0.1, 0.0)).difference(), None);
    }

    #[test]
    fn rates_are_stated_in_the_place_of_earlier_ones() {
        let rates = FailureRates {
            words: " (severe in 2 of 9 such cases)".into(),
            ..rates((2, 9), (0, 0), (0.0, 0.0))
        };
        let text = "Severe failure: pnl was 9 deviations below the median of 40 earlier cases; gas was unusually high";
        let stated = "Severe failure: pnl was 9 deviations below the median of 40 earlier cases (severe in 2 of 9 such \
                      cases); gas was unusually high";
        assert_eq!(rates.restate(text), stated);
        assert_eq!(rates.restate(stated), stated);
        assert_eq!(rates.restate("Mind the step"), "Mind the step");
    }
}
