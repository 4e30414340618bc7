//! Settings of ranking, with the defaults and their sources.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::index::lexical::Bm25;

/// How the fused relevance becomes a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Weighted-sum fusion, then four factors, discounts and boosts.
    #[default]
    FourFactor,
    /// Reciprocal rank fusion alone.
    Rrf,
    /// Relevance, importance and pins: 0.5, 0.3 and 0.3.
    Pinned,
}

impl FromStr for Policy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "four_factor" => Ok(Self::FourFactor),
            "rrf" => Ok(Self::Rrf),
            "pinned" => Ok(Self::Pinned),
            _ => Err(Error::invalid(
                format!("{name:?} is not a recall policy"),
                "Use one of: four_factor, rrf, pinned",
            )),
        }
    }
}

/// How the arms are fused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// Weighted sum of z-scores over the union of candidates.
    #[default]
    Sum,
    /// Reciprocal rank fusion (Cormack et al. 2009).
    Rrf,
}

impl FromStr for Fusion {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "sum" => Ok(Self::Sum),
            "rrf" => Ok(Self::Rrf),
            _ => Err(Error::invalid(format!("{name:?} is not a fusion"), "Use sum or rrf")),
        }
    }
}

/// One number for each arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerArm {
    /// Cosine of vectors.
    pub dense: f32,
    /// BM25.
    pub lexical: f32,
    /// Age.
    pub recency: f32,
}

/// Weights of the four factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// Fused relevance.
    pub relevance: f32,
    /// Ebbinghaus retention.
    pub temporal: f32,
    /// Quality or importance.
    pub importance: f32,
    /// Mood congruence.
    pub emotional: f32,
}

/// How much the turns around a memory count, in standard deviations of the candidates' relevance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConversationWeights {
    /// Part of the previous turn's relevance, where it asks and both are short.
    pub previous_question: f32,
    /// Part of the next turn's relevance, where it is short.
    pub next_turn: f32,
    /// Part of the best relevance in the session.
    pub session_best: f32,
    /// Part of the session's BM25 as one document.
    pub session_words: f32,
    /// Where the query names who spoke.
    pub speaker: f32,
    /// Where the query says "you" or "I", and the turn is the agent's or the user's.
    pub role: f32,
    /// Where the query names a period that the turn is of. Of 40 questions of `LoCoMo` that name one, recall@5 is .825 with
    /// 0.2, and .900 from 0.6 to 3.
    pub date: f32,
    /// Where the query asks when, and a short turn tells a time.
    pub time: f32,
    /// Taken off a short turn that asks.
    pub question_penalty: f32,
    /// Words of a turn that is short: beyond it, a question is one sentence of many.
    pub short_words: u16,
}

impl ConversationWeights {
    /// Sets the weight of a name.
    pub fn set(&mut self, name: &str, number: f32) -> Result<()> {
        let weight = match name {
            "previous_question" => &mut self.previous_question,
            "next_turn" => &mut self.next_turn,
            "session_best" => &mut self.session_best,
            "session_words" => &mut self.session_words,
            "speaker" => &mut self.speaker,
            "role" => &mut self.role,
            "date" => &mut self.date,
            "time" => &mut self.time,
            "question_penalty" => &mut self.question_penalty,
            _ => {
                return Err(Error::invalid(
                    format!("{name:?} is not a weight of the conversation"),
                    "Use previous_question, next_turn, session_best, session_words, speaker, role, date, time, \
                     question_penalty",
                ));
            }
        };
        *weight = number;
        Ok(())
    }
}

impl Default for ConversationWeights {
    fn default() -> Self {
        Self {
            previous_question: 0.5,
            next_turn: 0.05,
            session_best: 0.1,
            session_words: 0.2,
            speaker: 0.4,
            role: 0.9,
            date: 0.8,
            time: 0.3,
            question_penalty: 0.2,
            short_words: 40,
        }
    }
}

