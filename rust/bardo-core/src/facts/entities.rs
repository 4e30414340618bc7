//! Asking who and what is known: entities with their aliases, where they are mentioned, and what they are mentioned with.

use rusqlite::{Connection, named_params, params};

use super::mention_rows::find;
use super::mention_rows::introduce;
use super::mentions::{read_again, search_metadata};
use super::names_state::NAMES_EPOCH;
use super::sqlite::Step;
use super::sqlite::rows;
use super::store::FactStore;
use crate::error::{Error, Result};
use crate::model::{Id, limits};
use crate::text::gazetteer::EntitySerial;
use crate::text::names::{EntityKind, name_key};

/// A person or thing that memories name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// The canonical name.
    pub name: String,
    /// Sort of thing: person, place, handle and so on.
    pub kind: String,
    /// Every other way it is written.
    pub aliases: Vec<String>,
    /// Memories that name it.
    pub mentions: u64,
    /// Ticks of the first and the last of these; none before the first.
    pub seen: Option<(u64, u64)>,
}

/// Which entities; the default is every one.
#[derive(Clone, Debug, Default)]
pub struct EntityFilter {
    /// Name or alias of the entities.
    pub name: Option<String>,
    /// Kind of the entities.
    pub kind: Option<EntityKind>,
    /// Memory that names the entities.
    pub memory: Option<Id>,
}

/// An entity that is named together with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Its canonical name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Memories that name both.
    pub together: u64,
}

