//! Files that are broken, foreign or newer: each is refused by name and left as it was.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use bardo_core::capture::{EpisodeLog, LogOptions};
use bardo_core::model::{Episode, limits};
use bardo_core::{Error, Result};
use proptest::prelude::*;
use support::{NOW, episode, new, options, texts};

/// A store that was closed in order, with 40 episodes.
fn closed_store(folder: &Path) -> PathBuf {
    let path = folder.join("episodes.redb");
    let log = EpisodeLog::open(&path, options()).unwrap();
    let batch =
        (0..40).map(|number| new(episode(number, &format!("event {number} {}", "слово ".repeat(50)))));
    log.record(batch.collect(), NOW, false).unwrap();
    log.close().unwrap();
    path
}

fn open_existing(path: &Path) -> Result<EpisodeLog> {
    EpisodeLog::open(path, LogOptions { create: false, ..options() })
}

/// Opens a file that must be refused, and checks that it was left alone.
fn refusal(path: &Path) -> Error {
    let before = fs::read(path).unwrap();
    let error = open_existing(path).err().expect("the file was accepted");
    assert!(fs::read(path).unwrap() == before, "the file was changed by refusing it ({error})");
    let message = error.to_string();
    assert!(message.contains(path.to_str().unwrap()), "{message}");
    error
}

#[test]
fn an_empty_file_is_damaged_and_not_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("episodes.redb");
    fs::write(&path, b"").unwrap();
    assert!(matches!(refusal(&path), Error::StoreDamaged { .. }));
    assert!(matches!(EpisodeLog::open(&path, options()).err(), Some(Error::StoreDamaged { .. })));
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
}

#[test]
fn a_truncated_file_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = closed_store(folder.path());
    let whole = fs::read(&path).unwrap();
    for eighth in 0..8 {
        for length in [1 + whole.len() * eighth / 8, 4_096 + whole.len() * eighth / 8] {
            fs::write(&path, &whole[..length.min(whole.len() - 1)]).unwrap();
            assert!(matches!(refusal(&path), Error::StoreDamaged { .. }), "at {length} of {}", whole.len());
        }
    }
}

#[test]
fn garbage_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = closed_store(folder.path());
    let whole = fs::read(&path).unwrap();
    let garbage: Vec<u8> =
        (0..whole.len() as u64).map(|place| (place * place * 31 % 251) as u8 | 0x80).collect();
    fs::write(&path, &garbage).unwrap();
    assert!(matches!(refusal(&path), Error::StoreDamaged { .. }));
    fs::write(&path, vec![0; whole.len()]).unwrap();
    assert!(matches!(refusal(&path), Error::StoreDamaged { .. }));
    fs::write(&path, [&whole[..16], &garbage[16..]].concat()).unwrap();
    assert!(matches!(refusal(&path), Error::StoreDamaged { .. }));
}

#[test]
fn other_programs_files_are_foreign() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("episodes.redb");
    let sqlite = rusqlite::Connection::open(&path).unwrap();
    sqlite.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
    drop(sqlite);
    assert!(refusal(&path).to_string().contains("SQLite"));
    fs::write(&path, "# Заметки\nне журнал, а текст\n".repeat(100)).unwrap();
    assert!(refusal(&path).to_string().contains("text file"));
    fs::remove_file(&path).unwrap();
    let database = redb::Database::create(&path).unwrap();
    let write = database.begin_write().unwrap();
    write.open_table(redb::TableDefinition::<u64, u64>::new("numbers")).unwrap().insert(1, 2).unwrap();
    write.commit().unwrap();
    drop(database);
    assert!(matches!(refusal(&path), Error::StoreForeign { .. }));
    // A table of the same name does not make it ours.
    fs::remove_file(&path).unwrap();
    let database = redb::Database::create(&path).unwrap();
    let write = database.begin_write().unwrap();
    write.open_table(redb::TableDefinition::<u64, u64>::new("meta")).unwrap().insert(1, 2).unwrap();
    write.commit().unwrap();
    drop(database);
    assert!(matches!(refusal(&path), Error::StoreForeign { .. }));
}

#[test]
fn another_agents_log_is_foreign_and_an_empty_name_takes_any() {
    let folder = tempfile::tempdir().unwrap();
    let path = closed_store(folder.path());
    let before = fs::read(&path).unwrap();
    let other = EpisodeLog::open(&path, LogOptions { agent: "trader-8".into(), ..options() });
    let message = other.err().unwrap().to_string();
    assert!(message.contains("trader-7") && message.contains("trader-8"), "{message}");
    assert!(fs::read(&path).unwrap() == before);
    let any = EpisodeLog::open(&path, LogOptions { agent: String::new(), ..options() }).unwrap();
    assert_eq!(any.agent(), "trader-7");
    let nobody =
        EpisodeLog::open(folder.path().join("new.redb"), LogOptions { agent: String::new(), ..options() });
    assert!(matches!(nobody.err(), Some(Error::InvalidInput { .. })));
    assert!(!folder.path().join("new.redb").exists());
}

