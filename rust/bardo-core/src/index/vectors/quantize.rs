//! Quantizes vectors of length 1 to 16 bits per component, in separate high and low bytes. Opening a store quantizes
//! every vector of the log, so the code is compiled for the instruction set of the processor.

#![expect(clippy::inline_always, reason = "what is not inlined is not compiled for the instruction set")]

use pulp::{Arch, Simd, WithSimd};

use crate::error::{Error, Result};

/// Maximum magnitude of a component: its high byte, rounded, is then 127 at most.
const GREATEST: f32 = 32_639.0;

/// Number large enough that adding it rounds a float to an integer, with room for [`GREATEST`] on both sides.
const SHIFT: f32 = 12_582_912.0;

/// Number of parallel sums; fixed, so that the result is the same on every processor.
const LANES: usize = 8;

/// A vector scaled to length 1; `None` if it has no direction.
pub(crate) fn unit(what: &str, vector: &[f32]) -> Result<Option<Vec<f32>>> {
    let mut unit = vector.to_vec();
    Ok(scale_to_unit(what, &mut unit)?.then_some(unit))
}

/// Scales a vector to length 1; returns false and leaves it unchanged if it has no direction.
pub(crate) fn scale_to_unit(what: &str, vector: &mut [f32]) -> Result<bool> {
    let is_scaled = Arch::new().dispatch(ToUnit(vector));
    if is_scaled.is_none()
        && let Some(at) = vector.iter().position(|part| !part.is_finite())
    {
        return Err(Error::vector(
            format!("component {at} of {what} is {}", vector[at]),
            "Every component must be a finite number: check the embedder and its input",
        ));
    }
    Ok(is_scaled.unwrap_or(false))
}

/// Writes the high and low bytes of a vector, one of each per component; returns their scale.
pub(crate) fn quantize(unit: &[f32], high: &mut [i8], low: &mut [i8]) -> f32 {
    Arch::new().dispatch(Quantize { unit, high, low })
}

struct ToUnit<'vector>(&'vector mut [f32]);

impl WithSimd for ToUnit<'_> {
    /// `None` if a component is not a number.
    type Output = Option<bool>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<bool> {
        let square = |part: f32| f64::from(part) * f64::from(part);
        let mut sums = [0.0_f64; LANES];
        let (chunks, rest) = self.0.as_chunks::<LANES>();
        for chunk in chunks {
            for (sum, &part) in sums.iter_mut().zip(chunk) {
                *sum += square(part);
            }
        }
        let squares = sums.iter().sum::<f64>() + rest.iter().map(|&part| square(part)).sum::<f64>();
        // A square of a finite f32 is finite, and so is the sum of any number of them.
        if !squares.is_finite() {
            return None;
        }
        if squares == 0.0 {
            return Some(false);
        }
        let scale = squares.sqrt().recip();
        for part in self.0 {
            *part = (f64::from(*part) * scale) as f32;
        }
        Some(true)
    }
}

struct Quantize<'vector> {
    unit: &'vector [f32],
    high: &'vector mut [i8],
    low: &'vector mut [i8],
}

impl WithSimd for Quantize<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f32 {
        let mut lanes = [0.0_f32; LANES];
        let (chunks, rest) = self.unit.as_chunks::<LANES>();
        for chunk in chunks {
            for (greatest, part) in lanes.iter_mut().zip(chunk) {
                // Not `max`, which checks each number for NaN.
                *greatest = if part.abs() > *greatest { part.abs() } else { *greatest };
            }
        }
        let greatest = lanes.iter().chain(rest).fold(0.0_f32, |greatest, part| greatest.max(part.abs()));
        let scale = if greatest == 0.0 { 1.0 } else { greatest / GREATEST };
        for ((part, high), low) in self.unit.iter().zip(self.high).zip(self.low) {
            let component = (part / scale).round().clamp(-GREATEST, GREATEST);
            // `as` and the checked operators check the range, which would prevent vectorization.
            let component =
                (component + SHIFT).to_bits().cast_signed().wrapping_sub(SHIFT.to_bits().cast_signed());
            let rounded = component.wrapping_add(128) >> 8;
            *high = rounded as i8;
            *low = component.wrapping_sub(rounded << 8) as i8;
        }
        scale
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestRandom, architectures};
    use super::*;

    #[test]
    fn every_processor_makes_the_same_bytes() {
        let mut numbers = TestRandom(3);
        for dims in [1, 7, 8, 384, 401] {
            let vector = numbers.near(&vec![0.0; dims], 2.0);
            let made = |arch: Arch| {
                let mut unit = vector.clone();
                let scaled = arch.dispatch(ToUnit(&mut unit));
                let (mut high, mut low) = (vec![0; dims], vec![0; dims]);
                let scale = arch.dispatch(Quantize { unit: &unit, high: &mut high, low: &mut low });
                (scaled, unit, high, low, scale)
            };
            for arch in architectures() {
                assert_eq!(made(arch), made(Arch::Scalar), "{arch:?}, {dims} components");
            }
        }
    }
}
