//! Methods and functions that only extract arguments, call the core without the GIL, and convert its result.
//!
//! `fn name(a: A, b: B = 1; c: C) => work;` declares one of them. Its parameters have the defaults that Python shows,
//! those after `;` are keyword-only, and `let x = value` before `=>` makes a value while the GIL is still held. The work
//! is an expression of type `bardo_core::Result`. `get name => work;` declares a read-only attribute.

/// Methods of a class; `|core|` names the field `core` of the object in their work.
macro_rules! methods {
    ($class:ident, |$core:ident| {
        $(get $attribute:ident => $read:expr;)*
        $(fn $name:ident(
            $($arg:ident: $type:ty $(= $default:tt)?),* $(; $($key:ident: $key_type:ty $(= $key_default:tt)?),+)?
        ) $(let $local:ident = $value:expr),* => $work:expr;)*
    }) => {
        #[pymethods]
        impl $class {
            $(#[getter]
            fn $attribute<'py>(&self, py: Python<'py>) -> $crate::convert::Object<'py> {
                let $core = &self.core;
                $crate::convert::run(py, || $read)
            })*
            $(#[pyo3(signature = ($($arg $(= $default)?,)* $(*, $($key $(= $key_default)?),+)?))]
            fn $name<'py>(
                &self, py: Python<'py>, $($arg: $type,)* $($($key: $key_type),+)?
            ) -> $crate::convert::Object<'py> {
                let $core = &self.core;
                $(let $local = $value;)*
                $crate::convert::run(py, || $work)
            })*
        }
    };
}
pub(crate) use methods;

/// Functions of a module.
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident(
        $($arg:ident: $type:ty $(= $default:tt)?),* $(; $($key:ident: $key_type:ty $(= $key_default:tt)?),+)?
    ) $(let $local:ident = $value:expr),* => $work:expr;)*) => {
        $($(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = ($($arg $(= $default)?,)* $(*, $($key $(= $key_default)?),+)?))]
        #[allow(clippy::elidable_lifetime_names, reason = "a parameter of a function may need the lifetime")]
        pub fn $name<'py>(
            py: Python<'py>, $($arg: $type,)* $($($key: $key_type),+)?
        ) -> $crate::convert::Object<'py> {
            $(let $local = $value;)*
            $crate::convert::run(py, || $work)
        })*
    };
}
pub(crate) use functions;
