//! Sums the weights of a token's features, and joins tokens to spans.

use super::features::{BITS, features};

/// Maximum number of characters between two tokens of one secret.
const GAP: usize = 3;

/// Probabilities above which a token is a secret: alone, and beside a token that is one.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Probability of a token that is a secret.
    pub alone: f64,
    /// Probability of a token beside a secret that belongs to it.
    pub beside: f64,
}

/// Linear model of secrets.
pub struct SecretTagger {
    weights: Vec<i8>,
    scale: f64,
}

impl SecretTagger {
    /// Number of weights.
    pub const WEIGHTS: usize = 1 << BITS;

    /// Takes the weights of the features, in units of `scale`; none if their number is another than [`Self::WEIGHTS`].
    #[must_use]
    pub fn new(weights: Vec<i8>, scale: f64) -> Option<Self> {
        (weights.len() == Self::WEIGHTS).then_some(Self { weights, scale })
    }

    /// The tokens of a text, by their characters, with the probability that each is part of a secret.
    #[must_use]
    pub fn probabilities(&self, text: &str) -> Vec<(usize, usize, f64)> {
        let found = features(text);
        let sums = found
            .places
            .iter()
            .map(|places| places.iter().map(|&at| i32::from(self.weights[at as usize])).sum::<i32>());
        found
            .spans
            .iter()
            .zip(sums)
            .map(|(&(start, end), sum)| (start, end, 1.0 / (1.0 + (-f64::from(sum) * self.scale).exp())))
            .collect()
    }

    /// The secrets of a text, by their characters, in order and apart.
    #[must_use]
    pub fn secrets(&self, text: &str, limits: Limits) -> Vec<(usize, usize)> {
        let tokens = self.probabilities(text);
        let is_alone: Vec<bool> = tokens.iter().map(|token| token.2 >= limits.alone).collect();
        let may_join = |one: usize, other: usize| tokens[other].0 - tokens[one].1 <= GAP;
        // A word in the midst of a phrase is often a function word, which no weight makes a secret.
        let mut is_secret: Vec<bool> = (0..tokens.len())
            .map(|place| {
                is_alone[place]
                    || (place > 0
                        && is_alone.get(place + 1) == Some(&true)
                        && is_alone[place - 1]
                        && may_join(place - 1, place)
                        && may_join(place, place + 1))
            })
            .collect();
        for place in 1..tokens.len() {
            is_secret[place] |=
                is_secret[place - 1] && tokens[place].2 >= limits.beside && may_join(place - 1, place);
        }
        for place in (1..tokens.len()).rev() {
            is_secret[place - 1] |=
                is_secret[place] && tokens[place - 1].2 >= limits.beside && may_join(place - 1, place);
        }
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for (place, &(start, end, _)) in tokens.iter().enumerate() {
            if !is_secret[place] {
                continue;
            }
            match spans.last_mut() {
                Some(last) if place > 0 && is_secret[place - 1] && may_join(place - 1, place) => last.1 = end,
                _ => spans.push((start, end)),
            }
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tagger to which one word alone is a secret.
    fn knowing(text: &str, word: usize) -> SecretTagger {
        let mut weights = vec![0_i8; SecretTagger::WEIGHTS];
        let found = features(text);
        let others: Vec<u32> = found
            .places
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != word)
            .flat_map(|(_, places)| places.clone())
            .collect();
        for &at in &found.places[word] {
            weights[at as usize] = if others.contains(&at) { 0 } else { 10 };
        }
        SecretTagger::new(weights, 0.1).expect("the number of weights is right")
    }

    #[test]
    fn a_secret_is_one_span_with_what_stands_beside_it() {
        let text = "the word is copper heron, not tin";
        let tagger = knowing(text, 3);
        let limits = Limits { alone: 0.9, beside: 0.9 };
        assert_eq!(tagger.secrets(text, limits), [(12, 18)]);
        assert_eq!(tagger.secrets(text, Limits { beside: 0.4, ..limits }), [(0, 33)]);
        assert!(tagger.secrets("", limits).is_empty());
    }

    #[test]
    fn a_table_of_another_size_is_refused() {
        assert!(SecretTagger::new(vec![0; 3], 1.0).is_none());
    }
}
