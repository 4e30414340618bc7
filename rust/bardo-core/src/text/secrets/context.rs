//! Reads tokens as context of their neighbours: their words, hashed, and what stands between them.

use xxhash_rust::xxh3::xxh3_64;

use super::shapes::{Shape, shape};
use super::tokens::{Token, tokens};

/// Maximum number of bytes of a word and number of words of an identifier.
const WORD: usize = 48;
const WORDS: usize = 6;
/// Maximum number of signs of a gap that are told apart.
const SIGNS: usize = 3;

/// Token with its hashes.
pub(super) struct Read {
    pub token: Token,
    pub shape: Shape,
    /// Hash of the token as a word; tokens with a digit share that of their shape.
    pub word: u64,
    /// Hashes of the words of an identifier, or of the token.
    pub words: Vec<u64>,
    /// Hashes of the first and of the last three letters; of a word alone.
    pub ends: Option<(u64, u64)>,
}

/// Tokens of a text with the gaps around them: one more than tokens.
pub(super) struct Context {
    pub characters: Vec<char>,
    pub tokens: Vec<Read>,
    pub gaps: Vec<u64>,
}

impl Context {
    pub(super) fn of(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let tokens: Vec<Read> =
            tokens(&characters).into_iter().map(|token| Read::of(&characters, token)).collect();
        let gaps = (0..=tokens.len())
            .map(|place| {
                let start = if place == 0 { 0 } else { tokens[place - 1].token.end };
                let end = tokens.get(place).map_or(characters.len(), |next| next.token.start);
                gap(&characters[start..end], place == 0, place == tokens.len())
            })
            .collect();
        Self { characters, tokens, gaps }
    }
}

impl Read {
    fn of(characters: &[char], token: Token) -> Self {
        let written = &characters[token.start..token.end];
        let shape = shape(written);
        let [has_digit, ..] = shape.has;
        let word = if has_digit { number_hash(&shape) } else { text_hash(&lowered(written)) };
        let mut words =
            if has_digit && !written.contains(&'_') { Vec::new() } else { identifier_words(written) };
        if words.is_empty() {
            words.push(word);
        }
        let ends = (!has_digit && !shape.has[3]).then(|| {
            let (first, last) = (written.len().min(3), written.len().saturating_sub(3));
            (text_hash(&lowered(&written[..first])), text_hash(&lowered(&written[last..])))
        });
        Self { token, shape, word, words, ends }
    }
}

/// Hash of what a number, or a word with figures, looks like.
fn number_hash(shape: &Shape) -> u64 {
    xxh3_64(&shape.coarse.to_le_bytes())
}

fn lowered(word: &[char]) -> String {
    word.iter()
        .flat_map(|one| one.to_lowercase())
        .collect::<String>()
        .trim_end_matches(['\'', '.', '!', '?'])
        .to_owned()
}

fn text_hash(text: &str) -> u64 {
    let bytes = text.as_bytes();
    xxh3_64(&bytes[..bytes.len().min(WORD)])
}

/// Hashes of the words of an identifier, figures aside: those of `wifiPsk` and `WIFI_PSK` are the same.
fn identifier_words(token: &[char]) -> Vec<u64> {
    let mut words = Vec::new();
    let mut word: Vec<char> = Vec::new();
    for (place, &one) in token.iter().enumerate() {
        let before = place.checked_sub(1).map(|at| token[at]);
        let is_next_small = token.get(place + 1).is_some_and(|next| next.is_lowercase());
        let begins = one.is_uppercase()
            && before.is_some_and(|last| last.is_lowercase() || (last.is_uppercase() && is_next_small));
        if begins || !one.is_alphabetic() {
            flush(&mut words, &mut word);
        }
        if one.is_alphabetic() {
            word.push(one);
        }
    }
    flush(&mut words, &mut word);
    words.truncate(WORDS);
    words
}

fn flush(words: &mut Vec<u64>, word: &mut Vec<char>) {
    if !word.is_empty() {
        words.push(text_hash(&lowered(word)));
        word.clear();
    }
}

/// Hash of what stands between two tokens: its first signs, a space or nothing, and whether a line or the text ends.
fn gap(between: &[char], is_first: bool, is_last: bool) -> u64 {
    let mut told: String = between.iter().filter(|one| !one.is_whitespace()).take(SIGNS).collect();
    if told.is_empty() && !between.is_empty() {
        told.push(' ');
    }
    if between.contains(&'\n') {
        told.insert(0, '\n');
    }
    if is_first {
        told.insert(0, '^');
    }
    if is_last {
        told.push('$');
    }
    text_hash(&told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<u64> {
        Context::of(text).tokens.into_iter().flat_map(|read| read.words).collect()
    }

    #[test]
    fn identifiers_of_every_style_have_the_same_words() {
        assert_eq!(words("wifiPsk"), words("wifi psk"));
        assert_eq!(words("WIFI_PSK"), words("wifi psk"));
        assert_eq!(words("HTTPServer"), words("http server"));
        assert_ne!(words("wifiPsk"), words("wifipsk"));
    }

    #[test]
    fn numbers_of_one_shape_are_one_word() {
        assert_eq!(words("4711"), words("1234"));
        assert_ne!(words("4711"), words("471"));
    }
}
