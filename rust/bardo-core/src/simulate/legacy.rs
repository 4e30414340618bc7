//! Legacy: the entries that cross a death, with the confidence of the heir.

use super::memory::{DriftTests, Entry, EntryKind, Memory};
use super::random::{Stream, bits};
use super::settings::{Arm, Trust};
use super::world::{DIMENSIONS, SNAPSHOT, World};
use crate::bequeath::{Discount, GenerationDiscount, Thresholds, select};
use crate::error::Result;
use crate::model::{Fact, FactKind};
use crate::recall::score::NEUTRAL;

/// Bytes of a vector and a snapshot in 32-bit numbers.
const VECTOR_BYTES: usize = 4 * (DIMENSIONS + SNAPSHOT);
/// Bytes of a fact: vectors, five numbers of its statistic in 64 bits, confidence, importance, support, generation, kind.
const FACT_BYTES: usize = VECTOR_BYTES + 5 * 8 + 5 * 4;
/// Bytes of an episode: vectors, reward, expectation, importance, kind in 32 bits, tick in 64.
const EPISODE_BYTES: usize = VECTOR_BYTES + 4 * 4 + 8;

/// State of an agent at its death.
#[derive(Debug)]
pub struct Estate {
    pub memory: Memory,
    /// Last tick of the life.
    pub tick: u64,
}

/// Entries for the heirs of one generation.
#[derive(Clone, Debug, Default)]
pub struct Legacy {
    pub entries: Vec<Entry>,
    pub tests: DriftTests,
}

impl Legacy {
    /// Size in bytes of all entries.
    pub fn bytes(&self) -> usize {
        let size = |entry: &Entry| if entry.kind == EntryKind::Episode { EPISODE_BYTES } else { FACT_BYTES };
        self.entries.iter().map(size).sum()
    }
}

/// Makes the legacy of a generation; the testaments of several agents are merged.
pub fn bequeath(world: &World, arm: &Arm, generation: u32, estates: Vec<Estate>) -> Result<Legacy> {
    let mut legacy = Legacy::default();
    let birth = u64::from(generation + 1) * u64::from(world.settings.life_limit);
    for (place, estate) in estates.into_iter().enumerate() {
        let tests = estate.memory.tests;
        if place == 0 {
            legacy.tests = tests;
        } else {
            legacy.tests.age += tests.age;
            legacy.tests.refuted += tests.refuted;
        }
        for entry in crossing(world, arm, &estate, birth)? {
            merge(&estate.memory, &mut legacy.entries, entry, place > 0);
        }
    }
    if arm.shuffled {
        shuffle(world, generation, &mut legacy.entries);
    }
    Ok(legacy)
}

/// Entries of one agent that cross, as the heir receives them.
fn crossing(world: &World, arm: &Arm, estate: &Estate, birth: u64) -> Result<Vec<Entry>> {
    let memory = &estate.memory;
    let mut found = Vec::new();
    if arm.facts {
        let facts: Vec<&Entry> =
            memory.entries.iter().filter(|entry| entry.kind != EntryKind::Episode).collect();
        // By the rule of the quota an untested entry crosses beside the others, and a tested one not at all.
        let (untested, rest): (Vec<&Entry>, Vec<&Entry>) = if arm.quota > 0.0 {
            let is_danger = |entry: &Entry| entry.kind == EntryKind::Danger;
            facts
                .into_iter()
                .filter(|entry| is_danger(entry) || !(entry.inherited && entry.met))
                .partition(|entry| !is_danger(entry) && entry.inherited)
        } else {
            (Vec::new(), facts)
        };
        let quota = arm.cap.map(|cap| (arm.quota * cap as f32) as usize);
        let room = arm.cap.zip(quota).map(|(cap, quota)| cap - quota.min(untested.len()));
        for entry in chosen(world, memory, &rest, room, arm.least_confidence, estate.tick)? {
            let (_, held) = memory.now(entry, estate.tick);
            found.push(heirloom(arm, memory, entry, held, birth)?);
        }
        for entry in chosen(world, memory, &untested, quota, 0.0, estate.tick)? {
            found.push(heirloom(arm, memory, entry, 1.0, birth)?);
        }
    }
    if arm.episodes {
        for entry in memory.entries.iter().filter(|entry| entry.kind == EntryKind::Episode) {
            let (_, held) = memory.now(entry, estate.tick);
            let mut heirloom = heirloom(arm, memory, entry, held, birth)?;
            if !arm.annotated {
                (heirloom.importance, heirloom.verified) = (NEUTRAL, false);
            }
            found.push(heirloom);
        }
    }
    Ok(found)
}

