//! Storage backend that holds back every write until the store behind it is known to be ours.
//!
//! redb writes to a file as soon as it opens it (a recovery flag, repairs, a new header on close). A damaged, foreign
//! or newer file must not be touched, so writes stay in memory until [`DeferredBackend::arm`]. After a failed sync the
//! same hold keeps the store readable while the disk is full. Changes that the kernel may have dropped are written
//! again before anything new (a page whose sync failed counts as clean, so syncing again would not write it).
//!
//! Once armed, writes are buffered until their sync and go to the file in the order of their offsets: redb writes the
//! pages of a commit in no order, and one system call per page costs as much as all the rest.

use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::{BackendError, StorageBackend};

/// Change of the file that may not be on the disk.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Bytes at an offset.
    Write(u64, Vec<u8>),
    /// New length; truncates, or extends with zeros.
    SetLength(u64),
    /// Barrier: everything before it reaches the disk before anything after it.
    Sync,
}

/// Backend whose writes can be held back; clones share one state.
#[derive(Clone, Debug)]
pub(crate) struct DeferredBackend(Arc<BackendState>);

#[derive(Debug)]
struct BackendState {
    inner: Box<dyn StorageBackend>,
    armed: AtomicBool,
    syncs: Arc<AtomicU64>,
    /// Whether changes are pending; always true while held.
    waiting: AtomicBool,
    changes: Mutex<Changes>,
}

/// Changes that may not be on the disk.
#[derive(Debug, Default)]
struct Changes {
    /// While held: pending changes. Once armed: changes since the last successful sync.
    all: Vec<Change>,
    /// Length of the prefix that was handed to the file.
    made: usize,
    /// Bytes of the pending writes.
    waiting_bytes: usize,
    /// Length of the file below, which no other process changes under the lock; `None` before it is first
    /// read.
    length: Option<u64>,
}

impl Changes {
    fn length_of(&mut self, file: &dyn StorageBackend) -> io::Result<u64> {
        if let Some(length) = self.length {
            return Ok(length);
        }
        Ok(*self.length.insert(file.len()?))
    }
}

/// Maximum bytes of writes that are buffered until their sync.
const WAITING_BYTES: usize = 4 * 1024 * 1024;
/// Maximum bytes written to the file in one call.
const CALL_BYTES: usize = 1024 * 1024;

impl DeferredBackend {
    /// Wraps `inner`, held; `changes` count as applied to it. `syncs` counts the syncs that reach `inner`.
    pub fn new(inner: Box<dyn StorageBackend>, changes: Vec<Change>, syncs: Arc<AtomicU64>) -> Self {
        let armed = AtomicBool::new(false);
        let changes = Mutex::new(Changes { all: changes, ..Changes::default() });
        Self(Arc::new(BackendState { inner, armed, syncs, waiting: AtomicBool::new(true), changes }))
    }

    /// Applies the held changes, in order and with their syncs, and passes every later one through. May be called
    /// again after a failure: the changes are idempotent.
    pub fn arm(&self) -> io::Result<()> {
        if self.0.armed.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut changes = self.changes();
        changes.length = None;
        for change in &changes.all {
            match change {
                Change::Write(offset, data) => self.0.inner.write(*offset, data)?,
                Change::SetLength(length) => self.0.inner.set_len(*length)?,
                Change::Sync => self.sync_inner()?,
            }
        }
        if !matches!(changes.all.last(), None | Some(Change::Sync)) {
            self.sync_inner()?;
        }
        *changes = Changes::default();
        self.0.waiting.store(false, Ordering::Release);
        self.0.armed.store(true, Ordering::Release);
        Ok(())
    }

