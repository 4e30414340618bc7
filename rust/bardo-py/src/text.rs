//! Readings of texts and episodes without a store, and the decay of confidence.

use std::collections::BTreeMap;

use bardo_core::consolidate::{self, is_disputed};
use bardo_core::index::lexical::{indexed_sentences, indexed_text};
use bardo_core::index::vectors::Tokens;
use bardo_core::model::decay::{self, Fading};
use bardo_core::model::{self, FactKind};
use bardo_core::text::{same_statement, sentences, stop_words, urls_commands_paths};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::{Matrix, Parsed};
use crate::convert::{Object, episodes_from, fact_from, run};
use crate::errors::IntoPython;

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
    let split = |text: &String| {
        sentences::split_sentences(text, limit).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    py.detach(|| texts.iter().map(split).collect())
}

/// Of each text, the share of its words of content that an action has, how many these are, and whether they mean
/// something else there.
#[pyfunction]
pub fn touches(py: Python<'_>, texts: Vec<String>, action: &str) -> Vec<(f64, usize, bool)> {
    let touch = |text: &String| {
        let touch = same_statement::touch(text, action);
        (touch.share, touch.words, touch.apart)
    };
    py.detach(|| texts.iter().map(touch).collect())
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

/// A query without the words that say nothing about what is sought, unless it has no other.
#[pyfunction]
pub fn without_stop_words(query: &str) -> String {
    stop_words::without_stop_words(query)
}

/// The web addresses, shell commands and file paths of a text.
#[pyfunction]
pub fn findings(text: &str) -> BTreeMap<&'static str, Vec<String>> {
    let found = urls_commands_paths::findings(text);
    BTreeMap::from([("urls", found.urls), ("commands", found.commands), ("paths", found.paths)])
}

/// The baselines that episodes can have moved.
#[pyfunction]
pub fn number_names<'py>(episodes: &Bound<'py, PyAny>) -> Object<'py> {
    let read: Vec<_> = episodes_from(episodes)?.into_iter().map(|(episode, _)| episode).collect();
    run(episodes.py(), || Ok(consolidate::number_names(&read)))
}

/// The codes of several texts' tokens, by which late interaction finds them.
#[pyfunction]
pub fn pack_tokens<'py>(
    py: Python<'py>,
    words: Vec<Vec<String>>,
    counts: Vec<Vec<u32>>,
    vectors: Matrix<'_>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let (numbers, dims) = (vectors.numbers(), vectors.dims());
    let packed = py.detach(|| Tokens::pack_all(&words, &counts, numbers, dims)).into_python()?;
    Ok(packed.iter().map(|codes| PyBytes::new(py, codes)).collect())
}

/// The confidence left after `elapsed_ticks` without reinforcement.
#[pyfunction(name = "decay")]
#[pyo3(
    signature = (confidence, support, elapsed_ticks, tau_ticks, *, kind = Parsed(FactKind::Insight),
        from_death = false, pinned = false),
    text_signature = "(confidence, support, elapsed_ticks, tau_ticks, *, kind='insight', from_death=False, \
        pinned=False)"
)]
pub fn decay_confidence(
    confidence: f64,
    support: u32,
    elapsed_ticks: u64,
    tau_ticks: f64,
    kind: Parsed<FactKind>,
    from_death: bool,
    pinned: bool,
) -> PyResult<f64> {
    let tau_ticks = decay::check_tau(tau_ticks).into_python()?;
    let fading = Fading { tau_ticks, kind: kind.0, from_death, pinned };
    Ok(decay::decay(confidence, support, elapsed_ticks, &fading))
}

/// The stability of a fact in ticks.
#[pyfunction]
#[pyo3(
    signature = (support, tau_ticks, *, kind = Parsed(FactKind::Insight), from_death = false),
    text_signature = "(support, tau_ticks, *, kind='insight', from_death=False)"
)]
pub fn stability(support: u32, tau_ticks: f64, kind: Parsed<FactKind>, from_death: bool) -> PyResult<f64> {
    let tau_ticks = decay::check_tau(tau_ticks).into_python()?;
    Ok(decay::stability(support, &Fading { tau_ticks, kind: kind.0, from_death, pinned: false }))
}

/// The confidence of a fact at a tick.
#[pyfunction]
#[pyo3(signature = (fact, *, tick, tau_ticks))]
pub fn confidence_now(fact: &Bound<'_, PyAny>, tick: u64, tau_ticks: f64) -> PyResult<f64> {
    let tau_ticks = decay::check_tau(tau_ticks).into_python()?;
    Ok(decay::confidence_now(&fact_from(fact)?.0, tick, tau_ticks))
}
