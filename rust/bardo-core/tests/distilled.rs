//! State that text extraction keeps with the facts: its watermark, the known facts, and the answers of a model.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::Error;
use bardo_core::facts::{CounterUpdate, FactStore, FactVectors, UpsertOutcome};
use bardo_core::model::{Fact, Fingerprint};
use proptest::prelude::*;
use support::fact;
use support::script::open;

fn mark(name: &str, value: i64) -> CounterUpdate {
    CounterUpdate::Mark(name.into(), value)
}

fn number(store: &FactStore, name: &str) -> i64 {
    store.stats().unwrap().into_iter().find(|(key, _)| key == name).unwrap().1
}

#[test]
fn a_reader_finds_how_far_it_has_come_when_it_opens_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    assert_eq!(store.mark("arrivals").unwrap(), 0);
    store
        .upsert_with_counters(
            &[fact("a")],
            None,
            (1, 1),
            "texts",
            &[mark("arrivals", 7), mark("verified", 3)],
        )
        .unwrap();
    store.upsert_with_counters(&[], None, (2, 2), "texts", &[mark("arrivals", 9)]).unwrap();
    drop(store);
    let store = open(folder.path());
    assert_eq!((store.mark("arrivals").unwrap(), store.mark("verified").unwrap()), (9, 3));
}

#[test]
fn a_mark_is_not_moved_by_facts_that_were_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let wrong = Fact { confidence: 7.0, ..fact("a") };
    assert!(matches!(
        store.upsert_with_counters(&[wrong], None, (1, 1), "texts", &[mark("arrivals", 7)]),
        Err(Error::InvalidInput { .. })
    ));
    assert_eq!(store.mark("arrivals").unwrap(), 0);
}

#[test]
fn only_answers_of_a_model_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let notes = [CounterUpdate::Answered("new".into(), 2), CounterUpdate::Answered("duplicate".into(), 1)];
    for _ in 0..2 {
        store.upsert_with_counters(&[], None, (1, 1), "texts", &notes).unwrap();
    }
    assert_eq!(number(&store, "upsert_llm_new"), 4);
    assert_eq!(number(&store, "upsert_llm_duplicate"), 2);
    assert_eq!(number(&store, "upsert_llm_update"), 0);
    let change = number(&store, "change");
    assert!(
        store
            .upsert_with_counters(&[], None, (1, 1), "texts", &[CounterUpdate::Answered("change".into(), 1)])
            .is_err()
    );
    assert_eq!(number(&store, "change"), change);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_known_fact_is_one_that_an_upsert_renews(
        stored in proptest::collection::vec(("[ab]{1,3}", 0_u8..4), 0..6),
        offered in proptest::collection::vec(("[ab]{1,3}", 0_u8..4), 1..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let fingerprint = Fingerprint {
            model: "m".into(), version: "1".into(), preprocessing: "none".into(), dims: 2, created: 0,
        };
        let row = |angle: u8| {
            let angle = f32::from(angle) * 0.2;
            vec![angle.cos(), angle.sin()]
        };
        let upsert = |(text, angle): &(String, u8)| {
            let rows = row(*angle);
            let vectors = FactVectors { rows: &[&rows], fingerprint: &fingerprint };
            store.upsert(&[fact(text)], Some(vectors), 1, 1).unwrap()[0]
        };
        for each in &stored {
            upsert(each);
        }
        for each in &offered {
            let rows = row(each.1);
            let vectors = FactVectors { rows: &[&rows], fingerprint: &fingerprint };
            let known = store.known(&[fact(&each.0)], Some(vectors), 1).unwrap()[0];
            let (id, outcome) = upsert(each);
            prop_assert_eq!(known.is_none(), outcome == UpsertOutcome::New);
            prop_assert!(known.is_none_or(|known| known == id));
        }
    }
}
