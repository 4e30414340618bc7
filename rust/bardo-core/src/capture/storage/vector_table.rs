//! Where the vectors of one model are kept: those in force, or those of the model that is to follow
//! (`write/model_switch.rs`). Both are written and looked through alike.

use redb::{ReadTransaction, TableDefinition, TableError};

use super::codec::{self, Corrupt};
use super::fault::Fault;
use super::packed_table::{self, LONG_RUN_BYTES, Packed};
use super::schema::{
    ARRIVALS, EpisodeReader, META, SEQ_BYTES, TOKENS, VECTORS, arrivals_above, meta, meta_number,
    set_meta_number,
};
use super::store;
use crate::capture::write::transaction::Session;
use crate::capture::write::vectors::VectorBatch;
use crate::model::{Episode, Fingerprint, Id};

/// A table of sealed values by episode.
type ById = TableDefinition<'static, &'static [u8; 16], &'static [u8]>;

/// The tables and the names in `meta` of one model's vectors.
pub(crate) struct Shelf {
    pub vectors: Packed<SEQ_BYTES>,
    pub tokens: ById,
    /// Name in `meta` of the model's fingerprint.
    pub fingerprint: &'static str,
    /// Name in `meta`: every arrival up to this number has a vector.
    pub embedded_upto: &'static str,
    /// Name in `meta`: episodes that have a vector.
    pub count: &'static str,
}

/// The vectors that are searched.
pub(crate) const IN_FORCE: Shelf = Shelf {
    vectors: VECTORS,
    tokens: TOKENS,
    fingerprint: meta::FINGERPRINT,
    embedded_upto: meta::EMBEDDED_UPTO,
    count: meta::WITH_VECTORS,
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
        arrivals_above(&view.open_table(ARRIVALS)?, upto, |seq, arrival| {
            if found.len() == limit {
                return Ok(false);
            }
            let is_known = match &vectors {
                Some(table) => packed_table::get(table, &seq.to_be_bytes())?.is_some(),
                None => false,
            };
            if !is_known {
                found.push(reader.at(&arrival.key)?);
            }
            Ok(true)
        })?;
        Ok(found)
    }
}

impl Session<'_> {
    /// Keeps vectors and codes of episodes. The first ones decide which model the shelf belongs to.
    pub(crate) fn shelve(
        &mut self,
        place: &Shelf,
        ids: &[Id],
        batch: &VectorBatch,
        given: &Fingerprint,
    ) -> Result<(), Fault> {
        let mut sealed = Vec::with_capacity(ids.len());
        for (id, value) in ids.iter().zip(batch.seal(ids)) {
            sealed.push((self.place_of(id)?.seq.to_be_bytes(), value));
        }
        // The last of several for one episode counts.
        sealed.reverse();
        sealed.sort_by_key(|(seq, _)| *seq);
        sealed.dedup_by_key(|(seq, _)| *seq);
        let mut table = self.transaction.open_table(META)?;
        if let Some(stored) = store::fingerprint(&table, place.fingerprint)? {
            stored.require(given)?;
        } else {
            let bytes = postcard::to_stdvec(given).map_err(|error| Corrupt(error.to_string()))?;
            table.insert(place.fingerprint, bytes.as_slice())?;
        }
        let mut vectors = self.transaction.open_table(place.vectors)?;
        let rows: Vec<_> = sealed.iter().map(|(seq, value)| (*seq, value.as_slice())).collect();
        let mut fresh = 0;
        for (seq, _) in &rows {
            fresh += u64::from(packed_table::get(&vectors, seq)?.is_none());
        }
        packed_table::insert(&mut vectors, &rows, LONG_RUN_BYTES)?;
        let count = meta_number(&table, place.count)? + fresh;
        set_meta_number(&mut table, place.count, count)?;
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
        arrivals_above(&self.record_tables()?.arrivals, before, |seq, _| {
            let is_there = packed_table::get(&vectors, &seq.to_be_bytes())?.is_some();
            upto = if is_there { seq } else { upto };
            Ok(is_there)
        })?;
        if upto != before {
            set_meta_number(&mut table, place.embedded_upto, upto)?;
        }
        Ok(())
    }
}
