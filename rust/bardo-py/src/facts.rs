//! `FactStore`: semantic memory, for Python.

#![expect(clippy::needless_pass_by_value, reason = "extracted arguments are owned")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bardo_core::consolidate::{self, MINIMUM_EPISODES};
use bardo_core::facts::{self, FactFilter, FactOptions, FactVectors, Link, Note, Retention, Scope};
use bardo_core::model::{Fact, Fingerprint, Id};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::capture::EpisodeLog;
use crate::consolidate::Calibration;
use crate::convert::{
    fact_from, facts_from, facts_into, fingerprint_from, fingerprint_into, id, ids as ids_from, widen,
};
use crate::errors::IntoPython;
use crate::matrices::{matrix, rows, shape_error, with_model};
use crate::told::{
    ActTuple, LinkTuple, StateTuple, UndoneTuple, act_into, forgotten_into, link_tuples, texts, undone_into,
};

/// What became of one fact that was handed to `upsert`.
#[pyclass(frozen, get_all, module = "bardo._core")]
pub struct Upserted {
    id: String,
    outcome: &'static str,
}

#[pymethods]
impl Upserted {
    fn __repr__(&self) -> String {
        format!("Upserted(id={:?}, outcome={:?})", self.id, self.outcome)
    }
}

/// Which facts no store would take, and why; see `_core.pyi`.
#[pyfunction]
pub fn unfit_facts(facts: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, String)>> {
    let mut unfit = Vec::new();
    for (place, fact) in facts.try_iter()?.enumerate() {
        if let Err(error) = fact_from(&fact?).and_then(|(fact, _)| fact.validate().into_python()) {
            unfit.push((place, error.value(facts.py()).to_string()));
        }
    }
    Ok(unfit)
}

/// Confidence at which a fact of a source arrives at most; none where there is no limit.
#[pyfunction]
pub fn arrival_confidence(source: &str) -> PyResult<Option<f64>> {
    Ok(facts::arrival_confidence(source.parse().into_python()?).map(widen))
}

/// The facts of one agent in `facts.db`.
#[pyclass(frozen, module = "bardo._core")]
pub struct FactStore {
    pub(crate) store: facts::FactStore,
}

