//! An episode on its way into the log: checked against its limits, finished and encoded.

use crate::capture::storage::codec;
use crate::error::{Error, Result};
use crate::model::{Episode, Id, IdSource, Micros, limits};

/// An episode to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEpisode {
    /// Its content. An `at` of 0 means now; an `event_index` of 0 lets the log number it within its tick.
    pub episode: Episode,
    /// Whether `episode.id` is the caller's own; otherwise the log gives one.
    pub has_id: bool,
    /// Whether `episode.tick` is the caller's own count: a retry then has the same one.
    pub own_tick: bool,
}

/// Where a recorded episode went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its id.
    pub id: Id,
    /// Its running number by arrival, from 1.
    pub seq: u64,
    /// False if it was here already: a retry, or the same id again.
    pub fresh: bool,
    /// Whether it was refused because the same content was forgotten; nothing is stored then and `seq` is 0.
    pub forgotten: bool,
    /// Its place within the tick.
    pub event_index: u32,
    /// Its wall clock.
    pub at: Micros,
}

/// An episode that is ready to be written but for its place.
pub(crate) struct Draft {
    pub new: NewEpisode,
    pub body: Vec<u8>,
}

/// An episode within its limits, encoded.
pub(crate) fn prepare(mut new: NewEpisode, now: Micros) -> Result<Draft> {
    let episode = &mut new.episode;
    if episode.at == 0 {
        episode.at = now;
    }
    // An empty name is no speaker.
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
    // The body is the payload and the rest; names and numbers beside them are bounded by their own limits.
    let beside = codec::body_bytes(&body).saturating_sub(rest);
    if beside > limits::PAYLOAD_BYTES {
        return Err(Error::invalid(
            format!("the payload has about {} bytes encoded, the limit is {}", beside, limits::PAYLOAD_BYTES),
            "Keep the numbers and names that matter, and refer to the rest by path or address",
        ));
    }
    Ok(Draft { new, body })
}

/// The episodes as a log would record them, with ids for those that have none: for a process that hands episodes over
/// to the owner of the log. Refuses what the log would refuse.
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
