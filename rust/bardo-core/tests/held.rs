//! Quarantine: an inferred fact is stored and moved by evidence, but invisible to recall until it is released.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::consolidate::{CuratorReport, CuratorSettings, LintSettings, consolidate, gaps, lint};
use bardo_core::facts::{Effects, FactFilter, FactStore, FactVectors, NewerFact, Resolution, Verdict};
use bardo_core::index::hot::HotSet;
use bardo_core::model::{Fact, FactKind, FactPayload, FactStatus, Id, Source};
use bardo_core::recall::filter::Filters;
use support::script::{Script, fingerprint, open, pass};

fn get(store: &FactStore, id: Id) -> Fact {
    store.get(&[id]).unwrap().pop().flatten().unwrap()
}

fn told(text: &str) -> Fact {
    Fact { confidence: 0.8, support: 1, ..Fact::new(FactKind::Context, text) }
}

fn inferred(text: &str) -> Fact {
    Fact { status: FactStatus::Held, ..told(text) }
}

fn add(store: &FactStore, fact: Fact, tick: u64) -> Id {
    let row = vec![0.6; 2];
    let vectors = FactVectors { rows: &[&row], fingerprint: &fingerprint() };
    store.upsert(&[fact], Some(vectors), tick, 0).unwrap()[0].0
}

/// The facts that a query of `held` may see.
fn seen(store: &FactStore, trying: Vec<Id>) -> usize {
    let mut hot = HotSet::default();
    hot.sync_facts(store).unwrap();
    Filters { trying, ..Filters::default() }.apply(&hot, (100, 1e9), None, &mut Vec::new())
}

#[test]
fn nothing_goes_by_a_held_fact() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let payload = FactPayload::CausalLink {
        cause: "oracle".into(),
        effect: "refund".into(),
        lag_ticks: 2,
        lift: 3.0,
        p_value: 0.01,
    };
    let rule = Fact { kind: FactKind::CausalLink, payload, ..inferred("A refund follows the oracle") };
    let id = add(&store, rule, 1);
    assert_eq!((get(&store, id).status, store.count_quarantined().unwrap()), (FactStatus::Held, 1));
    let active = FactFilter { status: Some(FactStatus::Active), ..FactFilter::default() };
    assert!(store.list(&active, 10).unwrap().is_empty());
    assert!(store.list(&FactFilter { as_of: Some(5), ..FactFilter::default() }, 10).unwrap().is_empty());
    assert!(store.search_text("refund", 10).unwrap().is_empty());
    assert!(store.nearest(&[0.6; 2], 10).unwrap().is_empty());
    assert_eq!(store.digest(5, 0, 10).unwrap().total, 0);
    assert_eq!(seen(&store, Vec::new()), 0);
    assert_eq!(seen(&store, vec![id]), 1, "only who tries it sees it");
    for number in 0..6 {
        add(&store, told(&format!("Sentence number {number} about things")), 2);
    }
    assert_eq!(lint(&store, 2_000, 0, LintSettings::default()).unwrap().looked, 6);
    assert!(gaps(&store).unwrap().iter().all(|gap| !gap.facts.contains(&id)));
    assert!(store.contradict(id, id, 3, 9).is_err());

    assert_eq!(store.release(&[id], 9, 0).unwrap(), (1, 0));
    assert_eq!(store.release(&[id], 10, 0).unwrap(), (0, 0), "it is in force already");
    assert_eq!((get(&store, id).status, get(&store, id).created_tick), (FactStatus::Active, 9));
    assert!(store.list(&FactFilter { as_of: Some(8), ..FactFilter::default() }, 10).unwrap().len() == 6);
    assert_eq!(store.search_text("refund", 10).unwrap().len(), 1);
    assert_eq!((seen(&store, Vec::new()), store.count_quarantined().unwrap()), (7, 0));
}

#[test]
fn a_held_fact_is_renewed_by_what_is_inferred_again_and_released_by_what_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, inferred("Gas doubles at noon"), 1);
    assert_eq!(add(&store, inferred("Gas doubles at noon"), 100), id);
    let renewed = get(&store, id);
    assert_eq!((renewed.status, renewed.support), (FactStatus::Held, 2));
    let mut script = Script::default();
    script.say(150, "Gas doubles at noon");
    pass(&store, &script, 256, 200);
    assert_eq!(get(&store, id).support, 3, "an episode comes by but once");
    let hearsay = Fact { source: Source::Testament, generation: 1, ..told("Gas doubles at noon") };
    add(&store, hearsay, 300);
    assert_eq!(get(&store, id).status, FactStatus::Held, "what others say releases nothing");
    add(&store, told("Gas doubles at noon"), 400);
    assert_eq!(get(&store, id).status, FactStatus::Active);
}

#[test]
fn a_superseded_fact_stands_until_the_held_one_is_released() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let old = add(&store, told("The port is 8080"), 1);
    let [first, second] = ["The port is 9090", "The port is 9191"]
        .map(|text| store.supersede(old, &inferred(text), 5, 0).unwrap());
    assert_eq!(get(&store, old).status, FactStatus::Active);
    store.withdraw(&[second], 6, 0).unwrap();
    assert_eq!(get(&store, old).status, FactStatus::Active, "what was withdrawn took no place");
    assert_eq!(store.release(&[first], 7, 0).unwrap(), (1, 1));
    assert_eq!(get(&store, old).ended_by.as_deref(), Some("release"));
    assert_eq!(
        (get(&store, old).status, get(&store, old).superseded_by),
        (FactStatus::Superseded, Some(first))
    );
    let then = |tick| {
        let filter = FactFilter { as_of: Some(tick), ..FactFilter::default() };
        store.list(&filter, 10).unwrap().into_iter().map(|fact| fact.id).collect::<Vec<_>>()
    };
    assert_eq!((then(6), then(7)), (vec![old], vec![first]));
    store.forget_facts(&[first]).unwrap();
    let again = get(&store, old);
    assert_eq!(again.status, FactStatus::Active, "what it alone had superseded holds again");
    assert_eq!(again.ended_by, None);
}

