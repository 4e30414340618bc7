//! Gives tests an agent: a folder, its open stores, and the engine over them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use bardo_core::capture::{EpisodeLog, LogOptions, NewEpisode, RecordOptions, VectorBatch};
use bardo_core::engine::Stores;
use bardo_core::facts::{FactOptions, FactStore, Retention};
use bardo_core::index::hot::SNAPSHOT_FILE;
use bardo_core::model::{Episode, Fingerprint, Id};
use bardo_core::recall::filter::Filters;
use bardo_core::recall::rule_seats::RuleSeats;
use bardo_core::recall::search::Query;
use bardo_core::recall::settings::Settings;
use bardo_core::{Engine, Error};

use super::{NOW, episode, new};

/// Dimensions of the vectors of a model: the second model has others, so that vectors of the first are refused.
pub const DIMS: [usize; 2] = [8, 16];

/// An agent's folder, its open stores, and the engine over them.
pub struct Agent {
    pub folder: tempfile::TempDir,
    pub stores: Stores,
    pub engine: Engine,
}

pub fn open_stores(folder: &tempfile::TempDir) -> Stores {
    let options = LogOptions { durable: false, ..super::options() };
    let log = EpisodeLog::open(folder.path().join("episodes.redb"), options).unwrap();
    let options = FactOptions {
        agent: "trader-7".into(),
        seed: 7,
        now: 1,
        create: true,
        retention: Retention::default(),
    };
    let facts = FactStore::open(&folder.path().join("facts.db"), &options).unwrap();
    Stores { log: Arc::new(log), facts: Arc::new(facts) }
}

impl Agent {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stores = open_stores(&folder);
        let (engine, _) = Engine::open(&stores, None, 0).unwrap();
        Self { folder, stores, engine }
    }

    pub fn snapshot(&self) -> PathBuf {
        self.folder.path().join(SNAPSHOT_FILE)
    }

    pub fn reopen(self, with_snapshot: bool) -> Self {
        if with_snapshot {
            self.engine.save(&self.snapshot()).unwrap();
        }
        let snapshot = self.snapshot();
        let Self { folder, stores, engine } = self;
        drop(engine);
        stores.facts.close().unwrap();
        stores.log.close().unwrap();
        let stores = open_stores(&folder);
        let (engine, _) = Engine::open(&stores, with_snapshot.then_some(&*snapshot), 0).unwrap();
        Self { folder, stores, engine }
    }

    pub fn record(&self, drafts: Vec<NewEpisode>) -> Vec<Arc<Episode>> {
        let manner = RecordOptions { out_of_order: true, is_transcript: false };
        self.engine.record(drafts, NOW, manner).unwrap().episodes
    }

    /// Ids that a text finds, of which each must have the record that the stores have.
    pub fn found(&self, text: &str) -> BTreeSet<Id> {
        let filters = Filters::default();
        let (found, records) =
            self.engine.recall(&query(text, None, &filters), &Settings::default(), &self.stores).unwrap();
        assert_eq!(found.hits.len(), records.len());
        assert!(records.iter().all(|record| record.text().contains(text)), "{text} in {records:?}");
        found.hits.iter().map(|hit| hit.id).collect()
    }

    pub fn nearest(&self, number: usize, model: usize) -> Option<Id> {
        let found = self.engine.nearest(&vector(number, model), 1).unwrap();
        found.first().filter(|(_, cosine)| *cosine > 0.999).map(|(id, _)| *id)
    }

    pub fn embed(&self, numbered: &[(Id, usize)], model: usize) -> Result<(), Error> {
        let ids: Vec<Id> = numbered.iter().map(|(id, _)| *id).collect();
        self.engine.embed(&ids, &batch(numbered, model), fingerprint(model))
    }
}

pub fn query<'a>(text: &'a str, vector: Option<&'a [f32]>, filters: &'a Filters) -> Query<'a> {
    Query {
        text,
        vector,
        limit: 100,
        now_tick: 1_000,
        now: NOW,
        filters,
        mood: [0.0; 3],
        thread: None,
        tokens: None,
        past: None,
        periods: None,
        rules: RuleSeats::default(),
    }
}

pub fn fingerprint(model: usize) -> Fingerprint {
    Fingerprint {
        model: format!("toy {model}"),
        version: "1".into(),
        preprocessing: "none".into(),
        dims: DIMS[model] as u32,
        created: 0,
    }
}

/// A vector for each number, unlike those of all others below 2 * 3 * 5 * 7.
pub fn vector(number: usize, model: usize) -> Vec<f32> {
    let vector: Vec<f32> = (0..DIMS[model])
        .map(|place| ((number * (place + 2) * 37 + place * 11) % 101) as f32 - 50.0)
        .collect();
    let norm = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    vector.into_iter().map(|part| part / norm).collect()
}

pub fn batch(numbered: &[(Id, usize)], model: usize) -> VectorBatch {
    VectorBatch {
        whole: numbered.iter().flat_map(|(_, number)| vector(*number, model)).collect(),
        sentences: Vec::new(),
        counts: vec![0; numbered.len()],
        dims: DIMS[model],
        tokens: Vec::new(),
    }
}

/// A word that stands in the text of one number alone.
pub fn word(number: usize) -> String {
    let letters: String =
        format!("{number:03}").bytes().map(|digit| char::from(b'q' + digit - b'0')).collect();
    format!("zebra{letters}")
}

pub fn draft(number: usize) -> NewEpisode {
    new(episode(1 + number as u64, &format!("the oracle of {} woke", word(number))))
}
