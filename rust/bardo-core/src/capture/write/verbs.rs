//! Verbs that change the log. Each is a job in a commit that concurrent callers share.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

use redb::Durability;

use super::draft::{NewEpisode, Receipt, prepare};
use super::job::{Job, Work};
use super::plan::RecordOptions;
use super::source::SourceMove;
use super::transaction::{self, Reply, Transaction, WriterState};
use crate::capture::log::EpisodeLog;
use crate::capture::storage::fault::{self, Fault, catch_panic};
use crate::capture::storage::schema::{ARRIVALS, META, WATERMARKS};
use crate::capture::storage::store::OpenStore;
use crate::capture::wal::mark::JournalUse;
use crate::capture::wal::memtable::{self, EpisodeRow};
use crate::error::Result;
use crate::model::{Episode, Id, Micros, check_name};

/// Number of commits between two that wait for the disk, in a log that is not durable: redb reuses no page until
/// then.
const COMMITS_PER_SYNC: u64 = 512;

impl EpisodeLog {
    /// Records episodes, all or none, and returns when they would survive a power loss. An episode that was recorded
    /// before (the same id and content, or without an id the same content by the same author in the same thread
    /// within 60 s) is one episode: its first id comes back as not fresh. Ticks must not fall below the last one,
    /// unless `out_of_order` says that the episodes come from another writer (an inbox, an archive).
    pub fn record(&self, episodes: Vec<NewEpisode>, now: Micros, out_of_order: bool) -> Result<Vec<Receipt>> {
        let recorded =
            self.record_whole(episodes, now, RecordOptions { out_of_order, ..RecordOptions::default() })?;
        Ok(recorded.into_iter().map(|(recorded, _)| recorded).collect())
    }

    /// [`EpisodeLog::record`] that also returns the episodes: the new ones as stored, the others as given. Of a
    /// transcript that continues a stored conversation, the stored messages are not fresh.
    pub fn record_whole(
        &self,
        episodes: Vec<NewEpisode>,
        now: Micros,
        manner: RecordOptions,
    ) -> Result<Vec<(Receipt, Episode)>> {
        if episodes.is_empty() {
            return Ok(Vec::new());
        }
        self.submit_record(episodes, now, manner, None)
    }

    /// [`EpisodeLog::record_whole`] that moves the watermark of the episodes' source in the same transaction. There may
    /// be no episodes. Refuses if the watermark is not where the reader started from.
    pub fn record_from_source(
        &self,
        episodes: Vec<NewEpisode>,
        now: Micros,
        manner: RecordOptions,
        step: SourceMove,
    ) -> Result<Vec<(Receipt, Episode)>> {
        step.check()?;
        self.submit_record(episodes, now, manner, Some(step))
    }

    fn submit_record(
        &self,
        episodes: Vec<NewEpisode>,
        now: Micros,
        manner: RecordOptions,
        step: Option<SourceMove>,
    ) -> Result<Vec<(Receipt, Episode)>> {
        let prepared = episodes.into_iter().map(|new| prepare(new, now)).collect::<Result<Vec<_>>>()?;
        match self.write(Job::Record(prepared, manner, step))? {
            Reply::Recorded(recorded) => Ok(recorded),
            Reply::Count(_) => Ok(Vec::new()),
        }
    }

    /// Marks episodes as verified, and sets their importance where one is given. Assigns the next verification number
    /// to each newly verified episode. Returns the number of newly verified episodes.
    pub fn verify(&self, items: Vec<(Id, Option<f32>)>) -> Result<u64> {
        for importance in items.iter().filter_map(|item| item.1) {
            crate::model::check_unit("importance", importance)?;
        }
        self.count(Box::new(move |session| session.verify(&items)))
    }

    /// Counts one replay for each of the episodes, and returns their number.
    pub fn mark_replayed(&self, ids: Vec<Id>) -> Result<u64> {
        self.count(Box::new(move |session| {
            session.annotate(&ids, |_, annotations| {
                annotations.replay_count = annotations.replay_count.saturating_add(1);
            })
        }))
    }

