//! The assemble stage for Python: token counts, prompts, and the framing of memories.

#![expect(clippy::needless_pass_by_value, reason = "extracted arguments are owned")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use bardo_core::assemble::{
    Assembled, Block, Condenser, Content, Mark, MarkKind, MemorySource, MemoryText, OtherTokenizer, Part,
    Phase, Place, Profile, Request, Task, Tokenizer, WordModel, assemble_condensed as put_together, compress,
    copied_starts as find_starts, frame_memory as frame, marks, neutralise as make_inert,
    standard_blocks as table, strip_copies as strip,
};
use bardo_core::{Error, Result};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyString};

use crate::convert::{field, value_from};
use crate::errors::{IntoPython, invalid};

#[pyfunction]
#[pyo3(signature = (text, tokenizer = "o200k"))]
pub fn count_tokens(py: Python<'_>, text: &Bound<'_, PyString>, tokenizer: &str) -> PyResult<usize> {
    let tokenizer = tokenizer_named(tokenizer)?;
    let text = unicode(text, "the text")?;
    counted(py.detach(|| tokenizer.count(&text)))
}

#[pyfunction]
#[pyo3(signature = (texts, tokenizer = "o200k"))]
pub fn count_tokens_batch(
    py: Python<'_>,
    texts: Vec<Bound<'_, PyString>>,
    tokenizer: &str,
) -> PyResult<Vec<usize>> {
    let tokenizer = tokenizer_named(tokenizer)?;
    let texts = texts.iter().map(|text| unicode(text, "a text")).collect::<PyResult<Vec<_>>>()?;
    counted(py.detach(|| texts.iter().map(|text| tokenizer.count(text)).collect()))
}

#[pyfunction]
#[pyo3(signature = (blocks, *, budget, reserve, tokenizer = "o200k", phase = "thriving", task = None, profile = "briefing", model = None, question = None))]
#[expect(clippy::too_many_arguments, reason = "keyword-only options of the Python call")]
pub fn assemble(
    py: Python<'_>,
    blocks: &Bound<'_, PyAny>,
    budget: usize,
    reserve: Option<usize>,
    tokenizer: &str,
    phase: &str,
    task: Option<&str>,
    profile: &str,
    model: Option<&Bound<'_, PyWordModel>>,
    question: Option<&Bound<'_, PyString>>,
) -> PyResult<PyAssembled> {
    let request = Request {
        budget,
        reserve,
        tokenizer: tokenizer_named(tokenizer)?,
        phase: phase.parse::<Phase>().into_python()?,
        task: task.map(str::parse::<Task>).transpose().into_python()?,
        profile: profile.parse::<Profile>().into_python()?,
    };
    let failure = Failure::default();
    let blocks =
        blocks.try_iter()?.map(|block| block_from(&block?, &failure)).collect::<PyResult<Vec<_>>>()?;
    let question = question.map_or(Ok(String::new()), |question| unicode(question, "the question"))?;
    let model = model.map(Bound::get);
    let assembled = py.detach(|| {
        let model = model.map(PyWordModel::read);
        let condenser = model.as_deref().map(|model| Condenser { model, question: &question });
        put_together(&blocks, &request, condenser)
    });
    match failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error),
        None => counted(assembled)?.into_python().map(PyAssembled),
    }
}

#[pyfunction]
pub fn frame_memory(memory: &Bound<'_, PyAny>, tags: Vec<String>) -> PyResult<String> {
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    Ok(frame(&memory_from(memory)?, &tags))
}

#[pyfunction]
pub fn neutralise(text: &Bound<'_, PyString>, tags: Vec<String>) -> PyResult<(String, Vec<&'static str>)> {
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    let inert = make_inert(&unicode(text, "the text")?, &tags);
    Ok((inert.text, inert.flags.iter().map(|flag| flag.name()).collect()))
}

/// A mark as it is kept: hash of its words and of its first words, their number, and its kind.
type KeptMark = (i64, i64, usize, u8);

