//! Opening a SQLite file of ours: what may be opened, what is refused untouched, and how an older one is brought up.
//!
//! The schema version is SQLite's `user_version`; `application_id` tells our files from anybody else's. Both are read
//! through an immutable connection first, so that a file that is refused is not changed by a byte and gets no
//! companions. (Reading the header with plain file calls would drop the locks of another connection in this process.)

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::checksums;
use super::sqlite::{BUSY_TIMEOUT, damaged, foreign, from_sqlite, is_writable, read_only, rows, unavailable};
use crate::error::{Error, Result};

/// One step of the schema: the migration at index `i` leads from version `i` to `i + 1`. Each adds, drops or renames a
/// table, an index or a column, so that the tables tell a damaged version field from another version.
pub(crate) type Migration = fn(&Transaction<'_>) -> rusqlite::Result<()>;

/// `bard` in ASCII, in the header of every SQLite file of ours.
const APPLICATION_ID: i64 = 0x6261_7264;

/// Statements that stay compiled: about as many as there are, so that a pass over many facts compiles none twice.
const STATEMENTS: usize = 256;

/// Opens or makes the file and brings its schema up to date.
///
/// An existing file of an older version is copied to `<file>.v<version>` first; then all migrations run in one
/// transaction.
pub(crate) fn open(path: &Path, create: bool, migrations: &[Migration]) -> Result<Connection> {
    let fresh = check_file(path, create)?;
    if !fresh && !beside(path, "-journal").exists() {
        probe(path, migrations)?;
    }
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
    let fail = |error: rusqlite::Error| from_sqlite(&error, "open", path);
    let mut connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    if connection.is_readonly("main").map_err(fail)? {
        return Err(read_only("open", path, "it is read-only"));
    }
    connection.busy_timeout(BUSY_TIMEOUT).map_err(fail)?;
    checksums::register(&connection).map_err(fail)?;
    if create {
        upgrade(&mut connection, path, migrations)?;
    } else {
        require_current(&connection, path, migrations)?;
    }
    configure(&connection, path)?;
    Ok(connection)
}

/// Length and time of the last change of a file that is read as immutable, and whether it has a
/// write-ahead log.
pub(crate) type Stamp = (u64, Option<SystemTime>, bool);

/// The present [`Stamp`] of a file.
pub(crate) fn stamp(path: &Path) -> Stamp {
    let found = std::fs::metadata(path).ok();
    let length = found.as_ref().map_or(0, std::fs::Metadata::len);
    (length, found.and_then(|found| found.modified().ok()), has_log(path))
}

/// Opens a file that is there; one that cannot be written to is opened to be read.
///
/// SQLite shares a write-ahead log through a file beside it. Where that is missing and cannot be made, the file is read
/// as immutable, and the answer has its stamp: with another stamp it has to be opened again.
pub(crate) fn open_shared(path: &Path, migrations: &[Migration]) -> Result<(Connection, Option<Stamp>)> {
    if !path.exists() || is_writable(path) {
        return Ok((open(path, false, migrations)?, None));
    }
    check_file(path, false)?;
    let stamp = stamp(path);
    let alone = !beside(path, "-shm").exists();
    if alone && stamp.2 {
        let cause = "its write-ahead log holds changes, and the `-shm` file that tells them is missing";
        return Err(read_only("open", path, cause));
    }
    probe(path, migrations)?;
    let fail = |error: rusqlite::Error| from_sqlite(&error, "open", path);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if alone {
        Connection::open_with_flags(immutable_uri(path), flags)
    } else {
        Connection::open_with_flags(path, flags)
    };
    let connection = connection.map_err(fail)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(fail)?;
    checksums::register(&connection).map_err(fail)?;
    require_current(&connection, path, migrations)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok((connection, alone.then_some(stamp)))
}

fn has_log(path: &Path) -> bool {
    std::fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// Refuses a folder, a missing file that may not be made, and an emptied one. The answer is whether there is no content.
fn check_file(path: &Path, create: bool) -> Result<bool> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            Err(unavailable("open", path, "it is a folder", "Move it away; this name is for a file"))
        }
        Ok(found) if found.len() == 0 => {
            // A process that dies while it makes the file leaves it empty.
            if create { Ok(true) } else { Err(damaged(path, "it is empty")) }
        }
        Ok(_) => Ok(false),
        Err(_) if create => Ok(true),
        Err(cause) => Err(unavailable(
            "open",
            path,
            &cause.to_string(),
            "Check the path, or pass create=True to begin a new one",
        )),
    }
}

/// Refuses a foreign, newer or truncated file without touching it.
fn probe(path: &Path, migrations: &[Migration]) -> Result<()> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let fail = |error: rusqlite::Error| from_sqlite(&error, "open", path);
    let connection = Connection::open_with_flags(immutable_uri(path), flags).map_err(fail)?;
    check_header(&connection, path, migrations)?;
    let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0)).map_err(fail);
    let expected = number("PRAGMA page_count")? * number("PRAGMA page_size")?;
    let found = std::fs::metadata(path).map_or(0, |found| found.len());
    if found < expected.unsigned_abs() {
        return Err(damaged(path, &format!("it has {found} bytes and should have {expected}")));
    }
    Ok(())
}

