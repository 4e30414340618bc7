//! Sign bits: one bit per component, as a prefilter for the vectors that are compared in full. The bits are the
//! signs of a vector after a fixed orthogonal rotation, so that they represent the angle however an embedder uses
//! its axes (Charikar 2002: two vectors at an angle `a` differ in a share `a / pi` of their signs).

#![expect(clippy::inline_always, reason = "what is not inlined is not compiled for the instruction set")]

use pulp::{Arch, Simd, WithSimd};

use crate::hashing::{GOLDEN, mixed};

/// Number of rounds of the rotation. One mixes within its halves only; two mix every component into every
/// other.
const ROUNDS: usize = 2;

/// Components per register.
const CHUNK: usize = 8;

/// Signs per word.
pub(crate) const WORD_BITS: usize = u64::BITS as usize;

/// Words per vector of signs.
#[must_use]
pub const fn words_of(dims: usize) -> usize {
    dims.div_ceil(WORD_BITS)
}

/// Rotation for vectors of one length, reusable.
#[derive(Debug, Default)]
pub struct Signer {
    /// Sign flips before each round's transforms, by component.
    flips: [Vec<u32>; ROUNDS],
    turned: Vec<f32>,
}

impl Signer {
    /// Rotation for vectors of `dims` components.
    #[must_use]
    pub fn new(dims: usize) -> Self {
        let flip = |number: usize| (splitmix64(number as u64) as u32 & 1) << 31;
        let flips = std::array::from_fn(|round| (0..dims).map(|at| flip(round * dims + at)).collect());
        Self { flips, turned: Vec::new() }
    }

    /// Rotates a vector of that length.
    pub fn turn(&mut self, vector: &[f32]) -> &[f32] {
        self.turned.clear();
        self.turned.extend_from_slice(vector);
        Arch::new().dispatch(Rotation { vector: &mut self.turned, flips: &self.flips });
        &self.turned
    }

    /// Writes the signs of a vector of that length after rotating it.
    pub fn write(&mut self, vector: &[f32], signs: &mut [u64]) {
        write_signs(self.turn(vector), signs);
    }
}

/// Writes the signs of a rotated vector.
pub(crate) fn write_signs(turned: &[f32], signs: &mut [u64]) {
    let word = |parts: &[f32]| {
        let bit = |at: usize| u64::from(parts[at] >= 0.0) << at;
        (0..parts.len()).fold(0, |word, at| word | bit(at))
    };
    for (sign, parts) in signs.iter_mut().zip(turned.chunks(WORD_BITS)) {
        *sign = word(parts);
    }
}

/// The cosine for each number of differing signs.
#[must_use]
pub fn cosines(dims: usize) -> Vec<f32> {
    (0..=dims).map(|differing| (std::f32::consts::PI * differing as f32 / dims.max(1) as f32).cos()).collect()
}

/// Rotates a vector without changing its length: pseudorandom sign flips, then a Walsh-Hadamard transform of the first
/// and of the last components, as many as the greatest power of two that fits.
struct Rotation<'vector> {
    vector: &'vector mut [f32],
    flips: &'vector [Vec<u32>; ROUNDS],
}

impl WithSimd for Rotation<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let dims = self.vector.len();
        if dims < 2 {
            return;
        }
        let part = 1 << dims.ilog2();
        for flips in self.flips {
            for (component, flip) in self.vector.iter_mut().zip(flips) {
                *component = f32::from_bits(component.to_bits() ^ flip);
            }
            transform(&mut self.vector[..part]);
            if part < dims {
                transform(&mut self.vector[dims - part..]);
            }
        }
    }
}

/// Walsh-Hadamard transform, scaled to keep lengths; the number of components is a power of two.
#[inline(always)]
fn transform(vector: &mut [f32]) {
    let mut half = 1;
    let (chunks, rest) = vector.as_chunks_mut::<CHUNK>();
    if rest.is_empty() {
        for chunk in chunks {
            within::<1>(chunk);
            within::<2>(chunk);
            within::<4>(chunk);
        }
        half = CHUNK;
    } else {
        // Shorter than a register.
        while half < vector.len() {
            for block in vector.chunks_exact_mut(2 * half) {
                let (left, right) = block.split_at_mut(half);
                for (one, other) in left.iter_mut().zip(right) {
                    (*one, *other) = (*one + *other, *one - *other);
                }
            }
            half *= 2;
        }
    }
    while half < vector.len() {
        half *= match vector.len() / half {
            2 => steps::<2>(vector, half),
            4 => steps::<4>(vector, half),
            _ => steps::<8>(vector, half),
        };
    }
    let scale = (vector.len() as f32).sqrt().recip();
    for component in vector {
        *component *= scale;
    }
}

