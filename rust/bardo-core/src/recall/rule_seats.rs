//! Seats for rules: facts that apply in the asker's situation reach the first five, however the arms rank them.
//!
//! The caller decides which facts apply and which may not answer. Here they become candidates, are scored like any other,
//! and take the last of the first seats, so that the best memories stay first.

use super::arms::{Arms, Scratch};
use super::candidate::{Candidate, ScoredCandidate};
use super::duplicate_groups::DuplicateGroup;
use crate::index::hot::HotSet;
use crate::index::lexical::Slot;
use crate::model::Id;

/// Places from the first among which seats are reserved.
const FIRST: usize = 5;
/// Seats per five places: the others are left to what the query finds.
const SEATS: usize = 3;

/// Reason for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// A rule that applies in the asker's situation.
    Rule,
    /// A danger that the query is about.
    Danger,
}

impl Seat {
    /// The name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Danger => "danger",
        }
    }
}

/// A scored candidate with a seat.
#[derive(Clone, Copy)]
pub(super) struct Seated<'all, 'ranked> {
    /// The candidate.
    pub candidate: &'all ScoredCandidate<'ranked>,
    /// Reason for its seat.
    pub seat: Seat,
}

impl Seated<'_, '_> {
    /// Slot of the candidate.
    pub const fn slot(&self) -> Slot {
        self.candidate.candidate.slot
    }
}

/// Facts with reserved seats, and facts that may not answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleSeats<'query> {
    /// Facts that apply, the most applicable first.
    pub seated: &'query [Id],
    /// Facts that do not apply and are left out of the answer.
    pub left_out: &'query [Id],
    /// Dangers that take no seat though the query is about them.
    pub unseated: &'query [Id],
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
#[must_use]
pub const fn seats_of(limit: usize) -> usize {
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

/// The scored candidates that get a seat, in the order of the seats. One of the seats is for a danger, if there is one
/// that no rule names.
pub(super) fn of<'all, 'ranked>(
    ranked: &'all [ScoredCandidate<'ranked>],
    seated: &[Slot],
    dangers: Vec<&'all ScoredCandidate<'ranked>>,
    limit: usize,
) -> Vec<Seated<'all, 'ranked>> {
    let seats = seats_of(limit);
    let rules = seated.iter().filter_map(|slot| ranked.iter().find(|one| one.candidate.slot == *slot));
    let mut taken: Vec<_> =
        rules.map(|rule| Seated { candidate: rule, seat: Seat::Rule }).take(seats).collect();
    let is_named = |taken: &[Seated<'_, '_>], danger: &ScoredCandidate<'_>| {
        taken.iter().any(|one| one.slot() == danger.candidate.slot)
    };
    let dangers: Vec<_> = dangers.into_iter().filter(|danger| !is_named(&taken, danger)).collect();
    taken.truncate(seats - dangers.len().min(1).min(seats));
    taken.extend(dangers.into_iter().map(|danger| Seated { candidate: danger, seat: Seat::Danger }));
    taken.truncate(seats);
    taken
}

/// Moves the seated facts that rank too low, or not at all, to the end of the first places.
pub(super) fn reserve<'ranked>(
    taken: &mut Vec<DuplicateGroup<'ranked>>,
    seats: &[Seated<'ranked, 'ranked>],
    limit: usize,
) {
    let first = FIRST.min(limit);
    let is_first =
        |taken: &[DuplicateGroup<'_>], slot: Slot| taken.iter().take(first).any(|group| group.slot() == slot);
    let low: Vec<_> = seats.iter().copied().filter(|seat| !is_first(taken, seat.slot())).collect();
    if low.is_empty() {
        return;
    }
    taken.retain(|group| low.iter().all(|seat| seat.slot() != group.slot()));
    // Seats that are already among the first are not pushed out by the others.
    let mut place = first.saturating_sub(low.len()).min(taken.len());
    while place > 0
        && taken[place..]
            .iter()
            .take(low.len())
            .any(|group| seats.iter().any(|seat| seat.slot() == group.slot()))
    {
        place -= 1;
    }
    taken.splice(place..place, low.into_iter().map(|seat| DuplicateGroup::of(seat.candidate)));
    taken.truncate(limit);
}
