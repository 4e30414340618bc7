//! The scope of a fact as a row: which thread and mode its evidence shares.

use rusqlite::{Connection, OptionalExtension, params};

use super::sqlite::Step;
use crate::model::{Episode, share_a_mode};

/// Where a fact is known; a missing part is no restriction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Thread of all its evidence.
    pub thread: Option<String>,
    /// Mode of all its evidence, up to modes that share what they know.
    pub mode: Option<String>,
}

impl Scope {
    /// Scope that all episodes share.
    pub(super) fn shared(episodes: &[Episode]) -> Self {
        let Some((first, others)) = episodes.split_first() else { return Self::default() };
        let thread = first.thread.as_ref().filter(|_| others.iter().all(|one| one.thread == first.thread));
        let mode = first.mode.as_ref().filter(|mode| {
            others.iter().all(|one| one.mode.as_ref().is_some_and(|other| share_a_mode(mode, other)))
        });
        Self { thread: thread.cloned(), mode: mode.cloned() }
    }
}

/// The scope of a fact.
pub(crate) fn of(connection: &Connection, serial: i64) -> Step<Scope> {
    let found = connection
        .prepare_cached("SELECT thread, mode, intact FROM scopes WHERE fact = ?1")?
        .query_row([serial], |row| Ok(Scope { thread: row.get(0)?, mode: row.get(1)? }))
        .optional()?;
    Ok(found.unwrap_or_default())
}

pub(crate) fn put(connection: &Connection, serial: i64, scope: &Scope) -> Step<()> {
    connection
        .prepare_cached(
            "INSERT INTO scopes (fact, thread, mode) VALUES (?1, ?2, ?3)
             ON CONFLICT (fact) DO UPDATE SET thread = excluded.thread, mode = excluded.mode",
        )?
        .execute(params![serial, scope.thread, scope.mode])?;
    Ok(())
}
