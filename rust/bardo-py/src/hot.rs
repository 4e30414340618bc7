//! The hot set: what recall looks at, in memory.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bardo_core::index::hot::{HotSet, Opened, Origin, guests};
use bardo_core::index::lexical::{indexed_sentences, indexed_text};
use bardo_core::index::vectors::Tokens;
use bardo_core::model::Episode;
use bardo_core::recall::filter::Filters;
use bardo_core::recall::late::TokenCodes;
use bardo_core::recall::past::Past;
use bardo_core::recall::search::{Query, Scratch, search};
use bardo_core::recall::settings::Settings;
use bardo_core::recall::{place, records, single};
use bardo_core::text::sentences::MAX_PIECES;
use bardo_core::text::stop_words;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::capture::{EpisodeLog, batch_from};
use crate::convert::{
    Beside, beside_into, episodes_from, facts_from, field, fingerprint_from, id, ids, rows,
};
use crate::errors::{IntoPython, invalid, to_python};
use crate::facts::FactStore;
use crate::recall::{PyFound, PyRecallSettings, filters_from};

/// One in-memory index over episodes and facts.
#[pyclass(frozen, module = "bardo._core", name = "HotSet")]
#[derive(Debug, Default)]
pub struct PyHotSet {
    hot: RwLock<HotSet>,
    /// Working memory of searches that are over, for the next ones.
    scratch: Mutex<Vec<Scratch>>,
    /// As the hot set says, to be asked without waiting for it.
    cold_upto: AtomicU64,
    /// Whether the vectors wait in the stores for the first search.
    vectors_wait: AtomicBool,
    /// Goes up whenever it is filled anew.
    generation: AtomicU64,
    /// The log and the facts that it was loaded from.
    stores: Mutex<Option<(Py<EpisodeLog>, Py<FactStore>)>>,
}

impl PyHotSet {
    fn read(&self) -> RwLockReadGuard<'_, HotSet> {
        self.hot.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HotSet> {
        self.hot.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds episodes that were just recorded.
    pub(crate) fn add<'a>(&self, episodes: impl Iterator<Item = &'a Arc<Episode>>) -> bardo_core::Result<()> {
        let mut hot = self.write();
        for episode in episodes {
            hot.add_shared(episode)?;
        }
        Ok(())
    }

    /// Renews the annotations of those episodes that are here.
    pub(crate) fn update<'a>(&self, episodes: impl Iterator<Item = &'a Arc<Episode>>) {
        let mut hot = self.write();
        for episode in episodes {
            hot.update_episode(episode);
        }
    }

    fn search_with_scratch(
        &self,
        query: &Query<'_>,
        settings: &Settings,
    ) -> bardo_core::Result<bardo_core::recall::explain::Found> {
        self.with_scratch(|scratch| search(&self.read(), query, settings, scratch))
    }

    /// Brings the vectors, if they were left in the stores when it was opened.
    fn with_vectors(&self, py: Python<'_>) -> PyResult<()> {
        if !self.vectors_wait.load(Ordering::Acquire) {
            return Ok(());
        }
        let stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let stores = stores.as_ref().map(|(log, facts)| (log.clone_ref(py), facts.clone_ref(py)));
        let Some((log, facts)) = stores else { return Ok(()) };
        let (log, facts) = (log.get(), facts.get());
        py.detach(|| {
            let mut hot = self.write();
            if self.vectors_wait.load(Ordering::Acquire) {
                hot.read_vectors(&log.core, &facts.store)?;
                self.vectors_wait.store(false, Ordering::Release);
            }
            Ok(())
        })
        .into_python()
    }

    fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch =
            self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let found = work(&mut scratch);
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        found
    }
}

/// Sets the vectors of memories: a row of `whole` each, and as many of `sentences` as its count says. One that is not
/// here is an error, unless it `may_be_absent`.
fn set_all(
    hot: &mut HotSet,
    ids: &[bardo_core::model::Id],
    whole: &[f32],
    sentences: &[f32],
    counts: &[usize],
    may_be_absent: bool,
) -> bardo_core::Result<()> {
    let dims = (whole.len() / ids.len().max(1)).max(1);
    let mut rest = sentences.chunks_exact(dims);
    for ((id, count), vector) in ids.iter().zip(counts).zip(whole.chunks_exact(dims)) {
        let own: Vec<&[f32]> = rest.by_ref().take(*count).collect();
        if !may_be_absent || hot.find(id).is_some() {
            hot.set_vectors(id, vector, &own)?;
        }
    }
    Ok(())
}

