//! Packs short words into integers, so that a list is searched without comparing letter by letter.

/// Maximum bytes of a packed word: `Wednesdays`, `themselves`.
pub(crate) const LONGEST: usize = 10;

/// Packs a word of at most [`LONGEST`] bytes and its length into one integer; packed words sort like the
/// words.
pub(crate) const fn packed(word: &str) -> u128 {
    let (bytes, mut number, mut place) = (word.as_bytes(), 0, 0);
    while place < LONGEST {
        number = number << 8 | if place < bytes.len() { bytes[place] as u128 } else { 0 };
        place += 1;
    }
    number << 8 | bytes.len() as u128
}

/// Packs words, with the bits of `mask` set.
pub(crate) const fn all_packed<const COUNT: usize>(words: [&str; COUNT], mask: u128) -> [u128; COUNT] {
    let (mut numbers, mut place) = ([0; COUNT], 0);
    while place < COUNT {
        numbers[place] = packed(words[place]) | mask;
        place += 1;
    }
    numbers
}
