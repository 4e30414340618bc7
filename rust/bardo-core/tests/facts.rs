//! The fact store against a real file.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use bardo_core::Error;
use bardo_core::facts::{
    EVIDENCE_KEPT, FactFilter, FactOptions, FactStore, FactVectors, Link, Relation, Retention, UpsertOutcome,
};
use bardo_core::model::{
    Fact, FactKind, FactPayload, FactStatus, Fingerprint, Id, Metadata, Quality, Source, decay,
};
use proptest::prelude::*;
use support::fact;

fn options(agent: &str) -> FactOptions {
    FactOptions { agent: agent.into(), seed: 7, now: 1, create: true, retention: Retention::default() }
}

fn open(folder: &Path) -> FactStore {
    FactStore::open(&folder.join("facts.db"), &options("tester")).unwrap()
}

fn add(store: &FactStore, fact: Fact, tick: u64) -> Id {
    store.upsert(&[fact], None, tick, 1_000_000).unwrap()[0].0
}

fn get(store: &FactStore, id: Id) -> Fact {
    store.get(&[id]).unwrap().pop().flatten().unwrap()
}

fn fingerprint(dims: u32) -> Fingerprint {
    Fingerprint { model: "toy".into(), version: "1".into(), preprocessing: "none".into(), dims, created: 0 }
}

#[test]
fn a_fact_reads_back_as_it_was_written_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let written = Fact {
        category: "trading/slippage".into(),
        subjects: vec!["zeta".into(), "Ästhetik".into(), "a".into()],
        evidence: vec![Id([1; 16]), Id([2; 16])],
        support: 9,
        quality: Some(Quality {
            specificity: 0.1,
            actionability: 0.2,
            novelty: 0.3,
            verifiability: 0.4,
            consistency: 0.7,
        }),
        observed: (3, 40),
        pad: [0.1, -0.2, 1.0],
        expires_tick: Some(i64::MAX as u64),
        bloodstain: true,
        metadata: Metadata { urls: vec!["https://example.com/x".into()], ..Metadata::default() },
        payload: FactPayload::Baseline {
            metric: "gas.used".into(),
            n: 3,
            mean: 0.1 + 0.2,
            variance: f64::MAX,
            min: -1e-308,
            max: 1.797e308,
        },
        ..fact("Проскальзывание растёт 滑点 \0 🙂 after an oracle update")
    };
    let id = add(&open(folder.path()), written.clone(), 50);
    let read = get(&open(folder.path()), id);
    let expected = Fact {
        id,
        created_tick: 50,
        created_at: 1_000_000,
        reinforced_tick: 50,
        origin: "tester".into(),
        ..written
    };
    assert_eq!(read, expected);
}

#[test]
fn another_agents_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let error = FactStore::open(&folder.path().join("facts.db"), &options("stranger")).unwrap_err();
    assert!(matches!(error, Error::StoreForeign { .. }), "{error}");
}

#[test]
fn the_same_words_renew_a_fact_whatever_their_case_and_space() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let first = store.upsert(&[fact("Gas peaks at  noon"), fact("gas PEAKS at noon ")], None, 0, 1).unwrap();
    assert_eq!((first[0].1, first[1].1), (UpsertOutcome::New, UpsertOutcome::Exact));
    assert_eq!(first[0].0, first[1].0);
    let elsewhere = Fact { category: "weather".into(), ..fact("Gas peaks at noon") };
    assert_eq!(store.upsert(&[elsewhere], None, 0, 1).unwrap()[0].1, UpsertOutcome::New);
    assert_eq!(get(&store, first[0].0).support, 2);
}

