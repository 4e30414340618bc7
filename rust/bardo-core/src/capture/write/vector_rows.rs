//! Writes vectors into the tables of one model.

use super::transaction::Transaction;
use crate::capture::storage::codec::{self, Corrupt};
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table::{self, LONG_RUN_BYTES};
use crate::capture::storage::schema::{self, META, arrivals_above, meta_number, set_meta_number};
use crate::capture::storage::vector_batch::VectorBatch;
use crate::capture::storage::vector_table::VectorTable;
use crate::model::{Fingerprint, Id};

impl Transaction<'_> {
    /// Stores vectors and codes of episodes. The first ones determine the model of the tables.
    pub(crate) fn write_vector_rows(
        &mut self,
        place: &VectorTable,
        ids: &[Id],
        batch: &VectorBatch,
        given: &Fingerprint,
    ) -> Result<(), Fault> {
        let mut sealed = Vec::with_capacity(ids.len());
        for (id, value) in ids.iter().zip(batch.seal(ids)) {
            sealed.push((self.place_of(id)?.seq.to_be_bytes(), value));
        }
        // Of several vectors for one episode the last one wins.
        sealed.reverse();
        sealed.sort_by_key(|(seq, _)| *seq);
        sealed.dedup_by_key(|(seq, _)| *seq);
        let mut table = self.inner.open_table(META)?;
        if let Some(stored) = schema::fingerprint(&table, place.fingerprint)? {
            stored.require(given)?;
        } else {
            let bytes = postcard::to_stdvec(given).map_err(|error| Corrupt(error.to_string()))?;
            table.insert(place.fingerprint, bytes.as_slice())?;
        }
        let mut vectors = self.inner.open_table(place.vectors)?;
        let rows: Vec<_> = sealed.iter().map(|(seq, value)| (*seq, value.as_slice())).collect();
        let mut fresh = 0;
        for (seq, _) in &rows {
            fresh += u64::from(packed_table::get(&vectors, seq)?.is_none());
        }
        packed_table::insert(&mut vectors, &rows, LONG_RUN_BYTES)?;
        let count = meta_number(&table, place.count)? + fresh;
        set_meta_number(&mut table, place.count, count)?;
        if !batch.tokens.is_empty() {
            let mut tokens = self.inner.open_table(place.tokens)?;
            for (id, codes) in ids.iter().zip(&batch.tokens) {
                tokens.insert(&id.0, codec::seal(&id.0, codes).as_slice())?;
            }
        }
        self.changed = true;
        // Vectors mostly come in the order of arrival, so those without one start after the watermark.
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
