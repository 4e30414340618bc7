//! Acts of inference can be listed and undone, against a real file.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::facts::{FactStore, UndoReport};
use bardo_core::model::{Fact, FactKind, FactPayload, FactStatus, Id, Source};
use proptest::prelude::*;
use support::script::{Script, all, open, pass};

/// A fact without its episodes, which stay noted, and without its looks.
fn told(fact: &Fact) -> Fact {
    Fact { evidence: Vec::new(), mentions: 0, accessed_tick: 0, ..fact.clone() }
}

fn get(store: &FactStore, id: Id) -> Fact {
    store.get(&[id]).unwrap().pop().flatten().unwrap()
}

fn inherited(mean: f64) -> Fact {
    Fact {
        subjects: vec!["pool".into()],
        support: 200,
        confidence: 0.34,
        source: Source::Testament,
        origin: "parent".into(),
        generation: 1,
        payload: FactPayload::Baseline {
            metric: "lag".into(),
            n: 200,
            mean,
            variance: 2.0,
            min: mean - 9.0,
            max: mean + 9.0,
        },
        ..Fact::new(FactKind::Baseline, "pool.lag as the parent knew it")
    }
}

fn readings(script: &mut Script, ticks: std::ops::Range<u64>) {
    for tick in ticks {
        script.number(tick, 8.0 + (tick % 5) as f64);
    }
}

#[test]
fn a_pass_is_an_act_that_says_what_was_before_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    assert_eq!(pass(&store, &script, 256, 1).act, None, "nothing was touched");
    readings(&mut script, 0..10);
    let first = pass(&store, &script, 256, 20).act.unwrap();
    readings(&mut script, 10..20);
    let second = pass(&store, &script, 256, 40).act.unwrap();
    let acts = store.acts(10).unwrap();
    assert_eq!(
        acts.iter().map(|act| act.number).collect::<Vec<_>>(),
        [second, first],
        "the last comes first"
    );
    let fact = all(&store).pop().unwrap();
    assert_eq!((acts[1].name.as_str(), acts[1].tick, acts[1].undone_by), ("curator", 20, None));
    assert_eq!((acts[1].changes.len(), acts[1].changes[0].fact), (1, fact.id));
    assert!(acts[1].changes[0].before.is_none(), "it was born");
    let change = &acts[0].changes[0];
    let before = change.before.as_ref().unwrap();
    assert_eq!((&before["support"], &change.after["support"]), (&10.into(), &20.into()));
    assert_eq!(before.keys().collect::<Vec<_>>(), change.after.keys().collect::<Vec<_>>());
    assert!(!before.contains_key("kind"), "what did not change is not written down");
    assert_eq!(store.acts(1).unwrap().len(), 1);
}

#[test]
fn an_act_is_taken_back_and_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let claim = store.upsert(&[inherited(30.0)], None, 0, 0).unwrap()[0].0;
    let before = get(&store, claim);
    let mut script = Script::default();
    readings(&mut script, 0..100);
    let report = pass(&store, &script, 256, 100);
    assert_eq!(report.refuted, [claim]);
    let own = all(&store).into_iter().find(|fact| fact.id != claim).unwrap();
    let after = [get(&store, claim), get(&store, own.id)];
    assert_eq!(store.links(&[claim]).unwrap().len(), 2);

    let undone = store.undo(report.act.unwrap(), 110, 1).unwrap();
    assert_eq!((undone.restored, undone.withdrawn, undone.kept), (vec![claim], vec![own.id], Vec::new()));
    assert_eq!(told(&get(&store, claim)), told(&before));
    assert_eq!(get(&store, own.id).status, FactStatus::Archived);
    assert!(store.links(&[claim]).unwrap().is_empty(), "the links that it drew are gone");
    let again = store.undo(report.act.unwrap(), 111, 1).unwrap_err().to_string();
    assert!(again.contains(&format!("undone by act {}", undone.act)), "{again}");

    store.undo(undone.act, 120, 1).unwrap();
    assert_eq!([claim, own.id].map(|id| told(&get(&store, id))), after.map(|fact| told(&fact)));
    assert!(store.undo(999, 1, 1).unwrap_err().to_string().contains("no act with id 999"));
    let then = store.get_as_of(&[claim], 115).unwrap().pop().flatten().unwrap();
    assert_eq!(then.status, FactStatus::Active, "history knows that it was taken back for a while");
}