/// Episodes that a hot set took in for one search.
#[pyclass(frozen, module = "bardo._core", name = "Guests")]
#[derive(Debug)]
pub struct PyGuests {
    fresh: Vec<bardo_core::model::Id>,
    generation: u64,
}

#[pymethods]
impl PyGuests {
    fn __len__(&self) -> usize {
        self.fresh.len()
    }
}

#[pymethods]
impl PyHotSet {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.read().len())
    }

    fn __contains__(&self, py: Python<'_>, key: &str) -> PyResult<bool> {
        let key = id(key)?;
        Ok(py.detach(|| self.read().find(&key).is_some()))
    }

    #[getter]
    fn cold_upto(&self) -> u64 {
        self.cold_upto.load(Ordering::Acquire)
    }

    #[pyo3(signature = (log, facts, *, snapshot=None, cold_upto=0))]
    fn load<'py>(
        &self,
        py: Python<'py>,
        log: &Bound<'py, EpisodeLog>,
        facts: &Bound<'py, FactStore>,
        snapshot: Option<PathBuf>,
        cold_upto: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let stores = (log.clone().unbind(), facts.clone().unbind());
        *self.stores.lock().unwrap_or_else(PoisonError::into_inner) = Some(stores);
        let (log, facts) = (log.get(), facts.get());
        let opened = py
            .detach(|| -> bardo_core::Result<Opened> {
                facts.store.derive_scopes(&log.core)?;
                // The first time nobody else has it yet.
                let is_alive = self.generation.load(Ordering::Acquire) > 0;
                let origin = is_alive.then(|| Origin::of(&log.core)).transpose()?;
                let (mut loaded, opened) = match &snapshot {
                    Some(snapshot) => {
                        HotSet::open_without_vectors(&log.core, &facts.store, snapshot, cold_upto)?
                    }
                    None => (HotSet::load(&log.core, &facts.store, cold_upto)?, Opened::default()),
                };
                let mut hot = self.write();
                // What other threads changed meanwhile went to the set that is given up.
                if let Some(origin) = origin
                    && !loaded.catch_up(&origin, &log.core, &facts.store)?
                {
                    loaded = HotSet::load(&log.core, &facts.store, cold_upto)?;
                }
                *hot = loaded;
                self.generation.fetch_add(1, Ordering::AcqRel);
                self.vectors_wait.store(opened.restored > 0, Ordering::Release);
                self.cold_upto.store(hot.cold_upto(), Ordering::Release);
                Ok(opened)
            })
            .into_python()?;
        let report = PyDict::new(py);
        report.set_item("restored", opened.restored)?;
        report.set_item("replayed", opened.replayed)?;
        report.set_item("refused", opened.refused)?;
        Ok(report)
    }

    fn save(&self, py: Python<'_>, log: &EpisodeLog, snapshot: PathBuf) -> PyResult<u64> {
        py.detach(|| self.read().save(&log.core, &snapshot)).into_python()
    }

    fn leave(&self, py: Python<'_>, log: &EpisodeLog, upto: u64) -> PyResult<usize> {
        py.detach(|| {
            let mut hot = self.write();
            let left = hot.leave(&log.core, upto);
            self.cold_upto.store(hot.cold_upto(), Ordering::Release);
            left
        })
        .into_python()
    }

    fn sync_facts(&self, py: Python<'_>, facts: &FactStore) -> PyResult<usize> {
        let log = self
            .stores
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map(|(log, _)| log.clone_ref(py));
        // Searches go on meanwhile unless something did change.
        py.detach(|| {
            if self.read().is_in_step(&facts.store)? {
                return Ok(0);
            }
            if let Some(log) = &log {
                facts.store.derive_scopes(&log.get().core)?;
            }
            self.write().sync_facts(&facts.store)
        })
        .into_python()
    }

    fn add_episodes(&self, py: Python<'_>, episodes: &Bound<'_, PyAny>) -> PyResult<()> {
        let episodes = episodes_from(episodes)?;
        if let Some((episode, _)) = episodes.iter().find(|(_, has_id)| !has_id) {
            return Err(without_id("episode", &episode.text));
        }
        py.detach(|| {
            let mut hot = self.write();
            episodes.iter().try_for_each(|(episode, _)| hot.add_episode(episode))
        })
        .into_python()
    }

    fn update_episodes(&self, py: Python<'_>, episodes: &Bound<'_, PyAny>) -> PyResult<()> {
        let episodes: Vec<_> =
            episodes_from(episodes)?.into_iter().map(|(episode, _)| Arc::new(episode)).collect();
        py.detach(|| self.update(episodes.iter()));
        Ok(())
    }

    fn put_facts(&self, py: Python<'_>, facts: &Bound<'_, PyAny>) -> PyResult<()> {
        let facts = facts_from(facts)?;
        if let Some((fact, _)) = facts.iter().find(|(_, has_id)| !has_id) {
            return Err(without_id("fact", &fact.text));
        }
        py.detach(|| {
            let mut hot = self.write();
            facts.iter().try_for_each(|(fact, _)| hot.put_fact(fact))
        })
        .into_python()
    }

    #[pyo3(signature = (ids, whole, sentences=None, counts=None))]
    fn set_vectors(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = owned_ids)] ids: Vec<bardo_core::model::Id>,
        whole: &Bound<'_, PyAny>,
        sentences: Option<&Bound<'_, PyAny>>,
        counts: Option<Vec<usize>>,
    ) -> PyResult<()> {
        self.with_vectors(py)?;
        let whole = matrix(whole, "whole")?;
        let sentences = sentences.map(|object| matrix(object, "sentences")).transpose()?;
        let counts = counts.unwrap_or_else(|| vec![0; ids.len()]);
        let dims = whole.as_array().ncols();
        let sentence_rows = sentences.as_ref().map_or(0, |array| array.as_array().nrows());
        if whole.as_array().nrows() != ids.len()
            || counts.len() != ids.len()
            || counts.iter().sum::<usize>() != sentence_rows
        {
            return Err(to_python(&bardo_core::Error::vector(
                format!(
                    "{} ids, {} vectors, {} counts that add up to {}, and {sentence_rows} sentence vectors",
                    ids.len(),
                    whole.as_array().nrows(),
                    counts.len(),
                    counts.iter().sum::<usize>(),
                ),
                "Pass one vector and one count per id, and as many sentence vectors as the counts say",
            )));
        }
        if sentences.as_ref().is_some_and(|array| sentence_rows > 0 && array.as_array().ncols() != dims) {
            return Err(invalid(
                "whole and sentence vectors differ in dimensions",
                "Make both with one embedder",
            ));
        }
        let whole = rows(&whole, "whole")?;
        let sentences = sentences.as_ref().map(|array| rows(array, "sentences")).transpose()?.unwrap_or(&[]);
        py.detach(|| set_all(&mut self.write(), &ids, whole, sentences, &counts, false)).into_python()
    }

    #[pyo3(signature = (log, ids, whole, sentences, counts, fingerprint, tokens=None))]
    fn embed(
        &self,
        py: Python<'_>,
        log: &EpisodeLog,
        #[pyo3(from_py_with = owned_ids)] ids: Vec<bardo_core::model::Id>,
        whole: PyReadonlyArray2<'_, f32>,
        sentences: PyReadonlyArray2<'_, f32>,
        counts: Vec<usize>,
        fingerprint: &Bound<'_, PyAny>,
        tokens: Option<Vec<Vec<u8>>>,
    ) -> PyResult<()> {
        self.with_vectors(py)?;
        let fingerprint = fingerprint_from(fingerprint)?;
        let batch = batch_from(&whole, &sentences, counts, tokens)?;
        let counts = batch.counts.clone();
        let (whole, sentences) = (rows(&whole, "whole")?, rows(&sentences, "sentences")?);
        py.detach(|| {
            log.core.put_vectors(ids.clone(), batch, fingerprint)?;
            let mut hot = self.write();
            let unknown: Vec<_> = ids.iter().filter(|id| hot.find(id).is_none()).copied().collect();
            if !unknown.is_empty() {
                // Another thread may have recorded one of them and not yet come to adding it. Others left for LanceDB.
                for episode in log.core.arrived_after(hot.cold_upto(), &unknown)? {
                    hot.add_episode(&episode)?;
                }
            }
            set_all(&mut hot, &ids, whole, sentences, &counts, true)
        })
        .into_python()
    }

    /// Takes in episodes of a log for a search, with the turns right beside them.
    fn host(
        &self,
        py: Python<'_>,
        log: &EpisodeLog,
        #[pyo3(from_py_with = owned_ids)] ids: Vec<bardo_core::model::Id>,
    ) -> PyResult<PyGuests> {
        self.with_vectors(py)?;
        py.detach(|| {
            let guests = guests(&log.core, &ids, self.cold_upto.load(Ordering::Acquire))?;
            let mut hot = self.write();
            let fresh = hot.host(&guests)?;
            Ok(PyGuests { fresh, generation: self.generation.load(Ordering::Acquire) })
        })
        .into_python()
    }

    /// Lets guests go again; false if some had gone before. Once the hot set was filled anew, none is here as a guest.
    fn dismiss(&self, py: Python<'_>, guests: &PyGuests) -> bool {
        py.detach(|| {
            let mut hot = self.write();
            self.generation.load(Ordering::Acquire) == guests.generation
                && guests.fresh.iter().filter(|id| hot.remove(id)).count() == guests.fresh.len()
        })
    }

    fn remove(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = owned_ids)] ids: Vec<bardo_core::model::Id>,
    ) -> usize {
        py.detach(|| {
            let mut hot = self.write();
            ids.iter().filter(|id| hot.remove(id)).count()
        })
    }

    #[pyo3(signature = (text, vector=None, *, limit=5, now_tick=0, now=0, filters=None, pad=(0.0, 0.0, 0.0), thread=None, settings=None, tokens=None, log=None, facts=None))]
    fn search(
        &self,
        py: Python<'_>,
        text: &str,
        vector: Option<&Bound<'_, PyAny>>,
        limit: usize,
        now_tick: u64,
        now: i64,
        filters: Option<&Bound<'_, PyAny>>,
        pad: (f32, f32, f32),
        thread: Option<&str>,
        settings: Option<&PyRecallSettings>,
        tokens: Option<(Vec<String>, Vec<u32>, PyReadonlyArray2<'_, f32>)>,
        log: Option<&EpisodeLog>,
        facts: Option<&FactStore>,
    ) -> PyResult<PyFound> {
        self.with_vectors(py)?;
        let filters = filters.map_or_else(|| Ok(Filters::default()), filters_from)?;
        let settings = settings.map_or_else(Settings::default, |settings| settings.0);
        let vector = vector.map(row).transpose()?;
        let vector = vector.as_ref().map(|array| slice(array.as_slice())).transpose()?;
        let mood = [pad.0, pad.1, pad.2];
        let tokens = match (&tokens, log) {
            (Some((words, counts, vectors)), Some(log)) => {
                let dims = vectors.as_array().ncols();
                let tokens = Tokens { words, counts, vectors: rows(vectors, "tokens")?, dims };
                Some((tokens, &log.core as &dyn TokenCodes))
            }
            _ => None,
        };
        let past = facts.map(|facts| &facts.store as &dyn Past);
        let query =
            Query { text, vector, limit, now_tick, now, filters: &filters, mood, thread, tokens, past };
        let (found, records) = py
            .detach(|| {
                let mut found = self.search_with_scratch(&query, &settings)?;
                let records = match (log, facts) {
                    (Some(log), Some(facts)) => {
                        records::read(&mut found, &log.core, &facts.store, filters.as_of)?
                    }
                    _ => Vec::new(),
                };
                Ok((found, records))
            })
            .into_python()?;
        Ok(PyFound::new(found, records))
    }

    #[pyo3(signature = (vector, limit=10))]
    fn nearest(
        &self,
        py: Python<'_>,
        vector: &Bound<'_, PyAny>,
        limit: usize,
    ) -> PyResult<Vec<(String, f32)>> {
        self.with_vectors(py)?;
        let vector = row(vector)?;
        let vector = slice(vector.as_slice())?;
        let found = py.detach(|| single::nearest(&self.read(), vector, limit)).into_python()?;
        Ok(with_texts(&found))
    }

    #[pyo3(signature = (text, limit=10))]
    fn matching(&self, py: Python<'_>, text: &str, limit: usize) -> Vec<(String, f32)> {
        let found = py.detach(|| {
            self.with_scratch(|scratch| {
                single::matching(&self.read(), text, limit, &Settings::default(), scratch)
            })
        });
        with_texts(&found)
    }

    /// The turns before and after each memory in its conversation, at most `count` on either side, in order.
    fn beside(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = owned_ids)] ids: Vec<bardo_core::model::Id>,
        count: usize,
    ) -> Vec<Beside> {
        beside_into(py.detach(|| {
            let hot = self.read();
            ids.iter().map(|id| hot.beside(id, count)).collect()
        }))
    }

    /// The mode of the latest episode of a thread that has one.
    fn posture(&self, py: Python<'_>, thread: &str) -> Option<String> {
        py.detach(|| place::posture(&self.read(), thread).map(str::to_owned))
    }

    /// Whether an episode of a session is here.
    fn has_begun(&self, py: Python<'_>, session: &str) -> bool {
        py.detach(|| place::has_begun(&self.read(), session))
    }

    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.with_vectors(py)?;
        let counts = py.detach(|| {
            let hot = self.read();
            [
                ("bytes_of_words", hot.lexical().bytes()),
                ("bytes_of_vectors", hot.vectors().bytes()),
                ("memories", hot.len()),
                ("episodes", hot.len() - hot.facts()),
                ("facts", hot.facts()),
                ("vectors", hot.vectors().len()),
                ("dims", hot.vectors().dims()),
                ("terms", hot.lexical().term_count()),
                ("bytes", hot.bytes()),
            ]
        });
        let stats = PyDict::new(py);
        for (name, count) in counts {
            stats.set_item(name, count)?;
        }
        Ok(stats)
    }
}

