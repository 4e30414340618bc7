//! Heuristics by subgroup discovery: under which condition does an outcome differ?
//!
//! Conditions are searched for in one window and tested in the windows after it, on episodes that had no part in their
//! choice (Klösgen, 1996, for the search; Webb, Machine Learning 68, 2007, for why the test needs other data).

use serde::{Deserialize, Serialize};

use super::known_rules::Covering;
use super::permutation_test::rotation_log_e_value;
use super::window::Window;
use crate::consolidate::replay::situations::Situation;
use crate::consolidate::statistics::identifiers::is_identifier;
use crate::consolidate::statistics::statistic::Statistic;

/// Outcomes in a window below which nothing is searched or tested.
pub(in crate::consolidate) const LEAST_ROWS: usize = 32;
/// Episodes that meet a condition, at least, in a window.
pub(in crate::consolidate) const LEAST_GROUP: usize = 8;
/// And at least this part of those with an outcome.
const LEAST_SHARE: f64 = 0.02;
/// Where numeric conditions may cut.
const QUANTILES: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// Share of episodes that meet the other conditions but not this one, up to which it goes without saying.
const IMPLIED: f64 = 0.05;
/// Standard errors below which a difference is not worth testing.
pub(in crate::consolidate) const WORTH_TESTING: f64 = 2.0;
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
    /// Path in the payload, `subject` or `kind`; none for a text.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::AtLeast(path, _) | Self::AtMost(path, _) | Self::Is(path, _) => Some(path),
            Self::Like(_) => None,
        }
    }

    /// The condition in words.
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
pub(in crate::consolidate) struct Outcomes<'a> {
    pub name: &'a str,
    pub rows: &'a [(usize, f64)],
}

/// Whether a path names an outcome: by its last part.
pub(in crate::consolidate) fn is_outcome(path: &str, names: &[String]) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path);
    names.iter().any(|name| name == last || name == path)
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

/// Everything that a single condition can say of the payloads in a window.
pub(in crate::consolidate) fn conditions(window: &Window, outcomes: &[String]) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for (path, rows) in &window.numbers {
        let is_identifier = || is_identifier(path, rows.iter().map(|(_, number)| *number));
        if is_outcome(path, outcomes) || rows.len() < LEAST_ROWS || is_identifier() {
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

/// A number with the digits of a rule of thumb.
pub(in crate::consolidate) fn rounded(number: f64) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let scale = 10.0_f64.powi(DIGITS - 1 - number.abs().log10().floor() as i32);
    let rounded = (number * scale).round() / scale;
    if rounded.is_finite() { rounded } else { number }
}

/// For each outcome, whether all conditions hold in its episode.
pub(in crate::consolidate) fn members(
    window: &Window,
    outcome: &Outcomes<'_>,
    conditions: &[Condition],
) -> Vec<bool> {
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
pub(in crate::consolidate) fn strength(outcome: &Outcomes<'_>, members: &[bool]) -> Option<(f64, bool)> {
    any_strength(outcome, members).filter(|(strength, _)| *strength >= WORTH_TESTING)
}

/// The same, however little the outcome differs: a condition that says little alone may say much with another.
pub(in crate::consolidate) fn any_strength(outcome: &Outcomes<'_>, members: &[bool]) -> Option<(f64, bool)> {
    let (inside, outside) = split(outcome, members)?;
    let error = |group: &Statistic| (group.sample_deviation() / (group.n as f64).sqrt()).min(f64::MAX / 4.0);
    let error = error(&inside).hypot(error(&outside));
    let difference = inside.mean / 2.0 - outside.mean / 2.0;
    let strength = (2.0 * (difference.abs() / error)).min(f64::MAX);
    (difference != 0.0).then_some((strength, difference > 0.0))
}

pub(in crate::consolidate) fn split(
    outcome: &Outcomes<'_>,
    members: &[bool],
) -> Option<(Statistic, Statistic)> {
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

/// Tests a rule on a window that had no part in its choice: is the outcome more different in its episodes than in as many
/// others, and is each of its conditions needed? Outcomes are rotated against the episodes: trends within either are kept
/// by a rotation, so that they alone prove nothing.
///
/// The rule claims that all of this holds, so that its e-value is the least of the parts' (an intersection-union test; Berger,
/// Technometrics 24, 1982).
///
/// Decisions that follow other rules in force are left out, and a rule with a special case in force must hold outside of
/// it (see [`Covering`]).
pub(crate) fn test(window: &Window, rule: &Rule, covering: &Covering) -> Option<RuleResult> {
    let beside = covering.beside(rule);
    let is_left = |row: &&(usize, f64)| !beside.contains(&row.0);
    let rows: &[(usize, f64)] =
        &window.numbers.get(&rule.outcome)?.iter().filter(is_left).copied().collect::<Vec<_>>();
    if rows.len() < LEAST_ROWS {
        return None;
    }
    let outcome = Outcomes { name: &rule.outcome, rows };
    let holds: Vec<Vec<bool>> = rule
        .conditions
        .iter()
        .map(|condition| members(window, &outcome, std::slice::from_ref(condition)))
        .collect();
    let all = |left_out: Option<usize>| -> Vec<bool> {
        let kept = |index: usize| Some(index) != left_out;
        (0..rows.len())
            .map(|row| holds.iter().enumerate().all(|(index, holds)| !kept(index) || holds[row]))
            .collect()
    };
    let members = all(None);
    let (inside, outside) = split(&outcome, &members)?;
    let sign = if rule.higher { 1.0 } else { -1.0 };
    let mut log_e_value = bet(rows, sign, &vec![true; rows.len()], &members)?;
    let within = covering.within(rule);
    if !within.is_empty() {
        let frame: Vec<bool> = rows.iter().map(|(position, _)| !within.contains(position)).collect();
        log_e_value = log_e_value.min(bet(rows, sign, &frame, &members)?);
    }
    if rule.conditions.len() > 1 {
        for (index, condition) in holds.iter().enumerate() {
            let frame = all(Some(index));
            // A condition that nearly always holds with the others cannot be told from them.
            let others = (0..rows.len()).filter(|row| frame[*row] && !condition[*row]).count();
            let framed = frame.iter().filter(|framed| **framed).count();
            // A bound that nearly all numbers meet says nothing, and has to be tested.
            let is_word = matches!(rule.conditions[index], Condition::Is(..));
            if !is_word || others as f64 > IMPLIED * framed as f64 {
                log_e_value = log_e_value.min(bet(rows, sign, &frame, condition)?);
            }
        }
    }
    let positions =
        members.iter().zip(rows).filter(|(member, _)| **member).map(|(_, (position, _))| *position).collect();
    Some(RuleResult { log_e_value, inside, outside, positions })
}

/// The bet on the rows of a frame that members have higher outcomes; nothing if either part is too small.
fn bet(rows: &[(usize, f64)], sign: f64, frame: &[bool], members: &[bool]) -> Option<f64> {
    let framed: Vec<usize> = (0..rows.len()).filter(|row| frame[*row]).collect();
    let values: Vec<f64> = framed.iter().map(|row| sign * rows[*row].1).collect();
    let chosen: Vec<usize> = (0..framed.len()).filter(|place| members[framed[*place]]).collect();
    let least = LEAST_GROUP.min(chosen.len()).min(framed.len() - chosen.len());
    (least == LEAST_GROUP).then(|| rotation_log_e_value(&values, &chosen))
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
