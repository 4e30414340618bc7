//! Verifies a deletion: searches the raw bytes of a file of any format for deleted texts.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::capture::storage::fault;
use crate::error::{Error, Result};

/// Bytes per read.
const WINDOW_BYTES: usize = 1024 * 1024;

/// Returns the indices of the needles that occur in a file, and the number of bytes read. Empty needles never
/// occur.
pub fn traces(path: &Path, needles: &[Vec<u8>]) -> Result<(Vec<usize>, u64)> {
    let places: Vec<usize> = (0..needles.len()).filter(|&place| !needles[place].is_empty()).collect();
    let patterns: Vec<&[u8]> = places.iter().map(|&place| needles[place].as_slice()).collect();
    let longest = patterns.iter().map(|pattern| pattern.len()).max().unwrap_or(1);
    let finder =
        AhoCorasick::builder().match_kind(MatchKind::Standard).build(&patterns).map_err(|error| {
            Error::invalid(format!("the traces cannot be searched for: {error}"), "Forget less at once")
        })?;
    let unreadable = |error: &std::io::Error| fault::unavailable("read", path, error);
    let mut file = File::open(path).map_err(|error| unreadable(&error))?;
    let mut found = vec![false; patterns.len()];
    let (mut buffer, mut kept, mut total) = (vec![0; WINDOW_BYTES + longest], 0, 0);
    loop {
        let read = file.read(&mut buffer[kept..]).map_err(|error| unreadable(&error))?;
        if read == 0 {
            break;
        }
        total += read as u64;
        let filled = kept + read;
        for hit in finder.find_overlapping_iter(&buffer[..filled]) {
            found[hit.pattern().as_usize()] = true;
        }
        // An occurrence may span two windows.
        kept = filled.min(longest - 1);
        buffer.copy_within(filled - kept..filled, 0);
    }
    Ok(((0..places.len()).filter(|&place| found[place]).map(|place| places[place]).collect(), total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needles_are_found_wherever_they_lie_even_across_windows() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = vec![b'.'; 2 * WINDOW_BYTES + 100];
        let needles: Vec<Vec<u8>> =
            ["at the start", "over the edge", "at the end", "nowhere", ""].map(Into::into).into();
        bytes[..12].copy_from_slice(&needles[0]);
        let edge = WINDOW_BYTES + 13 - 5;
        bytes[edge..edge + 13].copy_from_slice(&needles[1]);
        let end = bytes.len() - 10;
        bytes[end..].copy_from_slice(&needles[2]);
        std::fs::write(file.path(), &bytes).unwrap();
        assert_eq!(traces(file.path(), &needles).unwrap(), (vec![0, 1, 2], bytes.len() as u64));
    }
}
