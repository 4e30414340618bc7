//! The Curator's pass against a real fact store and a stand-in for the log.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::Error;
use bardo_core::consolidate::{CuratorSettings, consolidate};
use bardo_core::facts::{EVIDENCE_KEPT, FactStore, FactVectors};
use bardo_core::model::{Fact, FactKind, FactPayload, FactStatus, Id, Role, Source, Value};
use proptest::prelude::*;
use support::script::{Script, all, fingerprint, open, pass};

fn get(store: &FactStore, id: Id) -> Fact {
    store.get(&[id]).unwrap().pop().flatten().unwrap()
}

fn stat(store: &FactStore, name: &str) -> i64 {
    store.stats().unwrap().into_iter().find(|(key, _)| key == name).unwrap().1
}

fn inherited(text: &str, payload: FactPayload) -> Fact {
    let kind = if payload == FactPayload::None { FactKind::Insight } else { FactKind::Baseline };
    Fact {
        subjects: vec!["pool".into()],
        support: 200,
        evidence: vec![Id([9; 16])],
        confidence: 0.34,
        observed: (900, 1_000),
        source: Source::Testament,
        origin: "parent".into(),
        generation: 1,
        payload,
        ..Fact::new(kind, text)
    }
}

fn claim(n: u64, mean: f64, variance: f64) -> FactPayload {
    FactPayload::Baseline { metric: "lag".into(), n, mean, variance, min: mean - 9.0, max: mean + 9.0 }
}

fn adopt(store: &FactStore, fact: Fact) -> Id {
    store.upsert(&[fact], None, 0, 0).unwrap()[0].0
}

/// A saw-tooth with mean 10 and a standard deviation of about 1.4.
fn saw(script: &mut Script, ticks: std::ops::Range<u64>) {
    for tick in ticks {
        script.number(tick, 8.0 + (tick % 5) as f64);
    }
}

#[test]
fn three_episodes_make_a_baseline_and_two_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    script.number(5, 1.0);
    script.number(7, 2.0);
    let report = pass(&store, &script, 256, 10);
    assert_eq!((report.episodes, report.baselines, report.facts_new, report.pending), (2, 1, 0, 0));
    assert!(all(&store).is_empty());
    let last = script.number(9, 6.0);
    assert_eq!(pass(&store, &script, 256, 20).facts_new, 1);
    let fact = all(&store).pop().unwrap();
    assert_eq!(fact.text, "pool.lag: mean 3, sd 2.646 over only 3 observations (min 1, max 6)");
    assert_eq!((fact.category.as_str(), fact.support, fact.observed), ("baselines/pool", 3, (5, 9)));
    assert_eq!((fact.evidence.len(), fact.evidence.last()), (3, Some(&last)));
    assert_eq!((fact.created_tick, fact.reinforced_tick, fact.source), (20, 9, Source::SelfLived));
    assert!((fact.confidence - 3.0 / 13.0).abs() < 1e-6);
    assert_eq!(store.search_text("lag", 5).unwrap()[0].0, fact.id);
}

#[test]
fn later_passes_merge_and_rewrite_the_same_fact() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    saw(&mut script, 0..100);
    let report = pass(&store, &script, 40, 100);
    assert_eq!((report.episodes, report.pending, report.facts_new), (40, 60, 1));
    let first = all(&store).pop().unwrap();
    assert_eq!(pass(&store, &script, 40, 100).facts_reinforced, 1);
    assert_eq!(pass(&store, &script, 40, 100).pending, 0);
    assert_eq!(pass(&store, &script, 40, 100).episodes, 0);
    let fact = all(&store).pop().unwrap();
    assert_eq!((fact.id, fact.support, fact.observed), (first.id, 100, (0, 99)));
    assert_eq!(fact.evidence.len(), EVIDENCE_KEPT);
    // Its words stay as they are; the numbers that move are none.
    assert!(fact.text.contains("100 observations"));
    assert_eq!(store.search_text("observations", 5).unwrap().len(), 1);
    assert!(store.search_text("100", 5).unwrap().is_empty());
    assert!((f64::from(fact.confidence) - 100.0 / 110.0).abs() < 1e-6);
}

