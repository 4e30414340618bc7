//! Law 1 for every verb that writes, on a disk whose writes tear, whose reads fall short and whose syncs fail: what was
//! acknowledged is there afterwards, word for word, and what failed says so by a typed error.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bardo_core::Error;
use bardo_core::capture::{Deletion, EpisodeLog, VectorBatch};
use bardo_core::model::{Episode, Fingerprint, Id};
use proptest::prelude::*;
use support::disk::{Disk, Failing, Handle};
use support::{NOW, episode, new, options};

/// Certain knowledge of an episode.
#[derive(Clone, Debug, Default)]
struct Known {
    text: String,
    verified: bool,
    vector: Option<[f32; 2]>,
    /// Whether the power went since: few new vectors wait in memory, and are made again.
    vector_may_be_lost: bool,
    /// A deletion of it was acknowledged, or failed and may nevertheless have happened.
    deleted: Option<bool>,
}

/// One verb.
#[derive(Clone, Copy, Debug)]
enum Verb {
    /// Records so many episodes at once.
    Record(u8),
    Verify(usize),
    Embed(usize),
    /// Looks for what has no vectors.
    Look,
    Forget(usize),
}

fn any_verb() -> impl Strategy<Value = Verb> {
    prop_oneof![
        3 => (1..40_u8).prop_map(Verb::Record),
        1 => any::<usize>().prop_map(Verb::Verify),
        2 => any::<usize>().prop_map(Verb::Embed),
        1 => Just(Verb::Look),
        1 => any::<usize>().prop_map(Verb::Forget),
    ]
}

/// A fault: the failing call, the number of successes before it, the torn byte, and whether it hits journal or file.
type Fault = (Failing, i64, u8, bool);

fn any_fault() -> impl Strategy<Value = Fault> {
    let failing = prop_oneof![Just(Failing::Write), Just(Failing::Sync), Just(Failing::Read)];
    (failing, 0..10_i64, any::<u8>(), any::<bool>())
}

struct Computer {
    disk: Arc<Mutex<Disk>>,
    journal: Arc<Mutex<Disk>>,
    alive: Arc<AtomicU64>,
    known: HashMap<Id, Known>,
    order: Vec<Id>,
    count: u64,
}

impl Computer {
    fn new() -> Self {
        Self {
            disk: Arc::default(),
            journal: Arc::default(),
            alive: Arc::default(),
            known: HashMap::new(),
            order: Vec::new(),
            count: 0,
        }
    }

    fn start(&self) -> Result<EpisodeLog, Error> {
        let process = self.alive.fetch_add(1, Ordering::SeqCst) + 1;
        let handle = |disk| Handle { disk: Arc::clone(disk), alive: Arc::clone(&self.alive), process };
        let (file, journal) = (handle(&self.disk), handle(&self.journal));
        EpisodeLog::open_on_journaled(
            "disk",
            move || Ok(Box::new(file.clone())),
            move || Ok(Box::new(journal.clone())),
            options(),
        )
    }

    fn fail(&self, (failing, after, torn_at, in_journal): Fault) {
        let mut disk = if in_journal { self.journal.lock().unwrap() } else { self.disk.lock().unwrap() };
        (disk.failing, disk.countdown, disk.torn_at) = (failing, after, torn_at);
    }

    fn heal(&self) {
        for in_journal in [false, true] {
            self.fail((Failing::Nothing, 0, 0, in_journal));
        }
    }

    fn cut_power(&mut self, survivors: u64) {
        self.alive.fetch_add(1, Ordering::SeqCst);
        self.heal();
        self.disk.lock().unwrap().cut_power(survivors);
        self.journal.lock().unwrap().cut_power(survivors.rotate_left(17));
        for known in self.known.values_mut() {
            known.vector_may_be_lost = true;
        }
    }

    fn pick(&self, place: usize) -> Option<Id> {
        let alive: Vec<&Id> = self.order.iter().filter(|id| self.known[id].deleted.is_none()).collect();
        (!alive.is_empty()).then(|| *alive[place % alive.len()])
    }

