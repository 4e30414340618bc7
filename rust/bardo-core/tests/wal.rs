//! The journal beside the log: what it is given survives, what is cut short was never acknowledged, and what is broken,
//! foreign or of another time is refused and left as it was.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

#[path = "support/golden.rs"]
#[allow(dead_code)]
mod golden;
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use bardo_core::Error;
use bardo_core::capture::{Deletion, EpisodeLog, LogOptions, VectorBatch};
use bardo_core::model::Id;
use proptest::prelude::*;
use support::{NOW, episode, new, open, options, texts};

/// Bytes that a frame begins at a multiple of.
const STEP: usize = 4_096;

fn journal_of(log: &Path) -> PathBuf {
    log.with_file_name("episodes.redb.wal")
}

/// Copies an open log as a power cut would leave it: its file and its journal, in a folder of their own.
fn cut_power(log: &EpisodeLog) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("episodes.redb");
    fs::copy(log.path(), &path).unwrap();
    // The first commit of an opening goes to the file, and makes no journal.
    if journal_of(log.path()).exists() {
        fs::copy(journal_of(log.path()), journal_of(&path)).unwrap();
    }
    (folder, path)
}

fn reopen(path: &Path) -> Result<EpisodeLog, Error> {
    EpisodeLog::open(path, LogOptions { create: false, ..options() })
}

fn record(log: &EpisodeLog, tick: u64, text: &str) -> Id {
    log.record(vec![new(episode(tick, text))], NOW, false).unwrap()[0].id
}

fn listed(log: &EpisodeLog) -> Vec<String> {
    texts(&log.since(0, 10_000).unwrap().into_iter().map(|(_, one)| one).collect::<Vec<_>>())
}

/// A log with so many episodes in its journal, less the first two, which the file has.
fn filled(folder: &tempfile::TempDir, count: u64) -> EpisodeLog {
    let log = open(folder);
    for number in 0..count {
        let mut one = episode(number, &format!("event {number} {}", "слово ".repeat(number as usize % 40)));
        one.subjects = vec![format!("subject {}", number % 3)];
        one.thread = (number % 2 == 0).then(|| "thread".into());
        one.annotations.verified = number % 4 == 0;
        log.record(vec![new(one)], NOW, false).unwrap();
    }
    log
}

#[test]
fn one_sync_makes_an_episode_durable_and_every_list_names_it_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let log = filled(&folder, 40);
    let before = log.syncs();
    record(&log, 100, "one more");
    assert_eq!(log.syncs() - before, 1);
    let (_kept, path) = cut_power(&log);
    let again = reopen(&path).unwrap();
    assert_eq!(listed(&again), listed(&log));
    assert_eq!(again.range(0, 100, None, 100).unwrap(), log.range(0, 100, None, 100).unwrap());
    assert_eq!(again.by_subject("subject 1", None, 100).unwrap().len(), 13);
    assert_eq!(again.by_thread("thread", None, 100).unwrap().len(), 20);
    assert_eq!(again.verified_since(0, 100).unwrap(), log.verified_since(0, 100).unwrap());
    assert_eq!((again.last_tick().unwrap(), again.last_seq().unwrap()), (100, 41));
    assert!(!record_is_fresh(&again, 100, "one more"), "a retry is known after a crash, too");
    record(&again, 101, "and on");
    assert_eq!(again.len().unwrap(), 42);
}

fn record_is_fresh(log: &EpisodeLog, tick: u64, text: &str) -> bool {
    log.record(vec![new(episode(tick, text))], NOW, false).unwrap()[0].fresh
}

#[test]
fn a_closed_log_is_one_file_and_an_open_journal_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let words = "слово ".repeat(4_000);
    for number in 0..300 {
        record(&log, number, &format!("{number} {words}"));
        assert!(fs::metadata(journal_of(log.path())).map_or(0, |file| file.len()) <= 4 * 1024 * 1024);
    }
    let (_kept, path) = cut_power(&log);
    assert_eq!(reopen(&path).unwrap().len().unwrap(), 300);
    log.close().unwrap();
    assert!(!journal_of(log.path()).exists());
    assert_eq!(listed(&open(&folder)).len(), 300);
}

