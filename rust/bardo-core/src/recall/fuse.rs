//! Fusing the arms: z-scored weighted sum over the union of candidates, or reciprocal ranks. Neither depends on the
//! order in which candidates are given.

/// Standardises the values that are there. The spread is never taken for less than `floor`: among few candidates, or
/// nearly equal ones, a difference of noise must not look like one of relevance. A value that is missing counts as
/// average.
#[must_use]
pub fn standardize(values: &[Option<f32>], floor: f32) -> Vec<f32> {
    let known: Vec<f64> = values.iter().flatten().map(|&value| f64::from(value)).collect();
    if known.is_empty() {
        return vec![0.0; values.len()];
    }
    let mean = sum(known.clone()) / known.len() as f64;
    let squares = known.iter().map(|value| (value - mean) * (value - mean)).collect();
    let spread = (sum(squares) / known.len() as f64).sqrt().max(f64::from(floor));
    values
        .iter()
        .map(|value| value.map_or(0.0, |value| ((f64::from(value) - mean) / spread) as f32))
        .collect()
}

/// Sums in order of size, so that the same numbers in another order give the same bits.
fn sum(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.into_iter().sum()
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
        let scores = standardize(&[Some(0.5), Some(0.500_1)], 0.05);
        assert!(scores.iter().all(|score| score.abs() < 0.01), "{scores:?}");
    }

    #[test]
    fn a_missing_value_is_average() {
        assert_eq!(standardize(&[Some(1.0), None, Some(3.0)], 0.1), [-1.0, 0.0, 1.0]);
        assert_eq!(standardize(&[None, None], 0.1), [0.0, 0.0]);
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
            let mut expected = standardize(&values, 0.05);
            expected.rotate_left(shift);
            prop_assert_eq!(standardize(&turned, 0.05), expected);
        }
    }
}
