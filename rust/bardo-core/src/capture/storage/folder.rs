//! Makes the names of files survive a power loss.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Makes the name of a new file durable.
#[cfg(unix)]
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .map_or_else(|| PathBuf::from("."), PathBuf::from);
    File::open(folder)?.sync_all()
}

/// Windows makes names durable with the file.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
