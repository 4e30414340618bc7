//! Keeping facts in order: what becomes one, what leaves, what is filed, and that it is done once and can be taken back.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::consolidate::{LintReport, LintSettings, lint, rehearse_lint};
use bardo_core::facts::{FactFilter, FactOptions, FactStore, FactVectors, Link, Relation, Retention};
use bardo_core::model::{Fact, FactKind, FactPayload, FactStatus, Fingerprint, Id, Source};
use proptest::prelude::*;
use support::fact;

const DAY: u64 = 1_440;

fn open(folder: &tempfile::TempDir) -> FactStore {
    let options = FactOptions {
        agent: "tester".into(),
        seed: 7,
        now: 1,
        create: true,
        retention: Retention { tau_ticks: 1e6, ..Retention::default() },
    };
    FactStore::open(&folder.path().join("facts.db"), &options).unwrap()
}

fn add(store: &FactStore, fact: Fact, tick: u64) -> Id {
    store.upsert(&[fact], None, tick, 1_000_000).unwrap()[0].0
}

/// Facts with directions of their own in the plane, in degrees.
fn add_with_angles(store: &FactStore, facts: Vec<(Fact, f32)>) -> Vec<Id> {
    let model = Fingerprint {
        model: "toy".into(),
        version: "1".into(),
        preprocessing: "none".into(),
        dims: 2,
        created: 0,
    };
    facts
        .into_iter()
        .map(|(fact, angle)| {
            let (sine, cosine) = angle.to_radians().sin_cos();
            let row: &[f32] = &[cosine, sine];
            let vectors = FactVectors { rows: &[row], fingerprint: &model };
            store.upsert(&[fact], Some(vectors), 0, 1).unwrap()[0].0
        })
        .collect()
}

fn get(store: &FactStore, id: Id) -> Fact {
    store.get(&[id]).unwrap().remove(0).unwrap()
}

fn filler(store: &FactStore) {
    for text in ["Apples ripen in autumn", "Boats need varnish", "Clocks drift", "Drums echo", "Eels migrate"]
    {
        add(store, fact(text), 0);
    }
}

fn run(store: &FactStore, tick: u64) -> LintReport {
    lint(store, tick, 9, LintSettings::default()).unwrap()
}

#[test]
fn with_fewer_than_five_facts_nothing_is_put_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    add(&store, filed("The north venue is cheaper at night", "a"), 0);
    add(&store, filed("At night the north venue is cheaper", "b"), 0);
    assert_eq!(run(&store, 1), LintReport::default());
    filler(&store);
    assert_eq!(run(&store, 1).merged.len(), 1);
}

fn filed(text: &str, category: &str) -> Fact {
    Fact { category: category.into(), ..fact(text) }
}

#[test]
fn duplicates_become_the_one_that_says_more_with_all_that_was_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    filler(&store);
    let shared = Id([1; 16]);
    let brief = Fact {
        support: 4,
        evidence: vec![shared, Id([2; 16])],
        confidence: 0.9,
        subjects: vec!["gas".into()],
        ..filed("Gas on the north venue doubles on Mondays", "costs")
    };
    let full = Fact {
        support: 2,
        evidence: vec![shared, Id([3; 16])],
        confidence: 0.6,
        subjects: vec!["gas".into(), "north".into()],
        ..filed("On Mondays gas on the north venue doubles before noon", "")
    };
    let (brief, full) = (add(&store, brief, 0), add(&store, full, 0));
    let other = add(&store, fact("The keeper refills at dawn"), 0);
    store.link(&Link { src: brief, dst: other, relation: Relation::Causes, weight: 0.5, tick: 0 }).unwrap();
    store.apply_outcome(&[brief], 0.5, 0, store.retention()).unwrap();
    store.touch(&[brief, full], 3).unwrap();
    let report = run(&store, 100);
    assert_eq!(report.merged, [(full, brief)]);
    let (kept, gone) = (get(&store, full), get(&store, brief));
    assert_eq!((gone.status, gone.superseded_by), (FactStatus::Superseded, Some(full)));
    assert_eq!(gone.ended_by.as_deref(), Some("merge"));
    // One more by the outcome, one episode stood behind both.
    assert_eq!((kept.support, kept.mentions, kept.evidence.len()), (6, 2, 3));
    assert_eq!((kept.category.as_str(), kept.subjects.len()), ("costs", 2));
    assert!(kept.confidence > 0.89 && kept.text.ends_with("before noon"));
    let links = store.links(&[full]).unwrap();
    assert_eq!(links.iter().map(|link| (link.src, link.dst)).collect::<Vec<_>>(), [(full, other)]);
    // Law 3: what it was is still to be read.
    assert_eq!(get_as_of(&store, brief, 99).status, FactStatus::Active);
}

