//! Compression drops the predictable words of a text: the rest is in the original order, and says more per token.
//!
//! Predictable is what has little self-information under a [`WordModel`] of the agent's own text (Li et al. 2023,
//! "Selective Context"). With a question, words of sentences that share its terms count for more (Jiang et al. 2024,
//! "`LongLLMLingua`", ranks by what the question makes of a passage).

use std::collections::{BTreeMap, BTreeSet};

use super::Tokenizer;
use super::bigram_model::WordModel;
use super::protected_words::{Chunk, chunks};
use crate::index::lexical::{Analyzer, TermKind};
use crate::text::stop_words::is_stop_word;
use crate::{Error, Result};

/// Least part of a text that is kept: less is no longer the text.
pub const LEAST_KEPT: f64 = 0.2;
/// Largest part that is worth a compression.
pub const MOST_KEPT: f64 = 0.8;
/// Least part of the text looked at that a prompt keeps: below it, cutting the end off first keeps more of what a
/// question needs (measured on LoCoMo: docs/concepts/prompts.md).
const WORTH_FROM: f64 = 0.5;
/// Weight of a word in a sentence that shares nothing with the question.
const WITHOUT_QUESTION: f64 = 0.15;
/// Part of its relevance that a sentence hands to the ones beside it: answers stand next to questions.
const NEIGHBOURS: f64 = 0.5;
/// Weight of a function word beside a content word; in languages without a list, the model decides.
const GRAMMAR: f64 = 0.3;
/// Attempts to land on the target; each one corrects by what the last one missed.
const ATTEMPTS: usize = 8;

/// Stands at the end of a text whose predictable words were left out.
pub const CONDENSED: &str = " […condensed]";

/// Input of condensing.
#[derive(Clone, Copy, Debug)]
pub struct Condenser<'a> {
    /// Model of predictable words.
    pub model: &'a WordModel,
    /// Question that the prompt answers; may be empty.
    pub question: &'a str,
}

impl Condenser<'_> {
    /// The beginning of a text that has a chance to fit in some tokens, without its predictable words; and which part
    /// of the tokens it looked at that is. `None` if nothing can go.
    #[must_use]
    pub fn condense(&self, text: &str, limit: usize, tokenizer: Tokenizer) -> Option<(String, f64)> {
        let seen = &text[..tokenizer.prefix(text, (limit as f64 / WORTH_FROM) as usize)];
        let before = tokenizer.count(seen).max(1);
        let share = (limit as f64 / before as f64).clamp(LEAST_KEPT, MOST_KEPT);
        let short = compress(seen, self.question, share, self.model, tokenizer).ok()?;
        (short.tokens < before).then(|| (short.text, short.tokens as f64 / before as f64))
    }
}

/// A text with its predictable words left out.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressedText {
    /// Remaining text, in the original order.
    pub text: String,
    /// Tokens of it.
    pub tokens: usize,
    /// Tokens of the whole.
    pub before: usize,
}

/// Drops the predictable words of a text until about `share` of its tokens is left.
///
/// Never drops numbers, names, negations, URLs or code, nor text in scripts without spaces or cases, nor a word so long
/// that less than [`LEAST_KEPT`] would be left, and so may keep more than asked for. Never returns more tokens than the
/// text has.
///
/// # Errors
/// [`Error::InvalidInput`]: `share` is not between [`LEAST_KEPT`] and [`MOST_KEPT`].
pub fn compress(
    text: &str,
    question: &str,
    share: f64,
    model: &WordModel,
    tokenizer: Tokenizer,
) -> Result<CompressedText> {
    if !(LEAST_KEPT..=MOST_KEPT).contains(&share) {
        return Err(Error::invalid(
            format!("a text cannot be compressed to {share} of it"),
            format!("Use a share from {LEAST_KEPT} to {MOST_KEPT}"),
        ));
    }
    let before = tokenizer.count(text);
    let target = (before as f64 * share) as usize;
    // Tokens that may be dropped beyond the target.
    let beyond = target as f64 - before as f64 * LEAST_KEPT;
    let (head, chunks) = chunks(text, model);
    let order = by_score(text, question, &chunks, model);
    let mut dropped = vec![false; chunks.len()];
    let whole = CompressedText { text: text.to_owned(), tokens: before, before };
    let mut best = whole;
    let (mut count, mut short) = (0, before.saturating_sub(target) as f64);
    // A dropped word takes its tokens along; joining the rest may cost or save one, so the sum is corrected by counting.
    for _ in 0..ATTEMPTS {
        let start = count;
        while count < order.len() && short > 0.0 {
            let tokens = tokenizer.count(chunks[order[count]].word) as f64;
            if tokens <= (short + beyond).max(1.0) {
                short -= tokens;
                dropped[order[count]] = true;
            }
            count += 1;
        }
        if count == start {
            break;
        }
        let left = join(head, &chunks, &dropped);
        let tokens = tokenizer.count(&left);
        if tokens < best.tokens {
            best = CompressedText { text: left, tokens, before };
        }
        short = tokens as f64 - target as f64;
    }
    Ok(best)
}

