//! Short words as numbers, so that one is looked for in a list without comparing letter by letter.

/// Bytes of the longest word that fits: `Wednesdays`, `themselves`.
pub(crate) const LONGEST: usize = 10;

/// A word of at most [`LONGEST`] bytes, and their number, as one number; numbers compare like the words.
pub(crate) const fn packed(word: &str) -> u128 {
    let (bytes, mut number, mut place) = (word.as_bytes(), 0, 0);
    while place < LONGEST {
        number = number << 8 | if place < bytes.len() { bytes[place] as u128 } else { 0 };
        place += 1;
    }
    number << 8 | bytes.len() as u128
}

/// Words as numbers, with the bits of `mask` set.
pub(crate) const fn all_packed<const COUNT: usize>(words: [&str; COUNT], mask: u128) -> [u128; COUNT] {
    let (mut numbers, mut place) = ([0; COUNT], 0);
    while place < COUNT {
        numbers[place] = packed(words[place]) | mask;
        place += 1;
    }
    numbers
}
