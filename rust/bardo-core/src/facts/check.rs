//! Reading every row of `facts.db` against its checksum, also where the store cannot be opened for the damage.

use std::path::Path;

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, TransactionBehavior, params_from_iter};

use super::checksums::{MISMATCH, checksum, columns, key, tables};
use super::schema::register_functions;
use super::sqlite::Failure;
use crate::error::{Error, Result};

/// Something in the file that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Table with the row; empty where it is the file as a whole.
    pub table: String,
    /// Key of the row; empty where it is the table or the file as a whole.
    pub row: String,
    /// Description of the damage.
    pub what: String,
    /// Description of the repair; empty if there was none.
    pub repair: String,
}

/// Largest number of findings of SQLite's own check that are told.
const TOLD: usize = 100;

/// Everything in a file of facts that is not as it was written; nothing is changed, unless `repair` is wanted.
///
/// A repair puts a flipped bit back where one bit is all that keeps a row from its checksum, and makes indexes and words
/// again; it changes nothing else. The caller keeps a copy of the file first.
pub fn check_facts(path: &Path, repair: bool) -> Result<Vec<Damage>> {
    let fail = |error: rusqlite::Error| Failure::from(error).into_error("check", path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    register_functions(&connection).map_err(fail)?;
    if connection.is_readonly("main").map_err(fail)? {
        let cause = "comparing the words of facts takes a write".to_owned();
        return Err(Error::StoreReadOnly { action: "check", path: path.to_owned(), cause });
    }
    let mut found = Vec::new();
    let names = match tables(&connection) {
        Ok(names) => names,
        Err(error) => return Ok(vec![damage("", "", &error.to_string())]),
    };
    for table in names {
        if let Err(error) = check_table(&mut connection, &table, repair, &mut found) {
            found.push(damage(&table, "", &format!("it cannot be read to its end: {error}")));
        }
    }
    if let Err(error) = check_file(&connection, repair, &mut found) {
        found.push(damage("", "", &error.to_string()));
    }
    if let Err(error) = check_words(&connection, repair, &mut found) {
        found.push(damage("words", "", &error.to_string()));
    }
    Ok(found)
}

fn damage(table: &str, row: &str, what: &str) -> Damage {
    Damage { table: table.to_owned(), row: row.to_owned(), what: what.to_owned(), repair: String::new() }
}

/// Compares every row of a table with its checksum.
fn check_table(
    connection: &mut Connection,
    table: &str,
    repair: bool,
    found: &mut Vec<Damage>,
) -> rusqlite::Result<()> {
    let (names, keys) = columns(connection, table)?;
    let is_sealed = connection
        .prepare("SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = 'checksum'")?
        .exists([table])?;
    if !is_sealed {
        return Ok(());
    }
    let listed = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let mut broken: Vec<(i64, Vec<Value>)> = Vec::new();
    let mut failed = None;
    {
        // By rows, not by an index, which may be what is broken.
        let mut statement =
            connection.prepare(&format!("SELECT checksum, {listed} FROM \"{table}\" NOT INDEXED"))?;
        let mut rows = statement.query([])?;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => break,
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            };
            let values =
                (1..=names.len()).map(|place| row.get_ref(place)).collect::<rusqlite::Result<Vec<_>>>()?;
            let stored = match row.get_ref(0)? {
                ValueRef::Integer(number) => Some(number),
                _ => None,
            };
            if stored != Some(sum(table, values.iter().copied())) {
                broken.push((stored.unwrap_or(0), values.into_iter().map(owned).collect()));
            }
        }
    }
    for (stored, values) in broken {
        let row = key(values[..keys].iter().map(ValueRef::from));
        let mut told = damage(table, &row, &format!("it {MISMATCH}"));
        if repair && let Some(mended) = mended(table, stored, &values) {
            put(connection, table, &names, keys, &values, &mended)?;
            "one flipped bit was put back".clone_into(&mut told.repair);
        }
        found.push(told);
    }
    failed.map_or(Ok(()), Err)
}

fn owned(value: ValueRef<'_>) -> Value {
    match value {
        // A text that is none any more is compared by its bytes; see `text_of`.
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Blob([BROKEN_TEXT, text].concat()),
        },
        other => Value::try_from(other).unwrap_or(Value::Null),
    }
}

/// Stands before the bytes of a text that is no UTF-8.
const BROKEN_TEXT: &[u8] = b"\0bardo: broken text\0";

fn sum<'row>(table: &'row str, values: impl Iterator<Item = ValueRef<'row>>) -> i64 {
    checksum(std::iter::once(ValueRef::Text(table.as_bytes())).chain(values))
}

