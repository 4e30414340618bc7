//! Which entries cross at a death: caps, thresholds, and the crowd that must not displace the rest.

mod support;

use bardo_core::bequeath::{Exclusion, Measure, Selection, Thresholds, select};
use bardo_core::model::{Fact, FactKind, FactStatus, Id};
use proptest::prelude::*;

const THRESHOLDS: Thresholds = Thresholds { heuristic: 0.7, insight: 0.6 };
const CAP: usize = 2_048;
const TICK: u64 = 1_000;

fn fact(kind: FactKind, text: impl Into<String>, subject: &str) -> Fact {
    Fact {
        id: Id([0; 16]),
        kind,
        subjects: vec![subject.to_owned()],
        support: 5,
        confidence: 0.9,
        origin: "parent".into(),
        ..support::fact(&text.into())
    }
}

fn copies_in(selection: &Selection) -> usize {
    selection.left_out.iter().filter(|(_, reason)| *reason == Exclusion::NearCopy).count()
}

/// A vector in direction `axis`, turned a little by `jitter`.
fn direction(axis: usize, jitter: f32, dims: usize) -> Vec<f32> {
    let mut row = vec![0.0; dims];
    row[axis % dims] = 1.0;
    row[(axis + 1) % dims] += jitter;
    row
}

#[test]
fn each_kind_crosses_by_its_own_rule() {
    let insight = fact(FactKind::Insight, "fees fall at night", "gas");
    let procedure = fact(FactKind::Procedural, "check the oracle first", "oracle");
    let cases = [
        (insight.clone(), 0.6, true),
        (insight.clone(), 0.59, false),
        (fact(FactKind::Heuristic, "when late, wait", "gas"), 0.69, false),
        (fact(FactKind::Heuristic, "when late, wait", "gas"), 0.7, true),
        (fact(FactKind::Warning, "bridges fail", "bridge"), 0.01, true),
        (fact(FactKind::AntiKnowledge, "never chase", "loss"), 0.0, true),
        (procedure.clone(), 0.6, true),
        (Fact { support: 2, ..procedure }, 0.9, false),
        (Fact { status: FactStatus::Superseded, ..insight.clone() }, 0.9, false),
        (Fact { status: FactStatus::Contradicted, ..fact(FactKind::Warning, "old", "x") }, 0.9, false),
        (Fact { expires_tick: Some(TICK - 1), ..insight.clone() }, 0.9, false),
        (Fact { expires_tick: Some(TICK), ..insight }, 0.9, true),
    ];
    for (fact, confidence, crosses) in cases {
        let selection =
            select(std::slice::from_ref(&fact), &[confidence], None, THRESHOLDS, CAP, TICK).unwrap();
        assert_eq!(
            selection.chosen.len(),
            usize::from(crosses),
            "{} at {confidence}: {selection:?}",
            fact.text
        );
        assert_eq!(selection.left_out.len(), usize::from(!crosses));
    }
}

#[test]
fn entries_that_fit_cross_even_when_they_are_alike() {
    let facts = vec![fact(FactKind::Insight, "the same", "gas"); 10];
    let selection = select(&facts, &[0.9; 10], None, THRESHOLDS, 10, TICK).unwrap();
    assert_eq!((selection.chosen.len(), selection.measure), (10, Measure::None));
    assert!(selection.left_out.is_empty());
}

#[test]
fn a_cap_full_of_near_copies_does_not_crowd_out_the_rest() {
    const DIMS: usize = 64;
    for kind in [FactKind::Insight, FactKind::Warning, FactKind::AntiKnowledge] {
        let mut facts: Vec<Fact> = (0..CAP).map(|n| fact(kind, format!("copy {n}"), "gas")).collect();
        let mut rows: Vec<f32> =
            (0..CAP).flat_map(|n| direction(0, (n % 100) as f32 * 0.002, DIMS)).collect();
        for axis in 2..DIMS {
            facts.push(fact(FactKind::Insight, format!("rare {axis}"), "gas"));
            rows.extend(direction(axis, 0.0, DIMS));
        }
        // The copies are certain, the rare ones barely good enough to cross.
        let confidences: Vec<f32> = (0..facts.len()).map(|n| if n < CAP { 1.0 } else { 0.6 }).collect();
        let selection = select(&facts, &confidences, Some((&rows, DIMS)), THRESHOLDS, CAP, TICK).unwrap();
        assert_eq!(selection.chosen.len(), CAP);
        let rare = selection.chosen.iter().filter(|&&index| index >= CAP).count();
        assert_eq!(rare, DIMS - 2, "with copies of kind {}", kind.name());
        assert_eq!(copies_in(&selection), DIMS - 2);
    }
}

