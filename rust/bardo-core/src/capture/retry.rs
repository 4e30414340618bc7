//! Telling a retry from a new event: the same content by the same author in the same thread within a minute.
//!
//! Nothing is stored for it: what arrived last is read back from the log after a restart.

use std::collections::{HashMap, VecDeque};

use super::codec::{Fingermark, OrderKey};
use crate::model::Micros;

/// A retry comes at most this long after the first attempt (spec 1, "Store").
pub(crate) const WINDOW_MICROS: Micros = 60 * 1_000_000;
/// Arrivals that are compared at least, however old they are.
pub(crate) const KEPT_ARRIVALS: usize = 4096;

/// An arrival that a retry may repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub key: OrderKey,
    pub at: Micros,
    pub seq: u64,
}

/// The latest arrivals by content.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    by_mark: HashMap<Fingermark, VecDeque<Seen>>,
    order: VecDeque<(Fingermark, Micros)>,
    newest: Micros,
}

impl Recent {
    /// The first attempt that an arrival at `at` would repeat.
    pub fn find(&self, mark: &Fingermark, at: Micros) -> Option<Seen> {
        let seen = self.by_mark.get(mark)?;
        seen.iter().find(|seen| seen.at.abs_diff(at) <= WINDOW_MICROS.unsigned_abs()).copied()
    }

    /// Adds the next arrival, and lets go of those that are both old and many arrivals back.
    pub fn add(&mut self, mark: Fingermark, seen: Seen) {
        self.newest = self.newest.max(seen.at);
        self.order.push_back((mark, seen.at));
        self.by_mark.entry(mark).or_default().push_back(seen);
        while self.order.len() > KEPT_ARRIVALS
            && let Some(&(mark, at)) = self.order.front()
            && self.newest.saturating_sub(at) > WINDOW_MICROS
        {
            self.order.pop_front();
            if let Some(list) = self.by_mark.get_mut(&mark) {
                // Both queues are in the order of arrival.
                list.pop_front();
                if list.is_empty() {
                    self.by_mark.remove(&mark);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Id;

    fn seen(at: Micros, seq: u64) -> Seen {
        Seen { key: OrderKey { tick: 1, event_index: 0, id: Id([seq as u8; 16]) }, at, seq }
    }

    #[test]
    fn a_minute_separates_a_retry_from_a_repetition() {
        let (mut recent, mark) = (Recent::default(), Fingermark::new(1, Some("t")));
        recent.add(mark, seen(1_000, 1));
        assert_eq!(recent.find(&mark, 1_000 + WINDOW_MICROS), Some(seen(1_000, 1)));
        assert_eq!(recent.find(&mark, 1_001 + WINDOW_MICROS), None);
        assert_eq!(recent.find(&Fingermark::new(1, None), 1_000), None);
    }

    #[test]
    fn old_arrivals_are_let_go_when_many_others_came() {
        let mut recent = Recent::default();
        for (seq, at) in (0..3 * KEPT_ARRIVALS as u64).zip((0..).step_by(60_000_001)) {
            recent.add(Fingermark::new(seq, None), seen(at, seq));
        }
        assert_eq!(recent.order.len(), KEPT_ARRIVALS);
        assert_eq!(recent.by_mark.len(), KEPT_ARRIVALS);
    }
}
