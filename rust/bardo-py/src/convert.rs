//! The dataclasses of `bardo/model.py` to and from the core's values, and results of the core as objects of Python.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bardo_core::model::{
    Annotations, Episode, Fact, FactKind, FactPayload, FactStatus, Fingerprint, Id, Metadata, Pad, Quality,
    Source,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyModule, PyString, PyTuple};

use crate::errors::{IntoPython, invalid};
use crate::values::{class_of, field, into_json_object, through_json, value_from, value_into, wrong_type};

/// An object of Python, or the exception instead of it.
pub type Object<'py> = PyResult<Bound<'py, PyAny>>;

/// Does work of the core without the GIL, and converts its result.
pub fn run<T: IntoObject + Send>(
    py: Python<'_>,
    work: impl FnOnce() -> bardo_core::Result<T> + Send,
) -> Object<'_> {
    py.detach(work).into_python()?.into_object(py)
}

/// A value of the core that becomes an object of Python.
pub trait IntoObject {
    /// Makes the object.
    fn into_object(self, py: Python<'_>) -> Object<'_>;
}

macro_rules! plain {
    ($($type:ty),*) => {
        $(impl IntoObject for $type {
            fn into_object(self, py: Python<'_>) -> Object<'_> {
                self.into_bound_py_any(py)
            }
        })*
    };
}
plain!((), bool, u8, u32, u64, usize, i64, f64, &'static str, String, PathBuf);

macro_rules! tuple {
    ($($part:ident)*) => {
        impl<$($part: IntoObject),*> IntoObject for ($($part,)*) {
            #[allow(non_snake_case)]
            fn into_object(self, py: Python<'_>) -> Object<'_> {
                let ($($part,)*) = self;
                Ok(PyTuple::new(py, [$($part.into_object(py)?),*])?.into_any())
            }
        }
    };
}
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);
tuple!(A B C D E);
tuple!(A B C D E F);
tuple!(A B C D E F G H I);

impl IntoObject for f32 {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        widen(self).into_object(py)
    }
}

impl IntoObject for Id {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        self.to_string().into_object(py)
    }
}

impl<T: IntoObject> IntoObject for Option<T> {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        self.map_or_else(|| Ok(py.None().into_bound(py)), |value| value.into_object(py))
    }
}

impl<T: IntoObject> IntoObject for Vec<T> {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        let objects = self.into_iter().map(|value| value.into_object(py)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, objects)?.into_any())
    }
}

impl<K: IntoObject, T: IntoObject> IntoObject for BTreeMap<K, T> {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        let dict = PyDict::new(py);
        for (name, value) in self {
            dict.set_item(name.into_object(py)?, value.into_object(py)?)?;
        }
        Ok(dict.into_any())
    }
}

impl<T: IntoObject + Clone> IntoObject for Arc<T> {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        Self::unwrap_or_clone(self).into_object(py)
    }
}

impl IntoObject for Episode {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        episode_into(py, &self)
    }
}

impl IntoObject for Fact {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        fact_into(py, &self)
    }
}

/// A class of Python with a read-only attribute for each field of a struct of the core, for each expression of it (`as`),
/// and with further methods.
macro_rules! mirror {
    ($(#[$doc:meta])* $class:ident($core:ty) { $($field:ident),* }
     $(as |$it:ident| { $($derived:ident = $value:expr),* $(,)? })?
     $(impl { $($method:tt)* })?) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "bardo._core")]
        pub struct $class(pub $core);

        #[pymethods]
        impl $class {
            $(#[getter]
            fn $field<'py>(&self, py: Python<'py>) -> $crate::convert::Object<'py> {
                $crate::convert::IntoObject::into_object(self.0.$field.clone(), py)
            })*
            $($(#[getter]
            fn $derived<'py>(&self, py: Python<'py>) -> $crate::convert::Object<'py> {
                let $it = &self.0;
                $crate::convert::IntoObject::into_object($value, py)
            })*)?
            $($($method)*)?

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                let mut shown: Vec<String> = Vec::new();
                for name in [$(stringify!($field),)* $($(stringify!($derived)),*)?] {
                    shown.push(format!("{name}={}", slf.getattr(name)?.repr()?));
                }
                Ok(format!("{}({})", stringify!($class), shown.join(", ")))
            }
        }

        impl $crate::convert::IntoObject for $core {
            fn into_object(self, py: Python<'_>) -> $crate::convert::Object<'_> {
                pyo3::IntoPyObjectExt::into_bound_py_any($class(self), py)
            }
        }
    };
}
pub(crate) use mirror;

