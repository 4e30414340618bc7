//! Late interaction over a real log: words find their matches in a memory and in the turns beside it.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::capture::{Deletion, EpisodeLog, VectorBatch};
use bardo_core::index::hot::HotSet;
use bardo_core::index::vectors::Tokens;
use bardo_core::model::{Episode, Fingerprint, Id, Role};
use bardo_core::recall::explain::SearchResult;
use bardo_core::recall::filter::Filters;
use bardo_core::recall::rule_seats::RuleSeats;
use bardo_core::recall::search::{Query, Scratch, search};
use bardo_core::recall::settings::Settings;
use support::{NOW, episode, new, open};

const DIMS: usize = 64;

/// A direction that is nearly at right angles to those of other numbers.
fn direction(number: u64) -> Vec<f32> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut part = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if state >> 40 & 1 == 1 { 1.0 } else { -1.0 }
    };
    (0..DIMS).map(|_| part()).collect()
}

/// A conversation whose turns share no word with the query, with one token each in the direction of its number.
fn conversation(log: &EpisodeLog, turns: &[u64]) -> (HotSet, Vec<Id>) {
    let (mut hot, mut ids) = (HotSet::default(), Vec::new());
    for (place, &number) in turns.iter().enumerate() {
        let turn = Episode {
            role: Role::User,
            session: Some(format!("{}", place / 4)),
            ..episode(place as u64, &format!("turn {place}"))
        };
        let id = log.record(vec![new(turn)], NOW, false).unwrap()[0].id;
        let words = ["drained".to_owned()];
        let token = direction(number);
        let codes = Tokens { words: &words, counts: &[1], vectors: &token, dims: DIMS }.pack();
        let batch = VectorBatch {
            whole: direction(1),
            sentences: Vec::new(),
            counts: vec![0],
            dims: DIMS,
            tokens: vec![codes],
        };
        let fingerprint = Fingerprint {
            model: "m".into(),
            version: "1".into(),
            preprocessing: "p".into(),
            dims: DIMS as u32,
            created: 0,
        };
        log.put_vectors(vec![id], batch, fingerprint).unwrap();
        ids.push(id);
    }
    for stored in log.get(&ids).unwrap().into_iter().flatten() {
        hot.add_episode(&stored).unwrap();
        hot.set_vectors(&stored.id, &direction(1), &[]).unwrap();
    }
    (hot, ids)
}

fn ask(hot: &HotSet, log: &EpisodeLog, number: u64, now_tick: u64) -> SearchResult {
    let (words, token) = (["emptied".to_owned()], direction(number));
    let tokens = Tokens { words: &words, counts: &[1], vectors: &token, dims: DIMS };
    let filters = Filters { as_of: Some(now_tick), ..Filters::default() };
    let query = Query {
        text: "emptied",
        vector: Some(&direction(1)),
        limit: 20,
        now_tick,
        now: NOW,
        filters: &filters,
        mood: [0.0; 3],
        thread: None,
        tokens: Some((tokens, log)),
        past: None,
        periods: None,
        rules: RuleSeats::default(),
    };
    search(hot, &query, &Settings::default(), &mut Scratch::default()).unwrap()
}

#[test]
fn a_word_finds_its_match_and_the_turns_beside_it_before_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let (hot, ids) = conversation(&log, &[10, 11, 12, 13, 14, 15, 16, 17]);
    let found = ask(&hot, &log, 15, 100);
    let ranks: Vec<usize> =
        found.hits.iter().map(|hit| ids.iter().position(|id| *id == hit.id).unwrap()).collect();
    assert_eq!(ranks[0], 5, "{ranks:?}");
    assert!(ranks[1..3].contains(&4) && ranks[1..3].contains(&6), "{ranks:?}");
    let why = &found.hits[0].why;
    let late = why.late.unwrap();
    assert!(late.value.unwrap() > 0.8 && late.part > 0.0);
    let parts: f32 = why.arms.iter().chain(&why.late).map(|reason| reason.part).sum();
    let beside: f32 = why.conversation.iter().map(|(_, part)| part).sum();
    assert!((parts + beside - why.fused).abs() < 1e-4);
}

#[test]
fn a_turn_after_the_asked_tick_does_not_support_the_turn_before() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let (hot, ids) = conversation(&log, &[10, 11, 12, 13]);
    let value = |found: &SearchResult| {
        let hit = found.hits.iter().find(|hit| hit.id == ids[1]).unwrap();
        hit.why.late.unwrap().value.unwrap()
    };
    assert!(value(&ask(&hot, &log, 12, 100)) > value(&ask(&hot, &log, 12, 1)) + 0.2);
}

#[test]
fn codes_come_back_until_they_are_deleted_and_a_memory_without_them_is_still_found() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder);
    let (mut hot, ids) = conversation(&log, &[10, 11]);
    let bare = log.record(vec![new(episode(9, "the pool was emptied"))], NOW, false).unwrap()[0].id;
    hot.add_episode(&log.get(&[bare]).unwrap()[0].clone().unwrap()).unwrap();
    let mut seen = Vec::new();
    log.visit_tokens(&[bare, ids[1], ids[0]], &mut |place, codes| seen.push((place, codes.len()))).unwrap();
    assert_eq!(seen, [(1, DIMS / 8), (2, DIMS / 8)]);
    assert!(ask(&hot, &log, 11, 100).hits.iter().any(|hit| hit.id == bare));
    log.forget(Deletion { ids: vec![ids[1]], tombstones: true, intent: String::new(), now: NOW }).unwrap();
    log.vacuum().unwrap();
    seen.clear();
    log.visit_tokens(&ids, &mut |place, codes| seen.push((place, codes.len()))).unwrap();
    assert_eq!(seen, [(0, DIMS / 8)], "codes stay after a deletion, or are lost by a vacuum");
}
