//! Causal links: does one sort of event follow another more often than chance would have it?

use std::collections::BTreeMap;
use std::f64::consts::LN_2;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use super::e_values::{log_e_value, log_mean};
use super::permutation_test::{generator, p_value};
use super::window::{Label, Window};

/// Events of each sort in a window below which nothing is tested.
pub(crate) const LEAST: usize = 8;
/// A lag is looked for up to so many usual distances between episodes.
const REACHES: [u64; 3] = [2, 6, 18];
/// Under chance an effect could as well have been another episode within so many times the reach.
const LEEWAY: u64 = 16;
/// Onsets of each sort that a test needs.
const ONSETS: usize = 5;

/// Result of testing one link on a window.
#[derive(Clone, Debug)]
pub(crate) struct LinkResult {
    /// Logarithm of the winnings.
    pub log_e_value: f64,
    /// Ticks within which the effect was looked for, at the reach that won most.
    pub within: u64,
    /// Onsets of the effect.
    pub effects: u64,
    /// Onsets of the effect that had the cause shortly before.
    pub had_cause: u64,
    /// How many would have had it by chance.
    pub expected: f64,
    /// The usual number of ticks between the two.
    pub lag: u64,
}

/// Tests whether `effect` follows `cause` within a few usual distances between episodes, at three reaches.
///
/// Bursts count once: only the first event of a run matters (runs declustering, as in extreme value statistics). Two tests
/// ask in different ways, and the winnings of both at all reaches are averaged; neither takes for a link what is merely
/// busy at the same hours or in the same sessions. [`moved`] finds causes that are rare beside other episodes,
/// [`asymmetry`] needs no other episodes.
pub(crate) fn test(window: &Window, cause: &Label, effect: &Label) -> Option<LinkResult> {
    let (causes, effects) = (window.ticks(cause), window.ticks(effect));
    let usual = usual_distance(window)?;
    let background = background(window, cause);
    let mut draws = generator(&format!("{} -> {}", cause.words(), effect.words()), window.number);
    let tested: Vec<LinkResult> = REACHES
        .iter()
        .filter_map(|reach| {
            let reach = reach.saturating_mul(usual);
            let (causes, effects) = (onsets(&causes, reach), onsets(&effects, reach));
            let enough = causes.len() >= ONSETS && effects.len() >= ONSETS;
            enough.then(|| within(&Pair { causes, effects, reach }, &background, &mut draws))
        })
        .collect();
    let winnings = log_mean(&tested.iter().map(|followed| followed.log_e_value).collect::<Vec<_>>());
    let best = tested.into_iter().max_by(|a, b| a.log_e_value.total_cmp(&b.log_e_value))?;
    Some(LinkResult { log_e_value: winnings, ..best })
}

/// Ticks of all episodes that are not the cause, in order: where an effect could as well have happened.
fn background(window: &Window, cause: &Label) -> Vec<u64> {
    let causes = window.events.get(cause).map_or(&[][..], Vec::as_slice);
    let others = (0..window.moments.len()).filter(|position| causes.binary_search(position).is_err());
    others.map(|position| window.moments[position].tick).collect()
}

/// Onsets of two sorts of event, and the ticks between them that count as following.
struct Pair {
    causes: Vec<u64>,
    effects: Vec<u64>,
    reach: u64,
}

impl Pair {
    /// Ticks since the last cause before this tick, if that is within reach.
    fn lag(&self, tick: u64) -> Option<u64> {
        let before = self.causes.partition_point(|cause| *cause < tick).checked_sub(1)?;
        Some(tick - self.causes[before]).filter(|lag| *lag <= self.reach)
    }

    /// Ticks until the next cause after this tick, if that is within reach.
    fn lead(&self, tick: u64) -> Option<u64> {
        let after = self.causes.get(self.causes.partition_point(|cause| *cause <= tick))?;
        Some(after - tick).filter(|lead| *lead <= self.reach)
    }
}

