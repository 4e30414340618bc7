//! A storage backend that holds back every write until the store behind it is known to be ours.
//!
//! redb writes to a file as soon as it opens it (a recovery flag, repairs, a new header on close). A file that turns
//! out to be damaged, foreign or newer must not be touched, so writes stay in memory until [`HeldBackend::arm`].
//! After a failed sync the same hold lets the store be read while the disk is full: what the kernel may have dropped is
//! written again before anything new (a page whose sync failed counts as clean, so syncing again would not write it).

use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::{BackendError, StorageBackend};

/// One change of the file that is not known to be on the disk.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Bytes at an offset.
    Write(u64, Vec<u8>),
    /// A new length; what lies beyond it is gone, what is new is zero.
    SetLength(u64),
    /// Everything before it reaches the disk before anything after it.
    Sync,
}

/// A backend whose writes can be held back; clones share one state.
#[derive(Clone, Debug)]
pub(crate) struct HeldBackend(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    inner: Box<dyn StorageBackend>,
    armed: AtomicBool,
    syncs: Arc<AtomicU64>,
    /// While held: changes to make. Once armed: changes since the last successful sync.
    changes: Mutex<Vec<Change>>,
}

impl HeldBackend {
    /// Holds `inner`, over which `changes` count as made. `syncs` counts the syncs that reach `inner`.
    pub fn new(inner: Box<dyn StorageBackend>, changes: Vec<Change>, syncs: Arc<AtomicU64>) -> Self {
        let armed = AtomicBool::new(false);
        Self(Arc::new(Shared { inner, armed, syncs, changes: Mutex::new(changes) }))
    }

    /// Makes the held changes, in order and with their syncs, and lets every later one through. May be called again
    /// after it failed: the changes are the same whether they are made once or twice.
    pub fn arm(&self) -> io::Result<()> {
        if self.0.armed.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut changes = self.changes();
        for change in changes.iter() {
            match change {
                Change::Write(offset, data) => self.0.inner.write(*offset, data)?,
                Change::SetLength(length) => self.0.inner.set_len(*length)?,
                Change::Sync => self.sync_inner()?,
            }
        }
        if !matches!(changes.last(), None | Some(Change::Sync)) {
            self.sync_inner()?;
        }
        changes.clear();
        self.0.armed.store(true, Ordering::Release);
        Ok(())
    }

    /// What is not known to be on the disk, to be handed to the backend that follows this one.
    pub fn unsynced(&self) -> Vec<Change> {
        self.changes().clone()
    }

    fn changes(&self) -> MutexGuard<'_, Vec<Change>> {
        self.0.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sync_inner(&self) -> io::Result<()> {
        self.0.syncs.fetch_add(1, Ordering::Relaxed);
        self.0.inner.sync_data()
    }

    /// The length that the changes so far give the file.
    fn held_length(&self, changes: &[Change]) -> io::Result<u64> {
        let mut length = self.0.inner.len()?;
        for change in changes {
            match change {
                Change::Write(offset, data) => length = length.max(offset + data.len() as u64),
                Change::SetLength(new) => length = *new,
                Change::Sync => {}
            }
        }
        Ok(length)
    }

    fn read_held(&self, offset: u64, out: &mut [u8], changes: &[Change]) -> io::Result<()> {
        let end = offset + out.len() as u64;
        if end > self.held_length(changes)? {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends before its last page"));
        }
        let from_file = self.0.inner.len()?.clamp(offset, end) - offset;
        let (start, beyond) = out.split_at_mut(from_file as usize);
        beyond.fill(0);
        if !start.is_empty() {
            self.0.inner.read(offset, start)?;
        }
        for change in changes {
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

impl StorageBackend for HeldBackend {
    fn len(&self) -> io::Result<u64> {
        if self.0.armed.load(Ordering::Acquire) {
            return self.0.inner.len();
        }
        self.held_length(&self.changes())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if self.0.armed.load(Ordering::Acquire) {
            return self.0.inner.read(offset, out);
        }
        let changes = self.changes();
        self.read_held(offset, out, &changes)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        if self.0.armed.load(Ordering::Acquire) {
            self.0.inner.set_len(length)?;
        }
        self.changes().push(Change::SetLength(length));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.0.armed.load(Ordering::Acquire) {
            self.sync_inner()?;
            self.changes().clear();
        } else {
            let mut changes = self.changes();
            if !matches!(changes.last(), None | Some(Change::Sync)) {
                changes.push(Change::Sync);
            }
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if self.0.armed.load(Ordering::Acquire) {
            self.0.inner.write(offset, data)?;
        }
        self.changes().push(Change::Write(offset, data.to_vec()));
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
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

    /// Applies changes as redb does: it lengthens a file before it writes there.
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
    struct Borrowed(Arc<InMemoryBackend>);

    impl StorageBackend for Borrowed {
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

    proptest! {
        #[test]
        fn held_changes_read_as_if_made_and_are_made_when_armed(
            before in prop::collection::vec(any_change(), 0..12),
            after in prop::collection::vec(any_change(), 0..12),
        ) {
            let plain = InMemoryBackend::new();
            let file = Borrowed(Arc::new(InMemoryBackend::new()));
            apply(&plain, &before);
            apply(&file, &before);
            let untouched = content(&file);
            let held = HeldBackend::new(Box::new(file.clone()), Vec::new(), Arc::default());
            apply(&plain, &after);
            apply(&held, &after);
            prop_assert_eq!(content(&held), content(&plain));
            prop_assert_eq!(content(&file), untouched);
            held.arm().unwrap();
            prop_assert_eq!(content(&file), content(&plain));
            prop_assert!(held.unsynced().is_empty());
        }
    }
}
