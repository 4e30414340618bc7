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
use bardo_core::recall::fact_history::FactHistory;
use bardo_core::recall::filter::Filters;
use bardo_core::recall::late_rerank::TokenCodes;
use bardo_core::recall::rule_seats::RuleSeats;
use bardo_core::recall::search::Query;
use bardo_core::recall::settings::Settings;
use pyo3::prelude::*;

use crate::arguments::{Episodes, Ids, Matrix, Model, Parsed, Vector, batch_from};
use crate::capture::{EpisodeLog, GivenMove, StoredEpisodes, drafts_from, move_from};
use crate::convert::{Object, as_dict, as_object, mirror};
use crate::errors::is_of_model;
use crate::facts::FactStore;
use crate::forward::methods;
use crate::recall::{GivenFilters, PyFound, PyPeriodWords, PyRecallSettings};

mirror!(
    /// Changes that a `ChangeDetector` found; see `_core/_index.pyi`.
    Changes(hot::Changes) { in_inbox, in_facts }
);

/// Detects changes since the last sync; see `_core/_index.pyi`.
#[pyclass(frozen, module = "bardo._core", name = "ChangeDetector")]
pub struct PyChangeDetector {
    core: hot::ChangeDetector,
}

methods!(PyChangeDetector, |detector| {
    new(inbox: PathBuf, facts: &FactStore) => Ok(hot::ChangeDetector::new(&inbox, facts.core.path()));
    fn changes(log: &EpisodeLog, facts: &FactStore)
        => Ok(detector.changes(&log.core, &facts.core, SystemTime::now()));
    fn mark_seen(changes: &Changes) => {
        detector.mark_seen(&changes.0, SystemTime::now());
        Ok(())
    };
});

as_dict!(OpenReport { restored, replayed, refused });
as_object!(PyTransientRows, StoredEpisodes, PyFound);

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
pub struct PyHotSet {
    core: Engine,
}

#[pymethods]
impl PyHotSet {
    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.core.read().len())
    }

    fn __contains__(&self, py: Python<'_>, key: Parsed<Id>) -> bool {
        py.detach(|| self.core.read().find(&key.0).is_some())
    }

    fn retry_on_model_switch<'py>(&self, py: Python<'py>, work: Bound<'py, PyAny>) -> Object<'py> {
        let work = work.unbind();
        let attempt = || Python::attach(|py| work.call0(py));
        let done = py.detach(|| self.core.retry_on_model_switch(attempt, is_of_model))?;
        Ok(done.into_bound(py))
    }

    fn switch_model<'py>(&self, py: Python<'py>, work: Bound<'py, PyAny>) -> Object<'py> {
        let work = work.unbind();
        let done = py.detach(|| self.core.switch_model(|| Python::attach(|py| work.call0(py))))?;
        Ok(done.into_bound(py))
    }
}