#[test]
fn an_ancestors_baseline_that_the_heirs_own_replaced_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let claim = store.upsert(&[inherited(10.0)], None, 0, 0).unwrap()[0].0;
    let before = get(&store, claim);
    let mut script = Script::default();
    readings(&mut script, 0..20);
    pass(&store, &script, 256, 20);
    readings(&mut script, 20..60);
    let report = pass(&store, &script, 256, 60);
    assert_eq!(
        (report.confirmed.as_slice(), get(&store, claim).status),
        (&[claim][..], FactStatus::Superseded)
    );
    store.undo(report.act.unwrap(), 70, 1).unwrap();
    assert_eq!(told(&get(&store, claim)), told(&before));
    let own = all(&store).into_iter().find(|fact| fact.id != claim).unwrap();
    assert_eq!((own.status, own.support, own.supersedes), (FactStatus::Active, 20, None));
}

#[test]
fn a_fact_changed_since_the_act_stays_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let claim = store.upsert(&[inherited(30.0)], None, 0, 0).unwrap()[0].0;
    let mut script = Script::default();
    readings(&mut script, 0..100);
    let act = pass(&store, &script, 256, 100).act.unwrap();
    store.weaken(&[claim], 105, 0.5).unwrap();
    let UndoReport { restored, kept, .. } = store.undo(act, 110, 1).unwrap();
    assert_eq!(restored, [claim]);
    assert_eq!(kept, [(claim, vec!["confidence".to_owned(), "reinforced_tick".to_owned()])]);
    let now = get(&store, claim);
    assert_eq!((now.status, now.expires_tick), (FactStatus::Active, None));
    assert!(now.confidence < 0.2, "the outcome that came after stands: {}", now.confidence);
}

#[test]
fn nothing_of_a_deleted_fact_is_left_in_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    readings(&mut script, 0..10);
    pass(&store, &script, 256, 20);
    let fact = all(&store).pop().unwrap();
    let needle = fact.text.clone().into_bytes();
    assert!(!store.traces(std::slice::from_ref(&needle)).unwrap().0.is_empty());
    store.forget_facts(&[fact.id]).unwrap();
    store.vacuum().unwrap();
    assert!(store.traces(&[needle]).unwrap().0.is_empty());
    assert!(store.acts(10).unwrap()[0].changes.is_empty());
}

#[test]
fn old_acts_leave_so_that_the_journal_does_not_grow_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    readings(&mut script, 0..3);
    let first = pass(&store, &script, 256, 3).act.unwrap();
    for tick in 4..1_100 {
        script.number(tick, 9.0);
        pass(&store, &script, 256, tick);
    }
    let acts = store.acts(usize::MAX).unwrap();
    assert_eq!(acts.len(), 1_024);
    assert!(store.undo(first, 2_000, 1).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law 3: nothing inferred is beyond recall.
    #[test]
    fn taking_back_every_act_leaves_what_was_known_before(
        mean in 0.0..40.0_f64, sizes in prop::collection::vec(1..40_u64, 1..6), batch in 8..64_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        store.upsert(&[inherited(mean), support::fact("gas doubles on Mondays")], None, 0, 0).unwrap();
        let before: Vec<Fact> = all(&store).iter().map(told).collect();
        let (mut script, mut tick, mut acts) = (Script::default(), 0, Vec::new());
        for size in sizes {
            readings(&mut script, tick..tick + size);
            tick += size;
            acts.extend(pass(&store, &script, batch, tick).act);
        }
        for act in acts.into_iter().rev() {
            let undone = store.undo(act, tick + 1, 1).unwrap();
            prop_assert!(undone.kept.is_empty(), "{:?}", undone.kept);
        }
        let (mut known, born): (Vec<Fact>, Vec<Fact>) =
            all(&store).into_iter().partition(|fact| before.iter().any(|old| old.id == fact.id));
        known = known.iter().map(told).collect();
        prop_assert_eq!(known, before);
        prop_assert!(born.iter().all(|fact| fact.status == FactStatus::Archived));
    }
}
