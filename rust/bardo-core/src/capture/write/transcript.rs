//! Recognises a conversation that is repeated as it grows: a list of messages without times, whose first ones are
//! stored.
//!
//! The end of a stored conversation is compared with the beginning of the list, position by position. Equal content
//! alone proves nothing, as people say "yes" twice. The common part must reach to the last stored turn, and begin where
//! an earlier list began or be at least [`SURE_TURNS`] long. A list that is stored as a whole is recognised from two
//! messages on: a single message may well be said again. A difference at any position makes it another conversation,
//! which is recorded.

use std::collections::VecDeque;

use super::dedup::PriorArrival;
use crate::capture::storage::turn::Turn;
use crate::hashing::HashedMap;

/// Minimum number of consecutive turns that are recognised wherever they begin: a list may have lost its
/// first ones.
const SURE_TURNS: usize = 3;
/// Maximum number of latest turns kept per conversation.
const TURNS: usize = 4_096;
/// Maximum number of turns kept of all conversations; the longest inactive conversation is evicted first.
const ALL_TURNS: usize = 4 * TURNS;

/// Latest turns by conversation.
#[derive(Debug, Default)]
pub(crate) struct Conversations {
    turns: HashedMap<u64, VecDeque<(Turn, PriorArrival)>>,
    count: usize,
}

impl Conversations {
    /// Adds the next turn of a conversation.
    pub fn add(&mut self, conversation: u64, turn: Turn, seen: PriorArrival) {
        let turns = self.turns.entry(conversation).or_default();
        turns.push_back((turn, seen));
        if turns.len() > TURNS {
            turns.pop_front();
        } else {
            self.count += 1;
        }
        while self.count > ALL_TURNS {
            let last = |turns: &VecDeque<(Turn, PriorArrival)>| turns.back().map_or(0, |(_, seen)| seen.seq);
            let Some(silent) = self.turns.iter().min_by_key(|(_, turns)| last(turns)).map(|(name, _)| *name)
            else {
                return;
            };
            self.count -= self.turns.remove(&silent).map_or(0, |turns| turns.len());
        }
    }

