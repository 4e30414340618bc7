//! Journal beside the log (`episodes.redb.wal`): episodes that are not yet durable in redb, one frame and one sync for
//! each commit.
//!
//! A redb commit writes to ten places of its file. One contiguous write takes the disk half the time, and less
//! processor time: so episodes go to the journal first, and to redb many at a time (`memtable.rs`). Encoding:
//! `format.rs`.
//!
//! The log names the valid epoch (`mark.rs`), in the same transaction that makes the frames of the epoch before
//! superfluous. The slot of an epoch is on the disk before the log names it, and no frame is written before that. A
//! journal has lost episodes if it lacks the slot, is shorter than its room, or holds fewer frames than the log
//! recorded.
//!
//! A torn last frame belongs to a sync that never ended: nothing of it was acknowledged, and it is ignored. A broken
//! frame before a whole one of the same epoch is damage, and refused.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use redb::StorageBackend;

use super::file;
use super::format::{
    FRAME_HEAD, Refusal, SLOTS, STEP, Slot, VERSION, close_frame, frame_bytes, frames_of, slots_of,
};
use super::mark::JournalState;
use crate::capture::storage::fault::unavailable;
use crate::capture::storage::folder;
use crate::error::{Error, Result};

/// Maximum size of the journal in bytes: a thousand commits of one episode, or ten thousand episodes in
/// batches.
pub(crate) const JOURNAL_BYTES: u64 = 4 * 1024 * 1024;
/// File size of the first epoch in bytes: 63 commits of one episode.
const FIRST_BYTES: u64 = 256 * 1024;
/// Growth factor of the size from one epoch to the next, up to [`JOURNAL_BYTES`].
const GROWTH: u64 = 4;
/// Owner of a journal that is read without its log.
pub(crate) const ANYBODY: u64 = 0;
/// Suffix of the journal's name after the log's.
const ENDING: &str = ".wal";
/// Opens the bytes of a store or a journal; called again after a failure.
pub(crate) type Source = Arc<dyn Fn() -> io::Result<Box<dyn StorageBackend>> + Send + Sync>;

/// Storage of a journal.
pub(crate) enum JournalMedium {
    File(PathBuf),
    Backend(Source),
}

/// Journal, open or not yet.
pub(crate) struct Journal {
    home: JournalMedium,
    /// Number that distinguishes logs.
    owner: u64,
    file: Option<Box<dyn StorageBackend>>,
    /// Offset of the next frame; `None` until the log names this epoch.
    end: Option<u64>,
    epoch: u64,
    salt: u32,
    frames: u32,
    /// Length of its file in bytes.
    room: u64,
    /// Buffer of the frame being written, kept for its capacity.
    buffer: Vec<u8>,
    syncs: Arc<AtomicU64>,
}

/// Path of the journal beside a log.
pub(crate) fn path_of(log: &Path) -> PathBuf {
    let mut path = log.as_os_str().to_owned();
    path.push(ENDING);
    PathBuf::from(path)
}

/// Frames of a journal, and its fault.
pub(crate) struct Contents {
    /// Bodies of the whole frames, in order.
    pub frames: Vec<Vec<u8>>,
    /// Reason why acknowledged episodes are missing from it.
    pub loss: Option<String>,
}

impl Contents {
    const fn whole(frames: Vec<Vec<u8>>) -> Self {
        Self { frames, loss: None }
    }

    const fn nothing() -> Self {
        Self::whole(Vec::new())
    }

    fn lost(what: impl Into<String>) -> Self {
        Self { frames: Vec::new(), loss: Some(what.into()) }
    }

    const fn is_nothing(&self) -> bool {
        self.frames.is_empty() && self.loss.is_none()
    }
}

impl Journal {
    /// An unread journal. `syncs` counts its syncs.
    pub const fn new(home: JournalMedium, owner: u64, syncs: Arc<AtomicU64>) -> Self {
        Self {
            home,
            owner,
            file: None,
            end: None,
            epoch: 0,
            salt: 0,
            frames: 0,
            room: 0,
            buffer: Vec::new(),
            syncs,
        }
    }

    /// Whether a frame with a body of the given length may be appended.
    pub fn takes(&self, body: usize) -> bool {
        self.end.is_some_and(|end| end + frame_bytes(body) as u64 <= self.room)
    }

    /// Length of its file in bytes, as far as it is open.
    pub const fn room(&self) -> u64 {
        self.room
    }

    /// Mark for the log if the journal accepts frames; `None` otherwise.
    pub fn mark(&self) -> Option<JournalState> {
        self.end.map(|_| JournalState {
            in_use: true,
            epoch: self.epoch,
            salt: self.salt,
            frames: self.frames,
            room: self.room,
        })
    }

