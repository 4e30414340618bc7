//! Heuristics by subgroup discovery: under which condition does an outcome differ?
//!
//! Conditions are searched for in one window and tested in the windows after it, on episodes that had no part in their
//! choice (Klösgen, 1996, for the search; Webb, Machine Learning 68, 2007, for why the test needs other data).

use serde::{Deserialize, Serialize};

use super::e_values::log_e_value;
use super::permutation_test::rotation_p_value;
use super::situations::{Situation, situations};
use super::statistic::Statistic;
use super::window::Window;

/// Outcomes in a window below which nothing is searched or tested.
const LEAST_ROWS: usize = 32;
/// Episodes that meet a condition, at least, in a window.
const LEAST_GROUP: usize = 8;
/// And at least this part of those with an outcome.
const LEAST_SHARE: f64 = 0.05;
/// Where numeric conditions may cut.
const QUANTILES: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];
/// Single conditions that are joined in pairs.
const BEAM: usize = 6;
/// Proposals of one window.
const PROPOSALS: usize = 6;
/// Proposals that share more of their episodes than this say the same.
const OVERLAP: f64 = 0.6;
/// Standard errors below which a difference is not worth testing.
const WORTH_TESTING: f64 = 2.0;
/// Significant digits of a threshold: a rule of thumb, and not the number of one episode.
const DIGITS: i32 = 3;

/// One condition on an episode.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// A number of the payload is at least this.
    AtLeast(String, f64),
    /// A number of the payload is at most this.
    AtMost(String, f64),
    /// A word of the payload, the kind or a subject is this.
    Is(String, String),
    /// The text is like those of a situation.
    Like(Situation),
}

impl Condition {
    /// In words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::AtLeast(path, bound) => format!("{path} >= {bound}"),
            Self::AtMost(path, bound) => format!("{path} <= {bound}"),
            Self::Is(path, word) => format!("{path} is {word}"),
            Self::Like(situation) => format!("it is like {:?}", situation.quote),
        }
    }
}

/// A condition, and what differs under it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// All of them must hold.
    pub conditions: Vec<Condition>,
    /// Path of the number that differs.
    pub outcome: String,
    /// Whether it is higher; else lower.
    pub higher: bool,
}

impl Rule {
    /// Whether two differ in their bounds alone, or one says of its side what the other says of the other side.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        use Condition::{AtLeast, AtMost, Is, Like};
        let rises = |rule: &Self| match rule.conditions.as_slice() {
            [AtMost(..)] => !rule.higher,
            _ => rule.higher,
        };
        let same = |a: &Condition, b: &Condition| match (a, b) {
            (AtLeast(a, _) | AtMost(a, _), AtLeast(b, _) | AtMost(b, _)) => a == b,
            (Is(a, word), Is(b, other)) => a == b && word == other,
            (Like(a), Like(b)) => a.is_like(b),
            _ => false,
        };
        self.outcome == other.outcome
            && rises(self) == rises(other)
            && self.conditions.len() == other.conditions.len()
            && self.conditions.iter().zip(&other.conditions).all(|(a, b)| same(a, b))
    }
}

/// Result of testing a rule on a window.
#[derive(Clone, Debug)]
pub(crate) struct RuleResult {
    /// Logarithm of the winnings.
    pub log_e_value: f64,
    /// The outcome where the conditions hold.
    pub inside: Statistic,
    /// The outcome elsewhere.
    pub outside: Statistic,
    /// Episodes at which the conditions hold.
    pub positions: Vec<usize>,
}

/// Outcomes of a window in the order of time: position of the episode, and the number.
struct Outcomes<'a> {
    name: &'a str,
    rows: &'a [(usize, f64)],
}

/// Whether a path names an outcome: by its last part.
fn is_outcome(path: &str, names: &[String]) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path);
    names.iter().any(|name| name == last || name == path)
}

/// The rules of a window that are worth testing in the next ones, best first.
pub(crate) fn propose(window: &Window, outcomes: &[String]) -> Vec<Rule> {
    let mut found: Vec<(f64, Rule, Vec<bool>)> = Vec::new();
    let told: Vec<Outcomes<'_>> = window
        .numbers
        .iter()
        .filter(|(path, rows)| is_outcome(path, outcomes) && rows.len() >= LEAST_ROWS)
        .map(|(name, rows)| Outcomes { name, rows })
        .collect();
    if told.is_empty() {
        return Vec::new();
    }
    let mut conditions = conditions(window, outcomes);
    conditions.extend(situations(window, LEAST_GROUP).into_iter().map(Condition::Like));
    for outcome in &told {
        found.extend(search(window, outcome, &conditions));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut kept: Vec<(f64, Rule, Vec<bool>)> = Vec::new();
    for candidate in found {
        let says_the_same = |(_, rule, members): &(f64, Rule, Vec<bool>)| {
            rule.is_like(&candidate.1)
                || rule.outcome == candidate.1.outcome && overlap(members, &candidate.2) > OVERLAP
        };
        if kept.len() < PROPOSALS && !kept.iter().any(says_the_same) {
            kept.push(candidate);
        }
    }
    kept.into_iter().map(|(_, rule, _)| rule).collect()
}

/// A rule, and what some episodes say about it.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub rule: Rule,
    /// The outcome where the conditions hold.
    pub inside: Statistic,
    /// The outcome elsewhere.
    pub outside: Statistic,
}

