//! Watermark of a source of episodes, such as a transcript. It moves in the transaction that records the episodes, so a
//! process that is killed neither loses nor repeats any of them.

use redb::ReadableTable;

use super::transaction::Transaction;
use crate::capture::storage::fault::Fault;
use crate::capture::storage::schema::SOURCES;
use crate::error::{Error, Result};
use crate::model::check_name;

/// Maximum size of the state of a source in bytes.
const STATE_BYTES: usize = 4_096;
const POSITION_BYTES: usize = 8;

/// Part of a source that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMark {
    /// Position up to which it was read, in the unit of its reader.
    pub position: u64,
    /// State of its reader, such as a checksum of the part that was read.
    pub state: String,
}

/// Move of a watermark from its expected value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMove {
    /// Name of the source.
    pub name: String,
    /// Watermark that the reader started from; `None` for a source that was never read.
    pub from: Option<SourceMark>,
    /// Watermark after the episodes that are recorded with it.
    pub to: SourceMark,
}

impl SourceMark {
    fn to_bytes(&self) -> Vec<u8> {
        [self.position.to_le_bytes().as_slice(), self.state.as_bytes()].concat()
    }

    pub(crate) fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, Fault> {
        let read = || {
            let (position, state) = bytes.split_first_chunk::<POSITION_BYTES>()?;
            let state = std::str::from_utf8(state).ok()?.to_owned();
            Some(Self { position: u64::from_le_bytes(*position), state })
        };
        read().ok_or_else(|| Fault::Corrupt(format!("the watermark of source {name:?} cannot be read")))
    }
}

impl SourceMove {
    /// Refuses a name or a state over its limit.
    pub(crate) fn check(&self) -> Result<()> {
        check_name("the name of a source", &self.name)?;
        if self.to.state.len() > STATE_BYTES {
            let what = format!(
                "the state of a source has {} bytes, the limit is {STATE_BYTES}",
                self.to.state.len()
            );
            return Err(Error::invalid(what, "Keep checksums and numbers in it"));
        }
        Ok(())
    }
}

impl Transaction<'_> {
    /// Refuses a move whose source another caller has read meanwhile.
    pub(crate) fn require_unmoved(&self, step: &SourceMove) -> Result<(), Fault> {
        let table = self.inner.open_table(SOURCES)?;
        let stored = table.get(step.name.as_str())?;
        let stored = stored.map(|bytes| SourceMark::from_bytes(&step.name, bytes.value())).transpose()?;
        if stored == step.from {
            return Ok(());
        }
        let place = |mark: &Option<SourceMark>| mark.as_ref().map_or(0, |mark| mark.position);
        let what = format!(
            "source {:?} was read up to {} meanwhile, by another caller that also began at {}",
            step.name,
            place(&stored),
            place(&step.from)
        );
        Err(Error::invalid(what, "Read it again: nothing of this part was recorded twice").into())
    }

    /// Moves the watermark of a source.
    pub(crate) fn move_source(&mut self, step: &SourceMove) -> Result<(), Fault> {
        self.inner.open_table(SOURCES)?.insert(step.name.as_str(), step.to.to_bytes().as_slice())?;
        self.changed = true;
        Ok(())
    }
}
