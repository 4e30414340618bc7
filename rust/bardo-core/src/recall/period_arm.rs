//! The arm of periods: episodes of the days that a query names.
//!
//! Among many memories those of one week may be beyond the depth of the other arms. This arm brings the best of the
//! period, past the threshold that vectors have among so few. Their rank is decided by the fusion.

use std::collections::{HashMap, HashSet};

use super::arms::{Arms, Scratch};
use super::candidate::Candidate;
use super::periods::DaySpan;
use super::top_k::SlotValues;
use crate::index::lexical::Slot;

/// Episodes of the periods that are looked at, the latest first.
const LOOKED_AT: usize = 4_096;
/// Candidates by vectors, and by words.
const BROUGHT: usize = 20;

/// Adds the best episodes of some periods to the candidates.
pub(super) fn add(arms: &Arms<'_>, spans: &[DaySpan], candidates: &mut Vec<Candidate>, scratch: &Scratch) {
    if spans.is_empty() {
        return;
    }
    let is_seen = |slot: &Slot| scratch.allowed[*slot as usize] && arms.hot.holds_episode()[*slot as usize];
    let slots = spans.iter().flat_map(|span| arms.hot.in_time(span.bounds())).filter(is_seen);
    let mut slots: Vec<Slot> = slots.take(LOOKED_AT).collect();
    slots.sort_unstable();
    slots.dedup();
    let with_words = slots.iter().map(|&slot| (slot, scratch.words[slot as usize]));
    let with_words = with_words.filter(|(_, words)| *words > 0.0).collect();
    let near = near(arms, &slots);
    let known: HashMap<Slot, usize> = candidates.iter().map(|candidate| candidate.slot).zip(0..).collect();
    let mut brought: HashMap<Slot, Option<f32>> =
        best(arms, with_words).into_iter().map(|(slot, _)| (slot, None)).collect();
    brought.extend(best(arms, near).into_iter().map(|(slot, value)| (slot, Some(value))));
    let mut brought: Vec<_> = brought.into_iter().collect();
    brought.sort_unstable_by_key(|(slot, _)| *slot);
    for (slot, near) in brought {
        match known.get(&slot) {
            Some(&at) => candidates[at].is_relevant = true,
            None => candidates.extend(Candidate::new(arms, slot, near, true, scratch)),
        }
    }
}

/// Allows the episodes of some periods alone, and returns their number; `None` if there are none, and all stay allowed.
pub(super) fn limit_to(arms: &Arms<'_>, spans: &[DaySpan], scratch: &mut Scratch) -> Option<usize> {
    let is_seen = |slot: &Slot| scratch.allowed[*slot as usize] && arms.hot.holds_episode()[*slot as usize];
    let slots = spans.iter().flat_map(|span| arms.hot.in_time(span.bounds())).filter(is_seen);
    let slots: HashSet<Slot> = slots.collect();
    if slots.is_empty() {
        return None;
    }
    scratch.allowed.fill(false);
    for &slot in &slots {
        scratch.allowed[slot as usize] = true;
    }
    Some(slots.len())
}

/// The memories among `slots` that are near the query, with the value of the dense arm.
fn near(arms: &Arms<'_>, slots: &[Slot]) -> SlotValues {
    let values: Vec<(Slot, (f32, f32))> =
        slots.iter().filter_map(|&slot| Some((slot, arms.approximate(slot)?))).collect();
    let nearest = values.iter().map(|(_, (_, cosine))| *cosine).fold(f32::NEG_INFINITY, f32::max);
    if nearest < arms.settings.least_cosine(slots.len()) {
        return Vec::new();
    }
    let is_near = |(_, (_, cosine)): &&(Slot, (f32, f32))| *cosine >= arms.settings.min_cosine;
    values.iter().filter(is_near).map(|&(slot, (value, _))| (slot, value)).collect()
}

/// The best of a list, ties by id.
fn best(arms: &Arms<'_>, mut values: SlotValues) -> SlotValues {
    let id = |slot: Slot| arms.hot.row(slot).map(|row| row.id);
    values.sort_unstable_by(|left, right| {
        right.1.total_cmp(&left.1).then_with(|| id(left.0).cmp(&id(right.0)))
    });
    values.truncate(BROUGHT);
    values
}