#[pyfunction]
pub fn prompt_marks(py: Python<'_>, block: &Bound<'_, PyString>) -> PyResult<Vec<KeptMark>> {
    let block = unicode(block, "the block")?;
    let kept = |mark: Mark| (mark.hash.cast_signed(), mark.start.cast_signed(), mark.words, mark.kind as u8);
    Ok(py.detach(|| marks(&block).into_iter().map(kept).collect()))
}

#[pyfunction]
pub fn copied_starts(py: Python<'_>, text: &Bound<'_, PyString>) -> Vec<i64> {
    // A lone surrogate is refused by whoever stores the text.
    let text = text.to_string_lossy();
    py.detach(|| find_starts(&text).into_iter().map(u64::cast_signed).collect())
}

#[pyfunction]
pub fn strip_copies(
    py: Python<'_>,
    text: &Bound<'_, PyString>,
    marks: Vec<KeptMark>,
) -> PyResult<(String, usize, Vec<i64>)> {
    let text = unicode(text, "the text")?;
    let given = |(hash, start, words, kind): KeptMark| Mark {
        hash: hash.cast_unsigned(),
        start: start.cast_unsigned(),
        words,
        kind: match kind {
            0 => MarkKind::Text,
            1 => MarkKind::Frame,
            2 => MarkKind::Section,
            _ => MarkKind::Tag,
        },
    };
    let marks: Vec<Mark> = marks.into_iter().map(given).collect();
    let stripped = py.detach(|| strip(&text, &marks));
    let found = stripped.marks.into_iter().map(u64::cast_signed).collect();
    Ok((stripped.text, stripped.passages, found))
}

/// Self-information of words, learned from the agent's own text, and texts shortened by it.
#[pyclass(frozen, name = "WordModel", module = "bardo._core")]
pub struct PyWordModel(RwLock<WordModel>);

#[pymethods]
impl PyWordModel {
    #[new]
    fn new() -> Self {
        Self(RwLock::default())
    }

    fn learn(&self, py: Python<'_>, texts: Vec<Bound<'_, PyString>>) -> PyResult<u64> {
        let texts = texts.iter().map(|text| unicode(text, "a text")).collect::<PyResult<Vec<_>>>()?;
        Ok(py.detach(|| {
            let mut model = self.0.write().unwrap_or_else(PoisonError::into_inner);
            for text in &texts {
                model.learn(text);
            }
            model.texts()
        }))
    }

    #[getter]
    fn texts(&self) -> u64 {
        self.read().texts()
    }

    fn __len__(&self) -> usize {
        self.read().len()
    }

