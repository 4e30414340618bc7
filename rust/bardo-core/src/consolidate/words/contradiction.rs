//! In which way a newer statement speaks against an older one (issue SLOW MEMORY: the five shapes), told from the words
//! alone. It is precise rather than greedy: what is not surely about the same thing is no contradiction, since losing what
//! is true costs more than keeping both.

use std::collections::{BTreeSet, HashSet};

use super::hedge_words::without_hedges;
use super::phrases::Mark;
use super::slots::{SlotChange, slot_change, tells_one_occasion, tells_what_happened};
use super::statement::Statement;
use super::word_lists::CONDITIONS;
use crate::text::same_statement::{is_negation, opposites};

/// How a newer statement speaks against an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContradictionKind {
    /// Another value stands where the old one stood: "the port is 9090 now".
    Replacement,
    /// The same with a no, or with the opposite word: "he dislikes tea".
    PolarityFlip,
    /// It no longer holds, and nothing takes its place: "she no longer works there".
    Retraction,
    /// It holds but for some cases: "it opens daily, except on Sundays".
    Partial,
    /// It holds for a time: "the fee is 10 until Friday".
    BoundedValidity,
}

/// Relation of a newer statement to an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Way in which the newer statement speaks against the older one.
    pub shape: ContradictionKind,
    /// Whether subject, functional attribute and polarity are plain in both, so that the newer one takes the place of the
    /// older one. Else both stay, and are disputed at most.
    pub is_certain: bool,
}

/// Part of the older statement's words of content that the newer one must share.
const SAME_FRAME: f64 = 0.7;

/// Words that take back a whole statement, and no more.
const RETRACTING: &[&str] = &[
    "be", "false", "i", "is", "isn't", "it", "mistaken", "not", "out", "that", "to", "true", "turned",
    "untrue", "was", "we", "were", "wrong",
];
/// Verbs of a state of the present, which is no rule.
const STATES: &[&str] = &["am", "are", "be", "has", "have", "i'm", "is", "it's", "they're", "we're"];
/// Hedges within each other that are taken off, the bare text counted.
const HEDGES: usize = 4;

/// How `newer` speaks against `older`; `None` if it does not, as far as the words tell.
#[must_use]
pub fn contradiction(older: &str, newer: &str) -> Option<Contradiction> {
    let [old, new] = [older, newer].map(Statement::read);
    if old.is_unsure || new.is_unsure || old.content.is_empty() {
        return None;
    }
    let turned = slot_change(older, newer).map(|SlotChange { has_value, is_certain }| Contradiction {
        shape: if has_value { ContradictionKind::Replacement } else { ContradictionKind::Retraction },
        is_certain,
    });
    if turned.is_some_and(|found| found.is_certain) {
        return turned;
    }
    if is_law(&old, older) && tells_one_occasion(newer) {
        return None;
    }
    if !old.has_same_subject(&new) {
        return turned;
    }
    let shared = old.content.intersection(&new.content).count();
    let frame = shared as f64 / old.content.len() as f64;
    let fresh = |mark: Mark| new.marks.contains(&mark) && !old.marks.contains(&mark);
    // "It is not true that ...": the very words.
    if turned.is_none() && fresh(Mark::Retraction) && old.content == new.content && old.starts_like(&new) {
        let is_certain =
            new.words.iter().all(|word| old.words.contains(word) || RETRACTING.contains(&word.as_str()));
        return Some(Contradiction { shape: ContradictionKind::Retraction, is_certain });
    }
    let shape = if fresh(Mark::Exception) && frame >= SAME_FRAME && old.says_the_same_figures(&new) {
        ContradictionKind::Partial
    } else if fresh(Mark::Bound) && frame >= SAME_FRAME && !fresh(Mark::Update) && turned.is_none() {
        ContradictionKind::BoundedValidity
    } else if turned.is_none() && flips(&old, &new) && !both_happened(older, newer) {
        ContradictionKind::PolarityFlip
    } else {
        return turned;
    };
    Some(Contradiction { shape, is_certain: false })
}

/// Whether both cannot hold as they stand, as far as the words tell: also where the newer one is reported speech or
/// a guess.
#[must_use]
pub fn is_disputed(older: &str, newer: &str) -> bool {
    let against = |found: Contradiction| {
        matches!(
            found.shape,
            ContradictionKind::Replacement | ContradictionKind::Retraction | ContradictionKind::PolarityFlip
        )
    };
    // "Someone said that Ana may have left": a guess within a report.
    let texts = std::iter::successors(Some(newer.to_owned()), |text| without_hedges(text)).take(HEDGES);
    texts.into_iter().find_map(|text| contradiction(older, &text)).is_some_and(against)
}

fn both_happened(older: &str, newer: &str) -> bool {
    tells_what_happened(older) && tells_what_happened(newer)
}

/// Whether the older statement tells what holds in general: "slippage rises when the pool is thin". A state of the present
/// is no rule, unless it is the condition of one; nor is what is denied.
fn is_law(old: &Statement, older: &str) -> bool {
    let mut main_clause = old.words.iter().take_while(|word| !CONDITIONS.contains(&word.as_str()));
    let is_state = main_clause.any(|word| STATES.contains(&word.as_str()));
    old.negations == 0 && !is_state && !tells_what_happened(older)
}

/// The same words with a no more or less, or one word and its opposite in what they say of the same.
fn flips(old: &Statement, new: &Statement) -> bool {
    let gone: BTreeSet<&str> = old.content.difference(&new.content).map(String::as_str).collect();
    let came: BTreeSet<&str> = new.content.difference(&old.content).map(String::as_str).collect();
    let one = |words: &BTreeSet<&str>| words.iter().map(|word| (*word).to_owned()).collect::<HashSet<_>>();
    if old.negations % 2 != new.negations % 2 {
        // A statement and its denial in fewer words cannot both hold: "he does not drive", "he drove the van to Aachen".
        let denied = if old.negations % 2 == 1 { old } else { new };
        return old.starts_like(new)
            // "Never sell into a thin book" forbids, and says nothing of what happened.
            && ((gone.is_empty() && came.is_empty())
                || (denied.content.len() > 1 && !denied.words.first().is_some_and(|word| is_negation(word))))
            && if old.negations % 2 == 1 { gone.is_empty() } else { came.is_empty() };
    }
    if !old.figures_are_in(new) || !old.starts_like(new) {
        return false;
    }
    // The opposites may be function words ("before", "after"): then all the rest must be in its place.
    if gone.is_empty() && came.is_empty() {
        return old.says_the_same_figures(new) && opposites(&old.stems, &new.stems);
    }
    gone.len() == 1 && opposites(&one(&gone), &one(&came))
}
