//! The episode log.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bardo_core::capture::{self, Forgetting, Holder, LogOptions, Manner, NewEpisode, VectorBatch};
use bardo_core::model::{Episode, INHERITED_KIND, Id, IdSource};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{
    Beside, beside_into, episode_into, episodes_from, episodes_into, fingerprint_from, fingerprint_into, id,
    ids as ids_from, optional_id, rows,
};
use crate::errors::{IntoPython, invalid};
use crate::hot::PyHotSet;
use crate::stored::{StoredEpisodes, drafts_from};

/// Where a recorded episode went; see `_core.pyi`.
#[pyclass(frozen, get_all, module = "bardo._core")]
pub struct Recorded {
    id: String,
    seq: u64,
    fresh: bool,
    forgotten: bool,
    event_index: u32,
    at: i64,
}

#[pymethods]
impl Recorded {
    fn __repr__(&self) -> String {
        let fresh = if self.fresh { "True" } else { "False" };
        format!("Recorded(id='{}', seq={}, fresh={fresh})", self.id, self.seq)
    }
}

/// The episode log; see `_core.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct EpisodeLog {
    /// The core's log, for the stages that read it without passing through Python.
    pub core: capture::EpisodeLog,
}

/// Episodes as a log would record them; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (episodes, *, now, seed))]
pub fn finish_episodes<'py>(
    py: Python<'py>,
    episodes: &Bound<'py, PyAny>,
    now: i64,
    seed: u64,
) -> PyResult<Bound<'py, PyList>> {
    let episodes = new_episodes(episodes)?;
    let finished = py.detach(|| capture::finish(episodes, now, &IdSource::new(seed))).into_python()?;
    episodes_into(py, &finished)
}

/// Episodes in the journal beside a log; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (path, *, after_seq=0))]
pub fn journaled(py: Python<'_>, path: PathBuf, after_seq: u64) -> PyResult<(Bound<'_, PyList>, u64)> {
    let found = py.detach(|| capture::journaled(&path, after_seq)).into_python()?;
    Ok((episodes_into(py, &found.episodes)?, found.last_seq))
}

/// Compares every row of a file of facts with its checksum; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (path, *, repair))]
pub fn check_facts(
    py: Python<'_>,
    path: PathBuf,
    repair: bool,
) -> PyResult<Vec<(String, String, String, String)>> {
    let found = py.detach(|| bardo_core::facts::check_facts(&path, repair)).into_python()?;
    Ok(found.into_iter().map(|each| (each.table, each.row, each.what, each.repair)).collect())
}

/// Which needles occur in a file, and its length; see `_core.pyi`.
#[pyfunction]
pub fn traces(py: Python<'_>, path: PathBuf, needles: Vec<Vec<u8>>) -> PyResult<(Vec<usize>, u64)> {
    py.detach(|| capture::traces(&path, &needles)).into_python()
}

