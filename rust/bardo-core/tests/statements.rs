//! Statements with slots: replacement by rule, denials, bounds of time, verdicts on older facts, and their undo.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

use bardo_core::facts::{
    ActCounts, Actor, Effects, EndCause, FactFilter, FactOptions, FactStore, NewerFact, Resolution,
    Retention, Verdict,
};
use bardo_core::model::{Fact, FactKind, FactStatus, Id, Persistence, Source, Statement};
use proptest::prelude::*;

const NOW: i64 = 1_760_000_000_000_000;

fn store() -> (tempfile::TempDir, FactStore) {
    let folder = tempfile::tempdir().unwrap();
    let options = FactOptions {
        agent: "tester".into(),
        seed: 1,
        now: 0,
        create: true,
        retention: Retention::default(),
    };
    let store = FactStore::open(&folder.path().join("facts.db"), &options).unwrap();
    (folder, store)
}

fn statement(subject: &str, attribute: &str, value: &str) -> Statement {
    Statement {
        subject: subject.into(),
        attribute: attribute.into(),
        value: value.into(),
        functional: true,
        ..Statement::default()
    }
}

fn fact(statement: Statement) -> Fact {
    let text =
        format!("{} {} {} {}", statement.subject, statement.attribute, statement.denied, statement.value);
    Fact { confidence: 0.8, statement: Some(statement), ..Fact::new(FactKind::Context, text) }
}

fn learn(store: &FactStore, statement: Statement, tick: u64) -> Id {
    store.upsert(&[fact(statement)], None, tick, NOW + tick.cast_signed()).unwrap()[0].0
}

fn get(store: &FactStore, id: Id) -> Fact {
    store.get(&[id]).unwrap()[0].clone().unwrap()
}

#[test]
fn a_new_value_of_a_functional_attribute_ends_the_old_one_in_the_same_transaction() {
    let (_folder, store) = store();
    let old = learn(&store, statement("deploy target", "environment", "production"), 1);
    let new = learn(&store, statement("The deploy target", "Environment", "staging"), 2);
    let ended = get(&store, old);
    assert_eq!((ended.status, ended.superseded_by), (FactStatus::Superseded, Some(new)));
    assert_eq!(ended.ended_by.as_deref(), Some(EndCause::Slot.name()));
    assert_eq!(ended.statement.unwrap().until, Some(NOW + 2));
    assert_eq!(get(&store, new).status, FactStatus::Active);
    // The record of what was known remains.
    let before = FactFilter { as_of: Some(1), ..FactFilter::default() };
    assert_eq!(store.list(&before, 10).unwrap()[0].id, old);
}

#[test]
fn a_value_of_an_additive_attribute_or_another_case_ends_nothing() {
    let (_folder, store) = store();
    let additive = |value| Statement { functional: false, ..statement("nadia", "allergy", value) };
    let walnuts = learn(&store, additive("walnuts"), 1);
    learn(&store, additive("eggs"), 2);
    let breakfast = |value| Statement { condition: "breakfast".into(), ..statement("nadia", "dose", value) };
    let dose = learn(&store, statement("nadia", "dose", "12 units"), 3);
    learn(&store, breakfast("8 units"), 4);
    for id in [walnuts, dose] {
        assert_eq!(get(&store, id).status, FactStatus::Active);
    }
}

#[test]
fn a_denial_ends_what_it_denies_and_is_kept() {
    let (_folder, store) = store();
    let additive =
        |value: &str, denied| Statement { functional: false, denied, ..statement("nadia", "allergy", value) };
    let walnuts = learn(&store, additive("walnuts", false), 1);
    let eggs = learn(&store, additive("eggs", false), 2);
    let denial = learn(&store, additive("walnuts", true), 3);
    assert_eq!(get(&store, walnuts).status, FactStatus::Superseded);
    assert_eq!(get(&store, eggs).status, FactStatus::Active);
    assert_eq!(get(&store, denial).status, FactStatus::Active);
    // Said again, it holds, and the denial is history.
    let again = learn(&store, additive("walnuts", false), 4);
    assert_eq!(get(&store, denial).status, FactStatus::Superseded);
    assert_eq!(get(&store, again).status, FactStatus::Active);
}

