//! Seats for dangers: a warning that fits the query reaches the first five, however little it is believed.
//!
//! Trust and hearsay place an inherited warning behind the agent's own records of the same subject. These discounts say
//! how much it is believed; they must not decide whether a danger is shown. A danger takes a seat at like relevance
//! only, and none where the agent's own evidence speaks against it. The simulation seats dangers by the same rules.

use std::collections::{HashMap, HashSet};

use super::arms::{Arms, Scratch};
use super::candidate::ScoredCandidate;
use super::current_first::corrections_of;
use super::rule_seats::seats_of;
use crate::index::hot::{HotSet, Row, Symbol};
use crate::index::lexical::{Analyzer, Slot, TermKind};
use crate::model::{FactStatus, Id};

/// Least relevance of a danger that takes a seat, 0 to 1: one standard deviation of the candidates behind the best.
pub const LEAST_RELEVANCE: f32 = 0.6;
/// Least cosine of a query and a danger that names none of its subjects.
const LEAST_COSINE: f32 = 0.5;
/// Least share of the query's words, by their idf, that such a danger holds where no vector says more, and their number.
const LEAST_SHARE: f32 = 0.5;
const LEAST_WORDS: usize = 2;

/// How a danger fits a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Relevance from 0 to 1, before trust and hearsay.
    pub relevance: f32,
    /// Whether the query is about its subject or nearly says it.
    pub is_met: bool,
    /// Whether the agent's own evidence speaks against it.
    pub is_refuted: bool,
}

impl Fit {
    /// Whether the danger takes a seat.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.is_met && !self.is_refuted && self.relevance >= LEAST_RELEVANCE
    }
}

/// The dangers that take a seat, the highest score without trust and hearsay first.
pub fn choose<T>(dangers: impl IntoIterator<Item = (T, Fit, f32)>, seats: usize) -> Vec<T> {
    let mut due: Vec<(T, f32)> = dangers
        .into_iter()
        .filter(|(_, fit, _)| fit.is_due())
        .map(|(danger, _, score)| (danger, score))
        .collect();
    // Stable: of equal ones the first.
    due.sort_by(|one, two| two.1.total_cmp(&one.1));
    due.truncate(seats);
    due.into_iter().map(|(danger, _)| danger).collect()
}

/// Dangers in force that the query is about, without those that the caller gives no seat.
pub(super) fn met(arms: &Arms<'_>, unseated: &[Id], scratch: &mut Scratch) -> Vec<Slot> {
    let Scratch { allowed, words, analyzer, .. } = scratch;
    let mut named: HashMap<Symbol, bool> = HashMap::new();
    let mut is_named = |subject: Symbol| {
        *named.entry(subject).or_insert_with(|| names(arms, arms.hot.names().name(subject), analyzer))
    };
    let mut is_met = |slot: Slot| {
        let Some(row) = arms.hot.row(slot).filter(|row| is_in_force(row)) else { return false };
        let shares_a_word = words[slot as usize] > 0.0;
        arms.approximate(slot).is_some_and(|(_, cosine)| cosine >= LEAST_COSINE)
            || shares_a_word && (shares_words(arms, slot) || row.subjects.iter().any(|each| is_named(*each)))
    };
    let unseated: HashSet<Slot> = unseated.iter().filter_map(|id| arms.hot.slot(id)).collect();
    let may_sit = |slot: Slot| allowed[slot as usize] && !unseated.contains(&slot);
    arms.hot.dangers().iter().copied().filter(|slot| may_sit(*slot) && is_met(*slot)).collect()
}

fn is_in_force(row: &Row) -> bool {
    row.fact.as_ref().is_some_and(|fact| fact.status == FactStatus::Active)
}

/// Whether a query holds all words of a subject.
fn names(arms: &Arms<'_>, subject: &str, analyzer: &mut Analyzer) -> bool {
    let (mut some, mut all) = (false, true);
    analyzer.terms(subject, &mut |stem, kind| {
        if kind != TermKind::Stop {
            some = true;
            all &= arms.terms.iter().any(|term| *term.text == *stem);
        }
    });
    some && all
}

/// The dangers among the scored candidates that take a seat.
pub(super) fn of<'all, 'ranked>(
    hot: &HotSet,
    ranked: &'all [ScoredCandidate<'ranked>],
    met: &[Slot],
    as_of: Option<u64>,
    limit: usize,
) -> Vec<&'all ScoredCandidate<'ranked>> {
    let found = met.iter().filter_map(|slot| ranked.iter().find(|one| one.candidate.slot == *slot));
    let fit = |one: &ScoredCandidate<'_>| Fit {
        relevance: one.relevance,
        is_met: true,
        is_refuted: is_refuted(hot, one.row, as_of),
    };
    choose(found.map(|one| (one, fit(one), one.parts.undiscounted())), seats_of(limit))
}

/// Whether a memory of the agent's own replaces, denies or disputes a danger.
fn is_refuted(hot: &HotSet, danger: &Row, as_of: Option<u64>) -> bool {
    corrections_of(hot, &danger.id, as_of)
        .iter()
        .any(|correction| hot.find(&correction.by).is_some_and(|row| !row.source.is_of_others()))
}

/// Whether a danger holds half of the query's words.
fn shares_words(arms: &Arms<'_>, slot: Slot) -> bool {
    let total: f32 = arms.terms.iter().map(|term| term.idf).sum();
    let (count, held) = arms
        .hot
        .lexical()
        .matched(slot, &arms.terms)
        .fold((0, 0.0), |(count, held), term| (count + 1, held + term.idf));
    count >= LEAST_WORDS && held >= LEAST_SHARE * total
}
