//! The episode log against a plain model, and its promises one by one.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, HashMap};

use bardo_core::Error;
use bardo_core::capture::{EpisodeLog, Holder, NewEpisode, VectorBatch};
use bardo_core::model::{Annotations, Episode, Fingerprint, Id, Value};
use proptest::prelude::*;
use support::{NOW, episode, new, open, options, owned, texts};

const MINUTE: i64 = 60_000_000;

#[test]
fn a_recorded_episode_is_there_at_once_and_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let written = Episode {
        payload: Value::Map(vec![("ціна".into(), Value::Float(2.5)), ("нет".into(), Value::Null)]),
        subjects: vec!["ааве".into(), "借贷".into(), "🦀".into()],
        speaker: Some("Оля".into()),
        thread: Some("مشروع".into()),
        ..episode(7, "清算在预言机更新两个区块之后 — ликвидации, تصفية, 🙂")
    };
    let log = open(&folder);
    let recorded = log.record(vec![new(written.clone())], NOW, false).unwrap()[0];
    let expected = Episode {
        id: recorded.id,
        content_hash: written.hash_content(),
        annotations: Annotations::default(),
        ..written
    };
    assert_eq!(log.get(&[recorded.id]).unwrap(), [Some(expected.clone())]);
    drop(log);
    let log = open(&folder);
    assert_eq!(log.get(&[recorded.id]).unwrap(), [Some(expected.clone())]);
    assert_eq!(log.by_subject("借贷", None, 10).unwrap(), std::slice::from_ref(&expected));
    assert_eq!(log.by_thread("مشروع", None, 10).unwrap(), [expected]);
    assert_eq!(log.last_tick().unwrap(), 7);
}

#[test]
fn a_retry_within_a_minute_is_one_episode_even_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let at = |at: i64| Episode { at, ..episode(1, "повтор") };
    let log = open(&folder);
    let first = log.record(vec![new(at(NOW))], NOW, false).unwrap()[0];
    assert!(first.fresh);
    drop(log);
    let log = open(&folder);
    let retry = log.record(vec![new(at(NOW + MINUTE))], NOW, false).unwrap()[0];
    assert!(!retry.fresh);
    assert_eq!((retry.id, retry.seq, retry.at), (first.id, first.seq, NOW));
    for other in [
        at(NOW + MINUTE + 1),
        Episode { thread: Some("b".into()), ..at(NOW) },
        Episode { speaker: Some("b".into()), ..at(NOW) },
        Episode { payload: Value::Int(1), ..at(NOW) },
        Episode { role: bardo_core::model::Role::User, ..at(NOW) },
    ] {
        assert!(log.record(vec![new(other)], NOW, false).unwrap()[0].fresh);
    }
    assert_eq!(log.len().unwrap(), 6);
}

#[test]
fn the_same_again_in_another_tick_of_the_callers_own_is_another_observation() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let unchanged = |tick| NewEpisode { own_tick: true, ..new(episode(tick, "the price is unchanged")) };
    let fresh = |batch| -> Vec<bool> {
        log.record(batch, NOW, false).unwrap().into_iter().map(|recorded| recorded.fresh).collect()
    };
    assert_eq!(fresh(vec![unchanged(1), unchanged(2)]), [true, true]);
    assert_eq!(fresh(vec![unchanged(2), unchanged(3)]), [false, true]);
    // Where ticks are seconds, a retry comes some ticks later.
    assert_eq!(fresh(vec![new(episode(9, "the price is unchanged"))]), [false]);
    assert_eq!(log.len().unwrap(), 3);
}

