//! Writes a golden episode log: `cargo run --example golden_log -- rust/bardo-core/tests/golden/episodes-v1.redb`.
//!
//! Run it once for each schema version, before its release, and commit what it wrote; never overwrite an old one.

#[path = "../tests/support/golden.rs"]
mod golden;

use bardo_core::Error;
use bardo_core::capture::EpisodeLog;

fn main() -> Result<(), Error> {
    let hint = "Pass the path of a file to write";
    let path = std::env::args().nth(1).ok_or_else(|| Error::invalid("no path was given", hint))?;
    if std::path::Path::new(&path).exists() {
        return Err(Error::invalid(format!("{path} is there already"), "A golden file is never overwritten"));
    }
    let log = EpisodeLog::open(&path, golden::options())?;
    golden::fill(&log)?;
    log.close()
}
