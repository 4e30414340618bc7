//! The look back of a pass: told rules and open hypotheses are tested on old episodes, each of which counts once.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::consolidate::{CuratorReport, CuratorSettings, consolidate, rehearse};
use bardo_core::facts::FactStore;
use bardo_core::model::{Fact, FactKind, FactPayload, FactStatus, Id, Source, Value};
use proptest::prelude::*;
use support::script::{Script, open};

/// Episodes of one slice of a told rule.
const SLICE: u64 = 64;

fn told(text: &str) -> Fact {
    Fact {
        source: Source::Testament,
        origin: "parent".into(),
        generation: 1,
        confidence: 0.4,
        payload: FactPayload::Heuristic {
            condition: "momentum >= 0.5".into(),
            action: String::new(),
            outcome: "pnl is higher".into(),
            n: 0,
            effect: 0.0,
            interval: (0.0, 0.0),
        },
        ..Fact::new(FactKind::Heuristic, text)
    }
}

/// Decisions whose outcome is higher by this where momentum is high.
fn decide(script: &mut Script, count: u64, effect: f64) {
    for _ in 0..count {
        let number = script.episodes.len() as u64;
        // Two sequences that fill the unit square evenly (Weyl).
        let momentum = (number as f64 * 0.618_033_988_75).fract();
        let noise = (number as f64 * 0.754_877_666_2).fract() * 3.4 - 1.7;
        let pnl = if momentum >= 0.5 { noise + effect } else { noise };
        let payload = vec![("momentum", Value::Float(momentum)), ("pnl", Value::Float(pnl))];
        script.add(number, &["ETH"], payload);
    }
}

fn pass(store: &FactStore, script: &Script, batch: usize, share: f64) -> CuratorReport {
    let tick = script.episodes.len() as u64;
    // No outcome of the agent's own: no hypothesis is begun, and told rules alone look back.
    let settings = CuratorSettings { look_back: share, outcomes: Vec::new(), ..CuratorSettings::default() };
    consolidate(store, script, batch, tick, 7, settings).unwrap()
}

fn tell(store: &FactStore, tick: u64) -> Id {
    store.upsert(&[told("High momentum pays")], None, tick, 7).unwrap()[0].0
}

fn get(store: &FactStore, id: Id) -> Fact {
    store.get(&[id]).unwrap().pop().flatten().unwrap()
}

#[test]
fn a_told_rule_that_never_held_leaves_force_after_fewer_new_decisions() {
    let decisions = |share: f64| -> usize {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let mut script = Script::default();
        decide(&mut script, 1_280, 0.0);
        pass(&store, &script, 10_000, share);
        let id = tell(&store, 1_280);
        (1..100)
            .find(|_| {
                decide(&mut script, 16, 0.0);
                pass(&store, &script, 16, share);
                get(&store, id).status != FactStatus::Active
            })
            .unwrap()
    };
    let (without, with) = (decisions(0.0), decisions(0.5));
    assert!(with * 3 < without * 2, "{with} passes, {without} without");
}

#[test]
fn what_was_lived_confirms_a_told_rule_and_a_dry_run_says_so_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    decide(&mut script, 640, 1.0);
    pass(&store, &script, 10_000, 0.5);
    let id = tell(&store, 640);
    // New decisions that tell nothing of it: their momentum is low.
    for number in 640..720 {
        script.add(number, &["ETH"], vec![("momentum", Value::Float(0.1)), ("pnl", Value::Float(0.0))]);
    }
    let settings = CuratorSettings { look_back: 0.5, outcomes: Vec::new(), ..CuratorSettings::default() };
    let dry = rehearse(&store, &script, 80, 720, 7, settings).unwrap();
    let report = pass(&store, &script, 80, 0.5);
    assert_eq!((report.reread, report.rules_followed), (SLICE, 1));
    assert_eq!((dry.report.reread, dry.report.rules_followed), (SLICE, 1));
    let fact = get(&store, id);
    assert!(fact.confidence > 0.4, "{}", fact.confidence);
    assert!(fact.evidence.iter().all(|id| script.episodes[..640].iter().any(|old| old.id == *id)));
    assert_eq!(
        pass(&store, &script, 80, 0.5).reread,
        0,
        "nothing new came, so nothing old is read beside it"
    );
}

#[test]
fn the_present_has_the_last_word_on_a_rule_that_began_to_hold_late() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    decide(&mut script, 2_560, 0.0);
    pass(&store, &script, 10_000, 0.5);
    let id = tell(&store, 2_560);
    let mut reread = 0;
    for _ in 0..40 {
        decide(&mut script, 64, 1.0);
        reread += pass(&store, &script, 64, 0.5).reread;
    }
    assert_eq!(reread, 2_560, "all that was lived before spoke against it");
    assert_eq!(get(&store, id).status, FactStatus::Active);
}

#[test]
fn a_true_inherited_rule_stays_in_force_where_a_pass_follows_each_decision() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut script = Script::default();
    let id = tell(&store, 0);
    decide(&mut script, 78, 1.0);
    pass(&store, &script, 78, 0.0);
    for _ in 0..600 {
        decide(&mut script, 1, 1.0);
        pass(&store, &script, 1, 0.0);
    }
    let fact = get(&store, id);
    assert_eq!(fact.status, FactStatus::Active);
    assert!(fact.confidence > 0.3, "{}", fact.confidence);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn an_old_episode_counts_once_for_a_belief_however_passes_are_cut_and_broken(
        lived in 0..900_u64,
        share in 0.1..0.9_f64,
        batches in prop::collection::vec(1..200_usize, 1..8),
        broken in prop::collection::vec((1..900_u64, 1..200_usize), 0..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let mut script = Script::default();
        // A true rule stays in force, so that all that was lived is held against it.
        decide(&mut script, lived, 1.0);
        pass(&store, &script, 1_000, share);
        tell(&store, lived);
        // More new ones than it takes to read all the old ones beside them.
        decide(&mut script, (lived as f64 * (1.0 - share) / share) as u64 + 800, 1.0);
        let tick = script.episodes.len() as u64;
        let settings = CuratorSettings { look_back: share, outcomes: Vec::new(), ..CuratorSettings::default() };
        let mut reread = 0;
        for (failing, batch) in broken {
            *script.failing.borrow_mut() = Some(failing);
            // A pass that fails has counted nothing, wherever it failed.
            let done = consolidate(&store, &script, batch, tick, 7, settings.clone());
            reread += done.map_or(0, |report| report.reread);
        }
        *script.failing.borrow_mut() = None;
        for batch in batches.iter().cycle() {
            let report = pass(&store, &script, *batch, share);
            reread += report.reread;
            if report.pending == 0 {
                break;
            }
        }
        prop_assert_eq!(reread, lived / SLICE * SLICE);
    }
}
