//! Makes small memories and queries for the tests of recall.

use super::explain::SearchResult;
use super::filter::Filters;
use super::rule_seats::RuleSeats;
use super::search::{Query, Scratch, search};
use super::settings::Settings;
use crate::index::hot::HotSet;
use crate::model::{Annotations, Episode, Fact, FactKind, Id, IdSource, Role, Value};

pub(super) const NOW: i64 = 1_700_000_000_000_000;
pub(super) const DAY: i64 = 86_400_000_000;

pub(super) fn id(number: u64) -> Id {
    IdSource::new(1).make(1_000_000 * number.cast_signed(), number)
}

pub(super) fn episode(number: u64, text: &str) -> Episode {
    Episode {
        id: id(number),
        tick: number,
        event_index: 0,
        at: NOW - DAY,
        kind: "event".into(),
        role: Role::Environment,
        speaker: None,
        text: text.into(),
        subjects: Vec::new(),
        payload: Value::Null,
        thread: None,
        session: None,
        mode: None,
        curiosity: 0.0,
        pad: [0.0; 3],
        content_hash: 0,
        annotations: Annotations::default(),
    }
}

pub(super) fn turn(number: u64, speaker: &str, text: &str) -> Episode {
    let session = Some("one".to_owned());
    Episode { role: Role::User, speaker: Some(speaker.into()), session, ..episode(number, text) }
}

pub(super) fn fact(number: u64, text: &str) -> Fact {
    Fact {
        id: id(number),
        category: "trading/slippage".into(),
        support: 1,
        confidence: 0.8,
        created_tick: number,
        created_at: NOW - DAY,
        reinforced_tick: number,
        ..Fact::new(FactKind::Insight, text)
    }
}

pub(super) fn hot_of(episodes: &[Episode], facts: &[Fact]) -> HotSet {
    let mut hot = HotSet::default();
    for episode in episodes {
        hot.add_episode(episode).unwrap();
    }
    for fact in facts {
        hot.put_fact(fact).unwrap();
    }
    hot
}

pub(super) fn ask<'query>(text: &'query str, filters: &'query Filters) -> Query<'query> {
    Query {
        text,
        vector: None,
        limit: 5,
        now_tick: 100,
        now: NOW,
        filters,
        mood: [0.0; 3],
        thread: None,
        tokens: None,
        past: None,
        periods: None,
        rules: RuleSeats::default(),
    }
}

pub(super) fn find(hot: &HotSet, query: &Query<'_>) -> SearchResult {
    search(hot, query, &Settings::default(), &mut Scratch::default()).unwrap()
}

pub(super) fn find_text(hot: &HotSet, text: &str) -> Vec<Id> {
    find(hot, &ask(text, &Filters::default())).hits.iter().map(|hit| hit.id).collect()
}
