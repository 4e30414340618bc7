//! Time expressions in a text.

use unicode_segmentation::UnicodeSegmentation;

use super::segment::{is_space, plain_word};
use crate::model::calendar::{MONTHS, WEEKDAYS};
use crate::text::packed_words::{LONGEST, all_packed, packed};

/// The case bit of ASCII letters, in every byte of a packed word.
const SMALL: u128 = u128::from_le_bytes([0x20; 16]);

/// Words that place an event in time, as stems where English inflects them; without month and day names.
const TIME_WORDS: [&str; 22] = [
    "afternoon",
    "ago",
    "birthday",
    "day",
    "days",
    "decade",
    "evening",
    "month",
    "months",
    "morning",
    "night",
    "recently",
    "today",
    "tomorrow",
    "tonight",
    "week",
    "weekend",
    "weekends",
    "weeks",
    "year",
    "years",
    "yesterday",
];

const MONTH_NUMBERS: [u128; 12] = all_packed(MONTHS, 0);
const WEEKDAY_NUMBERS: [u128; 7] = all_packed(WEEKDAYS, SMALL);
const TIME_WORD_NUMBERS: [u128; 22] = all_packed(TIME_WORDS, SMALL);

/// Whether a text contains a time expression: a day, month, year or a word such as "yesterday" or "ago".
#[must_use]
pub fn holds_time(text: &str) -> bool {
    // No word spans one of these.
    let chunks = text.split(|character: char| character.is_ascii() && is_space(character as u8));
    chunks.filter(|chunk| !chunk.is_empty()).any(chunk_holds_time)
}

/// [`holds_time`] for a chunk between white space.
pub(crate) fn chunk_holds_time(chunk: &str) -> bool {
    match plain_word(chunk) {
        Some(word) => tells_time(word),
        None => chunk.unicode_words().any(tells_time),
    }
}

fn tells_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    if bytes.len() < 3 || bytes.len() > LONGEST {
        return false;
    }
    if bytes[0].is_ascii_digit() {
        let is_year = bytes.len() == 4 && matches!(&bytes[..2], b"19" | b"20");
        return is_year && bytes.iter().all(u8::is_ascii_digit);
    }
    let exact = packed(word);
    // "May" and "March" count as months only when capitalised.
    if bytes[0].is_ascii_uppercase() && MONTH_NUMBERS.contains(&exact) {
        return true;
    }
    let day = packed(word.strip_suffix('s').unwrap_or(word)) | SMALL;
    WEEKDAY_NUMBERS.contains(&day) || TIME_WORD_NUMBERS.binary_search(&(exact | SMALL)).is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rule as a sentence: a word of the text is a year, a month, a day of the week or on the list.
    fn holds_time_word_by_word(text: &str) -> bool {
        text.unicode_words().any(|word| {
            let is_year = word.len() == 4
                && (word.starts_with("19") || word.starts_with("20"))
                && word.bytes().all(|byte| byte.is_ascii_digit());
            is_year
                || MONTHS.contains(&word)
                || WEEKDAYS.iter().any(|day| word.strip_suffix('s').unwrap_or(word).eq_ignore_ascii_case(day))
                || (word.is_ascii() && TIME_WORDS.contains(&word.to_ascii_lowercase().as_str()))
        })
    }

    proptest! {
        #[test]
        fn the_short_way_to_a_time_finds_what_the_rule_says(
            before in "\\PC{0,12}|[ -~]{0,12}",
            word in "yesterday|Ago|may|May|MAY|mondays|MONDAYS|Wednesdays|weekend|years|19[0-9]{2}|20[a0-9]{1,3}|[a-zA-Z0-9']{1,11}",
            after in "[ ,.s'_’\u{301}\u{202f}\u{a0}-]{0,3}(\\PC{0,9}|[!-~]{0,9})",
        ) {
            let text = format!("{before}{word}{after}");
            prop_assert_eq!(holds_time(&text), holds_time_word_by_word(&text), "{:?}", text);
        }
    }

    #[test]
    fn every_word_of_time_is_known() {
        assert!(TIME_WORD_NUMBERS.is_sorted());
        for word in MONTHS.iter().chain(&WEEKDAYS).chain(&TIME_WORDS) {
            assert!(word.len() <= LONGEST && holds_time(&format!("it was ({word})!")), "{word}");
        }
        assert!(!holds_time("we may march on, second to none"));
    }
}
