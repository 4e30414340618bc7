//! Tokenizers by name: those of the core, and those that Python registers.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bardo_core::assemble::{OtherTokenizer, Tokenizer};
use pyo3::prelude::*;

use crate::errors::{IntoPython, raise_after};

/// Tokenizers that Python brought, by name; each is kept permanently, as the built-in vocabularies are.
static OTHERS: Mutex<BTreeMap<String, &'static OtherTokenizer>> = Mutex::new(BTreeMap::new());

#[pyfunction]
pub fn register_tokenizer(name: String, count: Py<PyAny>) {
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    others.entry(name).or_insert_with_key(|name| {
        let count = move |text: &str| {
            let counted =
                Python::attach(|py| count.call1(py, (text,)).and_then(|count| count.extract::<usize>(py)));
            counted.unwrap_or_else(|error| {
                raise_after(error);
                // No text has more tokens than bytes: a prompt that is made with it stays within its budget.
                text.len()
            })
        };
        Box::leak(Box::new(OtherTokenizer { name: name.clone(), count: Box::new(count) }))
    });
}

/// A built-in tokenizer, or one that was registered.
pub fn tokenizer_named(name: &str) -> PyResult<Tokenizer> {
    let others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    match others.get(name) {
        Some(other) => Ok(Tokenizer::Other(other)),
        None => name.parse().into_python(),
    }
}
