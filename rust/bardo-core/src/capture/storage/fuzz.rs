//! Fuzzes the codec with arbitrary and damaged bytes: a value or a typed error, never a panic, never a wrong
//! value.
//!
//! `BARDO_FUZZ_CASES` sets the number of cases; the default is small enough for every test run.

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::codec::tests::any_episode;
use super::codec::{self, KEY_BYTES, OrderKey};
use super::vector_batch::EpisodeVectors;
use crate::model::Annotations;

const CASES: u32 = 256;

fn config() -> Config {
    let cases = std::env::var("BARDO_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    Config { failure_persistence: None, ..Config::with_cases(cases.unwrap_or(CASES)) }
}

/// Changes a few bytes, cuts some off, and inserts some.
fn mutate(mut bytes: Vec<u8>, changes: &[(prop::sample::Index, u8, u8)]) -> Vec<u8> {
    for (at, kind, byte) in changes {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        match kind % 4 {
            0 => bytes[at] = *byte,
            1 => bytes.truncate(at),
            2 => bytes.insert(at, *byte),
            _ => bytes[at] ^= 1 << (byte % 8),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn arbitrary_bytes_are_refused_by_the_codec(bytes in prop::collection::vec(any::<u8>(), 0..400), dims in 0_usize..9) {
        let key = OrderKey::from_bytes(&[1; KEY_BYTES]);
        prop_assert!(codec::decode_episode(&key, &bytes, Annotations::default()).is_err());
        prop_assert!(codec::decode_annotations(&key.id, &bytes).is_err());
        prop_assert!(EpisodeVectors::decode(&key.id, &bytes, dims).is_err());
    }

    #[test]
    fn arbitrary_bodies_with_a_good_checksum_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), dims in 0_usize..9) {
        let key = OrderKey::from_bytes(&[1; KEY_BYTES]);
        let _ = codec::decode_episode(&key, &codec::seal(&key.to_bytes(), &bytes), Annotations::default());
        let _ = codec::decode_mark(&key, &codec::seal(&key.to_bytes(), &bytes));
        let _ = codec::decode_annotations(&key.id, &codec::seal(&key.id.0, &bytes));
        let _ = EpisodeVectors::decode(&key.id, &codec::seal(&key.id.0, &bytes), dims);
    }

    #[test]
    fn a_damaged_episode_is_refused_and_a_whole_one_comes_back(
        episode in any_episode(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<u8>()), 1..4),
    ) {
        let key = OrderKey { tick: episode.tick, event_index: episode.event_index, id: episode.id };
        let sealed = codec::tests::sealed(&episode);
        let read = codec::decode_episode(&key, &sealed, episode.annotations).unwrap();
        prop_assert_eq!((&read.text, &read.speaker, &read.subjects), (&episode.text, &episode.speaker, &episode.subjects));
        let damaged = mutate(sealed.clone(), &changes);
        if damaged != sealed {
            prop_assert!(codec::decode_episode(&key, &damaged, Annotations::default()).is_err());
        }
        let other = OrderKey { tick: key.tick ^ 1, ..key };
        prop_assert!(codec::decode_episode(&other, &sealed, Annotations::default()).is_err(), "of another key");
    }
}
