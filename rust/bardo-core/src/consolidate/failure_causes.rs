//! Causes of severe failures: the conditions that a warning names, and the failures that are of one cause.
//!
//! One failure cannot show by figures which of its conditions matters. A text in words of its own names what
//! mattered: "the squeeze came while funding was high". So the conditions are those that such words name, if they name any.
//! Words of routine tell nothing, and then each condition counts that can hold again.

use std::collections::BTreeSet;

use super::discovery::claims::ACTIONS;
use super::discovery::subgroups::{Condition, LEAST_GROUP, is_outcome, rounded};
use super::discovery::window::Window;
use super::fact_text::one_line;
use super::statistics::identifiers::is_identifier;
use crate::model::{Episode, FactPayload};

/// Names under which a payload tells the regime.
const REGIMES: [&str; 2] = ["regime", "market_regime"];
/// Paths of the columns that hold subjects and kinds rather than words of the payload.
const NO_FEATURES: [&str; 2] = ["kind", "subject"];
/// Maximum number of conditions of one warning.
const CONDITIONS: usize = 4;
/// Shares of the earlier numbers that a high one exceeds, and a low one has above it; the largest is its bound.
const BEYOND: [f64; 3] = [0.99, 0.9, 0.8];

/// Conditions that the words of a failure name; none where it is told in the words of routine.
///
/// # Arguments
/// * `window`, `position`: Where the failure is.
/// * `failure`, `ordinary`: The failure, and earlier episodes of its kind.
/// * `before`: Returns the numbers of the episodes of its kind before it.
pub(super) fn named(
    window: &Window,
    position: usize,
    (failure, ordinary): (&Episode, &[Episode]),
    outcomes: &[String],
    before: impl Fn(&[(usize, f64)]) -> Vec<f64>,
) -> Vec<Condition> {
    let told = words(&failure.text);
    let usual: BTreeSet<String> = ordinary.iter().flat_map(|one| words(&one.text)).collect();
    if told.difference(&usual).count() * 2 <= told.len() {
        return Vec::new();
    }
    let is_told = |name: &str| {
        let parts = words(name);
        !parts.is_empty() && parts.is_subset(&told)
    };
    let mut found: Vec<Condition> = Vec::new();
    for ((path, word), positions) in &window.words {
        let is_feature =
            !NO_FEATURES.contains(&path.as_str()) && !path.contains(' ') && !word.contains(" and ");
        // The subject stands in the warning by itself.
        let is_subject = failure.subjects.iter().any(|subject| subject.eq_ignore_ascii_case(word));
        if is_feature && !is_subject && positions.binary_search(&position).is_ok() && is_told(word) {
            found.push(Condition::Is(one_line(path), one_line(word)));
        }
    }
    for (path, rows) in window.numbers.iter().filter(|(path, _)| !is_outcome(path, outcomes)) {
        let last = path.rsplit('.').next().unwrap_or(path);
        let Some((_, number)) = rows.iter().find(|(at, _)| *at == position) else { continue };
        if is_told(last) && !path.contains(' ') {
            let mut earlier = before(rows);
            if earlier.len() >= LEAST_GROUP && !is_identifier(path, earlier.iter().copied()) {
                earlier.sort_unstable_by(f64::total_cmp);
                found.extend(beyond(&one_line(path), *number, &earlier));
            }
        }
    }
    if found.iter().all(is_action) {
        return Vec::new();
    }
    found.sort_by_key(is_action);
    found.truncate(CONDITIONS);
    found
}

/// The condition that a number is as high, or as low, as one beyond most of the sorted earlier ones.
fn beyond(path: &str, number: f64, earlier: &[f64]) -> Option<Condition> {
    let last = (earlier.len() - 1) as f64;
    BEYOND.iter().find_map(|share| {
        let (high, low) = (earlier[(share * last) as usize], earlier[((1.0 - share) * last).ceil() as usize]);
        if number >= high && high > low {
            Some(Condition::AtLeast(path.to_owned(), rounded(high)))
        } else if number <= low && high > low {
            Some(Condition::AtMost(path.to_owned(), rounded(low)))
        } else {
            None
        }
    })
}

/// Words of a text in lower case, without figures; a name of a payload is split at its signs.
fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|sign: char| !sign.is_alphabetic()).filter(|part| part.len() > 1);
    parts.map(str::to_lowercase).collect()
}

