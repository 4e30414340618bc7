//! Seats for what the query names: a rare ticker, file or person that the vectors rank last is found by its letters
//! (law 6).

use std::collections::HashSet;

use super::duplicate_groups::DuplicateGroup;
use crate::index::lexical::{Analyzer, LexicalIndex, QueryTerm, Slot};

/// A name in more memories than this is no clue to any single one of them.
const RARE_DOCUMENTS: usize = 3;

/// The terms of a query that name something rare: written with a capital (not only because a sentence begins), a digit
/// or a sign inside, and held by few memories.
pub(super) fn rare_names<'terms>(
    query: &str,
    terms: &'terms [QueryTerm],
    lexical: &LexicalIndex,
    analyzer: &mut Analyzer,
) -> Vec<&'terms QueryTerm> {
    if !terms.iter().any(|term| lexical.documents_with(term) <= RARE_DOCUMENTS) {
        return Vec::new();
    }
    let mut named = HashSet::new();
    for (place, word) in query.split_whitespace().enumerate() {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let capitals = word.chars().filter(|letter| letter.is_uppercase()).count();
        let is_identifier = word.chars().any(|letter| letter.is_numeric() || !letter.is_alphanumeric());
        if is_identifier || capitals > 1 || (capitals == 1 && place > 0) {
            analyzer.terms(word, &mut |term, _| {
                named.insert(term.to_owned());
            });
        }
    }
    terms
        .iter()
        .filter(|term| named.contains(&*term.text) && lexical.documents_with(term) <= RARE_DOCUMENTS)
        .collect()
}

/// Gives the best memory that holds each rare name a seat among the kept, from the last seat upward; at most half of
/// the seats go this way, so that one name never crowds out the answer.
pub(super) fn reserve_slots<'ranked>(
    kept: &mut [DuplicateGroup<'ranked>],
    waiting: Vec<DuplicateGroup<'ranked>>,
    names: &[&QueryTerm],
    lexical: &LexicalIndex,
) {
    let holds = |slot: Slot, name: &QueryTerm| lexical.holds(slot, name);
    let mut waiting: Vec<Option<DuplicateGroup<'_>>> = waiting.into_iter().map(Some).collect();
    let (mut last, floor) = (kept.len(), kept.len().div_ceil(2));
    for name in names {
        if kept.iter().any(|seat| holds(seat.slot(), name)) {
            continue;
        }
        while last > floor && names.iter().any(|other| holds(kept[last - 1].slot(), other)) {
            last -= 1;
        }
        if last <= floor {
            return;
        }
        let found = waiting.iter_mut().find(|one| one.as_ref().is_some_and(|seat| holds(seat.slot(), name)));
        if let Some(hit) = found.and_then(Option::take) {
            last -= 1;
            kept[last] = hit;
        }
    }
}
