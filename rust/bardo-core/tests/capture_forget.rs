//! Deletion from the log (law 11): no row, no byte, no running number given twice, and no return.
#![allow(clippy::unwrap_used)]

#[path = "support/runs.rs"]
mod runs;
mod support;

use bardo_core::Error;
use bardo_core::capture::{Deletion, EpisodeLog, RecordOptions, SourceMark, SourceMove, VectorBatch, traces};
use bardo_core::model::{Episode, Fingerprint, Id};
use proptest::prelude::*;
use support::{NOW, episode, new, open, options, texts};

fn forgetting(ids: &[Id]) -> Deletion {
    Deletion { ids: ids.to_vec(), tombstones: true, intent: "{}".into(), now: NOW }
}

fn fingerprint() -> Fingerprint {
    Fingerprint {
        model: "test".into(),
        version: "1".into(),
        dims: 4,
        preprocessing: String::new(),
        created: 0,
    }
}

fn embed(log: &EpisodeLog, ids: &[Id]) {
    let batch = VectorBatch {
        whole: vec![0.5; 4 * ids.len()],
        sentences: Vec::new(),
        counts: vec![0; ids.len()],
        dims: 4,
        tokens: Vec::new(),
    };
    log.put_vectors(ids.to_vec(), batch, fingerprint()).unwrap();
}

/// How many entries each table of the file has, by its name.
fn rows_by_table(folder: &tempfile::TempDir) -> Vec<(String, u64)> {
    use redb::{ReadableDatabase, ReadableTableMetadata, TableHandle};

    let database = redb::Database::open(folder.path().join("episodes.redb")).unwrap();
    let view = database.begin_read().unwrap();
    let rows = view.list_tables().unwrap().map(|table| {
        let name = table.name().to_owned();
        let rows = match name.as_str() {
            "episodes" => runs::all::<28>(&view, &name).len() as u64,
            "ids" => runs::all::<16>(&view, &name).len() as u64,
            "arrivals" | "vectors" | "next_vectors" => runs::all::<8>(&view, &name).len() as u64,
            _ => view.open_untyped_table(table).unwrap().len().unwrap(),
        };
        (name, rows)
    });
    let mut rows: Vec<(String, u64)> = rows.collect();
    rows.sort();
    rows
}

#[test]
fn a_vacuum_keeps_every_row_of_every_table_and_a_deletion_reaches_each() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let mut episodes: Vec<_> = (1..=6).map(|tick| episode(tick, &format!("event {tick}"))).collect();
    for one in &mut episodes {
        (one.subjects, one.thread) = (vec!["aave".into()], Some("t".into()));
    }
    let recorded = log.record(episodes.into_iter().map(new).collect(), NOW, false).unwrap();
    let ids: Vec<Id> = recorded.iter().map(|one| one.id).collect();
    let batch = || VectorBatch {
        whole: vec![0.5; 4 * ids.len()],
        counts: vec![0; ids.len()],
        dims: 4,
        tokens: vec![vec![1, 2, 3]; ids.len()],
        ..VectorBatch::default()
    };
    log.put_vectors(ids.clone(), batch(), fingerprint()).unwrap();
    log.stage_vectors(ids.clone(), batch(), Fingerprint { model: "next".into(), ..fingerprint() }).unwrap();
    log.verify(ids.iter().map(|id| (*id, Some(0.5))).collect()).unwrap();
    log.set_watermark("source", 3).unwrap();
    let to = SourceMark { position: 3, state: "read".into() };
    let step = SourceMove { name: "chat.jsonl".into(), from: None, to };
    log.record_from_source(Vec::new(), 1, RecordOptions::default(), step).unwrap();
    log.forget(forgetting(&ids[4..])).unwrap();
    log.close().unwrap();
    let before = rows_by_table(&folder);
    let log = open(&folder);
    log.vacuum().unwrap();
    log.close().unwrap();
    assert_eq!(rows_by_table(&folder), before);
    // Tables that are not keyed by episode.
    let others = ["intents", "meta", "sources", "tombstones", "watermarks"];
    for (name, rows) in before.iter().filter(|(name, _)| !others.contains(&name.as_str())) {
        assert_eq!(*rows, 4, "{name} keeps something of what was forgotten, or lost something else");
    }
    assert_eq!(before.len(), others.len() + 11, "{before:?}");
}