#[test]
fn a_pass_that_fails_half_way_has_not_happened() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    saw(&mut script, 0..200);
    *script.failing.borrow_mut() = Some(150);
    let failed = consolidate(&store, &script, 256, 9, 9, CuratorSettings::default());
    assert!(matches!(failed, Err(Error::InvalidInput { .. })));
    assert_eq!((stat(&store, "baselines"), stat(&store, "watermark"), stat(&store, "change")), (0, 0, 0));
    *script.failing.borrow_mut() = None;
    assert_eq!(pass(&store, &script, 256, 9).episodes, 200);
    assert_eq!(all(&store)[0].support, 200);
}

#[test]
fn two_consolidators_of_one_file_count_each_episode_once() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path());
    let mut script = Script::default();
    saw(&mut script, 0..600);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let (path, episodes) = (folder.path(), script.episodes.clone());
            scope.spawn(move || {
                let script = Script { episodes, ..Script::default() };
                let store = open(path);
                while pass(&store, &script, 16, 1_000).pending > 0 {}
            });
        }
    });
    let store = open(folder.path());
    assert_eq!(all(&store).len(), 1);
    assert_eq!((all(&store)[0].support, stat(&store, "watermark")), (600, 600));
}

#[test]
fn an_inherited_baseline_that_agrees_becomes_the_history_of_the_heirs_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let told = adopt(&store, inherited("pool.lag: about 10", claim(500, 10.1, 2.1)));
    let mut script = Script::default();
    saw(&mut script, 0..20);
    assert!(pass(&store, &script, 256, 20).confirmed.is_empty());
    assert_eq!(get(&store, told).source, Source::Testament);
    saw(&mut script, 20..60);
    let report = pass(&store, &script, 256, 60);
    assert_eq!((report.confirmed.as_slice(), report.refuted.len()), ([told].as_slice(), 0));
    let own = all(&store).into_iter().find(|fact| fact.id != told).unwrap();
    let past = get(&store, told);
    assert_eq!((past.status, past.superseded_by), (FactStatus::Superseded, Some(own.id)));
    assert_eq!((past.ended_by.as_deref(), report.facts_superseded), (Some("confirmation"), 1));
    assert_eq!((past.source, past.generation, past.origin.as_str()), (Source::Testament, 1, "parent"));
    assert_eq!((own.status, own.source, own.generation), (FactStatus::Active, Source::SelfLived, 0));
    assert_eq!((own.support, own.supersedes), (60, Some(told)));
    let chain: Vec<Id> = store.history(own.id).unwrap().into_iter().map(|fact| fact.id).collect();
    assert_eq!(chain, [told, own.id]);
    // Judged at 30 observations, as of the last of them.
    let then = |tick| store.get_as_of(&[told], tick).unwrap().pop().flatten().unwrap().status;
    assert_eq!((then(28), then(29)), (FactStatus::Active, FactStatus::Superseded));
    saw(&mut script, 60..120);
    let report = pass(&store, &script, 256, 120);
    assert_eq!((report.confirmed.len(), get(&store, own.id).support), (0, 120));
    assert!((f64::from(get(&store, own.id).confidence) - 120.0 / 130.0).abs() < 1e-6);
}

#[test]
fn an_inherited_baseline_that_disagrees_is_lowered_and_linked_but_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let told =
        adopt(&store, Fact { confidence: 0.9, ..inherited("pool.lag: about 30", claim(500, 30.0, 2.1)) });
    let mut script = Script::default();
    saw(&mut script, 0..60);
    let report = pass(&store, &script, 256, 60);
    assert_eq!((report.refuted.as_slice(), report.confirmed.len()), ([told].as_slice(), 0));
    let lowered = get(&store, told);
    assert!(lowered.confidence <= 0.3);
    assert_eq!((lowered.status, lowered.expires_tick), (FactStatus::Contradicted, Some(29 + 14 * 1_440)));
    assert_eq!((lowered.text.as_str(), lowered.source), ("pool.lag: about 30", Source::Testament));
    assert_eq!(lowered.payload, claim(500, 30.0, 2.1));
    let own = all(&store).into_iter().find(|fact| fact.source == Source::SelfLived).unwrap();
    assert!(store.links(&[told]).unwrap().iter().any(|link| link.src == told && link.dst == own.id));
    saw(&mut script, 60..120);
    assert!(pass(&store, &script, 256, 120).refuted.is_empty());
    let report = pass(&store, &script, 256, 60 + 14 * 1_440 + 1);
    assert_eq!(get(&store, told).status, FactStatus::Archived);
    let causes = [told, own.id].map(|id| get(&store, id).ended_by.unwrap());
    assert_eq!(causes, ["expiry", "decay"]);
    assert_eq!(report.entries_pruned, 2, "one's own has faded by then");
}