#[test]
fn a_repetition_within_one_call_is_kept_and_a_retry_of_it_is_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let said = |texts: &[&str]| -> Vec<(bool, Id)> {
        let batch = texts.iter().map(|text| new(episode(1, text))).collect();
        log.record(batch, NOW, false).unwrap().into_iter().map(|one| (one.fresh, one.id)).collect()
    };
    let first = said(&["Delete it?", "yes", "Also the backup?", "yes"]);
    assert!(first.iter().all(|(fresh, _)| *fresh));
    let again = said(&["Delete it?", "yes", "Also the backup?", "yes", "yes"]);
    assert_eq!(again.iter().map(|(fresh, _)| *fresh).collect::<Vec<_>>(), [false, false, false, false, true]);
    assert!(first.iter().zip(&again).all(|((_, id), (_, same))| id == same));
    assert_eq!(said(&["yes"]), [(false, first[1].1)]);
    assert_eq!(
        texts(&log.range(1, 1, None, 9).unwrap()),
        ["Delete it?", "yes", "Also the backup?", "yes", "yes"]
    );
}

#[test]
fn the_same_id_twice_is_once_unless_the_content_differs() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let mine = Episode { id: Id([7; 16]), ..episode(1, "mine") };
    let first = log.record(vec![owned(mine.clone()), owned(mine.clone())], NOW, false).unwrap();
    assert_eq!((first[0].fresh, first[1].fresh), (true, false));
    drop(log);
    let log = open(&folder);
    let again = log.record(vec![owned(Episode { tick: 9, ..mine.clone() })], NOW, false).unwrap()[0];
    assert_eq!((again.fresh, again.seq), (false, 1));
    let other = Episode { text: "other".into(), ..mine };
    assert!(matches!(log.record(vec![owned(other)], NOW, false), Err(Error::InvalidInput { .. })));
    assert_eq!(log.len().unwrap(), 1);
}

#[test]
fn ticks_never_decrease_unless_the_caller_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    log.record(vec![new(episode(5, "a")), new(episode(9, "b"))], NOW, false).unwrap();
    let late = log.record(vec![new(episode(8, "c"))], NOW, false);
    assert!(matches!(late, Err(Error::DecreasingTick { tick: 8, last: 9 })));
    // One bad episode refuses the whole call.
    assert!(log.record(vec![new(episode(10, "d")), new(episode(2, "e"))], NOW, false).is_err());
    assert_eq!(log.len().unwrap(), 2);
    log.record(vec![new(episode(3, "drained")), new(episode(700, "from afar"))], NOW, true).unwrap();
    assert_eq!(log.last_tick().unwrap(), 9);
    drop(log);
    assert_eq!(open(&folder).last_tick().unwrap(), 9);
}

#[test]
fn episodes_of_one_tick_keep_the_order_they_came_in() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let names: Vec<String> = (0..40).map(|number| format!("event {number}")).collect();
    for pair in names.chunks(2) {
        log.record(pair.iter().map(|name| new(episode(1, name))).collect(), NOW, false).unwrap();
    }
    assert_eq!(texts(&log.range(1, 1, None, 100).unwrap()), names);
}

#[test]
fn a_bad_episode_fails_its_own_caller_only() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    log.record(vec![new(episode(50, "start"))], NOW, false).unwrap();
    std::thread::scope(|scope| {
        for number in 0..16 {
            let log = &log;
            scope.spawn(move || {
                let tick = if number % 2 == 0 { 50 } else { 1 };
                let result = log.record(vec![new(episode(tick, &format!("caller {number}")))], NOW, false);
                assert_eq!(result.is_ok(), number % 2 == 0);
            });
        }
    });
    assert_eq!(log.len().unwrap(), 9);
}

#[test]
fn concurrent_callers_share_syncs() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let before = log.syncs();
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let log = &log;
            scope.spawn(move || {
                for number in 0..25 {
                    log.record(vec![new(episode(1, &format!("{thread}/{number}")))], NOW, false).unwrap();
                }
            });
        }
    });
    let syncs = log.syncs() - before;
    assert_eq!(log.len().unwrap(), 400);
    assert!(syncs < 300, "{syncs} syncs for 400 concurrent calls");
    log.close().unwrap();
    let log = open(&folder);
    // The first two calls of an opening go to the file, and begin the journal.
    for number in 0..2 {
        log.record(vec![new(episode(2, &format!("call {number}")))], NOW, false).unwrap();
    }
    let before = log.syncs();
    log.record((0..256).map(|number| new(episode(2, &format!("batch {number}")))).collect(), NOW, false)
        .unwrap();
    assert_eq!(log.syncs() - before, 1, "one call is one sync");
}

