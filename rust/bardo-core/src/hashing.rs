//! Maps that cost no more than their look-ups: by what is a hash already, by plain numbers, and by ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::model::Id;

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
