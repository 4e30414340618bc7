//! Names read from a real log, and recall that walks them.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::capture::EpisodeLog;
use bardo_core::facts::{EntityFilter, FactOptions, FactStore, NewTriple, Retention};
use bardo_core::index::hot::HotSet;
use bardo_core::model::{Episode, Id};
use bardo_core::recall::asker_state::has_begun;
use bardo_core::recall::filter::Filters;
use bardo_core::recall::rule_seats::RuleSeats;
use bardo_core::recall::search::{Query, Scratch, search};
use bardo_core::recall::settings::{Policy, Settings};
use support::{NOW, episode, new};

struct Agent {
    log: EpisodeLog,
    facts: FactStore,
    _folder: tempfile::TempDir,
}

fn agent(texts: &[&str]) -> Agent {
    let folder = tempfile::tempdir().unwrap();
    let log = support::open(&folder);
    let retention = Retention::default();
    let options = FactOptions { agent: "trader-7".into(), seed: 7, now: NOW, create: true, retention };
    let facts = FactStore::open(&folder.path().join("facts.db"), &options).unwrap();
    let episodes: Vec<Episode> = (1..).zip(texts).map(|(tick, text)| episode(tick, text)).collect();
    log.record(episodes.into_iter().map(new).collect(), NOW, false).unwrap();
    facts.read_names(&log, 1).unwrap();
    Agent { log, facts, _folder: folder }
}

impl Agent {
    fn hot(&self) -> HotSet {
        HotSet::load(&self.log, &self.facts, 0).unwrap()
    }

    fn id(&self, text: &str) -> Id {
        let found = self.log.latest(100).unwrap().into_iter().find(|episode| episode.text == text);
        found.unwrap().id
    }
}

/// Texts and parts of the graph, best first.
fn recall(agent: &Agent, hot: &HotSet, text: &str, policy: Policy) -> Vec<(String, bool)> {
    let filters = Filters::default();
    let query = Query {
        text,
        vector: None,
        limit: 5,
        now_tick: 100,
        now: NOW,
        filters: &filters,
        mood: [0.0; 3],
        thread: None,
        tokens: None,
        past: None,
        periods: None,
        rules: RuleSeats::default(),
    };
    let found =
        search(hot, &query, &Settings { policy, ..Settings::default() }, &mut Scratch::default()).unwrap();
    let by_graph = |hit: &bardo_core::recall::explain::Hit| {
        hit.why.conversation.iter().any(|(name, part)| *name == "graph" && *part > 0.0)
    };
    found
        .hits
        .iter()
        .map(|hit| (agent.log.get(&[hit.id]).unwrap().remove(0).unwrap().text, by_graph(hit)))
        .collect()
}

const TEXTS: [&str; 5] = [
    "Yesterday I met Melanie in the park",
    "We talked about pottery with Mel",
    "Rain fell on the town",
    "Then the swallow Zorro was fed by Quirin",
    "The brother of Quirin builds boats",
];

#[test]
fn an_entity_that_is_named_brings_its_hits_in_by_any_alias() {
    let agent = agent(&TEXTS);
    let before = recall(&agent, &agent.hot(), "Melanie", Policy::FourFactor);
    assert!(!before.iter().any(|(text, _)| text == TEXTS[1]));
    agent.facts.merge_entities("Melanie", &["Mel".to_owned()]).unwrap();
    for policy in [Policy::FourFactor, Policy::Rrf, Policy::Pinned] {
        let found = recall(&agent, &agent.hot(), "what about melanie", policy);
        assert!(found.contains(&(TEXTS[1].to_owned(), true)), "{policy:?}: {found:?}");
        assert!(!found.iter().any(|(text, _)| text == TEXTS[2]), "{policy:?}: {found:?}");
    }
}

#[test]
fn a_triple_brings_in_what_is_stated_of_its_other_end_while_it_holds() {
    let texts = [
        "Nadia is with Helvion",
        "Helvion sits in Porto",
        "Helvion was founded by Rui",
        "Rain fell on Porto",
    ];
    let agent = agent(&texts);
    for (subject, predicate, object, text, valid_to) in [
        ("Nadia", "employer", "Helvion", texts[0], None),
        ("Helvion", "location", "Porto", texts[1], None),
        ("Helvion", "founder", "Rui", texts[2], Some(2)),
    ] {
        let triple = NewTriple {
            subject: subject.into(),
            predicate: predicate.into(),
            object: object.into(),
            confidence: 0.8,
            source: Some(agent.id(text)),
            valid_from: 1,
            valid_to,
            replaces: false,
        };
        agent.facts.relate(&triple, 1).unwrap();
    }
    for policy in [Policy::FourFactor, Policy::Rrf] {
        let found = recall(&agent, &agent.hot(), "in which city does Nadia work", policy);
        let found: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(found, texts[..2], "{policy:?}");
    }
}

