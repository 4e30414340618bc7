//! Watermarks of the sources that episodes were read from.

use redb::TableError;

use crate::capture::log::EpisodeLog;
use crate::capture::storage::schema::SOURCES;
use crate::capture::write::source::SourceMark;
use crate::error::Result;

impl EpisodeLog {
    /// Watermark of a source; `None` if it was never read.
    pub fn source(&self, name: &str) -> Result<Option<SourceMark>> {
        self.read_as_is(|view| match view.open_table(SOURCES) {
            Ok(table) => {
                let stored = table.get(name)?;
                stored.map(|bytes| SourceMark::from_bytes(name, bytes.value())).transpose()
            }
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(error.into()),
        })
    }

    /// Every source with its watermark, by name.
    pub fn sources(&self) -> Result<Vec<(String, SourceMark)>> {
        self.read_as_is(|view| {
            let table = match view.open_table(SOURCES) {
                Ok(table) => table,
                Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
                Err(error) => return Err(error.into()),
            };
            let mut found = Vec::new();
            for row in table.range::<&str>(..)? {
                let (name, bytes) = row?;
                let mark = SourceMark::from_bytes(name.value(), bytes.value())?;
                found.push((name.value().to_owned(), mark));
            }
            Ok(found)
        })
    }
}
