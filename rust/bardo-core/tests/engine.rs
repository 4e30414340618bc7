//! The engine against a model: what is recorded is found at once, and the index agrees with the stores (laws 1 and 10).
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use bardo_core::capture::{Deletion, RecordOptions};
use bardo_core::engine::TickOrigin;
use bardo_core::facts::FactVectors;
use bardo_core::model::{Annotations, Episode, Id};
use bardo_core::{Engine, Error};
use proptest::prelude::*;
use support::agent::{Agent, batch, draft, fingerprint, vector, word};
use support::{NOW, episode, fact, new};

/// A step in the life of an agent.
#[derive(Clone, Debug)]
enum Step {
    /// Records so many new episodes.
    Record(usize),
    /// Records the latest episode again.
    Retry {
        verified: bool,
    },
    /// Embeds at most so many episodes that have no vector: vectors arrive late.
    Embed(usize),
    Learn,
    /// Deletes the episode at this place, as far as there are any.
    Forget(usize),
    /// Closes and opens, from a snapshot or from the stores alone.
    Reopen {
        with_snapshot: bool,
    },
    /// Fills the hot set again while it is in use.
    Reload,
    SwitchModel,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1..4_usize).prop_map(Step::Record),
        1 => any::<bool>().prop_map(|verified| Step::Retry { verified }),
        3 => (1..6_usize).prop_map(Step::Embed),
        1 => Just(Step::Learn),
        1 => (0..20_usize).prop_map(Step::Forget),
        1 => any::<bool>().prop_map(|with_snapshot| Step::Reopen { with_snapshot }),
        1 => Just(Step::Reload),
        1 => Just(Step::SwitchModel),
    ];
    prop::collection::vec(step, 1..24)
}

/// The memories that searches must find.
#[derive(Default)]
struct Expected {
    /// Episodes by number.
    episodes: BTreeMap<usize, Id>,
    /// Facts by number.
    facts: BTreeMap<usize, Id>,
    /// Numbers of episodes that have a vector.
    embedded: BTreeSet<usize>,
    verified: BTreeSet<usize>,
    next: usize,
    /// Place in `DIMS` of the model in force.
    model: usize,
}

fn take(agent: Agent, model: &mut Expected, step: &Step) -> Agent {
    match step {
        Step::Record(count) => {
            let numbers: Vec<usize> = (model.next..model.next + count).collect();
            model.next += count;
            let stored = agent.record(numbers.iter().map(|&number| draft(number)).collect());
            model.episodes.extend(numbers.into_iter().zip(stored.iter().map(|episode| episode.id)));
        }
        Step::Retry { verified } => {
            let Some((&number, &id)) = model.episodes.last_key_value() else { return agent };
            let mut retry = draft(number);
            retry.episode.annotations.verified = *verified;
            let stored = agent.record(vec![retry]);
            assert_eq!(stored[0].id, id, "a retry is the stored episode");
            if *verified {
                model.verified.insert(number);
            }
            assert_eq!(stored[0].annotations.verified, model.verified.contains(&number));
        }
        Step::Embed(most) => {
            let waiting = model.episodes.iter().filter(|(number, _)| !model.embedded.contains(number));
            let numbered: Vec<(Id, usize)> = waiting.map(|(number, id)| (*id, *number)).take(*most).collect();
            if !numbered.is_empty() {
                agent.embed(&numbered, model.model).unwrap();
                model.embedded.extend(numbered.iter().map(|(_, number)| number));
            }
        }
        Step::Learn => {
            let number = model.next;
            model.next += 1;
            let text = format!("pools drain after {}", word(number));
            let stored = agent.stores.facts.upsert(&[fact(&text)], None, 5, NOW).unwrap();
            model.facts.insert(number, stored[0].0);
            agent.engine.sync_facts(&agent.stores.facts).unwrap();
        }
        Step::Forget(place) => {
            let Some((&number, &id)) = model.episodes.iter().nth(*place) else { return agent };
            let forgetting = Deletion { ids: vec![id], tombstones: true, intent: "{}".into(), now: NOW };
            agent.stores.log.forget(forgetting).unwrap();
            agent.engine.remove(&[id]);
            model.episodes.remove(&number);
            model.embedded.remove(&number);
            model.verified.remove(&number);
            // The snapshot holds its words.
            let _ = std::fs::remove_file(agent.snapshot());
        }
        Step::Reopen { with_snapshot } => return agent.reopen(*with_snapshot),
        Step::Reload => {
            agent.engine.load(&agent.stores, None, 0).unwrap();
        }
        Step::SwitchModel => switch_model(&agent, model),
    }
    agent
}

