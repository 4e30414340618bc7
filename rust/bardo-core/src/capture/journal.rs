//! The journal beside the log (`episodes.redb.wal`): what was recorded since redb was last told, one frame and one sync
//! for each commit.
//!
//! redb writes a commit in ten places of its file. A disk takes one stretch in half the time, and leaves the processor
//! more: so episodes go to the journal first, and to redb many at a time (`tail.rs`).
//!
//! The format, version 1, all numbers little-endian. The first 4,096 bytes hold two slots, at 0 and 2,048, each
//! `bardowal`, the version (u32), four zeros, whose journal it is (u64), the lap (u64), and the XXH3 checksum of these;
//! the slot with the higher lap counts. Each frame begins at a multiple of 4,096, so that no byte that was acknowledged
//! is written again before the next lap: `bfrm`, its number within the lap from 0 (u32), the lap (u64), the length of its
//! body (u64), the XXH3 checksum of number, lap, length and body (u64), and the body. The journal is emptied by writing
//! the other slot with the next lap: frames of earlier laps do not count, and their room is written over.
//!
//! A last frame that is cut short is a sync that never ended: nothing of it was acknowledged, and it does not count. A
//! broken frame before a whole one of the same lap is damage, and refused.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use redb::StorageBackend;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::fault::unavailable;
use super::journal_file;
use crate::error::{Error, Result};

/// Bytes that the journal may have: a thousand commits of one episode, or ten thousand episodes in batches.
pub(super) const JOURNAL_BYTES: u64 = 4 * 1024 * 1024;
/// Bytes that it takes at first; twice as many whenever they are full.
const FIRST_BYTES: u64 = 64 * 1024;
/// The owner of a journal that is only looked at.
pub(super) const ANYBODY: u64 = 0;
/// Ending of the journal's name, after the log's.
const ENDING: &str = ".wal";
/// Version of the format.
const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"bardowal";
const FRAME_MAGIC: [u8; 4] = *b"bfrm";
/// What a frame begins at a multiple of.
const STEP: usize = 4_096;
/// Places of the slots.
const SLOTS: [usize; 2] = [0, 2_048];
const SLOT_BYTES: usize = 40;
/// Bytes before the body of a frame.
const FRAME_HEAD: usize = 32;

/// Opens the bytes of a store or a journal; called again after a failure.
pub(super) type Source = Arc<dyn Fn() -> io::Result<Box<dyn StorageBackend>> + Send + Sync>;

/// Where a journal lives.
pub(super) enum Home {
    File(PathBuf),
    Backend(Source),
}

/// A journal, open or to be opened.
pub(super) struct Journal {
    home: Home,
    /// Whose it is: a number that tells logs apart.
    owner: u64,
    file: Option<Box<dyn StorageBackend>>,
    /// Where the next frame begins; none until it is known that nothing that counts is in it.
    end: Option<u64>,
    lap: u64,
    frames: u32,
    /// Length of its file.
    room: u64,
    /// The frame being written; kept for its room.
    buffer: Vec<u8>,
    syncs: Arc<AtomicU64>,
}

/// The journal's place beside a log.
pub(super) fn path_of(log: &Path) -> PathBuf {
    let mut path = log.as_os_str().to_owned();
    path.push(ENDING);
    PathBuf::from(path)
}

/// What is in the first bytes of a journal.
enum Head {
    /// Nothing that was ever acknowledged.
    Nothing,
    Slot {
        owner: u64,
        lap: u64,
    },
}

impl Journal {
    /// A journal of which nothing is known yet. `syncs` counts its syncs.
    pub const fn new(home: Home, owner: u64, syncs: Arc<AtomicU64>) -> Self {
        Self { home, owner, file: None, end: None, lap: 0, frames: 0, room: 0, buffer: Vec::new(), syncs }
    }

    /// Whether a frame with a body of so many bytes may be appended.
    pub fn takes(&self, body: usize) -> bool {
        self.end.is_some_and(|end| end + (STEP + frame_bytes(body)) as u64 <= JOURNAL_BYTES)
    }

    /// Length of its file, as far as it is open.
    pub const fn room(&self) -> u64 {
        self.room
    }

