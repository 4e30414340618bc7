//! Recall and choice: the few entries of the highest four-factor score, and the offer of the highest upper confidence
//! bound by these entries alone.

use super::memory::{Entry, EntryKind, Memory, distance, snapshot_scale};
use super::random::{Stream, normal};
use super::settings::Arm;
use super::world::{Snapshot, World};
use crate::model::{Id, Source};
use crate::recall::danger_seats::{self, Fit};
use crate::recall::fuse::{LEAST_SPREAD, Scale};
use crate::recall::rule_seats::seats_of;
use crate::recall::score::{
    NEUTRAL, Term, four_factors, inherited, relevance, temporal_of_episode, temporal_of_fact, trust,
};
use crate::recall::settings::Settings;
use crate::recall::top_k::TopK;

/// Distance of two venues (1 - cosine) at which the weight of an observation has fallen to 1/e.
const VENUE_SPAN: f32 = 0.15;
/// Exponent of the discount of a snapshot that lies at the distance of two random ones.
const MARKET_DISCOUNT: f32 = 2.0;
/// Weight of the expectation of 0 for an offer, in observations.
const PRIOR_WEIGHT: f32 = 1.0;

/// An entry that was read, with its weight by confidence and age.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Place in the memory.
    pub place: usize,
    /// Confidence now, after the discounts of the arm.
    pub confidence: f32,
}

/// Situation at a tick.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    pub snapshot: &'a Snapshot,
    pub offers: &'a [usize],
    /// Tick of the life.
    pub tick: u64,
    /// Tick of the world.
    pub world_tick: u64,
    /// Factor on the confidence of hearsay, 0..1.
    pub gate: f32,
}

/// Estimate of the reward of an offer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub mean: f32,
    /// Weight of the entries behind it, in observations.
    pub weight: f32,
}

/// Reader of a memory.
#[derive(Debug)]
pub struct Reader<'a> {
    world: &'a World,
    arm: &'a Arm,
    settings: Settings,
    scale: f32,
}

impl<'a> Reader<'a> {
    pub fn new(world: &'a World, arm: &'a Arm) -> Self {
        let mut settings = Settings { tau_ticks: world.settings.tau_ticks, ..Settings::default() };
        if !arm.bloodstain {
            settings.bloodstain_boost = 1.0;
        }
        Self { world, arm, settings, scale: snapshot_scale(&world.settings) }
    }

    /// Reads the entries of the highest score, or an equal share of them for each offer.
    pub fn read(&self, memory: &Memory, situation: &Situation<'_>) -> Vec<Seen> {
        let count = self.world.settings.entries_read;
        let places: Vec<usize> = if self.arm.quota_per_offer {
            let share = count.div_ceil(situation.offers.len());
            situation.offers.iter().flat_map(|offer| self.best(memory, situation, &[*offer], share)).collect()
        } else {
            self.best(memory, situation, situation.offers, count)
        };
        let mut seen = if self.arm.danger_seats { self.dangers(memory, situation) } else { Vec::new() };
        for place in places {
            if seen.len() == count {
                break;
            }
            if !seen.contains(&place) {
                seen.push(place);
            }
        }
        seen.sort_unstable();
        let confidence = |place: usize| self.state(memory, &memory.entries[place], situation).1;
        seen.into_iter().map(|place| Seen { place, confidence: confidence(place) }).collect()
    }

    /// Places of the dangers that take a seat, as recall seats them.
    fn dangers(&self, memory: &Memory, situation: &Situation<'_>) -> Vec<usize> {
        let relevances = self.relevances(situation.offers);
        let dangers = memory.entries.iter().enumerate().filter(|(_, entry)| entry.kind == EntryKind::Danger);
        let fitted = dangers.map(|(place, entry)| {
            let relevance = self.noisy(relevances[usize::from(entry.venue)], place, situation);
            let (retention, _) = self.state(memory, entry, situation);
            let fit = Fit {
                relevance,
                is_met: situation.offers.contains(&usize::from(entry.venue)),
                is_refuted: entry.inherited && memory.refutes(entry),
            };
            (place, fit, self.undiscounted(entry, relevance, retention))
        });
        danger_seats::choose(fitted, seats_of(self.world.settings.entries_read))
    }

    /// Relevance of an entry with the noise of retrieval.
    fn noisy(&self, relevance: f32, place: usize, situation: &Situation<'_>) -> f32 {
        let noise = self.world.settings.retrieval_noise;
        if noise == 0.0 {
            return relevance;
        }
        let key = [situation.world_tick, place as u64, situation.offers[0] as u64];
        relevance + noise * normal(self.world.seed, Stream::Retrieval, key)
    }

    /// Retention of an entry, and its confidence after the discounts of the arm.
    fn state(&self, memory: &Memory, entry: &Entry, situation: &Situation<'_>) -> (f32, f32) {
        let (retention, mut confidence) = memory.now(entry, situation.tick);
        if entry.hearsay && entry.kind != EntryKind::Danger {
            confidence *= situation.gate;
        }
        if self.arm.age_discount > 0.0 {
            let age = situation.world_tick.saturating_sub(entry.learned) as f32;
            confidence *= (-age / self.arm.age_discount).exp();
        }
        (retention, confidence)
    }

