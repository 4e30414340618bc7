//! Memory of a simulated agent: episodes and facts as rows, with bardo's decay, renewal and eviction.

use super::settings::{Arm, WorldSettings};
use super::world::{SNAPSHOT, Snapshot};
use crate::consolidate::{CONFIRM_OBSERVATIONS, Statistic};
use crate::facts::Retention;
use crate::model::decay::{DecayFactors, decay, is_spaced, renewed};
use crate::model::{FactKind, Source, is_from_death};

/// Confidence of a fact, or of anti-knowledge, when it is learned.
const FRESH_CONFIDENCE: f64 = 0.6;
/// Distance of two snapshots of one market, relative to that of two markets.
const SAME_MARKET: f32 = 0.6;
/// Mean squared distance of the centres of two random regimes of four, per dimension.
const BETWEEN_REGIMES: f32 = 1.5;
/// Standard errors between a fact and an observation from which the observation refutes the fact.
const REFUTED_ERRORS: f64 = 2.5;

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// One raw experience.
    Episode,
    /// Mean reward of a venue in a market.
    Fact,
    /// Anti-knowledge: a trap.
    Danger,
}

/// One entry of a memory.
#[expect(clippy::struct_excessive_bools, reason = "independent marks, as a fact has them")]
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub kind: EntryKind,
    pub venue: u16,
    pub snapshot: Snapshot,
    pub statistic: Statistic,
    /// Confidence as of `reinforced`.
    pub confidence: f32,
    pub importance: f32,
    /// Supporting episodes of a fact; replays of an episode plus 1.
    pub support: u32,
    /// Tick of the life from which decay counts.
    pub reinforced: u64,
    /// Tick of the last repetition that counted.
    pub spaced: Option<u64>,
    /// Deaths since the agent that lived it; 0 is the agent's own.
    pub generation: u32,
    /// Whether a predecessor handed it down, and this life did not confirm it.
    pub inherited: bool,
    /// Whether recall discounts it as hearsay.
    pub hearsay: bool,
    pub bloodstain: bool,
    /// Whether an outcome verified an episode.
    pub verified: bool,
    /// Whether this life took the venue in this market.
    pub met: bool,
    /// Version of the payoff that the latest observation had.
    pub version: u32,
    /// World tick of the latest observation.
    pub learned: u64,
}

/// One experience, as it is learned from.
#[derive(Clone, Copy, Debug)]
pub struct Experience {
    pub venue: u16,
    pub snapshot: Snapshot,
    pub reward: f32,
    pub importance: f32,
    pub version: u32,
    pub learned: u64,
}

/// Tests of inherited facts by the lives of a lineage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DriftTests {
    /// Inherited facts that own experience refuted.
    pub refuted: f64,
    /// Ages of all tested facts in ticks, together.
    pub age: f64,
}

/// Ticks of life that the prior of the drift rate is worth, per half a refutation.
const PRIOR_AGE: f64 = 1_000.0;

impl DriftTests {
    /// Refutations per tick of age, with a prior of half a refutation in 1,000 ticks.
    pub fn rate(&self) -> f64 {
        (self.refuted + 0.5) / (self.age + PRIOR_AGE)
    }
}

/// Entries, and the constants that they fade by.
#[derive(Clone, Debug)]
pub struct Memory {
    pub entries: Vec<Entry>,
    pub tests: DriftTests,
    retention: Retention,
    tau_ticks: f64,
    forgetting: bool,
    bloodstain: bool,
    scale: f32,
    noise: f64,
}

impl Memory {
    pub fn new(settings: &WorldSettings, arm: &Arm, entries: Vec<Entry>, tests: DriftTests) -> Self {
        Self {
            entries,
            tests,
            retention: Retention { tau_ticks: settings.tau_ticks, ..Retention::default() },
            tau_ticks: settings.tau_ticks,
            forgetting: arm.forgetting,
            bloodstain: arm.bloodstain,
            scale: snapshot_scale(settings),
            noise: f64::from(settings.reward_noise),
        }
    }

    /// Factors of the decay of an entry.
    fn factors(&self, entry: &Entry) -> DecayFactors {
        let kind = if entry.kind == EntryKind::Danger { FactKind::AntiKnowledge } else { FactKind::Insight };
        let source = if entry.hearsay { Source::Testament } else { Source::SelfLived };
        DecayFactors {
            tau_ticks: self.tau_ticks,
            kind,
            from_death: is_from_death(kind, entry.bloodstain, source),
            pinned: !self.forgetting,
            persistence: None,
        }
    }

    /// Retention and confidence of an entry at a tick of the life.
    pub fn now(&self, entry: &Entry, tick: u64) -> (f32, f32) {
        if !self.forgetting {
            return (1.0, entry.confidence);
        }
        let factors = self.factors(entry);
        let elapsed = tick.saturating_sub(entry.reinforced);
        let retention = decay(1.0, entry.support, elapsed, &factors);
        let confidence = match entry.kind {
            EntryKind::Episode if !entry.inherited => 1.0,
            EntryKind::Danger => decay(f64::from(entry.confidence), entry.support, elapsed, &factors),
            // Without a floor, confidence fades by the retention.
            EntryKind::Episode | EntryKind::Fact => f64::from(entry.confidence) * retention,
        };
        (retention as f32, confidence as f32)
    }

    /// Whether two snapshots show one market.
    pub fn same_market(&self, one: &Snapshot, two: &Snapshot) -> bool {
        distance(one, two) < SAME_MARKET * self.scale
    }

