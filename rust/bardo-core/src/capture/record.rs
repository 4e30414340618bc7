//! What it takes to record episodes: their limits, their place, and telling new ones from those that are known.

use std::collections::HashMap;
use std::ops::Bound;

use redb::{CursorError, Table};

use super::codec::{self, Fingermark, KEY_BYTES, OrderKey};
use super::fault::Fault;
use super::packed::{self, SHORT_RUN_BYTES};
use super::retry::{Recent, Seen};
use super::session::{Session, opened};
use super::tables::{Arrival, Place, SEQ_BYTES, SUBJECTS, THREADS, place_of};
use super::write::Reply;
use crate::error::{Error, Result};
use crate::hashing::HashedMap;
use crate::model::{Annotations, Episode, Id, IdSource, Micros, limits};

/// An episode to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEpisode {
    /// Its content. An `at` of 0 means now; an `event_index` of 0 lets the log number it within its tick.
    pub episode: Episode,
    /// Whether `episode.id` is the caller's own; otherwise the log gives one.
    pub has_id: bool,
}

/// Where a recorded episode went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its id.
    pub id: Id,
    /// Its running number by arrival, from 1.
    pub seq: u64,
    /// False if it was here already: a retry, or the same id again.
    pub fresh: bool,
    /// Whether it was refused because the same content was forgotten; nothing is stored then and `seq` is 0.
    pub forgotten: bool,
    /// Its place within the tick.
    pub event_index: u32,
    /// Its wall clock.
    pub at: Micros,
}

/// An episode that is ready to be written but for its place.
pub(super) struct Prepared {
    new: NewEpisode,
    body: Vec<u8>,
}

/// Rows from which on a run is cheaper than single inserts.
const SHORTEST_RUN: usize = 4;

/// An order key in its bytes.
type KeyBytes = [u8; KEY_BYTES];

/// The rows of the episodes of one call, by table.
#[derive(Default)]
struct Rows {
    episodes: Vec<(KeyBytes, Vec<u8>)>,
    ids: Vec<([u8; 16], Vec<u8>)>,
    arrivals: Vec<([u8; SEQ_BYTES], Vec<u8>)>,
}

