//! Opens and closes the episode log, and reopens it after a disk failure.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use redb::{ReadTransaction, ReadableDatabase, StorageBackend};

use super::maintenance::open;
use super::storage::codec::OrderKey;
use super::storage::deferred_backend::Change;
use super::storage::fault::{self, Fault, catch_panic};
use super::storage::holder::Holder;
use super::storage::lease::Lease;
use super::storage::schema::{self, META, meta};
use super::storage::store::{self, OpenStore, StoreIdentity, Upgrade};
use super::wal::journal::{self, Journal, JournalMedium, Source};
use super::wal::memtable::Memtable;
use super::wal::recovery::FIRST_OPENING;
use super::wal::recovery::JournalLoss;
use super::wal::recovery::read_journal;
use super::write::group_commit::Group;
use super::write::job::Job;
use super::write::transaction::Reply;
use super::write::transaction::WriterState;
use crate::error::{Error, Result};
use crate::model::{Fingerprint, IdSource, Micros};

/// Options for opening an [`EpisodeLog`].
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// Agent of the log; empty opens the log of any agent, but creates none.
    pub agent: String,
    /// Seed of the ids.
    pub seed: u64,
    /// Wall clock.
    pub now: Micros,
    /// Whether `record` waits for the disk. Without it a crash loses up to the last 512 commits.
    pub durable: bool,
    /// Whether to create the file if it is absent.
    pub create: bool,
    /// Holder named in the lease; `None` writes no lease.
    pub holder: Option<Holder>,
    /// Whether to continue without episodes that are missing from the journal (`EpisodeLog::lost`).
    pub accept_loss: bool,
}

/// Counters of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Number of episodes in the log.
    pub episodes: u64,
    /// Number of episodes ever verified.
    pub verified: u64,
    /// Number of episodes with vectors.
    pub with_vectors: u64,
    /// Length of the file and its journal in bytes.
    pub bytes_on_disk: u64,
    /// Number of the last arrival.
    pub last_seq: u64,
    /// Number of the last verification.
    pub last_verification: u64,
    /// Number of syncs of the file and its journal since opening.
    pub syncs: u64,
}

/// Storage of a log.
enum LogMedium {
    File,
    Backend(Source),
}

/// State of the connection to the file.
enum Connection {
    Open(Box<OpenStore>),
    /// The file failed and could not be reopened yet; these changes may not have reached the disk.
    Lost(Vec<Change>),
    Closed,
}

/// Episode log of one agent, verbatim, in one redb file with one owner process. All methods take `&self` and may be
/// called from many threads.
pub struct EpisodeLog {
    path: PathBuf,
    place: LogMedium,
    expected: StoreIdentity,
    schema: u32,
    upgraded: Option<Upgrade>,
    pub(super) ids: IdSource,
    pub(super) durable: bool,
    syncs: Arc<AtomicU64>,
    /// Number of openings, so that a writer detects that its state of the file is old.
    openings: AtomicU64,
    /// Number of commits, so that a reader detects a change meanwhile.
    changes: AtomicU64,
    /// Whether redb lacks recorded episodes.
    pub(super) behind: AtomicBool,
    /// Whether every episode is known to have its vectors; one that is being recorded may have none.
    pub(super) embedded: AtomicBool,
    connection: RwLock<Connection>,
    pub(super) writer: Mutex<WriterState>,
    pub(super) group: Group<Job, Result<Reply>>,
    lease: Mutex<Option<Lease>>,
    lost: Option<JournalLoss>,
}

/// Connection that is known to be open.
pub(super) struct Guard<'a>(RwLockReadGuard<'a, Connection>);

