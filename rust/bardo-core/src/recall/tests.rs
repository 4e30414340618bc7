//! Tests of recall as a whole, on memories made by hand.

use proptest::prelude::*;

use super::filter::Filters;
use super::search::{Query, Scratch, search};
use super::settings::{Policy, Settings};
use super::testing::{DAY, NOW, ask, episode, fact, find, find_text, hot_of, id, turn};
use crate::error::Error;
use crate::index::hot::{HotSet, Layer};
use crate::model::{Episode, Fact, FactStatus, Id, Role, Source};

#[test]
fn law_6_a_rare_ticker_that_the_embedding_ranks_last_is_found_by_its_letters() {
    let count = 400_u16;
    let episodes: Vec<_> = (0..count)
        .map(|number| {
            let text =
                if number == 7 { "ZRXQ was listed".into() } else { format!("token news number {number}") };
            episode(u64::from(number), &text)
        })
        .collect();
    let mut hot = hot_of(&episodes, &[]);
    for (number, episode) in (0..count).zip(&episodes) {
        let vector = if number == 7 { [-1.0, 0.0] } else { [1.0, 0.001 * f32::from(number)] };
        hot.set_vectors(&episode.id, &vector, &[]).unwrap();
    }
    let filters = Filters::default();
    let query = Query { vector: Some(&[1.0, 0.0]), ..ask("what of zrxq?", &filters) };
    let found = find(&hot, &query);
    assert_eq!(found.hits[0].id, id(7), "{:?}", found.hits[0]);
    let dense = found.hits[0].why.arms[0];
    assert!(dense.rank.is_none() && dense.value.is_some_and(|cosine| cosine < -0.9));
}

#[test]
fn nothing_past_a_threshold_is_an_empty_answer_that_says_so() {
    let mut hot = hot_of(&[episode(1, "the pool was drained")], &[]);
    hot.set_vectors(&id(1), &[1.0, 0.0], &[]).unwrap();
    let filters = Filters::default();
    let found = find(&hot, &Query { vector: Some(&[0.0, 1.0]), ..ask("zebra", &filters) });
    assert!(found.hits.is_empty() && found.notes[0].starts_with("nothing matched"), "{found:?}");
    let none_left = Filters { kinds: vec!["trade".into()], ..Filters::default() };
    assert!(find(&hot, &ask("pool", &none_left)).notes[0].starts_with("the filters let none"));
    assert!(find(&HotSet::default(), &ask("pool", &filters)).notes[0].starts_with("nothing was remembered"));
}

#[test]
fn on_plain_episodes_the_score_ranks_as_the_fusion_does() {
    let words = ["alpha", "beta", "gamma", "delta"];
    let episodes: Vec<_> = (0..40_u64)
        .map(|number| {
            let text =
                (0..=number % 4).map(|at| words[(number as usize + at as usize) % 4]).collect::<Vec<_>>();
            Episode {
                at: NOW - DAY * number.cast_signed() * 9,
                ..episode(number, &format!("{} {number}", text.join(" ")))
            }
        })
        .collect();
    let hot = hot_of(&episodes, &[]);
    let filters = Filters::default();
    let found = find(&hot, &Query { limit: 40, ..ask("alpha gamma", &filters) });
    assert!(found.hits.is_sorted_by(|left, right| left.why.fused >= right.why.fused));
}

