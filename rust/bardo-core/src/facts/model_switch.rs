//! Vectors of facts of a new model, beside those in force until the switch; see `capture/write/model_switch.rs`.

use rusqlite::{Connection, params};

use super::fingerprint::FactVectors;
use super::fingerprint::check_vectors;
use super::rows::{self as record, json};
use super::schema::encode;
use super::sqlite::Step;
use super::sqlite::rows;
use super::store::{FactStore, facts};
use super::transaction::{Writer, set_meta};
use crate::error::{Error, Result};
use crate::model::{Fact, Fingerprint, Id};

/// Made by the first staged vector and gone after the switch; a fact that is deleted takes its row along.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS next_vectors (
    fact INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT";
/// Facts that need a vector: those that have one, and those that would be given one.
const NEEDS_VECTOR: &str = "(EXISTS (SELECT 1 FROM vectors WHERE vectors.fact = facts.serial)
    OR status IN ('active', 'contradicted', 'held'))";

impl FactStore {
    /// Keeps vectors of the model that is to follow the one in force.
    pub fn stage_vectors(&self, ids: &[Id], vectors: FactVectors<'_>) -> Result<()> {
        check_vectors(ids, vectors)?;
        self.write(|writer| {
            writer.transaction.execute_batch(TABLE)?;
            for (id, row) in ids.iter().zip(vectors.rows) {
                let stored = record::require(&writer.transaction, *id)?;
                writer
                    .transaction
                    .prepare_cached(
                        "INSERT INTO next_vectors (fact, vector) VALUES (?1, ?2)
                         ON CONFLICT (fact) DO UPDATE SET vector = excluded.vector",
                    )?
                    .execute(params![stored.serial, encode(row)])?;
            }
            Ok(())
        })
    }

    /// Facts that have no vector of the model that comes, oldest first.
    pub fn without_staged_vectors(&self, limit: usize) -> Result<Vec<Fact>> {
        self.read(|connection| {
            let missing = if is_staging(connection)? {
                "AND NOT EXISTS (SELECT 1 FROM next_vectors WHERE next_vectors.fact = facts.serial)"
            } else {
                ""
            };
            let found = record::select(
                connection,
                &format!("WHERE {NEEDS_VECTOR} {missing} ORDER BY serial LIMIT ?1"),
                [rows(limit)],
            )?;
            Ok(facts(found))
        })
    }

    /// Puts the staged vectors in the place of the old ones, in one transaction; returns how many there are.
    ///
    /// # Errors
    /// [`Error::InvalidInput`]: a fact with an old vector has no new one. Nothing was changed.
    pub fn switch_vectors(&self, fingerprint: &Fingerprint) -> Result<u64> {
        self.write(|writer| {
            writer.transaction.execute_batch(TABLE)?;
            let missing: i64 = writer.transaction.query_row(
                "SELECT COUNT(*) FROM vectors WHERE fact NOT IN (SELECT fact FROM next_vectors)",
                [],
                |row| row.get(0),
            )?;
            if missing > 0 {
                return Err(Error::invalid(
                    format!("{missing} facts have no vector of {fingerprint} yet"),
                    "Stage them first: the store is never half of one model and half of another",
                )
                .into());
            }
            writer.transaction.execute("DELETE FROM vectors", [])?;
            let moved = writer
                .transaction
                .execute("INSERT INTO vectors (fact, vector) SELECT fact, vector FROM next_vectors", [])?;
            writer.transaction.execute_batch("DROP TABLE next_vectors")?;
            set_meta(&writer.transaction, "fingerprint", &json(fingerprint)?)?;
            announce(writer)?;
            Ok(moved as u64)
        })
    }

    /// Gives a migration up: the staged vectors go, those in force stay.
    pub fn drop_staged(&self) -> Result<()> {
        self.write(|writer| Ok(writer.transaction.execute_batch("DROP TABLE IF EXISTS next_vectors")?))
    }
}

/// Marks every fact with a vector as changed, so that the hot set reads it again.
fn announce(writer: &Writer<'_>) -> Step<()> {
    let mut statement = writer.transaction.prepare("SELECT fact FROM vectors ORDER BY fact")?;
    let serials: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut update =
        writer.transaction.prepare("UPDATE facts SET change = ?1 WHERE serial = ?2 AND intact")?;
    for serial in serials {
        update.execute(params![writer.next("change")?, serial])?;
    }
    Ok(())
}

fn is_staging(connection: &Connection) -> Step<bool> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'next_vectors'")?
        .exists([])?)
}