#[test]
fn of_several_confirmed_ancestors_one_stays_in_force_where_the_own_baseline_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    saw(&mut script, 0..10);
    pass(&store, &script, 256, 10);
    let own = all(&store).pop().unwrap();
    store.supersede(own.id, &Fact::new(FactKind::Insight, "Lag does not matter"), 10, 0).unwrap();
    let small = adopt(&store, inherited("pool.lag: 100 seen", claim(100, 10.0, 2.1)));
    let large = adopt(&store, inherited("pool.lag: 900 seen", claim(900, 10.05, 2.1)));
    saw(&mut script, 10..100);
    assert_eq!(pass(&store, &script, 256, 100).confirmed.len(), 2);
    assert_eq!(
        (get(&store, large).status, get(&store, small).status),
        (FactStatus::Active, FactStatus::Superseded)
    );
    assert_eq!(get(&store, small).ended_by.as_deref(), Some("merge"));
    assert_eq!(get(&store, own.id).ended_by.as_deref(), Some("supersede"));
    let chain: Vec<Id> = store.history(large).unwrap().into_iter().map(|fact| fact.id).collect();
    assert_eq!(chain, [small, large]);
}

#[test]
fn an_episode_that_restates_a_fact_reinforces_it_once_and_an_echo_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let told = adopt(&store, inherited("Oracles lag in storms", FactPayload::None));
    let mut script = Script::default();
    script.say(10, "oracles LAG in storms");
    script.episodes.last_mut().unwrap().role = Role::Agent;
    let report = pass(&store, &script, 256, 10);
    assert_eq!((report.confirmed.len(), get(&store, told).confidence), (0, 0.34));
    script.say(20, "oracles lag in  storms");
    let report = pass(&store, &script, 256, 20);
    assert_eq!((report.confirmed.as_slice(), report.compared), ([told].as_slice(), 0));
    let earned = get(&store, told);
    assert_eq!((earned.source, earned.support, earned.observed), (Source::SelfLived, 201, (20, 20)));
    assert!(earned.confidence > 0.39);
    script.say(30, "Oracles lag in storms");
    assert_eq!(pass(&store, &script, 256, 30).facts_reinforced, 0);
    script.say(80, "Oracles lag in storms");
    assert_eq!(pass(&store, &script, 256, 80).facts_reinforced, 1);
}

#[test]
fn restatements_in_other_words_are_found_by_their_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let fact = inherited("Oracles lag 3 blocks in storms", FactPayload::None);
    let vectors: [&[f32]; 1] = [&[1.0, 0.0]];
    let model = fingerprint();
    let told =
        store.upsert(&[fact], Some(FactVectors { rows: &vectors, fingerprint: &model }), 0, 0).unwrap()[0].0;
    let mut script = Script::default();
    let other = script.say(10, "In storms oracles lag 30 blocks");
    let far = script.say(11, "The weather is fine");
    script.vectors = vec![(other, vec![1.0, 0.01]), (far, vec![0.0, 1.0])];
    let report = pass(&store, &script, 256, 10);
    assert_eq!((report.compared, report.confirmed.len()), (2, 0));
    let near = script.say(20, "In storms oracles lag 3 blocks");
    script.vectors.push((near, vec![1.0, 0.01]));
    assert_eq!(pass(&store, &script, 256, 20).confirmed, [told]);
}

