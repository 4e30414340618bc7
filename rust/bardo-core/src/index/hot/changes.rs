//! Whether anything came since everything was in step: an episode without vectors, a change of the facts, a file in the
//! inbox. Asked before every recall, so it reads no record: it looks at a counter and at the times of two files, and asks
//! SQLite only where the time of a file tells nothing.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::capture::EpisodeLog;
use crate::facts::{FactStore, Moment};

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
    /// Of the facts' file.
    facts: Option<Sight>,
    /// Of the facts themselves, where they were asked.
    moment: Option<Moment>,
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

    /// What came since [`Lookout::settle`]; nothing if nothing did. `facts` is the store that was named to [`Lookout::new`].
    #[must_use]
    pub fn news(&self, log: &EpisodeLog, facts: &FactStore, now: SystemTime) -> Option<News> {
        let mut news = News { inbox: sight(&self.inbox), facts: sight(&self.facts), ..News::default() };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        news.in_inbox = news.inbox.is_none() || news.inbox != seen.inbox;
        // Facts without a write-ahead log tell nothing by it.
        if !matches!(news.facts, Some(Sight::Changed(..))) || news.facts != seen.facts {
            // A store that cannot be asked says why when it is read.
            news.moment = facts.moment().ok();
            news.in_facts = news.moment.is_none() || news.moment != seen.moment;
            if !news.in_facts {
                seen.facts = lasting(news.facts, now);
            }
        }
        (news.in_inbox || news.in_facts || !log.is_embedded()).then_some(news)
    }

    /// Everything that was there when `news` was told has been taken over. An inbox that changed less than [`GRAIN`]
    /// before `now` is looked at again: it may change once more at the same time.
    pub fn settle(&self, news: &News, now: SystemTime) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.inbox = lasting(news.inbox, now);
        if news.in_facts {
            (seen.facts, seen.moment) = (lasting(news.facts, now), news.moment);
        }
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

/// A sight that the next change of the file will differ from.
fn lasting(sight: Option<Sight>, now: SystemTime) -> Option<Sight> {
    sight.filter(|sight| match sight {
        Sight::Absent => true,
        Sight::Changed(at, _) => now.duration_since(*at).is_ok_and(|age| age > GRAIN),
    })
}