/// Steps of the transform that join `ROWS` rows of `half` components in registers, so that memory is read once for
/// several of them. Returns `ROWS`.
#[inline(always)]
fn steps<const ROWS: usize>(vector: &mut [f32], half: usize) -> usize {
    for block in vector.chunks_exact_mut(ROWS * half) {
        for at in (0..half).step_by(CHUNK) {
            let mut rows = [[0.0_f32; CHUNK]; ROWS];
            for (place, row) in rows.iter_mut().enumerate() {
                row.copy_from_slice(&block[place * half + at..][..CHUNK]);
            }
            for step in [1, 2, 4] {
                for place in (0..ROWS).filter(|place| step < ROWS && place & step == 0) {
                    let (one, other) = (rows[place], rows[place | step]);
                    rows[place] = std::array::from_fn(|lane| one[lane] + other[lane]);
                    rows[place | step] = std::array::from_fn(|lane| one[lane] - other[lane]);
                }
            }
            for (place, row) in rows.iter().enumerate() {
                block[place * half + at..][..CHUNK].copy_from_slice(row);
            }
        }
    }
    ROWS
}

/// Step of the transform between neighbours, in one register.
#[inline(always)]
fn within<const HALF: usize>(chunk: &mut [f32; CHUNK]) {
    let own: [f32; CHUNK] = std::array::from_fn(|at| if at & HALF == 0 { chunk[at] } else { -chunk[at] });
    *chunk = std::array::from_fn(|at| chunk[at ^ HALF] + own[at]);
}

/// Output of `SplitMix64` at a place of its sequence: neighbouring numbers get unrelated bits.
pub(crate) const fn splitmix64(number: u64) -> u64 {
    mixed(number.wrapping_add(1).wrapping_mul(GOLDEN))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{TestRandom, architectures};
    use super::*;

    fn signs_of(vector: &[f32]) -> Vec<u64> {
        let mut signs = vec![0; words_of(vector.len())];
        Signer::new(vector.len()).write(vector, &mut signs);
        signs
    }

    fn distance(left: &[f32], right: &[f32]) -> u16 {
        let differing = |(one, other): (&u64, &u64)| (one ^ other).count_ones() as u16;
        signs_of(left).iter().zip(&signs_of(right)).map(differing).sum()
    }

    #[test]
    fn every_processor_turns_a_vector_alike() {
        let mut numbers = TestRandom(4);
        for dims in [1, 64, 256, 384, 401] {
            let (vector, flips) = (numbers.near(&vec![0.0; dims], 1.0), Signer::new(dims).flips);
            let turned = |arch: Arch| {
                let mut vector = vector.clone();
                arch.dispatch(Rotation { vector: &mut vector, flips: &flips });
                vector
            };
            for arch in architectures() {
                assert_eq!(turned(arch), turned(Arch::Scalar), "{arch:?}, {dims} components");
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
        // A power of two of components is rotated too: the same transform twice would be the identity.
        let axis = |at: usize| (0..256).map(|part| f32::from(u8::from(part == at))).collect::<Vec<_>>();
        for at in [1, 100, 255] {
            let differing = distance(&axis(0), &axis(at));
            assert!((80..176).contains(&differing), "a right angle: {differing} of 256");
        }
    }

    proptest! {
        #[test]
        fn the_rotation_keeps_lengths(vector in prop::collection::vec(-1.0_f32..1.0, 0..200)) {
            let mut turned = vector.clone();
            Arch::new().dispatch(Rotation { vector: &mut turned, flips: &Signer::new(vector.len()).flips });
            let length = |vector: &[f32]| vector.iter().map(|part| part * part).sum::<f32>().sqrt();
            prop_assert!((length(&turned) - length(&vector)).abs() < 1e-3);
        }

        #[test]
        fn the_transform_is_the_one_of_its_definition(
            size in 0..11_u32,
            vector in prop::collection::vec(-1.0_f32..1.0, 1024..1025),
        ) {
            let vector = &vector[..1 << size];
            let (mut quick, mut plain) = (vector.to_vec(), vector.to_vec());
            transform(&mut quick);
            let mut half = 1;
            while half < plain.len() {
                for at in (0..plain.len()).filter(|at| at & half == 0) {
                    (plain[at], plain[at | half]) = (plain[at] + plain[at | half], plain[at] - plain[at | half]);
                }
                half *= 2;
            }
            let scale = (plain.len() as f32).sqrt().recip();
            prop_assert_eq!(quick, plain.iter().map(|part| part * scale).collect::<Vec<_>>());
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
