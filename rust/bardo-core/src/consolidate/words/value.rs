//! The value that a clause gives something.

use super::clause::Word;

/// Words of content that a value has at most.
const VALUE_WORDS: usize = 4;

/// Type of a value: only values of one type are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::consolidate) enum ValueKind {
    Date,
    Figure,
    Name,
    Word,
}

pub(in crate::consolidate) fn value_kind(value: &[Word]) -> ValueKind {
    if value.iter().any(Word::is_date) {
        ValueKind::Date
    } else if value.iter().any(|word| word.is_figure && !word.is_name)
        && value.iter().all(|word| !word.is_name)
    {
        ValueKind::Figure
    } else if value.iter().any(|word| word.is_name) {
        ValueKind::Name
    } else {
        ValueKind::Word
    }
}

pub(in crate::consolidate) fn is_value(value: &[Word]) -> bool {
    let count = value.iter().filter(|word| word.says()).count();
    let is_description = value.first().is_some_and(|word| {
        matches!(word.text.as_str(), "a" | "an" | "there" | "here" | "home" | "night") && !word.is_name
    }) && value_kind(value) != ValueKind::Figure;
    // "is paid in ETH" says what is done, not what it is.
    let is_deed = value_kind(value) == ValueKind::Word && value.iter().any(|word| word.text.ends_with("ed"));
    (1..=VALUE_WORDS).contains(&count) && !is_description && !is_deed
}
