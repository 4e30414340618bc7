//! Opens and creates `episodes.redb`. Refuses a foreign file before changing its first byte, and upgrades a file of an
//! older schema.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use redb::StorageBackend;

use super::upgrade::upgrade;
use crate::capture::storage::deferred_backend::Change;
use crate::capture::storage::fault::{self, no_file};
use crate::capture::storage::folder::sync_folder;
use crate::capture::storage::schema::SCHEMA_VERSION;
use crate::capture::storage::store::{
    DRAFT_ENDING, OpenStore, StoreIdentity, create_on, file_backend, open_any,
};
use crate::capture::wal::journal::{self, Journal, JournalMedium};
use crate::error::{Error, Result};

/// Magic number: the first bytes of every redb file.
const REDB_MAGIC: [u8; 9] = [b'r', b'e', b'd', b'b', 0x1A, 0x0A, 0xA9, 0x0D, 0x0A];

/// Number of leading bytes read to identify a file.
const SNIFFED_BYTES: u64 = 512;

/// Opens an existing file with writes held until it is armed. `changes` are those of a previous connection that may
/// not have reached the disk.
pub(crate) fn open(
    path: &Path,
    expected: &StoreIdentity,
    changes: Vec<Change>,
    syncs: &Arc<AtomicU64>,
) -> Result<OpenStore> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    let file = file.map_err(|error| fault::unavailable("open", path, &error))?;
    if changes.is_empty() {
        sniff(path, &file)?;
    }
    let live = open_any(path, file_backend(path, file)?, expected, changes, syncs)?;
    if live.schema == SCHEMA_VERSION { Ok(live) } else { upgrade(path, &live, expected, syncs) }
}

/// [`open`] over any backend. Refuses a store of an older schema: only a file can be rewritten.
pub(crate) fn open_on(
    path: &Path,
    backend: Box<dyn StorageBackend>,
    expected: &StoreIdentity,
    changes: Vec<Change>,
    syncs: &Arc<AtomicU64>,
) -> Result<OpenStore> {
    let live = open_any(path, backend, expected, changes, syncs)?;
    if live.schema == SCHEMA_VERSION { Ok(live) } else { Err(no_file(path)) }
}

/// Creates and opens a new file, armed. Names the file only once it is whole, so a crash leaves no partial store.
pub(crate) fn create(path: &Path, expected: &StoreIdentity, syncs: &Arc<AtomicU64>) -> Result<OpenStore> {
    crate::model::check_name("the agent", &expected.agent)?;
    refuse_orphan(path, syncs)?;
    let mut draft = path.as_os_str().to_owned();
    draft.push(DRAFT_ENDING);
    let draft = PathBuf::from(draft);
    let failed = |error: &io::Error| fault::unavailable("create", path, error);
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&draft);
    let backend = file_backend(path, file.map_err(|error| failed(&error))?)?;
    // The draft may hold the remains of an earlier attempt.
    let live = create_on(path, backend, expected, vec![Change::SetLength(0)], syncs)?;
    // Checked only now, under the lock of the draft: a store that another process finished in between would be
    // replaced.
    if path.exists() {
        drop(live);
        let _ = fs::remove_file(&draft);
        return open(path, expected, Vec::new(), syncs);
    }
    live.backend.arm().and_then(|()| fs::rename(&draft, path)).map_err(|error| {
        let _ = fs::remove_file(&draft);
        failed(&error)
    })?;
    sync_folder(path).map_err(|error| failed(&error))?;
    Ok(live)
}

/// Refuses to create a store where the journal of another one remains: that store may be complete with it.
fn refuse_orphan(path: &Path, syncs: &Arc<AtomicU64>) -> Result<()> {
    let beside = journal::path_of(path);
    if !beside.exists() {
        return Ok(());
    }
    let mut journal = Journal::new(JournalMedium::File(beside.clone()), journal::ANYBODY, Arc::clone(syncs));
    let found = journal.read(path, None)?;
    if found.frames.is_empty() && found.loss.is_none() {
        return journal.remove().map_err(|error| fault::unavailable("create", path, &error));
    }
    let what = format!("it is missing, though {} holds episodes of it", beside.display());
    Err(Error::StoreDamaged { path: path.to_owned(), what })
}

/// Refuses a file without the header of a store, and names the format it seems to have.
fn sniff(path: &Path, file: &File) -> Result<()> {
    let metadata = file.metadata().map_err(|error| fault::unavailable("open", path, &error))?;
    if metadata.is_dir() {
        return Err(fault::unavailable("open", path, &io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let mut start = Vec::new();
    file.take(SNIFFED_BYTES)
        .read_to_end(&mut start)
        .map_err(|error| fault::unavailable("open", path, &error))?;
    if start.starts_with(&REDB_MAGIC) {
        return Ok(());
    }
    let foreign = |what: &str| {
        Err(Error::StoreForeign {
            path: path.to_owned(),
            what: what.into(),
            hint: "Move it away, or choose another folder for the grimoire".into(),
        })
    };
    if start.starts_with(b"SQLite format 3\0") {
        return foreign("is a SQLite database, not an episode log");
    }
    if !REDB_MAGIC.starts_with(&start) && is_text(&start) {
        return foreign("is a text file, not an episode log");
    }
    let what = if start.is_empty() { "it is empty" } else { "it does not begin like an episode log" };
    Err(Error::StoreDamaged { path: path.to_owned(), what: what.into() })
}

/// Whether bytes are text; the last character may be cut off.
fn is_text(bytes: &[u8]) -> bool {
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or("")
        }
        Err(_) => return false,
    };
    !valid.is_empty()
        && valid.chars().all(|character| !character.is_control() || "\t\r\n".contains(character))
}
