//! The input of compiled pages, and the limit of conclusions.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::consolidate::{Promotion, Rank, promoted, standing};
use bardo_core::facts::{DERIVED_KEPT, FactFilter, FactStore, Link, Relation, Retention};
use bardo_core::model::{Fact, FactKind, FactStatus, Id, Source};
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
    let digest = store.digest(0, 0, 4).unwrap();
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
    let digest = store.digest(0, 0, 10).unwrap();
    let ids: Vec<Id> = digest.facts.iter().map(|(fact, _)| fact.id).collect();
    assert_eq!((ids, digest.disputed, digest.outweighed), (vec![strong, aside], vec![strong], 1));
    assert_eq!(digest.links.len(), 1);
    // A pinned fact is never displaced.
    store.pin(&[weak], true, 0).unwrap();
    assert_eq!(store.digest(0, 0, 1).unwrap().facts[0].0.id, weak);
}

#[test]
fn expired_and_superseded_facts_are_in_no_digest() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    add(&store, Fact { expires_tick: Some(5), ..fact("until five") }, 0);
    let old = add(&store, fact("the old address"), 0);
    store.supersede(old, &fact("the new address"), 1, 2).unwrap();
    let then = store.digest(5, 0, 10).unwrap();
    assert_eq!((then.total, then.expires_tick), (2, Some(5)));
    let later = store.digest(6, 0, 10).unwrap();
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
    assert!(
        of_status(&store, FactStatus::Archived)
            .iter()
            .all(|fact| fact.ended_by.as_deref() == Some("capacity"))
    );
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
    assert_eq!(store.apply_outcome(&[id], 0.5, 100, step).unwrap(), 1);
    // Within the spacing it counts, and moves nothing.
    assert_eq!(store.apply_outcome(&[id], 1.0, 120, step).unwrap(), 0);
    assert_eq!(store.apply_outcome(&[id], 0.0, 130, step).unwrap(), 0);
    assert_eq!(store.apply_outcome(&[id], -0.2, 140, step).unwrap(), 1);
    let told = standing(&store, id, 140).unwrap().outcomes.unwrap();
    assert_eq!((told.good, told.bad, told.first_tick, told.last_tick), (2, 1, 100, 140));
    assert!((told.total - 1.3).abs() < 1e-9 && told.is_positive());
    // One that is not there: nothing is counted for the others either.
    assert!(store.apply_outcome(&[id, Id([9; 16])], 1.0, 150, step).is_err());
    assert!(store.apply_outcome(&[id], 1.5, 150, step).is_err());
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
    store.apply_outcome(&[id], 1.0, 60, store.retention()).unwrap();
    assert_eq!(rank(id, 60), Rank::Insight, "what it was made from does not confirm it");
    for byte in 4..=6_u8 {
        store.reinforce(&[id], &[Id([byte; 16])], 60 + u64::from(byte) * 50, store.retention()).unwrap();
    }
    assert_eq!(rank(id, 360), Rank::Playbook);
    assert_eq!(promoted(&store, 360, rule).unwrap()[0].fact.id, id);
    assert_eq!(rank(id, 9_000), Rank::Heuristic, "it faded");
    store.apply_outcome(&[id], -1.0, 361, store.retention()).unwrap();
    store.apply_outcome(&[id], -1.0, 362, store.retention()).unwrap();
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
        let digest = store.digest(tick, 0, limit).unwrap();
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

/// A fact that a testament handed down.
fn inherited(text: &str) -> Fact {
    Fact {
        source: Source::Testament,
        origin: "ancestor".into(),
        generation: 1,
        support: 0,
        confidence: 0.34,
        ..fact(text)
    }
}

#[test]
fn spaced_good_outcomes_make_an_inherited_fact_the_heirs_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, inherited("Wait for the night"), 0);
    let get = || store.get(&[id]).unwrap().remove(0).unwrap();
    for count in 0..40_u64 {
        store.apply_outcome(&[id], 1.0, 10, store.retention()).unwrap();
        assert_eq!(get().source, Source::Testament, "within the spacing they count once: {count}");
    }
    store.apply_outcome(&[id], 1.0, 60, store.retention()).unwrap();
    assert_eq!(get().source, Source::Testament);
    store.apply_outcome(&[id], 1.0, 110, store.retention()).unwrap();
    let earned = get();
    assert_eq!(
        (earned.source, earned.generation, earned.origin.as_str()),
        (Source::SelfLived, 0, "ancestor")
    );
    // Law 3: the state before can be asked for.
    assert_eq!(store.get_as_of(&[id], 100).unwrap().remove(0).unwrap().source, Source::Testament);
    assert!(standing(&store, id, 110).unwrap().rank(Promotion::default()) >= Rank::Heuristic);
}