#[test]
fn the_same_meaning_renews_a_fact_of_its_kind_with_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let model = fingerprint(2);
    let upsert = |text: &str, kind: FactKind, row: &[f32]| {
        let fact = Fact { kind, ..fact(text) };
        store.upsert(&[fact], Some(FactVectors { rows: &[row], fingerprint: &model }), 0, 1).unwrap()[0].1
    };
    assert_eq!(upsert("Pools drain after 30 blocks", FactKind::Insight, &[1.0, 0.0]), UpsertOutcome::New);
    // cos = 0.93: enough for an insight, too little for a warning.
    let near = [0.93, 0.367_56];
    assert_eq!(upsert("After 30 blocks pools drain", FactKind::Insight, &near), UpsertOutcome::Similar);
    assert_eq!(upsert("Pools drain after 300 blocks", FactKind::Insight, &[1.0, 0.0]), UpsertOutcome::New);
    assert_eq!(upsert("Beware of pools", FactKind::Warning, &[1.0, 0.0]), UpsertOutcome::New);
    assert_eq!(upsert("Pools: beware", FactKind::Warning, &near), UpsertOutcome::New);
    let stats = store.stats().unwrap();
    let count = |name: &str| stats.iter().find(|(key, _)| key == name).unwrap().1;
    assert_eq!((count("upsert_new"), count("upsert_similar"), count("facts")), (4, 1, 4));
}

#[test]
fn a_retry_with_the_same_id_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, fact("once"), 0);
    let again = get(&store, id);
    assert_eq!(
        store.upsert(std::slice::from_ref(&again), None, 900, 9).unwrap(),
        [(id, UpsertOutcome::Exact)]
    );
    assert_eq!(get(&store, id), again);
    let other = Fact { text: "something else".into(), ..again };
    assert!(matches!(store.upsert(&[other], None, 900, 9), Err(Error::InvalidInput { .. })));
}

#[test]
fn an_expired_fact_is_learned_again_and_an_end_can_be_put_off() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let until = |end| Fact { expires_tick: Some(end), ..fact("the offer holds") };
    let first = add(&store, until(10), 1);
    assert_eq!(add(&store, until(30), 5), first);
    assert_eq!(get(&store, first).expires_tick, Some(30), "a later end is taken over");
    assert_eq!(add(&store, until(20), 6), first);
    assert_eq!(add(&store, fact("the offer holds"), 7), first);
    assert_eq!(get(&store, first).expires_tick, Some(30), "no earlier one, and none is not one");
    assert_eq!(store.known(&[fact("the offer holds")], None, 30).unwrap(), [Some(first)]);

    assert_eq!(store.known(&[fact("the offer holds")], None, 31).unwrap(), [None]);
    let again = add(&store, fact("the offer holds"), 31);
    assert_ne!(again, first);
    assert_eq!(get(&store, again).expires_tick, None);

    let dreamt = Fact { source: Source::Dream, expires_tick: Some(50), ..fact("storms follow red skies") };
    let dream = add(&store, dreamt.clone(), 40);
    assert_eq!(
        add(&store, Fact { expires_tick: Some(90), source: Source::SelfLived, ..dreamt.clone() }, 41),
        dream
    );
    assert_eq!(get(&store, dream).expires_tick, Some(90));
    let other = add(&store, Fact { text: "calm follows".into(), ..dreamt }, 42);
    assert_eq!(add(&store, fact("calm follows"), 43), other);
    assert_eq!(get(&store, other).expires_tick, None, "what was only dreamt is now the agent's own");
}

#[test]
fn the_surer_and_nearer_testator_counts_in_whatever_order_they_come() {
    let heard = |confidence, generation| Fact {
        id: Id([9; 16]),
        source: Source::Testament,
        confidence,
        generation,
        ..fact("pits are deep")
    };
    for (one, other) in [(heard(0.34, 1), heard(0.289, 2)), (heard(0.289, 2), heard(0.34, 1))] {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let id = add(&store, one, 1);
        assert_eq!(add(&store, other.clone(), 1), id);
        let known = get(&store, id);
        assert_eq!((known.confidence, known.generation), (0.34, 1));
        // The same testament again is no news, however faded what it said is.
        add(&store, heard(0.34, 1), 4_000);
        assert_eq!(get(&store, id), known);
    }
}