#[test]
fn a_statement_of_the_future_bounds_the_present_one_in_either_order() {
    for future_first in [false, true] {
        let (_folder, store) = store();
        let start = NOW + 1_000_000;
        let future = Statement { since: Some(start), ..statement("nadia", "home", "Porto") };
        let present = statement("nadia", "home", "Bern");
        let (first, second) = if future_first { (future, present) } else { (present, future) };
        let (first, second) = (learn(&store, first, 1), learn(&store, second, 2));
        let (porto, bern) = if future_first { (first, second) } else { (second, first) };
        for id in [porto, bern] {
            assert_eq!(get(&store, id).status, FactStatus::Active, "future first: {future_first}");
        }
        assert_eq!(get(&store, bern).statement.unwrap().until, Some(start));
    }
}

#[test]
fn a_statement_of_a_time_that_is_over_enters_as_history() {
    let (_folder, store) = store();
    let home = learn(&store, statement("nadia", "home", "Porto"), 5);
    let past = Statement { until: Some(NOW - 10), ..statement("nadia", "home", "Bern") };
    let past = learn(&store, past, 6);
    assert_eq!(get(&store, home).status, FactStatus::Active);
    let past = get(&store, past);
    assert_eq!(
        (past.status, past.ended_by.as_deref()),
        (FactStatus::Superseded, Some(EndCause::Until.name()))
    );
}

#[test]
fn a_pinned_fact_is_disputed_and_hearsay_ends_no_own_knowledge() {
    let (_folder, store) = store();
    let pinned = Fact { pinned: true, ..fact(statement("api", "port", "8080")) };
    let pinned = store.upsert(&[pinned], None, 1, NOW).unwrap()[0].0;
    learn(&store, statement("api", "port", "9090"), 2);
    assert_eq!(get(&store, pinned).status, FactStatus::Active);
    assert!(store.links(&[pinned]).unwrap().iter().any(|link| link.relation.name() == "contradicts"));
    let own = learn(&store, statement("db", "host", "pg-04"), 3);
    let heard = Fact { source: Source::Testament, generation: 1, ..fact(statement("db", "host", "pg-02")) };
    store.upsert(&[heard], None, 4, NOW).unwrap();
    assert_eq!(get(&store, own).status, FactStatus::Active);
}

#[test]
fn a_verdict_ends_or_disputes_an_older_fact_and_an_undo_takes_it_back() {
    let (_folder, store) = store();
    let text = |text: &str| Fact { confidence: 0.8, ..Fact::new(FactKind::Context, text) };
    let old = store.upsert(&[text("The gym days are Monday and Thursday")], None, 1, NOW).unwrap()[0].0;
    let other = store.upsert(&[text("The club meets on Mondays")], None, 1, NOW).unwrap()[0].0;
    let verdict =
        |older, verdict| Resolution { newer: NewerFact::InBatch(0), older, verdict, rule: "now".into() };
    let (_, counts) = store
        .upsert_resolved(
            &[text("The gym days are Tuesday and Friday now")],
            None,
            (2, NOW + 1),
            "texts",
            &[],
            Effects {
                resolutions: &[verdict(old, Verdict::Ends { from: None }), verdict(other, Verdict::Disputes)],
                corrections: &[],
            },
        )
        .unwrap();
    assert_eq!((counts.superseded, counts.disputed), (1, 1));
    assert_eq!(counts.act, Some(store.last_act().unwrap()));
    assert_eq!(get(&store, old).ended_by.as_deref(), Some("now"));
    assert_eq!(get(&store, other).status, FactStatus::Active);
    store.undo(store.last_act().unwrap(), 3, NOW + 2).unwrap();
    assert_eq!(get(&store, old).status, FactStatus::Active);
    assert_eq!(get(&store, old).ended_by, None);
    assert!(store.links(&[other]).unwrap().is_empty());
}

