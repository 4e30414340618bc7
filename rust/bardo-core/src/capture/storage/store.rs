//! Opening and making `episodes.redb`: whose file it is, whether it is whole, and which schema it has, decided before
//! the first byte of it is changed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use redb::backends::FileBackend;
use redb::{Builder, Database, ReadTransaction, ReadableDatabase, ReadableTable, StorageBackend};

use super::deferred_backend::{Change, HeldBackend};
use super::fault::{self, Fault, catching, no_file};
use super::folder::sync_folder;
use super::schema::{self, FORMAT, META, SCHEMA_VERSION, fingerprint, meta};
use crate::capture::maintenance::upgrade::upgrade;
use crate::capture::wal::journal::{self, Home, Journal};
use crate::error::{Error, Result};
use crate::model::Micros;

/// The first bytes of every redb file.
const REDB_MAGIC: [u8; 9] = [b'r', b'e', b'd', b'b', 0x1A, 0x0A, 0xA9, 0x0D, 0x0A];
/// Bytes looked at to tell whose file it is.
const SNIFFED_BYTES: u64 = 512;
/// Bytes of pages that redb keeps in memory; the hot set holds what recall needs, so this serves writes and paging.
const CACHE_BYTES: usize = 32 * 1024 * 1024;
/// A file up to this length is read whole and checked when it is opened, which takes some milliseconds. redb checks a
/// longer one only after a crash, and trusts it if it was closed in order.
const CHECKED_BYTES: u64 = 64 * 1024 * 1024;
/// A file up to this length is left as it is: cutting it back takes several syncs.
const WORTH_CUTTING_BYTES: u64 = 4 * 1024 * 1024;
/// Ending of a store while it is being made.
const DRAFT_ENDING: &str = ".new";

/// A store that is open and ours.
pub(crate) struct Live {
    pub db: Database,
    pub backend: HeldBackend,
    pub agent: String,
    pub schema: u32,
    /// The older schema that it had until now.
    pub upgraded: Option<Upgraded>,
    /// Length of the file when it was opened.
    pub opened_bytes: u64,
}

impl Live {
    /// Closes the file. redb doubles it whenever it is full; a file that grew is cut back to what it holds.
    pub fn close(mut self) -> Result<(), Fault> {
        let bytes = self.backend.len().map_err(redb::StorageError::from)?;
        if bytes > self.opened_bytes.max(WORTH_CUTTING_BYTES) {
            self.db.compact()?;
        }
        Ok(self.db.close()?)
    }
}

/// Whose store is expected, and what a new one is to say.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// The agent; empty takes whichever the store names.
    pub agent: String,
    /// Time of birth of a new store.
    pub now: Micros,
}

/// Opens an existing file, held: nothing is written to it until it is armed. `changes` are those of a predecessor that
/// may not have reached the disk.
pub(crate) fn open(
    path: &Path,
    expected: &Expected,
    changes: Vec<Change>,
    syncs: &Arc<AtomicU64>,
) -> Result<Live> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    let file = file.map_err(|error| fault::unavailable("open", path, &error))?;
    if changes.is_empty() {
        sniff(path, &file)?;
    }
    let live = open_any(path, file_backend(path, file)?, expected, changes, syncs)?;
    if live.schema == SCHEMA_VERSION { Ok(live) } else { upgrade(path, &live, expected, syncs) }
}

/// [`open`] over any backend. A store of an older schema is refused: only a file can be written anew.
pub(crate) fn open_on(
    path: &Path,
    backend: Box<dyn StorageBackend>,
    expected: &Expected,
    changes: Vec<Change>,
    syncs: &Arc<AtomicU64>,
) -> Result<Live> {
    let live = open_any(path, backend, expected, changes, syncs)?;
    if live.schema == SCHEMA_VERSION { Ok(live) } else { Err(no_file(path)) }
}

