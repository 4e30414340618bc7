//! How text becomes terms, and which text of a memory is indexed: the one place that decides both, so that queries,
//! documents and the embedder agree.

use std::borrow::Cow;
use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_segmentation::UnicodeSegmentation;

use super::calendar::{Date, MONTHS, WEEKDAYS};
use super::sentences::split_sentences;
use super::stop_words::is_stop_word;
use crate::model::{Episode, Fact};

/// Bytes of a term; what is longer is cut there. Holds a URL or a 0x address with room to spare.
pub const TERM_BYTES: usize = 256;

/// Bytes of a query that are read. Longer ones are cut and the cut is reported; the longest episode has 64 KiB.
pub const QUERY_BYTES: usize = 64 * 1024;

/// What a term counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A word of the text: it counts towards the length of the document.
    Word,
    /// A word on the stop list: a query uses it only when it has no other.
    Stop,
    /// A second reading of text that other terms cover already (a whole identifier, one character of a bigram).
    Extra,
}

/// The text that an episode is embedded by: "speaker: text". Without the speaker's name recall@10 on LoCoMo falls
/// from .454 to .29; the date inside the embedded text did not help.
#[must_use]
pub fn indexed_text(speaker: Option<&str>, text: &str) -> String {
    speaker.map_or_else(|| text.to_owned(), |speaker| format!("{speaker}: {text}"))
}

/// The texts of an episode's sentence vectors, "speaker: sentence" each; none where the whole is one sentence.
#[must_use]
pub fn indexed_sentences(speaker: Option<&str>, text: &str, limit: usize) -> Vec<String> {
    let sentences = split_sentences(text, limit);
    if sentences.len() < 2 {
        return Vec::new();
    }
    sentences.into_iter().map(|sentence| indexed_text(speaker, sentence)).collect()
}

/// The text that an episode is found by with words: what is embedded, its subjects, and its date in words.
#[must_use]
pub fn lexical_text_of_episode(episode: &Episode) -> String {
    let mut text = indexed_text(episode.speaker.as_deref(), &episode.text);
    push_parts(&mut text, &episode.subjects);
    if episode.at != 0 {
        text.push('\n');
        text.push_str(&Date::of(episode.at).in_words());
    }
    text
}

/// The text that a fact is found by with words: its text, category and subjects.
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
        // A subject that the text names already would only be counted twice.
        if !text.contains(part.as_str()) {
            text.push('\n');
            text.push_str(part);
        }
    }
}

/// Whether a text holds a question mark of any script.
#[must_use]
pub fn holds_question(text: &str) -> bool {
    text.contains(['?', '\u{ff1f}', '\u{61f}'])
}

/// Words that place an event in time, stems of them as far as English bends them; month and day names aside.
const TIME_WORDS: &[&str] = &[
    "afternoon",
    "ago",
    "birthday",
    "day",
    "days",
    "decade",
    "evening",
    "month",
    "months",
    "morning",
    "night",
    "recently",
    "today",
    "tomorrow",
    "tonight",
    "week",
    "weekend",
    "weekends",
    "weeks",
    "year",
    "years",
    "yesterday",
];

/// Whether a text says when something was or will be: a day, month, year or a word such as "yesterday" or "ago".
#[must_use]
pub fn holds_time(text: &str) -> bool {
    text.unicode_words().any(|word| {
        let is_year = word.len() == 4
            && (word.starts_with("19") || word.starts_with("20"))
            && word.bytes().all(|byte| byte.is_ascii_digit());
        // "May" and "March" are months where they are written as names.
        is_year
            || MONTHS.contains(&word)
            || WEEKDAYS.iter().any(|day| word.strip_suffix('s').unwrap_or(word).eq_ignore_ascii_case(day))
            || (word.is_ascii() && TIME_WORDS.binary_search(&word.to_ascii_lowercase().as_str()).is_ok())
    })
}

/// Cuts text at a character boundary.
#[must_use]
pub fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Words that an analyzer remembers at most: about a megabyte.
const WORDS_KNOWN: usize = 8_192;

/// Turns text into terms: NFKC, Unicode words (UAX 29), lower case, Snowball stems by script; identifiers whole and by
/// their parts; scripts without spaces by single characters and pairs.
pub struct Analyzer {
    english: Stemmer,
    russian: Stemmer,
    lowered: String,
    /// Words seen lately: stemming takes thirty times as long as looking one up, and a few thousand words make up nearly
    /// all of a text.
    known: HashMap<Box<str>, Known>,
}

/// What is known of a word in lower case.
struct Known {
    /// Whether it is on the stop list.
    is_stop: bool,
    /// Its stem; nothing if it is its own.
    stem: Option<Box<str>>,
}