/// The chunks that may be dropped, the most predictable first.
fn by_score(text: &str, question: &str, chunks: &[Chunk<'_>], model: &WordModel) -> Vec<usize> {
    let surprise = model.surprise(text);
    let relevance = relevance(question, chunks);
    let mut scores: Vec<(f64, usize)> = chunks
        .iter()
        .enumerate()
        .filter(|(_, chunk)| !chunk.protected)
        .map(|(index, chunk)| {
            let word = chunk.word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase();
            let kind = if word.is_empty() || is_stop_word(&word.replace('’', "'")) { GRAMMAR } else { 1.0 };
            let bits = surprise.get(index).copied().unwrap_or_default();
            (bits * kind * relevance.get(chunk.sentence).copied().unwrap_or(1.0), index)
        })
        .collect();
    // Of equals the later one goes first: the beginning of a text introduces what it is about.
    scores.sort_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1)));
    scores.into_iter().map(|(_, index)| index).collect()
}

/// Weight of the words of each sentence: 1 without a question, else from [`WITHOUT_QUESTION`] to 1 by the rarity of
/// the terms of the question that the sentence or one beside it shares.
fn relevance(question: &str, chunks: &[Chunk<'_>]) -> Vec<f64> {
    let sentences = chunks.last().map_or(0, |last| last.sentence + 1);
    let mut analyzer = Analyzer::default();
    let asked = terms(&mut analyzer, question);
    if asked.is_empty() {
        return vec![1.0; sentences];
    }
    let mut shared: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); sentences];
    let mut spread: BTreeMap<&str, usize> = BTreeMap::new();
    for chunk in chunks {
        for term in terms(&mut analyzer, chunk.word) {
            if let Some(known) = asked.get(&term)
                && shared[chunk.sentence].insert(known)
            {
                *spread.entry(known).or_default() += 1;
            }
        }
    }
    let weight =
        |term: &str| (1.0 + sentences as f64 / (1.0 + spread.get(term).copied().unwrap_or(0) as f64)).ln();
    let own: Vec<f64> = shared.iter().map(|terms| terms.iter().map(|term| weight(term)).sum()).collect();
    let handed =
        |index: Option<usize>| index.and_then(|index| own.get(index)).map_or(0.0, |sum| sum * NEIGHBOURS);
    let near: Vec<f64> = (0..sentences)
        .map(|index| own[index].max(handed(index.checked_sub(1))).max(handed(Some(index + 1))))
        .collect();
    let most = near.iter().copied().fold(0.0, f64::max);
    if most == 0.0 {
        return vec![1.0; sentences];
    }
    near.iter().map(|sum| WITHOUT_QUESTION + (1.0 - WITHOUT_QUESTION) * sum / most).collect()
}

fn terms(analyzer: &mut Analyzer, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    analyzer.terms(text, &mut |term, kind| {
        if kind != TermKind::Stop {
            found.insert(term.to_owned());
        }
    });
    found
}

/// Joins the chunks that were not dropped. Lines stay lines, unless all of a line was dropped.
fn join(head: &str, chunks: &[Chunk<'_>], dropped: &[bool]) -> String {
    let mut text = String::from(head);
    for (chunk, dropped) in chunks.iter().zip(dropped) {
        if !dropped {
            text.push_str(chunk.word);
            text.push_str(chunk.space);
        } else if chunk.space.contains('\n') && !text.ends_with('\n') && !text.is_empty() {
            text.truncate(text.trim_end_matches([' ', '\t']).len());
            text.push('\n');
        }
    }
    text
}
