//! Hyperdimensional bundle of all that a life knew: answers "was anything like this known?" without the texts.
//!
//! A feature is a content word or a pair of neighbouring content words, in any order. Each has a random hypervector of
//! [`DIMENSIONS`] bits, made from its hash, and a shard is the bitwise majority of its features' vectors. A text
//! is familiar if most of its features are in their shards.
//!
//! The cosine of a vector and a shard has the standard deviation `1 / sqrt(D)` around the expected one (Frady, Kleyko
//! and Sommer, Neural Computation 30, 2018). `cosine / expected` estimates membership, 1 or 0.

use std::collections::{BTreeMap, HashSet};

use super::hypervector::{Bits, DIMENSIONS, LAST, Majority, TIE, WORDS, cosine, expected_cosine, vector};
use crate::error::{Error, Result};
use crate::hashing::mixed;
use crate::index::lexical::{Analyzer, QUERY_BYTES, TermKind, cut};

/// Share of a text's features from which it is familiar.
pub const FAMILIAR_SHARE: f64 = 0.5;
/// Normal quantile of an error rate of 1 %.
const QUANTILE: f64 = 2.326;
/// Features of the shortest text for which both error rates hold: two words and their pair.
const SHORTEST: f64 = 3.0;
/// Maximum features of a shard, so that a text of [`SHORTEST`] features of which none or all are known is judged
/// wrongly in 1 % of cases each: `D (2 / pi) SHORTEST (FAMILIAR_SHARE / z)^2` with `z` = 2.326.
pub const LOAD: usize =
    (DIMENSIONS as f64 * std::f64::consts::FRAC_2_PI * SHORTEST * FAMILIAR_SHARE * FAMILIAR_SHARE
        / (QUANTILE * QUANTILE)) as usize;
/// Maximum number of shards of all bundles together: about 320 kB.
pub const SHARD_LIMIT: usize = 256;
/// Maximum length of the name of an agent, in bytes.
const NAME_BYTES: usize = 256;
/// First bytes of a bundle.
const MAGIC: &[u8; 4] = b"HDB1";

/// Answer of a bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Familiarity {
    /// Estimated share of the text's features that were known, 0..1.
    pub score: f64,
    /// Whether the score reaches the threshold.
    pub known: bool,
    /// Score from which a text is familiar.
    pub threshold: f64,
    /// Standard error of the unclamped estimate.
    pub error: f64,
    /// Number of the text's features; without any it is not familiar.
    pub features: usize,
    /// Agent whose bundle knows the text best.
    pub agent: String,
}

/// Bundles of an agent and of its ancestors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownThings {
    bundles: Vec<Bundle>,
}

/// Places of the texts with a feature that no earlier one has: the others add nothing to a bundle.
#[must_use]
pub fn novel_texts(texts: &[String]) -> Vec<usize> {
    let mut reader = Analyzer::default();
    let mut seen: HashSet<u64> = HashSet::new();
    let mut adds = |text: &str| {
        let before = seen.len();
        seen.extend(features_of(&words(&mut reader, text)));
        seen.len() > before
    };
    texts.iter().enumerate().filter(|(_, text)| adds(text)).map(|(place, _)| place).collect()
}

/// Bundle of one life.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bundle {
    agent: String,
    shards: Vec<Shard>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Shard {
    items: u32,
    bits: Bits,
}

impl KnownThings {
    /// Bundles the features of texts.
    ///
    /// `withheld` are texts that stay out, each with its redacted form: no word that a redaction removed anywhere is in
    /// the bundle, also if another text has it. Numbers stay out, since exact parameters never cross.
    pub fn bundle(agent: &str, texts: &[String], withheld: &[(String, String)]) -> Result<Self> {
        if agent.len() > NAME_BYTES {
            return Err(Error::invalid(
                format!("the name of the agent has {} bytes", agent.len()),
                format!("A bundle names it in at most {NAME_BYTES}"),
            ));
        }
        let mut reader = Analyzer::default();
        let mut secret: HashSet<u64> = HashSet::new();
        for (whole, redacted) in withheld {
            let left: HashSet<u64> = words(&mut reader, redacted).into_iter().map(|word| word.hash).collect();
            let gone = words(&mut reader, whole).into_iter().map(|word| word.hash);
            secret.extend(gone.filter(|hash| !left.contains(hash)));
        }
        let mut features: HashSet<u64> = HashSet::new();
        for text in texts {
            let mut said = words(&mut reader, text);
            said.retain(|word| !secret.contains(&word.hash));
            for feature in features_of(&said) {
                if features.len() < SHARD_LIMIT * LOAD {
                    features.insert(feature);
                }
            }
        }
        let count = features.len().div_ceil(LOAD);
        let mut parts: BTreeMap<usize, Majority> = BTreeMap::new();
        for feature in features {
            parts.entry(shard_of(feature, count)).or_default().add(&vector(feature));
        }
        let shards = (0..count)
            .map(|place| parts.remove(&place).unwrap_or_default().finish())
            .map(|(items, bits)| Shard { items, bits })
            .collect();
        Ok(Self { bundles: vec![Bundle { agent: agent.to_owned(), shards }] })
    }

