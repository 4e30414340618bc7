//! A disk that fails, for tests of what a log keeps.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use redb::StorageBackend;

/// A disk with a cache: what is written is seen at once, but survives a power cut only once it was synced. A page that
/// was not may survive or not, each by itself, as on a real disk.
#[derive(Debug, Default)]
pub struct Disk {
    /// Bytes on the platters.
    durable: Vec<u8>,
    /// Bytes that the system would read.
    pub cached: Vec<u8>,
    /// Pages that differ, in the order of their last write.
    dirty: Vec<u64>,
    /// Bytes that fit.
    pub capacity: Option<u64>,
    /// Operations until the next one fails; negative never.
    pub countdown: i64,
    /// Which sort of operation the countdown counts.
    pub failing: Failing,
    /// Share of a failing write that is made, in 256ths; half of it if 0.
    pub torn_at: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failing {
    #[default]
    Nothing,
    /// The sync fails, and as on Linux the pages count as clean afterwards though they never reached the disk.
    Sync,
    /// A write stops half-way, or at another byte where [`Disk::torn_at`] says so.
    Write,
    /// A read brings only the first half of what it was to bring.
    Read,
}

const PAGE: usize = 512;

impl Disk {
    fn fails(&mut self, what: Failing) -> bool {
        if self.failing != what {
            return false;
        }
        self.countdown -= 1;
        self.countdown < 0
    }

    fn write(&mut self, offset: usize, data: &[u8]) {
        self.cached[offset..offset + data.len()].copy_from_slice(data);
        for page in offset / PAGE..(offset + data.len()).div_ceil(PAGE) {
            self.dirty.retain(|dirty| *dirty != page as u64);
            self.dirty.push(page as u64);
        }
    }

    fn sync(&mut self) {
        for page in std::mem::take(&mut self.dirty) {
            self.flush(page as usize * PAGE);
        }
        self.durable.resize(self.cached.len(), 0);
    }

    fn flush(&mut self, start: usize) {
        let end = (start + PAGE).min(self.cached.len());
        if start < end {
            let length = self.durable.len().max(end);
            self.durable.resize(length, 0);
            self.durable[start..end].copy_from_slice(&self.cached[start..end]);
        }
    }

    /// Cuts the power: of the pages that were not synced, those survive whose bit in `survivors` is set.
    pub fn cut_power(&mut self, survivors: u64) {
        for (place, page) in std::mem::take(&mut self.dirty).into_iter().enumerate() {
            if survivors >> (place % 64) & 1 == 1 {
                self.flush(page as usize * PAGE);
            }
        }
        // A file is lengthened before its new pages are written; whether that survived shows in its length.
        if survivors & 1 == 1 {
            self.durable.resize(self.cached.len().max(self.durable.len()), 0);
        }
        self.cached = self.durable.clone();
    }
}

/// A handle on the disk. `open` is the number of the process that may use it; others find it gone.
#[derive(Clone, Debug)]
pub struct Handle {
    pub disk: Arc<Mutex<Disk>>,
    pub alive: Arc<AtomicU64>,
    pub process: u64,
}

impl Handle {
    fn disk(&self) -> io::Result<std::sync::MutexGuard<'_, Disk>> {
        if self.alive.load(Ordering::SeqCst) != self.process {
            return Err(io::Error::other("the power is off"));
        }
        Ok(self.disk.lock().unwrap())
    }
}

impl StorageBackend for Handle {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk()?.cached.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut disk = self.disk()?;
        let short = disk.fails(Failing::Read);
        let end = offset as usize + out.len();
        let bytes = disk
            .cached
            .get(offset as usize..end)
            .ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
        if short {
            let half = bytes.len() / 2;
            out[..half].copy_from_slice(&bytes[..half]);
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        out.copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut disk = self.disk()?;
        if disk.capacity.is_some_and(|capacity| length > capacity && length > disk.cached.len() as u64) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        disk.cached.resize(length as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut disk = self.disk()?;
        if disk.fails(Failing::Sync) {
            disk.dirty.clear();
            return Err(io::Error::other("input/output error"));
        }
        disk.sync();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut disk = self.disk()?;
        if disk.fails(Failing::Write) {
            let share = if disk.torn_at == 0 { 128 } else { usize::from(disk.torn_at) };
            disk.write(offset as usize, &data[..data.len() * share / 256]);
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        disk.write(offset as usize, data);
        Ok(())
    }
}
