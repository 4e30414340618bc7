//! Making what was captured findable: vectors, words and facts (spec 2 and 4).

pub mod sentences;
