//! Baselines after a deletion: what a forgotten episode added to a statistic is taken out of it, by counting the
//! episodes that are left once more. (Subtracting would leave its minimum and maximum, and lose digits.)

use std::collections::BTreeSet;

use super::baseline;
use crate::consolidate::batch::{Batch, VerifiedEpisodes};
use crate::consolidate::curator::WATERMARK;
use crate::consolidate::observed_ticks::ObservedTicks;
use crate::error::Result;
use crate::facts::FactStore;
use crate::facts::transaction::counter;
use crate::model::{Episode, Id};

/// Episodes held in memory at once.
const PAGE: usize = 32;

/// A number about a subject, by both names.
pub type NumberName = (String, String);

/// Report of a recount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecountReport {
    /// Baselines that were counted again.
    pub baselines: usize,
    /// Facts that stated a baseline of which too little is left.
    pub deleted: Vec<Id>,
}

/// The baselines that an episode can have moved.
#[must_use]
pub fn number_names(episodes: &[Episode]) -> Vec<NumberName> {
    let mut batch = Batch::default();
    for episode in episodes {
        batch.count(episode);
    }
    batch.observed.into_keys().collect()
}

/// Counts baselines again from the verified episodes that were counted and still exist. No other process may
/// consolidate meanwhile.
pub fn recount(
    store: &FactStore,
    source: &impl VerifiedEpisodes,
    names: &[NumberName],
    minimum: u64,
    seconds: Option<i64>,
) -> Result<RecountReport> {
    let source = &ObservedTicks::new(source, seconds);
    if names.is_empty() {
        return Ok(RecountReport::default());
    }
    let wanted: BTreeSet<&NumberName> = names.iter().collect();
    let subjects: BTreeSet<&str> = names.iter().map(|name| name.0.as_str()).collect();
    let watermark = store.read(|connection| counter(connection, WATERMARK))?.unsigned_abs();
    let mut batch = Batch::default();
    let mut number = 0;
    'pages: loop {
        let page = source.verified_since(number, PAGE)?;
        if page.is_empty() {
            break;
        }
        for (next, episode) in page {
            if next > watermark {
                break 'pages;
            }
            number = next;
            if episode.subjects.iter().any(|subject| subjects.contains(subject.as_str())) {
                batch.count(&episode);
            }
        }
        batch.observed.retain(|name, _| wanted.contains(name));
    }
    store.write(|writer| {
        let mut report = RecountReport::default();
        for name in &wanted {
            baseline::replace(writer, name, batch.observed.get(*name), minimum, &mut report)?;
        }
        Ok(report)
    })
}
