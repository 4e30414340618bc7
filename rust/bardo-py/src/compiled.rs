//! What dossier, playbook and lint read and write of the facts, for Python.

use bardo_core::consolidate::{self as core, LintSettings, Promotion};
use bardo_core::error::Error;
use bardo_core::facts::{self, Judged};
use bardo_core::model::Id;
use pyo3::prelude::*;

use crate::convert::{fact_into, id, ids as ids_from};
use crate::errors::IntoPython;
use crate::facts::FactStore;
use crate::told::{ChangeTuple, LinkTuple, changes_into, link_tuples};

/// The strongest facts in force; see `_core.pyi`.
#[pyclass(frozen, get_all, module = "bardo._core")]
pub struct Digest {
    learned: u64,
    total: usize,
    categories: Vec<(String, usize)>,
    facts: Vec<(Py<PyAny>, f64)>,
    disputed: Vec<String>,
    outweighed: usize,
    links: Vec<LinkTuple>,
    expires_tick: Option<u64>,
}

impl Digest {
    fn from_core(py: Python<'_>, digest: facts::Digest) -> PyResult<Self> {
        let facts = digest.facts.iter().map(|(fact, sure)| Ok((fact_into(py, fact)?.unbind(), *sure)));
        Ok(Self {
            learned: digest.learned,
            total: digest.total,
            facts: facts.collect::<PyResult<_>>()?,
            categories: digest.categories,
            disputed: digest.disputed.iter().map(ToString::to_string).collect(),
            outweighed: digest.outweighed,
            links: link_tuples(digest.links),
            expires_tick: digest.expires_tick,
        })
    }
}

#[pymethods]
impl Digest {
    fn __repr__(&self) -> String {
        format!("Digest(learned={}, total={}, facts={})", self.learned, self.total, self.facts.len())
    }
}

/// The strongest facts in force; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (facts, *, tick, limit))]
pub fn digest_facts(
    py: Python<'_>,
    facts: &Bound<'_, FactStore>,
    tick: u64,
    limit: usize,
) -> PyResult<Digest> {
    let store = facts.get();
    let digest = py.detach(|| store.store.digest(tick, limit)).into_python()?;
    Digest::from_core(py, digest)
}

/// Outcomes above and below zero, their sum, the ticks of the first and the last.
type JudgedTuple = (u64, u64, f64, u64, u64);

/// What the rank of a fact rests on; see `_core.pyi`.
#[pyclass(frozen, get_all, module = "bardo._core")]
pub struct Standing {
    fact: Py<PyAny>,
    confidence: f64,
    rank: &'static str,
    known_ticks: u64,
    trial: Option<(u64, f64, f64)>,
    later_episodes: u64,
    confirmed: bool,
    innate: bool,
    outcomes: Option<JudgedTuple>,
}

impl Standing {
    fn from_core(py: Python<'_>, standing: &core::Standing, rule: Promotion) -> PyResult<Self> {
        let told = |told: Judged| (told.good, told.bad, told.total, told.first_tick, told.last_tick);
        Ok(Self {
            fact: fact_into(py, &standing.fact)?.unbind(),
            confidence: standing.confidence,
            rank: standing.rank(rule).name(),
            known_ticks: standing.known_ticks,
            trial: standing.trial.map(|trial| (trial.windows, trial.log_fortune, trial.log_needed)),
            later_episodes: standing.later_episodes,
            confirmed: standing.is_confirmed(),
            innate: standing.innate,
            outcomes: standing.outcomes.map(told),
        })
    }
}

#[pymethods]
impl Standing {
    fn __repr__(&self) -> String {
        format!("Standing(rank={:?}, confidence={})", self.rank, self.confidence)
    }
}

/// What came of acting on facts; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (facts, ids, value, *, tick, reinforcement))]
pub fn judge_facts(
    py: Python<'_>,
    facts: &Bound<'_, FactStore>,
    ids: Vec<String>,
    value: f64,
    tick: u64,
    reinforcement: f64,
) -> PyResult<usize> {
    let (store, ids) = (&facts.get().store, ids_from(&ids)?);
    let step = store.retention().with(None, Some(reinforcement), None, None);
    py.detach(|| store.judge(&ids, value, tick, step)).into_python()
}

/// How far a fact has risen; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (facts, fact, *, tick, active_ticks, confidence))]
pub fn fact_standing(
    py: Python<'_>,
    facts: &Bound<'_, FactStore>,
    fact: &str,
    tick: u64,
    active_ticks: u64,
    confidence: f32,
) -> PyResult<Standing> {
    let (store, fact) = (&facts.get().store, id(fact)?);
    let found = py.detach(|| core::standing(store, fact, tick)).into_python()?;
    Standing::from_core(py, &found, Promotion { active_ticks, confidence })
}

/// The facts that are acted by; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (facts, *, tick, active_ticks, confidence))]
pub fn promoted_facts(
    py: Python<'_>,
    facts: &Bound<'_, FactStore>,
    tick: u64,
    active_ticks: u64,
    confidence: f32,
) -> PyResult<Vec<Standing>> {
    let (store, rule) = (&facts.get().store, Promotion { active_ticks, confidence });
    let found = py.detach(|| core::promoted(store, tick, rule)).into_python()?;
    found.iter().map(|standing| Standing::from_core(py, standing, rule)).collect()
}