    /// Returns the changes that may not be on the disk, for the backend that replaces this one.
    pub fn unsynced(&self) -> Vec<Change> {
        self.changes().all.clone()
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.0.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the pending changes to the file, so that it can be read. After a failure they stay pending.
    fn catch_up(&self) -> io::Result<()> {
        if !self.0.waiting.load(Ordering::Acquire) {
            return Ok(());
        }
        self.make_waiting(&mut self.changes())
    }

    fn make_waiting(&self, changes: &mut Changes) -> io::Result<()> {
        let mut writes: Vec<(u64, &[u8])> = Vec::new();
        for change in &changes.all[changes.made..] {
            match change {
                Change::Write(offset, data) => writes.push((*offset, data)),
                Change::SetLength(length) => {
                    self.write_in_order(&mut writes)?;
                    self.0.inner.set_len(*length)?;
                }
                // Syncs are kept only while held.
                Change::Sync => {}
            }
        }
        self.write_in_order(&mut writes)?;
        changes.made = changes.all.len();
        changes.waiting_bytes = 0;
        self.0.waiting.store(false, Ordering::Release);
        Ok(())
    }

    /// Applies writes in the order of their offsets, adjacent ones in one call.
    fn write_in_order(&self, writes: &mut Vec<(u64, &[u8])>) -> io::Result<()> {
        let end = |write: &(u64, &[u8])| write.0 + write.1.len() as u64;
        let in_order_of_arrival = writes.clone();
        writes.sort_by_key(|write| write.0);
        if writes.windows(2).any(|pair| end(&pair[0]) > pair[1].0) {
            // Of two overlapping writes the later one wins.
            *writes = in_order_of_arrival;
        }
        let mut joined: Vec<u8> = Vec::new();
        let mut start = 0;
        for &(offset, data) in writes.iter() {
            let is_neighbour = start + joined.len() as u64 == offset;
            if !is_neighbour || joined.len() + data.len() > CALL_BYTES {
                self.write_inner(start, &joined)?;
                joined.clear();
                start = offset;
            }
            joined.extend_from_slice(data);
        }
        writes.clear();
        self.write_inner(start, &joined)
    }

    fn write_inner(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if data.is_empty() { Ok(()) } else { self.0.inner.write(offset, data) }
    }

    /// Retries a short read of a file that is long enough: this is no damage, and mostly transient.
    fn read_inner(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let falls_short = |result: &io::Result<()>| {
            result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::UnexpectedEof)
        };
        let mut result = self.0.inner.read(offset, out);
        if falls_short(&result) && self.0.inner.len()? >= offset + out.len() as u64 {
            result = self.0.inner.read(offset, out);
            if falls_short(&result) {
                return Err(io::Error::other("a read fell short though the file is long enough"));
            }
        }
        result
    }

    fn sync_inner(&self) -> io::Result<()> {
        self.0.syncs.fetch_add(1, Ordering::Relaxed);
        self.0.inner.sync_data()
    }

    /// Length of the file after the changes so far.
    fn held_length(&self, changes: &mut Changes) -> io::Result<u64> {
        let mut length = changes.length_of(&*self.0.inner)?;
        for change in &changes.all {
            match change {
                Change::Write(offset, data) => length = length.max(offset + data.len() as u64),
                Change::SetLength(new) => length = *new,
                Change::Sync => {}
            }
        }
        Ok(length)
    }

    fn read_deferred(&self, offset: u64, out: &mut [u8], changes: &mut Changes) -> io::Result<()> {
        let end = offset + out.len() as u64;
        if end > self.held_length(changes)? {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends before its last page"));
        }
        let from_file = changes.length_of(&*self.0.inner)?.clamp(offset, end) - offset;
        let (start, beyond) = out.split_at_mut(from_file as usize);
        beyond.fill(0);
        if !start.is_empty() {
            self.read_inner(offset, start)?;
        }
        for change in &changes.all {
            match change {
                Change::Write(at, data) => overlay(out, offset, *at, data),
                Change::SetLength(length) => {
                    let kept = length.clamp(&offset, &end) - offset;
                    out[kept as usize..].fill(0);
                }
                Change::Sync => {}
            }
        }
        Ok(())
    }
}

/// Copies the part of `data` (at `at`) that falls into `out` (at `offset`).
fn overlay(out: &mut [u8], offset: u64, at: u64, data: &[u8]) {
    let (from, to) = (offset.max(at), (offset + out.len() as u64).min(at + data.len() as u64));
    if from < to {
        let bytes = &data[(from - at) as usize..(to - at) as usize];
        out[(from - offset) as usize..(to - offset) as usize].copy_from_slice(bytes);
    }
}