/// Values of the core that Python gets as tuples of some of their fields.
macro_rules! as_tuple {
    ($($type:ty { $($field:ident $(.$method:ident())?),* })*) => {
        $(impl $crate::convert::IntoObject for $type {
            fn into_object(self, py: Python<'_>) -> $crate::convert::Object<'_> {
                ($(self.$field $(.$method())?,)*).into_object(py)
            }
        })*
    };
}
pub(crate) use as_tuple;

/// Values of the core that Python gets as dictionaries of some of their fields.
macro_rules! as_dict {
    ($($type:ty { $($field:ident),* })*) => {
        $(impl $crate::convert::IntoObject for $type {
            fn into_object(self, py: Python<'_>) -> $crate::convert::Object<'_> {
                let dict = pyo3::types::PyDict::new(py);
                $(dict.set_item(stringify!($field), $crate::convert::IntoObject::into_object(self.$field, py)?)?;)*
                Ok(dict.into_any())
            }
        })*
    };
}
pub(crate) use as_dict;

/// An id that may be absent: the empty string asks the store to give one.
pub fn optional_id(text: &str) -> PyResult<Option<Id>> {
    if text.is_empty() { Ok(None) } else { id(text).map(Some) }
}

fn id(text: &str) -> PyResult<Id> {
    text.parse().into_python()
}

/// A `bardo.model.Episode`. The flag says whether it brought its own id.
pub fn episode_from(object: &Bound<'_, PyAny>) -> PyResult<(Episode, bool)> {
    let given_id: String = field(object, "id")?;
    let given_id = optional_id(&given_id)?;
    let role: String = field(object, "role")?;
    let mut episode = Episode {
        id: given_id.unwrap_or(Id([0; 16])),
        tick: tick(object, "tick")?,
        event_index: field(object, "event_index")?,
        at: field(object, "at")?,
        kind: field(object, "kind")?,
        role: role.parse().into_python()?,
        speaker: field(object, "speaker")?,
        text: field(object, "text")?,
        subjects: names(object, "subjects")?,
        payload: value_from(&object.getattr("payload")?, 0)?,
        thread: field(object, "thread")?,
        session: field(object, "session")?,
        mode: field(object, "mode")?,
        curiosity: field(object, "curiosity")?,
        pad: pad(object)?,
        content_hash: 0,
        annotations: Annotations {
            importance: field(object, "importance")?,
            verified: field(object, "verified")?,
            replay_count: field(object, "replay_count")?,
        },
    };
    episode.content_hash = episode.hash_content();
    Ok((episode, given_id.is_some()))
}

/// A core episode as a `bardo.model.Episode`.
pub fn episode_into<'py>(py: Python<'py>, episode: &Episode) -> Object<'py> {
    let fields = PyDict::new(py);
    fields.set_item("text", &episode.text)?;
    fields.set_item("id", episode.id.to_string())?;
    fields.set_item("tick", episode.tick)?;
    fields.set_item("event_index", episode.event_index)?;
    fields.set_item("at", episode.at)?;
    fields.set_item("kind", &episode.kind)?;
    fields.set_item("role", episode.role.name())?;
    fields.set_item("speaker", &episode.speaker)?;
    fields.set_item("subjects", PyTuple::new(py, &episode.subjects)?)?;
    fields.set_item("payload", value_into(py, &episode.payload)?)?;
    fields.set_item("thread", &episode.thread)?;
    fields.set_item("session", &episode.session)?;
    fields.set_item("mode", &episode.mode)?;
    fields.set_item("curiosity", widen(episode.curiosity))?;
    fields.set_item("importance", episode.annotations.importance.map(widen))?;
    fields.set_item("verified", episode.annotations.verified)?;
    fields.set_item("pad", pad_into(episode.pad))?;
    fields.set_item("replay_count", episode.annotations.replay_count)?;
    fields.set_item("content_hash", episode.content_hash)?;
    class(py, "Episode")?.call((), Some(&fields))
}

