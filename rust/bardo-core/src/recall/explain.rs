//! Why a memory was recalled: every number that went into its score.

use std::sync::Arc;

pub use super::current_first::HitCorrection;

use super::rule_seats::Seat;
use super::score::Term;
use crate::index::hot::Layer;
use crate::model::{Episode, Id, Micros, Source};

/// An independent signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// Cosine of vectors.
    Dense,
    /// BM25.
    Lexical,
    /// Age.
    Recency,
    /// The query's tokens against those of the memory and its neighbours; brings nothing in by itself.
    Late,
}

impl Arm {
    /// Every arm that brings candidates in, in the order of its reasons.
    pub const ALL: [Self; 3] = [Self::Dense, Self::Lexical, Self::Recency];

    /// The name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Lexical => "lexical",
            Self::Recency => "recency",
            Self::Late => "late",
        }
    }
}

/// Value of one arm for a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmReason {
    /// The arm.
    pub arm: Arm,
    /// From 1, among this arm's own candidates; none if another arm brought the memory in.
    pub rank: Option<u32>,
    /// Cosine, BM25 score or recency; none where the memory has no vector yet.
    pub value: Option<f32>,
    /// Part in the fused relevance.
    pub part: f32,
}

/// Every number that went into a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Value of each arm of [`Arm::ALL`].
    pub arms: [ArmReason; 3],
    /// Value of late interaction, if it took part.
    pub late: Option<ArmReason>,
    /// Parts of the surrounding conversation in the fused relevance, by name.
    pub conversation: Vec<(&'static str, f32)>,
    /// The fused relevance: the sum of the parts of the arms and of the conversation.
    pub fused: f32,
    /// Terms of the score.
    pub terms: Vec<Term>,
    /// Factors that multiply the sum of the terms, by name; 1 where nothing applies.
    pub factors: Vec<(&'static str, f32)>,
    /// Days since the memory was made.
    pub age_days: f64,
    /// Terms of the query that the memory holds.
    pub matched: Vec<Arc<str>>,
    /// Reason for the seat that was reserved for it, if one was.
    pub seat: Option<Seat>,
}

impl Explanation {
    /// Value of a term of the score; none where the policy leaves it out.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f32> {
        self.terms.iter().find(|term| term.name == name).map(|term| term.value)
    }

    /// Factor of the score by its name; 1 where it does not apply.
    #[must_use]
    pub fn factor(&self, name: &str) -> f32 {
        self.factors.iter().find(|(known, _)| *known == name).map_or(1.0, |(_, factor)| *factor)
    }

    /// Score that the reported terms and factors make.
    #[must_use]
    pub fn score(&self) -> f32 {
        self.terms.iter().map(Term::part).sum::<f32>()
            * self.factors.iter().map(|(_, factor)| factor).product::<f32>()
    }
}

/// A memory that was recalled.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Id of the record.
    pub id: Id,
    /// Where it is kept.
    pub layer: Layer,
    /// Score that ranks it.
    pub score: f32,
    /// Confidence at the tick of the query; 1 for an episode, which is what happened.
    pub confidence: f32,
    /// Tick of the record.
    pub tick: u64,
    /// Order of an episode within the tick.
    pub event_index: u32,
    /// Wall clock of the record.
    pub at: Micros,
    /// Where it came from.
    pub source: Source,
    /// Near-duplicates that it stands for.
    pub duplicates: Vec<Id>,
    /// Every number that went into the score.
    pub why: Explanation,
    /// The whole episode, where the hot set has it at hand; the others are read from their stores.
    pub episode: Option<Arc<Episode>>,
    /// Later memories that replace, deny or dispute it, the latest first.
    pub corrections: Vec<HitCorrection>,
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResult {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Notes on limits of the answer, and the reason for an empty one.
    pub notes: Vec<String>,
    /// Memories that the filters let through.
    pub searched: usize,
    /// Memories that were scored.
    pub candidates: usize,
}
