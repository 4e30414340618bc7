//! What a recall takes and gives: settings, filters, hits.

use std::collections::HashMap;
use std::sync::Arc;

use bardo_core::index::hot::Layer;
use bardo_core::index::lexical::Bm25;
use bardo_core::model::{Role, Source};
use bardo_core::recall::explain::{Found, Hit};
use bardo_core::recall::filter::Filters;
use bardo_core::recall::late::LateWeights;
use bardo_core::recall::records::Record;
use bardo_core::recall::settings::{ConversationWeights, Factors, PerArm, Settings};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::convert::{episode_into, fact_into, field, ids, widen};
use crate::errors::{IntoPython, invalid};

/// How memories are ranked.
#[pyclass(frozen, module = "bardo._core", name = "RecallSettings")]
#[derive(Debug)]
pub struct PyRecallSettings(pub Settings);

#[pymethods]
impl PyRecallSettings {
    #[new]
    #[pyo3(signature = (
        *, policy=None, fusion=None, dense=None, lexical=None, recency=None, rare=None, depth=None, rrf_depth=None, rrf_k=None,
        bm25_k1=None, bm25_b=None, min_cosine=None, chance_cosine=None, diversity=None, late=None, whole_weight=None, sentence_penalty=None, recency_days=None,
        factors=None, tau_ticks=None, duplicate_similarity=None, conversation=None
    ))]
    fn new(
        policy: Option<&str>,
        fusion: Option<&str>,
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
        let usual = Settings::default();
        let settings =
            Settings {
                policy: policy.map_or(Ok(usual.policy), str::parse).into_python()?,
                fusion: fusion.map_or(Ok(usual.fusion), str::parse).into_python()?,
                bm25: Bm25 { k1: bm25_k1.unwrap_or(usual.bm25.k1), b: bm25_b.unwrap_or(usual.bm25.b) },
                weights: PerArm {
                    dense: dense.unwrap_or(usual.weights.dense),
                    lexical: lexical.unwrap_or(usual.weights.lexical),
                    recency: recency.unwrap_or(usual.weights.recency),
                },
                rare_weight: rare.unwrap_or(usual.rare_weight),
                depth: depth.unwrap_or(usual.depth),
                rrf_depth: rrf_depth.unwrap_or(usual.rrf_depth),
                rrf_k: rrf_k.unwrap_or(usual.rrf_k),
                min_cosine: min_cosine.unwrap_or(usual.min_cosine),
                chance_cosine: chance_cosine.unwrap_or(usual.chance_cosine),
                diversity: diversity.unwrap_or(usual.diversity),
                late: LateWeights { weight: late.unwrap_or(usual.late.weight), ..usual.late },
                whole_weight: whole_weight.unwrap_or(usual.whole_weight),
                sentence_penalty: sentence_penalty.unwrap_or(usual.sentence_penalty),
                recency_days: recency_days.unwrap_or(usual.recency_days),
                factors: factors.map_or(usual.factors, |(semantic, temporal, importance, emotional)| {
                    Factors { semantic, temporal, importance, emotional }
                }),
                tau_ticks: tau_ticks.unwrap_or(usual.tau_ticks),
                duplicate_similarity: duplicate_similarity.unwrap_or(usual.duplicate_similarity),
                conversation: conversation_from(conversation.unwrap_or_default())?,
                ..usual
            };
        settings.check().into_python()?;
        Ok(Self(settings))
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A memory that was recalled, with every number that went into its score.
#[pyclass(frozen, get_all, module = "bardo._core", name = "Hit")]
#[derive(Debug)]
pub struct PyHit {
    id: String,
    layer: &'static str,
    score: f64,
    confidence: f64,
    tick: u64,
    at: i64,
    source: &'static str,
    duplicates: Vec<String>,
    arms: Vec<(&'static str, Option<u32>, Option<f64>, f64)>,
    conversation: Vec<(&'static str, f64)>,
    fused: f64,
    terms: Vec<(&'static str, f64, f64)>,
    factors: Vec<(&'static str, f64)>,
    age_days: f64,
    matched: Vec<String>,
}

#[pymethods]
impl PyHit {
    fn __repr__(&self) -> String {
        format!("Hit({} {} score={:.3})", self.layer, self.id, self.score)
    }
}

impl From<&Hit> for PyHit {
    fn from(hit: &Hit) -> Self {
        let why = &hit.why;
        Self {
            id: hit.id.to_string(),
            layer: hit.layer.name(),
            score: widen(hit.score),
            confidence: widen(hit.confidence),
            tick: hit.tick,
            at: hit.at,
            source: hit.source.name(),
            duplicates: hit.duplicates.iter().map(ToString::to_string).collect(),
            arms: why
                .arms
                .iter()
                .chain(&why.late)
                .map(|reason| (reason.arm.name(), reason.rank, reason.value.map(widen), widen(reason.part)))
                .collect(),
            conversation: why.conversation.iter().map(|(name, part)| (*name, widen(*part))).collect(),
            fused: widen(why.fused),
            terms: why.terms.iter().map(|term| (term.name, widen(term.value), widen(term.weight))).collect(),
            factors: why.factors.iter().map(|(name, factor)| (*name, widen(*factor))).collect(),
            age_days: why.age_days,
            matched: why.matched.iter().map(ToString::to_string).collect(),
        }
    }
}

/// What was found, and the records of it if they were read.
#[derive(Debug)]
struct Answer {
    hits: Vec<Hit>,
    records: Vec<Record>,
}

/// The answer to a query. Python's objects are made of it as they are asked for.
#[pyclass(frozen, module = "bardo._core", name = "Found")]
#[derive(Debug)]
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
    /// Takes what the core has found; `records` has one for each hit, or none at all.
    pub fn new(found: Found, records: Vec<Record>) -> Self {
        let Found { hits, notes, searched, candidates } = found;
        Self { answer: Arc::new(Answer { hits, records }), notes, searched, candidates }
    }

    fn at(&self, place: usize) -> PyResult<&Hit> {
        self.answer.hits.get(place).ok_or_else(|| out_of_range(place))
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
    fn hits(&self) -> Vec<PyHit> {
        self.answer.hits.iter().map(PyHit::from).collect()
    }

    fn hit(&self, place: usize) -> PyResult<PyHit> {
        self.at(place).map(PyHit::from)
    }

    fn outlines(&self) -> PyResult<Vec<Outline<'_>>> {
        let outline = |(place, hit): (usize, &'_ Hit)| {
            let record = self.record_at(place)?;
            let inherited = match record {
                Record::Episode(_) => hit.source != Source::SelfLived,
                Record::Fact(fact) => fact.generation > 0,
            };
            Ok((
                record.text(),
                hit.id.to_string(),
                hit.layer.name(),
                widen(hit.score),
                widen(hit.confidence),
                hit.tick,
                hit.at,
                hit.source.name(),
                inherited,
            ))
        };
        self.answer.hits.iter().enumerate().map(outline).collect()
    }

    fn record<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyAny>> {
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

fn conversation_from(given: HashMap<String, f32>) -> PyResult<ConversationWeights> {
    let mut weights = ConversationWeights::default();
    for (name, number) in given {
        let weight = match name.as_str() {
            "previous_question" => &mut weights.previous_question,
            "next_turn" => &mut weights.next_turn,
            "session_best" => &mut weights.session_best,
            "session_words" => &mut weights.session_words,
            "speaker" => &mut weights.speaker,
            "role" => &mut weights.role,
            "date" => &mut weights.date,
            "time" => &mut weights.time,
            "question_penalty" => &mut weights.question_penalty,
            _ => {
                return Err(invalid(
                    format!("{name:?} is not a weight of the conversation"),
                    "Use previous_question, next_turn, session_best, session_words, speaker, role, date, time, question_penalty",
                ));
            }
        };
        *weight = number;
    }
    Ok(weights)
}

/// A `bardo.recall.filters.Filters`.
pub fn filters_from(object: &Bound<'_, PyAny>) -> PyResult<Filters> {
    let names = |name: &str| -> PyResult<Vec<String>> {
        Ok(field::<Option<Vec<String>>>(object, name)?.unwrap_or_default())
    };
    let roles = |name: &str| -> PyResult<Vec<Role>> {
        names(name)?.iter().map(|role| role.parse()).collect::<Result<_, _>>().into_python()
    };
    let layers = names("layers")?
        .iter()
        .map(|layer| match layer.as_str() {
            "episode" => Ok(Layer::Episode),
            "fact" => Ok(Layer::Fact),
            _ => Err(invalid(format!("{layer:?} is not a layer"), "Use episode, fact or both")),
        })
        .collect::<PyResult<Vec<Layer>>>()?;
    // Both are all there is.
    let is_all = layers.contains(&Layer::Episode) && layers.contains(&Layer::Fact);
    Ok(Filters {
        layers: if is_all { Vec::new() } else { layers },
        kinds: names("kinds")?,
        category: field(object, "category")?,
        subjects: names("subjects")?,
        thread: field(object, "thread")?,
        session: field(object, "session")?,
        mode: field(object, "mode")?,
        roles: roles("roles")?,
        without_roles: roles("without_roles")?,
        since: field(object, "since")?,
        until: field(object, "until")?,
        min_confidence: field(object, "min_confidence")?,
        sources: names("sources")?
            .iter()
            .map(|name| name.parse::<Source>())
            .collect::<Result<_, _>>()
            .into_python()?,
        as_of: field(object, "as_of")?,
        trying: ids(&names("trying")?)?,
    })
}
