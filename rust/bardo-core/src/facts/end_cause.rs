//! Causes for which facts leave force: each end names one, and the fact keeps its name (`Fact::ended_by`).

use crate::error::{Error, Result};
use crate::model::{Fact, FactStatus};

/// Why a fact left force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndCause {
    /// A newer fact states another value of its slot, or denies it.
    Slot,
    /// Its statement has reached the end that it names.
    Until,
    /// A reader of texts judged that a newer statement ends it, by the rule of this name.
    Rule(String),
    /// The words of a newer fact speak against it.
    Wording,
    /// A caller put a new fact in its place.
    Supersede,
    /// Another fact that says the same stands for it.
    Merge,
    /// Own evidence confirmed it, and an own fact took its place.
    Confirmation,
    /// A rule with other bounds has the larger effect.
    Competition,
    /// A fact that was to replace it left quarantine.
    Release,
    /// Its last tick is over.
    Expiry,
    /// Its confidence fell below the eviction threshold.
    Decay,
    /// There is no room for it.
    Capacity,
    /// It is unimportant, and was neither renewed nor read for long.
    Stale,
    /// It failed the check of its quarantine.
    Quarantine,
    /// The act that had made it was undone.
    Undo,
    /// The numbers of its baseline are identifiers or a counter.
    Identifier,
    /// Another hypothesis explains what it says.
    Redundancy,
    /// Evidence speaks against it: later episodes against its hypothesis, or outcomes of acting on it.
    Refutation,
    /// It was replaced in an ancestor's life.
    Ancestor,
}

impl EndCause {
    /// The causes of the store and of the Curator.
    const OWN: [Self; 18] = [
        Self::Slot,
        Self::Until,
        Self::Wording,
        Self::Supersede,
        Self::Merge,
        Self::Confirmation,
        Self::Competition,
        Self::Release,
        Self::Expiry,
        Self::Decay,
        Self::Capacity,
        Self::Stale,
        Self::Quarantine,
        Self::Undo,
        Self::Identifier,
        Self::Redundancy,
        Self::Refutation,
        Self::Ancestor,
    ];

    /// The name that a fact keeps.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Slot => "slot",
            Self::Until => "until",
            Self::Rule(name) => name,
            Self::Wording => "wording",
            Self::Supersede => "supersede",
            Self::Merge => "merge",
            Self::Confirmation => "confirmation",
            Self::Competition => "competition",
            Self::Release => "release",
            Self::Expiry => "expiry",
            Self::Decay => "decay",
            Self::Capacity => "capacity",
            Self::Stale => "stale",
            Self::Quarantine => "quarantine",
            Self::Undo => "undo",
            Self::Identifier => "identifier",
            Self::Redundancy => "redundancy",
            Self::Refutation => "refutation",
            Self::Ancestor => "ancestor",
        }
    }

    /// The cause that a fact keeps under a name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let own = Self::OWN.into_iter().find(|cause| cause.name() == name);
        own.unwrap_or_else(|| Self::Rule(name.to_owned()))
    }

    /// The cause of a reader's rule, whose name is none of the other causes'.
    pub fn rule(name: &str) -> Result<Self> {
        match Self::named(name) {
            rule @ Self::Rule(_) if !name.is_empty() => Ok(rule),
            _ => Err(Error::invalid(
                format!("{name:?} is not the name of a reader's rule"),
                "Give the rule a name that no other cause of an end has",
            )),
        }
    }
}

/// Cause for which a belief is contested; `None` for one in force and for one that ended otherwise.
pub(crate) fn contested_by(fact: &Fact) -> Option<EndCause> {
    let cause = EndCause::named(fact.ended_by.as_deref().filter(|_| fact.status != FactStatus::Active)?);
    matches!(cause, EndCause::Refutation | EndCause::Ancestor).then_some(cause)
}
