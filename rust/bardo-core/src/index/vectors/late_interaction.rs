//! Late interaction (Khattab and Zaharia 2020, `ColBERT`): a memory keeps a code for each of its content words, and
//! every word of a query is matched with the best of them.
//!
//! A code is the sign of each component of the token's vector: 48 bytes for 384 dimensions, a sixteenth of half
//! precision. Measured on `LoCoMo` with `MiniLM`: recall@10 .851 with sign bits, .859 with float32; a random rotation
//! before taking signs and a scale per token changed nothing. Function words and punctuation are left out: they are
//! more than half of the tokens, and recall is no worse without them (.843 without, .836 with).

use simsimd::SpatialSimilarity;

use crate::error::{Error, Result};
use crate::text::stop_words::is_stop_word;

/// Maximum magnitude of an 8-bit code.
const CODE_MAX: f32 = 127.0;

/// Number of components per byte.
const BITS: usize = 8;

/// Maximum number of content tokens per window (stretch) in which the query words are matched together. In a long
/// text, matches that are pages apart mean little. Windows overlap by half.
///
/// Measured on `LongMemEval` (development part, answers of some hundred words, recall@5): .83 over whole texts, .86
/// with windows of 64 or 128, .84 with 32.
pub const STRETCH: usize = 64;

/// The signs in a byte, first component in the lowest bit.
const SIGNS: [[i8; BITS]; 256] = signs();

/// Remainders of English contractions that a tokenizer splits at the apostrophe.
const CLITICS: [&str; 8] = ["d", "don", "ll", "m", "re", "s", "t", "ve"];

/// Token vectors of one text as a model returns them, word by word.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'text> {
    /// Words, in order and in any case.
    pub words: &'text [String],
    /// Number of tokens per word.
    pub counts: &'text [u32],
    /// One row of `dims` per token.
    pub vectors: &'text [f32],
    /// Components per row.
    pub dims: usize,
}

impl Tokens<'_> {
    /// Packs the codes of several texts whose token vectors are contiguous.
    pub fn pack_all(
        words: &[Vec<String>],
        counts: &[Vec<u32>],
        vectors: &[f32],
        dims: usize,
    ) -> Result<Vec<Vec<u8>>> {
        let mut rest = vectors;
        let texts = words.iter().zip(counts).map(|(words, counts)| {
            let tokens: usize = counts.iter().map(|&count| count as usize).sum();
            let (own, after) = rest.split_at(rest.len().min(tokens * dims));
            rest = after;
            let text = Tokens { words, counts, vectors: own, dims };
            text.check()?;
            Ok(text.pack())
        });
        texts.collect()
    }

    /// Refuses inconsistent parts or non-finite numbers.
    pub fn check(&self) -> Result<()> {
        let tokens: u64 = self.counts.iter().map(|&count| u64::from(count)).sum();
        if self.dims == 0 || !self.dims.is_multiple_of(BITS) {
            return Err(Error::vector(
                format!("token vectors have {} dimensions", self.dims),
                "Late interaction takes a multiple of 8; switch it off with embedding.late_interaction = false",
            ));
        }
        if self.words.len() != self.counts.len() || tokens * self.dims as u64 != self.vectors.len() as u64 {
            return Err(Error::vector(
                format!(
                    "{} words with {} counts that add up to {tokens}, and {} numbers for rows of {}",
                    self.words.len(),
                    self.counts.len(),
                    self.vectors.len(),
                    self.dims
                ),
                "Give one count for each word, and as many token vectors as the counts add up to",
            ));
        }
        match self.vectors.iter().find(|part| !part.is_finite()) {
            Some(bad) => Err(Error::vector(
                format!("a token vector holds {bad}"),
                "Every component must be a finite number: check the embedder and its input",
            )),
            None => Ok(()),
        }
    }

    /// Content words with their rows; function words only if there are no others.
    fn content(&self) -> impl Iterator<Item = (&str, &[f32])> {
        let has_content = self.words.iter().any(|word| is_content(word));
        let mut rest = self.vectors;
        self.words
            .iter()
            .zip(self.counts)
            .map(move |(word, &count)| {
                let (rows, after) = rest.split_at(count as usize * self.dims);
                rest = after;
                (word.as_str(), rows)
            })
            .filter(move |(word, _)| !has_content || is_content(word))
    }

    /// Packs the codes of the content words' tokens, each of `dims / 8` bytes.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        self.content().flat_map(|(_, rows)| rows.chunks_exact(BITS).map(byte_of)).collect()
    }
}

/// Tokens of a query with their weights.
#[derive(Clone, Debug)]
pub struct LateQuery {
    dims: usize,
    /// 8-bit codes, one row per token.
    codes: Vec<i8>,
    /// Factors from a product with signs to a cosine.
    scales: Vec<f32>,
    /// Weight of each token; the weights sum to 1.
    weights: Vec<f32>,
}

