//! Reading one batch of verified episodes, outside of any transaction.

use std::collections::BTreeMap;

use super::statistics::statistic::Statistic;
use crate::capture::EpisodeLog;
use crate::error::{Error, Result};
use crate::facts::EVIDENCE_KEPT;
use crate::model::{Episode, Fingerprint, Id, Role, limits};

/// Episodes held in memory at once while a batch is read: each may weigh a megabyte.
const PAGE: usize = 32;
/// Pairs of subject and number that one episode may move; the rest are counted as skipped, so that one hostile payload
/// cannot make a pass endless.
pub const NUMBERS_PER_EPISODE: usize = 1_024;

/// Where a pass gets its episodes from; the log, or a stand-in.
pub trait VerifiedEpisodes {
    /// Whose episodes they are.
    fn agent(&self) -> &str;
    /// Number of the last verification that a crash cannot take back.
    fn last_verification(&self) -> Result<u64>;
    /// Episodes with a verification number above this one, in its order.
    fn verified_since(&self, number: u64, limit: usize) -> Result<Vec<(u64, Episode)>>;
    /// The episodes with these ids, or nothing in the place of one that is gone.
    fn episodes(&self, ids: &[Id]) -> Result<Vec<Option<Episode>>>;
    /// The model of their vectors.
    fn fingerprint(&self) -> Result<Option<Fingerprint>>;
    /// The vector of the whole text, if it was embedded.
    fn vector(&self, id: Id) -> Result<Option<Vec<f32>>>;
}

impl VerifiedEpisodes for EpisodeLog {
    fn agent(&self) -> &str {
        Self::agent(self)
    }

    fn last_verification(&self) -> Result<u64> {
        // A log that does not wait for the disk could lose a number that the facts already count.
        self.flush()?;
        Ok(self.stats()?.last_verification)
    }

    fn verified_since(&self, number: u64, limit: usize) -> Result<Vec<(u64, Episode)>> {
        Self::verified_since(self, number, limit)
    }

    fn episodes(&self, ids: &[Id]) -> Result<Vec<Option<Episode>>> {
        self.get(ids)
    }

    fn fingerprint(&self) -> Result<Option<Fingerprint>> {
        Self::fingerprint(self)
    }

