//! Arguments of Python that the core takes in another form.

use std::str::FromStr;
use std::sync::Arc;

use bardo_core::capture::{NewEpisode, VectorBatch};
use bardo_core::facts::FactVectors;
use bardo_core::model::{Episode, Fact, Fingerprint, Id, Statement};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{IntoPython, invalid, invalid_vector};
use crate::records::{Record, episode_from};
use crate::values::text;

/// A value of the core that Python writes as text: an id, a kind, a status.
pub struct Parsed<T>(pub T);

impl<T: FromStr<Err = bardo_core::Error>> FromPyObject<'_, '_> for Parsed<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        object.extract::<String>()?.parse().map(Self).into_python()
    }
}

/// The value of the core in an optional argument.
pub fn inner<T>(parsed: Option<Parsed<T>>) -> Option<T> {
    parsed.map(|Parsed(value)| value)
}

/// Types that are made of one object of Python.
macro_rules! extracted {
    ($($(#[$doc:meta])* $class:ident($inner:ty): |$object:ident| $read:expr;)*) => {
        $($(#[$doc])*
        pub struct $class(pub $inner);

        impl FromPyObject<'_, '_> for $class {
            type Error = PyErr;

            fn extract($object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                $read.map(Self)
            }
        })*
    };
}
pub(crate) use extracted;

extracted! {
    /// A list of ids.
    Ids(Vec<Id>): |object| {
        let texts: Vec<String> = object.extract()?;
        texts.iter().map(|text| text.parse().into_python()).collect::<PyResult<_>>()
    };
    /// A `bardo.model.Fact`.
    NewFact(Fact): |object| Fact::from_attributes(&object);
    /// Any number of `bardo.model.Fact`.
    Facts(Vec<Fact>): |object| object.try_iter()?.map(|fact| Fact::from_attributes(&fact?)).collect::<PyResult<_>>();
    /// Any number of `bardo.model.Episode`, and whether each brought its own id.
    Episodes(Vec<(Episode, bool)>): |object| object.try_iter()?.map(|one| episode_from(&one?)).collect::<PyResult<_>>();
    /// A `bardo.model.Statement`.
    GivenStatement(Statement): |object| Statement::from_attributes(&object);
    /// A text.
    Text(String): |object| text_of(&object, "the text");
    /// A text of several.
    ListedText(String): |object| text_of(&object, "a text");
    /// A question.
    Question(String): |object| text_of(&object, "the question");
    /// A block of a prompt.
    PromptBlock(String): |object| text_of(&object, "the block");
    /// A `bardo.model.Fingerprint`.
    Model(Fingerprint): |object| Fingerprint::from_attributes(&object);
}

impl Episodes {
    /// The episodes as a log records them.
    pub fn drafts(self) -> Vec<NewEpisode> {
        let drafts = self.0.into_iter();
        drafts.map(|(episode, has_id)| NewEpisode { episode, has_id, own_tick: true }).collect()
    }

    /// The same, if each has an id.
    pub fn with_ids(self) -> PyResult<Vec<Arc<Episode>>> {
        if let Some((episode, _)) = self.0.iter().find(|(_, has_id)| !has_id) {
            let shown: String = episode.text.chars().take(40).collect();
            let what = format!("the episode {shown:?} has no id");
            return Err(invalid(what, "Record it first: the store gives it one"));
        }
        Ok(self.shared())
    }

    /// The episodes as the hot set shares them.
    pub fn shared(self) -> Vec<Arc<Episode>> {
        self.0.into_iter().map(|(episode, _)| Arc::new(episode)).collect()
    }
}

/// A float32 array of shape (rows, dims) whose rows lie one after the other.
pub struct Matrix<'py>(PyReadonlyArray2<'py, f32>);

impl<'py> FromPyObject<'_, 'py> for Matrix<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<PyReadonlyArray2<'py, f32>>() {
            // A slice is also given of columns that lie one after the other.
            Ok(array) if array.is_c_contiguous() && array.as_slice().is_ok() => Ok(Self(array)),
            Ok(_) => Err(invalid_vector(
                "an array of vectors is not contiguous by rows",
                "Pass numpy.ascontiguousarray(vectors)",
            )),
            Err(_) => Err(not_an_array(&object, "(rows, dims)")),
        }
    }
}

