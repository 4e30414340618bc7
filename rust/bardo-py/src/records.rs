//! The dataclasses of `bardo/model.py` to and from the core's values.

use bardo_core::model::{
    Annotations, Episode, Fact, FactKind, FactPayload, FactStatus, Fingerprint, Id, Metadata, Pad,
    Persistence, Quality, Role, Source, Statement, Value,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule, PyString, PyTuple};

use crate::convert::{IntoObject, Object, widen};
use crate::errors::{IntoPython, invalid};
use crate::values::{class_of, field, into_json_object, through_json, value_from, value_into, wrong_type};

/// An id that may be absent: the empty string asks the store to give one.
pub fn optional_id(text: &str) -> PyResult<Option<Id>> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).into_python() }
}

/// A `bardo.model.Episode`. The flag says whether it brought its own id.
pub fn episode_from(object: &Bound<'_, PyAny>) -> PyResult<(Episode, bool)> {
    let mut episode = Episode::from_attributes(object)?;
    episode.content_hash = episode.hash_content();
    let has_id = episode.id != NO_ID;
    Ok((episode, has_id))
}

/// The id of a record that brought none.
const NO_ID: Id = Id([0; 16]);

/// A struct of the core that Python has as a dataclass of the same name.
pub trait Record: Sized {
    /// Reads the attributes of the dataclass.
    fn from_attributes(object: &Bound<'_, PyAny>) -> PyResult<Self>;
    /// Makes the dataclass.
    fn to_dataclass<'py>(&self, py: Python<'py>) -> Object<'py>;
}

