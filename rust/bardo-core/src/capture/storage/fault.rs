//! Converts errors of redb and of the operating system to the errors of this crate.

use std::io;
use std::path::Path;

use super::codec::Corrupt;
use super::holder::Holder;
use crate::error::{Error, Result};

/// Cause of a failed step inside a transaction.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Invalid call; the transaction is unharmed.
    Refused(Error),
    /// The content of the store is broken.
    Corrupt(String),
    /// The storage engine or the disk failed; the transaction is lost.
    Engine(Box<redb::Error>),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<Corrupt> for Fault {
    fn from(corrupt: Corrupt) -> Self {
        Self::Corrupt(corrupt.0)
    }
}

/// Lets `?` lift each of redb's error types.
macro_rules! from_redb {
    ($($error:ident),+) => {
        $(impl From<redb::$error> for Fault {
            fn from(error: redb::$error) -> Self {
                Self::Engine(Box::new(error.into()))
            }
        })+
    };
}

from_redb!(
    StorageError,
    TableError,
    TransactionError,
    CommitError,
    DatabaseError,
    SetDurabilityError,
    CompactionError
);

impl Fault {
    /// Whether redb refuses further work until the file is reopened.
    pub fn needs_reopening(&self) -> bool {
        match self {
            Self::Engine(error) => matches!(
                **error,
                redb::Error::Io(_)
                    | redb::Error::PreviousIo
                    | redb::Error::DatabaseClosed
                    | redb::Error::LockPoisoned(_)
                    | redb::Error::TransactionPoisoned
            ),
            Self::Refused(_) | Self::Corrupt(_) => false,
        }
    }

    /// The public error for a failure of `action` on `path`.
    pub fn into_error(self, action: &'static str, path: &Path) -> Error {
        match self {
            Self::Refused(error) => error,
            Self::Corrupt(what) => Error::StoreDamaged { path: path.to_owned(), what },
            Self::Engine(error) => match *error {
                redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => locked(path),
                redb::Error::Io(cause) if is_damage(&cause) => {
                    Error::StoreDamaged { path: path.to_owned(), what: cause.to_string() }
                }
                redb::Error::Io(cause) => unavailable(action, path, &cause),
                redb::Error::PreviousIo | redb::Error::DatabaseClosed => Error::StoreUnavailable {
                    action,
                    path: path.to_owned(),
                    cause: "an earlier write failed".into(),
                    hint: "Make room on the disk, then try again".into(),
                },
                other => Error::StoreDamaged { path: path.to_owned(), what: other.to_string() },
            },
        }
    }
}

/// Whether a file ends early or holds impossible values: the file is wrong, not the system.
fn is_damage(cause: &io::Error) -> bool {
    matches!(
        cause.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    )
}

/// The error for a store that another process owns.
pub(crate) fn locked(path: &Path) -> Error {
    let holder = match Holder::read(path) {
        // Only informs the reader: a pid of another host or container may be the same.
        Some(holder) if holder.pid == std::process::id() => {
            format!("a process with the id of this one ({holder})")
        }
        Some(holder) => format!("another process ({holder})"),
        None => "another process (it left no name)".to_owned(),
    };
    Error::StoreLocked { path: path.to_owned(), holder }
}

/// The error for a refusal of the operating system.
pub(crate) fn unavailable(action: &'static str, path: &Path, cause: &io::Error) -> Error {
    let (path, words) = (path.to_owned(), cause.to_string());
    let hint = match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded => {
            return Error::StoreFull { action, path, cause: words };
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            return Error::StoreReadOnly { action, path, cause: words };
        }
        io::ErrorKind::NotFound => "Create the folder first, or check the path",
        io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory | io::ErrorKind::AlreadyExists => {
            "Choose a path where a grimoire may live: a folder of its own"
        }
        _ => "See the cause, then try again; everything acknowledged before is kept",
    };
    Error::StoreUnavailable { action, path, cause: words, hint: hint.into() }
}

/// Runs a step that calls redb on a file that may be damaged. redb checks the pages it opens after a crash, but trusts
/// a file that claims to have been closed in order, and may then panic on its content. Such a panic means damage.
pub(crate) fn catch_panic<T>(step: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(step)).unwrap_or_else(|panic| {
        let words = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given");
        Err(Fault::Corrupt(format!("the storage engine gave up on its content ({words})")))
    })
}

/// The error for a log without a file of its own.
pub(crate) fn no_file(path: &Path) -> Error {
    Error::invalid(
        format!("{} is not a file, and only a file can be rewritten", path.display()),
        "Open the log at a path",
    )
}