/// The best other bound of each numeric condition of a rule on these episodes, if it does better by more than one standard
/// error, with how many. A proposal and no finding: other episodes have to bear it out.
pub(crate) fn variants(window: &Window, rule: &Rule, outcomes: &[String]) -> Vec<(Variant, f64)> {
    let Some(rows) = window.numbers.get(&rule.outcome).filter(|rows| rows.len() >= LEAST_ROWS) else {
        return Vec::new();
    };
    let outcome = Outcomes { name: &rule.outcome, rows };
    let evaluate = |rule: &Rule| {
        let members = members(window, &outcome, &rule.conditions);
        let (strength, higher) = strength(&outcome, &members)?;
        (higher == rule.higher).then_some(strength)
    };
    let Some(now) = evaluate(rule) else { return Vec::new() };
    let all = conditions(window, outcomes);
    let mut found = Vec::new();
    for place in 0..rule.conditions.len() {
        let others = all.iter().filter(|other| match (&rule.conditions[place], other) {
            (Condition::AtLeast(path, bound), Condition::AtLeast(also, more))
            | (Condition::AtMost(path, bound), Condition::AtMost(also, more)) => {
                path == also && bound.total_cmp(more).is_ne()
            }
            _ => false,
        });
        let best = others
            .filter_map(|other| {
                let mut changed = rule.clone();
                changed.conditions[place] = other.clone();
                Some((evaluate(&changed)?, changed))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((strength, changed)) = best
            && strength > now + 1.0
            && let Some((inside, outside)) = split(&outcome, &members(window, &outcome, &changed.conditions))
        {
            found.push((Variant { rule: changed, inside, outside }, strength - now));
        }
    }
    found
}

/// Single conditions, and pairs of the best of them, with the standard errors by which the outcome differs.
fn search(window: &Window, outcome: &Outcomes<'_>, conditions: &[Condition]) -> Vec<(f64, Rule, Vec<bool>)> {
    let mut singles: Vec<(f64, bool, Condition, Vec<bool>)> = conditions
        .iter()
        .filter_map(|condition| {
            let members = members(window, outcome, std::slice::from_ref(condition));
            let (strength, higher) = strength(outcome, &members)?;
            Some((strength, higher, condition.clone(), members))
        })
        .collect();
    singles.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.words().cmp(&b.2.words())));
    let rule = |conditions: Vec<Condition>, higher: bool| Rule {
        conditions,
        outcome: outcome.name.to_owned(),
        higher,
    };
    let mut found = Vec::new();
    for (index, first) in singles.iter().take(BEAM).enumerate() {
        for second in singles.iter().take(BEAM).skip(index + 1) {
            let members: Vec<bool> = first.3.iter().zip(&second.3).map(|(a, b)| *a && *b).collect();
            // A pair must say more than either of its parts.
            if let Some((strength, higher)) = strength(outcome, &members)
                && strength > first.0.max(second.0) + 1.0
            {
                found.push((strength, rule(vec![first.2.clone(), second.2.clone()], higher), members));
            }
        }
    }
    found.extend(
        singles
            .into_iter()
            .map(|(strength, higher, condition, members)| (strength, rule(vec![condition], higher), members)),
    );
    found
}

/// Everything that a single condition can say of the payloads in a window.
fn conditions(window: &Window, outcomes: &[String]) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for (path, rows) in &window.numbers {
        if is_outcome(path, outcomes) || rows.len() < LEAST_ROWS {
            continue;
        }
        let mut sorted: Vec<f64> = rows.iter().map(|(_, number)| *number).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut bounds: Vec<f64> =
            QUANTILES.map(|share| rounded(sorted[(share * (sorted.len() - 1) as f64) as usize])).to_vec();
        bounds.dedup();
        for bound in bounds {
            conditions.push(Condition::AtLeast(path.clone(), bound));
            conditions.push(Condition::AtMost(path.clone(), bound));
        }
    }
    for ((path, word), positions) in &window.words {
        if positions.len() >= LEAST_GROUP {
            conditions.push(Condition::Is(path.clone(), word.clone()));
        }
    }
    conditions
}

