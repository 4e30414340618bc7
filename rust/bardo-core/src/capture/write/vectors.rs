//! Verbs for vectors of episodes: store them, read them, and list the episodes without vectors.

use std::sync::atomic::Ordering;

use redb::TableError;

use super::job::Job;
use crate::capture::log::EpisodeLog;
use crate::capture::storage::codec::{self, OrderKey};
use crate::capture::storage::packed_table;
use crate::capture::storage::schema::{IDS, TOKENS, VECTORS, place_of};
use crate::capture::storage::vector_batch::{EpisodeVectors, VectorBatch, dims};
use crate::capture::storage::vector_table::IN_FORCE;
use crate::error::{Error, Result};
use crate::model::{Episode, Fingerprint, Id};

impl EpisodeLog {
    /// Stores the vectors of episodes, in half precision. The first ones determine the model of the log; vectors of
    /// another model are refused. Small batches reach the disk with the next recorded episodes: a crash before that
    /// loses them, and the episodes have no vectors again.
    pub fn put_vectors(&self, ids: Vec<Id>, batch: VectorBatch, fingerprint: Fingerprint) -> Result<()> {
        batch.validate(ids.len(), &fingerprint)?;
        self.count_job(Job::Vectors(ids, Box::new(batch), fingerprint))?;
        Ok(())
    }

    /// The vectors of episodes; fails if an episode has none.
    pub fn vectors(&self, ids: &[Id]) -> Result<Vec<EpisodeVectors>> {
        let missing = |id: &Id| Error::NotFound { kind: "vectors of an episode", id: id.to_string() };
        let found = self.vectors_if_any(ids)?;
        ids.iter().zip(found).map(|(id, vectors)| vectors.ok_or_else(|| missing(id))).collect()
    }

    /// The vectors of episodes, in the same order; `None` for an episode without any.
    pub fn vectors_if_any(&self, ids: &[Id]) -> Result<Vec<Option<EpisodeVectors>>> {
        self.read(|view| {
            let (table, places, dims) = (view.open_table(VECTORS)?, view.open_table(IDS)?, dims(view)?);
            ids.iter()
                .map(|id| {
                    let Some(place) = place_of(&places, id)? else { return Ok(None) };
                    let found = packed_table::get(&table, &place.seq.to_be_bytes())?;
                    Ok(found.map(|sealed| EpisodeVectors::decode(id, sealed.value(), dims)).transpose()?)
                })
                .collect()
        })
    }

    /// Calls `visit(place, codes)` with the token codes of every id that has them.
    pub fn visit_tokens(&self, ids: &[Id], visit: &mut dyn FnMut(usize, &[u8])) -> Result<()> {
        self.read(|view| {
            let table = match view.open_table(TOKENS) {
                Ok(table) => table,
                Err(TableError::TableDoesNotExist(_)) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            for (place, id) in ids.iter().enumerate() {
                if let Some(sealed) = table.get(&id.0)? {
                    visit(place, codec::open(&id.0, sealed.value())?);
                }
            }
            Ok(())
        })
    }

    /// Episodes without vectors, by arrival, at most `limit`.
    pub fn without_vectors(&self, limit: usize) -> Result<Vec<Episode>> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        if let Some(known) = self.known_without_vectors(limit)? {
            return Ok(known);
        }
        let changes = self.changes();
        let found = self.read(|view| IN_FORCE.waiting(view, limit))?;
        let mut state = self.state();
        // Valid only if nothing changed meanwhile, and if the list is complete.
        if found.len() < limit && changes == self.changes() && state.opening == self.opening() {
            let key = |one: &Episode| OrderKey { tick: one.tick, event_index: one.event_index, id: one.id };
            state.tail.lacking = Some(found.iter().map(key).collect());
            self.note_embedded(&state);
        }
        Ok(found)
    }

    /// Episodes without vectors, at most `limit`; `None` if they are not known.
    fn known_without_vectors(&self, limit: usize) -> Result<Option<Vec<Episode>>> {
        let (mut found, mut elsewhere) = (Vec::new(), Vec::new());
        {
            let _guard = self.connect_as_is()?;
            let state = self.state();
            let Some(lacking) = state.tail.lacking.as_ref().filter(|_| state.opening == self.opening())
            else {
                return Ok(None);
            };
            for key in lacking.iter().take(limit) {
                let waiting = state.tail.episode(key);
                match waiting.map_err(|fault| fault.into_error("read", self.path()))? {
                    Some(episode) => found.push(episode),
                    None => elsewhere.push((key.tick, key.event_index, key.id)),
                }
            }
        }
        if !elsewhere.is_empty() {
            let stored = self.at(&elsewhere)?.into_iter().flatten();
            found = stored.chain(found).collect();
        }
        Ok(Some(found))
    }

    /// Whether every episode is known to have its vectors.
    pub(crate) fn is_embedded(&self) -> bool {
        self.embedded.load(Ordering::Acquire)
    }
}