    /// Adds the bundles of ancestors, nearest first, as far as [`SHARD_LIMIT`] allows; returns the number of those
    /// without room. A bundle that is there already is not added again.
    pub fn join(&mut self, others: Self) -> usize {
        let mut left = 0;
        for bundle in others.bundles {
            if self.bundles.contains(&bundle) {
                continue;
            }
            if self.shards() + bundle.shards.len() > SHARD_LIMIT {
                left += 1;
            } else {
                self.bundles.push(bundle);
            }
        }
        left
    }

    /// Number of shards of all bundles.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.bundles.iter().map(|bundle| bundle.shards.len()).sum()
    }

    /// Number of features of all bundles.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.bundles.iter().flat_map(|bundle| &bundle.shards).map(|shard| u64::from(shard.items)).sum()
    }

    /// Names of the agents, the testator first.
    #[must_use]
    pub fn agents(&self) -> Vec<String> {
        self.bundles.iter().map(|bundle| bundle.agent.clone()).collect()
    }

    /// Whether anything like a text was known: estimates the share of its features that are in a bundle, and compares
    /// it with the share from which it is familiar, or with the 99th percentile of texts of which nothing was known,
    /// if that is greater.
    #[must_use]
    pub fn familiarity(&self, reader: &mut Analyzer, text: &str) -> Familiarity {
        // Sorted, so that sums of fractions are the same in every process.
        let mut features = features_of(&words(reader, cut(text, QUERY_BYTES)));
        features.sort_unstable();
        features.dedup();
        let vectors: Vec<(u64, Bits)> = features.iter().map(|&feature| (feature, vector(feature))).collect();
        // The best of several bundles is compared: the bound holds the error rate of one, by the tail of the normal
        // distribution.
        let quantile = QUANTILE.mul_add(QUANTILE, 2.0 * (self.bundles.len().max(1) as f64).ln()).sqrt();
        let answers = self.bundles.iter().map(|bundle| bundle.familiarity(&vectors, quantile));
        answers
            .max_by(|one, other| {
                (one.known, one.score)
                    .partial_cmp(&(other.known, other.score))
                    .unwrap_or(std::cmp::Ordering::Equal)
            })
            .unwrap_or(Familiarity {
                score: 0.0,
                known: false,
                threshold: 1.0,
                error: 0.0,
                features: features.len(),
                agent: String::new(),
            })
    }

    /// Serializes the bundles: the first bytes `HDB1`, the length of the name in 2 bytes, the name, the number of
    /// shards in 4 bytes; per shard the number of features in 4 bytes, and 1,256 bytes of bits. All in little endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.shards() * (WORDS * 8 + 4) + 64);
        for bundle in &self.bundles {
            bytes.extend_from_slice(MAGIC);
            bytes.extend_from_slice(&(bundle.agent.len() as u16).to_le_bytes());
            bytes.extend_from_slice(bundle.agent.as_bytes());
            bytes.extend_from_slice(&(bundle.shards.len() as u32).to_le_bytes());
            for shard in &bundle.shards {
                bytes.extend_from_slice(&shard.items.to_le_bytes());
                bytes.extend(shard.bits.iter().flat_map(|word| word.to_le_bytes()));
            }
        }
        bytes
    }

    /// Reads bundles that [`Self::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut read = Self::default();
        let mut rest = bytes;
        while !rest.is_empty() {
            let bundle = read_bundle(&mut rest)
                .filter(|bundle| read.shards() + bundle.shards.len() <= SHARD_LIMIT)
                .ok_or_else(|| {
                    Error::invalid(
                        format!("{} bytes are no bundle of known things", bytes.len()),
                        "Pass the part known.hdb of a testament as it is",
                    )
                })?;
            read.bundles.push(bundle);
        }
        Ok(read)
    }
}

impl Bundle {
    fn familiarity(&self, vectors: &[(u64, Bits)], quantile: f64) -> Familiarity {
        let count = vectors.len() as f64;
        let (mut sum, mut variance) = (0.0, 0.0);
        for (feature, bits) in vectors.iter().filter(|_| !self.shards.is_empty()) {
            let shard = &self.shards[shard_of(*feature, self.shards.len())];
            let expected = expected_cosine(shard.items);
            if expected > 0.0 {
                sum += cosine(bits, &shard.bits) / expected;
                variance += 1.0 / (expected * expected * DIMENSIONS as f64);
            }
        }
        let error = variance.sqrt();
        let score = if count > 0.0 { sum / count } else { 0.0 };
        let threshold = if count > 0.0 { FAMILIAR_SHARE.max(quantile * error / count) } else { 1.0 };
        Familiarity {
            score: score.clamp(0.0, 1.0),
            known: error > 0.0 && score >= threshold,
            threshold,
            error: if count > 0.0 { error / count } else { 0.0 },
            features: vectors.len(),
            agent: self.agent.clone(),
        }
    }
}

