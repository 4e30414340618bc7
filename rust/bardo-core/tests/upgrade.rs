//! Logs of an older schema are copied, compared and replaced in one step; a process killed meanwhile loses nothing.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

#[path = "support/runs.rs"]
mod runs;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bardo_core::Error;
use bardo_core::capture::{Deletion, EpisodeLog, EpisodeVectors, MigrationProgress, Stats, VectorBatch};
use bardo_core::model::{Episode, Fingerprint, Id};
use support::{NOW, episode, new, options};

/// Names the log that a child of a test is to open.
const CHILD: &str = "BARDO_UPGRADE_OF";

fn fingerprint(model: &str) -> Fingerprint {
    Fingerprint {
        model: model.into(),
        version: "1".into(),
        preprocessing: String::new(),
        dims: 8,
        created: 0,
    }
}

fn batch(ids: &[Id], sentences: usize) -> VectorBatch {
    let row = |at: usize| (0..8).map(move |part| ((at * 7 + part * 3) % 11) as f32 - 5.0);
    VectorBatch {
        whole: (0..ids.len()).flat_map(row).collect(),
        sentences: (0..ids.len() * sentences).flat_map(row).collect(),
        counts: vec![sentences; ids.len()],
        dims: 8,
        tokens: ids.iter().map(|id| id.0[..8].to_vec()).collect(),
    }
}

fn open(path: &Path) -> Result<EpisodeLog, Error> {
    EpisodeLog::open(path, options())
}

/// A log in which every table holds something.
fn fill(path: &Path, count: u64) {
    let log = open(path).unwrap();
    let made = |tick: u64| Episode {
        subjects: vec![format!("subject {}", tick % 5)],
        thread: tick.is_multiple_of(2).then(|| "thread".into()),
        ..episode(tick, &format!("event {tick} {}", "of some length ".repeat((tick % 40) as usize)))
    };
    let record = |ticks: std::ops::Range<u64>| -> Vec<Id> {
        let all = ticks.map(|tick| new(made(tick))).collect();
        log.record(all, NOW, true).unwrap().iter().map(|recorded| recorded.id).collect()
    };
    let ids = [record(count / 2..count), record(0..count / 2)].concat();
    log.put_vectors(ids[..ids.len() / 2].to_vec(), batch(&ids[..ids.len() / 2], 2), fingerprint("now"))
        .unwrap();
    log.stage_vectors(ids[..20].to_vec(), batch(&ids[..20], 0), fingerprint("next")).unwrap();
    log.verify(ids.iter().step_by(3).map(|id| (*id, Some(0.5))).collect()).unwrap();
    log.mark_replayed(ids[7..9].to_vec()).unwrap();
    log.set_watermark("source", 17).unwrap();
    let doomed = [ids[3], ids[30], ids[ids.len() - 1]].to_vec();
    log.forget(Deletion { ids: doomed, tombstones: true, intent: "{}".into(), now: NOW }).unwrap();
    log.close().unwrap();
}

/// All that a log says.
#[derive(Debug, PartialEq)]
struct Content {
    arrivals: Vec<(u64, Episode)>,
    in_order: Vec<Episode>,
    by_subject: Vec<Episode>,
    by_thread: Vec<Episode>,
    verified: Vec<(u64, Episode)>,
    vectors: Vec<Option<EpisodeVectors>>,
    tokens: Vec<(usize, Vec<u8>)>,
    staged: Option<MigrationProgress>,
    fingerprint: Option<Fingerprint>,
    rest: (Vec<(u64, String)>, usize, u64, u64, usize),
    stats: Stats,
}

fn content(log: &EpisodeLog) -> Content {
    let arrivals = log.since(0, usize::MAX).unwrap();
    let ids: Vec<Id> = arrivals.iter().map(|(_, episode)| episode.id).collect();
    let mut tokens = Vec::new();
    log.visit_tokens(&ids, &mut |place, codes| tokens.push((place, codes.to_vec()))).unwrap();
    Content {
        in_order: log.range(0, u64::MAX, None, usize::MAX).unwrap(),
        by_subject: log.by_subject("subject 3", None, usize::MAX).unwrap(),
        by_thread: log.by_thread("thread", None, usize::MAX).unwrap(),
        verified: log.verified_since(0, usize::MAX).unwrap(),
        vectors: ids.iter().map(|id| log.vectors(&[*id]).ok().map(|mut found| found.remove(0))).collect(),
        tokens,
        staged: log.staged().unwrap(),
        fingerprint: log.fingerprint().unwrap(),
        rest: (
            log.intents().unwrap(),
            log.tombstones().unwrap(),
            log.watermark("source").unwrap(),
            log.last_tick().unwrap(),
            log.without_staged_vectors(usize::MAX).unwrap().len(),
        ),
        stats: Stats { bytes_on_disk: 0, syncs: 0, ..log.stats().unwrap() },
        arrivals,
    }
}

