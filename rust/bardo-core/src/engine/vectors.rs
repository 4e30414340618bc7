//! Stores vectors in the log and the hot set, and reads pending ones before the first search.

use std::sync::atomic::Ordering;

use super::Engine;
use crate::capture::VectorBatch;
use crate::error::{Error, Result};
use crate::index::hot::HotSet;
use crate::model::{Fingerprint, Id};

impl Engine {
    /// Stores vectors of episodes in the log and sets them in the hot set. Vectors of archived episodes go to the log
    /// alone.
    pub fn embed(&self, ids: &[Id], batch: &VectorBatch, fingerprint: Fingerprint) -> Result<()> {
        self.read_pending_vectors()?;
        let log = self.stores()?.log;
        log.put_vectors(ids.to_vec(), batch.clone(), fingerprint)?;
        let mut hot = self.write();
        let unknown: Vec<_> = ids.iter().filter(|id| hot.find(id).is_none()).copied().collect();
        if !unknown.is_empty() {
            // Another thread may have recorded an episode that it has not added yet.
            for episode in log.arrived_after(hot.cold_upto(), &unknown)? {
                hot.add_episode(&episode)?;
            }
        }
        set_rows(&mut hot, ids, batch, true)
    }

    /// Sets vectors of memories in the hot set alone.
    ///
    /// # Errors
    /// `InvalidVector` if the parts of the batch do not fit together, `NotFound` if a memory is not in the hot set.
    pub fn set_vectors(&self, ids: &[Id], batch: &VectorBatch) -> Result<()> {
        self.read_pending_vectors()?;
        let dims = batch.dims.max(1);
        let (whole, sentences) = (batch.whole.len() / dims, batch.sentences.len() / dims);
        let counted: usize = batch.counts.iter().sum();
        if whole != ids.len() || batch.counts.len() != ids.len() || counted != sentences {
            return Err(Error::vector(
                format!(
                    "{} ids, {whole} vectors, {} counts that add up to {counted}, and {sentences} sentence vectors",
                    ids.len(),
                    batch.counts.len(),
                ),
                "Pass one vector and one count per id, and as many sentence vectors as the counts say",
            ));
        }
        set_rows(&mut self.write(), ids, batch, false)
    }

    /// Reads the vectors that a load from a snapshot left in the stores.
    pub(super) fn read_pending_vectors(&self) -> Result<()> {
        if !self.vectors_pending.load(Ordering::Acquire) {
            return Ok(());
        }
        let stores = self.stores()?;
        let mut hot = self.write();
        if self.vectors_pending.load(Ordering::Acquire) {
            hot.read_vectors(&stores.log, &stores.facts)?;
            self.vectors_pending.store(false, Ordering::Release);
        }
        Ok(())
    }
}

/// Sets the rows of a batch. A memory that is not in the hot set is an error unless it `may_be_absent`.
fn set_rows(hot: &mut HotSet, ids: &[Id], batch: &VectorBatch, may_be_absent: bool) -> Result<()> {
    let dims = batch.dims.max(1);
    let mut sentences = batch.sentences.chunks_exact(dims);
    for ((id, count), whole) in ids.iter().zip(&batch.counts).zip(batch.whole.chunks_exact(dims)) {
        let own: Vec<&[f32]> = sentences.by_ref().take(*count).collect();
        if !may_be_absent || hot.find(id).is_some() {
            hot.set_vectors(id, whole, &own)?;
        }
    }
    Ok(())
}
