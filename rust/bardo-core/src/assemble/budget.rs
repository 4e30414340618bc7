//! Keeping a prompt within its budget. Blocks are fitted to their shares, spare tokens go to those that were cut, and a
//! prompt that is larger than its window is fitted again with less.

use super::Tokenizer;
use super::block::{Block, Content};
use super::fit_block::{BlockFitter, FittedBlock, Plan};
use super::request::Request;
use super::shares::shares;
use crate::{Error, Result};

/// Attempts to land within the window with a tokenizer whose parts do not add up to their whole.
const ATTEMPTS: usize = 8;
/// Spare tokens offered at most to a block of memories that got none, before others get more.
const FIRST_OFFER: usize = 128;
/// Tokens by which that offer grows until a memory fits, so that the others are left as much as can be.
const OFFER_STEP: usize = 8;

/// The text of a prompt within its window.
pub(super) struct BudgetedText {
    pub text: String,
    /// Tokens of the text, never more than the window.
    pub tokens: usize,
    /// Tokens the prompt was allowed: the budget of the phase without the reserve.
    pub window: usize,
    /// Tokens that each block was allowed, by its index.
    pub given: Vec<usize>,
    /// The blocks, in the order in which they stand.
    pub parts: Vec<FittedBlock>,
}

/// Fits all blocks into the budget, in the order `stand`. Protected blocks are there whole, or the call fails with
/// [`Error::BudgetTooSmall`].
pub(super) fn fit_to_budget(
    blocks: &[Block],
    fitters: &mut [BlockFitter<'_>],
    stand: &[usize],
    request: &Request,
) -> Result<BudgetedText> {
    let most = request.prompt_limit();
    let needs: Vec<Option<usize>> = blocks
        .iter()
        .zip(&mut *fitters)
        .map(|(block, fitter)| block.protected.then(|| fitter.need()).transpose())
        .collect::<Result<_>>()?;
    let needed: usize = needs.iter().flatten().sum();
    if needed.max(1) > most {
        return Err(too_small(blocks, &needs, needed, request));
    }
    let thrifty =
        ((request.budget as f64 * request.phase.factor()) as usize).saturating_sub(request.answer_reserve());
    let window = thrifty.max(needed).min(most);
    let mut target = window;
    for _ in 0..ATTEMPTS {
        let shares = shares(blocks, &needs, target, request.task_type);
        let (given, fitted) = allocate(blocks, fitters, &shares, &needs, target)?;
        let (text, tokens, parts) = join(fitted, stand, request.tokenizer);
        if tokens <= window {
            return Ok(BudgetedText { text, tokens, window, given, parts });
        }
        // Only with a tokenizer whose parts do not add up: the next attempt leaves out what this one had too much.
        target = target.saturating_sub(tokens - window).max(needed);
    }
    Err(too_small(blocks, &needs, needed + 1, request))
}

/// The text, its tokens, and its parts in the order in which they stand.
fn join(
    mut fitted: Vec<FittedBlock>,
    stand: &[usize],
    tokenizer: Tokenizer,
) -> (String, usize, Vec<FittedBlock>) {
    let mut text = String::with_capacity(fitted.iter().map(|part| part.text.len()).sum());
    let (mut tokens, mut exact) = (0, tokenizer.is_additive());
    let mut parts = Vec::with_capacity(fitted.len());
    for index in stand {
        let part = std::mem::take(&mut fitted[*index]);
        exact &= Tokenizer::joins(&text, &part.text);
        text.push_str(&part.text);
        tokens += part.tokens;
        parts.push(part);
    }
    if !exact {
        tokens = tokenizer.count(&text);
    }
    debug_assert_eq!(tokens, tokenizer.count(&text), "the parts do not add up to the prompt");
    (text, tokens, parts)
}

/// Fits every block: up to its share first, then with spare tokens, both by priority.
fn allocate(
    blocks: &[Block],
    fitters: &mut [BlockFitter<'_>],
    shares: &[usize],
    needs: &[Option<usize>],
    window: usize,
) -> Result<(Vec<usize>, Vec<FittedBlock>)> {
    let mut by_priority: Vec<usize> = (0..blocks.len()).collect();
    by_priority.sort_by_key(|index| (needs[*index].is_none(), std::cmp::Reverse(blocks[*index].priority)));
    let mut left = window;
    let mut plans = vec![Plan { used: 0, cut: false }; blocks.len()];
    let mut given = vec![0; blocks.len()];
    for &index in &by_priority {
        given[index] = shares[index].min(left);
        plans[index] = fitters[index].plan(given[index])?;
        let has_nothing = plans[index].cut && plans[index].used == 0;
        if has_nothing && matches!(blocks[index].content, Content::Memories(_)) {
            for more in (OFFER_STEP..=FIRST_OFFER).step_by(OFFER_STEP) {
                plans[index] = fitters[index].plan((given[index] + more).min(left))?;
                if plans[index].used > 0 || given[index] + more >= left {
                    break;
                }
            }
            given[index] = given[index].max(plans[index].used);
        }
        left -= plans[index].used;
    }
    let mut fitted = vec![FittedBlock::default(); blocks.len()];
    for &index in &by_priority {
        let mut limit = plans[index].used;
        if plans[index].cut {
            limit += left;
            left = 0;
            given[index] = limit;
        }
        fitted[index] = fitters[index].fit(limit)?;
        left += limit - fitted[index].tokens;
    }
    Ok((given, fitted))
}

fn too_small(blocks: &[Block], needs: &[Option<usize>], needed: usize, request: &Request) -> Error {
    let named: Vec<String> = blocks
        .iter()
        .zip(needs)
        .filter_map(|(block, need)| {
            need.filter(|need| *need > 0).map(|need| format!("{} ({need})", block.name))
        })
        .collect();
    let budget = request.budget_for(needed.max(1));
    let reserve = Request { budget, ..*request }.answer_reserve();
    Error::BudgetTooSmall {
        budget: request.budget,
        needed: budget,
        what: if named.is_empty() {
            format!("a prompt with {reserve} kept for the answer")
        } else {
            format!("{} with {reserve} kept for the answer", named.join(" and "))
        },
    }
}
