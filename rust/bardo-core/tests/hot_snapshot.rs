//! The snapshot of the hot set against a real log and a real fact store.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::{Path, PathBuf};

use bardo_core::capture::{Deletion, EpisodeLog, LogOptions, VectorBatch};
use bardo_core::facts::{FactOptions, FactStore, FactVectors, Retention};
use bardo_core::index::hot::{HotSet, OpenReport, Origin, SNAPSHOT_FILE};
use bardo_core::model::{Episode, Fingerprint, Id};
use bardo_core::recall::explain::Hit;
use bardo_core::recall::filter::Filters;
use bardo_core::recall::rule_seats::RuleSeats;
use bardo_core::recall::search::{Query, Scratch, search};
use bardo_core::recall::settings::Settings;
use support::{NOW, episode, fact, new, options};

const DIMS: usize = 8;

/// An agent's log and facts in a folder of its own.
struct Agent {
    folder: tempfile::TempDir,
    log: EpisodeLog,
    facts: FactStore,
}

impl Agent {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = support::open(&folder);
        let options = FactOptions {
            agent: "trader-7".into(),
            seed: 7,
            now: 1,
            create: true,
            retention: Retention::default(),
        };
        let facts = FactStore::open(&folder.path().join("facts.db"), &options).unwrap();
        Self { folder, log, facts }
    }

    fn snapshot(&self) -> PathBuf {
        self.folder.path().join(SNAPSHOT_FILE)
    }

    fn remember(&self, from: u64, to: u64) -> Vec<Id> {
        let episodes = (from..to).map(|tick| {
            let text =
                format!("pool {} moved {} points after the oracle woke at {tick}", tick % 7, tick % 11);
            let session = (tick % 3 == 0).then(|| format!("run {}", tick % 5));
            new(Episode { session, speaker: Some("Ada".into()), ..episode(tick, &text) })
        });
        self.log.record(episodes.collect(), NOW, true).unwrap().iter().map(|recorded| recorded.id).collect()
    }

    fn embed(&self, ids: &[Id]) {
        let whole = ids.iter().enumerate().flat_map(|(at, _)| vector(at)).collect();
        let batch = VectorBatch {
            whole,
            sentences: Vec::new(),
            counts: vec![0; ids.len()],
            dims: DIMS,
            tokens: Vec::new(),
        };
        self.log.put_vectors(ids.to_vec(), batch, fingerprint()).unwrap();
    }

    fn learn(&self, text: &str) {
        self.facts.upsert(&[fact(text)], None, 5, NOW).unwrap();
    }

    fn open(&self, cold_upto: u64) -> (HotSet, OpenReport) {
        HotSet::open(&self.log, &self.facts, &self.snapshot(), cold_upto).unwrap()
    }

    fn save(&self, hot: &HotSet) -> u64 {
        hot.save(&self.log, &self.snapshot()).unwrap()
    }
}

fn fingerprint() -> Fingerprint {
    Fingerprint {
        model: "toy".into(),
        version: "1".into(),
        preprocessing: "none".into(),
        dims: DIMS as u32,
        created: 0,
    }
}

fn vector(at: usize) -> Vec<f32> {
    (0..DIMS).map(|part| ((at * 7 + part * 13) % 17) as f32 - 8.0).collect()
}

fn find(hot: &HotSet) -> Vec<Hit> {
    let filters = Filters::default();
    let ask = |text: &str, at: usize| {
        let query = Query {
            text,
            vector: Some(&vector(at)),
            limit: 20,
            now_tick: 100,
            now: NOW,
            filters: &filters,
            mood: [0.0; 3],
            thread: None,
            tokens: None,
            past: None,
            periods: None,
            rules: RuleSeats::default(),
        };
        let hits = search(hot, &query, &Settings::default(), &mut Scratch::default()).unwrap().hits;
        // Which of them are at hand whole depends on the way, not what is found.
        hits.into_iter().map(|hit| Hit { episode: None, ..hit }).collect::<Vec<_>>()
    };
    [ask("which pool moved after the oracle?", 3), ask("what did Ada say of 17", 9)].concat()
}

