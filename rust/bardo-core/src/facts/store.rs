//! `facts.db`: what is generally true, in SQLite. Opening, reading and the frame of every write.
//!
//! Only this file's connection opens the database in this process; other processes may have their own. Every write is
//! one immediate transaction that stamps each fact it touches with a running change number, so that a reader can ask
//! the changes since its last look, by any writer.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, named_params, params};

use super::filter::{FactFilter, FactOptions, Retention};
use super::names_state::NameIndex;
use super::rows::{self as record, StoredFact, signed};
use super::schema::{MIGRATIONS, decode, register_functions};
use super::scope_rows::{self, Scope};
use super::sqlite::{self, Step, rows};
use super::sqlite_file::{self, Stamp};
use super::transaction::{LEARNED, Writer, counter, fingerprint, meta, set_meta};
use super::versions::list_as_of;
use crate::error::{Error, Result};
use crate::model::decay;
use crate::model::{Fact, FactKind, FactStatus, Fingerprint, Id, IdSource, Micros, Source};

/// Mixed into the seed so that facts and episodes of one agent, or facts of two, never share an id.
const ID_DOMAIN: &str = "bardo facts of ";

/// One fact as of its latest change.
#[derive(Clone, Debug)]
pub struct FactRevision {
    /// Running number of the change.
    pub change: u64,
    /// The record after it.
    pub fact: Fact,
    /// Its vector, if it has one.
    pub vector: Option<Vec<f32>>,
    /// Its thread and mode.
    pub scope: Scope,
}

/// A fact as it is, if it is there, and as it would be.
pub type FactChange = (Option<Fact>, Fact);

/// State of a store at one look: equal while nothing was written to it since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreVersion {
    /// Number of the connection, to which the other numbers belong.
    opening: u64,
    /// Rows that it has written.
    own: u64,
    /// SQLite's `data_version`: another value after a commit of another connection.
    others: i64,
}

/// The connection of a store.
#[derive(Debug)]
struct OpenStore {
    connection: Connection,
    /// Stamp at opening of a file that is read as immutable.
    stamp: Option<Stamp>,
}

impl OpenStore {
    fn at(path: &Path, create: bool) -> Result<Self> {
        let (connection, stamp) = if create {
            (sqlite_file::open(path, true, MIGRATIONS)?, None)
        } else {
            sqlite_file::open_shared(path, MIGRATIONS)?
        };
        register_functions(&connection)
            .map_err(|error| sqlite::Failure::from(error).into_error("open", path))?;
        Ok(Self { connection, stamp })
    }
}

/// The semantic memory of one agent.
#[derive(Debug)]
pub struct FactStore {
    pub(crate) path: PathBuf,
    pub(crate) agent: String,
    ids: IdSource,
    retention: Mutex<Retention>,
    /// Taken before the connection, never after it.
    names: Mutex<NameIndex>,
    connection: Mutex<Option<OpenStore>>,
    /// How often the file was opened.
    openings: AtomicU64,
}

impl FactStore {
    /// Opens or begins the store. Errors leave the file as it was.
    pub fn open(path: &Path, options: &FactOptions) -> Result<Self> {
        crate::model::check_name("the agent", &options.agent)?;
        options.retention.check()?;
        let opened = OpenStore::at(path, options.create)?;
        let domain = xxhash_rust::xxh3::xxh3_64(format!("{ID_DOMAIN}{}", options.agent).as_bytes());
        let store = Self {
            path: path.to_owned(),
            agent: options.agent.clone(),
            ids: IdSource::new(options.seed ^ domain),
            retention: Mutex::new(options.retention),
            names: Mutex::default(),
            connection: Mutex::new(Some(opened)),
            openings: AtomicU64::new(0),
        };
        store.claim(options.now)?;
        Ok(store)
    }

