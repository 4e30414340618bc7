//! Puts what is current before what it corrects.
//!
//! Consolidation links a memory that replaces, denies or disputes an earlier one. Within such a pair the newer one comes
//! first, although its words may be farther from the query. So does one that the cross-encoder takes for a replacement. A
//! turn that tells several things may answer by one that still holds: its fact in force comes first, and nothing passes it. A
//! death also links memories of which the newer one is about the same and may replace the older one; within such a pair it
//! comes first if it is about as relevant. No other memory is moved by its age.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::arms::{Arms, Scratch};
use super::candidate::{Candidate, ScoredCandidate, just_above};
use super::in_force::{IN_FORCE, held};
use crate::hashing::IdMap;
use crate::index::hot::{Bearing, Correction, HotSet, Row};
use crate::index::lexical::Slot;
use crate::model::{FactStatus, Id, Micros};

/// Name of the factor in an explanation.
pub const CORRECTS: &str = "corrects";
/// Corrections of corrections that are followed.
const CHAIN: usize = 4;
/// Fused relevance, in standard deviations of the candidates, by which a disputing or presumed memory may lie behind the
/// older one and come first. What lies farther behind may answer another question than the older one: it stands directly behind.
const REACH: f32 = 5.0;
/// Minimum share of the older memory's score that a newer one has which is only known to be about the same.
const ABOUT_AS_RELEVANT: f32 = 0.4;
/// Part of a score by which the newer of a pair is placed above the older one.
const MARGIN: f32 = 1e-4;

/// Terms, such as the name of the speaker, that memories about different things may have in common.
const IN_COMMON: usize = 1;

/// Adds the memories that correct a relevant candidate; they count as relevant.
pub fn add_corrections(arms: &Arms<'_>, candidates: &mut Vec<Candidate>, scratch: &Scratch) {
    let graph = arms.hot.graph();
    if !graph.has_corrections() {
        return;
    }
    let mut known: HashMap<Slot, usize> =
        candidates.iter().map(|candidate| candidate.slot).zip(0..).collect();
    let mut open: Vec<Slot> =
        candidates.iter().filter(|candidate| candidate.is_relevant).map(|candidate| candidate.slot).collect();
    for _ in 0..CHAIN {
        let mut next = Vec::new();
        let rows = open.iter().filter_map(|slot| arms.hot.row(*slot));
        let newer =
            rows.flat_map(|row| graph.corrections_of(&row.id)).filter(|one| one.bearing != Bearing::Follows);
        for newer in newer.filter_map(|correction| arms.hot.slot(&correction.by)) {
            if let Some(&at) = known.get(&newer) {
                candidates[at].is_relevant = true;
            } else if scratch.allowed[newer as usize]
                && let Some(mut added) = Candidate::new(arms, newer, None, true, scratch)
            {
                added.is_relevant = true;
                known.insert(newer, candidates.len());
                candidates.push(added);
                next.push(newer);
            }
        }
        if next.is_empty() {
            break;
        }
        open = next;
    }
}