#[test]
fn a_verdict_of_a_held_fact_waits_for_its_release() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let old = add(&store, told("The port is 8080"), 1);
    let verdict =
        |verdict| Resolution { newer: NewerFact::InBatch(0), older: old, verdict, rule: "update".into() };
    let store_with = |text: &str, tick, given| {
        let effects = Effects { resolutions: &[verdict(given)], corrections: &[] };
        store.upsert_resolved(&[inferred(text)], None, (tick, 0), "texts", &[], effects).unwrap().0[0].0
    };
    let disputing = store_with("The port may be 7070", 4, Verdict::Disputes);
    let ending = store_with("The port is 9090", 5, Verdict::Ends { from: None });
    assert!(store.links(&[disputing]).unwrap().is_empty());
    assert_eq!((get(&store, old).status, get(&store, ending).supersedes), (FactStatus::Active, Some(old)));
    assert_eq!(store.release(&[ending], 7, 0).unwrap(), (1, 1));
    assert_eq!(get(&store, old).superseded_by, Some(ending));
}

#[test]
fn a_released_fact_is_reconciled_with_what_came_before_and_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let before = add(&store, told("The gateway's port is 8080"), 1);
    let held = add(&store, inferred("The gateway's port is 9090"), 2);
    let unrelated = add(&store, told("Mira likes coriander"), 3);
    let late = add(&store, inferred("Mira dislikes coriander"), 4);
    let after = add(&store, told("The gateway's port is now 7070"), 5);
    let mut report = pass(&store, &Script::default(), 256, 10);
    assert_eq!(report.facts_superseded, 1, "only what is in force is reconciled");
    assert_eq!(get(&store, before).superseded_by, Some(after));
    store.release(&[held, late], 20, 0).unwrap();
    report = pass(&store, &Script::default(), 256, 30);
    assert_eq!(report.facts_superseded, 1);
    assert_eq!(get(&store, held).superseded_by, Some(after), "the later statement holds");
    assert_eq!(report.facts_contradicted, 1);
    let pair = [unrelated, late].map(|id| get(&store, id).status);
    assert_eq!(pair, [FactStatus::Active; 2], "likes are disputed: neither is retired");
    report = pass(&store, &Script::default(), 256, 40);
    assert_eq!((report.facts_superseded, report.facts_contradicted), (0, 0), "once");
}

#[test]
fn a_withdrawn_fact_can_be_restored_into_force() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let worse = add(&store, inferred("Reports are reports"), 1);
    let pinned = add(&store, Fact { pinned: true, ..inferred("Never trade at noon") }, 1);
    let act = store.withdraw(&[worse, pinned], 5, 0).unwrap().unwrap();
    assert_eq!(
        [worse, pinned].map(|id| get(&store, id).status),
        [FactStatus::Archived, FactStatus::Held],
        "what is pinned is not withdrawn"
    );
    assert_eq!(get(&store, worse).ended_by.as_deref(), Some("quarantine"));
    assert_eq!(store.acts(1).unwrap()[0].name, "shadow");
    let undone = store.undo(act, 6, 0).unwrap();
    assert_eq!((undone.restored, get(&store, worse).status), (vec![worse], FactStatus::Active));
    store.undo(undone.act, 7, 0).unwrap();
    assert_eq!(get(&store, worse).status, FactStatus::Archived);
    assert_eq!(store.withdraw(&[worse], 8, 0).unwrap(), None, "nothing is held");
}

#[test]
fn births_that_are_taken_back_are_archived_while_they_are_held() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.upsert_with_counters(&[inferred("Gas doubles at noon")], None, (1, 0), "texts", &[]).unwrap();
    let act = store.last_act().unwrap();
    let undone = store.undo(act, 2, 0).unwrap();
    let gone = get(&store, undone.withdrawn[0]);
    assert_eq!((gone.status, gone.ended_by.as_deref()), (FactStatus::Archived, Some("undo")));
    store.undo(undone.act, 3, 0).unwrap();
    assert_eq!(store.count_quarantined().unwrap(), 1, "it waits for its check again");
}

#[test]
fn a_held_fact_fades_and_expires_like_one_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let expiring = add(&store, Fact { expires_tick: Some(50), ..inferred("Perhaps it rains") }, 1);
    let fading = add(&store, Fact { confidence: 0.1, ..inferred("Something was said once") }, 1);
    let report: CuratorReport = consolidate(
        &store,
        &Script::default(),
        256,
        1_000_000,
        0,
        CuratorSettings { hold: true, ..CuratorSettings::default() },
    )
    .unwrap();
    assert_eq!(report.entries_pruned, 2);
    assert_eq!([expiring, fading].map(|id| get(&store, id).status), [FactStatus::Archived; 2]);
    let causes = [expiring, fading].map(|id| get(&store, id).ended_by.unwrap());
    assert_eq!(causes, ["expiry", "decay"]);
}

#[test]
fn running_statistics_are_not_held() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    for tick in 0..10 {
        script.number(tick, 1.0);
    }
    let settings = CuratorSettings { hold: true, ..CuratorSettings::default() };
    let report = consolidate(&store, &script, 256, 20, 0, settings).unwrap();
    assert_eq!((report.facts_new, store.count_quarantined().unwrap()), (1, 0));
}
