//! Dreams propose, later episodes decide.
// A helper of a test fails by panicking, like the test itself.
#![allow(clippy::unwrap_used)]

mod support;

use bardo_core::consolidate::{CuratorReport, CuratorSettings, DreamReport, dream};
use bardo_core::facts::FactStore;
use bardo_core::model::{Fact, FactKind, FactPayload, FactStatus, Id, Source, Value};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use support::script::{Script, all, open, pass};

struct World {
    draws: Pcg64Mcg,
    script: Script,
    tick: u64,
    _folder: tempfile::TempDir,
    store: FactStore,
}

impl World {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        Self {
            draws: Pcg64Mcg::seed_from_u64(seed),
            script: Script::default(),
            tick: 1,
            _folder: folder,
            store,
        }
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.draws.random::<f64>()).sum::<f64>() - 6.0
    }

    fn event(&mut self, tick: u64, kind: &str) {
        self.script.add(tick, &["pool"], vec![]);
        self.script.episodes.last_mut().unwrap().kind = kind.into();
    }

    /// A reading of a number around a mean.
    fn reading(&mut self, mean: f64) {
        self.tick += 1;
        let number = mean + self.normal();
        self.script.number(self.tick, number);
    }

    /// A trade that goes well where momentum is above a bound.
    fn trade(&mut self, bound: f64) {
        self.tick += 1;
        let momentum = self.draws.random::<f64>();
        let pnl = self.normal() + if momentum > bound { 2.0 } else { 0.0 };
        let payload = vec![("momentum", Value::Float(momentum)), ("pnl", Value::Float(pnl))];
        self.script.add(self.tick, &["pool"], payload);
    }

    fn curate(&self) -> CuratorReport {
        let mut sum = CuratorReport::default();
        loop {
            let report = pass(&self.store, &self.script, 256, self.tick);
            sum.dreams_confirmed += report.dreams_confirmed;
            sum.entries_pruned += report.entries_pruned;
            if report.pending == 0 {
                return sum;
            }
        }
    }

    /// Dreams of the latest episodes.
    fn dream(&self, latest: usize) -> DreamReport {
        let first = self.script.episodes.len().saturating_sub(latest);
        let ids: Vec<Id> = self.script.episodes[first..].iter().map(|episode| episode.id).collect();
        dream(&self.store, &self.script, &ids, self.tick, 7, CuratorSettings::default()).unwrap()
    }

    fn get(&self, id: Id) -> Fact {
        self.store.get(&[id]).unwrap().pop().flatten().unwrap()
    }
}

#[test]
fn a_number_that_moved_is_dreamt_of_and_borne_out_by_later_episodes() {
    let mut world = World::new(1);
    (0..1_024).for_each(|_| world.reading(2.0));
    (0..200).for_each(|_| world.reading(5.0));
    world.curate();
    let report = world.dream(300);
    assert_eq!((report.shifts.len(), report.links.len(), report.rules.len()), (1, 0, 0));
    let dreamt = world.get(report.shifts[0]);
    assert_eq!((dreamt.source, dreamt.confidence), (Source::Dream, 0.3));
    assert_eq!(dreamt.expires_tick, Some(world.tick + 14 * 1_440));
    assert!(
        dreamt.text.starts_with("pool.lag may have shifted: mean 5") || dreamt.text.contains("mean 4."),
        "{}",
        dreamt.text
    );
    assert_eq!(world.store.acts(1).unwrap()[0].name, "dream");

    (0..4_096).for_each(|_| world.reading(5.0));
    assert_eq!(world.curate().dreams_confirmed, 1);
    let known = world.get(report.shifts[0]);
    assert_eq!(
        (known.source, known.expires_tick, known.status),
        (Source::SelfLived, None, FactStatus::Active)
    );
    assert!(known.confidence > 0.8 && known.text.starts_with("pool.lag has shifted"), "{known:?}");
}

