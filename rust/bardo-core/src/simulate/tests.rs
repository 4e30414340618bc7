//! Tests of the world's statistics, of the policy on worlds small enough to compute by hand, and of what crosses.

use proptest::prelude::*;

use super::legacy::{Estate, Legacy, bequeath};
use super::memory::{DriftTests, Entry, EntryKind, Experience, Memory};
use super::reader::{Reader, Seen, Situation};
use super::settings::{Arm, Trust, WorldSettings};
use super::world::{VenueKind, World};
use super::{run, run_json};
use crate::consolidate::Statistic;
use crate::error::Error;
use crate::model::FactKind;
use crate::model::decay::{ANTI_KNOWLEDGE_FLOOR, DecayFactors, decay};

fn small() -> WorldSettings {
    WorldSettings { generations: 3, life_limit: 120, ..WorldSettings::default() }
}

fn experience(venue: u16, reward: f32) -> Experience {
    Experience { venue, snapshot: [0.0; 8], reward, importance: 0.5, version: 1, learned: 10 }
}

/// A memory of the default world with these experiences as facts.
fn memory(settings: &WorldSettings, arm: &Arm, seen: &[Experience]) -> Memory {
    let mut memory = Memory::new(settings, arm, Vec::new(), DriftTests::default());
    for one in seen {
        memory.learn(one, 0);
    }
    memory
}

fn everything() -> Arm {
    Arm { episodes: true, cap: None, trust: Trust::Held, forgetting: false, ..Arm::default() }
}

#[test]
fn regimes_last_as_long_as_they_should_on_average() {
    let settings = WorldSettings { generations: 400, dwell: 50.0, ..WorldSettings::default() };
    let world = World::new(&settings, 3);
    let switches = world.spans.iter().filter(|span| span.switched).count();
    let mean = world.ticks() as f64 / (switches + 1) as f64;
    // 200,000 ticks hold about 4,000 regimes: the standard error of the mean is 0.8 ticks.
    assert!((mean - 50.0).abs() < 4.0, "{mean}");
}

#[test]
fn traps_spring_and_kill_as_often_as_they_should() {
    let settings = WorldSettings { traps: 1.0, structural: 0.0, ..WorldSettings::default() };
    let world = World::new(&settings, 5);
    let rewards: Vec<_> = (0..8_000).map(|tick| world.reward(&world.spans[0], tick, 0, 0, 0)).collect();
    let sprung = rewards.iter().filter(|reward| reward.sprung).count() as f64;
    let lethal = rewards.iter().filter(|reward| reward.lethal).count() as f64;
    assert!((sprung / 8_000.0 - 0.2).abs() < 0.02, "{sprung}");
    assert!((lethal / sprung - 0.25).abs() < 0.04, "{lethal} of {sprung}");
}