    /// Does one verb, and learns from its answer.
    fn act(&mut self, log: &EpisodeLog, verb: Verb) -> Result<(), Error> {
        match verb {
            Verb::Record(count) => {
                let batch: Vec<Episode> = (0..u64::from(count))
                    .map(|place| {
                        let number = self.count + place;
                        let mut one = episode(
                            self.count,
                            &format!("event {number} {}", "x".repeat(number as usize % 700)),
                        );
                        one.subjects = vec![format!("subject {}", number % 3)];
                        one.thread = Some("thread".into());
                        one
                    })
                    .collect();
                self.count += u64::from(count);
                let texts: Vec<String> = batch.iter().map(|one| one.text.clone()).collect();
                let recorded = log.record(batch.into_iter().map(new).collect(), NOW, true)?;
                for (recorded, text) in recorded.iter().zip(texts) {
                    self.order.push(recorded.id);
                    self.known.insert(recorded.id, Known { text, ..Known::default() });
                }
            }
            Verb::Verify(place) => {
                let Some(id) = self.pick(place) else { return Ok(()) };
                log.verify(vec![(id, Some(0.5))])?;
                self.known.get_mut(&id).unwrap().verified = true;
            }
            Verb::Embed(place) => {
                let Some(id) = self.pick(place) else { return Ok(()) };
                let vector = [1.0, (place % 100) as f32];
                // Until it is acknowledged the old one or the new one may be there.
                self.known.get_mut(&id).unwrap().vector = None;
                let tokens = vec![vec![7; 64]];
                let batch = VectorBatch {
                    whole: vector.to_vec(),
                    counts: vec![0],
                    dims: 2,
                    tokens,
                    ..VectorBatch::default()
                };
                log.put_vectors(vec![id], batch, fingerprint())?;
                let known = self.known.get_mut(&id).unwrap();
                (known.vector, known.vector_may_be_lost) = (Some(vector), false);
            }
            Verb::Look => {
                log.without_vectors(1_000)?;
            }
            Verb::Forget(place) => {
                let Some(id) = self.pick(place) else { return Ok(()) };
                self.known.get_mut(&id).unwrap().deleted = Some(false);
                log.forget(Deletion { ids: vec![id], tombstones: false, intent: String::new(), now: NOW })?;
                self.known.get_mut(&id).unwrap().deleted = Some(true);
            }
        }
        Ok(())
    }

    /// Everything acknowledged is there, and every list agrees with every other.
    fn check(&self, log: &EpisodeLog) -> Result<(), Error> {
        for (id, known) in &self.known {
            let found = log.get(&[*id])?.remove(0);
            match known.deleted {
                Some(true) => assert_eq!(found, None, "{id} was deleted"),
                Some(false) => {}
                None => {
                    let found = found.unwrap_or_else(|| panic!("{id} was lost"));
                    assert_eq!(found.text, known.text);
                    assert!(found.annotations.verified || !known.verified, "{id} was verified");
                    if let Some(vector) = known.vector {
                        match log.vectors(&[*id]) {
                            Ok(found) => assert_eq!(found[0].whole, vector),
                            Err(Error::NotFound { .. }) if known.vector_may_be_lost => {
                                let missing = log.without_vectors(usize::MAX)?;
                                assert!(
                                    missing.iter().any(|one| one.id == *id),
                                    "{id} is not embedded again"
                                );
                            }
                            Err(error) => return Err(error),
                        }
                    }
                }
            }
        }
        let listed = log.since(0, usize::MAX)?.len();
        assert_eq!(listed as u64, log.len()?);
        assert_eq!(log.by_thread("thread", None, usize::MAX)?.len(), listed);
        let by_subject: Result<Vec<usize>, Error> = (0..3)
            .map(|name| Ok(log.by_subject(&format!("subject {name}"), None, usize::MAX)?.len()))
            .collect();
        assert_eq!(by_subject?.iter().sum::<usize>(), listed);
        Ok(())
    }
}

fn fingerprint() -> Fingerprint {
    Fingerprint { model: "m".into(), version: "1".into(), preprocessing: "p".into(), dims: 2, created: 0 }
}

/// Whether an error says that the disk or the file is at fault, and what to do.
fn is_told(error: &Error) -> bool {
    matches!(error, Error::StoreUnavailable { .. } | Error::StoreFull { .. } | Error::StoreDamaged { .. })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_fault_loses_what_was_acknowledged(
        rounds in prop::collection::vec(
            (any_fault(), prop::collection::vec(any_verb(), 1..8), any::<u64>(), any::<bool>()),
            1..5,
        ),
    ) {
        let mut computer = Computer::new();
        let mut log = computer.start().unwrap();
        for (fault, verbs, survivors, power_goes) in rounds {
            computer.act(&log, Verb::Record(3)).unwrap();
            computer.fail(fault);
            for verb in verbs {
                if let Err(error) = computer.act(&log, verb) {
                    prop_assert!(is_told(&error), "{:?}", error);
                }
                if let Err(error) = computer.check(&log) {
                    prop_assert!(fault.0 == Failing::Read && is_told(&error), "{:?}", error);
                }
            }
            if power_goes {
                computer.cut_power(survivors);
                drop(log);
                log = computer.start().unwrap();
            } else {
                computer.heal();
            }
            computer.check(&log).unwrap();
        }
        computer.cut_power(0);
        drop(log);
        computer.check(&computer.start().unwrap()).unwrap();
    }

    #[test]
    fn a_read_that_falls_short_while_opening_is_told_and_changes_nothing(after in 0..60_i64, records in 1..6_u8) {
        let mut computer = Computer::new();
        let log = computer.start().unwrap();
        for _ in 0..records {
            computer.act(&log, Verb::Record(20)).unwrap();
        }
        log.close().unwrap();
        let before = computer.disk.lock().unwrap().cached.clone();
        computer.fail((Failing::Read, after, 0, false));
        match computer.start() {
            Err(error) => {
                // The file is whole, so nothing says that it is damaged.
                prop_assert!(matches!(error, Error::StoreUnavailable { .. }), "{:?}", error);
                prop_assert!(computer.disk.lock().unwrap().cached == before, "the file was changed");
            }
            Ok(log) => {
                computer.heal();
                computer.check(&log).unwrap();
            }
        }
        computer.heal();
        computer.check(&computer.start().unwrap()).unwrap();
    }
}