    /// Reads the journal that the log's mark names, or one beside a log without a mark. `log` names the store in
    /// errors.
    ///
    /// # Errors
    /// [`Error::StoreForeign`] if it belongs to another log or is no journal, [`Error::StoreTooNew`] for a
    /// newer format.
    pub fn read(&mut self, log: &Path, mark: Option<&JournalState>) -> Result<Contents> {
        let bytes = self.load().map_err(|error| unavailable("read the journal of", log, &error))?;
        let mark = mark.copied().unwrap_or_default();
        if mark.in_use && self.file.is_none() {
            return Ok(Contents::lost("is missing"));
        }
        if bytes.is_empty() {
            return Ok(if mark.in_use { Contents::lost("is empty") } else { Contents::nothing() });
        }
        let slots = match slots_of(&bytes) {
            Ok(slots) => slots,
            Err(Refusal::TooNew(found)) => {
                return Err(Error::StoreTooNew { path: path_of(log), found, supported: VERSION });
            }
            Err(Refusal::Foreign) => return Err(foreign(log, "is not the journal of an episode log")),
            Err(Refusal::Damaged) => {
                return Ok(Contents::lost(
                    "cannot be read: its first bytes are broken, and it holds whole frames",
                ));
            }
        };
        // Latest epoch with frames: the slot of the next epoch is written before the log names it.
        let latest = slots.iter().map(|slot| (contents_of(&bytes, slot, None), slot));
        let latest = latest.max_by_key(|(found, slot)| (!found.is_nothing(), slot.epoch));
        if self.owner == ANYBODY {
            return Ok(latest.map_or(Contents::nothing(), |(found, _)| found));
        }
        let is_named = |slot: &&Slot| {
            (slot.owner, slot.epoch, slot.salt) == (self.owner, mark.epoch, mark.salt) && mark.epoch > 0
        };
        let named = slots.iter().find(is_named);
        if let Some((found, slot)) = latest
            && !found.is_nothing()
            && named.is_none_or(|named| slot.epoch > named.epoch)
        {
            if slot.owner != self.owner {
                return Err(foreign(log, "is the journal of another episode log"));
            }
            // Written by a release without marks.
            let is_unmarked = mark.epoch == 0 && slot.salt == 0;
            return Ok(if is_unmarked { found } else { Contents::lost(other_time(slot, &mark)) });
        }
        match (named, slots.first()) {
            (Some(slot), _) => Ok(contents_of(&bytes, slot, Some(&mark))),
            (None, _) if !mark.in_use => Ok(Contents::nothing()),
            (None, Some(slot)) if slot.owner != self.owner => {
                Err(foreign(log, "is the journal of another episode log"))
            }
            (None, Some(slot)) => Ok(Contents::lost(other_time(slot, &mark))),
            (None, None) => Ok(Contents::lost("is broken: its first bytes are gone")),
        }
    }

    /// Appends one frame, and returns when it is on the disk. After a failure it accepts none until the log has
    /// begun another epoch.
    pub fn append(&mut self, body: &[u8]) -> io::Result<()> {
        let Some(end) = self.end.take() else {
            return Err(io::Error::other("the journal takes nothing until its next epoch"));
        };
        self.buffer.clear();
        self.buffer.resize(FRAME_HEAD, 0);
        self.buffer.extend_from_slice(body);
        close_frame(&mut self.buffer, self.frames, self.epoch);
        self.buffer.resize(self.buffer.len().next_multiple_of(STEP), 0);
        let Some(file) = &self.file else { return Err(io::ErrorKind::NotFound.into()) };
        file.write(end, &self.buffer)?;
        self.sync()?;
        self.end = Some(end + self.buffer.len() as u64);
        self.frames += 1;
        Ok(())
    }

    /// Prepares an epoch durably, with room for a frame with the given body length. It accepts frames once the log has
    /// named the epoch durably, and [`Journal::start`] was called.
    pub fn prepare(&mut self, epoch: u64, salt: u32, body: usize) -> io::Result<JournalState> {
        self.end = None;
        self.connect(true)?;
        let needed = (STEP + frame_bytes(body)) as u64;
        let mut room = FIRST_BYTES.max((self.room * GROWTH).min(JOURNAL_BYTES)).max(self.room);
        while room < needed {
            room *= GROWTH;
        }
        let Some(file) = &self.file else { return Err(io::ErrorKind::NotFound.into()) };
        if room > self.room {
            file.set_len(room)?;
        }
        let slot = Slot { owner: self.owner, salt, epoch };
        file.write(SLOTS[(epoch % 2) as usize] as u64, &slot.to_bytes())?;
        self.sync()?;
        self.room = room;
        Ok(JournalState { in_use: true, epoch, salt, frames: 0, room })
    }

    /// Accepts frames of an epoch from now on: the log has named it durably.
    pub fn start(&mut self, mark: &JournalState) {
        (self.epoch, self.salt, self.frames) = (mark.epoch, mark.salt, 0);
        self.end = Some(STEP as u64);
    }

