//! Encodes episodes, annotations and vectors in the file: a version byte, a checksum, and a compact binary body.
//!
//! The checksum covers the key as well, so a value that was moved or altered outside bardo is reported, never returned.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::turn::Turn;
use super::turn::conversation_of;
use crate::model::{Annotations, Episode, Id, Micros, Pad, Role, Value};

/// Bytes of an order key: tick (8), event index (4), id (16), each big-endian, so that byte order is time order.
pub(crate) const KEY_BYTES: usize = 28;
/// Bytes of the envelope before the body of a value: version (1) and checksum (4).
const HEAD_BYTES: usize = 5;
/// Version of the bodies written by this build.
const VERSION: u8 = 1;

/// Position of an episode in the time order of its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OrderKey {
    /// Logical time.
    pub tick: u64,
    /// Order within the tick.
    pub event_index: u32,
    /// Episode id.
    pub id: Id,
}

impl OrderKey {
    /// The lowest key of a tick.
    pub const fn first_of(tick: u64) -> Self {
        Self { tick, event_index: 0, id: Id([0; 16]) }
    }

    /// The highest key of a tick.
    pub const fn last_of(tick: u64) -> Self {
        Self { tick, event_index: u32::MAX, id: Id([0xff; 16]) }
    }

    /// Encodes the key so that byte order is key order.
    pub fn to_bytes(self) -> [u8; KEY_BYTES] {
        let mut bytes = [0; KEY_BYTES];
        bytes[..8].copy_from_slice(&self.tick.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.event_index.to_be_bytes());
        bytes[12..].copy_from_slice(&self.id.0);
        bytes
    }

    /// Decodes the bytes of [`Self::to_bytes`].
    pub fn from_bytes(bytes: &[u8; KEY_BYTES]) -> Self {
        let (mut tick, mut index, mut id) = ([0; 8], [0; 4], [0; 16]);
        tick.copy_from_slice(&bytes[..8]);
        index.copy_from_slice(&bytes[8..12]);
        id.copy_from_slice(&bytes[12..]);
        Self { tick: u64::from_be_bytes(tick), event_index: u32::from_be_bytes(index), id: Id(id) }
    }
}

/// Value in the file that bardo cannot have written; the message goes into `StoreDamaged`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Corrupt(pub String);

/// The verbatim part of an episode. The key holds tick, event index and id; annotations have their own table.
/// Postcard writes fields in order and without names, so version 1 keeps exactly these fields in this order
/// permanently. The first three suffice to recognise a retry.
#[derive(Serialize, Deserialize)]
struct BodyV1<'a> {
    at: Micros,
    content_hash: u64,
    #[serde(borrow)]
    thread: Option<&'a str>,
    role: Role,
    kind: &'a str,
    speaker: Option<&'a str>,
    text: &'a str,
    #[serde(borrow)]
    subjects: Vec<&'a str>,
    session: Option<&'a str>,
    mode: Option<&'a str>,
    curiosity: Option<f32>,
    pad: Option<Pad>,
}

/// Hash that identifies the content of a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentKey {
    /// Hash of role, speaker, text and payload.
    pub content_hash: u64,
    /// Hash of the thread; 0 without one.
    pub thread_hash: u64,
}

impl ContentKey {
    /// Key of a content in a thread.
    pub fn new(content_hash: u64, thread: Option<&str>) -> Self {
        Self {
            content_hash,
            thread_hash: thread.map_or(0, |thread| xxhash_rust::xxh3::xxh3_64(thread.as_bytes())),
        }
    }
}

impl Hash for ContentKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.content_hash ^ self.thread_hash.rotate_left(32));
    }
}

/// Encodes the payload of an episode, the end of its body.
pub(crate) fn encode_payload(episode: &Episode) -> Result<Vec<u8>, Corrupt> {
    postcard::to_stdvec(&episode.payload).map_err(|error| unwritable(&error))
}

/// Encodes the body of an episode with room for the envelope in front, to be filled by [`close_envelope`].
pub(crate) fn encode_body(episode: &Episode, payload: &[u8]) -> Result<Vec<u8>, Corrupt> {
    let body = BodyV1 {
        at: episode.at,
        content_hash: episode.content_hash,
        thread: episode.thread.as_deref(),
        role: episode.role,
        kind: &episode.kind,
        speaker: episode.speaker.as_deref(),
        text: &episode.text,
        subjects: episode.subjects.iter().map(String::as_str).collect(),
        session: episode.session.as_deref(),
        mode: episode.mode.as_deref(),
        curiosity: (episode.curiosity != 0.0).then_some(episode.curiosity),
        pad: episode.pad.iter().any(|part| *part != 0.0).then_some(episode.pad),
    };
    let mut bytes = Vec::with_capacity(HEAD_BYTES + 96 + episode.text.len() + payload.len());
    bytes.resize(HEAD_BYTES, 0);
    let mut bytes = postcard::to_extend(&body, bytes).map_err(|error| unwritable(&error))?;
    // The payload comes last, so that a reader of the text need not parse it.
    bytes.extend_from_slice(payload);
    Ok(bytes)
}

