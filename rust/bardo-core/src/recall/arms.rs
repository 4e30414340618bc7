//! The three arms: what each says of a memory, and which memories it brings in.

use std::cmp::Ordering;

use super::settings::{Fusion, Settings};
use super::sort_keys;
use super::top_k::{SlotValues, TopK};
use crate::index::hot::{HotSet, Row};
use crate::index::lexical::{Analyzer, BLOCK, LexicalIndex, QueryTerm, Slot};
use crate::index::vectors::{NearestScratch, QueryVector, Similarity, rescored_count};
use crate::model::calendar::MICROS_PER_DAY;
use crate::model::{Id, Micros};

/// Latest memories that are looked at.
const RECENT: usize = 20;

/// Memories that are asked for ahead of the one that is looked at.
pub(super) const AHEAD: usize = 4;

/// A word is rare that at most this many memories hold,
const RARE_DOCUMENTS: usize = 3;
/// or at most one in this many.
const RARE_ONE_IN: usize = 1_000;

/// Arrays by slot that one search fills and the next one reuses.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Whether the filters let the slot through.
    pub allowed: Vec<bool>,
    /// Cosine from which a memory counts as near in this search; infinite where vectors are silent.
    pub least_cosine: f32,
    /// BM25.
    pub words: Vec<f32>,
    /// Working memory of the search by vectors.
    nearest: NearestScratch,
    /// BM25 of every conversation as one document.
    pub sessions: Vec<f32>,
    /// Knows the words of earlier queries.
    pub analyzer: Analyzer,
}

/// The arms for one query.
pub struct Arms<'search> {
    /// Where memories are looked up.
    pub hot: &'search HotSet,
    /// Thresholds and mixtures.
    pub settings: &'search Settings,
    /// The query as a vector.
    pub vector: Option<QueryVector>,
    /// The query as terms.
    pub terms: Vec<QueryTerm>,
    /// The memories that hold rare terms, by slot, with the share of the query's words, by their idf, that they hold and
    /// hardly any other does.
    rare: SlotValues,
    /// Wall clock of the asker.
    pub now: Micros,
}

impl<'search> Arms<'search> {
    /// The arms for a query; its vector is of the stored ones' dimensions.
    pub fn new(
        hot: &'search HotSet,
        settings: &'search Settings,
        vector: Option<QueryVector>,
        terms: Vec<QueryTerm>,
        now: Micros,
    ) -> Self {
        let rare = rare_shares(hot.lexical(), &terms);
        Self { hot, settings, vector, terms, rare, now }
    }

    /// Scores every memory by its words; the best of those that are allowed.
    fn score(&self, count: usize, scratch: &mut Scratch) -> TopK {
        let Scratch { words, allowed, .. } = scratch;
        words.resize(self.hot.slots(), 0.0);
        let mut best = TopK::new(count);
        let mut blocks = self.hot.lexical().block_scorer(&self.terms, self.settings.bm25);
        for (scores, allowed) in words.chunks_mut(BLOCK).zip(allowed.chunks(BLOCK)) {
            let first = blocks.next(scores);
            best.add_positive(first, scores, allowed);
        }
        best
    }

    /// Scores every conversation by its words.
    fn score_conversations(&self, scratch: &mut Scratch) {
        let (groups, lengths) = (self.hot.conversation_of(), self.hot.conversation_lengths());
        let bm25 = self.settings.bm25;
        self.hot.lexical().score_groups(&self.terms, bm25, groups, lengths, &mut scratch.sessions);
    }

    /// The candidates of the three arms in the order of [`super::explain::Arm::ALL`], each past its own threshold.
    /// `searched` memories are allowed, of which `limit` are wanted. Where ranks do not count, the first two are in no
    /// order.
    pub fn candidates(
        &self,
        limit: usize,
        searched: usize,
        fusion: Fusion,
        scratch: &mut Scratch,
    ) -> [SlotValues; 3] {
        let depth = self.settings.depth_of(fusion).max(limit);
        let words = self.score(depth, scratch);
        self.score_conversations(scratch);
        scratch.least_cosine = self.settings.min_cosine;
        let rough = self.vector.as_ref().map_or_else(Vec::new, |vector| {
            let dense = |similarity: &Similarity| self.dense(similarity);
            let Scratch { allowed, nearest, .. } = &mut *scratch;
            self.hot.vectors().near(vector, allowed, searched, depth, &dense, nearest)
        });
        let mut best = TopK::new(depth);
        for (slot, value) in rough {
            best.add(slot, value);
        }
        let mut near_by_codes = best.found(|slot| self.id(slot));
        let exactly = rescored_count(limit).min(near_by_codes.len());
        sort_keys::select(&mut near_by_codes, exactly, |slot| self.id(slot));
        let words = match fusion {
            Fusion::Sum => unordered(&words.found(|slot| self.id(slot))),
            Fusion::Rrf => words.sorted(|slot| self.id(slot)),
        };
        let recent = self.hot.latest().filter(|slot| scratch.allowed[*slot as usize]);
        let listed = if self.vector.is_none() && self.terms.is_empty() { limit.max(RECENT) } else { RECENT };
        let recent = recent.take(listed.min(depth)).map(|slot| (slot, self.recency(slot))).collect();
        let mut best = f32::NEG_INFINITY;
        let mut near = SlotValues::with_capacity(near_by_codes.len());
        for (place, &key) in near_by_codes.iter().enumerate() {
            let slot = sort_keys::place(key);
            if let Some(ahead) = near_by_codes[..exactly].get(place + AHEAD) {
                self.hot.vectors().prefetch_low(sort_keys::place(*ahead));
            }
            let similarity = if place < exactly { self.exact(slot) } else { self.approximate(slot) };
            let Some((value, cosine)) = similarity else { continue };
            best = best.max(cosine);
            if cosine >= self.settings.min_cosine {
                near.push((slot, value));
            }
        }
        if best < self.settings.least_cosine(searched) {
            near.clear();
            scratch.least_cosine = f32::INFINITY;
        }
        if fusion == Fusion::Rrf {
            near = self.top(near.into_iter(), depth);
        }
        [near, words, recent]
    }

