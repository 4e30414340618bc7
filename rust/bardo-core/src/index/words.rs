//! The terms of documents by their hashes. A few thousand words make up nearly all of what is ever said, so what one
//! comes to is remembered, and reading one that is known takes one look at a table.

use std::borrow::Cow;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::calendar::{chunk_holds_time, holds_time};
use super::pieces::{chunks, piece_chunk};
use super::text::{Analyzer, TermKind, normalized};
use crate::hashing::HashedMap;

/// Chunks of text that are remembered at most: seven eighths of a power of two, which fills a table. With their terms they
/// take about 800 KB.
const CHUNKS_KNOWN: usize = (1 << 14) / 8 * 7;
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

/// Reads documents. What stands between white space is known by its 64-bit hash, as terms are: no letter of a document
/// that was removed stays behind.
#[derive(Debug, Default)]
pub(super) struct TermReader {
    analyzer: Analyzer,
    known: HashedMap<u64, Known>,
    /// Terms of all that is known.
    learned: Vec<HashedTerm>,
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
        let known = self.known.get(&key).copied().unwrap_or_else(|| self.learn(key, chunk));
        let first = known.first as usize;
        terms.extend_from_slice(&self.learned[first..first + usize::from(known.count)]);
        known.tells_time
    }

    fn learn(&mut self, key: u64, chunk: &str) -> Known {
        if self.known.len() == CHUNKS_KNOWN {
            self.known.clear();
            self.learned.clear();
        }
        let first = self.learned.len();
        analyze(&mut self.analyzer, chunk, &mut self.learned);
        // Neither comes near its limit: the chunks are short, and not many.
        let (count, first) = ((self.learned.len() - first) as u16, first as u32);
        let known = Known { first, count, tells_time: chunk_holds_time(chunk) };
        self.known.insert(key, known);
        known
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
            for number in 0..CHUNKS_KNOWN + 100 {
                let word = format!("word{number}");
                reader.read(&word, 0..word.len(), &mut terms);
                assert_eq!(terms, [HashedTerm::new(&word, TermKind::Word)], "round {round}");
                assert!(reader.known.len() <= CHUNKS_KNOWN && reader.learned.len() <= CHUNKS_KNOWN);
            }
        }
    }
}