fn get_as_of(store: &FactStore, id: Id, tick: u64) -> Fact {
    store.get_as_of(&[id], tick).unwrap().remove(0).unwrap()
}

#[test]
fn each_arm_finds_duplicates_by_itself_and_neither_takes_another_sense_for_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    filler(&store);
    let ids = add_with_angles(
        &store,
        vec![
            // Near by meaning alone.
            (filed("Liquidations trail the oracle", "a"), 0.0),
            (filed("After a price feed update positions are closed by force", "b"), 5.0),
            // The same words, far in meaning as the model has it.
            (filed("The bridge settles within nine blocks of a deposit", "a"), 90.0),
            (filed("Within nine blocks of a deposit the bridge settles", "b"), 170.0),
            // Near in both, and not the same.
            (filed("The fee of the pool is 30 points", "a"), 200.0),
            (filed("The fee of the pool is 300 points", "b"), 200.0),
            (Fact { subjects: vec!["aave".into()], ..filed("The vault pays out at noon", "a") }, 250.0),
            (Fact { subjects: vec!["maker".into()], ..filed("At noon the vault pays out", "b") }, 250.0),
        ],
    );
    let merged: Vec<_> = run(&store, 10).merged;
    assert_eq!(merged.len(), 2, "{merged:?}");
    assert!(merged.contains(&(ids[1], ids[0])));
    assert!(merged.contains(&(ids[2], ids[3])) || merged.contains(&(ids[3], ids[2])));
}

#[test]
fn hearsay_adds_nothing_to_own_knowledge() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    filler(&store);
    let own = add(&store, Fact { confidence: 0.4, ..filed("Night routes are cheaper", "a") }, 0);
    let heard = Fact {
        source: Source::Testament,
        generation: 1,
        confidence: 0.9,
        support: 50,
        ..filed("Night routes are cheaper", "b")
    };
    let heard = add(&store, heard, 0);
    assert_eq!(run(&store, 1).merged, [(own, heard)]);
    let kept = get(&store, own);
    assert!((kept.confidence - 0.4).abs() < 1e-4 && kept.support == 1 && kept.generation == 0);
}

#[test]
fn an_unimportant_fact_unused_for_sixty_days_is_archived() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    filler(&store);
    let trifle = |text: &str| Fact { importance: 0.1, ..fact(text) };
    let stale = add(&store, trifle("The logo was blue once"), 0);
    let looked_at = add(&store, trifle("The office has two doors"), 0);
    let pinned = add(&store, Fact { pinned: true, ..trifle("The kettle is broken") }, 0);
    let warning = add(&store, Fact { kind: FactKind::AntiKnowledge, ..trifle("Never touch the fuse") }, 0);
    store.touch(&[looked_at], 10).unwrap();
    assert_eq!(run(&store, 60 * DAY - 1).deprecated, []);
    assert_eq!(run(&store, 60 * DAY).deprecated, [stale]);
    let gone = get(&store, stale);
    assert_eq!((gone.status, gone.ended_by.as_deref()), (FactStatus::Archived, Some("stale")));
    for id in [looked_at, pinned, warning] {
        assert_eq!(get(&store, id).status, FactStatus::Active);
    }
}

#[test]
fn a_fact_without_category_gets_that_of_its_three_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let ids = add_with_angles(
        &store,
        vec![
            (filed("Slippage grows with size", "trading/slippage"), 0.0),
            (filed("Big orders move the price", "trading/slippage"), 20.0),
            (filed("Thin books punish size", "trading/slippage"), -20.0),
            (filed("Anna signs releases", "people"), 90.0),
            (fact("Splitting orders helps"), 30.0),
            (fact("Whoever signs is named Anna or Ben"), 130.0),
        ],
    );
    let report = run(&store, 5);
    assert_eq!(report.recategorised, [ids[4]]);
    assert_eq!(get(&store, ids[4]).category, "trading/slippage");
    assert_eq!(get(&store, ids[5]).category, "", "one neighbour is no agreement");
}

#[test]
fn lint_flags_the_contradictions_of_reconcile() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    filler(&store);
    let say = |text: &str| add(&store, fact(text), 0);
    let port = (say("The gateway's port is 8080"), say("The gateway's port is 9090"));
    let charge =
        (say("The pool charges a withdrawal fee"), say("The pool no longer charges a withdrawal fee"));
    say("The library opens daily at nine");
    say("The library opens daily at nine, except on Sundays");
    let figures = |mean: f64, text: &str| Fact {
        payload: FactPayload::Baseline {
            metric: "lag".into(),
            n: 50,
            mean,
            variance: 1.0,
            min: 0.0,
            max: 9.0,
        },
        ..Fact::new(FactKind::Baseline, text)
    };
    add(&store, figures(3.0, "The mean lag of the oracle is 3"), 0);
    add(&store, figures(4.0, "The mean lag of the oracle is 4"), 0);
    assert_eq!(run(&store, 5).contradictions, [port, charge]);
}