fn assert_same(hot: &HotSet, agent: &Agent) {
    let anew = HotSet::load(&agent.log, &agent.facts, hot.cold_upto()).unwrap();
    assert_eq!(hot.len(), anew.len());
    assert_eq!(find(hot), find(&anew));
}

#[test]
fn changes_during_the_making_of_a_hot_set_are_taken_over() {
    let agent = Agent::new();
    let first = agent.remember(1, 40);
    agent.embed(&first[..20]);
    let origin = Origin::of(&agent.log).unwrap();
    let mut hot = HotSet::load(&agent.log, &agent.facts, 0).unwrap();
    let later = agent.remember(40, 60);
    agent.embed(&first[20..]);
    agent.embed(&later[..5]);
    agent.log.verify(vec![(first[3], Some(0.9)), (later[2], None)]).unwrap();
    agent.learn("pool 3 is the slowest");
    assert!(hot.catch_up(&origin, &agent.log, &agent.facts).unwrap());
    assert_same(&hot, &agent);

    let origin = Origin::of(&agent.log).unwrap();
    assert!(hot.catch_up(&origin, &agent.log, &agent.facts).unwrap());
    let forgetting = Deletion { ids: vec![later[0]], tombstones: true, intent: String::new(), now: NOW };
    agent.log.forget(forgetting).unwrap();
    assert!(!hot.catch_up(&origin, &agent.log, &agent.facts).unwrap(), "it still holds what was deleted");
}

#[test]
fn a_snapshot_and_what_came_after_it_is_as_good_as_reading_everything() {
    let agent = Agent::new();
    let first = agent.remember(1, 40);
    agent.embed(&first[..20]);
    agent.learn("the oracle wakes the pools");
    let mut hot = HotSet::load(&agent.log, &agent.facts, 0).unwrap();
    hot.remove(&first[0]);
    hot.add_episode(&agent.log.get(&first[..1]).unwrap()[0].clone().unwrap()).unwrap();
    assert_eq!(hot.save(&agent.log, &agent.snapshot()).unwrap(), agent.snapshot().metadata().unwrap().len());

    let later = agent.remember(40, 60);
    agent.embed(&first[20..]);
    agent.embed(&later[..5]);
    agent.log.verify(vec![(first[3], Some(0.9)), (later[2], None)]).unwrap();
    agent.learn("pool 3 is the slowest");
    let (opened, how) = agent.open(0);
    assert_eq!(how, OpenReport { restored: 40, replayed: 20, refused: None });
    assert!(opened.find(&first[3]).unwrap().verified);
    // The first episode was removed and added by hand, without its vector: it was given it again.
    assert!(first.iter().all(|id| opened.has_vectors(id)));
    assert_same(&opened, &agent);
}

#[test]
fn a_snapshot_holds_no_vectors_and_they_are_read_from_the_stores() {
    let agent = Agent::new();
    let ids = agent.remember(1, 41);
    let sentences: Vec<usize> = (0..ids.len()).map(|at| at % 4).collect();
    let batch = VectorBatch {
        whole: (0..ids.len()).flat_map(vector).collect(),
        sentences: (0..sentences.iter().sum()).flat_map(|at| vector(at + 5)).collect(),
        counts: sentences,
        dims: DIMS,
        tokens: Vec::new(),
    };
    agent.log.put_vectors(ids, batch, fingerprint()).unwrap();
    let learned = agent.facts.upsert(&[fact("the oracle wakes the pools")], None, 5, NOW).unwrap();
    let rows = [vector(3)];
    let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
    let vectors = FactVectors { rows: &rows, fingerprint: &fingerprint() };
    agent.facts.put_vectors(&[learned[0].0], vectors).unwrap();
    let loaded = HotSet::load(&agent.log, &agent.facts, 0).unwrap();
    agent.save(&loaded);
    let (opened, how) = agent.open(0);
    assert_eq!((how.restored, how.refused), (41, None));
    assert!(opened.has_vectors(&learned[0].0));
    assert_same(&opened, &agent);
}

