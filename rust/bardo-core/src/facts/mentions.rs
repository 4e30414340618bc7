//! Reading episodes and facts for what they name: entities, web addresses, commands, paths, and the triples of typed
//! payloads. Never within `remember`: pending records are read in pages after a watermark, each page one transaction.

use rusqlite::{Connection, OptionalExtension, params};

use super::mention_rows::drop_unnamed;
use super::mention_rows::{find, introduce};
use super::names_state::{NAMES_EPOCH, NameIndex};
use super::rows::signed;
use super::sqlite::{Step, rows};
use super::store::FactStore;
use super::transaction::{Writer, counter, set_meta};
use super::triples::derive;
use crate::capture::EpisodeLog;
use crate::error::Result;
use crate::model::{Episode, Fact, Id, Metadata};
use crate::text::gazetteer::EntitySerial;
use crate::text::names::{EntityKind, NameMention, names};
use crate::text::urls_commands_paths::findings;

/// Number of the last episode that was read, in order of arrival.
const EPISODES_READ: &str = "names_episodes";
/// Number of the last change of facts that was read.
const FACTS_READ: &str = "names_facts";
/// Memories read in one transaction.
const PAGE: usize = 256;

/// Counts of a reading pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MentionReport {
    /// Episodes that were read.
    pub episodes: usize,
    /// Facts that were read.
    pub facts: usize,
    /// Entities that were new.
    pub entities: usize,
    /// Mentions of entities.
    pub mentions: usize,
    /// Web addresses, commands and paths.
    pub findings: usize,
}

/// A memory as it is read.
struct MemoryInput<'a> {
    id: Id,
    tick: u64,
    text: &'a str,
    subjects: &'a [String],
    speaker: Option<&'a str>,
}

impl FactStore {
    /// Reads the episodes and facts that were not read yet, if at least so many episodes wait (or any fact).
    pub fn read_names(&self, log: &EpisodeLog, least: u64) -> Result<MentionReport> {
        // One reader at a time: a second one waits and then finds nothing left.
        let mut names = self.names();
        let mut done = MentionReport::default();
        let (after, facts_after) = self
            .read(|connection| Ok((counter(connection, EPISODES_READ)?, counter(connection, FACTS_READ)?)))?;
        if log.last_seq()?.saturating_sub(after.unsigned_abs()) >= least.max(1) {
            while self.read_episodes(log, &mut names, &mut done)? {}
        }
        if self.last_change()? > facts_after.unsigned_abs() {
            while self.read_facts(&mut names, &mut done)? {}
        }
        Ok(done)
    }

    /// Drops every mention that was read, but none that a caller stated, so that the next [`FactStore::read_names`] reads
    /// all records again.
    pub fn reread_names(&self) -> Result<()> {
        self.write(|writer| {
            writer.transaction.execute_batch(
                "DELETE FROM memories;
                 DELETE FROM triples WHERE derived;
                 DELETE FROM aliases WHERE NOT given AND entity IN (SELECT serial FROM entities WHERE NOT EXISTS
                    (SELECT 1 FROM aliases AS other WHERE other.entity = entities.serial AND other.given)
                    AND NOT EXISTS (SELECT 1 FROM triples WHERE subject = entities.serial OR object = entities.serial));",
            )?;
            drop_unnamed(&writer.transaction)?;
            read_again(writer)?;
            writer.next(NAMES_EPOCH)?;
            Ok(())
        })
    }

    fn read_episodes(
        &self,
        log: &EpisodeLog,
        names: &mut NameIndex,
        done: &mut MentionReport,
    ) -> Result<bool> {
        let after = self.read(|connection| counter(connection, EPISODES_READ))?.unsigned_abs();
        let page = log.since(after, PAGE)?;
        let Some((last, _)) = page.last() else { return Ok(false) };
        self.write(|writer| {
            names.follow(&writer.transaction)?;
            for (_, episode) in &page {
                take(writer, names, &MemoryInput::of_episode(episode), done)?;
            }
            set_meta(&writer.transaction, EPISODES_READ, &signed(*last)?)
        })?;
        done.episodes += page.len();
        Ok(page.len() == PAGE)
    }

    fn read_facts(&self, names: &mut NameIndex, done: &mut MentionReport) -> Result<bool> {
        let after = self.read(|connection| counter(connection, FACTS_READ))?.unsigned_abs();
        let page = self.changed_since(after, PAGE)?;
        let Some(last) = page.last().map(|changed| changed.change) else { return Ok(false) };
        self.write(|writer| {
            names.follow(&writer.transaction)?;
            for changed in &page {
                done.facts += usize::from(take(writer, names, &MemoryInput::of_fact(&changed.fact), done)?);
                derive(writer, &changed.fact)?;
            }
            set_meta(&writer.transaction, FACTS_READ, &signed(last)?)
        })?;
        Ok(page.len() == PAGE)
    }
}

impl<'a> MemoryInput<'a> {
    fn of_episode(episode: &'a Episode) -> Self {
        let speaker = episode.speaker.as_deref();
        Self { id: episode.id, tick: episode.tick, text: &episode.text, subjects: &episode.subjects, speaker }
    }

