//! Shortening a text to a number of tokens: whole sentences if that keeps most of it, then words, never half a
//! character, and always with a mark.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::Tokenizer;
use super::confusables::{is_angle, is_ignorable, is_square};

/// Stands where the rest of a text was left out.
pub const CUT: &str = " […cut]";
/// A cut moves back to the end of a sentence if at least this part of the text that fits is kept.
const SENTENCE_KEEPS: f64 = 0.5;
/// Else it moves back to the end of a word if at least this part is kept.
const WORD_KEEPS: f64 = 0.75;
/// Bytes after the cut that are looked at to tell whether a sentence or a word ends there.
const CONTEXT_BYTES: usize = 64;
/// A grapheme longer than this (stacked combining marks without end) is cut between characters.
const LONGEST_GRAPHEME_BYTES: usize = 48;
/// Attempts to land under the limit; each one takes off the excess that the last one had.
const ATTEMPTS: usize = 12;

/// A text cut to fit, inside what `wrap` puts around it, with its number of tokens; `None` if not even a beginning fits.
///
/// The count is that of the wrapped text as a whole, since parts of a line do not add up.
pub fn shorten(
    text: &str,
    limit: usize,
    tokenizer: Tokenizer,
    wrap: impl Fn(&str) -> String,
) -> Option<(String, usize)> {
    let around = tokenizer.count_up_to(&wrap(CUT), limit)?;
    let mut allowance = limit - around;
    let mut end = tokenizer.prefix(text, allowance);
    for _ in 0..ATTEMPTS {
        let kept = before_open_bracket(text, cut_point(text, end)).trim_end();
        if kept.is_empty() {
            return None;
        }
        let wrapped = wrap(&format!("{kept}{CUT}"));
        let counted = tokenizer.count(&wrapped);
        if counted <= limit {
            return Some((wrapped, counted));
        }
        allowance = allowance.saturating_sub((counted - limit).max(1));
        end = tokenizer.prefix(kept, allowance);
    }
    None
}

/// Returns the text before `end`, without a bracket and the part of a word after it that a cut leaves: the beginning of
/// `<memoryless` alone would be a tag.
fn before_open_bracket(text: &str, end: usize) -> &str {
    let kept = &text[..end];
    let divides_word = text[end..].starts_with(|next: char| !next.is_whitespace());
    let is_name = |character: char| {
        character.is_alphanumeric()
            || character.is_whitespace()
            || is_ignorable(character)
            || matches!(character, '_' | ':' | '-' | '/')
    };
    let bracket = kept.trim_end_matches(is_name);
    let is_near = end - bracket.len() <= CONTEXT_BYTES;
    match bracket.chars().next_back() {
        Some(last) if divides_word && is_near && (is_angle(last) || is_square(last)) => {
            &bracket[..bracket.len() - last.len_utf8()]
        }
        _ => kept,
    }
}

/// The best place to cut at or before `end`.
fn cut_point(text: &str, end: usize) -> usize {
    if end >= text.len() {
        return text.len();
    }
    let seen = &text[..text.ceil_char_boundary((end + CONTEXT_BYTES).min(text.len()))];
    let at_least = |part: f64| (end as f64 * part) as usize;
    // A paragraph of one endless line is no reason to read it twice: the segmenters below see only what fits.
    let sentence = seen.split_sentence_bound_indices().map(|(at, _)| at).take_while(|at| *at <= end).last();
    if let Some(sentence) = sentence.filter(|at| *at > 0 && *at >= at_least(SENTENCE_KEEPS)) {
        return sentence;
    }
    let word = seen.split_word_bound_indices().map(|(at, _)| at).take_while(|at| *at <= end).last();
    if let Some(word) = word.filter(|at| *at > 0 && *at >= at_least(WORD_KEEPS)) {
        return grapheme_boundary(seen, word);
    }
    grapheme_boundary(seen, end)
}

/// The grapheme boundary at or before `end`, or the character boundary if the grapheme has no sensible length.
fn grapheme_boundary(text: &str, end: usize) -> usize {
    let end = text.floor_char_boundary(end);
    let mut cursor = GraphemeCursor::new(end, text.len(), true);
    if cursor.is_boundary(text, 0).unwrap_or(true) {
        return end;
    }
    match cursor.prev_boundary(text, 0) {
        Ok(Some(boundary)) if end - boundary <= LONGEST_GRAPHEME_BYTES => boundary,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn whole_sentences_are_kept_when_most_of_the_text_fits_in_them() {
        let text = "The oracle lagged by two blocks. Liquidations followed at once. Nobody had expected that to happen.";
        let (short, _) = shorten(text, 18, Tokenizer::O200k, plain).unwrap();
        assert_eq!(short, format!("The oracle lagged by two blocks. Liquidations followed at once.{CUT}"));
    }

    #[test]
    fn a_family_emoji_is_kept_whole_or_left_out() {
        let family = "👨‍👩‍👧‍👦";
        let text = family.repeat(20);
        for limit in 5..80 {
            if let Some((short, _)) = shorten(&text, limit, Tokenizer::O200k, plain) {
                let kept = short.strip_suffix(CUT).unwrap();
                assert_eq!(kept.len() % family.len(), 0, "limit {limit} kept {kept:?}");
            }
        }
    }

    #[test]
    fn a_megabyte_of_combining_marks_is_cut_between_characters() {
        let text = format!("e{}", "\u{301}".repeat(500_000));
        let (short, tokens) = shorten(&text, 60, Tokenizer::O200k, plain).unwrap();
        assert!(tokens <= 60 && short.len() > 10, "{tokens} {}", short.len());
    }

    #[test]
    fn a_cut_within_a_word_leaves_no_bracket_with_a_part_of_it() {
        for word in ["<memoryless", "＜memoryless", "</memoryless", "< memoryless"] {
            let text = format!("{word}{}", "ness".repeat(12));
            for limit in 1..14 {
                let short = shorten(&format!("one two {text}"), limit, Tokenizer::O200k, plain);
                let kept = short.map_or(String::new(), |(short, _)| short);
                assert!(!kept.contains('m'), "limit {limit} kept {kept:?}");
            }
        }
        assert_eq!(before_open_bracket("a < b holds", 5), "a < b");
    }

    #[test]
    fn nothing_fits_in_no_tokens() {
        assert!(shorten("word", 0, Tokenizer::O200k, plain).is_none());
    }

    proptest! {
        #[test]
        fn a_shortened_text_never_exceeds_its_limit(text in "(?s)[\\PC\\s]{0,300}", limit in 0_usize..60) {
            for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate] {
                if let Some((short, tokens)) = shorten(&text, limit, tokenizer, |inner| format!("<a>\n{inner}\n</a>\n")) {
                    prop_assert_eq!(tokens, tokenizer.count(&short));
                    prop_assert!(tokens <= limit);
                    prop_assert!(short.contains(CUT));
                }
            }
        }
    }
}
