//! Shows what was stated before the records of a program that answer a query less.
//!
//! The decisions and statistics of an agent are its own, verified, and many. What a person said to an ancestor is none of
//! these, though it alone may answer. So a statement passes a record that is less relevant, if it holds each word of the
//! query that the record holds, and one more, unless the record corrects it. A question for a decision has the words of
//! decisions: no statement has more.

use super::arms::Arms;
use super::candidate::{ScoredCandidate, just_above};
use super::in_force::{Words, held};
use crate::model::{FactKind, FactStatus, Role};

/// Name of the factor in an explanation.
pub const STATED: &str = "stated";
/// Part of a score by which a statement is placed above a record, times its place among those that are moved.
const MARGIN: f32 = 1e-5;
/// Kinds of episodes that are told, and no records of a program: those of a conversation, and those without a kind.
const TOLD: [&str; 2] = ["turn", "event"];

/// Raises statements above records.
pub(super) fn raise(arms: &Arms<'_>, ranked: &mut [ScoredCandidate<'_>]) {
    let records: Vec<(usize, Words)> = (0..ranked.len())
        .filter(|place| is_record(arms, &ranked[*place]))
        .map(|place| (place, held(arms, ranked[place].candidate.slot)))
        .collect();
    if records.is_empty() {
        return;
    }
    let mut statements: Vec<usize> =
        (0..ranked.len()).filter(|place| is_statement(&ranked[*place])).collect();
    // From the least to the best, which stays the first of those that are moved.
    statements.sort_by(|one, other| ranked[*one].score.total_cmp(&ranked[*other].score));
    for (moved, place) in statements.into_iter().enumerate() {
        let one = ranked[place];
        let words = held(arms, one.candidate.slot);
        let corrections = arms.hot.graph().corrections_of(&one.row.id);
        let is_passed = |&&(other, other_words): &&(usize, Words)| {
            let record = &ranked[other];
            if corrections.iter().any(|correction| correction.by == record.row.id) {
                return false;
            }
            let holds_more = other_words != words && other_words & !words == 0;
            holds_more && record.score >= one.score && record.relevance <= one.relevance
        };
        let best = records.iter().filter(is_passed).map(|(other, _)| ranked[*other].score);
        if let Some(best) = best.max_by(f32::total_cmp) {
            ranked[place].score = just_above(best, MARGIN * (moved + 1) as f32);
            ranked[place].raised = Some(STATED);
        }
    }
}

/// Whether a memory is a statistic, or an episode that a program recorded and an outcome verified. The output of a tool, a
/// commit and a line of a log tell of values: `in_force` places them.
fn is_record(arms: &Arms<'_>, ranked: &ScoredCandidate<'_>) -> bool {
    let row = ranked.row;
    if let Some(fact) = &row.fact {
        return fact.decay_factors.kind == FactKind::Baseline;
    }
    let names = arms.hot.names();
    let is_told = row.role == Some(Role::User) || TOLD.contains(&names.name(row.kind));
    row.verified && !is_told && !row.is_record(names)
}

/// Whether a memory is what a person said, or a fact in force that is no finding of a pass.
fn is_statement(ranked: &ScoredCandidate<'_>) -> bool {
    match &ranked.row.fact {
        Some(fact) => {
            let kind = fact.decay_factors.kind;
            let is_found = matches!(
                kind,
                FactKind::Baseline | FactKind::Heuristic | FactKind::Pattern | FactKind::CausalLink
            );
            fact.status == FactStatus::Active && !fact.bloodstain && !is_found
        }
        None => ranked.row.role == Some(Role::User),
    }
}
