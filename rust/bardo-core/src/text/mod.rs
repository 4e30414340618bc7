//! Reads text without a model: names, addresses, commands, sentences, and whether two texts say the same.
//!
//! Plain functions over strings, for English where a language matters. They hold no state and use no store. The terms
//! of an index are made in [`index::lexical`](crate::index::lexical).

pub mod abbreviations;
mod file_types;
pub mod gazetteer;
pub mod language;
mod name_words;
pub mod names;
pub(crate) mod packed_words;
pub mod prefilter;
pub(crate) mod qualifiers;
pub mod same_statement;
pub mod secrets;
pub mod sentences;
pub mod stop_words;
pub mod urls_commands_paths;
