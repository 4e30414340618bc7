//! Golden files: what any release wrote, every later one reads.

// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

#[path = "support/golden.rs"]
mod golden;

use std::path::Path;

use bardo_core::capture::{EpisodeLog, LogOptions, NewEpisode};
use bardo_core::model::Episode;

const EPISODES_V1: &[u8] = include_bytes!("golden/episodes-v1.redb");
const EPISODES_V2: &[u8] = include_bytes!("golden/episodes-v2.redb");

#[test]
fn a_log_of_schema_1_is_brought_up_read_and_written_on_and_the_old_file_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let log = read_and_write_on(folder.path(), EPISODES_V1);
    let kept = folder.path().join("episodes.redb.v1");
    assert_eq!(log.upgraded().map(|upgraded| (upgraded.from, &upgraded.kept)), Some((1, &kept)));
    assert!(std::fs::read(kept).unwrap() == EPISODES_V1, "the old file was changed");
}

#[test]
fn a_log_of_schema_2_is_read_and_written_on() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(read_and_write_on(folder.path(), EPISODES_V2).upgraded(), None);
}

/// Opens a golden file, finds in it what it was filled with, and adds to it.
fn read_and_write_on(folder: &Path, golden: &[u8]) -> EpisodeLog {
    let path = folder.join("episodes.redb");
    std::fs::write(&path, golden).unwrap();
    let log = EpisodeLog::open(&path, LogOptions { create: false, ..golden::options() }).unwrap();
    let arrived: Vec<Episode> = log.since(0, 100).unwrap().into_iter().map(|(_, episode)| episode).collect();
    let mut expected = golden::episodes();
    expected[0].annotations.verified = true;
    expected[0].annotations.importance = Some(0.25);
    for (place, (expected, found)) in expected.iter_mut().zip(&arrived).enumerate() {
        (expected.id, expected.content_hash) = (found.id, expected.hash_content());
        // Those that came without a place were numbered within their tick.
        if place >= 2 {
            expected.event_index = place as u32 - 2;
        }
    }
    assert_eq!(arrived, expected);
    assert_eq!(
        arrived[1].id.to_string(),
        "018bcfe5-67ff-72a4-8967-295965e4d325",
        "seed, clock and serial give the id"
    );
    assert_eq!(log.by_subject("借贷", None, 10).unwrap(), &expected[1..2]);
    assert_eq!(log.by_thread("thread", None, 10).unwrap(), &expected[1..2]);
    let verified: Vec<u64> =
        log.verified_since(0, 10).unwrap().into_iter().map(|(number, _)| number).collect();
    assert_eq!(verified, [1, 2]);
    let vectors = &log.vectors(&[arrived[1].id]).unwrap()[0];
    let batch = golden::vectors();
    assert_eq!((&vectors.whole, vectors.sentences.concat()), (&batch.whole, batch.sentences));
    assert_eq!(log.fingerprint().unwrap(), Some(golden::fingerprint()));
    assert_eq!(
        (log.watermark("source").unwrap(), log.last_tick().unwrap(), log.schema_version()),
        (42, 5, 2)
    );
    // The same again is a retry; something new is an eighth episode.
    golden::fill(&log).unwrap();
    let new = Episode { text: "new".into(), tick: 6, ..expected[0].clone() };
    log.record(vec![NewEpisode { episode: new, has_id: false, own_tick: false }], 0, false).unwrap();
    assert_eq!((log.len().unwrap(), log.latest(1).unwrap()[0].text.as_str()), (8, "new"));
    log
}

#[test]
fn this_build_still_writes_schema_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("episodes.redb");
    let log = EpisodeLog::open(&path, golden::options()).unwrap();
    golden::fill(&log).unwrap();
    drop(log);
    // An old release would see the same file except for the places of pages, so the same answers.
    std::fs::write(folder.path().join("old.redb"), EPISODES_V2).unwrap();
    let open = |name: &str| EpisodeLog::open(folder.path().join(name), golden::options()).unwrap();
    assert_eq!(open("episodes.redb").since(0, 100).unwrap(), open("old.redb").since(0, 100).unwrap());
}
