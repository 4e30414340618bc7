//! The date of a memory in the words people search by. Proleptic Gregorian calendar, UTC.

use crate::model::Micros;

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
        let (month, weekday) = (MONTHS[usize::from(self.month) - 1], WEEKDAYS[usize::from(self.weekday)]);
        format!("{} {month} {}, {weekday}", self.day, self.year)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_in_words() {
        assert_eq!(Date::of(0).in_words(), "1 January 1970, Thursday");
        assert_eq!(Date::of(1_683_554_160_000_000).in_words(), "8 May 2023, Monday");
        assert_eq!(Date::of(1_709_164_800_000_000).in_words(), "29 February 2024, Thursday");
        assert_eq!(Date::of(-1).in_words(), "31 December 1969, Wednesday");
    }

    #[test]
    fn no_instant_is_out_of_range() {
        for at in [Micros::MIN, Micros::MAX] {
            let date = Date::of(at);
            assert!((1..=12).contains(&date.month) && (1..=31).contains(&date.day));
        }
    }
}
