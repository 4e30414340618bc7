//! The arm of the graph: memories that name an entity of the query, and those a few hops away.

use std::collections::HashMap;

use super::arms::{Arms, Scratch};
use super::candidate::Candidate;
use super::fuse::reciprocal;
use super::settings::{Fusion, Settings};
use crate::index::hot::ReachedMemory;
use crate::index::lexical::Slot;

/// Name of its part in an explanation.
pub const GRAPH: &str = "graph";

/// Candidates that the graph brings in.
const DEPTH: usize = 50;

/// Graph arm of one query.
pub struct GraphArm {
    reached: HashMap<Slot, GraphRank>,
}

/// Value of the graph arm for one memory.
struct GraphRank {
    value: f32,
    /// From 1.
    rank: u32,
}

impl GraphArm {
    /// Walks the graph, and makes candidates of the memories it reaches: a named entity brings its memories in,
    /// independent of their words and vectors (law 6).
    pub fn add_reached(
        arms: &Arms<'_>,
        query: &str,
        candidates: &mut Vec<Candidate>,
        scratch: &Scratch,
    ) -> Self {
        let mut reached = arms.hot.graph().reach(query);
        reached.retain(|memory| scratch.allowed[memory.slot as usize]);
        if reached.is_empty() {
            return Self { reached: HashMap::new() };
        }
        let known: HashMap<Slot, usize> =
            candidates.iter().map(|candidate| candidate.slot).zip(0..).collect();
        // Of many that name the same, those that share most with the query.
        let words = |memory: &ReachedMemory| scratch.words[memory.slot as usize];
        reached.sort_by(|left, right| {
            (right.value.total_cmp(&left.value))
                .then(words(right).total_cmp(&words(left)))
                .then(left.slot.cmp(&right.slot))
        });
        for memory in reached.iter().take(DEPTH) {
            if let Some(&at) = known.get(&memory.slot) {
                candidates[at].is_relevant |= memory.is_direct;
            } else if let Some(mut new) = Candidate::new(arms, memory.slot, None, true, scratch) {
                new.is_relevant |= memory.is_direct;
                candidates.push(new);
            }
        }
        let places = reached.iter().zip(1..);
        let place =
            |(memory, rank): (&ReachedMemory, u32)| (memory.slot, GraphRank { value: memory.value, rank });
        Self { reached: places.map(place).collect() }
    }

    /// Adds what the graph says to the fused relevance: a part of its value to the sum, of its rank to the ranks.
    pub fn add(&self, fusion: Fusion, settings: &Settings, candidates: &mut [Candidate]) {
        let weight = settings.graph_weight;
        for candidate in candidates {
            if let Some(place) = self.reached.get(&candidate.slot) {
                let part = match fusion {
                    Fusion::Sum => weight * place.value,
                    Fusion::Rrf => reciprocal(Some(place.rank), weight, settings.rrf_k),
                };
                candidate.conversation.push((GRAPH, part));
                candidate.fused += part;
            }
        }
    }
}
