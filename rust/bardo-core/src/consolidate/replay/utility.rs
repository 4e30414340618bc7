//! Utility of replaying an episode: gain times need (Mattar and Daw, Nature Neuroscience 21, 2018).

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::buffer::{Draw, ReplayBuffer};
use crate::consolidate::batch::VerifiedEpisodes;
use crate::error::Result;
use crate::facts::FactStore;
use crate::facts::rows as record;
use crate::facts::schema::Direction;
use crate::facts::sqlite::Step;
use crate::model::decay::confidence_now;
use crate::model::{Episode, Id};

/// Situations met lately that tell what is needed.
const LATELY: usize = 64;
/// How much less each earlier one counts: the discount of the expected future occupancy.
const DISCOUNT: f64 = 0.95;
/// Episodes read at once.
const PAGE: usize = 256;

/// A situation: what it was about, and its vector where it has one.
struct Surrounding {
    names: BTreeSet<String>,
    vector: Option<Direction>,
}

/// Draws episodes by utility, of candidates that are drawn evenly.
pub fn sample_by_utility(
    buffer: &mut ReplayBuffer,
    store: &FactStore,
    source: &impl VerifiedEpisodes,
    (count, candidates): (usize, usize),
    tick: u64,
    seed: u64,
) -> Result<Vec<Draw>> {
    let places = buffer.candidates(candidates.max(count), seed);
    let utilities = utilities(store, source, buffer, &places, tick)?;
    Ok(buffer.sample_by(&places, &utilities, count, seed))
}

/// Gain times need of the episodes at these places of the buffer, each 0..1.
///
/// Gain: by how much one more look would change what the episode touches: the mean of a baseline, in its standard
/// deviations, and the confidence of the facts that it is evidence of; averaged over all of them. Need: how alike it is to
/// the last 64 verified episodes, where each earlier one counts 5 % less: cosine of their vectors, or the share of common
/// subjects where one has none. An episode that is gone is worth nothing.
pub fn utilities(
    store: &FactStore,
    source: &impl VerifiedEpisodes,
    buffer: &ReplayBuffer,
    places: &[usize],
    tick: u64,
) -> Result<Vec<f64>> {
    let lately: Vec<Id> = buffer.latest(LATELY).collect();
    let lately = situations(source, source.episodes(&lately)?)?;
    let retention = store.retention();
    let mut found = Vec::with_capacity(places.len());
    for page in places.chunks(PAGE) {
        let ids: Vec<Id> = page.iter().map(|place| buffer.id(*place)).collect();
        let episodes = source.episodes(&ids)?;
        let gains = store.read(|connection| {
            episodes
                .iter()
                .map(|episode| match episode {
                    Some(episode) => {
                        gain(connection, episode, tick, retention.tau_ticks, retention.reinforcement)
                    }
                    None => Ok(0.0),
                })
                .collect::<Step<Vec<f64>>>()
        })?;
        let needs = situations(source, episodes)?;
        found.extend(gains.iter().zip(&needs).map(|(gain, situation)| gain * need(situation, &lately)));
    }
    Ok(found)
}

fn situations(source: &impl VerifiedEpisodes, episodes: Vec<Option<Episode>>) -> Result<Vec<Surrounding>> {
    episodes
        .into_iter()
        .map(|episode| {
            let Some(episode) = episode else {
                return Ok(Surrounding { names: BTreeSet::new(), vector: None });
            };
            let vector = source.vector(episode.id)?.map(Direction::of);
            let mut names: BTreeSet<String> = episode.subjects.into_iter().collect();
            names.insert(episode.kind);
            Ok(Surrounding { names, vector })
        })
        .collect()
}

fn need(situation: &Surrounding, lately: &[Surrounding]) -> f64 {
    discounted_need(lately.iter().map(|other| context_similarity(situation, other)))
}

/// Need: mean similarity to the latest situations, the latest first, each earlier one discounted.
#[must_use]
pub fn discounted_need(similarities: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut weights, mut weight) = (0.0, 0.0, 1.0);
    for similarity in similarities.into_iter().take(LATELY) {
        sum += weight * similarity;
        weights += weight;
        weight *= DISCOUNT;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// Gain of one more observation: shift of the mean of `n` observations in standard deviations, at most 1.
#[must_use]
pub fn mean_shift(number: f64, n: f64, mean: f64, deviation: f64) -> f64 {
    let distance = (number / 2.0 - mean / 2.0).abs() / (deviation / 2.0).max(f64::MIN_POSITIVE);
    (distance / (n + 1.0)).min(1.0)
}

fn context_similarity(a: &Surrounding, b: &Surrounding) -> f64 {
    if let (Some(a), Some(b)) = (&a.vector, &b.vector) {
        return a.cosine(b).clamp(0.0, 1.0);
    }
    let both = a.names.intersection(&b.names).count();
    both as f64 / a.names.union(&b.names).count().max(1) as f64
}

fn gain(connection: &Connection, episode: &Episode, tick: u64, tau_ticks: f64, step: f64) -> Step<f64> {
    let mut changes = Vec::new();
    let mut numbers = Vec::new();
    episode.payload.numbers(&mut |path, number| numbers.push((path.to_owned(), number)));
    for subject in &episode.subjects {
        for (metric, number) in &numbers {
            changes.extend(moves(connection, subject, metric, *number)?);
        }
    }
    let mut facts = connection.prepare_cached("SELECT fact FROM evidence WHERE episode = ?1")?;
    let serials: Vec<i64> =
        facts.query_map([episode.id.0], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for serial in serials {
        for stored in record::select(connection, "WHERE serial = ?1", [serial])? {
            changes.push(step * (1.0 - confidence_now(&stored.fact, tick, tau_ticks)));
        }
    }
    Ok(changes.iter().sum::<f64>() / changes.len().max(1) as f64)
}

/// By how many standard deviations one more such number would move a mean.
fn moves(connection: &Connection, subject: &str, metric: &str, number: f64) -> Step<Option<f64>> {
    let baseline: Option<(f64, f64, f64)> = connection
        .prepare_cached(
            "SELECT n, mean, deviation, intact FROM baselines WHERE subject = ?1 AND metric = ?2",
        )?
        .query_row(params![subject, metric], |row| {
            Ok((row.get::<_, i64>(0)? as f64, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    Ok(baseline.map(|(n, mean, deviation)| mean_shift(number, n, mean, deviation)))
}
