//! Lease of a store: a small file beside it that names its owner, for a person or a refused process.
//!
//! The lock of the operating system decides; the lease only names its holder. The next owner replaces a lease that a
//! killed process left behind.

use std::fs;
use std::path::{Path, PathBuf};

use super::fault;
use super::holder::{Holder, LEASE_FILE};
use crate::error::{Error, Result};

/// Lease of a store that this process owns; removed on drop.
#[derive(Debug)]
pub(crate) struct Lease {
    path: PathBuf,
    holder: Holder,
}

impl Lease {
    /// Writes the lease beside `store`, replacing a stale one.
    pub fn take(store: &Path, holder: Holder) -> Result<Self> {
        let path = store.with_file_name(LEASE_FILE);
        let draft = store.with_file_name(format!("{LEASE_FILE}.{}", holder.pid));
        let text =
            serde_json::to_vec(&holder).map_err(|error| Error::invalid(error.to_string(), "Report this"))?;
        fs::write(&draft, text).and_then(|()| fs::rename(&draft, &path)).map_err(|error| {
            // Best effort: the first failure is the one to report.
            let _ = fs::remove_file(&draft);
            fault::unavailable("write", &path, &error)
        })?;
        Ok(Self { path, holder })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Only our own: after a failure another process may own the store.
        if Holder::read(&self.path).as_ref() == Some(&self.holder) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_names_its_holder_and_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("episodes.redb");
        let holder = Holder { pid: 7, host: "here".into(), since: 0, address: None };
        let lease = Lease::take(&store, holder.clone()).unwrap();
        assert_eq!(Holder::read(&store), Some(holder.clone()));
        assert_eq!(holder.to_string(), "pid 7 on here since 1970-01-01 00:00:00 UTC");
        drop(lease);
        assert_eq!(Holder::read(&store), None);
    }
}
