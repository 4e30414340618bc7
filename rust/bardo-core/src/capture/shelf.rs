//! Where the vectors of one model are kept: those in force, or those of the model that is to follow (`staging.rs`). Both
//! are written and looked through alike.

use redb::{ReadTransaction, ReadableTable, TableDefinition, TableError};

use super::codec::{self, Corrupt};
use super::fault::Fault;
use super::session::Session;
use super::store;
use super::tables::{ARRIVALS, Arrival, EpisodeReader, META, TOKENS, VECTORS, meta, meta_number};
use super::vectors::VectorBatch;
use crate::model::{Episode, Fingerprint, Id};

/// A table of sealed values by episode.
type ById = TableDefinition<'static, &'static [u8; 16], &'static [u8]>;

/// The tables and the names in `meta` of one model's vectors.
pub(super) struct Shelf {
    pub vectors: ById,
    pub tokens: ById,
    /// Name in `meta` of the model's fingerprint.
    pub fingerprint: &'static str,
    /// Name in `meta`: every arrival up to this number has a vector.
    pub embedded_upto: &'static str,
}

/// The vectors that are searched.
pub(super) const IN_FORCE: Shelf = Shelf {
    vectors: VECTORS,
    tokens: TOKENS,
    fingerprint: meta::FINGERPRINT,
    embedded_upto: meta::EMBEDDED_UPTO,
};

impl Shelf {
    /// Episodes that have no vector here yet, by arrival, at most `limit`.
    pub fn waiting(&self, view: &ReadTransaction, limit: usize) -> Result<Vec<Episode>, Fault> {
        let reader = EpisodeReader::open(view)?;
        let vectors = match view.open_table(self.vectors) {
            Ok(table) => Some(table),
            Err(TableError::TableDoesNotExist(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let upto = meta_number(&view.open_table(META)?, self.embedded_upto)?;
        let mut found = Vec::new();
        for row in view.open_table(ARRIVALS)?.range::<u64>(upto + 1..)? {
            if found.len() == limit {
                break;
            }
            let key = Arrival::from_bytes(row?.1.value()).key;
            let is_known = match &vectors {
                Some(table) => table.get(&key.id.0)?.is_some(),
                None => false,
            };
            if !is_known {
                found.push(reader.at(&key)?);
            }
        }
        Ok(found)
    }
}

impl Session<'_> {
    /// Keeps vectors and codes of episodes. The first ones decide which model the shelf belongs to.
    pub(super) fn shelve(
        &mut self,
        place: &Shelf,
        ids: &[Id],
        batch: &VectorBatch,
        given: &Fingerprint,
    ) -> Result<(), Fault> {
        for id in ids {
            self.key_of(id)?;
        }
        let mut table = self.transaction.open_table(META)?;
        if let Some(stored) = store::fingerprint(&table, place.fingerprint)? {
            stored.require(given)?;
        } else {
            let bytes = postcard::to_stdvec(given).map_err(|error| Corrupt(error.to_string()))?;
            table.insert(place.fingerprint, bytes.as_slice())?;
        }
        let mut vectors = self.transaction.open_table(place.vectors)?;
        for (id, value) in ids.iter().zip(batch.seal(ids)) {
            vectors.insert(&id.0, value.as_slice())?;
        }
        if !batch.tokens.is_empty() {
            let mut tokens = self.transaction.open_table(place.tokens)?;
            for (id, codes) in ids.iter().zip(&batch.tokens) {
                tokens.insert(&id.0, codec::seal(&id.0, codes).as_slice())?;
            }
        }
        self.changed = true;
        // Vectors mostly come in the order of arrival: what is left to embed starts after the last unbroken one.
        let before = meta_number(&table, place.embedded_upto)?;
        let mut upto = before;
        for row in self.arrivals()?.range::<u64>(before + 1..)? {
            let (seq, arrival) = row?;
            if vectors.get(&Arrival::from_bytes(arrival.value()).key.id.0)?.is_none() {
                break;
            }
            upto = seq.value();
        }
        if upto != before {
            table.insert(place.embedded_upto, upto.to_le_bytes().as_slice())?;
        }
        Ok(())
    }
}