    fn vector(&self, id: Id) -> Result<Option<Vec<f32>>> {
        match self.vectors(&[id]) {
            Ok(mut found) => Ok(found.pop().map(|vectors| vectors.whole)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Observations that a batch adds to one baseline.
#[derive(Clone, Debug)]
pub(crate) struct BaselineIncrement {
    /// Statistic of the batch alone.
    pub statistic: Statistic,
    /// Ticks of the first and the last observation.
    pub ticks: (u64, u64),
    /// The latest episodes.
    pub evidence: Vec<Id>,
    /// Ticks and numbers one by one, where the batch keeps them.
    pub numbers: Vec<(u64, f64)>,
}

/// An episode as far as it may restate a fact.
#[derive(Clone, Debug)]
pub(crate) struct Utterance {
    /// The episode.
    pub id: Id,
    /// When.
    pub tick: u64,
    /// Text.
    pub text: String,
    /// Its vector, if it is of the model asked for.
    pub vector: Option<Vec<f32>>,
}

/// One batch, boiled down.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Episodes in it.
    pub episodes: u64,
    /// Number of its last verification.
    pub last: u64,
    /// The latest tick in it.
    pub tick: u64,
    /// Observations, by subject and metric.
    pub observed: BTreeMap<(String, String), BaselineIncrement>,
    /// Statements, by tick.
    pub sayings: Vec<Utterance>,
    /// Numbers that were left out: too many in one episode, or under an over-long name.
    pub skipped: u64,
    /// Episodes with numbers but without a subject to keep them under.
    pub unnamed: u64,
    /// Whether each number is kept, and not only what they are together.
    one_by_one: bool,
}

/// Reads up to `limit` episodes after the watermark; vectors only of the given model. `last` is the number of the last
/// verification: where no episode is left up to it, those that were there are forgotten, and none waits.
pub(crate) fn gather(
    source: &impl VerifiedEpisodes,
    (watermark, last): (u64, u64),
    limit: usize,
    model: Option<&Fingerprint>,
) -> Result<Batch> {
    let theirs = source.fingerprint()?;
    let comparable = matches!((model, &theirs), (Some(ours), Some(theirs)) if ours.matches(theirs));
    let mut batch = Batch { last: watermark, ..Batch::one_by_one() };
    let mut left = limit;
    while left > 0 {
        let page = source.verified_since(batch.last, left.min(PAGE))?;
        if page.is_empty() {
            batch.last = batch.last.max(last);
            break;
        }
        left -= page.len().min(left);
        for (number, episode) in page {
            batch.last = batch.last.max(number);
            batch.tick = batch.tick.max(episode.tick);
            batch.episodes += 1;
            batch.count(&episode);
            // The agent's own words may be recalled knowledge: an echo is no evidence (law 5).
            if episode.role != Role::Agent {
                let vector = if comparable { source.vector(episode.id)? } else { None };
                batch.sayings.push(Utterance {
                    id: episode.id,
                    tick: episode.tick,
                    text: episode.text,
                    vector,
                });
            }
        }
    }
    batch.sayings.sort_by_key(|saying| (saying.tick, saying.id));
    Ok(batch)
}

impl Batch {
    /// An empty batch that keeps each number.
    pub fn one_by_one() -> Self {
        Self { one_by_one: true, ..Self::default() }
    }

    /// Adds the numbers of an episode to the baseline of each of its subjects, each name once.
    ///
    /// The numbers of a decision are those of its own episode: the record of its outcome repeats them.
    pub fn count(&mut self, episode: &Episode) {
        if episode.recorded_as().is_some() {
            return;
        }
        let mut numbers: BTreeMap<String, f64> = BTreeMap::new();
        let mut over_long = 0;
        episode.payload.numbers(&mut |path, number| {
            if path.is_empty() || path.len() > limits::NAME_BYTES {
                over_long += 1;
            } else if numbers.len() < NUMBERS_PER_EPISODE || numbers.contains_key(path) {
                numbers.entry(path.to_owned()).or_insert(number);
            } else {
                over_long += 1;
            }
        });
        self.skipped += over_long;
        if episode.subjects.is_empty() {
            self.unnamed += u64::from(!numbers.is_empty());
            return;
        }
        let mut subjects: Vec<&String> = episode.subjects.iter().collect();
        subjects.sort_unstable();
        subjects.dedup();
        let mut room = NUMBERS_PER_EPISODE;
        for subject in subjects {
            for (metric, number) in &numbers {
                if room == 0 {
                    self.skipped += 1;
                    continue;
                }
                room -= 1;
                self.observe(subject, metric, *number, episode);
            }
        }
    }

    fn observe(&mut self, subject: &str, metric: &str, number: f64, episode: &Episode) {
        let one = Statistic::of(number);
        let key = (subject.to_owned(), metric.to_owned());
        let observed = self
            .observed
            .entry(key)
            .and_modify(|observed| observed.statistic = observed.statistic.merge(&one))
            .or_insert_with(|| BaselineIncrement {
                statistic: one,
                ticks: (episode.tick, episode.tick),
                evidence: Vec::new(),
                numbers: Vec::new(),
            });
        if self.one_by_one {
            observed.numbers.push((episode.tick, number));
        }
        observed.ticks.0 = observed.ticks.0.min(episode.tick);
        observed.ticks.1 = observed.ticks.1.max(episode.tick);
        if observed.evidence.len() == EVIDENCE_KEPT {
            observed.evidence.remove(0);
        }
        observed.evidence.push(episode.id);
    }
}