#[test]
fn importance_mood_death_and_the_active_thread_each_lift_a_memory() {
    let plain = episode(1, "gas spiked at noon in zone one");
    let lifted = |change: &dyn Fn(&mut Episode)| {
        let mut other = episode(2, "gas spiked at noon in zone two");
        change(&mut other);
        let hot = hot_of(&[plain.clone(), other], &[]);
        let filters = Filters::default();
        let query = Query { mood: [0.9, 0.1, 0.1], thread: Some("now"), ..ask("gas spiked", &filters) };
        find(&hot, &query).hits[0].id
    };
    assert_eq!(lifted(&|_| ()), id(1), "ties go to the lesser id");
    assert_eq!(lifted(&|episode| episode.annotations.importance = Some(0.9)), id(2));
    assert_eq!(lifted(&|episode| episode.pad = [0.9, 0.1, 0.1]), id(2));
    assert_eq!(lifted(&|episode| episode.thread = Some("now".into())), id(2));
    assert_eq!(lifted(&|episode| episode.annotations.verified = true), id(2));

    let bloodstain = Fact { bloodstain: true, ..fact(4, "never trade thin pools on mondays") };
    let hot = hot_of(&[], &[fact(3, "never trade thin pools on fridays"), bloodstain]);
    let filters = Filters::default();
    let found = find(&hot, &ask("thin pools", &filters));
    assert_eq!(found.hits[0].id, id(4));
    assert!((found.hits[0].why.factor("bloodstain") - 1.2).abs() < f32::EPSILON);
}

#[test]
fn claims_of_others_count_less() {
    let hearsay = Fact { source: Source::Lethe, ..fact(1, "oracle lag precedes liquidations in pool one") };
    let hot = hot_of(&[], &[hearsay, fact(2, "oracle lag precedes liquidations in pool two")]);
    let filters = Filters::default();
    let found = find(&hot, &ask("oracle lag", &filters));
    assert_eq!(found.hits[0].id, id(2));
    assert!((found.hits[1].why.factor("source") - 0.5).abs() < f32::EPSILON);
}

/// Two facts that fit a question alike, in every policy that ranks by trust; whether the second precedes the first.
fn second_precedes(first: &Fact, second: &Fact) -> bool {
    [Policy::FourFactor, Policy::Pinned].into_iter().all(|policy| {
        let hot = hot_of(&[], &[first.clone(), second.clone()]);
        let settings = Settings { policy, ..Settings::default() };
        let filters = Filters::default();
        let found = search(&hot, &ask("oracle lag", &filters), &settings, &mut Scratch::default()).unwrap();
        found.hits.iter().map(|hit| hit.id).eq([second.id, first.id])
    })
}

#[test]
fn own_knowledge_precedes_inherited_and_inherited_precedes_bought() {
    let known = |number: u64, source, confidence| Fact {
        source,
        confidence,
        generation: u32::from(source == Source::Testament),
        ..fact(number, ["oracle lag in pool one", "oracle lag in pool two"][number as usize - 1])
    };
    // As sure as each other, and each as sure as it arrives.
    for (own, inherited, bought) in [(0.2, 0.2, 0.2), (0.7, 0.34, 0.2)] {
        let one = |source, confidence| known(1, source, confidence);
        let two = |source, confidence| known(2, source, confidence);
        assert!(second_precedes(&one(Source::Testament, inherited), &two(Source::SelfLived, own)));
        assert!(second_precedes(&one(Source::Market, bought), &two(Source::Testament, inherited)));
        assert!(second_precedes(&one(Source::Lethe, bought), &two(Source::Testament, inherited)));
        assert!(second_precedes(&one(Source::Styx, bought), &two(Source::SelfLived, own)));
    }
}

#[test]
fn a_sure_fact_precedes_a_doubtful_one() {
    let hearsay = Fact {
        source: Source::Testament,
        generation: 6,
        confidence: 0.05,
        support: 0,
        ..fact(1, "oracle lag in pool one")
    };
    let own = Fact { confidence: 0.95, ..fact(2, "oracle lag in pool two") };
    assert!(second_precedes(&hearsay, &own));
    let doubtful = Fact { confidence: 0.2, ..fact(1, "oracle lag in pool one") };
    assert!(second_precedes(&doubtful, &own));
}

#[test]
fn a_contradicted_fact_comes_behind_a_doubtful_one_in_force() {
    let lowered =
        Fact { status: FactStatus::Contradicted, confidence: 0.3, ..fact(1, "oracle lag in pool one") };
    let doubtful = Fact { confidence: 0.1, ..fact(2, "oracle lag in pool two") };
    assert!(second_precedes(&lowered, &doubtful));
}

