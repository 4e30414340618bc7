//! Making what was captured findable: vectors, words and facts (spec 2 and 4).

pub mod calendar;
pub mod hot;
pub mod interner;
pub mod lexical;
pub mod sentences;
mod stop_words;
pub mod text;
pub mod vectors;
