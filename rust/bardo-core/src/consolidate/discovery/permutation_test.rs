//! How often chance alone does as well: p-values by drawing again, from a seed.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

/// Draws at most; the smallest p-value is one more than this to one.
const DRAWS: u32 = 1_999;
/// Draws as good as the observation that end the test early.
const ENOUGH: u32 = 20;

/// A generator that depends on what is tested and in which window, and on nothing else.
#[must_use]
pub(crate) fn generator(what: &str, window: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(xxhash_rust::xxh3::xxh3_64_with_seed(what.as_bytes(), window))
}

/// The share of draws under chance that do at least as well as what was observed, and how well they do on average.
///
/// Besag and Clifford's sequential Monte Carlo test (Biometrika 78, 1991): it stops at the 20th draw that does as well,
/// which for most hypotheses is soon, and is exact: under chance the answer is at most `p` with probability `p` or less.
pub(crate) fn p_value(observed: f64, mut draw: impl FnMut() -> f64) -> (f64, f64) {
    let (mut as_well, mut total) = (0, 0.0);
    for drawn in 1..=DRAWS {
        let by_chance = draw();
        total += by_chance;
        if by_chance >= observed {
            as_well += 1;
            if as_well == ENOUGH {
                return (f64::from(ENOUGH) / f64::from(drawn), total / f64::from(drawn));
            }
        }
    }
    (f64::from(as_well + 1) / f64::from(DRAWS + 1), total / f64::from(DRAWS))
}

/// Standard deviations at which a bet against chance pays most, and the weight of each in the mixture.
const TILTS: [f64; 2] = [2.0, 4.0];
/// Standard deviations below which a sequence is no better than its rotations, so that the stake is lost.
const UNPROMISING: f64 = 1.0;
/// Part of the wealth that is not staked.
const KEPT: f64 = 0.25;

/// Logarithm of an e-value of the sum of members' values against all rotations of the values.
///
/// With any function `f` of the statistic, `f(observed) / mean f(rotation)` has an expectation of 1 where rotations are
/// exchangeable (Koning, arXiv 2310.01153). It reaches the length of the sequence; a calibrated rank of 1,024 reaches 21. `f` is
/// exponential in standard deviations, over two tilts; a quarter of the wealth is kept, so that no window takes
/// more than three quarters.
pub(crate) fn rotation_log_e_value(values: &[f64], members: &[usize]) -> f64 {
    let (length, count) = (values.len() as f64, members.len() as f64);
    let largest = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
    if members.is_empty() || members.len() == values.len() || largest == 0.0 {
        return 0.0;
    }
    let mean = values.iter().map(|value| value / largest / length).sum::<f64>();
    let centred: Vec<f64> = values.iter().map(|value| value / largest - mean).collect();
    let variance = centred.iter().map(|value| value * value).sum::<f64>() / length;
    let spread = (variance * count * (1.0 - count / length)).sqrt();
    if spread == 0.0 {
        return 0.0;
    }
    let place = |rotation: usize| {
        members.iter().map(|member| centred[(member + rotation) % centred.len()]).sum::<f64>() / spread
    };
    let observed = place(0);
    if observed <= UNPROMISING {
        return KEPT.ln();
    }
    let mut means = [0.0; TILTS.len()];
    for rotation in 0..values.len() {
        let placed = place(rotation);
        for (mean, tilt) in means.iter_mut().zip(TILTS) {
            *mean += (tilt * (placed - observed)).exp() / length;
        }
    }
    let won = means.iter().map(|mean| 1.0 / mean).sum::<f64>() / TILTS.len() as f64;
    (KEPT + (1.0 - KEPT) * won).ln()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn p_values_are_fair() {
        let mut low = 0;
        for trial in 0..2_000 {
            let mut generator = generator("fair", trial);
            let observed: f64 = generator.random();
            low += u32::from(p_value(observed, || generator.random()).0 <= 0.05);
        }
        // 100 expected; four standard deviations of the binomial are 39.
        assert!((61..=139).contains(&low), "{low}");
    }

    #[test]
    fn bets_on_rotations_are_fair() {
        let mut total = 0.0;
        let trials = 4_000;
        for trial in 0..trials {
            let mut generator = generator("rotations", trial);
            let values: Vec<f64> = (0..40).map(|_| generator.random::<f64>().powi(3)).collect();
            let members: Vec<usize> = (0..40).filter(|_| generator.random::<f64>() < 0.3).collect();
            total += rotation_log_e_value(&values, &members).exp();
        }
        // The mean of a fair bet is 1; its winnings are at most 20, so that .1 is four standard errors.
        assert!(total / trials as f64 <= 1.1, "{}", total / trials as f64);
    }

    #[test]
    fn a_clear_difference_wins_nearly_the_length_of_the_sequence() {
        let values: Vec<f64> = (0..256_u32)
            .map(|place| f64::from(place % 7 == 0) * 3.0 + f64::from(place * 37 % 101) / 101.0)
            .collect();
        let members: Vec<usize> = (0..256).filter(|place| place % 7 == 0).collect();
        let won = rotation_log_e_value(&values, &members).exp();
        assert!(won > 2.0 && won <= 256.0, "{won}");
    }
}
