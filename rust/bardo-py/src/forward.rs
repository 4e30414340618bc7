//! Methods and functions that only extract arguments, call the core without the GIL, and convert its result.
//!
//! `fn name(a: A, b: B = 1; c: C) => work;` declares one of them. Its parameters have the defaults that Python shows,
//! those after `;` are keyword-only, and `let x = value` before `=>` makes a value while the GIL is still held. The work
//! is an expression of type `bardo_core::Result`. `get name => work;` declares a read-only attribute. `new` declares the
//! constructor, whose work makes the field `core`.

/// Methods of a class; `|core|` names the field `core` of the object in their work.
macro_rules! methods {
    ($class:ident, |$core:ident| {
        $(new(
            $($new_arg:ident: $new_type:ty $(= $new_default:tt)?),*
            $(; $($new_key:ident: $new_key_type:ty $(= $new_key_default:tt)?),+)?
        ) $(let $new_local:ident = $new_value:expr),* => $new:expr;)?
        $(get $attribute:ident => $read:expr;)*
        $(fn $name:ident(
            $($arg:ident: $type:ty $(= $default:tt)?),* $(; $($key:ident: $key_type:ty $(= $key_default:tt)?),+)?
        ) $(let $local:ident = $value:expr),* => $work:expr;)*
    }) => {
        #[pymethods]
        impl $class {
            $(#[new]
            #[pyo3(signature = ($($new_arg $(= $new_default)?,)* $(*, $($new_key $(= $new_key_default)?),+)?))]
            fn new(
                py: Python<'_>, $($new_arg: $new_type,)* $($($new_key: $new_key_type),+)?
            ) -> PyResult<Self> {
                $(let $new_local = $new_value;)*
                Ok(Self { core: $crate::errors::IntoPython::into_python(py.detach(|| $new))? })
            })?

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
