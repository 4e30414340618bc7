//! Duplicate groups of an answer: memories of equal content form one group, which its best memory represents.

use crate::index::lexical::{LexicalIndex, Slot};
use crate::model::Id;

use super::search::ScoredCandidate;

/// A seat in an answer.
pub(super) struct DuplicateGroup<'ranked> {
    /// Memory shown for this group.
    pub holder: &'ranked ScoredCandidate<'ranked>,
    /// Of the best that shares it.
    pub score: f32,
    /// The others.
    pub others: Vec<Id>,
}

impl<'ranked> DuplicateGroup<'ranked> {
    /// For one memory alone.
    pub fn of(ranked: &'ranked ScoredCandidate<'ranked>) -> Self {
        Self { holder: ranked, score: ranked.score, others: Vec::new() }
    }

    /// Of who has it.
    pub const fn slot(&self) -> Slot {
        self.holder.candidate.slot
    }

    /// Lets a memory share the seat if it says the same; says whether it does.
    ///
    /// A fact that rests on a single episode repeats it in fewer words: of the two the episode has the seat, verbatim, where
    /// the better of both ranks.
    fn shares(
        &mut self,
        ranked: &'ranked ScoredCandidate<'ranked>,
        lexical: &LexicalIndex,
        threshold: f32,
    ) -> bool {
        let restates = |one: &ScoredCandidate<'_>, other: &ScoredCandidate<'_>| {
            one.row.fact.as_ref().is_some_and(|fact| fact.restates == Some(other.row.id))
        };
        if restates(self.holder, ranked) {
            self.others.push(self.holder.row.id);
            self.holder = ranked;
            return true;
        }
        let same = restates(ranked, self.holder)
            || lexical.is_similar(ranked.candidate.slot, self.slot(), threshold);
        if same {
            self.others.push(ranked.row.id);
        }
        same
    }
}

/// Gives a memory a seat of its own, unless it shares one.
pub(super) fn insert_hit<'ranked>(
    seats: &mut Vec<DuplicateGroup<'ranked>>,
    ranked: &'ranked ScoredCandidate<'ranked>,
    lexical: &LexicalIndex,
    threshold: f32,
) {
    if !seats.iter_mut().any(|seat| seat.shares(ranked, lexical, threshold)) {
        seats.push(DuplicateGroup::of(ranked));
    }
}
