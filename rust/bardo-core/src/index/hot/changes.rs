//! Detects changes since the last sync: episodes without vectors, changed facts, inbox files.
//!
//! Every recall runs this check, so it reads no record: a counter and the times of two files decide, and SQLite is
//! queried only if the time of a file is inconclusive.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::capture::EpisodeLog;
use crate::facts::{FactStore, StoreVersion};

/// Coarsest resolution of file times: FAT counts in two seconds.
const GRAIN: Duration = Duration::from_secs(2);

/// State of a file, as the system reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    /// File does not exist.
    Absent,
    /// Modification time and length.
    Changed(SystemTime, u64),
}

/// Changes since the last sync, and the state of the files when they were detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    inbox: Option<FileState>,
    /// State of the write-ahead log of the facts.
    facts: Option<FileState>,
    /// State of the facts, if the store was queried.
    moment: Option<StoreVersion>,
    /// Whether the inbox may hold new episodes.
    pub in_inbox: bool,
    /// Whether the facts may have changed.
    pub in_facts: bool,
}

/// Detects changes in the stores of one agent.
#[derive(Debug)]
pub struct ChangeDetector {
    inbox: PathBuf,
    /// The write-ahead log of the facts: every commit of any process changes it.
    facts: PathBuf,
    seen: Mutex<Changes>,
}

impl ChangeDetector {
    /// Watches an inbox, and the fact store at a path.
    #[must_use]
    pub fn new(inbox: &Path, facts: &Path) -> Self {
        let mut wal = facts.as_os_str().to_owned();
        wal.push("-wal");
        Self { inbox: inbox.to_owned(), facts: wal.into(), seen: Mutex::default() }
    }

    /// Changes since [`ChangeDetector::mark_seen`]; `None` if there are none. `facts` is the store at the path given to
    /// [`ChangeDetector::new`].
    #[must_use]
    pub fn changes(&self, log: &EpisodeLog, facts: &FactStore, now: SystemTime) -> Option<Changes> {
        let mut changes =
            Changes { inbox: state_of(&self.inbox), facts: state_of(&self.facts), ..Changes::default() };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        changes.in_inbox = changes.inbox.is_none() || changes.inbox != seen.inbox;
        // Without a write-ahead log its state is inconclusive.
        if !matches!(changes.facts, Some(FileState::Changed(..))) || changes.facts != seen.facts {
            // A store that cannot be queried reports its error when it is read.
            changes.moment = facts.moment().ok();
            changes.in_facts = changes.moment.is_none() || changes.moment != seen.moment;
            if !changes.in_facts {
                seen.facts = stable_state(changes.facts, now);
            }
        }
        (changes.in_inbox || changes.in_facts || !log.is_embedded()).then_some(changes)
    }

    /// Marks everything up to the detection of `changes` as synchronised. An inbox that changed less than [`GRAIN`]
    /// before `now` is checked again, since a further change may have the same time.
    pub fn mark_seen(&self, changes: &Changes, now: SystemTime) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.inbox = stable_state(changes.inbox, now);
        if changes.in_facts {
            (seen.facts, seen.moment) = (stable_state(changes.facts, now), changes.moment);
        }
    }
}

/// State of a file; `None` if the system does not report it.
fn state_of(path: &Path) -> Option<FileState> {
    match path.metadata() {
        Ok(found) => Some(FileState::Changed(found.modified().ok()?, found.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(FileState::Absent),
        Err(_) => None,
    }
}

/// The state, if the next change of the file is certain to differ from it.
fn stable_state(state: Option<FileState>, now: SystemTime) -> Option<FileState> {
    state.filter(|state| match state {
        FileState::Absent => true,
        FileState::Changed(at, _) => now.duration_since(*at).is_ok_and(|age| age > GRAIN),
    })
}
