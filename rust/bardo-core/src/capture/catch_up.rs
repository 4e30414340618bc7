//! What an index that is derived from the log needs to catch up with it: beside the arrivals since it was written, what
//! may have changed of older episodes.

use std::ops::Bound;

use redb::ReadableTable;

use super::codec;
use super::log::EpisodeLog;
use super::tables::{ANNOTATIONS, ARRIVALS, Arrival, VECTORS};
use super::vectors::{self, EpisodeVectors};
use crate::error::Result;
use crate::model::{Annotations, Id};

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

    /// The vectors of those episodes that have some.
    pub fn vectors_if_any(&self, ids: &[Id]) -> Result<Vec<(Id, EpisodeVectors)>> {
        self.read(|view| {
            let (table, dims) = (view.open_table(VECTORS)?, vectors::dims(view)?);
            let mut found = Vec::new();
            for id in ids {
                if let Some(sealed) = table.get(&id.0)? {
                    found.push((*id, EpisodeVectors::decode(id, sealed.value(), dims)?));
                }
            }
            Ok(found)
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
