//! The assemble stage for Python: token counts, prompts, and the framing of memories.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use bardo_core::assemble::{
    self as core, Block, Condenser, Content, FramePart, MarkKind, MemorySource, MemoryText, Order,
    PassageMark, Phase, Position, Request, compress,
};
use bardo_core::{Error, Result};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyString};

use crate::arguments::{ListedText, Parsed, PromptBlock, Question, Text, extracted};
use crate::convert::mirror;
use crate::errors::{IntoPython, invalid, raise_after};
use crate::forward::{functions, methods};
use crate::tokenizers::tokenizer_named;
use crate::values::{field, value_from};

functions! {
    /// Number of tokens of a text.
    fn count_tokens(text: Text, tokenizer: &str = "o200k")
        let tokenizer = tokenizer_named(tokenizer)? => Ok(tokenizer.count(&text.0));

    /// Number of tokens of each text.
    fn count_tokens_batch(texts: Vec<ListedText>, tokenizer: &str = "o200k")
        let tokenizer = tokenizer_named(tokenizer)?
        => Ok(texts.iter().map(|text| tokenizer.count(&text.0)).collect::<Vec<_>>());

    /// A prompt of blocks within a budget of tokens.
    fn assemble(blocks: &Bound<'py, PyAny>; budget: usize, reserve: Option<usize>, tokenizer: &str = "o200k",
        phase: &str = "thriving", task_type: Option<&str> = None, voice: &str = "briefing",
        model: Option<&WordModel> = None, question: Option<Question> = None)
        let tokenizer = tokenizer_named(tokenizer)?,
        let blocks = blocks.try_iter()?.map(|block| block_from(&block?)).collect::<PyResult<Vec<_>>>()?
        => {
            let (phase, voice) = (phase.parse()?, voice.parse()?);
            let task_type = task_type.map(str::parse).transpose()?;
            let request = Request { budget, reserve, tokenizer, phase, task_type, voice };
            let model = model.map(|model| read_words(&model.core));
            let question = question.map_or_else(String::new, |question| question.0);
            let condenser = model.as_deref().map(|model| Condenser { model, question: &question });
            core::assemble_condensed(&blocks, &request, condenser)
        };

    /// A memory with its frame, as a prompt shows it.
    fn frame_memory(memory: Memory, tags: Vec<String>) => Ok(core::frame_memory(&memory.0, &strs(&tags)));

    /// A text that closes no frame and opens none, and what was found in it.
    fn neutralise(text: Text, tags: Vec<String>) => {
        let inert = core::neutralise(&text.0, &strs(&tags));
        Ok((inert.text, inert.flags.iter().map(|flag| flag.name()).collect::<Vec<_>>()))
    };

    /// Marks by which copies of a prompt are recognised.
    fn prompt_marks(block: PromptBlock) => Ok(core::marks(&block.0).into_iter().map(mark_into).collect::<Vec<_>>());

    /// Hashes of places of a text at which a copy may start.
    fn copied_starts(text: &Bound<'py, PyString>)
        // A lone surrogate is refused where the text is stored.
        let text = text.to_string_lossy()
        => Ok(core::copied_starts(&text).into_iter().map(u64::cast_signed).collect::<Vec<_>>());

    /// A text without copies of prompts, their number, and the marks that were found.
    fn strip_copies(text: Text, marks: Vec<KeptMark>) => {
        let marks: Vec<PassageMark> = marks.into_iter().map(mark_from).collect();
        let stripped = core::strip_copies(&text.0, &marks);
        let found: Vec<i64> = stripped.marks.into_iter().map(u64::cast_signed).collect();
        Ok((stripped.text, stripped.passages, found))
    };

    /// Tag, base tokens, priority, protected and place of the standard blocks.
    fn standard_blocks() => {
        let blocks = core::standard_blocks().iter();
        Ok(blocks.map(|block| (block.tag, block.tokens, block.priority, block.protected, block.place.name())).collect::<Vec<_>>())
    };
}

/// A mark as it is kept: hash of its words and of its first words, their number, and its kind.
type KeptMark = (i64, i64, usize, u8);

fn mark_into(mark: PassageMark) -> KeptMark {
    (mark.hash.cast_signed(), mark.start.cast_signed(), mark.words, mark.kind as u8)
}

fn mark_from((hash, start, words, kind): KeptMark) -> PassageMark {
    let kind = match kind {
        0 => MarkKind::Text,
        1 => MarkKind::Frame,
        2 => MarkKind::Section,
        _ => MarkKind::Tag,
    };
    PassageMark { hash: hash.cast_unsigned(), start: start.cast_unsigned(), words, kind }
}

fn strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Self-information of words, learned from the agent's own text, and texts shortened by it.
#[pyclass(frozen, module = "bardo._core")]
pub struct WordModel {
    core: RwLock<core::WordModel>,
}

#[pymethods]
impl WordModel {
    fn __len__(&self) -> usize {
        read_words(&self.core).len()
    }
}

methods!(WordModel, |model| {
    new() => Ok(RwLock::default());
    get texts => Ok(read_words(model).texts());
    fn learn(texts: Vec<ListedText>) => {
        let mut model = model.write().unwrap_or_else(PoisonError::into_inner);
        for text in &texts {
            model.learn(&text.0);
        }
        Ok(model.texts())
    };
    fn compress(text: Text, share: f64; question: Option<Question> = None, tokenizer: &str = "o200k")
        let question = question.map(|question| question.0).unwrap_or_default(), let tokenizer = tokenizer_named(tokenizer)?
        => {
            let shortened = compress(&text.0, &question, share, &read_words(model), tokenizer)?;
            Ok((shortened.text, shortened.tokens, shortened.before))
        };
});

fn read_words(model: &RwLock<core::WordModel>) -> RwLockReadGuard<'_, core::WordModel> {
    model.read().unwrap_or_else(PoisonError::into_inner)
}