#[test]
fn outcomes_that_are_negative_on_the_whole_earn_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, inherited("Wait for the night"), 0);
    for step in 0..20_u64 {
        let value = if step % 2 == 0 { 0.4 } else { -0.9 };
        store.apply_outcome(&[id], value, step * 60, store.retention()).unwrap();
        if value > 0.0 {
            // A burst of praise within the spacing outweighs nothing.
            store.apply_outcome(&[id], 1.0, step * 60 + 1, store.retention()).unwrap();
        }
    }
    let kept = store.get(&[id]).unwrap().remove(0).unwrap();
    assert_eq!((kept.source, kept.generation), (Source::Testament, 1));
}

#[test]
fn a_fact_arrives_no_surer_than_its_source_whoever_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for (source, most) in [
        (Source::SelfLived, 0.95),
        (Source::Upload, 0.95),
        (Source::Clade, 0.4),
        (Source::Testament, 0.4),
        (Source::Styx, 0.25),
        (Source::Lethe, 0.2),
        (Source::Market, 0.2),
        (Source::Dream, 0.3),
        (Source::Derived, 0.7),
    ] {
        let told = Fact { source, confidence: 0.95, ..fact(&format!("by {}", source.name())) };
        let learned = add(&store, told.clone(), 7);
        // A repetition says nothing more, and a successor starts no surer.
        store.upsert(std::slice::from_ref(&told), None, 8, 1).unwrap();
        let newer = Fact { text: format!("{} again", told.text), ..told };
        let newer = store.supersede(learned, &newer, 9, 1).unwrap();
        for id in [learned, newer] {
            let kept = store.get(&[id]).unwrap().remove(0).unwrap();
            let own = matches!(source, Source::SelfLived | Source::Upload | Source::Derived);
            assert!(own || kept.confidence <= most, "{source:?} {}", kept.confidence);
            assert_eq!(kept.expires_tick.is_some(), source == Source::Dream, "{source:?}");
        }
    }
    let generations = Fact { generation: 3, confidence: 0.95, ..fact("from afar") };
    let kept = add(&store, generations, 7);
    assert!((store.get(&[kept]).unwrap().remove(0).unwrap().confidence - 0.4).abs() < 1e-6);
}

#[test]
fn a_dream_ends_and_dreaming_it_again_neither_prolongs_nor_supports_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.set_retention(Retention { expiry_ticks: 100, ..store.retention() }).unwrap();
    let dreamt = Fact { source: Source::Dream, confidence: 0.3, support: 0, ..fact("nights may be dear") };
    let id = add(&store, Fact { expires_tick: Some(5_000), ..dreamt.clone() }, 10);
    let first = store.get(&[id]).unwrap().remove(0).unwrap();
    assert_eq!(first.expires_tick, Some(110));
    add(&store, dreamt, 90);
    let again = store.get(&[id]).unwrap().remove(0).unwrap();
    assert_eq!((again.expires_tick, again.support), (Some(110), first.support));
    assert!(again.confidence <= 0.3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn confirming_never_lowers_confidence_at_any_later_tick(
        kind in prop::sample::select(FactKind::ALL.to_vec()),
        source in prop::sample::select(Source::ALL.to_vec()),
        confidence in 0.05_f32..=1.0, support in 0..60_u32, bloodstain: bool,
        at in 1..400_u64, later in prop::collection::vec(0..20_000_u64, 1..6), by_outcomes: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let told = |text: &str| Fact {
            kind, source, confidence, support, bloodstain, generation: u32::from(source == Source::Testament), ..fact(text)
        };
        let (left, confirmed) = (add(&store, told("left alone"), 0), add(&store, told("confirmed"), 0));
        let mut tick = at;
        if by_outcomes {
            for _ in 0..3 {
                store.apply_outcome(&[confirmed], 0.5, tick, store.retention()).unwrap();
                tick += 50;
            }
        } else {
            add(&store, Fact { source: Source::SelfLived, generation: 0, confidence: 0.0, ..told("confirmed") }, at);
        }
        for after in later {
            let now = store.confidence_now(&[left, confirmed], tick + after).unwrap();
            prop_assert!(now[1].unwrap() >= now[0].unwrap() - 1e-6, "{now:?} at {}", tick + after);
        }
    }
}
