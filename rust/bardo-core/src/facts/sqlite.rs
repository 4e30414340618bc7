//! Translates failures of SQLite into errors of the core that name the file, the cause and the way out.

use std::path::Path;
use std::time::Duration;

use rusqlite::ErrorCode;

use super::checksums;
use crate::error::Error;

/// A writer waits this long for another process's transaction.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Free bytes below which a disk counts as full: a page and the header of a write-ahead log are the least.
#[cfg(unix)]
const LEAST_ROOM: u64 = 65_536;

/// A failure inside a transaction, before the path of the file is known to the message.
pub(crate) enum Failure {
    /// Error that SQLite returned.
    Sqlite(rusqlite::Error),
    /// Error that the core found itself.
    Core(Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl Failure {
    /// The error of the core, naming the file and what was being done with it (`read`, `write`, ...).
    pub(crate) fn into_error(self, action: &'static str, path: &Path) -> Error {
        match self {
            Self::Core(error) => error,
            Self::Sqlite(error) => from_sqlite(&error, action, path),
        }
    }
}

/// The result of a step inside a transaction.
pub(crate) type Step<T> = std::result::Result<T, Failure>;

/// Which error of ours an error of SQLite is.
pub(super) fn from_sqlite(error: &rusqlite::Error, action: &'static str, path: &Path) -> Error {
    use rusqlite::Error as Sqlite;
    let cause = error.to_string();
    let Some(code) = error.sqlite_error_code() else {
        return match error {
            Sqlite::FromSqlConversionFailure(..)
            | Sqlite::InvalidColumnType(..)
            | Sqlite::IntegralValueOutOfRange(..)
            | Sqlite::Utf8Error(..)
            | Sqlite::QueryReturnedNoRows => damaged(path, &cause),
            _ => unavailable(action, path, &cause, "Report this with the message"),
        };
    };
    match code {
        ErrorCode::DatabaseCorrupt => damaged(path, &cause),
        // SQLite gives every error of a function this code.
        ErrorCode::Unknown if cause.ends_with(checksums::MISMATCH) => damaged(path, &cause),
        ErrorCode::NotADatabase => foreign(path, "is not a database of bardo"),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            Error::StoreBusy { path: path.to_owned(), seconds: BUSY_TIMEOUT.as_secs() }
        }
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => read_only(action, path, &cause),
        // SQLite does not say why, so the system is asked.
        ErrorCode::CannotOpen | ErrorCode::SystemIoFailure if !is_writable(path) => {
            read_only(action, path, &cause)
        }
        ErrorCode::CannotOpen | ErrorCode::SystemIoFailure if is_full(path) => full(action, path, &cause),
        ErrorCode::DiskFull => full(action, path, &cause),
        ErrorCode::CannotOpen => {
            unavailable(action, path, &cause, "Check that its folder exists and may be written to")
        }
        ErrorCode::TooBig => Error::invalid(cause, "Pass less at once"),
        _ => unavailable(action, path, &cause, "Check the disk; nothing was changed"),
    }
}

/// Whether a file, if it is there, and its folder may be written to.
#[cfg(unix)]
pub(super) fn is_writable(path: &Path) -> bool {
    use rustix::io::Errno;
    // A place that is not there is refused for that, and not for its permissions.
    let refused = |place: &Path| {
        let answer = rustix::fs::access(place, rustix::fs::Access::WRITE_OK);
        matches!(answer, Err(Errno::ACCESS | Errno::PERM | Errno::ROFS))
    };
    !refused(folder_of(path)) && !refused(path)
}

/// Whether a file, if it is there, and its folder may be written to.
#[cfg(not(unix))]
pub(super) fn is_writable(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |found| !found.permissions().readonly())
}

/// Whether the disk has no room for SQLite to begin a write.
#[cfg(unix)]
fn is_full(path: &Path) -> bool {
    rustix::fs::statvfs(folder_of(path))
        .is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < LEAST_ROOM)
}

/// Whether the disk has no room for SQLite to begin a write.
#[cfg(not(unix))]
fn is_full(_path: &Path) -> bool {
    false
}

#[cfg(unix)]
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// An [`Error::StoreDamaged`].
pub(crate) fn damaged(path: &Path, what: &str) -> Error {
    Error::StoreDamaged { path: path.to_owned(), what: what.to_owned() }
}

pub(super) fn foreign(path: &Path, what: &str) -> Error {
    Error::StoreForeign {
        path: path.to_owned(),
        what: what.to_owned(),
        hint: "Give bardo a folder of its own, or move this file away".to_owned(),
    }
}

fn full(action: &'static str, path: &Path, cause: &str) -> Error {
    Error::StoreFull { action, path: path.to_owned(), cause: cause.to_owned() }
}

pub(super) fn read_only(action: &'static str, path: &Path, cause: &str) -> Error {
    Error::StoreReadOnly { action, path: path.to_owned(), cause: cause.to_owned() }
}

pub(super) fn unavailable(action: &'static str, path: &Path, cause: &str, hint: &str) -> Error {
    Error::StoreUnavailable { action, path: path.to_owned(), cause: cause.to_owned(), hint: hint.to_owned() }
}

/// A number of rows as SQLite holds it; more than it can hold means all.
pub(crate) fn rows(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
