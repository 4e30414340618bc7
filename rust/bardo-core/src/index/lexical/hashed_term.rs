//! Terms by their hashes, and a text that was read into them.

use xxhash_rust::xxh3::xxh3_64;

use super::segment::TermKind;

/// The number of a term whose number is not known.
pub(crate) const NO_NUMBER: u32 = u32::MAX;

/// A term without its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HashedTerm {
    /// xxh3 of the term.
    pub hash: u64,
    /// Its number in the index, where it was told once. Terms come and go: its user compares the hash.
    pub number: u32,
    /// Kind of term, which sets its weight.
    pub kind: TermKind,
    /// Whether a digit is in it.
    pub has_digit: bool,
}

impl HashedTerm {
    /// The hash of a term.
    pub fn new(term: &str, kind: TermKind) -> Self {
        let has_digit = term.bytes().any(|byte| byte.is_ascii_digit());
        Self { hash: xxh3_64(term.as_bytes()), number: NO_NUMBER, kind, has_digit }
    }
}

/// Features of a text beside its terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextClues {
    /// Number of its words: of what stands between white space.
    pub words: usize,
    /// Whether it says when something was or will be.
    pub tells_time: bool,
}

/// A text that was read.
#[derive(Clone, Debug, Default)]
pub struct AnalyzedText {
    /// Its terms, in order.
    pub(crate) terms: Vec<HashedTerm>,
    /// Chunks of one term whose number is not known: the place of the term, and the chunk's hash.
    pub(crate) unnumbered: Vec<(u32, u64)>,
    /// Further features.
    pub clues: TextClues,
}

impl AnalyzedText {
    /// Adds the one term of a chunk.
    #[inline]
    pub(crate) fn push(&mut self, term: HashedTerm, chunk: u64) {
        if term.number == NO_NUMBER {
            self.unnumbered.push((self.terms.len() as u32, chunk));
        }
        self.terms.push(term);
    }
}
