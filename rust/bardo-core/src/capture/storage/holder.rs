//! Holder of a store, as named in its lease.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::Micros;
use crate::model::calendar::date_time;

/// File name of the lease, in the folder of the store.
pub const LEASE_FILE: &str = "lease.json";

/// Process that owns a store. The caller fills it in, since the core queries no system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Name of the computer.
    pub host: String,
    /// Time of opening, microseconds UTC.
    pub since: Micros,
    /// Address of its server, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

impl Holder {
    /// Reads the holder named in the lease beside `store`, if it is readable.
    pub(crate) fn read(store: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(store.with_file_name(LEASE_FILE)).ok()?).ok()
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pid {} on {} since {}", self.pid, self.host, date_time(self.since).format("%F %T UTC"))?;
        self.address.as_ref().map_or(Ok(()), |address| write!(f, ", serving at {address}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_shown_with_the_date_of_its_lease() {
        let holder = Holder { pid: 7, host: "ann".into(), since: 951_827_696_000_000, address: None };
        assert_eq!(holder.to_string(), "pid 7 on ann since 2000-02-29 12:34:56 UTC");
    }
}
