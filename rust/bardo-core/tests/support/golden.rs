//! Contents of the golden episode logs, of every schema. Never change it: a file written by an old release must stay readable.

use bardo_core::Result;
use bardo_core::capture::{EpisodeLog, LogOptions, NewEpisode, VectorBatch};
use bardo_core::model::{Annotations, Episode, Fingerprint, Id, Role, Value};

/// 2023-11-14 22:13:20 UTC in microseconds.
const NOW: i64 = 1_700_000_000_000_000;

pub fn options() -> LogOptions {
    LogOptions {
        agent: "золотой".into(),
        seed: 1,
        now: NOW,
        durable: true,
        create: true,
        holder: None,
        accept_loss: false,
    }
}

/// The episodes, in the order of arrival, as they were handed in.
pub fn episodes() -> Vec<Episode> {
    let plain = Episode {
        id: Id([0; 16]),
        tick: 3,
        event_index: 0,
        at: NOW,
        kind: "event".into(),
        role: Role::Environment,
        speaker: None,
        text: "plain".into(),
        subjects: Vec::new(),
        payload: Value::Null,
        thread: None,
        session: None,
        mode: None,
        curiosity: 0.0,
        pad: [0.0; 3],
        content_hash: 0,
        annotations: Annotations::default(),
    };
    let full = Episode {
        tick: 4,
        event_index: 7,
        at: NOW - 5,
        kind: "trade".into(),
        role: Role::Tool,
        speaker: Some("Оля".into()),
        text: "清算在预言机更新之后 — تصفية 🙂".into(),
        subjects: vec!["aave".into(), "借贷".into()],
        payload: Value::Map(vec![
            ("null".into(), Value::Null),
            ("flag".into(), Value::Bool(true)),
            ("count".into(), Value::Int(-7)),
            ("price".into(), Value::Float(2.5)),
            ("list".into(), Value::List(vec![Value::Text("x".into()), Value::Map(Vec::new())])),
        ]),
        thread: Some("thread".into()),
        session: Some("session".into()),
        mode: Some("mode".into()),
        curiosity: 0.75,
        pad: [0.5, -0.25, 1.0],
        annotations: Annotations { importance: Some(0.5), verified: true, replay_count: 2 },
        ..plain.clone()
    };
    let roles = Role::ALL.into_iter().map(|role| Episode {
        tick: 5,
        role,
        text: role.name().into(),
        ..plain.clone()
    });
    [plain.clone(), full].into_iter().chain(roles).collect()
}

/// The vectors of the second episode.
pub fn vectors() -> VectorBatch {
    VectorBatch {
        whole: vec![0.5, -1.0],
        sentences: vec![0.25, 2.0, -0.125, 4.0],
        counts: vec![2],
        dims: 2,
        tokens: Vec::new(),
    }
}

/// The model of the vectors.
pub fn fingerprint() -> Fingerprint {
    Fingerprint {
        model: "gold".into(),
        version: "1".into(),
        preprocessing: "none".into(),
        dims: 2,
        created: NOW,
    }
}

/// Fills a new log.
pub fn fill(log: &EpisodeLog) -> Result<()> {
    let new = episodes()
        .into_iter()
        .map(|episode| NewEpisode { episode, has_id: false, own_tick: false })
        .collect();
    let recorded = log.record(new, NOW, false)?;
    log.put_vectors(vec![recorded[1].id], vectors(), fingerprint())?;
    log.verify(vec![(recorded[0].id, Some(0.25))])?;
    log.set_watermark("source", 42)
}