#[test]
fn running_numbers_are_not_given_twice_and_the_rest_is_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let recorded = log
        .record((1..=5).map(|tick| new(episode(tick, &format!("event {tick}")))).collect(), NOW, false)
        .unwrap();
    let ids: Vec<Id> = recorded.iter().map(|one| one.id).collect();
    embed(&log, &ids);
    log.verify(ids.iter().map(|id| (*id, None)).collect()).unwrap();
    let number = log.forget(forgetting(&ids[3..])).unwrap();
    assert_eq!(log.intents().unwrap(), [(number, "{}".to_owned())]);
    drop(log);
    let log = open(&folder);
    let stats = log.stats().unwrap();
    assert_eq!((stats.episodes, stats.last_seq, stats.last_verification), (3, 5, 5));
    assert_eq!((log.last_tick().unwrap(), log.tombstones().unwrap()), (5, 2));
    assert!(matches!(log.vectors(&ids[4..]), Err(Error::NotFound { .. })));
    assert_eq!(log.verified_since(0, 10).unwrap().len(), 3);
    let next = log.record(vec![new(episode(6, "event 6"))], NOW, false).unwrap()[0];
    assert!(next.fresh && next.seq == 6 && !ids.contains(&next.id));
    log.verify(vec![(next.id, None)]).unwrap();
    assert_eq!(log.verified_since(5, 10).unwrap()[0].0, 6);
    log.update_intent(number, None).unwrap();
    assert!(log.intents().unwrap().is_empty());
}

#[test]
fn a_forgotten_content_is_refused_and_says_so_also_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let first = log.record(vec![new(episode(1, "gone for good"))], NOW, false).unwrap()[0];
    log.forget(forgetting(&[first.id])).unwrap();
    for _ in 0..2 {
        let log = open_again(&folder, &log);
        let again = log
            .record(vec![new(episode(2, "gone for good")), new(episode(2, "another"))], NOW, false)
            .unwrap();
        assert!(again[0].forgotten && !again[0].fresh && !again[1].forgotten);
    }
    assert_eq!(texts(&open_again(&folder, &log).latest(9).unwrap()), ["another"]);
}

/// The log, closed and opened again.
fn open_again(folder: &tempfile::TempDir, log: &EpisodeLog) -> EpisodeLog {
    log.close().unwrap();
    EpisodeLog::open(folder.path().join("episodes.redb"), options()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn after_a_vacuum_the_file_holds_what_stays_and_no_byte_of_what_went(
        count in 1..40_usize, doomed in prop::collection::btree_set(0..40_usize, 1..12), embedded in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let log = open(&folder);
        let text = |place: usize| format!("secret number {place:04} of the vault, told in confidence");
        let ids: Vec<Id> = (0..count)
            .map(|place| {
                let episode = Episode {
                    subjects: vec![format!("s{}", place % 3)],
                    thread: Some("t".into()),
                    ..episode(place as u64, &text(place))
                };
                log.record(vec![new(episode)], NOW, false).unwrap()[0].id
            })
            .collect();
        if embedded {
            embed(&log, &ids);
        }
        let gone: Vec<usize> = doomed.into_iter().filter(|place| *place < count).collect();
        log.forget(forgetting(&gone.iter().map(|&place| ids[place]).collect::<Vec<_>>())).unwrap();
        log.vacuum().unwrap();
        let left: Vec<usize> = (0..count).filter(|place| !gone.contains(place)).collect();
        let kept: Vec<String> = left.iter().map(|&place| text(place)).collect();
        let log = if count % 2 == 0 { log } else { open_again(&folder, &log) };
        prop_assert_eq!(texts(&log.range(0, 99, None, 99).unwrap()), kept.clone());
        prop_assert_eq!(texts(&log.by_thread("t", None, 99).unwrap()), kept.clone());
        let named: usize = (0..3).map(|n| log.by_subject(&format!("s{n}"), None, 99).unwrap().len()).sum();
        prop_assert_eq!(named, kept.len());
        let left_ids: Vec<Id> = left.iter().map(|&place| ids[place]).collect();
        prop_assert_eq!(log.vectors(&left_ids).is_ok(), embedded || left.is_empty());
        let needles: Vec<Vec<u8>> = (0..count).map(|place| text(place).into_bytes()).collect();
        let (found, _) = traces(&folder.path().join("episodes.redb"), &needles).unwrap();
        prop_assert_eq!(found, left);
    }
}
