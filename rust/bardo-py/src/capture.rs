//! The episode log, and episodes on their way in and out.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bardo_core::capture::{self, Deletion, Holder, LogOptions, NewEpisode};
use bardo_core::engine::TickOrigin;
use bardo_core::model::{Episode, Id, IdSource};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::{Ids, Matrix, Model, Parsed, batch_from};
use crate::convert::{Object, episode_from, episode_into, episodes_from, mirror, optional_id, run};
use crate::errors::{IntoPython, invalid};
use crate::values::text;

mirror!(
    /// Where a recorded episode went; see `_core/_capture.pyi`.
    Recorded(capture::Receipt) { id, seq, fresh, forgotten, event_index, at }
);

/// Episodes as they are stored, made into objects one by one on demand; see `_core/_capture.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct StoredEpisodes(pub Vec<Arc<Episode>>);

#[pymethods]
impl StoredEpisodes {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, place: usize) -> Object<'py> {
        let episode = self.0.get(place).ok_or_else(|| {
            PyIndexError::new_err(format!("{place} is not below {}, their number", self.0.len()))
        })?;
        episode_into(py, episode)
    }

    #[getter]
    fn last_tick(&self) -> u64 {
        self.0.iter().map(|episode| episode.tick).max().unwrap_or(0)
    }
}

/// Episodes as a log would record them.
#[pyfunction]
#[pyo3(signature = (episodes, *, now, seed))]
pub fn finish_episodes<'py>(episodes: &Bound<'py, PyAny>, now: i64, seed: u64) -> Object<'py> {
    let drafts = drafts(episodes)?;
    run(episodes.py(), || capture::finish(drafts, now, &IdSource::new(seed)))
}