    /// Writes the agent's name into a new file, or refuses another agent's (law 14).
    fn claim(&self, now: Micros) -> Result<()> {
        let owner = |connection: &Connection| meta::<String>(connection, "agent");
        let mut found = self.with(owner)?;
        if found.is_none() {
            found = self.write(|writer| {
                // Another process may have been faster.
                let found = owner(&writer.transaction)?;
                if found.is_none() {
                    set_meta(&writer.transaction, "agent", &self.agent)?;
                    set_meta(&writer.transaction, "created_at", &now)?;
                }
                Ok(found.or_else(|| Some(self.agent.clone())))
            })?;
        }
        if found.as_deref() == Some(&self.agent) {
            return Ok(());
        }
        Err(Error::StoreForeign {
            path: self.path.clone(),
            what: format!("belongs to the agent {:?}, not to {:?}", found.unwrap_or_default(), self.agent),
            hint: "Open it under its own name, or pass knowledge on with `bequeath` and `inherit`".to_owned(),
        })
    }

    /// The owner.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Version of the schema on disk.
    #[must_use]
    pub fn schema_version(&self) -> u32 {
        MIGRATIONS.len() as u32
    }

    /// How confidence fades and is renewed here.
    #[must_use]
    pub fn retention(&self) -> Retention {
        *lock(&self.retention)
    }

    /// Changes how confidence fades and is renewed from now on; nothing stored is rewritten.
    pub fn set_retention(&self, retention: Retention) -> Result<()> {
        retention.check()?;
        *lock(&self.retention) = retention;
        Ok(())
    }

    /// The model of the vectors in the store, once there are any.
    pub fn fingerprint(&self) -> Result<Option<Fingerprint>> {
        self.read(|connection| fingerprint(connection, &self.path))
    }

    /// The facts with these ids, in their order.
    pub fn get(&self, ids: &[Id]) -> Result<Vec<Option<Fact>>> {
        self.read(|connection| {
            ids.iter().map(|id| Ok(record::find(connection, *id)?.map(|stored| stored.fact))).collect()
        })
    }

    /// The facts that pass the filter, by id; `as_of` a tick those that were in force at its end, as they were then.
    pub fn list(&self, filter: &FactFilter, limit: usize) -> Result<Vec<Fact>> {
        if let Some(tick) = filter.as_of {
            return self.read(|connection| list_as_of(connection, filter, tick, limit));
        }
        let category = filter.category.as_deref().filter(|category| !category.is_empty());
        self.read(|connection| {
            let found = record::select(
                connection,
                "WHERE (:kind IS NULL OR kind = :kind)
                   AND (:category IS NULL OR category = :category OR substr(category, 1, length(:below)) = :below)
                   AND (:subject IS NULL OR serial IN (SELECT fact FROM subjects WHERE subject = :subject))
                   AND (:source IS NULL OR source = :source)
                   AND (:status IS NULL OR status = :status)
                   AND (:after IS NULL OR id > :after)
                 ORDER BY id LIMIT :limit",
                named_params! {
                    ":kind": filter.kind.map(FactKind::name),
                    ":category": category,
                    ":below": category.map(|category| format!("{category}/")),
                    ":subject": filter.subject,
                    ":source": filter.source.map(Source::name),
                    ":status": filter.status.map(FactStatus::name),
                    ":after": filter.after.map(|id| id.0),
                    ":limit": rows(limit),
                },
            )?;
            Ok(facts(found))
        })
    }

    /// The supersession chain that a fact belongs to, oldest first.
    pub fn history(&self, id: Id) -> Result<Vec<Fact>> {
        self.read(|connection| {
            let mut chain = vec![record::require(connection, id)?.fact];
            while let Some(older) = chain[0].supersedes {
                match record::find(connection, older)? {
                    Some(found) if chain.iter().all(|known| known.id != older) => chain.insert(0, found.fact),
                    _ => break,
                }
            }
            while let Some(newer) = chain.last().and_then(|last| last.superseded_by) {
                match record::find(connection, newer)? {
                    Some(found) if chain.iter().all(|known| known.id != newer) => chain.push(found.fact),
                    _ => break,
                }
            }
            Ok(chain)
        })
    }

