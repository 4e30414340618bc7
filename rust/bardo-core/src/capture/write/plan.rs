//! Plans the episodes of one call before any of them is written: which are new, and the place and number by arrival of
//! each new one.

use std::ops::Bound;

use redb::WriteTransaction;

use super::dedup::PriorArrival;
use super::draft::Draft;
use super::draft::NewEpisode;
use super::draft::Receipt;
use super::transaction::{RecordTables, WriterState, record_tables};
use crate::capture::storage::codec::{self, ContentKey, KEY_BYTES, OrderKey};
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table;
use crate::capture::storage::schema::{Location, place_of};
use crate::capture::storage::turn::Turn;
use crate::capture::storage::turn::conversation_of;
use crate::capture::wal::memtable::EpisodeRow;
use crate::error::{Error, Result};
use crate::hashing::{HashedMap, IdMap};
use crate::model::{Episode, Id, IdSource};

/// Lookups that planning needs.
pub(crate) trait EpisodeLookup {
    /// Receipt and content hash of the stored episode with an id.
    fn stored(&mut self, id: &Id) -> Result<Option<(Receipt, u64)>, Fault>;
    /// Last place of a tick that is not the highest one.
    fn last_of(&mut self, tick: u64) -> Result<Option<OrderKey>, Fault>;
}

/// Options for recording episodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordOptions {
    /// Whether ticks may lie below the last one.
    pub out_of_order: bool,
    /// Whether the episodes are messages of a conversation without times, which may be repeated as it grows.
    pub is_transcript: bool,
}

/// Planned action for a prepared episode.
pub(crate) enum Plan {
    Insert { key: OrderKey, mark: ContentKey },
    Known(Receipt),
}

/// Receipts and episodes for the caller, and the rows to be recorded.
pub(crate) type Layout = (Vec<(Receipt, Episode)>, Vec<EpisodeRow>);

/// Lookup in the tables of a transaction.
pub(crate) struct TableLookup<'s, 't> {
    pub tables: &'s mut Option<RecordTables<'t>>,
    pub transaction: &'t WriteTransaction,
}

impl EpisodeLookup for TableLookup<'_, '_> {
    fn stored(&mut self, id: &Id) -> Result<Option<(Receipt, u64)>, Fault> {
        let tables = record_tables(self.tables, self.transaction)?;
        let Some(Location { key, seq }) = place_of(&tables.ids, id)? else { return Ok(None) };
        let value = packed_table::get(&tables.episodes, &key.to_bytes())?;
        let value = value.ok_or_else(|| Fault::Corrupt(format!("episode {id} is listed but not there")))?;
        let (at, mark) = codec::decode_mark(&key, value.value())?;
        let recorded =
            Receipt { id: *id, seq, fresh: false, forgotten: false, event_index: key.event_index, at };
        Ok(Some((recorded, mark.content_hash)))
    }

    fn last_of(&mut self, tick: u64) -> Result<Option<OrderKey>, Fault> {
        let (low, high) = (OrderKey::first_of(tick), OrderKey::last_of(tick));
        let bounds = (Bound::Included(low.to_bytes()), Bound::Included(high.to_bytes()));
        let mut last = None;
        packed_table::walk(
            &record_tables(self.tables, self.transaction)?.episodes,
            bounds,
            true,
            |key, _| {
                last = Some(OrderKey::from_bytes(key));
                Ok(false)
            },
        )?;
        Ok(last)
    }
}

/// Number of occurrences of each content so far in one call, per tick if the caller counts ticks.
type CountByContent = HashedMap<(ContentKey, Option<u64>), usize>;

/// Lookup that finds nothing: for episodes without ids that lie in the last tick or after it.
struct EmptyLookup;

impl EpisodeLookup for EmptyLookup {
    fn stored(&mut self, _id: &Id) -> Result<Option<(Receipt, u64)>, Fault> {
        Ok(None)
    }

    fn last_of(&mut self, _tick: u64) -> Result<Option<OrderKey>, Fault> {
        Ok(None)
    }
}

impl Draft {
    /// Maximum size in the journal in bytes, without its annotations.
    fn journal_bytes(&self) -> usize {
        self.body.len() + KEY_BYTES + 64
    }
}

