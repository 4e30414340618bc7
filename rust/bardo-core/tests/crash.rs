//! Law 1 on a disk that lies: torn writes, failed syncs, a full disk. No acknowledged episode is lost.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bardo_core::Error;
use bardo_core::capture::EpisodeLog;
use bardo_core::model::Id;
use proptest::prelude::*;
use support::disk::{Disk, Failing, Handle};
use support::{NOW, episode, new, options};

/// A computer: a disk, and a log that is opened on it again and again.
struct Computer {
    disk: Arc<Mutex<Disk>>,
    /// Where the journal is, if there is one.
    journal: Option<Arc<Mutex<Disk>>>,
    alive: Arc<AtomicU64>,
    acknowledged: HashMap<Id, String>,
    count: u64,
}

impl Computer {
    fn new() -> Self {
        Self {
            disk: Arc::default(),
            journal: None,
            alive: Arc::default(),
            acknowledged: HashMap::new(),
            count: 0,
        }
    }

    fn start(&self) -> EpisodeLog {
        let process = self.alive.fetch_add(1, Ordering::SeqCst) + 1;
        let handle = |disk| Handle { disk: Arc::clone(disk), alive: Arc::clone(&self.alive), process };
        let file = handle(&self.disk);
        let file = move || Ok(Box::new(file.clone()) as Box<dyn redb::StorageBackend>);
        let Some(journal) = &self.journal else {
            return EpisodeLog::open_on("disk", file, options()).unwrap();
        };
        let journal = handle(journal);
        let journal = move || Ok(Box::new(journal.clone()) as Box<dyn redb::StorageBackend>);
        EpisodeLog::open_on_journaled("disk", file, journal, options()).unwrap()
    }

    fn fail(&self, failing: Failing, after: i64) {
        let mut disk = self.disk.lock().unwrap();
        (disk.failing, disk.countdown) = (failing, after);
    }

    /// Records one episode, and remembers it if it was acknowledged.
    fn record(&mut self, log: &EpisodeLog) -> Result<(), Error> {
        self.count += 1;
        let text = format!("событие {} {}", self.count, "x".repeat(self.count as usize * 97 % 3_000));
        let recorded = log.record(vec![new(episode(self.count, &text))], NOW, false)?;
        self.acknowledged.insert(recorded[0].id, text);
        Ok(())
    }

    /// Every acknowledged episode must be there, word for word.
    fn check(&self, log: &EpisodeLog) {
        for (id, text) in &self.acknowledged {
            let found = log.get(&[*id]).unwrap();
            assert_eq!(found[0].as_ref().map(|episode| &episode.text), Some(text), "episode {id} was lost");
        }
        let listed = log.since(0, usize::MAX).unwrap();
        assert_eq!(listed.len() as u64, log.len().unwrap());
        assert!(listed.len() >= self.acknowledged.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn power_cuts_lose_no_acknowledged_episode(cuts in prop::collection::vec((0..12_i64, any::<u64>(), 1..8_usize), 1..6)) {
        let mut computer = Computer::new();
        for (after, survivors, records) in cuts {
            let log = computer.start();
            computer.check(&log);
            for _ in 0..records {
                computer.record(&log).unwrap();
            }
            // The power goes in the middle of the next commit: some of its writes are made, and its sync never ends.
            computer.fail(Failing::Write, after);
            let _ = computer.record(&log);
            computer.alive.fetch_add(1, Ordering::SeqCst);
            computer.fail(Failing::Nothing, 0);
            computer.disk.lock().unwrap().cut_power(survivors);
            drop(log);
        }
        computer.check(&computer.start());
    }

    #[test]
    fn failed_syncs_lose_no_acknowledged_episode(rounds in prop::collection::vec((0..4_i64, any::<u64>(), 1..5_usize), 1..6)) {
        let mut computer = Computer::new();
        for (after, survivors, records) in rounds {
            let log = computer.start();
            computer.check(&log);
            computer.fail(Failing::Sync, after);
            let mut failed = 0;
            for _ in 0..records + 4 {
                failed += usize::from(computer.record(&log).is_err());
                computer.check(&log);
            }
            prop_assert!(failed > 0, "no sync was made");
            // The disk recovers, and the same log goes on without being reopened.
            computer.fail(Failing::Nothing, 0);
            for _ in 0..records {
                computer.record(&log).unwrap();
            }
            computer.alive.fetch_add(1, Ordering::SeqCst);
            computer.disk.lock().unwrap().cut_power(survivors);
            drop(log);
        }
        computer.check(&computer.start());
    }
}

#[test]
fn a_full_disk_is_reported_and_everything_before_stays_readable() {
    fill_the_disk(Computer::new());
}

#[test]
fn a_full_disk_is_reported_with_a_journal_too() {
    fill_the_disk(Computer { journal: Some(Arc::default()), ..Computer::new() });
}

fn fill_the_disk(mut computer: Computer) {
    let log = computer.start();
    for _ in 0..20 {
        computer.record(&log).unwrap();
    }
    let length = computer.disk.lock().unwrap().cached.len() as u64;
    let limit = |computer: &Computer, capacity: Option<u64>| {
        computer.disk.lock().unwrap().capacity = capacity;
        if let Some(journal) = &computer.journal {
            journal.lock().unwrap().capacity = capacity.map(|_| 64 * 1024);
        }
    };
    limit(&computer, Some(length));
    let mut refused = 0;
    for _ in 0..1_200 {
        match computer.record(&log) {
            Ok(()) => {}
            Err(error @ (Error::StoreUnavailable { .. } | Error::StoreFull { .. })) => {
                refused += 1;
                assert!(error.to_string().contains("room"), "{error}");
                computer.check(&log);
                if refused > 20 {
                    break;
                }
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 20, "the disk never filled up");
    limit(&computer, None);
    for _ in 0..20 {
        computer.record(&log).unwrap();
    }
    computer.check(&log);
    log.close().unwrap();
    computer.check(&computer.start());
}

#[test]
fn one_failed_commit_is_reported_to_everyone_who_shared_it() {
    let computer = Computer::new();
    let log = computer.start();
    computer.fail(Failing::Sync, 0);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let log = &log;
            scope.spawn(move || {
                let result = log.record(vec![new(episode(1, &format!("caller {number}")))], NOW, false);
                assert!(matches!(result, Err(Error::StoreUnavailable { .. })), "{result:?}");
            });
        }
    });
    computer.fail(Failing::Nothing, 0);
    log.record(vec![new(episode(1, "after"))], NOW, false).unwrap();
}
