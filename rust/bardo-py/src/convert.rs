//! Results of the core as objects of Python.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bardo_core::model::Id;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::errors::{IntoPython, unless_raised};

/// An object of Python, or the exception instead of it.
pub type Object<'py> = PyResult<Bound<'py, PyAny>>;

/// Does work of the core without the GIL, and converts its result.
pub fn run<T: IntoObject + Send>(
    py: Python<'_>,
    work: impl FnOnce() -> bardo_core::Result<T> + Send,
) -> Object<'_> {
    unless_raised(py.detach(work))?.into_python()?.into_object(py)
}

/// A value of the core that becomes an object of Python.
pub trait IntoObject {
    /// Makes the object.
    fn into_object(self, py: Python<'_>) -> Object<'_>;
}

/// Values that `PyO3` converts itself: plain ones, and classes.
macro_rules! as_object {
    ($($type:ty),*) => {
        $(impl $crate::convert::IntoObject for $type {
            fn into_object(self, py: Python<'_>) -> $crate::convert::Object<'_> {
                pyo3::IntoPyObjectExt::into_bound_py_any(self, py)
            }
        })*
    };
}
pub(crate) use as_object;
as_object!((), bool, u8, u32, u64, usize, i64, f64, &'static str, String, PathBuf);

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

/// A slice becomes a tuple: a value that does not change.
impl<T: IntoObject> IntoObject for Box<[T]> {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        let objects = self.into_iter().map(|value| value.into_object(py)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(py, objects)?.into_any())
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

/// A float32 as the shortest decimal that names it: 0.8 stays 0.8, not 0.800000011920929.
pub fn widen(number: f32) -> f64 {
    if number.fract() == 0.0 {
        return f64::from(number);
    }
    number.to_string().parse().unwrap_or_else(|_| f64::from(number))
}