#[test]
fn offers_follow_the_law_of_zipf_and_differ_from_each_other() {
    let settings = WorldSettings { venues: 20, offers: 1, generations: 200, ..WorldSettings::default() };
    let world = World::new(&settings, 7);
    let mut counts = [0_f64; 20];
    (0..100_000).for_each(|tick| counts[world.offers(tick, 0)[0]] += 1.0);
    counts.sort_by(|one, two| two.total_cmp(one));
    let whole: f64 = (1..=20).map(|rank| f64::from(rank).powf(-0.7)).sum();
    for (rank, count) in counts.iter().enumerate() {
        let expected = 100_000.0 * ((rank + 1) as f64).powf(-0.7) / whole;
        assert!((count - expected).abs() < 0.15 * expected, "rank {rank}: {count}, expected {expected}");
    }
    let several = World::new(&WorldSettings { venues: 6, offers: 6, ..WorldSettings::default() }, 7);
    let mut all = several.offers(11, 0);
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn kinds_have_their_shares_and_payoffs_their_deviation() {
    let settings = WorldSettings { venues: 2_000, families: 200, ..WorldSettings::default() };
    let world = World::new(&settings, 1);
    let of = |kind: VenueKind| -> Vec<f32> {
        let span = &world.spans[0];
        (0..2_000).filter(|venue| span.kinds[*venue] == kind).map(|venue| span.payoffs[venue]).collect()
    };
    assert_eq!(of(VenueKind::Trap), vec![0.8; 100]);
    let deviation =
        |numbers: &[f32]| (numbers.iter().map(|x| x * x).sum::<f32>() / numbers.len() as f32).sqrt();
    let (structural, tactical) = (of(VenueKind::Structural), of(VenueKind::Tactical));
    assert_eq!((structural.len(), tactical.len()), (800, 1_100));
    assert!((deviation(&structural) - 0.8).abs() < 0.08, "{}", deviation(&structural));
    assert!((deviation(&tactical) - 1.0).abs() < 0.10, "{}", deviation(&tactical));
}

#[test]
fn payoffs_of_a_regime_return_unless_they_are_redrawn() {
    let span_of = |p_redraw: f64| {
        let settings = WorldSettings { p_redraw, dwell: 40.0, regimes: 2, ..WorldSettings::default() };
        let world = World::new(&settings, 2);
        let kept = |one: usize, two: usize| {
            let versions = |span: usize| &world.spans[span].versions;
            (0..120).filter(|venue| versions(one)[*venue] == versions(two)[*venue]).count()
        };
        // Of two regimes each third span is of the first one again.
        (kept(0, 2), kept(0, 1))
    };
    assert_eq!(span_of(0.0), (120, 54));
    assert_eq!(span_of(1.0), (54, 54));
    let (kept, _) = span_of(0.2);
    assert!((95..=118).contains(&kept), "{kept} of 120");
}

#[test]
fn venues_become_others_at_the_rate_of_turnover() {
    let settings = WorldSettings { turnover: 500.0, dwell: 0.0, ..WorldSettings::default() };
    let world = World::new(&settings, 4);
    let changes: usize = world
        .spans
        .windows(2)
        .map(|pair| (0..120).filter(|venue| pair[0].versions[*venue] != pair[1].versions[*venue]).count())
        .sum();
    let expected = 120.0 * world.ticks() as f64 / 500.0;
    assert!((changes as f64 - expected).abs() < 0.1 * expected, "{changes}, expected {expected}");
}

#[test]
fn the_same_seed_gives_the_same_lives_and_another_seed_others() {
    let lives = |seed: u64| run(&small(), &Arm::default(), seed).unwrap();
    assert_eq!(lives(9), lives(9));
    assert_ne!(lives(9), lives(10));
}

#[test]
fn arms_share_the_first_generation_where_only_what_crosses_differs() {
    let first = |arm: &Arm| run(&small(), arm, 6).unwrap()[0].clone();
    let none = first(&Arm { facts: false, ..Arm::default() });
    assert_eq!(first(&Arm::default()), none);
    assert_eq!(first(&Arm { shuffled: true, ..Arm::default() }), none);
    assert_eq!(first(&Arm { parents: 3, ..Arm::default() }), none);
}

#[test]
fn total_recall_hands_over_everything_at_full_confidence() {
    let (settings, arm) = (small(), everything());
    let world = World::new(&settings, 1);
    let mut estate = memory(&settings, &arm, &[experience(1, 1.0), experience(2, -1.0)]);
    estate.record(&experience(3, 0.5), 7);
    estate.warn(&experience(4, -10.0), 7);
    let held: Vec<Entry> = estate.entries.clone();
    let legacy = bequeath(&world, &arm, 0, vec![Estate { memory: estate, tick: 90 }]).unwrap();
    assert_eq!(legacy.entries.len(), held.len());
    for entry in &held {
        let crossed = legacy.entries.iter().find(|other| other.venue == entry.venue).unwrap();
        assert!((crossed.confidence - entry.confidence).abs() < 1e-6, "{crossed:?}");
        assert_eq!((crossed.kind, crossed.statistic), (entry.kind, entry.statistic));
    }
}

#[test]
fn a_testament_discounts_facts_and_keeps_the_floor_of_dangers() {
    let (settings, arm) = (small(), Arm::default());
    let world = World::new(&settings, 1);
    let mut estate = memory(&settings, &arm, &[experience(1, 1.0)]);
    estate.record(&experience(3, 0.5), 0);
    estate.warn(&experience(4, -10.0), 0);
    let mut legacy = bequeath(&world, &arm, 0, vec![Estate { memory: estate, tick: 0 }]).unwrap();
    assert_eq!(legacy.entries.len(), 2, "the raw episode stays behind");
    let confidence = |legacy: &Legacy, kind: EntryKind| {
        legacy.entries.iter().find(|entry| entry.kind == kind).unwrap().confidence
    };
    assert!((confidence(&legacy, EntryKind::Fact) - 0.4 * 0.85).abs() < 1e-6);
    for generation in 1..6 {
        let heir = Memory::new(&settings, &arm, legacy.entries, legacy.tests);
        legacy = bequeath(&world, &arm, generation, vec![Estate { memory: heir, tick: 0 }]).unwrap();
    }
    assert!((confidence(&legacy, EntryKind::Fact) - 0.4 * 0.85_f32.powi(6)).abs() < 1e-6);
    assert!((f64::from(confidence(&legacy, EntryKind::Danger)) - ANTI_KNOWLEDGE_FLOOR).abs() < 1e-6);
}

#[test]
fn the_quota_hands_on_what_was_never_tested_and_drops_what_was_not_borne_out() {
    let (settings, arm) = (small(), Arm { quota: 0.25, least_confidence: 0.6, ..Arm::default() });
    let world = World::new(&settings, 1);
    let parent = memory(&settings, &arm, &[experience(1, 1.0), experience(2, 1.0)]);
    let mut legacy = bequeath(&world, &arm, 0, vec![Estate { memory: parent, tick: 0 }]).unwrap();
    assert_eq!(legacy.entries.len(), 2);
    legacy.entries.iter_mut().for_each(|entry| entry.confidence = 0.1);
    let mut heir = Memory::new(&settings, &arm, legacy.entries, legacy.tests);
    heir.meet(2, &[0.0; 8]);
    let legacy = bequeath(&world, &arm, 1, vec![Estate { memory: heir, tick: 0 }]).unwrap();
    let [entry] = &legacy.entries[..] else { panic!("{:?}", legacy.entries) };
    assert_eq!((entry.venue, entry.generation), (1, 2));
    assert!((entry.confidence - 0.4 * 0.85_f32.powi(2)).abs() < 1e-6, "{}", entry.confidence);
}

#[test]
fn a_placebo_has_the_same_sizes_and_confidences_about_other_venues() {
    let settings = small();
    let world = World::new(&settings, 1);
    let seen: Vec<Experience> = (0..60).map(|venue| experience(venue, f32::from(venue))).collect();
    let made = |arm: &Arm| {
        let estate = Estate { memory: memory(&settings, arm, &seen), tick: 30 };
        bequeath(&world, arm, 0, vec![estate]).unwrap()
    };
    let (real, placebo) = (made(&Arm::default()), made(&Arm { shuffled: true, ..Arm::default() }));
    assert_eq!(real.bytes(), placebo.bytes());
    let sorted = |legacy: &Legacy, of: fn(&Entry) -> f64| {
        let mut numbers: Vec<f64> = legacy.entries.iter().map(of).collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    for of in
        [|e: &Entry| f64::from(e.confidence), |e: &Entry| e.statistic.mean, |e: &Entry| f64::from(e.venue)]
    {
        assert_eq!(sorted(&real, of), sorted(&placebo, of));
    }
    let moved = placebo
        .entries
        .iter()
        .filter(|entry| (entry.statistic.mean - f64::from(entry.venue)).abs() > 0.5)
        .count();
    assert!(moved > 50, "{moved} of 60 moved");
}

#[test]
fn merged_testaments_hold_each_fact_once_at_the_greater_confidence() {
    let (settings, arm) = (small(), Arm { parents: 2, ..Arm::default() });
    let world = World::new(&settings, 1);
    let estate = |tick: u64, venues: &[u16]| Estate {
        memory: memory(
            &settings,
            &arm,
            &venues.iter().map(|venue| experience(*venue, 1.0)).collect::<Vec<_>>(),
        ),
        tick,
    };
    let legacy = bequeath(&world, &arm, 0, vec![estate(400, &[1, 2]), estate(0, &[2, 3])]).unwrap();
    let mut venues: Vec<u16> = legacy.entries.iter().map(|entry| entry.venue).collect();
    venues.sort_unstable();
    assert_eq!(venues, [1, 2, 3]);
    let both = legacy.entries.iter().find(|entry| entry.venue == 2).unwrap();
    assert!((both.confidence - 0.34).abs() < 1e-6, "the surer testament holds: {}", both.confidence);
}

#[test]
fn the_agent_takes_the_offer_with_the_best_bound_and_abstains_from_bad_ones() {
    let (settings, arm) = (WorldSettings::default(), Arm::default());
    let world = World::new(&settings, 1);
    let reader = Reader::new(&world, &arm);
    let offers = [1, 2];
    let situation = Situation { snapshot: &[0.0; 8], offers: &offers, tick: 0, world_tick: 0, gate: 1.0 };
    // One observation of 2 at confidence 0.6: 0.6 * 2 / 1.6 = 0.75, bound 0.75 + 0.6 / sqrt(1.6) = 1.224.
    let known = memory(&settings, &arm, &[experience(1, 2.0)]);
    let seen = reader.read(&known, &situation);
    let estimate = reader.estimate(&known, seen.iter().copied(), 1, &[0.0; 8]);
    assert!((estimate.mean - 0.75).abs() < 1e-5 && (estimate.weight - 0.6).abs() < 1e-5, "{estimate:?}");
    assert_eq!(reader.choose(&known, &seen, &situation).unwrap().0, 0);
    // Both known as bad: -3.75 and -2.25 are below any bonus.
    let bad = memory(&settings, &arm, &[experience(1, -10.0), experience(2, -6.0)]);
    let seen = reader.read(&bad, &situation);
    assert_eq!(seen.len(), 2);
    assert_eq!(reader.choose(&bad, &seen, &situation), None);
}

#[test]
fn the_reader_reads_at_most_eight_and_a_quota_shares_them_among_the_offers() {
    let settings = WorldSettings::default();
    let crowd: Vec<Experience> = (0..40).map(|_| experience(1, 1.0)).chain([experience(2, 1.0)]).collect();
    let offers = [1, 2];
    let situation = Situation { snapshot: &[0.0; 8], offers: &offers, tick: 0, world_tick: 0, gate: 1.0 };
    let read = |arm: &Arm| {
        let world = World::new(&settings, 1);
        let mut memory = Memory::new(&settings, arm, Vec::new(), DriftTests::default());
        for (tick, one) in (0..).zip(&crowd) {
            // Those of the crowd are more important.
            let importance = if one.venue == 1 { 0.9 } else { 0.1 };
            memory.record(&Experience { importance, ..*one }, tick);
        }
        let seen = Reader::new(&world, arm).read(&memory, &situation);
        let venues: Vec<u16> = seen.iter().map(|one: &Seen| memory.entries[one.place].venue).collect();
        (venues.len(), venues.iter().filter(|venue| **venue == 2).count())
    };
    assert_eq!(read(&Arm::default()), (8, 0), "the crowd takes all places");
    assert_eq!(read(&Arm { quota_per_offer: true, ..Arm::default() }).1, 1);
}

#[test]
fn an_experience_far_from_a_fact_supersedes_it_and_a_near_one_makes_it_the_heirs_own() {
    let (settings, arm) = (small(), Arm::default());
    let world = World::new(&settings, 1);
    let parent = memory(&settings, &arm, &[experience(1, 1.0), experience(2, 1.0)]);
    let legacy = bequeath(&world, &arm, 0, vec![Estate { memory: parent, tick: 0 }]).unwrap();
    let mut heir = Memory::new(&settings, &arm, legacy.entries, legacy.tests);
    heir.learn(&experience(1, 1.2), 5);
    heir.learn(&experience(2, 9.0), 5);
    let of = |venue: u16| heir.entries.iter().find(|entry| entry.venue == venue).unwrap();
    assert_eq!((of(1).statistic.n, of(1).generation, of(1).inherited), (2, 0, false));
    assert!(of(1).confidence >= 0.6);
    assert_eq!((of(2).statistic.n, of(2).inherited), (1, false));
    assert!((of(2).statistic.mean - 9.0).abs() < 1e-6);
    assert!((heir.tests.refuted - 1.0).abs() < f64::EPSILON);
}

#[test]
fn settings_outside_their_range_are_refused_with_their_name() {
    for (world, arm, name) in [
        (r#"{"traps": 1.5}"#, "{}", "traps"),
        (r#"{"offers": 0}"#, "{}", "offers"),
        (r#"{"offers": 200}"#, "{}", "offers"),
        (r#"{"structural": 0.99}"#, "{}", "structural"),
        (r#"{"tau_ticks": 0}"#, "{}", "tau_ticks"),
        (r#"{"color": 1}"#, "{}", "color"),
        ("{}", r#"{"base": -0.1}"#, "base"),
        ("{}", r#"{"cap": 0}"#, "cap"),
        ("{}", r#"{"parents": 0}"#, "parents"),
        ("{}", r#"{"trust": "blind"}"#, "blind"),
    ] {
        let error = run_json(world, arm, 0).unwrap_err();
        assert!(matches!(error, Error::InvalidInput { .. }) && error.to_string().contains(name), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn confidence_in_the_simulation_is_that_of_the_model(
        confidence in 0.0_f32..=1.0, support in 1_u32..50, elapsed in 0_u64..2_000,
    ) {
        let (settings, arm) = (WorldSettings::default(), Arm::default());
        let mut memory = memory(&settings, &arm, &[experience(1, 1.0)]);
        let entry = &mut memory.entries[0];
        (entry.confidence, entry.support) = (confidence, support);
        let factors = DecayFactors {
            tau_ticks: 500.0, kind: FactKind::Insight, from_death: false, pinned: false, persistence: None,
        };
        let expected = decay(f64::from(confidence), support, elapsed, &factors);
        let (_, now) = memory.now(&memory.entries[0], elapsed);
        prop_assert!((f64::from(now) - expected).abs() < 1e-6);
    }

    #[test]
    fn lives_keep_their_bounds_in_any_world(
        seed: u64, traps in 0.0..0.3_f64, dwell in 0.0..300.0_f64, turnover in 0.0..800.0_f64, offers in 1_usize..6,
    ) {
        let settings = WorldSettings { traps, dwell, turnover, offers, ..small() };
        for arm in [Arm::default(), everything(), Arm { quota: 0.25, novelty_gate: true, drift_discount: true, ..Arm::default() }] {
            for record in run(&settings, &arm, seed).unwrap() {
                prop_assert!((1..=120).contains(&record.lifetime));
                prop_assert!(record.regret.is_finite() && record.regret >= -1e-6);
                prop_assert!(record.relevant.is_none_or(|share| (0.0..=1.0).contains(&share)));
                prop_assert!(record.capital <= settings.capital_limit);
                prop_assert!(record.generation > 0 || record.inherited == 0);
            }
        }
    }

    #[test]
    fn statistics_of_a_fact_are_those_of_its_rewards(rewards in prop::collection::vec(-0.5_f32..0.5, 1..20)) {
        let seen: Vec<Experience> = rewards.iter().map(|reward| experience(1, *reward)).collect();
        let memory = memory(&WorldSettings::default(), &Arm::default(), &seen);
        let expected = rewards.iter().map(|reward| Statistic::of(f64::from(*reward))).reduce(|a, b| a.merge(&b)).unwrap();
        prop_assert_eq!(memory.entries.len(), 1);
        prop_assert!((memory.entries[0].statistic.mean - expected.mean).abs() < 1e-9);
    }
}