#[test]
fn paraphrases_that_are_not_copies_weigh_about_as_much_as_one() {
    const DIMS: usize = 64;
    // Cosine about 0.8 between any two of the crowd: alike, but no copies.
    let mut rows: Vec<f32> = Vec::new();
    for place in 0..60 {
        let mut row = direction(0, 0.0, DIMS);
        row[2 + place] = 0.5;
        rows.extend(row);
    }
    let mut facts: Vec<Fact> =
        (0..60).map(|n| fact(FactKind::Insight, format!("crowd {n}"), "gas")).collect();
    rows.extend(direction(1, 0.0, DIMS));
    facts.push(fact(FactKind::Insight, "alone", "gas"));
    let selection = select(&facts, &[0.9; 61], Some((&rows, DIMS)), THRESHOLDS, 2, TICK).unwrap();
    assert!(selection.chosen.contains(&60), "{:?}", selection.chosen);
}

#[test]
fn many_warnings_leave_room_for_what_worked() {
    let words = |n: usize| format!("alpha{n} beta{n} gamma{n} delta{n}");
    let mut facts: Vec<Fact> = (0..100).map(|n| fact(FactKind::Warning, words(n), &n.to_string())).collect();
    facts.extend((100..200).map(|n| fact(FactKind::Insight, words(n), &n.to_string())));
    let selection = select(&facts, &[0.9; 200], None, THRESHOLDS, 40, TICK).unwrap();
    assert_eq!(selection.measure, Measure::Words);
    let warnings = selection.chosen.iter().filter(|&&index| index < 100).count();
    assert_eq!((warnings, selection.chosen.len()), (30, 40));
}

#[test]
fn wrong_shapes_are_refused() {
    let facts = vec![fact(FactKind::Insight, "a", "b")];
    assert!(select(&facts, &[], None, THRESHOLDS, CAP, TICK).is_err());
    assert!(select(&facts, &[f32::NAN], None, THRESHOLDS, CAP, TICK).is_err());
    assert!(select(&facts, &[0.5], Some((&[1.0], 2)), THRESHOLDS, CAP, TICK).is_err());
    assert!(select(&facts, &[0.5], Some((&[f32::NAN], 1)), THRESHOLDS, CAP, TICK).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_entry_is_chosen_or_left_out_once_and_anti_knowledge_comes_first(
        given in prop::collection::vec((0_usize..13, "[a-d ]{1,12}", 0_usize..4, 0.0_f32..=1.0), 0..60),
        cap in 0_usize..40,
        embedded: bool,
    ) {
        const DIMS: usize = 8;
        let facts: Vec<Fact> = given
            .iter()
            .map(|(kind, text, subject, _)| fact(FactKind::ALL[*kind], format!("x{text}"), &subject.to_string()))
            .collect();
        let confidences: Vec<f32> = given.iter().map(|(_, _, _, confidence)| *confidence).collect();
        let rows: Vec<f32> = given
            .iter()
            .flat_map(|(_, text, subject, _)| direction(text.len(), *subject as f32 * 0.3, DIMS))
            .collect();
        let vectors = embedded.then_some((rows.as_slice(), DIMS));
        let selection = select(&facts, &confidences, vectors, THRESHOLDS, cap, TICK).unwrap();

        prop_assert!(selection.chosen.len() <= cap);
        let left_out = selection.left_out.iter().map(|(index, _)| *index);
        let mut each: Vec<usize> = selection.chosen.iter().copied().chain(left_out).collect();
        each.sort_unstable();
        prop_assert_eq!(each, (0..facts.len()).collect::<Vec<_>>());
        prop_assert_eq!(&selection, &select(&facts, &confidences, vectors, THRESHOLDS, cap, TICK).unwrap());
        // Anti-knowledge stays behind only as a near-copy, or when nothing else was taken in its place.
        let is_anti = |index: &usize| facts[*index].kind == FactKind::AntiKnowledge;
        let lost = (0..facts.len()).filter(|index| is_anti(index) && !selection.chosen.contains(index)).count();
        if lost > copies_in(&selection) {
            prop_assert!(selection.chosen.iter().all(is_anti));
        }
    }
}
