//! Candidates in the order of their scores, sorted only as far as they are read.

use super::candidate::ScoredCandidate;
use super::sort_keys;

/// Candidates by their score, best first, ties by id; sorted only as far as they are read.
pub(super) struct PartialSort<'all, 'ranked> {
    all: Vec<&'all ScoredCandidate<'ranked>>,
    /// Keys of `sort_keys`, each with a place in `all`.
    keys: Vec<u64>,
    /// How many stand in their place.
    sorted: usize,
    next: usize,
}

impl<'all, 'ranked> PartialSort<'all, 'ranked> {
    /// Candidates that are sorted at once: as many as usual answers take.
    const AT_ONCE: usize = 24;

    pub fn new(ranked: &'all [ScoredCandidate<'ranked>]) -> Self {
        let keys = ranked.iter().zip(0..).map(|(ranked, place)| sort_keys::key(ranked.score, place));
        Self { keys: keys.collect(), all: ranked.iter().collect(), sorted: 0, next: 0 }
    }

    /// Candidates that are already sorted.
    pub fn done(all: Vec<&'all ScoredCandidate<'ranked>>) -> Self {
        let keys = (0..all.len() as u32).map(|place| sort_keys::key(0.0, place));
        Self { keys: keys.collect(), sorted: all.len(), all, next: 0 }
    }

    fn sort_on(&mut self) {
        let id = |place: u32| self.all.get(place as usize).map(|ranked| ranked.row.id);
        let rest = &mut self.keys[self.sorted..];
        // The second part is all the rest: who looks that far looks farther.
        let part = if self.sorted == 0 { Self::AT_ONCE.min(rest.len()) } else { rest.len() };
        sort_keys::select(rest, part, id);
        sort_keys::sort(&mut rest[..part], id);
        self.sorted += part;
    }
}

impl<'all, 'ranked> Iterator for PartialSort<'all, 'ranked> {
    type Item = &'all ScoredCandidate<'ranked>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.sorted {
            self.sort_on();
        }
        let found = self.keys.get(self.next).map(|key| self.all[sort_keys::place(*key) as usize]);
        self.next += usize::from(found.is_some());
        found
    }
}
