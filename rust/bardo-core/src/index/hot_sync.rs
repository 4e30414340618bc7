//! Filling the hot set from the ground truth, and keeping it in step with facts that any process may change.

use super::FactStore;
use super::hot::HotSet;
use crate::capture::EpisodeLog;
use crate::error::Result;

/// Changed facts read at once.
const PAGE: usize = 1024;

impl HotSet {
    /// The hot set of a log and its facts, streamed: nothing is held twice.
    pub fn load(log: &EpisodeLog, facts: &FactStore) -> Result<Self> {
        let mut hot = Self::default();
        log.for_each_arrival(0, |_, episode, vectors| {
            hot.add_episode(&episode)?;
            if let Some(vectors) = vectors {
                let sentences: Vec<&[f32]> = vectors.sentences.iter().map(Vec::as_slice).collect();
                hot.set_vectors(&episode.id, &vectors.whole, &sentences)?;
            }
            Ok(())
        })?;
        hot.sync_facts(facts)?;
        Ok(hot)
    }

    /// Whether no fact changed since the last [`HotSet::sync_facts`]: one look at a counter.
    pub fn is_in_step(&self, facts: &FactStore) -> Result<bool> {
        Ok(facts.last_change()? == self.facts_change && facts.names_taken()? == self.graph.taken)
    }

    /// Takes over the facts that changed since the last call, whichever process changed them; returns how many.
    pub fn sync_facts(&mut self, facts: &FactStore) -> Result<usize> {
        let mut taken = 0;
        loop {
            let page = facts.changed_since(self.facts_change, PAGE)?;
            for changed in &page {
                self.put_fact(&changed.fact)?;
                if let Some(vector) = &changed.vector {
                    self.set_vectors(&changed.fact.id, vector, &[])?;
                }
                self.facts_change = changed.change;
            }
            taken += page.len();
            if page.len() < PAGE {
                facts.follow_graph(self)?;
                return Ok(taken);
            }
        }
    }
}
