//! Vectors of episodes in half precision: one of the whole text, and one of each of its parts; and the codes of its
//! tokens for late interaction (`index/vectors/late_interaction.rs`).

use half::f16;
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};
use redb::ReadTransaction;

use super::codec::{self, Corrupt};
use super::fault::Fault;
use super::schema::{self, META, meta};
use crate::error::{Error, Result};
use crate::model::{Fingerprint, Id};

/// Bytes per component.
const COMPONENT_BYTES: usize = 2;

/// Maximum dimensions of a model.
const MAX_DIMS: u32 = 65_536;

/// The vectors of one episode, widened to f32.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodeVectors {
    /// Vector of the whole text.
    pub whole: Vec<f32>,
    /// Vectors of its sentences, in order; may be empty.
    pub sentences: Vec<Vec<f32>>,
}

/// Vectors of several episodes as flat rows, as passed from numpy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorBatch {
    /// One row per episode.
    pub whole: Vec<f32>,
    /// Rows of the sentences, episode after episode.
    pub sentences: Vec<f32>,
    /// Number of sentences per episode.
    pub counts: Vec<usize>,
    /// Components per row.
    pub dims: usize,
    /// Token codes of each episode, `dims / 8` bytes per token; empty where late interaction is off.
    pub tokens: Vec<Vec<u8>>,
}

impl VectorBatch {
    /// Refuses a batch with inconsistent parts or non-finite numbers.
    pub(crate) fn validate(&self, episodes: usize, fingerprint: &Fingerprint) -> Result<()> {
        let expected = fingerprint.dims as usize;
        if self.dims != expected || fingerprint.dims == 0 || fingerprint.dims > MAX_DIMS {
            return Err(Error::vector(
                format!("the vectors have {} dimensions, the model's fingerprint says {expected}", self.dims),
                "Hand over what the embedder returned, with its own fingerprint",
            ));
        }
        let sentences: usize = self.counts.iter().sum();
        for (what, found, rows) in
            [("whole", self.whole.len(), episodes), ("sentences", self.sentences.len(), sentences)]
        {
            if Some(found) != rows.checked_mul(self.dims) {
                return Err(Error::vector(
                    format!("{what} has {found} numbers, {rows} rows of {} were expected", self.dims),
                    "Give one whole row for each id, and as many sentence rows as counts add up to",
                ));
            }
        }
        if self.counts.len() != episodes {
            return Err(Error::vector(
                format!("{} counts of sentences for {episodes} ids", self.counts.len()),
                "Give one count for each id; 0 is allowed",
            ));
        }
        let code = (self.dims / 8).max(1);
        if !self.tokens.is_empty()
            && (self.tokens.len() != episodes || self.tokens.iter().any(|codes| codes.len() % code != 0))
        {
            return Err(Error::vector(
                format!("token codes of {} episodes for {episodes} ids", self.tokens.len()),
                format!("Give the codes of every episode, {code} bytes for each token, or none at all"),
            ));
        }
        let largest = f32::from(f16::MAX);
        if let Some(bad) =
            self.whole.iter().chain(&self.sentences).find(|part| !(-largest..=largest).contains(*part))
        {
            return Err(Error::vector(
                format!("a vector holds {bad}"),
                "Components must be finite numbers within +-65504; embed the text again",
            ));
        }
        Ok(())
    }

    /// Encodes the rows of each episode as sealed values.
    pub(crate) fn seal(&self, ids: &[Id]) -> Vec<Vec<u8>> {
        let mut sentences = self.sentences.as_slice();
        let rows = ids.iter().zip(self.whole.chunks_exact(self.dims)).zip(&self.counts);
        rows.map(|((id, whole), count)| {
            let (own, rest) = sentences.split_at(count * self.dims);
            sentences = rest;
            let body: Vec<u8> =
                whole.iter().chain(own).flat_map(|part| f16::from_f32(*part).to_le_bytes()).collect();
            codec::seal(&id.0, &body)
        })
        .collect()
    }
}

impl EpisodeVectors {
    /// Decodes the vectors in a sealed value.
    pub(crate) fn decode(id: &Id, value: &[u8], dims: usize) -> Result<Self, Corrupt> {
        let mut rows = Rows::new(dims);
        let mut rows = rows.decode(id, value)?.chunks_exact(dims).map(<[f32]>::to_vec);
        let whole = rows.next().unwrap_or_default();
        Ok(Self { whole, sentences: rows.collect() })
    }
}

/// Reused buffer that widens the vectors of one episode after another.
pub(crate) struct Rows {
    dims: usize,
    halves: Vec<u16>,
    widened: Vec<f32>,
}

impl Rows {
    pub const fn new(dims: usize) -> Self {
        Self { dims, halves: Vec::new(), widened: Vec::new() }
    }

    /// Decodes the vectors in a sealed value: of the whole text, then of its sentences, one after another.
    pub fn decode(&mut self, id: &Id, value: &[u8]) -> Result<&mut [f32], Corrupt> {
        let body = codec::open(&id.0, value)?;
        let row = self.dims * COMPONENT_BYTES;
        if row == 0 || body.is_empty() || !body.len().is_multiple_of(row) {
            return Err(Corrupt(format!(
                "the vectors of {id} have {} bytes, not a multiple of {row}",
                body.len()
            )));
        }
        let (parts, _) = body.as_chunks::<COMPONENT_BYTES>();
        self.halves.resize(parts.len(), 0);
        for (half, &pair) in self.halves.iter_mut().zip(parts) {
            *half = u16::from_le_bytes(pair);
        }
        self.widened.resize(parts.len(), 0.0);
        self.halves.reinterpret_cast::<f16>().convert_to_f32_slice(&mut self.widened);
        Ok(&mut self.widened)
    }
}

/// Dimensions of the vectors in a store; 0 before the first.
pub(crate) fn dims(view: &ReadTransaction) -> Result<usize, Fault> {
    Ok(schema::fingerprint(&view.open_table(META)?, meta::FINGERPRINT)?
        .map_or(0, |fingerprint| fingerprint.dims as usize))
}
