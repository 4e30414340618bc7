//! Shows the value in force of the attribute that a query asks about before what is merely told of it: a plan, a failed
//! attempt, an earlier value, a like attribute of another thing.
//!
//! A fact is asked for where the query names its subject and attribute. Above a record (the output of a tool, a commit, a
//! log line) about its subject it is placed for any query that names the subject: records tell of attempts in the words
//! of what holds. It passes no memory that holds a word of the query which it does not hold, since that may be the answer.

use super::arms::Arms;
use super::candidate::{ScoredCandidate, just_above};
use crate::index::hot::{Interner, NamedSlot, Symbol};
use crate::index::lexical::{Analyzer, Slot, TermKind};
use crate::model::FactStatus;

/// Name of the factor in an explanation.
pub const IN_FORCE: &str = "in_force";
/// Least share of the query's words, by their idf, that its slot holds: a query may name a slot in passing.
const LEAST_SHARE: f32 = 0.5;
/// Part of a score by which a fact is placed above the others.
const MARGIN: f32 = 1e-4;

/// Words of a query as bits, in the order of its terms.
pub(super) type Words = u64;

/// How a query names the slot of a fact.
struct SlotInQuery {
    /// Place of the fact in the ranking.
    place: usize,
    /// Words of the query that the slot has.
    words: Words,
    /// Whether the query names the attribute, too, and little else.
    is_asked: bool,
    /// Whether the fact holds in any case, or in the one that the query names.
    is_of_case: bool,
    /// Stems of the subject.
    subject: Vec<String>,
}

/// Raises facts with a value in force, and lets them represent their duplicate groups.
pub(super) fn raise(arms: &Arms<'_>, ranked: &mut [ScoredCandidate<'_>], analyzer: &mut Analyzer) {
    let mut named: Vec<SlotInQuery> =
        (0..ranked.len()).filter_map(|place| slot_in_query(arms, &ranked[place], place, analyzer)).collect();
    if named.is_empty() {
        return;
    }
    let wider = |one: &SlotInQuery| {
        named.iter().any(|other| other.is_asked && other.words != one.words && one.words & !other.words == 0)
    };
    let narrowed: Vec<bool> = named.iter().map(wider).collect();
    for (slot, is_narrowed) in named.iter_mut().zip(narrowed) {
        slot.is_asked &= !is_narrowed;
    }
    // From the least to the best: each is placed above those before it.
    let order = |slot: &SlotInQuery| (slot.is_asked, slot.is_of_case);
    named.sort_by(|one, other| {
        let scores = (ranked[one.place].score, ranked[other.place].score);
        order(one).cmp(&order(other)).then(scores.0.total_cmp(&scores.1))
    });
    let held: Vec<Words> = ranked.iter().map(|one| held(arms, one.candidate.slot)).collect();
    for slot in &named {
        let score = ranked[slot.place].score;
        let passed = |place: usize| {
            let other = &ranked[place];
            place != slot.place
                && other.score >= score
                && held[place] & !held[slot.place] == 0
                && (slot.is_asked
                    || other.row.is_record(arms.hot.names())
                        && holds_all(arms, other.candidate.slot, &slot.subject))
        };
        let best = (0..ranked.len()).filter(|place| passed(*place)).map(|place| ranked[place].score);
        let Some(best) = best.max_by(f32::total_cmp) else { continue };
        let fact = &mut ranked[slot.place];
        fact.score = just_above(best, MARGIN);
        fact.raised = Some(IN_FORCE);
    }
}

/// How the query names the slot of a candidate; none if it is no value in force, or the query does not name its subject.
fn slot_in_query(
    arms: &Arms<'_>,
    ranked: &ScoredCandidate<'_>,
    place: usize,
    analyzer: &mut Analyzer,
) -> Option<SlotInQuery> {
    let fact = ranked.row.fact.as_ref().filter(|fact| fact.status == FactStatus::Active)?;
    let NamedSlot { subject, attribute, condition } = fact.slot?;
    let names = arms.hot.names();
    let subject = stems(names, subject, analyzer);
    let of_subject = words_of(arms, &subject)?;
    let of_attribute = words_of(arms, &stems(names, attribute, analyzer));
    let condition = stems(names, condition, analyzer);
    let of_condition = words_of(arms, &condition);
    let words = of_subject | of_attribute.unwrap_or(0) | of_condition.unwrap_or(0);
    let total: f32 = arms.terms.iter().map(|term| term.idf).sum();
    let share: f32 = arms
        .terms
        .iter()
        .enumerate()
        .filter(|(bit, _)| words & mask(*bit) != 0)
        .map(|(_, term)| term.idf)
        .sum();
    let is_asked = of_attribute.is_some() && share >= LEAST_SHARE * total;
    let is_of_case = condition.is_empty() || of_condition.is_some();
    Some(SlotInQuery { place, words, is_asked, is_of_case, subject })
}

/// Stems of a name. The parts of an identifier such as `marital_status` are words of their own.
fn stems(names: &Interner, name: Symbol, analyzer: &mut Analyzer) -> Vec<String> {
    let mut found = Vec::new();
    analyzer.terms(&names.name(name).replace(['_', '.'], " "), &mut |stem, kind| {
        if kind != TermKind::Stop {
            found.push(stem.to_owned());
        }
    });
    found
}

/// Words of the query that are the given stems; none if one of these is missing, or there are none.
fn words_of(arms: &Arms<'_>, stems: &[String]) -> Option<Words> {
    let bit = |stem: &String| arms.terms.iter().position(|term| *term.text == **stem).map(mask);
    let words = stems.iter().map(bit).try_fold(0, |words, bit| Some(words | bit?))?;
    (words != 0).then_some(words)
}

/// Words of the query that a memory holds.
pub(super) fn held(arms: &Arms<'_>, slot: Slot) -> Words {
    let lexical = arms.hot.lexical();
    let terms = arms.terms.iter().enumerate().filter(|(_, term)| lexical.holds(slot, term));
    terms.fold(0, |words, (bit, _)| words | mask(bit))
}

/// Whether a memory holds all given stems, which are terms of the query.
fn holds_all(arms: &Arms<'_>, slot: Slot, stems: &[String]) -> bool {
    words_of(arms, stems).is_some_and(|words| words & !held(arms, slot) == 0)
}

/// Bit of a term; terms beyond the width share the last one.
const fn mask(place: usize) -> Words {
    1 << (if place < 63 { place } else { 63 })
}