/// Writes version and checksum into the room that [`encode_body`] reserved.
pub(crate) fn close_envelope(key: &[u8], value: &mut [u8]) {
    let sum = checksum(key, &value[HEAD_BYTES..]);
    value[0] = VERSION;
    value[1..HEAD_BYTES].copy_from_slice(&sum);
}

/// Length of the body that [`encode_body`] made, in bytes.
pub(crate) const fn body_bytes(value: &[u8]) -> usize {
    value.len() - HEAD_BYTES
}

/// Decodes the episode in a sealed value.
pub(crate) fn decode_episode(
    key: &OrderKey,
    value: &[u8],
    annotations: Annotations,
) -> Result<Episode, Corrupt> {
    let body = open(&key.to_bytes(), value)?;
    let (head, rest) = postcard::take_from_bytes::<BodyV1<'_>>(body).map_err(|error| unreadable(&error))?;
    let payload: Value = postcard::from_bytes(rest).map_err(|error| unreadable(&error))?;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Ok(Episode {
        id: key.id,
        tick: key.tick,
        event_index: key.event_index,
        at: head.at,
        kind: head.kind.to_owned(),
        role: head.role,
        speaker: owned(head.speaker),
        text: head.text.to_owned(),
        subjects: head.subjects.into_iter().map(str::to_owned).collect(),
        payload,
        thread: owned(head.thread),
        session: owned(head.session),
        mode: owned(head.mode),
        curiosity: head.curiosity.unwrap_or_default(),
        pad: head.pad.unwrap_or_default(),
        content_hash: head.content_hash,
        annotations,
    })
}

/// The beginning of a body: wall clock, content hash, thread, role, kind, speaker and text.
type Beginning<'b> = (Micros, u64, Option<&'b str>, Role, &'b str, Option<&'b str>, &'b str);

/// Decodes wall clock and content key of a sealed episode, without reading its text.
pub(crate) fn decode_mark(key: &OrderKey, value: &[u8]) -> Result<(Micros, ContentKey), Corrupt> {
    let body = open(&key.to_bytes(), value)?;
    let ((at, content_hash, thread), _) =
        postcard::take_from_bytes::<(Micros, u64, Option<&str>)>(body).map_err(|error| unreadable(&error))?;
    Ok((at, ContentKey::new(content_hash, thread)))
}

/// Decodes conversation and turn of an episode whose envelope was verified before; `None` if it is not a turn.
pub(crate) fn decode_turn(value: &[u8]) -> Result<Option<(u64, Turn)>, Corrupt> {
    let body = value.get(HEAD_BYTES..).unwrap_or_default();
    let ((_, content_hash, thread, role, kind, _, _), rest) =
        postcard::take_from_bytes::<Beginning<'_>>(body).map_err(|error| unreadable(&error))?;
    if conversation_of(kind, None, None).is_none() {
        return Ok(None);
    }
    let ((_, session), _) =
        postcard::take_from_bytes::<(Vec<&str>, Option<&str>)>(rest).map_err(|error| unreadable(&error))?;
    let turn = Turn { content_hash, is_placeless: role == Role::System };
    Ok(conversation_of(kind, thread, session).map(|conversation| (conversation, turn)))
}

/// Encodes annotations as a sealed value.
pub(crate) fn encode_annotations(id: &Id, annotations: &Annotations) -> Result<Vec<u8>, Corrupt> {
    let body = postcard::to_stdvec(annotations).map_err(|error| unwritable(&error))?;
    Ok(seal(&id.0, &body))
}

/// Decodes annotations from a sealed value.
pub(crate) fn decode_annotations(id: &Id, value: &[u8]) -> Result<Annotations, Corrupt> {
    postcard::from_bytes(open(&id.0, value)?).map_err(|error| unreadable(&error))
}

/// Seals a body: prepends version and checksum.
pub(crate) fn seal(key: &[u8], body: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(HEAD_BYTES + body.len());
    value.push(VERSION);
    value.extend_from_slice(&checksum(key, body));
    value.extend_from_slice(body);
    value
}

/// Verifies a sealed value and returns its body; fails unless it was sealed under this key.
pub(crate) fn open<'a>(key: &[u8], value: &'a [u8]) -> Result<&'a [u8], Corrupt> {
    let Some((&version, rest)) = value.split_first() else {
        return Err(Corrupt("a value is empty".into()));
    };
    if version != VERSION {
        return Err(Corrupt(format!("a value has version {version}, known is {VERSION}")));
    }
    match rest.split_at_checked(HEAD_BYTES - 1) {
        Some((sum, body)) if sum == checksum(key, body) => Ok(body),
        _ => Err(Corrupt("the checksum of a value does not match its content".into())),
    }
}