/// [`open_on`] for any schema that is known.
fn open_any(
    path: &Path,
    backend: Box<dyn StorageBackend>,
    expected: &Expected,
    changes: Vec<Change>,
    syncs: &Arc<AtomicU64>,
) -> Result<Live> {
    let backend = HeldBackend::new(backend, changes, Arc::clone(syncs));
    let opened = catching(|| {
        let check = backend.len().map_err(redb::StorageError::from)? <= CHECKED_BYTES;
        let mut builder = Builder::new();
        builder.set_cache_size(CACHE_BYTES).set_check_integrity_on_open(check);
        let db = builder.create_with_backend(backend.clone())?;
        let view = db.begin_read()?;
        let (agent, schema) = identify(path, &view, expected)?;
        drop(view);
        let opened_bytes = backend.len().map_err(redb::StorageError::from)?;
        Ok(Live { db, backend: backend.clone(), agent, schema, upgraded: None, opened_bytes })
    });
    opened.map_err(|fault| fault.into_error("open", path))
}

/// Makes a new file and opens it, armed. It gets its name only once it is whole, so a crash leaves no half store.
pub(crate) fn create(path: &Path, expected: &Expected, syncs: &Arc<AtomicU64>) -> Result<Live> {
    crate::model::check_name("the agent", &expected.agent)?;
    refuse_orphan(path, syncs)?;
    let mut draft = path.as_os_str().to_owned();
    draft.push(DRAFT_ENDING);
    let draft = PathBuf::from(draft);
    let failed = |error: &io::Error| fault::unavailable("create", path, error);
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&draft);
    let backend = file_backend(path, file.map_err(|error| failed(&error))?)?;
    // What an earlier attempt left in the draft does not count.
    let live = create_on(path, backend, expected, vec![Change::SetLength(0)], syncs)?;
    // Only now, under the lock of the draft: had another process finished a store in between, this would replace it.
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

/// Refuses to make a store where the journal of another one is left: with it, that one may be whole.
fn refuse_orphan(path: &Path, syncs: &Arc<AtomicU64>) -> Result<()> {
    let beside = journal::path_of(path);
    if !beside.exists() {
        return Ok(());
    }
    let mut journal = Journal::new(Home::File(beside.clone()), journal::ANYBODY, Arc::clone(syncs));
    let found = journal.read(path, None)?;
    if found.frames.is_empty() && found.loss.is_none() {
        return journal.remove().map_err(|error| fault::unavailable("create", path, &error));
    }
    let what = format!("it is missing, though {} holds episodes of it", beside.display());
    Err(Error::StoreDamaged { path: path.to_owned(), what })
}

/// Writes a store anew: `copy` fills a new file, which then takes the place of the one at `path`. The caller owns that
/// one, so nobody else can have it open. The old file stays under the name `kept` if one is given.
pub(crate) fn replace(
    path: &Path,
    expected: &Expected,
    syncs: &Arc<AtomicU64>,
    kept: Option<&Path>,
    copy: impl FnOnce(&Database) -> Result<(), Fault>,
) -> Result<Live> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(DRAFT_ENDING);
    let draft = PathBuf::from(draft);
    let failed = |error: &io::Error| {
        let _ = fs::remove_file(&draft);
        fault::unavailable("write anew", path, error)
    };
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&draft);
    let backend = file_backend(path, file.map_err(|error| failed(&error))?)?;
    let mut live = create_on(path, backend, expected, Vec::new(), syncs)?;
    live.backend.arm().map_err(|error| failed(&error))?;
    copy(&live.db).and_then(|()| catching(|| Ok(live.db.compact().map(drop)?))).map_err(|fault| {
        let _ = fs::remove_file(&draft);
        fault.into_error("write anew", path)
    })?;
    let keep = || kept.map_or(Ok(()), |kept| keep_as(path, kept));
    keep()
        .and_then(|()| fs::rename(&draft, path))
        .and_then(|()| sync_folder(path))
        .map_err(|error| failed(&error))?;
    Ok(live)
}