#[test]
fn a_fact_inherited_before_the_first_tick_fades_from_that_tick() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let heard = |text: &str| Fact { source: Source::Testament, generation: 1, confidence: 0.4, ..fact(text) };
    let lasting = add(&store, heard("oracles are slow"), 0);
    let ending = add(&store, Fact { expires_tick: Some(90), ..heard("the offer holds") }, 0);
    let own = add(&store, fact("my own"), 0);
    assert_eq!(store.begin(19_000_000).unwrap(), 2);
    let begun = get(&store, lasting);
    assert_eq!((begun.created_tick, begun.reinforced_tick, begun.confidence), (19_000_000, 19_000_000, 0.4));
    assert_eq!(get(&store, ending).expires_tick, Some(19_000_090));
    assert_eq!(get(&store, own).reinforced_tick, 0);
    assert_eq!(store.changed_since(3, 9).unwrap().len(), 2, "whoever follows the facts sees it");
    assert_eq!(store.begin(19_000_001).unwrap(), 0);
}

#[test]
fn a_refused_batch_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let bad = Fact { confidence: f32::NAN, ..fact("bad") };
    assert!(store.upsert(&[fact("good"), bad], None, 0, 1).is_err());
    let endless = Fact {
        payload: FactPayload::Pattern { description: "x".into(), statistic: f64::INFINITY, p_value: 0.0 },
        ..fact("bad payload")
    };
    assert!(store.upsert(&[fact("good"), endless], None, 0, 1).is_err());
    assert!(store.list(&FactFilter::default(), 10).unwrap().is_empty());
}

#[test]
fn reinforcement_starts_from_the_decayed_confidence_and_is_spaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, Fact { confidence: 0.8, ..fact("x") }, 0);
    let retention = Retention::default();
    assert_eq!(store.reinforce(&[id], &[Id([9; 16])], 500, retention).unwrap(), 1);
    let expected = decay::reinforced(0.8 * (-1.0_f64).exp(), 0.1);
    let once = get(&store, id);
    assert!((f64::from(once.confidence) - expected).abs() < 1e-6);
    assert_eq!((once.support, once.reinforced_tick, once.evidence.len()), (2, 500, 1));
    assert_eq!(store.reinforce(&[id], &[Id([8; 16])], 549, retention).unwrap(), 0);
    let massed = get(&store, id);
    assert_eq!((massed.support, massed.confidence, massed.evidence.len()), (2, once.confidence, 2));
    assert_eq!(store.reinforce(&[id], &[], 550, retention).unwrap(), 1);
}

#[test]
fn retrieval_moves_mentions_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, fact("x"), 3);
    let before = get(&store, id);
    for tick in [10, 20, 15] {
        store.touch(&[id], tick).unwrap();
    }
    assert_eq!(get(&store, id), Fact { mentions: 3, accessed_tick: 20, ..before });
}

#[test]
fn the_weaker_of_two_contradicting_facts_falls_and_expires() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let strong = add(&store, Fact { confidence: 0.9, ..fact("up") }, 0);
    let weak = add(&store, Fact { confidence: 0.6, ..fact("down") }, 0);
    assert_eq!(store.contradict(strong, weak, 10, 999).unwrap(), weak);
    let lowered = get(&store, weak);
    assert!((lowered.confidence - 0.3).abs() < 1e-6);
    assert_eq!((lowered.status, lowered.expires_tick), (FactStatus::Contradicted, Some(999)));
    assert_eq!(get(&store, strong).status, FactStatus::Active);
    let links = store.links(&[strong]).unwrap();
    assert_eq!(links.len(), 2);
    assert!(links.iter().all(|link| link.relation == Relation::Contradicts));
    for step in 1..8 {
        store
            .reinforce(&[weak], &[], 10 + 50 * step, Retention { reinforcement: 0.3, ..Retention::default() })
            .unwrap();
    }
    let back = get(&store, weak);
    assert_eq!((back.status, back.expires_tick), (FactStatus::Active, None));
}

#[test]
fn superseded_facts_stay_as_history_and_can_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let first = add(&store, fact("the fee is 30"), 10);
    let second = store.supersede(first, &fact("the fee is 25"), 20, 2).unwrap();
    let third = store.supersede(second, &fact("the fee is 20"), 30, 3).unwrap();
    assert!(store.supersede(first, &fact("the fee is 99"), 40, 4).is_err());
    for id in [first, second, third] {
        let texts: Vec<String> = store.history(id).unwrap().into_iter().map(|fact| fact.text).collect();
        assert_eq!(texts, ["the fee is 30", "the fee is 25", "the fee is 20"]);
    }
    let as_of = |tick: u64| {
        let filter = FactFilter { as_of: Some(tick), ..FactFilter::default() };
        store.list(&filter, 10).unwrap().into_iter().map(|fact| fact.id).collect::<Vec<_>>()
    };
    assert_eq!(as_of(9), []);
    assert_eq!(as_of(10), [first]);
    assert_eq!(as_of(20), [second]);
    assert_eq!(as_of(29), [second]);
    assert_eq!(as_of(1_000), [third]);
}

