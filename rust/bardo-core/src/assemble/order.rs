//! The U-curve: what matters most stands at the beginning and at the end, where models read best.

use std::collections::BTreeSet;

use super::block::{Block, Position, standard_blocks};
use super::framing::MemoryText;
use crate::index::lexical::{Analyzer, TermKind};

/// Words that two memories without a subject share at least, if they are about one thing.
const SHARED_WORDS: usize = 2;

/// Blocks of the caller's own stand after the event, after the tool results, or before the positions.
const OWN_AFTER: [(Position, &str, bool); 3] = [
    (Position::First, "event", true),
    (Position::Middle, "tool_results", true),
    (Position::Last, "positions", false),
];

/// The indexes of the blocks in the order in which they stand in the prompt.
pub(super) fn blocks(blocks: &[Block]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|index| (blocks[*index].place, position(&blocks[*index])));
    order
}

/// Twice the position in the table, so that a block of the caller's own can stand between two of it.
fn position(block: &Block) -> usize {
    let in_table =
        |tag: &str| standard_blocks().iter().position(|standard| standard.tag == tag).map(|at| 2 * at + 1);
    in_table(&block.name).unwrap_or_else(|| {
        let own = OWN_AFTER.iter().find(|(place, _, _)| *place == block.place);
        own.and_then(|(_, tag, after)| in_table(tag).map(|at| if *after { at + 1 } else { at - 1 }))
            .unwrap_or(0)
    })
}

/// Ranks, best first, laid out with the best at both ends: 0, 2, 4, ..., 5, 3, 1.
pub(super) fn best_at_both_ends<T>(ranked: Vec<T>) -> Vec<T> {
    let (mut front, mut back) = (Vec::with_capacity(ranked.len()), Vec::new());
    for (rank, item) in ranked.into_iter().enumerate() {
        if rank % 2 == 0 { front.push(item) } else { back.push(item) }
    }
    front.extend(back.into_iter().rev());
    front
}

/// Puts memories about one thing in the order of time, older before newer. Together they keep their places, so that what
/// is about nothing else stands where its rank put it.
pub(super) fn chronological_order(mut shown: Vec<usize>, memories: &[MemoryText]) -> Vec<usize> {
    let mut analyzer = Analyzer::default();
    let things: Vec<MemoryTopic<'_>> =
        shown.iter().map(|index| MemoryTopic::of(&memories[*index], &mut analyzer)).collect();
    // The group of each place: the first place of those that are, over any number of others, about the same.
    let mut groups: Vec<usize> = (0..shown.len()).collect();
    for place in 0..shown.len() {
        for before in 0..place {
            if groups[before] != groups[place] && things[before].is_about_same(&things[place]) {
                let (from, to) = (groups[place].max(groups[before]), groups[place].min(groups[before]));
                groups.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
            }
        }
    }
    let laid_out = shown.clone();
    for group in 0..shown.len() {
        let places: Vec<usize> = (0..shown.len()).filter(|place| groups[*place] == group).collect();
        let mut members: Vec<usize> = places.iter().map(|place| laid_out[*place]).collect();
        members.sort_by_key(|index| (memories[*index].at, memories[*index].tick));
        places.iter().zip(members).for_each(|(place, index)| shown[*place] = index);
    }
    shown
}

/// Topic of a memory.
struct MemoryTopic<'a> {
    memory: &'a MemoryText,
    /// Its words, where neither a subject nor a thread says it.
    words: BTreeSet<String>,
}

impl<'a> MemoryTopic<'a> {
    fn of(memory: &'a MemoryText, analyzer: &mut Analyzer) -> Self {
        let mut words = BTreeSet::new();
        if memory.subjects.is_empty() && memory.thread.is_empty() {
            analyzer.terms(&memory.text, &mut |term, kind| {
                if kind == TermKind::Word {
                    words.insert(term.to_owned());
                }
            });
        }
        Self { memory, words }
    }

    fn is_about_same(&self, other: &Self) -> bool {
        let thread = &self.memory.thread;
        let same_thread = !thread.is_empty() && *thread == other.memory.thread;
        let subjects = &self.memory.subjects;
        let shared = self.words.intersection(&other.words).count();
        same_thread
            || subjects.iter().any(|subject| other.memory.subjects.contains(subject))
            || (shared >= SHARED_WORDS && 2 * shared >= self.words.len().min(other.words.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::Content;
    use super::*;

    #[test]
    fn the_best_memories_stand_at_both_ends() {
        assert_eq!(best_at_both_ends(vec![0, 1, 2, 3, 4]), [0, 2, 4, 3, 1]);
        assert_eq!(best_at_both_ends(Vec::<u8>::new()), Vec::<u8>::new());
    }

    fn memory(text: &str, at: i64, subject: &str) -> MemoryText {
        let subjects = if subject.is_empty() { Vec::new() } else { vec![subject.to_owned()] };
        MemoryText { text: text.to_owned(), at, subjects, ..MemoryText::default() }
    }

    #[test]
    fn memories_about_one_thing_stand_in_the_order_of_time_and_others_where_they_were() {
        let memories = [
            memory("Nadia moved to Porto", 9, ""),
            memory("Gas doubles on Mondays", 5, "gas"),
            memory("Nadia moved to Bern", 2, ""),
            memory("It fell at noon", 1, "gas"),
            memory("The oracle lagged", 7, ""),
        ];
        assert_eq!(chronological_order(best_at_both_ends(vec![0, 1, 2, 3, 4]), &memories), [2, 0, 4, 3, 1]);
    }

    #[test]
    fn system_and_event_come_first_positions_and_instruction_last() {
        let names = [
            "instruction",
            "knowledge",
            "notes",
            "positions",
            "past_events",
            "event",
            "tool_results",
            "system",
        ];
        let given: Vec<_> =
            names.iter().map(|name| Block::new(*name, Content::Text(String::new()))).collect();
        let order: Vec<_> = blocks(&given).into_iter().map(|index| names[index]).collect();
        assert_eq!(
            order,
            [
                "system",
                "event",
                "past_events",
                "tool_results",
                "notes",
                "knowledge",
                "positions",
                "instruction"
            ]
        );
    }
}