    /// Merges an experience into the fact about the same venue in the same market, or adds a fact. A fact that the
    /// experience refutes is superseded by the new one.
    pub fn learn(&mut self, seen: &Experience, tick: u64) {
        let nearest = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.kind == EntryKind::Fact && entry.venue == seen.venue)
            .map(|(place, entry)| (place, distance(&entry.snapshot, &seen.snapshot)))
            .filter(|(_, apart)| *apart < SAME_MARKET * self.scale)
            .min_by(|one, two| one.1.total_cmp(&two.1));
        if let Some((place, _)) = nearest {
            let known = &self.entries[place];
            let error = self.noise * (1.0 + 1.0 / known.statistic.n as f64).sqrt();
            let refuted = (known.statistic.mean - f64::from(seen.reward)).abs() > REFUTED_ERRORS * error;
            if known.inherited {
                self.tests.age += seen.learned.saturating_sub(known.learned) as f64;
                self.tests.refuted += f64::from(u8::from(refuted));
            }
            if !refuted {
                self.renew(place, seen, tick);
                return;
            }
            self.entries.swap_remove(place);
        }
        self.entries.push(self.fresh(EntryKind::Fact, seen, tick));
    }

    /// Records that a trap sprang.
    pub fn warn(&mut self, seen: &Experience, tick: u64) {
        let known = self
            .entries
            .iter()
            .position(|entry| entry.kind == EntryKind::Danger && entry.venue == seen.venue);
        match known {
            Some(place) => self.renew(place, seen, tick),
            None => self.entries.push(self.fresh(EntryKind::Danger, seen, tick)),
        }
    }

    /// Renews a known entry by an experience that agrees; it is the agent's own from now on.
    fn renew(&mut self, place: usize, seen: &Experience, tick: u64) {
        let (_, before) = self.now(&self.entries[place], tick);
        let retention = self.retention;
        let entry = &mut self.entries[place];
        let counted = is_spaced(entry.spaced, retention.spacing_ticks, tick);
        let stated = if entry.inherited { FRESH_CONFIDENCE } else { 0.0 };
        entry.confidence = renewed(f64::from(before), stated, counted, retention.reinforcement) as f32;
        entry.reinforced = tick;
        if counted {
            entry.support = entry.support.saturating_add(1);
            entry.spaced = Some(tick);
        }
        entry.statistic = entry.statistic.merge(&Statistic::of(f64::from(seen.reward)));
        let share = 1.0 / entry.statistic.n as f32;
        for axis in 0..SNAPSHOT {
            entry.snapshot[axis] += share * (seen.snapshot[axis] - entry.snapshot[axis]);
        }
        entry.importance = entry.importance.max(seen.importance);
        (entry.inherited, entry.hearsay, entry.generation) = (false, false, 0);
        (entry.version, entry.learned) = (seen.version, seen.learned);
    }

    fn fresh(&self, kind: EntryKind, seen: &Experience, tick: u64) -> Entry {
        let confidence = if kind == EntryKind::Episode { 1.0 } else { FRESH_CONFIDENCE };
        Entry {
            kind,
            venue: seen.venue,
            snapshot: seen.snapshot,
            statistic: Statistic::of(f64::from(seen.reward)),
            confidence: confidence as f32,
            importance: seen.importance,
            support: 1,
            reinforced: tick,
            spaced: None,
            generation: 0,
            inherited: false,
            hearsay: false,
            bloodstain: self.bloodstain && kind == EntryKind::Danger,
            verified: true,
            met: false,
            version: seen.version,
            learned: seen.learned,
        }
    }

    /// Whether own experience of a venue speaks against a danger: enough of it, and it paid on average.
    pub fn refutes(&self, danger: &Entry) -> bool {
        let own = self
            .entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::Fact && !entry.inherited && entry.venue == danger.venue);
        let (count, sum) = own.fold((0, 0.0), |(count, sum), entry| {
            (count + entry.statistic.n, sum + entry.statistic.n as f64 * entry.statistic.mean)
        });
        count >= CONFIRM_OBSERVATIONS && sum > 0.0
    }

    /// Records an episode.
    pub fn record(&mut self, seen: &Experience, tick: u64) {
        self.entries.push(self.fresh(EntryKind::Episode, seen, tick));
    }

    /// Marks the inherited facts about a venue in a market as put to the test by this life.
    pub fn meet(&mut self, venue: u16, snapshot: &Snapshot) {
        let reach = SAME_MARKET * self.scale;
        for entry in &mut self.entries {
            if entry.inherited && entry.venue == venue && distance(&entry.snapshot, snapshot) < reach {
                entry.met = true;
            }
        }
    }

    /// Evicts the facts below a confidence; own episodes stay.
    pub fn evict(&mut self, threshold: f32, tick: u64) {
        if !self.forgetting {
            return;
        }
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|entry| self.now(entry, tick).1 >= threshold);
        self.entries = entries;
    }
}

/// Mean squared distance of two snapshots at random ticks, per dimension: the unit of likeness of markets.
pub fn snapshot_scale(settings: &WorldSettings) -> f32 {
    2.0 * settings.cue_noise.powi(2) + BETWEEN_REGIMES
}

/// Mean squared difference per dimension.
pub fn distance(one: &Snapshot, two: &Snapshot) -> f32 {
    one.iter().zip(two).map(|(a, b)| (a - b) * (a - b)).sum::<f32>() / SNAPSHOT as f32
}
