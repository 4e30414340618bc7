//! Time-ordered identifiers (UUID version 7, RFC 9562) made from a clock and a seed given by the caller.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Micros;
use crate::error::{Error, Result};

/// UUID as 16 big-endian bytes: byte order is time order for version 7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Id(pub [u8; 16]);

impl Id {
    /// Placeholder for a missing id: the store assigns one.
    pub const ABSENT: Self = Self([0; 16]);

    /// Instant that the id carries, in microseconds at a resolution of one millisecond; none for another version than 7.
    #[must_use]
    pub fn at(&self) -> Option<Micros> {
        let milliseconds = self.0[..6].iter().fold(0, |sum: Micros, byte| (sum << 8) | Micros::from(*byte));
        (self.0[6] >> 4 == 7).then_some(milliseconds * 1_000)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        uuid::Uuid::from_bytes(self.0).hyphenated().fmt(f)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Id {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        uuid::Uuid::parse_str(text).map(|uuid| Self(uuid.into_bytes())).map_err(|_| {
            Error::invalid(
                format!("{:?} is not an id", text.chars().take(64).collect::<String>()),
                "Ids are UUIDs such as 0190b6a2-7f4e-7cc3-98c4-dc0c0c07398f; list what is there with `bardo facts list` or `bardo episodes list`, and leave the id of something new out",
            )
        })
    }
}

/// Source of version-7 ids. The random bits are a hash of (seed, serial), so one seed gives one sequence, and a
/// serial that is stored never repeats across restarts.
#[derive(Clone, Copy, Debug)]
pub struct IdSource {
    seed: u64,
}

impl IdSource {
    /// Source with the given seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Makes the id of a record created at `at` with the store's running number `serial`.
    #[must_use]
    pub fn make(&self, at: Micros, serial: u64) -> Id {
        let milliseconds = u64::try_from(at / 1_000).unwrap_or(0);
        let mut message = [0_u8; 16];
        message[..8].copy_from_slice(&self.seed.to_le_bytes());
        message[8..].copy_from_slice(&serial.to_le_bytes());
        let mut bytes = xxhash_rust::xxh3::xxh3_128(&message).to_be_bytes();
        bytes[..6].copy_from_slice(&milliseconds.to_be_bytes()[2..]);
        bytes[6] = 0x70 | (bytes[6] & 0x0f);
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        Id(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_version_7_ordered_by_time_and_repeatable() {
        let source = IdSource::new(7);
        let (first, second) = (source.make(1_000_000, 0), source.make(2_000_000, 1));
        assert!(first < second);
        assert_eq!((first.at(), Id::ABSENT.at()), (Some(1_000_000), None));
        assert_eq!(first, IdSource::new(7).make(1_000_000, 0));
        assert_ne!(first, IdSource::new(8).make(1_000_000, 0));
        assert_eq!(uuid::Uuid::from_bytes(first.0).get_version_num(), 7);
        assert_eq!(first.to_string().parse::<Id>().unwrap(), first);
    }

    #[test]
    fn a_word_is_not_an_id() {
        assert!(matches!("yesterday".parse::<Id>(), Err(Error::InvalidInput { .. })));
    }
}
