//! Semantic memory: the facts of one agent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use bardo_core::consolidate::{self, MINIMUM_EPISODES};
use bardo_core::facts::{
    self, ClockLeap, CounterUpdate, FactFilter, FactOptions, FactVectors, Link, Relation, Retention, Scope,
};
use bardo_core::model::{FactKind, FactStatus, Id, Source};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arguments::{Facts, Ids, Matrix, Model, ModelVectors, Parsed, Vector};
use crate::capture::EpisodeLog;
use crate::convert::{IntoObject, Object, fact_from, run};
use crate::errors::IntoPython;
use crate::facts_convert::Stored;

/// Which facts no store would take, and why.
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

/// Compares every row of a file of facts with its checksum.
#[pyfunction]
#[pyo3(signature = (path, *, repair))]
pub fn check_facts(py: Python<'_>, path: PathBuf, repair: bool) -> Object<'_> {
    run(py, || {
        let found = facts::check_facts(&path, repair)?.into_iter();
        Ok(found.map(|each| (each.table, each.row, each.what, each.repair)).collect::<Vec<_>>())
    })
}

/// Confidence at which a fact of a source arrives at most; none where there is no limit.
#[pyfunction]
pub fn arrival_confidence(py: Python<'_>, source: Parsed<Source>) -> Object<'_> {
    facts::arrival_confidence(source.0).into_object(py)
}

/// The facts of one agent in `facts.db`.
#[pyclass(frozen, module = "bardo._core")]
pub struct FactStore {
    /// The store of the core.
    pub core: Arc<facts::FactStore>,
}

#[pymethods]
impl FactStore {
    #[new]
    #[pyo3(signature = (path, *, agent, seed, now = 0, create = true, tau_ticks = None, reinforcement = None,
        spacing_ticks = None, expiry_ticks = None))]
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
        let core = py.detach(|| facts::FactStore::open(&path, &options)).into_python()?;
        Ok(Self { core: Arc::new(core) })
    }

    #[getter]
    fn agent(&self) -> &str {
        self.core.agent()
    }

    #[getter]
    fn schema_version(&self) -> u32 {
        self.core.schema_version()
    }

    #[getter]
    fn tau_ticks(&self) -> f64 {
        self.core.retention().tau_ticks
    }

    #[getter]
    fn expiry_ticks(&self) -> u64 {
        self.core.retention().expiry_ticks
    }

    #[getter]
    fn fingerprint<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.fingerprint())
    }

    #[getter]
    fn last_change<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.last_change())
    }

    #[getter]
    fn last_learned<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.last_learned())
    }

    #[getter]
    fn latest_tick<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.latest_tick())
    }

    #[pyo3(signature = (*, tau_ticks = None, reinforcement = None, spacing_ticks = None, expiry_ticks = None))]
    fn set_retention(
        &self,
        tau_ticks: Option<f64>,
        reinforcement: Option<f64>,
        spacing_ticks: Option<u64>,
        expiry_ticks: Option<u64>,
    ) -> PyResult<()> {
        let retention = self.core.retention().with(tau_ticks, reinforcement, spacing_ticks, expiry_ticks);
        self.core.set_retention(retention).into_python()
    }

    #[pyo3(signature = (facts, *, tick, now, vectors = None, fingerprint = None, actor = None,
        marks = None, answered = None))]
    fn upsert<'py>(
        &self,
        py: Python<'py>,
        facts: Facts,
        tick: u64,
        now: i64,
        vectors: Option<Matrix<'_>>,
        fingerprint: Option<Model>,
        actor: Option<&str>,
        marks: Option<BTreeMap<String, i64>>,
        answered: Option<BTreeMap<String, i64>>,
    ) -> Object<'py> {
        let vectors = ModelVectors::new(vectors.as_ref(), fingerprint.as_ref())?;
        let vectors = vectors.as_ref().map(ModelVectors::lend);
        let marks = marks.into_iter().flatten().map(|(name, value)| CounterUpdate::Mark(name, value));
        let answered = answered.into_iter().flatten().map(|(name, more)| CounterUpdate::Answered(name, more));
        let notes: Vec<CounterUpdate> = marks.chain(answered).collect();
        run(py, || {
            let outcomes = match actor {
                None => self.core.upsert(&facts.0, vectors, tick, now),
                Some(actor) => self.core.upsert_with_counters(&facts.0, vectors, (tick, now), actor, &notes),
            };
            Ok(outcomes?.into_iter().map(|(id, outcome)| Stored { id, outcome }).collect::<Vec<_>>())
        })
    }

    fn mark<'py>(&self, py: Python<'py>, name: &str) -> Object<'py> {
        run(py, || self.core.mark(name))
    }

    fn begin<'py>(&self, py: Python<'py>, tick: u64) -> Object<'py> {
        run(py, || self.core.begin(tick))
    }

    #[pyo3(signature = (*, through, by, tick, name, offset))]
    fn rebase<'py>(
        &self,
        py: Python<'py>,
        through: u64,
        by: u64,
        tick: u64,
        name: &str,
        offset: i64,
    ) -> Object<'py> {
        run(py, || self.core.rebase(ClockLeap { through, by, tick }, name, offset))
    }

    #[pyo3(signature = (facts, *, tick, vectors = None, fingerprint = None))]
    fn known<'py>(
        &self,
        py: Python<'py>,
        facts: Facts,
        tick: u64,
        vectors: Option<Matrix<'_>>,
        fingerprint: Option<Model>,
    ) -> Object<'py> {
        let vectors = ModelVectors::new(vectors.as_ref(), fingerprint.as_ref())?;
        let vectors = vectors.as_ref().map(ModelVectors::lend);
        run(py, || self.core.known(&facts.0, vectors, tick))
    }

    #[pyo3(signature = (ids, *, as_of = None))]
    fn get<'py>(&self, py: Python<'py>, ids: Ids, as_of: Option<u64>) -> Object<'py> {
        run(py, || match as_of {
            None => self.core.get(&ids.0),
            Some(tick) => self.core.get_as_of(&ids.0, tick),
        })
    }

    #[pyo3(signature = (*, kind = None, category = None, subject = None, source = None,
        status = Some(Parsed(FactStatus::Active)), as_of = None, after = None, limit = 1024),
        text_signature = "($self, *, kind=None, category=None, subject=None, source=None, status='active', \
        as_of=None, after=None, limit=1024)")]
    fn list<'py>(
        &self,
        py: Python<'py>,
        kind: Option<Parsed<FactKind>>,
        category: Option<String>,
        subject: Option<String>,
        source: Option<Parsed<Source>>,
        status: Option<Parsed<FactStatus>>,
        as_of: Option<u64>,
        after: Option<Parsed<Id>>,
        limit: usize,
    ) -> Object<'py> {
        let (kind, source) = (kind.map(|kind| kind.0), source.map(|source| source.0));
        let (status, after) = (status.map(|status| status.0), after.map(|after| after.0));
        let filter = FactFilter { kind, category, subject, source, status, as_of, after };
        run(py, || self.core.list(&filter, limit))
    }

    #[pyo3(signature = (ids, *, tick, fraction = None, spacing_ticks = None, evidence = Ids(Vec::new())),
        text_signature = "($self, ids, *, tick, fraction=None, spacing_ticks=None, evidence=())")]
    fn reinforce<'py>(
        &self,
        py: Python<'py>,
        ids: Ids,
        tick: u64,
        fraction: Option<f64>,
        spacing_ticks: Option<u64>,
        evidence: Ids,
    ) -> Object<'py> {
        let retention = self.core.retention().with(None, fraction, spacing_ticks, None);
        run(py, || self.core.reinforce(&ids.0, &evidence.0, tick, retention))
    }

    #[pyo3(signature = (ids, *, tick, fraction = None))]
    fn weaken<'py>(&self, py: Python<'py>, ids: Ids, tick: u64, fraction: Option<f64>) -> Object<'py> {
        let retention = self.core.retention().with(None, fraction, None, None);
        run(py, || self.core.weaken(&ids.0, tick, retention.reinforcement))
    }

    #[pyo3(signature = (a, b, *, tick, expires_tick))]
    fn contradict<'py>(
        &self,
        py: Python<'py>,
        a: Parsed<Id>,
        b: Parsed<Id>,
        tick: u64,
        expires_tick: u64,
    ) -> Object<'py> {
        run(py, || self.core.contradict(a.0, b.0, tick, expires_tick))
    }

    #[pyo3(signature = (old, new, *, tick, now))]
    fn supersede<'py>(&self, old: Parsed<Id>, new: &Bound<'py, PyAny>, tick: u64, now: i64) -> Object<'py> {
        let (fact, _) = fact_from(new)?;
        run(new.py(), || self.core.supersede(old.0, &fact, tick, now))
    }

    #[pyo3(signature = (src, dst, relation, weight = 1.0, *, tick))]
    fn link<'py>(
        &self,
        py: Python<'py>,
        src: Parsed<Id>,
        dst: Parsed<Id>,
        relation: Parsed<Relation>,
        weight: f64,
        tick: u64,
    ) -> Object<'py> {
        let link = Link { src: src.0, dst: dst.0, relation: relation.0, weight, tick };
        run(py, || self.core.link(&link))
    }

    fn links<'py>(&self, py: Python<'py>, ids: Ids) -> Object<'py> {
        run(py, || self.core.links(&ids.0))
    }

    #[pyo3(signature = (ids, *, tick))]
    fn touch<'py>(&self, py: Python<'py>, ids: Ids, tick: u64) -> Object<'py> {
        run(py, || self.core.touch(&ids.0, tick))
    }

    fn scopes<'py>(&self, py: Python<'py>, ids: Ids) -> Object<'py> {
        run(py, || {
            let scopes = self.core.scopes(&ids.0)?.into_iter();
            Ok(scopes.map(|scope| (scope.thread, scope.mode)).collect::<Vec<_>>())
        })
    }

    fn set_modes<'py>(&self, py: Python<'py>, modes: Vec<(Parsed<Id>, String)>) -> Object<'py> {
        let scope = |mode| Scope { thread: None, mode: Some(mode) };
        let scopes: Vec<_> = modes.into_iter().map(|(id, mode)| (id.0, scope(mode))).collect();
        run(py, || self.core.set_scopes(&scopes))
    }

    #[pyo3(signature = (ids, pinned = true, *, tick))]
    fn pin<'py>(&self, py: Python<'py>, ids: Ids, pinned: bool, tick: u64) -> Object<'py> {
        run(py, || self.core.pin(&ids.0, pinned, tick))
    }

    fn history<'py>(&self, py: Python<'py>, fact: Parsed<Id>) -> Object<'py> {
        run(py, || self.core.history(fact.0))
    }

    fn states<'py>(&self, py: Python<'py>, fact: Parsed<Id>) -> Object<'py> {
        run(py, || {
            let states = self.core.states(fact.0)?.into_iter();
            Ok(states.map(|state| (state.from_tick, state.to_tick, state.fact)).collect::<Vec<_>>())
        })
    }

    fn forget_episodes<'py>(&self, py: Python<'py>, ids: Ids) -> Object<'py> {
        run(py, || self.core.forget_episodes(&ids.0))
    }

    fn forget_facts<'py>(&self, py: Python<'py>, ids: Ids) -> Object<'py> {
        run(py, || self.core.forget_facts(&ids.0))
    }

    fn forget_links<'py>(
        &self,
        py: Python<'py>,
        links: Vec<(Parsed<Id>, Parsed<Id>, Parsed<Relation>)>,
    ) -> Object<'py> {
        let links: Vec<_> = links.into_iter().map(|(src, dst, how)| (src.0, dst.0, how.0)).collect();
        run(py, || self.core.forget_links(&links))
    }

    #[pyo3(signature = (query, limit = 10))]
    fn search_text<'py>(&self, py: Python<'py>, query: &str, limit: usize) -> Object<'py> {
        run(py, || self.core.search_text(query, limit))
    }

    #[pyo3(signature = (vector, limit = 10))]
    fn nearest<'py>(&self, py: Python<'py>, vector: Vector<'_>, limit: usize) -> Object<'py> {
        let vector = vector.numbers();
        run(py, || self.core.nearest(vector, limit))
    }

    fn put_vectors<'py>(
        &self,
        py: Python<'py>,
        ids: Ids,
        vectors: Matrix<'_>,
        fingerprint: Model,
    ) -> Object<'py> {
        let rows = vectors.rows();
        run(py, || self.core.put_vectors(&ids.0, FactVectors { rows: &rows, fingerprint: &fingerprint.0 }))
    }

    fn vectors<'py>(&self, py: Python<'py>, ids: Ids) -> PyResult<Vec<Option<Bound<'py, PyArray1<f32>>>>> {
        let found = py.detach(|| self.core.vectors(&ids.0)).into_python()?;
        Ok(found.into_iter().map(|vector| vector.map(|vector| PyArray1::from_vec(py, vector))).collect())
    }

    fn stage_vectors<'py>(
        &self,
        py: Python<'py>,
        ids: Ids,
        vectors: Matrix<'_>,
        fingerprint: Model,
    ) -> Object<'py> {
        let rows = vectors.rows();
        run(py, || self.core.stage_vectors(&ids.0, FactVectors { rows: &rows, fingerprint: &fingerprint.0 }))
    }

    #[pyo3(signature = (limit = 256))]
    fn without_staged<'py>(&self, py: Python<'py>, limit: usize) -> Object<'py> {
        run(py, || self.core.without_staged(limit))
    }

    fn switch_vectors<'py>(&self, py: Python<'py>, fingerprint: Model) -> Object<'py> {
        run(py, || self.core.switch_vectors(&fingerprint.0))
    }

    fn drop_staged<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.drop_staged())
    }

    #[pyo3(signature = (limit = 256))]
    fn without_vectors<'py>(&self, py: Python<'py>, limit: usize) -> Object<'py> {
        run(py, || self.core.without_vectors(limit))
    }

    #[pyo3(signature = (change, limit = 1024))]
    fn changed_since<'py>(&self, py: Python<'py>, change: u64, limit: usize) -> Object<'py> {
        run(py, || {
            let changed = self.core.changed_since(change, limit)?.into_iter();
            Ok(changed.map(|changed| (changed.change, changed.fact)).collect::<Vec<_>>())
        })
    }

    #[pyo3(signature = (ids, *, tick))]
    fn confidence_now<'py>(&self, py: Python<'py>, ids: Ids, tick: u64) -> Object<'py> {
        run(py, || self.core.confidence_now(&ids.0, tick))
    }

    fn calibration<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || consolidate::calibration(&self.core))
    }

    #[pyo3(signature = (ids, *, tick))]
    fn stated<'py>(&self, py: Python<'py>, ids: Ids, tick: u64) -> Object<'py> {
        run(py, || consolidate::stated(&self.core, &ids.0, tick))
    }

    #[pyo3(signature = (limit = 20))]
    fn acts<'py>(&self, py: Python<'py>, limit: usize) -> Object<'py> {
        run(py, || self.core.acts(limit))
    }

    #[pyo3(signature = (limit = 256))]
    fn held<'py>(&self, py: Python<'py>, limit: usize) -> Object<'py> {
        run(py, || self.core.held(limit))
    }

    fn count_held<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.count_held())
    }

    #[pyo3(signature = (ids, *, tick))]
    fn release<'py>(&self, py: Python<'py>, ids: Ids, tick: u64) -> Object<'py> {
        run(py, || self.core.release(&ids.0, tick))
    }

    #[pyo3(signature = (ids, *, tick, now))]
    fn withdraw<'py>(&self, py: Python<'py>, ids: Ids, tick: u64, now: i64) -> Object<'py> {
        run(py, || self.core.withdraw(&ids.0, tick, now))
    }

    #[pyo3(signature = (act, *, tick, now))]
    fn undo<'py>(&self, py: Python<'py>, act: u64, tick: u64, now: i64) -> Object<'py> {
        run(py, || self.core.undo(act, tick, now))
    }

    #[pyo3(signature = (question, *, tick))]
    fn ask_in_vain<'py>(&self, py: Python<'py>, question: &str, tick: u64) -> Object<'py> {
        run(py, || self.core.ask_in_vain(question, tick))
    }

    #[pyo3(signature = (limit = 10))]
    fn asked_in_vain<'py>(&self, py: Python<'py>, limit: usize) -> Object<'py> {
        run(py, || self.core.asked_in_vain(limit))
    }

    fn answer<'py>(&self, py: Python<'py>, questions: Vec<String>) -> Object<'py> {
        run(py, || self.core.answer(&questions))
    }

    fn forget_questions<'py>(&self, py: Python<'py>, texts: Vec<String>) -> Object<'py> {
        run(py, || self.core.forget_questions(&texts))
    }

    fn derived_from<'py>(&self, py: Python<'py>, episodes: Ids) -> Object<'py> {
        run(py, || self.core.derived_from(&episodes.0))
    }

    fn bury<'py>(&self, py: Python<'py>, facts: Ids) -> Object<'py> {
        run(py, || self.core.bury(&facts.0))
    }

    #[pyo3(signature = (log, names, *, minimum = None))]
    fn recount<'py>(
        &self,
        py: Python<'py>,
        log: &EpisodeLog,
        names: Vec<(String, String)>,
        minimum: Option<u64>,
    ) -> Object<'py> {
        let minimum = minimum.unwrap_or(MINIMUM_EPISODES);
        run(py, || {
            let done = consolidate::recount(&self.core, &*log.core, &names, minimum)?;
            Ok((done.baselines, done.deleted))
        })
    }

    fn forget_claims<'py>(&self, py: Python<'py>, names: BTreeSet<String>, episodes: Ids) -> Object<'py> {
        run(py, || consolidate::forget_claims(&self.core, &names, &episodes.0))
    }

    fn traces<'py>(&self, py: Python<'py>, needles: Vec<Vec<u8>>) -> Object<'py> {
        run(py, || self.core.traces(&needles))
    }

    fn vacuum<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.vacuum())
    }

    fn stats<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || Ok(self.core.stats()?.into_iter().collect::<BTreeMap<_, _>>()))
    }

    fn close<'py>(&self, py: Python<'py>) -> Object<'py> {
        run(py, || self.core.close())
    }
}