impl StorageBackend for DeferredBackend {
    fn len(&self) -> io::Result<u64> {
        if self.0.armed.load(Ordering::Acquire) {
            self.catch_up()?;
            return self.0.inner.len();
        }
        self.held_length(&mut self.changes())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if self.0.armed.load(Ordering::Acquire) {
            self.catch_up()?;
            return self.read_inner(offset, out);
        }
        self.read_deferred(offset, out, &mut self.changes())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut changes = self.changes();
        if self.0.armed.load(Ordering::Acquire) {
            // Applied at once, so that a full disk is noticed before anything is written.
            self.make_waiting(&mut changes)?;
            self.0.inner.set_len(length)?;
            changes.made += 1;
        }
        changes.all.push(Change::SetLength(length));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut changes = self.changes();
        if self.0.armed.load(Ordering::Acquire) {
            self.make_waiting(&mut changes)?;
            self.sync_inner()?;
            (changes.made, changes.waiting_bytes) = (0, 0);
            changes.all.clear();
        } else if !matches!(changes.all.last(), None | Some(Change::Sync)) {
            changes.all.push(Change::Sync);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut changes = self.changes();
        changes.all.push(Change::Write(offset, data.to_vec()));
        if self.0.armed.load(Ordering::Acquire) {
            self.0.waiting.store(true, Ordering::Release);
            changes.waiting_bytes += data.len();
            if changes.waiting_bytes > WAITING_BYTES {
                self.make_waiting(&mut changes)?;
            }
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        if self.0.armed.load(Ordering::Acquire) {
            self.catch_up()?;
        }
        self.0.inner.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.inner.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.inner.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.inner.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.inner.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use redb::backends::InMemoryBackend;

    use super::*;

    fn any_change() -> impl Strategy<Value = Change> {
        prop_oneof![
            (0..200_u64, prop::collection::vec(any::<u8>(), 1..40))
                .prop_map(|(at, data)| Change::Write(at, data)),
            (0..260_u64).prop_map(Change::SetLength),
            Just(Change::Sync),
        ]
    }

    /// Applies changes as redb does: it extends a file before writing there.
    fn apply(backend: &dyn StorageBackend, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Write(at, data) => {
                    let end = at + data.len() as u64;
                    if end > backend.len().unwrap() {
                        backend.set_len(end).unwrap();
                    }
                    backend.write(*at, data).unwrap();
                }
                Change::SetLength(length) => backend.set_len(*length).unwrap(),
                Change::Sync => backend.sync_data().unwrap(),
            }
        }
    }

    fn content(backend: &dyn StorageBackend) -> Vec<u8> {
        let mut bytes = vec![0; backend.len().unwrap() as usize];
        backend.read(0, &mut bytes).unwrap();
        bytes
    }

    #[derive(Clone, Debug)]
    struct SharedFile(Arc<InMemoryBackend>);

    impl StorageBackend for SharedFile {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }
        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.read(offset, out)
        }
        fn set_len(&self, length: u64) -> io::Result<()> {
            self.0.set_len(length)
        }
        fn sync_data(&self) -> io::Result<()> {
            self.0.sync_data()
        }
        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.0.write(offset, data)
        }
    }

    /// File that fails the given number of reads as short reads.
    #[derive(Debug)]
    struct ShortReadFile(InMemoryBackend, Mutex<u32>);

    impl StorageBackend for ShortReadFile {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }
        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            let mut left = self.1.lock().unwrap();
            if *left > 0 {
                *left -= 1;
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.0.read(offset, out)
        }
        fn set_len(&self, length: u64) -> io::Result<()> {
            self.0.set_len(length)
        }
        fn sync_data(&self) -> io::Result<()> {
            self.0.sync_data()
        }
        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.0.write(offset, data)
        }
    }

    #[test]
    fn a_read_that_falls_short_of_a_whole_file_is_made_again_and_is_no_damage() {
        for (short, expected) in [(1, None), (2, Some(io::ErrorKind::Other))] {
            let file = InMemoryBackend::new();
            file.set_len(8).unwrap();
            file.write(0, b"8 bytes.").unwrap();
            let held = DeferredBackend::new(
                Box::new(ShortReadFile(file, Mutex::new(short))),
                Vec::new(),
                Arc::default(),
            );
            let mut out = [0; 8];
            assert_eq!(held.read(0, &mut out).err().map(|error| error.kind()), expected);
            assert_eq!(out == *b"8 bytes.", expected.is_none());
        }
    }

    proptest! {
        #[test]
        fn held_changes_read_as_if_made_and_are_made_when_armed(
            before in prop::collection::vec(any_change(), 0..12),
            after in prop::collection::vec(any_change(), 0..12),
            armed in prop::collection::vec(any_change(), 0..24),
        ) {
            let plain = InMemoryBackend::new();
            let file = SharedFile(Arc::new(InMemoryBackend::new()));
            apply(&plain, &before);
            apply(&file, &before);
            let untouched = content(&file);
            let held = DeferredBackend::new(Box::new(file.clone()), Vec::new(), Arc::default());
            apply(&plain, &after);
            apply(&held, &after);
            prop_assert_eq!(content(&held), content(&plain));
            prop_assert_eq!(content(&file), untouched);
            held.arm().unwrap();
            prop_assert_eq!(content(&file), content(&plain));
            prop_assert!(held.unsynced().is_empty());
            for change in &armed {
                apply(&plain, std::slice::from_ref(change));
                apply(&held, std::slice::from_ref(change));
                if let Change::SetLength(_) = change {
                    prop_assert_eq!(content(&held), content(&plain));
                }
            }
            held.sync_data().unwrap();
            prop_assert_eq!(content(&file), content(&plain));
            prop_assert!(held.unsynced().is_empty());
        }
    }
}
