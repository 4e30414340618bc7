//! Semantic memory: the facts of one agent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use bardo_core::consolidate::{self, MINIMUM_EPISODES};
use bardo_core::facts::{
    self, Actor, ClockLeap, CounterUpdate, Effects, FactFilter, FactOptions, FactVectors, Link, NewerFact,
    Relation, Resolution, Retention, Scope, Verdict,
};
use bardo_core::model::{Fact, FactKind, FactStatus, Id, Persistence, Source, Statement};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arguments::{Facts, Ids, Matrix, Model, ModelVectors, NewFact, Parsed, Vector, inner};
use crate::capture::EpisodeLog;
use crate::convert::{Object, run};
use crate::errors::IntoPython;
use crate::facts_convert::Stored;
use crate::forward::{functions, methods};
use crate::records::Record;

/// Which facts no store would take, and why.
#[pyfunction]
pub fn unfit_facts(facts: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, String)>> {
    let mut unfit = Vec::new();
    for (place, fact) in facts.try_iter()?.enumerate() {
        if let Err(error) = Fact::from_attributes(&fact?).and_then(|fact| fact.validate().into_python()) {
            unfit.push((place, error.value(facts.py()).to_string()));
        }
    }
    Ok(unfit)
}

functions! {
    /// Compares every row of a file of facts with its checksum.
    fn check_facts(path: PathBuf; repair: bool) => facts::check_facts(&path, repair);

    /// Confidence at which a fact of a source arrives at most; none where there is no limit.
    fn arrival_confidence(source: Parsed<Source>) => Ok(facts::arrival_confidence(source.0));
}

/// Place of the newer fact, its id if it is stored, the older fact, whether that ends, from when, and the rule.
type GivenResolution = (usize, Option<Parsed<Id>>, Parsed<Id>, bool, Option<i64>, String);

/// The facts of one agent in `facts.db`.
#[pyclass(frozen, module = "bardo._core")]
pub struct FactStore {
    /// The store of the core.
    pub core: Arc<facts::FactStore>,
}

#[pymethods]
impl FactStore {
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
        let (kind, source, status, after) = (inner(kind), inner(source), inner(status), inner(after));
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

    fn vectors<'py>(&self, py: Python<'py>, ids: Ids) -> PyResult<Vec<Option<Bound<'py, PyArray1<f32>>>>> {
        let found = py.detach(|| self.core.vectors(&ids.0)).into_python()?;
        Ok(found.into_iter().map(|vector| vector.map(|vector| PyArray1::from_vec(py, vector))).collect())
    }
}