/// Conditions on words of a payload that can hold again: the regime, the action, and words seen before.
pub(super) fn of_words(window: &Window, position: usize) -> Vec<Condition> {
    let mut found: Vec<Condition> = window
        .words
        .iter()
        .filter(|((path, word), positions)| {
            let name = path.as_str();
            let is_known = REGIMES.contains(&name) || ACTIONS.contains(&name);
            let place = positions.binary_search(&position);
            // A condition in words ends at "and".
            !NO_FEATURES.contains(&name)
                && !word.contains(" and ")
                && !path.contains(' ')
                && place.is_ok_and(|earlier| is_known || earlier >= LEAST_GROUP)
        })
        .map(|((path, word), _)| Condition::Is(one_line(path), one_line(word)))
        .collect();
    found.sort_by_key(|condition| {
        let name = match condition {
            Condition::Is(path, _) => path.as_str(),
            _ => "",
        };
        (!REGIMES.contains(&name) && !is_action(condition), is_action(condition))
    });
    found.truncate(CONDITIONS);
    found.sort_by_key(is_action);
    found
}

pub(super) fn is_action(condition: &Condition) -> bool {
    matches!(condition, Condition::Is(path, _) if ACTIONS.contains(&path.as_str()))
}

/// Whether two warnings are of one cause: they share a condition other than the action, bounds aside.
pub(super) fn is_one_cause(one: &FactPayload, two: &FactPayload) -> bool {
    match (features(one), features(two)) {
        (Some((one, _, outcome)), Some((two, _, other))) => outcome == other && !one.is_disjoint(&two),
        _ => false,
    }
}

/// Whether two warnings have the same conditions, bounds aside.
pub(super) fn has_same_conditions(one: &FactPayload, two: &FactPayload) -> bool {
    features(one) == features(two)
}

/// Conditions without bounds, action and outcome of a warning; none for one without conditions.
fn features(payload: &FactPayload) -> Option<(BTreeSet<String>, &str, &str)> {
    let FactPayload::Heuristic { condition, action, outcome, .. } = payload else { return None };
    let parts = condition.split(" and ").filter(|part| !part.is_empty());
    let plain = |part: &str| match (part.split_once(" >= "), part.split_once(" <= ")) {
        (Some((path, _)), _) => format!("{path} is high"),
        (_, Some((path, _))) => format!("{path} is low"),
        _ => part.to_owned(),
    };
    Some((parts.map(plain).collect(), action, outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_high_or_low_beyond_most_of_the_earlier_ones() {
        let earlier: Vec<f64> = (0..101).map(f64::from).collect();
        let bound = |number| beyond("gas", number, &earlier);
        assert_eq!(bound(900.0), Some(Condition::AtLeast("gas".into(), 99.0)));
        assert_eq!(bound(93.0), Some(Condition::AtLeast("gas".into(), 90.0)));
        assert_eq!(bound(84.0), Some(Condition::AtLeast("gas".into(), 80.0)));
        assert_eq!(bound(50.0), None);
        assert_eq!(bound(3.0), Some(Condition::AtMost("gas".into(), 10.0)));
        assert_eq!(beyond("gas", 1.0, &[1.0; 40]), None, "a number that is always the same");
    }

    #[test]
    fn failures_are_of_one_cause_if_they_share_a_condition() {
        let payload = |condition: &str, outcome: &str| FactPayload::Heuristic {
            condition: condition.into(),
            action: "action is short".into(),
            outcome: outcome.into(),
            n: 100,
            effect: -9.0,
            interval: (0.0, 0.0),
        };
        let first = payload("funding >= 0.8 and venue is Quorum", "pnl is lower");
        assert!(is_one_cause(&first, &payload("venue is Quorum", "pnl is lower")));
        assert!(is_one_cause(&first, &payload("funding >= 0.9", "pnl is lower")), "another bound");
        assert!(!is_one_cause(&first, &payload("venue is Petrel", "pnl is lower")));
        assert!(!is_one_cause(&first, &payload("", "pnl is lower")), "the action alone");
        assert!(!is_one_cause(&first, &payload("venue is Quorum", "lag is lower")));
        assert!(!is_one_cause(&FactPayload::None, &FactPayload::None));
        assert!(has_same_conditions(&first, &payload("funding >= 0.6 and venue is Quorum", "pnl is lower")));
        assert!(!has_same_conditions(&first, &payload("funding >= 0.6", "pnl is lower")));
    }
}