mirror!(
    /// Report of one block of a prompt; see `_core/_assemble.pyi`.
    BlockReport(core::BlockReport) {
        name, text, used, asked, given, cut, places, shortened_places, left_out, condensed
    } as |block| {
        shown = block.places.len(),
        shortened = block.shortened_places.len(),
        flags = block.flags.iter().map(|flag| flag.name()).collect::<Box<[_]>>(),
    }
);

mirror!(
    /// A prompt and the reports of its blocks; see `_core/_assemble.pyi`.
    Assembled(core::AssembledPrompt) { id, text, tokens, window, reserve, blocks }
);

mirror!(
    /// A prompt in the order of a frame; see `_core/_assemble.pyi`.
    FrameLayout(core::Frame) { order, steady, changed, tokens, cacheable } as |frame| { kind = frame.kind.name() }
);

/// Makes frames out of prompts.
#[pyclass(frozen, module = "bardo._core")]
pub struct FrameTracker {
    core: Mutex<core::FrameTracker>,
}

methods!(FrameTracker, |tracker| {
    new(every: usize) => Ok(Mutex::new(core::FrameTracker::new(every)));
    fn next(parts: Vec<(String, String, usize)>, tokenizer: &str, phase: Parsed<Phase>, cycle: u64)
        let tokenizer = tokenizer_named(tokenizer)?
        => {
            let part = |(name, text, tokens)| FramePart { name, text, tokens };
            Ok(lock(tracker).next(parts.into_iter().map(part).collect(), tokenizer, phase.0, cycle))
        };
    fn totals() => Ok(lock(tracker).totals());
});

fn lock(tracker: &Mutex<core::FrameTracker>) -> MutexGuard<'_, core::FrameTracker> {
    // A panic while the lock was held cannot leave the tracker half-changed in a way that makes a frame wrong.
    tracker.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A `bardo.assemble.context.Block`: what is `None` there takes the value of the table.
fn block_from(object: &Bound<'_, PyAny>) -> PyResult<Block> {
    let name: String = field(object, "name")?;
    let (text, rows, memories) =
        (object.getattr("content")?, object.getattr("rows")?, object.getattr("memories")?);
    let content = if !memories.is_none() {
        let memories = memories.cast_into::<PySequence>()?;
        Content::Memories(Arc::new(PyMemories { count: memories.len()?, memories: memories.unbind() }))
    } else if !rows.is_none() {
        Content::Rows(rows.try_iter()?.map(|row| value_from(&row?, 0)).collect::<PyResult<_>>()?)
    } else if text.is_none() {
        let hint = "Give it content, rows or memories; leave the block out if there is nothing";
        return Err(invalid(format!("block {name:?} has no content"), hint));
    } else {
        Content::Text(field(object, "content")?)
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
    block.order = if field(object, "in_order")? { Order::Given } else { Order::EdgesFirst };
    if field(object, "condense")? {
        block.allow_condensing();
    }
    Ok(block)
}

/// A sequence of `bardo.recall.recollection.Memory`, read as far as there is room for them.
struct PyMemories {
    memories: Py<PySequence>,
    count: usize,
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
                raise_after(error);
                Error::invalid(
                    format!("a memory cannot be read: {reason}"),
                    "See bardo.assemble.prompt_memory.MemoryLike",
                )
            })
        })
    }
}

extracted! {
    /// A `bardo.recall.recollection.Memory`.
    Memory(MemoryText): |object| memory_from(&object);
}

/// A `bardo.recall.recollection.Memory`; speaker, subjects and thread are those of its record. Words of the agent without a
/// speaker have its role as their speaker, so that a reader does not take them for those of a user.
fn memory_from(object: &Bound<'_, PyAny>) -> PyResult<MemoryText> {
    let py = object.py();
    let record = object.getattr(intern!(py, "record"))?;
    let subjects: Vec<String> = read_if_any(&record, intern!(py, "subjects"))?;
    let role: Option<String> = read_if_any(&record, intern!(py, "role"))?;
    let speaker: Option<String> = read_if_any(&record, intern!(py, "speaker"))?;
    Ok(MemoryText {
        subjects: subjects.iter().map(|subject| subject.to_lowercase()).collect(),
        thread: read_if_any::<Option<String>>(&record, intern!(py, "thread"))?.unwrap_or_default(),
        text: read(object, intern!(py, "text"))?,
        at: read(object, intern!(py, "at"))?,
        tick: read(object, intern!(py, "tick"))?,
        source: read(object, intern!(py, "source"))?,
        speaker: speaker.or_else(|| role.filter(|role| role == "agent")).unwrap_or_default(),
        confidence: read(object, intern!(py, "confidence"))?,
        inherited: read(object, intern!(py, "inherited"))?,
        standing: read_if_any(object, intern!(py, "standing"))?,
    })
}

/// Reads an attribute as [`read`] does; the default where there is no such attribute.
fn read_if_any<'py, T>(object: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> PyResult<T>
where
    T: Default + for<'a> FromPyObject<'a, 'py>,
{
    match object.getattr_opt(name)? {
        Some(_) => read(object, name),
        None => Ok(T::default()),
    }
}

/// Reads an attribute as [`field`] does, for the many attributes of many memories: the name is made once.
fn read<'py, T>(object: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    match object.getattr(name)?.extract::<T>() {
        Ok(value) => Ok(value),
        Err(_) => field(object, name.to_str()?),
    }
}