impl LateQuery {
    /// Weighs every content word by `idf`, divided equally among its tokens. `None` without any token.
    #[must_use]
    pub fn new(tokens: &Tokens<'_>, mut idf: impl FnMut(&str) -> f32) -> Option<Self> {
        // Expected sum of magnitudes of a unit vector with normally distributed components.
        let magnitude = (2.0 * tokens.dims as f32 / std::f32::consts::PI).sqrt();
        let mut query =
            Self { dims: tokens.dims, codes: Vec::new(), scales: Vec::new(), weights: Vec::new() };
        for (word, rows) in tokens.content() {
            let pieces = rows.len() / tokens.dims;
            let weight = idf(word) / pieces.max(1) as f32;
            for row in rows.chunks_exact(tokens.dims) {
                let norm = row.iter().map(|part| part * part).sum::<f32>().sqrt();
                if norm == 0.0 {
                    continue;
                }
                let scale = quantize(row, &mut query.codes);
                query.scales.push(scale / norm / magnitude);
                query.weights.push(weight);
            }
        }
        let total: f32 = query.weights.iter().sum();
        if total <= 0.0 {
            return None;
        }
        query.weights.iter_mut().for_each(|weight| *weight /= total);
        Some(query)
    }

    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Always false: a query has at least one token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Components per token vector.
    #[must_use]
    pub const fn dims(&self) -> usize {
        self.dims
    }

    /// Matches each token of the query with the best token in the best window of a memory. `scratch` is reused
    /// across calls. `None` without codes.
    pub fn matches(&self, codes: &[u8], scratch: &mut MatchScratch) -> Option<Matches> {
        let tokens = codes.len() / (self.dims / BITS);
        let halves = codes.chunks(STRETCH / 2 * (self.dims / BITS));
        scratch.halves.clear();
        for half in halves {
            let from = scratch.halves.len();
            scratch.halves.resize(from + self.len(), f32::NEG_INFINITY);
            self.match_into(half, &mut scratch.signs, &mut scratch.halves[from..]);
        }
        let count = scratch.halves.len() / self.len();
        let stretch = |from: usize, to: usize| {
            let mut rows = scratch.halves[from * self.len()..to * self.len()].chunks_exact(self.len());
            let mut best = rows.next().map(<[f32]>::to_vec)?;
            for row in rows {
                best.iter_mut().zip(row).for_each(|(best, &other)| *best = best.max(other));
            }
            Some(best)
        };
        if count <= 2 {
            return Some(Matches { tokens, best: stretch(0, count)?, ends: None });
        }
        let (first, last) = (stretch(0, 2)?, stretch(count - 2, count)?);
        let mut best = first.clone();
        for from in 1..count - 1 {
            let next = stretch(from, from + 2)?;
            if self.sum(&next) > self.sum(&best) {
                best = next;
            }
        }
        Some(Matches { tokens, best, ends: Some([first, last]) })
    }

    /// Raises `best` to the approximate cosine of each query token with its best match among the codes.
    fn match_into(&self, codes: &[u8], signs: &mut Vec<i8>, best: &mut [f32]) {
        signs.resize(self.dims, 0);
        for code in codes.chunks_exact(self.dims / BITS) {
            for (signs, &byte) in signs.chunks_exact_mut(BITS).zip(code) {
                signs.copy_from_slice(&SIGNS[usize::from(byte)]);
            }
            for ((row, scale), best) in self.codes.chunks_exact(self.dims).zip(&self.scales).zip(&mut *best) {
                let product = <i8 as SpatialSimilarity>::dot(row, signs).unwrap_or(0.0) as f32;
                *best = best.max(product * scale);
            }
        }
    }

    /// Weighted sum of the matches, one per token: about 0 to 1.
    #[must_use]
    pub fn sum(&self, best: &[f32]) -> f32 {
        self.weights.iter().zip(best).map(|(weight, best)| weight * best).sum()
    }
}

/// Matches of a query's tokens in one memory: the approximate cosine of the best match of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Matches {
    /// Number of content tokens of the memory.
    pub tokens: usize,
    /// Matches in the best window; in the whole memory if it is short.
    pub best: Vec<f32>,
    /// Matches in the first and the last window, if there are several.
    ends: Option<[Vec<f32>; 2]>,
}

impl Matches {
    /// Matches in the first window, which is next to the memory before this one.
    #[must_use]
    pub fn first(&self) -> &[f32] {
        self.ends.as_ref().map_or(&self.best, |[first, _]| first)
    }

    /// Matches in the last window, which is next to the memory after this one.
    #[must_use]
    pub fn last(&self) -> &[f32] {
        self.ends.as_ref().map_or(&self.best, |[_, last]| last)
    }
}

/// Reused buffers of [`LateQuery::matches`].
#[derive(Debug, Default)]
pub struct MatchScratch {
    signs: Vec<i8>,
    /// One row per half window.
    halves: Vec<f32>,
}

/// Appends the codes of a vector and returns their scale.
fn quantize(row: &[f32], codes: &mut Vec<i8>) -> f32 {
    let greatest = row.iter().fold(0.0_f32, |greatest, part| greatest.max(part.abs()));
    let scale = greatest / CODE_MAX;
    codes.extend(row.iter().map(|&part| (part / scale).round() as i8));
    scale
}

