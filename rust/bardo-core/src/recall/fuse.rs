//! Fusing the arms: z-scored weighted sum over the union of candidates, or reciprocal ranks. Neither depends on the
//! order in which candidates are given.

use std::collections::HashMap;

use super::arms::{Arms, Scratch};
use super::candidate::{Candidate, LEXICAL};
use super::conversation::{QueryClues, Surroundings};
use super::late_rerank::{LateInteraction, LateScore};
use super::settings::Fusion;
use crate::error::Result;
use crate::index::lexical::Slot;

/// Least spread of each arm over the candidates (see [`Scale::of`]): cosines, BM25 scores and recencies that differ
/// by less say nothing.
pub const LEAST_SPREAD: [f32; 3] = [0.05, 1.0, 0.25];

/// The same for late interaction.
const LEAST_LATE_SPREAD: f32 = 0.02;

/// Weight of the arms beside late interaction at its full weight: both compare the same words and vectors, late
/// interaction more closely.
const ARMS_BESIDE_LATE: f32 = 0.6;

/// Candidates whose neighbours in the conversation become candidates too.
const NEIGHBOURS_OF: usize = 30;

/// How far one arm may hold a memory back, in standard deviations: being far off for the embedding must not outweigh
/// what the letters say (law 6).
pub const LEAST_Z: f32 = -2.0;

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
    let may_answer = |slot: Slot| arms.hot.row(slot).is_some_and(|row| !arms.hot.is_idle(row));
    slots.retain(|&slot| scratch.allowed[slot as usize] && may_answer(slot));
    if slots.is_empty() {
        return;
    }
    let known: HashMap<Slot, usize> = candidates.iter().map(|candidate| candidate.slot).zip(0..).collect();
    for slot in slots {
        if let Some(&at) = known.get(&slot) {
            candidates[at].is_relevant = true;
        } else if let Some(mut neighbour) = Candidate::new(arms, slot, None, false, scratch) {
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

/// Where the values of an arm lie: what turns one into a z-score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scale {
    mean: f64,
    /// Zero where there was no value at all.
    spread: f64,
}

impl Scale {
    /// The scale of the values that are there. The spread is never taken for less than `floor`: among few candidates,
    /// or nearly equal ones, a difference of noise must not look like one of relevance.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = Option<f32>, IntoIter: Clone>, floor: f32) -> Self {
        let known = values.into_iter().flatten().map(f64::from);
        let count = known.clone().count() as f64;
        if count == 0.0 {
            return Self::default();
        }
        let mean = sum(known.clone()) / count;
        let squares = sum(known.map(|value| (value - mean) * (value - mean)));
        Self { mean, spread: (squares / count).sqrt().max(f64::from(floor)) }
    }

    /// The z-score of a value, not below [`LEAST_Z`]; one that is missing counts as average.
    #[must_use]
    pub fn place(&self, value: Option<f32>) -> f32 {
        match value {
            Some(value) if self.spread > 0.0 => {
                (((f64::from(value) - self.mean) / self.spread) as f32).max(LEAST_Z)
            }
            _ => 0.0,
        }
    }
}

/// Sums in fixed point, so that the same numbers in another order give the same bits.
fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    /// Steps of one: fine enough for the variance of cosines, and squares of any BM25 score still fit 64 bits.
    const STEPS: f64 = (1_u64 << 36) as f64;
    // Not `round`: on many processors that is a call.
    let steps = |number: f64| (number * STEPS + 0.5_f64.copysign(number)) as i64;
    numbers.map(|number| i128::from(steps(number))).sum::<i128>() as f64 / STEPS
}

/// The part that a rank adds in reciprocal rank fusion (Cormack et al. 2009); ranks count from 1.
#[must_use]
pub fn reciprocal(rank: Option<u32>, weight: f32, k: f32) -> f32 {
    rank.map_or(0.0, |rank| weight / (k + rank as f32))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn noise_among_equals_stays_small() {
        let values = [Some(0.5), Some(0.500_1)];
        let scale = Scale::of(values, 0.05);
        assert!(values.into_iter().all(|value| scale.place(value).abs() < 0.01), "{scale:?}");
    }

    #[test]
    fn a_missing_value_is_average() {
        let scale = Scale::of([Some(1.0), None, Some(3.0)], 0.1);
        for (value, place) in [(Some(1.0), -1.0), (None, 0.0), (Some(3.0), 1.0)] {
            assert!((scale.place(value) - place).abs() < f32::EPSILON, "{value:?} in {scale:?}");
        }
        assert!(Scale::of([None, None], 0.1).place(Some(7.0)).abs() < f32::EPSILON);
    }

    proptest! {
        #[test]
        fn standardizing_does_not_depend_on_order(
            values in prop::collection::vec(prop::option::of(-10.0_f32..10.0), 1..40),
            shift in 0_usize..40,
        ) {
            let shift = shift % values.len();
            let mut turned = values.clone();
            turned.rotate_left(shift);
            prop_assert_eq!(Scale::of(turned, 0.05), Scale::of(values, 0.05));
        }
    }
}
