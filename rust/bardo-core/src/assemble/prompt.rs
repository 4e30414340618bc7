//! The one call of this stage: blocks in, a prompt within its budget out, with a report of what got in and what did not.

use xxhash_rust::xxh3::xxh3_128;

use super::block::{Block, Content};
use super::compress::Condenser;
use super::count_cache::CountCache;
use super::fit_block::{BlockFitter, FittedBlock, Plan};
use super::framing::Profile;
use super::neutralization::Flag;
use super::shares::{Phase, Task, shares};
use super::{Tokenizer, order};
use crate::{Error, Result};

/// Attempts to land within the window with a tokenizer whose parts do not add up to their whole.
const ATTEMPTS: usize = 8;

/// Tokens kept for the answer by default.
const RESERVE: usize = 500;
/// The answer is never kept more than one part of so many of the budget by default.
const PARTS_OF_BUDGET: usize = 4;
/// Spare tokens offered to a block of memories that got none, before others get more.
const FIRST_OFFER: usize = 128;

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
    pub task: Option<Task>,
    /// Voice of the memories.
    pub profile: Profile,
}

impl Request {
    /// Tokens kept for the answer.
    #[must_use]
    pub fn answer_reserve(&self) -> usize {
        self.reserve.unwrap_or_else(|| RESERVE.min(self.budget / PARTS_OF_BUDGET))
    }

    /// The smallest budget whose prompt has room for some tokens.
    fn budget_for(&self, tokens: usize) -> usize {
        self.reserve.map_or_else(
            || {
                let shared = tokens.saturating_sub(1) * PARTS_OF_BUDGET / (PARTS_OF_BUDGET - 1) + 1;
                if shared / PARTS_OF_BUDGET <= RESERVE { shared } else { tokens + RESERVE }
            },
            |reserve| tokens + reserve,
        )
    }
}

/// A prompt that holds its budget.
#[derive(Clone, Debug, PartialEq)]
pub struct AssembledPrompt {
    /// The whole prompt.
    pub text: String,
    /// Tokens of the whole prompt, tags included.
    pub tokens: usize,
    /// Tokens the prompt was allowed: the budget of the phase without the reserve.
    pub window: usize,
    /// Tokens kept for the answer.
    pub reserve: usize,
    /// The blocks, in the order in which they stand, also those that did not get in.
    pub parts: Vec<Part>,
    /// The same prompt has the same name: hash of the text, 32 hexadecimal digits.
    pub id: String,
}

/// Result of one block.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Name of the block.
    pub name: String,
    /// Its part of the prompt, tags included; empty if it is not there.
    pub text: String,
    /// Tokens of that part.
    pub used: usize,
    /// Tokens of all its content; at least this many if it was cut, since what cannot fit is not counted to the end.
    pub asked: usize,
    /// Tokens it was allowed.
    pub given: usize,
    /// Whether any of its content is not there.
    pub cut: bool,
    /// Indexes of the memories or rows that got in, in the order in which they stand.
    pub shown: Vec<usize>,
    /// Indexes of the memories that got in shortened.
    pub shortened: Vec<usize>,
    /// Number of memories or rows that did not get in.
    pub left_out: usize,
    /// Suspicious content that was found and defused.
    pub flags: Vec<Flag>,
    /// Part of the tokens that is left of a text that was condensed; `None` if it was not.
    pub condensed: Option<f64>,
}

/// Puts a prompt together. Its tokens, tags and separators included, never exceed the budget without the reserve.
///
/// Protected blocks are there whole, or the call fails with [`Error::BudgetTooSmall`]. The others are filled by priority
/// up to their shares; spare tokens go to the blocks that were cut, by priority.
pub fn assemble(blocks: &[Block], request: &Request) -> Result<AssembledPrompt> {
    assemble_condensed(blocks, request, None)
}

/// As [`assemble`]; blocks that ask for it lose their predictable words before their ends.
pub fn assemble_condensed(
    blocks: &[Block],
    request: &Request,
    condenser: Option<Condenser<'_>>,
) -> Result<AssembledPrompt> {
    check(blocks)?;
    let reserve = request.answer_reserve();
    let most = request.budget.saturating_sub(reserve);
    let stand = order::blocks(blocks);
    let tags: Vec<&str> = blocks.iter().map(|block| block.tag.as_str()).collect();
    let first_memories = stand
        .iter()
        .copied()
        .find(|at| matches!(&blocks[*at].content, Content::Memories(list) if list.count() > 0));
    let counts = CountCache::new(request.tokenizer);
    let mut fitters = blocks
        .iter()
        .enumerate()
        .map(|(index, block)| {
            let rules = Some(index) == first_memories;
            let condenser = condenser.filter(|_| block.condense);
            BlockFitter::new(block, request.profile, rules, &tags, most, &counts, condenser)
        })
        .collect::<Result<Vec<_>>>()?;
    let needs: Vec<Option<usize>> = blocks
        .iter()
        .zip(&mut fitters)
        .map(|(block, fitter)| block.protected.then(|| fitter.need()).transpose())
        .collect::<Result<_>>()?;
    let needed: usize = needs.iter().flatten().sum();
    if needed.max(1) > most {
        return Err(too_small(blocks, &needs, needed, request));
    }
    let thrifty = ((request.budget as f64 * request.phase.factor()) as usize).saturating_sub(reserve);
    let window = thrifty.max(needed).min(most);
    let mut target = window;
    for _ in 0..ATTEMPTS {
        let shares = shares(blocks, &needs, target, request.task);
        let (given, fitted) = allocate(blocks, &mut fitters, &shares, &needs, target)?;
        let (text, tokens, fitted) = join(fitted, &stand, request.tokenizer);
        if tokens <= window {
            let id = format!("{:032x}", xxh3_128(text.as_bytes()));
            let parts = stand.iter().zip(fitted);
            let parts =
                parts.map(|(index, part)| report(&blocks[*index], &fitters[*index], given[*index], part));
            return Ok(AssembledPrompt { text, tokens, window, reserve, parts: parts.collect(), id });
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
        left -= plans[index].used;
    }
    for &index in &by_priority {
        let has_nothing = plans[index].cut && plans[index].used == 0;
        if has_nothing && matches!(blocks[index].content, Content::Memories(_)) {
            let offer = (given[index] + FIRST_OFFER).min(left);
            plans[index] = fitters[index].plan(offer)?;
            given[index] = given[index].max(plans[index].used);
            left -= plans[index].used;
        }
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

fn report(block: &Block, fitter: &BlockFitter<'_>, given: usize, part: FittedBlock) -> Part {
    let total = block.content.count();
    Part {
        name: block.name.clone(),
        used: part.tokens,
        asked: if fitter.is_empty() { 0 } else { fitter.asked() },
        given,
        cut: part.cut,
        left_out: total - part.shown.len(),
        shown: part.shown,
        shortened: part.shortened,
        condensed: part.condensed,
        flags: part.flags.into_iter().collect(),
        text: part.text,
    }
}

fn check(blocks: &[Block]) -> Result<()> {
    for (index, block) in blocks.iter().enumerate() {
        block.check()?;
        if blocks[..index].iter().any(|other| other.name == block.name) {
            return Err(Error::invalid(
                format!("two blocks are named {:?}", block.name),
                "Give each block of a prompt a name of its own",
            ));
        }
        if block.protected && !matches!(block.content, Content::Text(_)) {
            return Err(Error::invalid(
                format!("block {:?} is protected and holds memories or rows", block.name),
                "Only text can be protected from cutting; memories and rows are cut one by one",
            ));
        }
    }
    Ok(())
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