impl EpisodeLog {
    /// Opens the log at `path`, or creates it.
    pub fn open(path: impl AsRef<Path>, options: LogOptions) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let syncs = Arc::new(AtomicU64::new(0));
        let expected = StoreIdentity { agent: options.agent.clone(), now: options.now };
        let live = if options.create && !path.exists() {
            open::create(&path, &expected, &syncs)?
        } else {
            open::open(&path, &expected, Vec::new(), &syncs)?
        };
        let journal = JournalMedium::File(journal::path_of(&path));
        Self::assemble(path, LogMedium::File, Some(journal), live, options, syncs)
    }

    /// Opens or creates a log on any backend: in memory, or one that injects faults. `source` is called once now, and
    /// again whenever the backend has failed. `name` stands for the path in errors. The log has no journal.
    pub fn open_on(
        name: &str,
        source: impl Fn() -> std::io::Result<Box<dyn StorageBackend>> + Send + Sync + 'static,
        options: LogOptions,
    ) -> Result<Self> {
        Self::open_at(name, Arc::new(source), None, options)
    }

    /// [`EpisodeLog::open_on`] with a journal; `journal` opens its backend.
    pub fn open_on_journaled(
        name: &str,
        source: impl Fn() -> std::io::Result<Box<dyn StorageBackend>> + Send + Sync + 'static,
        journal: impl Fn() -> std::io::Result<Box<dyn StorageBackend>> + Send + Sync + 'static,
        options: LogOptions,
    ) -> Result<Self> {
        Self::open_at(name, Arc::new(source), Some(JournalMedium::Backend(Arc::new(journal))), options)
    }

    fn open_at(
        name: &str,
        source: Source,
        journal: Option<JournalMedium>,
        options: LogOptions,
    ) -> Result<Self> {
        let path = PathBuf::from(name);
        let syncs = Arc::new(AtomicU64::new(0));
        let expected = StoreIdentity { agent: options.agent.clone(), now: options.now };
        let unavailable = |error: &std::io::Error| fault::unavailable("open", &path, error);
        let backend = source().map_err(|error| unavailable(&error))?;
        let empty = backend.len().map_err(|error| unavailable(&error))? == 0;
        let live = if empty && options.create {
            store::create_on(&path, backend, &expected, Vec::new(), &syncs)?
        } else {
            open::open_on(&path, backend, &expected, Vec::new(), &syncs)?
        };
        Self::assemble(path, LogMedium::Backend(source), journal, live, options, syncs)
    }

    fn assemble(
        path: PathBuf,
        place: LogMedium,
        journal: Option<JournalMedium>,
        live: OpenStore,
        options: LogOptions,
        syncs: Arc<AtomicU64>,
    ) -> Result<Self> {
        let mut state = WriterState::default();
        let mut problem = None;
        if let Some(home) = journal {
            problem = read_journal(home, &path, &live, &syncs, &mut state.tail)?;
        }
        if let (Some(error), false) = (&problem, options.accept_loss) {
            return Err(error.clone());
        }
        let is_behind = !state.tail.ops.is_empty();
        let lease = match (&place, options.holder) {
            (LogMedium::File, Some(holder)) => Some(Lease::take(&path, holder)?),
            _ => None,
        };
        live.backend.arm().map_err(|error| fault::unavailable("open", &path, &error))?;
        let mut log = Self {
            expected: StoreIdentity { agent: live.agent.clone(), now: options.now },
            path,
            place,
            schema: live.schema,
            upgraded: live.upgraded.clone(),
            ids: IdSource::new(options.seed),
            durable: options.durable,
            syncs,
            openings: AtomicU64::new(FIRST_OPENING),
            changes: AtomicU64::new(1),
            behind: AtomicBool::new(is_behind),
            embedded: AtomicBool::new(false),
            connection: RwLock::new(Connection::Open(Box::new(live))),
            writer: Mutex::new(state),
            group: Group::new(),
            lease: Mutex::new(lease),
            lost: None,
        };
        if let Some(error) = problem {
            log.lost = Some(log.accept_loss(&error)?);
        }
        Ok(log)
    }

    /// Name of the agent.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.expected.agent
    }

    /// Schema version of the file.
    #[must_use]
    pub const fn schema_version(&self) -> u32 {
        self.schema
    }

    /// Previous schema and path of the old file, if opening upgraded the log.
    #[must_use]
    pub const fn upgraded(&self) -> Option<&Upgrade> {
        self.upgraded.as_ref()
    }

    /// Episodes missing from the journal, whose loss was accepted when the log was opened.
    #[must_use]
    pub const fn lost(&self) -> Option<&JournalLoss> {
        self.lost.as_ref()
    }

    /// Wall clock at opening.
    pub(super) const fn opened_at(&self) -> Micros {
        self.expected.now
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of syncs of the file and its journal since opening: the cost of durability.
    #[must_use]
    pub fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }

    /// Fingerprint of the vectors; `None` before the first.
    pub fn fingerprint(&self) -> Result<Option<Fingerprint>> {
        self.read(|view| schema::fingerprint(&view.open_table(META)?, meta::FINGERPRINT))
    }

    /// Closes the file and releases the lease; later calls fail. Dropping a log closes it too, but cannot report a
    /// failure.
    pub fn close(&self) -> Result<()> {
        let mut connection = self.connection.write().unwrap_or_else(PoisonError::into_inner);
        let closing = std::mem::replace(&mut *connection, Connection::Closed);
        let result = match closing {
            Connection::Open(live) => {
                // Episodes that redb cannot take stay in the journal.
                let told = self.checkpoint(&live);
                let closed = catch_panic(|| live.close());
                told.and(closed).map_err(|fault| fault.into_error("close", &self.path))
            }
            Connection::Lost(_) | Connection::Closed => Ok(()),
        };
        self.behind.store(false, Ordering::Release);
        self.state().tail = Memtable::default();
        self.lease.lock().unwrap_or_else(PoisonError::into_inner).take();
        result
    }

    /// Counts a change of the file, before the writer is notified.
    pub(super) fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Number of changes so far.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// The first episode not flushed to redb.
    pub(super) fn first_unflushed(&self) -> Option<OrderKey> {
        if self.behind.load(Ordering::Acquire) { self.state().tail.first_unflushed() } else { None }
    }

    /// Length of the file and its journal in bytes.
    pub(super) fn bytes_on_disk(&self) -> Result<u64> {
        let length = self.connect_as_is()?.live()?.backend.len();
        let length = length.map_err(|error| fault::unavailable("read", &self.path, &error))?;
        Ok(length + self.state().tail.journal.as_ref().map_or(0, Journal::room))
    }

    /// Number of the current opening of the file.
    pub(super) fn opening(&self) -> u64 {
        self.openings.load(Ordering::Acquire)
    }

    /// Connects to the file after flushing every recorded episode into it; reopens a lost file first.
    pub(super) fn connect(&self) -> Result<Guard<'_>> {
        if self.behind.load(Ordering::Acquire) {
            self.notify()?;
        }
        self.connect_as_is()
    }

    /// Connects to the file, which may lack the latest episodes.
    pub(super) fn connect_as_is(&self) -> Result<Guard<'_>> {
        loop {
            let connection = self.connection.read().unwrap_or_else(PoisonError::into_inner);
            match &*connection {
                Connection::Open(_) => return Ok(Guard(connection)),
                Connection::Closed => return Err(self.closed()),
                Connection::Lost(_) => {}
            }
            drop(connection);
            self.reopen(self.opening())?;
        }
    }

    /// Reopens the file after a failure, unless another thread did so since `opening`. Changes that may not have
    /// reached the disk stay in memory until a write succeeds, so that reading works even while the disk is full.
    pub(super) fn reopen(&self, opening: u64) -> Result<()> {
        let mut connection = self.connection.write().unwrap_or_else(PoisonError::into_inner);
        if self.opening() != opening {
            return Ok(());
        }
        let changes = match std::mem::replace(&mut *connection, Connection::Closed) {
            Connection::Open(live) => {
                let backend = live.backend.clone();
                drop(live);
                backend.unsynced()
            }
            Connection::Lost(changes) => changes,
            Connection::Closed => return Err(self.closed()),
        };
        let opened = match &self.place {
            LogMedium::File => open::open(&self.path, &self.expected, changes.clone(), &self.syncs),
            LogMedium::Backend(source) => {
                source().map_err(|error| fault::unavailable("open", &self.path, &error)).and_then(|backend| {
                    open::open_on(&self.path, backend, &self.expected, changes.clone(), &self.syncs)
                })
            }
        };
        let (state, result) = match opened {
            Ok(live) => (Connection::Open(Box::new(live)), Ok(())),
            Err(error) => (Connection::Lost(changes), Err(error)),
        };
        *connection = state;
        self.openings.fetch_add(1, Ordering::AcqRel);
        // Changes flushed to redb without waiting for the disk may be lost.
        self.behind.store(true, Ordering::Release);
        self.embedded.store(false, Ordering::Release);
        self.note_change();
        result
    }

    /// Replaces the open file by a new one, while no other thread reads or writes.
    pub(super) fn replace(
        &self,
        make: impl FnOnce(&OpenStore, &Path, &StoreIdentity, &Arc<AtomicU64>) -> Result<OpenStore>,
    ) -> Result<()> {
        if matches!(self.place, LogMedium::Backend(_)) {
            return Err(fault::no_file(&self.path));
        }
        drop(self.connect_as_is()?);
        let mut connection = self.connection.write().unwrap_or_else(PoisonError::into_inner);
        let Connection::Open(live) = &*connection else { return Err(self.closed()) };
        let failed = |error: &std::io::Error| fault::unavailable("write", &self.path, error);
        live.backend.arm().map_err(|error| failed(&error))?;
        // Flushed to the old file and removed from the journal, so that no deleted data stays in the journal.
        self.checkpoint(live).map_err(|fault| fault.into_error("write", &self.path))?;
        let fresh = make(live, &self.path, &self.expected, &self.syncs)?;
        *connection = Connection::Open(Box::new(fresh));
        self.openings.fetch_add(1, Ordering::AcqRel);
        self.embedded.store(false, Ordering::Release);
        self.note_change();
        Ok(())
    }

    /// Reads from one consistent snapshot of the log; reopens a failed file once.
    pub(super) fn read<T>(&self, step: impl FnMut(&ReadTransaction) -> Result<T, Fault>) -> Result<T> {
        if self.behind.load(Ordering::Acquire) {
            self.notify()?;
        }
        self.read_as_is(step)
    }

    /// [`EpisodeLog::read`] for data that does not depend on the latest episodes.
    pub(super) fn read_as_is<T>(
        &self,
        mut step: impl FnMut(&ReadTransaction) -> Result<T, Fault>,
    ) -> Result<T> {
        let mut attempt = || -> Result<Result<T, Fault>> {
            let guard = self.connect_as_is()?;
            let live = guard.live()?;
            Ok(catch_panic(|| step(&live.db.begin_read()?)))
        };
        let opening = self.opening();
        match attempt()? {
            Err(fault) if fault.needs_reopening() => {
                self.reopen(opening)?;
                // Changes flushed to redb are lost with the file.
                self.notify()?;
                attempt()?.map_err(|fault| fault.into_error("read", &self.path))
            }
            result => result.map_err(|fault| fault.into_error("read", &self.path)),
        }
    }

    fn closed(&self) -> Error {
        Error::StoreUnavailable {
            action: "use",
            path: self.path.clone(),
            cause: "it was closed".into(),
            hint: "Open it again".into(),
        }
    }
}

impl Drop for EpisodeLog {
    fn drop(&mut self) {
        // A caller that needs the error calls `close`; recorded episodes are in the journal in any case.
        let _ = self.close();
    }
}

impl Guard<'_> {
    pub fn live(&self) -> Result<&OpenStore> {
        match &*self.0 {
            Connection::Open(live) => Ok(live),
            // `connect` hands out open connections only.
            Connection::Lost(_) | Connection::Closed => {
                Err(Error::invalid("the log is not open", "Report this"))
            }
        }
    }
}