#[pymethods]
impl EpisodeLog {
    #[new]
    #[pyo3(signature = (path, *, agent, seed, now, durable=true, create=true, holder=None, accept_loss=false))]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        agent: String,
        seed: u64,
        now: i64,
        durable: bool,
        create: bool,
        holder: Option<String>,
        accept_loss: bool,
    ) -> PyResult<Self> {
        let holder: Option<Holder> =
            holder.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| {
                invalid(format!("holder is not what a lease holds: {error}"), "See _core.pyi")
            })?;
        let options = LogOptions { agent, seed, now, durable, create, holder, accept_loss };
        let core = py.detach(|| capture::EpisodeLog::open(path, options)).into_python()?;
        Ok(Self { core })
    }

    #[getter]
    fn agent(&self) -> &str {
        self.core.agent()
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.core.path().to_owned()
    }

    #[getter]
    fn schema_version(&self) -> u32 {
        self.core.schema_version()
    }

    #[getter]
    fn upgraded(&self) -> Option<(u32, PathBuf)> {
        self.core.upgraded().map(|upgraded| (upgraded.from, upgraded.kept.clone()))
    }

    #[getter]
    fn lost(&self) -> Option<(String, Option<PathBuf>, usize)> {
        self.core.lost().map(|lost| (lost.what.clone(), lost.kept.clone(), lost.taken))
    }

    #[getter]
    fn last_tick(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.core.last_tick()).into_python()
    }

    #[getter]
    fn fingerprint<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let fingerprint = py.detach(|| self.core.fingerprint()).into_python()?;
        fingerprint.map(|fingerprint| fingerprint_into(py, &fingerprint)).transpose()
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(py.detach(|| self.core.len()).into_python()? as usize)
    }

    #[pyo3(signature = (episodes, *, now, out_of_order=false))]
    fn record(
        &self,
        py: Python<'_>,
        episodes: &Bound<'_, PyAny>,
        now: i64,
        out_of_order: bool,
    ) -> PyResult<Vec<Recorded>> {
        let episodes = new_episodes(episodes)?;
        let recorded = py.detach(|| self.core.record(episodes, now, out_of_order)).into_python()?;
        let shown = recorded.into_iter().map(|recorded| Recorded {
            id: recorded.id.to_string(),
            seq: recorded.seq,
            fresh: recorded.fresh,
            forgotten: recorded.forgotten,
            event_index: recorded.event_index,
            at: recorded.at,
        });
        Ok(shown.collect())
    }

    #[pyo3(signature = (hot, drafts, *, ticks, now, own_ticks, counted, template=None, out_of_order=false, transcript=false))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "they are named in Python"
    )]
    fn record_into(
        &self,
        py: Python<'_>,
        hot: &PyHotSet,
        drafts: &Bound<'_, PyAny>,
        ticks: Vec<u64>,
        now: i64,
        own_ticks: bool,
        counted: bool,
        template: Option<&Bound<'_, PyAny>>,
        out_of_order: bool,
        transcript: bool,
    ) -> PyResult<(StoredEpisodes, Vec<usize>, Vec<usize>)> {
        let episodes = drafts_from(drafts, template, &ticks, (own_ticks, counted))?;
        let manner = Manner { out_of_order, is_transcript: transcript };
        py.detach(|| record_and_index(&self.core, hot, episodes, now, manner)).into_python()
    }

    #[pyo3(signature = (ids))]
    fn get<'py>(&self, py: Python<'py>, ids: Vec<String>) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let ids = ids_from(&ids)?;
        let episodes = py.detach(|| self.core.get(&ids)).into_python()?;
        episodes
            .iter()
            .map(|episode| episode.as_ref().map(|episode| episode_into(py, episode)).transpose())
            .collect()
    }

    #[pyo3(signature = (from_tick, to_tick, *, after=None, limit=1024))]
    fn range<'py>(
        &self,
        py: Python<'py>,
        from_tick: &Bound<'py, PyAny>,
        to_tick: &Bound<'py, PyAny>,
        after: Option<String>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let (from, to) = (natural(from_tick, "from_tick")?, natural(to_tick, "to_tick")?);
        let after = page(after)?;
        episodes_into(py, &py.detach(|| self.core.range(from, to, after, limit)).into_python()?)
    }

    #[pyo3(signature = (subject, *, after=None, limit=1024))]
    fn by_subject<'py>(
        &self,
        py: Python<'py>,
        subject: &str,
        after: Option<String>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let after = page(after)?;
        episodes_into(py, &py.detach(|| self.core.by_subject(subject, after, limit)).into_python()?)
    }

    #[pyo3(signature = (thread, *, after=None, limit=1024))]
    fn by_thread<'py>(
        &self,
        py: Python<'py>,
        thread: &str,
        after: Option<String>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let after = page(after)?;
        episodes_into(py, &py.detach(|| self.core.by_thread(thread, after, limit)).into_python()?)
    }

    fn beside(&self, py: Python<'_>, ids: Vec<String>, count: usize) -> PyResult<Vec<Beside>> {
        let ids = ids_from(&ids)?;
        Ok(beside_into(py.detach(|| self.core.beside(&ids, count)).into_python()?))
    }

    fn posture(&self, py: Python<'_>, thread: &str) -> PyResult<Option<String>> {
        py.detach(|| self.core.posture(thread)).into_python()
    }

    fn tail<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Bound<'py, PyList>> {
        episodes_into(py, &py.detach(|| self.core.tail(n)).into_python()?)
    }

    #[pyo3(signature = (seq, limit=1024))]
    fn since<'py>(&self, py: Python<'py>, seq: u64, limit: usize) -> PyResult<Vec<(u64, Bound<'py, PyAny>)>> {
        numbered(py, &py.detach(|| self.core.since(seq, limit)).into_python()?)
    }

    #[pyo3(signature = (number, limit=256))]
    fn verified_since<'py>(
        &self,
        py: Python<'py>,
        number: u64,
        limit: usize,
    ) -> PyResult<Vec<(u64, Bound<'py, PyAny>)>> {
        numbered(py, &py.detach(|| self.core.verified_since(number, limit)).into_python()?)
    }

    fn verify(&self, py: Python<'_>, items: Vec<(String, Option<f32>)>) -> PyResult<u64> {
        let items = items
            .into_iter()
            .map(|(text, importance)| Ok((id(&text)?, importance)))
            .collect::<PyResult<Vec<(Id, Option<f32>)>>>()?;
        py.detach(|| self.core.verify(items)).into_python()
    }

    fn mark_replayed(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<u64> {
        let ids = ids_from(&ids)?;
        py.detach(|| self.core.mark_replayed(ids)).into_python()
    }

    #[pyo3(signature = (ids, whole, sentences, counts, fingerprint, tokens=None))]
    fn put_vectors(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        whole: PyReadonlyArray2<'_, f32>,
        sentences: PyReadonlyArray2<'_, f32>,
        counts: Vec<usize>,
        fingerprint: &Bound<'_, PyAny>,
        tokens: Option<Vec<Vec<u8>>>,
    ) -> PyResult<()> {
        let (ids, fingerprint) = (ids_from(&ids)?, fingerprint_from(fingerprint)?);
        let batch = batch_from(&whole, &sentences, counts, tokens)?;
        py.detach(|| self.core.put_vectors(ids, batch, fingerprint)).into_python()
    }

    #[pyo3(signature = (ids, whole, sentences, counts, fingerprint, tokens=None))]
    fn stage_vectors(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        whole: PyReadonlyArray2<'_, f32>,
        sentences: PyReadonlyArray2<'_, f32>,
        counts: Vec<usize>,
        fingerprint: &Bound<'_, PyAny>,
        tokens: Option<Vec<Vec<u8>>>,
    ) -> PyResult<()> {
        let (ids, fingerprint) = (ids_from(&ids)?, fingerprint_from(fingerprint)?);
        let batch = batch_from(&whole, &sentences, counts, tokens)?;
        py.detach(|| self.core.stage_vectors(ids, batch, fingerprint)).into_python()
    }

    fn staged<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyAny>, u64)>> {
        let staged = py.detach(|| self.core.staged()).into_python()?;
        staged.map(|staged| Ok((fingerprint_into(py, &staged.fingerprint)?, staged.episodes))).transpose()
    }

    #[pyo3(signature = (limit=256))]
    fn without_staged<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyList>> {
        episodes_into(py, &py.detach(|| self.core.without_staged(limit)).into_python()?)
    }

    fn switch_vectors(&self, py: Python<'_>, fingerprint: &Bound<'_, PyAny>) -> PyResult<u64> {
        let fingerprint = fingerprint_from(fingerprint)?;
        py.detach(|| self.core.switch_vectors(fingerprint)).into_python()
    }

    fn drop_staged(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.core.drop_staged()).into_python()
    }

    #[allow(clippy::type_complexity)]
    fn vectors<'py>(
        &self,
        py: Python<'py>,
        ids: Vec<String>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<usize>)> {
        let ids = ids_from(&ids)?;
        let (batch, dims) = py
            .detach(|| {
                let dims = self.core.fingerprint()?.map_or(0, |fingerprint| fingerprint.dims as usize);
                Ok::<_, bardo_core::Error>((self.core.vectors(&ids)?, dims))
            })
            .into_python()?;
        let counts: Vec<usize> = batch.iter().map(|vectors| vectors.sentences.len()).collect();
        let whole: Vec<f32> = batch.iter().flat_map(|vectors| vectors.whole.iter().copied()).collect();
        let sentences: Vec<f32> =
            batch.into_iter().flat_map(|vectors| vectors.sentences.into_iter().flatten()).collect();
        let sentence_rows = counts.iter().sum();
        let whole = PyArray1::from_vec(py, whole).reshape([ids.len(), dims])?.into_any();
        let sentences = PyArray1::from_vec(py, sentences).reshape([sentence_rows, dims])?.into_any();
        Ok((whole, sentences, counts))
    }

    #[pyo3(signature = (limit=256))]
    fn without_vectors(
        &self,
        py: Python<'_>,
        limit: usize,
    ) -> PyResult<Vec<(String, String, Option<String>)>> {
        let found = py.detach(|| self.core.without_vectors(limit)).into_python()?;
        Ok(found.into_iter().map(|episode| (episode.id.to_string(), episode.text, episode.speaker)).collect())
    }

    fn watermark(&self, py: Python<'_>, name: &str) -> PyResult<u64> {
        py.detach(|| self.core.watermark(name)).into_python()
    }

    fn set_watermark(&self, py: Python<'_>, name: &str, value: u64) -> PyResult<()> {
        py.detach(|| self.core.set_watermark(name, value)).into_python()
    }

    #[pyo3(signature = (ids, *, intent, now, tombstones=true))]
    fn forget(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        intent: String,
        now: i64,
        tombstones: bool,
    ) -> PyResult<u64> {
        let forgetting = Forgetting { ids: ids_from(&ids)?, tombstones, intent, now };
        py.detach(|| self.core.forget(forgetting)).into_python()
    }

    fn intents(&self, py: Python<'_>) -> PyResult<Vec<(u64, String)>> {
        py.detach(|| self.core.intents()).into_python()
    }

    #[pyo3(signature = (number, rest=None))]
    fn settle(&self, py: Python<'_>, number: u64, rest: Option<String>) -> PyResult<()> {
        py.detach(|| self.core.settle(number, rest)).into_python()
    }

    fn tombstones(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.core.tombstones()).into_python()
    }

    fn vacuum(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let vacuumed = py.detach(|| self.core.vacuum()).into_python()?;
        Ok((vacuumed.bytes_before, vacuumed.bytes_after))
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.core.flush()).into_python()
    }

    fn stats(&self, py: Python<'_>) -> PyResult<BTreeMap<&'static str, u64>> {
        let stats = py.detach(|| self.core.stats()).into_python()?;
        Ok(BTreeMap::from([
            ("episodes", stats.episodes),
            ("verified", stats.verified),
            ("with_vectors", stats.with_vectors),
            ("bytes_on_disk", stats.bytes_on_disk),
            ("last_seq", stats.last_seq),
            ("last_verification", stats.last_verification),
            ("syncs", stats.syncs),
        ]))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.core.close()).into_python()
    }
}

