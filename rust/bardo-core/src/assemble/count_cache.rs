//! Cache of token counts: words that were counted before are looked up.
//!
//! A prompt repeats its words, its tags and its dates. Both vocabularies split a text into pieces before they encode
//! them, and a piece has the same number of tokens wherever it stands.

use std::cell::RefCell;

use super::Tokenizer;

/// Pieces that are remembered, a power of two; a prompt of 3,000 tokens has about 1,000 different ones.
const SLOTS: usize = 2_048;
/// Bytes of a piece that fit into a key beside its length; longer ones are rare and counted each time.
const KEY_BYTES: usize = 15;

/// Counts as a [`Tokenizer`] does, and remembers the pieces; for the texts of one prompt.
#[derive(Debug)]
pub(super) struct CountCache {
    tokenizer: Tokenizer,
    /// A piece with its length, and its tokens: one slot for each hash, the last piece wins.
    slots: RefCell<Vec<(u128, u32)>>,
}

impl CountCache {
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, slots: RefCell::new(vec![(0, 0); SLOTS]) }
    }

    pub fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    pub fn count(&self, text: &str) -> usize {
        self.count_up_to(text, usize::MAX).unwrap_or(usize::MAX)
    }

    /// The number of tokens of a text if there are at most `limit`.
    pub fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        let Some(vocabulary) = self.tokenizer.vocabulary() else {
            return self.tokenizer.count_up_to(text, limit);
        };
        let mut slots = self.slots.borrow_mut();
        let (mut rest, mut total) = (text, 0_usize);
        while !rest.is_empty() {
            let word = plain_word(rest.as_bytes()).map(|end| &rest[..end]);
            let Some(piece) = word.or_else(|| vocabulary.split(rest).next()) else { break };
            rest = &rest[piece.len()..];
            total += if piece.len() > KEY_BYTES {
                vocabulary.bpe.count_till_limit(piece.as_bytes(), limit - total)?
            } else {
                let key = key_of(piece.as_bytes());
                let slot = &mut slots[slot_of(key)];
                if slot.0 != key {
                    *slot = (key, u32::try_from(vocabulary.bpe.count(piece.as_bytes())).unwrap_or(u32::MAX));
                }
                slot.1 as usize
            };
            if total > limit {
                return None;
            }
        }
        Some(total)
    }
}

/// The end of an ASCII word with at most one space before it and one capital, if it is a piece by itself in both
/// vocabularies: it ends before an ASCII sign that is no letter and no apostrophe. Most of English is of this form, and
/// needs no regular expression.
fn plain_word(bytes: &[u8]) -> Option<usize> {
    let start = usize::from(bytes.first() == Some(&b' '));
    let capital = usize::from(bytes.get(start).is_some_and(u8::is_ascii_uppercase));
    let small = bytes[start + capital..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let end = start + capital + small;
    let closed =
        bytes.get(end).is_none_or(|next| next.is_ascii() && !next.is_ascii_alphabetic() && *next != b'\'');
    (small > 0 && closed).then_some(end)
}

/// A short piece and its length as one number; never 0.
fn key_of(piece: &[u8]) -> u128 {
    let mut bytes = [0; KEY_BYTES + 1];
    bytes[..piece.len()].copy_from_slice(piece);
    bytes[KEY_BYTES] = piece.len() as u8;
    u128::from_le_bytes(bytes)
}

fn slot_of(key: u128) -> usize {
    let folded = (key as u64) ^ (key >> 64) as u64;
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn remembered_counts_are_those_of_the_tokenizer(
            texts in prop::collection::vec(
                prop_oneof!["(?s)[\\PC\\s]{0,60}", "( ?[A-Za-z']{1,8}[ ,.\n0-9é']?){0,20}", "[a-zA-Z '\u{2019}\u{301}]{0,40}"], 0..8,
            ),
            limit in 0_usize..60,
        ) {
            for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate] {
                let counts = CountCache::new(tokenizer);
                for text in texts.iter().chain(&texts) {
                    let counted = tokenizer.count(text);
                    prop_assert_eq!(counts.count(text), counted, "{:?}", text);
                    prop_assert_eq!(counts.count_up_to(text, limit), (counted <= limit).then_some(counted));
                }
            }
        }
    }
}
