//! Every change of the log: recording, verifying, marking, watermarks. Each is a job in a commit that many share.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};

use redb::{Durability, ReadableTable, Table, WriteTransaction};

use super::codec::{self, Fingermark, KEY_BYTES, OrderKey};
use super::fault::{self, Fault, catching};
use super::log::EpisodeLog;
use super::retry::{KEPT_ARRIVALS, Recent, Seen, WINDOW_MICROS};
use super::tables::{
    ANNOTATIONS, ARRIVAL_BYTES, ARRIVALS, Arrival, EPISODES, IDS, Place, SUBJECTS, THREADS, VERIFICATIONS,
    WATERMARKS,
};
use crate::error::{Error, Result};
use crate::model::{Annotations, Episode, Id, IdSource, Micros, check_name, limits};

/// Commits that a log which does not wait for the disk makes between two that do: redb reuses no page until then.
const COMMITS_PER_SYNC: u64 = 512;

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
    /// Its place within the tick.
    pub event_index: u32,
    /// Its wall clock.
    pub at: Micros,
}

/// One caller's change. It may refuse only before it writes anything.
pub(super) type Job = Box<dyn FnOnce(&mut Session<'_>) -> Result<Reply, Fault> + Send>;

/// What a job answers.
#[derive(Debug)]
pub(super) enum Reply {
    Recorded(Vec<Recorded>),
    Count(u64),
}

/// What the writer knows of the file without asking it.
#[derive(Debug, Default)]
pub(super) struct WriterState {
    /// The opening of the file that this was read from; 0 before the first.
    opening: u64,
    last_tick: u64,
    last_seq: u64,
    recent: Recent,
    commits: u64,
}

/// One write transaction, shared by the jobs of a commit.
pub(super) struct Session<'t> {
    pub transaction: &'t WriteTransaction,
    state: &'t mut WriterState,
    log: &'t EpisodeLog,
    tables: Option<RecordTables<'t>>,
    /// Whether anything was written.
    pub changed: bool,
    /// Whether the commit waits for the disk.
    sync: bool,
}

/// The tables that every new episode is written to.
struct RecordTables<'t> {
    episodes: Table<'t, &'static [u8; KEY_BYTES], &'static [u8]>,
    ids: Table<'t, &'static [u8; 16], Place>,
    arrivals: Table<'t, u64, &'static [u8; ARRIVAL_BYTES]>,
}

/// An episode that is ready to be written but for its place.
struct Prepared {
    new: NewEpisode,
    body: Vec<u8>,
}

/// What will be done with a prepared episode.
enum Plan {
    Insert { key: OrderKey, mark: Fingermark },
    Known(Recorded),
}

impl EpisodeLog {
    /// Records episodes, all or none, and returns when they would survive a power loss. An episode that was recorded
    /// before (the same id and content, or without an id the same content by the same author in the same thread
    /// within 60 s) is one episode: its first id comes back as not fresh. Ticks must not fall below the last one,
    /// unless `out_of_order` says that the episodes come from another writer (an inbox, an archive).
    pub fn record(
        &self,
        episodes: Vec<NewEpisode>,
        now: Micros,
        out_of_order: bool,
    ) -> Result<Vec<Recorded>> {
        if episodes.is_empty() {
            return Ok(Vec::new());
        }
        let prepared = episodes.into_iter().map(|new| prepare(new, now)).collect::<Result<Vec<_>>>()?;
        match self.write(Box::new(move |session| session.record(prepared, out_of_order)))? {
            Reply::Recorded(recorded) => Ok(recorded),
            Reply::Count(_) => Ok(Vec::new()),
        }
    }

    /// Marks episodes as verified, and sets their importance where one is given. Each newly verified episode gets the
    /// next verification number. Returns how many were newly verified.
    pub fn verify(&self, items: Vec<(Id, Option<f32>)>) -> Result<u64> {
        for importance in items.iter().filter_map(|item| item.1) {
            crate::model::check_unit("importance", importance)?;
        }
        self.count(Box::new(move |session| session.verify(&items)))
    }

    /// Counts one replay for each of the episodes, and returns how many there were.
    pub fn mark_replayed(&self, ids: Vec<Id>) -> Result<u64> {
        self.count(Box::new(move |session| {
            session.annotate(&ids, |_, annotations| {
                annotations.replay_count = annotations.replay_count.saturating_add(1);
            })
        }))
    }

