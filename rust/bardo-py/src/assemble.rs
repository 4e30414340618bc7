//! The assemble stage for Python: token counts, prompts, and the framing of memories.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use bardo_core::assemble::{
    self as core, Block, Condenser, Content, FramePart, MarkKind, MemorySource, MemoryText, OtherTokenizer,
    PassageMark, Phase, Position, Profile, Request, Task, Tokenizer, compress,
};
use bardo_core::{Error, Result};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyString};

use crate::arguments::Parsed;
use crate::convert::{IntoObject, Object, mirror};
use crate::errors::{IntoPython, invalid};
use crate::values::{field, text as unicode, value_from};

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
#[pyo3(signature = (blocks, *, budget, reserve, tokenizer = "o200k", phase = Parsed(Phase::Thriving), task = None,
    profile = Parsed(Profile::Briefing), model = None, question = None),
    text_signature = "(blocks, *, budget, reserve, tokenizer='o200k', phase='thriving', task=None, \
    profile='briefing', model=None, question=None)")]
pub fn assemble<'py>(
    py: Python<'py>,
    blocks: &Bound<'py, PyAny>,
    budget: usize,
    reserve: Option<usize>,
    tokenizer: &str,
    phase: Parsed<Phase>,
    task: Option<Parsed<Task>>,
    profile: Parsed<Profile>,
    model: Option<&WordModel>,
    question: Option<&Bound<'py, PyString>>,
) -> Object<'py> {
    let request = Request {
        budget,
        reserve,
        tokenizer: tokenizer_named(tokenizer)?,
        phase: phase.0,
        task: task.map(|task| task.0),
        profile: profile.0,
    };
    let failure = Failure::default();
    let blocks =
        blocks.try_iter()?.map(|block| block_from(&block?, &failure)).collect::<PyResult<Vec<_>>>()?;
    let question = question.map_or(Ok(String::new()), |question| unicode(question, "the question"))?;
    let assembled = py.detach(|| {
        let model = model.map(WordModel::read);
        let condenser = model.as_deref().map(|model| Condenser { model, question: &question });
        core::assemble_condensed(&blocks, &request, condenser)
    });
    match failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error),
        None => counted(assembled)?.into_python()?.into_object(py),
    }
}

#[pyfunction]
pub fn frame_memory(memory: &Bound<'_, PyAny>, tags: Vec<String>) -> PyResult<String> {
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    Ok(core::frame_memory(&memory_from(memory)?, &tags))
}

#[pyfunction]
pub fn neutralise(text: &Bound<'_, PyString>, tags: Vec<String>) -> PyResult<(String, Vec<&'static str>)> {
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    let inert = core::neutralise(&unicode(text, "the text")?, &tags);
    Ok((inert.text, inert.flags.iter().map(|flag| flag.name()).collect()))
}

/// A mark as it is kept: hash of its words and of its first words, their number, and its kind.
type KeptMark = (i64, i64, usize, u8);

#[pyfunction]
pub fn prompt_marks(py: Python<'_>, block: &Bound<'_, PyString>) -> PyResult<Vec<KeptMark>> {
    let block = unicode(block, "the block")?;
    let kept =
        |mark: PassageMark| (mark.hash.cast_signed(), mark.start.cast_signed(), mark.words, mark.kind as u8);
    Ok(py.detach(|| core::marks(&block).into_iter().map(kept).collect()))
}

#[pyfunction]
pub fn copied_starts(py: Python<'_>, text: &Bound<'_, PyString>) -> Vec<i64> {
    // A lone surrogate is refused where the text is stored.
    let text = text.to_string_lossy();
    py.detach(|| core::copied_starts(&text).into_iter().map(u64::cast_signed).collect())
}

