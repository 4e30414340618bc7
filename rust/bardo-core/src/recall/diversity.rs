//! Maximal marginal relevance (Carbonell and Goldstein 1998): each next memory is the one that is most relevant and
//! least like what is chosen already.

use crate::index::lexical::Slot;

/// Memories looked at for each one that is wanted.
pub const POOL_FACTOR: usize = 3;

/// The order in which to take `count` of the ranked: places in `ranked`, first to last.
///
/// `diversity` is 1 - lambda of the paper: 0 keeps the order by score, 1 looks at nothing but unlikeness. Scores are
/// taken relative to the best; `similarity` is from 0 to 1.
#[must_use]
pub fn diverse(
    ranked: &[(Slot, f32)],
    count: usize,
    diversity: f32,
    similarity: impl Fn(Slot, Slot) -> f32,
) -> Vec<usize> {
    let best = ranked.iter().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
    let mut nearest = vec![0.0_f32; ranked.len()];
    let mut waiting: Vec<usize> = (0..ranked.len()).collect();
    let mut taken = Vec::with_capacity(count.min(ranked.len()));
    while taken.len() < count && !waiting.is_empty() {
        let worth = |place: usize| {
            (1.0 - diversity) * ranked[place].1 / best
                - if taken.is_empty() { 0.0 } else { diversity * nearest[place] }
        };
        // The first of equals stays the first.
        let mut chosen = 0;
        for at in 1..waiting.len() {
            if worth(waiting[at]) > worth(waiting[chosen]) {
                chosen = at;
            }
        }
        let place = waiting.remove(chosen);
        for &other in &waiting {
            nearest[other] = nearest[other].max(similarity(ranked[place].0, ranked[other].0));
        }
        taken.push(place);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_copy_waits_for_what_is_different() {
        let ranked = [(0, 1.0), (1, 0.95), (2, 0.6)];
        let alike = |left: Slot, right: Slot| if left.max(right) == 1 { 0.99 } else { 0.1 };
        assert_eq!(diverse(&ranked, 3, 0.0, alike), [0, 1, 2]);
        assert_eq!(diverse(&ranked, 2, 0.5, alike), [0, 2]);
        assert_eq!(diverse(&ranked, 9, 1.0, alike).len(), 3);
        assert!(diverse(&[], 3, 0.5, alike).is_empty());
    }
}