/// Embeds everything with the other model, and puts its vectors in force.
fn switch_model(agent: &Agent, model: &mut Expected) {
    let other = 1 - model.model;
    let numbered: Vec<(Id, usize)> = model.episodes.iter().map(|(number, id)| (*id, *number)).collect();
    if numbered.is_empty() || agent.stores.log.fingerprint().unwrap().is_none() {
        return;
    }
    let ids = numbered.iter().map(|(id, _)| *id).collect();
    agent.stores.log.stage_vectors(ids, batch(&numbered, other), fingerprint(other)).unwrap();
    agent.engine.switch_model(|| {
        agent.stores.log.switch_vectors(fingerprint(other)).unwrap();
        agent.engine.load(&agent.stores, None, 0).unwrap();
    });
    model.model = other;
    model.embedded = model.episodes.keys().copied().collect();
}

/// Everything in the model is found by its words, and by its vector if it has one; nothing else is found.
fn check(agent: &Agent, model: &Expected) -> Result<(), TestCaseError> {
    let known: BTreeMap<usize, Id> =
        model.episodes.iter().chain(&model.facts).map(|(n, id)| (*n, *id)).collect();
    for number in 0..model.next {
        let expected: BTreeSet<Id> = known.get(&number).copied().into_iter().collect();
        prop_assert_eq!(agent.found(&word(number)), expected, "by words: {}", number);
        if model.embedded.contains(&number) {
            let expected = known.get(&number).copied();
            prop_assert_eq!(agent.nearest(number, model.model), expected, "by vector: {}", number);
        }
    }
    let hot = agent.engine.read();
    prop_assert_eq!(hot.len(), known.len());
    prop_assert_eq!(hot.facts(), model.facts.len());
    prop_assert_eq!(hot.len() - hot.facts(), agent.stores.log.len().unwrap() as usize);
    for (number, id) in &model.episodes {
        let row = hot.find(id).unwrap();
        let stored = agent.stores.log.get(&[*id]).unwrap().pop().flatten().unwrap();
        prop_assert_eq!(row.verified, stored.annotations.verified);
        prop_assert_eq!(row.verified, model.verified.contains(number));
        prop_assert_eq!(hot.has_vectors(id), model.embedded.contains(number));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_finds_what_the_stores_hold_after_every_step(steps in steps()) {
        let (mut agent, mut model) = (Agent::new(), Expected::default());
        for step in &steps {
            agent = take(agent, &mut model, step);
            check(&agent, &model)?;
        }
        agent = agent.reopen(true);
        check(&agent, &model)?;
    }
}

#[test]
fn an_episode_is_found_by_the_search_after_its_record_in_any_thread() {
    let agent = Agent::new();
    let (told, recorded) = mpsc::channel::<usize>();
    thread::scope(|scope| {
        let writer = &agent;
        scope.spawn(move || {
            for number in 0..100 {
                writer.record(vec![draft(number)]);
                told.send(number).unwrap();
            }
        });
        for number in recorded {
            assert_eq!(agent.found(&word(number)).len(), 1, "episode {number}");
        }
    });
}

#[test]
fn a_load_during_records_loses_none_of_them() {
    let agent = Agent::new();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Acquire) {
                agent.engine.load(&agent.stores, None, 0).unwrap();
            }
        });
        for number in 0..100 {
            let stored = agent.record(vec![draft(number)]);
            if number % 3 == 0 {
                agent.embed(&[(stored[0].id, number)], 0).unwrap();
            }
            assert_eq!(agent.found(&word(number)).len(), 1, "episode {number}");
        }
        is_over.store(true, Ordering::Release);
    });
    assert_eq!(agent.engine.read().len(), 100);
    assert!((0..100).step_by(3).all(|number| agent.nearest(number, 0).is_some()));
}

