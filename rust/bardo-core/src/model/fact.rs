//! A generalisation with a confidence that fades unless outcomes renew it.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::episode::{check_name, check_pad, check_unit, limits};
use super::statement::Statement;
use super::{Id, Micros, Pad};
use crate::error::{Error, Result};

/// Defines an enum whose variants have one name outside the core.
macro_rules! named_enum {
    ($(#[$outer:meta])* $name:ident, $what:literal { $($(#[$inner:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$inner])* $variant),+ }

        impl $name {
            /// Every variant, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used everywhere outside the core.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self> {
                Self::ALL.iter().copied().find(|variant| variant.name() == name).ok_or_else(|| {
                    Error::invalid(
                        format!("{name:?} is not a {}", $what),
                        concat!("Use one of: ", $($text, " "),+),
                    )
                })
            }
        }
    };
}

named_enum!(
/// Kind of generalisation.
    FactKind, "kind of fact" {
        /// An observation that holds in general.
        Insight = "insight",
        /// When this, do that.
        Heuristic = "heuristic",
        /// A danger.
        Warning = "warning",
        /// One thing follows another.
        CausalLink = "causal_link",
        /// Something that is known to be wrong or harmful; never falls below its floor.
        AntiKnowledge = "anti_knowledge",
        /// Mean and variance of a number.
        Baseline = "baseline",
        /// A regularity in time.
        Pattern = "pattern",
        /// How something is done.
        Procedural = "procedural",
/// Identity of a person.
        Identity = "identity",
/// Goal of a person.
        Goal = "goal",
/// Liking of a person.
        Preference = "preference",
/// Interest of a person.
        Interest = "interest",
        /// Circumstances.
        Context = "context",
    }
);

named_enum!(
    /// Where a fact came from.
    Source, "source" {
        /// The agent's own experience.
        SelfLived = "self",
        /// Proposed in a dream.
        Dream = "dream",
        /// A sibling of the fleet.
        Clade = "clade",
        /// A predecessor's testament.
        Testament = "testament",
        /// A Styx query.
        Styx = "styx",
        /// The public layer.
        Lethe = "lethe",
        /// Bought.
        Market = "market",
        /// Given by the user.
        Upload = "upload",
        /// Concluded by the agent, from what it was told or from other facts.
        Derived = "derived",
    }
);

named_enum!(
    /// Whether a fact is in force.
    FactStatus, "status" {
        /// In force.
        Active = "active",
        /// Replaced by a newer one; kept as history.
        Superseded = "superseded",
        /// Lowered by contrary evidence; expires unless confirmed.
        Contradicted = "contradicted",
        /// Pruned into the cold tier.
        Archived = "archived",
/// Inferred and quarantined: invisible to recall until it is released.
        Held = "held",
    }
);

named_enum!(
    /// How long a fact holds without being said again.
    Persistence, "persistence" {
        /// It holds until it is denied: a birthday, an allergy, a kinship, an identifier.
        Permanent = "permanent",
        /// Years: a home, a job, a partner.
        Years = "years",
        /// Months: a tool of choice, a dose, a version.
        Months = "months",
        /// Weeks: a plan, a project's state.
        Weeks = "weeks",
        /// Days: a mood, a cold.
        Days = "days",
    }
);

/// Five marks, each 0..1; their mean is the fact's quality.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// How precise it is.
    pub specificity: f32,
    /// Whether one can act on it.
    pub actionability: f32,
    /// Whether it was known before.
    pub novelty: f32,
    /// Whether it can be checked.
    pub verifiability: f32,
    /// Whether it agrees with the rest.
    pub consistency: f32,
}

impl Quality {
    /// The mean of the five.
    #[must_use]
    pub fn mean(&self) -> f32 {
        (self.specificity + self.actionability + self.novelty + self.verifiability + self.consistency) / 5.0
    }
}

