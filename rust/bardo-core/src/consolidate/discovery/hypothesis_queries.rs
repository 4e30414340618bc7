//! Questions about stored hypotheses, and forgetting them.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension};

use super::e_values::FALSE_DISCOVERY_RATE;
use super::hypothesis_rows::load;
use crate::error::Result;
use crate::facts::FactStore;
use crate::facts::delete::delete;
use crate::facts::rows::{self as record, json};
use crate::facts::sqlite::Step;
use crate::model::Id;

/// Drops every hypothesis that says one of these names, or quotes one of these episodes: what a forgotten episode took
/// part in is tested again, without it. A fact that stated one goes too if it has no evidence left or quotes the episode;
/// the answer is their ids.
pub fn forget_claims(store: &FactStore, names: &BTreeSet<String>, episodes: &[Id]) -> Result<Vec<Id>> {
    if names.is_empty() && episodes.is_empty() {
        return Ok(Vec::new());
    }
    store.write(|writer| {
        let mut deleted = Vec::new();
        for row in load(&writer.transaction)? {
            let quotes = row.claim.quotes(episodes);
            if !quotes && !row.claim.names(&|name: &str| names.contains(name)) {
                continue;
            }
            writer
                .transaction
                .prepare_cached("DELETE FROM hypotheses WHERE claim = ?1")?
                .execute([json(&row.claim)?])?;
            let Some(fact) = row.fact else { continue };
            if let Some(stored) = record::find(&writer.transaction, fact)?
                && (quotes || stored.fact.evidence.is_empty())
            {
                delete(writer, &stored)?;
                deleted.push(fact);
            }
        }
        Ok(deleted)
    })
}

/// How a fact was tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Windows of episodes that tested it.
    pub windows: u64,
    /// Natural logarithm of its e-value: how much a bettor against chance has made of one coin.
    pub log_wealth: f64,
    /// Logarithm of the fortune from which it is believed on its own, of however many hypotheses.
    pub log_threshold: f64,
}

/// The test behind a fact; `None` if it states no hypothesis.
pub fn trial(store: &FactStore, fact: Id) -> Result<Option<Trial>> {
    store.read(|connection| trial_in(connection, fact))
}

/// The test behind a fact, read within a transaction; `None` if it states no hypothesis.
pub(crate) fn trial_in(connection: &Connection, fact: Id) -> Step<Option<Trial>> {
    Ok(connection
        .prepare_cached("SELECT windows, log_fortune, share, intact FROM hypotheses WHERE fact = ?1")?
        .query_row([fact.0], |row| {
            Ok(Trial {
                windows: row.get::<_, i64>(0)?.unsigned_abs(),
                log_wealth: row.get(1)?,
                log_threshold: -(FALSE_DISCOVERY_RATE * row.get::<_, f64>(2)?).ln(),
            })
        })
        .optional()?)
}
