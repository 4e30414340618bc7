//! The episode log, and episodes on their way in and out.

use std::path::PathBuf;
use std::sync::Arc;

use bardo_core::capture::{
    self, Deletion, Holder, JournalLoss, LogOptions, MigrationProgress, NewEpisode, PendingEpisodes,
    SourceMark, SourceMove, Stats, Upgrade, VacuumReport,
};
use bardo_core::engine::TickOrigin;
use bardo_core::model::{Episode, Id, IdSource};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::{Episodes, Ids, Matrix, Model, Parsed, batch_from};
use crate::convert::{Object, as_dict, as_tuple, mirror};
use crate::errors::{IntoPython, invalid};
use crate::forward::{functions, methods};
use crate::records::{Record, episode_from, optional_id, tick_from};
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
        episode.to_dataclass(py)
    }

    #[getter]
    fn last_tick(&self) -> u64 {
        self.0.iter().map(|episode| episode.tick).max().unwrap_or(0)
    }
}

functions! {
    /// Episodes as a log would record them.
    fn finish_episodes(episodes: Episodes; now: i64, seed: u64)
        => capture::finish(episodes.drafts(), now, &IdSource::new(seed));

    /// Episodes in the journal beside a log.
    fn journaled(path: PathBuf; after_seq: u64 = 0) => capture::pending_episodes(&path, after_seq);

    /// Which needles occur in a file, and its length.
    fn traces(path: PathBuf, needles: Vec<Vec<u8>>) => capture::traces(&path, &needles);
}

as_tuple! {
    PendingEpisodes { episodes, last_seq }
    JournalLoss { what, kept, taken }
    MigrationProgress { fingerprint, episodes }
    Upgrade { from, kept }
    VacuumReport { bytes_before, bytes_after }
}

as_dict!(Stats { episodes, verified, with_vectors, bytes_on_disk, last_seq, last_verification, syncs });

/// The episode log; see `_core/_capture.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct EpisodeLog {
    /// The log of the core.
    pub core: Arc<capture::EpisodeLog>,
}

#[pymethods]
impl EpisodeLog {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(py.detach(|| self.core.len()).into_python()? as usize)
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
}

methods!(EpisodeLog, |log| {
    new(path: PathBuf; agent: String, seed: u64, now: i64, durable: bool = true, create: bool = true,
        holder: Option<String> = None, accept_loss: bool = false)
        let holder = holder.map(|text| holder_from(&text)).transpose()?,
        let options = LogOptions { agent, seed, now, durable, create, holder, accept_loss }
        => capture::EpisodeLog::open(path, options).map(Arc::new);
    get agent => Ok(log.agent().to_owned());
    get path => Ok(log.path().to_owned());
    get schema_version => Ok(log.schema_version());
    get upgraded => Ok(log.upgraded().cloned());
    get lost => Ok(log.lost().cloned());
    get last_tick => log.last_tick();
    get fingerprint => log.fingerprint();
    fn record(episodes: Episodes; now: i64, out_of_order: bool = false)
        => log.record(episodes.drafts(), now, out_of_order);
    fn get(ids: Ids) => log.get(&ids.0);
    fn range(from_tick: &Bound<'py, PyAny>, to_tick: &Bound<'py, PyAny>; after: Option<&str> = None,
        limit: usize = 1024)
        let from = tick_from(from_tick, "from_tick")?, let to = tick_from(to_tick, "to_tick")?, let after = page(after)?
        => log.range(from, to, after, limit);
    fn by_subject(subject: &str; after: Option<&str> = None, limit: usize = 1024)
        let after = page(after)? => log.by_subject(subject, after, limit);
    fn by_thread(thread: &str; after: Option<&str> = None, limit: usize = 1024)
        let after = page(after)? => log.by_thread(thread, after, limit);
    fn neighbours(ids: Ids, count: usize) => log.neighbours(&ids.0, count);
    fn posture(thread: &str) => log.posture(thread);
    fn latest(n: usize) => log.latest(n);
    fn since(seq: u64, limit: usize = 1024) => log.since(seq, limit);
    fn verified_since(number: u64, limit: usize = 256) => log.verified_since(number, limit);
    fn verify(items: Vec<(Parsed<Id>, Option<f32>)>)
        => log.verify(items.into_iter().map(|(id, importance)| (id.0, importance)).collect());
    fn mark_replayed(ids: Ids) => log.mark_replayed(ids.0);
    fn put_vectors(ids: Ids, whole: Matrix<'_>, sentences: Matrix<'_>, counts: Vec<usize>, fingerprint: Model,
        tokens: Option<Vec<Vec<u8>>> = None)
        let batch = batch_from(&whole, Some(&sentences), counts, tokens)?
        => log.put_vectors(ids.0, batch, fingerprint.0);
    fn stage_vectors(ids: Ids, whole: Matrix<'_>, sentences: Matrix<'_>, counts: Vec<usize>, fingerprint: Model,
        tokens: Option<Vec<Vec<u8>>> = None)
        let batch = batch_from(&whole, Some(&sentences), counts, tokens)?
        => log.stage_vectors(ids.0, batch, fingerprint.0);
    fn staged() => log.staged();
    fn without_staged_vectors(limit: usize = 256) => log.without_staged_vectors(limit);
    fn switch_vectors(fingerprint: Model) => log.switch_vectors(fingerprint.0);
    fn drop_staged() => log.drop_staged();
    fn without_vectors(limit: usize = 256) => {
        let found = log.without_vectors(limit)?.into_iter();
        Ok(found.map(|episode| (episode.id, episode.text, episode.speaker)).collect::<Vec<_>>())
    };
    fn watermark(name: &str) => log.watermark(name);
    fn set_watermark(name: &str, value: u64) => log.set_watermark(name, value);
    fn source(name: &str) => Ok(log.source(name)?.map(|mark| (mark.position, mark.state)));
    fn sources() => {
        let found = log.sources()?.into_iter();
        Ok(found.map(|(name, mark)| (name, mark.position, mark.state)).collect::<Vec<_>>())
    };
    fn forget(ids: Ids; intent: String, now: i64, tombstones: bool = true)
        => log.forget(Deletion { ids: ids.0, tombstones, intent, now });
    fn intents() => log.intents();
    fn update_intent(number: u64, rest: Option<String> = None) => log.update_intent(number, rest);
    fn vacuum() => log.vacuum();
    fn flush() => log.flush();
    fn stats() => log.stats();
    fn close() => log.close();
});

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

/// Move of a source's watermark: its name, the watermark before it, and the new one.
pub type GivenMove = (String, Option<(u64, String)>, (u64, String));

pub fn move_from((name, from, to): GivenMove) -> SourceMove {
    let mark = |(position, state)| SourceMark { position, state };
    SourceMove { name, from: from.map(mark), to: mark(to) }
}

fn holder_from(text: &str) -> PyResult<Holder> {
    serde_json::from_str(text).map_err(|error| {
        invalid(format!("holder is not what a lease holds: {error}"), "See EpisodeLog in its stub")
    })
}

fn page(after: Option<&str>) -> PyResult<Option<Id>> {
    after.map_or(Ok(None), optional_id)
}
