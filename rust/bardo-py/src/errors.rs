//! The core's one error enum as the Python classes of `bardo/errors.py`.

use std::cell::RefCell;

use bardo_core::Error;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyModule, PyType};

/// The Python exception for an error of the core.
pub fn to_python(error: &Error) -> PyErr {
    let class = match error {
        Error::InvalidInput { .. } => "InvalidInputError",
        Error::InvalidVector { .. } => "InvalidVectorError",
        Error::DecreasingTick { .. } => "DecreasingTickError",
        Error::NotFound { .. } => "NotFoundError",
        Error::Forgotten { .. } => "ForgottenError",
        Error::StoreLocked { .. } => "StoreLockedError",
        Error::StoreBusy { .. } => "StoreBusyError",
        Error::StoreFull { .. } => "StoreFullError",
        Error::StoreReadOnly { .. } => "StoreReadOnlyError",
        Error::StoreDamaged { .. } => "StoreDamagedError",
        Error::JournalLost { .. } => "JournalLostError",
        Error::StoreTooNew { .. } => "StoreTooNewError",
        Error::StoreForeign { .. } => "StoreForeignError",
        Error::StoreUnavailable { .. } => "StoreUnavailableError",
        Error::EmbeddingMismatch { .. } => "EmbeddingMismatchError",
        Error::BudgetTooSmall { .. } => "BudgetTooSmallError",
    };
    Python::attach(|py| match exception_class(py, class) {
        Ok(class) => PyErr::from_type(class, error.to_string()),
        Err(import_failure) => import_failure,
    })
}

/// Whether an exception says that vectors of two models met.
pub fn is_of_model(error: &PyErr) -> bool {
    Python::attach(|py| {
        let is_of = |class| exception_class(py, class).is_ok_and(|class| error.is_instance(py, &class));
        is_of("InvalidVectorError") || is_of("EmbeddingMismatchError")
    })
}

/// An `InvalidInputError` raised while arguments are still being read.
pub fn invalid(what: impl Into<String>, hint: impl Into<String>) -> PyErr {
    to_python(&Error::invalid(what, hint))
}

/// An `InvalidVectorError` raised while arguments are still being read.
pub fn invalid_vector(what: impl Into<String>, hint: impl Into<String>) -> PyErr {
    to_python(&Error::vector(what, hint))
}

thread_local! {
    /// The exception that code of Python raised while the core called it on this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Keeps an exception until the call of the core returns.
pub fn raise_after(error: PyErr) {
    RAISED.set(Some(error));
}

/// A result of the core, unless code of Python that it called raised an exception.
pub fn unless_raised<T>(result: T) -> PyResult<T> {
    RAISED.take().map_or(Ok(result), Err)
}

/// Turns a result of the core into a result of Python.
pub trait IntoPython<T> {
    /// Maps the error to its Python class.
    fn into_python(self) -> PyResult<T>;
}

impl<T> IntoPython<T> for bardo_core::Result<T> {
    fn into_python(self) -> PyResult<T> {
        self.map_err(|error| to_python(&error))
    }
}

fn exception_class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || PyModule::import(py, "bardo.errors").map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?)
}
