//! [`Row`] holds the fields of one memory that filters and scores need; [`FactRow`] the fields that only facts
//! have.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::interner::{Interner, NO_NAME, Symbol};
use crate::error::{Error, Result};
use crate::facts::Scope;
use crate::index::lexical::analyzer::holds_question;
use crate::index::lexical::posting::Slot;
use crate::index::lexical::time_words::holds_time;
use crate::model::decay::DecayFactors;
use crate::model::{Episode, Fact, FactStatus, Id, Micros, Pad, Role, Source};
use crate::text::prefilter::triviality;

/// Store of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// The episode log.
    Episode,
    /// The fact store.
    Fact,
}

impl Layer {
    /// The name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Episode => "episode",
            Self::Fact => "fact",
        }
    }
}

impl FromStr for Layer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "episode" => Ok(Self::Episode),
            "fact" => Ok(Self::Fact),
            _ => Err(Error::invalid(format!("{name:?} is not a layer"), "Use episode, fact or both")),
        }
    }
}

/// Slot of a functional attribute of which a fact states the value, by its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedSlot {
    /// Person or thing that has the attribute.
    pub subject: Symbol,
    /// Name of the attribute.
    pub attribute: Symbol,
    /// Case to which the value is limited; the empty name for every case.
    pub condition: Symbol,
}

impl NamedSlot {
    /// The slot of a fact; none if it states no value of an attribute that has one value at a time.
    fn of(fact: &Fact, names: &mut Interner) -> Option<Self> {
        let statement = fact.statement.as_ref().filter(|known| known.functional && !known.denied)?;
        Some(Self {
            subject: names.intern(&statement.subject),
            attribute: names.intern(&statement.attribute),
            condition: names.intern(&statement.condition),
        })
    }
}

/// Kinds of episodes whose text is the output of a tool or a line of a log.
const RECORDS: [&str; 3] = ["tool", "commit", "log"];
/// Maximum number of words in the name of a person whom a fact quotes.
const NAME_WORDS: usize = 3;

/// Fields of a row that only facts have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactRow {
    /// Factors of its decay: kind, death, pin.
    pub decay_factors: DecayFactors,
    /// Confidence as of `reinforced_tick`.
    pub confidence: f32,
    /// Number of episodes behind it.
    pub support: u32,
    /// Tick from which decay counts.
    pub reinforced_tick: u64,
    /// Tick after which it is no longer in force.
    pub expires_tick: Option<u64>,
    /// Status of the fact.
    pub status: FactStatus,
    /// Id of the fact that replaced it.
    pub superseded_by: Option<Id>,
    /// Number of retrievals.
    pub mentions: u32,
    /// Whether it was learned in a death.
    pub bloodstain: bool,
    /// Id of the episode that it repeats, if it rests on one alone.
    pub restates: Option<Id>,
    /// Slot of which it states the value.
    pub slot: Option<NamedSlot>,
}

/// Row of one memory: the fields that filters and scores need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Id of the record.
    pub id: Id,
    /// Hash of the lexical text, without the date of an episode.
    pub text_hash: u64,
    /// Hash of the text alone, in lower case and without marks at its end: an episode and a fact can say the same.
    pub said_hash: u64,
    /// Tick of the episode, or of the fact's birth.
    pub tick: u64,
    /// Order within the tick.
    pub event_index: u32,
    /// Wall clock of the episode, or of the fact's birth.
    pub at: Micros,
    /// Kind of episode or of fact.
    pub kind: Symbol,
    /// Author of an episode.
    pub role: Option<Role>,
    /// Name of the speaker.
    pub speaker: Symbol,
    /// Project scope.
    pub thread: Symbol,
    /// Run.
    pub session: Symbol,
    /// Posture.
    pub mode: Symbol,
    /// Slash path of a fact.
    pub category: Symbol,
    /// Subjects that it is about.
    pub subjects: Box<[Symbol]>,
    /// Origin; episodes are the agent's own.
    pub source: Source,
    /// Importance of an episode, quality (or else importance) of a fact; `None` before it is judged.
    pub importance: Option<f32>,
    /// Affect.
    pub pad: Pad,
    /// Whether an episode passed the quality gate.
    pub verified: bool,
    /// Number of replays of an episode.
    pub replay_count: u32,
    /// Approximate number of words of the text.
    pub words: u16,
    /// Speech act of the text, as far as its form tells.
    pub act: SpeechAct,
    /// Whether the text contains a time expression.
    pub tells_time: bool,
    /// Number of the conversation, if it is part of one.
    pub conversation: Option<u32>,
    /// Previous turn of its conversation.
    pub previous: Option<Slot>,
    /// Next turn of its conversation.
    pub next: Option<Slot>,
    /// Fields that only facts have.
    pub fact: Option<Box<FactRow>>,
}

/// Speech act of a text, as far as its form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpeechAct {
    /// It contains a question mark.
    Asks,
    /// It is a greeting, thanks or an acknowledgement alone.
    SmallTalk,
    /// Anything else.
    Tells,
}

impl SpeechAct {
    /// Speech act of the text of an episode.
    fn of(text: &str) -> Self {
        if holds_question(text) {
            Self::Asks
        } else if triviality(text).is_some() {
            Self::SmallTalk
        } else {
            Self::Tells
        }
    }
}