    /// Sets a named watermark, such as the position in a source.
    pub fn set_watermark(&self, name: &str, value: u64) -> Result<()> {
        check_name("the name of a watermark", name)?;
        let name = name.to_owned();
        self.count(Box::new(move |session| {
            session.inner.open_table(WATERMARKS)?.insert(name.as_str(), value)?;
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
        {
            let state = self.state();
            if state.opening == self.opening() {
                return Ok(state.last_tick);
            }
        }
        self.read(|view| {
            // The full writer state also holds the latest contents, to recognise a retry; opening alone does
            // not need them.
            transaction::last_tick(&view.open_table(ARRIVALS)?, &view.open_table(META)?)
        })
    }

    pub(crate) fn count(&self, work: Work) -> Result<u64> {
        self.count_job(Job::Other(work))
    }

    pub(crate) fn count_job(&self, job: Job) -> Result<u64> {
        match self.write(job)? {
            Reply::Count(count) => Ok(count),
            Reply::Recorded(recorded) => Ok(recorded.len() as u64),
        }
    }

    fn write(&self, job: Job) -> Result<Reply> {
        self.group.submit(job, |jobs| self.commit(jobs))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, WriterState> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs jobs as one commit. A refused job fails alone; a failure of the store fails all.
    fn commit(&self, jobs: Vec<Job>) -> Vec<Result<Reply>> {
        let jobs = match self.commit_to_journal(jobs) {
            Ok(replies) => return replies,
            Err(jobs) => jobs,
        };
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
        let guard = self.connect_as_is()?;
        let live = guard.live()?;
        live.backend.arm().map_err(|error| fault::unavailable("write", self.path(), &error))?;
        let mut state = self.state();
        let known_at = std::mem::take(&mut state.opening);
        let sync = self.durable || is_sync_due(&state);
        let loads = known_at != self.opening();
        let transacted = self.transact(live, &mut state, sync, JournalUse::GoesOn, |session| {
            if loads {
                session.load()?;
            }
            let replies = jobs.into_iter().map(|job| separate_faults(job.run(session)));
            replies.collect::<Result<Vec<_>, _>>()
        });
        let (replies, outdated) = transacted?;
        // Only now: after a failure the state may be ahead of the file, and is reloaded.
        state.opening = if outdated { 0 } else { self.opening() };
        self.note_embedded(&state);
        Ok(replies)
    }

    /// Runs one transaction that first writes the memtable to redb, and continues or ends the use of the journal.
    /// Returns the answer of `step`, and whether the writer must reload its state of the file.
    pub(crate) fn transact<T>(
        &self,
        live: &OpenStore,
        state: &mut WriterState,
        sync: bool,
        journal: JournalUse,
        step: impl FnOnce(&mut Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<(T, bool), Fault> {
        state.tail.align(self.opening());
        let ops = std::mem::take(&mut state.tail.ops);
        let told = state.tail.told.min(ops.len());
        let transacted = catch_panic(|| {
            let mut transaction = live.db.begin_write()?;
            let (answer, changed, sync, outdated, begun) = {
                let mut session = Transaction {
                    inner: &transaction,
                    state: &mut *state,
                    ids: self.ids,
                    tables: None,
                    changed: false,
                    sync,
                    outdated: false,
                };
                session.write_pending(&ops[told..])?;
                // Changes flushed to redb without waiting for the disk are durable with the next commit that
                // waits.
                session.changed |= sync && told > 0;
                let answer = step(&mut session)?;
                session.changed |= journal == JournalUse::Ends;
                let begun = if session.sync && session.changed {
                    session.mark_journal(journal, self.durable)?
                } else {
                    None
                };
                (answer, session.changed, session.sync, session.outdated, begun)
            };
            if changed {
                transaction.set_durability(if sync { Durability::Immediate } else { Durability::None })?;
                transaction.commit()?;
                self.note_change();
            } else {
                transaction.abort()?;
            }
            Ok((answer, changed, sync, outdated, begun))
        });
        state.tail.ops = ops;
        let (answer, changed, synced, outdated, begun) = transacted?;
        self.behind.store(false, Ordering::Release);
        state.tail.told = state.tail.ops.len();
        if changed {
            state.commits += 1;
        }
        if synced {
            state.tail.clear(begun);
        }
        Ok((answer, outdated))
    }

    /// Records episodes in one frame of the journal (in memory alone if they need not be durable), and buffers small
    /// sets of vectors in memory. Returns the jobs if they must go to redb.
    fn commit_to_journal(&self, jobs: Vec<Job>) -> std::result::Result<Vec<Result<Reply>>, Vec<Job>> {
        // Held to the end: while the file is not open here, its journal may belong to another process.
        let Ok(_guard) = self.connect_as_is() else { return Err(jobs) };
        let mut state = self.state();
        if state.opening != self.opening() || !can_wait(&mut state, &jobs, self.durable) {
            return Err(jobs);
        }
        let known_at = std::mem::take(&mut state.opening);
        let count = jobs.len();
        let mut kept = Vec::new();
        let mut replies = Vec::with_capacity(count);
        for job in jobs {
            replies.push(match job {
                Job::Record(prepared, manner, _) => match state.lay_out_quickly(self.ids, prepared, manner) {
                    Ok((recorded, new)) => {
                        kept.extend(new);
                        Ok(Reply::Recorded(recorded))
                    }
                    Err(fault) => Err(fault.into_error("write", self.path())),
                },
                Job::Vectors(ids, batch, model) => {
                    let count = ids.len() as u64;
                    state.tail.push_vectors(ids, *batch, model);
                    Ok(Reply::Count(count))
                }
                // Such a job cannot be buffered.
                Job::Other(_) => Ok(Reply::Count(0)),
            });
        }
        if let Err(fault) = state.append(kept, self.durable) {
            // The state is ahead of the log, and must be reloaded.
            let error = fault.into_error("write", self.path());
            return Ok((0..count).map(|_| Err(error.clone())).collect());
        }
        self.note_change();
        self.behind.store(true, Ordering::Release);
        state.commits += 1;
        state.opening = known_at;
        self.note_embedded(&state);
        Ok(replies)
    }

    /// Publishes, for reading without the lock, whether every episode has its vectors.
    pub(crate) fn note_embedded(&self, state: &WriterState) {
        let known = state.opening == self.opening() && state.tail.is_embedded();
        self.embedded.store(known, Ordering::Release);
    }
}

impl WriterState {
    /// Adds episodes to the memtable, and to the journal if they are to be durable.
    fn append(&mut self, kept: Vec<EpisodeRow>, durable: bool) -> Result<(), Fault> {
        if kept.is_empty() {
            return Ok(());
        }
        if let (true, Some(journal)) = (durable, &mut self.tail.journal) {
            let body = memtable::encode(&kept)?;
            journal.append(&body).map_err(redb::StorageError::from)?;
        }
        self.tail.push(kept);
        Ok(())
    }
}

/// Whether the next commit of a log that is not durable waits for the disk.
const fn is_sync_due(state: &WriterState) -> bool {
    state.commits % COMMITS_PER_SYNC == COMMITS_PER_SYNC - 1
}

/// Whether the journal or the memtable accepts every job.
fn can_wait(state: &mut WriterState, jobs: &[Job], durable: bool) -> bool {
    let (mut highest, mut last_tick, mut bytes) = (state.highest, state.last_tick, 0);
    let all = jobs.iter().all(|job| match job {
        // A watermark is not in the journal.
        Job::Record(_, _, Some(_)) | Job::Other(_) => false,
        Job::Record(prepared, _, None) => {
            WriterState::needs_no_lookup(prepared, &mut highest, &mut last_tick, &mut bytes)
        }
        Job::Vectors(ids, batch, model) => state.tail.takes_vectors(ids, batch, model),
    });
    let is_due = !durable && is_sync_due(state);
    all && !is_due && state.tail.takes(bytes, durable)
}

/// Separates a refusal, which concerns one caller, from a failure, which concerns all.
fn separate_faults(outcome: Result<Reply, Fault>) -> Result<Result<Reply>, Fault> {
    match outcome {
        Ok(reply) => Ok(Ok(reply)),
        Err(Fault::Refused(error)) => Ok(Err(error)),
        Err(fault) => Err(fault),
    }
}
