//! Shared parts of the tests of the log and the facts. Each test file uses its own part.
#![allow(dead_code, clippy::unwrap_used)]

pub mod agent;
pub mod disk;
pub mod script;

use bardo_core::capture::{EpisodeLog, LogOptions, NewEpisode};
use bardo_core::model::{Annotations, Episode, Fact, FactKind, Id, Role, Value};

/// 2023-11-14 22:13:20 UTC in microseconds.
pub const NOW: i64 = 1_700_000_000_000_000;

pub fn options() -> LogOptions {
    LogOptions {
        agent: "trader-7".into(),
        seed: 7,
        now: NOW,
        durable: true,
        create: true,
        holder: None,
        accept_loss: false,
    }
}

pub fn open(folder: &tempfile::TempDir) -> EpisodeLog {
    EpisodeLog::open(folder.path().join("episodes.redb"), options()).unwrap()
}

pub fn episode(tick: u64, text: &str) -> Episode {
    Episode {
        id: Id([0; 16]),
        tick,
        event_index: 0,
        at: NOW,
        kind: "event".into(),
        role: Role::Environment,
        speaker: None,
        text: text.into(),
        subjects: Vec::new(),
        payload: Value::Null,
        thread: None,
        session: None,
        mode: None,
        curiosity: 0.0,
        pad: [0.0; 3],
        content_hash: 0,
        annotations: Annotations::default(),
    }
}

/// An episode that is given its id.
pub fn new(episode: Episode) -> NewEpisode {
    NewEpisode { episode, has_id: false, own_tick: false }
}

/// An episode with an id of its own.
pub fn owned(episode: Episode) -> NewEpisode {
    NewEpisode { episode, has_id: true, own_tick: false }
}

pub fn texts(episodes: &[Episode]) -> Vec<String> {
    episodes.iter().map(|episode| episode.text.clone()).collect()
}

/// An insight of the agent's own, half sure.
pub fn fact(text: &str) -> Fact {
    Fact { support: 1, confidence: 0.5, ..Fact::new(FactKind::Insight, text) }
}
