//! BM25 scores (Robertson and Zaragoza 2009) of documents and of groups of documents.
//!
//! Documents are scored block by block, with all terms before the next block: the sums stay in the L1 cache, and
//! top-k selection reads a block while it is still there.

use super::posting::{NO_GROUP, QueryTerm, Slot, frequency_of, idf, slot_of};
use super::postings::LexicalIndex;

/// Number of documents per block: their scores take a third of the L1 cache of most processors.
pub const BLOCK: usize = 4_096;

/// The two parameters of BM25.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25 {
    /// Term frequency saturation: a greater value saturates later.
    pub k1: f32,
    /// Length normalisation, 0..1.
    pub b: f32,
}

impl Default for Bm25 {
    /// k1 = 0.9 and b = 0.75: best on short turns and long assistant messages together (`b = 0.4` is better on
    /// short turns alone).
    fn default() -> Self {
        Self { k1: 0.9, b: 0.75 }
    }
}

/// BM25 for documents of a given mean length.
struct TermScorer {
    most: f32,
    base: f32,
    slope: f32,
}

impl TermScorer {
    fn new(parameters: Bm25, mean_length: f32) -> Self {
        let Bm25 { k1, b } = parameters;
        Self { most: k1 + 1.0, base: k1 * (1.0 - b), slope: k1 * b / mean_length.max(1.0) }
    }

    /// Score that a term adds to a document.
    #[inline]
    fn part(&self, idf: f32, frequency: f32, length: f32) -> f32 {
        let norm = self.base + self.slope * length;
        idf * self.most * frequency / (frequency + norm)
    }
}

/// Scores documents a block at a time, in the order of their slots.
pub struct BlockScorer<'index> {
    bm25: TermScorer,
    lengths: &'index [u16],
    /// Inverse document frequency and remaining postings of every term.
    left: Vec<(f32, &'index [u32])>,
    next: Slot,
}

impl BlockScorer<'_> {
    /// Writes the scores of the next documents, one per slot; zero where no term occurs. Returns the first slot.
    pub fn next(&mut self, scores: &mut [f32]) -> Slot {
        let first = self.next;
        self.next += scores.len() as Slot;
        scores.fill(0.0);
        let lengths = self.lengths.get(first as usize..).unwrap_or_default();
        for (idf, entries) in &mut self.left {
            let mut taken = 0;
            for &entry in *entries {
                let place = (slot_of(entry) - first) as usize;
                let (Some(score), Some(&length)) = (scores.get_mut(place), lengths.get(place)) else { break };
                *score += self.bm25.part(*idf, frequency_of(entry) as f32, f32::from(length));
                taken += 1;
            }
            *entries = &entries[taken..];
        }
        first
    }
}

impl LexicalIndex {
    /// Scores every document, from the first slot on.
    #[must_use]
    pub fn block_scorer(&self, terms: &[QueryTerm], parameters: Bm25) -> BlockScorer<'_> {
        BlockScorer {
            bm25: TermScorer::new(parameters, self.total_length as f32 / self.alive.max(1) as f32),
            lengths: &self.lengths,
            left: terms.iter().map(|term| (term.idf, self.entries_of(term))).collect(),
            next: 0,
        }
    }

    /// Writes the BM25 score of every group of documents, each taken as one document, into `scores` (one element per
    /// group). `group_of` has an element per slot; documents in no group have [`NO_GROUP`].
    pub fn score_groups(
        &self,
        terms: &[QueryTerm],
        parameters: Bm25,
        group_of: &[u32],
        lengths: &[u32],
        scores: &mut Vec<f32>,
    ) {
        scores.clear();
        scores.resize(lengths.len(), 0.0);
        if lengths.is_empty() {
            return;
        }
        let groups = lengths.iter().filter(|length| **length > 0).count() as f32;
        let total: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        let bm25 = TermScorer::new(parameters, total as f32 / groups.max(1.0));
        let mut frequencies = vec![0_u32; lengths.len()];
        let mut touched = Vec::new();
        for term in terms {
            for &entry in self.entries_of(term) {
                let group = group_of[slot_of(entry) as usize];
                if group != NO_GROUP {
                    if frequencies[group as usize] == 0 {
                        touched.push(group);
                    }
                    frequencies[group as usize] += frequency_of(entry);
                }
            }
            let idf = idf(touched.len() as f32, groups);
            for group in touched.drain(..) {
                let frequency = std::mem::take(&mut frequencies[group as usize]) as f32;
                scores[group as usize] += bm25.part(idf, frequency, lengths[group as usize] as f32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::terms::TermReader;
    use super::*;
    use crate::index::lexical::hashed_term::AnalyzedText;

    /// Documents of one to four of nine words, some of them removed again.
    fn index(documents: Slot) -> LexicalIndex {
        let (mut index, mut reader, mut read) =
            (LexicalIndex::default(), TermReader::default(), AnalyzedText::default());
        for slot in 0..documents {
            let words: Vec<String> =
                (0..=slot % 4).map(|at| format!("w{}", (slot * 7 + at * at) % 9)).collect();
            let text = words.join(" ");
            reader.read(&text, 0..text.len(), &mut read);
            index.set(slot, &read, &mut reader);
        }
        (0..documents).step_by(11).for_each(|slot| index.remove(slot));
        index
    }

    proptest! {
        #[test]
        fn blocks_have_the_scores_of_the_whole(block in 1_usize..700, asked in "w[0-9]( w[0-9]){0,3}") {
            let index = index(1_500);
            let terms = index.query_terms(&asked).0;
            // More slots than documents: facts may have no words.
            let (mut whole, mut parts) = (vec![7.0; 1_600], vec![7.0; 1_600]);
            prop_assert_eq!(index.block_scorer(&terms, Bm25::default()).next(&mut whole), 0);
            let mut blocks = index.block_scorer(&terms, Bm25::default());
            for (place, part) in parts.chunks_mut(block).enumerate() {
                prop_assert_eq!(blocks.next(part) as usize, place * block);
            }
            prop_assert_eq!(&whole, &parts);
            let holds = |slot: usize| terms.iter().any(|term| index.holds(slot as Slot, term));
            prop_assert!(whole.iter().enumerate().all(|(slot, score)| (*score > 0.0) == holds(slot)));
        }
    }
}