#[test]
fn contradicting_facts_are_linked_and_neither_is_lowered() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    filler(&store);
    let rises = add(&store, fact("Gas rises before the oracle update"), 0);
    let falls = add(&store, fact("Gas falls before the oracle update"), 0);
    let report = run(&store, 5);
    assert_eq!(report.contradictions, [(rises, falls)]);
    let links = store.links(&[rises]).unwrap();
    assert!(links.iter().all(|link| link.relation == Relation::Contradicts) && links.len() == 2);
    assert!((get(&store, falls).confidence - 0.5).abs() < 1e-6);
}

#[test]
fn a_lint_is_one_act_and_what_was_taken_back_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    filler(&store);
    let one = add(&store, filed("The bridge settles within nine blocks", "a"), 0);
    let two = add(&store, filed("Within nine blocks the bridge settles", "b"), 0);
    let rises = add(&store, fact("Gas rises before the oracle update"), 0);
    let falls = add(&store, fact("Gas falls before the oracle update"), 0);
    let before = [get(&store, one), get(&store, two)];
    let (rehearsed, changes) = rehearse_lint(&store, 5, LintSettings::default()).unwrap();
    assert_eq!([get(&store, one), get(&store, two)], before);
    let report = run(&store, 5);
    assert_eq!(LintReport { act: None, ..report.clone() }, rehearsed);
    assert_eq!(changes.len(), 2);
    let act = report.act.unwrap();
    assert_eq!(store.acts(1).unwrap()[0].name, "lint");
    store.undo(act, 6, 9).unwrap();
    for (id, fact) in [one, two].into_iter().zip(before) {
        let now = get(&store, id);
        assert_eq!(
            (now.status, now.superseded_by, now.support, now.category, now.confidence),
            (fact.status, fact.superseded_by, fact.support, fact.category, fact.confidence)
        );
    }
    assert!(store.links(&[rises, falls]).unwrap().is_empty());
    assert_eq!(run(&store, 7).act, None, "nobody wanted it");
}

fn all(store: &FactStore) -> Vec<Fact> {
    store.list(&FactFilter::default(), 1_000).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_second_lint_changes_nothing_and_what_is_pinned_is_never_touched(
        said in prop::collection::vec(
            (
                prop::collection::vec(prop::sample::select(vec![
                    "gas", "rises", "falls", "never", "Mondays", "north", "before", "after", "noon", "30", "cheap",
                ]), 1..5),
                prop::sample::select(vec!["", "a", "b"]),
                prop::sample::select(vec![0.0_f32, 3.0, 10.0, 40.0, 90.0]),
                prop::sample::select(vec![0.1_f32, 0.6]),
                prop::bool::weighted(0.15),
                prop::sample::select(vec![Source::SelfLived, Source::Testament, Source::Dream]),
                prop::sample::select(vec!["", "x", "y"]),
            ),
            0..24,
        ),
        latest in prop::sample::select(vec![6_usize, 200]),
        tick in prop::sample::select(vec![1_u64, 100 * DAY]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder);
        let facts = said.into_iter().map(|(words, category, angle, importance, pinned, source, subject)| {
            let subjects = if subject.is_empty() { vec![] } else { vec![subject.to_owned()] };
            let fact = Fact { importance, pinned, source, subjects, ..filed(&words.join(" "), category) };
            (fact, angle)
        });
        add_with_angles(&store, facts.collect());
        let before = all(&store);
        let settings = LintSettings { latest, ..LintSettings::default() };
        let first = lint(&store, tick, 9, settings).unwrap();
        let once = all(&store);
        for (old, new) in before.iter().zip(&once) {
            prop_assert!(!old.pinned || old == new);
            prop_assert_eq!(&old.text, &new.text);
        }
        let second = lint(&store, tick, 9, settings).unwrap();
        prop_assert_eq!(second.act, None);
        prop_assert_eq!(&all(&store), &once);
        if let Some(act) = first.act {
            store.undo(act, tick + 1, 9).unwrap();
            for (old, new) in before.iter().zip(&all(&store)) {
                prop_assert_eq!((old.status, &old.category, old.support), (new.status, &new.category, new.support));
            }
// An undone change is not made again; others may have their turn.
            let touched = |act: u64| -> Vec<Id> {
                let acts = store.acts(10).unwrap();
                let found = acts.iter().find(|one| one.number == act).unwrap();
                found.changes.iter().map(|change| change.fact).collect()
            };
            let gone = touched(act);
            if let Some(third) = lint(&store, tick, 9, settings).unwrap().act {
                prop_assert!(touched(third).iter().all(|fact| !gone.contains(fact)));
            }
        }
    }
}
