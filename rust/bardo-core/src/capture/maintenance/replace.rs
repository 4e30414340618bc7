//! Replaces the file of a log atomically.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use redb::Database;

use crate::capture::storage::fault::{self, Fault, catch_panic};
use crate::capture::storage::folder::sync_folder;
use crate::capture::storage::store::{DRAFT_ENDING, OpenStore, StoreIdentity, create_on, file_backend};
use crate::error::Result;

/// Rewrites a store: `copy` fills a new file, which then replaces the one at `path`. The caller owns the old file,
/// so no other process can have it open. The old file is kept under the name `kept` if one is given.
pub(crate) fn replace(
    path: &Path,
    expected: &StoreIdentity,
    syncs: &Arc<AtomicU64>,
    kept: Option<&Path>,
    copy: impl FnOnce(&Database) -> Result<(), Fault>,
) -> Result<OpenStore> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(DRAFT_ENDING);
    let draft = PathBuf::from(draft);
    let failed = |error: &io::Error| {
        let _ = fs::remove_file(&draft);
        fault::unavailable("write anew", path, error)
    };
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&draft);
    let backend = file_backend(path, file.map_err(|error| failed(&error))?)?;
    let mut live = create_on(path, backend, expected, Vec::new(), syncs)?;
    live.backend.arm().map_err(|error| failed(&error))?;
    copy(&live.db).and_then(|()| catch_panic(|| Ok(live.db.compact().map(drop)?))).map_err(|fault| {
        let _ = fs::remove_file(&draft);
        fault.into_error("write anew", path)
    })?;
    let keep = || kept.map_or(Ok(()), |kept| link_or_copy(path, kept));
    keep()
        .and_then(|()| fs::rename(&draft, path))
        .and_then(|()| sync_folder(path))
        .map_err(|error| failed(&error))?;
    Ok(live)
}

/// Gives a file a second name (hard link), which remains when another file takes the first one. Copies it on file
/// systems without hard links.
fn link_or_copy(path: &Path, kept: &Path) -> io::Result<()> {
    match fs::remove_file(kept) {
        // Left by an earlier attempt that was killed.
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if fs::hard_link(path, kept).is_ok() {
        return Ok(());
    }
    fs::copy(path, kept)?;
    File::open(kept)?.sync_all()
}
