//! Mark in the log about its journal, to detect a journal that is missing, emptied, cut or of another salt.
//!
//! The mark is written with transactions that wait for the disk anyway, and costs no sync of its own. A transaction
//! that begins an epoch names it, every later one counts the frames so far, and closing the log ends the use. Frames
//! appended after the last mark are known to the journal alone.

use redb::ReadableTable;

use crate::capture::storage::fault::Fault;
use crate::capture::storage::schema::meta;

/// State of the journal, as stored in the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct JournalState {
    /// Whether episodes may be in the journal alone.
    pub in_use: bool,
    /// Valid epoch; the last one if the journal is not in use.
    pub epoch: u64,
    /// Random number that distinguishes this epoch from one of the same number after a copy of the log was restored; 0
    /// before the first.
    pub salt: u32,
    /// Minimum number of acknowledged frames.
    pub frames: u32,
    /// Minimum length of the journal's file in bytes.
    pub room: u64,
}

const BYTES: usize = 25;

/// Effect on the journal of a transaction that waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JournalUse {
    /// Begins an epoch where the next commits may need it.
    GoesOn,
    /// Ends the use.
    Ends,
}

impl JournalState {
    /// Reads the mark of a log; `None` in a file of an older release.
    pub fn read(
        table: &impl ReadableTable<&'static str, &'static [u8]>,
    ) -> std::result::Result<Option<Self>, Fault> {
        let Some(bytes) = table.get(meta::JOURNAL)? else { return Ok(None) };
        let mark = Self::from_bytes(bytes.value());
        mark.map(Some).ok_or_else(|| Fault::Corrupt("what it says of its journal cannot be read".into()))
    }

    /// The mark once redb holds everything durably.
    pub const fn ended(self) -> Self {
        Self { in_use: false, frames: 0, room: 0, ..self }
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; BYTES] = bytes.try_into().ok()?;
        let number = |at: usize| Some(u64::from_le_bytes(bytes[at..at + 8].try_into().ok()?));
        let (epoch, room, counted) = (number(1)?, number(9)?, number(17)?);
        let (salt, frames) = (counted as u32, (counted >> 32) as u32);
        Some(Self { in_use: bytes[0] == 1, epoch, salt, frames, room })
    }

    pub(crate) fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[0] = u8::from(self.in_use);
        bytes[1..9].copy_from_slice(&self.epoch.to_le_bytes());
        bytes[9..17].copy_from_slice(&self.room.to_le_bytes());
        bytes[17..21].copy_from_slice(&self.salt.to_le_bytes());
        bytes[21..].copy_from_slice(&self.frames.to_le_bytes());
        bytes
    }
}
