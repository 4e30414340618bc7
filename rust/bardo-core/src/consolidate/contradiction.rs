//! In which way a newer statement speaks against an older one (issue SLOW MEMORY: the five shapes), told from the words
//! alone. It is precise rather than greedy: what is not surely about the same thing is no contradiction, since lowering
//! what is true costs more than keeping both.

use std::collections::{BTreeSet, HashSet};

use super::phrases::{self, Mark};
use super::statement::Statement;
use crate::index::sense::opposites;

/// How a newer statement speaks against an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
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

/// What a newer statement says about an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// In which way.
    pub shape: Shape,
    /// Whether the newer one says by itself that something changed ("now", "no longer", "moved to"): it speaks of a later
    /// time, so that both were true. Without, one of the two is wrong.
    pub is_change: bool,
}

/// Part of the older statement's words of content that the newer one must share.
const SAME_FRAME: f64 = 0.7;
/// The same where the newer one says that something changed: the old value is among the words that it does not share.
const CHANGED_FRAME: f64 = 0.5;
/// The same for what takes a statement back, which may leave out details.
const RETRACTED_FRAME: f64 = 0.6;
/// Words of content that a value has at most.
const VALUE_WORDS: usize = 3;

/// How `newer` speaks against `older`; `None` if it does not, as far as the words tell.
#[must_use]
pub fn contradiction(older: &str, newer: &str) -> Option<Contradiction> {
    let [old, new] = [older, newer].map(Statement::read);
    if old.is_unsure || new.is_unsure || old.content.is_empty() || !old.has_same_subject(&new) {
        return None;
    }
    let shared = old.content.intersection(&new.content).count();
    let frame = shared as f64 / old.content.len() as f64;
    let gone: BTreeSet<&str> = old.content.difference(&new.content).map(String::as_str).collect();
    let came: BTreeSet<&str> = new.content.difference(&old.content).map(String::as_str).collect();
    let fresh = |mark: Mark| new.marks.contains(&mark) && !old.marks.contains(&mark);

    let (shape, is_change) = if fresh(Mark::Retraction) && frame >= RETRACTED_FRAME {
        let value = new.figures.iter().any(|figure| !old.figures.contains(figure))
            || came.iter().any(|word| new.names.contains(*word));
        (if value { Shape::Replacement } else { Shape::Retraction }, true)
    } else if fresh(Mark::Exception) && frame >= SAME_FRAME && old.says_the_same_figures(&new) {
        (Shape::Partial, false)
    } else if fresh(Mark::Bound) && frame >= SAME_FRAME && !fresh(Mark::Update) {
        (Shape::BoundedValidity, false)
    } else if fresh(Mark::Update) && frame >= CHANGED_FRAME && replaces(&old, &new, &gone, &came) {
        (Shape::Replacement, true)
    } else if flips(&old, &new, &gone, &came) {
        (Shape::PolarityFlip, false)
    } else if other_figure(&old, &new, &gone, &came) || other_value(&old, &new) {
        (Shape::Replacement, false)
    } else {
        return None;
    };
    Some(Contradiction { shape, is_change })
}

/// A changed value: something came, and what it took the place of is gone or was named ("from X to Y").
fn replaces(old: &Statement, new: &Statement, gone: &BTreeSet<&str>, came: &BTreeSet<&str>) -> bool {
    let figure = new.figures.iter().any(|figure| !old.figures.contains(figure));
    let value = !came.is_empty() && came.len() <= VALUE_WORDS;
    let was_named = phrases::names_the_old(&new.words);
    (figure || value)
        && (!gone.is_empty() || !old.says_the_same_figures(new) || was_named)
        && gone.len() <= VALUE_WORDS
        && new.negations <= old.negations
}

/// The same words with a no more or less, or one word and its opposite.
fn flips(old: &Statement, new: &Statement, gone: &BTreeSet<&str>, came: &BTreeSet<&str>) -> bool {
    if !old.says_the_same_figures(new) {
        return false;
    }
    let same_words = gone.is_empty() && came.is_empty();
    let negated = same_words && (old.negations % 2 != new.negations % 2);
    let one = |words: &BTreeSet<&str>| words.iter().map(|word| (*word).to_owned()).collect::<HashSet<_>>();
    // The opposites may be function words ("before", "after"): then all the rest must be in its place.
    let turned = if same_words {
        old.starts_like(new) && opposites(&old.stems, &new.stems)
    } else {
        gone.len() == 1 && came.len() == 1 && opposites(&one(gone), &one(came))
    };
    negated || (turned && old.negations % 2 == new.negations % 2)
}

/// All words alike but for one figure, which does not count or name anything.
fn other_figure(old: &Statement, new: &Statement, gone: &BTreeSet<&str>, came: &BTreeSet<&str>) -> bool {
    if !gone.is_empty()
        || !came.is_empty()
        || old.figures.len() != new.figures.len()
        || old.negations != new.negations
    {
        return false;
    }
    let differing: Vec<usize> =
        (0..old.figures.len()).filter(|&place| old.figures[place] != new.figures[place]).collect();
    matches!(differing[..], [place] if !old.is_number_of_something(place) && !new.is_number_of_something(place))
}

/// Another value of what has one value at a time: where somebody lives, what something is called.
fn other_value(old: &Statement, new: &Statement) -> bool {
    let (Some(before), Some(after)) = (old.single_value(), new.single_value()) else { return false };
    before.of == after.of
        && before.value != after.value
        && [&before, &after].iter().all(|value| (1..=VALUE_WORDS).contains(&value.value.len()))
        // "Bern" and "Bern, Switzerland" are one place; what is paid and what is refunded "in ETH" are two things.
        && before.value.is_disjoint(&after.value)
        && old.negations == 0
        && new.negations == 0
        && !new.marks.contains(&Mark::Addition)
}
