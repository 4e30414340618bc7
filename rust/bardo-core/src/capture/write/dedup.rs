//! Distinguishes a retry from a new event. A retry is the same content by the same author in the same thread within a
//! minute, and in the same tick if the caller counts ticks. "Price unchanged" at the next tick is another observation.
//!
//! A repetition within one call is new: its second "yes" is a retry of the stored second one, if there is
//! one.
//!
//! Nothing is stored for this: the latest arrivals are read back from the log after a restart.

use std::collections::VecDeque;

use crate::capture::storage::codec::{ContentKey, OrderKey};
use crate::hashing::HashedMap;
use crate::model::Micros;

/// Maximum time from the first attempt to a retry, in microseconds.
pub(crate) const WINDOW_MICROS: Micros = 60 * 1_000_000;
/// Minimum number of latest arrivals that are compared, however old they are.
pub(crate) const KEPT_ARRIVALS: usize = 4096;

/// Arrival that a retry may repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PriorArrival {
    pub key: OrderKey,
    pub at: Micros,
    pub seq: u64,
}

/// Latest arrivals by content.
#[derive(Debug, Default)]
pub(crate) struct RecentArrivals {
    /// Number of the last arrival per content key.
    latest: HashedMap<ContentKey, u64>,
    /// Recent arrivals in order.
    arrivals: VecDeque<Entry>,
    /// Number of dropped arrivals, which is the number of the first kept one.
    gone: u64,
    newest: Micros,
}

#[derive(Debug)]
struct Entry {
    mark: ContentKey,
    seen: PriorArrival,
    /// Number of the previous arrival with the same content key.
    previous: Option<u64>,
}

impl RecentArrivals {
    /// Finds the first attempt that an arrival at `at` would repeat, after `earlier` equal ones in the same call; only
    /// within `tick`, if the caller counts ticks.
    pub fn find(
        &self,
        mark: &ContentKey,
        at: Micros,
        tick: Option<u64>,
        earlier: usize,
    ) -> Option<PriorArrival> {
        let kept = |number: u64| self.arrivals.get(number.checked_sub(self.gone)? as usize);
        let latest = kept(*self.latest.get(mark)?);
        let alike: Vec<PriorArrival> = std::iter::successors(latest, |arrival| kept(arrival.previous?))
            .filter(|arrival| arrival.seen.at.abs_diff(at) <= WINDOW_MICROS.unsigned_abs())
            .filter(|arrival| tick.is_none_or(|tick| tick == arrival.seen.key.tick))
            .map(|arrival| arrival.seen)
            .collect();
        alike.into_iter().rev().nth(earlier)
    }

    /// Adds the next arrival, and drops arrivals that are both old and many arrivals back.
    pub fn add(&mut self, mark: ContentKey, seen: PriorArrival) {
        self.newest = self.newest.max(seen.at);
        let previous = self.latest.insert(mark, self.gone + self.arrivals.len() as u64);
        self.arrivals.push_back(Entry { mark, seen, previous });
        while self.arrivals.len() > KEPT_ARRIVALS
            && let Some(oldest) = self.arrivals.front()
            && self.newest.saturating_sub(oldest.seen.at) > WINDOW_MICROS
        {
            if self.latest.get(&oldest.mark) == Some(&self.gone) {
                self.latest.remove(&oldest.mark);
            }
            self.arrivals.pop_front();
            self.gone += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Id;

    fn seen(at: Micros, seq: u64, tick: u64) -> PriorArrival {
        PriorArrival { key: OrderKey { tick, event_index: 0, id: Id([seq as u8; 16]) }, at, seq }
    }

    #[test]
    fn a_minute_separates_a_retry_from_a_repetition() {
        let (mut recent, mark) = (RecentArrivals::default(), ContentKey::new(1, Some("t")));
        recent.add(mark, seen(1_000, 1, 1));
        assert_eq!(recent.find(&mark, 1_000 + WINDOW_MICROS, None, 0), Some(seen(1_000, 1, 1)));
        assert_eq!(recent.find(&mark, 1_001 + WINDOW_MICROS, None, 0), None);
        assert_eq!(recent.find(&ContentKey::new(1, None), 1_000, None, 0), None);
    }

    #[test]
    fn old_arrivals_are_let_go_when_many_others_came() {
        let mut recent = RecentArrivals::default();
        for (seq, at) in (0..3 * KEPT_ARRIVALS as u64).zip((0..).step_by(60_000_001)) {
            recent.add(ContentKey::new(seq, None), seen(at, seq, 1));
        }
        assert_eq!(recent.arrivals.len(), KEPT_ARRIVALS);
        assert_eq!(recent.latest.len(), KEPT_ARRIVALS);
    }

    proptest! {
        #[test]
        fn the_attempt_of_the_same_place_within_a_minute_is_found(
            arrivals in prop::collection::vec((0_u64..4, 0_i64..5 * WINDOW_MICROS, 0_u64..3), 1..60),
            asked in 0_u64..4,
            at in 0_i64..5 * WINDOW_MICROS,
            tick in prop::option::of(0_u64..3),
            earlier in 0_usize..3,
        ) {
            let mut recent = RecentArrivals::default();
            let mut expected = Vec::new();
            for (seq, (content, arrived, own)) in (0..).zip(arrivals) {
                let arrival = seen(arrived, seq, own);
                recent.add(ContentKey::new(content, None), arrival);
                let in_time = arrived.abs_diff(at) <= WINDOW_MICROS.unsigned_abs();
                if content == asked && in_time && tick.is_none_or(|tick| tick == own) {
                    expected.push(arrival);
                }
            }
            let found = recent.find(&ContentKey::new(asked, None), at, tick, earlier);
            prop_assert_eq!(found, expected.get(earlier).copied());
        }
    }
}