#[test]
fn hostile_numbers_and_names_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    let long = "m".repeat(300);
    for tick in 0..6 {
        let payload = vec![
            ("big", Value::Float(if tick % 2 == 0 { 1e308 } else { -1.7e308 })),
            ("nan", Value::Float(f64::NAN)),
            ("inf", Value::Float(f64::INFINITY)),
            ("i", Value::Int(i64::MIN)),
            ("", Value::Int(1)),
            (long.as_str(), Value::Int(1)),
            ("'; DROP TABLE facts; --", Value::Int(2)),
            ("a.b", Value::Int(1)),
            ("a", Value::Map(vec![("b".into(), Value::Int(5))])),
        ];
        script.add(tick, &["x'; --", "滑\u{0}点/..", &"s".repeat(256), "x'; --"], payload);
    }
    let many: Vec<(String, Value)> =
        (0..5_000).map(|index| (format!("k{index}"), Value::Int(index))).collect();
    script.add(9, &["wide"], many.iter().map(|(name, value)| (name.as_str(), value.clone())).collect());
    script.add(9, &[], vec![("x", Value::Int(1))]);
    let report = pass(&store, &script, 256, 10);
    assert_eq!((report.facts_new, report.without_subject), (12, 1));
    assert_eq!(report.skipped_numbers, 6 * 2 + 5_000 - 1_024);
    for fact in all(&store) {
        fact.validate().unwrap();
        let FactPayload::Baseline { n, .. } = fact.payload else { panic!("{fact:?}") };
        assert_eq!(n, 6);
    }
}

#[test]
fn a_hundred_thousand_subjects_stay_rows_and_are_no_facts() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    for chunk in 0..400_u32 {
        let names: Vec<String> = (0..250).map(|index| format!("wallet-{}", chunk * 250 + index)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        script.add(u64::from(chunk), &names, vec![("gas", Value::Int(i64::from(chunk)))]);
    }
    while pass(&store, &script, 64, 400).pending > 0 {}
    assert_eq!((stat(&store, "baselines"), stat(&store, "facts")), (100_000, 0));
}

#[test]
fn a_log_that_went_back_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    saw(&mut script, 0..10);
    pass(&store, &script, 256, 10);
    script.episodes.truncate(5);
    let error = consolidate(&store, &script, 256, 20, 9, CuratorSettings::default()).unwrap_err();
    assert!(matches!(error, Error::StoreDamaged { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_episode_is_counted_once_however_passes_are_cut_and_broken(
        numbers in prop::collection::vec(-1e3..1e3_f64, 3..120),
        batches in prop::collection::vec(1..50_usize, 1..8),
        broken in prop::collection::vec(1..120_u64, 0..6),
    ) {
        let mut script = Script::default();
        for (tick, number) in (0..).zip(&numbers) {
            script.number(tick, *number);
        }
        let (cut, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = open(cut.path());
        for failing in broken {
            *script.failing.borrow_mut() = Some(failing);
            // A broken pass may succeed when the failing episode lies beyond its batch.
            let _ = consolidate(&store, &script, batches[0], 200, 7, CuratorSettings::default());
        }
        *script.failing.borrow_mut() = None;
        for batch in batches.iter().cycle() {
            if pass(&store, &script, *batch, 200).pending == 0 {
                break;
            }
        }
        let once = open(whole.path());
        pass(&once, &script, 1_000, 200);
        let (cut, whole) = (all(&store).pop().unwrap(), all(&once).pop().unwrap());
        prop_assert_eq!((cut.support, cut.observed, &cut.evidence), (whole.support, whole.observed, &whole.evidence));
        prop_assert!((cut.confidence - whole.confidence).abs() < 1e-5);
        let (FactPayload::Baseline { mean: a, variance: v, .. }, FactPayload::Baseline { mean: b, variance: w, .. }) =
            (&cut.payload, &whole.payload) else { panic!("no baseline") };
        prop_assert!((a - b).abs() < 1e-8 && (v - w).abs() < 1e-6 * w.max(1.0));
    }

    #[test]
    fn restatements_count_the_same_in_one_pass_or_in_many(ticks in prop::collection::vec(0..2_000_u64, 1..15)) {
        let mut ticks = ticks;
        ticks.sort_unstable();
        let mut script = Script::default();
        let (one, many) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (one, many) = (open(one.path()), open(many.path()));
        for store in [&one, &many] {
            adopt(store, inherited("it rains", FactPayload::None));
        }
        for tick in &ticks {
            script.say(*tick, "It rains");
            pass(&many, &script, 1, *tick);
        }
        pass(&one, &script, 100, 2_000);
        let (one, many) = (all(&one).pop().unwrap(), all(&many).pop().unwrap());
        prop_assert_eq!((one.support, one.reinforced_tick, &one.evidence), (many.support, many.reinforced_tick, &many.evidence));
        prop_assert!((one.confidence - many.confidence).abs() < 1e-6);
    }
}