#[test]
fn a_statement_whose_replacement_is_deleted_has_the_end_that_it_had_before() {
    let (_folder, store) = store();
    let own_end = Some(NOW + 900);
    let bern = learn(&store, Statement { until: own_end, ..statement("nadia", "home", "Bern") }, 1);
    let porto = learn(&store, statement("nadia", "home", "Porto"), 2);
    assert_eq!(get(&store, bern).statement.unwrap().until, Some(NOW + 2));
    store.forget_facts(&[porto]).unwrap();
    let again = get(&store, bern);
    assert_eq!((again.status, again.ended_by, again.superseded_by), (FactStatus::Active, None, None));
    assert_eq!(again.statement.unwrap().until, own_end);
}

#[test]
fn a_rule_with_the_name_of_another_cause_of_an_end_is_refused() {
    let (_folder, store) = store();
    let old = learn(&store, statement("db", "host", "pg-02"), 1);
    for name in ["slot", "expiry", ""] {
        let newer = NewerFact::Stored(old);
        let rule = Resolution { newer, older: old, verdict: Verdict::Ends { from: None }, rule: name.into() };
        let effects = Effects { resolutions: &[rule], corrections: &[] };
        let refused = store.upsert_resolved(&[], None, (2, NOW), "texts", &[], effects);
        assert!(refused.unwrap_err().to_string().contains("is not the name of a reader's rule"));
    }
}

#[test]
fn corrections_of_a_deleted_episode_are_deleted() {
    let (_folder, store) = store();
    let (older, newer) = (Id([1; 16]), Id([2; 16]));
    store
        .upsert_resolved(
            &[],
            None,
            (1, NOW),
            "texts",
            &[],
            Effects { resolutions: &[], corrections: &[(newer, older, 1.0)] },
        )
        .unwrap();
    assert_eq!(store.links(&[older]).unwrap().len(), 1);
    store.forget_episodes(&[newer]).unwrap();
    assert!(store.links(&[older]).unwrap().is_empty());
}

#[test]
fn a_description_settles_the_slot_of_a_sentence_once() {
    let (_folder, store) = store();
    let learned = |text: &str, tick| {
        let fact = Fact { confidence: 0.7, ..Fact::new(FactKind::Insight, text) };
        store.upsert(&[fact], None, tick, NOW).unwrap()[0].0
    };
    let actor = |tick| Actor { name: "texts", tick, now: NOW };
    let mut counts = ActCounts::default();
    let (bern, porto) = (learned("Nadia lives in Bern", 1), learned("Nadia lives in Porto", 2));
    for (id, value) in [(bern, "Bern"), (porto, "Porto")] {
        let found = statement("nadia", "home", value);
        counts = store.describe(id, Some(&found), Some(Persistence::Years), actor(3)).unwrap();
    }
    assert_eq!(get(&store, bern).status, FactStatus::Superseded);
    assert_eq!(get(&store, porto).persistence, Some(Persistence::Years));
    assert_eq!((counts.superseded, counts.act), (1, Some(store.last_act().unwrap())));
    store.describe(porto, Some(&statement("nadia", "home", "Rome")), None, actor(4)).unwrap();
    assert_eq!(get(&store, porto).statement.unwrap().value, "Porto");
    store.undo(counts.act.unwrap(), 5, NOW).unwrap();
    assert_eq!((get(&store, bern).status, get(&store, bern).ended_by), (FactStatus::Active, None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A slot of a functional attribute holds at most one value in force, in any order of statements.
    #[test]
    fn law_3_a_functional_slot_has_one_value_and_loses_no_record(
        said in prop::collection::vec((0..2_u8, 0..4_u8, any::<bool>()), 1..16),
    ) {
        let (_folder, store) = store();
        let mut ids = std::collections::BTreeSet::new();
        for (tick, (subject, value, denied)) in (1..).zip(said) {
            let subject = ["api", "db"][usize::from(subject)];
            let value = ["8080", "9090", "5432", "6432"][usize::from(value)];
            ids.insert(learn(&store, Statement { denied, ..statement(subject, "port", value) }, tick));
        }
        for subject in ["api", "db"] {
            let found = store.of_subject(subject, 100).unwrap();
            let held = found.iter().filter(|fact| !fact.statement.as_ref().unwrap().denied).count();
            prop_assert!(held <= 1, "{found:?}");
        }
        prop_assert!(ids.iter().all(|id| store.get(&[*id]).unwrap()[0].is_some()));
    }
}
