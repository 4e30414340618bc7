//! Hot set: every memory that recall searches, episodes and facts in one space of rows, with their words, vectors and
//! the metadata for filters and scores. It is held in memory, updated by every write, and can be rebuilt from the log
//! and the fact store at any time (law 9). Texts stay in the stores.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use prefetch_index::prefetch_index;

use super::graph::Graph;
use super::interner::{Interner, NO_NAME, Symbol};
use super::recent::RecentEpisodes;
use super::row::{FactRow, Row, SpeechAct};
use crate::error::{Error, Result};
use crate::facts::Scope;
use crate::facts::outcomes::BINS;
use crate::hashing::IdMap;
use crate::index::lexical::analyzer::{lexical_text_of_episode, lexical_text_of_fact};
use crate::index::lexical::hashed_term::AnalyzedText;
use crate::index::lexical::hashed_term::TextClues;
use crate::index::lexical::posting::MAX_DOCUMENTS;
use crate::index::lexical::posting::NO_GROUP;
use crate::index::lexical::posting::Slot;
use crate::index::lexical::postings::LexicalIndex;
use crate::index::lexical::terms::TermReader;
use crate::index::vectors::index::VectorIndex;
use crate::model::{Episode, Fact, Id, Micros};

/// Rows, words, vectors and conversations of one agent.
#[derive(Debug, Default)]
pub struct HotSet {
    pub(crate) rows: Vec<Option<Row>>,
    pub(crate) free: Vec<Slot>,
    pub(crate) slots: IdMap<Slot>,
    pub(crate) names: Interner,
    pub(crate) lexical: LexicalIndex,
    /// Reader of the lexical text.
    pub(crate) reader: TermReader,
    /// Reused buffer of the reader.
    pub(crate) read: AnalyzedText,
    pub(crate) vectors: VectorIndex,
    pub(crate) conversations: HashMap<(Symbol, Symbol), u32>,
    /// Last turn of every conversation.
    pub(crate) tails: Vec<Option<Slot>>,
    /// Number of words of every conversation.
    pub(crate) lengths: Vec<u32>,
    /// Conversation of every slot: a copy of the rows' field for fast scans.
    pub(crate) conversation_of: Vec<u32>,
    /// Number of episodes of every session.
    pub(crate) sessions: HashMap<Symbol, u32>,
    /// Wall clock of every slot: a copy of the rows' field for fast scans.
    pub(crate) times: Vec<Micros>,
    /// Occupied slots, latest last, equal times by descending id.
    pub(crate) by_time: Vec<Slot>,
    /// Whether each slot holds an episode.
    pub(crate) holds_episode: Vec<bool>,
    /// Slots of facts.
    pub(crate) facts: BTreeSet<Slot>,
    /// Slots of facts that name a danger, of any status.
    pub(crate) dangers: BTreeSet<Slot>,
    /// Number of the last synchronised change of facts (`sync.rs`).
    pub(crate) facts_change: u64,
    /// Number of the last fully synchronised change of knowledge, if any.
    pub(crate) facts_learned: Option<u64>,
    /// Number of outcomes and of good outcomes by the confidence of their fact, as of the last full sync.
    pub(crate) judged: [(u64, u64); BINS],
    /// Graph of entities that memories name.
    pub(crate) graph: Graph,
    /// Latest episodes.
    pub(crate) latest: RecentEpisodes,
    /// Watermark: arrivals up to this number are only in LanceDB.
    pub(crate) cold_upto: u64,
}

impl HotSet {
    /// Number of outcomes and of good outcomes by the confidence of their fact.
    #[must_use]
    pub const fn outcome_bins(&self) -> &[(u64, u64)] {
        &self.judged
    }

    /// Adds an episode, at once findable by its words. Of an existing episode only the annotations are updated: the
    /// rest never changes.
    pub fn add_episode(&mut self, episode: &Episode) -> Result<()> {
        self.add_shared(&Arc::new(episode.clone()))
    }

    /// Adds an episode that is shared with another holder.
    pub fn add_shared(&mut self, episode: &Arc<Episode>) -> Result<()> {
        if self.update_episode(episode) {
            return Ok(());
        }
        let (text, body, undated) = lexical_text_of_episode(episode);
        let row = Row::of_episode(episode, hash(&text[undated]), &mut self.names);
        let slot = self.insert(row)?;
        let clues = self.index_words(slot, &text, body);
        if let Some(row) = &mut self.rows[slot as usize] {
            row.words = u16::try_from(clues.words).unwrap_or(u16::MAX);
            row.tells_time = clues.tells_time;
        }
        self.link(slot);
        self.latest.keep(slot, Arc::clone(episode));
        Ok(())
    }

    /// Whether a row is small talk that answers nothing: "Noted.", where the turn before it asks no question.
    #[must_use]
    pub fn is_idle(&self, row: &Row) -> bool {
        let is_answer = || row.previous.and_then(|slot| self.row(slot)).is_some_and(Row::asks);
        row.act == SpeechAct::SmallTalk && !is_answer()
    }

