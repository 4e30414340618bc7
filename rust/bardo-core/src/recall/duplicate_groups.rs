//! Duplicate groups of an answer: memories of equal content form one group, which its best memory represents.

use crate::hashing::IdMap;
use crate::index::lexical::{LexicalIndex, Slot};
use crate::model::Id;

use super::candidate::ScoredCandidate;
use super::in_force::IN_FORCE;

/// Name of the factor in an explanation that gives an episode and the fact that restates it one rank.
pub const RESTATED: &str = "restated";

/// A group in an answer.
pub(super) struct DuplicateGroup<'ranked> {
    /// Memory shown for this group.
    pub representative: &'ranked ScoredCandidate<'ranked>,
    /// Best score in the group.
    pub score: f32,
    /// The others.
    pub others: Vec<Id>,
}

impl<'ranked> DuplicateGroup<'ranked> {
    /// For one memory alone.
    pub fn of(ranked: &'ranked ScoredCandidate<'ranked>) -> Self {
        Self { representative: ranked, score: ranked.score, others: Vec::new() }
    }

    /// Slot of the memory shown for the group.
    pub const fn slot(&self) -> Slot {
        self.representative.candidate.slot
    }

    /// Lets a memory share the group if it says the same; says whether it does.
    ///
    /// A fact that rests on a single episode repeats it in fewer words: of the two the episode has the group, verbatim,
    /// unless the query asks for the value that the fact states.
    fn shares(
        &mut self,
        ranked: &'ranked ScoredCandidate<'ranked>,
        lexical: &LexicalIndex,
        threshold: f32,
    ) -> bool {
        let restates =
            |one: &ScoredCandidate<'_>, other: &ScoredCandidate<'_>| one.restates() == Some(other.row.id);
        let is_restated = restates(self.representative, ranked);
        if is_restated && self.representative.raised != Some(IN_FORCE) {
            self.others.push(self.representative.row.id);
            self.representative = ranked;
            return true;
        }
        let same = is_restated
            || restates(ranked, self.representative)
            // Of other days, too: the dates among the terms would tell them apart.
            || ranked.row.text_hash == self.representative.row.text_hash
            || says_same(ranked, self.representative)
            || lexical.is_similar(ranked.candidate.slot, self.slot(), threshold);
        if same {
            self.others.push(ranked.row.id);
        }
        same
    }
}

/// Whether an episode and a fact have the same words: an heir has both without the link between them.
fn says_same(one: &ScoredCandidate<'_>, other: &ScoredCandidate<'_>) -> bool {
    one.row.fact.is_some() != other.row.fact.is_some() && one.row.said_hash == other.row.said_hash
}

/// Ranks a fact no higher than the episode that it rests on alone, if that is ranked, too: it shows nothing that the
/// episode does not, so that what is drawn from a text never lets the text precede others.
pub(super) fn limit_by_episode(ranking: &mut [ScoredCandidate<'_>]) {
    if ranking.iter().all(|ranked| ranked.restates().is_none()) {
        return;
    }
    let scores: IdMap<f32> = ranking.iter().map(|ranked| (ranked.row.id, ranked.score)).collect();
    for ranked in ranking {
        if let Some(score) = ranked.restates().and_then(|episode| scores.get(&episode)) {
            ranked.score = ranked.score.min(*score);
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