#[test]
fn a_search_during_a_model_switch_is_done_again_with_the_new_model() {
    let agent = Agent::new();
    let mut model = Expected::default();
    for step in [Step::Record(20), Step::Embed(20)] {
        let ids: Vec<_> = match step {
            Step::Record(count) => {
                agent.record((0..count).map(draft).collect()).iter().map(|e| e.id).collect()
            }
            _ => continue,
        };
        model.episodes = ids.into_iter().enumerate().collect();
    }
    let numbered: Vec<_> = model.episodes.iter().map(|(number, id)| (*id, *number)).collect();
    agent.embed(&numbered, 0).unwrap();
    model.next = 20;
    // The model in force, as searches see it.
    let in_force = Mutex::new(0_usize);
    let is_over = AtomicBool::new(false);
    let switches = thread::scope(|scope| {
        let searches: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut done = 0_usize;
                    while !is_over.load(Ordering::Acquire) || done == 0 {
                        let number = done % 20;
                        let found = agent.engine.retry_on_model_switch(
                            || {
                                let model = *in_force.lock().unwrap();
                                agent.engine.nearest(&vector(number, model), 1)
                            },
                            |error| matches!(error, Error::InvalidVector { .. }),
                        );
                        let (id, cosine) = found.unwrap()[0];
                        assert_eq!(id, model.episodes[&number]);
                        assert!(cosine > 0.999, "{cosine}");
                        done += 1;
                    }
                    done
                })
            })
            .collect();
        for switch in 1..=10 {
            let other = switch % 2;
            let ids = numbered.iter().map(|(id, _)| *id).collect();
            agent.stores.log.stage_vectors(ids, batch(&numbered, other), fingerprint(other)).unwrap();
            agent.engine.switch_model(|| {
                agent.stores.log.switch_vectors(fingerprint(other)).unwrap();
                agent.engine.load(&agent.stores, None, 0).unwrap();
                *in_force.lock().unwrap() = other;
            });
        }
        is_over.store(true, Ordering::Release);
        searches.into_iter().map(|search| search.join().unwrap()).sum::<usize>()
    });
    assert!(switches > 0);
}

#[test]
fn a_failure_of_the_work_itself_is_not_retried() {
    let agent = Agent::new();
    let mut attempts = 0;
    let failed: Result<(), &str> = agent.engine.retry_on_model_switch(
        || {
            attempts += 1;
            Err("no vector")
        },
        |_| true,
    );
    assert_eq!((failed, attempts), (Err("no vector"), 1));
}

#[test]
fn vectors_of_another_model_are_refused_and_change_nothing() {
    let agent = Agent::new();
    let ids: Vec<_> = agent.record((0..2).map(draft).collect()).iter().map(|episode| episode.id).collect();
    agent.embed(&[(ids[0], 0)], 0).unwrap();
    assert!(matches!(agent.embed(&[(ids[1], 1)], 1), Err(Error::EmbeddingMismatch { .. })));
    assert!(!agent.engine.read().has_vectors(&ids[1]));
    assert_eq!(agent.nearest(0, 0), Some(ids[0]));
}

#[test]
fn vectors_of_a_snapshot_are_read_by_the_first_search() {
    let agent = Agent::new();
    let ids: Vec<_> = agent.record((0..9).map(draft).collect()).iter().map(|episode| episode.id).collect();
    let numbered: Vec<_> = ids.iter().copied().zip(0..).collect();
    agent.embed(&numbered, 0).unwrap();
    let stored = agent.stores.facts.upsert(
        &[fact("pools drain at night")],
        Some(FactVectors { rows: &[&vector(50, 0)], fingerprint: &fingerprint(0) }),
        5,
        NOW,
    );
    let learned = stored.unwrap()[0].0;
    agent.engine.sync_facts(&agent.stores.facts).unwrap();
    let agent = agent.reopen(true);
    assert_eq!(agent.engine.read().vectors().len(), 0, "opening reads no vector");
    assert_eq!(agent.nearest(4, 0), Some(ids[4]));
    assert_eq!(agent.nearest(50, 0), Some(learned));
    assert_eq!(agent.engine.read().vectors().len(), 10);
}

#[test]
fn an_archived_episode_gets_late_vectors_in_the_log_alone() {
    let agent = Agent::new();
    let ids: Vec<_> = agent.record((0..9).map(draft).collect()).iter().map(|episode| episode.id).collect();
    assert_eq!(agent.engine.leave(4).unwrap(), 4);
    agent.embed(&[(ids[0], 0), (ids[8], 8)], 0).unwrap();
    assert_eq!(agent.engine.read().len(), 5);
    assert_eq!(agent.stores.log.vectors(&ids[..1]).unwrap().len(), 1);
    assert_eq!(agent.nearest(8, 0), Some(ids[8]));
    assert_eq!(agent.nearest(0, 0), None);
}

