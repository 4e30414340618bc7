//! Episodes with the ticks at which they were observed, where ticks are seconds of the clock.
//!
//! Ticks of one writer never decrease, so that an old observation recorded after a newer one has the tick of the newer
//! one. Facts have the age of what they rest on, and links and rhythms are found by the true times.

use super::batch::VerifiedEpisodes;
use crate::error::Result;
use crate::model::{Episode, Fingerprint, Id};

const MICROS_PER_SECOND: i64 = 1_000_000;

/// Source whose episodes have the ticks at which they were observed.
pub(crate) struct ObservedTicks<'source, S> {
    source: &'source S,
    /// Offset of the ticks from the seconds of the epoch; `None` where ticks are loops, which have no times.
    offset: Option<i64>,
}

impl<'source, S: VerifiedEpisodes> ObservedTicks<'source, S> {
    pub(crate) const fn new(source: &'source S, offset: Option<i64>) -> Self {
        Self { source, offset }
    }

    /// Lowers the tick of an episode to the second of its observation; an observation in the future keeps its tick.
    fn date(&self, episode: &mut Episode) {
        if let Some(offset) = self.offset {
            let second = episode.at.div_euclid(MICROS_PER_SECOND).saturating_add(offset);
            episode.tick = episode.tick.min(u64::try_from(second).unwrap_or(0));
        }
    }
}

impl<S: VerifiedEpisodes> VerifiedEpisodes for ObservedTicks<'_, S> {
    fn agent(&self) -> &str {
        self.source.agent()
    }

    fn last_verification(&self) -> Result<u64> {
        self.source.last_verification()
    }

    fn verified_since(&self, number: u64, limit: usize) -> Result<Vec<(u64, Episode)>> {
        let mut page = self.source.verified_since(number, limit)?;
        for (_, episode) in &mut page {
            self.date(episode);
        }
        Ok(page)
    }

    fn episodes(&self, ids: &[Id]) -> Result<Vec<Option<Episode>>> {
        let mut found = self.source.episodes(ids)?;
        for episode in found.iter_mut().flatten() {
            self.date(episode);
        }
        Ok(found)
    }

    fn fingerprint(&self) -> Result<Option<Fingerprint>> {
        self.source.fingerprint()
    }

    fn vector(&self, id: Id) -> Result<Option<Vec<f32>>> {
        self.source.vector(id)
    }
}
