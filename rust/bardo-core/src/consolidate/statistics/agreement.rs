//! Whether the agent's own statistic confirms what it was told.
//!
//! Two questions that can both be answered no: is the difference of the means surely small (equivalence, Schuirmann's two
//! one-sided tests, 1987), and is it surely not small (Welch's test against a margin)? "Small" is measured in standard
//! deviations, as Cohen (1988) does: a significant difference that is too small to matter refutes nothing. A claim
//! that neither test decides waits for more episodes.

use super::statistic::Statistic;

/// Cohen's small effect, in standard deviations: a difference up to this refutes nothing.
const SMALL_EFFECT: f64 = 0.2;
/// Cohen's medium effect: the difference must surely be below this to confirm.
const MEDIUM_EFFECT: f64 = 0.5;
/// Normal quantile of 95 %: the level of each of the two one-sided tests.
const QUANTILE_CONFIRM: f64 = 1.644_853_6;
/// Normal quantile of 99.95 %: the test is repeated at every pass, so that a single look must be strict.
pub(in crate::consolidate) const QUANTILE_REFUTE: f64 = 3.290_526_7;
/// Standard deviations within this ratio of each other agree.
const SPREAD_AGREES: f64 = 2.0;
/// Beyond this ratio they disagree, given enough observations on both sides (an F of 9 with 29 and 29 degrees of freedom
/// has p < 1e-7, which leaves room for heavy tails).
const SPREAD_DISAGREES: f64 = 3.0;
/// Observations that each side needs before its spread refutes anything.
const SPREAD_OBSERVATIONS: u64 = 30;
/// Differences below this part of the numbers themselves are rounding.
const ROUNDING: f64 = 1e-9;

/// Verdict of the agent's own episodes on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The difference is surely below a medium effect.
    Agrees,
    /// The difference is surely above a small effect, or the spreads differ widely.
    Disagrees,
    /// Not enough is known.
    Undecided,
}

/// Tests a claim against one's own statistic of at least `minimum` observations.
#[must_use]
pub fn compare_claim(own: &Statistic, claim: &Statistic, minimum: u64) -> Verdict {
    if own.n < minimum.max(2) || claim.n < 2 {
        return Verdict::Undecided;
    }
    // In units of the largest of the four, so that squares neither overflow nor vanish.
    let (own_spread, claim_spread) = (own.sample_deviation(), claim.sample_deviation());
    let unit = own.mean.abs().max(claim.mean.abs()).max(own_spread).max(claim_spread);
    if unit == 0.0 {
        return Verdict::Agrees;
    }
    let difference = (own.mean / unit - claim.mean / unit).abs();
    let (own_spread, claim_spread) = (own_spread / unit, claim_spread / unit);
    let ratio = spread_ratio(own_spread, claim_spread);
    let spread = own_spread.powi(2).midpoint(claim_spread.powi(2)).sqrt();
    let (error, freedom) = standard_error(own_spread, own.n as f64, claim_spread, claim.n as f64);
    let margin = |effect: f64| (effect * spread).max(ROUNDING);

    let surely_more = difference - margin(SMALL_EFFECT) > student(QUANTILE_REFUTE, freedom) * error;
    let spreads_differ = ratio > SPREAD_DISAGREES && own.n.min(claim.n) >= SPREAD_OBSERVATIONS;
    if surely_more || spreads_differ {
        return Verdict::Disagrees;
    }
    let surely_less = difference + student(QUANTILE_CONFIRM, freedom) * error <= margin(MEDIUM_EFFECT);
    if surely_less && ratio <= SPREAD_AGREES { Verdict::Agrees } else { Verdict::Undecided }
}

fn spread_ratio(a: f64, b: f64) -> f64 {
    let (less, more) = (a.min(b), a.max(b));
    if more <= ROUNDING { 1.0 } else { more / less }
}

