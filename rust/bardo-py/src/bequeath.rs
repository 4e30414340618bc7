//! Bequests: which facts cross a death, and how far an heir trusts them.

use bardo_core::bequeath::{self, Discount, Exclusion, GenerationDiscount, Thresholds, Uncommon};
use pyo3::prelude::*;

use crate::arguments::{Facts, Matrix};
use crate::capture::EpisodeLog;
use crate::convert::{IntoObject, Object, mirror};
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

    /// How far an heir trusts each entry.
    fn confidences_at_birth(entries: Vec<(u32, f32, bool)>; base: f32, rate: f32, linear: bool = false) => {
        let per_generation = if linear { GenerationDiscount::Step(rate) } else { GenerationDiscount::Factor(rate) };
        let discount = Discount::new(base, per_generation)?;
        let at_birth = |(generations, held, is_anti_knowledge)| discount.at_birth(generations, held, is_anti_knowledge);
        Ok(entries.into_iter().map(at_birth).collect::<Vec<_>>())
    };
}
