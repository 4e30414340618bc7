//! The tables of `facts.db`, and the vector function that SQL sees.

use std::sync::Arc;

use half::f16;
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Transaction};
use simsimd::SpatialSimilarity;

use super::checksums;
use super::fulltext;
use super::rule_trial_table::{failure_rates, look_backs, rule_trials};
use super::sqlite_file::Migration;

/// From the empty file to the schema of this build, in order; a released one is never edited.
pub(crate) const MIGRATIONS: &[Migration] = &[
    to_version_1,
    to_version_2,
    to_version_3,
    to_version_4,
    to_version_5,
    to_version_6,
    to_version_7,
    to_version_8,
    to_version_9,
    to_version_10,
    to_version_11,
    to_version_12,
    inherited_questions,
    scoped,
    sealed,
    statements,
    rule_trials,
    look_backs,
    failure_rates,
];

fn to_version_1(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
        CREATE TABLE facts (
            serial INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            change INTEGER NOT NULL,
            text TEXT NOT NULL,
            text_key INTEGER NOT NULL,          -- hash of the text without case and space
            kind TEXT NOT NULL,
            category TEXT NOT NULL,
            support INTEGER NOT NULL,
            confidence REAL NOT NULL,           -- as of reinforced_tick
            importance REAL NOT NULL,
            quality TEXT,                       -- JSON
            created_tick INTEGER NOT NULL,
            created_at INTEGER NOT NULL,        -- microseconds UTC
            observed_from INTEGER NOT NULL,
            observed_to INTEGER NOT NULL,
            reinforced_tick INTEGER NOT NULL,
            spaced_tick INTEGER,                -- the last reinforcement that counted
            accessed_tick INTEGER NOT NULL,
            mentions INTEGER NOT NULL,
            source TEXT NOT NULL,
            origin TEXT NOT NULL,
            generation INTEGER NOT NULL,
            pleasure REAL NOT NULL,
            arousal REAL NOT NULL,
            dominance REAL NOT NULL,
            supersedes BLOB,
            superseded_by BLOB,
            expires_tick INTEGER,
            ended_tick INTEGER,                 -- when it was superseded or archived
            status TEXT NOT NULL,
            pinned INTEGER NOT NULL,
            bloodstain INTEGER NOT NULL,
            metadata TEXT NOT NULL,             -- JSON
            payload TEXT NOT NULL               -- JSON
        ) STRICT;
        CREATE UNIQUE INDEX facts_by_change ON facts (change);
        CREATE INDEX facts_by_text ON facts (text_key);
        CREATE INDEX facts_by_category ON facts (category, kind);
        CREATE INDEX facts_by_expiry ON facts (expires_tick) WHERE expires_tick IS NOT NULL;

        CREATE TABLE subjects (
            fact INTEGER NOT NULL REFERENCES facts ON DELETE CASCADE,
            position INTEGER NOT NULL,
            subject TEXT NOT NULL,
            PRIMARY KEY (fact, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX subjects_by_name ON subjects (subject);

        CREATE TABLE evidence (
            fact INTEGER NOT NULL REFERENCES facts ON DELETE CASCADE,
            position INTEGER NOT NULL,
            episode BLOB NOT NULL,
            PRIMARY KEY (fact, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX evidence_by_episode ON evidence (episode);

        CREATE TABLE vectors (
            fact INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE,
            vector BLOB NOT NULL                -- half precision, little-endian
        ) STRICT;

        CREATE TABLE links (
            src BLOB NOT NULL,
            dst BLOB NOT NULL,
            relation TEXT NOT NULL,
            weight REAL NOT NULL,
            tick INTEGER NOT NULL,
            PRIMARY KEY (src, dst, relation)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX links_by_target ON links (dst);

        CREATE TABLE baselines (
            subject TEXT NOT NULL,
            metric TEXT NOT NULL,
            n INTEGER NOT NULL,
            mean REAL NOT NULL,
            deviation REAL NOT NULL,            -- of the population
            min REAL NOT NULL,
            max REAL NOT NULL,
            first_tick INTEGER NOT NULL,
            last_tick INTEGER NOT NULL,
            evidence BLOB NOT NULL,             -- ids of the latest episodes, 16 bytes each
            fact BLOB,                          -- the fact that states it
            PRIMARY KEY (subject, metric)
        ) STRICT, WITHOUT ROWID;

        CREATE VIRTUAL TABLE words USING fts5 (text, content='facts', content_rowid='serial', tokenize='porter unicode61');
        CREATE TRIGGER words_insert AFTER INSERT ON facts BEGIN
            INSERT INTO words (rowid, text) VALUES (new.serial, new.text);
        END;
        CREATE TRIGGER words_delete AFTER DELETE ON facts BEGIN
            INSERT INTO words (words, rowid, text) VALUES ('delete', old.serial, old.text);
        END;
        CREATE TRIGGER words_update AFTER UPDATE OF text ON facts WHEN old.text IS NOT new.text BEGIN
            INSERT INTO words (words, rowid, text) VALUES ('delete', old.serial, old.text);
            INSERT INTO words (rowid, text) VALUES (new.serial, new.text);
        END;
        ",
    )
}

/// Earlier states of facts, what is found in texts (web addresses, commands, paths), entities and triples.
fn to_version_2(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        -- From when a record is as it is now. States before this version of the schema were not kept.
        ALTER TABLE facts ADD COLUMN since_tick INTEGER NOT NULL DEFAULT 0;
        UPDATE facts SET since_tick = created_tick;
        -- When the episode was noted as evidence.
        ALTER TABLE evidence ADD COLUMN tick INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE versions (
            fact INTEGER NOT NULL REFERENCES facts ON DELETE CASCADE,
            since_tick INTEGER NOT NULL,
            earlier TEXT NOT NULL,              -- JSON: the fields that the next state changed, as they were
            PRIMARY KEY (fact, since_tick)
        ) STRICT, WITHOUT ROWID;
        -- Episodes and facts whose text was read for what it names; renumbered when a text changes.
        CREATE TABLE memories (
            serial INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            tick INTEGER NOT NULL,
            text_key INTEGER NOT NULL           -- hash of what was read
        ) STRICT;
        CREATE TABLE findings (
            memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
            kind TEXT NOT NULL,                 -- url, command or path
            value TEXT NOT NULL,
            PRIMARY KEY (memory, kind, value)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE entities (
            serial INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            kind TEXT NOT NULL
        ) STRICT;
        CREATE TABLE aliases (
            key TEXT PRIMARY KEY,               -- without case, article and possessive
            alias TEXT NOT NULL,
            entity INTEGER NOT NULL REFERENCES entities ON DELETE CASCADE,
            given INTEGER NOT NULL              -- whether a caller said so; the others were read in texts
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX aliases_by_entity ON aliases (entity);
        CREATE TABLE mentions (
            memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
            entity INTEGER NOT NULL REFERENCES entities ON DELETE CASCADE,
            PRIMARY KEY (memory, entity)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX mentions_by_entity ON mentions (entity, memory);
        CREATE TABLE triples (
            serial INTEGER PRIMARY KEY AUTOINCREMENT,
            subject INTEGER NOT NULL REFERENCES entities ON DELETE CASCADE,
            predicate TEXT NOT NULL,
            object INTEGER NOT NULL REFERENCES entities ON DELETE CASCADE,
            confidence REAL NOT NULL,
            source BLOB,                        -- id of the episode or fact that says so
            valid_from INTEGER NOT NULL,        -- ticks, the end not included
            valid_to INTEGER,
            derived INTEGER NOT NULL            -- whether it was read from the payload of its source
        ) STRICT;
        CREATE INDEX triples_by_subject ON triples (subject, predicate);
        CREATE INDEX triples_by_object ON triples (object);
        CREATE INDEX triples_by_source ON triples (source) WHERE source IS NOT NULL;
        -- What is deleted is overwritten, also among the words.
        INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
        ",
    )
}

/// Tests of hypotheses, and their results.
fn to_version_3(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE hypotheses (
            serial INTEGER PRIMARY KEY,
            claim TEXT NOT NULL UNIQUE,         -- JSON
            share REAL NOT NULL,                -- of all trust, fixed when it was begun
            log_fortune REAL NOT NULL,          -- natural logarithm of its e-value
            windows INTEGER NOT NULL,           -- of episodes that tested it
            measure TEXT,                       -- JSON: what was measured, over all of them
            evidence BLOB NOT NULL,             -- ids of the latest episodes, 16 bytes each
            first_tick INTEGER NOT NULL,
            last_tick INTEGER NOT NULL,
            fact BLOB                           -- the fact that states it
        ) STRICT;
        CREATE INDEX hypotheses_by_fact ON hypotheses (fact) WHERE fact IS NOT NULL;
        ",
    )
}

/// Acts: named changes of facts that can be listed and undone.
fn to_version_4(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE acts (
            serial INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,                 -- who or what acted: curator, lint, ...
            tick INTEGER NOT NULL,
            at INTEGER NOT NULL,                -- microseconds UTC
            undone_by INTEGER                   -- the act that undid it
        ) STRICT;
        CREATE TABLE act_facts (
            act INTEGER NOT NULL REFERENCES acts ON DELETE CASCADE,
            position INTEGER NOT NULL,
            fact INTEGER NOT NULL REFERENCES facts ON DELETE CASCADE,
            before TEXT,                        -- JSON: the fields that changed, as they were; NULL if it was born
            after TEXT NOT NULL,                -- JSON: the same fields, as they became
            PRIMARY KEY (act, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX act_facts_by_fact ON act_facts (fact);
        CREATE TABLE act_links (
            act INTEGER NOT NULL REFERENCES acts ON DELETE CASCADE,
            src BLOB NOT NULL,
            dst BLOB NOT NULL,
            relation TEXT NOT NULL,
            PRIMARY KEY (act, src, dst, relation)
        ) STRICT, WITHOUT ROWID;
        ",
    )
}

/// Outcomes of acting on facts.
fn to_version_5(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE outcomes (
            fact INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE,
            good INTEGER NOT NULL,              -- how many were above zero
            bad INTEGER NOT NULL,               -- and below
            total REAL NOT NULL,                -- their sum, each from -1 to 1
            first_tick INTEGER NOT NULL,
            last_tick INTEGER NOT NULL
        ) STRICT;
        ",
    )
}

/// Gaps: questions that the agent could ask.
fn to_version_6(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE gaps (
            serial INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,                 -- contradiction, unknown or untried
            fact INTEGER REFERENCES facts ON DELETE CASCADE,
            other INTEGER REFERENCES facts ON DELETE CASCADE,
            entity INTEGER REFERENCES entities ON DELETE CASCADE,
            times INTEGER NOT NULL,             -- ticks at which it was found
            first_tick INTEGER NOT NULL,
            last_tick INTEGER NOT NULL
        ) STRICT;
        ",
    )
}

/// Quarantine of inferred facts until their trial.
fn to_version_7(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE INDEX facts_held ON facts (serial) WHERE status = 'held';
        -- Facts that went live after the reconciling of facts had passed their row.
        CREATE TABLE released (fact INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE) STRICT;
        ",
    )
}

/// Unanswered questions.
fn to_version_8(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE questions (
            serial INTEGER PRIMARY KEY,
            key INTEGER NOT NULL UNIQUE,        -- hash of its letters and figures
            text TEXT NOT NULL,                 -- as it was first put
            times INTEGER NOT NULL,             -- recalls that found nothing
            last_tick INTEGER NOT NULL
        ) STRICT;
        ALTER TABLE gaps ADD COLUMN question INTEGER REFERENCES questions ON DELETE CASCADE;
        ",
    )
}

/// Indexes that find facts in force or held however many are archived.
fn to_version_9(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE INDEX facts_living ON facts (serial, pinned, source)
            WHERE status IN ('active', 'contradicted', 'held');
        ",
    )
}

/// The writer of a fact writes its words, without the numbers of a baseline (see `fulltext`).
fn to_version_10(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    register_functions(transaction)?;
    transaction.execute_batch(
        "
        DROP TRIGGER words_insert;
        DROP TRIGGER words_delete;
        DROP TRIGGER words_update;
        DROP TABLE words;
        CREATE VIEW findable (serial, text) AS SELECT serial, findable(kind, text) FROM facts;
        CREATE VIRTUAL TABLE words USING fts5 (text, content='findable', content_rowid='serial', tokenize='porter unicode61');
        INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
        INSERT INTO words (words) VALUES ('rebuild');
        ",
    )
}

/// An index that finds the facts due to expire however many have expired before.
fn to_version_11(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        DROP INDEX facts_by_expiry;
        CREATE INDEX facts_expiring ON facts (expires_tick, serial)
            WHERE expires_tick IS NOT NULL AND status IN ('active', 'contradicted', 'held');
        ",
    )
}

