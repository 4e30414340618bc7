//! The Curator of a simulated agent: replays a batch of episodes into facts, warns of sprung traps, evicts.

use super::memory::{EntryKind, Experience, Memory};
use super::settings::{Arm, Replay, WorldSettings};
use super::world::World;
use crate::consolidate::{ReplayBuffer, ReplayEntry, ReplaySettings, discounted_need, mean_shift};
use crate::error::Result;
use crate::model::Id;

/// Latest situations by which the need of a replay is judged.
const LATELY: usize = 64;

/// Episode of the life, as the Curator sees it.
#[derive(Clone, Copy, Debug)]
struct Lived {
    experience: Experience,
    sprung: bool,
    counted: bool,
}

/// Episodes of a life with their priorities.
#[derive(Debug)]
pub struct Curator {
    buffer: ReplayBuffer,
    lived: Vec<Lived>,
    /// Episodes that earlier passes have searched for sprung traps.
    searched: usize,
}

impl Curator {
    pub fn new(settings: &WorldSettings) -> Result<Self> {
        let replay = ReplaySettings {
            surprise: settings.surprise,
            recent_share: settings.recent_share,
            recent: settings.curator_ticks as usize,
            ..ReplaySettings::default()
        };
        Ok(Self { buffer: ReplayBuffer::new(replay)?, lived: Vec::new(), searched: 0 })
    }

    /// Takes in one episode; `curiosity` is the importance that the agent expected.
    pub fn add(&mut self, experience: Experience, curiosity: f32, sprung: bool) {
        let id = Id((self.lived.len() as u128).to_be_bytes());
        self.buffer.push(ReplayEntry { id, importance: experience.importance, curiosity, replays: 0 });
        self.lived.push(Lived { experience, sprung, counted: false });
    }

    /// One pass at a tick of the life.
    pub fn pass(&mut self, world: &World, arm: &Arm, memory: &mut Memory, tick: u64, seed: u64) {
        for place in self.draw(world, arm, memory, seed) {
            let lived = &mut self.lived[place];
            // Each episode counts once, however often it is replayed.
            if !std::mem::replace(&mut lived.counted, true) {
                memory.learn(&lived.experience, tick);
            }
        }
        if arm.anti_knowledge {
            for lived in self.lived[self.searched..].iter().filter(|lived| lived.sprung) {
                memory.warn(&lived.experience, tick);
            }
        }
        self.searched = self.lived.len();
        memory.evict(world.settings.eviction_threshold, tick);
    }

    fn draw(&mut self, world: &World, arm: &Arm, memory: &Memory, seed: u64) -> Vec<usize> {
        let count = world.settings.batch;
        let drawn = match arm.replay {
            Replay::Prioritised => self.buffer.sample(count, false, seed),
            Replay::Uniform => self.buffer.sample(count, true, seed),
            Replay::MattarDaw => {
                let candidates = self.buffer.candidates(4 * count, seed);
                let utilities: Vec<f64> =
                    candidates.iter().map(|place| self.utility(world, memory, *place)).collect();
                self.buffer.sample_by(&candidates, &utilities, count, seed)
            }
        };
        drawn.into_iter().map(|draw| u128::from_be_bytes(draw.id.0) as usize).collect()
    }

    /// Gain times need of replaying an episode.
    fn utility(&self, world: &World, memory: &Memory, place: usize) -> f64 {
        let seen = &self.lived[place].experience;
        let known = memory.entries.iter().find(|entry| {
            entry.kind == EntryKind::Fact
                && entry.venue == seen.venue
                && memory.same_market(&entry.snapshot, &seen.snapshot)
        });
        let gain = known.map_or(1.0, |entry| {
            let deviation = f64::from(world.settings.reward_noise);
            mean_shift(f64::from(seen.reward), entry.statistic.n as f64, entry.statistic.mean, deviation)
        });
        let row = usize::from(seen.venue) * world.settings.venues;
        let latest = self.lived.iter().rev().take(LATELY);
        gain * discounted_need(
            latest.map(|other| {
                f64::from(world.cosines[row + usize::from(other.experience.venue)].clamp(0.0, 1.0))
            }),
        )
    }
}