fn checksum(key: &[u8], body: &[u8]) -> [u8; HEAD_BYTES - 1] {
    let sum = xxhash_rust::xxh3::xxh3_64_with_seed(body, xxhash_rust::xxh3::xxh3_64(key));
    let [a, b, c, d, ..] = sum.to_le_bytes();
    [a, b, c, d]
}

fn unwritable(error: &postcard::Error) -> Corrupt {
    Corrupt(format!("a value cannot be encoded ({error})"))
}

fn unreadable(error: &postcard::Error) -> Corrupt {
    Corrupt(format!("a value cannot be decoded ({error})"))
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            prop::num::f64::NORMAL.prop_map(Value::Float),
            ".{0,12}".prop_map(Value::Text),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
                prop::collection::vec((".{0,6}", inner), 0..5).prop_map(Value::Map),
            ]
        })
    }

    pub(crate) fn any_episode() -> impl Strategy<Value = Episode> {
        let name = || prop::option::of("[a-zа-яα-ω漢字ع🙂]{1,8}");
        let words = ("\\PC{1,60}", "[a-z]{1,8}", prop::collection::vec("\\PC{1,12}", 0..4), any_value());
        let numbers =
            (0..1_u64 << 63, any::<u32>(), any::<i64>(), any::<[u8; 16]>(), 0..5_usize, 0.0..=1.0_f32);
        (words, numbers, (name(), name(), name(), name()), prop::array::uniform3(-1.0..=1.0_f32)).prop_map(
            |((text, kind, subjects, payload), (tick, event_index, at, id, role, curiosity), names, pad)| {
                let (speaker, thread, session, mode) = names;
                let mut episode = Episode {
                    id: Id(id),
                    tick,
                    event_index,
                    at,
                    kind,
                    role: Role::ALL[role],
                    speaker,
                    text,
                    subjects,
                    payload,
                    thread,
                    session,
                    mode,
                    curiosity,
                    pad,
                    content_hash: 0,
                    annotations: Annotations::default(),
                };
                episode.content_hash = episode.hash_content();
                episode
            },
        )
    }

    /// An episode in the encoding of the log.
    pub(crate) fn sealed(episode: &Episode) -> Vec<u8> {
        let mut value = encode_body(episode, &encode_payload(episode).unwrap()).unwrap();
        close_envelope(&key_of(episode).to_bytes(), &mut value);
        value
    }

    fn key_of(episode: &Episode) -> OrderKey {
        OrderKey { tick: episode.tick, event_index: episode.event_index, id: episode.id }
    }

    proptest! {
        #[test]
        fn an_episode_read_back_is_the_one_written(episode in any_episode()) {
            let key = key_of(&episode);
            let value = sealed(&episode);
            prop_assert_eq!(decode_mark(&key, &value).unwrap(), (episode.at, ContentKey::new(episode.content_hash, episode.thread.as_deref())));
            let turn = decode_turn(&value).unwrap().map(|(conversation, turn)| (conversation, turn.content_hash));
            let conversation = conversation_of(&episode.kind, episode.thread.as_deref(), episode.session.as_deref());
            prop_assert_eq!(turn, conversation.map(|conversation| (conversation, episode.content_hash)));
            prop_assert_eq!(decode_episode(&key, &value, Annotations::default()).unwrap(), episode);
        }

        #[test]
        fn a_changed_byte_or_a_foreign_key_is_noticed(episode in any_episode(), place in any::<prop::sample::Index>(), flip in 1..=255_u8) {
            let key = key_of(&episode);
            let mut value = sealed(&episode);
            let moved = OrderKey { event_index: key.event_index.wrapping_add(1), ..key };
            prop_assert!(decode_episode(&moved, &value, Annotations::default()).is_err());
            let place = place.index(value.len());
            value[place] ^= flip;
            prop_assert!(decode_episode(&key, &value, Annotations::default()).is_err());
        }

        #[test]
        fn decoding_garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let key = OrderKey::first_of(1);
            let _ = decode_episode(&key, &bytes, Annotations::default());
            // The same bytes in a valid envelope, which only a bug or an attacker can make.
            let _ = decode_episode(&key, &seal(&key.to_bytes(), &bytes), Annotations::default());
        }

        #[test]
        fn byte_order_is_time_order(a in any::<(u64, u32, [u8; 16])>(), b in any::<(u64, u32, [u8; 16])>()) {
            let key = |(tick, event_index, id): (u64, u32, [u8; 16])| OrderKey { tick, event_index, id: Id(id) };
            prop_assert_eq!(key(a).to_bytes().cmp(&key(b).to_bytes()), key(a).cmp(&key(b)));
            prop_assert_eq!(OrderKey::from_bytes(&key(a).to_bytes()), key(a));
        }
    }
}