/// Outcomes that count towards making an inherited fact the agent's own. Of those told before, the bad ones count.
fn to_version_12(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        ALTER TABLE outcomes ADD COLUMN spaced INTEGER NOT NULL DEFAULT 0;  -- good ones, spaced
        ALTER TABLE outcomes ADD COLUMN net REAL NOT NULL DEFAULT 0;        -- sum of those and of every bad one
        UPDATE outcomes SET net = min(total, 0.0);
        ",
    )
}

/// Open questions that came with a testament.
fn inherited_questions(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        ALTER TABLE gaps ADD COLUMN origin TEXT;    -- agent that asked first; NULL for a question of the agent's own
        ALTER TABLE gaps ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
        ",
    )
}

/// Facts take thread and mode from their evidence; those that are there derive it when the store is next opened with its log.
fn scoped(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE scopes (
            fact INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE,
            thread TEXT,
            mode TEXT
        ) STRICT;
        -- Facts whose evidence changed since their scope was derived.
        CREATE TABLE unscoped (fact INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE) STRICT;
        INSERT INTO unscoped (fact) SELECT DISTINCT fact FROM evidence;
        ",
    )
}

/// Every row carries a checksum. The same happens after the last step of every upgrade (see `migrate`), so that a column
/// of a later step is covered, too.
fn sealed(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    checksums::seal(transaction)
}

