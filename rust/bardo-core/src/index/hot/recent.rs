//! Cache of the latest whole episodes, up to a few megabytes: most recalled episodes were just recorded, and
//! need not be read from the log again. Synchronised by `hot_set.rs`; the log stays the ground truth.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::index::lexical::posting::Slot;
use crate::model::{Episode, Value};

/// Approximate maximum size of the cached episodes in bytes: some 30,000 short ones.
const BYTES: usize = 16 * 1024 * 1024;

/// Maximum number of stale slots in the order per cached episode.
const STALE_FACTOR: usize = 2;
const STALE_LEAST: usize = 64;

/// Whole episodes by slot.
#[derive(Debug, Default)]
pub struct RecentEpisodes {
    by_slot: Vec<Option<Arc<Episode>>>,
    /// Slots in the order of arrival, the oldest first; may contain removed slots.
    order: VecDeque<Slot>,
    kept: usize,
    bytes: usize,
}

impl RecentEpisodes {
    /// Caches an episode, and evicts the oldest if the cache is full.
    pub fn keep(&mut self, slot: Slot, episode: Arc<Episode>) {
        self.remove(slot);
        let at = slot as usize;
        if self.by_slot.len() <= at {
            self.by_slot.resize_with(at + 1, || None);
        }
        self.bytes += weight(&episode);
        self.by_slot[at] = Some(episode);
        self.order.push_back(slot);
        self.kept += 1;
        while self.bytes > BYTES
            && let Some(oldest) = self.order.pop_front()
        {
            self.remove(oldest);
        }
    }

    /// Updates the annotations of an episode: the rest of it never changes.
    pub fn renew(&mut self, slot: Slot, episode: &Episode) {
        if let Some(Some(kept)) = self.by_slot.get_mut(slot as usize)
            && kept.annotations != episode.annotations
        {
            Arc::make_mut(kept).annotations = episode.annotations;
        }
    }

    /// The episode of a slot, if it is cached.
    #[must_use]
    pub fn get(&self, slot: Slot) -> Option<&Arc<Episode>> {
        self.by_slot.get(slot as usize)?.as_ref()
    }

    /// Removes an episode.
    pub fn remove(&mut self, slot: Slot) {
        let Some(episode) = self.by_slot.get_mut(slot as usize).and_then(Option::take) else { return };
        self.kept -= 1;
        self.bytes -= weight(&episode);
        if self.order.len() > STALE_LEAST.max(STALE_FACTOR * self.kept) {
            let by_slot = &self.by_slot;
            self.order.retain(|&slot| by_slot[slot as usize].is_some());
        }
    }

    /// Approximate size in memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.by_slot.capacity() * size_of::<Option<Arc<Episode>>>()
    }
}

/// Approximate size of an episode in bytes.
fn weight(episode: &Episode) -> usize {
    let names = [&episode.speaker, &episode.thread, &episode.session, &episode.mode];
    let names = names.into_iter().flatten().chain(&episode.subjects).chain([&episode.kind, &episode.text]);
    size_of::<Episode>()
        + names.map(|name| name.len() + size_of::<String>()).sum::<usize>()
        + weight_of_value(&episode.payload)
}

fn weight_of_value(value: &Value) -> usize {
    let within = match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
        Value::Text(text) => text.len(),
        Value::List(values) => values.iter().map(weight_of_value).sum(),
        Value::Map(entries) => entries
            .iter()
            .map(|(name, value)| size_of::<String>() + name.len() + weight_of_value(value))
            .sum(),
    };
    size_of::<Value>() + within
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Annotations, Id, Role};

    fn episode(number: u8, text: String) -> Episode {
        Episode {
            id: Id([number; 16]),
            tick: 1,
            event_index: 0,
            at: 0,
            kind: "event".into(),
            role: Role::Environment,
            speaker: None,
            text,
            subjects: Vec::new(),
            payload: Value::Null,
            thread: None,
            session: None,
            mode: None,
            curiosity: 0.0,
            pad: [0.0; 3],
            content_hash: 0,
            annotations: Annotations::default(),
        }
    }

    #[test]
    fn the_oldest_goes_where_there_is_no_room_for_all() {
        let mut latest = RecentEpisodes::default();
        let third = "x".repeat(BYTES / 3);
        for number in 0..4_u8 {
            latest.keep(Slot::from(number), episode(number, third.clone()).into());
        }
        let kept: Vec<bool> = (0..4).map(|slot| latest.get(slot).is_some()).collect();
        assert_eq!(kept, [false, false, true, true]);
        assert!(latest.bytes <= BYTES);
    }

    #[test]
    fn annotations_are_renewed_and_removed_episodes_are_gone() {
        let mut latest = RecentEpisodes::default();
        let mut changed = episode(1, "one".into());
        latest.keep(7, changed.clone().into());
        let before = Arc::clone(latest.get(7).unwrap());
        changed.annotations.verified = true;
        latest.renew(7, &changed);
        assert!(latest.get(7).unwrap().annotations.verified);
        assert!(!before.annotations.verified, "what was handed out stays as it was");
        latest.remove(7);
        assert!(latest.get(7).is_none());
        assert_eq!(latest.bytes, 0);
    }

    #[test]
    fn guests_that_come_and_go_leave_no_order_behind() {
        let mut latest = RecentEpisodes::default();
        for round in 0..1_000 {
            latest.keep(round % 3, episode(1, "guest".into()).into());
            latest.remove(round % 3);
        }
        assert!(latest.order.len() <= STALE_LEAST + 1, "{}", latest.order.len());
    }
}