#[pymethods]
impl FactStore {
    #[new]
    #[pyo3(signature = (path, *, agent, seed, now = 0, create = true, tau_ticks = None, reinforcement = None,
        spacing_ticks = None, expiry_ticks = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only options of a constructor")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        agent: String,
        seed: u64,
        now: i64,
        create: bool,
        tau_ticks: Option<f64>,
        reinforcement: Option<f64>,
        spacing_ticks: Option<u64>,
        expiry_ticks: Option<u64>,
    ) -> PyResult<Self> {
        let retention = Retention::default().with(tau_ticks, reinforcement, spacing_ticks, expiry_ticks);
        let options = FactOptions { agent, seed, now, create, retention };
        let store = py.detach(|| facts::FactStore::open(&path, &options)).into_python()?;
        Ok(Self { store })
    }

    #[getter]
    fn agent(&self) -> &str {
        self.store.agent()
    }

    #[getter]
    fn schema_version(&self) -> u32 {
        self.store.schema_version()
    }

    #[getter]
    fn tau_ticks(&self) -> f64 {
        self.store.retention().tau_ticks
    }

    #[getter]
    fn expiry_ticks(&self) -> u64 {
        self.store.retention().expiry_ticks
    }

    #[getter]
    fn fingerprint<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = py.detach(|| self.store.fingerprint()).into_python()?;
        found.map(|fingerprint| fingerprint_into(py, &fingerprint)).transpose()
    }

    #[getter]
    fn last_change(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.store.last_change()).into_python()
    }

    #[getter]
    fn last_learned(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.store.last_learned()).into_python()
    }

    #[pyo3(signature = (*, tau_ticks = None, reinforcement = None, spacing_ticks = None, expiry_ticks = None))]
    fn set_retention(
        &self,
        tau_ticks: Option<f64>,
        reinforcement: Option<f64>,
        spacing_ticks: Option<u64>,
        expiry_ticks: Option<u64>,
    ) -> PyResult<()> {
        let retention = self.store.retention().with(tau_ticks, reinforcement, spacing_ticks, expiry_ticks);
        self.store.set_retention(retention).into_python()
    }

    #[pyo3(signature = (facts, *, tick, now, vectors = None, fingerprint = None, actor = None,
        marks = None, answered = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only options")]
    fn upsert(
        &self,
        py: Python<'_>,
        facts: &Bound<'_, PyAny>,
        tick: u64,
        now: i64,
        vectors: Option<&Bound<'_, PyAny>>,
        fingerprint: Option<&Bound<'_, PyAny>>,
        actor: Option<&str>,
        marks: Option<BTreeMap<String, i64>>,
        answered: Option<BTreeMap<String, i64>>,
    ) -> PyResult<Vec<Upserted>> {
        let facts: Vec<Fact> = facts_from(facts)?.into_iter().map(|(fact, _)| fact).collect();
        let vectors = with_model(vectors, fingerprint)?;
        let marks = marks.into_iter().flatten().map(|(name, value)| Note::Mark(name, value));
        let answered = answered.into_iter().flatten().map(|(name, more)| Note::Answered(name, more));
        let notes: Vec<Note> = marks.chain(answered).collect();
        let outcomes = py
            .detach(|| {
                let rows = vectors.as_ref().map(|(matrix, _)| rows(matrix));
                let vectors = rows.as_ref().zip(vectors.as_ref());
                let vectors = vectors.map(|(rows, (_, fingerprint))| FactVectors { rows, fingerprint });
                match actor {
                    None => self.store.upsert(&facts, vectors, tick, now),
                    Some(actor) => self.store.upsert_noting(&facts, vectors, (tick, now), actor, &notes),
                }
            })
            .into_python()?;
        Ok(outcomes
            .into_iter()
            .map(|(id, outcome)| Upserted { id: id.to_string(), outcome: outcome.name() })
            .collect())
    }

    #[getter]
    fn latest_tick(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.store.latest_tick()).into_python()
    }

    fn mark(&self, py: Python<'_>, name: String) -> PyResult<i64> {
        py.detach(|| self.store.mark(&name)).into_python()
    }

    fn begin(&self, py: Python<'_>, tick: u64) -> PyResult<u64> {
        py.detach(|| self.store.begin(tick)).into_python()
    }

    #[pyo3(signature = (*, through, by, tick, name, offset))]
    fn rebase(
        &self,
        py: Python<'_>,
        through: u64,
        by: u64,
        tick: u64,
        name: &str,
        offset: i64,
    ) -> PyResult<u64> {
        let leap = facts::Leap { through, by, tick };
        py.detach(|| self.store.rebase(leap, name, offset)).into_python()
    }

    #[pyo3(signature = (facts, *, tick, vectors = None, fingerprint = None))]
    fn known(
        &self,
        py: Python<'_>,
        facts: &Bound<'_, PyAny>,
        tick: u64,
        vectors: Option<&Bound<'_, PyAny>>,
        fingerprint: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Option<String>>> {
        let facts: Vec<Fact> = facts_from(facts)?.into_iter().map(|(fact, _)| fact).collect();
        let vectors = with_model(vectors, fingerprint)?;
        let found = py
            .detach(|| match &vectors {
                None => self.store.known(&facts, None, tick),
                Some((matrix, fingerprint)) => {
                    let rows = rows(matrix);
                    self.store.known(&facts, Some(FactVectors { rows: &rows, fingerprint }), tick)
                }
            })
            .into_python()?;
        Ok(found.into_iter().map(|id| id.map(|id| id.to_string())).collect())
    }

    #[pyo3(signature = (ids, *, as_of = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        ids: Vec<String>,
        as_of: Option<u64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids = crate::convert::ids(&ids)?;
        let found = py
            .detach(|| match as_of {
                None => self.store.get(&ids),
                Some(tick) => self.store.get_as_of(&ids, tick),
            })
            .into_python()?;
        let objects: Vec<_> = found
            .iter()
            .map(|fact| fact.as_ref().map(|fact| crate::convert::fact_into(py, fact)).transpose())
            .collect::<PyResult<_>>()?;
        PyList::new(py, objects)
    }

    #[pyo3(signature = (*, kind = None, category = None, subject = None, source = None, status = Some("active"),
        as_of = None, after = None, limit = 1024),
        text_signature = "($self, *, kind=None, category=None, subject=None, source=None, status='active', \
        as_of=None, after=None, limit=1024)")]
    #[expect(clippy::too_many_arguments, reason = "keyword-only filters")]
    fn list<'py>(
        &self,
        py: Python<'py>,
        kind: Option<&str>,
        category: Option<String>,
        subject: Option<String>,
        source: Option<&str>,
        status: Option<&str>,
        as_of: Option<u64>,
        after: Option<&str>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let filter = FactFilter {
            kind: kind.map(str::parse).transpose().into_python()?,
            category,
            subject,
            source: source.map(str::parse).transpose().into_python()?,
            status: status.map(str::parse).transpose().into_python()?,
            as_of,
            after: after.map(id).transpose()?,
        };
        facts_into(py, &py.detach(|| self.store.list(&filter, limit)).into_python()?)
    }

    #[pyo3(signature = (ids, *, tick, fraction = None, spacing_ticks = None, evidence = Vec::new()),
        text_signature = "($self, ids, *, tick, fraction=None, spacing_ticks=None, evidence=())")]
    fn reinforce(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        tick: u64,
        fraction: Option<f64>,
        spacing_ticks: Option<u64>,
        evidence: Vec<String>,
    ) -> PyResult<usize> {
        let (ids, evidence) = (crate::convert::ids(&ids)?, crate::convert::ids(&evidence)?);
        let retention = self.retention(None, fraction, spacing_ticks);
        py.detach(|| self.store.reinforce(&ids, &evidence, tick, retention)).into_python()
    }

    #[pyo3(signature = (ids, *, tick, fraction = None))]
    fn weaken(&self, py: Python<'_>, ids: Vec<String>, tick: u64, fraction: Option<f64>) -> PyResult<usize> {
        let ids = crate::convert::ids(&ids)?;
        let fraction = self.retention(None, fraction, None).reinforcement;
        py.detach(|| self.store.weaken(&ids, tick, fraction)).into_python()
    }

    #[pyo3(signature = (a, b, *, tick, expires_tick))]
    fn contradict(&self, py: Python<'_>, a: &str, b: &str, tick: u64, expires_tick: u64) -> PyResult<String> {
        let (a, b) = (id(a)?, id(b)?);
        let weaker = py.detach(|| self.store.contradict(a, b, tick, expires_tick)).into_python()?;
        Ok(weaker.to_string())
    }

    #[pyo3(signature = (old, new, *, tick, now))]
    fn supersede(
        &self,
        py: Python<'_>,
        old: &str,
        new: &Bound<'_, PyAny>,
        tick: u64,
        now: i64,
    ) -> PyResult<String> {
        let (old, (new, _)) = (id(old)?, fact_from(new)?);
        let new = py.detach(|| self.store.supersede(old, &new, tick, now)).into_python()?;
        Ok(new.to_string())
    }

    #[pyo3(signature = (src, dst, relation, weight = 1.0, *, tick))]
    fn link(
        &self,
        py: Python<'_>,
        src: &str,
        dst: &str,
        relation: &str,
        weight: f64,
        tick: u64,
    ) -> PyResult<()> {
        let link =
            Link { src: id(src)?, dst: id(dst)?, relation: relation.parse().into_python()?, weight, tick };
        py.detach(|| self.store.link(&link)).into_python()
    }

    fn links(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<Vec<LinkTuple>> {
        let ids = crate::convert::ids(&ids)?;
        let links = py.detach(|| self.store.links(&ids)).into_python()?;
        Ok(link_tuples(links))
    }

    #[pyo3(signature = (ids, *, tick))]
    fn touch(&self, py: Python<'_>, ids: Vec<String>, tick: u64) -> PyResult<()> {
        let ids = crate::convert::ids(&ids)?;
        py.detach(|| self.store.touch(&ids, tick)).into_python()
    }

    fn scopes(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<Vec<(Option<String>, Option<String>)>> {
        let ids = ids_from(&ids)?;
        let found = py.detach(|| self.store.scopes(&ids)).into_python()?;
        Ok(found.into_iter().map(|scope| (scope.thread, scope.mode)).collect())
    }

    fn set_modes(&self, py: Python<'_>, modes: Vec<(String, String)>) -> PyResult<()> {
        let scopes = modes
            .into_iter()
            .map(|(id, mode)| Ok((crate::convert::id(&id)?, Scope { thread: None, mode: Some(mode) })))
            .collect::<PyResult<Vec<_>>>()?;
        py.detach(|| self.store.set_scopes(&scopes)).into_python()
    }

    #[pyo3(signature = (ids, pinned = true, *, tick))]
    fn pin(&self, py: Python<'_>, ids: Vec<String>, pinned: bool, tick: u64) -> PyResult<()> {
        let ids = crate::convert::ids(&ids)?;
        py.detach(|| self.store.pin(&ids, pinned, tick)).into_python()
    }

    fn history<'py>(&self, py: Python<'py>, fact: &str) -> PyResult<Bound<'py, PyList>> {
        let fact = id(fact)?;
        facts_into(py, &py.detach(|| self.store.history(fact)).into_python()?)
    }

    fn states<'py>(&self, py: Python<'py>, fact: &str) -> PyResult<Vec<StateTuple<'py>>> {
        let fact = id(fact)?;
        let states = py.detach(|| self.store.states(fact)).into_python()?;
        states
            .iter()
            .map(|state| Ok((state.from_tick, state.to_tick, crate::convert::fact_into(py, &state.fact)?)))
            .collect()
    }

    fn forget_episodes<'py>(&self, py: Python<'py>, ids: Vec<String>) -> PyResult<Bound<'py, PyDict>> {
        let ids = crate::convert::ids(&ids)?;
        forgotten_into(py, py.detach(|| self.store.forget_episodes(&ids)).into_python()?)
    }

    fn forget_facts<'py>(&self, py: Python<'py>, ids: Vec<String>) -> PyResult<Bound<'py, PyDict>> {
        let ids = crate::convert::ids(&ids)?;
        forgotten_into(py, py.detach(|| self.store.forget_facts(&ids)).into_python()?)
    }

    fn forget_links(&self, py: Python<'_>, links: Vec<(String, String, String)>) -> PyResult<usize> {
        let links = links
            .iter()
            .map(|(src, dst, relation)| {
                let relation = relation.parse().into_python()?;
                Ok((crate::convert::id(src)?, crate::convert::id(dst)?, relation))
            })
            .collect::<PyResult<Vec<_>>>()?;
        py.detach(|| self.store.forget_links(&links)).into_python()
    }

    #[pyo3(signature = (query, limit = 10))]
    fn search_text(&self, py: Python<'_>, query: &str, limit: usize) -> PyResult<Vec<(String, f64)>> {
        py.detach(|| self.store.search_text(query, limit)).map(named).into_python()
    }

    #[pyo3(signature = (vector, limit = 10))]
    fn nearest(
        &self,
        py: Python<'_>,
        vector: &Bound<'_, PyAny>,
        limit: usize,
    ) -> PyResult<Vec<(String, f64)>> {
        let vector: PyReadonlyArray1<'_, f32> =
            vector.extract().map_err(|_| shape_error("a one-dimensional float32 array"))?;
        let vector = vector.as_slice().map_err(|_| shape_error("C-contiguous"))?;
        py.detach(|| self.store.nearest(vector, limit)).map(named).into_python()
    }

    fn put_vectors(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        vectors: &Bound<'_, PyAny>,
        fingerprint: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (ids, matrix) = (crate::convert::ids(&ids)?, matrix(vectors)?);
        let fingerprint: Fingerprint = fingerprint_from(fingerprint)?;
        py.detach(|| {
            let rows = rows(&matrix);
            self.store.put_vectors(&ids, FactVectors { rows: &rows, fingerprint: &fingerprint })
        })
        .into_python()
    }

    fn vectors<'py>(
        &self,
        py: Python<'py>,
        ids: Vec<String>,
    ) -> PyResult<Vec<Option<Bound<'py, PyArray1<f32>>>>> {
        let ids = crate::convert::ids(&ids)?;
        let found = py.detach(|| self.store.vectors(&ids)).into_python()?;
        Ok(found.into_iter().map(|vector| vector.map(|vector| PyArray1::from_vec(py, vector))).collect())
    }

    fn stage_vectors(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        vectors: &Bound<'_, PyAny>,
        fingerprint: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (ids, matrix) = (crate::convert::ids(&ids)?, matrix(vectors)?);
        let fingerprint: Fingerprint = fingerprint_from(fingerprint)?;
        py.detach(|| {
            let rows = rows(&matrix);
            self.store.stage_vectors(&ids, FactVectors { rows: &rows, fingerprint: &fingerprint })
        })
        .into_python()
    }

    #[pyo3(signature = (limit = 256))]
    fn without_staged<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyList>> {
        facts_into(py, &py.detach(|| self.store.without_staged(limit)).into_python()?)
    }

    fn switch_vectors(&self, py: Python<'_>, fingerprint: &Bound<'_, PyAny>) -> PyResult<u64> {
        let fingerprint: Fingerprint = fingerprint_from(fingerprint)?;
        py.detach(|| self.store.switch_vectors(&fingerprint)).into_python()
    }

    fn drop_staged(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.store.drop_staged()).into_python()
    }

    #[pyo3(signature = (limit = 256))]
    fn without_vectors<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyList>> {
        facts_into(py, &py.detach(|| self.store.without_vectors(limit)).into_python()?)
    }

    #[pyo3(signature = (change, limit = 1024))]
    fn changed_since<'py>(
        &self,
        py: Python<'py>,
        change: u64,
        limit: usize,
    ) -> PyResult<Vec<(u64, Bound<'py, PyAny>)>> {
        let found = py.detach(|| self.store.changed_since(change, limit)).into_python()?;
        found
            .iter()
            .map(|changed| Ok((changed.change, crate::convert::fact_into(py, &changed.fact)?)))
            .collect()
    }

    #[pyo3(signature = (ids, *, tick))]
    fn confidence_now(&self, py: Python<'_>, ids: Vec<String>, tick: u64) -> PyResult<Vec<Option<f64>>> {
        let ids = crate::convert::ids(&ids)?;
        py.detach(|| self.store.confidence_now(&ids, tick)).into_python()
    }

    fn calibration(&self, py: Python<'_>) -> PyResult<Calibration> {
        py.detach(|| consolidate::calibration(&self.store)).map(Calibration::from).into_python()
    }

    #[pyo3(signature = (ids, *, tick))]
    fn stated(&self, py: Python<'_>, ids: Vec<String>, tick: u64) -> PyResult<Vec<Option<f64>>> {
        let ids = ids_from(&ids)?;
        py.detach(|| consolidate::stated(&self.store, &ids, tick)).into_python()
    }

    fn trial(&self, py: Python<'_>, fact: &str) -> PyResult<Option<(u64, f64, f64)>> {
        let fact = id(fact)?;
        let found = py.detach(|| consolidate::trial(&self.store, fact)).into_python()?;
        Ok(found.map(|trial| (trial.windows, trial.log_fortune, trial.log_needed)))
    }

    #[pyo3(signature = (limit = 20))]
    fn acts(&self, py: Python<'_>, limit: usize) -> PyResult<Vec<ActTuple>> {
        let acts = py.detach(|| self.store.acts(limit)).into_python()?;
        Ok(acts.into_iter().map(act_into).collect())
    }

    #[getter]
    fn last_act(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.store.last_act()).into_python()
    }

    #[pyo3(signature = (limit = 256))]
    fn held<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyList>> {
        facts_into(py, &py.detach(|| self.store.held(limit)).into_python()?)
    }

    fn count_held(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.store.count_held()).into_python()
    }

    #[pyo3(signature = (ids, *, tick))]
    fn release(&self, py: Python<'_>, ids: Vec<String>, tick: u64) -> PyResult<usize> {
        let ids = ids_from(&ids)?;
        py.detach(|| self.store.release(&ids, tick)).into_python()
    }

    #[pyo3(signature = (ids, *, tick, now))]
    fn withdraw(&self, py: Python<'_>, ids: Vec<String>, tick: u64, now: i64) -> PyResult<Option<u64>> {
        let ids = ids_from(&ids)?;
        py.detach(|| self.store.withdraw(&ids, tick, now)).into_python()
    }

    #[pyo3(signature = (act, *, tick, now))]
    fn undo(&self, py: Python<'_>, act: u64, tick: u64, now: i64) -> PyResult<UndoneTuple> {
        py.detach(|| self.store.undo(act, tick, now)).map(undone_into).into_python()
    }

    #[pyo3(signature = (question, *, tick))]
    fn ask_in_vain(&self, py: Python<'_>, question: &str, tick: u64) -> PyResult<u32> {
        py.detach(|| self.store.ask_in_vain(question, tick)).into_python()
    }

    #[pyo3(signature = (limit = 10))]
    fn asked_in_vain(&self, py: Python<'_>, limit: usize) -> PyResult<Vec<(String, bool)>> {
        py.detach(|| self.store.asked_in_vain(limit)).into_python()
    }

    fn answer(&self, py: Python<'_>, questions: Vec<String>) -> PyResult<usize> {
        py.detach(|| self.store.answer(&questions)).into_python()
    }

    fn forget_questions(&self, py: Python<'_>, texts: Vec<String>) -> PyResult<usize> {
        py.detach(|| self.store.forget_questions(&texts)).into_python()
    }

    fn derived_from<'py>(&self, py: Python<'py>, episodes: Vec<String>) -> PyResult<Bound<'py, PyList>> {
        let episodes = ids_from(&episodes)?;
        facts_into(py, &py.detach(|| self.store.derived_from(&episodes)).into_python()?)
    }

    fn bury(&self, py: Python<'_>, facts: Vec<String>) -> PyResult<()> {
        let facts = ids_from(&facts)?;
        py.detach(|| self.store.bury(&facts)).into_python()
    }

    #[pyo3(signature = (log, names, *, minimum = None))]
    fn recount(
        &self,
        py: Python<'_>,
        log: &Bound<'_, EpisodeLog>,
        names: Vec<(String, String)>,
        minimum: Option<u64>,
    ) -> PyResult<(usize, Vec<String>)> {
        let log = log.get();
        let minimum = minimum.unwrap_or(MINIMUM_EPISODES);
        let done =
            py.detach(|| consolidate::recount(&self.store, &log.core, &names, minimum)).into_python()?;
        Ok((done.baselines, texts(done.deleted)))
    }

    fn forget_claims(
        &self,
        py: Python<'_>,
        names: BTreeSet<String>,
        episodes: Vec<String>,
    ) -> PyResult<Vec<String>> {
        let episodes = ids_from(&episodes)?;
        py.detach(|| consolidate::forget_claims(&self.store, &names, &episodes)).map(texts).into_python()
    }

    fn traces(&self, py: Python<'_>, needles: Vec<Vec<u8>>) -> PyResult<(Vec<usize>, u64)> {
        py.detach(|| self.store.traces(&needles)).into_python()
    }

    fn vacuum(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| self.store.vacuum()).into_python()
    }

    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = py.detach(|| self.store.stats()).into_python()?;
        let dict = PyDict::new(py);
        stats.into_iter().try_for_each(|(name, number)| dict.set_item(name, number))?;
        Ok(dict)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.store.close()).into_python()
    }
}

impl FactStore {
    fn retention(&self, tau: Option<f64>, fraction: Option<f64>, spacing: Option<u64>) -> Retention {
        self.store.retention().with(tau, fraction, spacing, None)
    }
}

fn named(found: Vec<(Id, f64)>) -> Vec<(String, f64)> {
    found.into_iter().map(|(id, score)| (id.to_string(), score)).collect()
}
