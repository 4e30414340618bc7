//! Episode: a verbatim record of an event, never edited, only annotated.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Id, Micros, Pad, Source, Value};
use crate::error::{Error, Result};

/// Limits of one episode.
pub mod limits {
    /// Maximum bytes of UTF-8 text.
    pub const TEXT_BYTES: usize = 64 * 1024;
    /// Maximum bytes of the encoded payload.
    pub const PAYLOAD_BYTES: usize = 1024 * 1024;
    /// Maximum number of subjects.
    pub const SUBJECTS: usize = 256;
    /// Maximum bytes of a subject, thread, session, mode, speaker, kind or agent name.
    pub const NAME_BYTES: usize = 256;
    /// First microsecond of the year 1, UTC: the first instant that Python's `datetime`, Arrow and ISO 8601 can all
    /// write as a date.
    pub const FIRST_AT: super::Micros = -62_135_596_800_000_000;
    /// Last microsecond of the year 9999, UTC: the last such instant.
    pub const LAST_AT: super::Micros = 253_402_300_799_999_999;
}

/// Author of an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// Person that the agent serves.
    User,
    /// Agent itself.
    Agent,
    /// Operator or framework of the agent.
    System,
    /// World: a market, a sensor, a file system.
    #[default]
    Environment,
    /// Tool that the agent called.
    Tool,
}

impl Role {
    /// Every role, in declaration order.
    pub const ALL: [Self; 5] = [Self::User, Self::Agent, Self::System, Self::Environment, Self::Tool];

    /// Name used everywhere outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::System => "system",
            Self::Environment => "environment",
            Self::Tool => "tool",
        }
    }

    /// Whether the role takes part in conversations.
    #[must_use]
    pub const fn speaks(self) -> bool {
        matches!(self, Self::User | Self::Agent)
    }
}

/// Names of roles in other programs.
const SYNONYMS: [(&str, Role); 6] = [
    ("assistant", Role::Agent),
    ("ai", Role::Agent),
    ("model", Role::Agent),
    ("human", Role::User),
    ("developer", Role::System),
    ("function", Role::Tool),
];

impl FromStr for Role {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|role| role.name() == name);
        let named = || SYNONYMS.into_iter().find(|(other, _)| *other == name).map(|(_, role)| role);
        known.or_else(named).ok_or_else(|| {
            Error::invalid(
                format!("{name:?} is not a role"),
                "Use one of: user, agent (or assistant), system, environment, tool",
            )
        })
    }
}

/// Fields of an episode that may change after it is written; all others are immutable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Annotations {
    /// Importance, 0..1, set on verification.
    pub importance: Option<f32>,
    /// Whether it passed the quality gate: only verified episodes are consolidated.
    pub verified: bool,
    /// Number of replays of the episode.
    pub replay_count: u32,
}

/// Episode. `speaker` is our addition: conversations are indexed as "speaker: text".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// Version-7 UUID.
    pub id: Id,
    /// Logical time of the agent.
    pub tick: u64,
    /// Order within the tick.
    pub event_index: u32,
    /// Wall clock of the observation.
    pub at: Micros,
    /// Kind: `turn`, `event`, `trade`, `tool`, `outcome`, ... (open).
    pub kind: String,
    /// Author.
    pub role: Role,
    /// Name of the speaker.
    pub speaker: Option<String>,
    /// Text that is embedded and searched.
    pub text: String,
    /// Subjects that the episode is about.
    pub subjects: Vec<String>,
    /// Full decoded event.
    pub payload: Value,
    /// Project scope.
    pub thread: Option<String>,
    /// Run.
    pub session: Option<String>,
    /// Posture (chat, code, ...).
    pub mode: Option<String>,
    /// Predicted interest at capture, 0..1.
    pub curiosity: f32,
    /// Affect at capture.
    pub pad: Pad,
    /// Hash of role, speaker, text and payload.
    pub content_hash: u64,
    /// Mutable fields.
    pub annotations: Annotations,
}

/// Kind of an episode from another life, which came with a testament, unverified (law 15).
pub const INHERITED_KIND: &str = "inherited";

/// Kind of the records that `outcome` makes.
const OUTCOME_KIND: &str = "outcome";
/// Field of such a record that names the episode which records the same decision.
const RECORDED_AS: &str = "recorded_as";

impl Episode {
    /// Origin of the episode: the agent's own life, or a predecessor's.
    #[must_use]
    pub fn source(&self) -> Source {
        if self.kind == INHERITED_KIND { Source::Testament } else { Source::SelfLived }
    }