#[test]
fn nothing_of_a_deleted_episode_stays_in_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let log = filled(&folder, 3);
    let secret = record(&log, 10, "the secret is heliotrope");
    let holds = |path: &Path| {
        fs::read(path).is_ok_and(|bytes| bytes.windows(10).any(|window| window == b"heliotrope"))
    };
    assert!(holds(&journal_of(log.path())));
    let forgetting = Deletion { ids: vec![secret], tombstones: true, intent: String::new(), now: NOW };
    log.forget(forgetting).unwrap();
    log.vacuum().unwrap();
    assert!(!holds(&journal_of(log.path())) && !holds(log.path()));
    record(&log, 11, "goes on");
    record(&log, 12, "in the journal again");
    let (_kept, path) = cut_power(&log);
    assert!(journal_of(&path).exists());
    let again = reopen(&path).unwrap();
    assert_eq!(again.get(&[secret]).unwrap(), [None]);
    assert_eq!(listed(&again).len(), 5);
}

#[test]
fn few_new_vectors_wait_in_memory_and_a_crash_names_them_as_missing() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let put = |id: Id, value: f32| {
        let batch =
            VectorBatch { whole: vec![value, 1.0], counts: vec![0], dims: 2, ..VectorBatch::default() };
        log.put_vectors(vec![id], batch, golden::fingerprint()).unwrap();
    };
    let first = record(&log, 1, "first");
    put(first, 1.0);
    assert_eq!(log.without_vectors(10).unwrap(), []);
    let second = record(&log, 2, "second");
    assert_eq!(texts(&log.without_vectors(10).unwrap()), ["second"]);
    let before = log.syncs();
    put(second, 2.0);
    assert_eq!(log.syncs(), before, "it waits for the disk with what comes next");
    assert_eq!(log.without_vectors(10).unwrap(), []);
    assert_eq!(log.vectors(&[second]).unwrap()[0].whole, [2.0, 1.0]);
    let (_kept, path) = cut_power(&log);
    let again = reopen(&path).unwrap();
    assert_eq!(again.vectors(&[first]).unwrap()[0].whole, [1.0, 1.0]);
    assert_eq!(texts(&again.without_vectors(10).unwrap()), ["second"]);
    log.flush().unwrap();
    let (_kept, path) = cut_power(&log);
    assert_eq!(reopen(&path).unwrap().without_vectors(10).unwrap(), []);
    let third = record(&log, 3, "third");
    assert_eq!(texts(&log.without_vectors(1).unwrap()), ["third"]);
    put(third, 3.0);
    log.close().unwrap();
    assert_eq!(open(&folder).vectors(&[third]).unwrap()[0].whole, [3.0, 1.0], "closing keeps them");
}

/// Opens a log that must be refused, and checks that neither file was changed.
fn refusal(path: &Path) -> Error {
    let read = || (fs::read(path).ok(), fs::read(journal_of(path)).ok());
    let before = read();
    let error = EpisodeLog::open(path, options()).err().expect("it was opened");
    assert!(read() == before, "refusing it changed it ({error})");
    error
}

