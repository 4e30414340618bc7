//! Where the vectors of one model are kept: those in force, or those of the model that is to follow
//! (`write/model_switch.rs`). Both are written and looked through alike.

use redb::{ReadTransaction, TableDefinition, TableError};

use super::fault::Fault;
use super::packed_table::{self, Packed};
use super::schema::{
    ARRIVALS, EpisodeReader, META, NEXT_TOKENS, NEXT_VECTORS, SEQ_BYTES, TOKENS, VECTORS, arrivals_above,
    meta, meta_number,
};
use crate::model::Episode;

/// A table of sealed values by episode.
type ById = TableDefinition<'static, &'static [u8; 16], &'static [u8]>;

/// The tables and the names in `meta` of one model's vectors.
pub(crate) struct VectorTable {
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
pub(crate) const IN_FORCE: VectorTable = VectorTable {
    vectors: VECTORS,
    tokens: TOKENS,
    fingerprint: meta::FINGERPRINT,
    embedded_upto: meta::EMBEDDED_UPTO,
    count: meta::WITH_VECTORS,
};

impl VectorTable {
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

/// Name in `meta` of the fingerprint of the model that comes, postcard.
pub(crate) const NEXT_FINGERPRINT: &str = "next_fingerprint";

/// Name in `meta`: every arrival up to this number has a vector of the model that comes.
pub(crate) const STAGED_UPTO: &str = "staged_upto";

/// Name in `meta`: episodes that have a vector of the model that comes.
pub(crate) const STAGED: &str = "staged";

/// The vectors of the model that comes.
pub(crate) const COMING: VectorTable = VectorTable {
    vectors: NEXT_VECTORS,
    tokens: NEXT_TOKENS,
    fingerprint: NEXT_FINGERPRINT,
    embedded_upto: STAGED_UPTO,
    count: STAGED,
};
