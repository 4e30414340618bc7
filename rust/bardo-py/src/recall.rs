//! Settings, filters and hits of a recall.

use std::collections::HashMap;
use std::sync::Arc;

use bardo_core::index::hot::Layer;
use bardo_core::model::{Role, Source};
use bardo_core::recall::explain::{self, ArmReason};
use bardo_core::recall::filter::Filters;
use bardo_core::recall::records::Record;
use bardo_core::recall::score::Term;
use bardo_core::recall::settings::{Factors, Fusion, Policy, Settings};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::arguments::{Ids, Parsed};
use crate::convert::{IntoObject, Object, episode_into, fact_into, mirror, widen};
use crate::errors::IntoPython;
use crate::values::field;

/// Sets each place of the settings whose option is given.
macro_rules! overlay {
    ($($option:ident => $place:expr),* $(,)?) => {
        $(if let Some(value) = $option {
            $place = value;
        })*
    };
}

/// How memories are ranked.
#[pyclass(frozen, module = "bardo._core", name = "RecallSettings")]
pub struct PyRecallSettings(pub Settings);

#[pymethods]
impl PyRecallSettings {
    #[new]
    #[pyo3(signature = (
        *, policy=None, fusion=None, dense=None, lexical=None, recency=None, rare=None, depth=None, rrf_depth=None, rrf_k=None,
        bm25_k1=None, bm25_b=None, min_cosine=None, chance_cosine=None, diversity=None, late=None, whole_weight=None,
        sentence_penalty=None, recency_days=None, factors=None, tau_ticks=None, duplicate_similarity=None, conversation=None
    ))]
    fn new(
        policy: Option<Parsed<Policy>>,
        fusion: Option<Parsed<Fusion>>,
        dense: Option<f32>,
        lexical: Option<f32>,
        recency: Option<f32>,
        rare: Option<f32>,
        depth: Option<usize>,
        rrf_depth: Option<usize>,
        rrf_k: Option<f32>,
        bm25_k1: Option<f32>,
        bm25_b: Option<f32>,
        min_cosine: Option<f32>,
        chance_cosine: Option<f32>,
        diversity: Option<f32>,
        late: Option<f32>,
        whole_weight: Option<f32>,
        sentence_penalty: Option<f32>,
        recency_days: Option<f32>,
        factors: Option<(f32, f32, f32, f32)>,
        tau_ticks: Option<f64>,
        duplicate_similarity: Option<f32>,
        conversation: Option<HashMap<String, f32>>,
    ) -> PyResult<Self> {
        let mut settings = Settings::default();
        let (policy, fusion) = (policy.map(|policy| policy.0), fusion.map(|fusion| fusion.0));
        let factors = factors.map(|(semantic, temporal, importance, emotional)| Factors {
            semantic,
            temporal,
            importance,
            emotional,
        });
        overlay!(
            policy => settings.policy,
            fusion => settings.fusion,
            dense => settings.weights.dense,
            lexical => settings.weights.lexical,
            recency => settings.weights.recency,
            rare => settings.rare_weight,
            depth => settings.depth,
            rrf_depth => settings.rrf_depth,
            rrf_k => settings.rrf_k,
            bm25_k1 => settings.bm25.k1,
            bm25_b => settings.bm25.b,
            min_cosine => settings.min_cosine,
            chance_cosine => settings.chance_cosine,
            diversity => settings.diversity,
            late => settings.late.weight,
            whole_weight => settings.whole_weight,
            sentence_penalty => settings.sentence_penalty,
            recency_days => settings.recency_days,
            factors => settings.factors,
            tau_ticks => settings.tau_ticks,
            duplicate_similarity => settings.duplicate_similarity,
        );
        for (name, weight) in conversation.unwrap_or_default() {
            settings.conversation.set(&name, weight).into_python()?;
        }
        settings.check().into_python()?;
        Ok(Self(settings))
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

impl IntoObject for ArmReason {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        (self.arm.name(), self.rank, self.value, self.part).into_object(py)
    }
}

impl IntoObject for Term {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        (self.name, self.value, self.weight).into_object(py)
    }
}

mirror!(
    /// A memory that was recalled, with every number that went into its score.
    Hit(explain::Hit) { id, score, confidence, tick, at, duplicates } as |hit| {
        layer = hit.layer.name(),
        source = hit.source.name(),
        arms = hit.why.arms.iter().chain(&hit.why.late).copied().collect::<Vec<_>>(),
        conversation = hit.why.conversation.clone(),
        fused = hit.why.fused,
        terms = hit.why.terms.clone(),
        factors = hit.why.factors.clone(),
        age_days = hit.why.age_days,
        matched = hit.why.matched.iter().map(ToString::to_string).collect::<Vec<_>>(),
    }
);

