//! How predictable a word is: its self-information under a bigram model that is learned from the agent's own text.
//!
//! Counts are kept by the hash of words, never the words themselves, in tables of bounded size. When a table is full,
//! all its counts are halved and what falls to nothing leaves: the model follows what the agent writes now.

use xxhash_rust::xxh3::xxh3_64;

use super::confusables::is_ignorable;
use crate::hashing::HashedMap;

/// Words that are counted at most: about what a person uses. With pairs, the model stays under 8 MB.
const WORDS: usize = 1 << 16;
/// Pairs of words that are counted at most.
const PAIRS: usize = 1 << 18;
/// Words that a text could still bring, over which the probability of an unseen word is spread.
const OPEN_VOCABULARY: f64 = (1 << 20) as f64;
/// Stands for the word before the first one.
const START: u64 = 0;

/// A bigram model of words with Witten-Bell smoothing (Witten and Bell 1991, method C): a pair that was never seen has
/// the probability of its second word, scaled by how often the first one brings something new.
#[derive(Clone, Debug, Default)]
pub struct WordModel {
    words: Counts,
    pairs: Counts,
    /// Different words seen after a word.
    followers: Counts,
    /// Words seen in lower case: with a capital at the start of a sentence, they are no names.
    lower: Counts,
    /// Sum of the counts of `words`.
    total: u64,
    /// Texts learned.
    texts: u64,
}

/// Counts by the hash of a word or a pair.
type Counts = HashedMap<u64, u32>;

impl WordModel {
    /// Takes the words of a text into the counts.
    pub fn learn(&mut self, text: &str) {
        let mut before = START;
        for word in text.split_whitespace().map(key_of).filter(|word| *word != START) {
            *self.words.entry(word).or_insert(0) += 1;
            self.total += 1;
            let times = self.pairs.entry(pair(before, word)).or_insert(0);
            *times += 1;
            if *times == 1 {
                *self.followers.entry(before).or_insert(0) += 1;
            }
            before = word;
        }
        for word in text.split_whitespace().filter(|word| word.starts_with(char::is_lowercase)) {
            *self.lower.entry(key_of(word)).or_insert(0) += 1;
        }
        self.texts += 1;
        if self.words.len() > WORDS || self.pairs.len() > PAIRS {
            self.age();
        }
    }

    /// Texts learned so far.
    #[must_use]
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// Whether a word was seen in lower case.
    #[must_use]
    pub fn in_lower_case(&self, word: &str) -> bool {
        self.lower.contains_key(&key_of(word))
    }

    /// Counts that are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len() + self.pairs.len() + self.followers.len() + self.lower.len()
    }

    /// Whether nothing was learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Self-information in bits of each word of a text, in the order of `split_whitespace`.
    #[must_use]
    pub fn surprise(&self, text: &str) -> Vec<f64> {
        let mut before = START;
        text.split_whitespace()
            .map(|word| {
                let word = key_of(word);
                let bits = -self.probability(before, word).log2();
                before = word;
                bits
            })
            .collect()
    }

    fn probability(&self, before: u64, word: u64) -> f64 {
        let seen = |table: &Counts, key: u64| f64::from(table.get(&key).copied().unwrap_or(0));
        let (total, different) = (self.total as f64, self.words.len() as f64);
        let alone = if total == 0.0 {
            1.0 / OPEN_VOCABULARY
        } else {
            (seen(&self.words, word) + different / OPEN_VOCABULARY) / (total + different)
        };
        let followers = seen(&self.followers, before);
        if followers == 0.0 {
            return alone;
        }
        let times = if before == START { self.texts as f64 } else { seen(&self.words, before) };
        (seen(&self.pairs, pair(before, word)) + followers * alone) / (times + followers)
    }

    /// Halves every count; what was seen once leaves.
    fn age(&mut self) {
        let halve = |table: &mut Counts| {
            table.retain(|_, times| {
                *times /= 2;
                *times > 0
            });
        };
        halve(&mut self.words);
        halve(&mut self.pairs);
        halve(&mut self.followers);
        halve(&mut self.lower);
        self.total = self.words.values().map(|times| u64::from(*times)).sum();
    }
}

/// The hash of a word in lower case and without the signs around it; 0 for one without a letter or digit.
pub(super) fn key_of(word: &str) -> u64 {
    let bare = word.trim_matches(|character: char| !character.is_alphanumeric());
    if bare.is_empty() {
        return START;
    }
    if bare.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return xxh3_64(bare.as_bytes());
    }
    let folded: String =
        bare.chars().filter(|character| !is_ignorable(*character)).flat_map(char::to_lowercase).collect();
    xxh3_64(folded.as_bytes())
}

fn pair(before: u64, word: u64) -> u64 {
    before.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_word_that_always_follows_is_predictable_and_a_new_one_is_not() {
        let mut model = WordModel::default();
        for number in 0..200 {
            model.learn(&format!("the price of oil rose by {number}"));
        }
        let bits = model.surprise("the price of oil rose because Kyrgyzstan");
        assert!(bits[1] < 0.5 && bits[3] < 0.5, "{bits:?}");
        assert!(bits[5] > 8.0 && bits[6] > 8.0, "{bits:?}");
    }

    #[test]
    fn the_tables_stay_within_their_bounds_and_follow_what_is_written_now() {
        let mut model = WordModel::default();
        for start in (0..400_000).step_by(100) {
            let text: Vec<String> = (start..start + 100).map(|number| format!("w{number}")).collect();
            model.learn(&text.join(" "));
            model.learn("this is said every day");
        }
        assert!(model.words.len() <= WORDS && model.pairs.len() <= PAIRS, "{}", model.len());
        assert!(model.surprise("this is said every day").iter().sum::<f64>() < 40.0);
    }

    proptest! {
        #[test]
        fn surprise_is_a_finite_number_of_bits_for_every_word(texts in prop::collection::vec("(?s).{0,60}", 0..6), text in "(?s).{0,120}") {
            let mut model = WordModel::default();
            for text in &texts {
                model.learn(text);
            }
            let bits = model.surprise(&text);
            prop_assert_eq!(bits.len(), text.split_whitespace().count());
            prop_assert!(bits.iter().all(|bits| bits.is_finite() && *bits >= -1e-9), "{:?}", bits);
        }
    }
}
