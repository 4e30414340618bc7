//! Deleting what callers told of entities and facts apart from any memory (law 11): triples, links, other names.

use rusqlite::{Connection, OptionalExtension, params};

use super::delete::DeletionReport;
use super::entities::require;
use super::mention_rows::drop_unnamed;
use super::mention_rows::find;
use super::mentions::read_again;
use super::names_state::NAMES_EPOCH;
use super::sqlite::Step;
use super::store::FactStore;
use super::transaction::EDGES;
use super::transaction::Writer;
use super::transitions::Relation;
use super::triples::{Triple, select_triples};
use crate::error::{Error, Result};
use crate::model::Id;
use crate::text::names::name_key;

impl FactStore {
    /// The triples with these numbers; none where there is none.
    pub fn triples_of(&self, serials: &[i64]) -> Result<Vec<Option<Triple>>> {
        self.read(|connection| {
            let mut found = Vec::with_capacity(serials.len());
            for serial in serials {
                found.push(select_triples(connection, "WHERE triples.serial = ?1", params![serial])?.pop());
            }
            Ok(found)
        })
    }

    /// Deletes the triples with these numbers, and the entities that nothing else names. Unknown numbers are no error.
    pub fn forget_triples(&self, serials: &[i64]) -> Result<DeletionReport> {
        self.write(|writer| {
            let mut forgotten = DeletionReport::default();
            for serial in serials {
                forgotten.triples += writer
                    .transaction
                    .prepare_cached("DELETE FROM triples WHERE serial = ?1")?
                    .execute([serial])?;
            }
            forgotten.entities = apply_erasure(writer)?;
            Ok(forgotten)
        })
    }

    /// Deletes links between facts, from the journal of acts too; says how many there were.
    pub fn forget_links(&self, links: &[(Id, Id, Relation)]) -> Result<usize> {
        self.write(|writer| {
            let mut gone = 0;
            for (src, dst, relation) in links {
                let given = params![src.0, dst.0, relation.name()];
                let delete = |table: &str| -> Step<usize> {
                    let query = format!("DELETE FROM {table} WHERE src = ?1 AND dst = ?2 AND relation = ?3");
                    Ok(writer.transaction.prepare_cached(&query)?.execute(given)?)
                };
                gone += delete("links")?;
                delete("act_links")?;
            }
            writer.next(EDGES)?;
            Ok(gone)
        })
    }

    /// Deletes entities with their other names, their triples and the questions about them. Unknown names are no error.
    /// A memory that stays and names one makes it again when it is read again.
    pub fn forget_entities(&self, names: &[String]) -> Result<DeletionReport> {
        self.write(|writer| {
            let connection = &writer.transaction;
            let mut forgotten = DeletionReport::default();
            for name in names {
                let Some(entity) = find(connection, name)? else { continue };
                forgotten.triples += connection
                    .prepare_cached("DELETE FROM triples WHERE subject = ?1 OR object = ?1")?
                    .execute([entity])?;
                forgotten.entities +=
                    connection.prepare_cached("DELETE FROM entities WHERE serial = ?1")?.execute([entity])?;
            }
            forgotten.entities += apply_erasure(writer)?;
            Ok(forgotten)
        })
    }

    /// Takes other names away from an entity. What memories call by them is read again, and becomes an entity of its own;
    /// triples stay with the entity that they were told of last.
    pub fn part_entity(&self, name: &str, others: &[String]) -> Result<usize> {
        self.write(|writer| {
            let connection = &writer.transaction;
            let entity = require(connection, name)?;
            for other in others {
                if find(connection, other)? != Some(entity) {
                    return Err(Error::NotFound { kind: "alias", id: other.clone() }.into());
                }
                if is_canonical(connection, entity, other)? {
                    return Err(Error::invalid(
                        format!("{other:?} is the name of the entity itself"),
                        "Take its other names away, or merge it into one of them first",
                    )
                    .into());
                }
                connection
                    .prepare_cached("DELETE FROM aliases WHERE key = ?1")?
                    .execute([name_key(other)])?;
            }
            connection
                .prepare_cached(
                    "DELETE FROM memories WHERE serial IN (SELECT memory FROM mentions WHERE entity = ?1)",
                )?
                .execute([entity])?;
            read_again(writer)?;
            writer.next(NAMES_EPOCH)?;
            Ok(others.len())
        })
    }
}

fn is_canonical(connection: &Connection, entity: i64, name: &str) -> Step<bool> {
    let canonical: Option<String> = connection
        .prepare_cached("SELECT name FROM entities WHERE serial = ?1")?
        .query_row([entity], |row| row.get(0))
        .optional()?;
    Ok(canonical.is_some_and(|canonical| name_key(&canonical) == name_key(name)))
}

fn apply_erasure(writer: &Writer<'_>) -> Step<usize> {
    let dropped = drop_unnamed(&writer.transaction)?;
    writer.next(NAMES_EPOCH)?;
    writer.next(EDGES)?;
    Ok(dropped)
}
