//! Splits long texts into pieces with a vector each: the best piece of a text counts in recall. Sentences
//! follow Unicode's rules (UAX #29), so they end at `。` and `؟` as at a full stop, but not at that of an abbreviation.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::abbreviations::abbreviations;

/// Maximum number of pieces per text; further sentences are joined with their neighbours, so nothing is left
/// out.
pub const MAX_PIECES: usize = 64;

/// Maximum bytes of a piece; a longer sentence is cut between words. Small embedding models read 256 tokens, about
/// this many bytes. `MAX_PIECES` of these cover the longest text of an episode, 64 KiB.
pub const MAX_PIECE_BYTES: usize = 1024;

/// Minimum bytes of a piece; a shorter sentence ("Wow, John!", "Dr.") is joined with the next one. Measured with MiniLM
/// on the dev data: recall@10 by the best piece is .607 on LoCoMo (.602 with every sentence alone, .579 with 80 bytes)
/// and the same on LongMemEval-S, with 1.3 instead of 3.0 vectors per turn, and 7.8 instead of 11.3.
pub const MIN_PIECE_BYTES: usize = 40;

/// Splits a text into its sentences, in order, trimmed. Sentences without a letter or digit are left out, and short
/// ones are joined with their neighbours.
///
/// A text of more than `limit` sentences is split into at most `limit` runs of about equal length in bytes.
#[must_use]
pub fn split_sentences(text: &str, limit: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    for range in bounds(text) {
        let sentence = &text[range.clone()];
        if sentence.chars().any(char::is_alphanumeric) {
            cut(sentence, range.start, &mut pieces);
        }
    }
    join(&join_short(&pieces), limit.max(1)).into_iter().map(|range| text[range].trim()).collect()
}

/// The sentences of a text by Unicode's rules; the stop of an abbreviation ends none.
fn bounds(text: &str) -> Vec<Range<usize>> {
    let open: Vec<usize> = abbreviations(text).into_iter().map(|range| range.end).collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    for (start, sentence) in text.split_sentence_bound_indices() {
        let end = start + sentence.len();
        match found.last_mut() {
            Some(last) if open.contains(&text[..last.end].trim_end().len()) => last.end = end,
            _ => found.push(start..end),
        }
    }
    found
}

/// Cuts one sentence into ranges of at most `MAX_PIECE_BYTES`, between words where there are any.
fn cut(sentence: &str, start: usize, pieces: &mut Vec<Range<usize>>) {
    let mut first = start;
    let mut last = start;
    for (offset, word) in sentence.split_word_bound_indices() {
        // A single "word" may be long: an encoded blob, or a script without spaces.
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

/// Joins each short range with the one after it, and a short last one with the one before it.
fn join_short(pieces: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if last.len() < MIN_PIECE_BYTES => last.end = piece.end,
            _ => joined.push(piece.clone()),
        }
    }
    if joined.len() > 1
        && let Some(short) = joined.pop_if(|last| last.len() < MIN_PIECE_BYTES)
        && let Some(last) = joined.last_mut()
    {
        last.end = short.end;
    }
    joined
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
        let ends = |text: &str| split_sentences(text, 9).len();
        assert_eq!(
            ends("The oracle was updated two blocks before. The liquidations followed it at once, in a row!"),
            2
        );
        assert_eq!(ends("オラクルの価格が二ブロック前に更新された。その直後に大きな清算が三回も続いた。"), 2);
        assert_eq!(ends("Цена выросла на три процента. Потом начались ликвидации."), 2);
        assert_eq!(ends("هل ارتفع السعر قبل التحديث؟ نعم ثم هبط بعد التصفية."), 2);
    }

    #[test]
    fn short_sentences_are_joined_with_a_neighbour() {
        let long = "The keeper moved the position to another vault.";
        assert_eq!(split_sentences("One. Two! Three?", 9), ["One. Two! Three?"]);
        assert_eq!(
            split_sentences(&format!("Wow! {long} {long} Yes."), 9),
            [format!("Wow! {long}"), format!("{long} Yes.")]
        );
    }

    #[test]
    fn an_abbreviation_ends_no_sentence() {
        let text = "Call the risk manager of the treasury at any time under ext. 0171 or at home, see page no. 14 of it.";
        assert_eq!(split_sentences(text, 9), [text]);
    }

    #[test]
    fn numbers_and_addresses_stay_whole() {
        assert_eq!(split_sentences("It rose 3.5 percent on v1.2.3 of example.com today", 9).len(), 1);
    }

    #[test]
    fn a_sentence_without_letter_or_digit_is_left_out() {
        assert!(split_sentences("", 9).is_empty());
        assert!(split_sentences("... !!! ---\n\n", 9).is_empty());
        assert_eq!(
            split_sentences("\n*** 🎉🎉\nThe vault is under the old mill by the river. 🎉\n\n***\n", 9),
            ["The vault is under the old mill by the river."]
        );
    }

    #[test]
    fn a_long_text_is_joined_into_the_limit_without_losing_any() {
        let sentences: Vec<_> =
            (0..500).map(|number| format!("This is the sentence with the number {number}.")).collect();
        let text = sentences.join(" ");
        let pieces = split_sentences(&text, 64);
        assert!(pieces.len() <= 64 && pieces.len() > 56, "{}", pieces.len());
        assert_eq!(pieces.join(" "), text);
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
