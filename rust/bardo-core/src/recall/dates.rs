//! When a query speaks of: "yesterday", "two weeks ago", "last May", "on 8 May 2023". A span of time that favours what
//! happened in it, and never excludes the rest: people misremember dates.

use chrono::Datelike;

use crate::model::Micros;
use crate::model::calendar::{MICROS_PER_DAY, MONTHS, WEEKDAYS, date_of_day, day_number};

/// Days of a month and of a year, about.
const MONTH_DAYS: i64 = 30;
const YEAR_DAYS: i64 = 365;

/// Numbers that people write out.
const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// A span of days, both ends included, counted from the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaySpan {
    first: i64,
    last: i64,
}

impl DaySpan {
    const fn around(day: i64, slack: i64) -> Self {
        Self { first: day - slack, last: day + slack }
    }

    /// Whether an instant lies in it.
    #[must_use]
    pub const fn holds(&self, at: Micros) -> bool {
        let day = at.div_euclid(MICROS_PER_DAY);
        self.first <= day && day <= self.last
    }
}

/// The spans that the words of a query name, as seen from `now`. Words are as written, without punctuation around them.
#[must_use]
pub fn spans(words: &[&str], now: Micros) -> Vec<DaySpan> {
    let today = now.div_euclid(MICROS_PER_DAY);
    let lowered: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let word = |place: usize| lowered.get(place).map_or("", String::as_str);
    let mut found = Vec::new();
    for place in 0..lowered.len() {
        match (word(place), word(place + 1)) {
            ("today" | "tonight", _) | ("this", "morning" | "afternoon" | "evening") => {
                found.push(DaySpan::around(today, 0));
            }
            ("yesterday", _) if place >= 2 && (word(place - 2), word(place - 1)) == ("day", "before") => {
                found.push(DaySpan::around(today - 2, 0));
            }
            ("yesterday", _) | ("last", "night" | "evening") => found.push(DaySpan::around(today - 1, 0)),
            ("last" | "past" | "previous", count) if number(count).is_some() => {
                let days = days_of(word(place + 2)).zip(number(count));
                found.extend(days.map(|(days, count)| up_to(today, days.saturating_mul(count))));
            }
            ("past", unit) => {
                found.extend(
                    days_of(unit).map(|days| up_to(today, days)).or_else(|| previous_period(unit, today)),
                );
            }
            ("last" | "previous", unit) => found.extend(previous_period(unit, today)),
            ("this", unit) => found.extend(current_period(unit, today)),
            (unit, "ago") => {
                // "a couple of weeks ago": the number stands before the "of".
                let before = place.checked_sub(1).map(word);
                let before = if before == Some("of") { place.checked_sub(2).map(word) } else { before };
                if let (Some(days), Some(count)) = (days_of(unit), before.and_then(number)) {
                    // The farther back, the less exactly people count.
                    let back = days.saturating_mul(count);
                    found.push(DaySpan::around(today.saturating_sub(back), days / 2 + back / 10));
                }
            }
            _ => {}
        }
    }
    found.extend(calendar_dates(words, today));
    found
}

/// The latest so many days.
const fn up_to(today: i64, days: i64) -> DaySpan {
    DaySpan { first: today.saturating_sub(days), last: today }
}

/// "this week", "this year": from its first day.
fn current_period(unit: &str, today: i64) -> Option<DaySpan> {
    Some(match period(unit, today)? {
        (_, Some(first)) => DaySpan { first, last: today },
        (days, None) => up_to(today, days),
    })
}

/// How long a unit is, and on what day the present one began, if the calendar says so.
fn period(unit: &str, today: i64) -> Option<(i64, Option<i64>)> {
    let now = date_of_day(today);
    let began = match unit {
        "week" => Some(today - i64::from(now.weekday().num_days_from_monday())),
        "month" => Some(day_number(now.year(), now.month(), 1)),
        "year" => Some(day_number(now.year(), 1, 1)),
        _ => None,
    };
    Some((days_of(unit)?, began))
}

