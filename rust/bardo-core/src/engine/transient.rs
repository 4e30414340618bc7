//! Transient rows: archived episodes that are in the hot set for the duration of one search.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Engine;
use crate::capture::{EpisodeLog, EpisodeVectors};
use crate::error::Result;
use crate::index::hot::HotSet;
use crate::model::{Episode, Id};

/// Rows added by [`Engine::admit`], to be removed after the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransientRows {
    ids: Vec<Id>,
    generation: u64,
}

impl TransientRows {
    /// Number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether every candidate was in memory already.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

impl Engine {
    /// Adds archived episodes and their adjacent turns: a question counts for its answer, and a turn for its session,
    /// only where both are in the hot set.
    pub fn admit(&self, ids: &[Id]) -> Result<TransientRows> {
        self.read_pending_vectors()?;
        let archived = read_archived(&self.stores()?.log, ids, self.cold_upto())?;
        let mut hot = self.write();
        let ids = add_all(&mut hot, &archived)?;
        Ok(TransientRows { ids, generation: self.generation.load(Ordering::Acquire) })
    }

    /// Removes transient rows; returns false if one was already gone. After another load none of them is transient, and
    /// nothing is removed.
    pub fn evict(&self, rows: &TransientRows) -> bool {
        let mut hot = self.write();
        self.generation.load(Ordering::Acquire) == rows.generation
            && rows.ids.iter().filter(|id| hot.remove(id)).count() == rows.ids.len()
    }
}

/// Archived episode, with its vectors if it has any.
type Archived = (Arc<Episode>, Option<EpisodeVectors>);

/// Episodes and their neighbours, each once. Excludes arrivals after `cold_upto`, which are in memory or about to
/// be.
fn read_archived(log: &EpisodeLog, ids: &[Id], cold_upto: u64) -> Result<Vec<Archived>> {
    let beside = log.neighbours(ids, 1)?;
    let neighbours = beside.iter().flat_map(|(before, after)| before.iter().chain(after));
    let mut seen = HashSet::new();
    let mut together: Vec<Id> =
        ids.iter().chain(neighbours).filter(|id| seen.insert(**id)).copied().collect();
    let in_memory = log.arrived_after(cold_upto, &together)?;
    together.retain(|id| in_memory.iter().all(|episode| episode.id != *id));
    let episodes = log.get(&together)?.into_iter();
    let read = episodes.zip(log.vectors_if_any(&together)?);
    Ok(read.filter_map(|(episode, vectors)| Some((Arc::new(episode?), vectors))).collect())
}

/// Adds all or none; returns the ids that were not in the hot set.
fn add_all(hot: &mut HotSet, archived: &[Archived]) -> Result<Vec<Id>> {
    let mut added = Vec::with_capacity(archived.len());
    for (episode, vectors) in archived {
        if hot.find(&episode.id).is_some() {
            continue;
        }
        added.push(episode.id);
        let mut outcome = hot.add_shared(episode);
        if let (Ok(()), Some(vectors)) = (&outcome, vectors) {
            outcome = hot.put_vectors(&episode.id, vectors);
        }
        if let Err(error) = outcome {
            for id in &added {
                hot.remove(id);
            }
            return Err(error);
        }
    }
    Ok(added)
}