    /// Places of the entries of the highest score for these offers.
    fn best(&self, memory: &Memory, situation: &Situation<'_>, offers: &[usize], count: usize) -> Vec<usize> {
        let relevances = self.relevances(offers);
        let mut best = TopK::new(count);
        let situation = &Situation { offers, ..*situation };
        for (place, entry) in memory.entries.iter().enumerate() {
            let relevance = self.noisy(relevances[usize::from(entry.venue)], place, situation);
            // Nothing fades upwards: without decay the score is at its upper bound, and most entries stay below the best.
            if self.score(entry, relevance, 1.0, 1.0) < best.least() {
                continue;
            }
            let (retention, confidence) = self.state(memory, entry, situation);
            best.add(place as u32, self.score(entry, relevance, retention, confidence));
        }
        // Of equal scores the latest entries are read.
        let id = |place: u32| Some(Id((u128::MAX - u128::from(place)).to_be_bytes()));
        best.sorted(id).into_iter().map(|(place, _)| place as usize).collect()
    }

    /// Relevance of each venue to the nearest of these offers, 0..1.
    fn relevances(&self, offers: &[usize]) -> Vec<f32> {
        let venues = self.world.settings.venues;
        let nearest = |venue: usize| {
            let cosines = offers.iter().map(|offer| self.world.cosines[venue * venues + offer]);
            cosines.fold(-1.0, f32::max)
        };
        let cosines: Vec<f32> = (0..venues).map(nearest).collect();
        let scale = Scale::of(cosines.iter().copied().map(Some), LEAST_SPREAD[0]);
        let fused = |cosine: f32| self.settings.weights.dense * scale.place(Some(cosine));
        let best = fused(1.0);
        cosines.into_iter().map(|cosine| relevance(fused(cosine), best)).collect()
    }

    fn score(&self, entry: &Entry, relevance: f32, retention: f32, confidence: f32) -> f32 {
        let score = self.undiscounted(entry, relevance, retention);
        if !self.world.settings.trust_in_score {
            return score;
        }
        let source = if entry.hearsay { inherited(Source::Testament) } else { 1.0 };
        score * trust(confidence) * source
    }

    /// Score of an entry that is fully believed.
    fn undiscounted(&self, entry: &Entry, relevance: f32, retention: f32) -> f32 {
        let temporal = match entry.kind {
            EntryKind::Episode if entry.verified => temporal_of_episode(retention),
            EntryKind::Episode => NEUTRAL,
            EntryKind::Fact | EntryKind::Danger => temporal_of_fact(entry.support, retention),
        };
        let terms = four_factors(&self.settings.factors, relevance, temporal, entry.importance, NEUTRAL);
        let sum: f32 = terms.iter().map(Term::part).sum();
        if entry.bloodstain { sum * self.settings.bloodstain_boost } else { sum }
    }

    /// Kernel regression of the reward of a venue on entries that were read.
    pub fn estimate(
        &self,
        memory: &Memory,
        seen: impl Iterator<Item = Seen>,
        venue: usize,
        snapshot: &Snapshot,
    ) -> Estimate {
        let (mut sum, mut weight) = (0.0, 0.0);
        for Seen { place, confidence } in seen {
            let entry = &memory.entries[place];
            let cosine = self.world.cosines[venue * self.world.settings.venues + usize::from(entry.venue)];
            let near =
                if usize::from(entry.venue) == venue { 1.0 } else { ((cosine - 1.0) / VENUE_SPAN).exp() };
            // A trap is a trap in every market.
            let market = if entry.kind == EntryKind::Danger {
                1.0
            } else {
                (-MARKET_DISCOUNT * distance(&entry.snapshot, snapshot) / self.scale).exp()
            };
            let observations = (entry.statistic.n as f32).min(self.world.settings.pseudo_count);
            let part = confidence * near * market * observations;
            sum += part * entry.statistic.mean as f32;
            weight += part;
        }
        Estimate { mean: sum / (weight + PRIOR_WEIGHT), weight }
    }

    /// Place of the offer of the highest upper confidence bound with its estimate; none to abstain.
    pub fn choose(
        &self,
        memory: &Memory,
        seen: &[Seen],
        situation: &Situation<'_>,
    ) -> Option<(usize, Estimate)> {
        let mut best: Option<(usize, Estimate, f32)> = None;
        for (slot, venue) in situation.offers.iter().enumerate() {
            let estimate = self.estimate(memory, seen.iter().copied(), *venue, situation.snapshot);
            let bonus = self.world.settings.exploration / (PRIOR_WEIGHT + estimate.weight).sqrt();
            let bound = estimate.mean + bonus;
            if bound > best.map_or(0.0, |(_, _, bound)| bound) {
                best = Some((slot, estimate, bound));
            }
        }
        best.map(|(slot, estimate, _)| (slot, estimate))
    }
}
