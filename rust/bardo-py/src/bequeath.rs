//! Bequests: which facts cross a death, and how far an heir trusts them.

use bardo_core::bequeath::{self, Discount, Exclusion, Fading, Thresholds};
use pyo3::prelude::*;

use crate::arguments::{Facts, Matrix};
use crate::convert::{IntoObject, Object, mirror, run};
use crate::errors::IntoPython;

mirror!(
    /// The entries that cross; see `_core/_bequeath.pyi`.
    Selection(bequeath::Selection) { chosen, left_out } as |selection| { measure = selection.measure.name() }
);

impl IntoObject for Exclusion {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        self.name().into_object(py)
    }
}

/// Chooses the facts that cross.
#[pyfunction]
#[pyo3(signature = (facts, confidences, vectors=None, *, cap, insight_threshold, heuristic_threshold, tick))]
pub fn select_entries<'py>(
    py: Python<'py>,
    facts: Facts,
    confidences: Vec<f32>,
    vectors: Option<Matrix<'_>>,
    cap: usize,
    insight_threshold: f32,
    heuristic_threshold: f32,
    tick: u64,
) -> Object<'py> {
    let rows = vectors.as_ref().map(|vectors| (vectors.numbers(), vectors.dims()));
    let thresholds = Thresholds { heuristic: heuristic_threshold, insight: insight_threshold };
    run(py, || bequeath::select(&facts.0, &confidences, rows, thresholds, cap, tick))
}

/// How far an heir trusts each entry.
#[pyfunction]
#[pyo3(signature = (entries, *, base, rate, linear=false))]
pub fn confidences_at_birth(
    py: Python<'_>,
    entries: Vec<(u32, f32, bool)>,
    base: f32,
    rate: f32,
    linear: bool,
) -> Object<'_> {
    let fading = if linear { Fading::Step(rate) } else { Fading::Factor(rate) };
    let discount = Discount::new(base, fading).into_python()?;
    let at_birth = |(generations, held, anti_knowledge)| discount.at_birth(generations, held, anti_knowledge);
    entries.into_iter().map(at_birth).collect::<Vec<_>>().into_object(py)
}