#[test]
fn transient_rows_are_searched_and_leave_nothing_behind() {
    let agent = Agent::new();
    let ids: Vec<_> = agent.record((0..9).map(draft).collect()).iter().map(|episode| episode.id).collect();
    agent.embed(&[(ids[0], 0)], 0).unwrap();
    agent.engine.leave(4).unwrap();
    assert!(agent.found(&word(0)).is_empty());
    let rows = agent.engine.admit(&ids).unwrap();
    assert_eq!(rows.len(), 4, "the others are in memory");
    assert_eq!(agent.found(&word(0)), BTreeSet::from([ids[0]]));
    assert_eq!(agent.nearest(0, 0), Some(ids[0]));
    assert!(agent.engine.evict(&rows));
    assert!(agent.found(&word(0)).is_empty());
    assert!(!agent.engine.evict(&rows), "the rows are gone");
    let rows = agent.engine.admit(&ids).unwrap();
    agent.engine.load(&agent.stores, None, 0).unwrap();
    assert!(!agent.engine.evict(&rows), "the load made them rows that stay");
    assert_eq!(agent.engine.read().len(), 9);
}

#[test]
fn an_inherited_episode_is_not_verified_by_a_retry() {
    let agent = Agent::new();
    let inherited = Episode { kind: bardo_core::model::INHERITED_KIND.into(), ..draft(0).episode };
    let stored = agent.record(vec![new(inherited.clone())]);
    let annotations = Annotations { verified: true, ..Annotations::default() };
    let again = agent.record(vec![new(Episode { annotations, ..inherited })]);
    assert_eq!(again[0].id, stored[0].id);
    assert!(!again[0].annotations.verified);
}

#[test]
fn a_forgotten_episode_is_refused_and_its_place_is_told() {
    let agent = Agent::new();
    let id = agent.record(vec![draft(0)])[0].id;
    let forgetting = Deletion { ids: vec![id], tombstones: true, intent: "{}".into(), now: NOW };
    agent.stores.log.forget(forgetting).unwrap();
    agent.engine.remove(&[id]);
    let manner = RecordOptions { out_of_order: true, is_transcript: false };
    let stored = agent.engine.record(vec![draft(1), draft(0), draft(2)], NOW, manner).unwrap();
    assert_eq!(stored.forgotten, [1]);
    assert!(agent.found(&word(0)).is_empty());
    assert_eq!(agent.found(&word(1)), BTreeSet::from([stored.episodes[0].id]));
    assert_eq!(agent.found(&word(2)), BTreeSet::from([stored.episodes[1].id]));
}

#[test]
fn a_draft_has_its_own_tick_where_the_caller_counts() {
    let at = |origin: TickOrigin, episode: Episode| origin.at(9, episode, false).own_tick;
    let given = TickOrigin { is_given: true, is_counted: false };
    let counted = TickOrigin { is_given: false, is_counted: true };
    let (timed, untimed) = (episode(0, "timed"), Episode { at: 0, ..episode(0, "untimed") });
    assert!(at(given, timed.clone()));
    assert!(at(counted, untimed.clone()) && !at(counted, timed.clone()));
    assert!(!at(TickOrigin::default(), untimed) && at(TickOrigin::default(), episode(3, "with a tick")));
    assert_eq!(given.at(9, timed, false).episode.tick, 9);
}

#[test]
fn an_engine_without_stores_indexes_what_it_is_given() {
    let engine = Engine::default();
    assert!(matches!(
        engine.record(vec![draft(0)], NOW, RecordOptions::default()),
        Err(Error::InvalidInput { .. })
    ));
    let named: HashMap<Id, Arc<Episode>> = (0..3)
        .map(|number| {
            let id = Id([number as u8 + 1; 16]);
            (id, Arc::new(Episode { id, ..draft(number).episode }))
        })
        .collect();
    engine.add_episodes(named.values()).unwrap();
    assert_eq!(engine.matching(&word(1), 5).len(), 1);
    assert_eq!(engine.remove(&named.keys().copied().collect::<Vec<_>>()), 3);
    assert!(engine.matching(&word(1), 5).is_empty());
}