/// Episodes in the journal beside a log.
#[pyfunction]
#[pyo3(signature = (path, *, after_seq=0))]
pub fn journaled(py: Python<'_>, path: PathBuf, after_seq: u64) -> Object<'_> {
    run(py, || capture::pending_episodes(&path, after_seq).map(|found| (found.episodes, found.last_seq)))
}

/// Which needles occur in a file, and its length.
#[pyfunction]
pub fn traces(py: Python<'_>, path: PathBuf, needles: Vec<Vec<u8>>) -> Object<'_> {
    run(py, || capture::traces(&path, &needles))
}

/// The episode log; see `_core/_capture.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct EpisodeLog {
    /// The log of the core.
    pub core: Arc<capture::EpisodeLog>,
}

#[pymethods]
impl EpisodeLog {
    #[new]
    #[pyo3(signature = (path, *, agent, seed, now, durable=true, create=true, holder=None, accept_loss=false))]
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
                invalid(format!("holder is not what a lease holds: {error}"), "See EpisodeLog in its stub")
            })?;
        let options = LogOptions { agent, seed, now, durable, create, holder, accept_loss };
        let core = py.detach(|| capture::EpisodeLog::open(path, options)).into_python()?;
        Ok(Self { core: Arc::new(core) })
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
    fn last_tick<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.last_tick())
    }

    #[getter]
    fn fingerprint<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.fingerprint())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(py.detach(|| self.core.len()).into_python()? as usize)
    }

    #[pyo3(signature = (episodes, *, now, out_of_order=false))]
    fn record<'py>(&self, episodes: &Bound<'py, PyAny>, now: i64, out_of_order: bool) -> Object<'py> {
        let drafts = drafts(episodes)?;
        run(episodes.py(), || self.core.record(drafts, now, out_of_order))
    }

    fn get<'py>(&self, py: Python<'py>, ids: Ids) -> Object<'py> {
        run(py, || self.core.get(&ids.0))
    }

    #[pyo3(signature = (from_tick, to_tick, *, after=None, limit=1024))]
    fn range<'py>(
        &self,
        py: Python<'py>,
        from_tick: &Bound<'py, PyAny>,
        to_tick: &Bound<'py, PyAny>,
        after: Option<&str>,
        limit: usize,
    ) -> Object<'py> {
        let (from, to) = (natural(from_tick, "from_tick")?, natural(to_tick, "to_tick")?);
        let after = page(after)?;
        run(py, || self.core.range(from, to, after, limit))
    }

    #[pyo3(signature = (subject, *, after=None, limit=1024))]
    fn by_subject<'py>(
        &self,
        py: Python<'py>,
        subject: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Object<'py> {
        let after = page(after)?;
        run(py, || self.core.by_subject(subject, after, limit))
    }

    #[pyo3(signature = (thread, *, after=None, limit=1024))]
    fn by_thread<'py>(
        &self,
        py: Python<'py>,
        thread: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Object<'py> {
        let after = page(after)?;
        run(py, || self.core.by_thread(thread, after, limit))
    }

    fn beside<'py>(&self, py: Python<'py>, ids: Ids, count: usize) -> Object<'py> {
        run(py, || self.core.beside(&ids.0, count))
    }

    fn posture<'py>(&self, py: Python<'py>, thread: &str) -> Object<'py> {
        run(py, || self.core.posture(thread))
    }

    fn tail<'py>(&self, py: Python<'py>, n: usize) -> Object<'py> {
        run(py, || self.core.tail(n))
    }

    #[pyo3(signature = (seq, limit=1024))]
    fn since<'py>(&self, py: Python<'py>, seq: u64, limit: usize) -> Object<'py> {
        run(py, || self.core.since(seq, limit))
    }

    #[pyo3(signature = (number, limit=256))]
    fn verified_since<'py>(&self, py: Python<'py>, number: u64, limit: usize) -> Object<'py> {
        run(py, || self.core.verified_since(number, limit))
    }

    fn verify<'py>(&self, py: Python<'py>, items: Vec<(Parsed<Id>, Option<f32>)>) -> Object<'py> {
        let items = items.into_iter().map(|(id, importance)| (id.0, importance)).collect();
        run(py, || self.core.verify(items))
    }

    fn mark_replayed<'py>(&self, py: Python<'py>, ids: Ids) -> Object<'py> {
        run(py, || self.core.mark_replayed(ids.0))
    }

    #[pyo3(signature = (ids, whole, sentences, counts, fingerprint, tokens=None))]
    fn put_vectors<'py>(
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
        run(py, || self.core.put_vectors(ids.0, batch, fingerprint.0))
    }

    #[pyo3(signature = (ids, whole, sentences, counts, fingerprint, tokens=None))]
    fn stage_vectors<'py>(
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
        run(py, || self.core.stage_vectors(ids.0, batch, fingerprint.0))
    }

    fn staged<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || Ok(self.core.staged()?.map(|staged| (staged.fingerprint, staged.episodes))))
    }

    #[pyo3(signature = (limit=256))]
    fn without_staged<'py>(&self, py: Python<'py>, limit: usize) -> Object<'py> {
        run(py, || self.core.without_staged(limit))
    }

    fn switch_vectors<'py>(&self, py: Python<'py>, fingerprint: Model) -> Object<'py> {
        run(py, || self.core.switch_vectors(fingerprint.0))
    }

    fn drop_staged<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.drop_staged())
    }

    fn vectors<'py>(
        &self,
        py: Python<'py>,
        ids: Ids,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<usize>)> {
        let read = || Ok((self.core.vectors(&ids.0)?, self.core.fingerprint()?));
        let (found, model) = py.detach(read).into_python()?;
        let dims = model.map_or(0, |model| model.dims as usize);
        let counts: Vec<usize> = found.iter().map(|vectors| vectors.sentences.len()).collect();
        let whole: Vec<f32> = found.iter().flat_map(|vectors| vectors.whole.iter().copied()).collect();
        let sentences: Vec<f32> =
            found.into_iter().flat_map(|vectors| vectors.sentences.into_iter().flatten()).collect();
        let matrix = |numbers, rows| -> Object<'py> {
            Ok(PyArray1::from_vec(py, numbers).reshape([rows, dims])?.into_any())
        };
        Ok((matrix(whole, ids.0.len())?, matrix(sentences, counts.iter().sum())?, counts))
    }

    #[pyo3(signature = (limit=256))]
    fn without_vectors<'py>(&self, py: Python<'py>, limit: usize) -> Object<'py> {
        run(py, || {
            let found = self.core.without_vectors(limit)?.into_iter();
            Ok(found.map(|episode| (episode.id, episode.text, episode.speaker)).collect::<Vec<_>>())
        })
    }

    fn watermark<'py>(&self, py: Python<'py>, name: &str) -> Object<'py> {
        run(py, || self.core.watermark(name))
    }

    fn set_watermark<'py>(&self, py: Python<'py>, name: &str, value: u64) -> Object<'py> {
        run(py, || self.core.set_watermark(name, value))
    }

    #[pyo3(signature = (ids, *, intent, now, tombstones=true))]
    fn forget<'py>(
        &self,
        py: Python<'py>,
        ids: Ids,
        intent: String,
        now: i64,
        tombstones: bool,
    ) -> Object<'py> {
        run(py, || self.core.forget(Deletion { ids: ids.0, tombstones, intent, now }))
    }

    fn intents<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.intents())
    }

    #[pyo3(signature = (number, rest=None))]
    fn settle<'py>(&self, py: Python<'py>, number: u64, rest: Option<String>) -> Object<'py> {
        run(py, || self.core.settle(number, rest))
    }

    fn vacuum<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.vacuum().map(|vacuumed| (vacuumed.bytes_before, vacuumed.bytes_after)))
    }

    fn flush<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.flush())
    }

    fn stats<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || {
            let stats = self.core.stats()?;
            Ok(BTreeMap::from([
                ("episodes", stats.episodes),
                ("verified", stats.verified),
                ("with_vectors", stats.with_vectors),
                ("bytes_on_disk", stats.bytes_on_disk),
                ("last_seq", stats.last_seq),
                ("last_verification", stats.last_verification),
                ("syncs", stats.syncs),
            ]))
        })
    }

    fn close<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.close())
    }
}

