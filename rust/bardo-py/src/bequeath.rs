//! What survives a death: which facts cross, and how far an heir trusts them.

use std::collections::BTreeMap;

use bardo_core::bequeath::{self, Discount, Fading, Thresholds};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::convert::{facts_from, rows, widen};
use crate::errors::IntoPython;

/// The entries that cross; see `_core.pyi`.
#[pyclass(frozen, get_all, module = "bardo._core")]
pub struct Selection {
    chosen: Vec<usize>,
    left_out: BTreeMap<&'static str, usize>,
    measure: &'static str,
}

/// See `_core.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
#[pyo3(signature = (facts, confidences, vectors=None, *, cap, insight_threshold, heuristic_threshold, tick))]
pub fn select_entries(
    facts: &Bound<'_, PyAny>,
    confidences: Vec<f32>,
    vectors: Option<PyReadonlyArray2<'_, f32>>,
    cap: usize,
    insight_threshold: f32,
    heuristic_threshold: f32,
    tick: u64,
) -> PyResult<Selection> {
    let py = facts.py();
    let facts: Vec<_> = facts_from(facts)?.into_iter().map(|(fact, _)| fact).collect();
    let rows = match &vectors {
        Some(array) => Some((rows(array, "vectors")?, array.shape()[1])),
        None => None,
    };
    let thresholds = Thresholds { heuristic: heuristic_threshold, insight: insight_threshold };
    let selection =
        py.detach(|| bequeath::select(&facts, &confidences, rows, thresholds, cap, tick)).into_python()?;
    Ok(Selection {
        chosen: selection.chosen,
        left_out: selection.left_out.into_iter().map(|(reason, count)| (reason.name(), count)).collect(),
        measure: selection.measure.name(),
    })
}

/// See `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (entries, *, base, rate, linear=false))]
pub fn confidences_at_birth(
    entries: Vec<(u32, f32, bool)>,
    base: f32,
    rate: f32,
    linear: bool,
) -> PyResult<Vec<f64>> {
    let fading = if linear { Fading::Step(rate) } else { Fading::Factor(rate) };
    let discount = Discount::new(base, fading).into_python()?;
    Ok(entries
        .into_iter()
        .map(|(generations, held, anti_knowledge)| {
            widen(discount.at_birth(generations, held, anti_knowledge))
        })
        .collect())
}
