//! How often chance alone does as well: p-values by drawing again, from a seed.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

/// Draws at most; the smallest p-value is one more than this to one.
const DRAWS: u32 = 1_999;
/// As many draws that do as well end the test early.
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

/// The share of the rotations of a sequence of `length` that do at least as well as the sequence as it is (which is among
/// them). Both rotated parts keep their own rhythm. A result of above 1/8 is given as 1: it says nothing, and is soon seen.
pub(crate) fn rotation_p_value(length: usize, mut statistic: impl FnMut(usize) -> f64) -> f64 {
    let observed = statistic(0);
    let mut as_well = 1;
    for rotation in 1..length {
        // A rotation that only differs by rounding is no worse.
        if statistic(rotation) >= observed - observed.abs() * 1e-12 {
            as_well += 1;
            if as_well * 8 > length {
                return 1.0;
            }
        }
    }
    as_well as f64 / length.max(1) as f64
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
    fn the_best_of_all_rotations_has_the_least_p() {
        let best = rotation_p_value(200, |rotation| if rotation == 0 { 1.0 } else { 0.0 });
        assert!((best - 0.005).abs() < 1e-12);
        assert!((rotation_p_value(200, |_| 1.0) - 1.0).abs() < 1e-12);
    }
}