impl WriterState {
    /// Whether episodes can be recorded without a lookup, after others in `highest` and `bytes`, which are updated.
    pub fn needs_no_lookup(
        prepared: &[Draft],
        highest: &mut Option<OrderKey>,
        last_tick: &mut u64,
        bytes: &mut usize,
    ) -> bool {
        prepared.iter().all(|one| {
            let tick = one.new.episode.tick;
            *bytes += one.journal_bytes();
            let fits = !one.new.has_id && highest.is_none_or(|key| tick >= key.tick) && tick >= *last_tick;
            *highest = (*highest).max(Some(OrderKey::first_of(tick)));
            *last_tick = tick.max(*last_tick);
            fits
        })
    }

    /// Assigns the places of the episodes of one call without a lookup.
    pub fn lay_out_quickly(
        &mut self,
        ids: IdSource,
        prepared: Vec<Draft>,
        manner: RecordOptions,
    ) -> Result<Layout, Fault> {
        let plans = self.plan(ids, &prepared, manner, &mut EmptyLookup)?;
        Ok(self.lay_out(plans, prepared, manner.out_of_order))
    }

    /// Plans each episode of a call; refuses the call before any of it is written.
    pub fn plan(
        &self,
        ids: IdSource,
        prepared: &[Draft],
        manner: RecordOptions,
        look: &mut dyn EpisodeLookup,
    ) -> Result<Vec<Plan>, Fault> {
        let mut planned: IdMap<(Receipt, u64)> = IdMap::default();
        let brings_ids = prepared.iter().any(|one| one.new.has_id);
        let mut said = CountByContent::default();
        let mut next_index = HashedMap::default();
        let (mut last_tick, mut seq) = (self.last_tick, self.last_seq);
        let mut plans = Vec::with_capacity(prepared.len());
        let told = if manner.is_transcript { self.prior_turns(prepared) } else { None };
        for (place, Draft { new, .. }) in prepared.iter().enumerate() {
            let NewEpisode { episode, has_id, .. } = new;
            let mark = ContentKey::new(episode.content_hash, episode.thread.as_deref());
            let known = match &told {
                // A turn after the known part is new, even if an equal one is stored.
                Some(told) if told[place].is_some() || !has_id => told[place].map(receipt_of),
                _ => self.known(new, &mark, &planned, &mut said, look)?,
            };
            if let Some(known) = known {
                plans.push(Plan::Known(known));
                continue;
            }
            if self.tombstones.contains(&episode.content_hash) {
                plans.push(Plan::Known(refused(episode)));
                continue;
            }
            if !manner.out_of_order && episode.tick < last_tick {
                return Err(Error::DecreasingTick { tick: episode.tick, last: last_tick }.into());
            }
            last_tick = last_tick.max(episode.tick);
            seq += 1;
            let id = if *has_id { episode.id } else { ids.make(episode.at, seq) };
            let event_index = self.place(episode, &mut next_index, look)?;
            let key = OrderKey { tick: episode.tick, event_index, id };
            if brings_ids {
                let recorded =
                    Receipt { id, seq, fresh: false, forgotten: false, event_index, at: episode.at };
                planned.insert(id, (recorded, episode.content_hash));
            }
            plans.push(Plan::Insert { key, mark });
        }
        Ok(plans)
    }

    /// The stored turn of each message of a list, if the list is a conversation that was stored before.
    fn prior_turns(&self, prepared: &[Draft]) -> Option<Vec<Option<PriorArrival>>> {
        let conversation = |one: &Draft| {
            let Episode { kind, thread, session, .. } = &one.new.episode;
            conversation_of(kind, thread.as_deref(), session.as_deref())
        };
        let of_all = conversation(prepared.first()?)?;
        if prepared.iter().any(|one| conversation(one) != Some(of_all)) {
            return None;
        }
        let turns: Vec<Turn> = prepared
            .iter()
            .map(|one| {
                let turn = Turn::of(&one.new.episode);
                // A deleted turn has no place.
                let is_forgotten = self.tombstones.contains(&turn.content_hash);
                Turn { is_placeless: turn.is_placeless || is_forgotten, ..turn }
            })
            .collect();
        self.conversations.known(of_all, &turns)
    }