impl Matrix<'_> {
    /// The numbers, row by row.
    pub fn numbers(&self) -> &[f32] {
        self.0.as_slice().unwrap_or_default()
    }

    /// Each row.
    pub fn rows(&self) -> Vec<&[f32]> {
        (0..self.len()).map(|row| &self.numbers()[row * self.dims()..][..self.dims()]).collect()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.0.shape()[0]
    }

    /// Length of a row.
    pub fn dims(&self) -> usize {
        self.0.shape()[1]
    }
}

/// A float32 array of shape (dims,).
pub struct Vector<'py>(PyReadonlyArray1<'py, f32>);

impl<'py> FromPyObject<'_, 'py> for Vector<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<PyReadonlyArray1<'py, f32>>() {
            Ok(array) if array.as_slice().is_ok() => Ok(Self(array)),
            Ok(_) => {
                Err(invalid_vector("a vector is not contiguous", "Pass numpy.ascontiguousarray(vector)"))
            }
            Err(_) => Err(not_an_array(&object, "(dims,)")),
        }
    }
}

impl Vector<'_> {
    /// The components.
    pub fn numbers(&self) -> &[f32] {
        self.0.as_slice().unwrap_or_default()
    }
}

/// Vectors of facts, with the model that made them.
pub struct ModelVectors<'vectors> {
    rows: Vec<&'vectors [f32]>,
    model: &'vectors Fingerprint,
}

impl<'vectors> ModelVectors<'vectors> {
    /// Vectors that came with their model; none where no vectors came.
    pub fn new(
        vectors: Option<&'vectors Matrix<'_>>,
        model: Option<&'vectors Model>,
    ) -> PyResult<Option<Self>> {
        match (vectors, model) {
            (None, _) => Ok(None),
            (Some(_), None) => Err(invalid_vector("vectors without a fingerprint", "Pass both")),
            (Some(vectors), Some(model)) => Ok(Some(Self { rows: vectors.rows(), model: &model.0 })),
        }
    }

    /// The same, as the core takes them.
    pub fn lend(&self) -> FactVectors<'_> {
        FactVectors { rows: &self.rows, fingerprint: self.model }
    }
}

/// Vectors of several episodes: of their texts, of their sentences, and the codes of their tokens.
pub fn batch_from(
    whole: &Matrix<'_>,
    sentences: Option<&Matrix<'_>>,
    counts: Vec<usize>,
    tokens: Option<Vec<Vec<u8>>>,
) -> PyResult<VectorBatch> {
    let dims = whole.dims();
    if sentences.is_some_and(|sentences| sentences.len() > 0 && sentences.dims() != dims) {
        return Err(invalid("whole and sentences have different dimensions", "Embed both with one model"));
    }
    let sentences = sentences.map(|sentences| sentences.numbers().to_vec()).unwrap_or_default();
    let whole = whole.numbers().to_vec();
    Ok(VectorBatch { whole, sentences, counts, dims, tokens: tokens.unwrap_or_default() })
}

fn not_an_array(object: &Bound<'_, PyAny>, shape: &str) -> PyErr {
    let kind = object.get_type().name().map_or_else(|_| "?".into(), |kind| kind.to_string());
    invalid_vector(
        format!("the vectors are not an array of the right type (a {kind})"),
        format!("Pass a float32 array of shape {shape}: numpy.ascontiguousarray(x, numpy.float32)"),
    )
}

/// A string, with an error that names it.
fn text_of(object: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    object.cast::<PyString>()?;
    text(object, what)
}
