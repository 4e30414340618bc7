//! Known names in memory, synchronised with the file.

use rusqlite::Connection;

use super::sqlite::Step;
use super::transaction::counter;
use crate::text::gazetteer::{EntitySerial, Gazetteer};

/// Counts what makes an index of names in memory void: merges and deletions.
pub(crate) const NAMES_EPOCH: &str = "names";

/// Known names, synchronised with the file.
#[derive(Debug, Default)]
pub(crate) struct NameIndex {
    /// All of them.
    pub gazetteer: Gazetteer,
    /// [`NAMES_EPOCH`] that it belongs to.
    epoch: i64,
    /// The last entity in it.
    last: EntitySerial,
}

impl NameIndex {
    /// Adds the names written since the last call, by this or another process.
    pub fn follow(&mut self, connection: &Connection) -> Step<()> {
        let epoch = counter(connection, NAMES_EPOCH)?;
        if epoch != self.epoch {
            *self = Self { epoch, ..Self::default() };
        }
        let mut statement = connection.prepare_cached(
            "SELECT key, alias, serial, entities.intact, aliases.intact FROM entities JOIN aliases ON aliases.entity = entities.serial
             WHERE serial > ?1 ORDER BY serial, key",
        )?;
        let mut found = statement.query([self.last])?;
        while let Some(row) = found.next()? {
            self.last = row.get(2)?;
            let (key, alias): (String, String) = (row.get(0)?, row.get(1)?);
            self.gazetteer.add(&key, &alias, self.last);
        }
        Ok(())
    }
}