    /// The number of the last change by anybody; cheap.
    pub fn last_change(&self) -> Result<u64> {
        self.with(|connection| Ok(counter(connection, "change")?.unsigned_abs()))
    }

    /// The number of the last change of knowledge; a look at a fact is none. As cheap.
    pub fn last_learned(&self) -> Result<u64> {
        self.with(|connection| Ok(counter(connection, LEARNED)?.unsigned_abs()))
    }

    /// How often the facts that changed after a given change were looked at, with the number of the change; nothing if
    /// more than that changed since `learned`.
    pub(crate) fn looks_since(&self, change: u64, learned: u64) -> Result<Option<Vec<(u64, Id, u32)>>> {
        self.read(|connection| {
            if counter(connection, LEARNED)?.unsigned_abs() != learned {
                return Ok(None);
            }
            let mut statement = connection.prepare_cached(
                "SELECT change, id, mentions, intact FROM facts WHERE change > ?1 ORDER BY change",
            )?;
            let looks = statement.query_map([signed(change)?], |row| {
                Ok((row.get::<_, i64>(0)?.unsigned_abs(), Id(row.get(1)?), row.get(2)?))
            })?;
            Ok(Some(looks.collect::<rusqlite::Result<_>>()?))
        })
    }

    /// The facts whose latest change came after the given one, in order of change, with their vectors.
    pub fn changed_since(&self, change: u64, limit: usize) -> Result<Vec<FactRevision>> {
        self.read(|connection| {
            let found = record::select(
                connection,
                "WHERE change > ?1 ORDER BY change LIMIT ?2",
                params![signed(change)?, rows(limit)],
            )?;
            let mut vectors =
                connection.prepare_cached("SELECT vector, intact FROM vectors WHERE fact = ?1")?;
            found
                .into_iter()
                .map(|stored| {
                    let blob: Option<Vec<u8>> =
                        vectors.query_row([stored.serial], |row| row.get(0)).optional()?;
                    Ok(FactRevision {
                        change: stored.change,
                        fact: stored.fact,
                        vector: blob.as_deref().map(decode),
                        scope: scope_rows::of(connection, stored.serial)?,
                    })
                })
                .collect()
        })
    }

    /// The confidence of these facts at a tick; `None` where there is no such fact.
    pub fn confidence_now(&self, ids: &[Id], tick: u64) -> Result<Vec<Option<f64>>> {
        let tau = self.retention().tau_ticks;
        let found = self.get(ids)?;
        Ok(found
            .iter()
            .map(|fact| fact.as_ref().map(|fact| decay::confidence_now(fact, tick, tau)))
            .collect())
    }

    /// The present moment, to tell later whether anything was written since, by any process.
    pub fn moment(&self) -> Result<StoreVersion> {
        self.with(|connection| {
            let others = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
            let opening = self.openings.load(Ordering::Relaxed);
            Ok(StoreVersion { opening, own: connection.total_changes(), others })
        })
    }

    /// Closes the file; every later call fails.
    pub fn close(&self) -> Result<()> {
        match lock(&self.connection).take() {
            None => Ok(()),
            Some(opened) => opened
                .connection
                .close()
                .map_err(|(_, error)| sqlite::Failure::from(error).into_error("close", &self.path)),
        }
    }

