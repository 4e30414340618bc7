//! Puts the newer of two turns about the same before the older one.
//!
//! Who says something new of a thing seldom says what it replaces, so that no correction is found: "it's a droplet", and
//! months later "it has a new home, 8 GB". Of the turns of one author that answer a query best, two that are near each
//! other are taken to be about the same; the newer comes first if it is about as relevant. Nothing else is moved by its
//! age. Questions about the past or about other people change no order: in their stories a later turn answers no better.

use super::arms::Arms;
use super::candidate::{ScoredCandidate, just_above};
use super::conversation::QueryClues;
use crate::model::Role;

/// Name of the factor in an explanation.
pub const NEWER: &str = "newer";
/// Number of memories that are compared, the best first.
const COMPARED: usize = 10;
/// Minimum cosine of two turns about the same.
const NEAR: f32 = 0.5;
/// Minimum share of the older turn's score that the newer one has.
const ABOUT_AS_RELEVANT: f32 = 0.5;
/// Part of a score by which the newer of a pair is placed above the older one: less than that of a correction, which stays
/// above what is only about the same.
const MARGIN: f32 = 5e-5;

/// Raises the newer turn of each pair above the older one.
pub(super) fn raise(arms: &Arms<'_>, clues: &QueryClues, ranked: &mut [ScoredCandidate<'_>]) {
    if !clues.ask_about_the_present() || arms.hot.vectors().is_empty() {
        return;
    }
    let mut places: Vec<usize> = (0..ranked.len()).collect();
    let by_score = |one: &usize, other: &usize| ranked[*other].score.total_cmp(&ranked[*one].score);
    if places.len() > COMPARED {
        places.select_nth_unstable_by(COMPARED, by_score);
        places.truncate(COMPARED);
    }
    places.retain(|place| {
        let row = ranked[*place].row;
        row.role == Some(Role::User) && row.conversation.is_some()
    });
    places.sort_unstable_by_key(|place| (ranked[*place].row.order(), ranked[*place].row.id));
    // From the oldest to the newest, so that the last of several passes them all.
    for at in 1..places.len() {
        let newer = ranked[places[at]];
        let is_passed = |older: &&ScoredCandidate<'_>| {
            let near = || arms.hot.vectors().between(older.candidate.slot, newer.candidate.slot);
            older.row.speaker == newer.row.speaker
                && newer.parts.total() >= older.parts.total() * ABOUT_AS_RELEVANT
                && near().is_some_and(|cosine| cosine >= NEAR)
        };
        let passed = places[..at].iter().map(|place| &ranked[*place]).filter(is_passed);
        let best = passed.map(|older| older.score).max_by(f32::total_cmp);
        if let Some(best) = best.filter(|best| *best >= newer.score) {
            let raised = &mut ranked[places[at]];
            raised.score = just_above(best, MARGIN);
            raised.raised = Some(NEWER);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::filter::Filters;
    use super::super::search::Query;
    use super::super::testing::{ask, find, hot_of, id, turn};
    use super::*;
    use crate::model::Id;

    const OF_NOW: &str = "which GB has my laptop?";

    /// Answers of a query that fits the older turn better; the cosine of both turns is given.
    fn answers(question: &str, cosine: f32, speakers: [&str; 2]) -> Vec<(Id, bool)> {
        let turns = [
            turn(1, speakers[0], "my laptop is a Pavilion laptop with 8 GB"),
            turn(2, speakers[1], "got a new one, a TUF with 16 GB"),
        ];
        let mut hot = hot_of(&turns, &[]);
        hot.set_vectors(&id(1), &[1.0, 0.0], &[]).unwrap();
        hot.set_vectors(&id(2), &[cosine, (1.0 - cosine * cosine).sqrt()], &[]).unwrap();
        let filters = Filters::default();
        let found = find(&hot, &Query { vector: Some(&[0.9, 0.436]), ..ask(question, &filters) });
        let is_raised = |factors: &[(&'static str, f32)]| factors.iter().any(|(name, _)| *name == NEWER);
        found.hits.iter().map(|hit| (hit.id, is_raised(&hit.why.factors))).collect()
    }

    #[test]
    fn of_two_turns_about_the_same_the_newer_comes_first_and_says_why() {
        assert_eq!(answers(OF_NOW, 0.8, ["Ana", "Ana"]), [(id(2), true), (id(1), false)]);
    }

    #[test]
    fn a_question_about_the_past_or_about_others_keeps_the_order() {
        assert_eq!(answers("which GB did my laptop have?", 0.8, ["Ana", "Ana"])[0], (id(1), false));
        assert_eq!(answers("which GB has the laptop of Ana?", 0.8, ["Ana", "Ana"])[0], (id(1), false));
    }

    #[test]
    fn turns_that_lie_apart_and_turns_of_two_people_keep_their_order() {
        assert_eq!(answers(OF_NOW, 0.3, ["Ana", "Ana"])[0], (id(1), false));
        assert_eq!(answers(OF_NOW, 0.8, ["Ana", "Ben"])[0], (id(1), false));
    }
}
