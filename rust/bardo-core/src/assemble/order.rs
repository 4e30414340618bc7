//! The U-curve: what matters most stands at the beginning and at the end, where models read best.

use super::block::{Block, Place, standard_blocks};

/// Blocks of the caller's own stand after the event, after the tool results, or before the positions.
const OWN_AFTER: [(Place, &str, bool); 3] =
    [(Place::First, "event", true), (Place::Middle, "tool_results", true), (Place::Last, "positions", false)];

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

#[cfg(test)]
mod tests {
    use super::super::block::Content;
    use super::*;

    #[test]
    fn the_best_memories_stand_at_both_ends() {
        assert_eq!(best_at_both_ends(vec![0, 1, 2, 3, 4]), [0, 2, 4, 3, 1]);
        assert_eq!(best_at_both_ends(Vec::<u8>::new()), Vec::<u8>::new());
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