#[test]
fn a_journal_that_is_not_this_logs_is_refused_and_left_alone() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let log = filled(&folder, 5);
    let (_kept, path) = cut_power(&log);
    let journal = fs::read(journal_of(&path)).unwrap();
    let options = LogOptions { now: NOW + 1, ..options() };
    drop(EpisodeLog::open(other.path().join("episodes.redb"), options).unwrap());
    let others = other.path().join("episodes.redb");
    fs::write(journal_of(&others), &journal).unwrap();
    assert!(matches!(refusal(&others), Error::StoreForeign { .. }));
    fs::write(journal_of(&path), "some notes of mine\n".repeat(500)).unwrap();
    assert!(matches!(refusal(&path), Error::StoreForeign { .. }));
    let mut newer = journal.clone();
    newer[2_048 + 8] = 2;
    fs::write(journal_of(&path), &newer).unwrap();
    assert!(matches!(refusal(&path), Error::StoreTooNew { found: 2, supported: 1, .. }));
    fs::write(journal_of(&path), &journal).unwrap();
    fs::remove_file(&path).unwrap();
    let error = refusal(&path);
    assert!(matches!(error, Error::StoreDamaged { .. }) && error.to_string().contains(".wal"), "{error}");
}

#[test]
fn a_log_that_is_older_than_its_journal_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = filled(&folder, 3);
    log.flush().unwrap();
    let (_kept, path) = cut_power(&log);
    let old = fs::read(&path).unwrap();
    log.close().unwrap();
    let log = open(&folder);
    // The first two of an opening go to the file.
    record(&log, 10, "one");
    record(&log, 11, "two");
    record(&log, 12, "three");
    let (_later, later) = cut_power(&log);
    assert_eq!(reopen(&later).unwrap().len().unwrap(), 6);
    let (_later, later) = cut_power(&log);
    fs::write(&later, old).unwrap();
    let error = refusal(&later);
    assert!(matches!(error, Error::JournalLost { .. }), "{error}");
    assert!(error.to_string().contains("not of the same time"), "{error}");
}

/// Opens a log whose journal has lost episodes, and accepts the loss.
fn accept(path: &Path) -> EpisodeLog {
    EpisodeLog::open(path, LogOptions { create: false, accept_loss: true, ..options() }).unwrap()
}

#[test]
fn a_journal_that_is_gone_empty_or_cut_after_a_crash_is_refused_until_the_loss_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let log = filled(&folder, 8);
    log.verify(vec![(log.since(0, 1).unwrap()[0].1.id, None)]).unwrap();
    record(&log, 100, "known to the journal alone");
    let all = listed(&log);
    let whole = fs::read(journal_of(log.path())).unwrap();
    let without = |from: usize, to: usize| {
        let mut bytes = whole.clone();
        bytes[from..to].fill(0);
        Some(bytes)
    };
    let short = |length: usize| Some(whole[..length].to_vec());
    let damages = [
        (None, 8, "is missing"),
        (short(0), 8, "is empty"),
        (short(100), 8, "first bytes"),
        (short(STEP + 10), 8, "cut short"),
        (short(whole.len() / 2), 9, "cut short"),
        (short(whole.len() - 1), 9, "cut short"),
        (without(0, whole.len()), 8, "first bytes are gone"),
        (without(0, STEP), 8, "first bytes are broken"),
        (without(STEP, whole.len()), 8, "knows of 6"),
    ];
    for (damage, left, words) in damages {
        let (_kept, path) = cut_power(&log);
        fs::remove_file(journal_of(&path)).unwrap();
        if let Some(bytes) = &damage {
            fs::write(journal_of(&path), bytes).unwrap();
        }
        let error = refusal(&path);
        assert!(matches!(error, Error::JournalLost { .. }), "{words}: {error}");
        assert!(error.to_string().contains(words) && error.to_string().contains("bardo recover"), "{error}");
        let again = accept(&path);
        let lost = again.lost().unwrap().clone();
        assert!(lost.what.contains(words), "{lost:?}");
        assert_eq!(lost.kept.as_ref().map(|kept| fs::read(kept).unwrap()), damage, "{words}");
        assert_eq!(listed(&again), all[..left], "{words}");
        // It goes on as any other, through another crash.
        for number in 0..5 {
            record(&again, 200 + number, &format!("after the loss {number}"));
        }
        let (_later, later) = cut_power(&again);
        again.close().unwrap();
        for path in [&path, &later] {
            let found = reopen(path).unwrap();
            assert_eq!((found.lost(), listed(&found).len()), (None, left + 5), "{words}");
        }
    }
}

