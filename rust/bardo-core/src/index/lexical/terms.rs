//! Reads documents into hashed terms. A few thousand words make up nearly all text, so the terms of a chunk are
//! cached, and a cached chunk takes one table lookup.

use std::borrow::Cow;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::analyzer::{Analyzer, normalized};
use super::hashed_term::{AnalyzedText, HashedTerm, TextClues};
use super::segment::{chunks, piece_chunk};
use super::term_cache::{TermCache, key_of};
use super::time_words::{chunk_holds_time, holds_time};

/// Maximum bytes of a cached chunk. Longer ones are addresses and the like, which rarely recur.
const CHUNK_BYTES: usize = 32;

/// Text between white space.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    start: usize,
    end: usize,
    /// Key in the cache; `None` if it is too long to be cached.
    key: Option<u64>,
}

/// Reads documents, and caches the terms of their chunks.
#[derive(Debug, Default)]
pub struct TermReader {
    analyzer: Analyzer,
    known: TermCache,
    /// Reused buffer.
    chunks: Vec<Chunk>,
}

impl TermReader {
    /// Reads a text: its terms are those of [`Analyzer::terms`], in order. The clues describe only the part of the text
    /// in `body`, which is bounded by white space.
    pub fn read(&mut self, text: &str, body: Range<usize>, read: &mut AnalyzedText) {
        read.terms.clear();
        read.unnumbered.clear();
        let normal = normalized(text);
        let mut found = std::mem::take(&mut self.chunks);
        found.clear();
        chunks(&normal, &mut |start, chunk| {
            let key = (chunk.len() <= CHUNK_BYTES).then(|| key_of(xxh3_64(chunk.as_bytes())));
            if let Some(key) = key {
                self.known.prefetch(key);
            }
            found.push(Chunk { start, end: start + chunk.len(), key });
        });
        let mut clues = TextClues::default();
        for &Chunk { start, end, key } in &found {
            let known = key.and_then(|key| self.known.find(key, read));
            let tells_time = known.unwrap_or_else(|| self.analyze_chunk(&normal[start..end], key, read));
            if body.contains(&start) {
                clues.words += 1;
                clues.tells_time |= tells_time;
            }
        }
        self.chunks = found;
        if let Cow::Owned(_) = normal {
            // The offset of the body has moved.
            let body = &text[body];
            clues = TextClues { words: body.split_whitespace().count(), tells_time: holds_time(body) };
        }
        read.clues = clues;
    }

    /// Stores the numbers of terms that were read without one: `numbers` has the number of every term of the
    /// text.
    pub fn learn(&mut self, read: &AnalyzedText, numbers: &[u32]) {
        for &(place, key) in &read.unnumbered {
            self.known.number(key, numbers[place as usize]);
        }
    }

    /// Adds and caches the terms of a new chunk, unless it is too long to be cached; returns whether it contains a
    /// time expression.
    #[cold]
    fn analyze_chunk(&mut self, chunk: &str, key: Option<u64>, read: &mut AnalyzedText) -> bool {
        let first = read.terms.len();
        analyze(&mut self.analyzer, chunk, &mut read.terms);
        let tells_time = chunk_holds_time(chunk);
        if let Some(key) = key {
            if read.terms.len() == first + 1 {
                read.unnumbered.push((first as u32, key));
            }
            self.known.add(key, &read.terms[first..], tells_time);
        }
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

    use super::super::segment::TermKind;
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
        fn cached_terms_are_the_terms_of_the_analyzer(
            texts in prop::collection::vec((any_text(), any_text(), any_text()), 1..5),
        ) {
            let (mut reader, mut read) = (TermReader::default(), AnalyzedText::default());
            for (before, body, after) in texts.iter().chain(&texts) {
                let text = format!("{before}: {body}\n{after}");
                let place = before.len() + 2..before.len() + 2 + body.len();
                let mut expected = Vec::new();
                Analyzer::default().terms(&text, &mut |term, kind| expected.push(HashedTerm::new(term, kind)));
                reader.read(&text, place, &mut read);
                prop_assert_eq!(&read.terms, &expected);
                let words = body.split_whitespace().count();
                prop_assert_eq!(read.clues, TextClues { words, tells_time: holds_time(body) });
            }
        }
    }

    #[test]
    fn more_words_than_are_remembered_read_the_same() {
        let (mut reader, mut read) = (TermReader::default(), AnalyzedText::default());
        for round in 0..2 {
            for number in 0..70_000 {
                let word = format!("word{number}");
                reader.read(&word, 0..word.len(), &mut read);
                assert_eq!(read.terms, [HashedTerm::new(&word, TermKind::Word)], "round {round}");
            }
        }
    }
}