fn within(pair: &Pair, background: &[u64], draws: &mut Pcg64Mcg) -> LinkResult {
    let mut lags: Vec<u64> = pair.effects.iter().filter_map(|tick| pair.lag(*tick)).collect();
    lags.sort_unstable();
    let (p_moved, expected) = moved(pair, lags.len(), background, draws);
    LinkResult {
        log_e_value: log_mean(&[log_e_value(p_moved), log_e_value(asymmetry(pair))]),
        within: pair.reach,
        effects: pair.effects.len() as u64,
        had_cause: lags.len() as u64,
        expected,
        lag: lags.get(lags.len() / 2).copied().unwrap_or(0),
    }
}

/// Among which of the episodes nearby that are not the cause the effects are, is left to chance: a permutation of labels
/// within stretches of sixteen reaches, as interval jitter does it for spikes (Amarasingham, Harrison, Hatsopoulos and
/// Geman, Journal of Neurophysiology 107, 2012). The answer is the p-value, and how many would be followed.
fn moved(pair: &Pair, followed: usize, background: &[u64], draws: &mut Pcg64Mcg) -> (f64, f64) {
    let stretch = pair.reach.saturating_mul(LEEWAY);
    // The ticks of each stretch that has effects, and how many effects those are.
    let mut places: BTreeMap<u64, (Vec<u64>, usize)> = BTreeMap::new();
    for tick in &pair.effects {
        places.entry(tick / stretch).or_default().1 += 1;
    }
    for tick in background {
        if let Some((ticks, _)) = places.get_mut(&(tick / stretch)) {
            ticks.push(*tick);
        }
    }
    p_value(followed as f64, || {
        let mut count = 0;
        for (ticks, effects) in places.values_mut() {
            for place in 0..(*effects).min(ticks.len()) {
                let other = draws.random_range(place..ticks.len());
                ticks.swap(place, other);
                count += u32::from(pair.lag(ticks[place]).is_some());
            }
        }
        f64::from(count)
    })
}

/// Without a link the nearest cause is as often after the effect as before it, even with a common cause: this is the exact sign
/// test.
fn asymmetry(pair: &Pair) -> f64 {
    let (mut before, mut after) = (0_u64, 0_u64);
    for tick in &pair.effects {
        let (lag, lead) = (pair.lag(*tick).unwrap_or(u64::MAX), pair.lead(*tick).unwrap_or(u64::MAX));
        before += u64::from(lag < lead);
        after += u64::from(lead < lag);
    }
    at_least(before, before + after)
}

/// The probability of at least `heads` in `tosses` of a fair coin.
fn at_least(heads: u64, tosses: u64) -> f64 {
    let mut log_ways = 0.0;
    let mut sum = 0.0;
    let log_all = tosses as f64 * LN_2;
    for missed in 0..=tosses - heads {
        sum += (log_ways - log_all).exp();
        log_ways += ((tosses - missed) as f64 / (missed + 1) as f64).ln();
    }
    sum.min(1.0)
}

/// The median number of ticks between episodes of different ticks.
fn usual_distance(window: &Window) -> Option<u64> {
    let mut distances: Vec<u64> = window
        .moments
        .windows(2)
        .map(|pair| pair[1].tick - pair[0].tick)
        .filter(|distance| *distance > 0)
        .collect();
    distances.sort_unstable();
    distances.get(distances.len() / 2).copied()
}

/// Ticks that begin a run: nothing of the sort happened within `reach` ticks before.
fn onsets(ticks: &[u64], reach: u64) -> Vec<u64> {
    let mut previous = None;
    let mut onsets = Vec::new();
    for tick in ticks {
        if previous.is_none_or(|previous: u64| tick - previous > reach) {
            onsets.push(*tick);
        }
        previous = Some(*tick);
    }
    onsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins_fall_as_the_binomial_says() {
        assert!((at_least(0, 0) - 1.0).abs() < 1e-12);
        assert!((at_least(0, 9) - 1.0).abs() < 1e-12);
        assert!((at_least(2, 3) - 0.5).abs() < 1e-12);
        assert!((at_least(60, 100) - 0.028_443_966_820_490).abs() < 1e-12);
        assert!((at_least(400, 400) / 0.5_f64.powi(400) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn only_the_first_of_a_run_counts() {
        assert_eq!(onsets(&[1, 2, 4, 9, 10, 20], 2), [1, 9, 20]);
    }
}