/// The row as it was, if one flipped bit of it, or of its checksum, is all that is wrong.
fn mended(table: &str, stored: i64, values: &[Value]) -> Option<Vec<Value>> {
    let fits = |values: &[Value]| sum(table, values.iter().map(as_stored)) == stored;
    if (sum(table, values.iter().map(as_stored)) ^ stored).count_ones() == 1 {
        return Some(values.to_vec());
    }
    let mut tried = values.to_vec();
    for place in 0..values.len() {
        match &values[place] {
            Value::Null => {}
            Value::Integer(number) => {
                // The highest bit of a short number fills the bits above it.
                for bit in 0..64 {
                    for mask in [1_i64 << bit, -1_i64 << bit] {
                        tried[place] = Value::Integer(number ^ mask);
                        if fits(&tried) {
                            return Some(tried);
                        }
                    }
                }
            }
            Value::Real(number) => {
                for bit in 0..64 {
                    tried[place] = Value::Real(f64::from_bits(number.to_bits() ^ (1 << bit)));
                    if fits(&tried) {
                        return Some(tried);
                    }
                }
            }
            Value::Text(text) => {
                if let Some(text) = flipped(text.as_bytes(), |bytes| {
                    let Ok(text) = String::from_utf8(bytes.to_vec()) else { return false };
                    tried[place] = Value::Text(text);
                    fits(&tried)
                }) {
                    tried[place] = Value::Text(String::from_utf8(text).ok()?);
                    return Some(tried);
                }
            }
            Value::Blob(blob) => {
                let broken = blob.strip_prefix(BROKEN_TEXT);
                if let Some(bytes) = flipped(broken.unwrap_or(blob), |bytes| {
                    tried[place] = match (broken, String::from_utf8(bytes.to_vec())) {
                        (None, _) => Value::Blob(bytes.to_vec()),
                        (Some(_), Ok(text)) => Value::Text(text),
                        (Some(_), Err(_)) => return false,
                    };
                    fits(&tried)
                }) {
                    tried[place] = match broken {
                        None => Value::Blob(bytes),
                        Some(_) => Value::Text(String::from_utf8(bytes).ok()?),
                    };
                    return Some(tried);
                }
            }
        }
        tried[place] = values[place].clone();
    }
    None
}

/// The bytes with the one bit flipped that fits.
fn flipped(bytes: &[u8], mut fits: impl FnMut(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut tried = bytes.to_vec();
    for place in 0..bytes.len() {
        for bit in 0..8 {
            tried[place] = bytes[place] ^ (1 << bit);
            if fits(&tried) {
                return Some(tried);
            }
        }
        tried[place] = bytes[place];
    }
    None
}

/// A value as it stands in the file.
fn as_stored(value: &Value) -> ValueRef<'_> {
    match value {
        Value::Blob(blob) => blob.strip_prefix(BROKEN_TEXT).map_or(ValueRef::Blob(blob), ValueRef::Text),
        other => ValueRef::from(other),
    }
}

/// Puts a mended row in the place of a broken one.
fn put(
    connection: &mut Connection,
    table: &str,
    names: &[String],
    keys: usize,
    broken: &[Value],
    mended: &[Value],
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let changes = names.iter().enumerate().map(|(n, name)| format!("\"{name}\" = ?{}", n + 1));
    let conditions = names[..keys].iter().enumerate();
    let conditions = conditions.map(|(n, name)| format!("\"{name}\" IS ?{}", names.len() + n + 1));
    let query = format!(
        "UPDATE \"{table}\" SET {} WHERE {}",
        changes.collect::<Vec<_>>().join(", "),
        conditions.collect::<Vec<_>>().join(" AND ")
    );
    transaction.execute(&query, params_from_iter(mended.iter().chain(&broken[..keys])))?;
    transaction.commit()
}

/// Runs SQLite's integrity check of pages and indexes, and finds rows that point to missing rows.
fn check_file(connection: &Connection, repair: bool, found: &mut Vec<Damage>) -> rusqlite::Result<()> {
    let look = |query: &str| -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare(query)?;
        statement.query_map([], |row| row.get::<_, String>(0))?.take(TOLD).collect()
    };
    let check = format!("PRAGMA integrity_check({TOLD})");
    let mut told = look(&check)?;
    told.retain(|what| what != "ok");
    let mut mended = false;
    if repair && !told.is_empty() && connection.execute_batch("REINDEX").is_ok() {
        mended = look(&check)?.iter().all(|what| what == "ok");
    }
    for what in told {
        let repair = if mended { "the indexes were rebuilt".to_owned() } else { String::new() };
        found.push(Damage { repair, ..damage("", "", &what) });
    }
    let orphans = look(
        "SELECT \"table\" || ' ' || coalesce(rowid, '') || ' of ' || parent FROM pragma_foreign_key_check",
    )?;
    found.extend(orphans.iter().map(|what| damage("", "", &format!("a row points to none: {what}"))));
    Ok(())
}

/// Compares the words of facts with their texts.
fn check_words(connection: &Connection, repair: bool, found: &mut Vec<Damage>) -> rusqlite::Result<()> {
    let check = "INSERT INTO words (words, rank) VALUES ('integrity-check', 1)";
    let Err(error) = connection.execute_batch(check) else { return Ok(()) };
    let mut told = damage("words", "", &format!("the words of facts do not fit their texts: {error}"));
    if repair {
        connection.execute_batch("INSERT INTO words (words) VALUES ('rebuild')")?;
        connection.execute_batch(check)?;
        "they were made anew".clone_into(&mut told.repair);
    }
    found.push(told);
    Ok(())
}