/// "last week", "last May", "last Friday". Of a week, a month or a year it is the one before this; as people do not look
/// at the calendar when they say so, a few days on either side belong to it, but not today.
fn previous_period(unit: &str, today: i64) -> Option<DaySpan> {
    match period(unit, today) {
        Some((days, Some(began))) => {
            let (_, before) = period(unit, began - 1)?;
            let slack = (days / 10).max(2);
            return Some(DaySpan { first: before? - slack, last: (began - 1 + slack).min(today - 1) });
        }
        Some((days, None)) => return Some(DaySpan { first: today - 2 * days, last: today }),
        None => {}
    }
    let now = date_of_day(today);
    if let Some((weekday, _)) = (0_i64..).zip(WEEKDAYS).find(|(_, day)| day.eq_ignore_ascii_case(unit)) {
        let back = (i64::from(now.weekday().num_days_from_monday()) - weekday).rem_euclid(7);
        return Some(DaySpan::around(today - if back == 0 { 7 } else { back }, 0));
    }
    let month = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(unit))? as u32 + 1;
    let year = if month < now.month() { now.year() } else { now.year() - 1 };
    let first = day_number(year, month, 1);
    Some(DaySpan { first, last: first + MONTH_DAYS })
}

/// "8 May", "May 8th 2023": a day of a month that is written out, in the year that is named or the latest that fits; and
/// "2023-05-08" and "8/5/2023", of which the parts are words of their own.
fn calendar_dates(words: &[&str], today: i64) -> Vec<DaySpan> {
    let day_of = |place: usize| -> Option<u32> {
        let digits = words.get(place)?.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        digits.parse().ok().filter(|day| (1..=31).contains(day))
    };
    let year_of = |place: usize| -> Option<i32> {
        words.get(place)?.parse().ok().filter(|year| (1900..=2100).contains(year))
    };
    let mut found = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let Some(month) = MONTHS.iter().position(|month| month == word) else { continue };
        let before = place.checked_sub(1).and_then(day_of);
        let (day, next) = match before {
            Some(day) => (day, place + 1),
            None => match day_of(place + 1) {
                Some(day) => (day, place + 2),
                None => continue,
            },
        };
        let month = month as u32 + 1;
        let this_year = date_of_day(today).year();
        let year = year_of(next).unwrap_or_else(|| {
            if day_number(this_year, month, day) > today { this_year - 1 } else { this_year }
        });
        let first = if before.is_some() { place - 1 } else { place };
        found.push(counted_from(DaySpan::around(day_number(year, month, day), 0), &words[..first]));
    }
    for (place, parts) in words.windows(3).enumerate() {
        let dates = dates_in_figures([parts[0], parts[1], parts[2]]);
        found.extend(dates.into_iter().map(|day| counted_from(day, &words[..place])));
    }
    found
}

/// "two weeks before" a date, "the day after" it: the words before it say that another day is meant.
fn counted_from(date: DaySpan, words: &[&str]) -> DaySpan {
    let [.., count, unit, side] = words else { return date };
    let [count, unit, side] = [count, unit, side].map(|word| word.to_lowercase());
    let count = if count == "the" { Some(1) } else { number(&count) };
    let (Some(count), Some(days)) = (count, days_of(&unit)) else { return date };
    let away = match side.as_str() {
        "before" => -days.saturating_mul(count),
        "after" => days.saturating_mul(count),
        _ => return date,
    };
    DaySpan::around(date.first.saturating_add(away), days / 2)
}

/// The days that three numbers in a row may mean: the year first, or last after the day and the month in either order.
fn dates_in_figures(parts: [&str; 3]) -> Vec<DaySpan> {
    let figure = |part: &str, digits: std::ops::RangeInclusive<usize>| -> Option<u16> {
        let is_figure = digits.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        is_figure.then(|| part.parse().ok()).flatten()
    };
    let [first, second, third] = parts;
    let read = if let (Some(year), Some(month), Some(day)) =
        (figure(first, 4..=4), figure(second, 1..=2), figure(third, 1..=2))
    {
        vec![(year, month, day)]
    } else if let (Some(one), Some(other), Some(year)) =
        (figure(first, 1..=2), figure(second, 1..=2), figure(third, 4..=4))
    {
        vec![(year, other, one), (year, one, other)]
    } else {
        return Vec::new();
    };
    read.into_iter()
        .filter(|(year, month, day)| {
            (1900..=2100).contains(year) && (1..=12).contains(month) && (1..=31).contains(day)
        })
        .map(|(year, month, day)| DaySpan::around(day_number(year.into(), month.into(), day.into()), 0))
        .collect()
}