    /// The stored turn of each message of a list; `None` if the list does not continue a stored conversation.
    pub fn known(&self, conversation: u64, list: &[Turn]) -> Option<Vec<Option<PriorArrival>>> {
        let stored = self.turns.get(&conversation)?;
        let spoken: Vec<&(Turn, PriorArrival)> =
            stored.iter().filter(|(turn, _)| !turn.is_placeless).collect();
        let places: Vec<usize> = (0..list.len()).filter(|place| !list[*place].is_placeless).collect();
        let earliest = spoken.len().saturating_sub(places.len());
        let start = (earliest..spoken.len()).find(|&start| {
            let shared = &spoken[start..];
            let begins = start == 0 || spoken[start - 1].1.at != spoken[start].1.at;
            let is_said_again = shared.len() == 1 && places.len() == 1;
            (begins || shared.len() >= SURE_TURNS)
                && !is_said_again
                && shared
                    .iter()
                    .zip(&places)
                    .all(|((turn, _), &place)| turn.content_hash == list[place].content_hash)
        })?;
        let mut known: Vec<Option<PriorArrival>> = list
            .iter()
            .map(|turn| {
                let mut alike = stored.iter().rev().filter(|(other, _)| {
                    turn.is_placeless && other.is_placeless && other.content_hash == turn.content_hash
                });
                alike.next().map(|(_, seen)| *seen)
            })
            .collect();
        for ((_, seen), place) in spoken[start..].iter().zip(places) {
            known[place] = Some(*seen);
        }
        Some(known)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::capture::storage::codec::OrderKey;
    use crate::model::Id;

    /// Lists of contents, each recorded at its own time; `s` is an operator message.
    fn told(lists: &[&[&str]]) -> Conversations {
        let mut conversations = Conversations::default();
        let mut seq = 0;
        for (at, list) in (1..).zip(lists) {
            for content in *list {
                seq += 1;
                let key = OrderKey { tick: 1, event_index: 0, id: Id([seq as u8; 16]) };
                conversations.add(1, turn(content), PriorArrival { key, at, seq });
            }
        }
        conversations
    }

    fn turn(content: &str) -> Turn {
        let content_hash = xxhash_rust::xxh3::xxh3_64(content.as_bytes());
        Turn { content_hash, is_placeless: content.starts_with('s') }
    }

    fn known(conversations: &Conversations, list: &[&str]) -> Option<Vec<u64>> {
        let list: Vec<Turn> = list.iter().map(|content| turn(content)).collect();
        let found = conversations.known(1, &list)?;
        Some(found.into_iter().map(|seen| seen.map_or(0, |seen| seen.seq)).collect())
    }

    #[test]
    fn a_list_that_grows_is_known_as_far_as_it_is_stored() {
        let one = told(&[&["hi", "hello", "yes"], &["ok", "yes"]]);
        assert_eq!(known(&one, &["hi", "hello", "yes", "ok", "yes"]), Some(vec![1, 2, 3, 4, 5]));
        assert_eq!(known(&one, &["hi", "hello", "yes", "ok", "yes", "yes"]), Some(vec![1, 2, 3, 4, 5, 0]));
        assert_eq!(known(&told(&[&["hi"]]), &["hi", "hello"]), Some(vec![1, 0]));
        // The list has lost its first turns.
        assert_eq!(known(&one, &["yes", "ok", "yes", "bye"]), Some(vec![3, 4, 5, 0]));
        // The list follows another one.
        let two = told(&[&["hi", "hello", "bye"], &["hi", "hello"]]);
        assert_eq!(known(&two, &["hi", "hello", "and now?"]), Some(vec![4, 5, 0]));
    }

    #[test]
    fn a_list_that_begins_alike_or_says_the_same_again_is_not_known() {
        let one = told(&[&["hi", "hello", "a question"]]);
        assert_eq!(known(&one, &["hi", "hello", "another question"]), None);
        assert_eq!(known(&one, &["hi", "hello"]), None);
        assert_eq!(known(&one, &["a question", "an answer"]), None);
        assert_eq!(known(&told(&[&["yes"]]), &["yes"]), None);
        assert_eq!(known(&Conversations::default(), &["yes", "no"]), None);
        assert_eq!(one.known(2, &[turn("hi"), turn("hello"), turn("a question")]).map(|_| ()), None);
    }

    #[test]
    fn the_first_system_message_may_change() {
        let one = told(&[&["s today is Monday", "hi", "hello"]]);
        assert_eq!(known(&one, &["s today is Tuesday", "hi", "hello", "bye"]), Some(vec![0, 2, 3, 0]));
        assert_eq!(known(&one, &["s today is Monday", "hi", "hello", "bye"]), Some(vec![1, 2, 3, 0]));
    }

    #[test]
    fn the_conversation_that_was_silent_longest_is_let_go() {
        let mut many = Conversations::default();
        for seq in 0..3 * ALL_TURNS as u64 {
            let key = OrderKey { tick: 1, event_index: 0, id: Id([0; 16]) };
            many.add(seq / 1_000, turn("hi"), PriorArrival { key, at: 1, seq });
        }
        assert!(many.count <= ALL_TURNS);
        assert_eq!(many.count, many.turns.values().map(VecDeque::len).sum::<usize>());
        assert!(many.turns.contains_key(&(3 * ALL_TURNS as u64 / 1_000)));
    }

    proptest! {
        #[test]
        fn a_growing_list_is_stored_once_whatever_is_said(
            said in prop::collection::vec(0..3_u8, 1..40), steps in prop::collection::vec(1..6_usize, 1..20),
        ) {
            let mut conversations = Conversations::default();
            let (mut stored, mut until) = (0, 0);
            for (at, step) in (1..).zip(steps) {
                until = (until + step).min(said.len());
                let list: Vec<Turn> = said[..until].iter().map(|content| turn(&content.to_string())).collect();
                let known = conversations.known(1, &list).unwrap_or_else(|| vec![None; list.len()]);
                // A single repeated message may have been said again.
                prop_assume!(list.len() > 1 || stored == 0);
                let fresh = known.iter().filter(|seen| seen.is_none()).count();
                prop_assert_eq!(fresh, until - stored);
                prop_assert!(known[stored..].iter().all(Option::is_none));
                for turn in &list[stored..] {
                    stored += 1;
                    let key = OrderKey { tick: 1, event_index: 0, id: Id([0; 16]) };
                    conversations.add(1, *turn, PriorArrival { key, at, seq: stored as u64 });
                }
            }
        }
    }
}
