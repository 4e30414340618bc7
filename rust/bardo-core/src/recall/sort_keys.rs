//! Sorting by value, greatest first, by plain numbers: a sort of numbers is a fraction of the code of one that compares
//! values and ids, and code that was not used for a while costs as much to fetch as memory.

use crate::index::lexical::Slot;
use crate::model::Id;

/// Bits of a key that hold the place; the others hold the value.
const PLACE_BITS: u32 = Slot::BITS;

/// A number that is the less, the greater the value is (in the order of [`f32::total_cmp`]), with a place behind it.
pub(super) const fn key(value: f32, place: u32) -> u64 {
    let bits = value.to_bits();
    let ascending = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    (!ascending as u64) << PLACE_BITS | place as u64
}

/// The place behind a key.
pub(super) const fn place(key: u64) -> u32 {
    key as u32
}

/// The value of a key.
pub(super) const fn value(key: u64) -> f32 {
    let ascending = !((key >> PLACE_BITS) as u32);
    f32::from_bits(if ascending >> 31 == 1 { ascending & !(1 << 31) } else { !ascending })
}

/// Whether two keys have one value.
pub(super) const fn is_tie(one: u64, other: u64) -> bool {
    one >> PLACE_BITS == other >> PLACE_BITS
}

/// Sorts keys, greatest value first, ties by the id of their place.
pub(super) fn sort(keys: &mut [u64], id: impl Fn(u32) -> Option<Id>) {
    keys.sort_unstable();
    for ties in keys.chunk_by_mut(|one, other| is_tie(*one, *other)) {
        if ties.len() > 1 {
            ties.sort_by_cached_key(|key| id(place(*key)));
        }
    }
}

/// Moves the `count` greatest to the front, the least of them last; of equal values those with the lesser ids.
pub(super) fn select(keys: &mut [u64], count: usize, id: impl Fn(u32) -> Option<Id>) {
    if count == 0 || count >= keys.len() {
        return;
    }
    let (_, &mut least, _) = keys.select_nth_unstable(count - 1);
    if keys.iter().filter(|key| is_tie(**key, least)).count() == 1 {
        return;
    }
    // The ties are put beside each other and in order.
    keys.sort_unstable();
    let start = keys.partition_point(|key| key >> PLACE_BITS < least >> PLACE_BITS);
    let end = keys.partition_point(|key| key >> PLACE_BITS <= least >> PLACE_BITS);
    keys[start..end].sort_by_cached_key(|key| id(place(*key)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Neither the order of places nor its reverse.
    fn id(place: u32) -> Option<Id> {
        (place < 1_000).then(|| Id([(place as u8).wrapping_mul(37); 16]))
    }

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_values_and_ids(
            values in prop::collection::vec(prop_oneof![-2.0_f32..2.0, Just(0.5), Just(-0.0), Just(0.0)], 0..60),
            count in 0_usize..70,
        ) {
            let mut expected: Vec<(f32, u32)> = values.iter().copied().zip(0..).collect();
            expected.sort_by(|left, right| right.0.total_cmp(&left.0).then(id(left.1).cmp(&id(right.1))));
            let places = |keys: &[u64]| keys.iter().map(|&key| place(key)).collect::<Vec<_>>();
            let expected_places: Vec<u32> = expected.iter().map(|(_, place)| *place).collect();

            let mut keys: Vec<u64> = values.iter().zip(0..).map(|(&each, place)| key(each, place)).collect();
            for &each in &keys {
                prop_assert_eq!(value(each).to_bits(), values[place(each) as usize].to_bits());
            }
            select(&mut keys, count, id);
            let count = count.min(keys.len());
            let mut chosen = places(&keys[..count]);
            prop_assert_eq!(chosen.last(), expected_places[..count].last().filter(|_| count < keys.len()).or(chosen.last()));
            let mut wanted = expected_places[..count].to_vec();
            chosen.sort_unstable();
            wanted.sort_unstable();
            prop_assert_eq!(chosen, wanted);
            sort(&mut keys, id);
            prop_assert_eq!(places(&keys), expected_places);
        }
    }
}