/// Statements with slots, and how long they hold.
fn statements(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        -- Statement: JSON with subject, attribute, value, bounds. Persistence: NULL if the kind of the fact decides.
        ALTER TABLE facts ADD COLUMN statement TEXT; ALTER TABLE facts ADD COLUMN persistence TEXT;
        ALTER TABLE facts ADD COLUMN ended_by TEXT;         -- rule that superseded it
        ALTER TABLE facts ADD COLUMN owner_key INTEGER; ALTER TABLE facts ADD COLUMN slot_key INTEGER;   -- hashes
        CREATE INDEX facts_by_owner ON facts (owner_key) WHERE owner_key IS NOT NULL;
        CREATE INDEX facts_by_slot ON facts (slot_key) WHERE slot_key IS NOT NULL;
        ",
    )?;
    checksums::seal(transaction)
}

/// Registers `findable(kind, text)` and `cosine(stored, query)`, which is 0 for blobs without length or of unequal size.
pub(crate) fn register_functions(connection: &Connection) -> rusqlite::Result<()> {
    fulltext::register(connection)?;
    checksums::register(connection)?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("cosine", 2, flags, |context| {
        let ValueRef::Blob(stored) = context.get_raw(0) else {
            return Ok(None);
        };
        if matches!(context.get_raw(1), ValueRef::Null) {
            return Ok(None);
        }
        // The query is the same for every row: it is decoded once per statement.
        let query: Arc<Direction> =
            context.get_or_create_aux(1, |value| value.as_blob().map(Direction::stored))?;
        Ok(Some(query.cosine(&Direction::stored(stored))))
    })
}

