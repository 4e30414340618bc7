//! The arm of the graph: memories that name an entity of the query, and those a few hops away.

use std::collections::HashMap;

use super::arms::{Arms, Scratch};
use super::candidate::{Candidate, candidate};
use crate::index::graph::Reached;
use crate::index::lexical::Slot;

/// Name of its part in an explanation.
pub const GRAPH: &str = "graph";

/// Candidates that the graph brings in.
const DEPTH: usize = 50;

/// What the graph says for one query.
pub struct GraphArm {
    reached: HashMap<Slot, f32>,
}

impl GraphArm {
    /// Walks the graph, and makes candidates of what it reached: an entity that is named brings its hits in, whatever
    /// their words and vectors (law 6).
    pub fn bring_in(
        arms: &Arms<'_>,
        query: &str,
        candidates: &mut Vec<Candidate>,
        scratch: &mut Scratch,
    ) -> Self {
        let mut reached = arms.hot.graph().reach(query);
        reached.retain(|memory| scratch.allowed[memory.slot as usize]);
        let arm = Self { reached: reached.iter().map(|memory| (memory.slot, memory.value)).collect() };
        if reached.is_empty() {
            return arm;
        }
        let known: HashMap<Slot, usize> =
            candidates.iter().map(|candidate| candidate.slot).zip(0..).collect();
        // Of many that name the same, those that share most with the query.
        let words = |memory: &Reached| scratch.words[memory.slot as usize];
        reached.sort_by(|left, right| {
            (right.value.total_cmp(&left.value))
                .then(words(right).total_cmp(&words(left)))
                .then(left.slot.cmp(&right.slot))
        });
        for memory in reached.iter().take(DEPTH) {
            if let Some(&at) = known.get(&memory.slot) {
                candidates[at].is_relevant |= memory.is_direct;
            } else if let Some(mut new) = candidate(arms, memory.slot, true, scratch) {
                new.is_relevant |= memory.is_direct;
                candidates.push(new);
            }
        }
        candidates.sort_unstable_by_key(|candidate| candidate.id);
        arm
    }

    /// Adds what the graph says to the fused relevance.
    pub fn add(&self, weight: f32, candidates: &mut [Candidate]) {
        for candidate in candidates {
            if let Some(value) = self.reached.get(&candidate.slot) {
                let part = weight * value;
                candidate.conversation.push((GRAPH, part));
                candidate.fused += part;
            }
        }
    }
}
