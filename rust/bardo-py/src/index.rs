//! The hot set: memories as recall searches them, synchronised with the stores by the engine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use bardo_core::Engine;
use bardo_core::capture::RecordOptions;
use bardo_core::engine::{Stores, TickOrigin, TransientRows};
use bardo_core::index::hot::{self, OpenReport};
use bardo_core::index::vectors::Tokens;
use bardo_core::model::Id;
use bardo_core::recall::filter::Filters;
use bardo_core::recall::late::TokenCodes;
use bardo_core::recall::past::FactHistory;
use bardo_core::recall::search::Query;
use bardo_core::recall::settings::Settings;
use pyo3::prelude::*;

use crate::arguments::{Ids, Matrix, Model, Parsed, Vector, batch_from};
use crate::capture::{EpisodeLog, StoredEpisodes, drafts_from};
use crate::convert::{IntoObject, Object, episodes_from, fields, mirror, run};
use crate::errors::{IntoPython, invalid, is_of_model};
use crate::facts::FactStore;
use crate::recall::{GivenFilters, PyFound, PyRecallSettings};

mirror!(
    /// Changes that a `ChangeDetector` found; see `_core/_index.pyi`.
    Changes(hot::Changes) { in_inbox, in_facts }
);

/// Detects changes since the last sync; see `_core/_index.pyi`.
#[pyclass(frozen, module = "bardo._core", name = "ChangeDetector")]
pub struct PyChangeDetector(hot::ChangeDetector);

#[pymethods]
impl PyChangeDetector {
    #[new]
    fn new(inbox: PathBuf, facts: &FactStore) -> Self {
        Self(hot::ChangeDetector::new(&inbox, facts.core.path()))
    }

    fn changes<'py>(&self, py: Python<'py>, log: &EpisodeLog, facts: &FactStore) -> Object<'py> {
        run(py, || Ok(self.0.changes(&log.core, &facts.core, SystemTime::now())))
    }

    fn settle(&self, changes: &Changes) {
        self.0.settle(&changes.0, SystemTime::now());
    }
}

impl IntoObject for OpenReport {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        fields!(py, self, restored, replayed, refused)
    }
}

/// Rows that `HotSet.admit` added.
#[pyclass(frozen, module = "bardo._core", name = "TransientRows")]
pub struct PyTransientRows(TransientRows);

