//! Whether a confidence means what it says: how often facts held that were about so sure, and what a confidence is worth.
//!
//! Confidences move by fixed steps, which keeps their order but promises no frequency. So every outcome is counted
//! under the confidence that its fact had before it, and an isotonic map (Ayer, Brunk, Ewing, Reid and Silverman, Annals of
//! Mathematical Statistics 26, 1955: pool adjacent violators) says how often facts of that confidence held.

use crate::error::Result;
use crate::facts::FactStore;
use crate::facts::outcomes::{counted, outcome_tally};
use crate::facts::rows as record;
use crate::model::Id;
use crate::model::decay::confidence_now;

/// Outcomes that a bin is taken to have seen at its own confidence before the first: with few outcomes the map stays near
/// what it corrects.
const PRIOR: f64 = 4.0;

/// Outcomes of its own that a fact needs before they count as much as what its confidence is worth. Of 2 to 8, the most gave
/// the least Brier score and calibration error in simulations (`python -m truth --only confidence` in `benches/`).
const OWN_PRIOR: f64 = 8.0;

/// Outcomes by confidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Outcomes, and how many of them were good, in each of 20 equal parts of 0..1; halved every 512 outcomes.
    pub bins: Vec<(u64, u64)>,
    /// Outcomes in all.
    pub outcomes: u64,
    /// Sum over all the outcomes of `(confidence - outcome)^2`, the outcome being 1 or 0.
    pub squares: f64,
    /// How often facts of the confidence in the middle of each bin hold; never falls.
    map: Vec<f64>,
}

impl Calibration {
    /// The calibration by counted outcomes.
    #[must_use]
    pub fn new(bins: Vec<(u64, u64)>, outcomes: u64, squares: f64) -> Self {
        let map = isotonic(&bins);
        Self { bins, outcomes, squares, map }
    }

    /// The calibration by outcomes that were counted by confidence alone.
    #[must_use]
    pub fn of_bins(bins: &[(u64, u64)]) -> Self {
        Self::new(bins.to_vec(), bins.iter().map(|(judged, _)| judged).sum(), 0.0)
    }

    /// How often facts of this confidence hold, 0..1: between the middles of bins on a straight line.
    #[must_use]
    pub fn of(&self, confidence: f64) -> f64 {
        let last = self.map.len() - 1;
        let place = (confidence.clamp(0.0, 1.0) * self.map.len() as f64 - 0.5).clamp(0.0, last as f64);
        let below = place.floor() as usize;
        let part = place - below as f64;
        let above = (below + 1).min(last);
        self.map[below] + part * (self.map[above] - self.map[below])
    }
}

/// Compares the confidences of a store with its outcomes.
pub fn calibration(store: &FactStore) -> Result<Calibration> {
    let (bins, outcomes, squares) = store.read(|connection| counted(connection))?;
    Ok(Calibration::new(bins, outcomes, squares))
}

/// How often each of these facts is to be expected to hold at a tick: what its confidence is worth by all outcomes, and its
/// own outcomes as far as there are any (the mean of a beta distribution; Gelman and others, Bayesian Data Analysis, section
/// 2.4). `None` where there is no such fact.
pub fn stated(store: &FactStore, ids: &[Id], tick: u64) -> Result<Vec<Option<f64>>> {
    let tau_ticks = store.retention().tau_ticks;
    store.read(|connection| {
        let (bins, outcomes, squares) = counted(connection)?;
        let map = Calibration::new(bins, outcomes, squares);
        ids.iter()
            .map(|id| {
                let Some(stored) = record::find(connection, *id)? else { return Ok(None) };
                let worth = map.of(confidence_now(&stored.fact, tick, tau_ticks));
                let (good, bad) = outcome_tally(connection, stored.serial)?
                    .map_or((0.0, 0.0), |own| (own.good as f64, own.bad as f64));
                Ok(Some((good + OWN_PRIOR * worth) / (good + bad + OWN_PRIOR)))
            })
            .collect()
    })
}

/// The never falling numbers that are nearest to the rates of the bins, each bin counting as much as it saw.
fn isotonic(bins: &[(u64, u64)]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (bin, (judged, held)) in bins.iter().enumerate() {
        let middle = (bin as f64 + 0.5) / bins.len() as f64;
        pools.push((*judged as f64 + PRIOR, *held as f64 + PRIOR * middle, 1));
        while let [.., before, last] = pools.as_slice()
            && before.1 / before.0 > last.1 / last.0
        {
            let joined = (before.0 + last.0, before.1 + last.1, before.2 + last.2);
            pools.truncate(pools.len() - 2);
            pools.push(joined);
        }
    }
    pools.into_iter().flat_map(|(seen, held, width)| std::iter::repeat_n(held / seen, width)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::facts::outcomes::BINS;

    #[test]
    fn without_outcomes_a_confidence_is_taken_at_its_word() {
        let fresh = Calibration::new(vec![(0, 0); BINS], 0, 0.0);
        for confidence in [0.1, 0.5, 0.77, 0.9] {
            assert!((fresh.of(confidence) - confidence).abs() < 1e-9);
        }
    }

    #[test]
    fn a_fact_that_seldom_holds_is_worth_less_than_its_confidence() {
        let mut bins = vec![(0, 0); BINS];
        bins[18] = (1_000, 600);
        let map = Calibration::new(bins, 0, 0.0);
        assert!((map.of(0.925) - 0.6).abs() < 0.02, "{}", map.of(0.925));
        assert!(map.of(0.3) < 0.31, "where nothing was seen it stays");
    }

    proptest! {
        #[test]
        fn more_sure_is_never_worth_less(
            bins in prop::collection::vec((0..500_u64, 0.0..1.0_f64), BINS), a in 0.0..1.0_f64, b in 0.0..1.0_f64,
        ) {
            let bins = bins.into_iter().map(|(judged, part)| (judged, (judged as f64 * part) as u64)).collect();
            let map = Calibration::new(bins, 0, 0.0);
            let (less, more) = (a.min(b), a.max(b));
            prop_assert!(map.of(less) <= map.of(more) + 1e-12);
            prop_assert!((0.0..=1.0).contains(&map.of(a)));
        }
    }
}
