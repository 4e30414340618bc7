//! Evidence that may be looked at again and again without fooling oneself.
//!
//! A Curator that tests at every pass and believes the first p-value below 5 % ends up believing noise. So each
//! hypothesis carries an e-value: what a bettor who starts with one coin and bets against chance has after each window
//! of fresh episodes. By Ville's inequality (1939) chance lets that wealth ever reach `x` with a probability of `1 / x`
//! at most, however often one looks. The wealths of hypotheses are compared by the e-BH procedure of Wang and Ramdas (Journal of the
//! Royal Statistical Society B 84, 2022), which is the procedure of Benjamini and Hochberg (1995) for e-values and, other
//! than theirs, holds under any dependence between hypotheses.

/// Expected share of false ones among what is stated (Benjamini and Hochberg's level).
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;
/// Wealth counts up to this factor (e^2) above what one hypothesis alone needs: what held for a hundred windows and then
/// stopped must not take a hundred windows to be doubted. (Capped wealth is still a fair bet.)
const SURPLUS: f64 = 2.0;
/// A belief is doubted only when its wealth is this factor (e) below the threshold of belief, so that one unlucky
/// window does not unsettle it: together with [`SURPLUS`] that takes about five of them.
const PATIENCE: f64 = 1.0;

/// Part of all trust that is kept for what dreams propose: they are few, and chosen.
const DREAMT: f64 = 1.0 / 16.0;

/// Logarithm of what a bettor wins on one p-value.
///
/// The mixture of all power calibrators (Shafer, Shen, Vereshchagin and Vovk, Statistical Science 26, 2011; Vovk and Wang,
/// Annals of Statistics 49, 2021, section 2): `(1 - p + p ln p) / (p ln(p)^2)`, which with `x = -ln p` is
/// `(e^x - 1 - x) / x^2`.
#[must_use]
pub fn log_e_value(p: f64) -> f64 {
    let x = -p.clamp(f64::MIN_POSITIVE, 1.0).ln();
    let winnings = if x < 1e-3 { 0.5 + x / 6.0 } else { (x.exp_m1() - x) / (x * x) };
    winnings.ln()
}

/// Logarithm of the mean of several e-values about one hypothesis, which is an e-value under any dependence.
#[must_use]
pub fn log_mean(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return 0.0;
    }
    let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
    largest + (sum / logs.len() as f64).ln()
}

/// The share of all trust that each of `count` hypotheses gets that begin in window `window` (from 1). The shares of all
/// windows together are `1/2 + 1/6 + 1/12 + ...` of what dreams leave, so that an old agent has tested any number of them
/// and still errs as rarely as a young one.
#[must_use]
pub fn share(window: u64, count: usize) -> f64 {
    (1.0 - DREAMT) * part(window, count)
}

/// The same for each of `count` hypotheses that dream number `dream` (from 1) proposes.
#[must_use]
pub fn dream_share(dream: u64, count: usize) -> f64 {
    DREAMT * part(dream, count)
}

fn part(number: u64, count: usize) -> f64 {
    let number = number.max(1) as f64;
    1.0 / (number * (number + 1.0) * count.max(1) as f64)
}

/// A fortune after one more bet, no larger than what counts.
#[must_use]
pub fn wealth(log_wealth: f64, log_e_value: f64, share: f64) -> f64 {
    (log_wealth + log_e_value).min(SURPLUS - (FALSE_DISCOVERY_RATE * share).ln())
}

/// Which hypotheses to believe, given the logarithm of `share * fortune` of each: the most, so that the `k` best all have
/// at least `1 / (k * level)`. Also the score below which what was believed before is doubted.
#[must_use]
pub fn discoveries(log_scores: &[f64], level: f64) -> (Vec<usize>, f64) {
    let mut order: Vec<usize> = (0..log_scores.len()).collect();
    order.sort_by(|a, b| log_scores[*b].total_cmp(&log_scores[*a]).then(a.cmp(b)));
    let holds = |rank: usize| log_scores[order[rank]] + ((rank + 1) as f64).ln() >= -level.ln();
    let count = (0..order.len()).rev().find(|rank| holds(*rank)).map_or(0, |rank| rank + 1);
    order.truncate(count);
    (order, -level.ln() - (count.max(1) as f64).ln() - PATIENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winnings_are_fair_under_chance_and_grow_as_p_falls() {
        // The integral of a calibrator over p is 1; by the midpoint rule on a logarithmic grid.
        let (steps, most) = (200_000, 60.0);
        let fair: f64 = (0..steps)
            .map(|step| {
                let (low, high) = (
                    most * f64::from(step) / f64::from(steps),
                    most * f64::from(step + 1) / f64::from(steps),
                );
                log_e_value((-f64::midpoint(low, high)).exp()).exp() * ((-low).exp() - (-high).exp())
            })
            .sum();
        assert!((0.97..=1.000_001).contains(&fair), "{fair}");
        assert!((log_e_value(1.0).exp() - 0.5).abs() < 1e-9);
        let falling: Vec<f64> = [1.0, 0.999_5, 0.9, 0.1, 0.01, 1e-6, 0.0].map(log_e_value).to_vec();
        assert!(falling.is_sorted() && falling.iter().all(|log| log.is_finite()));
    }

    #[test]
    fn shares_of_all_windows_add_up_to_one() {
        let total: f64 = (1..=100_000).map(|window| (share(window, 7) + dream_share(window, 7)) * 7.0).sum();
        assert!(total < 1.0 && total > 0.999, "{total}");
    }

    #[test]
    fn the_more_hold_the_less_each_needs() {
        let needed = (1.0_f64 / FALSE_DISCOVERY_RATE).ln();
        assert_eq!(discoveries(&[needed - 0.1, 0.0], FALSE_DISCOVERY_RATE).0, Vec::<usize>::new());
        assert_eq!(discoveries(&[0.0, needed], FALSE_DISCOVERY_RATE).0, [1]);
        let half = needed - 2.0_f64.ln() + 1e-9;
        assert_eq!(discoveries(&[half, -3.0, half], FALSE_DISCOVERY_RATE).0, [0, 2]);
    }

    #[test]
    fn a_long_held_belief_can_be_doubted_soon() {
        let share = share(1, 10);
        let rich = (0..1_000).fold(0.0, |log, _| wealth(log, 3.0, share));
        let doubted = (0..6).fold(rich, |log, _| wealth(log, 0.5_f64.ln(), share)) + share.ln();
        let (none, doubt_below) = discoveries(&[doubted], FALSE_DISCOVERY_RATE);
        assert!(none.is_empty() && doubted < doubt_below, "{doubted} {doubt_below}");
    }

    #[test]
    fn the_mean_of_fortunes_is_theirs_in_the_usual_sense() {
        assert!((log_mean(&[2.0_f64.ln(), 4.0_f64.ln()]) - 3.0_f64.ln()).abs() < 1e-12);
        assert!(log_mean(&[]).abs() < 1e-12);
    }
}
