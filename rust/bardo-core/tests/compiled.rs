//! What facts are compiled from, and the conclusions that an agent may hold.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::consolidate::{Promotion, Rank, promoted, standing};
use bardo_core::index::{DERIVED_KEPT, FactFilter, FactStore, Link, Relation, Retention};
use bardo_core::model::{Fact, FactStatus, Id, Source};
use proptest::prelude::*;
use support::fact;
use support::script::open;

fn add(store: &FactStore, fact: Fact, tick: u64) -> Id {
    store.upsert(&[fact], None, tick, 1_000_000).unwrap()[0].0
}

fn filed(text: &str, category: &str, confidence: f32) -> Fact {
    Fact { category: category.into(), confidence, ..fact(text) }
}

fn derived(text: &str) -> Fact {
    Fact { source: Source::Derived, confidence: 0.99, importance: 1.0, ..fact(text) }
}

fn of_status(store: &FactStore, status: FactStatus) -> Vec<Fact> {
    store
        .list(
            &FactFilter { status: Some(status), source: Some(Source::Derived), ..FactFilter::default() },
            1_000,
        )
        .unwrap()
}

#[test]
fn a_digest_takes_the_best_of_each_category_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for (text, category, confidence) in [
        ("a1", "many/x", 0.9),
        ("a2", "many/y", 0.8),
        ("a3", "many", 0.7),
        ("b1", "few", 0.2),
        ("c1", "", 0.5),
    ] {
        add(&store, filed(text, category, confidence), 0);
    }
    let digest = store.digest(0, 4).unwrap();
    let texts: Vec<&str> = digest.facts.iter().map(|(fact, _)| fact.text.as_str()).collect();
    assert_eq!(texts, ["a1", "c1", "b1", "a2"]);
    assert_eq!(digest.total, 5);
    assert_eq!(digest.categories, [(String::new(), 1), ("few".into(), 1), ("many".into(), 3)]);
    assert_eq!(digest.learned, store.last_learned().unwrap());
}

#[test]
fn of_two_that_contradict_each_other_the_stronger_stands() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let strong = add(&store, filed("Gas doubles on Mondays", "", 0.9), 0);
    let weak = add(&store, filed("Gas halves on Mondays", "", 0.4), 0);
    let aside = add(&store, filed("The pool opens at noon", "", 0.3), 0);
    for (src, dst, relation) in [(weak, strong, Relation::Contradicts), (aside, strong, Relation::Refines)] {
        store.link(&Link { src, dst, relation, weight: 1.0, tick: 0 }).unwrap();
    }
    let digest = store.digest(0, 10).unwrap();
    let ids: Vec<Id> = digest.facts.iter().map(|(fact, _)| fact.id).collect();
    assert_eq!((ids, digest.disputed, digest.outweighed), (vec![strong, aside], vec![strong], 1));
    assert_eq!(digest.links.len(), 1);
    // What is pinned gives way to nobody.
    store.pin(&[weak], true, 0).unwrap();
    assert_eq!(store.digest(0, 1).unwrap().facts[0].0.id, weak);
}

#[test]
fn what_expired_or_is_history_is_in_no_digest() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    add(&store, Fact { expires_tick: Some(5), ..fact("until five") }, 0);
    let old = add(&store, fact("the old address"), 0);
    store.supersede(old, &fact("the new address"), 1, 2).unwrap();
    let then = store.digest(5, 10).unwrap();
    assert_eq!((then.total, then.expires_tick), (2, Some(5)));
    let later = store.digest(6, 10).unwrap();
    assert_eq!((later.total, later.expires_tick), (1, None));
    assert_eq!(later.facts[0].0.text, "the new address");
}

#[test]
fn a_conclusion_starts_at_seven_tenths_whatever_is_said_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, derived("Mondays are dear"), 3);
    let stored = store.get(&[id]).unwrap().remove(0).unwrap();
    assert_eq!((stored.confidence, stored.importance), (0.7, 0.4));
    let newer = store.supersede(id, &derived("Mondays were dear"), 4, 1).unwrap();
    assert!((store.get(&[newer]).unwrap().remove(0).unwrap().confidence - 0.7).abs() < 1e-6);
}