#[test]
fn a_damaged_snapshot_is_passed_over_with_the_reason_wherever_the_damage_is() {
    let agent = Agent::new();
    let ids = agent.remember(1, 30);
    agent.embed(&ids);
    agent.save(&agent.open(0).0);
    let whole = std::fs::read(agent.snapshot()).unwrap();
    for at in (0..whole.len()).step_by(37).chain([0, 15, 16, whole.len() - 1]) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        std::fs::write(agent.snapshot(), damaged).unwrap();
        let (hot, how) = agent.open(0);
        assert!(how.refused.is_some_and(|why| why.contains("passed over")), "byte {at}");
        assert_eq!((hot.len(), how.replayed), (29, 29));
    }
    for length in [0, 1, 20, whole.len() / 2, whole.len() - 1] {
        std::fs::write(agent.snapshot(), &whole[..length]).unwrap();
        assert!(agent.open(0).1.refused.is_some(), "{length} bytes");
    }
    std::fs::write(agent.snapshot(), &whole).unwrap();
    assert_eq!(agent.open(0).1.restored, 29);
}

#[test]
fn a_snapshot_of_another_log_or_of_lost_facts_is_passed_over() {
    let (one, other) = (Agent::new(), Agent::new());
    one.remember(1, 10);
    one.learn("the oracle wakes the pools");
    one.save(&one.open(0).0);
    other.remember(20, 40);
    std::fs::copy(one.snapshot(), other.snapshot()).unwrap();
    assert!(other.open(0).1.refused.unwrap().contains("another log"));

    let options = FactOptions {
        agent: "trader-7".into(),
        seed: 7,
        now: 1,
        create: true,
        retention: Retention::default(),
    };
    let facts = FactStore::open(Path::new(&one.folder.path().join("others.db")), &options).unwrap();
    let (_, how) = HotSet::open(&one.log, &facts, &one.snapshot(), 0).unwrap();
    assert!(how.refused.unwrap().contains("facts"));
}

#[test]
fn a_hot_set_that_lacks_an_episode_is_not_saved() {
    let agent = Agent::new();
    agent.remember(1, 10);
    let hot = agent.open(0).0;
    agent.remember(10, 11);
    assert_eq!(agent.save(&hot), 0);
    assert!(!agent.snapshot().exists());
}

#[test]
fn archived_rows_stay_out_until_the_limit_is_raised() {
    let agent = Agent::new();
    let ids = agent.remember(1, 31);
    agent.embed(&ids);
    let mut hot = agent.open(0).0;
    assert_eq!(hot.evict(&agent.log, 10).unwrap(), 10);
    assert_eq!((hot.len(), hot.cold_upto()), (20, 10));
    assert!(hot.find(&ids[9]).is_none() && hot.find(&ids[10]).is_some());
    assert!(agent.save(&hot) > 0);
    for (cold_upto, restored, len) in [(10, 20, 20), (15, 20, 15)] {
        let (again, how) = agent.open(cold_upto);
        assert_eq!((how.restored, again.len(), how.refused.is_none()), (restored, len, true));
        assert_same(&again, &agent);
    }
    let (all, how) = agent.open(0);
    assert!(how.refused.unwrap().contains("limit"));
    assert_eq!(all.len(), 30);
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_that_says_nothing_is_lost() {
    let agent = Agent::new();
    agent.remember(1, 5);
    let nowhere = agent.folder.path().join("missing").join(SNAPSHOT_FILE);
    let error = agent.open(0).0.save(&agent.log, &nowhere).unwrap_err();
    assert!(error.to_string().contains("Nothing is lost"), "{error}");
    let options = LogOptions { create: false, ..options() };
    assert!(EpisodeLog::open(agent.folder.path().join("missing.redb"), options).is_err());
}
