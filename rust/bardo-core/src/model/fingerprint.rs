//! Which model made a vector. Vectors of different models never meet (law 10).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Micros;
use crate::error::{Error, Result};

/// Identity of an embedding model. Two vectors may be compared only if all but `created` are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Name of the model, such as `sentence-transformers/all-MiniLM-L6-v2`.
    pub model: String,
    /// Version of the weights (for our own builds a hash of the file).
    pub version: String,
    /// Hash of everything done to the text before and to the vector after the model (prefix, truncation, pooling).
    pub preprocessing: String,
    /// Number of components.
    pub dims: u32,
    /// When the store first saw this model.
    pub created: Micros,
}

impl Fingerprint {
    /// Whether vectors of the two may meet.
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