#[pymethods]
impl PyTransientRows {
    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// One in-memory index over episodes and facts; see `_core/_index.pyi`.
#[pyclass(frozen, module = "bardo._core", name = "HotSet")]
#[derive(Default)]
pub struct PyHotSet(Engine);

#[pymethods]
impl PyHotSet {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.0.read().len())
    }

    fn __contains__(&self, py: Python<'_>, key: Parsed<Id>) -> bool {
        py.detach(|| self.0.read().find(&key.0).is_some())
    }

    #[getter]
    fn cold_upto(&self) -> u64 {
        self.0.cold_upto()
    }

    #[pyo3(signature = (log, facts, *, snapshot=None, cold_upto=0))]
    fn load<'py>(
        &self,
        py: Python<'py>,
        log: &EpisodeLog,
        facts: &FactStore,
        snapshot: Option<PathBuf>,
        cold_upto: u64,
    ) -> Object<'py> {
        let stores = stores(log, facts);
        run(py, || self.0.load(&stores, snapshot.as_deref(), cold_upto))
    }

    fn save<'py>(&self, py: Python<'py>, snapshot: PathBuf) -> Object<'py> {
        run(py, || self.0.save(&snapshot))
    }

    fn leave<'py>(&self, py: Python<'py>, upto: u64) -> Object<'py> {
        run(py, || self.0.leave(upto))
    }

    fn sync_facts<'py>(&self, py: Python<'py>, facts: &FactStore) -> Object<'py> {
        run(py, || self.0.sync_facts(&facts.core))
    }

    fn admit(&self, py: Python<'_>, ids: Ids) -> PyResult<PyTransientRows> {
        py.detach(|| self.0.admit(&ids.0)).into_python().map(PyTransientRows)
    }

    fn evict(&self, py: Python<'_>, rows: &PyTransientRows) -> bool {
        py.detach(|| self.0.evict(&rows.0))
    }

    #[pyo3(signature = (drafts, *, ticks, now, own_ticks, counted, template=None, out_of_order=false, transcript=false))]
    #[expect(clippy::fn_params_excessive_bools, reason = "they are named in Python")]
    fn record(
        &self,
        drafts: &Bound<'_, PyAny>,
        ticks: Vec<u64>,
        now: i64,
        own_ticks: bool,
        counted: bool,
        template: Option<&Bound<'_, PyAny>>,
        out_of_order: bool,
        transcript: bool,
    ) -> PyResult<(StoredEpisodes, Vec<usize>, Vec<usize>)> {
        let origin = TickOrigin { is_given: own_ticks, is_counted: counted };
        let episodes = drafts_from(drafts, template, &ticks, origin)?;
        let manner = RecordOptions { out_of_order, is_transcript: transcript };
        let stored = drafts.py().detach(|| self.0.record(episodes, now, manner)).into_python()?;
        Ok((StoredEpisodes(stored.episodes), stored.known, stored.forgotten))
    }

    fn add_episodes<'py>(&self, episodes: &Bound<'py, PyAny>) -> Object<'py> {
        let read = episodes_from(episodes)?;
        if let Some((episode, _)) = read.iter().find(|(_, has_id)| !has_id) {
            let shown: String = episode.text.chars().take(40).collect();
            let what = format!("the episode {shown:?} has no id");
            return Err(invalid(what, "Record it first: the store gives it one"));
        }
        let read: Vec<_> = read.into_iter().map(|(episode, _)| Arc::new(episode)).collect();
        run(episodes.py(), || self.0.add_episodes(&read))
    }

    fn update_episodes<'py>(&self, episodes: &Bound<'py, PyAny>) -> Object<'py> {
        let read = episodes_from(episodes)?;
        let read: Vec<_> = read.into_iter().map(|(episode, _)| Arc::new(episode)).collect();
        run(episodes.py(), || {
            self.0.update_episodes(&read);
            Ok(())
        })
    }

    #[pyo3(signature = (ids, whole, sentences=None, counts=None))]
    fn set_vectors<'py>(
        &self,
        py: Python<'py>,
        ids: Ids,
        whole: Matrix<'_>,
        sentences: Option<Matrix<'_>>,
        counts: Option<Vec<usize>>,
    ) -> Object<'py> {
        let counts = counts.unwrap_or_else(|| vec![0; ids.0.len()]);
        let batch = batch_from(&whole, sentences.as_ref(), counts, None)?;
        run(py, || self.0.set_vectors(&ids.0, &batch))
    }

    #[pyo3(signature = (ids, whole, sentences, counts, fingerprint, tokens=None))]
    fn embed<'py>(
        &self,
        py: Python<'py>,
        ids: Ids,
        whole: Matrix<'_>,
        sentences: Matrix<'_>,
        counts: Vec<usize>,
        fingerprint: Model,
        tokens: Option<Vec<Vec<u8>>>,
    ) -> Object<'py> {
        let batch = batch_from(&whole, Some(&sentences), counts, tokens)?;
        run(py, || self.0.embed(&ids.0, &batch, fingerprint.0))
    }

    fn remove(&self, py: Python<'_>, ids: Ids) -> usize {
        py.detach(|| self.0.remove(&ids.0))
    }

    fn retry_on_model_switch<'py>(&self, py: Python<'py>, work: Bound<'py, PyAny>) -> Object<'py> {
        let work = work.unbind();
        let attempt = || Python::attach(|py| work.call0(py));
        let done = py.detach(|| self.0.retry_on_model_switch(attempt, is_of_model))?;
        Ok(done.into_bound(py))
    }

    fn switch_model<'py>(&self, py: Python<'py>, work: Bound<'py, PyAny>) -> Object<'py> {
        let work = work.unbind();
        let done = py.detach(|| self.0.switch_model(|| Python::attach(|py| work.call0(py))))?;
        Ok(done.into_bound(py))
    }

    #[pyo3(signature = (text, vector=None, *, limit=5, now_tick=0, now=0, filters=None, pad=(0.0, 0.0, 0.0), thread=None,
        settings=None, tokens=None, log=None, facts=None))]
    fn search(
        &self,
        py: Python<'_>,
        text: &str,
        vector: Option<Vector<'_>>,
        limit: usize,
        now_tick: u64,
        now: i64,
        filters: Option<GivenFilters>,
        pad: (f32, f32, f32),
        thread: Option<&str>,
        settings: Option<&PyRecallSettings>,
        tokens: Option<(Vec<String>, Vec<u32>, Matrix<'_>)>,
        log: Option<&EpisodeLog>,
        facts: Option<&FactStore>,
    ) -> PyResult<PyFound> {
        let filters = filters.map_or_else(Filters::default, |filters| filters.0);
        let settings = settings.map_or_else(Settings::default, |settings| settings.0);
        let vector = vector.as_ref().map(Vector::numbers);
        let tokens = tokens.as_ref().zip(log).map(|((words, counts, vectors), log)| {
            let (vectors, dims) = (vectors.numbers(), vectors.dims());
            (Tokens { words, counts, vectors, dims }, &*log.core as &dyn TokenCodes)
        });
        let past = facts.map(|facts| &*facts.core as &dyn FactHistory);
        let (mood, filters) = ([pad.0, pad.1, pad.2], &filters);
        let query = Query { text, vector, limit, now_tick, now, filters, mood, thread, tokens, past };
        let stores = log.zip(facts).map(|(log, facts)| stores(log, facts));
        let (found, records) = py
            .detach(|| match &stores {
                Some(stores) => self.0.recall(&query, &settings, stores),
                None => Ok((self.0.search(&query, &settings)?, Vec::new())),
            })
            .into_python()?;
        Ok(PyFound::new(found, records))
    }

    #[pyo3(signature = (vector, limit=10))]
    fn nearest<'py>(&self, py: Python<'py>, vector: Vector<'_>, limit: usize) -> Object<'py> {
        let vector = vector.numbers();
        run(py, || Ok(scores(self.0.nearest(vector, limit)?)))
    }

    #[pyo3(signature = (text, limit=10))]
    fn matching<'py>(&self, py: Python<'py>, text: &str, limit: usize) -> Object<'py> {
        run(py, || Ok(scores(self.0.matching(text, limit))))
    }

    fn beside<'py>(&self, py: Python<'py>, ids: Ids, count: usize) -> Object<'py> {
        run(py, || Ok(self.0.beside(&ids.0, count)))
    }

    fn posture<'py>(&self, py: Python<'py>, thread: &str) -> Object<'py> {
        run(py, || Ok(self.0.posture(thread)))
    }

    fn has_begun(&self, py: Python<'_>, session: &str) -> bool {
        py.detach(|| self.0.has_begun(session))
    }

    fn stats<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || Ok(BTreeMap::from(self.0.stats()?)))
    }
}

fn stores(log: &EpisodeLog, facts: &FactStore) -> Stores {
    Stores { log: Arc::clone(&log.core), facts: Arc::clone(&facts.core) }
}

/// Scores as they are, not as the shortest decimals.
fn scores(found: Vec<(Id, f32)>) -> Vec<(Id, f64)> {
    found.into_iter().map(|(id, score)| (id, f64::from(score))).collect()
}