/// A `bardo.model.Fact`. The flag says whether it brought its own id.
pub fn fact_from(object: &Bound<'_, PyAny>) -> PyResult<(Fact, bool)> {
    let given_id: String = field(object, "id")?;
    let given_id = optional_id(&given_id)?;
    let (kind, source, status): (String, String, String) =
        (field(object, "kind")?, field(object, "source")?, field(object, "status")?);
    let optional = |name: &str| -> PyResult<Option<Id>> {
        field::<Option<String>>(object, name)?.map_or(Ok(None), |text| optional_id(&text))
    };
    let quality = object.getattr("quality")?;
    let quality = if quality.is_none() {
        None
    } else {
        Some(Quality {
            specificity: field(&quality, "specificity")?,
            actionability: field(&quality, "actionability")?,
            novelty: field(&quality, "novelty")?,
            verifiability: field(&quality, "verifiability")?,
            consistency: field(&quality, "consistency")?,
        })
    };
    let fact = Fact {
        id: given_id.unwrap_or(Id([0; 16])),
        text: field(object, "text")?,
        kind: kind.parse::<FactKind>().into_python()?,
        category: field(object, "category")?,
        subjects: names(object, "subjects")?,
        support: field(object, "support")?,
        evidence: names(object, "evidence")?.iter().map(|text| id(text)).collect::<PyResult<_>>()?,
        confidence: field(object, "confidence")?,
        importance: field(object, "importance")?,
        quality,
        created_tick: tick(object, "created_tick")?,
        created_at: field(object, "created_at")?,
        observed: field(object, "observed")?,
        reinforced_tick: tick(object, "reinforced_tick")?,
        accessed_tick: tick(object, "accessed_tick")?,
        mentions: field(object, "mentions")?,
        source: source.parse::<Source>().into_python()?,
        origin: field(object, "origin")?,
        generation: field(object, "generation")?,
        pad: pad(object)?,
        supersedes: optional("supersedes")?,
        superseded_by: optional("superseded_by")?,
        expires_tick: field(object, "expires_tick")?,
        status: status.parse::<FactStatus>().into_python()?,
        pinned: field(object, "pinned")?,
        bloodstain: field(object, "bloodstain")?,
        metadata: through_json::<Metadata>(&object.getattr("metadata")?, "metadata")?,
        payload: through_json::<FactPayload>(&object.getattr("payload")?, "payload")?,
    };
    Ok((fact, given_id.is_some()))
}