#[test]
fn an_unconfirmed_dream_expires() {
    let mut world = World::new(2);
    (0..1_024).for_each(|_| world.reading(2.0));
    (0..200).for_each(|_| world.reading(5.0));
    world.curate();
    let dreamt = world.dream(300).shifts[0];
    (0..4_096).for_each(|_| world.reading(2.0));
    assert_eq!(world.curate().dreams_confirmed, 0);
    assert_eq!(world.get(dreamt).status, FactStatus::Active, "it waits");
    world.tick += 14 * 1_440;
    assert!(world.curate().entries_pruned >= 1);
    assert_eq!((world.get(dreamt).status, world.get(dreamt).source), (FactStatus::Archived, Source::Dream));
}

#[test]
fn links_that_share_a_middle_are_joined_and_tried() {
    let mut world = World::new(3);
    let chain = |world: &mut World, kinds: &[(&str, u64)], count: usize| {
        while world.script.episodes.len() < count {
            world.tick += 20 + world.draws.random_range(0..20_u64);
            let start = world.tick;
            for (kind, lag) in kinds {
                world.event(start + lag, kind);
            }
            let (noise, later) =
                (["swap", "mint"][world.draws.random_range(0..2)], world.draws.random_range(0..20));
            world.event(start + later, noise);
        }
        world.script.episodes.sort_by_key(|episode| episode.tick);
        world.tick += 40;
    };
    // Cause and effect are never seen in one window: only a dream links them.
    chain(&mut world, &[("oracle", 0), ("liquidation", 2)], 1_024);
    chain(&mut world, &[("liquidation", 0), ("refund", 3)], 3_072);
    world.curate();
    let report = world.dream(512);
    assert_eq!(
        report.links.len(),
        1,
        "{:#?}",
        all(&world.store).iter().map(|fact| &fact.text).collect::<Vec<_>>()
    );
    let FactPayload::CausalLink { cause, effect, lag_ticks, .. } = world.get(report.links[0]).payload else {
        panic!()
    };
    assert_eq!((cause.as_str(), effect.as_str(), lag_ticks), ("pool oracle", "pool refund", 5));
    chain(&mut world, &[("oracle", 0), ("liquidation", 2), ("refund", 5)], 6_144);
    assert!(world.curate().dreams_confirmed >= 1);
    assert_eq!(world.get(report.links[0]).source, Source::SelfLived);
}

#[test]
fn a_better_threshold_replaces_the_worse_in_later_passes() {
    let mut world = World::new(4);
    (0..2_048).for_each(|_| world.trade(0.5));
    world.curate();
    let in_force = |world: &World| -> Vec<Id> {
        let is_rule = |fact: &Fact| fact.kind == FactKind::Heuristic && fact.status == FactStatus::Active;
        all(&world.store).into_iter().filter(is_rule).map(|fact| fact.id).collect()
    };
    let worse = in_force(&world);
    assert!(!worse.is_empty());
    (0..6_144).for_each(|_| world.trade(0.9));
    world.curate();
    let better = in_force(&world);
    assert!(better.iter().any(|id| !worse.contains(id)), "{worse:?} {better:?}");
}

#[test]
fn dreams_of_noise_come_to_nothing() {
    let (mut proposed, mut believed) = (0, Vec::new());
    for seed in 0..20 {
        let mut world = World::new(100 + seed);
        for _ in 0..8 {
            for _ in 0..512 {
                world.trade(2.0);
            }
            world.curate();
            let report = world.dream(512);
            proposed += report.shifts.len() + report.links.len() + report.rules.len();
        }
        // A bloodstain records what happened and claims no rule.
        let claims = |fact: &Fact| fact.kind != FactKind::Baseline && !fact.bloodstain;
        let sure = all(&world.store).into_iter().filter(claims);
        believed.extend(sure.filter(|fact| fact.source != Source::Dream).map(|fact| fact.text));
    }
    assert!(believed.len() < 3, "of {proposed}: {believed:#?}");
}

#[test]
fn the_same_history_dreams_the_same() {
    let nights = [1, 2].map(|_| {
        let mut world = World::new(5);
        (0..600).for_each(|_| world.reading(2.0));
        (0..100).for_each(|_| world.reading(4.0));
        world.curate();
        let report = world.dream(200);
        (report.clone(), report.shifts.iter().map(|id| world.get(*id)).collect::<Vec<_>>())
    });
    assert_eq!(nights[0], nights[1]);
}
