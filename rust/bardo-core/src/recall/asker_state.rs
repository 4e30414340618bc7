//! Where the asker stands: the posture of its thread, and whether its session has begun.

use crate::index::hot::{HotSet, NO_NAME};

/// The mode of the latest episode of a thread that has one.
#[must_use]
pub fn posture<'hot>(hot: &'hot HotSet, thread: &str) -> Option<&'hot str> {
    let thread = hot.names().find(thread)?;
    hot.latest()
        .filter_map(|slot| hot.row(slot))
        .find(|row| row.fact.is_none() && row.thread == thread && row.mode != NO_NAME)
        .map(|row| hot.names().name(row.mode))
}

/// Whether an episode of a session is known.
#[must_use]
pub fn has_begun(hot: &HotSet, session: &str) -> bool {
    hot.names().find(session).is_some_and(|session| hot.holds_session(session))
}
