//! Verified episodes in memory, for the Curator; and a fact store to consolidate them into.

use std::cell::RefCell;
use std::path::Path;

use bardo_core::consolidate::{CuratorReport, CuratorSettings, VerifiedEpisodes, consolidate};
use bardo_core::facts::{FactFilter, FactOptions, FactStore, Retention};
use bardo_core::model::{Annotations, Episode, Fact, Fingerprint, Id, Role, Value};
use bardo_core::{Error, Result};

/// Verified episodes in memory, numbered from 1; fails when the number `failing` is to be read.
#[derive(Default)]
pub struct Script {
    pub episodes: Vec<Episode>,
    pub vectors: Vec<(Id, Vec<f32>)>,
    pub failing: RefCell<Option<u64>>,
}

impl VerifiedEpisodes for Script {
    fn agent(&self) -> &'static str {
        "tester"
    }

    fn last_verification(&self) -> Result<u64> {
        Ok(self.episodes.len() as u64)
    }

    fn verified_since(&self, number: u64, limit: usize) -> Result<Vec<(u64, Episode)>> {
        let page: Vec<(u64, Episode)> = (1..)
            .zip(&self.episodes)
            .skip(number as usize)
            .take(limit)
            .map(|(n, one)| (n, one.clone()))
            .collect();
        match *self.failing.borrow() {
            Some(failing) if page.iter().any(|(number, _)| *number == failing) => {
                Err(Error::invalid("the power went out", "Try again"))
            }
            _ => Ok(page),
        }
    }

    fn episodes(&self, ids: &[Id]) -> Result<Vec<Option<Episode>>> {
        let find = |id: &Id| self.episodes.iter().find(|episode| episode.id == *id).cloned();
        Ok(ids.iter().map(find).collect())
    }

    fn fingerprint(&self) -> Result<Option<Fingerprint>> {
        Ok((!self.vectors.is_empty()).then(fingerprint))
    }

    fn vector(&self, id: Id) -> Result<Option<Vec<f32>>> {
        Ok(self.vectors.iter().find(|(known, _)| *known == id).map(|(_, vector)| vector.clone()))
    }
}

impl Script {
    pub fn add(&mut self, tick: u64, subjects: &[&str], payload: Vec<(&str, Value)>) -> Id {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&(self.episodes.len() as u64 + 1).to_be_bytes());
        self.episodes.push(Episode {
            id: Id(id),
            tick,
            event_index: 0,
            at: 0,
            kind: "event".into(),
            role: Role::Environment,
            speaker: None,
            text: format!("episode {}", self.episodes.len()),
            subjects: subjects.iter().map(|subject| (*subject).to_owned()).collect(),
            payload: Value::Map(payload.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
            thread: None,
            session: None,
            mode: None,
            curiosity: 0.0,
            pad: [0.0; 3],
            content_hash: 0,
            annotations: Annotations { verified: true, ..Annotations::default() },
        });
        Id(id)
    }

    pub fn number(&mut self, tick: u64, number: f64) -> Id {
        self.add(tick, &["pool"], vec![("lag", Value::Float(number))])
    }

    pub fn say(&mut self, tick: u64, text: &str) -> Id {
        let id = self.add(tick, &[], vec![]);
        self.episodes.last_mut().unwrap().text = text.into();
        id
    }
}

pub fn fingerprint() -> Fingerprint {
    Fingerprint {
        model: "toy".into(),
        version: "1".into(),
        preprocessing: "none".into(),
        dims: 2,
        created: 0,
    }
}

pub fn open(folder: &Path) -> FactStore {
    let options = FactOptions {
        agent: "tester".into(),
        seed: 1,
        now: 0,
        create: true,
        retention: Retention::default(),
    };
    FactStore::open(&folder.join("facts.db"), &options).unwrap()
}

pub fn pass(store: &FactStore, script: &Script, batch: usize, tick: u64) -> CuratorReport {
    consolidate(store, script, batch, tick, 7, CuratorSettings::default()).unwrap()
}

pub fn all(store: &FactStore) -> Vec<Fact> {
    store.list(&FactFilter::default(), 10_000).unwrap()
}