    /// Place of an episode within its tick: the caller's, or the next free one.
    fn place(
        &self,
        episode: &Episode,
        next: &mut HashedMap<u64, u32>,
        look: &mut dyn EpisodeLookup,
    ) -> Result<u32, Fault> {
        let next_index = if let Some(index) = next.get(&episode.tick) {
            *index
        } else {
            let last = match self.highest {
                Some(highest) if highest.tick == episode.tick => Some(highest),
                Some(highest) if highest.tick > episode.tick => look.last_of(episode.tick)?,
                _ => None,
            };
            last.map_or(0, |key| key.event_index.saturating_add(1))
        };
        let index = if episode.event_index == 0 { next_index } else { episode.event_index };
        next.insert(episode.tick, next_index.max(index.saturating_add(1)));
        Ok(index)
    }

    /// Finds the stored form of an episode: by its id in the log or earlier in the same call, else as a retry.
    fn known(
        &self,
        NewEpisode { episode, has_id, own_tick }: &NewEpisode,
        mark: &ContentKey,
        planned: &IdMap<(Receipt, u64)>,
        said: &mut CountByContent,
        look: &mut dyn EpisodeLookup,
    ) -> Result<Option<Receipt>, Fault> {
        if !has_id {
            let (at, tick) = (episode.at, own_tick.then_some(episode.tick));
            let alike = said.entry((*mark, tick)).or_default();
            let seen = self.recent.find(mark, at, tick, *alike);
            *alike += 1;
            return Ok(seen.map(receipt_of));
        }
        let (recorded, content_hash) = match planned.get(&episode.id) {
            Some(found) => *found,
            None => match look.stored(&episode.id)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        if content_hash == episode.content_hash {
            return Ok(Some(recorded));
        }
        let what = format!("an episode with id {} is here already, with other content", episode.id);
        Err(Error::invalid(what, "Leave the id out to be given a new one; episodes are never rewritten")
            .into())
    }

    /// Assigns the places of the episodes of a call, and builds their rows for redb.
    pub fn lay_out(&mut self, plans: Vec<Plan>, prepared: Vec<Draft>, out_of_order: bool) -> Layout {
        let mut recorded = Vec::with_capacity(plans.len());
        let mut kept = Vec::with_capacity(plans.len());
        for (plan, prepared) in plans.into_iter().zip(prepared) {
            match plan {
                Plan::Known(known) => recorded.push((known, prepared.new.episode)),
                Plan::Insert { key, mark } => {
                    let (told, one) = self.take_place(key, mark, prepared, out_of_order);
                    recorded.push(told);
                    kept.push(one);
                }
            }
        }
        (recorded, kept)
    }

    /// Assigns the place of an episode.
    fn take_place(
        &mut self,
        key: OrderKey,
        mark: ContentKey,
        prepared: Draft,
        out_of_order: bool,
    ) -> ((Receipt, Episode), EpisodeRow) {
        let Draft { new: NewEpisode { mut episode, .. }, mut body } = prepared;
        let seq = self.last_seq + 1;
        codec::close_envelope(&key.to_bytes(), &mut body);
        self.last_seq = seq;
        if !out_of_order {
            self.last_tick = self.last_tick.max(key.tick);
        }
        self.highest = self.highest.max(Some(key));
        let seen = PriorArrival { key, at: episode.at, seq };
        self.recent.add(mark, seen);
        let conversation =
            conversation_of(&episode.kind, episode.thread.as_deref(), episode.session.as_deref());
        if let Some(conversation) = conversation {
            self.conversations.add(conversation, Turn::of(&episode), seen);
        }
        (episode.id, episode.event_index) = (key.id, key.event_index);
        let recorded = Receipt {
            id: key.id,
            seq,
            fresh: true,
            forgotten: false,
            event_index: key.event_index,
            at: episode.at,
        };
        let kept = EpisodeRow {
            key,
            seq,
            in_order: !out_of_order,
            body,
            annotations: episode.annotations,
            subjects: episode.subjects.clone(),
            thread: episode.thread.clone(),
        };
        ((recorded, episode), kept)
    }
}

/// Receipt for an episode that is already stored.
const fn receipt_of(PriorArrival { key, at, seq }: PriorArrival) -> Receipt {
    Receipt { id: key.id, seq, fresh: false, forgotten: false, event_index: key.event_index, at }
}

/// Receipt for a content that was forgotten.
fn refused(episode: &Episode) -> Receipt {
    Receipt {
        id: episode.id,
        seq: 0,
        fresh: false,
        forgotten: true,
        event_index: episode.event_index,
        at: episode.at,
    }
}
