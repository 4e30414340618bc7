//! A checksum for every row of a SQLite file of ours, made by SQLite whenever a row is written.
//!
//! Two generated columns do it, in every table: `checksum` is stored with the row, and `intact` compares it with the
//! row: it is 1, or the statement that reads it fails and names the row. A statement whose rows reach an answer reads
//! `intact`; one that changes a row asks for it in its condition, so that damage is not written back under a checksum
//! that fits.

use std::fmt::Write as _;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ffi};

/// Ends the message about a row that is not what was written.
pub(crate) const MISMATCH: &str = "does not match its checksum";

/// Makes the functions of the generated columns known to a connection; needed before any table is looked at.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("row_checksum", -1, flags, |context: &Context<'_>| {
        Ok(checksum((0..context.len()).map(|place| context.get_raw(place))))
    })?;
    connection.create_scalar_function("row_intact", -1, flags, |context: &Context<'_>| {
        let stored = context.get::<Option<i64>>(2)?;
        let row = std::iter::once(0).chain(3..context.len()).map(|place| context.get_raw(place));
        if stored == Some(checksum(row)) {
            return Ok(1);
        }
        let keys = context.get::<i64>(1)?.unsigned_abs() as usize;
        let key = key((3..3 + keys).map(|place| context.get_raw(place)));
        let table: String = context.get(0)?;
        Err(rusqlite::Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_CORRUPT),
            Some(format!("row {key} of the table {table} {MISMATCH}")),
        ))
    })
}

/// The checksum of a row: of the name of its table and of every value, with its type and length.
pub(crate) fn checksum<'row>(values: impl Iterator<Item = ValueRef<'row>>) -> i64 {
    let mut bytes = Vec::with_capacity(1_024);
    for value in values {
        let (kind, part): (u8, &[u8]) = match &value {
            ValueRef::Null => (0, &[]),
            ValueRef::Integer(number) => (1, &number.to_le_bytes()),
            // The negative zero is stored as zero.
            ValueRef::Real(number) => (2, &(number + 0.0).to_le_bytes()),
            ValueRef::Text(text) => (3, text),
            ValueRef::Blob(blob) => (4, blob),
        };
        bytes.push(kind);
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    xxhash_rust::xxh3::xxh3_64(&bytes).cast_signed()
}

/// The key of a row for people: numbers and texts as they are, ids in hexadecimal.
pub(crate) fn key<'row>(values: impl Iterator<Item = ValueRef<'row>>) -> String {
    let mut key = String::new();
    for value in values {
        if !key.is_empty() {
            key.push('/');
        }
        match value {
            ValueRef::Integer(number) => {
                let _ = write!(key, "{number}");
            }
            ValueRef::Text(text) => key.push_str(&String::from_utf8_lossy(text)),
            ValueRef::Blob(blob) => {
                for byte in blob {
                    let _ = write!(key, "{byte:02x}");
                }
            }
            ValueRef::Null | ValueRef::Real(_) => key.push('?'),
        }
    }
    key
}

/// The tables of a file that have rows of their own, without those that hold the words of another.
pub(crate) fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'
             ORDER BY name",
        )?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// The columns of a table that a row is made of, those of its key first, and how many these are.
pub(crate) fn columns(connection: &Connection, table: &str) -> rusqlite::Result<(Vec<String>, usize)> {
    let mut statement = connection.prepare(
        "SELECT name, pk > 0 OR name = 'id' FROM pragma_table_xinfo(?1) WHERE hidden = 0
         ORDER BY pk = 0, pk, name <> 'id', cid",
    )?;
    let found: Vec<(String, bool)> = statement
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let keys = found.iter().filter(|(_, is_key)| *is_key).count();
    Ok((found.into_iter().map(|(name, _)| name).collect(), keys))
}

/// Gives every table the two columns, over all the columns that it has; its rows are checked by those it had.
///
/// Foreign keys must be off: a table is copied, and takes the place of the one that was there.
pub(crate) fn seal(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "legacy_alter_table", true)?;
    for table in tables(connection)? {
        seal_table(connection, &table)?;
    }
    connection.pragma_update(None, "legacy_alter_table", false)
}

fn seal_table(connection: &Connection, table: &str) -> rusqlite::Result<()> {
    let (columns, keys) = columns(connection, table)?;
    let listed = columns.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let generated = format!(
        "checksum INTEGER GENERATED ALWAYS AS (row_checksum('{table}', {listed})) STORED, intact ANY GENERATED ALWAYS \
         AS (row_intact('{table}', {keys}, checksum, {listed})) VIRTUAL, "
    );
    let sql: String = connection.query_row(
        "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
        [table],
        |row| row.get(0),
    )?;
    if sql.contains(&generated) {
        return Ok(());
    }
    let (_, body) = sql.split_once('(').unwrap_or_default();
    let was_sealed = body.starts_with("checksum INTEGER GENERATED");
    let body = if was_sealed { body.split_once("VIRTUAL, ").unwrap_or_default().1 } else { body };
    let mut indexes = connection.prepare(
        "SELECT sql FROM sqlite_schema WHERE tbl_name = ?1 AND type IN ('index', 'trigger') AND sql IS NOT NULL",
    )?;
    let indexes: Vec<String> =
        indexes.query_map([table], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let counts = body.contains("AUTOINCREMENT");
    let last: i64 = if counts {
        connection.query_row(
            "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?1",
            [table],
            |row| row.get(0),
        )?
    } else {
        0
    };
    let intact = if was_sealed { "WHERE intact" } else { "" };
    connection.execute_batch(&format!(
        "CREATE TABLE \"{table} sealed\" ({generated}{body};
         INSERT INTO \"{table} sealed\" ({listed}) SELECT {listed} FROM \"{table}\" {intact};
         DROP TABLE \"{table}\";
         ALTER TABLE \"{table} sealed\" RENAME TO \"{table}\";"
    ))?;
    if counts {
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?1", [table])?;
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", (table, last))?;
    }
    indexes.iter().try_for_each(|sql| connection.execute_batch(sql))
}