impl Row {
    /// Whether the text contains a question mark.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.act == SpeechAct::Asks
    }

    /// Store of the memory.
    #[must_use]
    pub const fn layer(&self) -> Layer {
        if self.fact.is_some() { Layer::Fact } else { Layer::Episode }
    }

    /// Whether it is the output of a tool, a commit, or a line of a log.
    #[must_use]
    pub fn is_record(&self, names: &Interner) -> bool {
        self.role == Some(Role::Tool) || (self.role.is_some() && RECORDS.contains(&names.name(self.kind)))
    }

    /// Whether it is a fact that names a danger.
    #[must_use]
    pub fn is_danger(&self) -> bool {
        self.fact.as_ref().is_some_and(|fact| fact.decay_factors.kind.is_danger())
    }

    pub(crate) const fn order(&self) -> (u64, u32, Id) {
        (self.tick, self.event_index, self.id)
    }
}

impl FactRow {
    fn of(fact: &Fact, slot: Option<NamedSlot>) -> Self {
        Self {
            decay_factors: DecayFactors::of(fact, 1.0),
            confidence: fact.confidence,
            support: fact.support,
            reinforced_tick: fact.reinforced_tick,
            expires_tick: fact.expires_tick,
            status: fact.status,
            superseded_by: fact.superseded_by,
            mentions: fact.mentions,
            bloodstain: fact.bloodstain,
            restates: fact
                .evidence
                .first()
                .copied()
                .filter(|_| fact.support == 1 && fact.evidence.len() == 1),
            slot,
        }
    }
}

impl Row {
    /// Builds the row of an episode; its words are counted when its text is analyzed.
    pub(super) fn of_episode(episode: &Episode, text_hash: u64, names: &mut Interner) -> Self {
        Self {
            id: episode.id,
            text_hash,
            said_hash: hash_of_said(&episode.text),
            tick: episode.tick,
            event_index: episode.event_index,
            at: episode.at,
            kind: names.intern(&episode.kind),
            role: Some(episode.role),
            speaker: names.intern_optional(episode.speaker.as_deref()),
            thread: names.intern_optional(episode.thread.as_deref()),
            session: names.intern_optional(episode.session.as_deref()),
            mode: names.intern_optional(episode.mode.as_deref()),
            category: NO_NAME,
            subjects: episode.subjects.iter().map(|subject| names.intern(subject)).collect(),
            source: episode.source(),
            importance: episode.annotations.importance,
            pad: episode.pad,
            verified: episode.annotations.verified,
            replay_count: episode.annotations.replay_count,
            // Set when the text is analyzed.
            words: 0,
            act: SpeechAct::of(&episode.text),
            tells_time: false,
            conversation: None,
            previous: None,
            next: None,
            fact: None,
        }
    }

    /// Builds the row of a fact with a scope.
    pub(super) fn of_fact(fact: &Fact, scope: &Scope, text_hash: u64, names: &mut Interner) -> Self {
        Self {
            id: fact.id,
            text_hash,
            said_hash: hash_of_said(without_speaker(&fact.text)),
            tick: fact.created_tick,
            event_index: 0,
            at: fact.created_at,
            kind: names.intern(fact.kind.name()),
            role: None,
            speaker: NO_NAME,
            thread: names.intern_optional(scope.thread.as_deref()),
            session: NO_NAME,
            mode: names.intern_optional(scope.mode.as_deref()),
            category: names.intern(&fact.category),
            subjects: fact.subjects.iter().map(|subject| names.intern(subject)).collect(),
            source: fact.source,
            importance: Some(importance_of(fact)),
            pad: fact.pad,
            verified: true,
            replay_count: 0,
            words: count_words(&fact.text),
            act: if holds_question(&fact.text) { SpeechAct::Asks } else { SpeechAct::Tells },
            tells_time: holds_time(&fact.text),
            conversation: None,
            previous: None,
            next: None,
            fact: Some(Box::new(FactRow::of(fact, NamedSlot::of(fact, names)))),
        }
    }

    /// The same row with the numbers of a fact at another time.
    #[must_use]
    pub fn with_numbers_of(&self, fact: &Fact) -> Self {
        let slot = self.fact.as_ref().and_then(|known| known.slot);
        let importance = Some(importance_of(fact));
        Self {
            importance,
            source: fact.source,
            fact: Some(Box::new(FactRow::of(fact, slot))),
            ..self.clone()
        }
    }
}

/// Quality, or importance without a judged quality.
fn importance_of(fact: &Fact) -> f32 {
    fact.quality.map_or(fact.importance, |quality| quality.mean())
}

fn count_words(text: &str) -> u16 {
    u16::try_from(text.split_whitespace().count()).unwrap_or(u16::MAX)
}

/// The words that a fact quotes, without the name of the person before them: "Dov: the feed moved to port 7420".
fn without_speaker(text: &str) -> &str {
    let is_name = |name: &str| {
        name.split_whitespace().count() <= NAME_WORDS
            && name.starts_with(|letter: char| letter.is_uppercase())
    };
    text.split_once(": ").filter(|(name, _)| is_name(name)).map_or(text, |(_, said)| said)
}

/// Hash of a text without its case, its spacing and the marks at its end.
fn hash_of_said(text: &str) -> u64 {
    let plain = text.trim_end_matches(|letter: char| letter.is_whitespace() || ".!…".contains(letter));
    let words: Vec<String> = plain.split_whitespace().map(str::to_lowercase).collect();
    xxhash_rust::xxh3::xxh3_64(words.join(" ").as_bytes())
}
