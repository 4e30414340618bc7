//! The greatest of many values. Texts of one length that share one word with a query have the very same score, so ties
//! are many: they are put aside by their value, and ids, which lie far apart, are read only once, of those at the edge.

use super::sort_keys;
use crate::index::lexical::Slot;
use crate::index::vectors::select::{each_picked, pick};
use crate::model::Id;

/// Slots with their values.
pub type SlotValues = Vec<(Slot, f32)>;

/// Values that are looked at together: the edge moves up between them.
const STRETCH: usize = 1_024;

/// The greatest `count` of the values that are added; of equal ones those with the lesser ids.
pub struct TopK {
    count: usize,
    /// Keys of `sort_keys`, every one better than the edge.
    kept: Vec<u64>,
    /// Keys of the edge.
    ties: Vec<u64>,
    /// Lower bound of the greatest: as many values as wanted are at least as great.
    edge: Option<u64>,
    /// Working memory.
    bits: Vec<u32>,
}

impl TopK {
    pub fn new(count: usize) -> Self {
        Self { count, kept: Vec::with_capacity(2 * count), ties: Vec::new(), edge: None, bits: Vec::new() }
    }

    /// A value below this one is not among the greatest.
    pub fn least(&self) -> f32 {
        self.edge.map_or(f32::NEG_INFINITY, sort_keys::value)
    }

    pub fn add(&mut self, slot: Slot, value: f32) {
        let key = sort_keys::key(value, slot);
        match self.edge {
            Some(edge) if sort_keys::is_tie(key, edge) => self.ties.push(key),
            Some(edge) if key > edge => {}
            _ => {
                self.kept.push(key);
                if self.kept.len() >= (2 * self.count).max(1) {
                    self.cut();
                }
            }
        }
    }

    /// Adds those of a row of values, none of them negative, that are above zero and allowed; `first` is the slot of the
    /// first.
    pub fn add_positive(&mut self, first: Slot, values: &[f32], allowed: &[bool]) {
        let mut bits = std::mem::take(&mut self.bits);
        let stretches = values.chunks(STRETCH).zip(allowed.chunks(STRETCH));
        for ((values, allowed), first) in stretches.zip((first..).step_by(STRETCH)) {
            // Values that are not negative have bits in their order.
            let least = self.least().max(f32::MIN_POSITIVE).to_bits();
            pick(values, |value: f32| value.to_bits() >= least, &mut bits);
            each_picked(&bits, |place| {
                if allowed[place as usize] {
                    self.add(first + place, values[place as usize]);
                }
            });
        }
        self.bits = bits;
    }

    /// Moves the edge up to the last of the greatest, if there are as many as are wanted.
    fn cut(&mut self) {
        if self.count == 0 {
            self.kept.clear();
            return;
        }
        if self.kept.len() < self.count {
            return;
        }
        let (_, &mut edge, _) = self.kept.select_nth_unstable(self.count - 1);
        self.ties.clear();
        self.ties.extend(self.kept.iter().filter(|key| sort_keys::is_tie(**key, edge)));
        self.kept.retain(|key| *key < edge && !sort_keys::is_tie(*key, edge));
        self.edge = Some(edge);
    }

    /// Keys of the greatest values, in no order; `id` tells the id of a slot.
    pub fn found(mut self, id: impl Fn(Slot) -> Option<Id>) -> Vec<u64> {
        self.cut();
        let wanted = self.count - self.kept.len();
        if self.ties.len() > wanted {
            let mut by_id: Vec<_> = self.ties.iter().map(|key| (id(sort_keys::place(*key)), *key)).collect();
            by_id.select_nth_unstable(wanted);
            self.kept.extend(by_id[..wanted].iter().map(|(_, key)| *key));
        } else {
            self.kept.append(&mut self.ties);
        }
        self.kept
    }

    /// Greatest first.
    pub fn sorted(self, id: impl Fn(Slot) -> Option<Id>) -> SlotValues {
        let mut found = self.found(&id);
        sort_keys::sort(&mut found, &id);
        found.into_iter().map(|key| (sort_keys::place(key), sort_keys::value(key))).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Neither the order of slots nor its reverse.
    fn id(slot: Slot) -> Option<Id> {
        (slot < 1_000).then(|| Id([(slot as u8).wrapping_mul(37); 16]))
    }

    proptest! {
        #[test]
        fn the_greatest_are_those_of_a_whole_sort_ties_by_id(
            values in prop::collection::vec(prop_oneof![0.0_f32..2.0, Just(0.5), Just(0.25), Just(-0.0), Just(0.0)], 0..200),
            count in 0_usize..40,
        ) {
            let mut expected: SlotValues = (0..).zip(values.iter().copied()).collect();
            expected.sort_by(|left, right| right.1.total_cmp(&left.1).then(id(left.0).cmp(&id(right.0))));
            expected.truncate(count);
            let mut best = TopK::new(count);
            for (slot, value) in (0..).zip(values) {
                best.add(slot, value);
            }
            let least = expected.last().filter(|_| expected.len() == count).map(|(_, least)| *least);
            prop_assert!(best.least() <= least.unwrap_or(f32::NEG_INFINITY));
            let bits = |list: &SlotValues| list.iter().map(|(slot, value)| (*slot, value.to_bits())).collect::<Vec<_>>();
            prop_assert_eq!(bits(&best.sorted(id)), bits(&expected));
        }

        #[test]
        fn rows_of_values_give_the_greatest_of_those_that_are_allowed(
            values in prop::collection::vec(prop_oneof![Just(0.0_f32), Just(0.5), 0.0_f32..2.0], 0..3_000),
            every in 1_usize..4, count in 0_usize..40,
        ) {
            let allowed: Vec<bool> = (0..values.len()).map(|at| at % every == 0).collect();
            let (mut one_by_one, mut best) = (TopK::new(count), TopK::new(count));
            for ((slot, &value), &is_allowed) in (0..).zip(&values).zip(&allowed) {
                if is_allowed && value > 0.0 {
                    one_by_one.add(slot, value);
                }
            }
            best.add_positive(0, &values, &allowed);
            prop_assert_eq!(best.sorted(id), one_by_one.sorted(id));
        }
    }
}
