//! Prioritised replay against its formulas, on verified episodes in memory.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;

use bardo_core::consolidate::{Draw, ReplayBuffer, ReplaySettings, utilities};
use bardo_core::model::{Id, Value};
use support::script::{Script, open, pass};

/// Episodes of alternating importance .9 and .1, all expected to be of .1.
fn script(count: u64) -> Script {
    let mut script = Script::default();
    for tick in 1..=count {
        script.number(tick, tick as f64);
        let episode = script.episodes.last_mut().unwrap();
        episode.curiosity = 0.1;
        episode.annotations.importance = Some(if tick % 2 == 0 { 0.9 } else { 0.1 });
    }
    script
}

fn buffer(script: &Script, settings: ReplaySettings) -> ReplayBuffer {
    let mut buffer = ReplayBuffer::new(settings).unwrap();
    buffer.refresh(script).unwrap();
    buffer
}

fn number(id: Id) -> u64 {
    u64::from_be_bytes(id.0[..8].try_into().unwrap())
}

#[test]
fn the_surprising_and_important_come_more_often_in_the_proportion_of_their_priorities() {
    let script = script(1_000);
    let settings =
        ReplaySettings { alpha: 1.0, recent: 1_000, recent_share: 1.0, ..ReplaySettings::default() };
    let mut drawn: BTreeMap<bool, u64> = BTreeMap::new();
    for seed in 0..2_000 {
        for draw in buffer(&script, settings).sample(1, false, seed) {
            *drawn.entry(number(draw.id).is_multiple_of(2)).or_default() += 1;
        }
    }
    // Priorities .5 * .8 + .5 * .9 = .85 and .05, and the floor of .001 on both.
    let expected = 2_000.0 * 0.851 / (0.851 + 0.051);
    let deviation = (2_000.0 * 0.943_f64 * 0.057).sqrt();
    assert!((drawn[&true] as f64 - expected).abs() < 4.0 * deviation, "{drawn:?} {expected}");
}

#[test]
fn recent_and_old_are_interleaved_as_set() {
    let script = script(4_000);
    let draws = buffer(&script, ReplaySettings::default()).sample(100, false, 7);
    let recent = draws.iter().filter(|draw| number(draw.id) > 4_000 - 1_024).count();
    assert_eq!((draws.len(), recent), (100, 70));
    let ids: Vec<u64> = draws.iter().map(|draw| number(draw.id)).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "each once, and oldest first");
    let few =
        buffer(&script, ReplaySettings { recent: 10, ..ReplaySettings::default() }).sample(100, true, 7);
    assert_eq!(few.iter().filter(|draw| number(draw.id) > 3_990).count(), 10);
    assert_eq!(few.len(), 100);
}

#[test]
fn weights_take_the_bias_back() {
    let script = script(500);
    let settings = ReplaySettings { beta: 1.0, recent: 500, recent_share: 1.0, ..ReplaySettings::default() };
    let draws = buffer(&script, settings).sample(50, false, 3);
    let product = |draw: &Draw| draw.weight * draw.probability;
    for draw in &draws {
        assert!((product(draw) / product(&draws[0]) - 1.0).abs() < 1e-9);
    }
    assert!((draws.iter().map(|draw| draw.weight).fold(0.0, f64::max) - 1.0).abs() < 1e-12);
    for draw in buffer(&script, settings).sample(50, true, 3) {
        assert!((draw.weight - 1.0).abs() < 1e-12 && (draw.probability - 1.0 / 500.0).abs() < 1e-12);
    }
}

#[test]
fn a_replayed_episode_gives_way_and_equal_histories_draw_equally() {
    let script = script(64);
    let settings = ReplaySettings { recent: 64, recent_share: 1.0, alpha: 1.0, ..ReplaySettings::default() };
    let run = || {
        let mut buffer = buffer(&script, settings);
        (0..8).map(|_| buffer.sample(8, false, 5)).collect::<Vec<_>>()
    };
    let batches = run();
    assert_eq!(batches, run());
    let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
    for draw in batches.iter().flatten().filter(|draw| number(draw.id).is_multiple_of(2)) {
        *seen.entry(number(draw.id)).or_default() += 1;
    }
    assert!(seen.len() > 26, "of 32 important ones most had a turn: {}", seen.len());
}

#[test]
fn a_small_or_empty_memory_gives_what_it_has() {
    let mut empty = ReplayBuffer::new(ReplaySettings::default()).unwrap();
    assert_eq!(empty.sample(8, false, 1), []);
    assert_eq!(empty.sample(8, true, 1), []);
    assert!(empty.sample_by(&[], &[], 8, 1).is_empty());
    assert_eq!(buffer(&script(3), ReplaySettings::default()).sample(8, false, 1).len(), 3);
    let wrong = ReplaySettings { alpha: 1.5, ..ReplaySettings::default() };
    assert!(ReplayBuffer::new(wrong).unwrap_err().to_string().contains("alpha is 1.5"));
}

#[test]
fn utility_prefers_what_would_change_most_and_is_needed_now() {
    let mut script = Script::default();
    for tick in 1..=200 {
        // Pools behave, apart from one reading; the weather is of no use lately.
        let outlier = tick == 50;
        script.add(
            tick,
            &["pool"],
            vec![("lag", Value::Float(if outlier { 40.0 } else { tick as f64 % 3.0 }))],
        );
    }
    script.add(201, &["weather"], vec![("rain", Value::Float(1.0))]);
    for tick in 202..=300 {
        script.add(tick, &["pool"], vec![("lag", Value::Float(tick as f64 % 3.0))]);
    }
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    pass(&store, &script, 1_000, 300);
    let buffer = buffer(&script, ReplaySettings::default());
    let places: Vec<usize> = (0..300).collect();
    let utilities = utilities(&store, &script, &buffer, &places, 300).unwrap();
    let best = (0..300).max_by(|a, b| utilities[*a].total_cmp(&utilities[*b])).unwrap();
    assert_eq!(best, 49);
    assert!(utilities.iter().all(|utility| (0.0..=1.0).contains(utility)));
    let usual = utilities[100];
    assert!(utilities[200] < usual, "{} {usual}", utilities[200]);
}