#[test]
fn a_log_that_does_not_wait_for_the_disk_is_kept_by_flush_and_close() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("episodes.redb");
    let log =
        EpisodeLog::open(&path, bardo_core::capture::LogOptions { durable: false, ..options() }).unwrap();
    let before = log.syncs();
    for number in 0..100 {
        log.record(vec![new(episode(1, &format!("{number}")))], NOW, false).unwrap();
    }
    assert_eq!(log.syncs(), before);
    log.flush().unwrap();
    assert!(log.syncs() > before);
    log.close().unwrap();
    assert!(matches!(log.len(), Err(Error::StoreUnavailable { .. })));
    assert_eq!(open(&folder).len().unwrap(), 100);
}

#[test]
fn verification_numbers_run_on_and_importance_stays_until_it_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let born = Episode {
        annotations: Annotations { verified: true, ..Annotations::default() },
        ..episode(1, "born verified")
    };
    let ids: Vec<Id> = log
        .record(vec![new(episode(1, "a")), new(born), new(episode(1, "c"))], NOW, false)
        .unwrap()
        .into_iter()
        .map(|recorded| recorded.id)
        .collect();
    assert_eq!(log.verify(vec![(ids[2], Some(0.5)), (ids[0], None)]).unwrap(), 2);
    assert_eq!(log.verify(vec![(ids[2], None), (ids[0], Some(0.25))]).unwrap(), 0);
    let verified = log.verified_since(0, 10).unwrap();
    assert_eq!(
        verified.iter().map(|(number, episode)| (*number, episode.id)).collect::<Vec<_>>(),
        [(1, ids[1]), (2, ids[2]), (3, ids[0])]
    );
    assert_eq!(verified[1].1.annotations.importance, Some(0.5));
    assert_eq!(verified[2].1.annotations.importance, Some(0.25));
    assert_eq!(log.verified_since(2, 10).unwrap().len(), 1);
    assert!(matches!(log.verify(vec![(ids[0], Some(1.5))]), Err(Error::InvalidInput { .. })));
    assert!(matches!(
        log.verify(vec![(ids[0], Some(0.9)), (Id([1; 16]), None)]),
        Err(Error::NotFound { .. })
    ));
    assert_eq!(
        log.get(&[ids[0]]).unwrap()[0].as_ref().unwrap().annotations.importance,
        Some(0.25),
        "all or none"
    );
    assert_eq!(log.mark_replayed(ids.clone()).unwrap(), 3);
    assert_eq!(log.mark_replayed(vec![ids[0], ids[0]]).unwrap(), 2);
    assert_eq!(log.get(&[ids[0]]).unwrap()[0].as_ref().unwrap().annotations.replay_count, 3);
}

fn fingerprint(model: &str, dims: u32) -> Fingerprint {
    Fingerprint { model: model.into(), version: "1".into(), preprocessing: "none".into(), dims, created: NOW }
}