/// Standard error of the difference of two means, and the degrees of freedom by Welch and Satterthwaite.
pub(in crate::consolidate) fn standard_error(a: f64, a_n: f64, b: f64, b_n: f64) -> (f64, f64) {
    let (a, b) = (a.powi(2) / a_n, b.powi(2) / b_n);
    let total = a + b;
    if total == 0.0 {
        return (0.0, f64::INFINITY);
    }
    (total.sqrt(), total.powi(2) / (a.powi(2) / (a_n - 1.0) + b.powi(2) / (b_n - 1.0)))
}

/// Student's quantile from the normal one (Cornish-Fisher, Abramowitz and Stegun 26.7.5).
pub(in crate::consolidate) fn student(normal: f64, freedom: f64) -> f64 {
    let z = normal;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistic(n: u64, mean: f64, deviation: f64) -> Statistic {
        Statistic { n, mean, deviation, min: mean - 3.0 * deviation, max: mean + 3.0 * deviation }
    }

    #[test]
    fn alike_agrees_far_apart_disagrees_and_in_between_waits() {
        let claim = statistic(1_000, 10.0, 2.0);
        assert_eq!(compare_claim(&statistic(40, 10.1, 2.1), &claim, 30), Verdict::Agrees);
        assert_eq!(compare_claim(&statistic(40, 14.0, 2.1), &claim, 30), Verdict::Disagrees);
        assert_eq!(compare_claim(&statistic(40, 10.8, 2.1), &claim, 30), Verdict::Undecided);
        assert_eq!(compare_claim(&statistic(29, 10.0, 2.0), &claim, 30), Verdict::Undecided);
    }

    #[test]
    fn a_significant_difference_that_does_not_matter_refutes_nothing() {
        let claim = statistic(1_000_000, 10.0, 2.0);
        assert_eq!(compare_claim(&statistic(1_000_000, 10.05, 2.0), &claim, 30), Verdict::Agrees);
    }

    #[test]
    fn the_same_mean_with_another_spread_is_not_the_same() {
        let claim = statistic(1_000, 0.0, 1.0);
        assert_eq!(compare_claim(&statistic(100, 0.0, 2.5), &claim, 30), Verdict::Undecided);
        assert_eq!(compare_claim(&statistic(100, 0.0, 5.0), &claim, 30), Verdict::Disagrees);
        assert_eq!(compare_claim(&statistic(100, 0.0, 0.0), &claim, 30), Verdict::Disagrees);
    }

    #[test]
    fn constants_agree_when_they_are_equal_but_for_rounding() {
        let claim = statistic(50, 0.3, 0.0);
        assert_eq!(compare_claim(&statistic(50, 0.1 + 0.2, 0.0), &claim, 30), Verdict::Agrees);
        assert_eq!(compare_claim(&statistic(50, 0.31, 0.0), &claim, 30), Verdict::Disagrees);
        assert_eq!(compare_claim(&statistic(50, 0.0, 0.0), &statistic(50, 0.0, 0.0), 30), Verdict::Agrees);
    }

    #[test]
    fn extreme_numbers_are_judged_too() {
        let huge = statistic(100, 1e308, 1e307);
        assert_eq!(compare_claim(&huge, &huge, 30), Verdict::Agrees);
        assert_eq!(compare_claim(&statistic(100, -1e308, 1e307), &huge, 30), Verdict::Disagrees);
        let tiny = statistic(100, 1e-310, 1e-311);
        assert_eq!(compare_claim(&tiny, &tiny, 30), Verdict::Agrees);
    }

    #[test]
    fn the_quantile_is_students() {
        // Tables: t(.95) is 2.015 at 5 degrees of freedom, 1.697 at 30; t(.9995) is 3.646 at 30.
        assert!((student(QUANTILE_CONFIRM, 5.0) - 2.015).abs() < 0.002);
        assert!((student(QUANTILE_CONFIRM, 30.0) - 1.697).abs() < 0.001);
        assert!((student(QUANTILE_REFUTE, 30.0) - 3.646).abs() < 0.002);
        assert!((student(QUANTILE_CONFIRM, f64::INFINITY) - QUANTILE_CONFIRM).abs() < 1e-12);
    }
}
