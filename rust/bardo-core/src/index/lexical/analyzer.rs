//! Splits text into terms, and defines the indexed text of a memory. Both are defined only here, so that queries,
//! documents and the embedder agree.

use std::borrow::Cow;
use std::ops::Range;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use xxhash_rust::xxh3::xxh3_64;

use super::segment::{Piece, TERM_BYTES, TermKind, cut, pieces};
use crate::hashing::HashedMap;
use crate::model::calendar::{date_time, push_date};
use crate::model::{Episode, Fact};
use crate::text::sentences::split_sentences;
use crate::text::stop_words::is_stop_word;

/// Maximum bytes of a query. Longer queries are cut and the cut is reported; the longest episode has 64 KiB.
pub const QUERY_BYTES: usize = 64 * 1024;

/// Embedded text of an episode: "speaker: text". Without the speaker's name recall@10 on LoCoMo falls from .454
/// to .29; the date inside the embedded text did not help.
#[must_use]
pub fn indexed_text(speaker: Option<&str>, text: &str) -> String {
    speaker.map_or_else(|| text.to_owned(), |speaker| format!("{speaker}: {text}"))
}

/// Texts of an episode's sentence vectors, "speaker: sentence" each; none if the text is one sentence.
fn indexed_sentences(speaker: Option<&str>, text: &str, limit: usize) -> Vec<String> {
    let sentences = split_sentences(text, limit);
    if sentences.len() < 2 {
        return Vec::new();
    }
    sentences.into_iter().map(|sentence| indexed_text(speaker, sentence)).collect()
}

/// Embedded texts of several episodes, followed by the sentences of those that have several, and the number of
/// sentences of each.
#[must_use]
pub fn spoken_sentences(
    texts: &[String],
    speakers: &[Option<String>],
    limit: usize,
) -> (Vec<String>, Vec<usize>) {
    let spoken = || texts.iter().zip(speakers.iter().map(Option::as_deref));
    let mut said: Vec<String> = spoken().map(|(text, speaker)| indexed_text(speaker, text)).collect();
    let mut counts = Vec::with_capacity(texts.len());
    for (text, speaker) in spoken() {
        let sentences = indexed_sentences(speaker, text, limit);
        counts.push(sentences.len());
        said.extend(sentences);
    }
    (said, counts)
}

/// Lexical text of an episode: the embedded text, its subjects, and its date in words. The first range covers the
/// episode's own text in it, the second one everything but the date.
#[must_use]
pub fn lexical_text_of_episode(episode: &Episode) -> (String, Range<usize>, Range<usize>) {
    let speaker = episode.speaker.as_deref();
    let mut text = String::with_capacity(episode.text.len() + speaker.map_or(0, str::len) + 96);
    if let Some(speaker) = speaker {
        text.push_str(speaker);
        text.push_str(": ");
    }
    let start = text.len();
    text.push_str(&episode.text);
    let body = start..text.len();
    push_parts(&mut text, &episode.subjects);
    let undated = 0..text.len();
    if episode.at != 0 {
        text.push('\n');
        push_date(&mut text, date_time(episode.at).date_naive());
    }
    (text, body, undated)
}

/// Lexical text of a fact: its text, category and subjects.
#[must_use]
pub fn lexical_text_of_fact(fact: &Fact) -> String {
    let mut text = fact.text.clone();
    push_parts(&mut text, &fact.subjects);
    if !fact.category.is_empty() {
        text.push('\n');
        text.push_str(&fact.category);
    }
    text
}

fn push_parts(text: &mut String, parts: &[String]) {
    for part in parts {
        // A subject that the text already contains would be counted twice.
        if !text.contains(part.as_str()) {
            text.push('\n');
            text.push_str(part);
        }
    }
}

/// Whether a text contains a question mark of any script.
#[must_use]
pub fn holds_question(text: &str) -> bool {
    text.contains('?') || (!text.is_ascii() && text.contains(['\u{ff1f}', '\u{61f}']))
}

/// Text in NFKC; most texts already are.
pub(crate) fn normalized(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    }
}

/// Maximum number of cached words: about a megabyte.
const WORDS_KNOWN: usize = 8_192;

/// Splits text into terms: NFKC, Unicode words (UAX 29), lower case, Snowball stems by script; identifiers whole and
/// by their parts; scripts without spaces by single characters and bigrams.
pub struct Analyzer {
    english: Stemmer,
    russian: Stemmer,
    lowered: String,
    /// Cache of recent words by their xxh3: stemming takes thirty times as long as a lookup, and a few thousand words
    /// make up nearly all of a text.
    known: HashedMap<u64, KnownWord>,
}

/// Cached analysis of a word in lower case.
struct KnownWord {
    /// Whether it is on the stop list.
    is_stop: bool,
    /// Stem of the word; `None` if the word is its own stem.
    stem: Option<Box<str>>,
}

fn emit_known(
    lowered: &str,
    known: &KnownWord,
    is_caps: bool,
    is_name: bool,
    emit: &mut dyn FnMut(&str, TermKind),
) {
    if known.is_stop && !is_name {
        return emit(lowered, TermKind::Stop);
    }
    if is_caps && known.stem.is_some() {
        emit(lowered, TermKind::Extra);
    }
    emit(known.stem.as_deref().unwrap_or(lowered), TermKind::Word);
}

impl Default for Analyzer {
    fn default() -> Self {
        Self {
            english: Stemmer::create(Algorithm::English),
            russian: Stemmer::create(Algorithm::Russian),
            lowered: String::new(),
            known: HashedMap::default(),
        }
    }
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyzer").finish_non_exhaustive()
    }
}

