//! The features of a token: its shape, its word, and the words and gaps beside it, alone and in pairs.

use crate::hashing::{GOLDEN, mixed};

use super::context::{Context, Read};
use super::shapes::entropy;

/// Number of bits of a feature's place in the table of weights.
pub(super) const BITS: u32 = 18;
/// Runs of a shape that are looked at, and the length up to which runs are told apart.
const RUNS: usize = 8;
const RUN: usize = 4;
/// Tokens before and after one whose places are told apart, and those that are only told to be near.
const BESIDE: usize = 3;
const AHEAD: usize = 10;
const BEHIND: usize = 8;
/// Minimum number of characters of a token whose entropy is a feature, in steps of half a bit.
const ENTROPY: usize = 6;
/// Words beyond the ends of a text.
const START: &[u64] = &[1];
const END: &[u64] = &[2];

/// Tokens of a text with the places of their features in the table of weights.
pub struct Features {
    /// First character of each token and the one after its last.
    pub spans: Vec<(usize, usize)>,
    /// Places of each token's features, in order and without twins.
    pub places: Vec<Vec<u32>>,
}

/// Cuts a text into tokens and returns the features of each.
#[must_use]
pub fn features(text: &str) -> Features {
    let context = Context::of(text);
    Features {
        spans: context.tokens.iter().map(|read| (read.token.start, read.token.end)).collect(),
        places: (0..context.tokens.len()).map(|place| of_token(&context, place)).collect(),
    }
}

/// Places of features in the table, while they are collected.
struct Places(Vec<u32>);

impl Places {
    /// Adds a feature: the number of its template, and the values that fill it.
    fn add(&mut self, template: u64, values: &[u64]) {
        let hash = values
            .iter()
            .fold(mixed(template.wrapping_mul(GOLDEN)), |hash, &value| mixed(hash.rotate_left(5) ^ value));
        self.0.push((hash >> (u64::BITS - BITS)) as u32);
    }
}

fn of_token(context: &Context, place: usize) -> Vec<u32> {
    let mut found = Places(Vec::with_capacity(128));
    own(&mut found, context, place);
    beside(&mut found, context, place);
    around(&mut found, context, place);
    found.0.sort_unstable();
    found.0.dedup();
    found.0
}

/// Coarse description of a token: its classes and its form.
fn kind(read: &Read) -> u64 {
    read.shape.coarse | (read.shape.form as u64) << 16
}

/// Features of the token itself.
fn own(found: &mut Places, context: &Context, place: usize) {
    let read = &context.tokens[place];
    let written = &context.characters[read.token.start..read.token.end];
    let shape = &read.shape;
    let runs: Vec<u64> =
        shape.runs.iter().take(RUNS).map(|run| run.class.code() * 8 + run.length.min(RUN) as u64).collect();
    let classes: Vec<u64> = shape.runs.iter().take(RUNS).map(|run| run.class.code()).collect();
    found.add(1, &[]);
    found.add(2, &[shape.coarse]);
    found.add(3, &runs);
    found.add(4, &classes);
    found.add(5, &[shape.length]);
    found.add(6, &[shape.coarse, shape.length]);
    found.add(7, &[shape.runs.len() as u64]);
    found.add(8, &[shape.form as u64]);
    found.add(9, &[read.word]);
    if let Some((first, last)) = read.ends {
        found.add(10, &[first]);
        found.add(11, &[last]);
    }
    if read.words.len() > 1 {
        read.words.iter().for_each(|&word| found.add(12, &[word]));
    }
    if written.len() >= ENTROPY {
        let bits = (entropy(written) * 2.0) as u64;
        found.add(13, &[bits]);
        found.add(14, &[bits, shape.coarse]);
    }
    let count = context.tokens.len() as u64;
    found.add(15, &[shape.coarse, (count / 4).min(5)]);
    found.add(16, &[u64::from(place == 0), u64::from(place as u64 + 1 == count)]);
}

/// Features of the gaps and of the next tokens, by their places.
fn beside(found: &mut Places, context: &Context, place: usize) {
    let read = &context.tokens[place];
    let kind = kind(read);
    let (ahead, behind) = (context.gaps[place], context.gaps[place + 1]);
    found.add(20, &[ahead]);
    found.add(21, &[behind]);
    found.add(22, &[ahead, behind]);
    found.add(23, &[ahead, kind]);
    found.add(24, &[behind, kind]);
    for step in 1..=BESIDE {
        let distance = step as u64;
        for &word in words(context, place.checked_sub(step), START) {
            found.add(25, &[distance, word]);
            found.add(26, &[distance, word, kind]);
        }
        for &word in words(context, Some(place + step), END) {
            found.add(27, &[distance, word]);
            found.add(28, &[distance, word, kind]);
        }
    }
    let last =
        |step: usize| words(context, place.checked_sub(step), START).last().copied().unwrap_or_default();
    let next = |step: usize| words(context, Some(place + step), END)[0];
    found.add(29, &[last(2), last(1)]);
    found.add(30, &[last(2), last(1), kind]);
    found.add(31, &[next(1), next(2)]);
    found.add(32, &[last(1), ahead]);
    let coarse =
        |at: Option<usize>| at.and_then(|at| context.tokens.get(at)).map_or(0, |one| one.shape.coarse + 1);
    let (one, other) = (coarse(place.checked_sub(1)), coarse(Some(place + 1)));
    found.add(33, &[one, read.shape.coarse]);
    found.add(34, &[other, read.shape.coarse]);
    found.add(35, &[one, read.shape.coarse, other]);
}

/// Features of the words on each side, wherever they stand.
fn around(found: &mut Places, context: &Context, place: usize) {
    let coarse = context.tokens[place].shape.coarse & 0x1f;
    let ahead = place.saturating_sub(AHEAD)..place;
    let behind = place + 1..context.tokens.len().min(place + 1 + BEHIND);
    for (side, range) in [(40, ahead), (42, behind)] {
        for &word in context.tokens[range].iter().flat_map(|other| &other.words) {
            found.add(side, &[word]);
            found.add(side + 1, &[word, coarse]);
        }
    }
}

/// Words of the token at a place; `beyond` where there is none.
fn words<'a>(context: &'a Context, place: Option<usize>, beyond: &'a [u64]) -> &'a [u64] {
    place.and_then(|at| context.tokens.get(at)).map_or(beyond, |read| &read.words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_has_its_span_and_distinct_places_in_the_table() {
        let found = features("Das Kennwort ist Möwe!77, bitte löschen.");
        assert_eq!(found.spans, [(0, 3), (4, 12), (13, 16), (17, 24), (26, 31), (32, 39)]);
        for places in &found.places {
            assert!(places.is_sorted_by(|one, other| one < other) && places.len() > 40);
            assert!(places.iter().all(|place| *place < 1 << BITS));
        }
    }

    #[test]
    fn figures_of_one_shape_have_the_same_features_but_for_their_entropy() {
        assert_eq!(features("the gate takes 4711 now").places, features("the gate takes 1234 now").places);
        assert_ne!(
            features("the gate takes 4711 now").places[3],
            features("the gate costs 4711 now").places[3]
        );
    }
}
