//! Sentences of texts, and what their words say of each other.

use bardo_core::consolidate::is_disputed;
use bardo_core::index::lexical::{indexed_sentences, indexed_text};
use bardo_core::model;
use bardo_core::text::same_statement;
use bardo_core::text::sentences;
use pyo3::prelude::*;

/// The texts as they are embedded, then the sentences of those that have several, and how many each has.
#[pyfunction]
pub fn spoken_sentences(
    py: Python<'_>,
    texts: Vec<String>,
    speakers: Vec<Option<String>>,
    limit: usize,
) -> (Vec<String>, Vec<usize>) {
    py.detach(|| {
        let spoken = || texts.iter().zip(speakers.iter().map(Option::as_deref));
        let mut said: Vec<String> = spoken().map(|(text, speaker)| indexed_text(speaker, text)).collect();
        let mut counts = Vec::with_capacity(texts.len());
        for (text, speaker) in spoken() {
            let sentences = indexed_sentences(speaker, text, limit);
            counts.push(sentences.len());
            said.extend(sentences);
        }
        (said, counts)
    })
}

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

/// How far an action has to do with what each text speaks of: the share of the text's words of content that it has,
/// how many these are, and whether they mean something else there.
#[pyfunction]
pub fn touches(py: Python<'_>, texts: Vec<String>, action: &str) -> Vec<(f64, usize, bool)> {
    py.detach(|| {
        texts
            .iter()
            .map(|text| {
                let touch = same_statement::touch(text, action);
                (touch.share, touch.words, touch.apart)
            })
            .collect()
    })
}

/// The stem of each word, and nothing for a function word.
#[pyfunction]
pub fn stems(words: Vec<String>) -> Vec<Option<String>> {
    same_statement::stems(&words)
}

/// Whether a newer text speaks against an older one, as far as the words tell.
#[pyfunction]
pub fn speaks_against(py: Python<'_>, newer: &str, older: &str) -> bool {
    py.detach(|| is_disputed(older, newer))
}

/// Whether no figure, no name and no negation tells two texts apart.
#[pyfunction]
pub fn may_mean_the_same(py: Python<'_>, left: &str, right: &str) -> bool {
    py.detach(|| same_statement::may_mean_the_same(left, right))
}

/// The modes whose memories a mode sees, itself among them.
#[pyfunction]
pub fn modes_with(mode: &str) -> Vec<String> {
    model::modes_with(mode).into_iter().map(str::to_owned).collect()
}
