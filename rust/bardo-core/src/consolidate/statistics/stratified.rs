//! The difference of two groups within strata: what remains of an effect where other causes are the same.

use std::collections::BTreeMap;

use super::statistic::Statistic;

/// A difference of two means, and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Difference {
    pub mean: f64,
    pub error: f64,
}

/// The mean difference between members and others of the same stratum, over all strata that have both.
///
/// Strata are weighed by `n_in * n_out / n`, as least squares with an effect per stratum weigh them; `None` where no
/// stratum has both groups, or too few numbers to know their spread.
pub(crate) fn difference(rows: impl Iterator<Item = (u64, bool, f64)>) -> Option<Difference> {
    let mut strata: BTreeMap<u64, [Option<Statistic>; 2]> = BTreeMap::new();
    for (stratum, is_member, number) in rows {
        let one = Statistic::of(number);
        let group = &mut strata.entry(stratum).or_default()[usize::from(is_member)];
        *group = Some(group.map_or(one, |all| all.merge(&one)));
    }
    let (mut weight, mut sum, mut squares, mut freedom) = (0.0, 0.0, 0.0, 0.0);
    for [outside, inside] in strata.into_values() {
        let (Some(outside), Some(inside)) = (outside, inside) else { continue };
        let (out, within) = (outside.n as f64, inside.n as f64);
        let share = out * within / (out + within);
        weight += share;
        sum += share * (inside.mean - outside.mean);
        squares += out * outside.deviation.powi(2) + within * inside.deviation.powi(2);
        freedom += out + within - 2.0;
    }
    let (mean, error) = (sum / weight, (squares / freedom / weight).sqrt());
    (weight > 0.0 && freedom > 0.0 && mean.is_finite() && error.is_finite())
        .then_some(Difference { mean, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_between_strata_is_none_within_them() {
        // Members are mostly in the upper stratum, and differ from the others of neither.
        let noise = |step: u32| f64::from(step * 37 % 101) / 50.0 - 1.0;
        let rows = |effect: f64| {
            (0..400_u32).map(move |step| {
                let (stratum, is_member) = (u64::from(step % 2), step % 2 + step / 2 % 3 >= 2);
                (stratum, is_member, stratum as f64 + noise(step) + if is_member { effect } else { 0.0 })
            })
        };
        let none = difference(rows(0.0)).unwrap();
        assert!(none.mean.abs() < 2.0 * none.error && none.error < 0.1, "{none:?}");
        let some = difference(rows(0.5)).unwrap();
        assert!((some.mean - none.mean - 0.5).abs() < 1e-9, "{some:?}");
    }

    #[test]
    fn strata_with_one_group_say_nothing() {
        assert_eq!(difference([(0, true, 1.0), (1, false, 0.0)].into_iter()), None);
        assert_eq!(difference([(0, true, 1.0), (0, false, 0.0)].into_iter()), None, "no spread is known");
    }
}