    /// Updates the annotations of an episode; false if it is not in the hot set. An evicted episode is not
    /// added again.
    pub fn update_episode(&mut self, episode: &Arc<Episode>) -> bool {
        let Some(&slot) = self.slots.get(&episode.id) else { return false };
        if let Some(row) = &mut self.rows[slot as usize] {
            row.importance = episode.annotations.importance;
            row.verified = episode.annotations.verified;
            row.replay_count = episode.annotations.replay_count;
        }
        self.latest.renew(slot, episode);
        true
    }

    /// Adds a fact without a scope, or replaces the one with its id. A changed text invalidates the old vector.
    pub fn put_fact(&mut self, fact: &Fact) -> Result<()> {
        self.put_fact_in(fact, &Scope::default())
    }

    /// Adds a fact limited to a thread or mode, or replaces the one with its id, as [`HotSet::put_fact`] does.
    pub fn put_fact_in(&mut self, fact: &Fact, scope: &Scope) -> Result<()> {
        let text = lexical_text_of_fact(fact);
        let row = Row::of_fact(fact, scope, hash(&text), &mut self.names);
        let is_danger = row.is_danger();
        let slot = match self.slots.get(&fact.id) {
            Some(&slot) => {
                if is_danger {
                    self.dangers.insert(slot);
                } else {
                    self.dangers.remove(&slot);
                }
                let is_same =
                    self.rows[slot as usize].as_ref().is_some_and(|old| old.text_hash == row.text_hash);
                self.rows[slot as usize] = Some(row);
                if is_same {
                    return Ok(());
                }
                self.vectors.remove(slot);
                slot
            }
            None => self.insert(row)?,
        };
        self.index_words(slot, &text, 0..text.len());
        Ok(())
    }

    fn index_words(&mut self, slot: Slot, text: &str, body: Range<usize>) -> TextClues {
        self.reader.read(text, body, &mut self.read);
        self.lexical.set(slot, &self.read, &mut self.reader);
        self.read.clues
    }

    /// Sets the vectors of a memory: of its whole text, and of its sentences if it has more than one.
    pub fn set_vectors(&mut self, id: &Id, whole: &[f32], sentences: &[&[f32]]) -> Result<()> {
        let slot = *self
            .slots
            .get(id)
            .ok_or_else(|| Error::NotFound { kind: "memory in the hot set", id: id.to_string() })?;
        self.vectors.set(slot, whole, sentences)
    }

    /// Removes a memory with its words and vectors; false if it was not there.
    pub fn remove(&mut self, id: &Id) -> bool {
        let Some(slot) = self.slots.remove(id) else { return false };
        if let Ok(place) = self.place_in_time(slot) {
            self.by_time.remove(place);
        }
        self.unlink(slot);
        if let Some(session) = self.row(slot).map(|row| row.session)
            && let Entry::Occupied(mut episodes) = self.sessions.entry(session)
        {
            *episodes.get_mut() -= 1;
            if *episodes.get() == 0 {
                episodes.remove();
            }
        }
        self.conversation_of[slot as usize] = NO_GROUP;
        self.lexical.remove(slot);
        self.vectors.remove(slot);
        self.graph.remove(slot);
        self.latest.remove(slot);
        self.rows[slot as usize] = None;
        self.holds_episode[slot as usize] = false;
        self.facts.remove(&slot);
        self.dangers.remove(&slot);
        self.free.push(slot);
        true
    }

    /// The row of an id.
    #[must_use]
    pub fn find(&self, id: &Id) -> Option<&Row> {
        self.row(*self.slots.get(id)?)
    }

    /// Whether a memory has vectors.
    #[must_use]
    pub fn has_vectors(&self, id: &Id) -> bool {
        self.slots.get(id).is_some_and(|&slot| self.vectors.has(slot))
    }

    /// The row of a slot, unless the slot is free.
    #[must_use]
    pub fn row(&self, slot: Slot) -> Option<&Row> {
        self.rows.get(slot as usize)?.as_ref()
    }

    /// Wall clock of an occupied slot.
    #[must_use]
    pub fn at(&self, slot: Slot) -> Micros {
        self.times[slot as usize]
    }

    /// Prefetches the row and the time of a slot.
    pub fn prefetch(&self, slot: Slot) {
        let slot = slot as usize;
        prefetch_index(&self.rows, slot);
        // A row is longer than a cache line: its end lies on the line where the next row begins.
        prefetch_index(&self.rows, slot + 1);
        prefetch_index(&self.times, slot);
    }

    /// All rows with their slots.
    pub fn rows(&self) -> impl Iterator<Item = (Slot, &Row)> {
        (0..).zip(&self.rows).filter_map(|(slot, row)| Some((slot, row.as_ref()?)))
    }

