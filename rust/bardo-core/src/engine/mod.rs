//! Engine: the log, the facts and the hot set of one agent.
//!
//! [`Engine`] holds the hot set behind a lock and synchronised with the stores. A recorded episode is found by the next
//! search (law 1), vectors are read at the first search that needs them, and work interrupted by a switch of the
//! embedding model is repeated (law 10).
//!
//! An engine without stores indexes the memories that its caller adds.

mod model_switch;
mod recall;
mod record;
mod transient;
mod vectors;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub use record::{RecordResult, TickOrigin};
pub use transient::TransientRows;

use crate::capture::EpisodeLog;
use crate::error::{Error, Result};
use crate::facts::FactStore;
use crate::index::hot::{HotSet, OpenReport, Origin};
use crate::model::{Episode, Id};
use crate::recall::search::Scratch;
use model_switch::ModelSwitch;

/// Stores of the ground truth.
#[derive(Clone)]
pub struct Stores {
    /// Episode log.
    pub log: Arc<EpisodeLog>,
    /// Fact store.
    pub facts: Arc<FactStore>,
}

/// Hot set of one agent, synchronised with its stores. Safe to share among threads.
#[derive(Default)]
pub struct Engine {
    hot: RwLock<HotSet>,
    /// Buffers of finished searches, for reuse.
    scratch: Mutex<Vec<Scratch>>,
    /// Copy of [`HotSet::cold_upto`] that is read without the lock.
    cold_upto: AtomicU64,
    /// Whether vectors are still in the stores and must be read before a search.
    vectors_pending: AtomicBool,
    /// Number of loads: rows that were admitted before the last one are gone.
    generation: AtomicU64,
    stores: RwLock<Option<Stores>>,
    model_switch: ModelSwitch,
}

impl Engine {
    /// Loads an engine from its stores; see [`Engine::load`].
    pub fn open(stores: &Stores, snapshot: Option<&Path>, cold_upto: u64) -> Result<(Self, OpenReport)> {
        let engine = Self::default();
        let opened = engine.load(stores, snapshot, cold_upto)?;
        Ok((engine, opened))
    }

    /// Reloads the hot set: from a snapshot and the arrivals after it, or from the stores alone. Searches continue
    /// meanwhile. Leaves out arrivals up to `cold_upto`.
    pub fn load(&self, stores: &Stores, snapshot: Option<&Path>, cold_upto: u64) -> Result<OpenReport> {
        *self.stores.write().unwrap_or_else(PoisonError::into_inner) = Some(stores.clone());
        let Stores { log, facts } = stores;
        facts.derive_scopes(log)?;
        // During the first load no other thread has the engine.
        let is_shared = self.generation.load(Ordering::Acquire) > 0;
        let origin = is_shared.then(|| Origin::of(log)).transpose()?;
        let (mut loaded, opened) = match snapshot {
            Some(snapshot) => HotSet::open_without_vectors(log, facts, snapshot, cold_upto)?,
            None => (HotSet::load(log, facts, cold_upto)?, OpenReport::default()),
        };
        let mut hot = self.write();
        // Other threads changed the hot set that is being replaced.
        if let Some(origin) = origin
            && !loaded.catch_up(&origin, log, facts)?
        {
            loaded = HotSet::load(log, facts, cold_upto)?;
        }
        *hot = loaded;
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.vectors_pending.store(opened.restored > 0, Ordering::Release);
        self.cold_upto.store(hot.cold_upto(), Ordering::Release);
        Ok(opened)
    }

    /// Writes a snapshot of the hot set; returns its size in bytes, or 0 without writing while an episode of the log is
    /// missing.
    pub fn save(&self, snapshot: &Path) -> Result<u64> {
        let stores = self.stores()?;
        self.read().save(&stores.log, snapshot)
    }

    /// Removes the arrivals up to a number, which the caller has archived; returns their number.
    pub fn leave(&self, upto: u64) -> Result<usize> {
        let stores = self.stores()?;
        let mut hot = self.write();
        let left = hot.evict(&stores.log, upto);
        self.cold_upto.store(hot.cold_upto(), Ordering::Release);
        left
    }

    /// Applies the fact changes of any process since the last call; returns their number.
    pub fn sync_facts(&self, facts: &FactStore) -> Result<usize> {
        // Searches are blocked only if something changed.
        if self.read().is_current(facts)? {
            return Ok(0);
        }
        if let Ok(stores) = self.stores() {
            facts.derive_scopes(&stores.log)?;
        }
        self.write().sync_facts(facts)
    }

    /// Adds episodes of a log; updates the annotations of known ones.
    pub fn add_episodes<'a>(&self, episodes: impl IntoIterator<Item = &'a Arc<Episode>>) -> Result<()> {
        let mut hot = self.write();
        episodes.into_iter().try_for_each(|episode| hot.add_shared(episode))
    }

    /// Updates the annotations of the episodes that are in the hot set.
    pub fn update_episodes<'a>(&self, episodes: impl IntoIterator<Item = &'a Arc<Episode>>) {
        let mut hot = self.write();
        for episode in episodes {
            hot.update_episode(episode);
        }
    }

    /// Removes memories with their words and vectors; returns the number removed.
    pub fn remove(&self, ids: &[Id]) -> usize {
        let mut hot = self.write();
        ids.iter().filter(|id| hot.remove(id)).count()
    }

    /// Number of the last arrival that is only in the archive; 0 while every episode is in memory.
    #[must_use]
    pub fn cold_upto(&self) -> u64 {
        self.cold_upto.load(Ordering::Acquire)
    }

    /// Read lock on the hot set. Its vectors may still be in the stores.
    pub fn read(&self) -> RwLockReadGuard<'_, HotSet> {
        self.hot.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HotSet> {
        self.hot.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn stores(&self) -> Result<Stores> {
        let stores = self.stores.read().unwrap_or_else(PoisonError::into_inner).clone();
        stores.ok_or_else(|| Error::invalid("no stores were loaded", "Call `load` with a log and its facts"))
    }
}
