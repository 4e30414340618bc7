//! Blocks of a prompt: the standard blocks, and blocks of the caller's own.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::framing::MemoryText;
use crate::model::Value;
use crate::{Error, Result};

/// Tokens of a block of the caller's own that names no share: as much as the graph gets in the table.
const OWN_BLOCK_TOKENS: usize = 200;
/// Priority of a block of the caller's own that names none: with the tool results.
const OWN_BLOCK_PRIORITY: u8 = 4;
/// Longest name of a tag, in bytes; a name is paid for twice in every prompt.
const LONGEST_TAG: usize = 40;

/// Where in the prompt a block stands: models read the beginning and the end best (Liu et al. 2023, "Lost in the Middle").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Position {
    /// At the beginning.
    First,
    /// Between the two.
    Middle,
    /// At the end.
    Last,
}

impl Position {
    /// The name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Middle => "middle",
            Self::Last => "last",
        }
    }
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::First, Self::Middle, Self::Last].into_iter().find(|place| place.name() == name).ok_or_else(
            || Error::invalid(format!("there is no place {name:?} in a prompt"), "Use first, middle or last"),
        )
    }
}

/// A standard block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandardBlock {
    /// Its tag, and the name it is asked for by.
    pub tag: &'static str,
    /// Its share of a prompt of [`super::shares::BASE_WINDOW`] tokens.
    pub tokens: usize,
    /// Blocks of higher priority are filled first.
    pub priority: u8,
    /// Whether it is never cut: the user's own words.
    pub protected: bool,
    /// Where it stands.
    pub place: Position,
}

/// The table of standard blocks, in the order in which the blocks stand in a prompt.
///
/// The two blocks of memories stand at both ends of the middle.
const STANDARD: [StandardBlock; 9] = [
    StandardBlock { tag: "system", tokens: 500, priority: 10, protected: true, place: Position::First },
    StandardBlock { tag: "event", tokens: 200, priority: 9, protected: false, place: Position::First },
    StandardBlock { tag: "past_events", tokens: 800, priority: 6, protected: false, place: Position::Middle },
    StandardBlock {
        tag: "cortical_state",
        tokens: 100,
        priority: 7,
        protected: false,
        place: Position::Middle,
    },
    StandardBlock {
        tag: "relationships",
        tokens: 200,
        priority: 4,
        protected: false,
        place: Position::Middle,
    },
    StandardBlock {
        tag: "tool_results",
        tokens: 200,
        priority: 4,
        protected: false,
        place: Position::Middle,
    },
    StandardBlock { tag: "knowledge", tokens: 400, priority: 5, protected: false, place: Position::Middle },
    StandardBlock { tag: "positions", tokens: 300, priority: 8, protected: false, place: Position::Last },
    StandardBlock { tag: "instruction", tokens: 200, priority: 10, protected: true, place: Position::Last },
];

/// The table of standard blocks, in the order in which the blocks stand in a prompt.
#[must_use]
pub fn standard_blocks() -> &'static [StandardBlock] {
    &STANDARD
}

/// Where recalled memories are read from as far as a prompt has room for them, the best first.
pub trait MemorySource: Send + Sync {
    /// Number of memories.
    fn count(&self) -> usize;

    /// The memories from one rank up to another, without the latter.
    ///
    /// # Errors
    /// One of them cannot be read.
    fn load(&self, from: usize, to: usize) -> Result<Vec<MemoryText>>;
}

impl MemorySource for Vec<MemoryText> {
    fn count(&self) -> usize {
        self.len()
    }

    fn load(&self, from: usize, to: usize) -> Result<Vec<MemoryText>> {
        Ok(self[from..to].to_vec())
    }
}

impl fmt::Debug for dyn MemorySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} memories", self.count())
    }
}

/// Content of a block.
#[derive(Clone, Debug)]
pub enum Content {
    /// Text, as it is.
    Text(String),
    /// Recalled memories, best first: fenced as data and cut one by one.
    Memories(Arc<dyn MemorySource>),
    /// Maps of names to values, shown as a markdown table and cut row by row.
    Rows(Vec<Value>),
}

impl Content {
    /// Recalled memories, best first.
    #[must_use]
    pub fn memories(memories: Vec<MemoryText>) -> Self {
        Self::Memories(Arc::new(memories))
    }

    /// Number of memories or rows; 0 for text.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Text(_) => 0,
            Self::Memories(memories) => memories.count(),
            Self::Rows(rows) => rows.len(),
        }
    }
}

/// Order in which a block's memories stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The best memories at both ends, and by time within a topic.
    #[default]
    EdgesFirst,
    /// The given one.
    Given,
}

/// One block of a prompt.
#[derive(Clone, Debug)]
pub struct Block {
    /// Name in reports; unique within a prompt.
    pub name: String,
    /// The tag around it.
    pub tag: String,
    /// Its content.
    pub content: Content,
    /// Blocks of higher priority are filled first, and are the first to get spare tokens.
    pub priority: u8,
    /// Tokens it is given at first, tag included; `None` takes its share of the table. Spare tokens may add to it.
    pub cap: Option<usize>,
    /// Whether it is never cut.
    pub protected: bool,
    /// Whether its text is the user's own, and so left exactly as it is.
    pub trusted: bool,
    /// Where it stands.
    pub place: Position,
    /// Whether its predictable words go before its end does, where it has to be shortened.
    pub condense: bool,
    /// Order of its memories.
    pub order: Order,
}

impl Block {
    /// Allows shortening by predictable words where it pays: ranked memories lose more by it than by leaving out the last
    /// (docs/concepts/prompts.md), and trusted text stays as it is.
    pub fn allow_condensing(&mut self) {
        self.condense = !matches!(self.content, Content::Memories(_)) && !self.trusted;
    }

    /// A block of the given name: with the settings of the table if it is a standard one.
    pub fn new(name: impl Into<String>, content: Content) -> Self {
        let name = name.into();
        let standard = STANDARD.iter().find(|standard| standard.tag == name);
        Self {
            tag: name.clone(),
            content,
            priority: standard.map_or(OWN_BLOCK_PRIORITY, |standard| standard.priority),
            cap: None,
            protected: standard.is_some_and(|standard| standard.protected),
            trusted: standard.is_some_and(|standard| standard.protected),
            place: standard.map_or(Position::Middle, |standard| standard.place),
            condense: false,
            order: Order::default(),
            name,
        }
    }

    /// Its share of a prompt of the base size, tag included.
    #[must_use]
    pub fn base_tokens(&self) -> usize {
        self.cap.unwrap_or_else(|| {
            STANDARD
                .iter()
                .find(|standard| standard.tag == self.name)
                .map_or(OWN_BLOCK_TOKENS, |standard| standard.tokens)
        })
    }

    /// Refuses a tag that would not be one.
    pub fn check(&self) -> Result<()> {
        let fits = self.tag.len() <= LONGEST_TAG
            && self.tag.starts_with(|first: char| first.is_ascii_lowercase())
            && self.tag.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if fits {
            return Ok(());
        }
        Err(Error::invalid(
            format!("{:?} cannot be the tag of block {:?}", self.tag, self.name),
            format!(
                "A tag is up to {LONGEST_TAG} lower-case ASCII letters, digits and underscores, and begins with a letter"
            ),
        ))
    }
}
