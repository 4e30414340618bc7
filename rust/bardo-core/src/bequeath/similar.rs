//! Overlap of the content of entries, on a scale of 0 to 255.

use simsimd::SpatialSimilarity;
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

/// Minimum cosine of near-copies, two entries with equal topics.
const COPY_COSINE: f32 = 0.95;
/// Cosine below which entries do not overlap; unrelated sentences of `MiniLM` are near 0.1.
const UNRELATED_COSINE: f32 = 0.3;
/// Maximum overlap of entries that are not near-copies, with any similarity of wording: templated sentences about
/// two markets differ in one word and yet are two pieces of knowledge.
const KINDRED_LIMIT: f32 = 0.9;
/// Dimensions of the word vectors that replace missing embeddings.
const WORD_DIMENSIONS: usize = 256;
/// Closeness of a near-copy.
pub const COPY: u8 = u8::MAX;

/// Greatest 8-bit code of a part of a vector.
const GREATEST_CODE: f32 = 127.0;
/// Cosine below that of near-copies from which the codes are too coarse, and the vectors decide.
const SURE: f32 = 0.02;

/// Unit vectors of all entries, row by row, with 8-bit codes for quick comparison, and the topic of each.
pub struct Points {
    rows: Vec<f32>,
    codes: Vec<i8>,
    /// Cosine per unit of the product of two codes, divided between the two rows.
    scales: Vec<f32>,
    dims: usize,
    topics: Vec<u64>,
}

impl Points {
    /// Builds points from embeddings; rows are normalised, and rows with equal `topics` can be near-copies.
    pub fn from_vectors(mut rows: Vec<f32>, dims: usize, topics: Vec<u64>) -> Self {
        rows.chunks_exact_mut(dims).for_each(normalize);
        Self::of(rows, dims, topics)
    }

    /// Points of unit rows.
    fn of(rows: Vec<f32>, dims: usize, topics: Vec<u64>) -> Self {
        let mut codes = Vec::with_capacity(rows.len());
        let mut scales = Vec::with_capacity(topics.len());
        for row in rows.chunks_exact(dims) {
            let greatest = row.iter().fold(f32::MIN_POSITIVE, |greatest, part| greatest.max(part.abs()));
            // Division per row and rounding by hand: `round` is a call per part on processors without SSE 4.1.
            let scale = GREATEST_CODE / greatest;
            codes.extend(row.iter().map(|part| (part * scale + 0.5_f32.copysign(*part)) as i8));
            scales.push(greatest / GREATEST_CODE);
        }
        Self { rows, codes, scales, dims, topics }
    }

    /// Builds points from hashed word counts (feature hashing), for stores whose entries are not all embedded.
    pub fn from_words<'a>(texts: impl Iterator<Item = &'a str>, topics: Vec<u64>) -> Self {
        let mut rows = vec![0.0; topics.len() * WORD_DIMENSIONS];
        for (row, text) in rows.chunks_exact_mut(WORD_DIMENSIONS).zip(texts) {
            for word in text.to_lowercase().unicode_words() {
                let hash = xxh3_64(word.as_bytes());
                // The top bit gives a sign, so that collisions cancel instead of adding up.
                let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
                row[hash as usize % WORD_DIMENSIONS] += sign;
            }
            normalize(row);
        }
        Self::of(rows, WORD_DIMENSIONS, topics)
    }

    /// Whether two entries may be near-copies.
    pub fn share_topic(&self, one: usize, other: usize) -> bool {
        self.topics[one] == self.topics[other]
    }

    pub fn len(&self) -> usize {
        self.topics.len()
    }

    /// Computes the part of `one` that `other` covers; the rest is `COPY - closeness`.
    pub fn closeness(&self, one: usize, other: usize) -> u8 {
        if one == other {
            return COPY;
        }
        let code = |place: usize| &self.codes[place * self.dims..(place + 1) * self.dims];
        let product = i8::dot(code(one), code(other)).unwrap_or(0.0) as f32;
        let mut cosine = product * self.scales[one] * self.scales[other];
        if cosine <= UNRELATED_COSINE {
            return 0;
        }
        if cosine >= COPY_COSINE - SURE {
            cosine = f32::dot(self.row(one), self.row(other)).unwrap_or(0.0) as f32;
        }
        if cosine >= COPY_COSINE && self.topics[one] == self.topics[other] {
            return COPY;
        }
        let share = ((cosine - UNRELATED_COSINE) / (COPY_COSINE - UNRELATED_COSINE)).clamp(0.0, 1.0);
        (share * KINDRED_LIMIT * f32::from(COPY)) as u8
    }

    fn row(&self, index: usize) -> &[f32] {
        &self.rows[index * self.dims..(index + 1) * self.dims]
    }
}

fn normalize(row: &mut [f32]) {
    let length = row.iter().map(|part| part * part).sum::<f32>().sqrt();
    if length > 0.0 {
        for part in row {
            *part /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_about_the_same_thing_are_a_copy_and_about_another_are_not() {
        let texts =
            ["Fees fall at night", "fees fall at NIGHT", "fees fall at night", "Oracles lag two blocks"];
        let points = Points::from_words(texts.into_iter(), vec![1, 1, 2, 1]);
        assert_eq!(points.closeness(0, 1), COPY);
        assert!(points.closeness(0, 2) < COPY && points.closeness(0, 2) > 200);
        assert_eq!(points.closeness(0, 3), 0);
    }

    #[test]
    fn length_of_a_vector_does_not_matter() {
        let points = Points::from_vectors(vec![1.0, 0.0, 5.0, 0.0, 0.0, 2.0, 0.0, 0.0], 2, vec![0; 4]);
        assert_eq!(points.closeness(0, 1), COPY);
        assert_eq!(points.closeness(0, 2), 0);
        assert_eq!(points.closeness(0, 3), 0);
    }
}