    /// Deletes its file durably, with no byte left of it. The log must first mark it as not in use.
    pub fn remove(&mut self) -> io::Result<()> {
        self.end = None;
        if self.connect(false)? && self.room > 0 {
            if let Some(file) = &self.file {
                file.set_len(0)?;
            }
            self.sync()?;
        }
        self.reset_position();
        if let JournalMedium::File(path) = &self.home {
            // An empty journal is harmless, so its name may remain.
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }

    /// Renames the file and returns the new path; a journal without a file is emptied.
    pub fn set_aside(&mut self, suffix: &str) -> io::Result<Option<PathBuf>> {
        self.reset_position();
        let JournalMedium::File(path) = &self.home else {
            self.remove()?;
            return Ok(None);
        };
        if !path.exists() {
            return Ok(None);
        }
        let mut aside = path.as_os_str().to_owned();
        aside.push(suffix);
        let aside = PathBuf::from(aside);
        std::fs::rename(path, &aside)?;
        folder::sync_folder(path)?;
        Ok(Some(aside))
    }

    /// Resets its position, since another process may have had the log meanwhile. It accepts nothing until its next
    /// epoch.
    pub fn reset_position(&mut self) {
        (self.file, self.end, self.room) = (None, None, 0);
        (self.epoch, self.salt, self.frames) = (0, 0, 0);
    }

    fn sync(&self) -> io::Result<()> {
        self.syncs.fetch_add(1, Ordering::Relaxed);
        self.file.as_ref().map_or(Ok(()), |file| file.sync_data())
    }

    /// Reads the whole file.
    fn load(&mut self) -> io::Result<Vec<u8>> {
        self.connect(false)?;
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let mut bytes = vec![0; usize::try_from(self.room).map_err(io::Error::other)?];
        read_whole(&**file, &mut bytes)?;
        Ok(bytes)
    }

    /// Opens the file, creating it if asked to; returns whether it exists.
    fn connect(&mut self, create: bool) -> io::Result<bool> {
        if self.file.is_none() {
            let file = match &self.home {
                JournalMedium::File(path) => file::open(path, create)?,
                JournalMedium::Backend(source) => Some(source()?),
            };
            let Some(file) = file else {
                self.room = 0;
                return Ok(false);
            };
            self.room = file.len()?;
            self.file = Some(file);
        }
        Ok(true)
    }
}

/// Frames of the latest epoch in the bytes of a journal, for a process without a log to compare it with.
pub(crate) fn frames_in(bytes: &[u8]) -> Vec<Vec<u8>> {
    let slots = slots_of(bytes).unwrap_or_default();
    let epochs = slots.iter().map(|slot| (slot.epoch, frames_of(bytes, slot.epoch).0));
    epochs
        .filter(|(_, frames)| !frames.is_empty())
        .max_by_key(|(epoch, _)| *epoch)
        .map_or(Vec::new(), |(_, it)| it)
}

/// Reads a file from its start, and retries once a short read of a file that is long enough.
fn read_whole(file: &dyn StorageBackend, bytes: &mut [u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let falls_short = |result: &io::Result<()>| {
        result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::UnexpectedEof)
    };
    let mut result = file.read(0, bytes);
    if falls_short(&result) {
        result = file.read(0, bytes);
    }
    if falls_short(&result) {
        return Err(io::Error::other("a read fell short though the file is long enough"));
    }
    result
}

fn foreign(log: &Path, what: &str) -> Error {
    Error::StoreForeign {
        path: path_of(log),
        what: what.into(),
        hint: "Put the journal back that belongs to the log, or the log that belongs to the journal; to go on without \
               what the journal held, see `bardo recover`"
            .into(),
    }
}

/// Describes the fault of a journal whose salt differs from the log's mark.
fn other_time(slot: &Slot, mark: &JournalState) -> String {
    format!(
        "is not of the same time as the log: it is at epoch {} of salt {:08x}, the log at epoch {} of salt {:08x}",
        slot.epoch, slot.salt, mark.epoch, mark.salt
    )
}

/// Frames of the epoch of a slot, compared with the log's mark.
fn contents_of(bytes: &[u8], slot: &Slot, mark: Option<&JournalState>) -> Contents {
    let (frames, broken) = frames_of(bytes, slot.epoch);
    let (room, known) = mark.map_or((0, 0), |mark| (mark.room, u64::from(mark.frames)));
    let (count, length) = (frames.len() as u64, bytes.len() as u64);
    let loss = if length < room {
        Some(format!("was cut short: it has {length} bytes and had {room}"))
    } else if count < known && broken.is_none() {
        Some(format!("holds {count} commits, and the log knows of {known}"))
    } else {
        broken
    };
    Contents { frames, loss }
}