/// A field of a record: an attribute of the dataclass, and a keyword of its constructor.
trait Field: Sized {
    fn read(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Self>;
    fn write(&self, name: &str, keywords: &Bound<'_, PyDict>) -> PyResult<()>;
}

/// Records with the names of their fields; a field after `;` is not read, but has a value to begin with.
macro_rules! records {
    ($($record:ident { $($field:ident),* $(; $written:ident = $value:expr)? })*) => {
        $(impl Record for $record {
            fn from_attributes(object: &Bound<'_, PyAny>) -> PyResult<Self> {
                Ok(Self { $($field: Field::read(object, stringify!($field))?,)* $($written: $value)? })
            }

            fn to_dataclass<'py>(&self, py: Python<'py>) -> Object<'py> {
                let keywords = PyDict::new(py);
                $(self.$field.write(stringify!($field), &keywords)?;)*
                $(keywords.set_item(stringify!($written), self.$written)?;)?
                class(py, stringify!($record))?.call((), Some(&keywords))
            }
        }

        impl IntoObject for $record {
            fn into_object(self, py: Python<'_>) -> Object<'_> {
                self.to_dataclass(py)
            }
        })*
    };
}
records! {
    Episode {
        id, tick, event_index, at, kind, role, speaker, text, subjects, payload, thread, session, mode, curiosity, pad,
        annotations; content_hash = 0
    }
    Fact {
        id, text, kind, category, subjects, support, evidence, confidence, importance, quality, created_tick, created_at,
        observed, reinforced_tick, accessed_tick, mentions, source, origin, generation, pad, supersedes, superseded_by,
        expires_tick, status, pinned, bloodstain, metadata, payload, statement, persistence, ended_by
    }
    Statement { subject, attribute, value, denied, condition, since, until, functional }
    Fingerprint { model, version, preprocessing, dims, created }
    Quality { specificity, actionability, novelty, verifiability, consistency }
}

/// Types of fields: the value of an attribute, and the object of a value.
macro_rules! fields {
    ($($type:ty: |$object:ident, $name:ident| $read:expr, |$py:ident, $value:ident| $write:expr;)*) => {
        $(impl Field for $type {
            fn read($object: &Bound<'_, PyAny>, $name: &str) -> PyResult<Self> {
                $read
            }

            fn write(&self, name: &str, keywords: &Bound<'_, PyDict>) -> PyResult<()> {
                let ($py, $value) = (keywords.py(), self);
                keywords.set_item(name, $write)
            }
        })*
    };
}

macro_rules! plain_fields {
    ($($type:ty),*) => {
        fields!($($type: |object, name| field(object, name), |py, value| value.into_bound_py_any(py)?;)*);
    };
}
plain_fields!(bool, u32, i64, (u64, u64), Option<u64>, Option<i64>, String, Option<String>);

macro_rules! named_fields {
    ($($type:ty),*) => {
        fields!($($type: |object, name| field::<String>(object, name)?.parse().into_python(), |_py, value| value.name();)*);
    };
}
named_fields!(FactKind, FactStatus, Role, Source);

fields! {
    u64: |object, name| tick_from(&object.getattr(name)?, name), |_py, value| value;
    f32: |object, name| field(object, name), |_py, value| widen(*value);
    Option<f32>: |object, name| field(object, name), |_py, value| value.map(widen);
    Pad: |object, name| field::<(f32, f32, f32)>(object, name).map(<[f32; 3]>::from), |_py, value| (widen(value[0]), widen(value[1]), widen(value[2]));
    Vec<String>: |object, name| names(object, name), |py, value| PyTuple::new(py, value)?;
    Vec<Id>: |object, name| names(object, name)?.iter().map(|text| text.parse().into_python()).collect(),
        |py, value| PyTuple::new(py, value.iter().map(Id::to_string))?;
    Id: |object, name| Ok(optional_id(&field::<String>(object, name)?)?.unwrap_or(NO_ID)), |_py, value| value.to_string();
    Option<Id>: |object, name| optional_id(&field::<Option<String>>(object, name)?.unwrap_or_default()),
        |_py, value| value.as_ref().map(Id::to_string);
    Option<Quality>: |object, name| {
        let quality = object.getattr(name)?;
        if quality.is_none() { Ok(None) } else { Quality::from_attributes(&quality).map(Some) }
    }, |py, value| value.map(|quality| quality.to_dataclass(py)).transpose()?;
    Option<Statement>: |object, name| {
        let statement = object.getattr(name)?;
        if statement.is_none() { Ok(None) } else { Statement::from_attributes(&statement).map(Some) }
    }, |py, value| value.as_ref().map(|statement| statement.to_dataclass(py)).transpose()?;
    Option<Persistence>: |object, name| {
        field::<Option<String>>(object, name)?.map(|text| text.parse().into_python()).transpose()
    }, |_py, value| value.map(Persistence::name);
    Value: |object, name| value_from(&object.getattr(name)?, 0), |py, value| value_into(py, value)?;
    Metadata: |object, name| through_json(&object.getattr(name)?, name), |py, value| into_json_object(py, value)?;
    FactPayload: |object, name| through_json(&object.getattr(name)?, name), |py, value| into_json_object(py, value)?;
}

/// Annotations are attributes of the episode itself.
impl Field for Annotations {
    fn read(object: &Bound<'_, PyAny>, _name: &str) -> PyResult<Self> {
        Ok(Self {
            importance: Field::read(object, "importance")?,
            verified: Field::read(object, "verified")?,
            replay_count: Field::read(object, "replay_count")?,
        })
    }

    fn write(&self, _name: &str, keywords: &Bound<'_, PyDict>) -> PyResult<()> {
        self.importance.write("importance", keywords)?;
        self.verified.write("verified", keywords)?;
        self.replay_count.write("replay_count", keywords)
    }
}

/// A tick: SQLite and Arrow hold signed 64-bit integers, so one beyond that could be stored here and lost there.
pub fn tick_from(object: &Bound<'_, PyAny>, name: &str) -> PyResult<u64> {
    match object.extract::<i64>() {
        Ok(tick) if tick >= 0 => Ok(tick.unsigned_abs()),
        _ => {
            let shown = object.repr()?.to_string();
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

fn class<'py>(py: Python<'py>, name: &str) -> Object<'py> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || PyModule::import(py, "bardo.model").map(Bound::unbind))?;
    module.bind(py).getattr(name)
}
