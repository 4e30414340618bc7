//! Maps that cost no more than their look-ups: by what is a hash already, by plain numbers, and by ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::model::Id;

/// Increment of `SplitMix64`: the golden ratio as a fraction of 2^64.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Output function of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014): near states get unrelated bits.
pub(crate) const fn mixed(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

/// A map by ids, which a stranger may choose: they are hashed with a seed of the process.
pub(crate) type IdMap<V> = HashMap<Id, V, foldhash::fast::RandomState>;

/// A map by hashes or numbers that no stranger chooses.
pub(crate) type HashedMap<K, V> = HashMap<K, V, BuildHasherDefault<IdentityHasher>>;

/// Takes the last number it is given as the hash.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxhash_rust::xxh3::xxh3_64(bytes);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