#[test]
fn hearsay_never_changes_what_the_agent_learned_itself() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let own = add(&store, fact("ice is cold"), 0);
    let before = get(&store, own);
    let handed = |text: &str, confidence: f32| Fact {
        source: Source::Testament,
        generation: 1,
        origin: "parent".into(),
        confidence,
        ..fact(text)
    };
    add(&store, handed("Ice is cold", 0.9), 60);
    assert_eq!(get(&store, own), before);
    let inherited = add(&store, handed("fire is hot", 0.34), 60);
    add(&store, handed("fire is hot", 0.3), 120);
    assert_eq!(get(&store, inherited).support, 1);
    add(&store, fact("Fire is hot"), 120);
    let earned = get(&store, inherited);
    assert_eq!((earned.source, earned.generation, earned.origin.as_str()), (Source::SelfLived, 0, "parent"));
    assert!(earned.confidence >= 0.5);
}

#[test]
fn a_second_opener_sees_every_change_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path()), open(folder.path()));
    let a = add(&one, fact("a"), 0);
    let b = add(&two, fact("b"), 0);
    one.touch(&[a], 5).unwrap();
    let seen = two.changed_since(0, 10).unwrap();
    assert_eq!(seen.iter().map(|changed| changed.fact.id).collect::<Vec<_>>(), [b, a]);
    let last = seen.last().unwrap().change;
    assert_eq!((last, one.last_change().unwrap()), (last, last));
    assert!(one.changed_since(last, 10).unwrap().is_empty());
    two.put_vectors(&[b], FactVectors { rows: &[&[0.5, 0.5]], fingerprint: &fingerprint(2) }).unwrap();
    let seen = one.changed_since(last, 10).unwrap();
    assert_eq!((seen.len(), seen[0].vector.as_deref()), (1, Some([0.5, 0.5].as_slice())));
}

#[test]
fn words_are_found_by_their_stem_and_no_query_is_syntax() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, fact("Liquidations follow oracle updates"), 0);
    add(&store, fact("Nothing to see"), 0);
    assert_eq!(store.search_text("liquidation following?", 5).unwrap()[0].0, id);
    for hostile in ["\"", "NEAR(a b)", "text:*", "'; DROP TABLE facts; --", "a AND", "\0", "(", "-", "^", ""]
    {
        store.search_text(hostile, 5).unwrap();
    }
    let old = store.supersede(id, &fact("Liquidations lead oracle updates"), 1, 1).unwrap();
    assert_eq!(
        store.search_text("liquidation", 5).unwrap().iter().map(|hit| hit.0).collect::<Vec<_>>(),
        [old]
    );
}

#[test]
fn vectors_of_another_model_or_shape_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (a, b) = (add(&store, fact("a"), 0), add(&store, fact("b"), 0));
    let model = fingerprint(2);
    assert_eq!(store.without_vectors(10).unwrap().len(), 2);
    let rows: [&[f32]; 2] = [&[1.0, 0.0], &[0.6, 0.8]];
    store.put_vectors(&[a, b], FactVectors { rows: &rows, fingerprint: &model }).unwrap();
    assert!(store.without_vectors(10).unwrap().is_empty());
    let near = store.nearest(&[0.0, 2.0], 5).unwrap();
    assert_eq!(near[0].0, b);
    assert!((near[0].1 - 0.8).abs() < 1e-3 && near[1].1.abs() < 1e-3);
    let other = Fingerprint { model: "other".into(), ..fingerprint(2) };
    let put = |row: &[f32], model: &Fingerprint| {
        store.put_vectors(&[a], FactVectors { rows: &[row], fingerprint: model })
    };
    assert!(matches!(put(&[1.0, 0.0], &other), Err(Error::EmbeddingMismatch { .. })));
    for bad in [&[1.0][..], &[f32::NAN, 0.0], &[f32::INFINITY, 0.0], &[1e6, 0.0]] {
        assert!(matches!(put(bad, &model), Err(Error::InvalidVector { .. })));
    }
    assert!(matches!(store.nearest(&[1.0], 1), Err(Error::InvalidVector { .. })));
    assert_eq!(store.vectors(&[a]).unwrap()[0].as_deref(), Some([1.0, 0.0].as_slice()));
}

