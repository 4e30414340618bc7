//! Validates, completes and encodes an episode before it is recorded.

use crate::capture::storage::codec;
use crate::error::{Error, Result};
use crate::model::{Episode, Id, IdSource, Micros, limits};

/// Episode to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEpisode {
    /// Content. An `at` of 0 means now; with an `event_index` of 0 the log numbers it within its tick.
    pub episode: Episode,
    /// Whether `episode.id` is the caller's own; otherwise the log assigns one.
    pub has_id: bool,
    /// Whether `episode.tick` is the caller's own count: a retry then has the same one.
    pub own_tick: bool,
}

/// Result of recording one episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Id of the episode.
    pub id: Id,
    /// Number by arrival, from 1.
    pub seq: u64,
    /// Whether it is new; false for a retry or a repeated id.
    pub fresh: bool,
    /// Whether it was refused because the same content was forgotten; nothing is stored then and `seq` is 0.
    pub forgotten: bool,
    /// Order within the tick.
    pub event_index: u32,
    /// Wall clock.
    pub at: Micros,
}

/// Episode that lacks only its place to be written.
pub(crate) struct Draft {
    pub new: NewEpisode,
    pub body: Vec<u8>,
}

/// Checks an episode against its limits and encodes it.
pub(crate) fn prepare(mut new: NewEpisode, now: Micros) -> Result<Draft> {
    let episode = &mut new.episode;
    if episode.at == 0 {
        episode.at = now;
    }
    // An empty name means no speaker.
    episode.speaker.take_if(|name| name.is_empty());
    episode.validate()?;
    if episode.tick > i64::MAX.unsigned_abs() {
        return Err(Error::invalid(
            format!("tick is {}", episode.tick),
            "A tick is a whole number from 0 to 2**63 - 1",
        ));
    }
    let payload = codec::encode_payload(episode)
        .map_err(|corrupt| Error::invalid(corrupt.0, "Simplify the payload"))?;
    episode.content_hash = episode.hash_content_with(&payload);
    let body = codec::encode_body(episode, &payload)
        .map_err(|corrupt| Error::invalid(corrupt.0, "Simplify the payload"))?;
    let rest = episode.text.len() + episode.subjects.iter().map(String::len).sum::<usize>();
    // The body consists of the payload and the rest; names and numbers beside them have their own limits.
    let beside = codec::body_bytes(&body).saturating_sub(rest);
    if beside > limits::PAYLOAD_BYTES {
        return Err(Error::invalid(
            format!("the payload has about {} bytes encoded, the limit is {}", beside, limits::PAYLOAD_BYTES),
            "Keep the numbers and names that matter, and refer to the rest by path or address",
        ));
    }
    Ok(Draft { new, body })
}

/// Completes episodes as a log would record them, and assigns missing ids: for a process that hands episodes over to
/// the owner of the log. Refuses the same episodes as the log.
pub fn finish(episodes: Vec<NewEpisode>, now: Micros, ids: &IdSource) -> Result<Vec<Episode>> {
    let finished = episodes.into_iter().zip(0..).map(|(new, serial)| {
        let Draft { new: NewEpisode { mut episode, has_id, .. }, .. } = prepare(new, now)?;
        if !has_id {
            episode.id = ids.make(episode.at, serial);
        }
        Ok(episode)
    });
    finished.collect()
}
