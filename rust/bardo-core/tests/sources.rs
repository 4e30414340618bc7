//! The watermark of a source moves with the episodes that were read from it, or not at all.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use bardo_core::Error;
use bardo_core::capture::{EpisodeLog, LogOptions, NewEpisode, RecordOptions, SourceMark, SourceMove};
use support::{NOW, episode, new, open, options};

fn mark(position: u64) -> SourceMark {
    SourceMark { position, state: format!("checked up to {position}") }
}

fn step(from: Option<SourceMark>, position: u64) -> SourceMove {
    SourceMove { name: "chat.jsonl".into(), from, to: mark(position) }
}

fn read(log: &EpisodeLog, episodes: Vec<NewEpisode>, step: SourceMove) -> Result<usize, Error> {
    let options = RecordOptions { out_of_order: true, ..RecordOptions::default() };
    Ok(log.record_from_source(episodes, NOW, options, step)?.len())
}

#[test]
fn a_watermark_survives_a_power_loss_together_with_its_episodes() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    log.record(vec![new(episode(1, "before")), new(episode(1, "in the journal"))], NOW, false).unwrap();
    assert_eq!(log.source("chat.jsonl").unwrap(), None);
    assert_eq!(log.sources().unwrap(), []);
    read(&log, vec![new(episode(0, "hi"))], step(None, 10)).unwrap();
    read(&log, vec![new(episode(0, "hello"))], step(Some(mark(10)), 25)).unwrap();
    // A part of a source without any episode is read as well.
    read(&log, Vec::new(), step(Some(mark(25)), 30)).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let path = copy.path().join("episodes.redb");
    fs::copy(log.path(), &path).unwrap();
    if log.path().with_file_name("episodes.redb.wal").exists() {
        fs::copy(log.path().with_file_name("episodes.redb.wal"), copy.path().join("episodes.redb.wal"))
            .unwrap();
    }
    let after = EpisodeLog::open(&path, LogOptions { create: false, ..options() }).unwrap();
    assert_eq!(after.source("chat.jsonl").unwrap(), Some(mark(30)));
    assert_eq!(after.sources().unwrap(), [("chat.jsonl".to_owned(), mark(30))]);
    assert_eq!(after.len().unwrap(), 4);
}

#[test]
fn a_refused_move_records_nothing_and_a_refused_episode_moves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    read(&log, vec![new(episode(0, "hi"))], step(None, 10)).unwrap();
    // Another caller began at the same place.
    let error = read(&log, vec![new(episode(0, "hi again"))], step(None, 12)).unwrap_err();
    assert!(
        matches!(&error, Error::InvalidInput { what, .. } if what.contains("up to 10 meanwhile")),
        "{error}"
    );
    let stale = SourceMark { state: "of another file".into(), ..mark(10) };
    read(&log, vec![new(episode(0, "hi again"))], step(Some(stale), 12)).unwrap_err();
    read(&log, vec![new(episode(0, ""))], step(Some(mark(10)), 12)).unwrap_err();
    let oversized =
        SourceMove { to: SourceMark { position: 12, state: "x".repeat(5_000) }, ..step(Some(mark(10)), 12) };
    read(&log, Vec::new(), oversized).unwrap_err();
    let nameless = SourceMove { name: String::new(), ..step(None, 1) };
    read(&log, Vec::new(), nameless).unwrap_err();
    assert_eq!(log.len().unwrap(), 1);
    assert_eq!(log.source("chat.jsonl").unwrap(), Some(mark(10)));
}

#[test]
fn sources_do_not_share_a_watermark() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    read(&log, Vec::new(), step(None, 1)).unwrap();
    read(&log, Vec::new(), SourceMove { name: "b".into(), from: None, to: mark(7) }).unwrap();
    let names: Vec<_> =
        log.sources().unwrap().into_iter().map(|(name, mark)| (name, mark.position)).collect();
    assert_eq!(names, [("b".to_owned(), 7), ("chat.jsonl".to_owned(), 1)]);
}
