//! Prioritised replay: which verified episodes are worth another look.

use std::ops::Range;

use rand::RngExt;
use rand::seq::index;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

use super::sum_tree::SumTree;
use crate::consolidate::batch::VerifiedEpisodes;
use crate::error::{Error, Result};
use crate::model::{Episode, Id};

/// Episodes held in memory at once while the log is read.
const PAGE: usize = 256;
/// Added to every priority, so that nothing is beyond reach (Schaul et al., 2016, section 3.3).
const FLOOR: f64 = 1e-3;
/// Importance of an episode that is not judged.
const IMPORTANCE: f32 = 0.5;

/// The constants of replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplaySettings {
    /// Part of the priority that is surprise, 0..1; the rest is importance.
    pub surprise: f64,
    /// How much priorities matter: 0 not at all, 1 in proportion.
    pub alpha: f64,
    /// How much of the bias the weights take back: 1 all of it.
    pub beta: f64,
    /// Part of a batch that is recent.
    pub recent_share: f64,
    /// How many of the latest verified episodes are recent.
    pub recent: usize,
}

impl Default for ReplaySettings {
    /// Alpha and beta as Schaul et al. (2016) found them best for the proportional variant; old and new interleaved 30 to 70.
    fn default() -> Self {
        Self { surprise: 0.5, alpha: 0.6, beta: 0.4, recent_share: 0.7, recent: 1_024 }
    }
}

impl ReplaySettings {
    /// The priority of an episode, as far as priorities matter.
    #[must_use]
    pub fn weight(&self, episode: &Episode) -> f64 {
        Entry::of(episode).priority(self).powf(self.alpha)
    }

    fn check(&self) -> Result<()> {
        let units = [("surprise", self.surprise), ("beta", self.beta), ("recent_share", self.recent_share)];
        for (name, number) in units.into_iter().chain([("alpha", self.alpha)]) {
            if !(0.0..=1.0).contains(&number) {
                return Err(Error::invalid(format!("{name} is {number}"), "It must be a number from 0 to 1"));
            }
        }
        Ok(())
    }
}

/// Features of a verified episode that replay uses.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Id of the episode.
    pub id: Id,
    /// Importance, 0..1.
    pub importance: f32,
    /// Expected importance, 0..1.
    pub curiosity: f32,
    /// Number of replays so far.
    pub replays: u32,
}

impl Entry {
    fn of(episode: &Episode) -> Self {
        Self {
            id: episode.id,
            importance: episode.annotations.importance.unwrap_or(IMPORTANCE),
            curiosity: episode.curiosity,
            replays: episode.annotations.replay_count,
        }
    }

    /// `w * |importance - curiosity| + (1 - w) * importance`, divided by how often it was seen: what was replayed falls.
    fn priority(&self, settings: &ReplaySettings) -> f64 {
        let (importance, curiosity) = (f64::from(self.importance), f64::from(self.curiosity));
        let surprise = (importance - curiosity).abs();
        let priority = settings.surprise * surprise + (1.0 - settings.surprise) * importance;
        FLOOR + priority / (1.0 + f64::from(self.replays))
    }
}

/// An episode that was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// Which.
    pub id: Id,
    /// With what probability it was the one, before any other was drawn.
    pub probability: f64,
    /// `(N * P)^-beta`, divided by the largest of the batch.
    pub weight: f64,
}

/// Verified episodes with their priorities, in the order of verification.
#[derive(Debug)]
pub struct ReplayBuffer {
    settings: ReplaySettings,
    entries: Vec<Entry>,
    tree: SumTree,
    last_verification: u64,
    /// Replays so far: each batch has its own chance, though the seed stays.
    replays: u64,
}

impl ReplayBuffer {
    /// Without episodes.
    pub fn new(settings: ReplaySettings) -> Result<Self> {
        settings.check()?;
        Ok(Self { settings, entries: Vec::new(), tree: SumTree::default(), last_verification: 0, replays: 0 })
    }

    /// How many episodes there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes in what was verified since the last time: a look at each new episode.
    pub fn refresh(&mut self, source: &impl VerifiedEpisodes) -> Result<()> {
        loop {
            let page = source.verified_since(self.last_verification, PAGE)?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            self.last_verification = *last;
            for (_, episode) in &page {
                self.add(episode);
            }
        }
    }

    fn add(&mut self, episode: &Episode) {
        self.push(Entry::of(episode));
    }

    /// Takes in one verified episode by the features that replay uses.
    pub fn push(&mut self, entry: Entry) {
        self.replays += u64::from(entry.replays);
        self.tree.push(entry.priority(&self.settings).powf(self.settings.alpha));
        self.entries.push(entry);
    }

    /// Draws `count` different episodes, or all if there are fewer: the recent share of them among the latest, the rest
    /// among the older ones, so that an old regime's lessons are not washed out. Their priorities fall. The same seed on the
    /// same history draws the same. Costs `count * log(len)`.
    pub fn sample(&mut self, count: usize, uniform: bool, seed: u64) -> Vec<Draw> {
        let drawn = if uniform { self.even(count, seed) } else { self.prioritised(count, seed) };
        self.replayed(drawn)
    }