#[test]
fn vectors_come_back_and_those_of_another_model_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let ids: Vec<Id> = (0..4)
        .map(|number| log.record(vec![new(episode(1, &format!("{number}")))], NOW, false).unwrap()[0].id)
        .collect();
    let waiting = |log: &EpisodeLog| texts(&log.without_vectors(10).unwrap());
    assert_eq!(waiting(&log), ["0", "1", "2", "3"]);
    let batch = VectorBatch {
        whole: vec![0.5, -1.0, 0.25, 2.0],
        sentences: vec![1.0, 0.0, 0.0, 1.0, -0.125, 4.0],
        counts: vec![1, 2],
        dims: 2,
        tokens: Vec::new(),
    };
    log.put_vectors(vec![ids[0], ids[2]], batch.clone(), fingerprint("m", 2)).unwrap();
    assert_eq!(waiting(&log), ["1", "3"]);
    let found = log.vectors(&[ids[2]]).unwrap();
    assert_eq!(
        (found[0].whole.as_slice(), found[0].sentences.as_slice()),
        ([0.25, 2.0].as_slice(), [vec![0.0, 1.0], vec![-0.125, 4.0]].as_slice())
    );
    assert!(matches!(log.vectors(&[ids[1]]), Err(Error::NotFound { .. })));
    let put = |batch: VectorBatch, model: &str, dims| {
        log.put_vectors(vec![ids[1], ids[3]], batch, fingerprint(model, dims))
    };
    assert!(matches!(put(batch.clone(), "other", 2), Err(Error::EmbeddingMismatch { .. })));
    assert!(matches!(put(batch.clone(), "m", 3), Err(Error::InvalidVector { .. })));
    for bad in [f32::NAN, f32::INFINITY, 1e6] {
        let mut batch = batch.clone();
        batch.sentences[3] = bad;
        assert!(matches!(put(batch, "m", 2), Err(Error::InvalidVector { .. })));
    }
    put(batch, "m", 2).unwrap();
    assert!(waiting(&log).is_empty());
    log.record(vec![new(episode(1, "later"))], NOW, false).unwrap();
    assert_eq!(waiting(&log), ["later"]);
    let mut seen = Vec::new();
    log.for_each_arrival(1, |seq, episode, vectors| {
        seen.push((seq, episode.text, vectors.map(|vectors| vectors.sentences.len())));
        Ok(())
    })
    .unwrap();
    let expected = [(2, "1", Some(1)), (3, "2", Some(2)), (4, "3", Some(2)), (5, "later", None)];
    assert_eq!(seen, expected.map(|(seq, text, count)| (seq, text.to_owned(), count)));
}

#[test]
fn watermarks_keep_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    assert_eq!(log.watermark("scribe/журнал").unwrap(), 0);
    log.set_watermark("scribe/журнал", 41).unwrap();
    log.set_watermark("scribe/журнал", 42).unwrap();
    drop(log);
    assert_eq!(open(&folder).watermark("scribe/журнал").unwrap(), 42);
}

#[test]
fn a_second_owner_is_refused_by_name_and_a_stale_lease_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("episodes.redb");
    let holder = |pid| Some(Holder { pid, host: "машина".into(), since: NOW, address: None });
    std::fs::write(folder.path().join("lease.json"), r#"{"pid": 1, "host": "dead", "since": 0}"#).unwrap();
    let log = EpisodeLog::open(&path, bardo_core::capture::LogOptions { holder: holder(4711), ..options() })
        .unwrap();
    let refused =
        EpisodeLog::open(&path, bardo_core::capture::LogOptions { holder: holder(4712), ..options() });
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("pid 4711 on машина since 2023-11-14 22:13:20 UTC"), "{message}");
    log.record(vec![new(episode(1, "still mine"))], NOW, false).unwrap();
    log.close().unwrap();
    assert!(!folder.path().join("lease.json").exists());
    assert_eq!(open(&folder).len().unwrap(), 1);
}

#[test]
fn limits_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let oversized = "я".repeat(40_000);
    for (bad, named) in [
        (episode(1, " \n"), "empty"),
        (episode(1, &oversized), "65536"),
        (Episode { payload: Value::Text("x".repeat(1_048_600)), ..episode(1, "big") }, "1048576"),
        (Episode { subjects: vec!["s".into(); 257], ..episode(1, "many") }, "256"),
        (Episode { subjects: vec![String::new()], ..episode(1, "blank") }, "256"),
        (Episode { thread: Some("t".repeat(257)), ..episode(1, "long") }, "256"),
        (Episode { curiosity: f32::NAN, ..episode(1, "curious") }, "curiosity"),
        (Episode { pad: [0.0, 2.0, 0.0], ..episode(1, "sad") }, "pad"),
        (episode(u64::MAX, "far"), "2**63"),
    ] {
        let message = log.record(vec![new(bad)], NOW, false).unwrap_err();
        assert!(matches!(message, Error::InvalidInput { .. }), "{message}");
        assert!(message.to_string().contains(named), "{message}");
    }
    assert!(log.is_empty().unwrap());
    let largest = Episode { payload: Value::Text("x".repeat(1_048_000)), ..episode(1, &"я".repeat(32_768)) };
    log.record(vec![new(largest)], NOW, false).unwrap();
}