#[test]
fn the_graph_follows_what_is_read_merged_related_and_forgotten() {
    let agent = agent(&TEXTS);
    let mut hot = agent.hot();
    assert!(hot.is_current(&agent.facts).unwrap());
    let reached = |hot: &HotSet, query: &str| -> Vec<Id> {
        hot.graph().reach(query).iter().filter_map(|memory| hot.row(memory.slot)).map(|row| row.id).collect()
    };
    // Two hops: a text naming a person who is named beside Zorro.
    assert!(reached(&hot, "Zorro").contains(&agent.id(TEXTS[4])));
    assert!(reached(&hot, "nobody").is_empty());
    let triple = NewTriple {
        subject: "Zorro".into(),
        predicate: "belongs to".into(),
        object: "Melanie".into(),
        confidence: 0.7,
        source: None,
        valid_from: 1,
        valid_to: None,
        replaces: false,
    };
    agent.facts.relate(&triple, 1).unwrap();
    assert!(!hot.is_current(&agent.facts).unwrap());
    hot.sync_facts(&agent.facts).unwrap();
    assert!(hot.is_current(&agent.facts).unwrap());
    assert!(reached(&hot, "Zorro").contains(&agent.id(TEXTS[0])));
    let gone = agent.id(TEXTS[4]);
    agent.facts.forget_episodes(&[gone]).unwrap();
    hot.remove(&gone);
    hot.sync_facts(&agent.facts).unwrap();
    assert!(!reached(&hot, "Quirin").contains(&gone));
    assert_eq!(hot.graph().len(), agent.hot().graph().len());
}

#[test]
fn looking_at_facts_changes_counts_alone_and_what_is_learned_meanwhile_is_taken_over() {
    let agent = agent(&TEXTS);
    let known = ["Zorro eats at noon", "Quirin sails on Sundays"].map(support::fact);
    let ids: Vec<Id> = agent.facts.upsert(&known, None, 1, NOW).unwrap().iter().map(|(id, _)| *id).collect();
    let mut hot = agent.hot();
    hot.set_vectors(&ids[0], &[1.0, 0.0], &[]).unwrap();
    let learned = agent.facts.last_learned().unwrap();
    let mentions = |hot: &HotSet, at: usize| hot.find(&ids[at]).unwrap().fact.as_ref().unwrap().mentions;

    agent.facts.touch(&ids, 5).unwrap();
    agent.facts.touch(&ids[..1], 6).unwrap();
    assert_eq!(agent.facts.last_learned().unwrap(), learned);
    assert!(!hot.is_current(&agent.facts).unwrap());
    assert_eq!(hot.sync_facts(&agent.facts).unwrap(), 2);
    assert_eq!((mentions(&hot, 0), mentions(&hot, 1)), (2, 1));
    // The store has no vector of it: taken over whole, it would have none either.
    assert!(hot.has_vectors(&ids[0]));

    agent.facts.touch(&ids[1..], 7).unwrap();
    agent.facts.pin(&ids[..1], true, 7).unwrap();
    agent.facts.touch(&ids[1..], 8).unwrap();
    assert!(agent.facts.last_learned().unwrap() > learned);
    hot.sync_facts(&agent.facts).unwrap();
    assert_eq!((mentions(&hot, 0), mentions(&hot, 1)), (2, 3));
    assert!(hot.is_current(&agent.facts).unwrap());
    assert!(matches!(agent.facts.touch(&[Id([9; 16])], 9), Err(bardo_core::Error::NotFound { .. })));
}

#[test]
fn a_session_has_begun_while_an_episode_of_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let log = support::open(&folder);
    let said = |tick: u64, session: &str| Episode {
        session: Some(session.into()),
        ..episode(tick, &format!("said {tick}"))
    };
    log.record([said(1, "one"), said(2, "two"), said(3, "two")].map(new).into(), NOW, false).unwrap();
    let mut hot = HotSet::default();
    for episode in log.latest(9).unwrap() {
        hot.add_episode(&episode).unwrap();
    }
    let begun = |hot: &HotSet| ["one", "two", "three"].map(|session| has_begun(hot, session));
    assert_eq!(begun(&hot), [true, true, false]);
    let ids: Vec<Id> = log.latest(9).unwrap().iter().map(|episode| episode.id).collect();
    hot.remove(&ids[0]);
    hot.remove(&ids[1]);
    assert_eq!(begun(&hot), [false, true, false]);
    hot.remove(&ids[2]);
    assert_eq!(begun(&hot), [false; 3]);
}

#[test]
fn reading_twice_counts_once_and_rereading_finds_the_same() {
    let agent = agent(&TEXTS);
    let before = agent.facts.entities(&EntityFilter::default(), 100).unwrap();
    assert_eq!(agent.facts.read_names(&agent.log, 1).unwrap(), bardo_core::facts::MentionReport::default());
    agent.facts.reread_names().unwrap();
    assert_eq!(agent.facts.read_names(&agent.log, 1).unwrap().episodes, TEXTS.len());
    assert_eq!(agent.facts.entities(&EntityFilter::default(), 100).unwrap(), before);
}