/// How late interaction counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateWeights {
    /// Weight in the sum of the arms.
    pub weight: f32,
    /// Candidates that are looked at: those with the greatest relevance before.
    pub depth: usize,
    /// Weight of a match in a turn beside the memory.
    pub beside: f32,
    /// Part of the value that may come from turns beside the memory.
    pub window: f32,
    /// Taken off per natural logarithm of the number of tokens: the best of many is high by chance.
    pub chance: f32,
    /// Content tokens of a memory at which late interaction counts half, and the arms beside it correspondingly more:
    /// in a long text most words find something.
    ///
    /// Measured on `LongMemEval` (development part, recall@5 and @20): .80 and .97 without this, .83 and .99 with it;
    /// `LoCoMo`'s turns are too short to notice.
    pub half_at: f32,
}

impl LateWeights {
    /// The part of its weight that late interaction keeps in a memory of so many tokens.
    pub(super) fn share(&self, tokens: usize) -> f32 {
        (1.0 + (tokens as f32 / self.half_at).powi(2)).recip()
    }
}

impl Default for LateWeights {
    fn default() -> Self {
        Self { weight: 1.0, depth: 100, beside: 0.9, window: 0.6, chance: 0.02, half_at: 100.0 }
    }
}

/// All of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How the fused relevance becomes a score.
    pub policy: Policy,
    /// How the arms are fused.
    pub fusion: Fusion,
    /// Parameters of BM25 in the lexical arm.
    pub bm25: Bm25,
    /// Weights of the arms in the sum and in the reciprocal ranks.
    pub weights: PerArm,
    /// Added to the fused relevance of a memory that holds, alone or nearly so, all the words of the query; in
    /// proportion where it holds a part. A rare ticker decides, independent of its embedding (law 6).
    pub rare_weight: f32,
    /// Weight of the graph in the sum: what naming an entity of the query, or one a few hops away, adds at most.
    pub graph_weight: f32,
    /// Candidates of each arm for the sum.
    pub depth: usize,
    /// Candidates of each arm for reciprocal ranks: lists of 10-20 beat lists of 100 (.640 against .558 recall@10).
    pub rrf_depth: usize,
    /// The constant of reciprocal rank fusion.
    pub rrf_k: f32,
    /// Cosine from which a memory is a candidate of the dense arm. 0.155 is a Euclidean distance of 1.3 between
    /// vectors of length 1.
    pub min_cosine: f32,
    /// Added to `min_cosine` per natural logarithm of the memories that are searched: of many unrelated vectors the
    /// nearest is nearer by chance. Where not even the best memory is as near as this sum, the arm of vectors is silent.
    /// With 0.03 the distance asked for goes from 1.3 for one memory to 1.0 for 100,000.
    ///
    /// Measured with `MiniLM` on `LoCoMo` (development part, 480 memories, least cosine .34): 99 % of its own questions
    /// have a best cosine over .45, half of 48 questions about something else are under .32.
    pub chance_cosine: f32,
    /// How much unlike each other the memories returned are to be (`diversity.rs`): 0 ranks by score alone.
    pub diversity: f32,
    /// Part of the whole text's cosine that is added to that of the best sentence.
    pub whole_weight: f32,
    /// Taken off the best sentence per natural logarithm of the number of sentences: the best of many is high by
    /// chance.
    pub sentence_penalty: f32,
    /// How much the turns around a memory count.
    pub conversation: ConversationWeights,
    /// How late interaction counts.
    pub late: LateWeights,
    /// e-folding time of the recency arm, in days.
    pub recency_days: f32,
    /// Weights of the four factors.
    pub factors: Factors,
    /// e-folding time of decay, in ticks.
    pub tau_ticks: f64,
    /// Factor for facts learned in a death.
    pub bloodstain_boost: f32,
    /// Factor for memories of the active thread.
    pub thread_boost: f32,
    /// Jaccard similarity of terms from which two memories are near-duplicates; above 1 keeps both.
    pub duplicate_similarity: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            fusion: Fusion::default(),
            bm25: Bm25::default(),
            weights: PerArm { dense: 0.7, lexical: 0.3, recency: 0.02 },
            rare_weight: 1.5,
            graph_weight: 0.2,
            depth: 100,
            rrf_depth: 20,
            rrf_k: 60.0,
            min_cosine: 0.155,
            chance_cosine: 0.03,
            diversity: 0.0,
            whole_weight: 0.5,
            sentence_penalty: 0.08,
            conversation: ConversationWeights::default(),
            late: LateWeights::default(),
            recency_days: 14.0,
            factors: Factors { relevance: 0.40, temporal: 0.20, importance: 0.25, emotional: 0.15 },
            tau_ticks: 500.0,
            bloodstain_boost: 1.2,
            thread_boost: 1.8,
            duplicate_similarity: 0.9,
        }
    }
}

