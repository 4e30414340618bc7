//! Hypervectors: random bits of a feature, their majority, and the cosine between both.
//!
//! Of n vectors in a majority, n odd, each agrees with it in `1/2 + C(n-1, (n-1)/2) / 2^n` of the bits, so that its
//! expected cosine is `c(n) = C(n-1, (n-1)/2) / 2^(n-1)`, about `sqrt(2 / (pi n))`; another vector's is 0 (Kanerva,
//! Cognitive Computation 1, 2009).

use crate::hashing::{GOLDEN, mixed};

/// Bits of a hypervector.
pub const DIMENSIONS: usize = 10_000;
/// Machine words of a hypervector; the bits beyond [`DIMENSIONS`] are 0.
pub(super) const WORDS: usize = DIMENSIONS.div_ceil(64);
/// Bits of the last machine word.
pub(super) const LAST: u64 = u64::MAX >> (WORDS * 64 - DIMENSIONS);
/// Hash of the vector that breaks the ties of an even number of features.
pub(super) const TIE: u64 = GOLDEN;

pub(super) type Bits = [u64; WORDS];

/// Counts of the set bits of several vectors, one machine word per 64 dimensions and binary digit (carry-save adder).
#[derive(Default)]
pub(super) struct Majority {
    digits: Vec<Bits>,
    items: u32,
}

impl Majority {
    pub fn add(&mut self, bits: &Bits) {
        self.items += 1;
        self.carry(*bits);
    }

    fn carry(&mut self, mut carry: Bits) {
        for digit in &mut self.digits {
            for (count, carried) in digit.iter_mut().zip(&mut carry) {
                (*count, *carried) = (*count ^ *carried, *count & *carried);
            }
        }
        if carry.iter().any(|&word| word != 0) {
            self.digits.push(carry);
        }
    }

    pub fn finish(mut self) -> (u32, Bits) {
        let items = self.items;
        if items > 0 && items.is_multiple_of(2) {
            self.carry(vector(TIE));
        }
        let mut bits = [0; WORDS];
        for dimension in 0..DIMENSIONS {
            let (word, bit) = (dimension / 64, dimension % 64);
            let count: u32 = self
                .digits
                .iter()
                .zip(0..)
                .map(|(digit, place)| ((digit[word] >> bit & 1) as u32) << place)
                .sum();
            bits[word] |= u64::from(count > items / 2) << bit;
        }
        (items, bits)
    }
}

/// Random hypervector of a feature: `SplitMix64` from its hash.
pub(super) fn vector(feature: u64) -> Bits {
    let mut state = feature;
    let mut bits = [0; WORDS];
    for word in &mut bits {
        state = state.wrapping_add(GOLDEN);
        *word = mixed(state);
    }
    bits[WORDS - 1] &= LAST;
    bits
}

/// Expected cosine of a vector and a majority that it belongs to; 0 for an empty one.
pub(super) fn expected_cosine(items: u32) -> f64 {
    if items == 0 {
        return 0.0;
    }
    // Pairs of vectors besides the one; an even number of items has a vector more, which breaks ties.
    let pairs = f64::from(items / 2);
    if pairs < 1.0 {
        return 1.0;
    }
    // C(2k, k) / 4^k, with a relative error below 0.1 %.
    1.0 / (std::f64::consts::PI * (pairs + 0.25 + 1.0 / (32.0 * pairs))).sqrt()
}

pub(super) fn cosine(one: &Bits, other: &Bits) -> f64 {
    let differing: u32 = one.iter().zip(other).map(|(left, right)| (left ^ right).count_ones()).sum();
    1.0 - 2.0 * f64::from(differing) / DIMENSIONS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_cosine_is_that_of_the_majority() {
        for items in [1_u32, 2, 3, 10, 101, 880] {
            let mut majority = Majority::default();
            let vectors: Vec<Bits> = (0..items).map(|number| vector(mixed(u64::from(number) + 7))).collect();
            for bits in &vectors {
                majority.add(bits);
            }
            let (_, whole) = majority.finish();
            let mean = vectors.iter().map(|bits| cosine(bits, &whole)).sum::<f64>() / f64::from(items);
            let expected = expected_cosine(items);
            let allowed = 4.0 / (f64::from(items) * DIMENSIONS as f64).sqrt() + 0.002;
            assert!((mean - expected).abs() < allowed, "{items}: {mean} is not {expected}");
        }
    }
}
