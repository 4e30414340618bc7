//! Names and entities as rows: find one, make one, and drop those that nothing names.

use rusqlite::{Connection, OptionalExtension, params};

use super::sqlite::Step;
use crate::text::gazetteer::EntitySerial;
use crate::text::names::{EntityKind, name_key};

/// The entity of a name.
pub(crate) fn find(connection: &Connection, name: &str) -> Step<Option<EntitySerial>> {
    Ok(connection
        .prepare_cached("SELECT entity, intact FROM aliases WHERE key = ?1")?
        .query_row([name_key(name)], |row| row.get(0))
        .optional()?)
}

/// The entity of a name, made if there is none, and whether it was; none for a name without a letter.
pub(crate) fn introduce(
    connection: &Connection,
    name: &str,
    kind: EntityKind,
    given: bool,
) -> Step<Option<(EntitySerial, bool)>> {
    let key = name_key(name);
    if !key.chars().any(char::is_alphanumeric) {
        return Ok(None);
    }
    if let Some(entity) = find(connection, name)? {
        raise_kind(connection, entity, kind)?;
        if given {
            connection
                .prepare_cached("UPDATE aliases SET given = 1 WHERE key = ?1 AND intact")?
                .execute([key])?;
        }
        return Ok(Some((entity, false)));
    }
    let name = name.trim();
    connection
        .prepare_cached("INSERT INTO entities (name, kind) VALUES (?1, ?2)")?
        .execute(params![name, kind.name()])?;
    let entity = connection.last_insert_rowid();
    connection
        .prepare_cached("INSERT INTO aliases (key, alias, entity, given) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![key, name, entity, given])?;
    Ok(Some((entity, true)))
}

/// A kind that tells more takes the place of one that tells less.
fn raise_kind(connection: &Connection, entity: EntitySerial, kind: EntityKind) -> Step<()> {
    if kind == EntityKind::Name {
        return Ok(());
    }
    let known: String = connection
        .prepare_cached("SELECT kind, intact FROM entities WHERE serial = ?1")?
        .query_row([entity], |row| row.get(0))?;
    if EntityKind::of(&known).is_none_or(|known| known < kind) {
        connection
            .prepare_cached("UPDATE entities SET kind = ?2 WHERE serial = ?1 AND intact")?
            .execute(params![entity, kind.name()])?;
    }
    Ok(())
}

/// Deletes the entities that nothing names any more, no caller named and no inherited question is about.
pub(crate) fn drop_unnamed(connection: &Connection) -> Step<usize> {
    Ok(connection
        .prepare_cached(
            "DELETE FROM entities WHERE NOT EXISTS (SELECT 1 FROM mentions WHERE entity = entities.serial)
             AND NOT EXISTS (SELECT 1 FROM triples WHERE subject = entities.serial OR object = entities.serial)
             AND NOT EXISTS (SELECT 1 FROM aliases WHERE entity = entities.serial AND given)
             AND NOT EXISTS (SELECT 1 FROM gaps WHERE entity = entities.serial AND origin IS NOT NULL)",
        )?
        .execute([])?)
}
