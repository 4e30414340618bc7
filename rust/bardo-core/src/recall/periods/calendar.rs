//! Days of a period, as seen from a day.

use std::str::FromStr;

use chrono::Datelike;

use crate::error::{Error, Result};
use crate::model::Micros;
use crate::model::calendar::{MICROS_PER_DAY, date_of_day, day_number};

/// Days of an average month, rounded.
const AVERAGE_MONTH_DAYS: i64 = 30;
/// Days of an average year, rounded.
const AVERAGE_YEAR_DAYS: i64 = 365;
/// Occurrences of a date without a year that are considered, the latest first.
const OCCURRENCES: i32 = 10;
/// Years that a query may name.
pub(super) const YEARS: std::ops::RangeInclusive<i32> = 1900..=2100;

/// Days, both ends included, counted from the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaySpan {
    /// First day.
    pub first: i64,
    /// Last day.
    pub last: i64,
}

impl DaySpan {
    const fn around(day: i64, slack: i64) -> Self {
        Self { first: day.saturating_sub(slack), last: day.saturating_add(slack) }
    }

    /// The latest `days` before today, and today.
    const fn up_to(today: i64, days: i64) -> Self {
        Self { first: today.saturating_sub(days), last: today }
    }

    /// Whether an instant lies in it.
    #[must_use]
    pub const fn holds(&self, at: Micros) -> bool {
        let day = at.div_euclid(MICROS_PER_DAY);
        self.first <= day && day <= self.last
    }

    /// Number of days.
    #[must_use]
    pub const fn count(&self) -> i64 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }

    /// First instant, and first instant after it.
    #[must_use]
    pub const fn bounds(&self) -> (Micros, Micros) {
        (
            self.first.saturating_mul(MICROS_PER_DAY),
            self.last.saturating_add(1).saturating_mul(MICROS_PER_DAY),
        )
    }

    /// The days of both.
    fn intersection(self, other: Self) -> Option<Self> {
        let both = Self { first: self.first.max(other.first), last: self.last.min(other.last) };
        (both.first <= both.last).then_some(both)
    }
}

/// A period as a query names it: the days that it may mean, the likeliest first. A month without a year is any of the
/// latest ones.
pub type Alternatives = Vec<DaySpan>;

/// Meaning of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Today,
    Yesterday,
    DayBeforeYesterday,
    /// The latest so many units, or the latest unit.
    Latest,
    /// The unit, weekday or month before the present one.
    Previous,
    /// The present unit.
    Current,
    /// So many units back.
    Ago,
    /// A month, of a year if it is named.
    Month,
    Year,
    /// A day of a month, of a year if it is named.
    Date,
    /// So many units before the date that follows.
    Before,
    /// So many units after the date that follows.
    After,
}

impl FromStr for Meaning {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "today" => Self::Today,
            "yesterday" => Self::Yesterday,
            "day_before_yesterday" => Self::DayBeforeYesterday,
            "latest" => Self::Latest,
            "previous" => Self::Previous,
            "current" => Self::Current,
            "ago" => Self::Ago,
            "month" => Self::Month,
            "year" => Self::Year,
            "date" => Self::Date,
            "before" => Self::Before,
            "after" => Self::After,
            _ => {
                return Err(Error::invalid(
                    format!("{name:?} is no meaning of a phrase"),
                    "Use today, yesterday, day_before_yesterday, latest, previous, current, ago, month, year, date, \
                     before or after",
                ));
            }
        })
    }
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Weekend,
    Month,
    Year,
}

impl Unit {
    pub(super) const fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            Self::Weekend => 4,
            Self::Month => AVERAGE_MONTH_DAYS,
            Self::Year => AVERAGE_YEAR_DAYS,
        }
    }

    /// First day of the unit that a day lies in, if the calendar has one.
    pub(super) fn first_day(self, day: i64) -> Option<i64> {
        let date = date_of_day(day);
        match self {
            Self::Week => Some(day - i64::from(date.weekday().num_days_from_monday())),
            Self::Month => Some(day_number(date.year(), date.month(), 1)),
            Self::Year => Some(day_number(date.year(), 1, 1)),
            Self::Day | Self::Weekend => None,
        }
    }

    /// The present one, as far as it has come.
    pub(super) fn current(self, today: i64) -> DaySpan {
        match self.first_day(today) {
            Some(first) => DaySpan { first, last: today },
            None => DaySpan::up_to(today, self.days()),
        }
    }

    /// The one before the present one. People do not look at the calendar when they say so: a few days on either side
    /// belong to it, but not today.
    pub(super) fn previous(self, today: i64) -> DaySpan {
        let Some((began, before)) =
            self.first_day(today).and_then(|began| Some((began, self.first_day(began - 1)?)))
        else {
            return DaySpan::up_to(today, 2 * self.days());
        };
        let slack = (self.days() / 10).max(2);
        DaySpan { first: before - slack, last: (began - 1 + slack).min(today - 1) }
    }
}

impl FromStr for Unit {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "day" => Self::Day,
            "week" => Self::Week,
            "weekend" => Self::Weekend,
            "month" => Self::Month,
            "year" => Self::Year,
            _ => {
                return Err(Error::invalid(
                    format!("{name:?} is no unit of time"),
                    "Use day, week, weekend, month or year",
                ));
            }
        })
    }
}

/// Words of a query at the places of a phrase.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Values {
    pub count: Option<i64>,
    pub unit: Option<Unit>,
    pub weekday: Option<i64>,
    pub month: Option<u32>,
    pub year: Option<i32>,
    pub day: Option<u32>,
}

