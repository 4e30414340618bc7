//! Facts stored together with how far their reader has come, as one act, in one transaction: nothing counts twice.

use super::acts::{ActCounts, Actor};
use super::end_cause::EndCause;
use super::fingerprint::FactVectors;
use super::slots::{Effects, Moment, NewerFact, Resolution, apply};
use super::sqlite::Step;
use super::store::FactStore;
use super::transaction::{ANSWERS, Writer, counter, set_meta};
use super::transitions::link_correction;
use super::upsert::{UpsertOutcome, check_offered};
use crate::error::{Error, Result};
use crate::model::{Fact, Id, Micros};

/// A number that is written with the facts it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CounterUpdate {
    /// How far a reader has come, under its name.
    Mark(String, i64),
    /// More of what a language model answered in stage 2: `new`, `update` or `duplicate`.
    Answered(String, i64),
}

impl CounterUpdate {
    fn write(&self, writer: &Writer<'_>) -> Step<()> {
        match self {
            Self::Mark(name, value) => set_meta(&writer.transaction, &mark_key(name), value),
            Self::Answered(answer, more) => {
                writer.count(&format!("upsert_llm_{answer}"), *more)?;
                Ok(())
            }
        }
    }

    fn check(&self) -> Result<()> {
        match self {
            Self::Answered(answer, _) if !ANSWERS.contains(&answer.as_str()) => Err(Error::invalid(
                format!("there is no answer {answer:?}"),
                "Use one of: new, update, duplicate",
            )),
            _ => Ok(()),
        }
    }
}

pub(crate) fn mark_key(name: &str) -> String {
    format!("mark_{name}")
}

impl FactStore {
    /// Upserts facts as an act of `actor`, with numbers that are written in the same transaction.
    pub fn upsert_with_counters(
        &self,
        facts: &[Fact],
        vectors: Option<FactVectors<'_>>,
        (tick, now): (u64, Micros),
        actor: &str,
        notes: &[CounterUpdate],
    ) -> Result<Vec<(Id, UpsertOutcome)>> {
        self.upsert_resolved(facts, vectors, (tick, now), actor, notes, Effects::default())
            .map(|(outcomes, _)| outcomes)
    }

    /// Upserts facts as [`FactStore::upsert_with_counters`] does, with verdicts on older facts and links between
    /// episodes of which the first corrects the second, all in one transaction.
    pub fn upsert_resolved(
        &self,
        facts: &[Fact],
        vectors: Option<FactVectors<'_>>,
        (tick, now): (u64, Micros),
        actor: &str,
        notes: &[CounterUpdate],
        Effects { resolutions, corrections }: Effects<'_>,
    ) -> Result<(Vec<(Id, UpsertOutcome)>, ActCounts)> {
        check_offered(facts, vectors)?;
        let outside = |resolution: &Resolution| match resolution.newer {
            NewerFact::InBatch(place) => Some(place).filter(|place| *place >= facts.len()),
            NewerFact::Stored(_) => None,
        };
        if let Some(wrong) = resolutions.iter().find_map(outside) {
            return Err(Error::invalid(
                format!("a resolution names fact {wrong} of {}", facts.len()),
                "Pass the place of the newer fact in its batch",
            ));
        }
        resolutions.iter().try_for_each(|resolution| EndCause::rule(&resolution.rule).map(|_| ()))?;
        notes.iter().try_for_each(CounterUpdate::check)?;
        let stored = |writer: &Writer<'_>| {
            let outcomes = self.upsert_all(writer, facts, vectors, tick, now)?;
            notes.iter().try_for_each(|note| note.write(writer))?;
            let moment = Moment { tick, now, retention: self.retention() };
            for resolution in resolutions {
                let newer = match resolution.newer {
                    NewerFact::InBatch(place) => outcomes[place].0,
                    NewerFact::Stored(id) => id,
                };
                apply(writer, newer, resolution, moment)?;
            }
            for &correction in corrections.iter().filter(|(newer, older, _)| newer != older) {
                link_correction(writer, correction, tick)?;
            }
            Ok(outcomes)
        };
        self.counted_act(Actor { name: actor, tick, now }, stored)
    }

    /// How far a reader has come by its own account; 0 if it never said.
    pub fn mark(&self, name: &str) -> Result<i64> {
        self.read(|connection| counter(connection, &mark_key(name)))
    }
}
