//! The union of the arms' candidates, and the fused relevance of each.

use std::collections::HashMap;

use super::arms::{AHEAD, Arms, Scratch, SlotValues};
use super::conversation::{QueryClues, Surroundings};
use super::fuse::{Scale, reciprocal};
use super::late_rerank::{LateInteraction, LateScore};
use super::settings::Fusion;
use crate::error::Result;
use crate::index::lexical::Slot;
use crate::model::Id;

/// Least spread of each arm over the candidates (see [`Scale::of`]): cosines, BM25 scores and recencies that differ
/// by less say nothing.
const LEAST_SPREAD: [f32; 3] = [0.05, 1.0, 0.25];

/// The same for late interaction.
const LEAST_LATE_SPREAD: f32 = 0.02;

/// Weight of the arms beside late interaction at its full weight: both compare the same words and vectors, late
/// interaction more closely.
const ARMS_BESIDE_LATE: f32 = 0.6;

/// Places of the arms of vectors and of words.
const DENSE: usize = 0;
const LEXICAL: usize = 1;

/// Candidates whose neighbours in the conversation become candidates too.
const NEIGHBOURS_OF: usize = 30;

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
        let mut candidate = weighed(arms, group[0].slot, near, has_content, scratch)?;
        for listed in group {
            candidate.ranks[listed.arm] = Some(listed.rank);
        }
        Some(candidate)
    };
    let mut candidates = Vec::with_capacity(all.len());
    candidates.extend(all.chunk_by(|left, right| left.slot == right.slot).filter_map(unite));
    candidates
}

pub(super) fn candidate(
    arms: &Arms<'_>,
    slot: Slot,
    has_content: bool,
    scratch: &Scratch,
) -> Option<Candidate> {
    weighed(arms, slot, None, has_content, scratch)
}

/// A candidate; `near` is the value of the dense arm where it is known that the memory is near.
fn weighed(
    arms: &Arms<'_>,
    slot: Slot,
    near: Option<f32>,
    has_content: bool,
    scratch: &Scratch,
) -> Option<Candidate> {
    let row = arms.hot.row(slot)?;
    let similarity = near.map(|value| (value, f32::INFINITY)).or_else(|| arms.approximate(slot));
    let words = scratch.words[slot as usize];
    let is_near = near.is_some() || similarity.is_some_and(|(_, cosine)| cosine >= scratch.least_cosine);
    Some(Candidate {
        slot,
        id: row.id,
        values: [similarity.map(|(value, _)| value), Some(words), Some(arms.recency(slot))],
        ranks: [None; 3],
        parts: [0.0; 3],
        late: None,
        late_part: 0.0,
        rare: arms.rare_share(slot),
        conversation: Vec::new(),
        is_relevant: is_near || words > 0.0 || !has_content,
        fused: 0.0,
    })
}

/// Gives every candidate its fused relevance, and adds the neighbours of the best.
pub fn fuse(
    arms: &Arms<'_>,
    fusion: Fusion,
    context: &FusionContext<'_>,
    candidates: &mut Vec<Candidate>,
    scratch: &Scratch,
) -> Result<()> {
    let weights = &arms.settings.weights;
    let weights = [weights.dense, weights.lexical, weights.recency];
    match fusion {
        Fusion::Rrf => {
            for candidate in candidates {
                let part = |arm: usize| reciprocal(candidate.ranks[arm], weights[arm], arms.settings.rrf_k);
                candidate.parts = std::array::from_fn(part);
                candidate.fused = candidate.parts.iter().sum();
            }
        }
        Fusion::Sum => {
            let scales: [Scale; 3] = std::array::from_fn(|arm| {
                Scale::of(candidates.iter().map(|candidate| candidate.values[arm]), LEAST_SPREAD[arm])
            });
            let weigh = |values: [Option<f32>; 3]| -> [f32; 3] {
                std::array::from_fn(|arm| weights[arm] * scales[arm].place(values[arm]))
            };
            let place = |candidate: &mut Candidate| {
                candidate.parts = weigh(candidate.values);
                candidate.parts[LEXICAL] += arms.settings.rare_weight * candidate.rare;
                candidate.fused = candidate.parts.iter().sum();
            };
            candidates.iter_mut().for_each(place);
            add_neighbours(arms, candidates, scratch, place);
            let interaction = interact(arms, context, candidates)?;
            let base = |slot: Slot| {
                let words = scratch.words[slot as usize];
                let near = arms.approximate(slot).filter(|_| scratch.allowed[slot as usize]);
                let values = [near.map(|(value, _)| value), Some(words), Some(arms.recency(slot))];
                interaction.add(slot, weigh(values).iter().sum())
            };
            add_conversation(arms, context.clues, candidates, scratch, &base);
        }
    }
    Ok(())
}

/// Input of a fusion beside the arms.
pub struct FusionContext<'search> {
    /// Features of the query beside its terms.
    pub clues: &'search QueryClues,
    /// The query's tokens and those of the memories, if there are any.
    pub late: Option<&'search LateInteraction<'search>>,
    /// The tick that is asked about.
    pub tick: u64,
}

