//! Statements told from words alone: clauses, values, attributes, hedges, and contradictions.

pub(super) mod attributes;
pub(super) mod clause;
pub(super) mod clause_coverage;
pub(super) mod contradiction;
pub(super) mod hedge_words;
pub(super) mod phrases;
pub(super) mod slots;
pub(super) mod statement;
pub(super) mod value;
pub(super) mod word_lists;