#[test]
fn a_journal_that_is_as_it_was_left_is_never_refused() {
    let folder = tempfile::tempdir().unwrap();
    for commits in 0..8 {
        let log = open(&folder);
        for number in 0..commits {
            record(&log, 100, &format!("{commits} {number}"));
            if number % 3 == 2 {
                log.set_watermark("source", number).unwrap();
            }
            let (_kept, path) = cut_power(&log);
            let again = reopen(&path).unwrap();
            assert_eq!(listed(&again), listed(&log));
            // One that was only looked at, after a crash.
            again.close().unwrap();
            assert!(!journal_of(&path).exists());
            assert_eq!(listed(&reopen(&path).unwrap()), listed(&log));
        }
        log.close().unwrap();
        assert!(!journal_of(log.path()).exists(), "a log that was closed needs no journal");
    }
}

#[test]
fn a_journal_of_another_time_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = filled(&folder, 5);
    let early = fs::read(journal_of(log.path())).unwrap();
    record(&log, 100, "later");
    log.flush().unwrap();
    // Of the same epoch, from before the last commit that the log knows of.
    let (_kept, path) = cut_power(&log);
    fs::write(journal_of(&path), &early).unwrap();
    assert!(refusal(&path).to_string().contains("holds 3 commits, and the log knows of 4"));
    // Of an earlier epoch.
    log.close().unwrap();
    let closed = fs::read(log.path()).unwrap();
    let log = open(&folder);
    for number in 0..4 {
        record(&log, 200, &format!("second session {number}"));
    }
    let (_kept, path) = cut_power(&log);
    let second = fs::read(journal_of(&path)).unwrap();
    fs::write(journal_of(&path), &early).unwrap();
    assert!(refusal(&path).to_string().contains("not of the same time"));
    // Beside the log of a backup that was closed in order.
    fs::write(&path, &closed).unwrap();
    fs::write(journal_of(&path), &second).unwrap();
    assert!(refusal(&path).to_string().contains("not of the same time"));
    // Beside the log of that backup after it had gone on by itself: the numbers of the arrivals and the epoch fit.
    fs::remove_file(journal_of(&path)).unwrap();
    let other = reopen(&path).unwrap();
    for number in 0..4 {
        record(&other, 200, &format!("another second session {number}"));
    }
    let (_kept, path) = cut_power(&other);
    fs::write(journal_of(&path), &second).unwrap();
    assert!(refusal(&path).to_string().contains("not of the same time"));
    let again = accept(&path);
    assert_eq!(again.lost().unwrap().taken, 0);
    assert!(listed(&again).iter().all(|text| !text.starts_with("second session")));
}

const JOURNAL_V1: &[u8] = include_bytes!("golden/journal-v1.wal");
const JOURNAL_V1_MARKED: &[u8] = include_bytes!("golden/journal-v1-marked.wal");
/// Length of the file of a first epoch.
const ROOM: u64 = 256 * 1024;
const EPISODES_V2: &[u8] = include_bytes!("golden/episodes-v2.redb");

