//! A query in, a few ranked memories with their reasons out: the whole of recall in one call.

use super::explain::{Arm, ArmReason, Explanation, Found, Hit};
use super::filter::Filters;
use super::fuse::{reciprocal, standardize};
use super::score::{FourFactors, confidence_now, pinned_score, semantic, source_discount};
use super::settings::{Fusion, Policy, Settings};
use crate::error::{Error, Result};
use crate::index::calendar::MICROS_PER_DAY;
use crate::index::hot::{HotSet, Row};
use crate::index::lexical::{QueryTerm, Slot};
use crate::index::text::QUERY_BYTES;
use crate::index::vectors::{QueryVector, Similarity};
use crate::model::{Id, Micros, Pad};

/// Memories that one call may return.
pub const MAX_LIMIT: usize = 10_000;

/// Least spread of each arm over the candidates (see [`standardize`]): cosines, BM25 scores and recencies that differ
/// by less say nothing.
const LEAST_SPREAD_DENSE: f32 = 0.075;
const LEAST_SPREAD_LEXICAL: f32 = 1.0;
const LEAST_SPREAD_RECENCY: f32 = 0.25;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Query<'query> {
    /// In words.
    pub text: &'query str,
    /// The words' vector, if there is an embedder.
    pub vector: Option<&'query [f32]>,
    /// Memories wanted at most.
    pub limit: usize,
    /// Logical time of the asker.
    pub now_tick: u64,
    /// Wall clock of the asker.
    pub now: Micros,
    /// Which memories may answer.
    pub filters: &'query Filters,
    /// Affect of the asker; zeros for none.
    pub mood: Pad,
    /// The asker's active thread: its memories are boosted.
    pub thread: Option<&'query str>,
}

/// Arrays by slot that one search fills and the next one reuses.
#[derive(Debug, Default)]
pub struct Scratch {
    allowed: Vec<bool>,
    words: Vec<f32>,
    similarities: Vec<Similarity>,
}

/// Everything about one query that does not change while it runs.
struct Search<'search> {
    hot: &'search HotSet,
    query: &'search Query<'search>,
    settings: &'search Settings,
    vector: Option<QueryVector>,
    terms: Vec<QueryTerm>,
    /// Whether there is anything to compare memories with; otherwise the latest are the answer.
    has_content: bool,
    tick: u64,
    now: Micros,
}

/// One memory under consideration.
#[derive(Clone, Debug)]
struct Candidate {
    slot: Slot,
    id: Id,
    values: [Option<f32>; 3],
    ranks: [Option<u32>; 3],
    parts: [f32; 3],
    is_relevant: bool,
    fused: f32,
}

/// Finds the memories that matter for a query.
///
/// Candidates are the union of three arms (law 6): vectors and words each bring what passes their own threshold, and
/// the latest memories are looked at too, but must then pass one of the two. Every candidate is scored by every arm.
/// Nothing is invented: with no candidate past a threshold the answer is empty and says so.
pub fn search(hot: &HotSet, query: &Query<'_>, settings: &Settings, scratch: &mut Scratch) -> Result<Found> {
    check(query)?;
    let mut found = Found::default();
    let search = Search::new(hot, query, settings, &mut found.notes)?;
    found.searched = query.filters.apply(hot, query.now_tick, settings.tau_ticks, &mut scratch.allowed);
    search.score_arms(scratch);
    let mut candidates = search.candidates(scratch);
    found.candidates = candidates.len();
    search.fuse(&mut candidates);
    let hits = search.rank(candidates);
    found.hits = search.collapse(hits);
    search.explain_absence(&mut found);
    Ok(found)
}

fn check(query: &Query<'_>) -> Result<()> {
    if query.limit == 0 || query.limit > MAX_LIMIT {
        return Err(Error::invalid(
            format!("limit is {}", query.limit),
            format!("Ask for 1 to {MAX_LIMIT} memories"),
        ));
    }
    if let Some(least) = query.filters.min_confidence
        && !(0.0..=1.0).contains(&least)
    {
        return Err(Error::invalid(format!("min_confidence is {least}"), "It must be a number from 0 to 1"));
    }
    if query.mood.iter().any(|part| !(-1.0..=1.0).contains(part)) {
        return Err(Error::invalid(
            format!("pad is {:?}", query.mood),
            "Pleasure, arousal and dominance must each be a number from -1 to 1",
        ));
    }
    Ok(())
}