/// The text that a `bardo.model.Episode` or `Fact` is embedded by.
#[pyfunction]
pub fn embedding_text(record: &Bound<'_, PyAny>) -> PyResult<String> {
    let (speaker, text) = speaker_and_text(record)?;
    Ok(indexed_text(speaker.as_deref(), &text))
}

/// A query without the words that say nothing about what is sought, unless it has no other.
#[pyfunction]
pub fn without_stop_words(query: &str) -> String {
    stop_words::without_stop_words(query)
}

/// The texts of its sentence vectors; none where the whole is one sentence.
#[pyfunction]
#[pyo3(signature = (record, limit=MAX_PIECES))]
pub fn embedding_sentences(record: &Bound<'_, PyAny>, limit: usize) -> PyResult<Vec<String>> {
    let (speaker, text) = speaker_and_text(record)?;
    Ok(indexed_sentences(speaker.as_deref(), &text, limit))
}

/// The codes of several texts' tokens, by which late interaction finds them.
#[pyfunction]
pub fn pack_tokens<'py>(
    py: Python<'py>,
    words: Vec<Vec<String>>,
    counts: Vec<Vec<u32>>,
    vectors: PyReadonlyArray2<'py, f32>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let dims = vectors.as_array().ncols();
    let mut rest = rows(&vectors, "token vectors")?;
    let packed = py
        .detach(|| {
            let texts = words.iter().zip(&counts).map(|(words, counts)| {
                let tokens: usize = counts.iter().map(|&count| count as usize).sum();
                let (own, after) = rest.split_at(rest.len().min(tokens * dims));
                rest = after;
                let text = Tokens { words, counts, vectors: own, dims };
                text.check()?;
                Ok(text.pack())
            });
            texts.collect::<bardo_core::Result<Vec<Vec<u8>>>>()
        })
        .into_python()?;
    Ok(packed.iter().map(|codes| PyBytes::new(py, codes)).collect())
}

