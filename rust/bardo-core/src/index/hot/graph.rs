//! Entity graph in memory: the memories that name each entity, walked by recall from the entities of a query.
//!
//! Derived from `facts.db` and synchronised with it by [`super::hot_set::HotSet::sync_facts`]. A walk is bounded
//! in a graph of any size: entities named by very many memories are uninformative and not walked through.

use std::collections::{HashMap, HashSet};

use crate::facts::names_state::NameIndex;
use crate::facts::{DISPUTED, ENDED, PRESUMED};
use crate::hashing::IdMap;
use crate::index::lexical::posting::Slot;
use crate::model::Id;
use crate::text::gazetteer::EntitySerial;

/// Maximum number of hops from the entities of a query; hop 0 are the memories that name one of them.
pub const HOPS: usize = 2;
/// Constant of a hop's weight `1 / (K + hop)`: with 1, naming the entity itself counts fully.
const K: f32 = 1.0;
/// Maximum number of memories visited per entity, the latest read first.
const OF_ONE: usize = 256;
/// Maximum number of memories of an entity that is walked through.
const RARE: usize = 64;
/// Maximum number of memories visited per walk.
const WALKED: usize = 2_048;

/// Entities, the memories that name them, and their edges.
#[derive(Debug, Default)]
pub struct Graph {
    /// Finds entities in a query.
    pub(crate) names: NameIndex,
    /// State of the source at the last sync, see `sync.rs`.
    pub(crate) taken: GraphWatermark,
    memories: HashMap<EntitySerial, Vec<Slot>>,
    entities: HashMap<Slot, Box<[EntitySerial]>>,
    /// Entities connected by triples.
    triples: HashMap<EntitySerial, Vec<EntitySerial>>,
    /// Memories that state the triples of an entity which still hold.
    statements: HashMap<EntitySerial, Vec<Slot>>,
    /// Facts connected by links.
    links: HashMap<Slot, Vec<Slot>>,
    /// Later memories that correct or dispute a memory, by its id: rows of older tiers come and go.
    corrections: IdMap<Vec<Correction>>,
}

/// Later memory that corrects or disputes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    /// Id of the later memory.
    pub by: Id,
    /// Its bearing on the older one.
    pub bearing: Bearing,
}

/// Bearing of a later memory on an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bearing {
    /// The older one has ended.
    Ends,
    /// It is open which of the two holds.
    Disputes,
    /// The later one probably replaces the older one, and speaks against nothing.
    Presumed,
    /// The later one is about the same, and speaks against nothing.
    Follows,
}

impl Bearing {
    /// Bearing of a link with a weight: [`ENDED`], [`DISPUTED`], [`PRESUMED`] or less.
    pub(crate) fn of_weight(weight: f64) -> Self {
        match weight {
            weight if weight >= ENDED => Self::Ends,
            weight if weight >= DISPUTED => Self::Disputes,
            weight if weight >= PRESUMED => Self::Presumed,
            _ => Self::Follows,
        }
    }

    /// Whether the later memory says that the older one may not hold.
    #[must_use]
    pub fn speaks_against(self) -> bool {
        matches!(self, Self::Ends | Self::Disputes)
    }
}

/// Position in the file up to which the graph is synchronised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GraphWatermark {
    /// Counter of merges and deletions.
    pub epoch: i64,
    /// Number of the last memory read.
    pub memory: i64,
    /// Counter of changes to links and triples.
    pub edges: i64,
}

/// Memory reached by a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReachedMemory {
    /// Slot of its row.
    pub slot: Slot,
    /// Score, 0..1 per entity of the query: specificity of the entity times the weight of the hop.
    pub value: f32,
    /// Whether it answers by the graph alone: it names an entity of the query, or states a triple of an entity that a
    /// triple connects with one ("Nadia works at Helvion", "Helvion is based in Porto").
    pub is_direct: bool,
}

impl Graph {
    /// Sets the entities of a memory, replacing the earlier ones.
    pub(crate) fn set(&mut self, slot: Slot, entities: Vec<EntitySerial>) {
        self.remove_names(slot);
        for entity in &entities {
            self.memories.entry(*entity).or_default().push(slot);
        }
        if !entities.is_empty() {
            self.entities.insert(slot, entities.into());
        }
    }

    /// Removes the entities of a memory; its links stay.
    fn remove_names(&mut self, slot: Slot) {
        for entity in self.entities.remove(&slot).unwrap_or_default() {
            if let Some(memories) = self.memories.get_mut(&entity) {
                memories.retain(|memory| *memory != slot);
            }
        }
    }

    /// Removes a memory.
    pub(crate) fn remove(&mut self, slot: Slot) {
        self.remove_names(slot);
        if let Some(others) = self.links.remove(&slot) {
            for other in others {
                if let Some(back) = self.links.get_mut(&other) {
                    back.retain(|memory| *memory != slot);
                }
            }
        }
    }