/// Raises the newer memory of each pair above the older one. Of those that only dispute it and lie farther than [`REACH`]
/// away, the latest comes directly behind: what is shown as disputed is found with what disputes it, and the others leave
/// the seats to what answers.
pub(super) fn raise_newer(arms: &Arms<'_>, ranked: &mut [ScoredCandidate<'_>]) {
    let graph = arms.hot.graph();
    if !graph.has_corrections() {
        return;
    }
    let places: IdMap<usize> = ranked.iter().map(|ranked| ranked.row.id).zip(0..).collect();
    let answering = facts_that_answer(arms, ranked, &places);
    for &(turn, fact) in &answering {
        let score = just_above(ranked[turn].score, MARGIN);
        if ranked[fact].score < score {
            ranked[fact].score = score;
            ranked[fact].raised = Some(IN_FORCE);
        }
    }
    for _ in 0..CHAIN {
        let mut moved = false;
        for older in 0..ranked.len() {
            if answering.iter().any(|&(turn, _)| turn == older) {
                continue;
            }
            let (id, score) = (ranked[older].row.id, ranked[older].score);
            let corrections = graph.corrections_of(&id);
            let reach = ranked[older].candidate.fused - REACH;
            let is_far = |ranked: &[ScoredCandidate<'_>], newer: usize| ranked[newer].candidate.fused < reach;
            let found = corrections.iter().filter_map(|each| places.get(&each.by).copied());
            let latest_far =
                found.filter(|newer| is_far(ranked, *newer)).max_by_key(|newer| ranked[*newer].row.order());
            for correction in corrections {
                let Some(&newer) = places.get(&correction.by) else { continue };
                let least = match correction.bearing {
                    Bearing::Follows if ranked[newer].score < score * ABOUT_AS_RELEVANT => continue,
                    Bearing::Disputes | Bearing::Presumed
                        if is_far(ranked, newer) && latest_far != Some(newer) =>
                    {
                        continue;
                    }
                    Bearing::Disputes | Bearing::Presumed if latest_far == Some(newer) => {
                        just_above(score, -MARGIN)
                    }
                    _ => just_above(score, MARGIN),
                };
                if ranked[newer].score < least {
                    ranked[newer].score = least;
                    ranked[newer].raised = Some(CORRECTS);
                    moved = true;
                }
            }
        }
        if !moved {
            return;
        }
    }
}

/// Places of the corrected turns that answer by a fact that holds, each with that of the fact: it is one part of the turn
/// alone, nothing corrects it, what corrects the turn is about something else, and it holds each word of the query that
/// the turn holds.
fn facts_that_answer(
    arms: &Arms<'_>,
    ranked: &[ScoredCandidate<'_>],
    places: &IdMap<usize>,
) -> Vec<(usize, usize)> {
    let graph = arms.hot.graph();
    let holds = |place: usize| {
        let one = &ranked[place];
        let turn = places.get(&one.restates()?)?;
        let is_active = one.row.fact.as_ref().is_some_and(|fact| fact.status == FactStatus::Active);
        let is_part = one.row.said_hash != ranked[*turn].row.said_hash;
        let is_corrected = !graph.corrections_of(&one.row.id).is_empty();
        let corrections = graph.corrections_of(&ranked[*turn].row.id);
        let is_of_another =
            |newer: Slot| arms.hot.lexical().terms_in_common(newer, one.candidate.slot) <= IN_COMMON;
        let is_met = !corrections.is_empty()
            && corrections.iter().all(|each| arms.hot.slot(&each.by).is_some_and(is_of_another));
        let words = held(arms, ranked[*turn].candidate.slot);
        let answers = words != 0 && words & !held(arms, one.candidate.slot) == 0;
        (is_active && is_part && is_met && !is_corrected && answers).then_some((*turn, place))
    };
    (0..ranked.len()).filter_map(holds).collect()
}

/// Later memory that corrects or disputes a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitCorrection {
    /// Id of the later memory.
    pub by: Id,
    /// Wall clock of the later memory; `None` while the hot set does not hold it.
    pub at: Option<Micros>,
    /// Whether it is open which of the two holds.
    pub is_disputed: bool,
}

/// The corrections of a memory that were known at a tick, if one is given, the latest first.
pub(super) fn corrections_of(hot: &HotSet, id: &Id, as_of: Option<u64>) -> Vec<HitCorrection> {
    let mut found: Vec<_> = hot
        .graph()
        .corrections_of(id)
        .iter()
        .filter(|correction| correction.bearing.speaks_against())
        .map(|correction| (hot.find(&correction.by), correction))
        .filter(|(row, _)| as_of.is_none_or(|tick| row.is_some_and(|row| row.tick <= tick)))
        .map(|(row, &Correction { by, bearing })| {
            let is_disputed = bearing == Bearing::Disputes;
            (row.map(Row::order), HitCorrection { by, at: row.map(|row| row.at), is_disputed })
        })
        .collect();
    found.sort_unstable_by_key(|(order, correction)| Reverse((*order, correction.by)));
    found.into_iter().map(|(_, correction)| correction).collect()
}

#[cfg(test)]
mod tests {
    use super::super::filter::Filters;
    use super::super::search::Query;
    use super::super::testing::{ask, episode, find, hot_of, id};
    use super::*;

    /// First id of the memories that share no word with the query.
    const FAR: u64 = 40;
    const QUERY: &str = "how many tonnes lifts the harbour crane on pier seven?";

    fn found(hot: &HotSet) -> Vec<Id> {
        let filters = Filters::default();
        let query = Query { vector: Some(&[1.0, 0.0]), ..ask(QUERY, &filters) };
        find(hot, &query).hits.iter().map(|hit| hit.id).collect()
    }

    #[test]
    fn of_many_far_memories_that_dispute_an_answer_the_latest_takes_a_seat() {
        let older = episode(1, "the harbour crane on pier seven lifts forty tonnes");
        let others = (2..FAR).map(|number| episode(number, &format!("crane remark {number} of a quiet day")));
        let far = (FAR..FAR + 4).map(|number| episode(number, &format!("zinc stock rose by {number}")));
        let mut hot = hot_of(&[vec![older], others.collect(), far.collect()].concat(), &[]);
        for number in 1..FAR + 4 {
            let cosine = if number == 1 { 0.9_f32 } else { 0.5 - f32::from(number >= FAR) * 0.6 };
            hot.set_vectors(&id(number), &[cosine, (1.0 - cosine * cosine).sqrt()], &[]).unwrap();
        }
        assert_eq!(found(&hot)[0], id(1));
        let disputes = |number| (id(1), Correction { by: id(number), bearing: Bearing::Disputes });
        hot.graph.set_corrections((FAR..FAR + 4).map(disputes));
        let found = found(&hot);
        assert_eq!(found[..2], [id(1), id(FAR + 3)]);
        assert!((FAR..FAR + 3).all(|number| !found.contains(&id(number))), "{found:?}");
    }
}
