//! Inverted index of the words of every memory, updated in place by every add and remove: a document is findable by
//! the next call, and nothing is ever rebuilt.

use std::io::{self, Read, Write};
use std::ops::Range;

use prefetch_index::prefetch_index;

use super::analyzer::{Analyzer, QUERY_BYTES};
use super::hashed_term::{AnalyzedText, HashedTerm};
use super::posting::idf;
use super::posting::{FREQUENCY_BITS, MAX_FREQUENCY, QueryTerm, Slot, slot_of};
use super::segment::{TermKind, cut};
use super::terms::TermReader;
use crate::hashing::HashedMap;
use crate::index::snapshot_file::{Reader, Writer};

/// Maximum number of distinct query terms that are scored: the first ones. A question has about ten.
pub const QUERY_TERMS: usize = 256;

#[derive(Clone, Debug, Default)]
struct Postings {
    /// Slot and frequency packed, ascending.
    entries: Vec<u32>,
    /// Hash of the term, to remove it from the vocabulary with its last document.
    hash: u64,
    has_digit: bool,
}

/// Postings of every term and terms of every document. Terms are identified by their 64-bit hash: among a
/// million, a collision has probability 3e-8, and no text of a removed document remains.
#[derive(Debug, Default)]
pub struct LexicalIndex {
    /// Reused buffer of [`LexicalIndex::set`].
    numbers: Vec<u32>,
    /// Reused buffer of [`LexicalIndex::set`].
    occurrences: Vec<u32>,
    vocabulary: HashedMap<u64, u32>,
    postings: Vec<Postings>,
    free: Vec<u32>,
    /// Distinct terms of every document, ascending.
    documents: Vec<Box<[u32]>>,
    /// Length of every document in words, without stop words and extra terms. An episode of 64 KiB has at most half
    /// as many.
    pub(crate) lengths: Vec<u16>,
    pub(crate) total_length: u64,
    pub(crate) alive: u32,
}

impl LexicalIndex {
    /// Adds or replaces a document by its terms, which `reader` has read and whose numbers `reader` learns.
    pub fn set(&mut self, slot: Slot, read: &AnalyzedText, reader: &mut TermReader) {
        self.remove(slot);
        let length = read.terms.iter().filter(|term| term.kind == TermKind::Word).count();
        let length = u16::try_from(length).unwrap_or(u16::MAX);
        let (mut numbers, mut occurrences) =
            (std::mem::take(&mut self.numbers), std::mem::take(&mut self.occurrences));
        for term in read.terms.iter().filter(|term| (term.number as usize) < self.postings.len()) {
            prefetch_index(&self.postings, term.number as usize);
        }
        numbers.clear();
        numbers.extend(read.terms.iter().map(|term| self.intern(term)));
        reader.learn(read, &numbers);
        occurrences.clone_from(&numbers);
        occurrences.sort_unstable();
        for group in occurrences.chunk_by(|left, right| left == right) {
            let term = group[0];
            let frequency = u32::try_from(group.len()).unwrap_or(u32::MAX).min(MAX_FREQUENCY);
            let entry = slot << FREQUENCY_BITS | frequency;
            let entries = &mut self.postings[term as usize].entries;
            match entries.last() {
                Some(&last) if last > entry => {
                    let at = entries.partition_point(|&other| other < entry);
                    entries.insert(at, entry);
                }
                _ => entries.push(entry),
            }
        }
        occurrences.dedup();
        let terms = occurrences.as_slice().into();
        (self.numbers, self.occurrences) = (numbers, occurrences);
        if self.documents.len() <= slot as usize {
            self.documents.resize_with(slot as usize + 1, Box::default);
            self.lengths.resize(slot as usize + 1, 0);
        }
        self.documents[slot as usize] = terms;
        self.lengths[slot as usize] = length;
        self.total_length += u64::from(length);
        self.alive += 1;
    }