impl<'search> Search<'search> {
    fn new(
        hot: &'search HotSet,
        query: &'search Query<'search>,
        settings: &'search Settings,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let vector = match query.vector {
            Some(vector) => {
                let checked = QueryVector::new(vector)?;
                if checked.is_none() {
                    notes.push("the query vector is all zeros: searched by words alone".into());
                }
                checked.filter(|_| !hot.vectors().is_empty())
            }
            None => None,
        };
        if let Some(vector) = &vector {
            hot.vectors().check(vector)?;
        }
        if query.text.len() > QUERY_BYTES {
            notes.push(format!(
                "the query has {} bytes: the first {QUERY_BYTES} were searched for",
                query.text.len()
            ));
        }
        let (terms, has_words) = hot.lexical().query_terms(query.text);
        let has_content = has_words || vector.is_some();
        if !has_content {
            notes.push("the query has no words: the latest memories are listed".into());
        }
        let tick = query.filters.as_of.unwrap_or(query.now_tick);
        Ok(Self { hot, query, settings, vector, terms, has_content, tick, now: query.now })
    }

    fn score_arms(&self, scratch: &mut Scratch) {
        let slots = self.hot.slots();
        self.hot.lexical().score(&self.terms, self.settings.bm25, slots, &mut scratch.words);
        match &self.vector {
            Some(vector) => self.hot.vectors().scan(vector, &scratch.allowed, &mut scratch.similarities),
            None => scratch.similarities.clear(),
        }
    }

    /// The union of the arms, each past its own threshold, in the order of ids.
    fn candidates(&self, scratch: &Scratch) -> Vec<Candidate> {
        let depth = match self.settings.fusion_in_force() {
            Fusion::Sum => self.settings.depth.max(self.query.limit),
            Fusion::Rrf => self.settings.rrf_depth.max(self.query.limit),
        };
        let slots = |scratch: &Scratch| (0..).zip(scratch.allowed.clone()).filter(|(_, allowed)| *allowed);
        let words = top(slots(scratch).map(|(slot, _)| (slot, scratch.words[slot as usize])), depth, 0.0);
        let rough = slots(scratch)
            .filter_map(|(slot, _)| Some((slot, self.dense(scratch.similarities.get(slot as usize)?))))
            .filter(|(_, value)| value.is_finite());
        let dense = top(rough, depth, f32::NEG_INFINITY);
        let dense = self.past_threshold(dense);
        let recent =
            top(slots(scratch).map(|(slot, _)| (slot, self.recency(slot))), self.settings.rrf_depth, 0.0);

        let mut union: Vec<Slot> =
            [&dense, &words, &recent].into_iter().flatten().map(|(slot, _)| *slot).collect();
        union.sort_unstable();
        union.dedup();
        let rank_in = |list: &[(Slot, f32)], slot: Slot| {
            (1..).zip(list).find(|(_, (other, _))| *other == slot).map(|(rank, _)| rank)
        };
        let mut candidates: Vec<Candidate> = union
            .into_iter()
            .filter_map(|slot| {
                let row = self.hot.row(slot)?;
                let similarity = self.similarity(slot);
                let values = [
                    similarity.map(|(value, _)| value),
                    Some(scratch.words[slot as usize]),
                    Some(self.recency(slot)),
                ];
                let is_near = similarity.is_some_and(|(_, cosine)| cosine >= self.settings.min_cosine);
                Some(Candidate {
                    slot,
                    id: row.id,
                    values,
                    ranks: [rank_in(&dense, slot), rank_in(&words, slot), rank_in(&recent, slot)],
                    parts: [0.0; 3],
                    is_relevant: is_near || scratch.words[slot as usize] > 0.0 || !self.has_content,
                    fused: 0.0,
                })
            })
            .collect();
        candidates.sort_unstable_by_key(|candidate| candidate.id);
        candidates
    }

    /// Exact scores for the best of the scan, in their order; those too far from the query are dropped.
    fn past_threshold(&self, rough: Vec<(Slot, f32)>) -> Vec<(Slot, f32)> {
        let mut exact: Vec<(Slot, f32)> = rough
            .into_iter()
            .filter_map(|(slot, _)| {
                let (value, cosine) = self.similarity(slot)?;
                (cosine >= self.settings.min_cosine).then_some((slot, value))
            })
            .collect();
        exact.sort_unstable_by(|left, right| self.by_value(*left, *right));
        exact
    }

    /// The exact value of the dense arm, and the better of the two cosines in it.
    fn similarity(&self, slot: Slot) -> Option<(f32, f32)> {
        let similarity = self.hot.vectors().exact(self.vector.as_ref()?, slot)?;
        Some((self.dense(&similarity), similarity.best.max(similarity.whole)))
    }

    /// The best sentence, held back where there were many to choose from, with a part of the whole.
    fn dense(&self, similarity: &Similarity) -> f32 {
        let chance = self.settings.sentence_penalty * (similarity.sentences.max(1) as f32).ln();
        (similarity.best - chance + self.settings.whole_weight * similarity.whole)
            / (1.0 + self.settings.whole_weight)
    }

    fn recency(&self, slot: Slot) -> f32 {
        self.hot
            .row(slot)
            .map_or(0.0, |row| (-self.age_days(row) / f64::from(self.settings.recency_days)).exp() as f32)
    }

    fn age_days(&self, row: &Row) -> f64 {
        self.now.saturating_sub(row.at).max(0) as f64 / MICROS_PER_DAY as f64
    }

    fn by_value(&self, left: (Slot, f32), right: (Slot, f32)) -> std::cmp::Ordering {
        let id = |slot: Slot| self.hot.row(slot).map(|row| row.id);
        right.1.total_cmp(&left.1).then_with(|| id(left.0).cmp(&id(right.0)))
    }

    fn fuse(&self, candidates: &mut [Candidate]) {
        let weights =
            [self.settings.weights.dense, self.settings.weights.lexical, self.settings.weights.recency];
        let spreads = [LEAST_SPREAD_DENSE, LEAST_SPREAD_LEXICAL, LEAST_SPREAD_RECENCY];
        for (arm, (weight, spread)) in weights.into_iter().zip(spreads).enumerate() {
            match self.settings.fusion_in_force() {
                Fusion::Sum => {
                    let values: Vec<_> = candidates.iter().map(|candidate| candidate.values[arm]).collect();
                    for (candidate, score) in candidates.iter_mut().zip(standardize(&values, spread)) {
                        candidate.parts[arm] = weight * score;
                    }
                }
                Fusion::Rrf => {
                    for candidate in &mut *candidates {
                        candidate.parts[arm] = reciprocal(candidate.ranks[arm], weight, self.settings.rrf_k);
                    }
                }
            }
        }
        for candidate in candidates {
            candidate.fused = candidate.parts.iter().sum();
        }
    }

    /// Scores what is relevant, best first, ties by id.
    fn rank(&self, candidates: Vec<Candidate>) -> Vec<(Slot, Hit)> {
        let relevant: Vec<Candidate> =
            candidates.into_iter().filter(|candidate| candidate.is_relevant).collect();
        let best = relevant.iter().map(|candidate| candidate.fused).fold(f32::NEG_INFINITY, f32::max);
        let mut hits: Vec<(Slot, Hit)> = relevant
            .iter()
            .filter_map(|candidate| {
                Some((candidate.slot, self.hit(candidate, self.hot.row(candidate.slot)?, best)))
            })
            .collect();
        hits.sort_unstable_by(|(_, left), (_, right)| {
            right.score.total_cmp(&left.score).then(left.id.cmp(&right.id))
        });
        hits
    }

    fn hit(&self, candidate: &Candidate, row: &Row, best: f32) -> Hit {
        let settings = self.settings;
        let relevance = match settings.fusion_in_force() {
            Fusion::Sum => semantic(candidate.fused, best),
            // Reciprocal ranks are positive: the part of the best is their scale.
            Fusion::Rrf => candidate.fused / best.max(f32::MIN_POSITIVE),
        };
        let factors = FourFactors::of(row, relevance, &self.query.mood, self.tick, settings.tau_ticks);
        let confidence =
            row.fact.as_ref().map_or(1.0, |fact| confidence_now(fact, self.tick, settings.tau_ticks));
        let source_discount = source_discount(row.source);
        let is_bloodstain = row.fact.as_ref().is_some_and(|fact| fact.bloodstain);
        let bloodstain_boost = if is_bloodstain { settings.bloodstain_boost } else { 1.0 };
        let thread = self.query.thread.and_then(|thread| self.hot.names().find(thread));
        let thread_boost = if thread == Some(row.thread) { settings.thread_boost } else { 1.0 };
        let age_days = self.age_days(row);
        let base = match settings.policy {
            Policy::FourFactor => factors.sum(settings),
            Policy::Rrf => candidate.fused,
            Policy::Pinned => pinned_score(row, &factors, confidence, age_days),
        };
        let adjusted = if settings.policy == Policy::Rrf {
            1.0
        } else {
            source_discount * bloodstain_boost * thread_boost
        };
        let reason = |arm: usize| ArmReason {
            arm: Arm::ALL[arm],
            rank: candidate.ranks[arm],
            value: candidate.values[arm],
            part: candidate.parts[arm],
        };
        Hit {
            id: row.id,
            layer: row.layer(),
            score: base * adjusted,
            confidence,
            tick: row.tick,
            at: row.at,
            source: row.source,
            duplicates: Vec::new(),
            why: Explanation {
                arms: (0..3).map(reason).collect(),
                conversation: Vec::new(),
                fused: candidate.fused,
                semantic: factors.semantic,
                temporal: factors.temporal,
                importance: factors.importance,
                emotional: factors.emotional,
                source_discount,
                bloodstain_boost,
                thread_boost,
                age_days,
                matched: self
                    .hot
                    .lexical()
                    .matched(candidate.slot, &self.terms)
                    .into_iter()
                    .map(Into::into)
                    .collect(),
            },
        }
    }

    /// Keeps the best of near-duplicates, which then names the others.
    fn collapse(&self, ranked: Vec<(Slot, Hit)>) -> Vec<Hit> {
        let mut kept: Vec<(Slot, Hit)> = Vec::with_capacity(self.query.limit.min(ranked.len()));
        for (slot, hit) in ranked {
            let threshold = self.settings.duplicate_similarity;
            let is_like = |other: Slot| self.hot.lexical().similarity(slot, other) >= threshold;
            match kept.iter().position(|(other, _)| is_like(*other)) {
                Some(twin) => kept[twin].1.duplicates.push(hit.id),
                None if kept.len() < self.query.limit => kept.push((slot, hit)),
                None => break,
            }
        }
        kept.into_iter().map(|(_, hit)| hit).collect()
    }

    fn explain_absence(&self, found: &mut Found) {
        if !found.hits.is_empty() {
            return;
        }
        found.notes.push(if self.hot.is_empty() {
            "nothing was remembered yet".into()
        } else if found.searched == 0 {
            format!("the filters let none of {} memories through", self.hot.len())
        } else {
            format!(
                "nothing matched: of {} memories none shares a word with the query{}",
                found.searched,
                if self.vector.is_some() {
                    format!(" or has a cosine of at least {}", self.settings.min_cosine)
                } else {
                    String::new()
                }
            )
        });
    }
}

impl Settings {
    /// The `rrf` policy is reciprocal rank fusion whatever the fusion is set to.
    fn fusion_in_force(&self) -> Fusion {
        if self.policy == Policy::Rrf { Fusion::Rrf } else { self.fusion }
    }
}

/// The `count` greatest values above `least`, greatest first; ties by slot.
fn top(values: impl Iterator<Item = (Slot, f32)>, count: usize, least: f32) -> Vec<(Slot, f32)> {
    let mut kept: Vec<(Slot, f32)> = values.filter(|(_, value)| *value > least).collect();
    let order =
        |left: &(Slot, f32), right: &(Slot, f32)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0));
    if kept.len() > count {
        kept.select_nth_unstable_by(count, order);
        kept.truncate(count);
    }
    kept.sort_unstable_by(order);
    kept
}