    /// The bodies of every whole frame, in order. `log` names the store in errors.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if an acknowledged frame is broken, [`Error::StoreForeign`] if it is another log's or no
    /// journal, [`Error::StoreTooNew`] for a newer format.
    pub fn read(&mut self, log: &Path) -> Result<Vec<Vec<u8>>> {
        let bytes = self.load().map_err(|error| unavailable("read the journal of", log, &error))?;
        if bytes.is_empty() {
            self.end = Some(0);
            return Ok(Vec::new());
        }
        let foreign = |what: &str| Error::StoreForeign {
            path: path_of(log),
            what: what.into(),
            hint: "Move it away, or put the log back that it was written beside".into(),
        };
        match head_of(&bytes) {
            Ok(Head::Nothing) => Ok(Vec::new()),
            Ok(Head::Slot { owner, lap }) => {
                let found = frames_of(&bytes, lap)
                    .map_err(|what| Error::StoreDamaged { path: path_of(log), what })?;
                if self.owner != ANYBODY && owner != self.owner && !found.is_empty() {
                    return Err(foreign("is the journal of another episode log"));
                }
                self.lap = lap;
                Ok(found)
            }
            Err(Refusal::Foreign) => Err(foreign("is not the journal of an episode log")),
            Err(Refusal::Damaged) => {
                let what = "its first bytes cannot be read, and it holds whole frames".into();
                Err(Error::StoreDamaged { path: path_of(log), what })
            }
            Err(Refusal::TooNew(found)) => {
                Err(Error::StoreTooNew { path: path_of(log), found, supported: VERSION })
            }
        }
    }

    /// Appends one frame, and returns when it is on the disk. After a failure it takes none until it was emptied.
    pub fn append(&mut self, body: &[u8]) -> io::Result<()> {
        let Some(end) = self.end.take() else {
            return Err(io::Error::other("the journal was not emptied after a failure"));
        };
        self.connect(true)?;
        self.buffer.clear();
        let begin = if end == 0 {
            self.lap = self.lap.max(1);
            self.buffer.resize(STEP, 0);
            let at = SLOTS[(self.lap % 2) as usize];
            self.buffer[at..at + SLOT_BYTES].copy_from_slice(&slot(self.owner, self.lap));
            STEP
        } else {
            0
        };
        self.buffer.resize(begin + FRAME_HEAD, 0);
        self.buffer.extend_from_slice(body);
        close_frame(&mut self.buffer[begin..], self.frames, self.lap);
        self.buffer.resize(self.buffer.len().next_multiple_of(STEP), 0);
        let needed = end + self.buffer.len() as u64;
        let Some(file) = &self.file else { return Err(io::ErrorKind::NotFound.into()) };
        if needed > self.room {
            let room = needed.max((2 * self.room).clamp(FIRST_BYTES, JOURNAL_BYTES));
            file.set_len(room)?;
            self.room = room;
        }
        file.write(end, &self.buffer)?;
        self.sync()?;
        self.end = Some(needed);
        self.frames += 1;
        Ok(())
    }

    /// Makes that no frame counts any more, durably. The log must have them, durably, before.
    pub fn empty(&mut self) -> io::Result<()> {
        if self.end == Some(0) || (self.end == Some(STEP as u64) && self.frames == 0) {
            return Ok(());
        }
        self.end = None;
        if !self.connect(false)? || self.room == 0 {
            (self.end, self.frames) = (Some(0), 0);
            return Ok(());
        }
        if self.lap == 0 {
            // What went before is not known: the slot that counts says which lap is next.
            match head_of(&self.load()?) {
                Ok(Head::Slot { lap, .. }) => self.lap = lap,
                _ => return self.cut(),
            }
        }
        let next = self.lap + 1;
        let Some(file) = &self.file else { return Err(io::ErrorKind::NotFound.into()) };
        file.write(SLOTS[(next % 2) as usize] as u64, &slot(self.owner, next))?;
        self.sync()?;
        (self.lap, self.end, self.frames) = (next, Some(STEP as u64), 0);
        Ok(())
    }

