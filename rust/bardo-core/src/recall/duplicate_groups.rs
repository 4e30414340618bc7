//! Duplicate groups of an answer: memories of equal content form one group, which its best memory represents.

use std::collections::HashSet;

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
    /// A fact that rests on a single episode repeats it in fewer words: of the two the episode has the group, verbatim.
    fn shares(
        &mut self,
        ranked: &'ranked ScoredCandidate<'ranked>,
        lexical: &LexicalIndex,
        threshold: f32,
    ) -> bool {
        let restates =
            |one: &ScoredCandidate<'_>, other: &ScoredCandidate<'_>| one.restates() == Some(other.row.id);
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

/// Facts that restate one episode which is in the ranking, too.
///
/// Such a fact shows nothing that its episode does not. It has no rank of its own, so that what is drawn from a text
/// never lets the text precede others; only a fact that was placed before what it corrects keeps its place.
pub(super) struct Restatements<'ranked> {
    /// Episodes in the ranking.
    episodes: HashSet<Id>,
    /// Facts that wait for their episode.
    deferred: Vec<&'ranked ScoredCandidate<'ranked>>,
}

impl<'ranked> Restatements<'ranked> {
    /// Of a ranking.
    pub fn of(ranking: &[&ScoredCandidate<'_>]) -> Self {
        let has_facts = ranking.iter().any(|ranked| ranked.restates().is_some());
        let episodes = ranking.iter().filter(|_| has_facts).map(|ranked| ranked.row.id);
        Self { episodes: episodes.collect(), deferred: Vec::new() }
    }

    /// Lets a fact wait for its episode; says whether it does.
    pub fn defer(&mut self, ranked: &'ranked ScoredCandidate<'ranked>) -> bool {
        let waits = ranked.score <= ranked.parts.total()
            && ranked.restates().is_some_and(|episode| self.episodes.contains(&episode));
        if waits {
            self.deferred.push(ranked);
        }
        waits
    }

    /// Adds the facts that waited to the groups of their episodes.
    pub fn join(self, groups: &mut [DuplicateGroup<'_>]) {
        for fact in self.deferred {
            let of_episode = |group: &&mut DuplicateGroup<'_>| fact.restates() == Some(group.representative.row.id);
            if let Some(group) = groups.iter_mut().find(of_episode) {
                group.others.push(fact.row.id);
            }
        }
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