/// Content word of a text.
struct Word {
    hash: u64,
    /// Whether it stands in the text by itself, so that it has neighbours.
    is_part: bool,
}

/// Content words of a text: stems, without stop words and numbers, identifiers whole and by their parts.
fn words(reader: &mut Analyzer, text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    reader.terms(text, &mut |term, kind| {
        let is_number = !term.chars().any(char::is_alphabetic);
        if kind != TermKind::Stop && !is_number {
            let hash = xxhash_rust::xxh3::xxh3_64(term.as_bytes());
            found.push(Word { hash, is_part: kind == TermKind::Word });
        }
    });
    found
}

/// Hashes of words and of pairs of neighbours; the pair does not depend on the order.
fn features_of(words: &[Word]) -> Vec<u64> {
    let mut found: Vec<u64> = words.iter().map(|word| word.hash).collect();
    let parts: Vec<u64> = words.iter().filter(|word| word.is_part).map(|word| word.hash).collect();
    found.extend(parts.windows(2).map(|pair| {
        let (low, high) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
        mixed(low.rotate_left(32) ^ mixed(high))
    }));
    found
}

/// Shard of a feature; the hash is mixed, since its vector begins with another mix of it.
fn shard_of(feature: u64, shards: usize) -> usize {
    ((u128::from(mixed(feature ^ TIE)) * shards as u128) >> 64) as usize
}

/// Takes a bundle off the front of some bytes.
fn read_bundle(rest: &mut &[u8]) -> Option<Bundle> {
    if take(rest, MAGIC.len())? != MAGIC {
        return None;
    }
    let length = usize::from(u16::from_le_bytes(take(rest, 2)?.try_into().ok()?));
    let agent =
        String::from_utf8(take(rest, length)?.to_vec()).ok().filter(|name| name.len() <= NAME_BYTES)?;
    let count = u32::from_le_bytes(take(rest, 4)?.try_into().ok()?) as usize;
    if count > SHARD_LIMIT {
        return None;
    }
    let mut shards = Vec::with_capacity(count);
    for _ in 0..count {
        let items = u32::from_le_bytes(take(rest, 4)?.try_into().ok()?);
        let mut bits = [0; WORDS];
        for word in &mut bits {
            *word = u64::from_le_bytes(take(rest, 8)?.try_into().ok()?);
        }
        if bits[WORDS - 1] & !LAST != 0 {
            return None;
        }
        shards.push(Shard { items, bits });
    }
    Some(Bundle { agent, shards })
}

