//! Stages vectors of a new model beside the current ones, and replaces all of them in one transaction.
//!
//! Staged vectors have their own table, written page by page, so that a migration is bounded in memory and resumes
//! where it was killed. Nothing reads them before the switch (law 10), and the switch is one commit: renamed tables and
//! a fingerprint.

use std::ops::Bound;

use redb::TableError;

use super::transaction::Reply;
use super::transaction::Transaction;
use crate::capture::log::EpisodeLog;
use crate::capture::storage::codec::Corrupt;
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table;
use crate::capture::storage::schema::{
    self, META, NEXT_TOKENS, NEXT_VECTORS, TOKENS, VECTORS, meta_number, set_meta_number,
};
use crate::capture::storage::vector_batch::VectorBatch;
use crate::capture::storage::vector_table::{COMING, NEXT_FINGERPRINT, STAGED, STAGED_UPTO};
use crate::error::{Error, Result};
use crate::model::{Episode, Fingerprint, Id};

/// Progress of a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationProgress {
    /// Fingerprint of the new model.
    pub fingerprint: Fingerprint,
    /// Number of episodes with staged vectors.
    pub episodes: u64,
}

impl EpisodeLog {
    /// Stages vectors of the next model. The first ones determine the model; vectors of a third model are refused.
    ///
    /// # Errors
    /// The errors of [`EpisodeLog::put_vectors`], and [`Error::InvalidInput`] if the model is the current one.
    pub fn stage_vectors(&self, ids: Vec<Id>, batch: VectorBatch, fingerprint: Fingerprint) -> Result<()> {
        batch.validate(ids.len(), &fingerprint)?;
        if self.fingerprint()?.is_some_and(|stored| stored.matches(&fingerprint)) {
            return Err(Error::invalid(
                format!("the vectors are those of {fingerprint} already"),
                "Migrate to another model, or leave the store as it is",
            ));
        }
        self.count(Box::new(move |session| {
            session.write_vector_rows(&COMING, &ids, &batch, &fingerprint)?;
            Ok(Reply::Count(ids.len() as u64))
        }))?;
        Ok(())
    }

    /// Progress of the migration; `None` without one.
    pub fn staged(&self) -> Result<Option<MigrationProgress>> {
        self.read(|view| {
            let table = view.open_table(META)?;
            let Some(fingerprint) = schema::fingerprint(&table, NEXT_FINGERPRINT)? else { return Ok(None) };
            Ok(Some(MigrationProgress { fingerprint, episodes: meta_number(&table, STAGED)? }))
        })
    }

    /// Episodes without staged vectors, by arrival, at most `limit`.
    pub fn without_staged_vectors(&self, limit: usize) -> Result<Vec<Episode>> {
        self.read(|view| COMING.waiting(view, limit))
    }

    /// Replaces the current vectors by the staged ones in one transaction; returns the number of episodes
    /// with staged vectors.
    ///
    /// # Errors
    /// [`Error::InvalidInput`]: nothing is staged, the staged model is another one, or an episode with a current
    /// vector has no staged one. Nothing was changed.
    pub fn switch_vectors(&self, fingerprint: Fingerprint) -> Result<u64> {
        self.count(Box::new(move |session| session.switch_vectors(&fingerprint)))
    }

    /// Cancels a migration: deletes the staged vectors and keeps the current ones.
    pub fn drop_staged(&self) -> Result<()> {
        self.count(Box::new(|session| {
            session.inner.delete_table(NEXT_VECTORS)?;
            session.inner.delete_table(NEXT_TOKENS)?;
            let mut table = session.inner.open_table(META)?;
            table.remove(NEXT_FINGERPRINT)?;
            table.remove(STAGED_UPTO)?;
            table.remove(STAGED)?;
            session.changed = true;
            Ok(Reply::Count(0))
        }))?;
        Ok(())
    }
}

impl Transaction<'_> {
    fn switch_vectors(&mut self, given: &Fingerprint) -> Result<Reply, Fault> {
        let mut table = self.inner.open_table(META)?;
        let Some(next) = schema::fingerprint(&table, NEXT_FINGERPRINT)? else {
            return Err(Error::invalid(
                "there is no migration to end",
                "Begin one with `bardo embedding migrate`",
            )
            .into());
        };
        next.require(given)?;
        let episodes = meta_number(&table, STAGED)?;
        {
            let (old, new) = (self.inner.open_table(VECTORS)?, self.inner.open_table(NEXT_VECTORS)?);
            let mut missing = 0_u64;
            packed_table::walk(&old, (Bound::Unbounded, Bound::Unbounded), false, |seq, _| {
                missing += u64::from(packed_table::get(&new, seq)?.is_none());
                Ok(true)
            })?;
            if missing > 0 {
                return Err(Error::invalid(
                    format!("{missing} episodes have no vector of {next} yet"),
                    "Stage them first: the store is never half of one model and half of another",
                )
                .into());
            }
        }
        self.inner.delete_table(VECTORS)?;
        self.inner.rename_table(NEXT_VECTORS, VECTORS)?;
        // A model without token vectors leaves none to replace the old ones.
        self.inner.delete_table(TOKENS)?;
        match self.inner.rename_table(NEXT_TOKENS, TOKENS) {
            Ok(()) | Err(TableError::TableDoesNotExist(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let bytes = postcard::to_stdvec(&next).map_err(|error| Corrupt(error.to_string()))?;
        table.insert(schema::meta::FINGERPRINT, bytes.as_slice())?;
        table.remove(NEXT_FINGERPRINT)?;
        table.remove(STAGED_UPTO)?;
        table.remove(STAGED)?;
        set_meta_number(&mut table, schema::meta::WITH_VECTORS, episodes)?;
        // The writer's state holds the old model.
        (self.changed, self.outdated) = (true, true);
        Ok(Reply::Count(episodes))
    }
}