methods!(PyHotSet, |engine| {
    new() => Ok(Engine::default());
    get cold_upto => Ok(engine.cold_upto());
    fn load(log: &EpisodeLog, facts: &FactStore; snapshot: Option<PathBuf> = None, cold_upto: u64 = 0)
        => engine.load(&stores(log, facts), snapshot.as_deref(), cold_upto);
    fn save(snapshot: PathBuf) => engine.save(&snapshot);
    fn leave(upto: u64) => engine.leave(upto);
    fn sync_facts(facts: &FactStore) => engine.sync_facts(&facts.core);
    fn record(drafts: &Bound<'py, PyAny>; ticks: Vec<u64>, now: i64, own_ticks: bool, counted: bool,
        template: Option<&Bound<'py, PyAny>> = None, out_of_order: bool = false, transcript: bool = false,
        source: Option<GivenMove> = None)
        let origin = TickOrigin { is_given: own_ticks, is_counted: counted },
        let episodes = drafts_from(drafts, template, &ticks, origin)?,
        let options = RecordOptions { out_of_order, is_transcript: transcript },
        let step = source.map(move_from) => {
        let stored = match step {
            Some(step) => engine.record_from_source(episodes, now, options, step)?,
            None => engine.record(episodes, now, options)?,
        };
        Ok((StoredEpisodes(stored.episodes), stored.known, stored.forgotten))
    };
    fn search(text: &str, vector: Option<Vector<'_>> = None; limit: usize = 5, now_tick: u64 = 0, now: i64 = 0,
        filters: Option<GivenFilters> = None, pad: (f32, f32, f32) = (0.0, 0.0, 0.0), thread: Option<&str> = None,
        settings: Option<&PyRecallSettings> = None, tokens: Option<(Vec<String>, Vec<u32>, Matrix<'_>)> = None,
        log: Option<&EpisodeLog> = None, facts: Option<&FactStore> = None, seated: Option<Ids> = None,
        left_out: Option<Ids> = None, unseated: Option<Ids> = None,
        periods: Option<&PyPeriodWords> = None)
        let filters = filters.map_or_else(Filters::default, |filters| filters.0),
        let vector = vector.as_ref().map(Vector::numbers),
        let tokens = tokens.as_ref().map(|(words, counts, vectors)| (words, counts, vectors.numbers(), vectors.dims()))
        => {
            let settings = settings.map_or_else(Settings::default, |settings| settings.0);
            let tokens = tokens.zip(log).map(|((words, counts, vectors, dims), log)| {
                (Tokens { words, counts, vectors, dims }, &*log.core as &dyn TokenCodes)
            });
            let past = facts.map(|facts| &*facts.core as &dyn FactHistory);
            let (mood, filters) = ([pad.0, pad.1, pad.2], &filters);
            let rules = RuleSeats {
                seated: seated.as_ref().map_or(&[], |ids| &ids.0),
                left_out: left_out.as_ref().map_or(&[], |ids| &ids.0),
                unseated: unseated.as_ref().map_or(&[], |ids| &ids.0),
            };
            let periods = periods.map(|periods| &periods.0);
            let query = Query { text, vector, limit, now_tick, now, filters, mood, thread, tokens, past, periods, rules };
            let (found, records) = match log.zip(facts) {
                Some((log, facts)) => engine.recall(&query, &settings, &stores(log, facts))?,
                None => (engine.search(&query, &settings)?, Vec::new()),
            };
            Ok(PyFound::new(found, records))
        };
    fn admit(ids: Ids) => engine.admit(&ids.0).map(PyTransientRows);
    fn evict(rows: &PyTransientRows) => Ok(engine.evict(&rows.0));
    fn add_episodes(episodes: Episodes) let episodes = episodes.with_ids()? => engine.add_episodes(&episodes);
    fn update_episodes(episodes: Episodes) => {
        engine.update_episodes(&episodes.shared());
        Ok(())
    };
    fn set_vectors(ids: Ids, whole: Matrix<'_>, sentences: Option<Matrix<'_>> = None, counts: Option<Vec<usize>> = None)
        let counts = counts.unwrap_or_else(|| vec![0; ids.0.len()]),
        let batch = batch_from(&whole, sentences.as_ref(), counts, None)?
        => engine.set_vectors(&ids.0, &batch);
    fn embed(ids: Ids, whole: Matrix<'_>, sentences: Matrix<'_>, counts: Vec<usize>, fingerprint: Model,
        tokens: Option<Vec<Vec<u8>>> = None)
        let batch = batch_from(&whole, Some(&sentences), counts, tokens)?
        => engine.embed(&ids.0, &batch, fingerprint.0);
    fn remove(ids: Ids) => Ok(engine.remove(&ids.0));
    fn nearest(vector: Vector<'_>, limit: usize = 10) let vector = vector.numbers()
        => Ok(scores(engine.nearest(vector, limit)?));
    fn matching(text: &str, limit: usize = 10) => Ok(scores(engine.matching(text, limit)));
    fn neighbours(ids: Ids, count: usize) => Ok(engine.neighbours(&ids.0, count));
    fn posture(thread: &str) => Ok(engine.posture(thread));
    fn has_begun(session: &str) => Ok(engine.has_begun(session));
    fn stats() => Ok(BTreeMap::from(engine.stats()?));
});

fn stores(log: &EpisodeLog, facts: &FactStore) -> Stores {
    Stores { log: Arc::clone(&log.core), facts: Arc::clone(&facts.core) }
}

/// Scores as they are, not as the shortest decimals.
fn scores(found: Vec<(Id, f32)>) -> Vec<(Id, f64)> {
    found.into_iter().map(|(id, score)| (id, f64::from(score))).collect()
}
