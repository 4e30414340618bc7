//! Lookup of contested beliefs: outcomes refuted them, or an ancestor had ended them.

use rusqlite::{Connection, params};

use super::renew::of_same_text;
use super::rows::{self as record, StoredFact, signed};
use super::sqlite::Step;
use super::store::{FactStore, facts};
use super::vectors::any_word_of;
use crate::error::Result;
use crate::model::{Fact, Statement};

/// Contested, and out of force or expired by tick ?3.
const OUT_OF_FORCE: &str = "ended_by IN ('refutation', 'ancestor') AND (status IN ('archived', 'superseded')
     OR (status = 'contradicted' AND expires_tick < ?3))";

/// The contested belief of the same words that is out of force, if any.
pub(crate) fn contested_text(connection: &Connection, fact: &Fact, tick: u64) -> Step<Option<StoredFact>> {
    of_same_text(connection, fact, OUT_OF_FORCE, tick)
}

/// The inherited belief with the same slot, value and polarity that is contested and out of force, if any.
pub(crate) fn contested_statement(
    connection: &Connection,
    statement: &Statement,
    tick: u64,
) -> Step<Option<StoredFact>> {
    let found = record::select(
        connection,
        &format!("WHERE slot_key = ?1 AND owner_key = ?2 AND {OUT_OF_FORCE} ORDER BY serial"),
        params![statement.slot_key(), statement.owner_key(), signed(tick)?],
    )?;
    Ok(found.into_iter().find(|stored| {
        stored.fact.is_hearsay()
            && stored.fact.statement.as_ref().is_some_and(|known| known.says_same(statement))
    }))
}

impl FactStore {
    /// The contested beliefs that share a word with a text, in order of their arrival.
    pub fn contested(&self, text: &str) -> Result<Vec<Fact>> {
        let Some(words) = any_word_of(text) else { return Ok(Vec::new()) };
        self.read(|connection| {
            let found = record::select(
                connection,
                "WHERE ended_by IN ('refutation', 'ancestor') AND status != 'active'
                   AND serial IN (SELECT rowid FROM words WHERE words MATCH ?1) ORDER BY serial",
                params![words],
            )?;
            Ok(facts(found))
        })
    }
}
