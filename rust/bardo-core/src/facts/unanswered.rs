//! Questions that a recall answered with nothing: what is asked again and again in vain is a gap in what is known.
//!
//! They hold each query word for word. So their number is bounded, and deletion of a record deletes the questions that
//! share a word with it (law 11).

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};
use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

use super::mention_rows::drop_unnamed;
use super::rows::signed;
use super::sqlite::Step;
use super::sqlite::rows;
use super::store::FactStore;
use super::transaction::Writer;
use crate::error::Result;
use crate::text::stop_words::is_stop_word;

/// Questions that are kept; the one that was asked longest ago leaves first, unless it is among the open ones.
pub const QUESTIONS_KEPT: usize = 64;
/// Bytes of a question at most: what is longer is a text to find memories for.
pub const QUESTION_BYTES: usize = 256;
/// How often a question is asked in vain before it is a gap.
pub const ASKED_OFTEN: u32 = 2;

impl FactStore {
    /// Notes that a question was asked and nothing was found; says how often by now, 0 if it is too long or says nothing.
    pub fn note_unanswered(&self, question: &str, tick: u64) -> Result<u32> {
        let Some(key) = key(question).filter(|_| question.len() <= QUESTION_BYTES) else { return Ok(0) };
        self.note(|writer| {
            let times = writer
                .transaction
                .prepare_cached(
                    "INSERT INTO questions (key, text, times, last_tick) VALUES (?1, ?2, 1, ?3)
                     ON CONFLICT (key) DO UPDATE SET times = times + 1, last_tick = max(last_tick, ?3)
                     RETURNING times",
                )?
                .query_row(params![key, question.trim(), signed(tick)?], |row| row.get(0))?;
            make_room(writer)?;
            Ok(times)
        })
    }

    /// The questions that were asked in vain often enough, as they were first put, the most frequent first, and whether
    /// each came with a testament.
    pub fn unanswered_questions(&self, limit: usize) -> Result<Vec<(String, bool)>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT text, serial IN (SELECT question FROM gaps WHERE question IS NOT NULL AND origin IS NOT NULL),
                     intact
                 FROM questions WHERE times >= ?1 ORDER BY times DESC, last_tick DESC, serial LIMIT ?2",
            )?;
            let found =
                statement.query_map(params![ASKED_OFTEN, rows(limit)], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Drops questions that have an answer now; says how many there were.
    pub fn answer(&self, questions: &[String]) -> Result<usize> {
        self.write(|writer| {
            let mut statement = writer.transaction.prepare_cached("DELETE FROM questions WHERE key = ?1")?;
            let mut gone = 0;
            for key in questions.iter().filter_map(|question| key(question)) {
                gone += statement.execute([key])?;
            }
            Ok(gone)
        })
    }

    /// Deletes every question that shares a word of content with one of these texts, and the inherited ones about an
    /// entity whose name does; says how many.
    pub fn forget_questions(&self, texts: &[String]) -> Result<usize> {
        let told: BTreeSet<String> = texts.iter().flat_map(|text| content(text)).collect();
        self.write(|writer| {
            let mut statement =
                writer.transaction.prepare_cached("SELECT serial, text, intact FROM questions")?;
            let asked: Vec<(i64, String)> = statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let mut named = writer.transaction.prepare_cached(
                "SELECT gaps.serial, name FROM gaps JOIN entities ON entities.serial = gaps.entity
                 WHERE origin IS NOT NULL",
            )?;
            let about: Vec<(i64, String)> = named
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let mut gone = 0;
            for (query, asked) in [
                ("DELETE FROM questions WHERE serial = ?1", asked),
                ("DELETE FROM gaps WHERE serial = ?1", about),
            ] {
                for (serial, question) in asked {
                    if content(&question).any(|word| told.contains(&word)) {
                        gone += writer.transaction.prepare_cached(query)?.execute([serial])?;
                    }
                }
            }
            drop_unnamed(&writer.transaction)?;
            Ok(gone)
        })
    }
}

/// Hash of the letters and figures of a question, which identifies it; `None` without any.
fn key(question: &str) -> Option<i64> {
    let letters: String =
        question.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    (!letters.is_empty()).then(|| xxh3_64(letters.as_bytes()).cast_signed())
}

/// Stems of the words that are no function words.
fn content(text: &str) -> impl Iterator<Item = String> {
    let stemmer = Stemmer::create(Algorithm::English);
    text.unicode_words()
        .map(str::to_lowercase)
        .filter(|word| !is_stop_word(word))
        .map(move |word| stemmer.stem(&word).into_owned())
}

/// The row of a question that came with a testament, made if there is none; none if it says nothing.
pub(crate) fn question_row(connection: &Connection, question: &str, tick: i64) -> Step<Option<i64>> {
    let Some(key) = key(question) else { return Ok(None) };
    Ok(connection
        .prepare_cached(
            "INSERT INTO questions (key, text, times, last_tick) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (key) DO UPDATE SET times = max(times, ?3), last_tick = max(last_tick, ?4) RETURNING serial",
        )?
        .query_row(params![key, question.trim(), ASKED_OFTEN, tick], |row| row.get(0))
        .optional()?)
}

fn make_room(writer: &Writer<'_>) -> Step<()> {
    writer
        .transaction
        .prepare_cached(
            "DELETE FROM questions WHERE serial IN
             (SELECT serial FROM questions ORDER BY serial IN (SELECT question FROM gaps WHERE question IS NOT NULL) DESC,
              last_tick DESC, serial DESC LIMIT -1 OFFSET ?1)",
        )?
        .execute([rows(QUESTIONS_KEPT)])?;
    Ok(())
}
