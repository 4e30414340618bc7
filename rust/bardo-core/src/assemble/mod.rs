//! The window of a model as working memory: typed blocks in, one prompt within its token budget out.
//!
//! [`assemble`] is the one call. The rest are its parts: what a token is ([`Tokenizer`]), what a block may hold
//! ([`Block`], [`Content`]), how the window is shared out ([`Phase`], [`TaskType`]), and how memories are made inert
//! ([`neutralise`]) and known again ([`strip_copies`]).

mod bigram_model;
mod block;
mod budget;
mod compress;
mod confusables;
mod copies;
mod count_cache;
mod fit_block;
mod frames;
mod framing;
mod hashed_words;
mod injection_flags;
mod neutralization;
mod order;
mod prompt;
mod protected_words;
mod request;
mod shares;
mod table;
mod tags;
mod tokenizer;
mod truncate;

pub use bigram_model::WordModel;
pub use block::{Block, Content, MemorySource, Order, Position, StandardBlock, standard_blocks};
pub use compress::{CONDENSED, CompressedText, Condenser, LEAST_KEPT, MOST_KEPT, compress};
pub use copies::{MarkKind, PassageMark, StrippedText, copied_starts, marks, strip_copies};
pub use frames::{Frame, FrameKind, FramePart, FrameTracker};
pub use framing::{MARK, MemoryText, Voice, frame_memory};
pub use neutralization::{Flag, InertText, neutralise};
pub use prompt::{AssembledPrompt, BlockReport, assemble, assemble_condensed};
pub use request::Request;
pub use shares::{Phase, TaskType};
pub use table::markdown_table;
pub use tokenizer::{OtherTokenizer, Tokenizer};
pub use truncate::{CUT, shorten};
