//! Tokenizers: the vocabularies of OpenAI's models, inside the binary, so that counting needs no network.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use bpe_openai::Normalizable;

use crate::{Error, Result};

/// Bytes of the longest token of either vocabulary; no prefix of `n` tokens is longer than `n` times this.
const LONGEST_TOKEN_BYTES: usize = 128;
/// Characters per token of the estimate: OpenAI's rule of thumb for English. Other scripts need far more tokens.
const ESTIMATED_CHARS_PER_TOKEN: usize = 4;

/// A way to count tokens. Vocabularies are loaded at the first count, not before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tokenizer {
    /// `o200k_base`, of GPT-4o and later.
    #[default]
    O200k,
    /// `cl100k_base`, of GPT-4 and GPT-3.5.
    Cl100k,
    /// A quarter of the number of characters, rounded up: only when asked for by name.
    Estimate,
    /// One that the caller brings, such as a Hugging Face `tokenizer.json`.
    Other(&'static OtherTokenizer),
}

/// A function that counts the tokens of a text. Loaded once per process, as the built-in vocabularies are.
pub struct OtherTokenizer {
    /// Name by which callers choose it.
    pub name: String,
    /// Tokens of a text.
    pub count: Box<dyn Fn(&str) -> usize + Send + Sync>,
}

impl fmt::Debug for OtherTokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtherTokenizer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PartialEq for OtherTokenizer {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OtherTokenizer {}

impl Hash for OtherTokenizer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Tokenizer {
    /// The number of tokens of a text.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Other(other) => (other.count)(text),
            _ => self.vocabulary().map_or_else(|| estimate(text), |vocabulary| vocabulary.count(text)),
        }
    }

    /// The number of tokens of a text if there are at most `limit`; the time spent grows with the limit, not the text.
    #[must_use]
    pub fn count_up_to(self, text: &str, limit: usize) -> Option<usize> {
        let counted = match self.vocabulary() {
            Some(vocabulary) => vocabulary.count_till_limit(&text.normalize(false), limit)?,
            None if self != Self::Estimate => {
                // No token of a sensible vocabulary is longer; a text beyond that is taken for too long uncounted.
                if text.len() > limit.saturating_mul(LONGEST_TOKEN_BYTES) {
                    return None;
                }
                self.count(text)
            }
            None if text.len() > limit.saturating_mul(4 * ESTIMATED_CHARS_PER_TOKEN) => return None,
            None => estimate(text),
        };
        (counted <= limit).then_some(counted)
    }

    /// The end, in bytes, of about the first `limit` tokens of a text, on a character boundary.
    ///
    /// The part up to there can count a token or two more than the limit when the boundary had to move: count it.
    #[must_use]
    pub fn prefix(self, text: &str, limit: usize) -> usize {
        if let Self::Other(other) = self {
            return longest_prefix(text, limit, &other.count);
        }
        let Some(vocabulary) = self.vocabulary() else {
            let characters = limit.saturating_mul(ESTIMATED_CHARS_PER_TOKEN);
            return text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
        };
        let (mut end, mut left) = (0, limit);
        for piece in vocabulary.split(text) {
            if let Some(counted) = vocabulary.bpe.count_till_limit(piece.as_bytes(), left) {
                end += piece.len();
                left -= counted;
                continue;
            }
            let reach = piece.len().min(left.saturating_mul(LONGEST_TOKEN_BYTES));
            let tokens = vocabulary.bpe.encode_via_backtracking(&piece.as_bytes()[..reach]);
            let bytes: usize = tokens.iter().take(left).map(|token| vocabulary.bpe.token_len(*token)).sum();
            return text.floor_char_boundary(end + bytes);
        }
        end
    }

    /// Whether the count of a text is the sum of the counts of its parts, if each part [joins](Self::joins) the next.
    ///
    /// Both vocabularies split a text by a pattern before they encode it, and no piece holds a line break followed by
    /// anything but white space, a line break or a slash. So a text may be counted in parts that end with a line
    /// break. The estimate rounds, and what the caller brings may do anything.
    #[must_use]
    pub fn is_additive(self) -> bool {
        matches!(self, Self::O200k | Self::Cl100k)
    }

    /// Whether no token can span the border of two parts of any other content.
    #[must_use]
    pub fn joins(left: &str, right: &str) -> bool {
        left.is_empty()
            || right.is_empty()
            || (left.ends_with('\n')
                && right.starts_with(|first: char| !first.is_whitespace() && first != '/'))
    }

    pub(super) fn vocabulary(self) -> Option<&'static bpe_openai::Tokenizer> {
        match self {
            Self::O200k => Some(bpe_openai::o200k_base()),
            Self::Cl100k => Some(bpe_openai::cl100k_base()),
            Self::Estimate | Self::Other(_) => None,
        }
    }
}