/// The schema version of a file that is ours and not too new; 0 for a file without content.
///
/// A version or an application id that the tables contradict is damage, not a newer, an older or a foreign file.
fn check_header(connection: &Connection, path: &Path, migrations: &[Migration]) -> Result<usize> {
    let fail = |error: rusqlite::Error| from_sqlite(&error, "open", path);
    let number = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0)).map_err(fail);
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    let supported = migrations.len();
    if (application, version) == (APPLICATION_ID, rows(supported)) {
        return Ok(supported);
    }
    if application == 0 && version == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0 {
        return Ok(0);
    }
    if shape(connection).map_err(fail)? == shape_after(migrations).map_err(fail)? {
        let what = if application == APPLICATION_ID {
            format!(
                "its header says schema version {version}, and its tables are those of version {supported}"
            )
        } else {
            "its header says that it is of another program, and its tables are bardo's".to_owned()
        };
        return Err(damaged(path, &what));
    }
    if application != APPLICATION_ID {
        return Err(foreign(path, "is a SQLite file of another program"));
    }
    let version = usize::try_from(version).map_err(|_| damaged(path, "its schema version is negative"))?;
    if version > supported {
        return Err(Error::StoreTooNew {
            path: path.to_owned(),
            found: u32::try_from(version).unwrap_or(u32::MAX),
            supported: u32::try_from(supported).unwrap_or(u32::MAX),
        });
    }
    Ok(version)
}

