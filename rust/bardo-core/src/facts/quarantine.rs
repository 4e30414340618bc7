//! Quarantine: an inferred fact is held. It gains and loses by evidence like any other, but is invisible to recall until
//! the shadow trial against the memory releases or withdraws it.

use super::acts::{Actor, SHADOW, withdraw};
use super::end_cause::EndCause;
use super::rows as record;
use super::slots::{Moment, settle};
use super::sqlite::rows;
use super::store::{FactStore, facts};
use super::transitions::{held_of, release};
use crate::error::Result;
use crate::model::{Fact, Id, Micros};

impl FactStore {
    /// Facts that are held, the oldest first.
    pub fn quarantined(&self, limit: usize) -> Result<Vec<Fact>> {
        self.read(|connection| {
            let found =
                record::select(connection, "WHERE status = 'held' ORDER BY serial LIMIT ?1", [rows(limit)])?;
            Ok(facts(found))
        })
    }

    /// How many facts are held.
    pub fn count_quarantined(&self) -> Result<u64> {
        self.read(|connection| {
            let count: i64 = connection
                .prepare_cached("SELECT count(*) FROM facts WHERE status = 'held'")?
                .query_row([], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        })
    }

    /// Puts those of these facts in force that are held; says how many, and how many others that ended. They are known
    /// from this tick on.
    pub fn release(&self, ids: &[Id], tick: u64, now: Micros) -> Result<(usize, u64)> {
        self.write(|writer| {
            let mut released = 0;
            for stored in held_of(writer, ids)? {
                let id = stored.fact.id;
                release(writer, stored, tick)?;
                settle(writer, id, Moment { tick, now, retention: self.retention() })?;
                released += 1;
            }
            Ok((released, writer.ended()?.superseded))
        })
    }

    /// Archives those of these facts that are held, pinned ones aside, as one act; the answer is its number, none if nothing
    /// was archived. Undoing the act is a judgement: it puts the facts in force.
    pub fn withdraw(&self, ids: &[Id], tick: u64, now: Micros) -> Result<Option<u64>> {
        let ((), act) = self.act(Actor { name: SHADOW, tick, now }, |writer| {
            for stored in held_of(writer, ids)? {
                if !stored.fact.pinned {
                    withdraw(writer, stored, &EndCause::Quarantine, tick)?;
                }
            }
            Ok(())
        })?;
        Ok(act)
    }
}