fn take<'bytes>(rest: &mut &'bytes [u8], count: usize) -> Option<&'bytes [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bundled(texts: &[String]) -> KnownThings {
        KnownThings::bundle("ada", texts, &[]).unwrap()
    }

    fn ask(known: &KnownThings, text: &str) -> Familiarity {
        known.familiarity(&mut Analyzer::default(), text)
    }

    /// Texts of two made-up words, three features each.
    fn pairs(first: usize, count: usize) -> Vec<String> {
        let word = |number: usize| format!("w{:x}q", mixed(number as u64));
        (first..first + count)
            .map(|number| format!("{} {}", word(2 * number), word(2 * number + 1)))
            .collect()
    }

    #[test]
    fn both_error_rates_of_the_shortest_texts_hold_at_full_load() {
        let (told, others) = (pairs(0, 4_000), pairs(1_000_000, 4_000));
        let known = bundled(&told);
        assert_eq!(known.shards(), (3 * told.len()).div_ceil(LOAD));
        let share = |texts: &[String]| {
            texts.iter().filter(|text| ask(&known, text).known).count() as f64 / texts.len() as f64
        };
        // Shards differ in load by chance, and the estimate of the rate has a standard error of .0016.
        assert!(share(&others) < 0.02, "{} of the unknown texts are taken for known", share(&others));
        assert!(share(&told) > 0.98, "{} of the known texts are recognised", share(&told));
    }

    #[test]
    fn the_standard_error_is_that_of_the_estimates() {
        let known = bundled(&pairs(0, 2_000));
        let asked = pairs(500_000, 2_000);
        let mut reader = Analyzer::default();
        let estimates: Vec<f64> = asked
            .iter()
            .map(|text| {
                let vectors: Vec<_> = features_of(&words(&mut reader, text))
                    .into_iter()
                    .map(|each| (each, vector(each)))
                    .collect();
                let shard = |each: &(u64, Bits)| &known.bundles[0].shards[shard_of(each.0, known.shards())];
                let sum: f64 = vectors
                    .iter()
                    .map(|each| cosine(&each.1, &shard(each).bits) / expected_cosine(shard(each).items))
                    .sum();
                sum / vectors.len() as f64
            })
            .collect();
        let spread = (estimates.iter().map(|each| each * each).sum::<f64>() / estimates.len() as f64).sqrt();
        let told = ask(&known, &asked[0]).error;
        assert!((spread / told - 1.0).abs() < 0.06, "{spread} is not {told}");
    }

    #[test]
    fn reworded_texts_are_familiar_and_others_are_not() {
        let known = bundled(&["Liquidations on Aave followed the oracle update by two blocks".to_owned()]);
        for like in ["Do liquidations follow oracle updates on Aave?", "two blocks after the oracle update"] {
            assert!(ask(&known, like).known, "{like}");
        }
        for other in ["Kubernetes evicted the node", "the of and", "", "42 17"] {
            assert!(!ask(&known, other).known, "{other}");
        }
    }

    #[test]
    fn a_word_that_redaction_removed_anywhere_is_in_no_bundle() {
        let withheld =
            [("the password is hunter2xyz".to_owned(), "the password is [redacted: password]".to_owned())];
        let told = ["hunter2xyz worked".to_owned(), "deploys start on Monday".to_owned()];
        let known = KnownThings::bundle("ada", &told, &withheld).unwrap();
        assert!(!ask(&known, "hunter2xyz").known && !ask(&known, "hunter2xyz password").known);
        let without = ["worked".to_owned(), told[1].clone()];
        assert_eq!(known, bundled(&without));
    }

    #[test]
    fn texts_that_add_nothing_are_not_novel_and_change_no_bundle() {
        let texts: Vec<String> =
            ["Trade 1 of ETH closed", "Trade 2 of ETH closed", "ETH closed", "ETH opened", "7"]
                .map(str::to_owned)
                .into();
        let novel = novel_texts(&texts);
        assert_eq!(novel, [0, 3]);
        let some: Vec<String> = novel.iter().map(|&place| texts[place].clone()).collect();
        assert_eq!(bundled(&texts), bundled(&some));
    }

    #[test]
    fn ancestors_join_while_there_is_room_and_once() {
        let mut known = bundled(&pairs(0, 10));
        let elder = KnownThings::bundle("eve", &pairs(100, 10), &[]).unwrap();
        assert_eq!(known.join(elder.clone()), 0);
        assert_eq!(known.join(elder), 0);
        assert_eq!(known.agents(), ["ada", "eve"]);
        let found = ask(&known, &pairs(104, 1)[0]);
        assert!(found.known && found.agent == "eve");
        let large = KnownThings::bundle("old", &pairs(1_000, SHARD_LIMIT * LOAD / 3), &[]).unwrap();
        assert_eq!(known.join(large), 1);
    }

    #[test]
    fn damaged_bundles_are_refused() {
        let bytes = bundled(&pairs(0, 400)).to_bytes();
        for damaged in [&bytes[..bytes.len() - 1], &bytes[1..], b"HDB1", b"HDB1\x00\x00\xff\xff\xff\xff"] {
            assert!(KnownThings::from_bytes(damaged).is_err());
        }
        assert!(KnownThings::bundle(&"a".repeat(300), &[], &[]).is_err());
    }

    proptest! {
        #[test]
        fn every_text_that_was_bundled_is_familiar_within_its_error(texts in prop::collection::vec("[a-zé]{2,9}( [a-z]{2,9}){2,9}", 1..40)) {
            let known = bundled(&texts);
            for text in &texts {
                let found = ask(&known, text);
                // All features were bundled, so that the score estimates 1.
                let is_chance = 1.0 - found.score <= 6.0 * found.error;
                prop_assert!(found.known || is_chance || found.features == 0, "{text}: {found:?}");
            }
        }

        #[test]
        fn a_bundle_depends_neither_on_order_nor_on_copies_and_reads_back(
            texts in prop::collection::vec("\\PC{0,40}", 0..12),
        ) {
            let known = bundled(&texts);
            let turned: Vec<String> = texts.iter().rev().chain(&texts).cloned().collect();
            prop_assert_eq!(&known, &bundled(&turned));
            prop_assert_eq!(&known, &KnownThings::from_bytes(&known.to_bytes()).unwrap());
        }

        #[test]
        fn no_bytes_make_reading_fail_otherwise_than_by_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = KnownThings::from_bytes(&[MAGIC.as_slice(), &bytes].concat());
        }
    }
}
