//! Starting shares of the blocks: by the table of standard blocks, by the phase of the agent's life, and by the task.

use std::str::FromStr;

use super::block::Block;
use crate::{Error, Result};

/// Tokens of the prompt that the table of standard blocks is made for, the 500 kept for the answer taken off.
pub const BASE_WINDOW: usize = 2_700;

/// Part of the window that a block with a cap of its own gets at first, at most.
const CAPPED_PART: usize = 3;

/// A phase of the agent's life: the less there is left, the less is spent on a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// All of the budget.
    #[default]
    Thriving,
    /// 80 %.
    Stable,
    /// 70 %.
    Conservation,
    /// 60 %.
    Declining,
    /// 40 %.
    Terminal,
}

impl Phase {
    /// The part of the budget that is spent.
    #[must_use]
    pub fn factor(self) -> f64 {
        match self {
            Self::Thriving => 1.0,
            Self::Stable => 0.8,
            Self::Conservation => 0.7,
            Self::Declining => 0.6,
            Self::Terminal => 0.4,
        }
    }
}

impl FromStr for Phase {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "thriving" => Ok(Self::Thriving),
            "stable" => Ok(Self::Stable),
            "conservation" => Ok(Self::Conservation),
            "declining" => Ok(Self::Declining),
            "terminal" => Ok(Self::Terminal),
            _ => Err(Error::invalid(
                format!("there is no phase {name:?}"),
                "Use thriving, stable, conservation, declining or terminal",
            )),
        }
    }
}

/// Purpose of the prompt; each favours one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskType {
    /// Something unusual happened: a third goes to episodes.
    Anomaly,
    /// Nothing unusual: a quarter goes to facts.
    Routine,
    /// A trade is weighed: a quarter goes to positions.
    TradeEvaluation,
}

impl TaskType {
    /// The tag of the favoured block, and its part of the window.
    #[must_use]
    pub fn favoured_block(self) -> (&'static str, f64) {
        match self {
            Self::Anomaly => ("past_events", 1.0 / 3.0),
            Self::Routine => ("knowledge", 0.25),
            Self::TradeEvaluation => ("positions", 0.25),
        }
    }
}

impl FromStr for TaskType {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "anomaly" => Ok(Self::Anomaly),
            "routine" => Ok(Self::Routine),
            "trade_evaluation" => Ok(Self::TradeEvaluation),
            _ => Err(Error::invalid(
                format!("there is no task type {name:?}"),
                "Use anomaly, routine or trade_evaluation, or none",
            )),
        }
    }
}

/// The tokens each block is given at first. `needs` holds those of the protected blocks, in the place of each.
///
/// Shares of the table grow and shrink with the window; a cap of the caller's own stays as it is, up to a third of the
/// window, so that in a small one it leaves room for what was recalled. A favoured block is
/// sure of its part: if the shares do not all fit, the others shrink for it.
pub(super) fn shares(
    blocks: &[Block],
    needs: &[Option<usize>],
    window: usize,
    task_type: Option<TaskType>,
) -> Vec<usize> {
    let scale = window as f64 / BASE_WINDOW as f64;
    let mut shares: Vec<usize> = blocks
        .iter()
        .zip(needs)
        .map(|(block, need)| match (need, block.cap) {
            (Some(need), _) => *need,
            (None, Some(cap)) => cap.min(window / CAPPED_PART),
            (None, None) => (block.base_tokens() as f64 * scale) as usize,
        })
        .collect();
    let Some((tag, part)) = task_type.map(TaskType::favoured_block) else { return shares };
    let Some(favoured) = blocks.iter().position(|block| block.tag == tag && !block.protected) else {
        return shares;
    };
    let taken: usize = needs.iter().flatten().sum();
    let free = window.saturating_sub(taken);
    shares[favoured] = shares[favoured].max((window as f64 * part) as usize).min(free);
    let others: usize =
        (0..blocks.len()).filter(|i| *i != favoured && needs[*i].is_none()).map(|i| shares[i]).sum();
    let left = free - shares[favoured];
    if others > left {
        for index in (0..blocks.len()).filter(|index| *index != favoured && needs[*index].is_none()) {
            shares[index] = shares[index] * left / others;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::super::block::{Content, standard_blocks};
    use super::*;

    fn blocks() -> Vec<Block> {
        standard_blocks().iter().map(|standard| Block::new(standard.tag, Content::Text("x".into()))).collect()
    }

    fn share_of(tag: &str, window: usize, task_type: Option<TaskType>) -> usize {
        let blocks = blocks();
        let needs: Vec<_> = blocks.iter().map(|block| block.protected.then_some(300)).collect();
        let shares = shares(&blocks, &needs, window, task_type);
        blocks.iter().zip(shares).find(|(block, _)| block.tag == tag).unwrap().1
    }

    #[test]
    fn the_base_window_has_the_shares_of_the_table_and_a_larger_one_more() {
        assert_eq!(share_of("past_events", BASE_WINDOW, None), 800);
        assert_eq!(share_of("past_events", 2 * BASE_WINDOW, None), 1_600);
    }

    #[test]
    fn a_task_gives_its_block_the_part_of_the_spec_and_the_rest_fits_beside_it() {
        assert_eq!(share_of("past_events", BASE_WINDOW, Some(TaskType::Anomaly)), 900);
        assert_eq!(share_of("knowledge", BASE_WINDOW, Some(TaskType::Routine)), 675);
        assert_eq!(share_of("positions", BASE_WINDOW, Some(TaskType::TradeEvaluation)), 675);
        let blocks = blocks();
        let needs: Vec<_> = blocks.iter().map(|block| block.protected.then_some(600)).collect();
        assert!(
            shares(&blocks, &needs, BASE_WINDOW, Some(TaskType::Routine)).iter().sum::<usize>()
                <= BASE_WINDOW
        );
    }

    #[test]
    fn a_cap_of_the_callers_own_is_taken_as_it_is() {
        let mut block = Block::new("notes", Content::Text("x".into()));
        block.cap = Some(77);
        assert_eq!(shares(&[block], &[None], 10 * BASE_WINDOW, None), [77]);
    }
}
