//! Fills the hot set from the ground truth, and synchronises it with facts that any process may change.

use std::sync::Arc;

use super::hot_set::HotSet;
use crate::capture::{EpisodeLog, EpisodeVectors, Stats};
use crate::error::Result;
use crate::facts::FactStore;
use crate::model::{Fingerprint, Id};

/// Number of changed facts per read.
const PAGE: usize = 1024;

/// State of a log on which a hot set depends.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    episodes: u64,
    with_vectors: u64,
    last_seq: u64,
    last_verification: u64,
    fingerprint: Option<Fingerprint>,
}

impl Origin {
    /// Present state of a log.
    pub fn of(log: &EpisodeLog) -> Result<Self> {
        let Stats { episodes, with_vectors, last_seq, last_verification, .. } = log.stats()?;
        Ok(Self { episodes, with_vectors, last_seq, last_verification, fingerprint: log.fingerprint()? })
    }
}

impl HotSet {
    /// Applies the changes in the stores since the state `origin`, in which this hot set was built. Returns false
    /// if it must be rebuilt: after a deletion, or with another model.
    pub fn catch_up(&mut self, origin: &Origin, log: &EpisodeLog, facts: &FactStore) -> Result<bool> {
        let now = Origin::of(log)?;
        if now != *origin {
            let deleted = origin.episodes + now.last_seq.saturating_sub(origin.last_seq) != now.episodes;
            if deleted || now.fingerprint != origin.fingerprint {
                return Ok(false);
            }
            self.replay(log, origin.last_seq)?;
            let mut number = origin.last_verification;
            loop {
                let page = log.verified_since(number, PAGE)?;
                let Some((last, _)) = page.last() else { break };
                number = *last;
                for (_, episode) in page {
                    self.update_episode(&Arc::new(episode));
                }
            }
            if now.with_vectors != origin.with_vectors {
                self.read_vectors(log, facts)?;
            }
        }
        self.sync_facts(facts)?;
        Ok(self.facts() as u64 == facts.count()?)
    }

    /// Builds the hot set of a log and its facts in a streaming pass: nothing is held twice. Arrivals up to
    /// `cold_upto` are left out.
    pub fn load(log: &EpisodeLog, facts: &FactStore, cold_upto: u64) -> Result<Self> {
        let mut hot = Self { cold_upto, ..Self::default() };
        hot.replay(log, cold_upto)?;
        hot.sync_facts(facts)?;
        Ok(hot)
    }

    /// Adds the arrivals above a number; returns how many.
    pub(crate) fn replay(&mut self, log: &EpisodeLog, after_seq: u64) -> Result<u64> {
        let mut replayed = 0;
        log.for_each_arrival(after_seq, |_, episode, vectors| {
            let episode = Arc::new(episode);
            self.add_shared(&episode)?;
            if let Some(vectors) = vectors {
                self.put_vectors(&episode.id, &vectors)?;
            }
            replayed += 1;
            Ok(())
        })?;
        Ok(replayed)
    }

    pub(crate) fn put_vectors(&mut self, id: &Id, vectors: &EpisodeVectors) -> Result<()> {
        let sentences: Vec<&[f32]> = vectors.sentences.iter().map(Vec::as_slice).collect();
        self.set_vectors(id, &vectors.whole, &sentences)
    }

    /// Evicts the arrivals up to a number; returns how many were removed. The caller ensures that LanceDB has them.
    pub fn evict(&mut self, log: &EpisodeLog, upto: u64) -> Result<usize> {
        let ids = log.arrivals_between(self.cold_upto, upto)?;
        self.cold_upto = self.cold_upto.max(upto);
        Ok(ids.iter().filter(|id| self.remove(id)).count())
    }

    /// Whether no fact changed since the last [`HotSet::sync_facts`]: reads one counter.
    pub fn is_current(&self, facts: &FactStore) -> Result<bool> {
        Ok(facts.last_change()? == self.facts_change && facts.names_taken()? == self.graph.taken)
    }

    /// Applies the fact changes of any process since the last call; returns their number.
    pub fn sync_facts(&mut self, facts: &FactStore) -> Result<usize> {
        if let Some(looked_at) = self.sync_looks(facts)? {
            return Ok(looked_at);
        }
        // Read before the facts: facts learned meanwhile are applied once more.
        let learned = facts.last_learned()?;
        let mut taken = 0;
        loop {
            let page = facts.changed_since(self.facts_change, PAGE)?;
            for changed in &page {
                self.put_fact_in(&changed.fact, &changed.scope)?;
                if let Some(vector) = &changed.vector {
                    self.set_vectors(&changed.fact.id, vector, &[])?;
                }
                self.facts_change = changed.change;
            }
            taken += page.len();
            if page.len() < PAGE {
                facts.follow_graph(self)?;
                self.judged = facts.judged_by_confidence()?;
                self.facts_learned = Some(learned);
                return Ok(taken);
            }
        }
    }

    /// Updates the retrieval counts of facts if nothing else changed; `None` if more did.
    fn sync_looks(&mut self, facts: &FactStore) -> Result<Option<usize>> {
        let Some(learned) = self.facts_learned else { return Ok(None) };
        if facts.names_taken()? != self.graph.taken {
            return Ok(None);
        }
        let Some(looks) = facts.looks_since(self.facts_change, learned)? else { return Ok(None) };
        if looks.iter().any(|(_, id, _)| self.slot(id).is_none()) {
            return Ok(None);
        }
        for (change, id, mentions) in &looks {
            if let Some(row) = self.slot(id).and_then(|slot| self.rows[slot as usize].as_mut())
                && let Some(fact) = &mut row.fact
            {
                fact.mentions = *mentions;
            }
            self.facts_change = *change;
        }
        Ok(Some(looks.len()))
    }
}