#[test]
fn support_0_has_no_advantage_over_support_1() {
    let score = |support| {
        let told = Fact { support, ..fact(1, "oracle lag in pool one") };
        let filters = Filters::default();
        find(&hot_of(&[], &[told]), &ask("oracle lag", &filters)).hits[0].score
    };
    assert!((score(0) - score(1)).abs() < f32::EPSILON);
    assert!(score(2) > score(1));
}

#[test]
fn trust_leaves_the_scores_of_episodes_as_they_are() {
    let hot = hot_of(&[episode(1, "oracle lag"), turn(2, "Ann", "oracle lag and gas")], &[]);
    for policy in [Policy::FourFactor, Policy::Pinned, Policy::Rrf] {
        let settings = Settings { policy, ..Settings::default() };
        let filters = Filters::default();
        let found = search(&hot, &ask("oracle lag", &filters), &settings, &mut Scratch::default()).unwrap();
        assert_eq!(found.hits.len(), 2);
        assert!(found.hits.iter().all(|hit| hit.why.factors.is_empty()), "{policy:?}");
    }
}

#[test]
fn rrf_reports_no_number_that_it_does_not_apply() {
    let hearsay = Fact { source: Source::Lethe, bloodstain: true, ..fact(1, "oracle lag in pool one") };
    let settings = Settings { policy: Policy::Rrf, ..Settings::default() };
    let filters = Filters::default();
    let query = Query { thread: Some("now"), ..ask("oracle lag", &filters) };
    let found = search(&hot_of(&[], &[hearsay]), &query, &settings, &mut Scratch::default()).unwrap();
    let why = &found.hits[0].why;
    assert!(why.factors.is_empty(), "{why:?}");
    assert_eq!(why.value("fused"), Some(why.fused));
    for name in ["relevance", "temporal", "importance", "emotional"] {
        assert_eq!(why.value(name), None);
    }
}

#[test]
fn near_duplicates_collapse_into_the_best() {
    let hot = hot_of(
        &[episode(1, "The pool was drained!"), episode(2, "the pool was drained"), episode(3, "pool of 5")],
        &[],
    );
    let filters = Filters::default();
    let found = find(&hot, &ask("drained pool", &filters));
    assert_eq!(found.hits.len(), 2);
    assert_eq!(found.hits[0].duplicates, [id(2)]);
}

#[test]
fn a_fact_and_the_one_episode_that_it_repeats_share_a_seat_and_the_episode_has_it() {
    let told = episode(1, "By the way, on Sunday Mira and I rowed over to the island with the lighthouse");
    let others = (3..40).map(|number| episode(number, &format!("Mira rowed {number} strokes a minute")));
    let turns: Vec<Episode> = [told.clone()].into_iter().chain(others).collect();
    let restating = Fact { evidence: vec![told.id], ..fact(2, "Mira rowed to the lighthouse island") };
    let filters = Filters::default();
    let question = ask("who rowed to the lighthouse island", &filters);
    let found = find(&hot_of(&turns, std::slice::from_ref(&restating)), &Query { limit: 5, ..question });
    let best = &found.hits[0];
    assert_eq!((best.id, best.duplicates.as_slice()), (told.id, [restating.id].as_slice()));
    assert_eq!(found.hits.len(), 5, "nobody's seat stays empty");
    assert!(found.hits.is_sorted_by(|a, b| a.score >= b.score));
    let general = Fact { support: 2, evidence: vec![told.id, id(3)], ..restating };
    let found = find(&hot_of(&turns, &[general]), &ask("who rowed to the lighthouse island", &filters));
    assert!(found.hits.iter().all(|hit| hit.duplicates.is_empty()), "what rests on several stands by itself");
}

