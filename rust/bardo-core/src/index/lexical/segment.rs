//! Segments a text: white space, then the word boundaries of UAX 29, then the parts of identifiers.

use unicode_segmentation::UnicodeSegmentation;

/// Part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'text> {
    /// Word as written, to be lowercased and stemmed.
    Word(&'text str),
    /// Identifier covered by other pieces too, to be lowercased and kept whole.
    Whole(&'text str),
    /// Finished term.
    Term(&'text str, TermKind),
}

/// Calls `emit` with the pieces of a text in NFKC, in order.
pub(crate) fn pieces(text: &str, emit: &mut impl FnMut(Piece<'_>)) {
    chunks(text, &mut |_, chunk| piece_chunk(chunk, emit));
}

/// Addend that carries every ASCII byte above the space into the high bit, in every byte.
const ABOVE_SPACE: u64 = u64::from_le_bytes([0x80 - 0x21; 8]);
/// The high bit of every byte.
const HIGH_BITS: u64 = u64::from_le_bytes([0x80; 8]);

/// Calls `visit` with every chunk between white space, and with its byte offset.
pub(crate) fn chunks<'text>(text: &'text str, visit: &mut impl FnMut(usize, &'text str)) {
    if !text.is_ascii() {
        for chunk in text.split_whitespace() {
            visit(chunk.as_ptr().addr() - text.as_ptr().addr(), chunk);
        }
        return;
    }
    let mut start = 0;
    let mut end_at = |end: usize| {
        if start < end {
            visit(start, &text[start..end]);
        }
        start = end + 1;
    };
    let bytes = text.as_bytes();
    let (words, rest) = bytes.as_chunks::<8>();
    for (word, first) in words.iter().zip((0..).step_by(8)) {
        // The high bit of every byte that is white space or control; no sum of ASCII carries into the next byte.
        let mut low = !(u64::from_le_bytes(*word) + ABOVE_SPACE) & HIGH_BITS;
        while low != 0 {
            let place = low.trailing_zeros() as usize / 8;
            if is_space(word[place]) {
                end_at(first + place);
            }
            low &= low - 1;
        }
    }
    let first = bytes.len() - rest.len();
    for (place, _) in rest.iter().enumerate().filter(|(_, byte)| is_space(**byte)) {
        end_at(first + place);
    }
    end_at(text.len());
}

/// Whether an ASCII character is Unicode white space.
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Emits the pieces of a chunk between white space.
pub(crate) fn piece_chunk(chunk: &str, emit: &mut impl FnMut(Piece<'_>)) {
    match plain_word(chunk) {
        Some(word) => emit(Piece::Word(word)),
        None => cut_chunk(chunk, emit),
    }
}

/// Fast path: the word in a chunk that is one word of ASCII letters and digits between punctuation, as [`cut_chunk`]
/// would find it, at a tenth of the cost. `None` if the chunk needs the slow path.
pub(crate) fn plain_word(chunk: &str) -> Option<&str> {
    let bytes = chunk.as_bytes();
    // These begin identifiers; an underscore is part of a word.
    let opens = |byte: &u8| byte.is_ascii_punctuation() && !b"$#@/~._".contains(byte);
    let closes = |byte: &u8| byte.is_ascii_punctuation() && *byte != b'_';
    let start = bytes.iter().position(|byte| !opens(byte))?;
    let end = bytes.iter().rposition(|byte| !closes(byte))? + 1;
    let word = bytes.get(start..end)?;
    let mut previous = b'\'';
    for (place, &byte) in word.iter().enumerate() {
        let is_inside = match byte {
            // A capital after a small letter begins a part of an identifier.
            b'A'..=b'Z' => !previous.is_ascii_lowercase(),
            b'a'..=b'z' | b'0'..=b'9' => true,
            b'\'' => {
                previous.is_ascii_alphabetic() && word.get(place + 1).is_some_and(u8::is_ascii_alphabetic)
            }
            _ => false,
        };
        if !is_inside {
            return None;
        }
        previous = byte;
    }
    Some(&chunk[start..end])
}

/// Emits the pieces of a chunk that may be more than letters.
fn cut_chunk(chunk: &str, emit: &mut impl FnMut(Piece<'_>)) {
    if let Some(whole) = identifier(chunk) {
        emit(Piece::Whole(whole));
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
            cut_segment(segment, emit);
        } else if is_pictograph(first) {
            emit(Piece::Term(cut(segment, TERM_BYTES), TermKind::Word));
        }
    }
    emit_run(&mut run, emit);
}

/// Emits one word by UAX 29, and its parts at underscores, dots and capitals.
fn cut_segment(segment: &str, emit: &mut impl FnMut(Piece<'_>)) {
    let parts = parts_of(segment);
    if parts.len() < 2 {
        return emit(Piece::Word(segment));
    }
    emit(Piece::Whole(segment));
    for part in parts {
        emit(Piece::Word(part));
    }
}

/// The identifier in a chunk, without the punctuation around it: a path, URL, pair, version or handle, or any
/// letters and digits joined by signs that split words. `None` for plain words and numbers.
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
fn emit_run(run: &mut Vec<&str>, emit: &mut impl FnMut(Piece<'_>)) {
    let alone = if run.len() == 1 { TermKind::Word } else { TermKind::Extra };
    for character in run.iter() {
        emit(Piece::Term(character, alone));
    }
    let mut pair = String::new();
    for neighbours in run.windows(2) {
        pair.clear();
        pair.push_str(neighbours[0]);
        pair.push_str(neighbours[1]);
        emit(Piece::Term(&pair, TermKind::Word));
    }
    run.clear();
}

/// Scripts written without spaces between words (and Hangul, whose particles attach to words).
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

/// Emoji and other symbols that a user may search for.
const fn is_pictograph(character: char) -> bool {
    matches!(character, '\u{20a0}'..='\u{20cf}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Maximum bytes of a term; a longer one is cut. A URL or a 0x address fits easily.
pub const TERM_BYTES: usize = 256;

/// Kind of term, which sets its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// Word of the text: counts towards the length of the document.
    Word,
    /// Word on the stop list: a query uses it only without other words.
    Stop,
    /// Additional term for text that other terms cover already (a whole identifier, one character of a bigram).
    Extra,
}

/// Cuts text at a character boundary.
#[must_use]
pub fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of a text by the slow path alone.
    fn pieces_by_rule(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for chunk in text.split_whitespace() {
            cut_chunk(chunk, &mut |piece| found.push(format!("{piece:?}")));
        }
        found
    }

    fn pieces_by_scan(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        pieces(text, &mut |piece| found.push(format!("{piece:?}")));
        found
    }

    proptest! {
        #[test]
        fn the_short_way_finds_what_the_long_way_finds(
            text in "\\PC{0,80}|[\\x00-\\x7f]{0,80}|[abZ19'’._$:,()!/ -]{0,40}|([a-zA-Z0-9']{1,6}[!-/:-@_]{0,2} ?){0,9}",
        ) {
            prop_assert_eq!(pieces_by_scan(&text), pieces_by_rule(&text));
        }
    }
}