/// The typed part of a fact.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FactPayload {
    /// Nothing beyond the text.
    #[default]
    None,
    /// Running statistics of one number.
    Baseline {
        /// Name of the number (the path in the payload).
        metric: String,
        /// Observations.
        n: u64,
        /// Their mean.
        mean: f64,
        /// Their sample variance.
        variance: f64,
        /// The least.
        min: f64,
        /// The greatest.
        max: f64,
    },
    /// A regularity with its test.
    Pattern {
        /// In words.
        description: String,
        /// The test statistic.
        statistic: f64,
        /// Probability of one at least as large by chance.
        p_value: f64,
    },
    /// One event follows another.
    CausalLink {
        /// The earlier event.
        cause: String,
        /// The later event.
        effect: String,
        /// Ticks between them.
        lag_ticks: u64,
        /// Observed rate over the rate by chance.
        lift: f64,
        /// Of the permutation test.
        p_value: f64,
    },
    /// When `condition`, do `action`.
    Heuristic {
        /// When.
        condition: String,
        /// Do.
        action: String,
        /// Result of the trials.
        outcome: String,
        /// Trials.
        n: u64,
        /// Difference it makes.
        effect: f64,
        /// Confidence interval of the effect.
        interval: (f64, f64),
    },
    /// How something is done.
    Procedural {
        /// The steps.
        strategy: String,
        /// Observed event.
        observation: String,
    },
    /// An act or belief to avoid.
    AntiKnowledge {
        /// The danger.
        warning: String,
    },
}

impl FactPayload {
    /// Whether every number in it is finite: the others have no form in JSON.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        match self {
            Self::None | Self::Procedural { .. } | Self::AntiKnowledge { .. } => true,
            Self::Baseline { mean, variance, min, max, .. } => {
                [mean, variance, min, max].iter().all(|number| number.is_finite())
            }
            Self::Pattern { statistic, p_value, .. } => statistic.is_finite() && p_value.is_finite(),
            Self::CausalLink { lift, p_value, .. } => lift.is_finite() && p_value.is_finite(),
            Self::Heuristic { effect, interval, .. } => {
                [*effect, interval.0, interval.1].iter().all(|number| number.is_finite())
            }
        }
    }
}

/// Things found in a fact's text that people search by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// Web addresses.
    #[serde(default)]
    pub urls: Vec<String>,
    /// Shell commands.
    #[serde(default)]
    pub commands: Vec<String>,
    /// File paths.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// One fact with its provenance and history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Version-7 UUID.
    pub id: Id,
    /// One self-contained sentence or two.
    pub text: String,
    /// Kind of generalisation.
    pub kind: FactKind,
    /// A slash path such as `trading/slippage`.
    pub category: String,
    /// Subjects that the fact is about.
    pub subjects: Vec<String>,
    /// Number of episodes behind it.
    pub support: u32,
    /// Ids of (the latest of) those episodes.
    pub evidence: Vec<Id>,
    /// As of `reinforced_tick`, 0..1; what holds today is a function of time (`consolidate::decay`).
    pub confidence: f32,
    /// 0..1.
    pub importance: f32,
    /// Five marks of a judge; none before it is judged.
    pub quality: Option<Quality>,
    /// Tick of birth in this store.
    pub created_tick: u64,
    /// Wall clock of birth in this store.
    pub created_at: Micros,
    /// First and last tick of the evidence.
    pub observed: (u64, u64),
    /// Tick from which decay counts.
    pub reinforced_tick: u64,
    /// Tick of the last retrieval.
    pub accessed_tick: u64,
    /// Times retrieved.
    pub mentions: u32,
    /// Where it came from.
    pub source: Source,
    /// The agent that lived it.
    pub origin: String,
    /// Generations since the one that lived it; 0 is the agent's own.
    pub generation: u32,
    /// Affect at origin.
    pub pad: Pad,
    /// The fact it replaced.
    pub supersedes: Option<Id>,
    /// The fact that replaced it.
    pub superseded_by: Option<Id>,
    /// Tick after which it is no longer in force.
    pub expires_tick: Option<u64>,
    /// Whether it is in force.
    pub status: FactStatus,
    /// Exempt from decay and pruning.
    pub pinned: bool,
    /// Learned in a death: recalled with a boost.
    pub bloodstain: bool,
    /// URLs, commands and paths in the text.
    pub metadata: Metadata,
    /// The typed part.
    pub payload: FactPayload,
    /// Subject, attribute and value, if the fact is a statement of that form.
    #[serde(default)]
    pub statement: Option<Statement>,
    /// How long it holds without being said again; none if its kind decides.
    #[serde(default)]
    pub persistence: Option<Persistence>,
    /// Name of the rule that ended it, once it was superseded by inference.
    #[serde(default)]
    pub ended_by: Option<String>,
}

