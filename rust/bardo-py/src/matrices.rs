//! Matrices of vectors on their way into the core, with the model that made them.

use bardo_core::model::Fingerprint;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::convert::fingerprint_from;
use crate::errors::to_python;

/// A matrix whose rows lie one after the other, and their length.
pub struct Matrix {
    flat: Vec<f32>,
    columns: usize,
    count: usize,
}

/// Vectors as the core takes them: with the model that made them, or none at all.
pub fn with_model(
    vectors: Option<&Bound<'_, PyAny>>,
    fingerprint: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<(Matrix, Fingerprint)>> {
    match (vectors, fingerprint) {
        (None, _) => Ok(None),
        (Some(_), None) => Err(vector_error("vectors without a fingerprint", "Pass both")),
        (Some(vectors), Some(fingerprint)) => Ok(Some((matrix(vectors)?, fingerprint_from(fingerprint)?))),
    }
}

pub fn matrix(object: &Bound<'_, PyAny>) -> PyResult<Matrix> {
    let array: PyReadonlyArray2<'_, f32> =
        object.extract().map_err(|_| shape_error("a float32 array of shape (n, dims)"))?;
    let flat = crate::convert::rows(&array, "vectors")?.to_vec();
    Ok(Matrix { flat, columns: array.shape()[1], count: array.shape()[0] })
}

pub fn rows(matrix: &Matrix) -> Vec<&[f32]> {
    (0..matrix.count).map(|row| &matrix.flat[row * matrix.columns..(row + 1) * matrix.columns]).collect()
}

pub fn shape_error(wanted: &str) -> PyErr {
    vector_error(
        &format!("the vectors are not {wanted}"),
        "Use numpy.ascontiguousarray(vectors, numpy.float32)",
    )
}

fn vector_error(what: &str, hint: &str) -> PyErr {
    to_python(&bardo_core::Error::vector(what, hint))
}
