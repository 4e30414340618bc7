//! Terms as hashes, and the analyzed text.

use xxhash_rust::xxh3::xxh3_64;

use super::segment::TermKind;

/// Term number of a term whose number is unknown.
pub(crate) const NO_NUMBER: u32 = u32::MAX;

/// Term as a hash, without its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HashedTerm {
    /// xxh3 of the term.
    pub hash: u64,
    /// Cached number in the index. Numbers are reused for other terms, so the user compares the hash.
    pub number: u32,
    /// Kind of term, which sets its weight.
    pub kind: TermKind,
    /// Whether it contains a digit.
    pub has_digit: bool,
}

impl HashedTerm {
    /// Hashes a term.
    pub fn new(term: &str, kind: TermKind) -> Self {
        let has_digit = term.bytes().any(|byte| byte.is_ascii_digit());
        Self { hash: xxh3_64(term.as_bytes()), number: NO_NUMBER, kind, has_digit }
    }
}

/// Features of a text beside its terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextClues {
    /// Number of words separated by white space.
    pub words: usize,
    /// Whether it contains a time expression.
    pub tells_time: bool,
}

/// Analyzed text.
#[derive(Clone, Debug, Default)]
pub struct AnalyzedText {
    /// Terms of the text, in order.
    pub(crate) terms: Vec<HashedTerm>,
    /// Single-term chunks without a known number: index of the term, and hash of the chunk.
    pub(crate) unnumbered: Vec<(u32, u64)>,
    /// Further features.
    pub clues: TextClues,
}

impl AnalyzedText {
    /// Adds the only term of a chunk.
    #[inline]
    pub(crate) fn push(&mut self, term: HashedTerm, chunk: u64) {
        if term.number == NO_NUMBER {
            self.unnumbered.push((self.terms.len() as u32, chunk));
        }
        self.terms.push(term);
    }
}