    /// Keeps a number under a name, such as how far a source was read.
    pub fn set_watermark(&self, name: &str, value: u64) -> Result<()> {
        check_name("the name of a watermark", name)?;
        let name = name.to_owned();
        self.count(Box::new(move |session| {
            session.transaction.open_table(WATERMARKS)?.insert(name.as_str(), value)?;
            session.changed = true;
            Ok(Reply::Count(1))
        }))?;
        Ok(())
    }

    /// Makes everything recorded so far durable; only needed by a log that does not wait for the disk.
    pub fn flush(&self) -> Result<()> {
        self.count(Box::new(|session| {
            (session.changed, session.sync) = (true, true);
            Ok(Reply::Count(0))
        }))?;
        Ok(())
    }

    /// Tick of the last episode that was recorded in order; 0 before the first.
    pub fn last_tick(&self) -> Result<u64> {
        self.read(|view| {
            let mut state = self.state();
            if state.opening != self.opening() {
                state.load(&view.open_table(ARRIVALS)?, &view.open_table(EPISODES)?)?;
                state.opening = self.opening();
            }
            Ok(state.last_tick)
        })
    }

    pub(super) fn count(&self, job: Job) -> Result<u64> {
        match self.write(job)? {
            Reply::Count(count) => Ok(count),
            Reply::Recorded(recorded) => Ok(recorded.len() as u64),
        }
    }

    fn write(&self, job: Job) -> Result<Reply> {
        self.group.submit(job, |jobs| self.commit(jobs))
    }

    fn state(&self) -> MutexGuard<'_, WriterState> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs jobs in one transaction. A job that refuses fails alone; if the store fails, all do.
    fn commit(&self, jobs: Vec<Job>) -> Vec<Result<Reply>> {
        let count = jobs.len();
        let opening = self.opening();
        match self.try_commit(jobs) {
            Ok(replies) => replies,
            Err(fault) => {
                if fault.needs_reopening() {
                    // If this fails too, the next call tries again and reports it.
                    let _ = self.reopen(opening);
                }
                let error = fault.into_error("write", self.path());
                (0..count).map(|_| Err(error.clone())).collect()
            }
        }
    }

    fn try_commit(&self, jobs: Vec<Job>) -> Result<Vec<Result<Reply>>, Fault> {
        let guard = self.connect()?;
        let live = guard.live()?;
        live.backend.arm().map_err(|error| fault::unavailable("write", self.path(), &error))?;
        let mut state = self.state();
        let known_at = std::mem::take(&mut state.opening);
        let replies = catching(|| {
            let mut transaction = live.db.begin_write()?;
            let sync = self.durable || state.commits % COMMITS_PER_SYNC == COMMITS_PER_SYNC - 1;
            if known_at != self.opening() {
                state.load(&transaction.open_table(ARRIVALS)?, &transaction.open_table(EPISODES)?)?;
            }
            let (replies, changed, sync) = {
                let mut session = Session {
                    transaction: &transaction,
                    state: &mut state,
                    log: self,
                    tables: None,
                    changed: false,
                    sync,
                };
                let replies =
                    jobs.into_iter().map(|job| settle(job(&mut session))).collect::<Result<Vec<_>, _>>()?;
                (replies, session.changed, session.sync)
            };
            if changed {
                transaction.set_durability(if sync { Durability::Immediate } else { Durability::None })?;
                transaction.commit()?;
                state.commits += 1;
            } else {
                transaction.abort()?;
            }
            Ok(replies)
        })?;
        // Only now: after a failure the state may be ahead of the file, and is read again.
        state.opening = self.opening();
        Ok(replies)
    }
}