/// Gives a file a second name, which it keeps when another file takes its first one. Where file systems know no second
/// names it is copied.
fn keep_as(path: &Path, kept: &Path) -> io::Result<()> {
    match fs::remove_file(kept) {
        // An earlier attempt that was killed.
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if fs::hard_link(path, kept).is_ok() {
        return Ok(());
    }
    fs::copy(path, kept)?;
    File::open(kept)?.sync_all()
}

/// Lays a new store out over any backend, held.
pub(crate) fn create_on(
    path: &Path,
    backend: Box<dyn StorageBackend>,
    expected: &Expected,
    changes: Vec<Change>,
    syncs: &Arc<AtomicU64>,
) -> Result<Live> {
    let backend = HeldBackend::new(backend, changes, Arc::clone(syncs));
    let made = catching(|| {
        let db = Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(backend.clone())?;
        lay_out(&db, expected)?;
        let agent = expected.agent.clone();
        let (schema, upgraded) = (SCHEMA_VERSION, None);
        Ok(Live { db, backend: backend.clone(), agent, schema, upgraded, opened_bytes: 0 })
    });
    made.map_err(|fault| fault.into_error("create", path))
}

fn lay_out(db: &Database, expected: &Expected) -> Result<(), Fault> {
    let transaction = db.begin_write()?;
    {
        let mut table = transaction.open_table(META)?;
        table.insert(meta::FORMAT, FORMAT)?;
        table.insert(meta::SCHEMA, SCHEMA_VERSION.to_le_bytes().as_slice())?;
        table.insert(meta::AGENT, expected.agent.as_bytes())?;
        table.insert(meta::CREATED, expected.now.to_le_bytes().as_slice())?;
    }
    transaction.open_table(schema::WATERMARKS)?;
    transaction.open_table(schema::EPISODES)?;
    transaction.open_table(schema::ANNOTATIONS)?;
    transaction.open_table(schema::IDS)?;
    transaction.open_table(schema::ARRIVALS)?;
    transaction.open_table(schema::SUBJECTS)?;
    transaction.open_table(schema::THREADS)?;
    transaction.open_table(schema::VERIFICATIONS)?;
    transaction.open_table(schema::VECTORS)?;
    Ok(transaction.commit()?)
}

/// Agent and schema of a store of ours.
fn identify(path: &Path, view: &ReadTransaction, expected: &Expected) -> Result<(String, u32), Fault> {
    let foreign = |what: &str, hint: &str| Error::StoreForeign {
        path: path.to_owned(),
        what: what.to_owned(),
        hint: hint.to_owned(),
    };
    let not_ours =
        || foreign("is a redb database of another program", "Choose a folder of its own for the grimoire");
    let table = match view.open_table(META) {
        Ok(table) => table,
        Err(redb::TableError::Storage(error)) => return Err(error.into()),
        Err(_) => return Err(not_ours().into()),
    };
    if table.get(meta::FORMAT)?.is_none_or(|format| format.value() != FORMAT) {
        return Err(not_ours().into());
    }
    let schema = table.get(meta::SCHEMA)?;
    let schema = schema.and_then(|bytes| Some(u32::from_le_bytes(bytes.value().try_into().ok()?)));
    let schema = schema.ok_or_else(|| Fault::Corrupt("it does not say its schema version".into()))?;
    if schema > SCHEMA_VERSION {
        let newer = Error::StoreTooNew { path: path.to_owned(), found: schema, supported: SCHEMA_VERSION };
        return Err(newer.into());
    }
    let agent = table.get(meta::AGENT)?;
    let agent = agent.and_then(|name| String::from_utf8(name.value().to_vec()).ok());
    let agent = agent.ok_or_else(|| Fault::Corrupt("it does not say whose it is".into()))?;
    if !expected.agent.is_empty() && agent != expected.agent {
        let what = format!("belongs to agent {agent:?}, not to {:?}", expected.agent);
        return Err(foreign(&what, "Open it under that name, or choose another folder").into());
    }
    fingerprint(&table, meta::FINGERPRINT)?;
    Ok((agent, schema))
}

/// Refuses a file that does not begin like a store, saying what it seems to be.
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

/// Whether bytes read as text; the last character may be cut off.
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

fn file_backend(path: &Path, file: File) -> Result<Box<dyn StorageBackend>> {
    let backend = FileBackend::new(file).map_err(|error| Fault::from(error).into_error("open", path))?;
    Ok(Box::new(backend))
}

/// What became of a log of an older schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgraded {
    /// The schema that it had.
    pub from: u32,
    /// Where the old file is kept; it may be deleted once all is seen to be well.
    pub kept: PathBuf,
}