impl FactStore {
    /// The entities that pass the filter, the most mentioned first.
    pub fn entities(&self, filter: &EntityFilter, limit: usize) -> Result<Vec<Entity>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT entities.serial, name, kind, count(mentions.memory), min(tick), max(tick), entities.intact FROM entities
                 LEFT JOIN mentions ON mentions.entity = entities.serial
                 LEFT JOIN memories ON memories.serial = mentions.memory
                 WHERE (:kind IS NULL OR kind = :kind)
                   AND (:key IS NULL OR entities.serial IN (SELECT entity FROM aliases WHERE key = :key))
                   AND (:memory IS NULL OR entities.serial IN (SELECT entity FROM mentions WHERE memory =
                        (SELECT serial FROM memories WHERE id = :memory)))
                 GROUP BY entities.serial ORDER BY count(mentions.memory) DESC, name, entities.serial LIMIT :limit",
            )?;
            let mut found = statement.query(named_params! {
                ":kind": filter.kind.map(EntityKind::name),
                ":key": filter.name.as_deref().map(name_key),
                ":memory": filter.memory.map(|id| id.0),
                ":limit": rows(limit),
            })?;
            let mut entities = Vec::new();
            while let Some(row) = found.next()? {
                let name: String = row.get(1)?;
                let first: Option<i64> = row.get(4)?;
                let last: Option<i64> = row.get(5)?;
                entities.push(Entity {
                    aliases: aliases(connection, row.get(0)?, &name)?,
                    name,
                    kind: row.get(2)?,
                    mentions: row.get::<_, i64>(3)?.unsigned_abs(),
                    seen: first.zip(last).map(|(first, last)| (first.unsigned_abs(), last.unsigned_abs())),
                });
            }
            Ok(entities)
        })
    }

    /// The entities that are named in the same memories as this one, the most often first.
    pub fn related(&self, name: &str, limit: usize) -> Result<Vec<Related>> {
        self.read(|connection| {
            let entity = require(connection, name)?;
            let mut statement = connection.prepare_cached(
                "SELECT name, kind, count(*) FROM mentions AS mine JOIN mentions AS theirs USING (memory)
                 JOIN entities ON entities.serial = theirs.entity
                 WHERE mine.entity = ?1 AND theirs.entity <> ?1
                 GROUP BY theirs.entity ORDER BY count(*) DESC, name LIMIT ?2",
            )?;
            let found = statement.query_map(params![entity, rows(limit)], |row| {
                let together: i64 = row.get(2)?;
                Ok(Related { name: row.get(0)?, kind: row.get(1)?, together: together.unsigned_abs() })
            })?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Ids of the memories that name an entity, the latest first.
    pub fn mentions(&self, name: &str, limit: usize) -> Result<Vec<Id>> {
        self.read(|connection| {
            let entity = require(connection, name)?;
            let mut statement = connection.prepare_cached(
                "SELECT id FROM mentions JOIN memories ON memories.serial = mentions.memory
                 WHERE entity = ?1 ORDER BY tick DESC, memory DESC LIMIT ?2",
            )?;
            let found = statement.query_map(params![entity, rows(limit)], |row| row.get(0).map(Id))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Ids of memories whose web addresses (`url`), commands (`command`) or paths (`path`) contain a fragment, with what
    /// was found, the latest first.
    pub fn find(&self, kind: &str, fragment: &str, limit: usize) -> Result<Vec<(Id, String)>> {
        if !["url", "command", "path"].contains(&kind) || fragment.is_empty() {
            return Err(Error::invalid(
                format!("cannot search for a {kind:?} that contains {fragment:?}"),
                "Name a url, a command or a path, and a fragment of at least one letter",
            ));
        }
        self.read(|connection| search_metadata(connection, kind, fragment, limit))
    }

    /// Makes several names one entity under the first name. Unknown names become aliases. Says how many entities
    /// became part of it.
    pub fn merge_entities(&self, into: &str, names: &[String]) -> Result<usize> {
        for name in names.iter().map(String::as_str).chain([into]) {
            if name.len() > limits::NAME_BYTES || !name_key(name).chars().any(char::is_alphanumeric) {
                return Err(Error::invalid(
                    format!("{name:?} is no name"),
                    format!("Use up to {} bytes with a letter or a digit", limits::NAME_BYTES),
                ));
            }
        }
        self.write(|writer| {
            let connection = &writer.transaction;
            let Some((entity, _)) = introduce(connection, into, EntityKind::Name, true)? else {
                return Ok(0);
            };
            let mut merged = 0;
            for name in names {
                match find(connection, name)? {
                    Some(other) if other == entity => {}
                    Some(other) => {
                        absorb(connection, entity, other)?;
                        merged += 1;
                    }
                    None => {
                        connection
                            .prepare_cached(
                                "INSERT INTO aliases (key, alias, entity, given) VALUES (?1, ?2, ?3, 1)",
                            )?
                            .execute(params![name_key(name), name.trim(), entity])?;
                    }
                }
            }
            connection
                .prepare_cached("UPDATE entities SET name = ?2 WHERE serial = ?1 AND intact")?
                .execute(params![entity, into.trim()])?;
            // Memories that were read before a name was known may hold it.
            read_again(writer)?;
            writer.next(NAMES_EPOCH)?;
            Ok(merged)
        })
    }
}

/// Moves everything of one entity to another.
fn absorb(connection: &Connection, into: EntitySerial, other: EntitySerial) -> Step<()> {
    let run = |query: &str| connection.prepare_cached(query)?.execute([into, other]);
    run("INSERT OR IGNORE INTO mentions (memory, entity) SELECT memory, ?1 FROM mentions WHERE entity = ?2")?;
    run("UPDATE aliases SET entity = ?1, given = 1 WHERE entity = ?2 AND intact")?;
    run("UPDATE triples SET subject = ?1 WHERE subject = ?2 AND intact")?;
    run("UPDATE triples SET object = ?1 WHERE object = ?2 AND intact")?;
    connection.prepare_cached("DELETE FROM entities WHERE serial = ?1")?.execute([other])?;
    Ok(())
}

/// The other ways an entity is written.
fn aliases(connection: &Connection, entity: EntitySerial, name: &str) -> Step<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT alias, intact FROM aliases WHERE entity = ?1 AND alias <> ?2 ORDER BY alias",
    )?;
    let found = statement.query_map(params![entity, name], |row| row.get(0))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// The entity of a name, which must be known.
pub(crate) fn require(connection: &Connection, name: &str) -> Step<EntitySerial> {
    Ok(find(connection, name)?.ok_or_else(|| Error::NotFound { kind: "entity", id: name.to_owned() })?)
}