impl Analyzer {
    /// Calls `emit` with every term of a text, in order.
    pub fn terms(&mut self, text: &str, emit: &mut dyn FnMut(&str, TermKind)) {
        let normal = normalized(text);
        pieces(&normal, &mut |piece| self.piece(piece, emit));
    }

    /// Emits the terms of one piece.
    pub(crate) fn piece(&mut self, piece: Piece<'_>, emit: &mut dyn FnMut(&str, TermKind)) {
        match piece {
            Piece::Word(word) => self.word(word, emit),
            Piece::Whole(text) => {
                self.lower(text);
                emit(&self.lowered, TermKind::Extra);
            }
            Piece::Term(term, kind) => emit(term, kind),
        }
    }

    fn word(&mut self, word: &str, emit: &mut dyn FnMut(&str, TermKind)) {
        let is_caps =
            word.len() > 1 && word.len() <= 12 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        self.lower(word);
        let lowered = self.lowered.as_str();
        if lowered.bytes().any(|byte| byte.is_ascii_digit()) && lowered.is_ascii() {
            // No stop word has a digit, and the stemmers of ASCII do not change such a word.
            return emit(lowered, TermKind::Word);
        }
        let is_name = is_caps && word.len() > 2;
        let key = xxh3_64(lowered.as_bytes());
        if let Some(known) = self.known.get(&key) {
            return emit_known(lowered, known, is_caps, is_name, emit);
        }
        let stem = self.stem(lowered);
        let known = KnownWord {
            is_stop: is_stop_word(lowered),
            stem: (stem != lowered).then(|| stem.into_owned().into_boxed_str()),
        };
        emit_known(lowered, &known, is_caps, is_name, emit);
        if self.known.len() == WORDS_KNOWN {
            self.known.clear();
        }
        self.known.insert(key, known);
    }

    fn stem<'word>(&self, word: &'word str) -> Cow<'word, str> {
        let Some(first) = word.chars().next() else { return Cow::Borrowed(word) };
        if word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'\'') {
            self.english.stem(word)
        } else if ('\u{400}'..='\u{52f}').contains(&first) {
            self.russian.stem(word)
        } else {
            Cow::Borrowed(word)
        }
    }

    fn lower(&mut self, word: &str) {
        self.lowered.clear();
        if word.is_ascii() {
            self.lowered.push_str(cut(word, TERM_BYTES));
            return self.lowered.make_ascii_lowercase();
        }
        for character in cut(word, TERM_BYTES).chars() {
            match character {
                '\u{2019}' | '\u{2bc}' => self.lowered.push('\''),
                _ => self.lowered.extend(character.to_lowercase()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Analyzer::default().terms(text, &mut |term, kind| {
            if kind != TermKind::Stop {
                found.push(term.to_owned());
            }
        });
        found
    }

    fn shares_a_term(document: &str, query: &str) -> bool {
        let document = terms(document);
        terms(query).iter().any(|term| document.contains(term))
    }

    #[test]
    fn words_are_lowered_stemmed_and_stop_words_marked() {
        assert_eq!(terms("What was the Running of Liquidations?"), ["run", "liquid"]);
        assert_eq!(terms("Caroline\u{2019}s"), terms("caroline"));
    }

    #[test]
    fn identifiers_are_kept_whole_and_by_their_parts() {
        for (text, expected) in [
            ("see src/index/text.rs.", &["src/index/text.rs", "src", "index", "text", "rs"][..]),
            ("max_open_files", &["max_open_files", "max", "open", "file"]),
            ("(0xAbC123dEf)", &["0xabc123def"]),
            ("https://aave.com/v3?x=1", &["https://aave.com/v3?x=1", "aav", "v3"]),
            ("v1.2.3-rc1", &["v1.2.3-rc1", "v1.2.3"]),
            ("WETH/USDC,", &["weth/usdc", "weth", "usdc"]),
            ("AAVE", &["aave", "aav"]),
            ("getUserName", &["getusername", "get", "user", "name"]),
            ("$PEPE", &["$pepe", "pepe"]),
        ] {
            let found = terms(text);
            for term in expected {
                assert!(found.iter().any(|other| other == term), "{text}: {term} is not in {found:?}");
            }
        }
    }

    #[test]
    fn scripts_without_spaces_are_found_by_a_part_of_a_sentence() {
        assert!(shares_a_term("我昨天去了北京大学图书馆", "北京"));
        assert!(shares_a_term("東京タワーに行きました", "タワー"));
        assert!(shares_a_term("나는 서울에서 살아요", "서울"));
        assert!(shares_a_term("ฉันไปเชียงใหม่เมื่อวาน", "เชียงใหม่"));
        assert!(shares_a_term("книга о памяти", "книги"));
        assert!(shares_a_term("ship it 🚀🚀", "🚀"));
        assert!(shares_a_term("ذهبت إلى القاهرة أمس", "القاهرة"));
        assert!(shares_a_term("cafe\u{301} au lait", "café"));
    }

    proptest! {
        #[test]
        fn no_text_fails_or_makes_an_empty_or_giant_term(text in "\\PC{0,200}|[\\x00-\\x7f]{0,200}") {
            let mut longest = 0;
            Analyzer::default().terms(&text, &mut |term, _| {
                assert!(!term.is_empty());
                longest = longest.max(term.len());
            });
            prop_assert!(longest <= 3 * TERM_BYTES);
        }
    }
}