    fn surprise(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Vec<f64>> {
        let text = unicode(text, "the text")?;
        Ok(py.detach(|| self.read().surprise(&text)))
    }

    #[pyo3(signature = (text, share, *, question = None, tokenizer = "o200k"))]
    fn compress(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        share: f64,
        question: Option<&Bound<'_, PyString>>,
        tokenizer: &str,
    ) -> PyResult<(String, usize, usize)> {
        let text = unicode(text, "the text")?;
        let question = question.map_or(Ok(String::new()), |question| unicode(question, "the question"))?;
        let tokenizer = tokenizer_named(tokenizer)?;
        let shortened =
            py.detach(|| compress(&text, &question, share, &self.read(), tokenizer)).into_python()?;
        counted((shortened.text, shortened.tokens, shortened.before))
    }
}

impl PyWordModel {
    fn read(&self) -> RwLockReadGuard<'_, WordModel> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tag, base tokens, priority, protected and place of the standard blocks.
#[pyfunction]
pub fn standard_blocks() -> Vec<(&'static str, usize, u8, bool, &'static str)> {
    table().iter().map(|s| (s.tag, s.tokens, s.priority, s.protected, place_name(s.place))).collect()
}

/// Tokenizers that Python brought, by name; each is kept for good, as the built-in vocabularies are.
static OTHERS: Mutex<BTreeMap<String, &'static OtherTokenizer>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// What a tokenizer of Python's raised while the core counted on this thread.
    static COUNT_FAILED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

#[pyfunction]
pub fn register_tokenizer(name: String, count: Py<PyAny>) {
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    others.entry(name).or_insert_with_key(|name| {
        let count = move |text: &str| {
            let counted =
                Python::attach(|py| count.call1(py, (text,)).and_then(|count| count.extract::<usize>(py)));
            counted.unwrap_or_else(|error| {
                COUNT_FAILED.set(Some(error));
                // No text has more tokens than bytes: whatever is made of this stays within its budget.
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

/// A result, unless a tokenizer of Python's failed on the way to it.
pub fn counted<T>(result: T) -> PyResult<T> {
    COUNT_FAILED.take().map_or(Ok(result), Err)
}

/// What the core put together.
#[pyclass(frozen, name = "Assembled", module = "bardo._core")]
pub struct PyAssembled(Assembled);

#[pymethods]
impl PyAssembled {
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    #[getter]
    fn tokens(&self) -> usize {
        self.0.tokens
    }

    #[getter]
    fn reserve(&self) -> usize {
        self.0.reserve
    }

    #[getter]
    fn window(&self) -> usize {
        self.0.window
    }

    #[getter]
    fn id(&self) -> &str {
        &self.0.id
    }

    #[getter]
    fn parts(&self) -> Vec<PyPart> {
        self.0.parts.iter().cloned().map(PyPart).collect()
    }
}

/// What became of one block.
#[pyclass(frozen, name = "AssembledPart", module = "bardo._core")]
pub struct PyPart(Part);

#[pymethods]
impl PyPart {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    #[getter]
    fn used(&self) -> usize {
        self.0.used
    }

    #[getter]
    fn asked(&self) -> usize {
        self.0.asked
    }

    #[getter]
    fn given(&self) -> usize {
        self.0.given
    }

    #[getter]
    fn cut(&self) -> bool {
        self.0.cut
    }

    #[getter]
    fn shown(&self) -> Vec<usize> {
        self.0.shown.clone()
    }

    #[getter]
    fn shortened(&self) -> Vec<usize> {
        self.0.shortened.clone()
    }

    #[getter]
    fn left_out(&self) -> usize {
        self.0.left_out
    }

    #[getter]
    fn condensed(&self) -> Option<f64> {
        self.0.condensed
    }

    #[getter]
    fn flags(&self) -> Vec<&'static str> {
        self.0.flags.iter().map(|flag| flag.name()).collect()
    }
}

/// A `bardo.assemble.context.Block`: what is `None` there takes the value of the table.
fn block_from(object: &Bound<'_, PyAny>, failure: &Failure) -> PyResult<Block> {
    let name: String = field(object, "name")?;
    let (text, rows, memories) =
        (object.getattr("content")?, object.getattr("rows")?, object.getattr("memories")?);
    let content = if !memories.is_none() {
        Content::Memories(Arc::new(PyMemories::new(&memories, failure)?))
    } else if !rows.is_none() {
        Content::Rows(rows.try_iter()?.map(|row| value_from(&row?, 0)).collect::<PyResult<_>>()?)
    } else {
        Content::Text(
            field(object, "content")
                .map_err(|error| if text.is_none() { no_content(&name) } else { error })?,
        )
    };
    let mut block = Block::new(name, content);
    if let Some(tag) = field::<Option<String>>(object, "tag")? {
        block.tag = tag;
    }
    if let Some(priority) = field::<Option<u8>>(object, "priority")? {
        block.priority = priority;
    }
    if let Some(protected) = field::<Option<bool>>(object, "protected")? {
        block.protected = protected;
    }
    if let Some(trusted) = field::<Option<bool>>(object, "trusted")? {
        block.trusted = trusted;
    }
    if let Some(place) = field::<Option<String>>(object, "place")? {
        block.place = place_from(&place)?;
    }
    block.cap = field(object, "cap")?;
    // Memories ranked best first lose more by it than by leaving out the last (docs/concepts/prompts.md).
    block.condense =
        field(object, "condense")? && !matches!(block.content, Content::Memories(_)) && !block.trusted;
    Ok(block)
}

/// The exception that reading a memory raised, on its way past the core.
type Failure = Arc<Mutex<Option<PyErr>>>;

/// A sequence of `bardo.recall.recollection.Memory`, read as far as there is room for them.
struct PyMemories {
    memories: Py<PySequence>,
    count: usize,
    failure: Failure,
}

impl PyMemories {
    fn new(memories: &Bound<'_, PyAny>, failure: &Failure) -> PyResult<Self> {
        let memories = memories.cast::<PySequence>()?;
        Ok(Self { count: memories.len()?, memories: memories.clone().unbind(), failure: Arc::clone(failure) })
    }
}

impl MemorySource for PyMemories {
    fn count(&self) -> usize {
        self.count
    }

    fn load(&self, from: usize, to: usize) -> Result<Vec<MemoryText>> {
        Python::attach(|py| {
            let memories = self.memories.bind(py);
            let read: PyResult<_> = (from..to).map(|index| memory_from(&memories.get_item(index)?)).collect();
            read.map_err(|error| {
                let reason = error.to_string();
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Error::invalid(
                    format!("a memory cannot be read: {reason}"),
                    "See bardo.assemble.blocks.Recalled",
                )
            })
        })
    }
}

/// A `bardo.recall.recollection.Memory`; the speaker is that of its record.
fn memory_from(object: &Bound<'_, PyAny>) -> PyResult<MemoryText> {
    let py = object.py();
    let record = object.getattr(intern!(py, "record"))?;
    let speaker = match record.getattr_opt(intern!(py, "speaker"))? {
        Some(_) => read::<Option<String>>(&record, intern!(py, "speaker"))?,
        None => None,
    };
    let subjects = match record.getattr_opt(intern!(py, "subjects"))? {
        Some(_) => read::<Vec<String>>(&record, intern!(py, "subjects"))?,
        None => Vec::new(),
    };
    let thread = match record.getattr_opt(intern!(py, "thread"))? {
        Some(_) => read::<Option<String>>(&record, intern!(py, "thread"))?,
        None => None,
    };
    Ok(MemoryText {
        subjects: subjects.iter().map(|subject| subject.to_lowercase()).collect(),
        thread: thread.unwrap_or_default(),
        text: read(object, intern!(py, "text"))?,
        at: read(object, intern!(py, "at"))?,
        tick: read(object, intern!(py, "tick"))?,
        source: read(object, intern!(py, "source"))?,
        speaker: speaker.unwrap_or_default(),
        confidence: read(object, intern!(py, "confidence"))?,
        inherited: read(object, intern!(py, "inherited"))?,
    })
}

/// As [`field`], for the many attributes of many memories: the name is made once.
fn read<'py, T>(object: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    match object.getattr(name)?.extract::<T>() {
        Ok(value) => Ok(value),
        Err(_) => field(object, name.to_str()?),
    }
}

fn no_content(name: &str) -> PyErr {
    invalid(
        format!("block {name:?} has no content"),
        "Give it content, rows or memories; leave the block out if there is nothing",
    )
}

fn place_from(name: &str) -> PyResult<Place> {
    match name {
        "first" => Ok(Place::First),
        "middle" => Ok(Place::Middle),
        "last" => Ok(Place::Last),
        _ => Err(invalid(format!("there is no place {name:?} in a prompt"), "Use first, middle or last")),
    }
}

fn place_name(place: Place) -> &'static str {
    match place {
        Place::First => "first",
        Place::Middle => "middle",
        Place::Last => "last",
    }
}

fn unicode(text: &Bound<'_, PyString>, what: &str) -> PyResult<String> {
    text.extract().map_err(|_| {
        invalid(format!("{what} is not valid Unicode (a lone surrogate)"), "Decode it properly first")
    })
}
