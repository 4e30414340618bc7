//! [`QueryVector`] holds a query in the forms that are compared with stored vectors: components, signs, estimator.

use super::estimate::Estimator;
use super::quantize::{quantize, unit};
use super::sign_bits::{Signer, words_of, write_signs};
use crate::error::Result;

/// Query vector of length 1: 16-bit components, signs, and estimator.
#[derive(Clone, Debug)]
pub struct QueryVector {
    pub(super) high: Vec<i8>,
    pub(super) low: Vec<i8>,
    pub(super) scale: f32,
    pub(super) signs: Vec<u64>,
    pub(super) estimator: Estimator,
}

impl QueryVector {
    /// Validates and scales a vector. `None` if it is all zeros: it has no direction.
    pub fn new(vector: &[f32]) -> Result<Option<Self>> {
        let Some(unit) = unit("the query vector", vector)? else { return Ok(None) };
        let (mut high, mut low) = (vec![0; unit.len()], vec![0; unit.len()]);
        let scale = quantize(&unit, &mut high, &mut low);
        let (mut signer, mut signs) = (Signer::new(unit.len()), vec![0; words_of(unit.len())]);
        let turned = signer.turn(&unit);
        write_signs(turned, &mut signs);
        Ok(Some(Self { high, low, scale, signs, estimator: Estimator::new(turned) }))
    }

    /// Number of components.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.high.len()
    }
}