/// Facts that cross under a cap, chosen as for a testament.
fn chosen<'a>(
    world: &World,
    memory: &Memory,
    entries: &[&'a Entry],
    cap: Option<usize>,
    least_confidence: f32,
    tick: u64,
) -> Result<Vec<&'a Entry>> {
    let Some(cap) = cap else { return Ok(entries.to_vec()) };
    let facts: Vec<Fact> = entries.iter().map(|entry| as_fact(entry)).collect();
    let confidences: Vec<f32> =
        entries.iter().map(|entry| memory.now(entry, tick).1.clamp(0.0, 1.0)).collect();
    let vectors: Vec<f32> = entries
        .iter()
        .flat_map(|entry| {
            let row = usize::from(entry.venue) * DIMENSIONS;
            world.embeddings[row..row + DIMENSIONS].iter().chain(&entry.snapshot).copied()
        })
        .collect();
    let thresholds = Thresholds { heuristic: least_confidence, insight: least_confidence };
    let selection =
        select(&facts, &confidences, Some((&vectors, DIMENSIONS + SNAPSHOT)), thresholds, cap, tick)?;
    Ok(selection.chosen.into_iter().map(|place| entries[place]).collect())
}

/// The fact that an entry stands for, as far as selection reads it.
fn as_fact(entry: &Entry) -> Fact {
    let kind = if entry.kind == EntryKind::Danger { FactKind::AntiKnowledge } else { FactKind::Insight };
    let mut fact = Fact::new(kind, format!("venue {}", entry.venue));
    fact.subjects = vec![fact.text.clone()];
    fact.support = entry.support;
    fact.importance = entry.importance;
    fact.bloodstain = entry.bloodstain;
    fact.generation = entry.generation;
    fact
}

/// The entry as an heir receives it. `held` is the confidence of the testator.
fn heirloom(arm: &Arm, memory: &Memory, entry: &Entry, held: f32, birth: u64) -> Result<Entry> {
    let danger = entry.kind == EntryKind::Danger;
    let generation = entry.generation + 1;
    let discount = Discount::new(arm.base, GenerationDiscount::Factor(arm.per_generation))?;
    let mut confidence = match arm.trust {
        Trust::Discounted => discount.at_birth(generation, held, danger),
        Trust::Compounding => {
            let compounded = held * discount.at_birth(generation, 1.0, false);
            discount.at_birth(0, compounded, danger)
        }
        Trust::Held => held,
        Trust::Certain => 1.0,
    };
    if arm.drift_discount && !danger {
        let age = birth.saturating_sub(entry.learned) as f64;
        confidence *= (-memory.tests.rate() * age).exp() as f32;
    }
    Ok(Entry {
        confidence,
        generation,
        inherited: true,
        hearsay: matches!(arm.trust, Trust::Discounted | Trust::Compounding),
        reinforced: 0,
        spaced: None,
        met: false,
        ..entry.clone()
    })
}

/// Adds an entry of a testament; one that an earlier testament has is merged, and the greater confidence holds.
fn merge(memory: &Memory, entries: &mut Vec<Entry>, entry: Entry, compare: bool) {
    let same = |other: &&mut Entry| {
        other.kind == entry.kind
            && other.venue == entry.venue
            && (entry.kind == EntryKind::Danger || memory.same_market(&other.snapshot, &entry.snapshot))
    };
    let known =
        if compare && entry.kind != EntryKind::Episode { entries.iter_mut().find(same) } else { None };
    match known {
        Some(known) => {
            known.confidence = known.confidence.max(entry.confidence);
            known.generation = known.generation.min(entry.generation);
            known.importance = known.importance.max(entry.importance);
            // Both may come from one ancestor: the evidence of the better supported one counts, not the sum.
            if entry.statistic.n > known.statistic.n {
                (known.statistic, known.support, known.version, known.learned) =
                    (entry.statistic, entry.support, entry.version, entry.learned);
            }
        }
        None => entries.push(entry),
    }
}

/// Shuffles the venues among the entries: the same number, size and confidence, about others.
fn shuffle(world: &World, generation: u32, entries: &mut [Entry]) {
    let key = |place: usize| bits(world.seed, Stream::Shuffle, [u64::from(generation), place as u64, 0]);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|place| key(*place));
    let venues: Vec<u16> = order.into_iter().map(|place| entries[place].venue).collect();
    for (entry, venue) in entries.iter_mut().zip(venues) {
        entry.venue = venue;
    }
}
