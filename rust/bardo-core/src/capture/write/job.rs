//! A caller's change, queued for a commit.

use super::draft::Draft;
use super::plan::RecordOptions;
use super::source::SourceMove;
use super::transaction::{Reply, Transaction};
use crate::capture::storage::fault::Fault;
use crate::capture::storage::vector_batch::VectorBatch;
use crate::capture::storage::vector_table::IN_FORCE;
use crate::error::Result;
use crate::model::{Fingerprint, Id};

/// Change of any sort. May refuse only before it writes anything.
pub(crate) type Work = Box<dyn FnOnce(&mut Transaction<'_>) -> Result<Reply, Fault> + Send>;

/// Change of one caller.
pub(crate) enum Job {
    /// Episodes, options for recording them, and the move of the watermark of their source.
    Record(Vec<Draft>, RecordOptions, Option<SourceMove>),
    Vectors(Vec<Id>, Box<VectorBatch>, Fingerprint),
    Other(Work),
}

impl Job {
    pub(crate) fn run(self, session: &mut Transaction<'_>) -> Result<Reply, Fault> {
        match self {
            Self::Record(prepared, manner, step) => session.record(prepared, manner, step.as_ref()),
            Self::Vectors(ids, batch, model) => {
                session.write_vector_rows(&IN_FORCE, &ids, &batch, &model)?;
                session.state.tail.have(&ids);
                session.state.tail.model = Some(model);
                Ok(Reply::Count(ids.len() as u64))
            }
            Self::Other(work) => work(session),
        }
    }
}
