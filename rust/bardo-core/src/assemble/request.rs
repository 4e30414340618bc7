//! Request of a prompt: its budget, the tokens kept for the answer, and how it is put together.

use super::Tokenizer;
use super::framing::Voice;
use super::shares::{Phase, TaskType};

/// Tokens kept for the answer by default.
const RESERVE: usize = 500;
/// The answer is never kept more than one part of so many of the budget by default.
const PARTS_OF_BUDGET: usize = 4;

/// How a prompt is to be put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Tokens of the prompt and of the answer together.
    pub budget: usize,
    /// Tokens kept for the answer; `None` keeps [`RESERVE`], and of a small budget a quarter.
    pub reserve: Option<usize>,
    /// Tokenizer that counts.
    pub tokenizer: Tokenizer,
    /// How much of the budget is spent.
    pub phase: Phase,
    /// Which block is favoured.
    pub task_type: Option<TaskType>,
    /// Voice of the memories.
    pub voice: Voice,
}

impl Request {
    /// Tokens kept for the answer.
    #[must_use]
    pub fn answer_reserve(&self) -> usize {
        self.reserve.unwrap_or_else(|| RESERVE.min(self.budget / PARTS_OF_BUDGET))
    }

    /// Tokens of the prompt at most.
    pub(super) fn prompt_limit(&self) -> usize {
        self.budget.saturating_sub(self.answer_reserve())
    }

    /// The smallest budget whose prompt has room for some tokens.
    pub(super) fn budget_for(&self, tokens: usize) -> usize {
        self.reserve.map_or_else(
            || {
                let shared = tokens.saturating_sub(1) * PARTS_OF_BUDGET / (PARTS_OF_BUDGET - 1) + 1;
                if shared / PARTS_OF_BUDGET <= RESERVE { shared } else { tokens + RESERVE }
            },
            |reserve| tokens + reserve,
        )
    }
}
