//! Sentences of texts.

use bardo_core::index::sentences;
use pyo3::prelude::*;

/// The sentences of each text, in order; a text of more than `limit` has neighbours joined.
#[pyfunction]
#[pyo3(signature = (texts, limit = sentences::MAX_PIECES))]
pub fn split_sentences(py: Python<'_>, texts: Vec<String>, limit: usize) -> Vec<Vec<String>> {
    py.detach(|| {
        texts
            .iter()
            .map(|text| sentences::split_sentences(text, limit).into_iter().map(str::to_owned).collect())
            .collect()
    })
}
