//! Facts as they were, and deleting what was derived, against a real file.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;

use bardo_core::facts::{ClockLeap, FactFilter, FactOptions, FactStore, Link, Relation, Retention};
use bardo_core::model::{Fact, FactStatus, Id, Source};
use proptest::prelude::*;
use support::fact;

fn open(folder: &std::path::Path) -> FactStore {
    let options = FactOptions {
        agent: "tester".into(),
        seed: 7,
        now: 1,
        create: true,
        retention: Retention::default(),
    };
    FactStore::open(&folder.join("facts.db"), &options).unwrap()
}

fn add(store: &FactStore, fact: Fact, tick: u64) -> Id {
    store.upsert(&[fact], None, tick, 1_000_000).unwrap()[0].0
}

fn everything(store: &FactStore) -> Vec<Fact> {
    store.list(&FactFilter::default(), 1_000).unwrap()
}

/// A fact without the fields that have no history.
fn told(fact: &Fact) -> Fact {
    Fact { mentions: 0, accessed_tick: 0, ..fact.clone() }
}

#[derive(Clone, Debug)]
enum Act {
    Learn(u8),
    Reinforce(usize),
    Weaken(usize),
    Pin(usize),
    Contradict(usize, usize),
    Supersede(usize),
    Touch(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let which = 0..8_usize;
    prop_oneof![
        3 => (0..6_u8).prop_map(Act::Learn),
        3 => which.clone().prop_map(Act::Reinforce),
        2 => which.clone().prop_map(Act::Weaken),
        1 => which.clone().prop_map(Act::Pin),
        2 => (which.clone(), which.clone()).prop_map(|(a, b)| Act::Contradict(a, b)),
        2 => which.clone().prop_map(Act::Supersede),
        1 => which.prop_map(Act::Touch),
    ]
}

fn perform(store: &FactStore, act: &Act, tick: u64, serial: usize) {
    let facts = everything(store);
    let id = |index: usize| facts.get(index % facts.len().max(1)).map(|fact| fact.id);
    match *act {
        Act::Learn(number) => {
            let subjects = vec![format!("subject {serial}")];
            add(store, Fact { subjects, ..fact(&format!("fact {number}")) }, tick);
        }
        Act::Reinforce(index) => {
            if let Some(id) = id(index) {
                let evidence = [Id([serial as u8 + 1; 16])];
                store.reinforce(&[id], &evidence, tick, Retention::default()).unwrap();
            }
        }
        Act::Weaken(index) => {
            id(index).map(|id| store.weaken(&[id], tick, 0.2).unwrap());
        }
        Act::Pin(index) => {
            if let Some(id) = id(index) {
                store.pin(&[id], serial.is_multiple_of(2), tick).unwrap();
            }
        }
        Act::Contradict(a, b) => {
            if let (Some(a), Some(b)) = (id(a), id(b))
                && a != b
            {
                // Refused for history.
                let _ = store.contradict(a, b, tick, tick + 100);
            }
        }
        Act::Supersede(index) => {
            if let Some(id) = id(index) {
                // Refused where it was superseded already.
                let _ = store.supersede(id, &fact(&format!("newer {serial}")), tick, 1);
            }
        }
        Act::Touch(index) => {
            if let Some(id) = id(index) {
                store.touch(&[id], tick).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_fact_reads_back_as_it_was_at_every_tick(
        steps in prop::collection::vec((act(), 0..40_u64), 1..30)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let mut model: BTreeMap<u64, Vec<Fact>> = BTreeMap::new();
        let mut tick = 1;
        for (serial, (act, pause)) in steps.iter().enumerate() {
            tick += pause;
            perform(&store, act, tick, serial);
            model.insert(tick, everything(&store));
        }
        for (tick, expected) in &model {
            let ids: Vec<Id> = expected.iter().map(|fact| fact.id).collect();
            let then = store.get_as_of(&ids, *tick).unwrap();
            let then: Vec<Fact> = then.iter().flatten().map(told).collect();
            prop_assert_eq!(&then, &expected.iter().map(told).collect::<Vec<_>>(), "at tick {}", tick);
            let filter = FactFilter { as_of: Some(*tick), ..FactFilter::default() };
            let listed: Vec<Fact> = store.list(&filter, 1_000).unwrap().iter().map(told).collect();
            let in_force = |fact: &&Fact| {
                fact.expires_tick.is_none_or(|expires| expires >= *tick)
                    && matches!(fact.status, FactStatus::Active | FactStatus::Contradicted)
            };
            let expected: Vec<Fact> = expected.iter().filter(in_force).map(told).collect();
            prop_assert_eq!(listed, expected, "in force at tick {}", tick);
        }
        for fact in everything(&store) {
            let states = store.states(fact.id).unwrap();
            for state in states.iter().filter(|state| state.fact.id == fact.id) {
                let then = store.get_as_of(&[fact.id], state.from_tick).unwrap().remove(0).unwrap();
                prop_assert_eq!(Fact { evidence: Vec::new(), ..told(&then) },
                    Fact { evidence: Vec::new(), ..told(&state.fact) });
            }
        }
    }
}

#[test]
fn a_page_of_the_past_goes_on_after_the_last_id() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for number in 0..7 {
        let id = add(&store, fact(&format!("fact {number}")), 10);
        store.supersede(id, &fact(&format!("newer {number}")), 20, 1).unwrap();
    }
    let mut filter = FactFilter { as_of: Some(15), ..FactFilter::default() };
    let mut texts = Vec::new();
    loop {
        let page = store.list(&filter, 2).unwrap();
        let Some(last) = page.last() else { break };
        filter.after = Some(last.id);
        texts.extend(page.into_iter().map(|fact| fact.text));
    }
    texts.sort();
    assert_eq!(texts, (0..7).map(|number| format!("fact {number}")).collect::<Vec<_>>());
}

#[test]
fn looking_at_a_fact_makes_no_history() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, fact("watched"), 1);
    for tick in 2..50 {
        store.touch(&[id], tick).unwrap();
    }
    assert_eq!(store.states(id).unwrap().len(), 1);
}

#[test]
fn an_inherited_fact_falls_by_the_doubled_step_when_contradicted_and_a_pinned_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let handed = Fact { source: Source::Testament, generation: 1, confidence: 0.34, ..fact("the fee is 30") };
    let inherited = add(&store, handed, 0);
    let own = add(&store, Fact { confidence: 0.9, ..fact("the fee is 25") }, 0);
    assert_eq!(store.contradict(inherited, own, 0, 14).unwrap(), inherited);
    let lowered = store.get(&[inherited]).unwrap().remove(0).unwrap();
    assert!((lowered.confidence - 0.34 * 0.8).abs() < 1e-6, "{lowered:?}");
    let pinned = add(&store, Fact { confidence: 0.1, pinned: true, ..fact("never use mainnet keys") }, 0);
    assert_eq!(store.contradict(pinned, own, 0, 14).unwrap(), own);
}