    fn of_fact(fact: &'a Fact) -> Self {
        Self {
            id: fact.id,
            tick: fact.created_tick,
            text: &fact.text,
            subjects: &fact.subjects,
            speaker: None,
        }
    }

    /// Changes whenever what is read changes.
    fn key(&self) -> i64 {
        let parts: Vec<&str> = self.subjects.iter().map(String::as_str).chain([self.text]).collect();
        xxhash_rust::xxh3::xxh3_64(parts.join("\0").as_bytes()).cast_signed()
    }
}

/// Reads one memory; false if it was read before and says the same.
fn take(
    writer: &Writer<'_>,
    known: &NameIndex,
    text: &MemoryInput<'_>,
    done: &mut MentionReport,
) -> Step<bool> {
    let connection = &writer.transaction;
    let before: Option<i64> = connection
        .prepare_cached("SELECT text_key FROM memories WHERE id = ?1")?
        .query_row([text.id.0], |row| row.get(0))
        .optional()?;
    if before == Some(text.key()) {
        done.mentions += mention_known(connection, known, text)?;
        return Ok(false);
    }
    if before.is_some() {
        connection.prepare_cached("DELETE FROM memories WHERE id = ?1")?.execute([text.id.0])?;
    }
    let found = findings(text.text);
    let entities = entities_in(connection, known, text, &mut done.entities)?;
    if entities.is_empty() && found.urls.is_empty() && found.commands.is_empty() && found.paths.is_empty() {
        // How far the log was read says that it was.
        return Ok(true);
    }
    connection
        .prepare_cached("INSERT INTO memories (id, tick, text_key) VALUES (?1, ?2, ?3)")?
        .execute(params![text.id.0, signed(text.tick)?, text.key()])?;
    let memory = connection.last_insert_rowid();
    done.findings += insert_metadata(connection, memory, &found)?;
    for entity in entities {
        done.mentions += connection
            .prepare_cached("INSERT OR IGNORE INTO mentions (memory, entity) VALUES (?1, ?2)")?
            .execute([memory, entity])?;
    }
    Ok(true)
}

/// Notes the known names in a memory that was read before: some may have become known since.
fn mention_known(connection: &Connection, known: &NameIndex, text: &MemoryInput<'_>) -> Step<usize> {
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO mentions (memory, entity) SELECT serial, ?2 FROM memories WHERE id = ?1",
    )?;
    let mut mentions = 0;
    for entity in known.gazetteer.find(text.text, false) {
        mentions += statement.execute(params![text.id.0, entity])?;
    }
    Ok(mentions)
}

/// Has everything read again by the next [`FactStore::read_names`]; what is known of it stays.
pub(crate) fn read_again(writer: &Writer<'_>) -> Step<()> {
    set_meta(&writer.transaction, EPISODES_READ, &0)?;
    set_meta(&writer.transaction, FACTS_READ, &0)
}

fn insert_metadata(connection: &Connection, memory: i64, found: &Metadata) -> Step<usize> {
    let mut statement = connection
        .prepare_cached("INSERT OR IGNORE INTO findings (memory, kind, value) VALUES (?1, ?2, ?3)")?;
    let mut kept = 0;
    for (kind, values) in [("url", &found.urls), ("command", &found.commands), ("path", &found.paths)] {
        for value in values {
            kept += statement.execute(params![memory, kind, value])?;
        }
    }
    Ok(kept)
}

/// The entities that a memory names: who speaks, what it is about, known names, and names by their form.
fn entities_in(
    connection: &Connection,
    known: &NameIndex,
    text: &MemoryInput<'_>,
    fresh: &mut usize,
) -> Step<Vec<EntitySerial>> {
    let mut unknown = Vec::new();
    unknown.extend(text.speaker.map(|name| NameMention { name: name.to_owned(), kind: EntityKind::Person }));
    let subjects = text.subjects.iter();
    unknown.extend(subjects.map(|name| NameMention { name: name.clone(), kind: EntityKind::Subject }));
    let mut failed = None;
    let mut is_known = |name: &str| match find(connection, name) {
        Ok(found) => found.is_some(),
        Err(error) => {
            failed = Some(error);
            false
        }
    };
    unknown.extend(names(text.text, &mut is_known));
    if let Some(error) = failed {
        return Err(error);
    }
    let mut entities = known.gazetteer.find(text.text, false);
    for named in &unknown {
        if let Some((entity, is_new)) = introduce(connection, &named.name, named.kind, false)? {
            *fresh += usize::from(is_new);
            entities.push(entity);
        }
    }
    entities.sort_unstable();
    entities.dedup();
    Ok(entities)
}

/// Ids of the memories whose web addresses, commands or paths contain a fragment (ASCII letters in any case), with what
/// was found, the latest first.
pub(crate) fn search_metadata(
    connection: &Connection,
    kind: &str,
    fragment: &str,
    limit: usize,
) -> Step<Vec<(Id, String)>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, min(value) FROM findings JOIN memories ON memories.serial = findings.memory
         WHERE kind = ?1 AND instr(lower(value), lower(?2)) GROUP BY memory ORDER BY tick DESC, memory DESC LIMIT ?3",
    )?;
    let found = statement
        .query_map(params![kind, fragment, rows(limit)], |row| Ok((Id(row.get(0)?), row.get(1)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}
