//! One life: recall, choice, reward, consolidation and death, with the measures of the experiment.

use serde::{Deserialize, Serialize};

use super::curator::Curator;
use super::legacy::{Estate, Legacy};
use super::memory::{EntryKind, Experience, Memory};
use super::random::{Stream, bits};
use super::reader::{Estimate, Reader, Seen, Situation};
use super::settings::Arm;
use super::world::{Span, VenueKind, World};
use crate::error::Result;

/// Discount of an earlier prediction per later one, and predictions all good that a life begins with; as in the
/// vitality of an agent (`life/history.py`).
const FITNESS_DISCOUNT: f64 = 0.97;
const BIRTH_TRUST: f64 = 10.0;
/// Reward at which importance is 1 - 1/e.
const IMPORTANCE_SPAN: f32 = 2.0;
/// Ticks over which regret is averaged to detect recovery after a switch.
const RECOVERY_WINDOW: usize = 10;
/// Regret per tick above that before the switch that still counts as recovered.
const RECOVERY_MARGIN: f32 = 0.1;
/// Share of its squared error that an inherited estimate must remove to be trusted fully.
const TRUSTED_SKILL: f32 = 0.4;
/// Least trust of the gate.
const LEAST_GATE: f32 = 0.1;
/// Discount per observation of the errors of inherited estimates, and the observations of the prior.
const SKILL_DISCOUNT: f32 = 0.95;
const SKILL_PRIOR: f32 = 10.0;
/// Rewards beyond this size count as this in the errors of inherited estimates.
const SKILL_REWARD: f32 = 3.0;
/// Weight of hearsay in observations from which an estimate is inherited.
const SKILL_WEIGHT: f32 = 0.05;

/// Cause of death.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// No capital left.
    Ruin,
    /// A trap that killed.
    Trap,
    /// An accident, independent of the agent's acts.
    Hazard,
    /// Predictive fitness too low.
    Senescence,
    /// The longest life.
    Limit,
}

/// Measures of one life.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationRecord {
    /// Number of the generation; the first is 0.
    pub generation: u32,
    /// Ticks lived.
    pub lifetime: u32,
    /// Cause of death.
    pub cause: Cause,
    /// Mean regret per tick against the oracle, in units of reward.
    pub regret: f64,
    /// Mean ticks to recover after a regime switch; none without a switch in the life.
    pub recovery: Option<f64>,
    /// Traps that sprang.
    pub traps_sprung: u32,
    /// Share of entries about an offer whose payoff has not changed since, among those read; none if nothing was read.
    pub relevant: Option<f64>,
    /// Entries at birth.
    pub inherited: usize,
    /// Bytes at birth.
    pub bytes: usize,
    /// Capital at death.
    pub capital: f32,
}

/// An agent in its world.
#[derive(Debug)]
pub struct Life<'a> {
    world: &'a World,
    arm: &'a Arm,
    generation: u32,
    sibling: u32,
    reader: Reader<'a>,
    curator: Curator,
    memory: Memory,
    record: GenerationRecord,
    fitness: (f64, f64),
    skill: (f32, f32),
    regrets: Vec<f32>,
    switches: Vec<usize>,
    read: (u64, u64),
}

impl<'a> Life<'a> {
    /// An agent at birth.
    pub fn new(
        world: &'a World,
        arm: &'a Arm,
        generation: u32,
        sibling: u32,
        legacy: &Legacy,
    ) -> Result<Self> {
        let settings = &world.settings;
        Ok(Self {
            world,
            arm,
            generation,
            sibling,
            reader: Reader::new(world, arm),
            curator: Curator::new(settings)?,
            memory: Memory::new(settings, arm, legacy.entries.clone(), legacy.tests),
            record: GenerationRecord {
                generation,
                lifetime: 0,
                cause: Cause::Limit,
                regret: 0.0,
                recovery: None,
                traps_sprung: 0,
                relevant: None,
                inherited: legacy.entries.len(),
                bytes: legacy.bytes(),
                capital: settings.capital,
            },
            fitness: (BIRTH_TRUST, BIRTH_TRUST),
            skill: ((1.0 - TRUSTED_SKILL) * SKILL_PRIOR, SKILL_PRIOR),
            regrets: Vec::new(),
            switches: Vec::new(),
            read: (0, 0),
        })
    }