#[test]
fn facts_supported_by_deleted_episodes_alone_are_deleted_with_all_their_traces() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (first, second) = (Id([1; 16]), Id([2; 16]));
    let behind = |text: &str, evidence: &[Id]| Fact { evidence: evidence.to_vec(), ..fact(text) };
    let alone = add(&store, behind("the zanzibar account pays late", &[first]), 1);
    store.weaken(&[alone], 2, 0.1).unwrap();
    let newer = store.supersede(alone, &behind("the zanzibar account pays never", &[first]), 3, 1).unwrap();
    let shared = add(&store, behind("gas peaks at noon", &[first, second]), 1);
    let taught = add(&store, fact("water is wet"), 1);
    store
        .link(&Link { src: newer, dst: shared, relation: Relation::Supports, weight: 1.0, tick: 3 })
        .unwrap();

    let forgotten = store.forget_episodes(&[first]).unwrap();
    assert_eq!((forgotten.facts, forgotten.kept), (vec![alone, newer], vec![shared]));
    let left: Vec<Id> = everything(&store).iter().map(|fact| fact.id).collect();
    assert_eq!(left, [shared, taught]);
    let kept = store.get(&[shared]).unwrap().remove(0).unwrap();
    assert_eq!((kept.evidence, kept.support), (vec![second], 1));
    assert!(store.links(&[shared]).unwrap().is_empty());
    assert!(store.search_text("zanzibar", 5).unwrap().is_empty());
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(8).any(|window| window == b"zanzibar"));
    }
    assert_eq!(store.forget_episodes(&[first]).unwrap(), bardo_core::facts::DeletionReport::default());
    assert_eq!(store.forget_facts(&[taught]).unwrap().facts, [taught]);
    assert_eq!(everything(&store).len(), 1);
}

#[test]
fn a_leap_that_is_taken_back_moves_what_was_known_before_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let ending = |text: &str, end| Fact { expires_tick: Some(end), ..fact(text) };
    let before = add(&store, ending("the tide turns twice", 180), 90);
    let weakened = add(&store, ending("the fee is 25", 250), 90);
    store.weaken(&[weakened], 1_000, 0.2).unwrap();
    let meanwhile = add(&store, ending("the moon is rock", 1_020), 1_000);

    let leap = ClockLeap { through: 100, by: 900, tick: 1_000 };
    assert_eq!(store.rebase(leap, "clock.offset", 900).unwrap(), 2);
    assert_eq!(store.mark("clock.offset").unwrap(), 900);
    let now = |id| {
        let fact = store.get(&[id]).unwrap().remove(0).unwrap();
        (fact.created_tick, fact.reinforced_tick, fact.expires_tick)
    };
    assert_eq!(now(before), (90, 990, Some(1_080)));
    assert_eq!(now(weakened), (90, 1_000, Some(1_150)));
    assert_eq!(now(meanwhile), (1_000, 1_000, Some(1_020)));
    let then = store.get_as_of(&[before], 500).unwrap().remove(0).unwrap();
    assert_eq!((then.reinforced_tick, then.expires_tick), (90, Some(180)));
}