fn days_of(unit: &str) -> Option<i64> {
    match unit.strip_suffix('s').unwrap_or(unit) {
        "day" => Some(1),
        "week" => Some(7),
        "weekend" => Some(4),
        "month" => Some(MONTH_DAYS),
        "year" => Some(YEAR_DAYS),
        _ => None,
    }
}

fn number(word: &str) -> Option<i64> {
    match word {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "few" => Some(3),
        "several" => Some(5),
        _ => (0_i64..)
            .zip(NUMBERS)
            .find_map(|(count, name)| (name == word).then_some(count))
            .or_else(|| word.parse().ok().filter(|count| (0..=10_000).contains(count))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 8 May 2023, a Monday.
    const NOW: Micros = 1_683_554_160_000_000;

    fn holds(query: &str, days_back: i64) -> bool {
        let words: Vec<&str> = query.split_whitespace().collect();
        spans(&words, NOW).iter().any(|span| span.holds(NOW - days_back * MICROS_PER_DAY))
    }

    #[test]
    fn spans_are_counted_back_from_now() {
        assert!(holds("what did I do yesterday", 1) && !holds("what did I do yesterday", 2));
        assert!(holds("the race two weeks ago", 14) && !holds("the race two weeks ago", 25));
        assert!(
            holds("a couple of months ago", 65) && holds("3 months ago", 90) && !holds("3 months ago", 20)
        );
        assert!(holds("last week", 9) && !holds("last week", 20) && !holds("last week", 0));
        assert!(holds("last month", 20) && !holds("last month", 3) && !holds("last month", 50));
        assert!(holds("last year", 200) && !holds("last year", 60) && !holds("last year", 600));
        assert!(holds("this month", 7) && !holds("this month", 8) && holds("this year", 127));
        assert!(holds("the last 10 days", 10) && holds("past three weeks", 1) && !holds("last 10 days", 11));
        assert!(holds("the past week", 0) && holds("last weekend", 2) && holds("this past Friday", 3));
        assert!(holds("the day before yesterday", 2) && !holds("the day before yesterday", 1));
        assert!(holds("last Friday", 3) && !holds("last Friday", 10));
        assert!(holds("last May", 360) && !holds("last May", 3));
        assert!(holds("last January", 120) && !holds("last January", 500));
    }

    #[test]
    fn days_of_the_calendar_are_read_either_way_round() {
        assert!(holds("on 2 May 2023", 6) && holds("on May 2nd", 6) && !holds("on May 2nd", 5));
        assert!(holds("December 25", 134), "the latest Christmas");
        assert!(!holds("may I ask 2 things", 6));
        assert!(holds("on 2023 05 02", 6) && !holds("on 2023 05 02", 7));
        assert!(holds("5 2 2023", 6) && holds("02 05 2023", 6), "either may be the month");
        assert!(!holds("2023 13 02", 6) && !holds("room 20 5 2", 6));
    }

    #[test]
    fn a_time_before_or_after_a_date_is_not_that_date() {
        assert!(holds("two weeks before 24 March", 45 + 14) && !holds("two weeks before 24 March", 45));
        assert!(holds("the day after May 2nd", 5) && !holds("the day after May 2nd", 6));
        assert!(holds("a month before 2023 05 02", 36) && !holds("a month before 2023 05 02", 6));
        assert!(holds("before 24 March", 45), "with no count it is near the date itself");
    }

    #[test]
    fn a_text_without_a_time_has_no_span() {
        for query in ["", "ago", "last", "the last straw", "two ago", "this", "May", "2023", "week ago"] {
            let words: Vec<&str> = query.split_whitespace().collect();
            assert_eq!(spans(&words, NOW), [], "{query}");
        }
    }

    proptest! {
        #[test]
        fn no_words_and_no_instant_are_too_strange(words in prop::collection::vec(
            prop_oneof!["(last|this|ago|May|yesterday|weeks?|years?|a|couple|[0-9]{1,20})", ".{0,8}"], 0..8,
        ), now in any::<i64>()) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let _ = spans(&words, now);
        }
    }
}
