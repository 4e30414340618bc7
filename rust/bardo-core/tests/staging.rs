//! A migration to another model: never half done, and it goes on where it was left.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::Error;
use bardo_core::capture::{EpisodeLog, VectorBatch};
use bardo_core::model::{Fingerprint, Id};
use support::{NOW, episode, new, open};

fn model(name: &str, dims: u32) -> Fingerprint {
    Fingerprint { model: name.into(), version: "1".into(), preprocessing: String::new(), dims, created: 0 }
}

fn batch(rows: usize, dims: usize, value: f32) -> VectorBatch {
    VectorBatch { whole: vec![value; rows * dims], counts: vec![0; rows], dims, ..VectorBatch::default() }
}

fn filled(folder: &tempfile::TempDir, count: u64) -> (EpisodeLog, Vec<Id>) {
    let log = open(folder);
    let episodes = (0..count).map(|tick| new(episode(tick, &format!("what happened at {tick}")))).collect();
    let ids: Vec<Id> = log.record(episodes, NOW, false).unwrap().iter().map(|recorded| recorded.id).collect();
    log.put_vectors(ids.clone(), batch(ids.len(), 4, 0.5), model("old", 4)).unwrap();
    (log, ids)
}

#[test]
fn a_migration_survives_a_restart_and_switches_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (log, ids) = filled(&folder, 10);
    log.stage_vectors(ids[..6].to_vec(), batch(6, 2, 0.25), model("new", 2)).unwrap();
    drop(log);
    let log = open(&folder);
    let staged = log.staged().unwrap().unwrap();
    assert!(staged.fingerprint.matches(&model("new", 2)) && staged.episodes == 6);
    assert_eq!(
        log.vectors(&ids[..1]).unwrap()[0].whole,
        [0.5; 4],
        "the old vectors are in force until the switch"
    );
    let left: Vec<Id> = log.without_staged_vectors(100).unwrap().iter().map(|episode| episode.id).collect();
    assert_eq!(left, ids[6..]);
    assert!(matches!(log.switch_vectors(model("new", 2)), Err(Error::InvalidInput { .. })));
    assert!(log.fingerprint().unwrap().unwrap().matches(&model("old", 4)));
    log.stage_vectors(left, batch(4, 2, 0.25), model("new", 2)).unwrap();
    assert_eq!(log.switch_vectors(model("new", 2)).unwrap(), 10);
    assert!(log.staged().unwrap().is_none());
    drop(log);
    let log = open(&folder);
    assert!(log.fingerprint().unwrap().unwrap().matches(&model("new", 2)));
    assert_eq!(log.vectors(&ids).unwrap().iter().filter(|vectors| vectors.whole == [0.25; 2]).count(), 10);
    assert!(log.without_vectors(10).unwrap().is_empty());
}

#[test]
fn a_third_model_is_refused_and_a_migration_can_be_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let (log, ids) = filled(&folder, 3);
    log.stage_vectors(ids.clone(), batch(3, 2, 0.25), model("new", 2)).unwrap();
    let third = log.stage_vectors(ids.clone(), batch(3, 2, 0.1), model("third", 2));
    assert!(matches!(third, Err(Error::EmbeddingMismatch { .. })), "{third:?}");
    assert!(matches!(log.switch_vectors(model("third", 2)), Err(Error::EmbeddingMismatch { .. })));
    let same = log.stage_vectors(ids.clone(), batch(3, 4, 0.1), model("old", 4));
    assert!(matches!(same, Err(Error::InvalidInput { .. })), "{same:?}");
    log.drop_staged().unwrap();
    assert!(log.staged().unwrap().is_none());
    assert_eq!(log.vectors(&ids).unwrap()[2].whole, [0.5; 4]);
    assert!(matches!(log.switch_vectors(model("new", 2)), Err(Error::InvalidInput { .. })));
}

#[test]
fn episodes_without_a_vector_wait_for_the_new_model() {
    let folder = tempfile::tempdir().unwrap();
    let (log, ids) = filled(&folder, 3);
    let late = log.record(vec![new(episode(9, "late"))], NOW, false).unwrap()[0].id;
    log.stage_vectors(ids, batch(3, 2, 0.25), model("new", 2)).unwrap();
    assert_eq!(log.switch_vectors(model("new", 2)).unwrap(), 3);
    assert_eq!(log.without_vectors(10).unwrap()[0].id, late);
    assert!(matches!(
        log.put_vectors(vec![late], batch(1, 4, 0.5), model("old", 4)),
        Err(Error::EmbeddingMismatch { .. })
    ));
}
