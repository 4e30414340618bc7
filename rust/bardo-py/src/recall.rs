//! Settings, filters and hits of a recall.

use std::collections::HashMap;
use std::sync::Arc;

use bardo_core::index::hot::Layer;
use bardo_core::model::{Role, Source};
use bardo_core::recall::conversation::query_words;
use bardo_core::recall::explain::{self, ArmReason, HitCorrection};
use bardo_core::recall::filter::Filters;
use bardo_core::recall::periods::{PeriodWords, resolve};
use bardo_core::recall::records::Record;
use bardo_core::recall::rule_seats::Seat;
use bardo_core::recall::score::Term;
use bardo_core::recall::settings::{Factors, Fusion, Policy, Settings};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::arguments::{Ids, Parsed, extracted};
use crate::convert::{IntoObject, Object, as_tuple, mirror, widen};
use crate::errors::IntoPython;
use crate::records::Record as _;
use crate::values::field;

/// How memories are ranked.
#[pyclass(frozen, module = "bardo._core", name = "RecallSettings")]
pub struct PyRecallSettings(pub Settings);

/// The constructor of the settings: each keyword with its type, and the assignment that is made if it is given.
macro_rules! options {
    (|$settings:ident| $($option:ident: $type:ty => $assignment:expr;)*) => {
        #[pymethods]
        impl PyRecallSettings {
            #[new]
            #[pyo3(signature = (*, $($option = None),*))]
            fn new($($option: Option<$type>),*) -> PyResult<Self> {
                let mut $settings = Settings::default();
                $(if let Some($option) = $option {
                    $assignment;
                })*
                $settings.check().into_python()?;
                Ok(Self($settings))
            }

            fn __repr__(&self) -> String {
                format!("{:?}", self.0)
            }
        }
    };
}
options! { |settings|
    policy: Parsed<Policy> => settings.policy = policy.0;
    fusion: Parsed<Fusion> => settings.fusion = fusion.0;
    dense: f32 => settings.weights.dense = dense;
    lexical: f32 => settings.weights.lexical = lexical;
    recency: f32 => settings.weights.recency = recency;
    rare: f32 => settings.rare_weight = rare;
    depth: usize => settings.depth = depth;
    rrf_depth: usize => settings.rrf_depth = rrf_depth;
    rrf_k: f32 => settings.rrf_k = rrf_k;
    bm25_k1: f32 => settings.bm25.k1 = bm25_k1;
    bm25_b: f32 => settings.bm25.b = bm25_b;
    min_cosine: f32 => settings.min_cosine = min_cosine;
    chance_cosine: f32 => settings.chance_cosine = chance_cosine;
    diversity: f32 => settings.diversity = diversity;
    late: f32 => settings.late.weight = late;
    whole_weight: f32 => settings.whole_weight = whole_weight;
    sentence_penalty: f32 => settings.sentence_penalty = sentence_penalty;
    recency_days: f32 => settings.recency_days = recency_days;
    factors: (f32, f32, f32, f32) => {
        let (relevance, temporal, importance, emotional) = factors;
        settings.factors = Factors { relevance, temporal, importance, emotional };
    };
    tau_ticks: f64 => settings.tau_ticks = tau_ticks;
    duplicate_similarity: f32 => settings.duplicate_similarity = duplicate_similarity;
    conversation: HashMap<String, f32> => for (name, weight) in conversation {
        settings.conversation.set(&name, weight).into_python()?;
    };
}

/// Words of a language that name periods; see `_core/_recall.pyi`.
#[pyclass(frozen, module = "bardo._core", name = "PeriodWords")]
pub struct PyPeriodWords(pub PeriodWords);

#[pymethods]
impl PyPeriodWords {
    #[new]
    #[pyo3(signature = (*, months, weekdays, units, numbers, phrases, fillers))]
    fn new(
        months: Vec<String>,
        weekdays: Vec<String>,
        units: HashMap<String, String>,
        numbers: HashMap<String, i64>,
        phrases: Vec<(String, String)>,
        fillers: Vec<String>,
    ) -> PyResult<Self> {
        PeriodWords::new(months, &weekdays, &units, numbers, &phrases, &fillers).map(Self).into_python()
    }

    fn spans(&self, query: &str, now: i64) -> Vec<(i64, i64)> {
        let periods = self.0.read(&query_words(query), now);
        resolve(&periods, |_| true).into_iter().map(|span| (span.first, span.last)).collect()
    }
}

as_tuple! {
    ArmReason { arm.name(), rank, value, part }
    Term { name, value, weight }
    HitCorrection { by, at, is_disputed }
}

mirror!(
    /// A memory that was recalled, with every number that went into its score.
    Hit(explain::Hit) { id, score, confidence, tick, at, duplicates, corrections } as |hit| {
        layer = hit.layer.name(),
        source = hit.source.name(),
        arms = hit.why.arms.iter().chain(&hit.why.late).copied().collect::<Vec<_>>(),
        conversation = hit.why.conversation.clone(),
        fused = hit.why.fused,
        terms = hit.why.terms.clone(),
        factors = hit.why.factors.clone(),
        age_days = hit.why.age_days,
        seat = hit.why.seat.map(Seat::name),
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

    fn corrections<'py>(&self, py: Python<'py>, place: usize) -> Object<'py> {
        let hit = self.answer.hits.get(place).ok_or_else(|| out_of_range(place))?;
        hit.corrections.clone().into_object(py)
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
            Record::Episode(episode) => episode.to_dataclass(py),
            Record::Fact(fact) => fact.to_dataclass(py),
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

extracted! {
    /// A `bardo.recall.filters.Filters`.
    GivenFilters(Filters): |object| filters_from(&object);
}

fn filters_from(object: &Bound<'_, PyAny>) -> PyResult<Filters> {
    let names = |name| field::<Option<Vec<String>>>(object, name).map(Option::unwrap_or_default);
    let parsed = |name| -> PyResult<Vec<Role>> {
        names(name)?.iter().map(|role| role.parse()).collect::<Result<_, _>>().into_python()
    };
    let layers = names("layers")?.iter().map(|layer| layer.parse()).collect::<Result<Vec<Layer>, _>>();
    let sources = names("sources")?.iter().map(|name| name.parse()).collect::<Result<Vec<Source>, _>>();
    Ok(Filters {
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
    })
}