    /// Removes a document from every posting list. Ignores a slot without a document.
    pub fn remove(&mut self, slot: Slot) {
        let Some(terms) = self.documents.get_mut(slot as usize) else { return };
        if terms.is_empty() {
            return;
        }
        for term in std::mem::take(terms) {
            let postings = &mut self.postings[term as usize];
            let at = postings.entries.partition_point(|&entry| slot_of(entry) < slot);
            if postings.entries.get(at).is_some_and(|&entry| slot_of(entry) == slot) {
                postings.entries.remove(at);
            }
            if postings.entries.is_empty() {
                self.vocabulary.remove(&postings.hash);
                *postings = Postings::default();
                self.free.push(term);
            }
        }
        self.total_length -= u64::from(std::mem::take(&mut self.lengths[slot as usize]));
        self.alive -= 1;
    }

    /// The terms of a query that occur in the index, and whether the query had any word. Stop words count only if
    /// there are no other words.
    #[must_use]
    pub fn query_terms(&self, query: &str) -> (Vec<QueryTerm>, bool) {
        self.query_terms_by(&mut Analyzer::default(), query)
    }

    /// [`LexicalIndex::query_terms`] with a reused analyzer, which has most words cached.
    pub fn query_terms_by(&self, analyzer: &mut Analyzer, query: &str) -> (Vec<QueryTerm>, bool) {
        let mut words: Vec<(u64, TermKind, Range<usize>)> = Vec::new();
        let (mut texts, mut has_word) = (String::new(), false);
        analyzer.terms(cut(query, QUERY_BYTES), &mut |text, kind| {
            has_word |= kind != TermKind::Stop;
            let hash = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
            if words.len() < QUERY_TERMS && words.iter().all(|(seen, ..)| *seen != hash) {
                words.push((hash, kind, texts.len()..texts.len() + text.len()));
                texts.push_str(text);
            }
        });
        let has_any = !words.is_empty();
        words.retain(|(_, kind, _)| !has_word || *kind != TermKind::Stop);
        // Each step reads distant memory, so it runs for all words together to overlap the cache misses.
        let known: Vec<(u32, &str)> = words
            .iter()
            .filter_map(|(hash, _, text)| {
                let &term = self.vocabulary.get(hash)?;
                prefetch_index(&self.postings, term as usize);
                Some((term, &texts[text.clone()]))
            })
            .collect();
        let terms = known.into_iter().map(|(term, text)| {
            let entries = &self.postings[term as usize].entries;
            prefetch_index(entries, 0);
            let documents = entries.len() as u32;
            let idf = idf(documents as f32, self.alive as f32);
            QueryTerm { term, documents, idf, text: text.into() }
        });
        (terms.collect(), has_any)
    }

    /// Inverse document frequency of a single word; the maximum for a word in no document.
    pub fn rarity(&self, analyzer: &mut Analyzer, word: &str) -> f32 {
        let mut documents = 0;
        analyzer.terms(word, &mut |term, _| {
            if let Some(&term) = self.vocabulary.get(&xxhash_rust::xxh3::xxh3_64(term.as_bytes())) {
                documents = documents.max(self.postings[term as usize].entries.len());
            }
        });
        idf(documents as f32, self.alive as f32)
    }

    /// Length of a document in words, without stop words and extra terms.
    #[must_use]
    pub fn length(&self, slot: Slot) -> u32 {
        u32::from(self.lengths.get(slot as usize).copied().unwrap_or(0))
    }

