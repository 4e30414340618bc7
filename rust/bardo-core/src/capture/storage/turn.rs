//! Turn of a conversation, stored in the log and compared with a repeated transcript.

use xxhash_rust::xxh3::Xxh3;

use crate::model::{Episode, Role};

/// Turn of a stored conversation, or of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Hash of role, speaker, text and payload.
    pub content_hash: u64,
    /// Whether its position means nothing: leading operator messages may change from call to call.
    pub is_placeless: bool,
}

impl Turn {
    /// The turn of an episode.
    pub fn of(episode: &Episode) -> Self {
        Self { content_hash: episode.content_hash, is_placeless: episode.role == Role::System }
    }
}

/// Number of the conversation of an episode; `None` if it is not a turn.
pub(crate) fn conversation_of(kind: &str, thread: Option<&str>, session: Option<&str>) -> Option<u64> {
    if !["turn", "tool"].contains(&kind) {
        return None;
    }
    let mut hash = Xxh3::new();
    for name in [thread, session] {
        hash.update(&(name.map_or(0, str::len) as u64).to_le_bytes());
        hash.update(name.unwrap_or_default().as_bytes());
    }
    Some(hash.digest())
}
