//! Finding facts by words and by vectors, inside SQLite.

use rusqlite::{OptionalExtension, params};
use unicode_segmentation::UnicodeSegmentation;

use super::fingerprint::FactVectors;
use super::fingerprint::{check_vector, check_vectors, claim_fingerprint};
use super::rows as record;
use super::schema::{decode, encode};
use super::sqlite::rows;
use super::store::{FactStore, facts};
use super::transaction::fingerprint;
use crate::error::Result;
use crate::model::{Fact, Id};

/// Words of a query that are looked up; more make every fact match.
const QUERY_WORDS: usize = 64;

/// Query of the full-text index for any word of a text; `None` for a text without words.
pub(super) fn any_word_of(text: &str) -> Option<String> {
    let words: Vec<String> = text
        .unicode_words()
        .filter(|word| !word.contains('\0'))
        .take(QUERY_WORDS)
        .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
        .collect();
    (!words.is_empty()).then(|| words.join(" OR "))
}

impl FactStore {
    /// Active facts that share words with the query (Porter stems), best first, with their BM25 score (more is
    /// better). Any text is a query; none of it is syntax.
    pub fn search_text(&self, query: &str, limit: usize) -> Result<Vec<(Id, f64)>> {
        let Some(words) = any_word_of(query) else { return Ok(Vec::new()) };
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, -bm25(words) FROM words JOIN facts ON facts.serial = words.rowid
                 WHERE words MATCH ?1 AND status = 'active' ORDER BY bm25(words), serial LIMIT ?2",
            )?;
            let found =
                statement.query_map(params![words, rows(limit)], |row| Ok((Id(row.get(0)?), row.get(1)?)))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Active facts by cosine to the vector, best first.
    pub fn nearest(&self, vector: &[f32], limit: usize) -> Result<Vec<(Id, f64)>> {
        self.read(|connection| {
            let Some(stored) = fingerprint(connection, &self.path)? else {
                return Ok(Vec::new());
            };
            check_vector(vector, &stored)?;
            let mut statement = connection.prepare_cached(
                "SELECT id, cosine(vector, ?1) AS likeness, vectors.intact FROM vectors JOIN facts ON facts.serial = vectors.fact
                 WHERE status = 'active' ORDER BY likeness DESC, serial LIMIT ?2",
            )?;
            let found = statement
                .query_map(params![encode(vector), rows(limit)], |row| Ok((Id(row.get(0)?), row.get(1)?)))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Stores the vectors of these facts, replacing those they have.
    pub fn put_vectors(&self, ids: &[Id], vectors: FactVectors<'_>) -> Result<()> {
        check_vectors(ids, vectors)?;
        self.write(|writer| {
            claim_fingerprint(writer, vectors.fingerprint, &self.path)?;
            for (id, row) in ids.iter().zip(vectors.rows) {
                let stored = record::require(&writer.transaction, *id)?;
                writer
                    .transaction
                    .prepare_cached(
                        "INSERT INTO vectors (fact, vector) VALUES (?1, ?2)
                         ON CONFLICT (fact) DO UPDATE SET vector = excluded.vector WHERE intact",
                    )?
                    .execute(params![stored.serial, encode(row)])?;
                writer.note(&stored)?;
            }
            Ok(())
        })
    }

    /// The vectors of these facts, in their order; `None` where there is none.
    pub fn vectors(&self, ids: &[Id]) -> Result<Vec<Option<Vec<f32>>>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT vector, vectors.intact FROM vectors JOIN facts ON facts.serial = vectors.fact WHERE id = ?1",
            )?;
            ids.iter()
                .map(|id| {
                    let blob: Option<Vec<u8>> = statement.query_row([id.0], |row| row.get(0)).optional()?;
                    Ok(blob.as_deref().map(decode))
                })
                .collect()
        })
    }

    /// Facts that have no vector yet and are not history, oldest first.
    pub fn without_vectors(&self, limit: usize) -> Result<Vec<Fact>> {
        self.read(|connection| {
            let found = record::select(
                connection,
                "WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.fact = facts.serial)
                 AND status IN ('active', 'contradicted', 'held') ORDER BY serial LIMIT ?1",
                [rows(limit)],
            )?;
            Ok(facts(found))
        })
    }
}
