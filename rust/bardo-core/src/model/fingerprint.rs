//! Fingerprint of an embedding model. Vectors of different models are never compared (law 10).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Micros;
use crate::error::{Error, Result};

/// Identity of an embedding model. Vectors may be compared only if all fields but `created` are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Name of the model, such as `sentence-transformers/all-MiniLM-L6-v2`.
    pub model: String,
    /// Version of the weights (for our own builds a hash of the file).
    pub version: String,
    /// Hash of all preprocessing of the text and postprocessing of the vector (prefix, truncation, pooling).
    pub preprocessing: String,
    /// Number of components.
    pub dims: u32,
    /// Time of the first vector of this model in the store.
    pub created: Micros,
}

impl Fingerprint {
    /// Whether vectors of the two models may be compared.
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        (&self.model, &self.version, &self.preprocessing, self.dims)
            == (&other.model, &other.version, &other.preprocessing, other.dims)
    }

    /// Refuses vectors of another model.
    pub fn require(&self, given: &Self) -> Result<()> {
        if self.matches(given) {
            return Ok(());
        }
        Err(Error::EmbeddingMismatch { stored: self.to_string(), given: given.to_string() })
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}-d, version {}, preprocessing {})",
            self.model, self.dims, self.version, self.preprocessing
        )
    }
}
