//! Attributes, texts and JSON-like values of Python to and from the core's values.

use bardo_core::model::Value;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyModule, PySequence, PyString};

use crate::errors::invalid;

/// An attribute of a dataclass, with an error that names the attribute.
pub fn field<'py, T>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let attribute = object.getattr(name)?;
    attribute.extract::<T>().map_err(|_| wrong_type(&class_of(object), &attribute, name))
}

/// The error for a field of a class whose value is of another type.
pub fn wrong_type(class: &str, attribute: &Bound<'_, PyAny>, name: &str) -> PyErr {
    let shown = attribute
        .repr()
        .map_or_else(|_| "?".into(), |repr| repr.to_string_lossy().chars().take(60).collect());
    let shown: String = shown;
    invalid(
        format!("{name} is {shown} (a {})", class_of(attribute)),
        format!("See {class} for the type and range of {name}"),
    )
}

/// Name of the class of a value.
pub fn class_of(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "?".into(), |class| class.to_string())
}

/// A string, with an error that says what of it is wrong.
pub fn text(object: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    object.extract().map_err(|_| {
        invalid(
            format!("{what} holds text that is not valid Unicode (a lone surrogate)"),
            "Decode it properly first",
        )
    })
}

/// A JSON-like Python object as a [`Value`].
pub fn value_from(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > Value::MAX_DEPTH {
        return Err(invalid(
            format!("the payload is nested deeper than {} levels", Value::MAX_DEPTH),
            "Flatten it",
        ));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(number) = object.cast::<PyInt>() {
        return number.extract().map(Value::Int).map_err(|_| {
            invalid(
                "the payload holds an integer beyond 64 bits",
                "Pass it as a string to keep every digit, or as a float to keep its size",
            )
        });
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if object.cast::<PyString>().is_ok() {
        return Ok(Value::Text(text(object, "the payload")?));
    }
    if let Ok(mapping) = object.cast::<PyMapping>() {
        let mut entries = Vec::with_capacity(mapping.len()?);
        for item in mapping.items()?.iter() {
            let (key, inner): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            if key.cast::<PyString>().is_err() {
                return Err(invalid(
                    format!("the payload has a key of type {}", key.get_type().name()?),
                    "Keys must be strings",
                ));
            }
            entries.push((text(&key, "a key of the payload")?, value_from(&inner, depth + 1)?));
        }
        return Ok(Value::Map(entries));
    }
    if let Ok(sequence) = object.cast::<PySequence>()
        && !object.is_instance_of::<pyo3::types::PyBytes>()
    {
        let items = sequence.to_list()?;
        return items
            .iter()
            .map(|item| value_from(&item, depth + 1))
            .collect::<PyResult<_>>()
            .map(Value::List);
    }
    // numpy scalars and the like turn into plain Python numbers by `.item()`.
    if let Ok(plain) = object.call_method0("item")
        && !plain.is(object)
    {
        return value_from(&plain, depth + 1);
    }
    Err(invalid(
        format!("the payload holds a {}", object.get_type().qualname()?),
        "Use None, bool, int, float, str, lists and dicts; write dates as text",
    ))
}

/// A [`Value`] as plain Python.
pub fn value_into<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Int(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => PyFloat::new(py, *number).into_any(),
        Value::Text(string) => PyString::new(py, string).into_any(),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(|item| value_into(py, item)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Map(entries) => {
            let dict = PyDict::new(py);
            for (name, inner) in entries {
                dict.set_item(name, value_into(py, inner)?)?;
            }
            dict.into_any()
        }
    })
}

fn json(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    PyModule::import(py, "json")
}

/// A value of the core out of a dictionary, by its JSON.
pub fn through_json<T: serde::de::DeserializeOwned>(object: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    let py = object.py();
    let plain = py
        .import("builtins")?
        .getattr("dict")?
        .call1((object,))
        .map_err(|_| wrong_type("Fact", object, name))?;
    let text: String = json(py)?
        .call_method1("dumps", (plain,))
        .map_err(|error| {
            if error.is_instance_of::<PyTypeError>(py) { wrong_type("Fact", object, name) } else { error }
        })?
        .extract()?;
    serde_json::from_str(&text).map_err(|error| {
        invalid(format!("{name} does not have the expected fields: {error}"), "See Fact for its shape")
    })
}

/// A value of the core as a dictionary, by its JSON.
pub fn into_json_object<'py, T: serde::Serialize>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value)
        .map_err(|error| invalid(format!("a stored value cannot be shown: {error}"), "Report this"))?;
    json(py)?.call_method1("loads", (text,))
}