    /// Draws in proportion to utilities that were worked out for candidates (see [`super::utility::utilities`]).
    pub fn sample_by(
        &mut self,
        candidates: &[usize],
        utilities: &[f64],
        count: usize,
        seed: u64,
    ) -> Vec<Draw> {
        let weights: Vec<f64> =
            utilities.iter().map(|utility| (FLOOR + utility.max(0.0)).powf(self.settings.alpha)).collect();
        let mut tree = SumTree::new(&weights);
        let mut generator = self.generator(seed);
        let drawn = without_replacement(&mut tree, 0..weights.len(), count, &mut generator);
        self.replayed(
            drawn.into_iter().map(|(index, probability)| (candidates[index], probability)).collect(),
        )
    }

    /// Places of at most `count` episodes, drawn evenly, the recent share among the latest, and without any effect: those
    /// whose utility is worth working out.
    #[must_use]
    pub fn candidates(&self, count: usize, seed: u64) -> Vec<usize> {
        let mut places: Vec<usize> = self.even(count, seed).into_iter().map(|(index, _)| index).collect();
        places.sort_unstable();
        places
    }

    /// The episode at a place.
    #[must_use]
    pub fn id(&self, place: usize) -> Id {
        self.entries[place].id
    }

    /// Ids of the latest `count` episodes, the latest first.
    pub fn latest(&self, count: usize) -> impl Iterator<Item = Id> + '_ {
        self.entries.iter().rev().take(count).map(|entry| entry.id)
    }

    /// The latest and the older episodes, and how many of `count` are to come from each.
    fn strata(&self, count: usize) -> [(Range<usize>, usize); 2] {
        let all = self.entries.len();
        let count = count.min(all);
        let border = all.saturating_sub(self.settings.recent);
        let recent = ((count as f64 * self.settings.recent_share).round() as usize)
            .min(all - border)
            .max(count.saturating_sub(border));
        [(border..all, recent), (0..border, count - recent)]
    }

    fn generator(&self, seed: u64) -> Pcg64Mcg {
        Pcg64Mcg::seed_from_u64(seed.wrapping_add(self.replays))
    }

    fn prioritised(&mut self, count: usize, seed: u64) -> Vec<(usize, f64)> {
        let mut generator = self.generator(seed);
        let mut drawn = Vec::new();
        for (range, wanted) in self.strata(count) {
            let share = wanted as f64 / count.min(self.entries.len()).max(1) as f64;
            let found = without_replacement(&mut self.tree, range, wanted, &mut generator);
            drawn.extend(found.into_iter().map(|(index, probability)| (index, share * probability)));
        }
        drawn
    }

    fn even(&self, count: usize, seed: u64) -> Vec<(usize, f64)> {
        let mut generator = self.generator(seed);
        let mut drawn = Vec::new();
        for (range, wanted) in self.strata(count) {
            let probability =
                wanted as f64 / count.min(self.entries.len()).max(1) as f64 / range.len().max(1) as f64;
            let found = index::sample(&mut generator, range.len(), wanted);
            drawn.extend(found.into_iter().map(|index| (range.start + index, probability)));
        }
        drawn
    }

    /// Lets the priorities of what was drawn fall, and weighs it; oldest first.
    fn replayed(&mut self, mut drawn: Vec<(usize, f64)>) -> Vec<Draw> {
        drawn.sort_unstable_by_key(|(index, _)| *index);
        for (index, _) in &drawn {
            let entry = &mut self.entries[*index];
            entry.replays = entry.replays.saturating_add(1);
            self.replays += 1;
            self.tree.set(*index, entry.priority(&self.settings).powf(self.settings.alpha));
        }
        self.weighed(&drawn)
    }

    fn weighed(&self, drawn: &[(usize, f64)]) -> Vec<Draw> {
        let all = self.entries.len() as f64;
        let weight = |probability: f64| (all * probability).powf(-self.settings.beta);
        let largest = drawn.iter().map(|(_, probability)| weight(*probability)).fold(0.0, f64::max);
        let draw = |(index, probability): &(usize, f64)| Draw {
            id: self.entries[*index].id,
            probability: *probability,
            weight: weight(*probability) / largest,
        };
        drawn.iter().map(draw).collect()
    }
}

/// Different places of a range with their probabilities, in proportion to their weights; the tree is left as it was.
pub(in crate::consolidate) fn without_replacement(
    tree: &mut SumTree,
    range: Range<usize>,
    count: usize,
    generator: &mut Pcg64Mcg,
) -> Vec<(usize, f64)> {
    let whole = tree.prefix(range.end) - tree.prefix(range.start);
    let mut drawn = Vec::with_capacity(count.min(range.len()));
    for _ in 0..count.min(range.len()) {
        let (from, to) = (tree.prefix(range.start), tree.prefix(range.end));
        let index =
            tree.find(from + generator.random::<f64>() * (to - from)).clamp(range.start, range.end - 1);
        drawn.push((index, tree.get(index)));
        tree.set(index, 0.0);
    }
    for (index, weight) in &drawn {
        tree.set(*index, *weight);
    }
    drawn.into_iter().map(|(index, weight)| (index, weight / whole)).collect()
}