#[test]
fn an_episode_and_a_fact_with_its_words_are_one_hit_and_other_words_are_another() {
    let told = episode(1, "Liquidations followed the oracle update by two blocks");
    let same = Fact {
        subjects: vec!["aave".into(), "oracle".into()],
        category: "records".into(),
        ..fact(2, "Liquidations followed the oracle  update by two blocks.")
    };
    let quoted = fact(3, "Ana Silva: Liquidations followed the oracle update by two blocks.");
    let other = fact(4, "Liquidations follow oracle updates on Aave");
    let filters = Filters::default();
    let hot = hot_of(std::slice::from_ref(&told), &[same, quoted, other]);
    let found = find(&hot, &ask("oracle update", &filters));
    assert_eq!(found.hits.len(), 2);
    assert_eq!(found.hits.iter().map(|hit| hit.duplicates.len()).sum::<usize>(), 2);
}

#[test]
fn an_answer_is_found_beside_its_question() {
    let turns = [
        turn(1, "Ann", "How was the weather?"),
        turn(2, "Bo", "It rained."),
        turn(3, "Ann", "Which instrument do you play these days?"),
        turn(4, "Bo", "The clarinet, since spring."),
        turn(5, "Ann", "Lovely."),
    ];
    let hot = hot_of(&turns, &[]);
    let found = find_text(&hot, "What instrument does Bo play?");
    assert!(found[..2].contains(&id(4)), "{found:?}");
}

#[test]
fn a_reply_that_says_nothing_takes_no_seat_unless_it_answers_a_question() {
    let said = |second: &str| {
        let hot =
            hot_of(&[turn(1, "Ana", second), turn(2, "Ben", "Yes."), turn(3, "Ana", "Good night")], &[]);
        find_text(&hot, "which port has the feed?")
    };
    assert_eq!(said("The feed has port 7411."), [id(1)]);
    assert_eq!(said("Has the feed port 7411?").len(), 2);
}

#[test]
fn removing_a_turn_joins_its_neighbours() {
    let mut hot =
        hot_of(&[turn(1, "A", "one"), turn(3, "A", "three"), turn(2, "B", "two"), turn(4, "B", "four")], &[]);
    assert!(hot.remove(&id(2)) && hot.remove(&id(4)) && !hot.remove(&id(2)));
    let first = hot.find(&id(1)).unwrap().clone();
    let next = hot.row(first.next.unwrap()).unwrap();
    assert_eq!((next.id, first.previous, next.next), (id(3), None, None));
    assert_eq!(hot.row(next.previous.unwrap()).unwrap().id, id(1));
    assert_eq!(find_text(&hot, "two"), []);
}