/// What a lint did; see `_core.pyi`.
#[pyclass(frozen, get_all, module = "bardo._core")]
pub struct LintReport {
    looked: usize,
    merged: Vec<(String, String)>,
    deprecated: Vec<String>,
    recategorised: Vec<String>,
    contradictions: Vec<(String, String)>,
    open_questions: usize,
    act: Option<u64>,
}

impl From<core::LintReport> for LintReport {
    fn from(report: core::LintReport) -> Self {
        let texts = |ids: Vec<Id>| ids.iter().map(Id::to_string).collect();
        let pairs = |pairs: Vec<(Id, Id)>| {
            pairs.iter().map(|(one, other)| (one.to_string(), other.to_string())).collect()
        };
        Self {
            looked: report.looked,
            merged: pairs(report.merged),
            deprecated: texts(report.deprecated),
            recategorised: texts(report.recategorised),
            contradictions: pairs(report.contradictions),
            open_questions: report.open_questions,
            act: report.act,
        }
    }
}

#[pymethods]
impl LintReport {
    fn __repr__(&self) -> String {
        format!("LintReport(looked={}, merged={}, act={:?})", self.looked, self.merged.len(), self.act)
    }
}

/// Puts the latest facts in order; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (facts, *, tick, now, latest, stale_ticks))]
pub fn lint_facts(
    py: Python<'_>,
    facts: &Bound<'_, FactStore>,
    tick: u64,
    now: i64,
    latest: usize,
    stale_ticks: u64,
) -> PyResult<LintReport> {
    let store = &facts.get().store;
    let settings = LintSettings { latest, stale_ticks, ..LintSettings::default() };
    py.detach(|| core::lint(store, tick, now, settings)).map(LintReport::from).into_python()
}

/// What `lint_facts` would do; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (facts, *, tick, latest, stale_ticks))]
pub fn rehearse_lint<'py>(
    py: Python<'py>,
    facts: &Bound<'py, FactStore>,
    tick: u64,
    latest: usize,
    stale_ticks: u64,
) -> PyResult<(LintReport, Vec<ChangeTuple<'py>>)> {
    let store = &facts.get().store;
    let settings = LintSettings { latest, stale_ticks, ..LintSettings::default() };
    let (report, changes) = py.detach(|| core::rehearse_lint(store, tick, settings)).into_python()?;
    Ok((report.into(), changes_into(py, &changes)?))
}

/// A question: its kind, in words, ids of facts, the entity, whether it is confirmed, first and last tick, the agent that
/// asked first if it is inherited, and the lives since.
type GapTuple = (&'static str, String, Vec<String>, Option<String>, bool, u64, u64, Option<String>, u32);
/// A question of a testament: its kind, in words, ids of facts, the entity, the agent that asked first, the lives since.
type InheritedGapTuple = (String, String, Vec<String>, Option<String>, String, u32);

/// The open questions; see `_core.pyi`.
#[pyfunction]
pub fn knowledge_gaps(py: Python<'_>, facts: &Bound<'_, FactStore>) -> PyResult<Vec<GapTuple>> {
    let store = &facts.get().store;
    let open = py.detach(|| core::gaps(store)).into_python()?;
    let tuple = |gap: core::Gap| {
        let facts = gap.facts.iter().map(Id::to_string).collect();
        let ticks = (gap.first_tick, gap.last_tick);
        let (origin, generation) = (gap.origin, gap.generation);
        (
            gap.kind.name(),
            gap.question,
            facts,
            gap.entity,
            gap.is_confirmed,
            ticks.0,
            ticks.1,
            origin,
            generation,
        )
    };
    Ok(open.into_iter().map(tuple).collect())
}

/// Takes over the open questions of a testament; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (facts, questions, *, tick))]
pub fn inherit_gaps(
    py: Python<'_>,
    facts: &Bound<'_, FactStore>,
    questions: Vec<InheritedGapTuple>,
    tick: u64,
) -> PyResult<(usize, usize, usize)> {
    let store = &facts.get().store;
    let questions = questions
        .into_iter()
        .map(|(kind, question, facts, entity, origin, generation)| {
            let kind = core::GapKind::of(&kind)
                .ok_or_else(|| {
                    Error::invalid(format!("{kind:?} is no kind of question"), "Use one of `gaps`")
                })
                .into_python()?;
            let facts = crate::convert::ids(&facts)?;
            Ok(core::InheritedGap { kind, question, facts, entity, origin, generation })
        })
        .collect::<PyResult<Vec<_>>>()?;
    let done = py.detach(|| core::inherit_gaps(store, &questions, tick)).into_python()?;
    Ok((done.taken, done.known, done.left))
}

/// Deletes open questions by their words; see `_core.pyi`.
#[pyfunction]
pub fn forget_gaps(py: Python<'_>, facts: &Bound<'_, FactStore>, questions: Vec<String>) -> PyResult<usize> {
    let store = &facts.get().store;
    py.detach(|| core::forget_gaps(store, &questions)).into_python()
}
