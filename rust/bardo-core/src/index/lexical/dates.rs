//! The date of a memory in the words people search by, and the words of a text that say when. Proleptic Gregorian
//! calendar, UTC.

use unicode_segmentation::UnicodeSegmentation;

use super::segment::{is_space, plain_word};
use crate::model::Micros;
use crate::text::packed_words::{LONGEST, all_packed, packed};

/// Microseconds of a day.
pub const MICROS_PER_DAY: Micros = 86_400 * 1_000_000;

/// English month names, January first.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// English day names, Monday first.
pub const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// Astronomical year.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 is Monday.
    pub weekday: u8,
}

impl Date {
    /// The UTC day of an instant (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": `civil_from_days`).
    #[must_use]
    pub fn of(at: Micros) -> Self {
        let days = at.div_euclid(MICROS_PER_DAY);
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month: month as u8,
            day: (day_of_year - (153 * shifted_month + 2) / 5 + 1) as u8,
            // The epoch was a Thursday.
            weekday: (days + 3).rem_euclid(7) as u8,
        }
    }

    /// Such as `8 May 2023, Monday`.
    #[must_use]
    pub fn in_words(self) -> String {
        let mut words = String::new();
        self.push_words(&mut words);
        words
    }

    /// Adds [`Date::in_words`] to a text.
    pub(crate) fn push_words(self, text: &mut String) {
        let (month, weekday) = (MONTHS[usize::from(self.month) - 1], WEEKDAYS[usize::from(self.weekday)]);
        push_number(text, self.day.into());
        text.push(' ');
        text.push_str(month);
        text.push(' ');
        push_number(text, self.year);
        text.push_str(", ");
        text.push_str(weekday);
    }
}

/// Adds the digits of a number: every episode has a date, which need not go through the machinery of formatting.
fn push_number(text: &mut String, number: i64) {
    if number < 0 {
        text.push('-');
    }
    if number.unsigned_abs() >= 10 {
        push_number(text, (number / 10).abs());
    }
    text.push(char::from(b'0' + (number % 10).unsigned_abs() as u8));
}

/// The bit that small ASCII letters have over capitals, in every byte of a packed word.
const SMALL: u128 = u128::from_le_bytes([0x20; 16]);

/// Words that place an event in time, stems of them as far as English bends them; month and day names aside.
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

/// Whether a text says when something was or will be: a day, month, year or a word such as "yesterday" or "ago".
#[must_use]
pub fn holds_time(text: &str) -> bool {
    // No word goes on over one of these.
    let chunks = text.split(|character: char| character.is_ascii() && is_space(character as u8));
    chunks.filter(|chunk| !chunk.is_empty()).any(chunk_holds_time)
}

/// [`holds_time`] for what stands between white space.
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
    // "May" and "March" are months where they are written as names.
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

    #[test]
    fn dates_are_told_in_words() {
        assert_eq!(Date::of(0).in_words(), "1 January 1970, Thursday");
        assert_eq!(Date::of(1_683_554_160_000_000).in_words(), "8 May 2023, Monday");
        assert_eq!(Date::of(1_709_164_800_000_000).in_words(), "29 February 2024, Thursday");
        assert_eq!(Date::of(-1).in_words(), "31 December 1969, Wednesday");
        for year in [-9_999, -10, -7, 0, 9, 10_000, i64::MAX, i64::MIN + 1] {
            let words = Date { year, ..Date::of(0) }.in_words();
            assert_eq!(words, format!("1 January {year}, Thursday"));
        }
    }

    #[test]
    fn no_instant_is_out_of_range() {
        for at in [Micros::MIN, Micros::MAX] {
            let date = Date::of(at);
            assert!((1..=12).contains(&date.month) && (1..=31).contains(&date.day));
        }
    }
}
