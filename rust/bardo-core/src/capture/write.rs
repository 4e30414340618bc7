//! The verbs that change the log. Each is a job in a commit that concurrent callers share.

use std::sync::{MutexGuard, PoisonError};

use redb::{Durability, ReadableDatabase};

use super::fault::{self, Fault, catching};
use super::forget::buried;
use super::log::EpisodeLog;
use super::record::{NewEpisode, Recorded, prepare};
use super::session::{self, Session, WriterState};
use super::tables::{ARRIVALS, EPISODES, META, TOMBSTONES, WATERMARKS};
use crate::error::Result;
use crate::model::{Episode, Id, Micros, check_name};

/// Commits that a log which does not wait for the disk makes between two that do: redb reuses no page until then.
const COMMITS_PER_SYNC: u64 = 512;

/// One caller's change. It may refuse only before it writes anything.
pub(super) type Job = Box<dyn FnOnce(&mut Session<'_>) -> Result<Reply, Fault> + Send>;

/// What a job answers.
#[derive(Debug)]
pub(super) enum Reply {
    /// What became of each episode, beside the episode as it is stored if it is new.
    Recorded(Vec<(Recorded, Episode)>),
    Count(u64),
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
        let recorded = self.record_whole(episodes, now, out_of_order)?;
        Ok(recorded.into_iter().map(|(recorded, _)| recorded).collect())
    }

    /// [`EpisodeLog::record`] that gives the episodes back: those that are new as they are stored, the others as they
    /// came.
    pub fn record_whole(
        &self,
        episodes: Vec<NewEpisode>,
        now: Micros,
        out_of_order: bool,
    ) -> Result<Vec<(Recorded, Episode)>> {
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
            let state = self.state();
            if state.opening == self.opening() {
                return Ok(state.last_tick);
            }
            // A writer also wants the latest contents, to know a retry; whoever only opens the log does not.
            session::last_tick(&view.open_table(ARRIVALS)?, &view.open_table(META)?)
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
                // A table that is missing would be made by asking for it, so the tombstones are read from a view.
                let tombstones = buried(live.db.begin_read()?.open_table(TOMBSTONES))?;
                state.load(
                    &transaction.open_table(ARRIVALS)?,
                    &transaction.open_table(EPISODES)?,
                    &transaction.open_table(META)?,
                    tombstones,
                )?;
            }
            let (replies, changed, sync, outdated) = {
                let mut session = Session {
                    transaction: &transaction,
                    state: &mut state,
                    log: self,
                    tables: None,
                    changed: false,
                    sync,
                    outdated: false,
                };
                let replies =
                    jobs.into_iter().map(|job| settle(job(&mut session))).collect::<Result<Vec<_>, _>>()?;
                (replies, session.changed, session.sync, session.outdated)
            };
            if changed {
                transaction.set_durability(if sync { Durability::Immediate } else { Durability::None })?;
                transaction.commit()?;
                self.note_change();
                state.commits += 1;
            } else {
                transaction.abort()?;
            }
            Ok((replies, outdated))
        })?;
        let (replies, outdated) = replies;
        // Only now: after a failure the state may be ahead of the file, and is read again.
        state.opening = if outdated { 0 } else { self.opening() };
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