#[test]
fn a_journal_of_version_1_is_read_and_this_build_still_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("episodes.redb");
    fs::write(&path, EPISODES_V2).unwrap();
    let log = EpisodeLog::open(&path, golden::options()).unwrap();
    // Begins the journal, so that what follows goes there.
    log.set_watermark("source", 42).unwrap();
    log.set_watermark("source", 42).unwrap();
    let one = episode(6, "in the journal — 日志");
    let mut two = episode(6, "verified");
    (two.annotations.verified, two.annotations.importance) = (true, Some(0.5));
    (two.subjects, two.thread) = (vec!["aave".into()], Some("thread".into()));
    log.record(vec![new(one)], NOW, false).unwrap();
    log.record(vec![new(two)], NOW, true).unwrap();
    let expected = log.since(0, 100).unwrap();
    let written = fs::read(journal_of(&path)).unwrap();
    let marked = fs::read(&path).unwrap();
    drop(log);
    let is_golden = written.starts_with(JOURNAL_V1_MARKED);
    assert!(is_golden && written[JOURNAL_V1_MARKED.len()..].iter().all(|byte| *byte == 0));
    // The log of a release that kept no mark, and one that does.
    for (log, journal) in [(EPISODES_V2, JOURNAL_V1), (&marked, JOURNAL_V1_MARKED)] {
        fs::write(&path, log).unwrap();
        fs::write(journal_of(&path), journal).unwrap();
        fs::OpenOptions::new().write(true).open(journal_of(&path)).unwrap().set_len(ROOM).unwrap();
        let log = EpisodeLog::open(&path, golden::options()).unwrap();
        assert_eq!(log.since(0, 100).unwrap(), expected);
        assert_eq!(log.verified_since(2, 10).unwrap().len(), 1);
    }
}

/// Where the frames of a journal end.
fn ends(journal: &[u8]) -> Vec<usize> {
    let mut ends = vec![STEP];
    while let Some(head) = journal.get(*ends.last().unwrap()..).filter(|rest| rest.starts_with(b"bfrm")) {
        let body = u64::from_le_bytes(head[16..24].try_into().unwrap()) as usize;
        ends.push(ends.last().unwrap() + (32 + body).next_multiple_of(STEP));
    }
    ends
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_cut_of_the_journal_is_refused_or_leaves_what_was_acknowledged_before_it(
        count in 3..30_u64, at: prop::sample::Index, zeros: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let log = filled(&folder, count);
        let (_kept, path) = cut_power(&log);
        let whole = fs::read(journal_of(&path)).unwrap();
        let ends = ends(&whole);
        prop_assert_eq!(ends.len() as u64, count - 1);
        let at = at.index(*ends.last().unwrap() + 1);
        let mut cut = whole.clone();
        if zeros { cut[at..].fill(0) } else { cut.truncate(at) }
        // A frame may end before its padding does, or in zeros of its own.
        let is_whole = |start: usize, end: usize| {
            let body = u64::from_le_bytes(whole[start + 16..start + 24].try_into().unwrap()) as usize;
            start + 32 + body <= at || (zeros && whole[at..end].iter().all(|byte| *byte == 0))
        };
        let frames = ends.windows(2).take_while(|pair| is_whole(pair[0], pair[1])).count();
        let has_head = at >= 2_048 + 40;
        fs::write(journal_of(&path), cut).unwrap();
        if zeros && has_head {
            // A sync that never ended would look like this.
            let found = listed(&reopen(&path).unwrap());
            prop_assert_eq!(&found, &listed(&log)[..frames + 2]);
        } else {
            let error = refusal(&path);
            prop_assert!(matches!(error, Error::JournalLost { .. }), "{:?}", error);
            let kept = if has_head { frames + 2 } else { 2 };
            prop_assert_eq!(&listed(&accept(&path)), &listed(&log)[..kept]);
        }
    }

    #[test]
    fn a_broken_frame_before_a_whole_one_is_refused(at: prop::sample::Index, flip in 1..=255_u8) {
        let folder = tempfile::tempdir().unwrap();
        let log = filled(&folder, 8);
        let (_kept, path) = cut_power(&log);
        let mut bytes = fs::read(journal_of(&path)).unwrap();
        let ends = ends(&bytes);
        let starts = &ends[..ends.len() - 2];
        let start = starts[at.index(starts.len())];
        let body = u64::from_le_bytes(bytes[start + 16..start + 24].try_into().unwrap()) as usize;
        bytes[start + at.index(32 + body)] ^= flip;
        fs::write(journal_of(&path), bytes).unwrap();
        let error = refusal(&path);
        prop_assert!(matches!(error, Error::JournalLost { .. }), "{:?}", error);
    }
}