fn is_content(word: &str) -> bool {
    let word = word.to_lowercase();
    word.contains(char::is_alphanumeric)
        && !is_stop_word(&word)
        && CLITICS.binary_search(&word.as_str()).is_err()
}

fn byte_of(parts: &[f32]) -> u8 {
    parts.iter().enumerate().fold(0, |byte, (bit, part)| byte | (u8::from(*part >= 0.0) << bit))
}

const fn signs() -> [[i8; BITS]; 256] {
    let mut table = [[-1; BITS]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < BITS {
            if byte >> bit & 1 == 1 {
                table[byte][bit] = 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DIMS: usize = 64;

    fn vector(seed: u64) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
        };
        (0..DIMS).map(|_| next() + next() + next()).collect()
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn pack(text: &str, seeds: &[u64]) -> Vec<u8> {
        let vectors: Vec<f32> = seeds.iter().flat_map(|&seed| vector(seed)).collect();
        let words = words(text);
        Tokens { counts: &vec![1; words.len()], words: &words, vectors: &vectors, dims: DIMS }.pack()
    }

    #[test]
    fn function_words_and_punctuation_leave_no_code_unless_there_is_nothing_else() {
        assert_eq!(pack("the pool , drained", &[1, 2, 3, 4]), pack("pool drained", &[2, 4]));
        assert_eq!(pack("to be or", &[1, 2, 3]).len(), 3 * DIMS / 8);
    }

    #[test]
    fn a_token_matches_itself_best_and_a_rare_word_weighs_more() {
        let codes = pack("oracle pool", &[1, 2]);
        let (words, vectors) = (words("oracle fish"), [vector(1), vector(9)].concat());
        let tokens = Tokens { words: &words, counts: &[1, 1], vectors: &vectors, dims: DIMS };
        let query = LateQuery::new(&tokens, |word| if word == "oracle" { 3.0 } else { 1.0 }).unwrap();
        let best = query.matches(&codes, &mut MatchScratch::default()).unwrap().best;
        assert!(best[0] > 0.85 && best[1] < 0.5, "{best:?}");
        assert!((query.sum(&best) - (0.75 * best[0] + 0.25 * best[1])).abs() < 1e-6);
    }

    #[test]
    fn words_of_a_long_text_match_together_only_where_they_stand_together() {
        let (words, vectors) = (words("oracle fish"), [vector(1), vector(2)].concat());
        let tokens = Tokens { words: &words, counts: &[1, 1], vectors: &vectors, dims: DIMS };
        let query = LateQuery::new(&tokens, |_| 1.0).unwrap();
        let look = |places: [usize; 2]| {
            let mut seeds: Vec<u64> = (1_000..1_000 + 3 * STRETCH as u64).collect();
            (seeds[places[0]], seeds[places[1]]) = (1, 2);
            let codes = pack(&vec!["pool"; seeds.len()].join(" "), &seeds);
            query.matches(&codes, &mut MatchScratch::default()).unwrap()
        };
        let (near, far) = (look([90, 100]), look([5, 110]));
        assert!(near.best.iter().all(|found| *found > 0.85), "{near:?}");
        assert!(query.sum(&far.best) < query.sum(&near.best) - 0.1, "{far:?}");
        assert!(far.first()[0] > 0.85 && far.first()[1] < 0.7, "{far:?}");
        assert!(far.last()[0] < 0.7 && far.last()[1] < 0.7, "{far:?}");
        assert_eq!(look([0, 190]).last()[1].to_bits(), look([100, 190]).last()[1].to_bits());
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let words = words("one two");
        let tokens = Tokens { words: &words, counts: &[1, 2], vectors: &[0.0; DIMS], dims: DIMS };
        assert!(tokens.check().is_err());
        assert!(Tokens { counts: &[1, 0], dims: 63, ..tokens }.check().is_err());
        assert!(Tokens { counts: &[1, 0], vectors: &[f32::NAN; DIMS], ..tokens }.check().is_err());
        assert!(Tokens { counts: &[1, 0], ..tokens }.check().is_ok());
    }

    proptest! {
        #[test]
        fn more_codes_never_match_less(seeds in prop::collection::vec(1_u64..50, 1..8), extra in 1_u64..50) {
            let text = vec!["pool"; seeds.len()].join(" ");
            let few = pack(&text, &seeds);
            let mut many = few.clone();
            many.extend(pack("pool", &[extra]));
            let (words, vectors) = (words("sea"), vector(7));
            let tokens = Tokens { words: &words, counts: &[1], vectors: &vectors, dims: DIMS };
            let query = LateQuery::new(&tokens, |_| 1.0).unwrap();
            let score = |codes: &[u8]| {
                query.sum(&query.matches(codes, &mut MatchScratch::default()).unwrap().best)
            };
            prop_assert!(score(&many) >= score(&few));
        }
    }
}