/// Whether a fact of this kind, mark and source has the protection of a death: it belongs to warnings and anti-knowledge,
/// not to everything that came in a testament.
pub(crate) const fn is_from_death(kind: FactKind, bloodstain: bool, source: Source) -> bool {
    kind.is_danger() && (bloodstain || matches!(source, Source::Testament))
}

impl FactKind {
    /// Whether it says what to stay away from.
    #[must_use]
    pub const fn is_danger(self) -> bool {
        matches!(self, Self::Warning | Self::AntiKnowledge)
    }
}

impl Fact {
    /// A fact in force that is not judged yet: not stored, of the agent's own, without evidence, half important and not
    /// believed. The rest of its fields follows from what says it.
    #[must_use]
    pub fn new(kind: FactKind, text: impl Into<String>) -> Self {
        Self {
            id: Id::ABSENT,
            text: text.into(),
            kind,
            category: String::new(),
            subjects: Vec::new(),
            support: 0,
            evidence: Vec::new(),
            confidence: 0.0,
            importance: 0.5,
            quality: None,
            created_tick: 0,
            created_at: 0,
            observed: (0, 0),
            reinforced_tick: 0,
            accessed_tick: 0,
            mentions: 0,
            source: Source::SelfLived,
            origin: String::new(),
            generation: 0,
            pad: [0.0; 3],
            supersedes: None,
            superseded_by: None,
            expires_tick: None,
            status: FactStatus::Active,
            pinned: false,
            bloodstain: false,
            metadata: Metadata::default(),
            payload: FactPayload::None,
            statement: None,
            persistence: None,
            ended_by: None,
        }
    }

    /// Whether it was handed down or shared by others and not (yet) confirmed by the agent's own episodes.
    #[must_use]
    pub fn is_hearsay(&self) -> bool {
        self.generation > 0
            || matches!(
                self.source,
                Source::Clade | Source::Testament | Source::Styx | Source::Lethe | Source::Market
            )
    }

    /// Whether it warns of something, and was learned in a death or handed down by one.
    #[must_use]
    pub const fn from_death(&self) -> bool {
        is_from_death(self.kind, self.bloodstain, self.source)
    }

    /// Refuses a fact that breaks a documented limit, naming the limit and the field.
    pub fn validate(&self) -> Result<()> {
        if self.text.trim().is_empty() {
            return Err(Error::invalid("the text of a fact is empty", "Say what is known in a sentence"));
        }
        if self.text.len() > limits::TEXT_BYTES {
            return Err(Error::invalid(
                format!("the text has {} bytes, the limit is {}", self.text.len(), limits::TEXT_BYTES),
                "A fact is a sentence or two; keep the rest as an episode",
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
        if !self.category.is_empty() {
            check_name("the category", &self.category)?;
        }
        check_unit("confidence", self.confidence)?;
        check_unit("importance", self.importance)?;
        if let Some(quality) = &self.quality {
            for (field, mark) in [
                ("specificity", quality.specificity),
                ("actionability", quality.actionability),
                ("novelty", quality.novelty),
                ("verifiability", quality.verifiability),
                ("consistency", quality.consistency),
            ] {
                check_unit(field, mark)?;
            }
        }
        check_pad(&self.pad)?;
        self.statement.as_ref().map_or(Ok(()), Statement::validate)?;
        if self.payload.is_finite() {
            return Ok(());
        }
        Err(Error::invalid(
            "the payload of a fact holds a number that is NaN or infinite",
            "Leave such numbers out: a statistic needs finite ones",
        ))
    }
}
