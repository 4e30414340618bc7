//! Random numbers by key: each is a hash of the seed and its place, so that no draw depends on an earlier one.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Purposes of random numbers; each purpose has numbers of its own.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    Family,
    Venue,
    Kind,
    Popularity,
    Payoff,
    FamilyPayoff,
    Redraw,
    Regime,
    NextRegime,
    Turnover,
    Cue,
    Snapshot,
    Offer,
    Noise,
    Spring,
    Lethal,
    Hazard,
    Retrieval,
    Shuffle,
    Replay,
}

/// Random bits of a key.
pub fn bits(seed: u64, stream: Stream, key: [u64; 3]) -> u64 {
    let mut bytes = [0_u8; 32];
    for (place, part) in [stream as u64, key[0], key[1], key[2]].into_iter().enumerate() {
        bytes[place * 8..place * 8 + 8].copy_from_slice(&part.to_le_bytes());
    }
    xxh3_64_with_seed(&bytes, seed)
}

/// Uniform number of a key, in 0..1.
pub fn uniform(seed: u64, stream: Stream, key: [u64; 3]) -> f64 {
    (bits(seed, stream, key) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Standard normal number of a key, by Box and Muller's transform of its two halves.
pub fn normal(seed: u64, stream: Stream, key: [u64; 3]) -> f32 {
    let both = bits(seed, stream, key);
    let half = f64::from(u32::MAX) + 2.0;
    let radius = (-2.0 * ((f64::from((both >> 32) as u32) + 1.0) / half).ln()).sqrt();
    (radius * (std::f64::consts::TAU * f64::from(both as u32) / half).cos()) as f32
}
