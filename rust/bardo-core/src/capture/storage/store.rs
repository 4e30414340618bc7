//! `episodes.redb` as an open redb database: creates one, and identifies its agent and schema.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use redb::backends::FileBackend;
use redb::{Builder, Database, ReadTransaction, ReadableDatabase, StorageBackend};

use super::deferred_backend::{Change, DeferredBackend};
use super::fault::{Fault, catch_panic};
use super::schema::{self, FORMAT, META, SCHEMA_VERSION, fingerprint, meta};
use crate::error::{Error, Result};
use crate::model::Micros;

/// Size of redb's page cache in bytes; the hot set holds the data for recall, so this serves writes and paging.
const CACHE_BYTES: usize = 32 * 1024 * 1024;
/// Maximum length of a file that is fully checked when it is opened, which takes some milliseconds. redb checks a
/// longer one only after a crash, and trusts it if it was closed in order.
const CHECKED_BYTES: u64 = 64 * 1024 * 1024;
/// Minimum length of a file that is truncated on closing, which takes several syncs.
const WORTH_CUTTING_BYTES: u64 = 4 * 1024 * 1024;
/// File name suffix of a store that is being created.
pub(crate) const DRAFT_ENDING: &str = ".new";

/// Open store of ours.
pub(crate) struct OpenStore {
    pub db: Database,
    pub backend: DeferredBackend,
    pub agent: String,
    pub schema: u32,
    /// Older schema that it was upgraded from.
    pub upgraded: Option<Upgrade>,
    /// Length of the file when it was opened, in bytes.
    pub opened_bytes: u64,
}

impl OpenStore {
    /// Closes the file. redb doubles the file whenever it is full, so one that grew is truncated to its
    /// content.
    pub fn close(mut self) -> Result<(), Fault> {
        let bytes = self.backend.len().map_err(redb::StorageError::from)?;
        if bytes > self.opened_bytes.max(WORTH_CUTTING_BYTES) {
            self.db.compact()?;
        }
        Ok(self.db.close()?)
    }
}

/// Expected identity of a store, and the identity of a new one.
#[derive(Clone, Debug)]
pub(crate) struct StoreIdentity {
    /// Name of the agent; empty accepts the one in the store.
    pub agent: String,
    /// Creation time of a new store.
    pub now: Micros,
}

/// [`open_on`] for any known schema.
pub(crate) fn open_any(
    path: &Path,
    backend: Box<dyn StorageBackend>,
    expected: &StoreIdentity,
    changes: Vec<Change>,
    syncs: &Arc<AtomicU64>,
) -> Result<OpenStore> {
    let backend = DeferredBackend::new(backend, changes, Arc::clone(syncs));
    let opened = catch_panic(|| {
        let check = backend.len().map_err(redb::StorageError::from)? <= CHECKED_BYTES;
        let mut builder = Builder::new();
        builder.set_cache_size(CACHE_BYTES).set_check_integrity_on_open(check);
        let db = builder.create_with_backend(backend.clone())?;
        let view = db.begin_read()?;
        let (agent, schema) = identify(path, &view, expected)?;
        drop(view);
        let opened_bytes = backend.len().map_err(redb::StorageError::from)?;
        Ok(OpenStore { db, backend: backend.clone(), agent, schema, upgraded: None, opened_bytes })
    });
    opened.map_err(|fault| fault.into_error("open", path))
}

/// Creates the tables of a new store over any backend, held.
pub(crate) fn create_on(
    path: &Path,
    backend: Box<dyn StorageBackend>,
    expected: &StoreIdentity,
    changes: Vec<Change>,
    syncs: &Arc<AtomicU64>,
) -> Result<OpenStore> {
    let backend = DeferredBackend::new(backend, changes, Arc::clone(syncs));
    let made = catch_panic(|| {
        let db = Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(backend.clone())?;
        lay_out(&db, expected)?;
        let agent = expected.agent.clone();
        let (schema, upgraded) = (SCHEMA_VERSION, None);
        Ok(OpenStore { db, backend: backend.clone(), agent, schema, upgraded, opened_bytes: 0 })
    });
    made.map_err(|fault| fault.into_error("create", path))
}

fn lay_out(db: &Database, expected: &StoreIdentity) -> Result<(), Fault> {
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
fn identify(path: &Path, view: &ReadTransaction, expected: &StoreIdentity) -> Result<(String, u32), Fault> {
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

pub(crate) fn file_backend(path: &Path, file: File) -> Result<Box<dyn StorageBackend>> {
    let backend = FileBackend::new(file).map_err(|error| Fault::from(error).into_error("open", path))?;
    Ok(Box::new(backend))
}

/// Result of upgrading a log of an older schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgrade {
    /// Previous schema.
    pub from: u32,
    /// Path of the old file; may be deleted once the new one is found correct.
    pub kept: PathBuf,
}