    /// Number of slots, free ones included: the length of every array by slot.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.rows.len()
    }

    /// The names that rows refer to.
    #[must_use]
    pub const fn names(&self) -> &Interner {
        &self.names
    }

    /// The lexical index.
    #[must_use]
    pub const fn lexical(&self) -> &LexicalIndex {
        &self.lexical
    }

    /// Graph of the entities that memories name.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The slot of a memory.
    #[must_use]
    pub fn slot(&self, id: &Id) -> Option<Slot> {
        self.slots.get(id).copied()
    }

    /// The whole episode of a slot, if it is among the latest.
    #[must_use]
    pub fn episode(&self, slot: Slot) -> Option<&Arc<Episode>> {
        self.latest.get(slot)
    }

    /// The vector index.
    #[must_use]
    pub const fn vectors(&self) -> &VectorIndex {
        &self.vectors
    }

    /// Whether the hot set holds an episode of a session.
    #[must_use]
    pub fn holds_session(&self, session: Symbol) -> bool {
        self.sessions.contains_key(&session)
    }

    /// Number of memories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Number of facts.
    #[must_use]
    pub fn facts(&self) -> usize {
        self.facts.len()
    }

    /// Slots of facts that name a danger, of any status.
    #[must_use]
    pub const fn dangers(&self) -> &BTreeSet<Slot> {
        &self.dangers
    }

    /// Whether each slot holds an episode.
    #[must_use]
    pub fn holds_episode(&self) -> &[bool] {
        &self.holds_episode
    }

    /// The rows of facts with their slots.
    pub fn fact_rows(&self) -> impl Iterator<Item = (Slot, &Row)> {
        self.facts.iter().filter_map(|&slot| Some((slot, self.row(slot)?)))
    }

    /// Occupied slots, the latest first, equal times by id.
    pub fn latest(&self) -> impl Iterator<Item = Slot> {
        self.by_time.iter().rev().copied()
    }

    /// Occupied slots from an instant on and before another one, the latest first.
    pub fn in_time(&self, (first, end): (Micros, Micros)) -> impl Iterator<Item = Slot> {
        let place = |at: Micros| self.by_time.partition_point(|slot| self.times[*slot as usize] < at);
        let (from, to) = (place(first), place(end));
        self.by_time[from.min(to)..to].iter().rev().copied()
    }

    /// Number of the last arrival that is only in LanceDB; 0 while every episode is in memory.
    #[must_use]
    pub const fn cold_upto(&self) -> u64 {
        self.cold_upto
    }

    /// Whether the hot set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Approximate size in memory in bytes: rows, words and vectors.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Option<Row>>()
            + self.slots.capacity() * (size_of::<(Id, Slot)>() + 1)
            + self.facts.len() * (size_of::<FactRow>() + size_of::<Slot>())
            + self.rows.len() * (size_of::<Micros>() + 2 * size_of::<u32>() + 1)
            + self.names.bytes()
            + self.lexical.bytes()
            + self.vectors.bytes()
            + self.graph.bytes()
            + self.latest.bytes()
    }

    fn insert(&mut self, row: Row) -> Result<Slot> {
        let (id, at, is_fact, is_danger) = (row.id, row.at, row.fact.is_some(), row.is_danger());
        if row.session != NO_NAME {
            *self.sessions.entry(row.session).or_default() += 1;
        }
        let slot = if let Some(slot) = self.free.pop() {
            self.rows[slot as usize] = Some(row);
            slot
        } else {
            if self.rows.len() == MAX_DOCUMENTS {
                return Err(Error::invalid(
                    format!("the hot set is full ({MAX_DOCUMENTS} memories)"),
                    "Let older episodes move to the LanceDB index",
                ));
            }
            self.rows.push(Some(row));
            self.conversation_of.push(NO_GROUP);
            self.times.push(0);
            self.holds_episode.push(false);
            self.rows.len() as Slot - 1
        };
        self.slots.insert(id, slot);
        self.times[slot as usize] = at;
        match self.place_in_time(slot) {
            Ok(place) | Err(place) => self.by_time.insert(place, slot),
        }
        self.holds_episode[slot as usize] = !is_fact;
        if is_fact {
            self.facts.insert(slot);
        }
        if is_danger {
            self.dangers.insert(slot);
        }
        Ok(slot)
    }

    /// Position of a slot in [`HotSet::latest`], from the end, or its insertion point. Arrivals are nearly always among
    /// the latest, so the search begins there.
    fn place_in_time(&self, slot: Slot) -> std::result::Result<usize, usize> {
        let id = |slot: Slot| self.rows[slot as usize].as_ref().map(|row| row.id);
        let (at, own) = (self.times[slot as usize], id(slot));
        let compare = |&other: &Slot| self.times[other as usize].cmp(&at).then_with(|| own.cmp(&id(other)));
        let (mut from, mut step) = (self.by_time.len(), 1);
        while from > 0 && compare(&self.by_time[from - 1]).is_ge() {
            from = from.saturating_sub(step);
            step *= 2;
        }
        let found = self.by_time[from..].binary_search_by(compare);
        found.map(|place| from + place).map_err(|place| from + place)
    }
}

fn hash(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}
