//! The search for rules in one window: a beam over single conditions, pairs and triples.
//!
//! What is found is a proposal: windows that had no part in the search test it (see [`super::subgroups::test`]).

use super::known_rules::Covering;
use super::subgroups::{
    Condition, LEAST_GROUP, LEAST_ROWS, Outcomes, Rule, WORTH_TESTING, any_strength, conditions, is_outcome,
    members, strength,
};
use super::twins::twins;
use super::window::Window;
use crate::consolidate::replay::situations::situations;

/// Candidates of each length that are extended by a further condition.
const BEAM: usize = 48;
/// Candidates in the beam whose first condition is on the same feature: thresholds of one number differ little.
const SAME_FEATURE: usize = 4;
/// Conditions of a rule at most.
const LONGEST: usize = 3;
/// Single conditions that are searched, the strongest first.
const CONDITIONS: usize = 512;
/// Proposals of one window.
const PROPOSALS: usize = 8;
/// Proposals that share more of their episodes than this say the same.
const OVERLAP: f64 = 0.6;
/// Overlap from which a rule that is known already says the same.
const KNOWN: f64 = 0.75;
/// Standard errors by which a further condition must divide the episodes of a rule.
const DIVIDES: f64 = 3.0;

/// Share of a rule's episodes that must have a word before the rule names it.
const SHARED: f64 = 0.97;
/// Share of the other episodes that may have it.
const NOT_SHARED: f64 = 0.8;

/// A rule under consideration.
#[derive(Clone)]
struct Candidate {
    strength: f64,
    higher: bool,
    /// Places in the list of conditions, in its order.
    parts: Vec<usize>,
    members: Vec<bool>,
}

/// The rules of a window that are worth testing in the next ones, best first, without those that are known.
pub(crate) fn propose<'known>(
    window: &Window,
    outcomes: &[String],
    known: &(impl Iterator<Item = &'known Rule> + Clone),
    covering: &Covering,
) -> Vec<Rule> {
    let mut told: Vec<Outcomes<'_>> = window
        .numbers
        .iter()
        .filter(|(path, rows)| is_outcome(path, outcomes) && rows.len() >= LEAST_ROWS)
        .map(|(name, rows)| Outcomes { name, rows })
        .collect();
    let twins = twins(window, told.iter().map(|outcome| outcome.name));
    told.retain(|outcome| !twins.contains_key(outcome.name));
    if told.is_empty() {
        return Vec::new();
    }
    let mut all = conditions(window, outcomes);
    all.extend(situations(window, LEAST_GROUP).into_iter().map(Condition::Like));
    let mut found: Vec<(f64, Rule, Vec<bool>)> = Vec::new();
    for outcome in &told {
        let same = known.clone().filter(|rule| rule.outcome == outcome.name);
        let known: Vec<(&Rule, Vec<bool>)> =
            same.map(|rule| (rule, members(window, outcome, &rule.conditions))).collect();
        let is_known = |(_, rule, members): &(f64, Rule, Vec<bool>)| {
            known.iter().any(|(other, theirs)| {
                other.conditions == rule.conditions || rule.is_like(other) && overlap(members, theirs) > KNOWN
            })
        };
        found.extend(search(window, outcome, &all));
        // Beside what the rules in force say, weaker ones show in what they leave.
        if let Some(rest) = covering.residuals(outcome) {
            found.extend(search(window, &Outcomes { name: outcome.name, rows: &rest }, &all));
        }
        found.retain(|rule| rule.1.outcome != outcome.name || !is_known(rule));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut kept: Vec<(f64, Rule, Vec<bool>)> = Vec::new();
    for candidate in found {
        let says_the_same = |(_, rule, members): &(f64, Rule, Vec<bool>)| {
            rule.outcome == candidate.1.outcome
                && (rule.is_like(&candidate.1) || overlap(members, &candidate.2) > OVERLAP)
        };
        if kept.len() < PROPOSALS && !kept.iter().any(says_the_same) {
            kept.push(candidate);
        }
    }
    let closed = |(_, rule, members): (f64, Rule, Vec<bool>)| {
        let outcome = told.iter().find(|outcome| outcome.name == rule.outcome);
        outcome.map_or_else(|| rule.clone(), |outcome| closed(window, outcome, &rule, &members, covering))
    };
    let mut rules: Vec<Rule> = kept.into_iter().map(closed).collect();
    rules.retain(|rule| known.clone().all(|other| other != rule));
    rules.dedup();
    rules
}

/// A rule with the words that nearly all of its episodes share and the others do not (a closed pattern; Garriga, Kralj and
/// Lavrač, Journal of Machine Learning Research 9, 2008): an agent that always acts alike under a condition learns that
/// the outcome differs under both. Decisions that follow another rule in force are no exception to it.
fn closed(
    window: &Window,
    outcome: &Outcomes<'_>,
    rule: &Rule,
    inside: &[bool],
    covering: &Covering,
) -> Rule {
    let beside = covering.beside(rule);
    let is_left: Vec<bool> = outcome.rows.iter().map(|(position, _)| !beside.contains(position)).collect();
    let mut rule = rule.clone();
    let share = |holds: &[bool], wanted: bool| {
        let rows =
            holds.iter().zip(inside).zip(&is_left).filter(|((_, inside), left)| **left && **inside == wanted);
        let (count, met) = rows
            .fold((0_usize, 0_usize), |(count, met), ((holds, _), _)| (count + 1, met + usize::from(*holds)));
        met as f64 / count.max(1) as f64
    };
    for (path, word) in window.words.keys().filter(|(path, _)| path != "subject" && path != "kind") {
        let condition = Condition::Is(path.clone(), word.clone());
        let is_named = rule.conditions.iter().any(|known| feature(known).0 == *path);
        if rule.conditions.len() >= LONGEST || is_named {
            continue;
        }
        let holds = members(window, outcome, std::slice::from_ref(&condition));
        if share(&holds, true) >= SHARED && share(&holds, false) < NOT_SHARED {
            rule.conditions.push(condition);
        }
    }
    rule
}

/// Rules about one outcome, with the standard errors by which it differs and the episodes of each.
fn search(window: &Window, outcome: &Outcomes<'_>, all: &[Condition]) -> Vec<(f64, Rule, Vec<bool>)> {
    let mut columns: Vec<(usize, Vec<bool>)> = all
        .iter()
        .take(CONDITIONS)
        .enumerate()
        .map(|(place, condition)| (place, members(window, outcome, std::slice::from_ref(condition))))
        .collect();
    columns.retain(|(_, column)| {
        let count = column.iter().filter(|member| **member).count();
        count >= LEAST_GROUP && column.len() - count >= LEAST_GROUP
    });
    let mut found: Vec<Candidate> = columns
        .iter()
        .filter_map(|(place, column)| {
            let (strength, higher) = any_strength(outcome, column)?;
            Some(Candidate { strength, higher, parts: vec![*place], members: column.clone() })
        })
        .collect();
    let mut last = found.clone();
    for _ in 1..LONGEST {
        let mut longer: Vec<Candidate> = Vec::new();
        for parent in beam(last, all) {
            for (place, column) in &columns {
                let is_other = parent.parts.iter().all(|part| can_join(&all[*part], &all[*place]));
                if is_other && let Some(child) = extended(outcome, &parent, *place, column) {
                    longer.push(child);
                }
            }
        }
        longer.sort_by(by_strength);
        longer.dedup_by(|a, b| a.parts == b.parts);
        found.extend(longer.iter().cloned());
        last = longer;
    }
    found.retain(|candidate| candidate.strength >= WORTH_TESTING);
    found.sort_by(by_strength);
    let rule = |candidate: &Candidate| Rule {
        conditions: candidate.parts.iter().map(|part| all[*part].clone()).collect(),
        outcome: outcome.name.to_owned(),
        higher: candidate.higher,
    };
    found.into_iter().map(|candidate| (candidate.strength, rule(&candidate), candidate.members)).collect()
}

fn by_strength(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    b.strength.total_cmp(&a.strength).then_with(|| a.parts.cmp(&b.parts))
}

/// The strongest, of each feature a few.
fn beam(mut candidates: Vec<Candidate>, all: &[Condition]) -> Vec<Candidate> {
    candidates.sort_by(by_strength);
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let features = |candidate: &Candidate| -> Vec<(String, String)> {
            candidate.parts.iter().map(|part| feature(&all[*part])).collect()
        };
        let own = features(&candidate);
        if kept.iter().filter(|other| features(other) == own).count() < SAME_FEATURE {
            kept.push(candidate);
        }
        if kept.len() == BEAM {
            break;
        }
    }
    kept
}