    /// Lives to the death.
    pub fn live(mut self) -> (GenerationRecord, Estate) {
        let settings = &self.world.settings;
        let birth = u64::from(self.generation) * u64::from(settings.life_limit);
        let mut span = self.world.span_at(birth);
        for age in 1..=settings.life_limit {
            let now = birth + u64::from(age) - 1;
            if self.world.spans.get(span + 1).is_some_and(|next| next.start <= now) {
                span += 1;
                if age > 1 && self.world.spans[span].switched {
                    self.switches.push(self.regrets.len());
                }
            }
            self.record.lifetime = age;
            let died = self.tick(&self.world.spans[span], u64::from(age), now);
            let at_limit = (age == settings.life_limit).then_some(Cause::Limit);
            if let Some(cause) = died.or(at_limit) {
                self.record.cause = cause;
                break;
            }
            if age % settings.curator_ticks == 0 {
                self.consolidate(u64::from(age));
            }
        }
        let last = u64::from(self.record.lifetime);
        // The last consolidation, before the legacy is made.
        self.consolidate(last);
        self.record.regret =
            self.regrets.iter().copied().map(f64::from).sum::<f64>() / self.regrets.len().max(1) as f64;
        self.record.recovery = recovery(&self.regrets, &self.switches);
        self.record.relevant = (self.read.1 > 0).then(|| self.read.0 as f64 / self.read.1 as f64);
        (self.record, Estate { memory: self.memory, tick: last })
    }

    fn consolidate(&mut self, tick: u64) {
        let key = [u64::from(self.generation), tick, u64::from(self.sibling)];
        let seed = bits(self.world.seed, Stream::Replay, key);
        self.curator.pass(self.world, self.arm, &mut self.memory, tick, seed);
    }

    /// One tick; the cause if the agent dies in it.
    fn tick(&mut self, span: &Span, tick: u64, world_tick: u64) -> Option<Cause> {
        let world = self.world;
        let settings = &world.settings;
        if world.hazard(world_tick, self.sibling) {
            return Some(Cause::Hazard);
        }
        let snapshot = world.snapshot(span.regime, world_tick);
        let offers = world.offers(world_tick, self.sibling);
        let situation =
            Situation { snapshot: &snapshot, offers: &offers, tick, world_tick, gate: self.gate() };
        let seen = self.reader.read(&self.memory, &situation);
        self.count_relevant(&seen, &offers, span);
        let choice = self.reader.choose(&self.memory, &seen, &situation);
        let oracle = offers
            .iter()
            .filter(|venue| span.kinds[**venue] != VenueKind::Trap)
            .map(|venue| span.payoffs[*venue])
            .fold(0.0, f32::max);
        let expected = choice.map_or(0.0, |(slot, _)| world.expected(span, offers[slot]));
        self.regrets.push(oracle - expected);
        self.record.capital -= settings.living_cost;
        if let Some((slot, estimate)) = choice {
            let venue = offers[slot];
            let reward = world.reward(span, world_tick, slot, venue, self.sibling);
            self.record.capital += reward.value;
            self.record.traps_sprung += u32::from(reward.sprung);
            self.predicted(&seen, venue, &situation, estimate, reward.value);
            let experience = Experience {
                venue: venue as u16,
                snapshot,
                reward: reward.value,
                importance: importance(reward.value),
                version: span.versions[venue],
                learned: world_tick,
            };
            if self.arm.quota > 0.0 {
                self.memory.meet(experience.venue, &snapshot);
            }
            self.memory.record(&experience, tick);
            self.curator.add(experience, importance(estimate.mean), reward.sprung);
            if reward.lethal {
                return Some(Cause::Trap);
            }
        }
        self.record.capital = self.record.capital.min(settings.capital_limit);
        if self.record.capital <= 0.0 {
            return Some(Cause::Ruin);
        }
        let (good, weight) = self.fitness;
        (tick >= u64::from(settings.fitness_age) && good / weight < settings.least_fitness)
            .then_some(Cause::Senescence)
    }