fn emit_known(
    lowered: &str,
    known: &Known,
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
            known: HashMap::new(),
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
        let normal: Cow<'_, str> = if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(text.nfkc().collect())
        };
        for chunk in normal.split_whitespace() {
            if is_plain_word(chunk) {
                self.word(chunk, emit);
            } else {
                self.chunk(chunk, emit);
            }
        }
    }

    /// Text between two spaces that is more than letters.
    fn chunk(&mut self, chunk: &str, emit: &mut dyn FnMut(&str, TermKind)) {
        if let Some(whole) = identifier(chunk) {
            self.emit_lowered(whole, TermKind::Extra, emit);
        }
        let mut run: Vec<&str> = Vec::new();
        for segment in chunk.split_word_bounds() {
            let Some(first) = segment.chars().next() else { continue };
            if is_unsegmented(first) {
                run.extend(segment.graphemes(true));
                continue;
            }
            emit_run(&mut run, emit);
            if segment.chars().any(char::is_alphanumeric) {
                self.segment(segment, emit);
            } else if is_pictograph(first) {
                emit(cut(segment, TERM_BYTES), TermKind::Word);
            }
        }
        emit_run(&mut run, emit);
    }

    /// One word by UAX 29; underscores, dots and capitals inside it mark further parts.
    fn segment(&mut self, segment: &str, emit: &mut dyn FnMut(&str, TermKind)) {
        let parts = parts_of(segment);
        if parts.len() < 2 {
            return self.word(segment, emit);
        }
        self.emit_lowered(segment, TermKind::Extra, emit);
        for part in parts {
            self.word(part, emit);
        }
    }

    fn word(&mut self, word: &str, emit: &mut dyn FnMut(&str, TermKind)) {
        let is_caps =
            word.len() > 1 && word.len() <= 12 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        self.lower(word);
        let lowered = self.lowered.as_str();
        let is_name = is_caps && word.len() > 2;
        if let Some(known) = self.known.get(lowered) {
            return emit_known(lowered, known, is_caps, is_name, emit);
        }
        let stem = self.stem(lowered);
        let known = Known {
            is_stop: is_stop_word(lowered),
            stem: (stem != lowered).then(|| stem.into_owned().into_boxed_str()),
        };
        emit_known(lowered, &known, is_caps, is_name, emit);
        if self.known.len() == WORDS_KNOWN {
            self.known.clear();
        }
        self.known.insert(lowered.into(), known);
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

    fn emit_lowered(&mut self, word: &str, kind: TermKind, emit: &mut dyn FnMut(&str, TermKind)) {
        self.lower(word);
        emit(&self.lowered, kind);
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

/// ASCII letters with no capital inside, or all capitals: no need to look for joints.
fn is_plain_word(chunk: &str) -> bool {
    let bytes = chunk.as_bytes();
    bytes.iter().all(u8::is_ascii_alphabetic)
        && (!bytes[1..].iter().any(u8::is_ascii_uppercase) || bytes.iter().all(u8::is_ascii_uppercase))
}

/// The identifier in a chunk, without the punctuation around it: a path, URL, pair, version or handle, anything in
/// which letters or digits are joined by signs that split words. `None` for plain words and numbers.
fn identifier(chunk: &str) -> Option<&str> {
    let trimmed = chunk
        .trim_start_matches(|character: char| !(character.is_alphanumeric() || "$#@/~.".contains(character)))
        .trim_end_matches(|character: char| !character.is_alphanumeric());
    let trimmed = if trimmed.starts_with("..") { trimmed.trim_start_matches('.') } else { trimmed };
    if trimmed.len() < 2 || trimmed.len() > TERM_BYTES || trimmed.chars().any(is_unsegmented) {
        return None;
    }
    let joined = trimmed.chars().any(|character| "$#@/~.\\:-_=&?+".contains(character));
    // A number such as 1,000.50 or a word with an apostrophe is one segment already.
    (joined && trimmed.split_word_bounds().nth(1).is_some()).then_some(trimmed)
}

/// The parts of a segment: between underscores, dots and apostrophes-free camel humps. One element if it has none.
fn parts_of(segment: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut previous = '\0';
    let is_number = segment.chars().all(|character| character.is_numeric() || ".,_".contains(character));
    for (at, character) in segment.char_indices() {
        let is_joint = matches!(character, '_' | ':' | '\u{203f}') || (character == '.' && !is_number);
        let is_hump = character.is_uppercase() && previous.is_lowercase();
        if is_joint || is_hump {
            if start < at {
                parts.push(&segment[start..at]);
            }
            start = if is_joint { at + character.len_utf8() } else { at };
        }
        previous = character;
    }
    if start < segment.len() {
        parts.push(&segment[start..]);
    }
    parts
}

/// Emits a run of a script without spaces: every character, and every pair of neighbours.
fn emit_run(run: &mut Vec<&str>, emit: &mut dyn FnMut(&str, TermKind)) {
    let alone = if run.len() == 1 { TermKind::Word } else { TermKind::Extra };
    for character in run.iter() {
        emit(character, alone);
    }
    let mut pair = String::new();
    for neighbours in run.windows(2) {
        pair.clear();
        pair.push_str(neighbours[0]);
        pair.push_str(neighbours[1]);
        emit(&pair, TermKind::Word);
    }
    run.clear();
}

/// Scripts written without spaces between words (and Hangul, whose particles cling to words).
const fn is_unsegmented(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}'      // Thai, Lao
        | '\u{1000}'..='\u{109f}'    // Myanmar
        | '\u{1100}'..='\u{11ff}'    // Hangul letters
        | '\u{1780}'..='\u{17ff}'    // Khmer
        | '\u{3040}'..='\u{30ff}'    // Hiragana, Katakana
        | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{ac00}'..='\u{d7af}'    // Hangul syllables
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

/// Emoji and other symbols that somebody may search for.
const fn is_pictograph(character: char) -> bool {
    matches!(character, '\u{20a0}'..='\u{20cf}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
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
