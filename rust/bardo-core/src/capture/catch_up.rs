//! What an index that is derived from the log needs to catch up with it: beside the arrivals since it was written, what
//! may have changed of older episodes.

use std::ops::Bound;

use redb::{ReadableTable, ReadableTableMetadata};

use super::codec;
use super::log::EpisodeLog;
use super::tables::{ANNOTATIONS, ARRIVALS, Arrival, VECTORS};
use super::vectors;
use crate::error::Result;
use crate::model::{Annotations, Id};

/// Fewer than one in so many vectors are looked up one by one, more in one pass over all that lie between them.
const SPARSE_ONE_IN: u64 = 8;

impl EpisodeLog {
    /// The annotations of every episode that has any.
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

    /// Calls `visit(place, rows)` for those of the episodes that have vectors: of the whole text, then of its sentences,
    /// one after another. The ids must be in order: then a single pass brings them all.
    pub fn visit_vectors(
        &self,
        ids: &[Id],
        mut visit: impl FnMut(usize, &mut [f32]) -> Result<()>,
    ) -> Result<()> {
        let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return Ok(()) };
        self.read(|view| {
            let (table, mut rows) = (view.open_table(VECTORS)?, vectors::Rows::new(vectors::dims(view)?));
            if (ids.len() as u64) < table.len()? / SPARSE_ONE_IN {
                for (place, id) in ids.iter().enumerate() {
                    if let Some(sealed) = table.get(&id.0)? {
                        visit(place, rows.decode(id, sealed.value())?)?;
                    }
                }
                return Ok(());
            }
            let mut wanted = ids.iter().enumerate().peekable();
            for row in table.range::<&[u8; 16]>(&first.0..=&last.0)? {
                let (id, sealed) = row?;
                let id = Id(*id.value());
                while wanted.next_if(|wanted| *wanted.1 < id).is_some() {}
                if let Some((place, _)) = wanted.next_if(|wanted| *wanted.1 == id) {
                    visit(place, rows.decode(&id, sealed.value())?)?;
                }
            }
            Ok(())
        })
    }

    /// The ids of the arrivals above `after` up to and including `upto`, in order.
    pub fn arrivals_between(&self, after: u64, upto: u64) -> Result<Vec<Id>> {
        if after >= upto {
            return Ok(Vec::new());
        }
        self.read(|view| {
            let arrivals = view.open_table(ARRIVALS)?;
            let rows = arrivals.range::<u64>((Bound::Excluded(after), Bound::Included(upto)))?;
            rows.map(|row| Ok(Arrival::from_bytes(row?.1.value()).key.id)).collect()
        })
    }
}