#[test]
fn filters_let_through_what_they_name() {
    let mut talk = turn(1, "Ann", "slippage is high");
    (talk.mode, talk.subjects, talk.at) = (Some("chat".into()), vec!["uniswap".into()], NOW - 10 * DAY);
    let weak = Fact { confidence: 0.2, category: "trading".into(), ..fact(2, "slippage grows with size") };
    let strong = Fact {
        subjects: vec!["uniswap".into()],
        source: Source::Clade,
        ..fact(3, "slippage falls at night")
    };
    let hot = hot_of(&[talk], &[weak, strong]);
    let all = Filters::default;
    for (name, filters, expected) in [
        ("none", all(), vec![1, 2, 3]),
        ("layer", Filters { layers: vec![Layer::Fact], ..all() }, vec![2, 3]),
        ("kind", Filters { kinds: vec!["event".into()], ..all() }, vec![1]),
        ("category", Filters { category: Some("trading/slippage".into()), ..all() }, vec![3]),
        ("category prefix", Filters { category: Some("trading".into()), ..all() }, vec![2, 3]),
        ("part of a name", Filters { category: Some("trad".into()), ..all() }, vec![]),
        ("subject", Filters { subjects: vec!["uniswap".into()], ..all() }, vec![1, 3]),
        ("thread", Filters { thread: Some("nowhere".into()), ..all() }, vec![]),
        ("session", Filters { session: Some("one".into()), ..all() }, vec![1]),
        ("mode", Filters { mode: Some("code".into()), ..all() }, vec![2, 3]),
        ("role", Filters { roles: vec![Role::User], ..all() }, vec![1]),
        ("without role", Filters { without_roles: vec![Role::User], ..all() }, vec![2, 3]),
        ("since", Filters { since: Some(NOW - 2 * DAY), ..all() }, vec![2, 3]),
        ("until", Filters { until: Some(NOW - 2 * DAY), ..all() }, vec![1]),
        ("confidence", Filters { min_confidence: Some(0.5), ..all() }, vec![1, 3]),
        ("source", Filters { sources: vec![Source::Clade], ..all() }, vec![3]),
        ("as of", Filters { as_of: Some(2), ..all() }, vec![1, 2]),
    ] {
        let mut found: Vec<Id> =
            find(&hot, &ask("slippage", &filters)).hits.iter().map(|hit| hit.id).collect();
        found.sort_unstable();
        let expected: Vec<Id> = expected.into_iter().map(id).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_superseded_fact_is_recalled_only_as_of_its_time() {
    let old = Fact {
        status: FactStatus::Superseded,
        superseded_by: Some(id(20)),
        ..fact(10, "the fee is 30 basis points")
    };
    let new = Fact { supersedes: Some(id(10)), ..fact(20, "the fee is 5 basis points") };
    let gone = Fact { expires_tick: Some(50), ..fact(11, "the fee holiday is on") };
    let hot = hot_of(&[], &[old, new, gone]);
    let found = |as_of| {
        let filters = Filters { as_of, ..Filters::default() };
        let mut ids: Vec<Id> = find(&hot, &ask("fee", &filters)).hits.iter().map(|hit| hit.id).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(found(None), [id(20)]);
    assert_eq!(found(Some(15)), [id(10), id(11)]);
    assert_eq!(found(Some(30)), [id(11), id(20)]);
}

#[test]
fn a_query_that_makes_no_sense_is_refused_by_name() {
    let mut hot = hot_of(&[episode(1, "one")], &[]);
    hot.set_vectors(&id(1), &[1.0, 0.0], &[]).unwrap();
    let filters = Filters::default();
    let refused =
        |query: &Query<'_>| search(&hot, query, &Settings::default(), &mut Scratch::default()).unwrap_err();
    assert!(matches!(refused(&Query { limit: 0, ..ask("x", &filters) }), Error::InvalidInput { .. }));
    assert!(matches!(
        refused(&Query { vector: Some(&[1.0]), ..ask("x", &filters) }),
        Error::InvalidVector { .. }
    ));
    assert!(matches!(
        refused(&Query { vector: Some(&[f32::NAN, 0.0]), ..ask("x", &filters) }),
        Error::InvalidVector { .. }
    ));
    let doubtful = Filters { min_confidence: Some(f32::NAN), ..Filters::default() };
    assert!(matches!(refused(&ask("x", &doubtful)), Error::InvalidInput { .. }));
    let zero = find(&hot, &Query { vector: Some(&[0.0, 0.0]), ..ask("one", &filters) });
    assert!(zero.hits.len() == 1 && zero.notes[0].contains("all zeros"));
}

#[test]
fn every_policy_ranks_the_better_match_first() {
    let hot =
        hot_of(&[episode(1, "oracle news"), episode(2, "oracle update lag"), episode(3, "weather")], &[]);
    for policy in [Policy::FourFactor, Policy::Rrf, Policy::Pinned] {
        let filters = Filters::default();
        let settings = Settings { policy, ..Settings::default() };
        let found =
            search(&hot, &ask("oracle update lag", &filters), &settings, &mut Scratch::default()).unwrap();
        assert_eq!(found.hits[0].id, id(2), "{policy:?}");
    }
}

proptest! {
    #[test]
    fn the_answer_does_not_depend_on_the_order_in_which_memories_arrived(
        texts in prop::collection::vec("[a-d]{1,2}( [a-d]{1,2}){0,4}", 2..30),
        query in "[a-d]{1,2}( [a-d]{1,2}){0,2}",
        shift in 0_usize..30,
    ) {
        let episodes: Vec<_> = (0..).zip(&texts).map(|(number, text)| {
            if number % 3 == 0 { turn(number, "Ann", text) } else { episode(number, text) }
        }).collect();
        let build = |episodes: &[Episode]| {
            let mut hot = hot_of(episodes, &[]);
            for episode in episodes {
                let hash = episode.id.0.iter().fold(1_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(*byte)));
                hot.set_vectors(&episode.id, &[1.0, (hash % 17) as f32 / 8.0], &[]).unwrap();
            }
            hot
        };
        let mut turned = episodes.clone();
        turned.rotate_left(shift % texts.len());
        let filters = Filters::default();
        let query = Query { vector: Some(&[1.0, 0.5]), ..ask(&query, &filters) };
        prop_assert_eq!(find(&build(&episodes), &query), find(&build(&turned), &query));
    }

    #[test]
    fn the_parts_that_are_reported_make_the_score(
        texts in prop::collection::vec("[a-d]{1,2}( [a-d]{1,2}){0,4}", 2..20),
        query in "[a-d]{1,2}( [a-d]{1,2}){0,2}",
        made in prop::collection::vec((0.0_f32..=1.0, 0_u32..4, prop::sample::select(Source::ALL.to_vec()), any::<bool>(), any::<bool>(), 0_u8..4), 20),
        policy in prop::sample::select(vec![Policy::FourFactor, Policy::Rrf, Policy::Pinned]),
    ) {
        let mut hot = HotSet::default();
        for ((number, text), (confidence, support, source, bloodstain, pinned, layer)) in (1..).zip(&texts).zip(made) {
            if layer < 2 {
                let told = turn(number, "Ann", text);
                hot.add_episode(&Episode { thread: pinned.then(|| "now".to_owned()), ..told }).unwrap();
            } else {
                let status = if layer == 2 { FactStatus::Active } else { FactStatus::Contradicted };
                // An episode that restates the turn before it shares a group with it.
                let evidence = if support == 1 { vec![id(number - 1)] } else { Vec::new() };
                hot.put_fact(&Fact {
                    confidence, support, source, bloodstain, pinned, status, evidence, mentions: support, ..fact(number, text)
                }).unwrap();
            }
            hot.set_vectors(&id(number), &[1.0, confidence], &[]).unwrap();
        }
        let settings = Settings { policy, ..Settings::default() };
        let filters = Filters::default();
        let query = Query {
            vector: Some(&[1.0, 0.5]), limit: 20, thread: Some("now"), mood: [0.5, 0.1, 0.1], ..ask(&query, &filters)
        };
        for hit in search(&hot, &query, &settings, &mut Scratch::default()).unwrap().hits {
            let why = &hit.why;
            prop_assert!((why.score() - hit.score).abs() <= 1e-5 * hit.score.abs().max(1.0), "{hit:?}");
            let arms: f32 = why.arms.iter().chain(&why.late).map(|arm| arm.part).sum();
            let around: f32 = why.conversation.iter().map(|(_, part)| part).sum();
            prop_assert!((arms + around - why.fused).abs() <= 1e-4 * why.fused.abs().max(1.0), "{hit:?}");
        }
    }

    #[test]
    fn no_query_fails_or_finds_what_the_filters_forbid(query in "\\PC{0,80}|[\\x00-\\x7f]{0,80}|(AND|OR|NEAR|\"|\\*|'| ){1,20}") {
        let hot = hot_of(&[episode(1, &format!("{query} x")), turn(2, "Ann", "What? AND OR 3.5%")], &[]);
        let filters = Filters { kinds: vec!["none".into()], ..Filters::default() };
        prop_assert!(find(&hot, &ask(&query, &filters)).hits.is_empty());
        let _ = find_text(&hot, &query);
    }
}

#[test]
fn a_giant_query_is_cut_and_says_so() {
    let hot = hot_of(&[episode(1, "needle")], &[]);
    let filters = Filters::default();
    for giant in ["x".repeat(1 << 20), "needle ".repeat(200_000)] {
        let found = find(&hot, &ask(&giant, &filters));
        assert!(found.notes[0].contains("the first 65536 were searched for"), "{:?}", found.notes);
    }
}
