//! Vectors of facts at the door: which model made them, and whether it can have.

use std::path::Path;

use super::rows::json;
use super::sqlite::Step;
use super::transaction::{Writer, fingerprint, set_meta};
use crate::error::{Error, Result};
use crate::model::{Fingerprint, Id};

/// Largest magnitude of a component that half precision holds.
const HALF_LIMIT: f32 = 65_504.0;

/// Refuses rows that are not one for each fact, or that the model cannot have made.
pub(super) fn check_vectors(ids: &[Id], vectors: FactVectors<'_>) -> Result<()> {
    if ids.len() != vectors.rows.len() {
        return Err(Error::vector(
            format!("{} vectors for {} facts", vectors.rows.len(), ids.len()),
            "Pass one row per fact",
        ));
    }
    vectors.rows.iter().try_for_each(|row| check_vector(row, vectors.fingerprint))
}

/// Refuses a vector that the model cannot have made, or that half precision cannot hold.
pub(crate) fn check_vector(vector: &[f32], fingerprint: &Fingerprint) -> Result<()> {
    if vector.len() != fingerprint.dims as usize {
        return Err(Error::vector(
            format!(
                "the vector has {} dimensions, {} has {}",
                vector.len(),
                fingerprint.model,
                fingerprint.dims
            ),
            "Pass the vectors as the model made them",
        ));
    }
    if vector.iter().all(|part| part.abs() <= HALF_LIMIT) {
        return Ok(());
    }
    Err(Error::vector(
        format!("the vector holds a component that is NaN, infinite or beyond {HALF_LIMIT}"),
        "Scale vectors to length 1, and look at the text that gave NaN",
    ))
}

/// Makes the model of the first vectors the model of the store, and refuses any other (law 10).
pub(crate) fn claim_fingerprint(writer: &Writer<'_>, given: &Fingerprint, path: &Path) -> Step<()> {
    match fingerprint(&writer.transaction, path)? {
        Some(stored) => Ok(stored.require(given)?),
        None => set_meta(&writer.transaction, "fingerprint", &json(given)?),
    }
}

/// Vectors of a batch of facts, row by row, and the model that made them.
#[derive(Clone, Copy, Debug)]
pub struct FactVectors<'a> {
    /// One row per fact.
    pub rows: &'a [&'a [f32]],
    /// Their model.
    pub fingerprint: &'a Fingerprint,
}
