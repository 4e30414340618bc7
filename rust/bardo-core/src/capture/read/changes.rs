//! Changes since a derived index was written: new arrivals, and older episodes whose annotations or vectors may have
//! changed.

use std::ops::Bound;

use redb::{ReadableDatabase, ReadableTable};

use crate::capture::log::EpisodeLog;
use crate::capture::storage::codec;
use crate::capture::storage::fault::catch_panic;
use crate::capture::storage::packed_table;
use crate::capture::storage::schema::{ANNOTATIONS, ARRIVALS, EpisodeReader, VECTORS, arrivals_above};
use crate::capture::storage::vector_batch;
use crate::error::Result;
use crate::model::{Annotations, Episode, Id};

impl EpisodeLog {
    /// Annotations of every episode that has any.
    pub fn annotations(&self) -> Result<Vec<(Id, Annotations)>> {
        self.read(|view| {
            let mut found = Vec::new();
            for row in view.open_table(ANNOTATIONS)?.iter()? {
                let (id, sealed) = row?;
                let id = Id(*id.value());
                found.push((id, codec::decode_annotations(&id, sealed.value())?));
            }
            Ok(found)
        })
    }

    /// Calls `visit(id, rows)` for every arrival above `after_seq` that has vectors, in order. The rows are the vector
    /// of the whole text, then those of its sentences.
    pub fn for_each_vectors(
        &self,
        after_seq: u64,
        mut visit: impl FnMut(&Id, &mut [f32]) -> Result<()>,
    ) -> Result<()> {
        let guard = self.connect()?;
        let live = guard.live()?;
        let walked = catch_panic(|| {
            let view = live.db.begin_read()?;
            let mut rows = vector_batch::Rows::new(vector_batch::dims(&view)?);
            let mut ids = Vec::new();
            arrivals_above(&view.open_table(ARRIVALS)?, after_seq, |seq, arrival| {
                ids.push((seq, arrival.key.id));
                Ok(true)
            })?;
            let mut ids = ids.into_iter().peekable();
            let bounds = (Bound::Excluded(after_seq.to_be_bytes()), Bound::Unbounded);
            packed_table::walk(&view.open_table(VECTORS)?, bounds, false, |seq, sealed| {
                let seq = u64::from_be_bytes(*seq);
                while ids.next_if(|(other, _)| *other < seq).is_some() {}
                if let Some((_, id)) = ids.next_if(|(other, _)| *other == seq) {
                    visit(&id, rows.decode(&id, sealed)?)?;
                }
                Ok(true)
            })
        });
        walked.map_err(|fault| fault.into_error("read", self.path()))
    }

    /// The given episodes that arrived after `seq`, in the order of `ids`.
    pub fn arrived_after(&self, seq: u64, ids: &[Id]) -> Result<Vec<Episode>> {
        self.read(|view| {
            let reader = EpisodeReader::open(view)?;
            let mut found = Vec::new();
            for id in ids {
                if let Some(place) = reader.place(id)?.filter(|place| place.seq > seq) {
                    found.push(reader.at(&place.key)?);
                }
            }
            Ok(found)
        })
    }

    /// Ids of the arrivals above `after` up to and including `upto`, in order.
    pub fn arrivals_between(&self, after: u64, upto: u64) -> Result<Vec<Id>> {
        if after >= upto {
            return Ok(Vec::new());
        }
        self.read(|view| {
            let mut found = Vec::new();
            arrivals_above(&view.open_table(ARRIVALS)?, after, |seq, arrival| {
                if seq <= upto {
                    found.push(arrival.key.id);
                }
                Ok(seq < upto)
            })?;
            Ok(found)
        })
    }
}
