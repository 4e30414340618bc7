//! Mean and spread of one number, updated observation by observation and merged without looking back.

use serde::{Deserialize, Serialize};

use crate::model::FactPayload;

/// Running statistics of one number.
///
/// Welford's update (Technometrics 4, 1962) and its parallel form by Chan, Golub and Le Veque (The American Statistician
/// 37, 1983): `mean = mean_a + d * n_b / n`, `M2 = M2_a + M2_b + d^2 * n_a * n_b / n` with `d = mean_b - mean_a`. The
/// square root of `M2 / n` is kept instead of `M2`: it is at most half the range, so that no finite input overflows,
/// not even 1e308 and -1e308 together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// Observations.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation as a population.
    pub deviation: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Statistic {
    /// The statistic of one finite observation.
    #[must_use]
    pub const fn of(number: f64) -> Self {
        Self { n: 1, mean: number, deviation: 0.0, min: number, max: number }
    }

    /// Reads the statistic of a baseline fact; `None` if it cannot come from observations (a forged or saturated payload).
    #[must_use]
    pub fn stated(payload: &FactPayload) -> Option<Self> {
        let FactPayload::Baseline { n, mean, variance, min, max, .. } = payload else {
            return None;
        };
        let sound = *n >= 2 && *variance >= 0.0 && *variance < f64::MAX && min <= max;
        let count = *n as f64;
        sound.then(|| Self {
            n: *n,
            mean: *mean,
            deviation: (variance * ((count - 1.0) / count)).sqrt(),
            min: *min,
            max: *max,
        })
    }

    /// The statistic of both sets of observations together.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        let n = self.n.saturating_add(other.n);
        let share = other.n as f64 / n as f64;
        // Half of the difference cannot overflow; adding it twice stays between the two means.
        let half = other.mean / 2.0 - self.mean / 2.0;
        let step = half * share;
        let between = half.abs() * (2.0 * (share * (1.0 - share)).sqrt());
        let within = (self.deviation * (1.0 - share).sqrt()).hypot(other.deviation * share.sqrt());
        Self {
            n,
            mean: self.mean + step + step,
            deviation: within.hypot(between).min(f64::MAX),
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The standard deviation estimated for what was sampled (`n - 1`); the largest number if it is beyond it.
    #[must_use]
    pub fn sample_deviation(&self) -> f64 {
        if self.n < 2 {
            return 0.0;
        }
        let count = self.n as f64;
        (self.deviation * (count / (count - 1.0)).sqrt()).min(f64::MAX)
    }

    /// The payload of a baseline fact. A variance beyond the largest number is stated as that number.
    #[must_use]
    pub fn payload(&self, metric: &str) -> FactPayload {
        FactPayload::Baseline {
            metric: metric.to_owned(),
            n: self.n,
            mean: self.mean,
            variance: self.sample_deviation().powi(2).min(f64::MAX),
            min: self.min,
            max: self.max,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn merged(numbers: &[f64]) -> Statistic {
        numbers.iter().map(|number| Statistic::of(*number)).reduce(|a, b| a.merge(&b)).unwrap()
    }

    fn close(a: f64, b: f64, scale: f64) -> bool {
        (a - b).abs() <= 1e-9 * scale.max(1e-12)
    }

    proptest! {
        #[test]
        fn merging_any_split_gives_what_one_batch_gives(
            numbers in prop::collection::vec(-1e6..1e6_f64, 2..200), cuts in prop::collection::vec(0..200_usize, 0..6),
        ) {
            let count = numbers.len() as f64;
            let mean = numbers.iter().sum::<f64>() / count;
            let deviation = (numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
            let mut edges: Vec<usize> = cuts.into_iter().filter(|cut| *cut < numbers.len()).collect();
            edges.extend([0, numbers.len()]);
            edges.sort_unstable();
            let split = edges
                .windows(2)
                .filter(|pair| pair[0] < pair[1])
                .map(|pair| merged(&numbers[pair[0]..pair[1]]))
                .reduce(|a, b| a.merge(&b))
                .unwrap();
            let scale = split.max - split.min + mean.abs();
            prop_assert_eq!(split.n, numbers.len() as u64);
            prop_assert!(close(split.mean, mean, scale), "{} {}", split.mean, mean);
            prop_assert!(close(split.deviation, deviation, scale), "{} {}", split.deviation, deviation);
            prop_assert!(numbers.iter().all(|number| (split.min..=split.max).contains(number)));
            prop_assert!(numbers.contains(&split.min) && numbers.contains(&split.max));
        }

        #[test]
        fn no_finite_observation_overflows(numbers in prop::collection::vec(any::<f64>(), 2..50)) {
            let finite: Vec<f64> = numbers.into_iter().filter(|number| number.is_finite()).collect();
            prop_assume!(finite.len() > 1);
            let statistic = merged(&finite);
            prop_assert!(statistic.mean.is_finite() && statistic.deviation.is_finite());
            prop_assert!(statistic.payload("x").is_finite());
            prop_assert!(statistic.mean >= statistic.min - statistic.max.abs() * 1e-9);
        }
    }

    #[test]
    fn the_largest_numbers_have_a_mean_and_a_spread() {
        let statistic = merged(&[f64::MAX, f64::MIN, f64::MAX, f64::MIN]);
        assert!(statistic.mean.abs() < 1e300, "{statistic:?}");
        assert!(statistic.deviation > 1e308);
    }

    #[test]
    fn a_payload_reads_back_as_the_statistic() {
        let statistic = merged(&[1.0, 2.0, 4.5]);
        let stated = Statistic::stated(&statistic.payload("x")).unwrap();
        assert!(close(stated.deviation, statistic.deviation, 1.0) && stated.n == 3);
        let FactPayload::Baseline { variance, .. } = statistic.payload("x") else { unreachable!() };
        assert!(close(variance, 3.25, 1.0));
    }

    #[test]
    fn a_forged_payload_states_nothing() {
        let forged = |n, variance| FactPayload::Baseline {
            metric: "x".into(),
            n,
            mean: 0.0,
            variance,
            min: 0.0,
            max: 0.0,
        };
        assert_eq!(Statistic::stated(&forged(1, 1.0)), None);
        assert_eq!(Statistic::stated(&forged(9, -1.0)), None);
        assert_eq!(Statistic::stated(&forged(9, f64::MAX)), None);
        assert_eq!(Statistic::stated(&FactPayload::None), None);
    }
}