/// A vector as the store keeps it.
pub(crate) fn encode(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|part| f16::from_f32(*part).to_le_bytes()).collect()
}

/// A vector from its stored form.
pub(crate) fn decode(blob: &[u8]) -> Vec<f32> {
    let mut bits = vec![0_u16; blob.len() / 2];
    bytemuck::cast_slice_mut(&mut bits).copy_from_slice(&blob[..blob.len() / 2 * 2]);
    if cfg!(target_endian = "big") {
        for half in &mut bits {
            *half = half.swap_bytes();
        }
    }
    bits.reinterpret_cast::<f16>().to_f32_vec()
}

/// A vector and its length, so that comparing it with many takes one product each.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    parts: Vec<f32>,
    length: f64,
}

impl Direction {
    /// The direction of a vector.
    pub fn of(parts: Vec<f32>) -> Self {
        let length = dot(&parts, &parts).sqrt();
        Self { parts, length }
    }

    /// The direction of a vector in its stored form.
    pub fn stored(blob: &[u8]) -> Self {
        Self::of(decode(blob))
    }

    /// Components of the vector as it was given.
    pub fn parts(&self) -> &[f32] {
        &self.parts
    }

    /// Components of the vector of length 1; zeros if the length is zero.
    pub fn unit(&self) -> impl Iterator<Item = f32> {
        let length = if self.length > 0.0 { self.length as f32 } else { 1.0 };
        self.parts.iter().map(move |part| part / length)
    }

    /// Cosine of the angle between two; 0 when it does not exist.
    pub fn cosine(&self, other: &Self) -> f64 {
        let lengths = self.length * other.length;
        if self.parts.len() == other.parts.len() && lengths > 0.0 {
            dot(&self.parts, &other.parts) / lengths
        } else {
            0.0
        }
    }
}

fn dot(left: &[f32], right: &[f32]) -> f64 {
    f32::dot(left, right).unwrap_or(0.0)
}