#[test]
fn lists_are_filtered_and_paged() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for (index, category) in ["trading", "trading/gas", "tradingcards", ""].iter().enumerate() {
        let subjects = vec![format!("s{}", index % 2)];
        add(&store, Fact { category: (*category).into(), subjects, ..fact(&format!("fact {index}")) }, 0);
    }
    let list = |filter: FactFilter| store.list(&filter, 10).unwrap().len();
    assert_eq!(list(FactFilter { category: Some("trading".into()), ..FactFilter::default() }), 2);
    assert_eq!(list(FactFilter { subject: Some("s1".into()), ..FactFilter::default() }), 2);
    assert_eq!(list(FactFilter { kind: Some(FactKind::Warning), ..FactFilter::default() }), 0);
    let mut pages = 0;
    let mut filter = FactFilter::default();
    while let Some(last) = store.list(&filter, 1).unwrap().pop() {
        filter.after = Some(last.id);
        pages += 1;
    }
    assert_eq!(pages, 4);
}

#[test]
fn links_need_both_ends_and_come_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (a, b) = (add(&store, fact("a"), 0), add(&store, fact("b"), 0));
    let link = Link { src: a, dst: b, relation: Relation::Refines, weight: 0.5, tick: 4 };
    store.link(&link).unwrap();
    store.link(&Link { weight: 0.7, ..link.clone() }).unwrap();
    assert_eq!(store.links(&[a, b]).unwrap(), [Link { weight: 0.7, ..link.clone() }]);
    let dangling = Link { dst: Id([3; 16]), ..link };
    assert!(matches!(store.link(&dangling), Err(Error::NotFound { .. })));
}

#[test]
fn only_the_latest_evidence_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = add(&store, fact("x"), 0);
    for step in 0..100_u8 {
        let evidence = [Id([step; 16]), Id([step; 16])];
        store.reinforce(&[id], &evidence, 100 + u64::from(step) * 50, Retention::default()).unwrap();
    }
    let kept = get(&store, id).evidence;
    assert_eq!(kept.len(), EVIDENCE_KEPT);
    assert_eq!(kept.last(), Some(&Id([99; 16])));
}

#[test]
fn a_damaged_page_is_a_typed_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("facts.db");
    let store = open(folder.path());
    for index in 0..200 {
        add(&store, fact(&format!("fact number {index} {}", "word ".repeat(50))), 0);
    }
    store.close().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8_192..].fill(0xAB);
    std::fs::write(&path, &bytes).unwrap();
    let result = FactStore::open(&path, &options("tester"))
        .and_then(|store| store.list(&FactFilter::default(), 1_000));
    assert!(matches!(result, Err(Error::StoreDamaged { .. })), "{result:?}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_closed_store_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.close().unwrap();
    store.close().unwrap();
    assert!(matches!(store.get(&[Id([1; 16])]), Err(Error::StoreUnavailable { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn confidence_at_a_tick_does_not_depend_on_looking(
        looks in prop::collection::vec(0..3_000_u64, 0..12), confidence in 0.01..=1.0_f32, kind_index in 0..13_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let fact = Fact { confidence, kind: FactKind::ALL[kind_index], ..fact("watched") };
        let id = add(&store, fact, 0);
        let fresh = store.confidence_now(&[id], 3_000).unwrap()[0].unwrap();
        for tick in looks {
            store.confidence_now(&[id], tick).unwrap();
            store.list(&FactFilter::default(), 10).unwrap();
            store.touch(&[id], tick).unwrap();
        }
        // Bit by bit: looking changes nothing at all.
        prop_assert_eq!(store.confidence_now(&[id], 3_000).unwrap()[0].unwrap().to_bits(), fresh.to_bits());
    }
}
