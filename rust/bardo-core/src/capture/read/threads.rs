//! Reads conversations from the log, for episodes that are no longer in memory.

use std::ops::Bound;

use redb::ReadTransaction;

use crate::capture::log::EpisodeLog;
use crate::capture::storage::codec::{KEY_BYTES, OrderKey};
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table;
use crate::capture::storage::schema::{EPISODES, EpisodeReader, THREADS};
use crate::error::Result;
use crate::model::{Episode, Id};

/// Maximum number of episodes of a thread examined per turn: episodes of other sessions may lie between two turns of a
/// session, and all earlier ones lie before its first turn.
const REACH: usize = 16;
/// Number of latest episodes of a thread that are searched for its mode.
const LATEST: usize = 1_024;

impl EpisodeLog {
    /// The turns before and after each episode in its conversation, at most `count` on either side, in order. Like
    /// [`HotSet::neighbours`](crate::index::hot::HotSet::neighbours), but without turns more than `16 * count` episodes
    /// of the thread away.
    pub fn neighbours(&self, ids: &[Id], count: usize) -> Result<Vec<(Vec<Id>, Vec<Id>)>> {
        self.read(|view| {
            let reader = EpisodeReader::open(view)?;
            let around = |id: &Id| -> Result<(Vec<Id>, Vec<Id>), Fault> {
                let Some(key) = reader.key(id)? else { return Ok(Default::default()) };
                let turn = reader.at(&key)?;
                if !turn.is_turn() {
                    return Ok(Default::default());
                }
                let mut before = turns(view, &reader, (&turn, &key), count, true)?;
                before.reverse();
                Ok((before, turns(view, &reader, (&turn, &key), count, false)?))
            };
            ids.iter().map(around).collect()
        })
    }

    /// The mode of the latest episode of a thread that has one, among the last 1,024 of the thread.
    pub fn posture(&self, thread: &str) -> Result<Option<String>> {
        self.read(|view| {
            let reader = EpisodeReader::open(view)?;
            let mut mode = None;
            let everything = (Bound::Unbounded, Bound::Unbounded);
            walk(view, &reader, Some(thread), everything, (true, LATEST), |episode| {
                mode = episode.mode;
                mode.is_none()
            })?;
            Ok(mode)
        })
    }
}

/// The nearest turns of the same conversation on one side of an episode, nearest first.
fn turns(
    view: &ReadTransaction,
    reader: &EpisodeReader,
    (turn, key): (&Episode, &OrderKey),
    count: usize,
    backwards: bool,
) -> Result<Vec<Id>, Fault> {
    let mut found = Vec::with_capacity(count);
    if count == 0 {
        return Ok(found);
    }
    let bounds = if backwards {
        (Bound::Unbounded, Bound::Excluded(*key))
    } else {
        (Bound::Excluded(*key), Bound::Unbounded)
    };
    let reach = REACH.saturating_mul(count);
    walk(view, reader, turn.thread.as_deref(), bounds, (backwards, reach), |episode| {
        if episode.is_turn() && episode.session == turn.session && episode.thread == turn.thread {
            found.push(episode.id);
        }
        found.len() < count
    })?;
    Ok(found)
}

/// Calls `visit` for the episodes of a thread (of the whole log, if there is none) within bounds, in order, until it
/// returns false or `reach` episodes were visited.
fn walk(
    view: &ReadTransaction,
    reader: &EpisodeReader,
    thread: Option<&str>,
    bounds: (Bound<OrderKey>, Bound<OrderKey>),
    (backwards, reach): (bool, usize),
    mut visit: impl FnMut(Episode) -> bool,
) -> Result<(), Fault> {
    let Some(thread) = thread else {
        let bounds = (bounds.0.map(OrderKey::to_bytes), bounds.1.map(OrderKey::to_bytes));
        let mut seen = 0;
        return packed_table::walk(&view.open_table(EPISODES)?, bounds, backwards, |key, value| {
            seen += 1;
            Ok(visit(reader.decode(&OrderKey::from_bytes(key), value)?) && seen < reach)
        });
    };
    let low = match bounds.0 {
        Bound::Unbounded => Bound::Included([0; KEY_BYTES]),
        bound => bound.map(OrderKey::to_bytes),
    };
    let high = match bounds.1 {
        Bound::Unbounded => Bound::Included([0xff; KEY_BYTES]),
        bound => bound.map(OrderKey::to_bytes),
    };
    let (low, high) = (low.as_ref().map(|key| (thread, key)), high.as_ref().map(|key| (thread, key)));
    let mut rows = view.open_table(THREADS)?.range::<(&str, &[u8; KEY_BYTES])>((low, high))?;
    for _ in 0..reach {
        let row = if backwards { rows.next_back() } else { rows.next() };
        let Some(row) = row else { break };
        if !visit(reader.at(&OrderKey::from_bytes(row?.0.value().1))?) {
            break;
        }
    }
    Ok(())
}
