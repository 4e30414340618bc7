//! Duplicate groups of an answer: memories of equal content form one group, which its best memory represents.

use crate::index::lexical::{LexicalIndex, Slot};
use crate::model::Id;

use super::search::ScoredCandidate;

/// A group in an answer.
pub(super) struct DuplicateGroup<'ranked> {
    /// Memory shown for this group.
    pub representative: &'ranked ScoredCandidate<'ranked>,
    /// Of the best that shares it.
    pub score: f32,
    /// The others.
    pub others: Vec<Id>,
}

impl<'ranked> DuplicateGroup<'ranked> {
    /// For one memory alone.
    pub fn of(ranked: &'ranked ScoredCandidate<'ranked>) -> Self {
        Self { representative: ranked, score: ranked.score, others: Vec::new() }
    }

    /// Of who has it.
    pub const fn slot(&self) -> Slot {
        self.representative.candidate.slot
    }

    /// Lets a memory share the group if it says the same; says whether it does.
    ///
    /// A fact that rests on a single episode repeats it in fewer words: of the two the episode has the group, verbatim, where
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
        if restates(self.representative, ranked) {
            self.others.push(self.representative.row.id);
            self.representative = ranked;
            return true;
        }
        let same = restates(ranked, self.representative)
            || lexical.is_similar(ranked.candidate.slot, self.slot(), threshold);
        if same {
            self.others.push(ranked.row.id);
        }
        same
    }
}

/// Gives a memory a group of its own, unless it shares one.
pub(super) fn insert_hit<'ranked>(
    groups: &mut Vec<DuplicateGroup<'ranked>>,
    ranked: &'ranked ScoredCandidate<'ranked>,
    lexical: &LexicalIndex,
    threshold: f32,
) {
    if !groups.iter_mut().any(|group| group.shares(ranked, lexical, threshold)) {
        groups.push(DuplicateGroup::of(ranked));
    }
}
