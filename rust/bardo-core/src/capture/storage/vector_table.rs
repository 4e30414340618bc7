//! Tables for the vectors of one model: the current one, or the next one during a migration
//! (`write/model_switch.rs`). Both are written and read alike.

use redb::{ReadTransaction, TableDefinition, TableError};

use super::fault::Fault;
use super::packed_table::{self, Packed};
use super::schema::{
    ARRIVALS, EpisodeReader, META, NEXT_TOKENS, NEXT_VECTORS, SEQ_BYTES, TOKENS, VECTORS, arrivals_above,
    meta, meta_number,
};
use crate::model::Episode;

/// Table of sealed values by episode.
type ById = TableDefinition<'static, &'static [u8; 16], &'static [u8]>;

/// Tables and `meta` names of one model's vectors.
pub(crate) struct VectorTable {
    pub vectors: Packed<SEQ_BYTES>,
    pub tokens: ById,
    /// Name in `meta` of the model's fingerprint.
    pub fingerprint: &'static str,
    /// Name in `meta` of the watermark: every arrival up to this number has a vector.
    pub embedded_upto: &'static str,
    /// Name in `meta` of the number of episodes with a vector.
    pub count: &'static str,
}

/// Vectors of the current model, which are searched.
pub(crate) const IN_FORCE: VectorTable = VectorTable {
    vectors: VECTORS,
    tokens: TOKENS,
    fingerprint: meta::FINGERPRINT,
    embedded_upto: meta::EMBEDDED_UPTO,
    count: meta::WITH_VECTORS,
};

impl VectorTable {
    /// Episodes without a vector in these tables, by arrival, at most `limit`.
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

/// Name in `meta` of the fingerprint of the next model, postcard.
pub(crate) const NEXT_FINGERPRINT: &str = "next_fingerprint";

/// Name in `meta` of the watermark: every arrival up to this number has a vector of the next model.
pub(crate) const STAGED_UPTO: &str = "staged_upto";

/// Name in `meta` of the number of episodes with a vector of the next model.
pub(crate) const STAGED: &str = "staged";

/// Vectors of the next model.
pub(crate) const COMING: VectorTable = VectorTable {
    vectors: NEXT_VECTORS,
    tokens: NEXT_TOKENS,
    fingerprint: NEXT_FINGERPRINT,
    embedded_upto: STAGED_UPTO,
    count: STAGED,
};
