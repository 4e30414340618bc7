//! Fusing the arms: z-scored weighted sum over the union of candidates, or reciprocal ranks. Neither depends on the
//! order in which candidates are given.

/// How far one arm may hold a memory back, in standard deviations: being far off for the embedding must not outweigh
/// what the letters say (law 6).
pub const LEAST_Z: f32 = -2.0;

/// Where the values of an arm lie: what turns one into a z-score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scale {
    mean: f64,
    /// Zero where there was no value at all.
    spread: f64,
}

impl Scale {
    /// The scale of the values that are there. The spread is never taken for less than `floor`: among few candidates,
    /// or nearly equal ones, a difference of noise must not look like one of relevance.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = Option<f32>, IntoIter: Clone>, floor: f32) -> Self {
        let known = values.into_iter().flatten().map(f64::from);
        let count = known.clone().count() as f64;
        if count == 0.0 {
            return Self::default();
        }
        let mean = sum(known.clone()) / count;
        let squares = sum(known.map(|value| (value - mean) * (value - mean)));
        Self { mean, spread: (squares / count).sqrt().max(f64::from(floor)) }
    }

    /// The z-score of a value, not below [`LEAST_Z`]; one that is missing counts as average.
    #[must_use]
    pub fn place(&self, value: Option<f32>) -> f32 {
        match value {
            Some(value) if self.spread > 0.0 => {
                (((f64::from(value) - self.mean) / self.spread) as f32).max(LEAST_Z)
            }
            _ => 0.0,
        }
    }
}

/// Sums in fixed point, so that the same numbers in another order give the same bits.
fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    /// Steps of one: fine enough for the variance of cosines, and squares of any BM25 score still fit 64 bits.
    const STEPS: f64 = (1_u64 << 36) as f64;
    // Not `round`: on many processors that is a call.
    let steps = |number: f64| (number * STEPS + 0.5_f64.copysign(number)) as i64;
    numbers.map(|number| i128::from(steps(number))).sum::<i128>() as f64 / STEPS
}

/// The part that a rank adds in reciprocal rank fusion (Cormack et al. 2009); ranks count from 1.
#[must_use]
pub fn reciprocal(rank: Option<u32>, weight: f32, k: f32) -> f32 {
    rank.map_or(0.0, |rank| weight / (k + rank as f32))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn noise_among_equals_stays_small() {
        let values = [Some(0.5), Some(0.500_1)];
        let scale = Scale::of(values, 0.05);
        assert!(values.into_iter().all(|value| scale.place(value).abs() < 0.01), "{scale:?}");
    }

    #[test]
    fn a_missing_value_is_average() {
        let scale = Scale::of([Some(1.0), None, Some(3.0)], 0.1);
        for (value, place) in [(Some(1.0), -1.0), (None, 0.0), (Some(3.0), 1.0)] {
            assert!((scale.place(value) - place).abs() < f32::EPSILON, "{value:?} in {scale:?}");
        }
        assert!(Scale::of([None, None], 0.1).place(Some(7.0)).abs() < f32::EPSILON);
    }

    proptest! {
        #[test]
        fn standardizing_does_not_depend_on_order(
            values in prop::collection::vec(prop::option::of(-10.0_f32..10.0), 1..40),
            shift in 0_usize..40,
        ) {
            let shift = shift % values.len();
            let mut turned = values.clone();
            turned.rotate_left(shift);
            prop_assert_eq!(Scale::of(turned, 0.05), Scale::of(values, 0.05));
        }
    }
}