#[pyfunction]
pub fn strip_copies(
    py: Python<'_>,
    text: &Bound<'_, PyString>,
    marks: Vec<KeptMark>,
) -> PyResult<(String, usize, Vec<i64>)> {
    let text = unicode(text, "the text")?;
    let given = |(hash, start, words, kind): KeptMark| PassageMark {
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
    let marks: Vec<PassageMark> = marks.into_iter().map(given).collect();
    let stripped = py.detach(|| core::strip_copies(&text, &marks));
    let found = stripped.marks.into_iter().map(u64::cast_signed).collect();
    Ok((stripped.text, stripped.passages, found))
}

/// Self-information of words, learned from the agent's own text, and texts shortened by it.
#[pyclass(frozen, module = "bardo._core")]
pub struct WordModel(RwLock<core::WordModel>);

#[pymethods]
impl WordModel {
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

impl WordModel {
    fn read(&self) -> RwLockReadGuard<'_, core::WordModel> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tag, base tokens, priority, protected and place of the standard blocks.
#[pyfunction]
pub fn standard_blocks() -> Vec<(&'static str, usize, u8, bool, &'static str)> {
    core::standard_blocks()
        .iter()
        .map(|s| (s.tag, s.tokens, s.priority, s.protected, s.place.name()))
        .collect()
}

/// Tokenizers that Python brought, by name; each is kept permanently, as the built-in vocabularies are.
static OTHERS: Mutex<BTreeMap<String, &'static OtherTokenizer>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// The exception that a tokenizer of Python raised while the core counted on this thread.
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

/// A result, unless a tokenizer of Python's failed on the way to it.
pub fn counted<T>(result: T) -> PyResult<T> {
    COUNT_FAILED.take().map_or(Ok(result), Err)
}

mirror!(
    /// One block of a prompt; see `_core/_assemble.pyi`.
    AssembledPart(core::Part) {
        name, text, used, asked, given, cut, shown, shortened, left_out, condensed
    } as |part| { flags = part.flags.iter().map(|flag| flag.name()).collect::<Vec<_>>() }
);

mirror!(
    /// A prompt and its parts; see `_core/_assemble.pyi`.
    Assembled(core::AssembledPrompt) { id, text, tokens, window, reserve, parts }
);

mirror!(
    /// A prompt in the order of a frame; see `_core/_assemble.pyi`.
    FrameLayout(core::Frame) { order, steady, changed, tokens, cacheable } as |frame| { kind = frame.kind.name() }
);

/// Makes frames out of prompts.
#[pyclass(frozen, module = "bardo._core")]
pub struct FrameTracker(Mutex<core::FrameTracker>);

#[pymethods]
impl FrameTracker {
    #[new]
    fn new(every: usize) -> Self {
        Self(Mutex::new(core::FrameTracker::new(every)))
    }

    fn next<'py>(
        &self,
        py: Python<'py>,
        parts: Vec<(String, String, usize)>,
        tokenizer: &str,
        phase: Parsed<Phase>,
        cycle: u64,
    ) -> Object<'py> {
        let tokenizer = tokenizer_named(tokenizer)?;
        let parts = parts.into_iter().map(|(name, text, tokens)| FramePart { name, text, tokens }).collect();
        counted(py.detach(|| self.lock().next(parts, tokenizer, phase.0, cycle)))?.into_object(py)
    }

    fn totals(&self) -> (usize, usize, usize) {
        self.lock().totals()
    }
}

impl FrameTracker {
    fn lock(&self) -> MutexGuard<'_, core::FrameTracker> {
        // A panic while the lock was held cannot leave the tracker half-changed in a way that makes a frame wrong.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
    let place: Option<String> = field(object, "place")?;
    let place: Option<Position> = place.map(|place| place.parse()).transpose().into_python()?;
    block.tag = field::<Option<_>>(object, "tag")?.unwrap_or(block.tag);
    block.priority = field::<Option<_>>(object, "priority")?.unwrap_or(block.priority);
    block.protected = field::<Option<_>>(object, "protected")?.unwrap_or(block.protected);
    block.trusted = field::<Option<_>>(object, "trusted")?.unwrap_or(block.trusted);
    block.place = place.unwrap_or(block.place);
    block.cap = field(object, "cap")?;
    if field(object, "condense")? {
        block.allow_condensing();
    }
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
