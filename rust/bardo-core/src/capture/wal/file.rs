//! File of the journal, preallocated by writing zeros: syncing a frame in blocks that were never written would also
//! wait for the file system's metadata (250 instead of 195 microseconds).

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use redb::StorageBackend;
use redb::backends::FileBackend;

use crate::capture::storage::folder::sync_folder;

/// Bytes of zeros per write.
const ZEROS: usize = 64 * 1024;

/// File that allocates its room at once.
#[derive(Debug)]
struct PreallocatedFile(FileBackend);

/// Opens a journal's file, or creates it with a durable name; `None` if it is absent and not to be created.
pub(crate) fn open(path: &Path, create: bool) -> io::Result<Option<Box<dyn StorageBackend>>> {
    let open = |create| OpenOptions::new().read(true).write(true).create(create).truncate(false).open(path);
    let file = match open(false) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !create {
                return Ok(None);
            }
            let file = open(true)?;
            sync_folder(path)?;
            file
        }
        Err(error) => return Err(error),
    };
    let backend = FileBackend::new(file).map_err(io::Error::other)?;
    Ok(Some(Box::new(PreallocatedFile(backend))))
}

impl StorageBackend for PreallocatedFile {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut at = self.0.len()?;
        if length <= at {
            return self.0.set_len(length);
        }
        let zeros = vec![0; ZEROS];
        while at < length {
            let some = &zeros[..ZEROS.min((length - at) as usize)];
            self.0.write(at, some)?;
            at += some.len() as u64;
        }
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
}
