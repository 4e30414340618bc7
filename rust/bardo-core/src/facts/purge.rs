//! Deletion made final: refuse forgotten texts, rewrite the file, and look for traces in its bytes. `delete.rs` removes
//! the rows.

use std::collections::BTreeSet;
use std::path::Path;

use super::rows as record;
use super::store::FactStore;
use super::tombstones::{stands_alone, tombstone};
use super::transaction::set_meta;
use crate::capture::traces;
use crate::error::Result;
use crate::model::{Fact, FactKind, Id};

impl FactStore {
    /// The facts that stand on these episodes alone: no other evidence, and no more support than they gave.
    pub fn derived_from(&self, episodes: &[Id]) -> Result<Vec<Fact>> {
        let gone: BTreeSet<Id> = episodes.iter().copied().collect();
        let supported = self.supported_by(episodes)?;
        Ok(supported.into_iter().filter(|fact| stands_alone(fact, &gone)).collect())
    }

    /// The facts that have any of these episodes as evidence, in order of their arrival.
    pub fn supported_by(&self, episodes: &[Id]) -> Result<Vec<Fact>> {
        self.read(|connection| {
            let mut serials = BTreeSet::new();
            let mut known = connection.prepare_cached("SELECT fact FROM evidence WHERE episode = ?1")?;
            for episode in episodes {
                for serial in known.query_map([episode.0], |row| row.get::<_, i64>(0))? {
                    serials.insert(serial?);
                }
            }
            let mut found = Vec::new();
            for serial in serials {
                found.extend(record::select(connection, "WHERE serial = ?1", [serial])?);
            }
            Ok(found.into_iter().map(|stored| stored.fact).collect())
        })
    }

    /// Refuses the texts of these facts from now on: [`FactStore::upsert`] answers that they were forgotten. A baseline
    /// is passed over: its text carries its latest figures and would never come back word for word.
    pub fn add_tombstones(&self, facts: &[Id]) -> Result<()> {
        self.write(|writer| {
            for id in facts {
                if let Some(stored) = record::find(&writer.transaction, *id)?
                    && stored.fact.kind != FactKind::Baseline
                {
                    set_meta(&writer.transaction, &tombstone(&stored.fact.text), &1)?;
                }
            }
            Ok(())
        })
    }

    /// Rewrites the file, so that no freed page keeps a byte of what was deleted, and empties the write-ahead log.
    /// Costs as much as writing all facts once. Says whether the write-ahead log could be emptied: a reader in another
    /// process can hold it.
    pub fn vacuum(&self) -> Result<bool> {
        self.with(|connection| {
            // The words of rows that an older build deleted stay in the segments until these are rebuilt.
            connection.execute_batch("INSERT INTO words (words) VALUES ('rebuild'); VACUUM")?;
            let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            Ok(busy == 0)
        })
    }

    /// The second look after a deletion: which needles occur in the raw bytes of the file and of its write-ahead log,
    /// and how many bytes were read. The file is closed and opened again.
    pub fn traces(&self, needles: &[Vec<u8>]) -> Result<(Vec<usize>, u64)> {
        self.while_closed(|path| {
            let mut log = path.as_os_str().to_owned();
            log.push("-wal");
            let (mut found, mut bytes) = traces(path, needles)?;
            if Path::new(&log).exists() {
                let (more, length) = traces(Path::new(&log), needles)?;
                found.extend(more);
                bytes += length;
            }
            found.sort_unstable();
            found.dedup();
            Ok((found, bytes))
        })
    }
}