    /// Books how good a prediction was, of the agent and of its inherited entries alone.
    fn predicted(
        &mut self,
        seen: &[Seen],
        venue: usize,
        situation: &Situation<'_>,
        estimate: Estimate,
        reward: f32,
    ) {
        if estimate.weight > 0.0 {
            let hit = (estimate.mean > 0.0) == (reward > 0.0);
            let (good, weight) = self.fitness;
            self.fitness =
                (FITNESS_DISCOUNT * good + f64::from(u8::from(hit)), FITNESS_DISCOUNT * weight + 1.0);
        }
        if !self.arm.novelty_gate {
            return;
        }
        let hearsay = seen.iter().copied().filter(|one| {
            let entry = &self.memory.entries[one.place];
            entry.hearsay && entry.kind != EntryKind::Danger
        });
        let told = self.reader.estimate(&self.memory, hearsay, venue, situation.snapshot);
        if told.weight >= SKILL_WEIGHT {
            let reward = reward.clamp(-SKILL_REWARD, SKILL_REWARD);
            self.skill.0 = SKILL_DISCOUNT * self.skill.0 + (reward - told.mean).powi(2);
            self.skill.1 = SKILL_DISCOUNT * self.skill.1 + reward.powi(2);
        }
    }

    /// Trust in hearsay: 1 while inherited estimates remove 40 % of the squared error or more, least if they remove none.
    fn gate(&self) -> f32 {
        if !self.arm.novelty_gate {
            return 1.0;
        }
        let (error, variance) = self.skill;
        ((1.0 - error / variance.max(f32::MIN_POSITIVE)) / TRUSTED_SKILL).clamp(LEAST_GATE, 1.0)
    }

    fn count_relevant(&mut self, seen: &[Seen], offers: &[usize], span: &Span) {
        let is_relevant = |one: &&Seen| {
            let entry = &self.memory.entries[one.place];
            let venue = usize::from(entry.venue);
            offers.contains(&venue) && entry.version == span.versions[venue]
        };
        self.read.0 += seen.iter().filter(is_relevant).count() as u64;
        self.read.1 += seen.len() as u64;
    }
}

/// Importance of a reward: its size, 0..1.
fn importance(reward: f32) -> f32 {
    1.0 - (-reward.abs() / IMPORTANCE_SPAN).exp()
}

/// Mean ticks from a switch until the mean regret of ten ticks is back at that of the ten before the switch. A switch
/// without recovery counts until the next switch, or the death; one within ten ticks of another is left out.
fn recovery(regrets: &[f32], switches: &[usize]) -> Option<f64> {
    let mean = |ticks: &[f32]| ticks.iter().sum::<f32>() / ticks.len() as f32;
    let mut found = Vec::new();
    for (place, &switch) in switches.iter().enumerate() {
        let end = switches.get(place + 1).copied().unwrap_or(regrets.len());
        let start = if place == 0 { 0 } else { switches[place - 1] };
        if switch - start < RECOVERY_WINDOW || end - switch < RECOVERY_WINDOW {
            continue;
        }
        let before = mean(&regrets[switch - RECOVERY_WINDOW..switch]) + RECOVERY_MARGIN;
        let back = (switch + RECOVERY_WINDOW..=end)
            .find(|&tick| mean(&regrets[tick - RECOVERY_WINDOW..tick]) <= before)
            .unwrap_or(end);
        found.push((back - switch) as f64);
    }
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}
