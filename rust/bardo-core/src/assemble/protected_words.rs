//! Which words of a text may be dropped to shorten it, and which never: numbers, names, negations, URLs and code.

use super::bigram_model::WordModel;
use crate::text::same_statement::is_negation;
use crate::text::stop_words::is_stop_word;

/// Words that limit a statement without saying no.
const LIMITS: &[&str] =
    &["aber", "but", "except", "however", "instead", "less", "mai", "only", "ungefähr", "unless", "until"];
/// Numbers in words, and what stands for one.
const NUMBERS: &[&str] = &[
    "billion",
    "both",
    "couple",
    "double",
    "dozen",
    "dozens",
    "eight",
    "eighteen",
    "eighth",
    "eighty",
    "eleven",
    "eleventh",
    "fifteen",
    "fifth",
    "fifty",
    "first",
    "five",
    "forty",
    "four",
    "fourteen",
    "fourth",
    "half",
    "hundred",
    "hundreds",
    "million",
    "millions",
    "nine",
    "nineteen",
    "ninety",
    "ninth",
    "once",
    "one",
    "quarter",
    "second",
    "seven",
    "seventeen",
    "seventh",
    "seventy",
    "six",
    "sixteen",
    "sixth",
    "sixty",
    "ten",
    "tenth",
    "third",
    "thirteen",
    "thirty",
    "thousand",
    "thousands",
    "three",
    "triple",
    "twelfth",
    "twelve",
    "twenty",
    "twice",
    "two",
    "zero",
];
/// Signs around and inside a word that are no code.
const PLAIN_SIGNS: &[char] = &[
    '.', ',', ';', ':', '!', '?', '"', '\'', '’', '‘', '“', '”', '(', ')', '-', '–', '—', '…', '«', '»', '*',
];
/// Signs that may stand inside a plain word.
const INNER_SIGNS: &[char] = &['\'', '’', '-'];
/// Opens and closes a run of code.
const TICK: char = '`';
const FENCE: &str = "```";

/// A word with the white space after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk<'a> {
    pub word: &'a str,
    pub space: &'a str,
    /// Whether it must stay.
    pub protected: bool,
    /// Number of the sentence that it stands in, from 0.
    pub sentence: usize,
}

/// The text before the first word, and the words.
pub(super) fn chunks<'a>(text: &'a str, model: &WordModel) -> (&'a str, Vec<Chunk<'a>>) {
    let start = text.len() - text.trim_start().len();
    let mut chunks: Vec<Chunk<'a>> = Vec::new();
    let (mut rest, mut code, mut sentence, mut first) = (&text[start..], Code::default(), 0, true);
    let mut begins_line = true;
    while !rest.is_empty() {
        let word_end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word_end);
        let space_end = after.find(|character: char| !character.is_whitespace()).unwrap_or(after.len());
        let (space, after) = after.split_at(space_end);
        let in_code = code.holds(word, begins_line);
        let protected = in_code || must_stay(word, first, model);
        chunks.push(Chunk { word, space, protected, sentence });
        begins_line = space.contains('\n');
        first = begins_line || ends_sentence(word);
        sentence += usize::from(first);
        // A line that is set in, or a row of a table, is kept as it is.
        code.line_is_set(space, after);
        rest = after;
    }
    (&text[..start], chunks)
}

/// Where code begins and ends.
#[derive(Default)]
struct Code {
    fenced: bool,
    ticked: bool,
    line: bool,
}

impl Code {
    /// Whether a word is code.
    fn holds(&mut self, word: &str, begins_line: bool) -> bool {
        if begins_line {
            self.ticked = false;
            if word.starts_with(FENCE) {
                self.fenced = !self.fenced;
                return true;
            }
        }
        let inside = self.fenced || self.ticked || self.line || word.contains(TICK);
        self.ticked ^= word.matches(TICK).count() % 2 == 1;
        inside
    }

    fn line_is_set(&mut self, space: &str, after: &str) {
        if let Some((_, indent)) = space.rsplit_once('\n') {
            self.line = indent.starts_with('\t') || indent.starts_with("    ") || after.starts_with('|');
        }
    }
}

fn ends_sentence(word: &str) -> bool {
    word.trim_end_matches(['"', '\'', '”', '’', ')', '»']).ends_with(['.', '!', '?', '…', ':'])
}

/// Whether a word may never be dropped. `first` says that it begins a sentence, where a capital means nothing.
fn must_stay(word: &str, first: bool, model: &WordModel) -> bool {
    let bare = word.trim_matches(PLAIN_SIGNS);
    if bare.is_empty() {
        return false;
    }
    let mut characters = bare.chars();
    let initial = characters.next().is_some_and(char::is_uppercase);
    let plain = bare.chars().all(|character| is_spaced_letter(character) || INNER_SIGNS.contains(&character));
    if !plain || characters.any(char::is_uppercase) {
        return true;
    }
    let lower = bare.to_lowercase().replace('’', "'");
    if initial && !(is_stop_word(&lower) || (first && model.in_lower_case(bare))) {
        return true;
    }
    is_negation(&lower)
        || LIMITS.contains(&lower.as_str())
        || lower.split('-').any(|part| NUMBERS.contains(&part))
}

/// Letters of scripts that are written with spaces between words and have two cases, so that words and names can be told:
/// Latin, Greek, Cyrillic, Armenian. Everything else is left as it is.
fn is_spaced_letter(character: char) -> bool {
    character.is_ascii_alphabetic()
        || (character.is_alphabetic() && matches!(character, '\u{c0}'..='\u{58f}' | '\u{1e00}'..='\u{1fff}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Vec<&str> {
        let mut model = WordModel::default();
        model.learn("yesterday we went there and the price was good");
        let (_, chunks) = chunks(text, &model);
        chunks.into_iter().filter(|chunk| chunk.protected).map(|chunk| chunk.word).collect()
    }

    #[test]
    fn numbers_names_negations_urls_and_code_must_stay() {
        assert_eq!(
            kept("Yesterday we met Melanie at 9pm near https://a.b/c, and she did not pay twenty-two euros."),
            ["Melanie", "9pm", "https://a.b/c,", "not", "twenty-two"]
        );
        assert_eq!(
            kept("we didn’t call foo_bar() or `let x = y` there"),
            ["didn’t", "foo_bar()", "`let", "x", "=", "y`"]
        );
        assert_eq!(kept("there was\n```\nthe code here\n```\nthere"), ["```", "the", "code", "here", "```"]);
        assert_eq!(kept("see the\n    set in line\nthere"), ["set", "in", "line"]);
        assert_eq!(kept("流动性 is the 字"), ["流动性", "字"]);
    }

    #[test]
    fn a_capital_at_the_start_is_a_name_unless_the_word_was_seen_without() {
        assert_eq!(kept("Yesterday was good. Carol came. We left."), ["Carol"]);
    }
}
