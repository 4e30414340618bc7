//! Cache of the terms of chunks of text. A chunk is identified by its 64-bit hash, as terms are: no text of a
//! removed document remains.
//!
//! Nearly every chunk yields one term. Such chunks are kept in a two-way set-associative cache of fixed size, one set
//! per cache line; a new entry evicts the least recently used one. A lookup costs one cache line, which can be
//! prefetched.

use prefetch_index::prefetch_index;

use super::hashed_term::AnalyzedText;
use super::hashed_term::HashedTerm;
use super::hashed_term::NO_NUMBER;
use super::segment::TermKind;
use crate::hashing::HashedMap;

/// Number of cache lines in the table: a megabyte, for 32,768 chunks.
const LINES: usize = 1 << 14;
/// Maximum number of cached chunks with several terms or none: about a megabyte.
const SEVERAL: usize = 8_192;

/// Chunk of one term. The key of an empty entry is 0, which no chunk has.
#[derive(Clone, Copy, Debug)]
struct CachedTerm {
    key: u64,
    term: HashedTerm,
    tells_time: bool,
}

/// Set of two entries, the most recently used first.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([CachedTerm; 2]);

const NOTHING: CachedTerm = CachedTerm {
    key: 0,
    term: HashedTerm { hash: 0, number: NO_NUMBER, kind: TermKind::Extra, has_digit: false },
    tells_time: false,
};

/// Cache of analyzed chunks, with their terms and whether they contain a time expression.
#[derive(Debug, Default)]
pub(crate) struct TermCache {
    /// Empty until the first entry is added.
    lines: Vec<Line>,
    several: HashedMap<u64, (Box<[HashedTerm]>, bool)>,
}

/// The key of a chunk by its hash.
pub(crate) const fn key_of(hash: u64) -> u64 {
    if hash == 0 { 1 } else { hash }
}

const fn line_of(key: u64) -> usize {
    key as usize % LINES
}

impl TermCache {
    /// Prefetches the entry of a chunk.
    pub fn prefetch(&self, key: u64) {
        prefetch_index(&self.lines, line_of(key));
    }

    /// Adds the cached terms of a chunk to a text, and returns whether it contains a time expression; `None`
    /// on a miss.
    #[inline]
    pub fn find(&mut self, key: u64, read: &mut AnalyzedText) -> Option<bool> {
        let Line([first, second]) = self.lines.get_mut(line_of(key))?;
        if first.key != key {
            if second.key != key {
                return self.find_each(key, read);
            }
            std::mem::swap(first, second);
        }
        read.push(first.term, key);
        Some(first.tells_time)
    }

    fn find_each(&self, key: u64, read: &mut AnalyzedText) -> Option<bool> {
        let (terms, tells_time) = self.several.get(&key)?;
        read.terms.extend_from_slice(terms);
        Some(*tells_time)
    }

    /// Caches the analysis of a chunk.
    pub fn add(&mut self, key: u64, terms: &[HashedTerm], tells_time: bool) {
        if self.lines.is_empty() {
            self.lines.resize(LINES, Line([NOTHING; 2]));
        }
        if let [term] = *terms {
            let Line([first, second]) = &mut self.lines[line_of(key)];
            *second = std::mem::replace(first, CachedTerm { key, term, tells_time });
            return;
        }
        if self.several.len() == SEVERAL {
            self.several.clear();
        }
        self.several.insert(key, (terms.into(), tells_time));
    }

    /// Stores the number of the only term of a chunk, if the chunk is still cached.
    pub fn number(&mut self, key: u64, number: u32) {
        let Some(Line(places)) = self.lines.get_mut(line_of(key)) else { return };
        if let Some(known) = places.iter_mut().find(|known| known.key == key) {
            known.term.number = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(number: u64) -> HashedTerm {
        HashedTerm { hash: number, ..NOTHING.term }
    }

    fn found(known: &mut TermCache, key: u64) -> Option<Vec<HashedTerm>> {
        let mut read = AnalyzedText::default();
        known.find(key, &mut read).map(|_| read.terms)
    }

    #[test]
    fn of_the_chunks_of_one_line_the_two_that_were_met_last_are_known() {
        let mut known = TermCache::default();
        let keys = [7, 7 + LINES as u64, 7 + 2 * LINES as u64];
        known.add(keys[0], &[term(10)], false);
        known.add(keys[1], &[term(11)], false);
        known.number(keys[0], 5);
        assert_eq!(found(&mut known, keys[0]).unwrap()[0].number, 5);
        known.add(keys[2], &[term(12)], false);
        assert_eq!(found(&mut known, keys[0]), Some(vec![HashedTerm { number: 5, ..term(10) }]));
        assert_eq!(found(&mut known, keys[1]), None);
        assert_eq!(found(&mut known, keys[2]), Some(vec![term(12)]));
    }

    #[test]
    fn chunks_of_several_terms_and_of_none_are_known_too() {
        let mut known = TermCache::default();
        known.add(1, &[], true);
        known.add(2, &[term(1), term(2)], false);
        assert_eq!(found(&mut known, 1), Some(vec![]));
        assert_eq!(found(&mut known, 2), Some(vec![term(1), term(2)]));
        for key in 3..2 * SEVERAL as u64 {
            known.add(key, &[], false);
        }
        assert!(known.several.len() <= SEVERAL);
    }
}
