//! How confidence fades, and what is read in texts and episodes without a store, for Python.

use std::collections::BTreeMap;

use bardo_core::consolidate;
use bardo_core::model::decay::{self, Fading};
use bardo_core::model::{Episode, FactKind};
use bardo_core::text;
use pyo3::prelude::*;

use crate::convert::{episodes_from, fact_from};
use crate::errors::IntoPython;

/// The confidence left after `elapsed_ticks` without reinforcement.
#[pyfunction(name = "decay")]
#[pyo3(signature = (confidence, support, elapsed_ticks, tau_ticks, *, kind = "insight", from_death = false,
    pinned = false))]
pub fn decay_confidence(
    confidence: f64,
    support: u32,
    elapsed_ticks: u64,
    tau_ticks: f64,
    kind: &str,
    from_death: bool,
    pinned: bool,
) -> PyResult<f64> {
    let kind: FactKind = kind.parse().into_python()?;
    let tau_ticks = decay::check_tau(tau_ticks).into_python()?;
    Ok(decay::decay(confidence, support, elapsed_ticks, &Fading { tau_ticks, kind, from_death, pinned }))
}

/// The stability of a fact in ticks.
#[pyfunction]
#[pyo3(signature = (support, tau_ticks, *, kind = "insight", from_death = false))]
pub fn stability(support: u32, tau_ticks: f64, kind: &str, from_death: bool) -> PyResult<f64> {
    let kind: FactKind = kind.parse().into_python()?;
    let tau_ticks = decay::check_tau(tau_ticks).into_python()?;
    Ok(decay::stability(support, &Fading { tau_ticks, kind, from_death, pinned: false }))
}

/// The time constant of a half-life.
#[pyfunction]
pub fn half_life_to_tau(half_life: f64) -> f64 {
    decay::half_life_to_tau(half_life)
}

/// The confidence of a fact at a tick.
#[pyfunction]
#[pyo3(signature = (fact, *, tick, tau_ticks))]
pub fn confidence_now(fact: &Bound<'_, PyAny>, tick: u64, tau_ticks: f64) -> PyResult<f64> {
    let tau_ticks = decay::check_tau(tau_ticks).into_python()?;
    Ok(decay::confidence_now(&fact_from(fact)?.0, tick, tau_ticks))
}

/// The baselines that episodes can have moved; see `_core.pyi`.
#[pyfunction]
pub fn number_names(py: Python<'_>, episodes: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
    let episodes: Vec<Episode> = episodes_from(episodes)?.into_iter().map(|(episode, _)| episode).collect();
    Ok(py.detach(|| consolidate::number_names(&episodes)))
}

/// The web addresses, shell commands and file paths of a text.
#[pyfunction]
pub fn findings(text: &str) -> BTreeMap<&'static str, Vec<String>> {
    let found = text::urls_commands_paths::findings(text);
    BTreeMap::from([("urls", found.urls), ("commands", found.commands), ("paths", found.paths)])
}
