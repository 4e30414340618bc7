//! Reads a text as hashes of its words, with their places, so that two spellings of a passage compare equal.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::confusables::{Units, is_unseen, plain};

/// Words by which a passage is looked up.
pub(super) const LOOKED_UP: usize = 3;
/// A word of a text, and where it stands.
pub(super) struct Word {
    pub hash: u64,
    pub start: usize,
    /// Where the tag begins whose name this is, if it is one.
    pub tag: Option<usize>,
    /// End of the signs that belong to it: of its tag, or of its sentence.
    pub tail: usize,
}

pub(super) fn start_of(words: &[Word]) -> u64 {
    sequence(&words[..words.len().min(LOOKED_UP)])
}

pub(super) fn sequence(words: &[Word]) -> u64 {
    let mut hasher = Xxh3::new();
    for word in words {
        hasher.update(&word.hash.to_le_bytes());
    }
    hasher.digest()
}

pub(super) fn word_hash(word: &str) -> u64 {
    xxh3_64(word.as_bytes())
}

/// The words of a text as they are read, without case, signs and unseen characters; letters of scripts without capitals
/// one by one, as some of these have no spaces.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut letters = String::new();
    // Where the word, and the tag that it may name, begin; whether the signs of the last word go on.
    let (mut start, mut tag, mut trails) = (0, None, false);
    let mut end = 0;
    let finish =
        |letters: &mut String, start: usize, end: usize, tag: &mut Option<usize>, words: &mut Vec<Word>| {
            if !letters.is_empty() {
                words.push(Word { hash: word_hash(letters), start, tag: tag.take(), tail: end });
                letters.clear();
            }
        };
    for unit in Units::new(text, 0, true).filter(|unit| !is_unseen(unit.read)) {
        let read = unit.read;
        if read.is_alphanumeric() {
            let alone = read.general_category() == GeneralCategory::OtherLetter;
            if alone {
                finish(&mut letters, start, end, &mut tag, &mut words);
            }
            if letters.is_empty() {
                start = unit.start;
            }
            end = unit.end;
            let folded =
                std::iter::once(read).nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
            letters.extend(folded);
            if alone {
                finish(&mut letters, start, end, &mut tag, &mut words);
            }
            trails = true;
            continue;
        }
        finish(&mut letters, start, end, &mut tag, &mut words);
        let sign = plain(read);
        if sign == Some('<') {
            (tag, trails) = (Some(unit.start), false);
        } else if !(read.is_whitespace() || sign == Some('/')) {
            tag = None;
        }
        // Of signs after a word those belong to it that end its tag or its sentence.
        let ends_tag = sign == Some('>');
        trails &= !read.is_whitespace();
        if let Some(last) = words.last_mut()
            && trails
            && (ends_tag
                || matches!(sign, Some('.' | '!' | '?' | ',' | ';' | ':' | '/' | '"' | '\\'))
                || !read.is_ascii())
        {
            if ends_tag || sign != Some('"') {
                last.tail = unit.end;
            }
            trails = !ends_tag;
        } else {
            trails = false;
        }
    }
    finish(&mut letters, start, end, &mut tag, &mut words);
    words
}