/// Days by which a date is moved, and how exactly.
#[derive(Clone, Copy)]
pub(super) struct Move {
    days: i64,
    slack: i64,
}

impl Move {
    pub(super) const fn of(count: i64, unit: Unit) -> Self {
        Self { days: count.saturating_mul(unit.days()), slack: unit.days() / 2 }
    }
}

pub(super) fn moved_by(date: DaySpan, away: Option<Move>) -> DaySpan {
    away.map_or(date, |away| DaySpan::around(date.first.saturating_add(away.days), away.slack))
}

/// The days of a phrase other than a date.
pub(super) fn alternatives(meaning: Meaning, values: &Values, today: i64) -> Alternatives {
    let one = |span: DaySpan| vec![span];
    match (meaning, values) {
        (Meaning::Today, _) => one(DaySpan::around(today, 0)),
        (Meaning::Yesterday, _) => one(DaySpan::around(today - 1, 0)),
        (Meaning::DayBeforeYesterday, _) => one(DaySpan::around(today - 2, 0)),
        (Meaning::Latest, Values { unit: Some(unit), count, .. }) => {
            one(DaySpan::up_to(today, unit.days().saturating_mul(count.unwrap_or(1))))
        }
        (Meaning::Current, Values { unit: Some(unit), .. }) => one(unit.current(today)),
        (Meaning::Previous, Values { unit: Some(unit), .. }) => one(unit.previous(today)),
        (Meaning::Previous, Values { weekday: Some(weekday), .. }) => {
            let present = i64::from(date_of_day(today).weekday().num_days_from_monday());
            let back = (present - weekday).rem_euclid(7);
            one(DaySpan::around(today - if back == 0 { 7 } else { back }, 0))
        }
        (Meaning::Previous, Values { month: Some(month), .. }) => {
            let now = date_of_day(today);
            one(month_of(if *month < now.month() { now.year() } else { now.year() - 1 }, *month))
        }
        (Meaning::Ago, Values { count: Some(count), unit: Some(unit), .. }) => {
            // The farther back, the less exactly people count.
            let back = unit.days().saturating_mul(*count);
            one(DaySpan::around(today.saturating_sub(back), unit.days() / 2 + back / 10))
        }
        (Meaning::Month, Values { month: Some(month), year: Some(year), .. }) => one(month_of(*year, *month)),
        (Meaning::Month, Values { month: Some(month), .. }) => {
            let now = date_of_day(today);
            let latest = if *month <= now.month() { now.year() } else { now.year() - 1 };
            (0..OCCURRENCES).map(|back| month_of(latest - back, *month)).collect()
        }
        (Meaning::Year, Values { year: Some(year), .. }) => {
            one(DaySpan { first: day_number(*year, 1, 1), last: day_number(*year, 12, 31) })
        }
        _ => Vec::new(),
    }
}

fn month_of(year: i32, month: u32) -> DaySpan {
    let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    DaySpan { first: day_number(year, month, 1), last: day_number(next_year, next, 1) - 1 }
}

/// The days of a date; without a year the latest that have come.
pub(super) fn dates_of(values: &Values, today: i64) -> Alternatives {
    let Some((month, day)) = values.month.zip(values.day) else { return Vec::new() };
    let of_year = |year| DaySpan::around(day_number(year, month, day), 0);
    if let Some(year) = values.year {
        return vec![of_year(year)];
    }
    let now = date_of_day(today).year();
    let latest = if of_year(now).first > today { now - 1 } else { now };
    (0..OCCURRENCES).map(|back| of_year(latest - back)).collect()
}

/// The days that three numbers in a row may mean: the year first, or last after the day and the month in either order.
pub(super) fn dates_in_figures(parts: &[&str]) -> Vec<DaySpan> {
    let figure = |part: &str, digits: std::ops::RangeInclusive<usize>| -> Option<u16> {
        let is_figure = digits.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        is_figure.then(|| part.parse().ok()).flatten()
    };
    let &[first, second, third] = parts else { return Vec::new() };
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
            YEARS.contains(&i32::from(*year)) && (1..=12).contains(month) && (1..=31).contains(day)
        })
        .map(|(year, month, day)| DaySpan::around(day_number(year.into(), month.into(), day.into()), 0))
        .collect()
}

/// The days that are meant: of each period the alternative that agrees with the others, or else the likeliest of which
/// something is remembered. Where one lies in another, as a month in a year, both must hold.
#[must_use]
pub fn resolve(periods: &[Alternatives], is_remembered: impl Fn(&DaySpan) -> bool) -> Vec<DaySpan> {
    let mut fixed: Vec<DaySpan> =
        periods.iter().filter(|period| period.len() == 1).flatten().copied().collect();
    for period in periods.iter().filter(|period| period.len() > 1) {
        let agrees = |span: &&DaySpan| fixed.iter().any(|other| span.intersection(*other).is_some());
        let chosen = period.iter().find(agrees).or_else(|| period.iter().find(|span| is_remembered(span)));
        fixed.extend(chosen.or_else(|| period.first()));
    }
    let mut spans: Vec<DaySpan> = Vec::with_capacity(fixed.len());
    for span in fixed {
        match spans.iter_mut().find_map(|known| known.intersection(span).map(|both| (known, both))) {
            Some((known, both)) => *known = both,
            None => spans.push(span),
        }
    }
    spans
}
