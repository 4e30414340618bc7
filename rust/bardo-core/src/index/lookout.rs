//! Whether anything came since everything was in step: an episode without vectors, a change of the facts, a file in the
//! inbox. Asked before every recall, so it opens no store: it looks at a counter and at the times of two files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::capture::EpisodeLog;

/// Within this time a file system may give two changes the same time: FAT counts in two seconds.
const GRAIN: Duration = Duration::from_secs(2);

/// What the system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// It is not there.
    Absent,
    /// When it changed, and its length.
    Changed(SystemTime, u64),
}

/// What was there to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    inbox: Option<Sight>,
    facts: Option<Sight>,
    /// Whether the inbox may hold what nobody took.
    pub in_inbox: bool,
    /// Whether the facts may have changed.
    pub in_facts: bool,
}

/// Looks out for one agent.
#[derive(Debug)]
pub struct Lookout {
    inbox: PathBuf,
    /// The write-ahead log of the facts: every commit of any process changes it.
    facts: PathBuf,
    seen: Mutex<News>,
}

impl Lookout {
    /// Looks out for files in a folder, and for changes of a store of facts.
    #[must_use]
    pub fn new(inbox: &Path, facts: &Path) -> Self {
        let mut wal = facts.as_os_str().to_owned();
        wal.push("-wal");
        Self { inbox: inbox.to_owned(), facts: wal.into(), seen: Mutex::default() }
    }

    /// What came since [`Lookout::settle`]; nothing if nothing did.
    #[must_use]
    pub fn news(&self, log: &EpisodeLog) -> Option<News> {
        let (inbox, facts) = (sight(&self.inbox), sight(&self.facts));
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let in_inbox = inbox.is_none() || inbox != seen.inbox;
        // Facts without a write-ahead log tell nothing by it.
        let in_facts = !matches!(facts, Some(Sight::Changed(..))) || facts != seen.facts;
        (in_inbox || in_facts || !log.is_embedded()).then_some(News { inbox, facts, in_inbox, in_facts })
    }

    /// Everything that was there when `news` was told has been taken over. What changed less than [`GRAIN`] before `now`
    /// is looked at again: it may change once more at the same time.
    pub fn settle(&self, news: &News, now: SystemTime) {
        let is_over = |sight: &Sight| match sight {
            Sight::Absent => true,
            Sight::Changed(at, _) => now.duration_since(*at).is_ok_and(|age| age > GRAIN),
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.inbox = news.inbox.filter(is_over);
        seen.facts = news.facts.filter(is_over);
    }
}

/// Nothing where the system does not say.
fn sight(path: &Path) -> Option<Sight> {
    match path.metadata() {
        Ok(found) => Some(Sight::Changed(found.modified().ok()?, found.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Sight::Absent),
        Err(_) => None,
    }
}