impl FromStr for Tokenizer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "o200k" | "o200k_base" => Ok(Self::O200k),
            "cl100k" | "cl100k_base" => Ok(Self::Cl100k),
            "estimate" => Ok(Self::Estimate),
            _ => Err(Error::invalid(
                format!("there is no tokenizer {name:?}"),
                "Use o200k, cl100k, or estimate (a quarter of the characters; not exact)",
            )),
        }
    }
}

/// The longest beginning of a text that has about `limit` tokens by a count that must not be asked often.
fn longest_prefix(text: &str, limit: usize, count: &dyn Fn(&str) -> usize) -> usize {
    let (mut low, mut high) =
        (0, text.ceil_char_boundary(text.len().min(limit.saturating_mul(LONGEST_TOKEN_BYTES))));
    // A first guess at the usual length of a token; then halving, to within a word.
    let mut middle = text.floor_char_boundary(high.min(limit.saturating_mul(ESTIMATED_CHARS_PER_TOKEN)));
    while high - low > ESTIMATED_CHARS_PER_TOKEN {
        if count(&text[..middle]) <= limit {
            low = middle;
        } else {
            high = middle;
        }
        middle = text.floor_char_boundary(low + (high - low).div_ceil(2));
        if middle == low || middle == high {
            break;
        }
    }
    if count(&text[..high]) <= limit { high } else { low }
}

fn estimate(text: &str) -> usize {
    text.chars().count().div_ceil(ESTIMATED_CHARS_PER_TOKEN)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EXACT: [Tokenizer; 2] = [Tokenizer::O200k, Tokenizer::Cl100k];

    #[test]
    fn known_texts_have_the_counts_that_the_vocabularies_give() {
        // Counts as published with the vocabularies: "tiktoken is great!" is 6 tokens in cl100k.
        assert_eq!(Tokenizer::Cl100k.count("tiktoken is great!"), 6);
        assert_eq!(Tokenizer::O200k.count(""), 0);
        assert_eq!(Tokenizer::Estimate.count("12345"), 2);
    }

    #[test]
    fn an_unknown_tokenizer_is_an_error_that_names_the_known_ones() {
        let error = "gpt-7".parse::<Tokenizer>().unwrap_err().to_string();
        assert!(error.contains("gpt-7") && error.contains("o200k"), "{error}");
    }

    #[test]
    fn a_prefix_of_one_endless_word_is_found_without_encoding_all_of_it() {
        let word = "字".repeat(200_000);
        for tokenizer in EXACT {
            let end = tokenizer.prefix(&word, 50);
            assert!(end > 0 && tokenizer.count(&word[..end]) <= 52, "{tokenizer:?}: {end}");
        }
    }

    #[test]
    fn a_tokenizer_of_the_callers_own_counts_and_cuts() {
        let words: &'static OtherTokenizer = Box::leak(Box::new(OtherTokenizer {
            name: "words".into(),
            count: Box::new(|text| text.split_whitespace().count()),
        }));
        let tokenizer = Tokenizer::Other(words);
        assert_eq!(tokenizer.count("one two three"), 3);
        assert_eq!(tokenizer.count_up_to("one two three", 2), None);
        let text = "word ".repeat(1_000);
        let end = tokenizer.prefix(&text, 40);
        assert!((190..=205).contains(&end), "{end}");
    }

    proptest! {
        #[test]
        fn parts_that_end_with_a_line_break_count_as_their_whole(
            left in "(?s)[\\PC\\s]{0,40}\n", right in "[^\\s/](?s)[\\PC\\s]{0,40}",
        ) {
            for tokenizer in EXACT {
                prop_assert!(tokenizer.is_additive() && Tokenizer::joins(&left, &right));
                prop_assert_eq!(tokenizer.count(&left) + tokenizer.count(&right), tokenizer.count(&format!("{left}{right}")));
            }
        }

        #[test]
        fn counting_up_to_a_limit_agrees_with_counting(text in "(?s).{0,200}", limit in 0_usize..80) {
            for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate] {
                let counted = tokenizer.count(&text);
                prop_assert_eq!(tokenizer.count_up_to(&text, limit), (counted <= limit).then_some(counted));
            }
        }

        #[test]
        fn a_prefix_is_on_a_character_boundary_and_about_the_limit(text in "(?s).{0,200}", limit in 0_usize..80) {
            for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate] {
                let end = tokenizer.prefix(&text, limit);
                prop_assert!(text.is_char_boundary(end));
                prop_assert!(tokenizer.count(&text[..end]) <= limit + 4);
            }
        }
    }
}