/// Late interaction as an arm of the sum.
struct Interaction {
    values: HashMap<Slot, LateScore>,
    scale: Scale,
    weight: f32,
}

impl Interaction {
    /// The relevance by the arms with that of late interaction; a memory without codes is taken to match as well as
    /// the arms say.
    fn add(&self, slot: Slot, arms: f32) -> f32 {
        if self.values.is_empty() {
            return arms;
        }
        match self.values.get(&slot) {
            Some(late) => {
                self.arms_weight(slot) * arms + self.weight * late.share * self.scale.place(Some(late.value))
            }
            None => (ARMS_BESIDE_LATE + self.weight) * arms,
        }
    }

    /// Weight of the arms beside late interaction; 1 where that has no weight.
    fn arms_weight(&self, slot: Slot) -> f32 {
        let share = self.values.get(&slot).map_or(1.0, |late| late.share);
        1.0 - (1.0 - ARMS_BESIDE_LATE) * share
    }
}

/// Lets the query's tokens look for their matches in the best candidates, and adds what they find.
fn interact(
    arms: &Arms<'_>,
    context: &FusionContext<'_>,
    candidates: &mut [Candidate],
) -> Result<Interaction> {
    let weight = arms.settings.late.weight;
    let values = match context.late {
        Some(late) if weight > 0.0 => late.values(arms, candidates, context.tick)?,
        _ => HashMap::new(),
    };
    for candidate in &mut *candidates {
        candidate.late = values.get(&candidate.slot).map(|late| late.value);
    }
    let scale = Scale::of(candidates.iter().map(|candidate| candidate.late), LEAST_LATE_SPREAD);
    let interaction = Interaction { values, scale, weight };
    if !interaction.values.is_empty() {
        for candidate in candidates {
            let rare = arms.settings.rare_weight * candidate.rare;
            candidate.parts[LEXICAL] -= rare;
            let arms: f32 = candidate.parts.iter().sum();
            let weight = interaction.arms_weight(candidate.slot);
            candidate.parts.iter_mut().for_each(|part| *part *= weight);
            candidate.parts[LEXICAL] += rare;
            let fused = interaction.add(candidate.slot, arms);
            candidate.late_part = fused - weight * arms;
            candidate.fused = fused + rare;
        }
    }
    Ok(interaction)
}

/// The turns before and after the best candidates: an answer may share no word with what it answers.
fn add_neighbours(
    arms: &Arms<'_>,
    candidates: &mut Vec<Candidate>,
    scratch: &Scratch,
    place: impl Fn(&mut Candidate),
) {
    if !arms.hot.has_conversations() {
        return;
    }
    let mut best: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.is_relevant).collect();
    if best.len() > NEIGHBOURS_OF {
        best.select_nth_unstable_by(NEIGHBOURS_OF, |left, right| {
            right.fused.total_cmp(&left.fused).then(left.id.cmp(&right.id))
        });
    }
    let rows = best.into_iter().take(NEIGHBOURS_OF).filter_map(|candidate| arms.hot.row(candidate.slot));
    let mut slots: Vec<Slot> = rows.flat_map(|row| [row.previous, row.next]).flatten().collect();
    slots.sort_unstable();
    slots.dedup();
    slots.retain(|&slot| scratch.allowed[slot as usize]);
    if slots.is_empty() {
        return;
    }
    let known: HashMap<Slot, usize> = candidates.iter().map(|candidate| candidate.slot).zip(0..).collect();
    for slot in slots {
        if let Some(&at) = known.get(&slot) {
            candidates[at].is_relevant = true;
        } else if let Some(mut neighbour) = candidate(arms, slot, false, scratch) {
            place(&mut neighbour);
            candidates.push(neighbour);
        }
    }
}

fn add_conversation(
    arms: &Arms<'_>,
    clues: &QueryClues,
    candidates: &mut [Candidate],
    scratch: &Scratch,
    base: &dyn Fn(Slot) -> f32,
) {
    let has_conversations = arms.hot.has_conversations();
    if !has_conversations && !clues.name_a_time() {
        return;
    }
    let conversation_of = arms.hot.conversation_of();
    let mut best: HashMap<u32, f32> = HashMap::new();
    for candidate in candidates.iter().filter(|candidate| has_conversations && candidate.is_relevant) {
        let best = best.entry(conversation_of[candidate.slot as usize]).or_insert(f32::NEG_INFINITY);
        *best = best.max(candidate.fused);
    }
    let words = |conversation: u32| scratch.sessions.get(conversation as usize).copied();
    let scale = Scale::of(best.keys().map(|&conversation| words(conversation)), LEAST_SPREAD[1]);
    let surroundings = Surroundings {
        hot: arms.hot,
        clues,
        weights: &arms.settings.conversation,
        base,
        session_best: &|conversation| best.get(&conversation).map_or(0.0, |best| best.max(0.0)),
        session_words: &|conversation| scale.place(words(conversation)),
    };
    for candidate in candidates {
        if let Some(row) = arms.hot.row(candidate.slot) {
            candidate.conversation = surroundings.parts(row);
            candidate.fused += candidate.conversation.iter().map(|(_, part)| part).sum::<f32>();
        }
    }
}
