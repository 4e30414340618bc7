//! One arm alone: what the vectors or the words would find by themselves. For measuring the arms, and for looking into
//! a recall that went wrong.

use super::arms::Scratch;
use super::settings::Settings;
use super::top_k::TopK;
use crate::error::Result;
use crate::index::hot::HotSet;
use crate::index::lexical::{BLOCK, Slot};
use crate::index::vectors::QueryVector;
use crate::model::Id;

/// The memories nearest to a vector by their best sentence, with the cosine; none for a vector without direction.
///
/// # Errors
/// `InvalidVector` if it has other dimensions than the stored ones, or is not finite.
pub fn nearest(hot: &HotSet, vector: &[f32], limit: usize) -> Result<Vec<(Id, f32)>> {
    let Some(query) = QueryVector::new(vector)? else { return Ok(Vec::new()) };
    let everything = vec![true; hot.slots()];
    Ok(with_ids(hot, hot.vectors().nearest(&query, limit, &everything)?))
}

/// The memories that hold words of a text, with their BM25 score, greatest first.
#[must_use]
pub fn matching(
    hot: &HotSet,
    text: &str,
    limit: usize,
    settings: &Settings,
    scratch: &mut Scratch,
) -> Vec<(Id, f32)> {
    let (terms, _) = hot.lexical().query_terms_by(&mut scratch.analyzer, text);
    let mut blocks = hot.lexical().block_scorer(&terms, settings.bm25);
    let mut best = TopK::new(limit);
    let mut scores = [0.0; BLOCK];
    for start in (0..hot.slots()).step_by(BLOCK) {
        let scores = &mut scores[..BLOCK.min(hot.slots() - start)];
        let first = blocks.next(scores);
        best.add_positive(first, scores, &[true; BLOCK]);
    }
    with_ids(hot, best.sorted(|slot| hot.row(slot).map(|row| row.id)))
}

fn with_ids(hot: &HotSet, found: Vec<(Slot, f32)>) -> Vec<(Id, f32)> {
    found.into_iter().filter_map(|(slot, value)| Some((hot.row(slot)?.id, value))).collect()
}
