//! Records and indexes episodes in one step: a search that begins after [`Engine::record`] returns finds them.

use std::sync::Arc;

use super::Engine;
use crate::capture::{NewEpisode, Receipt, RecordOptions, SourceMove};
use crate::error::Result;
use crate::model::{Episode, INHERITED_KIND, Id, Micros};

/// Result of recording a list of episodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordResult {
    /// Stored episodes, in the order of the list, without the refused ones.
    pub episodes: Vec<Arc<Episode>>,
    /// Indices of the episodes that were stored before.
    pub known: Vec<usize>,
    /// Indices of the episodes refused because the same content was forgotten.
    pub forgotten: Vec<usize>,
}

/// Origin of the ticks of drafts: it decides whether a retry of a draft has the same tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TickOrigin {
    /// Whether the caller gave a tick for this call.
    pub is_given: bool,
    /// Whether the caller counts ticks, so that drafts without a time get the present tick.
    pub is_counted: bool,
}

impl TickOrigin {
    /// A draft at a tick, ready to be recorded.
    #[must_use]
    pub const fn at(self, tick: u64, mut episode: Episode, has_id: bool) -> NewEpisode {
        let own_tick = self.is_given || episode.tick != 0 || self.is_counted && episode.at == 0;
        episode.tick = tick;
        NewEpisode { episode, has_id, own_tick }
    }
}

impl Engine {
    /// Records episodes in the log, all or none, and adds the new ones to the hot set. A retry returns the stored
    /// episode, and verifies it if only the retry is verified.
    pub fn record(
        &self,
        episodes: Vec<NewEpisode>,
        now: Micros,
        manner: RecordOptions,
    ) -> Result<RecordResult> {
        self.index_recorded(self.stores()?.log.record_whole(episodes, now, manner)?)
    }

    /// [`Engine::record`] that moves the watermark of the episodes' source in the same transaction.
    pub fn record_from_source(
        &self,
        episodes: Vec<NewEpisode>,
        now: Micros,
        manner: RecordOptions,
        step: SourceMove,
    ) -> Result<RecordResult> {
        self.index_recorded(self.stores()?.log.record_from_source(episodes, now, manner, step)?)
    }

    fn index_recorded(&self, recorded: Vec<(Receipt, Episode)>) -> Result<RecordResult> {
        let recorded: Vec<(Receipt, Arc<Episode>)> =
            recorded.into_iter().map(|(recorded, episode)| (recorded, Arc::new(episode))).collect();
        self.add_episodes(
            recorded.iter().filter(|(recorded, _)| recorded.fresh).map(|(_, episode)| episode),
        )?;
        let mut known = self.stored_retries(&recorded)?.into_iter();
        let mut stored = RecordResult {
            episodes: Vec::with_capacity(recorded.len()),
            known: Vec::new(),
            forgotten: Vec::new(),
        };
        for (place, (recorded, episode)) in recorded.into_iter().enumerate() {
            if recorded.fresh {
                stored.episodes.push(episode);
            } else if recorded.forgotten {
                stored.forgotten.push(place);
            } else {
                stored.known.push(place);
                stored.episodes.extend(known.next().flatten());
            }
        }
        Ok(stored)
    }

    /// The stored episodes behind the retries in a list, verified where the retry is.
    fn stored_retries(&self, recorded: &[(Receipt, Arc<Episode>)]) -> Result<Vec<Option<Arc<Episode>>>> {
        let log = self.stores()?.log;
        let shared = |episodes: Vec<Option<Episode>>| -> Vec<_> {
            episodes.into_iter().map(|episode| episode.map(Arc::new)).collect()
        };
        let retries = || recorded.iter().filter(|(recorded, _)| !recorded.fresh && !recorded.forgotten);
        let ids: Vec<Id> = retries().map(|(recorded, _)| recorded.id).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let stored = shared(log.get(&ids)?);
        let verified: Vec<_> = retries()
            .zip(&stored)
            .filter_map(|((recorded, retry), stored)| {
                let stored = stored.as_ref()?;
                let is_newly_verified = retry.annotations.verified && !stored.annotations.verified;
                // An inherited episode was not observed by this agent in this life.
                let is_own = stored.kind != INHERITED_KIND && retry.kind == stored.kind;
                (is_newly_verified && is_own).then_some((recorded.id, retry.annotations.importance))
            })
            .collect();
        if verified.is_empty() {
            return Ok(stored);
        }
        log.verify(verified)?;
        let stored = shared(log.get(&ids)?);
        self.update_episodes(stored.iter().flatten());
        Ok(stored)
    }
}