#[test]
fn a_newer_schema_is_refused_with_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    let path = closed_store(folder.path());
    let database = redb::Database::open(&path).unwrap();
    let write = database.begin_write().unwrap();
    let meta = redb::TableDefinition::<&str, &[u8]>::new("meta");
    write.open_table(meta).unwrap().insert("schema", 9_u32.to_le_bytes().as_slice()).unwrap();
    write.commit().unwrap();
    drop(database);
    assert!(matches!(refusal(&path), Error::StoreTooNew { found: 9, supported: 2, .. }));
}

#[test]
fn paths_that_cannot_hold_a_log_are_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    for path in
        [folder.path().to_owned(), file.join("episodes.redb"), folder.path().join("absent/episodes.redb")]
    {
        let error = EpisodeLog::open(&path, options()).err().unwrap();
        assert!(matches!(error, Error::StoreUnavailable { .. }), "{error}");
    }
    let error = open_existing(&folder.path().join("absent.redb")).err().unwrap();
    assert!(matches!(error, Error::StoreUnavailable { .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was left behind");
}

#[test]
fn a_draft_that_a_crash_left_behind_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let draft = folder.path().join("episodes.redb.new");
    fs::write(&draft, vec![7; 10_000]).unwrap();
    let log = EpisodeLog::open(folder.path().join("episodes.redb"), options()).unwrap();
    log.record(vec![new(episode(1, "a"))], NOW, false).unwrap();
    assert!(!draft.exists());
}

/// Opens a store in which some bits were flipped. It must be refused and left alone, or hold exactly what was written,
/// or say that it is damaged when the broken part is read; it must never panic or return something else.
fn never_wrong(path: &Path, expected: &[String]) {
    let before = fs::read(path).unwrap();
    let log = match open_existing(path) {
        Ok(log) => log,
        Err(Error::StoreDamaged { .. } | Error::StoreTooNew { .. } | Error::StoreForeign { .. }) => {
            assert!(fs::read(path).unwrap() == before, "the file was changed by refusing it");
            return;
        }
        Err(other) => panic!("{other}"),
    };
    match log.range(0, 100, None, 100) {
        Ok(episodes) => assert_eq!(texts(&episodes), expected),
        Err(Error::StoreDamaged { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn flipped_bits_of_the_header_are_noticed_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let path = closed_store(folder.path());
    let expected = texts(&open_existing(&path).unwrap().range(0, 100, None, 100).unwrap());
    let whole = fs::read(&path).unwrap();
    // Every third bit meets every byte, and every bit of a byte in turn; a harmless flip costs an opening with its syncs.
    for bit in (0..320 * 8).step_by(3) {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        never_wrong(&path, &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn flipped_bits_anywhere_are_noticed_or_harmless(places in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..20)) {
        let folder = tempfile::tempdir().unwrap();
        let path = closed_store(folder.path());
        let expected = texts(&open_existing(&path).unwrap().range(0, 100, None, 100).unwrap());
        let mut bytes = fs::read(&path).unwrap();
        for (place, flip) in places {
            let place = place.index(bytes.len());
            bytes[place] ^= flip;
        }
        fs::write(&path, bytes).unwrap();
        never_wrong(&path, &expected);
    }
}

#[test]
fn a_time_that_is_no_date_is_refused_and_nothing_of_its_batch_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let log = EpisodeLog::open(folder.path().join("episodes.redb"), options()).unwrap();
    for at in [i64::MIN, limits::FIRST_AT - 1, limits::LAST_AT + 1, i64::MAX] {
        let wrong = new(Episode { at, ..episode(1, "wrong") });
        let refused = log.record(vec![new(episode(1, "right")), wrong], NOW, false).unwrap_err();
        assert!(
            matches!(&refused, Error::InvalidInput { what, .. } if what.contains(&at.to_string())),
            "{refused}"
        );
        assert_eq!(log.len().unwrap(), 0);
    }
    for at in [limits::FIRST_AT, limits::LAST_AT] {
        log.record(vec![new(Episode { at, ..episode(1, &format!("at {at}")) })], NOW, false).unwrap();
    }
    assert_eq!(log.len().unwrap(), 2);
}
