//! A query in, a few ranked memories with their reasons out: the whole of recall in one call.

use std::collections::HashMap;
use std::sync::Arc;

pub use super::arms::Scratch;

use super::arms::Arms;
use super::candidate::{Candidate, ScoredCandidate, unite};
use super::conversation::{QueryClues, query_words};
use super::current_first::{add_corrections, corrections_of, raise_newer};
use super::danger_seats;
use super::diversity::{POOL_FACTOR, diverse};
use super::duplicate_groups::{self, DuplicateGroup, RESTATED};
use super::explain::{Arm, ArmReason, Explanation, Hit, SearchResult};
use super::fact_history::{FactHistory, rows_at_tick};
use super::filter::Filters;
use super::fuse::{FusionContext, fuse};
use super::graph::GraphArm;
use super::in_force;
use super::late_rerank::{LateInteraction, TokenCodes};
use super::newer_turn;
use super::partial_sort::PartialSort;
use super::period_arm;
use super::periods::{DaySpan, PeriodWords, resolve};
use super::rare_names::{self, rare_names};
use super::rule_seats::{self, RuleSeats, Seated};
use super::score::{Score, ScoreInput, confidence_of, relevance};
use super::settings::{Fusion, Policy, Settings};
use super::stated_first;
use super::top_k::SlotValues;
use crate::consolidate::Calibration;
use crate::error::{Error, Result};
use crate::index::hot::{HotSet, Row, Symbol};
use crate::index::lexical::{Analyzer, QUERY_BYTES, QueryTerm, Slot, cut};
use crate::index::vectors::{LateQuery, QueryVector, Tokens};
use crate::model::{Micros, Pad};

/// Memories that one call may return.
pub const MAX_LIMIT: usize = 10_000;

/// Query and options of a recall.
#[derive(Clone)]
pub struct Query<'query> {
    /// Text of the query.
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
    /// The words' tokens, and where those of the memories are, for late interaction.
    pub tokens: Option<(Tokens<'query>, &'query dyn TokenCodes)>,
    /// Where earlier states of facts are kept: a query about the past ranks them as they were then, if it is given.
    pub past: Option<&'query dyn FactHistory>,
    /// Words that name periods, in the language of the query; `None` reads none.
    pub periods: Option<&'query PeriodWords>,
    /// Facts with reserved seats, and facts that may not answer: see [`rule_seats`].
    pub rules: RuleSeats<'query>,
}

/// Everything about one query that does not change while it runs.
struct Search<'search> {
    query: &'search Query<'search>,
    arms: Arms<'search>,
    /// Whether there is anything to compare memories with; otherwise the latest are the answer.
    has_content: bool,
    tick: u64,
    /// Calibration of confidences by recorded outcomes.
    calibration: Calibration,
}