/// Tells a refusal, which is one caller's, from a failure, which is everyone's.
fn settle(outcome: Result<Reply, Fault>) -> Result<Result<Reply>, Fault> {
    match outcome {
        Ok(reply) => Ok(Ok(reply)),
        Err(Fault::Refused(error)) => Ok(Err(error)),
        Err(fault) => Err(fault),
    }
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

fn prepare(mut new: NewEpisode, now: Micros) -> Result<Prepared> {
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
    episode.content_hash = episode.hash_content();
    let body =
        codec::encode_body(episode).map_err(|corrupt| Error::invalid(corrupt.0, "Simplify the payload"))?;
    let rest = episode.text.len() + episode.subjects.iter().map(String::len).sum::<usize>();
    // The body is the payload and the rest; names and numbers beside them are bounded by their own limits.
    if body.len().saturating_sub(rest) > limits::PAYLOAD_BYTES {
        return Err(Error::invalid(
            format!(
                "the payload has about {} bytes encoded, the limit is {}",
                body.len() - rest,
                limits::PAYLOAD_BYTES
            ),
            "Keep the numbers and names that matter, and refer to the rest by path or address",
        ));
    }
    Ok(Prepared { new, body })
}

impl WriterState {
    /// Reads the picture of the file from its last arrivals.
    fn load(
        &mut self,
        arrivals: &impl ReadableTable<u64, &'static [u8; ARRIVAL_BYTES]>,
        episodes: &impl ReadableTable<&'static [u8; KEY_BYTES], &'static [u8]>,
    ) -> Result<(), Fault> {
        (self.last_seq, self.last_tick, self.recent) = (0, 0, Recent::default());
        let mut latest = Vec::new();
        let mut newest = Micros::MIN;
        let mut last_tick = None;
        for row in arrivals.range::<u64>(..)?.rev() {
            let (seq, arrival) = row?;
            let (seq, arrival) = (seq.value(), Arrival::from_bytes(arrival.value()));
            self.last_seq = self.last_seq.max(seq);
            if arrival.in_order && last_tick.is_none() {
                last_tick = Some(arrival.key.tick);
            }
            let value = episodes.get(&arrival.key.to_bytes())?;
            let value = value.ok_or_else(|| {
                Fault::Corrupt(format!("episode {} is listed but not there", arrival.key.id))
            })?;
            let (at, mark) = codec::decode_mark(&arrival.key, value.value())?;
            newest = newest.max(at);
            let retry_is_possible =
                latest.len() < KEPT_ARRIVALS || newest.saturating_sub(at) <= WINDOW_MICROS;
            if !retry_is_possible && last_tick.is_some() {
                break;
            }
            latest.push((mark, Seen { key: arrival.key, at, seq }));
        }
        self.last_tick = last_tick.unwrap_or(0);
        for (mark, seen) in latest.into_iter().rev() {
            self.recent.add(mark, seen);
        }
        Ok(())
    }
}

impl<'t> Session<'t> {
    fn record_tables(&mut self) -> Result<&mut RecordTables<'t>, Fault> {
        let tables = match self.tables.take() {
            Some(tables) => tables,
            None => RecordTables {
                episodes: self.transaction.open_table(EPISODES)?,
                ids: self.transaction.open_table(IDS)?,
                arrivals: self.transaction.open_table(ARRIVALS)?,
            },
        };
        Ok(self.tables.insert(tables))
    }

    /// Where the episode with an id is.
    pub fn key_of(&mut self, id: &Id) -> Result<OrderKey, Fault> {
        let key = self.record_tables()?.ids.get(&id.0)?.map(|place| OrderKey::from_bytes(place.value().0));
        Ok(key.ok_or_else(|| Error::NotFound { kind: "episode", id: id.to_string() })?)
    }

    /// Episodes by arrival.
    pub fn arrivals(&mut self) -> Result<&impl ReadableTable<u64, &'static [u8; ARRIVAL_BYTES]>, Fault> {
        Ok(&self.record_tables()?.arrivals)
    }

    fn record(&mut self, prepared: Vec<Prepared>, out_of_order: bool) -> Result<Reply, Fault> {
        let plans = self.plan(&prepared, out_of_order)?;
        let mut recorded = Vec::with_capacity(plans.len());
        for (plan, prepared) in plans.into_iter().zip(prepared) {
            recorded.push(match plan {
                Plan::Known(known) => known,
                Plan::Insert { key, mark } => self.insert(key, mark, prepared, out_of_order)?,
            });
        }
        Ok(Reply::Recorded(recorded))
    }

    /// Decides what to do with each episode of a call, and refuses the call before anything of it is written.
    fn plan(&mut self, prepared: &[Prepared], out_of_order: bool) -> Result<Vec<Plan>, Fault> {
        let mut planned: HashMap<Id, (Recorded, u64)> = HashMap::new();
        let mut marks = Recent::default();
        let mut next_index: HashMap<u64, u32> = HashMap::new();
        let (mut last_tick, mut seq) = (self.state.last_tick, self.state.last_seq);
        let mut plans = Vec::with_capacity(prepared.len());
        for Prepared { new: NewEpisode { episode, has_id }, .. } in prepared {
            let mark = Fingermark::new(episode.content_hash, episode.thread.as_deref());
            if let Some(known) = self.known(episode, *has_id, &mark, &planned, &marks)? {
                plans.push(Plan::Known(known));
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
            planned.insert(
                id,
                (Recorded { id, seq, fresh: false, event_index, at: episode.at }, episode.content_hash),
            );
            plans.push(Plan::Insert { key, mark });
        }
        Ok(plans)
    }

    /// The place of an episode within its tick: the caller's, or the next free one.
    fn place(&mut self, episode: &Episode, next: &mut HashMap<u64, u32>) -> Result<u32, Fault> {
        let next_index = if let Some(index) = next.get(&episode.tick) {
            *index
        } else {
            let (low, high) = (OrderKey::first_of(episode.tick), OrderKey::last_of(episode.tick));
            let (low, high) = (low.to_bytes(), high.to_bytes());
            let last = self.record_tables()?.episodes.range::<&[u8; KEY_BYTES]>(&low..=&high)?.next_back();
            last.transpose()?
                .map_or(0, |(key, _)| OrderKey::from_bytes(key.value()).event_index.saturating_add(1))
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
        let Some(place) = tables.ids.get(&id.0)? else { return Ok(None) };
        let (key, seq) = place.value();
        let key = OrderKey::from_bytes(key);
        let value = tables.episodes.get(&key.to_bytes())?;
        let value = value.ok_or_else(|| Fault::Corrupt(format!("episode {id} is listed but not there")))?;
        let (at, mark) = codec::decode_mark(&key, value.value())?;
        let recorded = Recorded { id: *id, seq, fresh: false, event_index: key.event_index, at };
        Ok(Some((recorded, mark.content_hash)))
    }

    fn insert(
        &mut self,
        key: OrderKey,
        mark: Fingermark,
        prepared: Prepared,
        out_of_order: bool,
    ) -> Result<Recorded, Fault> {
        let Prepared { new: NewEpisode { episode, .. }, body } = prepared;
        let (seq, bytes) = (self.state.last_seq + 1, key.to_bytes());
        let arrival = Arrival { key, in_order: !out_of_order };
        let tables = self.record_tables()?;
        tables.episodes.insert(&bytes, codec::seal(&bytes, &body).as_slice())?;
        tables.ids.insert(&key.id.0, (&bytes, seq))?;
        tables.arrivals.insert(seq, &arrival.to_bytes())?;
        if !episode.subjects.is_empty() {
            let mut subjects = self.transaction.open_table(SUBJECTS)?;
            for subject in &episode.subjects {
                subjects.insert((subject.as_str(), &bytes), ())?;
            }
        }
        if let Some(thread) = &episode.thread {
            self.transaction.open_table(THREADS)?.insert((thread.as_str(), &bytes), ())?;
        }
        if episode.annotations != Annotations::default() {
            self.store_annotations(&key.id, &Annotations::default(), &episode.annotations)?;
        }
        self.state.last_seq = seq;
        if !out_of_order {
            self.state.last_tick = self.state.last_tick.max(key.tick);
        }
        self.state.recent.add(mark, Seen { key, at: episode.at, seq });
        self.changed = true;
        Ok(Recorded { id: key.id, seq, fresh: true, event_index: key.event_index, at: episode.at })
    }

    fn verify(&mut self, items: &[(Id, Option<f32>)]) -> Result<Reply, Fault> {
        let ids: Vec<Id> = items.iter().map(|item| item.0).collect();
        self.annotate(&ids, |place, annotations| {
            annotations.verified = true;
            annotations.importance = items[place].1.or(annotations.importance);
        })
    }

    /// Changes the annotations of episodes that must all be there. Counts those newly verified, or if none could be,
    /// those that were changed.
    fn annotate(&mut self, ids: &[Id], change: impl Fn(usize, &mut Annotations)) -> Result<Reply, Fault> {
        for id in ids {
            self.key_of(id)?;
        }
        let mut count = 0;
        for (place, id) in ids.iter().enumerate() {
            let before = match self.transaction.open_table(ANNOTATIONS)?.get(&id.0)? {
                Some(sealed) => codec::decode_annotations(id, sealed.value())?,
                None => Annotations::default(),
            };
            let mut after = before;
            change(place, &mut after);
            if after != before {
                self.store_annotations(id, &before, &after)?;
                let replayed = after.replay_count != before.replay_count;
                count += u64::from(replayed || (after.verified && !before.verified));
            }
        }
        Ok(Reply::Count(count))
    }

    fn store_annotations(&mut self, id: &Id, before: &Annotations, after: &Annotations) -> Result<(), Fault> {
        let sealed = codec::encode_annotations(id, after)?;
        self.transaction.open_table(ANNOTATIONS)?.insert(&id.0, sealed.as_slice())?;
        if after.verified && !before.verified {
            let mut verifications = self.transaction.open_table(VERIFICATIONS)?;
            let number = verifications.last()?.map_or(0, |(number, _)| number.value()) + 1;
            verifications.insert(number, &id.0)?;
        }
        self.changed = true;
        Ok(())
    }
}
