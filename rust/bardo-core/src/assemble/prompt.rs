//! The one call of this stage: blocks in, a prompt within its budget out, with a report of what got in and what did not.

use xxhash_rust::xxh3::xxh3_128;

use super::block::{Block, Content};
use super::budget::{BudgetedText, fit_to_budget};
use super::compress::Condenser;
use super::count_cache::CountCache;
use super::fit_block::{BlockFitter, FittedBlock};
use super::neutralization::Flag;
use super::order;
use super::request::Request;
use crate::{Error, Result};

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
    pub blocks: Vec<BlockReport>,
    /// The same prompt has the same name: hash of the text, 32 hexadecimal digits.
    pub id: String,
}

/// Result of one block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockReport {
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
    pub places: Vec<usize>,
    /// Indexes of the memories that got in shortened.
    pub shortened_places: Vec<usize>,
    /// Number of memories or rows that did not get in.
    pub left_out: usize,
    /// Suspicious content that was found and defused.
    pub flags: Vec<Flag>,
    /// Part of the tokens that is left of a text that was condensed; `None` if it was not.
    pub condensed: Option<f64>,
}

/// Puts a prompt together. Its tokens, tags and separators included, never exceed the budget without the reserve.
///
/// Protected blocks are there whole, or the call fails with [`Error::BudgetTooSmall`]. The others are fitted by priority
/// up to their shares; spare tokens go to the blocks that were cut, by priority.
pub fn assemble(blocks: &[Block], request: &Request) -> Result<AssembledPrompt> {
    assemble_condensed(blocks, request, None)
}

/// Assembles a prompt as [`assemble`] does; blocks that ask for it lose their predictable words before their ends.
pub fn assemble_condensed(
    blocks: &[Block],
    request: &Request,
    condenser: Option<Condenser<'_>>,
) -> Result<AssembledPrompt> {
    check(blocks)?;
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
            BlockFitter::new(block, request.voice, rules, &tags, request.prompt_limit(), &counts, condenser)
        })
        .collect::<Result<Vec<_>>>()?;
    let BudgetedText { text, tokens, window, given, parts } =
        fit_to_budget(blocks, &mut fitters, &stand, request)?;
    let id = format!("{:032x}", xxh3_128(text.as_bytes()));
    let reports = stand.iter().zip(parts);
    let reports = reports.map(|(index, part)| report(&blocks[*index], &fitters[*index], given[*index], part));
    let reserve = request.answer_reserve();
    Ok(AssembledPrompt { text, tokens, window, reserve, blocks: reports.collect(), id })
}

fn report(block: &Block, fitter: &BlockFitter<'_>, given: usize, part: FittedBlock) -> BlockReport {
    let total = block.content.count();
    BlockReport {
        name: block.name.clone(),
        used: part.tokens,
        asked: if fitter.is_empty() { 0 } else { fitter.asked() },
        given,
        cut: part.cut,
        left_out: total - part.shown.len(),
        places: part.shown,
        shortened_places: part.shortened,
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
