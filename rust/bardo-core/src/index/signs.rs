//! One bit per component: a sieve that says which vectors are worth comparing in full. The bits are the signs of a
//! vector that was turned by a fixed orthogonal rotation, so that they carry the angle whatever the embedder puts into
//! its axes (Charikar 2002: two vectors at an angle `a` differ in a share `a / pi` of their signs).

#![expect(clippy::inline_always, reason = "what is not inlined is not compiled for the instruction set")]

use pulp::{Arch, Simd, WithSimd};

/// Rounds of the rotation. One mixes within its halves only; two reach every component from every other.
const ROUNDS: usize = 2;

/// Signs that one word holds.
const WORD_BITS: usize = u64::BITS as usize;

/// Words that the signs of a vector take.
#[must_use]
pub const fn words_of(dims: usize) -> usize {
    dims.div_ceil(WORD_BITS)
}

/// Appends the signs of a vector.
pub fn push_signs(vector: &[f32], signs: &mut Vec<u64>) {
    let mut turned = vector.to_vec();
    rotate(&mut turned);
    let word = |parts: &[f32]| parts.iter().rev().fold(0, |word, part| word << 1 | u64::from(*part >= 0.0));
    signs.extend(turned.chunks(WORD_BITS).map(word));
}

/// Writes in how many signs each row differs from the query. `signs` holds rows of as many words as the query.
pub fn distances(signs: &[u64], query: &[u64], distances: &mut Vec<u16>) {
    distances.clear();
    distances.resize(signs.len() / query.len().max(1), 0);
    Arch::new().dispatch(Distances { signs, query, counts: distances });
}

/// The cosine that a number of differing signs stands for, for every number.
#[must_use]
pub fn cosines(dims: usize) -> Vec<f32> {
    (0..=dims).map(|differing| (std::f32::consts::PI * differing as f32 / dims.max(1) as f32).cos()).collect()
}

/// Turns a vector without changing its length: signs that look random, then a Walsh-Hadamard transform of the first and
/// of the last components, as many as the greatest power of two that fits.
fn rotate(vector: &mut [f32]) {
    let dims = vector.len();
    if dims < 2 {
        return;
    }
    let part = 1 << dims.ilog2();
    for round in 0..ROUNDS {
        for (at, component) in vector.iter_mut().enumerate() {
            if mixed((round * dims + at) as u64) & 1 == 1 {
                *component = -*component;
            }
        }
        transform(&mut vector[..part]);
        transform(&mut vector[dims - part..]);
    }
}

/// The Walsh-Hadamard transform, scaled to keep lengths; as many components as a power of two.
fn transform(vector: &mut [f32]) {
    let mut half = 1;
    while half < vector.len() {
        for block in vector.chunks_exact_mut(2 * half) {
            let (left, right) = block.split_at_mut(half);
            for (one, other) in left.iter_mut().zip(right) {
                (*one, *other) = (*one + *other, *one - *other);
            }
        }
        half *= 2;
    }
    let scale = (vector.len() as f32).sqrt().recip();
    for component in vector {
        *component *= scale;
    }
}

/// The `SplitMix64` finalizer (Steele et al. 2014): neighbouring numbers get unrelated bits.
const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Counts with the instructions that the processor has.
struct Distances<'scan> {
    signs: &'scan [u64],
    query: &'scan [u64],
    counts: &'scan mut [u16],
}

impl WithSimd for Distances<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // The usual models have 256, 384, 512, 768 and 1,024 components: rows of a known length need no inner loop.
        match self.query.len() {
            4 => self.count::<4>(),
            6 => self.count::<6>(),
            8 => self.count::<8>(),
            12 => self.count::<12>(),
            16 => self.count::<16>(),
            words => {
                for (row, distance) in self.signs.chunks_exact(words.max(1)).zip(self.counts) {
                    *distance = row.iter().zip(self.query).map(differing).sum::<u32>() as u16;
                }
            }
        }
    }
}

impl Distances<'_> {
    #[inline(always)]
    fn count<const WORDS: usize>(self) {
        let (rows, _) = self.signs.as_chunks::<WORDS>();
        let Some(query) = self.query.first_chunk::<WORDS>() else { return };
        for (row, distance) in rows.iter().zip(self.counts) {
            *distance = row.iter().zip(query).map(differing).sum::<u32>() as u16;
        }
    }
}

#[inline(always)]
fn differing((one, other): (&u64, &u64)) -> u32 {
    (one ^ other).count_ones()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn distance(left: &[f32], right: &[f32]) -> u16 {
        let (mut one, mut other, mut found) = (Vec::new(), Vec::new(), Vec::new());
        push_signs(left, &mut one);
        push_signs(right, &mut other);
        distances(&one, &other, &mut found);
        found[0]
    }

    #[test]
    fn every_row_is_counted_whatever_its_length() {
        for words in [1, 4, 5, 6, 8, 12, 16, 17] {
            let query: Vec<u64> = (0..words as u64).map(mixed).collect();
            let signs: Vec<u64> = (0..7 * words as u64).map(|at| mixed(at + 99)).collect();
            let mut found = Vec::new();
            distances(&signs, &query, &mut found);
            for (row, found) in signs.chunks(words).zip(&found) {
                let expected: u32 = row.iter().zip(&query).map(|(a, b)| (a ^ b).count_ones()).sum();
                assert_eq!(u32::from(*found), expected);
            }
        }
    }

    #[test]
    fn vectors_with_a_single_component_each_are_told_apart() {
        let axis = |at: usize| (0..384).map(|part| f32::from(u8::from(part == at))).collect::<Vec<_>>();
        for at in [1, 100, 383] {
            let differing = distance(&axis(0), &axis(at));
            assert!((120..264).contains(&differing), "a right angle: {differing} of 384");
        }
    }

    proptest! {
        #[test]
        fn the_rotation_keeps_lengths(vector in prop::collection::vec(-1.0_f32..1.0, 0..200)) {
            let mut turned = vector.clone();
            rotate(&mut turned);
            let length = |vector: &[f32]| vector.iter().map(|part| part * part).sum::<f32>().sqrt();
            prop_assert!((length(&turned) - length(&vector)).abs() < 1e-3);
        }

        #[test]
        fn opposite_vectors_differ_in_every_sign(vector in prop::collection::vec(0.01_f32..1.0, 64..65)) {
            let opposite: Vec<f32> = vector.iter().map(|part| -part).collect();
            // A component that the rotation makes exactly zero has no sign.
            prop_assert!(distance(&vector, &opposite) >= 62);
            prop_assert_eq!(distance(&vector, &vector), 0);
        }
    }
}