    /// The rank, from 1, that a memory has by its value in a list that is in no order; ties by id.
    pub fn rank(&self, list: &[(Slot, f32)], slot: Slot, value: f32) -> u32 {
        let is_before = |other: &&(Slot, f32)| match other.1.total_cmp(&value) {
            Ordering::Greater => true,
            Ordering::Equal => self.id(other.0) < self.id(slot),
            Ordering::Less => false,
        };
        1 + list.iter().filter(is_before).count() as u32
    }

    /// Asks for what a candidate is made of before it is needed.
    pub fn prefetch(&self, slot: Slot) {
        self.hot.prefetch(slot);
        if self.vector.is_some() {
            self.hot.vectors().prefetch_high(slot);
        }
    }

    /// The value of the dense arm, and the better of the two cosines in it, exactly.
    fn exact(&self, slot: Slot) -> Option<(f32, f32)> {
        let similarity = self.hot.vectors().exact(self.vector.as_ref()?, slot)?;
        Some((self.dense(&similarity), similarity.nearest()))
    }

    /// The same by 8-bit codes.
    pub fn approximate(&self, slot: Slot) -> Option<(f32, f32)> {
        let similarity = self.hot.vectors().approximate(self.vector.as_ref()?, slot)?;
        Some((self.dense(&similarity), similarity.nearest()))
    }

    /// The share of the query's words, by their idf, that this memory holds and hardly any other does.
    pub fn rare_share(&self, slot: Slot) -> f32 {
        self.rare.binary_search_by_key(&slot, |(slot, _)| *slot).map_or(0.0, |place| self.rare[place].1)
    }

    /// How recent a memory is: 1 now, falling by e-folds.
    pub fn recency(&self, slot: Slot) -> f32 {
        let days = f64::from(self.settings.recency_days);
        (-self.days_since(self.hot.at(slot)) / days).exp() as f32
    }

    /// Days since a memory was made.
    pub fn age_days(&self, row: &Row) -> f64 {
        self.days_since(row.at)
    }

    fn days_since(&self, at: Micros) -> f64 {
        self.now.saturating_sub(at).max(0) as f64 / MICROS_PER_DAY as f64
    }

    /// The best sentence, held back where there were many to choose from, with a part of the whole.
    fn dense(&self, similarity: &Similarity) -> f32 {
        let chance = if similarity.sentences < 2 {
            0.0
        } else {
            self.settings.sentence_penalty * (similarity.sentences as f32).ln()
        };
        let whole = self.settings.whole_weight;
        (similarity.best - chance + whole * similarity.whole) / (1.0 + whole)
    }

    /// The greatest values, greatest first, ties by id.
    fn top(&self, values: impl Iterator<Item = (Slot, f32)>, count: usize) -> SlotValues {
        let mut best = TopK::new(count);
        // Iterators of several layers are quicker from within.
        values.for_each(|(slot, value)| best.add(slot, value));
        best.sorted(|slot| self.id(slot))
    }

    fn id(&self, slot: Slot) -> Option<Id> {
        self.hot.row(slot).map(|row| row.id)
    }
}

fn unordered(keys: &[u64]) -> SlotValues {
    keys.iter().map(|&key| (sort_keys::place(key), sort_keys::value(key))).collect()
}

/// The share of the query's words, by their idf, of every memory that holds some which hardly any other does, by slot.
fn rare_shares(lexical: &LexicalIndex, terms: &[QueryTerm]) -> SlotValues {
    let few = RARE_DOCUMENTS.max(lexical.len() / RARE_ONE_IN);
    let total: f32 = terms.iter().map(|term| term.idf).sum();
    let rare = terms.iter().filter(|term| term.documents as usize <= few && total > 0.0);
    let mut held: SlotValues =
        rare.flat_map(|term| lexical.documents_of(term).map(|slot| (slot, term.idf))).collect();
    // Stable: the words of a memory are added up in the order of the query.
    held.sort_by_key(|(slot, _)| *slot);
    let shares = held.chunk_by(|left, right| left.0 == right.0);
    shares.map(|held| (held[0].0, held.iter().map(|(_, idf)| idf).sum::<f32>() / total)).collect()
}