    /// The query terms that a document contains.
    pub fn matched<'query>(
        &self,
        slot: Slot,
        terms: &'query [QueryTerm],
    ) -> impl Iterator<Item = &'query QueryTerm> {
        terms.iter().filter(move |term| self.holds(slot, term))
    }

    /// Whether a document contains a term.
    #[must_use]
    pub fn holds(&self, slot: Slot, term: &QueryTerm) -> bool {
        self.documents.get(slot as usize).is_some_and(|terms| terms.binary_search(&term.term).is_ok())
    }

    /// The documents that contain a term, ascending.
    pub fn documents_of(&self, term: &QueryTerm) -> impl Iterator<Item = Slot> {
        self.entries_of(term).iter().map(|&entry| slot_of(entry))
    }

    /// The entries of a term, ascending: see [`slot_of`] and [`frequency_of`].
    pub(crate) fn entries_of(&self, term: &QueryTerm) -> &[u32] {
        &self.postings[term.term as usize].entries
    }

    /// Number of documents that contain a term.
    #[must_use]
    pub fn documents_with(&self, term: &QueryTerm) -> usize {
        self.postings[term.term as usize].entries.len()
    }

    /// Number of terms that two documents have in common.
    #[must_use]
    pub fn terms_in_common(&self, left: Slot, right: Slot) -> usize {
        let (left, right) = (&self.documents[left as usize], &self.documents[right as usize]);
        left.iter().filter(|term| right.binary_search(term).is_ok()).count()
    }

    /// Jaccard similarity of the terms of two documents; 0 if they differ in a term with a digit, as two events of one
    /// template do.
    #[must_use]
    pub fn similarity(&self, left: Slot, right: Slot) -> f32 {
        let (left, right) = (&self.documents[left as usize], &self.documents[right as usize]);
        let (mut at, mut with, mut shared) = (0, 0, 0_usize);
        while at < left.len() || with < right.len() {
            let (one, other) = (left.get(at).copied(), right.get(with).copied());
            if one == other {
                shared += 1;
                at += 1;
                with += 1;
                continue;
            }
            let lone = match (one, other) {
                (Some(one), Some(other)) => one.min(other),
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => break,
            };
            if self.postings[lone as usize].has_digit {
                return 0.0;
            }
            at += usize::from(one == Some(lone));
            with += usize::from(other == Some(lone));
        }
        let union = left.len() + right.len() - shared;
        if union == 0 { 0.0 } else { shared as f32 / union as f32 }
    }

    /// Whether the [`LexicalIndex::similarity`] of two documents is at least `least`. The first few terms decide
    /// most pairs.
    #[must_use]
    pub fn is_similar(&self, left: Slot, right: Slot, least: f32) -> bool {
        let (one, other) = (&self.documents[left as usize], &self.documents[right as usize]);
        let (fewer, more) = if one.len() < other.len() { (one, other) } else { (other, one) };
        // With `m` of the fewer terms missing from the others, at most `fewer - m` of `more + m` are shared.
        let at_most = |missing: usize| (fewer.len() - missing) as f32 / (more.len() + missing).max(1) as f32;
        let (mut with, mut missing) = (0, 0);
        for term in fewer {
            while more.get(with).is_some_and(|other| other < term) {
                with += 1;
            }
            missing += usize::from(more.get(with) != Some(term));
            if at_most(missing) < least {
                return false;
            }
        }
        self.similarity(left, right) >= least
    }

    /// Number of documents in the index.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.alive as usize
    }

    /// Whether the index is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.alive == 0
    }

    /// Number of distinct terms.
    #[must_use]
    pub fn term_count(&self) -> usize {
        self.vocabulary.len()
    }

    /// Approximate size in bytes: postings, term lists and vocabulary.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let postings: usize = self.postings.iter().map(|postings| postings.entries.capacity() * 4).sum();
        let terms: usize = self.documents.iter().map(|terms| terms.len() * 4).sum();
        postings
            + terms
            + self.postings.capacity() * size_of::<Postings>()
            + self.documents.capacity() * size_of::<Box<[u32]>>()
            + self.lengths.capacity() * size_of::<u16>()
            + self.vocabulary.capacity() * (size_of::<(u64, u32)>() + 1)
    }

    pub(crate) fn write<W: Write>(&self, to: &mut Writer<W>) -> io::Result<()> {
        to.value(&(&self.free, self.total_length, self.alive))?;
        to.array(&self.lengths)?;
        to.array(&self.postings.iter().map(|postings| postings.hash).collect::<Vec<_>>())?;
        to.array(&self.postings.iter().map(|postings| u8::from(postings.has_digit)).collect::<Vec<_>>())?;
        to.value(&self.postings.iter().map(|postings| postings.entries.len() as u32).collect::<Vec<_>>())?;
        // A delta takes two or three bytes.
        let steps = |postings: &Postings| {
            let before = std::iter::once(0).chain(postings.entries.iter().copied());
            postings.entries.iter().zip(before).map(|(entry, before)| entry - before).collect::<Vec<u32>>()
        };
        to.value(&self.postings.iter().flat_map(steps).collect::<Vec<_>>())
    }

    pub(crate) fn read<R: Read>(from: &mut Reader<R>) -> io::Result<Self> {
        let (free, total_length, alive) = from.value()?;
        let lengths: Vec<u16> = from.array()?;
        let (hashes, digits) = (from.array::<u64>()?, from.array::<u8>()?);
        let (counts, steps): (Vec<u32>, Vec<u32>) = (from.value()?, from.value()?);
        let steps = split_lists(&counts, &steps)?;
        let postings: Vec<Postings> = hashes
            .into_iter()
            .zip(digits)
            .zip(steps)
            .map(|((hash, digit), steps)| Postings { entries: sums(steps), hash, has_digit: digit != 0 })
            .collect();
        let documents = transpose(&postings, lengths.len())?;
        let mut vocabulary = HashedMap::default();
        vocabulary.reserve(postings.len());
        let known = (0..).zip(&postings).filter(|(_, postings)| !postings.entries.is_empty());
        vocabulary.extend(known.map(|(term, postings)| (postings.hash, term)));
        Ok(Self { vocabulary, postings, free, documents, lengths, total_length, alive, ..Self::default() })
    }

    /// The number of a term, new or known.
    fn intern(&mut self, term: &HashedTerm) -> u32 {
        let HashedTerm { hash, number, has_digit, .. } = *term;
        if let Some(postings) = self.postings.get(number as usize)
            && postings.hash == hash
            && let Some(last) = postings.entries.len().checked_sub(1)
        {
            // The next posting is appended there.
            prefetch_index(&postings.entries, last);
            return number;
        }
        if let Some(&term) = self.vocabulary.get(&hash) {
            return term;
        }
        let postings = Postings { entries: Vec::new(), hash, has_digit };
        let term = if let Some(term) = self.free.pop() {
            self.postings[term as usize] = postings;
            term
        } else {
            self.postings.push(postings);
            self.postings.len() as u32 - 1
        };
        self.vocabulary.insert(hash, term);
        term
    }
}