/// A folder with a log of schema 1, and what it must say once it is opened.
fn old_log(count: u64) -> (tempfile::TempDir, PathBuf, Content) {
    let folder = tempfile::tempdir().unwrap();
    let (path, fresh) = (folder.path().join("episodes.redb"), folder.path().join("fresh.redb"));
    fill(&fresh, count);
    runs::lay_out_as_schema_1(&fresh, &path);
    let log = open(&fresh).unwrap();
    let expected = content(&log);
    log.close().unwrap();
    fs::remove_file(fresh).unwrap();
    (folder, path, expected)
}

fn kept(path: &Path) -> PathBuf {
    path.with_extension("redb.v1")
}

#[test]
fn everything_is_there_after_an_upgrade_and_the_old_file_is_kept() {
    let (_folder, path, expected) = old_log(1_500);
    let before = fs::read(&path).unwrap();
    let log = open(&path).unwrap();
    assert_eq!(content(&log), expected);
    let upgraded = log.upgraded().unwrap();
    assert_eq!((upgraded.from, &upgraded.kept, log.schema_version()), (1, &kept(&path), 2));
    assert!(fs::read(kept(&path)).unwrap() == before, "the old file was changed");
    log.record(vec![new(episode(9_999, "one more"))], NOW, false).unwrap();
    log.close().unwrap();
    let log = open(&path).unwrap();
    assert_eq!((log.upgraded(), log.len().unwrap()), (None, expected.stats.episodes + 1));
}

#[test]
fn remains_of_a_killed_attempt_do_not_matter() {
    let (folder, path, expected) = old_log(60);
    fs::write(folder.path().join("episodes.redb.new"), vec![7; 100_000]).unwrap();
    fs::hard_link(&path, kept(&path)).unwrap();
    assert_eq!(content(&open(&path).unwrap()), expected);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_damaged_old_log_is_refused_and_left_as_it_is() {
    let (folder, path, _) = old_log(60);
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(9).position(|window| window == b"event 31 ").unwrap();
    bytes[at] = b'E';
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(open(&path), Err(Error::StoreDamaged { .. })));
    assert!(fs::read(&path).unwrap() == bytes, "it was changed");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something was left beside it");
}

/// Not a test by itself: the process that the tests below start, kill and starve.
#[test]
fn child_that_opens_a_log() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    match open(Path::new(&path)) {
        Ok(log) => log.close().unwrap(),
        Err(error) => {
            println!("told: {error}");
            assert!(matches!(error, Error::StoreUnavailable { .. } | Error::StoreFull { .. }), "{error:?}");
        }
    }
}

fn child(path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child_that_opens_a_log", "--nocapture"]).env(CHILD, path);
    command
}

#[test]
fn a_log_is_whole_whenever_its_upgrade_is_killed() {
    const KILLS: u32 = 60;
    let (folder, path, expected) = old_log(1_200);
    let old = fs::read(&path).unwrap();
    let started = Instant::now();
    assert!(child(&path).stdout(Stdio::null()).status().unwrap().success());
    let whole = started.elapsed();
    let mut unfinished = 0;
    for kill in 0..KILLS {
        for file in fs::read_dir(folder.path()).unwrap() {
            fs::remove_file(file.unwrap().path()).unwrap();
        }
        fs::write(&path, &old).unwrap();
        let mut child = child(&path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * kill / KILLS + Duration::from_micros(1));
        child.kill().unwrap();
        child.wait().unwrap();
        let log = open(&path).unwrap();
        if log.upgraded().is_some() {
            unfinished += 1;
            assert!(fs::read(kept(&path)).unwrap() == old, "the old file was changed");
        }
        assert_eq!(log.stats().unwrap().last_seq, expected.stats.last_seq);
        // Comparing all of it costs more than the upgrade.
        if kill % 6 == 0 {
            assert_eq!(content(&log), expected);
        }
        log.close().unwrap();
    }
    assert!(unfinished > 0, "nothing was killed in time");
}

#[cfg(unix)]
#[test]
fn an_upgrade_without_room_is_told_and_changes_nothing() {
    let (folder, path, expected) = old_log(600);
    let old = fs::read(&path).unwrap();
    let child = child(&path);
    let program: Vec<_> = std::iter::once(child.get_program()).chain(child.get_args()).collect();
    for blocks in ["0", "64", "200"] {
        // A limit of the size of files stands for a disk that fills up while the new file is written.
        let mut limited = Command::new("sh");
        limited.args(["-c", "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\"", blocks]).args(&program);
        let done = limited.env(CHILD, &path).output().unwrap();
        let told = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && told.contains("told: "), "{blocks}: {told}");
        assert!(fs::read(&path).unwrap() == old, "it was changed");
        assert!(!kept(&path).exists() && fs::read_dir(folder.path()).unwrap().count() == 1);
    }
    assert_eq!(content(&open(&path).unwrap()), expected);
}