#[test]
fn the_oldest_conclusion_leaves_first_and_is_kept_as_history() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let pinned = add(&store, Fact { pinned: true, ..derived("the first of all") }, 0);
    let own = add(&store, fact("not a conclusion"), 0);
    let kept = u64::try_from(DERIVED_KEPT).unwrap();
    let ids: Vec<Id> =
        (1..=kept + 4).map(|tick| add(&store, derived(&format!("conclusion {tick}")), tick)).collect();
    assert_eq!(of_status(&store, FactStatus::Active).len() as u64, kept);
    let left: Vec<Id> = of_status(&store, FactStatus::Archived).iter().map(|fact| fact.id).collect();
    let mut oldest = ids[..5].to_vec();
    oldest.sort_unstable();
    assert_eq!(left, oldest);
    for id in [pinned, own] {
        assert_eq!(store.get(&[id]).unwrap().remove(0).unwrap().status, FactStatus::Active);
    }
    // Law 3: it can be asked for as of a tick.
    assert_eq!(store.get_as_of(&[ids[0]], 2).unwrap().remove(0).unwrap().status, FactStatus::Active);
}

#[test]
fn outcomes_are_counted_and_move_what_was_acted_on_in_one_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, Fact { confidence: 0.5, ..fact("Wait for the night") }, 0);
    let step = store.retention();
    assert_eq!(store.judge(&[id], 0.5, 100, step).unwrap(), 1);
    // Within the spacing it counts, and moves nothing.
    assert_eq!(store.judge(&[id], 1.0, 120, step).unwrap(), 0);
    assert_eq!(store.judge(&[id], 0.0, 130, step).unwrap(), 0);
    assert_eq!(store.judge(&[id], -0.2, 140, step).unwrap(), 1);
    let told = standing(&store, id, 140).unwrap().outcomes.unwrap();
    assert_eq!((told.good, told.bad, told.first_tick, told.last_tick), (2, 1, 100, 140));
    assert!((told.total - 1.3).abs() < 1e-9 && told.is_positive());
    // One that is not there: nothing is counted for the others either.
    assert!(store.judge(&[id, Id([9; 16])], 1.0, 150, step).is_err());
    assert!(store.judge(&[id], 1.5, 150, step).is_err());
    assert_eq!(standing(&store, id, 150).unwrap().outcomes, Some(told));
    store.forget_facts(&[id]).unwrap();
    assert!(promoted(&store, 150, Promotion::default()).unwrap().is_empty());
}

#[test]
fn the_rank_of_a_fact_follows_from_what_is_stored_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let rule = Promotion::default();
    let rank = |id, tick| standing(&store, id, tick).unwrap().rank(rule);
    let evidence: Vec<Id> = (1..=3).map(|byte| Id([byte; 16])).collect();
    store.set_retention(Retention { tau_ticks: 5_000.0, ..store.retention() }).unwrap();
    let id = add(&store, Fact { confidence: 0.8, evidence, ..fact("Wait for the night") }, 10);
    assert_eq!(rank(id, 10), Rank::Insight);
    store.judge(&[id], 1.0, 60, store.retention()).unwrap();
    assert_eq!(rank(id, 60), Rank::Insight, "what it was made from does not confirm it");
    for byte in 4..=6_u8 {
        store.reinforce(&[id], &[Id([byte; 16])], 60 + u64::from(byte) * 50, store.retention()).unwrap();
    }
    assert_eq!(rank(id, 360), Rank::Playbook);
    assert_eq!(promoted(&store, 360, rule).unwrap()[0].fact.id, id);
    assert_eq!(rank(id, 9_000), Rank::Heuristic, "it faded");
    store.judge(&[id], -1.0, 361, store.retention()).unwrap();
    store.judge(&[id], -1.0, 362, store.retention()).unwrap();
    assert_eq!(rank(id, 362), Rank::Insight, "acting on it did harm on the whole");
    let dreamt =
        add(&store, Fact { source: Source::Dream, support: 9, ..fact("What if the night is dear?") }, 10);
    assert_eq!(rank(dreamt, 400), Rank::Observation);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_digest_counts_every_fact_once_and_shows_none_twice(
        filed_under in prop::collection::vec(("[a-c](/[xy])?", 0.0_f32..1.0, any::<bool>()), 0..40),
        limit in 0_usize..50,
        tick in 0_u64..2_000,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        for (number, (category, confidence, pinned)) in filed_under.iter().enumerate() {
            add(&store, Fact { pinned: *pinned, ..filed(&format!("fact {number}"), category, *confidence) }, 0);
        }
        let digest = store.digest(tick, limit).unwrap();
        prop_assert_eq!(digest.total, filed_under.len());
        prop_assert_eq!(digest.categories.iter().map(|(_, count)| count).sum::<usize>(), filed_under.len());
        prop_assert_eq!(digest.facts.len(), limit.min(filed_under.len()));
        let mut ids: Vec<Id> = digest.facts.iter().map(|(fact, _)| fact.id).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), digest.facts.len());
        for (fact, sure) in &digest.facts {
            prop_assert_eq!(Some(*sure), store.confidence_now(&[fact.id], tick).unwrap()[0]);
        }
    }
}