methods!(FactStore, |store| {
    new(path: PathBuf; agent: String, seed: u64, now: i64 = 0, create: bool = true, tau_ticks: Option<f64> = None,
        reinforcement: Option<f64> = None, spacing_ticks: Option<u64> = None, expiry_ticks: Option<u64> = None)
        let retention = Retention::default().with(tau_ticks, reinforcement, spacing_ticks, expiry_ticks)
        => facts::FactStore::open(&path, &FactOptions { agent, seed, now, create, retention }).map(Arc::new);
    get agent => Ok(store.agent().to_owned());
    get schema_version => Ok(store.schema_version());
    get tau_ticks => Ok(store.retention().tau_ticks);
    get expiry_ticks => Ok(store.retention().expiry_ticks);
    get fingerprint => store.fingerprint();
    get last_change => store.last_change();
    get last_learned => store.last_learned();
    get latest_tick => store.latest_tick();
    fn set_retention(; tau_ticks: Option<f64> = None, reinforcement: Option<f64> = None,
        spacing_ticks: Option<u64> = None, expiry_ticks: Option<u64> = None)
        => store.set_retention(store.retention().with(tau_ticks, reinforcement, spacing_ticks, expiry_ticks));
    fn upsert(facts: Facts; tick: u64, now: i64, vectors: Option<Matrix<'_>> = None, fingerprint: Option<Model> = None,
        actor: Option<&str> = None, marks: Option<BTreeMap<String, i64>> = None,
        answered: Option<BTreeMap<String, i64>> = None)
        let vectors = ModelVectors::new(vectors.as_ref(), fingerprint.as_ref())?,
        let vectors = vectors.as_ref().map(ModelVectors::lend)
        => {
            let marks = marks.into_iter().flatten().map(|(name, value)| CounterUpdate::Mark(name, value));
            let answered = answered.into_iter().flatten().map(|(name, more)| CounterUpdate::Answered(name, more));
            let notes: Vec<CounterUpdate> = marks.chain(answered).collect();
            let outcomes = match actor {
                None => store.upsert(&facts.0, vectors, tick, now),
                Some(actor) => store.upsert_with_counters(&facts.0, vectors, (tick, now), actor, &notes),
            };
            Ok(outcomes?.into_iter().map(|(id, outcome)| Stored { id, outcome }).collect::<Vec<_>>())
        };
    fn upsert_resolved(facts: Facts; tick: u64, now: i64, actor: &str, vectors: Option<Matrix<'_>> = None,
        fingerprint: Option<Model> = None, marks: BTreeMap<String, i64>, answered: BTreeMap<String, i64>,
        resolutions: Vec<GivenResolution>,
        corrections: Vec<(Parsed<Id>, Parsed<Id>, f64)>)
        let vectors = ModelVectors::new(vectors.as_ref(), fingerprint.as_ref())?,
        let vectors = vectors.as_ref().map(ModelVectors::lend)
        => {
            let marks = marks.into_iter().map(|(name, value)| CounterUpdate::Mark(name, value));
            let answered = answered.into_iter().map(|(name, more)| CounterUpdate::Answered(name, more));
            let notes: Vec<CounterUpdate> = marks.chain(answered).collect();
            let resolution = |(place, stored, older, ends, from, rule): GivenResolution| {
                let newer = inner(stored).map_or(NewerFact::InBatch(place), NewerFact::Stored);
                let verdict = if ends { Verdict::Ends { from } } else { Verdict::Disputes };
                Resolution { newer, older: older.0, verdict, rule }
            };
            let resolutions: Vec<Resolution> = resolutions.into_iter().map(resolution).collect();
            let corrections: Vec<(Id, Id, f64)> = corrections.into_iter().map(|(newer, older, weight)| (newer.0, older.0, weight)).collect();
            let (outcomes, changes) =
                store.upsert_resolved(&facts.0, vectors, (tick, now), actor, &notes, Effects { resolutions: &resolutions, corrections: &corrections })?;
            let stored: Vec<Stored> = outcomes.into_iter().map(|(id, outcome)| Stored { id, outcome }).collect();
            Ok((stored, changes))
        };
    fn describe(fact: Parsed<Id>; tick: u64, now: i64, actor: &str, statement: Option<Bound<'_, PyAny>> = None,
        persistence: Option<Parsed<Persistence>> = None)
        let statement = statement.map(|given| Statement::from_attributes(&given)).transpose()?
        => store.describe(fact.0, statement.as_ref(), inner(persistence), Actor { name: actor, tick, now });
    fn of_subject(subject: &str; tick: u64) => store.of_subject(subject, tick);
    fn statement_ends() => store.statement_ends();
    fn mark(name: &str) => store.mark(name);
    fn begin(tick: u64) => store.begin(tick);
    fn rebase(; through: u64, by: u64, tick: u64, name: &str, offset: i64)
        => store.rebase(ClockLeap { through, by, tick }, name, offset);
    fn known(facts: Facts; tick: u64, vectors: Option<Matrix<'_>> = None, fingerprint: Option<Model> = None)
        let vectors = ModelVectors::new(vectors.as_ref(), fingerprint.as_ref())?,
        let vectors = vectors.as_ref().map(ModelVectors::lend)
        => store.known(&facts.0, vectors, tick);
    fn get(ids: Ids; as_of: Option<u64> = None)
        => as_of.map_or_else(|| store.get(&ids.0), |tick| store.get_as_of(&ids.0, tick));
    fn weaken(ids: Ids; tick: u64, fraction: Option<f64> = None)
        => store.weaken(&ids.0, tick, store.retention().with(None, fraction, None, None).reinforcement);
    fn contradict(a: Parsed<Id>, b: Parsed<Id>; tick: u64, expires_tick: u64)
        => store.contradict(a.0, b.0, tick, expires_tick);
    fn supersede(old: Parsed<Id>, new: NewFact; tick: u64, now: i64) => store.supersede(old.0, &new.0, tick, now);
    fn link(src: Parsed<Id>, dst: Parsed<Id>, relation: Parsed<Relation>, weight: f64 = 1.0; tick: u64)
        => store.link(&Link { src: src.0, dst: dst.0, relation: relation.0, weight, tick });
    fn links(ids: Ids) => store.links(&ids.0);
    fn touch(ids: Ids; tick: u64) => store.touch(&ids.0, tick);
    fn tallies(ids: Ids) => store.tallies(&ids.0);
    fn scopes(ids: Ids) => store.scopes(&ids.0);
    fn has_modes() => store.has_modes();
    fn set_modes(modes: Vec<(Parsed<Id>, String)>) => {
        let scope = |mode| Scope { thread: None, mode: Some(mode) };
        store.set_scopes(&modes.into_iter().map(|(id, mode)| (id.0, scope(mode))).collect::<Vec<_>>())
    };
    fn pin(ids: Ids, pinned: bool = true; tick: u64) => store.pin(&ids.0, pinned, tick);
    fn set_persistence(ids: Ids, persistence: Option<Parsed<Persistence>> = None; tick: u64)
        => store.set_persistence(&ids.0, inner(persistence), tick);
    fn history(fact: Parsed<Id>) => store.history(fact.0);
    fn states(fact: Parsed<Id>) => store.states(fact.0);
    fn forget_episodes(ids: Ids) => store.forget_episodes(&ids.0);
    fn forget_facts(ids: Ids) => store.forget_facts(&ids.0);
    fn forget_links(links: Vec<(Parsed<Id>, Parsed<Id>, Parsed<Relation>)>)
        => store.forget_links(&links.into_iter().map(|(src, dst, how)| (src.0, dst.0, how.0)).collect::<Vec<_>>());
    fn search_text(query: &str, limit: usize = 10) => store.search_text(query, limit);
    fn nearest(vector: Vector<'_>, limit: usize = 10) let vector = vector.numbers() => store.nearest(vector, limit);
    fn put_vectors(ids: Ids, vectors: Matrix<'_>, fingerprint: Model) let rows = vectors.rows()
        => store.put_vectors(&ids.0, FactVectors { rows: &rows, fingerprint: &fingerprint.0 });
    fn stage_vectors(ids: Ids, vectors: Matrix<'_>, fingerprint: Model) let rows = vectors.rows()
        => store.stage_vectors(&ids.0, FactVectors { rows: &rows, fingerprint: &fingerprint.0 });
    fn without_staged_vectors(limit: usize = 256) => store.without_staged_vectors(limit);
    fn switch_vectors(fingerprint: Model) => store.switch_vectors(&fingerprint.0);
    fn drop_staged() => store.drop_staged();
    fn without_vectors(limit: usize = 256) => store.without_vectors(limit);
    fn changed_since(change: u64, limit: usize = 1024) => store.changed_since(change, limit);
    fn confidence_now(ids: Ids; tick: u64) => store.confidence_now(&ids.0, tick);
    fn calibration() => consolidate::calibration(store);
    fn stated(ids: Ids; tick: u64) => consolidate::stated(store, &ids.0, tick);
    fn acts(limit: usize = 20) => store.acts(limit);
    fn quarantined(limit: usize = 256) => store.quarantined(limit);
    fn count_quarantined() => store.count_quarantined();
    fn release(ids: Ids; tick: u64, now: i64) => store.release(&ids.0, tick, now);
    fn withdraw(ids: Ids; tick: u64, now: i64) => store.withdraw(&ids.0, tick, now);
    fn undo(act: u64; tick: u64, now: i64) => store.undo(act, tick, now);
    fn undo_of(act: u64, facts: Ids; tick: u64, now: i64) => store.undo_of(act, &facts.0, tick, now);
    fn note_unanswered(question: &str; tick: u64) => store.note_unanswered(question, tick);
    fn unanswered_questions(limit: usize = 10) => store.unanswered_questions(limit);
    fn answer(questions: Vec<String>) => store.answer(&questions);
    fn forget_questions(texts: Vec<String>) => store.forget_questions(&texts);
    fn derived_from(episodes: Ids) => store.derived_from(&episodes.0);
    fn supported_by(episodes: Ids) => store.supported_by(&episodes.0);
    fn contested(text: &str) => store.contested(text);
    fn add_tombstones(facts: Ids) => store.add_tombstones(&facts.0);
    fn recount(log: &EpisodeLog, names: Vec<(String, String)>; minimum: Option<u64> = None, seconds: Option<i64> = None)
        => consolidate::recount(store, &*log.core, &names, minimum.unwrap_or(MINIMUM_EPISODES), seconds);
    fn forget_claims(names: BTreeSet<String>, episodes: Ids)
        => consolidate::forget_claims(store, &names, &episodes.0);
    fn traces(needles: Vec<Vec<u8>>) => store.traces(&needles);
    fn vacuum() => store.vacuum();
    fn first_tick() => store.first_tick();
    fn stats() => Ok(store.stats()?.into_iter().collect::<BTreeMap<_, _>>());
    fn close() => store.close();
});
