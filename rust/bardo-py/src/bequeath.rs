//! Bequests: which facts cross a death, and how far an heir trusts them.

use std::sync::{Mutex, PoisonError};

use bardo_core::bequeath::{
    self, Discount, Exclusion, Familiarity, GenerationDiscount, Thresholds, Uncommon,
};
use bardo_core::index::lexical::Analyzer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::{Facts, Matrix};
use crate::capture::EpisodeLog;
use crate::convert::{IntoObject, Object, as_tuple, mirror};
use crate::errors::IntoPython;
use crate::forward::{functions, methods};

mirror!(
    /// The entries that cross; see `_core/_bequeath.pyi`.
    Selection(bequeath::Selection) { chosen, left_out } as |selection| { measure = selection.measure.name() }
);

impl IntoObject for Exclusion {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        self.name().into_object(py)
    }
}

/// Counts over a whole log; see `_core/_bequeath.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct Survey {
    core: bequeath::Survey,
}

methods!(Survey, |survey| {
    new(log: &EpisodeLog; kinds: Vec<String>, latest: usize) => bequeath::Survey::of(&log.core, &kinds, latest);
    get bytes => Ok(survey.bytes);
    get inherited => Ok(survey.inherited);
    get latest => Ok(survey.latest.iter().copied().collect::<Vec<_>>());
    fn novelty(texts: Vec<String>) => Ok(texts.iter().map(|text| survey.novelty(text)).collect::<Vec<_>>());
    fn uncommon(log: &EpisodeLog, after: u64, limit: usize; novelty: f32, importance: f32, mistake: f64)
        => survey.uncommon(&log.core, after, limit, Uncommon { novelty, importance, mistake });
});

functions! {
    /// Chooses the facts that cross.
    fn select_entries(facts: Facts, confidences: Vec<f32>, vectors: Option<Matrix<'_>> = None; cap: usize,
        insight_threshold: f32, heuristic_threshold: f32, tick: u64)
        let rows = vectors.as_ref().map(|vectors| (vectors.numbers(), vectors.dims())),
        let thresholds = Thresholds { heuristic: heuristic_threshold, insight: insight_threshold }
        => bequeath::select(&facts.0, &confidences, rows, thresholds, cap, tick);

    /// The texts that add to a bundle of known things.
    fn novel_texts(texts: Vec<String>) => Ok(bequeath::novel_texts(&texts));

    /// How far an heir trusts each entry.
    fn confidences_at_birth(entries: Vec<(u32, f32, bool)>; base: f32, rate: f32, linear: bool = false) => {
        let per_generation = if linear { GenerationDiscount::Step(rate) } else { GenerationDiscount::Factor(rate) };
        let discount = Discount::new(base, per_generation)?;
        let at_birth = |(generations, held, is_anti_knowledge)| discount.at_birth(generations, held, is_anti_knowledge);
        Ok(entries.into_iter().map(at_birth).collect::<Vec<_>>())
    };
}

as_tuple!(Familiarity { score, known, threshold, error, features, agent });

/// The bundles of all that an agent and its ancestors knew; see `_core/_bequeath.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct KnownThings {
    core: Bundles,
}

struct Bundles {
    known: bequeath::KnownThings,
    /// Reads the questions, and keeps the stems of their words.
    reader: Mutex<Analyzer>,
}

methods!(KnownThings, |core| {
    new(data: Vec<u8>)
        => bequeath::KnownThings::from_bytes(&data).map(|known| Bundles { known, reader: Mutex::default() });
    get items => Ok(core.known.items());
    get shards => Ok(core.known.shards());
    get agents => Ok(core.known.agents());
    fn familiarity(text: &str) => {
        let mut reader = core.reader.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(core.known.familiarity(&mut reader, text))
    };
});

/// Bundles what an agent knew, then what its ancestors knew.
#[pyfunction]
pub fn bundle_known<'py>(
    py: Python<'py>,
    agent: &str,
    texts: Vec<String>,
    withheld: Vec<(String, String)>,
    ancestors: Vec<Vec<u8>>,
) -> PyResult<(Bound<'py, PyBytes>, usize)> {
    let bundled = py.detach(|| {
        let mut known = bequeath::KnownThings::bundle(agent, &texts, &withheld)?;
        let mut left = 0;
        for one in &ancestors {
            left += known.join(bequeath::KnownThings::from_bytes(one)?);
        }
        Ok((known.to_bytes(), left))
    });
    let (bytes, left) = IntoPython::into_python(bundled)?;
    Ok((PyBytes::new(py, &bytes), left))
}