    /// Locks the known names; the holder of the lock is the only reader of texts.
    pub(crate) fn names(&self) -> MutexGuard<'_, NameIndex> {
        lock(&self.names)
    }

    /// Reads in one transaction, so that rows of several tables belong together.
    pub(crate) fn read<T>(&self, action: impl FnOnce(&Transaction<'_>) -> Step<T>) -> Result<T> {
        self.with_mut(|connection| action(&connection.transaction()?), "read")
    }

    /// Writes in one transaction that begins by taking the write lock: all of it happens, or nothing.
    pub(crate) fn write<T>(&self, action: impl FnOnce(&Writer<'_>) -> Step<T>) -> Result<T> {
        self.with_mut(|connection| self.commit(connection, action), "write")
    }

    /// Writes as [`FactStore::write`] does, without waiting for the disk: the transaction survives the end of the
    /// process, and reaches the disk with the next write that waits. For counts that a power loss may take: how often a fact was looked at.
    pub(crate) fn note<T>(&self, action: impl FnOnce(&Writer<'_>) -> Step<T>) -> Result<T> {
        self.with_mut(
            |connection| {
                connection.pragma_update(None, "synchronous", "NORMAL")?;
                let answer = self.commit(connection, action);
                connection.pragma_update(None, "synchronous", "FULL")?;
                answer
            },
            "write",
        )
    }

    /// Runs an action as [`FactStore::write`] does, and rolls it back. Gives the facts that the action wrote as they would be and, where
    /// they are there already, as they are, in the order of their first change.
    pub(crate) fn rehearse<T>(
        &self,
        action: impl FnOnce(&Writer<'_>) -> Step<T>,
    ) -> Result<(T, Vec<FactChange>)> {
        self.with_mut(
            |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let writer = Writer::new(transaction, self.ids);
                let answer = action(&writer)?;
                let touched = writer.touched()?;
                writer.transaction.rollback()?;
                let changes =
                    touched.into_iter().map(|(before, after)| (before.map(|known| known.fact), after.fact));
                Ok((answer, changes.collect()))
            },
            "read",
        )
    }

    fn commit<T>(&self, connection: &mut Connection, action: impl FnOnce(&Writer<'_>) -> Step<T>) -> Step<T> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let writer = Writer::new(transaction, self.ids);
        let answer = action(&writer)?;
        writer.transaction.commit()?;
        Ok(answer)
    }

    /// Lets `look` read the file while this process does not have it open: a second reader in the same process would
    /// break SQLite's locks when it closes the file.
    pub(crate) fn while_closed<T>(&self, look: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
        let mut guard = lock(&self.connection);
        let Some(opened) = guard.take() else { return Err(self.closed("read")) };
        opened
            .connection
            .close()
            .map_err(|(_, error)| sqlite::Failure::from(error).into_error("close", &self.path))?;
        let seen = look(&self.path);
        *guard = Some(OpenStore::at(&self.path, false)?);
        self.openings.fetch_add(1, Ordering::Relaxed);
        seen
    }

    fn closed(&self, verb: &'static str) -> Error {
        Error::StoreUnavailable {
            action: verb,
            path: self.path.clone(),
            cause: "it was closed".to_owned(),
            hint: "Open the grimoire again".to_owned(),
        }
    }

    pub(crate) fn with<T>(&self, action: impl FnOnce(&Connection) -> Step<T>) -> Result<T> {
        self.with_mut(|connection| action(connection), "read")
    }

    fn with_mut<T>(&self, action: impl FnOnce(&mut Connection) -> Step<T>, verb: &'static str) -> Result<T> {
        let mut guard = lock(&self.connection);
        let Some(opened) = guard.as_mut() else { return Err(self.closed(verb)) };
        if opened.stamp.is_some_and(|stamp| stamp != sqlite_file::stamp(&self.path)) {
            *opened = OpenStore::at(&self.path, false)?;
            self.openings.fetch_add(1, Ordering::Relaxed);
        }
        action(&mut opened.connection).map_err(|failure| failure.into_error(verb, &self.path))
    }
}

/// The records alone.
pub(crate) fn facts(found: Vec<StoredFact>) -> Vec<Fact> {
    found.into_iter().map(|stored| stored.fact).collect()
}

/// A panic while the lock was held rolled its transaction back, so what is behind the lock is sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