/// Steps of the property below, applied to log and model.
#[derive(Clone, Debug)]
enum Step {
    Record { ticks: Vec<u64>, subject: usize, thread: usize },
    Reopen,
}

fn any_step() -> impl Strategy<Value = Step> {
    let record = (prop::collection::vec(0..12_u64, 1..6), 0..3_usize, 0..3_usize)
        .prop_map(|(ticks, subject, thread)| Step::Record { ticks, subject, thread });
    prop_oneof![8 => record, 1 => Just(Step::Reopen)]
}

const SUBJECTS: [&str; 3] = ["ааве", "ааве2", "b"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_list_agrees_with_a_plain_model(
        steps in prop::collection::vec(any_step(), 1..12),
        (from, to) in (0..12_u64, 0..12_u64),
        page in 1..5_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut log = open(&folder);
        let (mut ordered, mut arrived) = (BTreeMap::new(), Vec::new());
        let mut by_name: HashMap<&str, Vec<(u64, u32, Id)>> = HashMap::new();
        for step in steps {
            let Step::Record { ticks, subject, thread } = step else {
                drop(log);
                log = open(&folder);
                continue;
            };
            let batch: Vec<Episode> = ticks
                .iter()
                .map(|tick| Episode {
                    subjects: vec![SUBJECTS[subject].into(), SUBJECTS[2].into()],
                    thread: (thread < 2).then(|| format!("thread {thread}")),
                    ..episode(*tick, &format!("text {}", arrived.len()))
                })
                .enumerate()
                .map(|(number, episode)| Episode { text: format!("{} + {number}", episode.text), ..episode })
                .collect();
            let recorded = log.record(batch.iter().cloned().map(new).collect(), NOW, true).unwrap();
            for (recorded, written) in recorded.iter().zip(&batch) {
                let key = (written.tick, recorded.event_index, recorded.id);
                prop_assert!(ordered.insert(key, written.text.clone()).is_none());
                arrived.push(written.text.clone());
                prop_assert_eq!(recorded.seq, arrived.len() as u64);
                for name in written.subjects.iter().collect::<std::collections::BTreeSet<_>>() {
                    by_name.entry(SUBJECTS.iter().find(|known| *known == name).unwrap()).or_default().push(key);
                }
            }
        }
        // Ranges in pages.
        let expected: Vec<&String> =
            ordered.iter().filter(|(key, _)| (from..=to).contains(&key.0)).map(|(_, text)| text).collect();
        let paged = pages(|after| log.range(from, to, after, page).unwrap());
        prop_assert_eq!(paged.iter().collect::<Vec<_>>(), expected);
        for (name, keys) in &mut by_name {
            keys.sort_unstable();
            let expected: Vec<&String> = keys.iter().map(|key| &ordered[key]).collect();
            let paged = pages(|after| log.by_subject(name, after, page).unwrap());
            prop_assert_eq!(paged.iter().collect::<Vec<_>>(), expected);
        }
        // The end, and the order of arrival.
        let all: Vec<&String> = ordered.values().collect();
        let tail = texts(&log.latest(page).unwrap());
        prop_assert_eq!(tail.iter().collect::<Vec<_>>(), &all[all.len().saturating_sub(page)..]);
        let since: Vec<String> = log.since(1, 1000).unwrap().into_iter().map(|(_, episode)| episode.text).collect();
        prop_assert_eq!(since.as_slice(), arrived.get(1..).unwrap_or_default());
        prop_assert_eq!(log.len().unwrap(), arrived.len() as u64);
    }
}

fn pages(mut page: impl FnMut(Option<Id>) -> Vec<Episode>) -> Vec<String> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let episodes = page(after);
        let Some(last) = episodes.last() else { return found };
        after = Some(last.id);
        found.extend(episodes.into_iter().map(|episode| episode.text));
    }
}
