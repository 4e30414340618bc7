//! Seats for rules: facts that apply in the asker's situation reach the first five, however the arms rank them.
//!
//! The caller decides which facts apply and which may not answer. Here they become candidates, are scored like any other,
//! and take the last of the first seats, so that the best memories stay first.

use super::arms::{Arms, Scratch};
use super::candidate::Candidate;
use super::duplicate_groups::DuplicateGroup;
use super::search::ScoredCandidate;
use crate::index::hot::HotSet;
use crate::index::lexical::Slot;
use crate::model::Id;

/// Places from the first among which seats are reserved.
const FIRST: usize = 5;
/// Seats per five places: the others are left to what the query finds.
const SEATS: usize = 3;

/// Facts with reserved seats, and facts that may not answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleSeats<'query> {
    /// Facts that apply, the most applicable first.
    pub seated: &'query [Id],
    /// Facts that do not apply and are left out of the answer.
    pub left_out: &'query [Id],
}

impl RuleSeats<'_> {
    /// Clears the places of facts that may not answer, and returns the places of the seated ones that the filters let
    /// through.
    pub(super) fn admit(&self, hot: &HotSet, allowed: &mut [bool]) -> Vec<Slot> {
        for slot in self.left_out.iter().filter_map(|id| hot.slot(id)) {
            allowed[slot as usize] = false;
        }
        let places = self.seated.iter().filter_map(|id| hot.slot(id));
        places.filter(|slot| allowed[*slot as usize]).collect()
    }
}

/// Number of seats in an answer of `limit` memories: none where there is room for one alone.
const fn seats_of(limit: usize) -> usize {
    (if limit < FIRST { limit } else { FIRST }) * SEATS / FIRST
}

/// Makes the seated facts candidates, also where no arm found them.
pub(super) fn add(arms: &Arms<'_>, seated: &[Slot], candidates: &mut Vec<Candidate>, scratch: &Scratch) {
    for &slot in seated {
        if let Some(known) = candidates.iter_mut().find(|candidate| candidate.slot == slot) {
            known.is_relevant = true;
        } else if let Some(mut added) = Candidate::new(arms, slot, None, false, scratch) {
            added.is_relevant = true;
            candidates.push(added);
        }
    }
}

/// The scored candidates that get a seat, in the order of the seats.
pub(super) fn of<'all, 'ranked>(
    ranked: &'all [ScoredCandidate<'ranked>],
    seated: &[Slot],
    limit: usize,
) -> Vec<&'all ScoredCandidate<'ranked>> {
    let found = seated.iter().filter_map(|slot| ranked.iter().find(|one| one.candidate.slot == *slot));
    found.take(seats_of(limit)).collect()
}

/// Moves the seated facts that rank too low, or not at all, to the end of the first places.
pub(super) fn reserve<'ranked>(
    taken: &mut Vec<DuplicateGroup<'ranked>>,
    seats: &[&'ranked ScoredCandidate<'ranked>],
    limit: usize,
) {
    let first = FIRST.min(limit);
    let is_first =
        |taken: &[DuplicateGroup<'_>], slot: Slot| taken.iter().take(first).any(|group| group.slot() == slot);
    let low: Vec<_> = seats.iter().copied().filter(|seat| !is_first(taken, seat.candidate.slot)).collect();
    if low.is_empty() {
        return;
    }
    taken.retain(|group| low.iter().all(|seat| seat.candidate.slot != group.slot()));
    // Seats that are already among the first are not pushed out by the others.
    let mut place = first.saturating_sub(low.len()).min(taken.len());
    while place > 0
        && taken[place..]
            .iter()
            .take(low.len())
            .any(|group| seats.iter().any(|seat| seat.candidate.slot == group.slot()))
    {
        place -= 1;
    }
    taken.splice(place..place, low.into_iter().map(DuplicateGroup::of));
    taken.truncate(limit);
}
