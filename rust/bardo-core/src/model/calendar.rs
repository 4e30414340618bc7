//! Calendar of every date in bardo: proleptic Gregorian, UTC. Chrono does the arithmetic; its years end 262,000 years
//! from now in either direction, and an instant beyond them is clamped to the first or last one.

use chrono::{DateTime, Datelike, NaiveDate, Utc};

use super::Micros;

/// Microseconds per day.
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

/// Date and time of an instant.
#[must_use]
pub fn date_time(at: Micros) -> DateTime<Utc> {
    let nearest = if at < 0 { DateTime::<Utc>::MIN_UTC } else { DateTime::<Utc>::MAX_UTC };
    DateTime::from_timestamp_micros(at).unwrap_or(nearest)
}

/// Date of a day number since the epoch.
#[must_use]
pub fn date_of_day(day: i64) -> NaiveDate {
    date_time(day.saturating_mul(MICROS_PER_DAY)).date_naive()
}

/// Days from the epoch to a date; a day beyond the end of its month overflows into the next one.
#[must_use]
pub fn day_number(year: i32, month: u32, day: u32) -> i64 {
    let nearest = if year < 0 { NaiveDate::MIN } else { NaiveDate::MAX };
    let first = NaiveDate::from_ymd_opt(year, month, 1).unwrap_or(nearest);
    i64::from(first.to_epoch_days()) + i64::from(day) - 1
}

/// Appends a date such as `8 May 2023, Monday`.
pub(crate) fn push_date(text: &mut String, date: NaiveDate) {
    push_number(text, date.day().into());
    text.push(' ');
    text.push_str(MONTHS[date.month0() as usize]);
    text.push(' ');
    push_number(text, date.year().into());
    text.push_str(", ");
    text.push_str(WEEKDAYS[date.weekday().num_days_from_monday() as usize]);
}

/// Appends the digits of a number. Every episode has a date, so this avoids the cost of `format!`.
fn push_number(text: &mut String, number: i64) {
    if number < 0 {
        text.push('-');
    }
    if number.unsigned_abs() >= 10 {
        push_number(text, (number / 10).abs());
    }
    text.push(char::from(b'0' + (number % 10).unsigned_abs() as u8));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(at: Micros) -> String {
        let mut text = String::new();
        push_date(&mut text, date_time(at).date_naive());
        text
    }

    #[test]
    fn dates_have_words() {
        assert_eq!(words(0), "1 January 1970, Thursday");
        assert_eq!(words(1_683_554_160_000_000), "8 May 2023, Monday");
        assert_eq!(words(1_709_164_800_000_000), "29 February 2024, Thursday");
        assert_eq!(words(-1), "31 December 1969, Wednesday");
        for number in [-9_999, -10, -7, 0, 9, 10_000, i64::MAX, i64::MIN + 1] {
            let mut text = String::new();
            push_number(&mut text, number);
            assert_eq!(text, number.to_string());
        }
    }

    #[test]
    fn no_instant_is_out_of_range() {
        assert_eq!(date_time(Micros::MIN), DateTime::<Utc>::MIN_UTC);
        assert_eq!(date_time(Micros::MAX), DateTime::<Utc>::MAX_UTC);
        assert_eq!(date_of_day(i64::MAX), NaiveDate::MAX);
        assert_eq!(day_number(i32::MAX, 1, 1), i64::from(NaiveDate::MAX.to_epoch_days()));
    }

    #[test]
    fn a_day_after_the_end_of_a_month_is_of_the_next_month() {
        assert_eq!(day_number(2023, 2, 30), day_number(2023, 3, 2));
    }

    proptest! {
        #[test]
        fn a_day_and_its_date_are_one(day in -700_000_i64..700_000) {
            let date = date_of_day(day);
            prop_assert_eq!(day_number(date.year(), date.month(), date.day()), day);
        }
    }
}