    /// Empties it and gives its file up, durably. As [`Journal::empty`], and no byte of it is left.
    pub fn remove(&mut self) -> io::Result<()> {
        self.end = None;
        if self.connect(false)? && self.room > 0 {
            self.cut()?;
        }
        (self.file, self.lap, self.end, self.frames) = (None, 0, Some(0), 0);
        if let Home::File(path) = &self.home {
            // An empty journal says nothing: whether its name stays does not matter.
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }

    /// Forgets where it was: somebody else may have had the log meanwhile. It takes nothing until it was emptied.
    pub fn lose_place(&mut self) {
        (self.file, self.end, self.lap, self.frames) = (None, None, 0, 0);
    }

    /// Takes every byte out of it.
    fn cut(&mut self) -> io::Result<()> {
        if let Some(file) = &self.file {
            file.set_len(0)?;
            self.sync()?;
        }
        (self.room, self.lap, self.end, self.frames) = (0, 0, Some(0), 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.syncs.fetch_add(1, Ordering::Relaxed);
        self.file.as_ref().map_or(Ok(()), |file| file.sync_data())
    }

    /// Everything in the file.
    fn load(&mut self) -> io::Result<Vec<u8>> {
        self.connect(false)?;
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let mut bytes = vec![0; usize::try_from(self.room).map_err(io::Error::other)?];
        read_whole(&**file, &mut bytes)?;
        Ok(bytes)
    }

    /// Opens the file, making it if asked to; whether it is there.
    fn connect(&mut self, create: bool) -> io::Result<bool> {
        if self.file.is_none() {
            let file = match &self.home {
                Home::File(path) => journal_file::open(path, create)?,
                Home::Backend(source) => Some(source()?),
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

/// Reads a file from its start; what falls short though the file is long enough is read once more.
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

/// Bytes of a frame with a body of so many bytes.
const fn frame_bytes(body: usize) -> usize {
    (FRAME_HEAD + body).next_multiple_of(STEP)
}

/// A slot of the first bytes.
fn slot(owner: u64, lap: u64) -> [u8; SLOT_BYTES] {
    let mut slot = [0; SLOT_BYTES];
    slot[..8].copy_from_slice(&MAGIC);
    slot[8..12].copy_from_slice(&VERSION.to_le_bytes());
    slot[16..24].copy_from_slice(&owner.to_le_bytes());
    slot[24..32].copy_from_slice(&lap.to_le_bytes());
    let checksum = xxh3_64(&slot[..32]);
    slot[32..].copy_from_slice(&checksum.to_le_bytes());
    slot
}

/// Writes the head of a frame whose body follows it.
fn close_frame(frame: &mut [u8], number: u32, lap: u64) {
    let body = (frame.len() - FRAME_HEAD) as u64;
    frame[..4].copy_from_slice(&FRAME_MAGIC);
    frame[4..8].copy_from_slice(&number.to_le_bytes());
    frame[8..16].copy_from_slice(&lap.to_le_bytes());
    frame[16..24].copy_from_slice(&body.to_le_bytes());
    let checksum = checksum(&frame[4..24], &frame[FRAME_HEAD..]);
    frame[24..32].copy_from_slice(&checksum.to_le_bytes());
}

fn checksum(head: &[u8], body: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(head);
    hash.update(body);
    hash.digest()
}

/// Why a journal is not read.
enum Refusal {
    Foreign,
    Damaged,
    TooNew(u32),
}

fn number(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// The slot that counts.
fn head_of(bytes: &[u8]) -> std::result::Result<Head, Refusal> {
    let mut found = None;
    let mut is_ours = false;
    let mut is_other = false;
    for at in SLOTS {
        let slot = bytes.get(at..at + SLOT_BYTES).unwrap_or_default();
        let version = number(slot, 8) as u32;
        let has_magic = slot.starts_with(&MAGIC);
        if has_magic && version > VERSION {
            return Err(Refusal::TooNew(version));
        }
        if has_magic && version == VERSION && number(slot, 32) == xxh3_64(&slot[..32]) {
            let (owner, lap) = (number(slot, 16), number(slot, 24));
            if found.is_none_or(|(_, other)| lap > other) {
                found = Some((owner, lap));
            }
        }
        is_ours |= has_magic;
        // A slot that was cut short is zeros from some byte on.
        is_other |= slot.iter().zip(MAGIC).any(|(byte, own)| *byte != own && *byte != 0);
    }
    if let Some((owner, lap)) = found {
        return Ok(Head::Slot { owner, lap });
    }
    let has_frames = (STEP..bytes.len()).step_by(STEP).any(|at| frame(&bytes[at..], None).is_some());
    match (has_frames, is_other && !is_ours) {
        (true, _) => Err(Refusal::Damaged),
        (false, true) => Err(Refusal::Foreign),
        (false, false) => Ok(Head::Nothing),
    }
}

/// The bodies of the frames of a lap, or what is wrong with them.
fn frames_of(bytes: &[u8], lap: u64) -> std::result::Result<Vec<Vec<u8>>, String> {
    let (mut found, mut at) = (Vec::new(), STEP);
    while let Some((number, body)) = bytes.get(at..).and_then(|rest| frame(rest, Some(lap)))
        && number as usize == found.len()
    {
        found.push(body.to_vec());
        at += frame_bytes(body.len());
    }
    let later = (at..bytes.len()).step_by(STEP).find_map(|at| frame(&bytes[at..], Some(lap)));
    match later {
        None => Ok(found),
        Some((number, _)) => {
            Err(format!("its frame {} is broken, and frame {number} after it is whole", found.len()))
        }
    }
}

/// The frame at the start of bytes, if it is whole and of the lap that is asked for: its number and its body.
fn frame(bytes: &[u8], lap: Option<u64>) -> Option<(u32, &[u8])> {
    let (head, rest) = bytes.split_at_checked(FRAME_HEAD)?;
    if !head.starts_with(&FRAME_MAGIC) || lap.is_some_and(|lap| number(head, 8) != lap) {
        return None;
    }
    let body = rest.get(..usize::try_from(number(head, 16)).ok()?)?;
    let own = number(head, 4) as u32;
    (checksum(&head[4..24], body) == number(head, 24)).then_some((own, body))
}
