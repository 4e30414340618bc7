//! Prints how long the core takes beside peers, as ratios of times of calls that take turns in one run. Beside the
//! median stands the time that a tenth of the calls stay below: on a machine with other work, it is the fairer one.
//!
//! `cargo run --release --manifest-path benches/core/Cargo.toml [--features tantivy] -- [memories ...] [--seed N] [--only NAME]`

use std::hint::black_box;
use std::time::Instant;

use bardo_bench::data::{World, episode};
use bardo_bench::{ours, peers};
use bardo_core::recall::search::Scratch;

/// Rounds of every measurement; each asks another question.
const ROUNDS: usize = 200;
const QUESTIONS: usize = 50;

/// A call, by the number of its round.
type Call<'call> = (&'static str, Box<dyn FnMut(usize) + 'call>);

/// Microseconds of each call, the tenth percentile and the median; in every round each takes its turn.
fn times(calls: &mut [Call<'_>]) -> Vec<[f64; 2]> {
    let mut times = vec![Vec::with_capacity(ROUNDS); calls.len()];
    for round in 0..ROUNDS + ROUNDS / 10 {
        for ((_, call), times) in calls.iter_mut().zip(&mut times) {
            let start = Instant::now();
            call(round);
            // The first rounds fill the caches.
            if round >= ROUNDS / 10 {
                times.push(start.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    let percentiles = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        [times[times.len() / 10], times[times.len() / 2]]
    };
    times.into_iter().map(percentiles).collect()
}

fn measure(memories: usize, seed: u64, only: Option<&str>) {
    let world = World::new(memories, QUESTIONS, seed);
    let hot = world.hot();
    let mut growing = world.hot();
    let allowed = vec![true; hot.slots()];
    let scan = peers::PlainScan::new(&world.vectors);
    #[cfg(feature = "tantivy")]
    let tantivy = peers::Tantivy::new(&world.episodes).expect("an index in memory");
    let question = |round: usize| &world.questions[round % QUESTIONS];
    let (mut scratch, mut other, mut words) = (Scratch::default(), Scratch::default(), Scratch::default());
    let mut next = memories as u64;
    let mut calls: Vec<Call<'_>> = vec![
        (
            "simsimd int8 plain scan",
            Box::new(|round| {
                black_box(scan.nearest(&question(round).1, ours::WANTED));
            }),
        ),
        (
            "vector arm",
            Box::new(|round| {
                black_box(ours::vectors(&hot, &question(round).1, &allowed));
            }),
        ),
        (
            "vector arm, one by one",
            Box::new(|round| {
                black_box(ours::vectors_one_by_one(&hot, &question(round).1, &allowed));
            }),
        ),
        (
            "BM25 arm",
            Box::new(|round| {
                black_box(ours::words(&hot, &question(round).0, &mut words));
            }),
        ),
        (
            "hybrid",
            Box::new(|round| {
                black_box(ours::hybrid(&hot, question(round), world.now, &mut scratch));
            }),
        ),
        (
            "hybrid right after an add",
            Box::new(|round| {
                next += 1;
                growing.add_episode(&episode(next, question(round).0.clone())).expect("a valid episode");
                black_box(ours::hybrid(&growing, question(round), world.now, &mut other));
            }),
        ),
    ];
    #[cfg(feature = "tantivy")]
    calls.push((
        "tantivy BM25",
        Box::new(|round| {
            black_box(tantivy.best(&question(round).0, ours::WANTED).expect("a valid query"));
        }),
    ));
    calls.retain(|(name, _)| only.is_none_or(|only| name.contains(only)));
    let times = times(&mut calls);
    println!("\n{memories} memories, seed {seed}, {ROUNDS} calls that take turns");
    for ((name, _), [low, median]) in calls.iter().zip(&times) {
        let (quiet, usual) = (low / times[0][0], median / times[0][1]);
        println!("{name:28} {low:9.1} us, median {median:9.1} us  {quiet:6.2}x and {usual:6.2}x the first");
    }
    drop(calls);
    let shared: usize = world
        .questions
        .iter()
        .map(|(_, vector)| {
            let exact = peers::exact(&world.vectors, vector, ours::WANTED);
            ours::vectors(&hot, vector, &allowed).iter().filter(|slot| exact.contains(slot)).count()
        })
        .sum();
    println!(
        "recall@{} of the vector arm {:.4}",
        ours::WANTED,
        shared as f64 / (ours::WANTED * QUESTIONS) as f64
    );
    println!("bytes in memory per memory {}", hot.bytes() / memories);
}

fn main() {
    let mut sizes = Vec::new();
    let (mut seed, mut only) = (1, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--only" {
            only = arguments.next();
            continue;
        }
        let number = if argument == "--seed" { arguments.next() } else { Some(argument.clone()) };
        let Some(number) = number.and_then(|number| number.parse::<u64>().ok()) else {
            eprintln!(
                "{argument:?} is not a number. Use: bardo-bench [memories ...] [--seed N] [--only NAME]"
            );
            std::process::exit(2);
        };
        if argument == "--seed" { seed = number } else { sizes.push(number as usize) }
    }
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000];
    }
    for memories in sizes {
        measure(memories, seed, only.as_deref());
    }
}
