//! The records behind what was found, read in the same call: one look into each store for all that are not at hand.

use std::sync::Arc;

use super::explain::{Hit, SearchResult};
use crate::capture::EpisodeLog;
use crate::error::Result;
use crate::facts::FactStore;
use crate::index::hot::Layer;
use crate::model::{Episode, Fact, Id, Source};

/// Ids that a note on missing records names.
const NAMED: usize = 3;

/// Full record of a memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// Episode of the log.
    Episode(Arc<Episode>),
    /// Fact of the fact store.
    Fact(Box<Fact>),
}

impl Record {
    /// Text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Episode(episode) => &episode.text,
            Self::Fact(fact) => &fact.text,
        }
    }

    /// Whether another life learned it.
    #[must_use]
    pub fn is_inherited(&self) -> bool {
        match self {
            Self::Episode(episode) => episode.source() != Source::SelfLived,
            Self::Fact(fact) => fact.generation > 0,
        }
    }
}

/// Reads the record of every hit, facts as they were at the end of `as_of` if that is given. A hit whose record has left
/// its store meanwhile leaves the answer with a note.
pub fn read(
    found: &mut SearchResult,
    log: &EpisodeLog,
    facts: &FactStore,
    as_of: Option<u64>,
) -> Result<Vec<Record>> {
    let of_layer = |layer: Layer| found.hits.iter().filter(move |hit| hit.layer == layer);
    let elsewhere = of_layer(Layer::Episode).filter(|hit| hit.episode.is_none());
    let places: Vec<_> = elsewhere.map(|hit| (hit.tick, hit.event_index, hit.id)).collect();
    let ids: Vec<Id> = of_layer(Layer::Fact).map(|hit| hit.id).collect();
    let episodes = if places.is_empty() { Vec::new() } else { log.at(&places)? };
    let known = match as_of {
        _ if ids.is_empty() => Vec::new(),
        None => facts.get(&ids)?,
        Some(tick) => facts.get_as_of(&ids, tick)?,
    };
    let (mut episodes, mut known) = (episodes.into_iter(), known.into_iter());
    let mut records = Vec::with_capacity(found.hits.len());
    let mut missing = Vec::new();
    found.hits.retain(|hit: &Hit| {
        let record = match hit.layer {
            Layer::Episode => match &hit.episode {
                Some(episode) => Some(Record::Episode(Arc::clone(episode))),
                None => episodes.next().flatten().map(|episode| Record::Episode(Arc::new(episode))),
            },
            Layer::Fact => known.next().flatten().map(|fact| Record::Fact(Box::new(fact))),
        };
        if record.is_none() {
            missing.push(hit.id.to_string());
        }
        let is_there = record.is_some();
        records.extend(record);
        is_there
    });
    if !missing.is_empty() {
        let named = missing.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        found.notes.push(format!("{} memories are no longer in their store: {named}", missing.len()));
    }
    Ok(records)
}