/// Episodes to be recorded, out of a mixture of whole ones and of texts, which take every other field from `template`.
pub fn drafts_from(
    drafts: &Bound<'_, PyAny>,
    template: Option<&Bound<'_, PyAny>>,
    ticks: &[u64],
    origin: TickOrigin,
) -> PyResult<Vec<NewEpisode>> {
    let mut shared: Option<Episode> = None;
    let mut episodes = Vec::with_capacity(ticks.len());
    for draft in drafts.try_iter()? {
        let draft = draft?;
        episodes.push(if draft.cast::<PyString>().is_ok() {
            let like = match &shared {
                Some(like) => like,
                None => shared.insert(shared_fields(template)?),
            };
            (Episode { text: text(&draft, "the text")?, ..like.clone() }, false)
        } else {
            episode_from(&draft)?
        });
    }
    if episodes.len() != ticks.len() {
        return Err(invalid(
            format!("{} ticks for {} episodes", ticks.len(), episodes.len()),
            "Pass one for each",
        ));
    }
    let drafts = episodes.into_iter().zip(ticks);
    Ok(drafts.map(|((episode, has_id), tick)| origin.at(*tick, episode, has_id)).collect())
}

fn shared_fields(template: Option<&Bound<'_, PyAny>>) -> PyResult<Episode> {
    match template {
        Some(template) => Ok(episode_from(template)?.0),
        None => Err(invalid("a text came without the other fields of its episode", "Pass a template")),
    }
}

fn drafts(episodes: &Bound<'_, PyAny>) -> PyResult<Vec<NewEpisode>> {
    let episodes = episodes_from(episodes)?;
    Ok(episodes.into_iter().map(|(episode, has_id)| NewEpisode { episode, has_id, own_tick: true }).collect())
}

fn page(after: Option<&str>) -> PyResult<Option<Id>> {
    after.map_or(Ok(None), optional_id)
}

fn natural(object: &Bound<'_, PyAny>, name: &str) -> PyResult<u64> {
    match object.extract::<i64>() {
        Ok(number) if number >= 0 => Ok(number.unsigned_abs()),
        _ => {
            Err(invalid(format!("{name} is {}", object.repr()?), "It is a whole number from 0 to 2**63 - 1"))
        }
    }
}
