//! Conversations in the hot set: turns of one thread and session, each linked to the previous and the next one.

use super::hot_set::HotSet;
use super::interner::NO_NAME;
use super::row::Row;
use crate::index::lexical::posting::Slot;
use crate::model::{Id, Role};

impl HotSet {
    /// The turns before and after a memory in its conversation, at most `count` on either side, in order.
    #[must_use]
    pub fn neighbours(&self, id: &Id, count: usize) -> (Vec<Id>, Vec<Id>) {
        let walk = |step: fn(&Row) -> Option<Slot>| -> Vec<Id> {
            let next = |row: &&Row| self.row(step(row)?);
            std::iter::successors(self.find(id), next).skip(1).take(count).map(|row| row.id).collect()
        };
        let mut before = walk(|row| row.previous);
        before.reverse();
        (before, walk(|row| row.next))
    }

    /// Conversation of every slot, or [`NO_GROUP`].
    #[must_use]
    pub fn conversation_of(&self) -> &[u32] {
        &self.conversation_of
    }

    /// Whether any memory was ever a turn of a conversation.
    #[must_use]
    pub fn has_conversations(&self) -> bool {
        !self.lengths.is_empty()
    }

    /// Number of words of every conversation.
    #[must_use]
    pub fn conversation_lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// Inserts a new turn into its conversation: nearly always at the end. An episode without a speaker is no turn.
    pub(crate) fn link(&mut self, slot: Slot) {
        let Some(row) = self.row(slot) else { return };
        let key = (row.thread, row.session);
        let is_turn = row.speaker != NO_NAME || row.role.is_some_and(Role::speaks);
        if key == (NO_NAME, NO_NAME) || !is_turn {
            return;
        }
        let order = row.order();
        let fresh = self.tails.len() as u32;
        let conversation = *self.conversations.entry(key).or_insert(fresh);
        if conversation == fresh {
            self.tails.push(None);
            self.lengths.push(0);
        }
        self.lengths[conversation as usize] += self.lexical.length(slot);
        self.conversation_of[slot as usize] = conversation;
        let mut previous = self.tails[conversation as usize];
        let mut next = None;
        while let Some(before) = previous
            && let Some(row) = self.row(before)
            && row.order() > order
        {
            next = previous;
            previous = row.previous;
        }
        if let Some(row) = &mut self.rows[slot as usize] {
            (row.conversation, row.previous, row.next) = (Some(conversation), previous, next);
        }
        self.join(conversation, previous, Some(slot));
        self.join(conversation, Some(slot), next);
    }

    pub(crate) fn unlink(&mut self, slot: Slot) {
        let Some(row) = self.row(slot) else { return };
        if let (Some(conversation), previous, next) = (row.conversation, row.previous, row.next) {
            self.lengths[conversation as usize] -= self.lexical.length(slot);
            self.join(conversation, previous, next);
        }
    }

    /// Makes two turns neighbours; without `right`, `left` becomes the last turn.
    fn join(&mut self, conversation: u32, left: Option<Slot>, right: Option<Slot>) {
        if let Some(row) = left.and_then(|left| self.rows[left as usize].as_mut()) {
            row.next = right;
        }
        match right {
            Some(right) => {
                if let Some(row) = &mut self.rows[right as usize] {
                    row.previous = left;
                }
            }
            None => self.tails[conversation as usize] = left,
        }
    }
}
