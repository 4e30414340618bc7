//! The terms of documents by their hashes. A few thousand words make up nearly all of what is ever said, so what one
//! comes to is remembered, and reading one that is known takes one look at a table.

use std::borrow::Cow;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::calendar::{chunk_holds_time, holds_time};
use super::pieces::{chunks, piece_chunk};
use super::text::{Analyzer, TermKind, normalized};
use crate::hashing::HashedMap;

/// Chunks of text in a generation: seven eighths of a power of two, which fills a table. Two generations are remembered;
/// with their terms they take about 3 MB at most.
const GENERATION: usize = (1 << 15) / 8 * 7;
/// Bytes of a chunk that is remembered. Longer ones are addresses and the like, which hardly come again.
const CHUNK_BYTES: usize = 32;

/// A term without its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HashedTerm {
    /// xxh3 of the term.
    pub hash: u64,
    /// What it counts for.
    pub kind: TermKind,
    /// Whether a digit is in it.
    pub has_digit: bool,
}

impl HashedTerm {
    /// The hash of a term.
    pub fn new(term: &str, kind: TermKind) -> Self {
        let has_digit = term.bytes().any(|byte| byte.is_ascii_digit());
        Self { hash: xxh3_64(term.as_bytes()), kind, has_digit }
    }
}

/// What a text says beside its terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clues {
    /// Number of its words: of what stands between white space.
    pub words: usize,
    /// Whether it says when something was or will be.
    pub tells_time: bool,
}

/// What is known of what stands between white space.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Where its terms begin among those of all.
    first: u32,
    /// Number of its terms.
    count: u16,
    tells_time: bool,
}

/// Chunks that were read, by their 64-bit hash.
#[derive(Debug, Default)]
struct Generation {
    known: HashedMap<u64, Known>,
    /// Terms of all that is known.
    learned: Vec<HashedTerm>,
}

impl Generation {
    fn terms(&self, known: Known) -> &[HashedTerm] {
        &self.learned[known.first as usize..][..usize::from(known.count)]
    }

    fn add(&mut self, key: u64, terms: &[HashedTerm], tells_time: bool) {
        // Neither comes near its limit: the chunks are short, and not many.
        let (first, count) = (self.learned.len() as u32, terms.len() as u16);
        self.learned.extend_from_slice(terms);
        self.known.insert(key, Known { first, count, tells_time });
    }
}

/// Reads documents. What stands between white space is known by its 64-bit hash, as terms are: no letter of a document
/// that was removed stays behind. When a generation is full the one before it is dropped, but for what was met again.
#[derive(Debug, Default)]
pub(super) struct TermReader {
    analyzer: Analyzer,
    young: Generation,
    old: Generation,
}

impl TermReader {
    /// Writes the terms of a text into `terms`, in order: those of [`Analyzer::terms`]. The clues are those of the part
    /// of the text in `body`, which stands between white space.
    pub fn read(&mut self, text: &str, body: Range<usize>, terms: &mut Vec<HashedTerm>) -> Clues {
        terms.clear();
        let normal = normalized(text);
        let mut clues = Clues::default();
        chunks(&normal, &mut |start, chunk| {
            let tells_time = self.chunk(chunk, terms);
            if body.contains(&start) {
                clues.words += 1;
                clues.tells_time |= tells_time;
            }
        });
        if let Cow::Owned(_) = normal {
            // The bytes of the body have moved.
            let body = &text[body];
            return Clues { words: body.split_whitespace().count(), tells_time: holds_time(body) };
        }
        clues
    }

    /// Adds the terms of a chunk; returns whether it says when.
    fn chunk(&mut self, chunk: &str, terms: &mut Vec<HashedTerm>) -> bool {
        if chunk.len() > CHUNK_BYTES {
            analyze(&mut self.analyzer, chunk, terms);
            return chunk_holds_time(chunk);
        }
        let key = xxh3_64(chunk.as_bytes());
        if let Some(&known) = self.young.known.get(&key) {
            terms.extend_from_slice(self.young.terms(known));
            return known.tells_time;
        }
        let first = terms.len();
        let tells_time = if let Some(&known) = self.old.known.get(&key) {
            terms.extend_from_slice(self.old.terms(known));
            known.tells_time
        } else {
            analyze(&mut self.analyzer, chunk, terms);
            chunk_holds_time(chunk)
        };
        if self.young.known.len() == GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.add(key, &terms[first..], tells_time);
        tells_time
    }
}

/// Adds the terms of a chunk as the analyzer finds them.
fn analyze(analyzer: &mut Analyzer, chunk: &str, terms: &mut Vec<HashedTerm>) {
    piece_chunk(chunk, &mut |piece| {
        analyzer.piece(piece, &mut |term, kind| terms.push(HashedTerm::new(term, kind)));
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof![
            "\\PC{0,60}",
            "[\\x00-\\x7f]{0,60}",
            "((the|ETH|The|Running|running,|x_y|книги|我去|1,000.5|don't|May|2023-05-01|\u{b4}a|https://aave.com/v3/reserve/usdc?x=1)[ .,\u{a0}]){0,12}",
        ]
    }

    proptest! {
        #[test]
        fn what_is_remembered_is_what_the_analyzer_says(
            texts in prop::collection::vec((any_text(), any_text(), any_text()), 1..5),
        ) {
            let (mut reader, mut terms) = (TermReader::default(), Vec::new());
            for (before, body, after) in texts.iter().chain(&texts) {
                let text = format!("{before}: {body}\n{after}");
                let place = before.len() + 2..before.len() + 2 + body.len();
                let mut expected = Vec::new();
                Analyzer::default().terms(&text, &mut |term, kind| expected.push(HashedTerm::new(term, kind)));
                let clues = reader.read(&text, place, &mut terms);
                prop_assert_eq!(&terms, &expected);
                let words = body.split_whitespace().count();
                prop_assert_eq!(clues, Clues { words, tells_time: holds_time(body) });
            }
        }
    }

    #[test]
    fn more_words_than_are_remembered_read_the_same() {
        let (mut reader, mut terms) = (TermReader::default(), Vec::new());
        for round in 0..2 {
            for number in 0..2 * GENERATION + 100 {
                let word = format!("word{number}");
                reader.read(&word, 0..word.len(), &mut terms);
                assert_eq!(terms, [HashedTerm::new(&word, TermKind::Word)], "round {round}");
                assert!(reader.young.known.len() <= GENERATION && reader.old.known.len() <= GENERATION);
            }
        }
    }
}