/// Hits, and their records if they were read.
struct Answer {
    hits: Vec<explain::Hit>,
    records: Vec<Record>,
}

/// The answer to a query. Python's objects are made of it as they are asked for.
#[pyclass(frozen, module = "bardo._core", name = "Found")]
pub struct PyFound {
    answer: Arc<Answer>,
    #[pyo3(get)]
    notes: Vec<String>,
    #[pyo3(get)]
    searched: usize,
    #[pyo3(get)]
    candidates: usize,
}

impl PyFound {
    /// An answer of the core; `records` has one for each hit, or none at all.
    pub fn new(found: explain::SearchResult, records: Vec<Record>) -> Self {
        let explain::SearchResult { hits, notes, searched, candidates } = found;
        Self { answer: Arc::new(Answer { hits, records }), notes, searched, candidates }
    }

    fn record_at(&self, place: usize) -> PyResult<&Record> {
        self.answer.records.get(place).ok_or_else(|| out_of_range(place))
    }
}

/// Text, id, layer, score, confidence, tick, wall clock, source and whether another life learned it.
type Outline<'found> = (&'found str, String, &'static str, f64, f64, u64, i64, &'static str, bool);

#[pymethods]
impl PyFound {
    fn __len__(&self) -> usize {
        self.answer.hits.len()
    }

    #[getter]
    fn hits<'py>(&self, py: Python<'py>) -> Object<'py> {
        self.answer.hits.clone().into_object(py)
    }

    fn hit(&self, place: usize) -> PyResult<Hit> {
        self.answer.hits.get(place).cloned().map(Hit).ok_or_else(|| out_of_range(place))
    }

    fn outlines(&self) -> PyResult<Vec<Outline<'_>>> {
        let outline = |(place, hit): (usize, &'_ explain::Hit)| {
            let record = self.record_at(place)?;
            let (score, confidence) = (widen(hit.score), widen(hit.confidence));
            let (layer, source) = (hit.layer.name(), hit.source.name());
            let id = hit.id.to_string();
            Ok((record.text(), id, layer, score, confidence, hit.tick, hit.at, source, record.is_inherited()))
        };
        self.answer.hits.iter().enumerate().map(outline).collect()
    }

    fn record<'py>(&self, py: Python<'py>, place: usize) -> Object<'py> {
        match self.record_at(place)? {
            Record::Episode(episode) => episode_into(py, episode),
            Record::Fact(fact) => fact_into(py, fact),
        }
    }

    fn facts(&self) -> Vec<String> {
        let facts = self.answer.hits.iter().filter(|hit| hit.layer == Layer::Fact);
        facts.map(|hit| hit.id.to_string()).collect()
    }

    fn with_notes(&self, notes: Vec<String>) -> Self {
        let notes = self.notes.iter().cloned().chain(notes).collect();
        Self { answer: Arc::clone(&self.answer), notes, ..*self }
    }
}

fn out_of_range(place: usize) -> PyErr {
    PyIndexError::new_err(format!("there is no record at place {place}"))
}

/// A `bardo.recall.filters.Filters`.
pub struct GivenFilters(pub Filters);

impl FromPyObject<'_, '_> for GivenFilters {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let object = &*object;
        let names = |name| field::<Option<Vec<String>>>(object, name).map(Option::unwrap_or_default);
        let parsed = |name| -> PyResult<Vec<Role>> {
            names(name)?.iter().map(|role| role.parse()).collect::<Result<_, _>>().into_python()
        };
        let layers = names("layers")?.iter().map(|layer| layer.parse()).collect::<Result<Vec<Layer>, _>>();
        let sources = names("sources")?.iter().map(|name| name.parse()).collect::<Result<Vec<Source>, _>>();
        Ok(Self(Filters {
            layers: Filters::layers(layers.into_python()?),
            kinds: names("kinds")?,
            category: field(object, "category")?,
            subjects: names("subjects")?,
            thread: field(object, "thread")?,
            session: field(object, "session")?,
            mode: field(object, "mode")?,
            roles: parsed("roles")?,
            without_roles: parsed("without_roles")?,
            since: field(object, "since")?,
            until: field(object, "until")?,
            min_confidence: field(object, "min_confidence")?,
            sources: sources.into_python()?,
            as_of: field(object, "as_of")?,
            trying: field::<Option<Ids>>(object, "trying")?.map(|ids| ids.0).unwrap_or_default(),
        }))
    }
}