    /// Replaces the edges between entities, each with the memory that states it if it still holds, and those between
    /// facts; edges are undirected.
    pub(crate) fn set_edges(
        &mut self,
        triples: &[(EntitySerial, EntitySerial, Option<Slot>)],
        links: &[(Slot, Slot)],
    ) {
        self.triples.clear();
        self.statements.clear();
        self.links.clear();
        for &(subject, object, statement) in triples {
            for (one, other) in [(subject, object), (object, subject)] {
                self.triples.entry(one).or_default().push(other);
                self.statements.entry(one).or_default().extend(statement);
            }
        }
        for (src, dst) in links {
            self.links.entry(*src).or_default().push(*dst);
            self.links.entry(*dst).or_default().push(*src);
        }
    }

    /// Replaces the corrections of memories; of two by one memory the first is kept.
    pub(crate) fn set_corrections(&mut self, pairs: impl IntoIterator<Item = (Id, Correction)>) {
        self.corrections.clear();
        for (older, correction) in pairs {
            let known = self.corrections.entry(older).or_default();
            if !known.iter().any(|other| other.by == correction.by) {
                known.push(correction);
            }
        }
    }

    /// Whether any memory is corrected by another.
    #[must_use]
    pub fn has_corrections(&self) -> bool {
        !self.corrections.is_empty()
    }

    /// Later memories that correct or dispute a memory.
    #[must_use]
    pub fn corrections_of(&self, id: &Id) -> &[Correction] {
        self.corrections.get(id).map_or(&[], Vec::as_slice)
    }

    /// The memories within [`HOPS`] of the entities that a query names, by slot; empty where it names none.
    #[must_use]
    pub fn reach(&self, query: &str) -> Vec<ReachedMemory> {
        let mut reached: HashMap<Slot, ReachedMemory> = HashMap::new();
        let mut frontier = self.names.gazetteer.find(query, true);
        let named = frontier.clone();
        let mut seen: HashSet<EntitySerial> = frontier.iter().copied().collect();
        let mut walked = 0;
        for hop in 0..=HOPS {
            let mut next = Vec::new();
            let weight = 1.0 / (K + hop as f32);
            for entity in &frontier {
                let Some(memories) = self.memories.get(entity) else { continue };
                let value = self.specificity(memories.len()) * weight;
                for &slot in memories.iter().rev().take(OF_ONE) {
                    walked += 1;
                    let known = reached.entry(slot).or_insert(ReachedMemory {
                        slot,
                        value: 0.0,
                        is_direct: hop == 0,
                    });
                    // Two entities of the query add up; of several paths to a memory the best one counts.
                    known.value = if hop == 0 { known.value + value } else { known.value.max(value) };
                }
                if memories.len() <= RARE {
                    next.extend(memories.iter().filter_map(|slot| self.entities.get(slot)).flatten());
                }
                next.extend(self.triples.get(entity).into_iter().flatten());
            }
            if walked >= WALKED || hop == HOPS {
                break;
            }
            self.follow_links(&mut reached, 1.0 / (K + hop as f32 + 1.0));
            next.sort_unstable();
            next.dedup();
            next.retain(|entity| {
                seen.insert(*entity) && self.memories.get(entity).is_some_and(|known| known.len() <= RARE)
            });
            frontier = next;
        }
        self.follow_triples(&named, &mut reached);
        let mut reached: Vec<ReachedMemory> = reached.into_values().collect();
        reached.sort_unstable_by_key(|memory| memory.slot);
        reached
    }

    /// Adds the memories that state triples of entities which a triple connects with the named ones.
    fn follow_triples(&self, named: &[EntitySerial], reached: &mut HashMap<Slot, ReachedMemory>) {
        let connected = named.iter().filter_map(|entity| self.triples.get(entity)).flatten();
        for entity in connected.filter(|entity| !named.contains(entity)) {
            let Some(statements) = self.statements.get(entity).filter(|known| known.len() <= RARE) else {
                continue;
            };
            let value = self.specificity(statements.len()) / (K + 1.0);
            for &slot in statements {
                let known = reached.entry(slot).or_insert(ReachedMemory { slot, value, is_direct: true });
                known.value = known.value.max(value);
                known.is_direct = true;
            }
        }
    }

    /// Adds facts that are linked with reached ones.
    fn follow_links(&self, reached: &mut HashMap<Slot, ReachedMemory>, weight: f32) {
        if self.links.is_empty() {
            return;
        }
        let from: Vec<Slot> = reached.keys().copied().filter(|slot| self.links.contains_key(slot)).collect();
        for slot in from.iter().flat_map(|slot| &self.links[slot]).copied() {
            let known = reached.entry(slot).or_insert(ReachedMemory { slot, value: 0.0, is_direct: false });
            known.value = known.value.max(weight);
        }
    }

    /// Specificity of an entity, 0..1: rarer entities are more specific (as the idf of a word).
    fn specificity(&self, memories: usize) -> f32 {
        let all = self.entities.len() as f32;
        (1.0 + all / memories.max(1) as f32).ln() / (1.0 + all).ln()
    }

    /// Number of entities that memories name.
    #[must_use]
    pub fn len(&self) -> usize {
        self.memories.len()
    }

    /// Whether the graph is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// Approximate size in memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let mentions: usize = self.entities.values().map(|entities| entities.len()).sum();
        let rows = self.entities.len() + self.memories.len();
        mentions * (size_of::<EntitySerial>() + size_of::<Slot>()) + rows * 48 + self.names.gazetteer.bytes()
    }
}