/// Finds the memories that matter for a query.
///
/// Candidates are the union of three arms (law 6): vectors and words each bring what passes their own threshold, and
/// the latest memories are looked at too, but must then pass one of the two. Every candidate is scored by every arm.
/// Nothing is invented: with no candidate past a threshold the answer is empty and says so.
pub fn search(
    hot: &HotSet,
    query: &Query<'_>,
    settings: &Settings,
    scratch: &mut Scratch,
) -> Result<SearchResult> {
    check(query)?;
    let mut found = SearchResult::default();
    let mut search = Search::new(hot, query, settings, &mut scratch.analyzer, &mut found.notes)?;
    let time = (query.now_tick, settings.tau_ticks);
    let past = query.filters.as_of.zip(query.past);
    let around = past.map(|(tick, past)| past.facts_around(tick)).transpose()?;
    found.searched = query.filters.apply(hot, time, around, &mut scratch.allowed);
    let fusion = settings.fusion_in_force();
    let seated = query.rules.admit(hot, &mut scratch.allowed);
    let named = cut(query.text, QUERY_BYTES);
    let words = query_words(named);
    let clues = QueryClues::of(&words, search.periods(&words, scratch));
    if query.periods.is_some_and(|known| known.asks_for_time_alone(&words, query.now))
        && let Some(count) = period_arm::limit_to(&search.arms, &clues.spans, scratch)
    {
        found.searched = count;
        search.drop_content(&mut found.notes);
    }
    let lists = search.arms.candidates(query.limit, found.searched, fusion, scratch);
    let mut candidates = unite(&search.arms, &lists, search.has_content, scratch);
    period_arm::add(&search.arms, &clues.spans, &mut candidates, scratch);
    rule_seats::add(&search.arms, &seated, &mut candidates, scratch);
    let dangers = danger_seats::met(&search.arms, query.rules.unseated, scratch);
    rule_seats::add(&search.arms, &dangers, &mut candidates, scratch);
    let graph = GraphArm::add_reached(&search.arms, named, &mut candidates, scratch);
    add_corrections(&search.arms, &mut candidates, scratch);
    let late = search.late(&mut scratch.analyzer, &mut found.notes)?;
    let context = FusionContext { clues: &clues, late: late.as_ref(), tick: search.tick };
    fuse(&search.arms, fusion, &context, &mut candidates, scratch)?;
    graph.add(fusion, settings, &mut candidates);
    let then = match past {
        Some((tick, past)) => {
            rows_at_tick(hot, &mut candidates, past, query.filters, (tick, settings.tau_ticks))?
        }
        None => HashMap::new(),
    };
    found.candidates = candidates.len();
    let mut ranked = search.rank(&candidates, &then);
    duplicate_groups::limit_by_episode(&mut ranked);
    newer_turn::raise(&search.arms, &clues, &mut ranked);
    raise_newer(&search.arms, &mut ranked);
    in_force::raise(&search.arms, &mut ranked, &mut scratch.analyzer);
    // After it: a fact in force that a statement's place had raised would not stand for its duplicates.
    stated_first::raise(&search.arms, &mut ranked);
    let rare = rare_names(named, &search.arms.terms, hot.lexical(), &mut scratch.analyzer);
    let dangers = danger_seats::of(hot, &ranked, &dangers, query.filters.as_of, query.limit);
    let seats = rule_seats::of(&ranked, &seated, dangers, query.limit);
    found.hits = search.collapse(search.diversify(PartialSort::new(&ranked)), &rare, &seats, &lists);
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
        analyzer: &mut Analyzer,
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
        let (terms, has_words) = hot.lexical().query_terms_by(analyzer, query.text);
        let has_content = has_words || vector.is_some();
        if !has_content {
            notes.push("the query has no words: the latest memories are listed".into());
        }
        let tick = query.filters.as_of.unwrap_or(query.now_tick);
        let arms = Arms::new(hot, settings, vector, terms, query.now);
        let calibration = Calibration::of_bins(hot.outcome_bins());
        Ok(Self { query, arms, has_content, tick, calibration })
    }

    /// Lets the query be answered by the latest of the memories that are allowed, since its words name no topic.
    fn drop_content(&mut self, notes: &mut Vec<String>) {
        let Arms { hot, settings, .. } = self.arms;
        self.arms = Arms::new(hot, settings, None, Vec::new(), self.query.now);
        self.has_content = false;
        notes.push("the query names a time and no topic: the turns of that time are listed".into());
    }

    /// The query's tokens, weighted by how rare their words are here.
    fn late(
        &self,
        analyzer: &mut Analyzer,
        notes: &mut Vec<String>,
    ) -> Result<Option<LateInteraction<'search>>> {
        let Some((tokens, source)) = self.query.tokens.filter(|_| self.has_content) else {
            return Ok(None);
        };
        tokens.check()?;
        let vectors = self.arms.hot.vectors();
        if vectors.is_empty() || tokens.dims != vectors.dims() {
            if !vectors.is_empty() {
                notes.push("the tokens are not of the stored model: no late interaction".into());
            }
            return Ok(None);
        }
        let lexical = self.arms.hot.lexical();
        Ok(LateQuery::new(&tokens, |word| lexical.rarity(analyzer, word))
            .map(|query| LateInteraction { query, source }))
    }

    /// The days that the query names. Bounds of time in the filters win over its words.
    fn periods(&self, words: &[&str], scratch: &Scratch) -> Vec<DaySpan> {
        let filters = self.query.filters;
        let is_bounded = filters.since.is_some() || filters.until.is_some();
        let Some(known) = self.query.periods.filter(|_| !is_bounded) else { return Vec::new() };
        if self.arms.settings.conversation.date == 0.0 {
            return Vec::new();
        }
        let is_remembered =
            |span: &DaySpan| self.arms.hot.in_time(span.bounds()).any(|slot| scratch.allowed[slot as usize]);
        resolve(&known.read(words, self.query.now), is_remembered)
    }

    /// Scores what is relevant. Facts of which there is a row of `then` are judged by that.
    fn rank<'ranked>(
        &self,
        candidates: &'ranked [Candidate],
        then: &'ranked HashMap<Slot, Row>,
    ) -> Vec<ScoredCandidate<'ranked>>
    where
        'search: 'ranked,
    {
        let relevant = || candidates.iter().filter(|candidate| candidate.is_relevant);
        let best = relevant().map(|candidate| candidate.fused).fold(f32::NEG_INFINITY, f32::max);
        let thread = self.query.thread.and_then(|thread| self.arms.hot.names().find(thread));
        let judge = |candidate: &'ranked Candidate| {
            let row = then.get(&candidate.slot).or_else(|| self.arms.hot.row(candidate.slot))?;
            Some(self.score_candidate(candidate, row, best, thread))
        };
        let mut ranked = Vec::with_capacity(candidates.len());
        ranked.extend(relevant().filter_map(judge));
        ranked
    }

    fn score_candidate<'ranked>(
        &self,
        candidate: &'ranked Candidate,
        row: &'ranked Row,
        best: f32,
        thread: Option<Symbol>,
    ) -> ScoredCandidate<'ranked> {
        let settings = self.arms.settings;
        let relevance = match settings.fusion_in_force() {
            Fusion::Sum => relevance(candidate.fused, best),
            // Reciprocal ranks are positive: the part of the best is their scale.
            Fusion::Rrf => candidate.fused / best.max(f32::MIN_POSITIVE),
        };
        let confidence = confidence_of(row, self.tick, settings.tau_ticks);
        let age_days = self.arms.age_days(row);
        let parts = Score::of(
            row,
            &ScoreInput {
                settings,
                fused: candidate.fused,
                relevance,
                mood: &self.query.mood,
                tick: self.tick,
                confidence,
                worth: self.calibrated_confidence(row, confidence),
                age_days,
                is_of_thread: thread == Some(row.thread),
            },
        );
        ScoredCandidate {
            candidate,
            row,
            relevance,
            parts,
            confidence,
            age_days,
            score: parts.total(),
            raised: None,
        }
    }

    /// How often a memory of this confidence holds. What the agent lived needs no correction.
    fn calibrated_confidence(&self, row: &Row, confidence: f32) -> f32 {
        if row.fact.is_some() { self.calibration.of(f64::from(confidence)) as f32 } else { confidence }
    }

    /// Converts a ranked memory to a hit.
    fn hit(&self, ranked: &ScoredCandidate<'_>, lists: &[SlotValues; 3]) -> Hit {
        let ScoredCandidate { candidate, row, parts, confidence, age_days, score, raised, .. } = *ranked;
        let reason = |arm: usize| ArmReason {
            arm: Arm::ALL[arm],
            rank: candidate.ranks[arm].map(|rank| {
                match (self.arms.settings.fusion_in_force(), candidate.values[arm]) {
                    // The latest memories are in their order.
                    (Fusion::Sum, Some(value)) if arm < 2 => {
                        self.arms.rank(&lists[arm], candidate.slot, value)
                    }
                    _ => rank,
                }
            }),
            value: candidate.values[arm],
            part: candidate.parts[arm],
        };
        let late = (candidate.late_part != 0.0).then_some(ArmReason {
            arm: Arm::Late,
            rank: None,
            value: candidate.late,
            part: candidate.late_part,
        });
        Hit {
            id: row.id,
            layer: row.layer(),
            score,
            confidence,
            tick: row.tick,
            event_index: row.event_index,
            at: row.at,
            source: row.source,
            duplicates: Vec::new(),
            episode: self.arms.hot.episode(candidate.slot).map(Arc::clone),
            corrections: corrections_of(self.arms.hot, &row.id, self.query.filters.as_of),
            why: Explanation {
                arms: std::array::from_fn(reason),
                late,
                conversation: candidate.conversation.clone(),
                fused: candidate.fused,
                terms: parts.terms().copied().collect(),
                factors: factors(parts, score, raised),
                age_days,
                matched: self
                    .arms
                    .hot
                    .lexical()
                    .matched(candidate.slot, &self.arms.terms)
                    .map(|term| Arc::clone(&term.text))
                    .collect(),
                seat: None,
            },
        }
    }

    /// Puts what is unlike each other first, if that is wanted; what is not looked at follows as it was.
    fn diversify<'all, 'ranked>(&self, ranked: PartialSort<'all, 'ranked>) -> PartialSort<'all, 'ranked> {
        let diversity = self.arms.settings.diversity;
        if diversity == 0.0 {
            return ranked;
        }
        let mut ranked: Vec<&ScoredCandidate<'_>> = ranked.collect();
        let rest = ranked.split_off(ranked.len().min(self.query.limit.saturating_mul(POOL_FACTOR)));
        let scores: Vec<(Slot, f32)> =
            ranked.iter().map(|ranked| (ranked.candidate.slot, ranked.score)).collect();
        let (vectors, lexical) = (self.arms.hot.vectors(), self.arms.hot.lexical());
        let alike = |left, right| {
            vectors.between(left, right).unwrap_or(0.0).max(lexical.similarity(left, right)).max(0.0)
        };
        let order = diverse(&scores, scores.len(), diversity, alike);
        PartialSort::done(order.into_iter().map(|place| ranked[place]).chain(rest).collect())
    }

    /// Keeps the best of what says the same, which then names the others, and seats what the query names.
    fn collapse<'hits>(
        &self,
        ranked: PartialSort<'_, 'hits>,
        names: &[&QueryTerm],
        seats: &[Seated<'hits, 'hits>],
        lists: &[SlotValues; 3],
    ) -> Vec<Hit> {
        let lexical = self.arms.hot.lexical();
        let threshold = self.arms.settings.duplicate_similarity;
        let mut taken = Vec::with_capacity(self.query.limit.min(64));
        let mut waiting = Vec::new();
        for ranked in ranked {
            if taken.len() < self.query.limit {
                duplicate_groups::insert_hit(&mut taken, ranked, lexical, threshold);
            } else if names.is_empty() {
                break;
            } else {
                waiting.push(DuplicateGroup::of(ranked));
            }
        }
        rare_names::reserve_slots(&mut taken, waiting, names, lexical);
        rule_seats::reserve(&mut taken, seats, self.query.limit);
        let hit = |DuplicateGroup { representative, score, others }| {
            let mut hit = Hit { duplicates: others, ..self.hit(representative, lists) };
            hit.why.seat = seats
                .iter()
                .find(|seated| seated.slot() == representative.candidate.slot)
                .map(|seated| seated.seat);
            if score > hit.score && hit.score > 0.0 {
                // An episode stands where the fact that restates it was placed before what it corrects.
                hit.why.factors.push((RESTATED, score / hit.score));
                hit.score = score;
            }
            hit
        };
        taken.into_iter().map(hit).collect()
    }

    fn explain_absence(&self, found: &mut SearchResult) {
        if !found.hits.is_empty() {
            return;
        }
        found.notes.push(if self.arms.hot.is_empty() {
            "nothing was remembered yet".into()
        } else if found.searched == 0 {
            format!("the filters let none of {} memories through", self.arms.hot.len())
        } else {
            format!(
                "nothing matched: of {} memories none shares a word with the query{}",
                found.searched,
                if self.arms.vector.is_some() {
                    let least = self.arms.settings.least_cosine(found.searched);
                    format!(" or is as near as {least:.2} (cosine)")
                } else {
                    String::new()
                }
            )
        });
    }
}

/// The factors of a score, with the one that raised it above others, under its name, or placed it no higher than its
/// episode.
fn factors(parts: Score, score: f32, raised: Option<&'static str>) -> Vec<(&'static str, f32)> {
    let mut factors: Vec<(&'static str, f32)> = parts.factors().collect();
    let total = parts.total();
    if let Some(raised) = raised.filter(|_| total > 0.0 && score > total) {
        factors.push((raised, score / total));
    } else if total > 0.0 && score < total {
        factors.push((RESTATED, score / total));
    }
    factors
}

impl Settings {
    /// The `rrf` policy is reciprocal rank fusion under any setting of the fusion.
    fn fusion_in_force(&self) -> Fusion {
        if self.policy == Policy::Rrf { Fusion::Rrf } else { self.fusion }
    }

    pub(super) const fn depth_of(&self, fusion: Fusion) -> usize {
        match fusion {
            Fusion::Sum => self.depth,
            Fusion::Rrf => self.rrf_depth,
        }
    }
}