impl Settings {
    /// Cosine that the best of so many searched memories must have for the arm of vectors to speak.
    #[must_use]
    pub fn least_cosine(&self, searched: usize) -> f32 {
        self.min_cosine + self.chance_cosine * (searched.max(1) as f32).ln()
    }

    /// Refuses settings that no ranking can be made with.
    pub fn check(&self) -> Result<()> {
        let numbers = [
            ("dense", self.weights.dense),
            ("lexical", self.weights.lexical),
            ("recency", self.weights.recency),
            ("rare_weight", self.rare_weight),
            ("graph_weight", self.graph_weight),
            ("rrf_k", self.rrf_k),
            ("bm25_k1", self.bm25.k1),
            ("bm25_b", self.bm25.b),
            ("chance_cosine", self.chance_cosine),
            ("diversity", self.diversity),
            ("whole_weight", self.whole_weight),
            ("sentence_penalty", self.sentence_penalty),
            ("relevance", self.factors.relevance),
            ("temporal", self.factors.temporal),
            ("importance", self.factors.importance),
            ("emotional", self.factors.emotional),
            ("previous_question", self.conversation.previous_question),
            ("next_turn", self.conversation.next_turn),
            ("session_best", self.conversation.session_best),
            ("session_words", self.conversation.session_words),
            ("speaker", self.conversation.speaker),
            ("role", self.conversation.role),
            ("late", self.late.weight),
            ("beside", self.late.beside),
            ("window", self.late.window),
            ("chance", self.late.chance),
            ("date", self.conversation.date),
            ("time", self.conversation.time),
            ("question_penalty", self.conversation.question_penalty),
            ("duplicate_similarity", self.duplicate_similarity),
        ];
        for (name, number) in numbers {
            if !number.is_finite() || number < 0.0 {
                return Err(Error::invalid(format!("{name} is {number}"), "It must be a number from 0 on"));
            }
        }
        for (name, number) in [
            ("recency_days", f64::from(self.recency_days)),
            ("tau_ticks", self.tau_ticks),
            ("half_at", f64::from(self.late.half_at)),
        ] {
            if !number.is_finite() || number <= 0.0 {
                return Err(Error::invalid(format!("{name} is {number}"), "It must be a number above 0"));
            }
        }
        if !(-1.0..=1.0).contains(&self.min_cosine) {
            return Err(Error::invalid(
                format!("min_cosine is {}", self.min_cosine),
                "A cosine is from -1 to 1",
            ));
        }
        if self.diversity > 1.0 {
            return Err(Error::invalid(
                format!("diversity is {}", self.diversity),
                "It is a number from 0 (by score alone) to 1 (as unlike as can be)",
            ));
        }
        if self.depth == 0 || self.rrf_depth == 0 {
            return Err(Error::invalid(
                "a candidate list of 0",
                "Let every arm bring at least one candidate",
            ));
        }
        Ok(())
    }
}
