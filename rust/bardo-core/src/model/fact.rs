//! Fact: a generalisation with a confidence that decays unless outcomes reinforce it.

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

            /// Name used everywhere outside the core.
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
        /// Observation that holds in general.
        Insight = "insight",
        /// Rule for action: when this, do that.
        Heuristic = "heuristic",
        /// Danger.
        Warning = "warning",
        /// Causal link between two events.
        CausalLink = "causal_link",
        /// Knowledge of something wrong or harmful; never falls below its floor.
        AntiKnowledge = "anti_knowledge",
        /// Mean and variance of a number.
        Baseline = "baseline",
        /// Regularity in time.
        Pattern = "pattern",
        /// Procedure.
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
    /// Origin of a fact.
    Source, "source" {
        /// Agent's own experience.
        SelfLived = "self",
        /// Proposal of a dream.
        Dream = "dream",
        /// Sibling of the fleet.
        Clade = "clade",
        /// Testament of a predecessor.
        Testament = "testament",
        /// Styx query.
        Styx = "styx",
        /// Public layer.
        Lethe = "lethe",
        /// Purchase.
        Market = "market",
        /// Upload by the user.
        Upload = "upload",
        /// Conclusion of the agent, from statements or from other facts.
        Derived = "derived",
    }
);

named_enum!(
    /// Status of a fact.
    FactStatus, "status" {
        /// Fact in force.
        Active = "active",
        /// Replaced by a newer fact; kept as history.
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
    /// Persistence of a fact without restatement.
    Persistence, "persistence" {
        /// Until denied: a birthday, an allergy, a kinship, an identifier.
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

/// Five scores of a judge, each 0..1; their mean is the fact's quality.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Precision.
    pub specificity: f32,
    /// Usefulness for action.
    pub actionability: f32,
    /// Novelty relative to existing facts.
    pub novelty: f32,
    /// Whether it can be verified.
    pub verifiability: f32,
    /// Consistency with other facts.
    pub consistency: f32,
}

impl Quality {
    /// Mean of the five scores.
    #[must_use]
    pub fn mean(&self) -> f32 {
        (self.specificity + self.actionability + self.novelty + self.verifiability + self.consistency) / 5.0
    }
}

/// Types of payloads that running statistics and tests of the agent state, not texts.
pub const STATISTICS: [&str; 4] = ["baseline", "pattern", "causal_link", "heuristic"];

/// Typed part of a fact.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FactPayload {
    /// No data beyond the text.
    #[default]
    None,
    /// Running statistics of one number.
    Baseline {
        /// Name of the number (the path in the payload).
        metric: String,
        /// Number of observations.
        n: u64,
        /// Mean of the observations.
        mean: f64,
        /// Sample variance.
        variance: f64,
        /// Minimum.
        min: f64,
        /// Maximum.
        max: f64,
    },
    /// Regularity with its test.
    Pattern {
        /// Description in words.
        description: String,
        /// Test statistic.
        statistic: f64,
        /// Probability of a statistic at least as large by chance.
        p_value: f64,
    },
    /// Causal link between two events.
    CausalLink {
        /// Earlier event.
        cause: String,
        /// Later event.
        effect: String,
        /// Ticks between them.
        lag_ticks: u64,
        /// Observed rate divided by the rate by chance.
        lift: f64,
        /// p-value of the permutation test.
        p_value: f64,
    },
    /// Rule: when `condition`, do `action`.
    Heuristic {
        /// Condition.
        condition: String,
        /// Action.
        action: String,
        /// Result of the trials.
        outcome: String,
        /// Number of trials.
        n: u64,
        /// Size of the effect.
        effect: f64,
        /// Confidence interval of the effect.
        interval: (f64, f64),
    },
    /// Procedure.
    Procedural {
        /// Steps.
        strategy: String,
        /// Observed event.
        observation: String,
    },
    /// Act or belief to avoid.
    AntiKnowledge {
        /// Danger.
        warning: String,
    },
}

impl FactPayload {
    /// Whether every number in it is finite: non-finite numbers have no form in JSON.
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

/// Searchable items extracted from a fact's text.
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

/// Fact with its provenance and history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Version-7 UUID.
    pub id: Id,
    /// One or two self-contained sentences.
    pub text: String,
    /// Kind of generalisation.
    pub kind: FactKind,
    /// Slash path such as `trading/slippage`.
    pub category: String,
    /// Subjects that the fact is about.
    pub subjects: Vec<String>,
    /// Number of episodes behind it.
    pub support: u32,
    /// Ids of (the latest of) these episodes.
    pub evidence: Vec<Id>,
    /// Confidence as of `reinforced_tick`, 0..1; the present value is a function of time
    /// (`consolidate::decay`).
    pub confidence: f32,
    /// Importance, 0..1.
    pub importance: f32,
    /// Five scores of a judge; `None` before it is judged.
    pub quality: Option<Quality>,
    /// Tick of creation in this store.
    pub created_tick: u64,
    /// Wall clock of creation in this store.
    pub created_at: Micros,
    /// First and last tick of the evidence.
    pub observed: (u64, u64),
    /// Tick from which decay counts.
    pub reinforced_tick: u64,
    /// Tick of the last retrieval.
    pub accessed_tick: u64,
    /// Number of retrievals.
    pub mentions: u32,
    /// Origin.
    pub source: Source,
    /// Agent of the original experience.
    pub origin: String,
    /// Generations since that agent; 0 is the agent's own.
    pub generation: u32,
    /// Affect at origin.
    pub pad: Pad,
    /// Id of the fact it replaced.
    pub supersedes: Option<Id>,
    /// Id of the fact that replaced it.
    pub superseded_by: Option<Id>,
    /// Tick after which it is no longer in force.
    pub expires_tick: Option<u64>,
    /// Status.
    pub status: FactStatus,
    /// Whether it is exempt from decay and pruning.
    pub pinned: bool,
    /// Whether it was learned in a death: recalled with a boost.
    pub bloodstain: bool,
    /// URLs, commands and paths in the text.
    pub metadata: Metadata,
    /// Typed part.
    pub payload: FactPayload,
    /// Subject, attribute and value, if the fact is a statement of that form.
    #[serde(default)]
    pub statement: Option<Statement>,
    /// Persistence without restatement; `None` if its kind decides.
    #[serde(default)]
    pub persistence: Option<Persistence>,
    /// Name of the cause for which it left force, or will at the end of its statement.
    #[serde(default)]
    pub ended_by: Option<String>,
}

/// Whether a fact of this kind, mark and source has the protection of a death: it covers warnings and anti-knowledge,
/// not all facts of a testament.
pub(crate) const fn is_from_death(kind: FactKind, bloodstain: bool, source: Source) -> bool {
    kind.is_danger() && (bloodstain || matches!(source, Source::Testament))
}

impl Source {
    /// Whether another agent learned it and told or handed it down.
    #[must_use]
    pub const fn is_of_others(self) -> bool {
        matches!(self, Self::Clade | Self::Testament | Self::Styx | Self::Lethe | Self::Market)
    }
}

impl FactKind {
    /// Whether the kind names a danger.
    #[must_use]
    pub const fn is_danger(self) -> bool {
        matches!(self, Self::Warning | Self::AntiKnowledge)
    }
}

impl Fact {
    /// Active fact before it is judged and stored: the agent's own, without evidence, with importance one half and no
    /// confidence. The caller sets the remaining fields.
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

    /// Whether it was handed down or shared by others, without confirmation by the agent's own episodes
    /// (yet).
    #[must_use]
    pub fn is_hearsay(&self) -> bool {
        self.generation > 0 || self.source.is_of_others()
    }

    /// Whether it is a warning or anti-knowledge that was learned in a death or handed down by one.
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
