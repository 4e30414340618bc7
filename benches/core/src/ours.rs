//! The calls of the core that are measured.

use bardo_core::index::hot::HotSet;
use bardo_core::index::lexical::Slot;
use bardo_core::index::vectors::{NearestScratch, QueryVector, Similarity};
use bardo_core::model::{Id, Micros};
use bardo_core::recall::filter::Filters;
use bardo_core::recall::rule_seats::RuleSeats;
use bardo_core::recall::search::{Query, Scratch, search};
use bardo_core::recall::settings::Settings;
use bardo_core::recall::single_arm::matching;

/// Memories that a search returns.
pub const WANTED: usize = 10;

/// Words and vector in, ranked memories with their reasons out. Returns how many.
///
/// # Panics
/// If the query is refused.
pub fn hybrid(hot: &HotSet, question: &(String, Vec<f32>), now: Micros, scratch: &mut Scratch) -> usize {
    let filters = Filters::default();
    let query = Query {
        text: &question.0,
        vector: Some(&question.1),
        limit: WANTED,
        now_tick: 0,
        now,
        filters: &filters,
        mood: [0.0; 3],
        thread: None,
        tokens: None,
        past: None,
        periods: None,
        rules: RuleSeats::default(),
    };
    search(hot, &query, &Settings::default(), scratch).expect("a valid query").hits.len()
}

/// The nearest memories by vectors alone, exactly scored.
///
/// # Panics
/// If the vector is refused.
#[must_use]
pub fn vectors(hot: &HotSet, vector: &[f32], allowed: &[bool]) -> Vec<Slot> {
    let query = QueryVector::new(vector).expect("a valid vector").expect("not all zeros");
    let found = hot.vectors().nearest(&query, WANTED, allowed).expect("the right dimensions");
    found.into_iter().map(|(slot, _)| slot).collect()
}

/// Searches as [`vectors`] does, by the 8-bit codes of every memory: what the sieve saves.
///
/// # Panics
/// If the vector is refused.
#[must_use]
pub fn vectors_one_by_one(hot: &HotSet, vector: &[f32], allowed: &[bool]) -> usize {
    let query = QueryVector::new(vector).expect("a valid vector").expect("not all zeros");
    let best = |similarity: &Similarity| similarity.best;
    hot.vectors().near(&query, allowed, 0, WANTED, &best, &mut NearestScratch::default()).len()
}

/// The best memories by words alone.
#[must_use]
pub fn words(hot: &HotSet, text: &str, scratch: &mut Scratch) -> Vec<(Id, f32)> {
    matching(hot, text, WANTED, &Settings::default(), scratch)
}
