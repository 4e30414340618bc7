//! What `facts.db` tells, as tuples and dictionaries of Python.

use bardo_core::facts::{Act, FactChange, Forgotten, Link, Undone};
use bardo_core::model::Id;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::fact_into;

/// A link as Python sees it: source, target, relation, weight, tick.
pub type LinkTuple = (String, String, &'static str, f64, u64);

/// A state of a fact as Python sees it: first tick, the tick it ended at, the fact.
pub type StateTuple<'py> = (u64, Option<u64>, Bound<'py, PyAny>);

/// A fact before and after, as Python sees it.
pub type ChangeTuple<'py> = (Option<Bound<'py, PyAny>>, Bound<'py, PyAny>);

/// An act as Python sees it: number, name, tick, time, the act that undid it, and of each fact its id and JSON objects of
/// the fields that changed, before and after.
pub type ActTuple = (u64, String, u64, i64, Option<u64>, Vec<(String, Option<String>, String)>);

/// What undoing did, as Python sees it: its own act, facts restored and withdrawn, and fields that stayed.
pub type UndoneTuple = (u64, Vec<String>, Vec<String>, Vec<(String, Vec<String>)>);

pub fn forgotten_into(py: Python<'_>, forgotten: Forgotten) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("facts", texts(forgotten.facts))?;
    dict.set_item("kept", texts(forgotten.kept))?;
    dict.set_item("baselines", forgotten.baselines)?;
    dict.set_item("memories", forgotten.memories)?;
    dict.set_item("entities", forgotten.entities)?;
    dict.set_item("triples", forgotten.triples)?;
    Ok(dict)
}

/// Facts before and after, as Python sees them.
pub fn changes_into<'py>(py: Python<'py>, changes: &[FactChange]) -> PyResult<Vec<ChangeTuple<'py>>> {
    let change = |(before, after): &FactChange| {
        let before = before.as_ref().map(|fact| fact_into(py, fact)).transpose()?;
        Ok((before, fact_into(py, after)?))
    };
    changes.iter().map(change).collect()
}

/// Links as Python sees them.
pub fn link_tuples(links: Vec<Link>) -> Vec<LinkTuple> {
    let tuple = |link: Link| {
        (link.src.to_string(), link.dst.to_string(), link.relation.name(), link.weight, link.tick)
    };
    links.into_iter().map(tuple).collect()
}

pub fn act_into(act: Act) -> ActTuple {
    let object = |fields| serde_json::Value::Object(fields).to_string();
    let changes = act
        .changes
        .into_iter()
        .map(|change| (change.fact.to_string(), change.before.map(object), object(change.after)))
        .collect();
    (act.number, act.name, act.tick, act.at, act.undone_by, changes)
}

pub fn texts(ids: Vec<Id>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}

/// What undoing did, as Python sees it.
pub fn undone_into(undone: Undone) -> UndoneTuple {
    let kept = undone.kept.into_iter().map(|(fact, fields)| (fact.to_string(), fields)).collect();
    (undone.act, texts(undone.restored), texts(undone.withdrawn), kept)
}
