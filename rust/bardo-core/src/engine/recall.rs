//! Searches the hot set: reads pending vectors, takes the lock, and reuses buffers.

use std::sync::PoisonError;

use super::{Engine, Stores};
use crate::error::Result;
use crate::model::Id;
use crate::recall::explain::SearchResult;
use crate::recall::records::{self, Record};
use crate::recall::search::{Query, Scratch, search};
use crate::recall::settings::Settings;
use crate::recall::{asker_state, single_arm};

impl Engine {
    /// Finds the memories that matter for a query; see [`search`].
    pub fn search(&self, query: &Query<'_>, settings: &Settings) -> Result<SearchResult> {
        self.read_pending_vectors()?;
        self.with_scratch(|scratch| search(&self.read(), query, settings, scratch))
    }

    /// [`Engine::search`] with the record of every hit, read from `stores`. A hit without a record is dropped from the
    /// answer with a note.
    pub fn recall(
        &self,
        query: &Query<'_>,
        settings: &Settings,
        stores: &Stores,
    ) -> Result<(SearchResult, Vec<Record>)> {
        let mut found = self.search(query, settings)?;
        let records = records::read(&mut found, &stores.log, &stores.facts, query.filters.as_of)?;
        Ok((found, records))
    }

    /// The memories nearest to a vector, with the cosine of their best sentence.
    pub fn nearest(&self, vector: &[f32], limit: usize) -> Result<Vec<(Id, f32)>> {
        self.read_pending_vectors()?;
        single_arm::nearest(&self.read(), vector, limit)
    }

    /// The memories that contain words of a text, with their BM25 score.
    #[must_use]
    pub fn matching(&self, text: &str, limit: usize) -> Vec<(Id, f32)> {
        let settings = Settings::default();
        self.with_scratch(|scratch| single_arm::matching(&self.read(), text, limit, &settings, scratch))
    }

    /// At most `count` turns before and after each memory in its conversation, in order.
    #[must_use]
    pub fn neighbours(&self, ids: &[Id], count: usize) -> Vec<(Vec<Id>, Vec<Id>)> {
        let hot = self.read();
        ids.iter().map(|id| hot.neighbours(id, count)).collect()
    }

    /// The mode of the latest episode of a thread that has one.
    #[must_use]
    pub fn posture(&self, thread: &str) -> Option<String> {
        asker_state::posture(&self.read(), thread).map(str::to_owned)
    }

    /// Whether an episode of a session is in the hot set.
    #[must_use]
    pub fn has_begun(&self, session: &str) -> bool {
        asker_state::has_begun(&self.read(), session)
    }

    /// Numbers of memories, and their size in memory in bytes, by name.
    pub fn stats(&self) -> Result<[(&'static str, usize); 9]> {
        self.read_pending_vectors()?;
        let hot = self.read();
        Ok([
            ("bytes_of_words", hot.lexical().bytes()),
            ("bytes_of_vectors", hot.vectors().bytes()),
            ("memories", hot.len()),
            ("episodes", hot.len() - hot.facts()),
            ("facts", hot.facts()),
            ("vectors", hot.vectors().len()),
            ("dims", hot.vectors().dims()),
            ("terms", hot.lexical().term_count()),
            ("bytes", hot.bytes()),
        ])
    }

    fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch =
            self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let found = work(&mut scratch);
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        found
    }
}
