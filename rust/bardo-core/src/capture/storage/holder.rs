//! Holder of a store, as its lease names it.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::Micros;

/// Name of the file, in the folder of the store.
pub const LEASE_FILE: &str = "lease.json";

/// A process that owns a store; the caller says who it is, since the core asks the system nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Name of the computer.
    pub host: String,
    /// When it opened the store, microseconds UTC.
    pub since: Micros,
    /// Where its server listens, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

impl Holder {
    /// The holder named beside `store`, if it can be read.
    pub(crate) fn read(store: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(store.with_file_name(LEASE_FILE)).ok()?).ok()
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pid {} on {} since {}", self.pid, self.host, Utc(self.since))?;
        self.address.as_ref().map_or(Ok(()), |address| write!(f, ", serving at {address}"))
    }
}

/// A moment as `2026-01-31 12:00:00 UTC`.
struct Utc(Micros);

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(1_000_000);
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // Days to civil date after Howard Hinnant, "chrono-compatible low-level date algorithms": years begin in
        // March, in eras of 400 years.
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let (hour, minute) = (second / 3_600, second / 60 % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02} UTC", second % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shown_as_calendar_dates() {
        assert_eq!(Utc(0).to_string(), "1970-01-01 00:00:00 UTC");
        assert_eq!(Utc(951_827_696_000_000).to_string(), "2000-02-29 12:34:56 UTC");
        assert_eq!(Utc(-1).to_string(), "1969-12-31 23:59:59 UTC");
    }
}
