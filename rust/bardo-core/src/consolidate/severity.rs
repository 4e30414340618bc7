//! Severity of an outcome: how far it lies below the earlier ones, and whether chance alone goes as far.

use super::discovery::subgroups::LEAST_GROUP;
use super::statistics::agreement::student;

/// Earlier outcomes of the same name and kind below which none is severe.
pub const LEAST_OUTCOMES: usize = 30;
/// Standard deviations below the mean of a Gaussian from which an outcome is severe: one of 4,300 is (the limit of an outlier
/// of Iglewicz and Hoaglin).
const SEVERE: f64 = 3.5;
/// Share of the observations that estimate a deviation as well as the median absolute one does: its efficiency (Rousseeuw and
/// Croux, Journal of the American Statistical Association 88, 1993).
const EFFICIENCY: f64 = 0.37;
/// Largest share of the earlier outcomes that may be as bad.
pub const SEVERE_SHARE: f64 = 0.01;
/// Standard deviations of a Gaussian in its median absolute deviation, and in its mean absolute deviation.
const OF_MEDIAN_DEVIATION: f64 = 1.482_602_218_505_602;
const OF_MEAN_DEVIATION: f64 = 1.253_314_137_315_500_1;
/// Deviations above this are stated as this.
const LARGEST_STATED: f64 = 1_000.0;

/// Deviations below the median of some earlier outcomes from which an outcome is severe.
///
/// A deviation that few outcomes estimate is often too small, so that the limit is a quantile of Student's distribution: one
/// of 4,300 Gaussian outcomes lies beyond it, after 30 others as after 500.
#[must_use]
pub fn severe_deviations(earlier: usize) -> f64 {
    student(SEVERE, EFFICIENCY * (earlier.max(2) - 1) as f64)
}

/// How bad an outcome was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Severity {
    /// Distance below the median, in deviations.
    pub deviations: f64,
    /// Number of earlier outcomes.
    pub earlier: usize,
}

impl Severity {
    /// Severity of an outcome after these earlier ones; none if it is not severe.
    pub fn of(outcome: f64, mut earlier: Vec<f64>) -> Option<Self> {
        let count = earlier.len();
        let as_bad = earlier.iter().filter(|other| **other <= outcome).count();
        if outcome >= 0.0 || count < LEAST_OUTCOMES || as_bad as f64 > SEVERE_SHARE * count as f64 {
            return None;
        }
        let middle = median(&mut earlier);
        let mut distances: Vec<f64> = earlier.iter().map(|other| (other - middle).abs()).collect();
        let mean = distances.iter().sum::<f64>() / count as f64;
        let varied = distances.iter().filter(|distance| **distance > 0.0).count();
        let scale = match median(&mut distances) {
            typical if typical > 0.0 => OF_MEDIAN_DEVIATION * typical,
            // More than half are equal: the others have a scale if they are a few.
            _ if varied >= LEAST_GROUP => OF_MEAN_DEVIATION * mean,
            _ => return None,
        };
        let deviations = (middle - outcome) / scale;
        // A sum may overflow.
        (scale > 0.0 && scale.is_finite() && deviations >= severe_deviations(count))
            .then_some(Self { deviations: deviations.min(LARGEST_STATED), earlier: count })
    }
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    let half = numbers.len() / 2;
    if numbers.len() % 2 == 1 { numbers[half] } else { f64::midpoint(numbers[half - 1], numbers[half]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of a fixed sequence that are spread evenly over -1 to 1.
    fn spread(count: u32) -> Vec<f64> {
        (0..count).map(|step| f64::from(step * 37 % 101) / 50.0 - 1.0).collect()
    }

    #[test]
    fn an_outcome_is_severe_far_below_the_others_and_not_before_there_are_enough() {
        let severity = |count| Severity::of(-10.0, spread(count));
        assert_eq!(severity(29), None);
        let found = severity(30).unwrap();
        assert!(found.deviations > severe_deviations(30) && found.earlier == 30, "{found:?}");
        assert_eq!(Severity::of(-1.5, spread(100)), None, "near the others");
        assert_eq!(Severity::of(10.0, spread(100)), None, "a gain");
    }

    #[test]
    fn the_limit_is_higher_after_fewer_outcomes() {
        for (earlier, low, high) in [(30, 4.7, 5.2), (100, 3.8, 3.95), (512, 3.5, 3.6)] {
            let limit = severe_deviations(earlier);
            assert!(low < limit && limit < high, "{limit} after {earlier}");
        }
    }

    #[test]
    fn severity_does_not_change_with_the_unit_of_the_outcome() {
        for unit in [1e-9, 1.0, 1e9] {
            let found = Severity::of(-10.0 * unit, spread(100).into_iter().map(|x| x * unit).collect());
            let same = Severity::of(-10.0, spread(100)).unwrap();
            assert!((found.unwrap().deviations - same.deviations).abs() < 1e-6);
        }
    }

    #[test]
    fn disasters_do_not_hide_the_next_one_until_they_are_frequent() {
        let after = |disasters: usize| {
            let mut earlier = spread(400);
            earlier.extend(std::iter::repeat_n(-10.0, disasters));
            Severity::of(-10.0, earlier)
        };
        assert!(after(4).is_some());
        assert_eq!(after(5), None, "five of 405 are more than the worst hundredth");
    }

    #[test]
    fn outcomes_without_a_scale_are_never_severe() {
        assert_eq!(Severity::of(-1.0, vec![1.0; 500]), None);
        let few = [vec![0.0; 500], vec![1.0; LEAST_GROUP - 1]].concat();
        assert_eq!(Severity::of(-1.0, few), None, "too few differ to tell how far is far");
        let some = [vec![0.0; 500], vec![1.0; LEAST_GROUP]].concat();
        assert!(Severity::of(-1.0, some).is_some());
        assert_eq!(Severity::of(f64::MIN, vec![f64::MAX; 40]), None);
        assert_eq!(Severity::of(f64::MIN, spread(40)).map(|found| found.deviations), Some(LARGEST_STATED));
    }
}