fn rounded(number: f64) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let scale = 10.0_f64.powi(DIGITS - 1 - number.abs().log10().floor() as i32);
    let rounded = (number * scale).round() / scale;
    if rounded.is_finite() { rounded } else { number }
}

/// For each outcome, whether all conditions hold in its episode.
fn members(window: &Window, outcome: &Outcomes<'_>, conditions: &[Condition]) -> Vec<bool> {
    let mut holds = vec![true; outcome.rows.len()];
    for condition in conditions {
        let mut meets = vec![false; window.moments.len()];
        match condition {
            Condition::AtLeast(path, bound) => {
                mark(&mut meets, window.numbers.get(path), |number| number >= *bound);
            }
            Condition::AtMost(path, bound) => {
                mark(&mut meets, window.numbers.get(path), |number| number <= *bound);
            }
            Condition::Is(path, word) => {
                for position in window.words.get(&(path.clone(), word.clone())).into_iter().flatten() {
                    meets[*position] = true;
                }
            }
            Condition::Like(situation) => {
                meets = situation.members(window);
            }
        }
        for (holds, (position, _)) in holds.iter_mut().zip(outcome.rows) {
            *holds &= meets[*position];
        }
    }
    holds
}

fn mark(meets: &mut [bool], column: Option<&Vec<(usize, f64)>>, holds: impl Fn(f64) -> bool) {
    for (position, number) in column.into_iter().flatten() {
        meets[*position] = holds(*number);
    }
}

/// Welch's t of the difference, and its direction; nothing if one of the groups is too small or nothing differs.
fn strength(outcome: &Outcomes<'_>, members: &[bool]) -> Option<(f64, bool)> {
    let (inside, outside) = split(outcome, members)?;
    let error = |group: &Statistic| (group.sample_deviation() / (group.n as f64).sqrt()).min(f64::MAX / 4.0);
    let error = error(&inside).hypot(error(&outside));
    let difference = inside.mean / 2.0 - outside.mean / 2.0;
    let strength = (2.0 * (difference.abs() / error)).min(f64::MAX);
    (difference != 0.0 && strength >= WORTH_TESTING).then_some((strength, difference > 0.0))
}

fn split(outcome: &Outcomes<'_>, members: &[bool]) -> Option<(Statistic, Statistic)> {
    let count = members.iter().filter(|member| **member).count();
    let least = LEAST_GROUP.max((LEAST_SHARE * members.len() as f64).ceil() as usize);
    if count < least || members.len() - count < least {
        return None;
    }
    let of = |wanted: bool| {
        outcome
            .rows
            .iter()
            .zip(members)
            .filter(|(_, member)| **member == wanted)
            .map(|((_, number), _)| Statistic::of(*number))
            .reduce(|all, one| all.merge(&one))
    };
    Some((of(true)?, of(false)?))
}

fn overlap(a: &[bool], b: &[bool]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let both = a.iter().zip(b).filter(|(a, b)| **a && **b).count();
    let either = a.iter().zip(b).filter(|(a, b)| **a || **b).count();
    both as f64 / either.max(1) as f64
}

/// Tests a rule on a window that had no part in its choice: of all rotations of the outcomes against the episodes, in how
/// many is the difference at least as large? Trends within either are kept by a rotation, so that they alone prove
/// nothing.
pub(crate) fn test(window: &Window, rule: &Rule) -> Option<RuleResult> {
    let rows = window.numbers.get(&rule.outcome)?;
    if rows.len() < LEAST_ROWS {
        return None;
    }
    let outcome = Outcomes { name: &rule.outcome, rows };
    let members = members(window, &outcome, &rule.conditions);
    let (inside, outside) = split(&outcome, &members)?;
    let largest = rows.iter().map(|(_, number)| number.abs()).fold(0.0, f64::max);
    let sign = if rule.higher { 1.0 } else { -1.0 };
    let outcomes: Vec<f64> =
        rows.iter().map(|(_, number)| if largest > 0.0 { sign * number / largest } else { 0.0 }).collect();
    let indices: Vec<usize> =
        members.iter().enumerate().filter(|(_, member)| **member).map(|(index, _)| index).collect();
    let p = rotation_p_value(rows.len(), |rotation| {
        indices.iter().map(|index| outcomes[(index + rotation) % outcomes.len()]).sum()
    });
    let positions = indices.iter().map(|index| rows[*index].0).collect();
    Some(RuleResult { log_e_value: log_e_value(p), inside, outside, positions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_rounded_to_what_one_would_say() {
        assert!((rounded(0.024_61) - 0.0246).abs() < 1e-12);
        assert!((rounded(-123_456.0) + 123_000.0).abs() < 1e-6);
        assert!(rounded(1.7e308).is_finite() && rounded(5e-324).is_finite());
        assert!(rounded(0.0).abs() < f64::MIN_POSITIVE);
    }
}