    /// Whether bardo recorded it as the outcome of acting on memories: an account of another episode, and no event.
    #[must_use]
    pub fn is_outcome_record(&self) -> bool {
        let Value::Map(entries) = &self.payload else { return false };
        let has = |name: &str| entries.iter().any(|(entry, _)| entry == name);
        self.kind == OUTCOME_KIND && has("of") && has("memories")
    }

    /// The episode that records the decision of which this record tells the outcome; `None` for any other episode.
    #[must_use]
    pub fn recorded_as(&self) -> Option<Id> {
        let Value::Map(entries) = &self.payload else { return None };
        let (_, value) = entries.iter().find(|(entry, _)| entry == RECORDED_AS)?;
        match value {
            Value::Text(id) if self.is_outcome_record() => id.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is a turn of a conversation: it has a speaking role, and a thread or a session.
    #[must_use]
    pub fn is_turn(&self) -> bool {
        (self.thread.is_some() || self.session.is_some()) && (self.speaker.is_some() || self.role.speaks())
    }

    /// Refuses an episode that breaks a documented limit, naming the limit and the field.
    pub fn validate(&self) -> Result<()> {
        check_at("at", self.at)?;
        if self.text.trim().is_empty() {
            return Err(Error::invalid("the text of an episode is empty", "Say what happened in a sentence"));
        }
        if self.text.len() > limits::TEXT_BYTES {
            return Err(Error::invalid(
                format!("the text has {} bytes, the limit is {}", self.text.len(), limits::TEXT_BYTES),
                "Split it into several episodes, or pass truncate=True to keep the beginning",
            ));
        }
        if self.subjects.len() > limits::SUBJECTS {
            return Err(Error::invalid(
                format!("{} subjects, the limit is {}", self.subjects.len(), limits::SUBJECTS),
                "Keep the subjects that someone would search for",
            ));
        }
        for subject in &self.subjects {
            check_name("a subject", subject)?;
        }
        check_name("the kind", &self.kind)?;
        for (field, name) in [
            ("the speaker", &self.speaker),
            ("the thread", &self.thread),
            ("the session", &self.session),
            ("the mode", &self.mode),
        ] {
            if let Some(name) = name {
                check_name(field, name)?;
            }
        }
        check_unit("curiosity", self.curiosity)?;
        if let Some(importance) = self.annotations.importance {
            check_unit("importance", importance)?;
        }
        check_pad(&self.pad)
    }

    /// Hash that identifies a retry of the same content: role, speaker, text and payload.
    #[must_use]
    pub fn hash_content(&self) -> u64 {
        // Encoding postcard into a vector cannot fail: every value has an encoding.
        self.hash_content_with(&postcard::to_stdvec(&self.payload).unwrap_or_default())
    }

    /// [`Episode::hash_content`] with the payload encoded as postcard.
    pub(crate) fn hash_content_with(&self, payload: &[u8]) -> u64 {
        let parts = [self.role.name(), self.speaker.as_deref().unwrap_or(""), &self.text];
        let length = parts.iter().map(|part| size_of::<u64>() + part.len()).sum::<usize>() + payload.len();
        let mut bytes = Vec::with_capacity(length);
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes.extend_from_slice(payload);
        xxhash_rust::xxh3::xxh3_64(&bytes)
    }
}

/// Refuses a time outside the years 1 to 9999.
pub(crate) fn check_at(field: &str, at: Micros) -> Result<()> {
    if (limits::FIRST_AT..=limits::LAST_AT).contains(&at) {
        return Ok(());
    }
    Err(Error::invalid(
        format!("{field} is {at}, which is no date from the year 1 to 9999"),
        "Pass microseconds since the epoch, UTC; nanoseconds are a thousand times too many",
    ))
}

/// Refuses an empty or over-long name.
pub(crate) fn check_name(field: &str, name: &str) -> Result<()> {
    if name.is_empty() || name.len() > limits::NAME_BYTES {
        return Err(Error::invalid(
            format!("{field} has {} bytes", name.len()),
            format!("It must have between 1 and {} bytes of UTF-8", limits::NAME_BYTES),
        ));
    }
    Ok(())
}

/// Refuses a number outside 0..1.
pub(crate) fn check_unit(field: &str, number: f32) -> Result<()> {
    if (0.0..=1.0).contains(&number) {
        return Ok(());
    }
    Err(Error::invalid(format!("{field} is {number}"), "It must be a number from 0 to 1"))
}

/// Refuses an affect outside [-1, 1].
pub(crate) fn check_pad(pad: &Pad) -> Result<()> {
    if pad.iter().all(|part| (-1.0..=1.0).contains(part)) {
        return Ok(());
    }
    Err(Error::invalid(
        format!("pad is {pad:?}"),
        "Pleasure, arousal and dominance must each be a number from -1 to 1",
    ))
}
