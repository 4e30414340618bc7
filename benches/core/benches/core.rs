//! The calls of the core one by one, for comparing two states of the code: `cargo bench --manifest-path benches/core/Cargo.toml`.

use std::hint::black_box;
use std::time::Duration;

use bardo_bench::data::{World, episode};
use bardo_bench::{ours, peers};
use bardo_core::capture::{EpisodeLog, LogOptions, NewEpisode};
use bardo_core::consolidate::SumTree;
use bardo_core::recall::search::Scratch;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const SIZES: [usize; 2] = [10_000, 100_000];
const QUESTIONS: usize = 50;
const SEED: u64 = 1;

fn recall(criterion: &mut Criterion) {
    for size in SIZES {
        let world = World::new(size, QUESTIONS, SEED);
        let mut hot = world.hot();
        let allowed = vec![true; hot.slots()];
        let scan = peers::PlainScan::new(&world.vectors);
        let mut questions = world.questions.iter().cycle();
        let mut next = || questions.next().expect("a cycle has no end");
        let (mut scratch, mut number) = (Scratch::default(), size as u64);
        let mut group = criterion.benchmark_group("recall");
        group.bench_function(BenchmarkId::new("hybrid", size), |bencher| {
            bencher.iter(|| black_box(ours::hybrid(&hot, next(), world.now, &mut scratch)));
        });
        group.bench_function(BenchmarkId::new("vectors", size), |bencher| {
            bencher.iter(|| black_box(ours::vectors(&hot, &next().1, &allowed)));
        });
        group.bench_function(BenchmarkId::new("plain scan", size), |bencher| {
            bencher.iter(|| black_box(scan.nearest(&next().1, ours::WANTED)));
        });
        group.bench_function(BenchmarkId::new("words", size), |bencher| {
            bencher.iter(|| black_box(ours::words(&hot, &next().0, &mut scratch)));
        });
        group.bench_function(BenchmarkId::new("add, then hybrid", size), |bencher| {
            bencher.iter(|| {
                number += 1;
                hot.add_episode(&episode(number, next().0.clone())).expect("a valid episode");
                black_box(ours::hybrid(&hot, next(), world.now, &mut scratch))
            });
        });
        group.finish();
    }
}

fn record(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let options = |durable| LogOptions {
        agent: "bench".into(),
        seed: SEED,
        now: 0,
        durable,
        create: true,
        accept_loss: false,
        holder: None,
    };
    let mut group = criterion.benchmark_group("record");
    for (name, durable) in [("durable", true), ("relaxed", false)] {
        let path = folder.path().join(name);
        let log = EpisodeLog::open(path, options(durable)).expect("a new log");
        let mut number = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                number += 1;
                let episode = episode(number, format!("the pool moved for the {number}th time"));
                let new = NewEpisode { episode, has_id: false, own_tick: false };
                black_box(log.record(vec![new], number.cast_signed(), true).expect("a valid episode"))
            });
        });
    }
    group.finish();
}

/// Draws of replay, each with its change of priority.
fn replay(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("replay");
    for size in [1_000_usize, 1_000_000] {
        let weights: Vec<f64> = (0..size).map(|place| 1.0 + (place % 7) as f64).collect();
        let mut tree = SumTree::new(&weights);
        let mut point = 0.0;
        group.bench_function(BenchmarkId::new("256 draws", size), |bencher| {
            bencher.iter(|| {
                for _ in 0..256 {
                    // The golden ratio spreads points evenly without a generator in the way.
                    point = (point + 0.618_033_988_75) % 1.0;
                    let place = tree.find(point * tree.prefix(size));
                    tree.set(place, tree.get(place).mul_add(0.5, 0.5));
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = core;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2));
    targets = recall, record, replay
}
criterion_main!(core);
