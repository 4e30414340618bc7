//! Late interaction over the candidates: the words of the query each look for their best match in a memory, and in the
//! turns beside it, since what is asked about is often named one turn earlier.
//!
//! Measured on `LoCoMo` (development part, recall@10): .79 without, .81 with the memory's own words, .85 with those of
//! the turns beside it as well.

use std::collections::HashMap;

use super::arms::Arms;
use super::candidate::Candidate;
use crate::capture::EpisodeLog;
use crate::error::Result;
use crate::index::lexical::Slot;
use crate::index::vectors::{LateQuery, MatchScratch, Matches};
use crate::model::Id;

/// Where the codes of memories are read from.
pub trait TokenCodes: Sync {
    /// Calls `visit(place, codes)` for every id that has codes; perhaps twice for one, with the same codes.
    fn visit_tokens(&self, ids: &[Id], visit: &mut dyn FnMut(usize, &[u8])) -> Result<()>;
}

impl TokenCodes for EpisodeLog {
    fn visit_tokens(&self, ids: &[Id], visit: &mut dyn FnMut(usize, &[u8])) -> Result<()> {
        Self::visit_tokens(self, ids, visit)
    }
}

/// The query's tokens, and where those of the memories are.
pub struct LateInteraction<'search> {
    /// Weighted tokens.
    pub query: LateQuery,
    /// Where codes are read from.
    pub source: &'search dyn TokenCodes,
}

/// Result of late interaction for one memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateScore {
    /// How well the query's tokens are matched: 0 to 1, about.
    pub value: f32,
    /// The part of its weight that this has, 0 to 1: less in long texts.
    pub share: f32,
}

impl LateInteraction<'_> {
    /// The value of the best candidates and of the turns beside them, as far as they have codes.
    pub fn values(
        &self,
        arms: &Arms<'_>,
        candidates: &[Candidate],
        tick: u64,
    ) -> Result<HashMap<Slot, LateScore>> {
        let weights = &arms.settings.late;
        let mut order: Vec<&Candidate> =
            candidates.iter().filter(|candidate| candidate.is_relevant).collect();
        order.sort_unstable_by(|left, right| right.fused.total_cmp(&left.fused).then(left.id.cmp(&right.id)));
        let beside = |slot: Slot| {
            let row = arms.hot.row(slot);
            let turns = row.map_or([None; 2], |row| [row.previous, row.next]);
            // A turn after the tick that is asked about is not known yet.
            turns.map(|turn| turn.filter(|&turn| arms.hot.row(turn).is_some_and(|row| row.tick <= tick)))
        };
        let mut slots: Vec<Slot> = Vec::with_capacity(3 * weights.depth.min(order.len()));
        for candidate in order.into_iter().take(weights.depth) {
            slots.push(candidate.slot);
            slots.extend(beside(candidate.slot).into_iter().flatten());
        }
        slots.sort_unstable();
        slots.dedup();
        let found = self.matches(arms, &slots)?;
        let value = |slot: &Slot| {
            let own = found.get(slot)?;
            let mut wide = own.best.clone();
            let [previous, next] = beside(*slot).map(|turn| found.get(&turn?));
            for row in [previous.map(Matches::last), next.map(Matches::first)].into_iter().flatten() {
                for (best, other) in wide.iter_mut().zip(row) {
                    *best = best.max(weights.beside * other);
                }
            }
            let sum =
                (1.0 - weights.window) * self.query.sum(&own.best) + weights.window * self.query.sum(&wide);
            let value = sum - weights.chance * (own.tokens as f32).ln();
            Some((*slot, LateScore { value, share: weights.share(own.tokens) }))
        };
        Ok(slots.iter().filter_map(value).collect())
    }

    fn matches(&self, arms: &Arms<'_>, slots: &[Slot]) -> Result<HashMap<Slot, Matches>> {
        let known: Vec<(Slot, Id)> =
            slots.iter().filter_map(|&slot| Some((slot, arms.hot.row(slot)?.id))).collect();
        let ids: Vec<Id> = known.iter().map(|(_, id)| *id).collect();
        let mut found = HashMap::with_capacity(ids.len());
        let mut scratch = MatchScratch::default();
        self.source.visit_tokens(&ids, &mut |place, codes| {
            if let Some(matches) = self.query.matches(codes, &mut scratch) {
                found.insert(known[place].0, matches);
            }
        })?;
        Ok(found)
    }
}
