//! Candidates: the union of the arms' lists, every memory with the values of all arms.

use super::arms::{AHEAD, Arms, Scratch};
use super::score::Score;
use super::top_k::SlotValues;
use crate::index::hot::Row;
use crate::index::lexical::Slot;
use crate::model::Id;

/// Places of the arms of vectors and of words.
const DENSE: usize = 0;
pub(super) const LEXICAL: usize = 1;

/// One memory under consideration.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its row.
    pub slot: Slot,
    /// Its id.
    pub id: Id,
    /// Value of each arm.
    pub values: [Option<f32>; 3],
    /// Its place in the list of each arm, from 1: its rank where ranks count.
    pub ranks: [Option<u32>; 3],
    /// Part of each arm in the fused relevance.
    pub parts: [f32; 3],
    /// Value of late interaction; none where it was not computed or the memory has no codes.
    pub late: Option<f32>,
    /// Part of late interaction in the fused relevance.
    pub late_part: f32,
    /// Share of the query that it alone, or nearly alone, holds: see [`Arms::rare_share`].
    pub rare: f32,
    /// Parts of the conversation, by name.
    pub conversation: Vec<(&'static str, f32)>,
    /// Whether it passed the threshold of an arm that looks at content, or stands beside one that did.
    pub is_relevant: bool,
    /// Fused relevance.
    pub fused: f32,
}

impl Candidate {
    /// A candidate; `near` is the value of the dense arm where it is known that the memory is near.
    pub(super) fn new(
        arms: &Arms<'_>,
        slot: Slot,
        near: Option<f32>,
        has_content: bool,
        scratch: &Scratch,
    ) -> Option<Self> {
        let row = arms.hot.row(slot)?;
        let similarity = near.map(|value| (value, f32::INFINITY)).or_else(|| arms.approximate(slot));
        let words = scratch.words[slot as usize];
        let is_near = near.is_some() || similarity.is_some_and(|(_, cosine)| cosine >= scratch.least_cosine);
        let may_answer = !arms.hot.is_idle(row);
        Some(Self {
            slot,
            id: row.id,
            values: [similarity.map(|(value, _)| value), Some(words), Some(arms.recency(slot))],
            ranks: [None; 3],
            parts: [0.0; 3],
            late: None,
            late_part: 0.0,
            rare: arms.rare_share(slot),
            conversation: Vec::new(),
            is_relevant: words > 0.0 || (may_answer && (is_near || !has_content)),
            fused: 0.0,
        })
    }
}

/// A candidate with everything that its score is made of.
#[derive(Clone, Copy)]
pub(super) struct ScoredCandidate<'ranked> {
    pub candidate: &'ranked Candidate,
    pub row: &'ranked Row,
    /// Fused relevance from 0 to 1.
    pub relevance: f32,
    pub parts: Score,
    /// Confidence at the tick of the query.
    pub confidence: f32,
    /// Age in days at the time of the query.
    pub age_days: f64,
    pub score: f32,
    /// Name of the factor by which it was placed before others; none if its own score gives its place.
    pub raised: Option<&'static str>,
}

/// Score just above another one, or below it for a negative part: by so much of its size.
pub(super) fn just_above(score: f32, part: f32) -> f32 {
    score + score.abs().max(f32::MIN_POSITIVE) * part
}

impl ScoredCandidate<'_> {
    /// The episode that a fact rests on alone.
    pub fn restates(&self) -> Option<Id> {
        self.row.fact.as_ref().and_then(|fact| fact.restates)
    }
}

/// Entry of a memory in one arm's list.
struct ListEntry {
    slot: Slot,
    arm: usize,
    rank: u32,
    value: f32,
}

/// The union of the arms, every memory with the values of all of them.
pub fn unite(
    arms: &Arms<'_>,
    lists: &[SlotValues; 3],
    has_content: bool,
    scratch: &Scratch,
) -> Vec<Candidate> {
    let listed = |(arm, list)| {
        (1..).zip::<&SlotValues>(list).map(move |(rank, &(slot, value))| ListEntry { slot, arm, rank, value })
    };
    let mut all: Vec<ListEntry> = (0..).zip(lists).flat_map(listed).collect();
    all.sort_unstable_by_key(|listed| listed.slot);
    let mut ahead = all.iter().skip(AHEAD);
    let unite = |group: &[ListEntry]| {
        ahead.by_ref().take(group.len()).for_each(|listed| arms.prefetch(listed.slot));
        // A memory on the list of vectors is near, and its value is known.
        let near = group.iter().find(|listed| listed.arm == DENSE).map(|listed| listed.value);
        let mut candidate = Candidate::new(arms, group[0].slot, near, has_content, scratch)?;
        for listed in group {
            candidate.ranks[listed.arm] = Some(listed.rank);
        }
        Some(candidate)
    };
    let mut candidates = Vec::with_capacity(all.len());
    candidates.extend(all.chunk_by(|left, right| left.slot == right.slot).filter_map(unite));
    candidates
}
