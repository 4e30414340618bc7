//! Puts what is current before what it corrects.
//!
//! Consolidation links a memory that replaces, denies or disputes an earlier one. Within such a pair the newer one comes
//! first, although its words may be farther from the query; no other memory is moved by its age.

use std::collections::HashMap;

use super::arms::{Arms, Scratch};
use super::candidate::Candidate;
use super::search::ScoredCandidate;
use crate::index::lexical::Slot;

/// Name of the factor in an explanation.
pub const CORRECTS: &str = "corrects";
/// Corrections of corrections that are followed.
const CHAIN: usize = 4;
/// Fused relevance, in standard deviations of the candidates, by which the newer of a pair may lie behind the older one.
/// What lies farther behind answers another question than the older one.
const REACH: f32 = 5.0;
/// Part of a score by which the newer of a pair is placed above the older one.
const MARGIN: f32 = 1e-4;

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
        for newer in open.iter().flat_map(|slot| graph.corrections_of(*slot)) {
            if let Some(&at) = known.get(newer) {
                candidates[at].is_relevant = true;
            } else if scratch.allowed[*newer as usize]
                && let Some(mut added) = Candidate::new(arms, *newer, None, true, scratch)
            {
                added.is_relevant = true;
                known.insert(*newer, candidates.len());
                candidates.push(added);
                next.push(*newer);
            }
        }
        if next.is_empty() {
            break;
        }
        open = next;
    }
}

/// Raises the newer memory of each pair above the older one, unless it lies farther than [`REACH`] behind.
pub(super) fn raise_newer(arms: &Arms<'_>, ranked: &mut [ScoredCandidate<'_>]) {
    let graph = arms.hot.graph();
    if !graph.has_corrections() {
        return;
    }
    let places: HashMap<Slot, usize> = ranked.iter().map(|ranked| ranked.candidate.slot).zip(0..).collect();
    for _ in 0..CHAIN {
        let mut moved = false;
        for older in 0..ranked.len() {
            let (slot, score) = (ranked[older].candidate.slot, ranked[older].score);
            let least = ranked[older].candidate.fused - REACH;
            for newer in graph.corrections_of(slot).iter().filter_map(|newer| places.get(newer)) {
                if ranked[*newer].score <= score && ranked[*newer].candidate.fused >= least {
                    ranked[*newer].score = score + score.abs().max(f32::MIN_POSITIVE) * MARGIN;
                    moved = true;
                }
            }
        }
        if !moved {
            return;
        }
    }
}