/// A rule with one more condition, if that divides its episodes and makes it stronger.
fn extended(outcome: &Outcomes<'_>, parent: &Candidate, place: usize, column: &[bool]) -> Option<Candidate> {
    let members: Vec<bool> = parent.members.iter().zip(column).map(|(a, b)| *a && *b).collect();
    let (stronger, higher) = strength(outcome, &members)?;
    // A parent that hardly differs may do so in either direction by chance.
    if stronger <= parent.strength || higher != parent.higher && parent.strength >= WORTH_TESTING {
        return None;
    }
    let inner: Vec<(usize, f64)> = outcome
        .rows
        .iter()
        .zip(&parent.members)
        .filter(|(_, member)| **member)
        .map(|(row, _)| *row)
        .collect();
    let within: Vec<bool> =
        parent.members.iter().zip(column).filter(|(member, _)| **member).map(|(_, holds)| *holds).collect();
    let (divides, direction) = strength(&Outcomes { name: outcome.name, rows: &inner }, &within)?;
    if divides < DIVIDES || direction != higher {
        return None;
    }
    let mut parts = parent.parts.clone();
    parts.push(place);
    parts.sort_unstable();
    Some(Candidate { strength: stronger, higher, parts, members })
}

/// Whether a rule may have both conditions: of other features, and no text that is like two others at once, which says
/// nothing to a person.
fn can_join(one: &Condition, other: &Condition) -> bool {
    let are_likenesses = matches!((one, other), (Condition::Like(_), Condition::Like(_)));
    !are_likenesses && feature(one) != feature(other)
}

/// The feature of a condition, and the word where it is one of several.
fn feature(condition: &Condition) -> (String, String) {
    match condition {
        // An episode may have several subjects.
        Condition::Is(path, word) if path == "subject" => (path.clone(), word.clone()),
        Condition::AtLeast(path, _) | Condition::AtMost(path, _) | Condition::Is(path, _) => {
            (path.clone(), String::new())
        }
        Condition::Like(situation) => ("like".to_owned(), situation.quote.clone()),
    }
}

fn overlap(a: &[bool], b: &[bool]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let both = a.iter().zip(b).filter(|(a, b)| **a && **b).count();
    let either = a.iter().zip(b).filter(|(a, b)| **a || **b).count();
    both as f64 / either.max(1) as f64
}
