//! Every way a call into the core can fail. Each message says what was wrong with which value, and what to do.

use std::path::PathBuf;

/// The result of every fallible call in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One error for the whole core; the Python layer raises one class per variant (`bardo/errors.py`). It clones, because one failed
/// commit is reported to every caller that shared it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// A value handed in by the caller breaks a documented limit or type.
    #[error("{what}. {hint}")]
    InvalidInput {
        /// Description of the fault, with the value.
        what: String,
        /// Advice to the caller.
        hint: String,
    },
    /// A vector with the wrong number of dimensions, or with NaN or infinite components.
    #[error("{what}. {hint}")]
    InvalidVector {
        /// Description of the fault, with the value.
        what: String,
        /// Advice to the caller.
        hint: String,
    },
    /// A tick below the last one of this writer.
    #[error("tick {tick} is before the last tick {last}. Ticks never decrease: pass {last} or more")]
    DecreasingTick {
        /// The tick that was refused.
        tick: u64,
        /// The last tick that was accepted.
        last: u64,
    },
    /// A record that was asked for by id and is not there.
    #[error("no {kind} with id {id}. Check the id, or list what is there with `bardo {}`", lister(kind))]
    NotFound {
        /// `episode` or `fact`.
        kind: &'static str,
        /// The id that was asked for.
        id: String,
    },
    /// A text that was forgotten on purpose.
    #[error(
        "{text:?} was forgotten on purpose and is not taken again. Say it in other words, or forget with allow_again=True what may come back"
    )]
    Forgotten {
        /// The beginning of the text.
        text: String,
    },
    /// Another process has the store open.
    #[error(
        "{path} is open in {holder}. Close it there, or hand episodes over with `bardo.drop(path, ...)` meanwhile"
    )]
    StoreLocked {
        /// The file that is locked.
        path: PathBuf,
        /// This process or another one: its id, host and start time, as far as known.
        holder: String,
    },
    /// A shared file that another process has been writing to for too long.
    #[error(
        "{path} is busy: another process has been writing to it for {seconds} s. Try again when it is done; nothing was changed"
    )]
    StoreBusy {
        /// The file.
        path: PathBuf,
        /// How long this process waited.
        seconds: u64,
    },
    /// No room for what was to be written.
    #[error(
        "cannot {action} {path}: {cause}. Make room on the disk, then try again; everything acknowledged before is kept"
    )]
    StoreFull {
        /// The verb that failed (`open`, `write`, ...).
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The words of the operating system or of SQLite.
        cause: String,
    },
    /// A file or folder that may be read but not written to.
    #[error(
        "cannot {action} {path}: {cause}. Make the file and its folder writable, or choose another folder; `bardo.visit` reads without writing"
    )]
    StoreReadOnly {
        /// The verb that failed (`open`, `write`, ...).
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The words of the operating system or of SQLite.
        cause: String,
    },
    /// A file of ours whose content is broken.
    #[error(
        "{path} is damaged: {what}. Nothing was changed; see all of it with `bardo maintenance check`, mend what can be mended with `bardo maintenance check --repair`, or restore the file from a copy"
    )]
    StoreDamaged {
        /// The damaged file.
        path: PathBuf,
        /// Description of the fault.
        what: String,
    },
    /// The journal that must be beside a log is missing, emptied, cut, broken or of another time.
    #[error(
        "{path} {what}. Episodes that were acknowledged may be lost; nothing was changed. Put the journal back that belongs to this log, or go on without it by `bardo recover` (accept_loss=True), which takes over what can be read"
    )]
    JournalLost {
        /// The journal.
        path: PathBuf,
        /// Description of the fault.
        what: String,
    },
    /// A file written by a newer bardo.
    #[error(
        "{path} has schema version {found}, this bardo reads up to {supported}. Upgrade bardo: pip install -U bardo"
    )]
    StoreTooNew {
        /// The newer file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The newest version this build can read.
        supported: u32,
    },
    /// A file that is not bardo's, or belongs to another agent.
    #[error("{path} {what}. {hint}")]
    StoreForeign {
        /// The foreign file.
        path: PathBuf,
        /// Sign of a foreign file.
        what: String,
        /// Advice to the caller.
        hint: String,
    },
    /// The operating system refused: a path that is a file, a failing disk.
    #[error("cannot {action} {path}: {cause}. {hint}")]
    StoreUnavailable {
        /// The verb that failed (`open`, `write`, ...).
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's words.
        cause: String,
        /// Advice to the caller.
        hint: String,
    },
    /// Vectors of two models in one store.
    #[error(
        "the store holds vectors of {stored}, but these come from {given}. Open it with the embedder it was built with, or migrate the store to the new one"
    )]
    EmbeddingMismatch {
        /// The fingerprint in the store.
        stored: String,
        /// The fingerprint that was handed in.
        given: String,
    },
    /// The protected blocks alone are larger than the budget.
    #[error(
        "the budget of {budget} tokens is too small: {what} needs {needed}. Raise the budget to at least {needed}, or shorten it"
    )]
    BudgetTooSmall {
        /// The budget that was given, in tokens.
        budget: usize,
        /// Tokens needed.
        needed: usize,
        /// Feature that needs them.
        what: String,
    },
}

/// Characters of a forgotten text that its error shows.
const SHOWN: usize = 40;

/// The verb of the command line that lists records of a kind.
fn lister(kind: &str) -> &'static str {
    match kind {
        "act" => "journal list",
        "entity" => "entities list",
        "fact" => "facts list",
        _ => "episodes list",
    }
}

impl Error {
    /// An [`Error::Forgotten`] that shows how the text begins.
    #[must_use]
    pub fn forgotten(text: &str) -> Self {
        let text = match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.to_owned(),
        };
        Self::Forgotten { text }
    }

    /// An [`Error::InvalidInput`] from what was wrong and what to do.
    pub fn invalid(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::InvalidInput { what: what.into(), hint: hint.into() }
    }

    /// An [`Error::InvalidVector`] from what was wrong and what to do.
    pub fn vector(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::InvalidVector { what: what.into(), hint: hint.into() }
    }
}