/// A core fact as a `bardo.model.Fact`.
pub fn fact_into<'py>(py: Python<'py>, fact: &Fact) -> Object<'py> {
    let fields = PyDict::new(py);
    let evidence: Vec<String> = fact.evidence.iter().map(Id::to_string).collect();
    fields.set_item("text", &fact.text)?;
    fields.set_item("id", fact.id.to_string())?;
    fields.set_item("kind", fact.kind.name())?;
    fields.set_item("category", &fact.category)?;
    fields.set_item("subjects", PyTuple::new(py, &fact.subjects)?)?;
    fields.set_item("support", fact.support)?;
    fields.set_item("evidence", PyTuple::new(py, evidence)?)?;
    fields.set_item("confidence", widen(fact.confidence))?;
    fields.set_item("importance", widen(fact.importance))?;
    if let Some(quality) = fact.quality {
        let marks = PyDict::new(py);
        marks.set_item("specificity", widen(quality.specificity))?;
        marks.set_item("actionability", widen(quality.actionability))?;
        marks.set_item("novelty", widen(quality.novelty))?;
        marks.set_item("verifiability", widen(quality.verifiability))?;
        marks.set_item("consistency", widen(quality.consistency))?;
        fields.set_item("quality", class(py, "Quality")?.call((), Some(&marks))?)?;
    }
    fields.set_item("created_tick", fact.created_tick)?;
    fields.set_item("created_at", fact.created_at)?;
    fields.set_item("observed", fact.observed)?;
    fields.set_item("reinforced_tick", fact.reinforced_tick)?;
    fields.set_item("accessed_tick", fact.accessed_tick)?;
    fields.set_item("mentions", fact.mentions)?;
    fields.set_item("source", fact.source.name())?;
    fields.set_item("origin", &fact.origin)?;
    fields.set_item("generation", fact.generation)?;
    fields.set_item("pad", pad_into(fact.pad))?;
    fields.set_item("supersedes", fact.supersedes.map(|id| id.to_string()))?;
    fields.set_item("superseded_by", fact.superseded_by.map(|id| id.to_string()))?;
    fields.set_item("expires_tick", fact.expires_tick)?;
    fields.set_item("status", fact.status.name())?;
    fields.set_item("pinned", fact.pinned)?;
    fields.set_item("bloodstain", fact.bloodstain)?;
    fields.set_item("metadata", into_json_object(py, &fact.metadata)?)?;
    fields.set_item("payload", into_json_object(py, &fact.payload)?)?;
    class(py, "Fact")?.call((), Some(&fields))
}

impl IntoObject for Fingerprint {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        let fields = PyDict::new(py);
        fields.set_item("model", self.model)?;
        fields.set_item("version", self.version)?;
        fields.set_item("preprocessing", self.preprocessing)?;
        fields.set_item("dims", self.dims)?;
        fields.set_item("created", self.created)?;
        class(py, "Fingerprint")?.call((), Some(&fields))
    }
}

fn tick(object: &Bound<'_, PyAny>, name: &str) -> PyResult<u64> {
    let attribute = object.getattr(name)?;
    // SQLite and Arrow hold signed 64-bit integers; a tick beyond that could be stored here and lost there.
    match attribute.extract::<i64>() {
        Ok(tick) if tick >= 0 => Ok(tick.unsigned_abs()),
        _ => {
            let shown = attribute.repr()?.to_string();
            Err(invalid(format!("{name} is {shown}"), "A tick is a whole number from 0 to 2**63 - 1"))
        }
    }
}

fn names(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<String>> {
    let attribute = object.getattr(name)?;
    if attribute.cast::<PyString>().is_ok() {
        return Err(invalid(
            format!("{name} is one string"),
            format!("Pass a list of strings: {name}=[...]"),
        ));
    }
    attribute.extract().map_err(|_| wrong_type(&class_of(object), &attribute, name))
}

fn pad(object: &Bound<'_, PyAny>) -> PyResult<Pad> {
    let parts: (f32, f32, f32) = field(object, "pad")?;
    Ok([parts.0, parts.1, parts.2])
}

fn pad_into(pad: Pad) -> (f64, f64, f64) {
    (widen(pad[0]), widen(pad[1]), widen(pad[2]))
}

/// A float32 as the shortest decimal that names it: 0.8 stays 0.8, not 0.800000011920929.
pub fn widen(number: f32) -> f64 {
    if number.fract() == 0.0 {
        return f64::from(number);
    }
    number.to_string().parse().unwrap_or_else(|_| f64::from(number))
}

fn class<'py>(py: Python<'py>, name: &str) -> Object<'py> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || PyModule::import(py, "bardo.model").map(Bound::unbind))?;
    module.bind(py).getattr(name)
}
