//! Durable recording beside SQLite (WAL, synchronous=FULL, one FTS5 row each), interleaved in one run: what one episode
//! and a batch of 256 cost, with the hot set's words updated, and how many syncs each call takes.
//!
//! `cargo run --release --example log_speed [ROUNDS]`
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use bardo_core::capture::{EpisodeLog, LogOptions, NewEpisode};
use bardo_core::index::hot::HotSet;
use bardo_core::model::{Annotations, Episode, Id, Role, Value};
use rusqlite::Connection;

/// Episodes of a batch (issue 3, "Speed").
const BATCH: u64 = 256;
/// 2023-11-14 22:13:20 UTC in microseconds.
const NOW: i64 = 1_700_000_000_000_000;
const WORDS: [&str; 16] = [
    "liquidation",
    "oracle",
    "update",
    "followed",
    "blocks",
    "gas",
    "doubled",
    "slippage",
    "pool",
    "traded",
    "keeper",
    "paused",
    "vault",
    "borrowed",
    "rebalanced",
    "bridge",
];

fn main() {
    let rounds: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    let folder = tempfile::tempdir().unwrap();
    let options =
        LogOptions { agent: "a".into(), seed: 1, now: NOW, durable: true, create: true, holder: None };
    let log = EpisodeLog::open(folder.path().join("episodes.redb"), options).unwrap();
    let mut hot = HotSet::default();
    let sqlite = peer(&folder.path().join("peer.db"));
    let mut number = 0;
    for batch in [1, BATCH] {
        let rounds = if batch == 1 { rounds } else { rounds.div_ceil(4) };
        let (mut ours, mut log_only, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        let syncs = log.syncs();
        for _ in 0..rounds {
            let mut episodes: Vec<Episode> = (0..batch).map(|place| episode(number + place)).collect();
            number += batch;
            let start = Instant::now();
            write_peer(&sqlite, &episodes);
            theirs.push(start.elapsed().as_secs_f64() * 1e6);
            let new = episodes.iter().map(|one| NewEpisode { episode: one.clone(), has_id: false }).collect();
            let start = Instant::now();
            let recorded = log.record(new, NOW, false).unwrap();
            log_only.push(start.elapsed().as_secs_f64() * 1e6);
            for (episode, recorded) in episodes.iter_mut().zip(recorded) {
                episode.id = recorded.id;
                hot.add_episode(episode).unwrap();
            }
            ours.push(start.elapsed().as_secs_f64() * 1e6);
        }
        let syncs = (log.syncs() - syncs) as f64 / rounds as f64;
        let (ours, log_only, theirs) = (median(ours), median(log_only), median(theirs));
        println!(
            "batch {batch:>3}: bardo {ours:>7.0} us (log {log_only:.0}), SQLite FULL + FTS5 {theirs:>7.0} us, ratio {:.2}, {syncs:.2} syncs a call",
            ours / theirs
        );
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn episode(number: u64) -> Episode {
    let word =
        |step: u64| WORDS[(number.wrapping_mul(2_654_435_761).wrapping_add(step * 7_919) >> 3) as usize % 16];
    let text: Vec<&str> = (0..22).map(word).collect();
    Episode {
        id: Id([0; 16]),
        tick: number,
        event_index: 0,
        at: NOW + number.cast_signed() * 1_000,
        kind: "event".into(),
        role: Role::Environment,
        speaker: None,
        text: format!("Event {number}: {}", text.join(" ")),
        subjects: vec![word(1).into(), word(2).into()],
        payload: Value::Map(vec![
            ("lag".into(), Value::Int((number % 9).cast_signed())),
            ("price".into(), Value::Float(number as f64 * 0.37)),
        ]),
        thread: Some("aave".into()),
        session: None,
        mode: None,
        curiosity: 0.0,
        pad: [0.0; 3],
        content_hash: 0,
        annotations: Annotations::default(),
    }
}

fn peer(path: &std::path::Path) -> Connection {
    let sqlite = Connection::open(path).unwrap();
    sqlite
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE episodes (id INTEGER PRIMARY KEY, tick INTEGER, at INTEGER, kind TEXT, role TEXT, text TEXT,
                                    subjects TEXT, payload TEXT, thread TEXT);
             CREATE INDEX by_tick ON episodes (tick);
             CREATE VIRTUAL TABLE words USING fts5 (text);",
        )
        .unwrap();
    sqlite
}

fn write_peer(sqlite: &Connection, episodes: &[Episode]) {
    let transaction = sqlite.unchecked_transaction().unwrap();
    {
        let mut rows = transaction
            .prepare_cached(
                "INSERT INTO episodes (tick, at, kind, role, text, subjects, payload, thread)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )
            .unwrap();
        let mut words =
            transaction.prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)").unwrap();
        for one in episodes {
            rows.execute(rusqlite::params![
                one.tick.cast_signed(),
                one.at,
                one.kind,
                one.role.name(),
                one.text,
                one.subjects.join(","),
                serde_json::to_string(&one.payload).unwrap(),
                one.thread
            ])
            .unwrap();
            words.execute(rusqlite::params![transaction.last_insert_rowid(), one.text]).unwrap();
        }
    }
    transaction.commit().unwrap();
}