fn speaker_and_text(record: &Bound<'_, PyAny>) -> PyResult<(Option<String>, String)> {
    let text: String = field(record, "text")?;
    // A fact has no speaker.
    let speaker = record.getattr_opt("speaker")?.map(|speaker| speaker.extract()).transpose()?.flatten();
    Ok((speaker, text))
}

fn with_texts(found: &[(bardo_core::model::Id, f32)]) -> Vec<(String, f32)> {
    found.iter().map(|(id, value)| (id.to_string(), *value)).collect()
}

fn owned_ids(texts: &Bound<'_, PyAny>) -> PyResult<Vec<bardo_core::model::Id>> {
    ids(&texts.extract::<Vec<String>>()?)
}

fn without_id(what: &str, text: &str) -> PyErr {
    let shown: String = text.chars().take(40).collect();
    invalid(format!("the {what} {shown:?} has no id"), "Record it first: the store gives it one")
}

fn matrix<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArray2<'py, f32>> {
    object.extract().map_err(|_| {
        not_an_array(
            object,
            name,
            "a float32 array of shape (rows, dims): numpy.ascontiguousarray(x, numpy.float32)",
        )
    })
}

fn row<'py>(object: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, f32>> {
    object.extract().map_err(|_| {
        not_an_array(object, "the query vector", "a float32 array of shape (dims,): x.astype(numpy.float32)")
    })
}

fn not_an_array(object: &Bound<'_, PyAny>, name: &str, wanted: &str) -> PyErr {
    let kind = object.get_type().name().map_or_else(|_| "?".into(), |kind| kind.to_string());
    to_python(&bardo_core::Error::vector(
        format!("{name} is not an array of the right type (a {kind})"),
        format!("Pass {wanted}"),
    ))
}

fn slice<E>(contiguous: Result<&[f32], E>) -> PyResult<&[f32]> {
    contiguous.map_err(|_| {
        to_python(&bardo_core::Error::vector(
            "a vector array is not C-contiguous",
            "Pass numpy.ascontiguousarray(x)",
        ))
    })
}
