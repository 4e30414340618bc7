//! Selects the values that meet a condition into a bitmap, one word at a time.

#![expect(clippy::inline_always, reason = "what is not inlined is not compiled for the instruction set")]

use pulp::{Arch, Simd, WithSimd};

/// Number of values per word of the bitmap.
const STRETCH: usize = u32::BITS as usize;

/// Writes a bit for every value, set if it meets the condition; the first value has the lowest bit of the first word.
pub(crate) fn pick<T: Copy>(values: &[T], meets: impl Fn(T) -> bool, bits: &mut Vec<u32>) {
    bits.clear();
    bits.resize(values.len().div_ceil(STRETCH), 0);
    Arch::new().dispatch(Pick { values, meets, bits });
}

/// Calls `take` with the indices of the set bits, ascending. Not an iterator: nested ones are slow when they are not
/// inlined.
pub(crate) fn each_picked(bits: &[u32], mut take: impl FnMut(u32)) {
    for (&word, first) in bits.iter().zip((0..).step_by(STRETCH)) {
        let mut rest = word;
        while rest != 0 {
            take(first + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

/// Selection, compiled for the instruction set of the processor.
struct Pick<'scan, T, F> {
    values: &'scan [T],
    meets: F,
    bits: &'scan mut [u32],
}

impl<T: Copy, F: Fn(T) -> bool> WithSimd for Pick<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (stretches, rest) = self.values.as_chunks::<STRETCH>();
        for (stretch, word) in stretches.iter().zip(&mut *self.bits) {
            *word = bits_of(stretch, &self.meets);
        }
        if let Some(word) = self.bits.get_mut(stretches.len()) {
            *word = bits_of(rest, &self.meets);
        }
    }
}

#[inline(always)]
fn bits_of<T: Copy>(values: &[T], meets: &impl Fn(T) -> bool) -> u32 {
    let mut word = 0;
    // A plain loop of known length is vectorized.
    for (place, &value) in values.iter().enumerate() {
        word |= u32::from(meets(value)) << place;
    }
    word
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::architectures;
    use super::*;

    proptest! {
        #[test]
        fn every_processor_picks_the_same(values in prop::collection::vec(0_u16..9, 0..200), least in 0_u16..10) {
            let picked = |arch: Arch| {
                let mut bits = vec![0; values.len().div_ceil(STRETCH)];
                arch.dispatch(Pick { values: &values, meets: |value| value >= least, bits: &mut bits });
                bits
            };
            for arch in architectures() {
                prop_assert_eq!(picked(arch), picked(Arch::Scalar));
            }
        }

        #[test]
        fn matching_elements_are_selected_in_order(values in prop::collection::vec(0_u16..9, 0..200), least in 0_u16..10) {
            let mut bits = vec![7; 3];
            pick(&values, |value| value >= least, &mut bits);
            let expected: Vec<u32> = (0..).zip(&values).filter(|(_, value)| **value >= least).map(|(at, _)| at).collect();
            let mut found = Vec::new();
            each_picked(&bits, |place| found.push(place));
            prop_assert_eq!(found, expected);
        }
    }
}