/// Decodes deltas into the numbers (prefix sums).
fn sums(steps: &[u32]) -> Vec<u32> {
    let mut sum = 0_u32;
    let next = |step: &u32| {
        sum = sum.wrapping_add(*step);
        sum
    };
    steps.iter().map(next).collect()
}

/// The terms of every document, ascending, from the postings.
fn transpose(postings: &[Postings], documents: usize) -> io::Result<Vec<Box<[u32]>>> {
    let entries =
        || (0..).zip(postings).flat_map(|(term, one)| one.entries.iter().map(move |&entry| (term, entry)));
    let mut counts = vec![0_u32; documents];
    for (_, entry) in entries() {
        let count = counts.get_mut(slot_of(entry) as usize);
        *count.ok_or_else(|| io::Error::other("it lists words of what is not there"))? += 1;
    }
    let mut ends = Vec::with_capacity(documents);
    let mut total = 0;
    for &count in &counts {
        ends.push(total);
        total += count as usize;
    }
    let mut terms = vec![0_u32; total];
    for (term, entry) in entries() {
        let end = &mut ends[slot_of(entry) as usize];
        terms[*end] = term;
        *end += 1;
    }
    Ok(split_lists(&counts, &terms)?.map(Into::into).collect())
}

/// Splits concatenated lists.
fn split_lists<'all>(
    counts: &'all [u32],
    mut all: &'all [u32],
) -> io::Result<impl Iterator<Item = &'all [u32]>> {
    if counts.iter().map(|&count| u64::from(count)).sum::<u64>() != all.len() as u64 {
        return Err(io::Error::other("its lists do not add up"));
    }
    Ok(counts.iter().map(move |&count| {
        let (list, rest) = all.split_at(count as usize);
        all = rest;
        list
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::bm25::Bm25;
    use super::*;

    fn index(texts: &[&str]) -> LexicalIndex {
        let (mut index, mut reader) = (LexicalIndex::default(), TermReader::default());
        for (slot, text) in texts.iter().enumerate() {
            put(&mut index, &mut reader, slot as Slot, text);
        }
        index
    }

    fn put(index: &mut LexicalIndex, reader: &mut TermReader, slot: Slot, text: &str) {
        let mut read = AnalyzedText::default();
        reader.read(text, 0..text.len(), &mut read);
        index.set(slot, &read, reader);
    }

    fn scores(index: &LexicalIndex, query: &str, slots: usize) -> Vec<f32> {
        let mut scores = Vec::new();
        scores.resize(slots, 0.0);
        index.block_scorer(&index.query_terms(query).0, Bm25::default()).next(&mut scores);
        scores
    }

    #[test]
    fn the_document_with_the_rarer_word_scores_higher() {
        let index = index(&["the pool was drained", "the pool was deep", "a deep sea", "deep"]);
        let scores = scores(&index, "what drained the deep pool?", 4);
        assert!(scores[0] > scores[1] && scores[1] > scores[2], "{scores:?}");
    }

    #[test]
    fn a_query_of_stop_words_alone_still_finds() {
        let index = index(&["we listened to The Who", "nothing here of it"]);
        assert!(scores(&index, "the who", 2)[0] > 0.0);
        assert!(scores(&index, "who listened", 2)[1] <= 0.0);
    }

    #[test]
    fn a_removed_document_leaves_no_term_behind() {
        let mut index = index(&["alpha beta", "beta gamma"]);
        index.remove(0);
        index.remove(0);
        assert_eq!((index.len(), index.term_count()), (1, 2));
        assert!(index.query_terms("alpha").0.is_empty());
        put(&mut index, &mut TermReader::default(), 0, "delta");
        assert!(scores(&index, "delta", 2)[0] > 0.0);
    }

    #[test]
    fn events_of_one_template_are_not_similar_but_rephrasings_are() {
        let index =
            index(&["ETH closed at 2001 today", "ETH closed at 2002 today", "today ETH closed at 2001!"]);
        assert!(index.similarity(0, 1) <= 0.0);
        assert!(index.similarity(0, 2) > 0.99);
    }

    proptest! {
        #[test]
        fn being_similar_is_to_have_the_similarity(
            left in "[a-e]{1,2}( [a-e]{1,2}){0,7}", right in "[a-e]{1,2}( [a-e]{1,2}){0,7}", least in 0.0_f32..1.2,
        ) {
            let index = index(&[&left, &right]);
            prop_assert_eq!(index.is_similar(0, 1, least), index.similarity(0, 1) >= least);
        }
    }

    proptest! {
        #[test]
        fn any_history_of_changes_ends_like_a_fresh_index(
            steps in prop::collection::vec((0_u32..6, prop::option::of("[a-e]{1,2}( [a-e]{1,2}){0,5}")), 1..30),
            query in "[a-e]{1,2}( [a-e]{1,2}){0,3}",
        ) {
            let (mut index, mut fresh) = (LexicalIndex::default(), LexicalIndex::default());
            // Its term numbers are reused for other terms later.
            let mut reader = TermReader::default();
            let mut model = vec![None; 6];
            for (slot, text) in steps {
                match &text {
                    Some(text) => put(&mut index, &mut reader, slot, text),
                    None => index.remove(slot),
                }
                model[slot as usize] = text;
            }
            for (slot, text) in model.iter().enumerate() {
                if let Some(text) = text {
                    put(&mut fresh, &mut TermReader::default(), slot as Slot, text);
                }
            }
            prop_assert_eq!(index.term_count(), fresh.term_count());
            prop_assert_eq!(scores(&index, &query, 6), scores(&fresh, &query, 6));
        }
    }
}