/// Names of the new episodes with their places, in order, each once.
fn listed<'e, N: Iterator<Item = &'e str>>(
    recorded: &'e [(Recorded, Episode)],
    names: impl Fn(&'e Episode) -> N,
) -> Vec<(&'e str, KeyBytes)> {
    let mut listed = Vec::new();
    for (_, episode) in recorded.iter().filter(|(recorded, _)| recorded.fresh) {
        let key = OrderKey { tick: episode.tick, event_index: episode.event_index, id: episode.id };
        let key = key.to_bytes();
        listed.extend(names(episode).map(|name| (name, key)));
    }
    listed.sort_unstable();
    listed.dedup();
    listed
}

/// What will be done with a prepared episode.
enum Plan {
    Insert { key: OrderKey, mark: Fingermark },
    Known(Recorded),
}

/// The episodes as a log would record them, with ids for those that have none: for a process that hands episodes over
/// to the owner of the log. Refuses what the log would refuse.
pub fn finish(episodes: Vec<NewEpisode>, now: Micros, ids: &IdSource) -> Result<Vec<Episode>> {
    let finished = episodes.into_iter().zip(0..).map(|(new, serial)| {
        let Prepared { new: NewEpisode { mut episode, has_id }, .. } = prepare(new, now)?;
        if !has_id {
            episode.id = ids.make(episode.at, serial);
        }
        Ok(episode)
    });
    finished.collect()
}

/// An episode within its limits, encoded.
pub(super) fn prepare(mut new: NewEpisode, now: Micros) -> Result<Prepared> {
    let episode = &mut new.episode;
    if episode.at == 0 {
        episode.at = now;
    }
    episode.validate()?;
    if episode.tick > i64::MAX.unsigned_abs() {
        return Err(Error::invalid(
            format!("tick is {}", episode.tick),
            "A tick is a whole number from 0 to 2**63 - 1",
        ));
    }
    let payload = codec::encode_payload(episode)
        .map_err(|corrupt| Error::invalid(corrupt.0, "Simplify the payload"))?;
    episode.content_hash = episode.hash_content_with(&payload);
    let body = codec::encode_body(episode, &payload)
        .map_err(|corrupt| Error::invalid(corrupt.0, "Simplify the payload"))?;
    let rest = episode.text.len() + episode.subjects.iter().map(String::len).sum::<usize>();
    // The body is the payload and the rest; names and numbers beside them are bounded by their own limits.
    let beside = codec::body_bytes(&body).saturating_sub(rest);
    if beside > limits::PAYLOAD_BYTES {
        return Err(Error::invalid(
            format!("the payload has about {} bytes encoded, the limit is {}", beside, limits::PAYLOAD_BYTES),
            "Keep the numbers and names that matter, and refer to the rest by path or address",
        ));
    }
    Ok(Prepared { new, body })
}

/// The answer for a content that was forgotten.
fn refused(episode: &Episode) -> Recorded {
    Recorded {
        id: episode.id,
        seq: 0,
        fresh: false,
        forgotten: true,
        event_index: episode.event_index,
        at: episode.at,
    }
}

impl Session<'_> {
    /// Records the episodes of one call, all or none.
    pub(super) fn record(&mut self, prepared: Vec<Prepared>, out_of_order: bool) -> Result<Reply, Fault> {
        let plans = self.plan(&prepared, out_of_order)?;
        let mut recorded = Vec::with_capacity(plans.len());
        let mut rows = Rows::default();
        for (plan, prepared) in plans.into_iter().zip(prepared) {
            recorded.push(match plan {
                Plan::Known(known) => (known, prepared.new.episode),
                Plan::Insert { key, mark } => self.insert(key, mark, prepared, out_of_order, &mut rows)?,
            });
        }
        self.write_rows(rows)?;
        self.write_names(&recorded)?;
        Ok(Reply::Recorded(recorded))
    }

    /// Decides what to do with each episode of a call, and refuses the call before anything of it is written.
    fn plan(&mut self, prepared: &[Prepared], out_of_order: bool) -> Result<Vec<Plan>, Fault> {
        let mut planned: HashMap<Id, (Recorded, u64)> = HashMap::new();
        let brings_ids = prepared.iter().any(|one| one.new.has_id);
        let mut marks = Recent::default();
        let mut next_index = HashedMap::default();
        let (mut last_tick, mut seq) = (self.state.last_tick, self.state.last_seq);
        let mut plans = Vec::with_capacity(prepared.len());
        for Prepared { new: NewEpisode { episode, has_id }, .. } in prepared {
            let mark = Fingermark::new(episode.content_hash, episode.thread.as_deref());
            if let Some(known) = self.known(episode, *has_id, &mark, &planned, &marks)? {
                plans.push(Plan::Known(known));
                continue;
            }
            if self.state.tombstones.contains(&episode.content_hash) {
                plans.push(Plan::Known(refused(episode)));
                continue;
            }
            if !out_of_order && episode.tick < last_tick {
                return Err(Error::DecreasingTick { tick: episode.tick, last: last_tick }.into());
            }
            last_tick = last_tick.max(episode.tick);
            seq += 1;
            let id = if *has_id { episode.id } else { self.log.ids.make(episode.at, seq) };
            let event_index = self.place(episode, &mut next_index)?;
            let key = OrderKey { tick: episode.tick, event_index, id };
            marks.add(mark, Seen { key, at: episode.at, seq });
            if brings_ids {
                let recorded =
                    Recorded { id, seq, fresh: false, forgotten: false, event_index, at: episode.at };
                planned.insert(id, (recorded, episode.content_hash));
            }
            plans.push(Plan::Insert { key, mark });
        }
        Ok(plans)
    }

    /// The place of an episode within its tick: the caller's, or the next free one.
    fn place(&mut self, episode: &Episode, next: &mut HashedMap<u64, u32>) -> Result<u32, Fault> {
        let highest = self.state.highest.map(|key| key.tick);
        let next_index = if let Some(index) = next.get(&episode.tick) {
            *index
        } else if highest.is_none_or(|tick| tick < episode.tick) {
            0
        } else {
            let (low, high) = (OrderKey::first_of(episode.tick), OrderKey::last_of(episode.tick));
            let bounds = (Bound::Included(low.to_bytes()), Bound::Included(high.to_bytes()));
            let mut last = None;
            packed::walk(&self.record_tables()?.episodes, bounds, true, |key, _| {
                last = Some(OrderKey::from_bytes(key));
                Ok(false)
            })?;
            last.map_or(0, |key| key.event_index.saturating_add(1))
        };
        let index = if episode.event_index == 0 { next_index } else { episode.event_index };
        next.insert(episode.tick, next_index.max(index.saturating_add(1)));
        Ok(index)
    }

    /// Finds an episode that is the same as this one, in the log or earlier in the same call.
    fn known(
        &mut self,
        episode: &Episode,
        has_id: bool,
        mark: &Fingermark,
        planned: &HashMap<Id, (Recorded, u64)>,
        marks: &Recent,
    ) -> Result<Option<Recorded>, Fault> {
        if !has_id {
            let seen = self.state.recent.find(mark, episode.at).or_else(|| marks.find(mark, episode.at));
            return Ok(seen.map(|Seen { key, at, seq }| Recorded {
                id: key.id,
                seq,
                fresh: false,
                forgotten: false,
                event_index: key.event_index,
                at,
            }));
        }
        let (recorded, content_hash) = match planned.get(&episode.id) {
            Some(found) => *found,
            None => match self.stored(&episode.id)? {
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

    /// The episode with an id and its content hash.
    fn stored(&mut self, id: &Id) -> Result<Option<(Recorded, u64)>, Fault> {
        let tables = self.record_tables()?;
        let Some(Place { key, seq }) = place_of(&tables.ids, id)? else { return Ok(None) };
        let value = packed::get(&tables.episodes, &key.to_bytes())?;
        let value = value.ok_or_else(|| Fault::Corrupt(format!("episode {id} is listed but not there")))?;
        let (at, mark) = codec::decode_mark(&key, value.value())?;
        let recorded =
            Recorded { id: *id, seq, fresh: false, forgotten: false, event_index: key.event_index, at };
        Ok(Some((recorded, mark.content_hash)))
    }

    /// Takes the place of an episode, and lays out its rows.
    fn insert(
        &mut self,
        key: OrderKey,
        mark: Fingermark,
        prepared: Prepared,
        out_of_order: bool,
        rows: &mut Rows,
    ) -> Result<(Recorded, Episode), Fault> {
        let Prepared { new: NewEpisode { mut episode, .. }, mut body } = prepared;
        let (seq, bytes) = (self.state.last_seq + 1, key.to_bytes());
        codec::close_envelope(&bytes, &mut body);
        rows.episodes.push((bytes, body));
        rows.ids.push((key.id.0, Place { key, seq }.to_bytes()));
        rows.arrivals.push((seq.to_be_bytes(), Arrival { key, in_order: !out_of_order }.to_bytes()));
        if episode.annotations != Annotations::default() {
            self.store_annotations(&key.id, &Annotations::default(), &episode.annotations)?;
        }
        self.state.last_seq = seq;
        if !out_of_order {
            self.state.last_tick = self.state.last_tick.max(key.tick);
        }
        self.state.highest = self.state.highest.max(Some(key));
        self.state.recent.add(mark, Seen { key, at: episode.at, seq });
        self.changed = true;
        (episode.id, episode.event_index) = (key.id, key.event_index);
        let recorded = Recorded {
            id: key.id,
            seq,
            fresh: true,
            forgotten: false,
            event_index: key.event_index,
            at: episode.at,
        };
        Ok((recorded, episode))
    }

    /// Writes the rows of a call, each table in the order of its keys.
    fn write_rows(&mut self, mut rows: Rows) -> Result<(), Fault> {
        rows.episodes.sort_unstable_by_key(|row| row.0);
        rows.ids.sort_unstable_by_key(|row| row.0);
        let tables = self.record_tables()?;
        packed::insert(&mut tables.episodes, &borrowed(&rows.episodes), SHORT_RUN_BYTES)?;
        packed::insert(&mut tables.ids, &borrowed(&rows.ids), SHORT_RUN_BYTES)?;
        packed::insert(&mut tables.arrivals, &borrowed(&rows.arrivals), SHORT_RUN_BYTES)
    }

    /// Puts the new episodes of a call on the lists of their subjects and threads.
    fn write_names(&mut self, recorded: &[(Recorded, Episode)]) -> Result<(), Fault> {
        let transaction = self.transaction;
        let tables = self.record_tables()?;
        let subjects = listed(recorded, |episode| episode.subjects.iter().map(String::as_str));
        for run in subjects.chunk_by(|one, next| one.0 == next.0) {
            let table = opened(&mut tables.subjects, transaction, SUBJECTS)?;
            append(table, run.iter().map(|(name, key)| ((*name, key), ())))?;
        }
        let threads = listed(recorded, |episode| episode.thread.as_deref().into_iter());
        for run in threads.chunk_by(|one, next| one.0 == next.0) {
            let table = opened(&mut tables.threads, transaction, THREADS)?;
            append(table, run.iter().map(|(name, key)| ((*name, key), ())))?;
        }
        Ok(())
    }
}

fn borrowed<K: Copy>(rows: &[(K, Vec<u8>)]) -> Vec<(K, &[u8])> {
    rows.iter().map(|(key, value)| (*key, value.as_slice())).collect()
}

/// Inserts rows in the order of their keys: as one run where nothing lies between them, which lays them out leaf by leaf.
fn append<'r, K: redb::Key + 'static, V: redb::Value + 'static>(
    table: &mut Table<'_, K, V>,
    rows: impl ExactSizeIterator<Item = (K::SelfType<'r>, V::SelfType<'r>)>,
) -> Result<(), Fault> {
    let is_run = rows.len() >= SHORTEST_RUN;
    let mut rows = rows.peekable();
    if let (true, Some((first, _))) = (is_run, rows.peek()) {
        let mut cursor = table.lower_bound_mut(Bound::Included(first))?;
        let mut left = None;
        for (key, value) in rows.by_ref() {
            match cursor.insert_before(&key, &value) {
                Ok(()) => {}
                Err(CursorError::UnorderedKey) => {
                    left = Some((key, value));
                    break;
                }
                Err(CursorError::Storage(error)) => return Err(error.into()),
                Err(error) => return Err(Fault::Corrupt(error.to_string())),
            }
        }
        cursor.close()?;
        if let Some((key, value)) = left {
            table.insert(key, value)?;
        }
    }
    for (key, value) in rows {
        table.insert(key, value)?;
    }
    Ok(())
}