/// The names of everything in the schema, and the columns of its tables.
fn shape(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    checksums::register(connection)?;
    connection
        .prepare(
            "SELECT s.name, coalesce(x.name, '') FROM sqlite_schema AS s
             LEFT JOIN pragma_table_xinfo(CASE s.type WHEN 'table' THEN s.name END) AS x ORDER BY 1, 2",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// The [`shape`] of a new file.
fn shape_after(migrations: &[Migration]) -> rusqlite::Result<Vec<(String, String)>> {
    let mut connection = Connection::open_in_memory()?;
    checksums::register(&connection)?;
    let transaction = connection.transaction()?;
    for migration in migrations {
        migration(&transaction)?;
    }
    checksums::seal(&transaction)?;
    shape(&transaction)
}

/// Refuses an older file in read-only use: its owner may be an earlier bardo, which a change would break.
fn require_current(connection: &Connection, path: &Path, migrations: &[Migration]) -> Result<()> {
    let (found, supported) = (check_header(connection, path, migrations)?, migrations.len());
    if found == supported {
        return Ok(());
    }
    let what = format!("it has schema version {found}, of an earlier bardo, and this one has {supported}");
    Err(unavailable("open", path, &what, "Open the memory with this bardo once, which brings it up to date"))
}

fn upgrade(connection: &mut Connection, path: &Path, migrations: &[Migration]) -> Result<()> {
    let found = check_header(connection, path, migrations)?;
    if found == migrations.len() {
        return Ok(());
    }
    let fail = |error: rusqlite::Error| from_sqlite(&error, "migrate", path);
    if found > 0 {
        copy_before_upgrade(connection, path, found)?;
    }
    // Tables are copied and replaced; `configure` turns them on again.
    connection.pragma_update(None, "foreign_keys", false).map_err(fail)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    // Another process may have been faster.
    let found = check_header(&transaction, path, migrations)?;
    for migration in &migrations[found..] {
        migration(&transaction).map_err(fail)?;
    }
    checksums::seal(&transaction).map_err(fail)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(fail)?;
    transaction.pragma_update(None, "user_version", rows(migrations.len())).map_err(fail)?;
    transaction.commit().map_err(fail)?;
    // The next opener reads the version from the file itself, before any write-ahead log.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(fail)
}

/// Makes a consistent copy of an older file, including its write-ahead log.
fn copy_before_upgrade(connection: &Connection, path: &Path, version: usize) -> Result<()> {
    let copy = beside(path, &format!(".v{version}"));
    if copy.exists() {
        std::fs::remove_file(&copy).map_err(|cause| {
            unavailable("replace", &copy, &cause.to_string(), "Move this copy of an earlier attempt away")
        })?;
    }
    connection
        .execute("VACUUM INTO ?1", [copy.to_string_lossy()])
        .map(|_| ())
        .map_err(|error| from_sqlite(&error, "copy", &copy))
}

fn configure(connection: &Connection, path: &Path) -> Result<()> {
    let fail = |error: rusqlite::Error| from_sqlite(&error, "open", path);
    let mode: String =
        connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(fail)?;
    if mode != "wal" {
        return Err(unavailable(
            "open",
            path,
            &format!("its journal mode stays {mode:?}, so that many processes cannot share it"),
            "Keep it on a local disk: network file systems lack the shared memory this needs",
        ));
    }
    connection
        .execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
             PRAGMA secure_delete = ON;",
        )
        .map_err(fail)?;
    // Statements are compiled once, and not again for each number in a `LIMIT`.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(fail)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for character in path.to_string_lossy().chars() {
        match character {
            '%' => uri.push_str("%25"),
            '?' => uri.push_str("%3f"),
            '#' => uri.push_str("%23"),
            other => uri.push(other),
        }
    }
    uri.push_str("?immutable=1");
    uri
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Migration = |step| step.execute_batch("CREATE TABLE kept (word TEXT)");
    const SECOND: Migration =
        |step| step.execute_batch("ALTER TABLE kept ADD COLUMN times INTEGER DEFAULT 1");
    const BROKEN: Migration = |step| step.execute_batch("DROP TABLE kept; SELECT * FROM nowhere");

    fn version(connection: &Connection) -> i64 {
        connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn an_older_file_is_copied_and_brought_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let old = open(&path, true, &[FIRST]).unwrap();
        old.execute("INSERT INTO kept VALUES ('held')", []).unwrap();
        drop(old);
        let refused = open(&path, false, &[FIRST, SECOND]).unwrap_err().to_string();
        assert!(refused.contains("schema version 1, of an earlier bardo"), "{refused}");
        let new = open(&path, true, &[FIRST, SECOND]).unwrap();
        let times: i64 =
            new.query_row("SELECT times FROM kept WHERE word = 'held'", [], |row| row.get(0)).unwrap();
        assert_eq!((version(&new), times), (2, 1));
        let copy = Connection::open(folder.path().join("a.db.v1")).unwrap();
        assert_eq!(version(&copy), 1);
        assert_eq!(
            copy.query_row("SELECT word FROM kept", [], |row| row.get::<_, String>(0)).unwrap(),
            "held"
        );
    }

    #[test]
    fn a_failed_migration_leaves_the_older_file_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        drop(open(&path, true, &[FIRST]).unwrap());
        assert!(open(&path, true, &[FIRST, BROKEN]).is_err());
        let again = open(&path, false, &[FIRST]).unwrap();
        assert_eq!(version(&again), 1);
        again.execute("INSERT INTO kept VALUES ('still here')", []).unwrap();
    }

    #[test]
    fn a_newer_file_is_refused_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a ? # %.db");
        drop(open(&path, true, &[FIRST, SECOND]).unwrap());
        let before = std::fs::read(&path).unwrap();
        let error = open(&path, true, &[FIRST]).unwrap_err();
        assert!(matches!(error, Error::StoreTooNew { found: 2, supported: 1, .. }), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_version_field_is_told_from_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        drop(open(&path, true, &[FIRST, SECOND]).unwrap());
        for (field, value) in
            [("user_version", 1), ("user_version", 3), ("user_version", 1 << 24), ("application_id", 7)]
        {
            let before = std::fs::read(&path).unwrap();
            Connection::open(&path).unwrap().pragma_update(None, field, value).unwrap();
            for create in [true, false] {
                let error = open(&path, create, &[FIRST, SECOND]).unwrap_err();
                assert!(matches!(error, Error::StoreDamaged { .. }), "{field} {value}: {error}");
            }
            std::fs::write(&path, before).unwrap();
        }
    }

    /// First version of `facts.db` whose tables have checksums, as no earlier one has.
    const SEALED: usize = 15;

    #[test]
    fn every_version_of_the_facts_has_tables_of_its_own() {
        let migrations = super::super::schema::MIGRATIONS;
        let shapes: Vec<_> =
            (SEALED..=migrations.len()).map(|version| shape_after(&migrations[..version]).unwrap()).collect();
        for (place, shape) in shapes.iter().enumerate() {
            assert_eq!(shapes.iter().position(|other| other == shape), Some(place));
            assert!(shape.iter().any(|(table, column)| table == "facts" && column == "checksum"));
        }
    }

    #[test]
    fn foreign_files_are_refused_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other.db");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
        let text = folder.path().join("text.db");
        std::fs::write(&text, "dear diary, ".repeat(100)).unwrap();
        for path in [other, text] {
            let before = std::fs::read(&path).unwrap();
            let error = open(&path, true, &[FIRST]).unwrap_err();
            assert!(matches!(error, Error::StoreForeign { .. }), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_truncated_file_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        drop(open(&path, true, &[FIRST]).unwrap());
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 4096]).unwrap();
        let error = open(&path, true, &[FIRST]).unwrap_err();
        assert!(matches!(error, Error::StoreDamaged { .. }), "{error}");
    }

    #[test]
    fn folders_and_missing_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(open(folder.path(), true, &[FIRST]), Err(Error::StoreUnavailable { .. })));
        let missing = folder.path().join("none.db");
        assert!(matches!(open(&missing, false, &[FIRST]), Err(Error::StoreUnavailable { .. })));
        assert!(!missing.exists());
        let nowhere = folder.path().join("no/such/folder.db");
        assert!(matches!(open(&nowhere, true, &[FIRST]), Err(Error::StoreUnavailable { .. })));
    }
}