/// Records episodes and makes the new ones findable; the answer is what is stored, and the places of what was stored
/// before and of what was forgotten.
fn record_and_index(
    log: &capture::EpisodeLog,
    hot: &PyHotSet,
    episodes: Vec<NewEpisode>,
    now: i64,
    manner: Manner,
) -> bardo_core::Result<(StoredEpisodes, Vec<usize>, Vec<usize>)> {
    let recorded: Vec<(capture::Recorded, Arc<Episode>)> = log
        .record_whole(episodes, now, manner)?
        .into_iter()
        .map(|(one, episode)| (one, Arc::new(episode)))
        .collect();
    hot.add(recorded.iter().filter(|(one, _)| one.fresh).map(|(_, episode)| episode))?;
    let mut before = known_before(log, hot, &recorded)?.into_iter();
    let (mut stored, mut known, mut forgotten) = (Vec::with_capacity(recorded.len()), Vec::new(), Vec::new());
    for (place, (one, episode)) in recorded.into_iter().enumerate() {
        if one.fresh {
            stored.push(episode);
        } else if one.forgotten {
            forgotten.push(place);
        } else {
            known.push(place);
            stored.extend(before.next().flatten());
        }
    }
    Ok((StoredEpisodes::new(stored), known, forgotten))
}

/// What was recorded before, as it is stored. A retry that says that it is verified, as the first attempt did not yet,
/// verifies it.
fn known_before(
    log: &capture::EpisodeLog,
    hot: &PyHotSet,
    recorded: &[(capture::Recorded, Arc<Episode>)],
) -> bardo_core::Result<Vec<Option<Arc<Episode>>>> {
    let shared = |episodes: Vec<Option<Episode>>| -> Vec<_> {
        episodes.into_iter().map(|episode| episode.map(Arc::new)).collect()
    };
    let again = || recorded.iter().filter(|(one, _)| !one.fresh && !one.forgotten);
    let ids: Vec<Id> = again().map(|(one, _)| one.id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let stored = shared(log.get(&ids)?);
    let verified: Vec<_> = again()
        .zip(&stored)
        .filter_map(|((one, told), stored)| {
            let is_news = told.annotations.verified && !stored.as_ref()?.annotations.verified;
            // What was inherited, nobody here saw happen.
            let is_own = stored.as_ref()?.kind != INHERITED_KIND && told.kind == stored.as_ref()?.kind;
            (is_news && is_own).then_some((one.id, told.annotations.importance))
        })
        .collect();
    if verified.is_empty() {
        return Ok(stored);
    }
    log.verify(verified)?;
    let stored = shared(log.get(&ids)?);
    hot.update(stored.iter().flatten());
    Ok(stored)
}

fn new_episodes(episodes: &Bound<'_, PyAny>) -> PyResult<Vec<NewEpisode>> {
    let episodes = episodes_from(episodes)?;
    Ok(episodes.into_iter().map(|(episode, has_id)| NewEpisode { episode, has_id, own_tick: true }).collect())
}

fn numbered<'py>(
    py: Python<'py>,
    episodes: &[(u64, bardo_core::model::Episode)],
) -> PyResult<Vec<(u64, Bound<'py, PyAny>)>> {
    episodes.iter().map(|(number, episode)| Ok((*number, episode_into(py, episode)?))).collect()
}

fn page(after: Option<String>) -> PyResult<Option<Id>> {
    after.map_or(Ok(None), |text| optional_id(&text))
}

fn natural(object: &Bound<'_, PyAny>, name: &str) -> PyResult<u64> {
    match object.extract::<i64>() {
        Ok(number) if number >= 0 => Ok(number.unsigned_abs()),
        _ => {
            Err(invalid(format!("{name} is {}", object.repr()?), "It is a whole number from 0 to 2**63 - 1"))
        }
    }
}

pub fn batch_from(
    whole: &PyReadonlyArray2<'_, f32>,
    sentences: &PyReadonlyArray2<'_, f32>,
    counts: Vec<usize>,
    tokens: Option<Vec<Vec<u8>>>,
) -> PyResult<VectorBatch> {
    let dims = whole.shape()[1];
    if sentences.shape()[0] > 0 && sentences.shape()[1] != dims {
        return Err(invalid("whole and sentences have different dimensions", "Embed both with one model"));
    }
    Ok(VectorBatch {
        whole: rows(whole, "whole")?.to_vec(),
        sentences: rows(sentences, "sentences")?.to_vec(),
        counts,
        dims,
        tokens: tokens.unwrap_or_default(),
    })
}
