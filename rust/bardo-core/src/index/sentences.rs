//! Long texts as pieces that each get a vector of their own: the best piece of a text counts in recall (spec 4).
//! Sentences follow Unicode's rules (UAX #29), so they end at `。` and `؟` as at a full stop.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Pieces of one text at most; sentences beyond that are joined with their neighbours, so nothing is left out.
pub const MAX_PIECES: usize = 64;

/// A sentence longer than this is cut between words: small embedding models read 256 tokens, about this many bytes.
/// `MAX_PIECES` of these cover the longest text of an episode, 64 KiB.
pub const MAX_PIECE_BYTES: usize = 1024;

/// The sentences of a text, in order, trimmed; those without a letter or digit are left out.
///
/// A text of more than `limit` sentences is cut into at most `limit` runs of them, of about equal length in bytes.
#[must_use]
pub fn split_sentences(text: &str, limit: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    for (start, sentence) in text.split_sentence_bound_indices() {
        if sentence.chars().any(char::is_alphanumeric) {
            cut(sentence, start, &mut pieces);
        }
    }
    join(&pieces, limit.max(1)).into_iter().map(|range| text[range].trim()).collect()
}

/// Cuts one sentence into ranges of at most `MAX_PIECE_BYTES`, between words where there are any.
fn cut(sentence: &str, start: usize, pieces: &mut Vec<Range<usize>>) {
    let mut first = start;
    let mut last = start;
    for (offset, word) in sentence.split_word_bound_indices() {
        // One "word" may itself be long: an encoded blob, or a script without spaces.
        for (inner, character) in word.char_indices() {
            let end = start + offset + inner + character.len_utf8();
            let break_here = if last > first { last } else { start + offset + inner };
            if end - first > MAX_PIECE_BYTES {
                pieces.push(first..break_here);
                first = break_here;
            }
        }
        last = start + offset + word.len();
    }
    pieces.push(first..start + sentence.len());
}

/// Joins neighbouring ranges until there are at most `limit`.
fn join(pieces: &[Range<usize>], limit: usize) -> Vec<Range<usize>> {
    if pieces.len() <= limit {
        return pieces.to_vec();
    }
    let total: usize = pieces.iter().map(Range::len).sum();
    let mut joined: Vec<(usize, Range<usize>)> = Vec::with_capacity(limit);
    let mut before = 0;
    for piece in pieces {
        let group = before * limit / total;
        before += piece.len();
        match joined.last_mut() {
            Some((open, range)) if *open == group => range.end = piece.end,
            _ => joined.push((group, piece.clone())),
        }
    }
    joined.into_iter().map(|(_, range)| range).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentences_end_where_their_script_ends_them() {
        assert_eq!(split_sentences("One. Two! Three?", 9), ["One.", "Two!", "Three?"]);
        assert_eq!(
            split_sentences("価格が上がった。清算が続いた。", 9),
            ["価格が上がった。", "清算が続いた。"]
        );
        assert_eq!(split_sentences("Цена выросла. Потом упала.", 9), ["Цена выросла.", "Потом упала."]);
        assert_eq!(split_sentences("ارتفع السعر؟ ثم هبط.", 9), ["ارتفع السعر؟", "ثم هبط."]);
    }

    #[test]
    fn numbers_and_addresses_stay_whole() {
        assert_eq!(split_sentences("It rose 3.5 percent on v1.2.3 of example.com today", 9).len(), 1);
    }

    #[test]
    fn what_has_no_letter_or_digit_is_left_out() {
        assert!(split_sentences("", 9).is_empty());
        assert!(split_sentences("... !!! ---\n\n", 9).is_empty());
        assert_eq!(split_sentences("Yes! 🎉🎉 \n\n***\nNo.", 9), ["Yes!", "No."]);
    }

    #[test]
    fn a_long_text_is_joined_into_the_limit_without_losing_any() {
        let text: String = (0..500).map(|number| format!("Sentence number {number}. ")).collect();
        let pieces = split_sentences(&text, 64);
        assert!(pieces.len() <= 64 && pieces.len() > 56, "{}", pieces.len());
        assert_eq!(pieces.join(" "), text.trim());
    }

    #[test]
    fn a_blob_without_spaces_is_cut() {
        let blob = "x".repeat(65_536);
        let pieces = split_sentences(&blob, MAX_PIECES);
        assert_eq!(pieces.len(), 64);
        assert!(pieces.iter().all(|piece| piece.len() <= MAX_PIECE_BYTES));
    }

    proptest! {
        #[test]
        fn pieces_are_in_order_and_hold_every_letter(text in "\\PC{0,3000}", limit in 1_usize..40) {
            let pieces = split_sentences(&text, limit);
            prop_assert!(pieces.len() <= limit);
            let letters = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(pieces.iter().map(|piece| letters(piece)).collect::<String>(), letters(&text));
        }
    }
}
