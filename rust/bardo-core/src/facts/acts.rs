//! The journal: which facts were changed under a name, how they were before and after, and how that is taken back.
//!
//! Each inference (a pass of the Curator, lint, a dream) writes its facts as an *act*: one transaction with a name,
//! a tick and a time. Nothing is copied that `versions` does not keep as well, but an act knows what belongs together,
//! and undoing it is an act of its own: it can be undone in turn.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};

use super::end_cause::EndCause;
use super::rows::{self as record, StoredFact, json, signed, unreadable};
use super::sqlite::{Step, rows};
use super::store::FactStore;
use super::transaction::{EDGES, Writer};
use super::transitions::{Relation, archive, release};
use super::versions::{fields, restored};
use crate::error::{Error, Result};
use crate::model::{FactStatus, Id, Micros};

/// Acts that are kept; older ones can no longer be undone. A Curator at its default pace makes one every 50 ticks.
const ACTS_KEPT: usize = 1_024;
/// Changes of facts that are kept in all, so that passes over large batches do not fill the file.
const CHANGES_KEPT: usize = 65_536;
/// Acts between two counts of the changes: counting takes as long as there are many.
const COUNTED_EVERY: i64 = 16;

/// Name and time of the writer of an act.
#[derive(Clone, Copy, Debug)]
pub struct Actor<'a> {
    /// Name in one word: `curator`, `lint`, `dream`.
    pub name: &'a str,
    /// Logical time.
    pub tick: u64,
    /// Wall clock, microseconds UTC.
    pub now: Micros,
}

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// Its number, from 1.
    pub number: u64,
    /// Name of the writer.
    pub name: String,
    /// When, in ticks.
    pub tick: u64,
    /// When, in microseconds UTC.
    pub at: Micros,
    /// The act that undid it.
    pub undone_by: Option<u64>,
    /// Changes per fact, in the order of the first change.
    pub changes: Vec<ActChange>,
}

/// Change of one fact by an act: only the fields that changed.
#[derive(Clone, Debug, PartialEq)]
pub struct ActChange {
    /// The fact.
    pub fact: Id,
    /// The fields as they were; none if the fact was born.
    pub before: Option<Map<String, Value>>,
    /// The same fields as they became; of a fact that was born all.
    pub after: Map<String, Value>,
}

/// Result of undoing an act.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoReport {
    /// The act that undid the other; it can be undone as well.
    pub act: u64,
    /// Facts that are as they were before.
    pub restored: Vec<Id>,
    /// Facts that the act had brought into being, and that are archived now.
    pub withdrawn: Vec<Id>,
    /// Facts of which something had changed again meanwhile, with the names of the fields that stay as they are.
    pub kept: Vec<(Id, Vec<String>)>,
}

/// Numbers of what an act did to facts that were known before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActCounts {
    /// Number of the act; none if no fact was touched.
    pub act: Option<u64>,
    /// Facts that became history.
    pub superseded: u64,
    /// Pairs of facts that were found to contradict each other.
    pub disputed: u64,
}

impl FactStore {
    /// Writes in one transaction, and notes what was done to facts as an act of `actor`; gives the number of the act, or
    /// none if no fact was touched.
    pub(crate) fn act<T>(
        &self,
        actor: Actor<'_>,
        action: impl FnOnce(&Writer<'_>) -> Step<T>,
    ) -> Result<(T, Option<u64>)> {
        self.write(|writer| {
            let answer = action(writer)?;
            let act = note(writer, actor)?;
            Ok((answer, act))
        })
    }

    /// Runs an act like [`FactStore::act`], and counts the facts that it ended and disputed.
    pub(crate) fn counted_act<T>(
        &self,
        actor: Actor<'_>,
        action: impl FnOnce(&Writer<'_>) -> Step<T>,
    ) -> Result<(T, ActCounts)> {
        let counted = |writer: &Writer<'_>| {
            let answer = action(writer)?;
            let superseded = writer.ended()?.superseded;
            Ok((answer, ActCounts { act: None, superseded, disputed: disputed(writer) }))
        };
        let ((answer, changes), act) = self.act(actor, counted)?;
        Ok((answer, ActCounts { act, ..changes }))
    }

    /// The latest acts, the last first, with what they did.
    pub fn acts(&self, limit: usize) -> Result<Vec<Act>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT serial, name, tick, at, undone_by, intact FROM acts ORDER BY serial DESC LIMIT ?1",
            )?;
            let mut acts = statement.query_map([rows(limit)], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
            for act in &mut acts {
                act.changes = changes_of(connection, act.number)?
                    .into_iter()
                    .map(|(stored, before, after)| ActChange { fact: stored.fact.id, before, after })
                    .collect();
            }
            Ok(acts)
        })
    }

    /// The number of the latest act; 0 before the first.
    pub fn last_act(&self) -> Result<u64> {
        self.read(|connection| {
            let last: i64 = connection
                .prepare_cached("SELECT coalesce(max(serial), 0) FROM acts")?
                .query_row([], |row| row.get(0))?;
            Ok(last.unsigned_abs())
        })
    }

    /// Takes an act back: what it changed and nothing changed since is as it was, what it brought into being is archived,
    /// and the links that it drew are gone. Statistics and hypotheses keep what they counted: evidence is never taken back
    /// by this.
    pub fn undo(&self, act: u64, tick: u64, now: Micros) -> Result<UndoReport> {
        self.take_back(act, None, tick, now)
    }

    /// Takes back what an act did to some facts, as `undo` does it to all; the rest of the act stays in force.
    pub fn undo_of(&self, act: u64, facts: &[Id], tick: u64, now: Micros) -> Result<UndoReport> {
        self.take_back(act, Some(facts), tick, now)
    }

    fn take_back(&self, act: u64, only: Option<&[Id]>, tick: u64, now: Micros) -> Result<UndoReport> {
        let name = match only {
            None => format!("undo {act}"),
            Some(_) => format!("undo part of {act}"),
        };
        let actor = Actor { name: &name, tick, now };
        self.write(|writer| {
            let is_verdict = undoable(&writer.transaction, act)? == SHADOW;
            let mut undone = UndoReport::default();
            let mut changes = changes_of(&writer.transaction, act)?;
            let corrected = only.map(|only| corrected_turns(&changes, only)).unwrap_or_default();
            if let Some(only) = only {
                let has = |id: &Id| changes.iter().any(|(stored, ..)| stored.fact.id == *id);
                if let Some(other) = only.iter().find(|id| !has(id)) {
                    return Err(Error::NotFound {
                        kind: "change in this act of fact",
                        id: other.to_string(),
                    }
                    .into());
                }
                changes.retain(|(stored, ..)| only.contains(&stored.fact.id));
            }
            for (stored, before, after) in changes.into_iter().rev() {
                match before {
                    None => {
                        undone.withdrawn.push(stored.fact.id);
                        withdraw(writer, stored, &EndCause::Undo, tick)?;
                    }
                    Some(before) => {
                        restore(writer, &stored, before, &after, tick, &mut undone)?;
                        if is_verdict
                            && let Some(again) = record::find(&writer.transaction, stored.fact.id)?
                            && again.fact.status == FactStatus::Held
                        {
                            release(writer, again, tick)?;
                        }
                    }
                }
            }
            unlink(writer, act, only, &corrected)?;
            // Also if nothing was left to take back: it was undone.
            let by = match note(writer, actor)? {
                Some(by) => signed(by)?,
                None => begin(&writer.transaction, actor)?,
            };
            if only.is_none() {
                writer
                    .transaction
                    .prepare_cached("UPDATE acts SET undone_by = ?2 WHERE serial = ?1 AND intact")?
                    .execute(params![signed(act)?, by])?;
            }
            Ok(UndoReport { act: by.unsigned_abs(), ..undone })
        })
    }
}

/// Number of pairs of facts that were found to contradict each other.
fn disputed(writer: &Writer<'_>) -> u64 {
    let drawn = writer.drawn().into_iter().filter(|(.., name)| *name == Relation::Contradicts.name());
    let pairs: BTreeSet<(Id, Id)> = drawn.map(|(src, dst, _)| (src.min(dst), src.max(dst))).collect();
    pairs.len() as u64
}

/// The name of an act that can be taken back.
fn undoable(connection: &Connection, act: u64) -> Step<String> {
    let known: Option<(String, Option<i64>)> = connection
        .prepare_cached("SELECT name, undone_by, intact FROM acts WHERE serial = ?1")?
        .query_row([signed(act)?], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match known {
        None => Err(Error::NotFound { kind: "act", id: act.to_string() }.into()),
        Some((_, Some(by))) => {
            let what = format!("act {act} was undone by act {by}");
            Err(Error::invalid(what, "Undo that one to have it back").into())
        }
        Some((name, None)) => Ok(name),
    }
}

/// Archives a fact, unless it is history.
pub(super) fn withdraw(writer: &Writer<'_>, mut stored: StoredFact, cause: &EndCause, tick: u64) -> Step<()> {
    if matches!(stored.fact.status, FactStatus::Active | FactStatus::Contradicted | FactStatus::Held) {
        archive(writer, &mut stored, cause, tick)?;
    }
    Ok(())
}

/// Puts back the fields that are still as the act left them.
fn restore(
    writer: &Writer<'_>,
    stored: &StoredFact,
    before: Map<String, Value>,
    after: &Map<String, Value>,
    tick: u64,
    undone: &mut UndoReport,
) -> Step<()> {
    let mut known = fields(stored)?;
    let (mine, changed): (Vec<_>, Vec<_>) =
        before.into_iter().partition(|(name, _)| known.get(name) == after.get(name));
    if !changed.is_empty() {
        undone.kept.push((stored.fact.id, changed.into_iter().map(|(name, _)| name).collect()));
    }
    if mine.is_empty() {
        return Ok(());
    }
    known.extend(mine);
    let then = restored(stored, known, stored.since_tick)?;
    if then.fact.text != stored.fact.text {
        // The vector belongs to the other wording; the next search for missing vectors computes it again.
        writer.transaction.prepare_cached("DELETE FROM vectors WHERE fact = ?1")?.execute([stored.serial])?;
    }
    writer.update(&then, tick)?;
    undone.restored.push(stored.fact.id);
    Ok(())
}

/// The episodes behind some facts that an act changed, unless they stand behind another fact that it ended as well.
fn corrected_turns(changes: &[RestoredFact], only: &[Id]) -> BTreeSet<Id> {
    let evidence = |is_chosen: &dyn Fn(&StoredFact) -> bool| -> BTreeSet<Id> {
        let known = changes.iter().filter(|(stored, before, _)| before.is_some() && is_chosen(stored));
        known.flat_map(|(stored, ..)| stored.fact.evidence.iter().copied()).collect()
    };
    let restored = evidence(&|stored| only.contains(&stored.fact.id));
    let ended =
        evidence(&|stored| !only.contains(&stored.fact.id) && stored.fact.status != FactStatus::Active);
    &restored - &ended
}

/// Takes away the links that an act drew and that were not there before it: all, or those of some facts and the
/// corrections of some episodes.
fn unlink(writer: &Writer<'_>, act: u64, only: Option<&[Id]>, corrected: &BTreeSet<Id>) -> Step<()> {
    let delete = |of: &str, fact: Option<Id>| -> Step<()> {
        writer
            .transaction
            .prepare_cached(&format!(
                "DELETE FROM links WHERE (src, dst, relation) IN
                 (SELECT src, dst, relation FROM act_links WHERE act = ?1{of})"
            ))?
            .execute(params![signed(act)?, fact.map(|id| id.0)])?;
        Ok(())
    };
    match only {
        None => delete(" AND ?2 IS NULL", None)?,
        Some(facts) => {
            for fact in facts {
                delete(" AND ?2 IN (src, dst)", Some(*fact))?;
            }
            for episode in corrected {
                delete(" AND relation = 'corrects' AND dst = ?2", Some(*episode))?;
            }
        }
    }
    writer.next(EDGES)?;
    Ok(())
}

/// Writes down what was done in this transaction, if anything was.
fn note(writer: &Writer<'_>, actor: Actor<'_>) -> Step<Option<u64>> {
    let changes = writer
        .touched()?
        .into_iter()
        .map(|(before, after)| Ok((after.serial, difference(before.as_ref(), &after)?)))
        .filter(|change| !matches!(change, Ok((_, (Some(before), after))) if before.is_empty() && after.is_empty()))
        .collect::<Step<Vec<_>>>()?;
    let drawn = writer.drawn();
    if changes.is_empty() && drawn.is_empty() {
        return Ok(None);
    }
    let act = begin(&writer.transaction, actor)?;
    let mut insert = writer.transaction.prepare_cached(
        "INSERT INTO act_facts (act, position, fact, before, after) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (position, (serial, (before, after))) in changes.into_iter().enumerate() {
        let before = before.as_ref().map(json).transpose()?;
        insert.execute(params![act, rows(position), serial, before, json(&after)?])?;
    }
    let mut link = writer.transaction.prepare_cached(
        "INSERT OR IGNORE INTO act_links (act, src, dst, relation) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (src, dst, relation) in drawn {
        link.execute(params![act, src.0, dst.0, relation])?;
    }
    prune(&writer.transaction, act)?;
    Ok(Some(act.unsigned_abs()))
}

fn begin(connection: &Connection, actor: Actor<'_>) -> Step<i64> {
    connection.prepare_cached("INSERT INTO acts (name, tick, at) VALUES (?1, ?2, ?3)")?.execute(params![
        actor.name,
        signed(actor.tick)?,
        actor.now
    ])?;
    Ok(connection.last_insert_rowid())
}

/// Fields of a record before and after, by their names.
type Difference = (Option<Map<String, Value>>, Map<String, Value>);

/// The fields that differ, as they were and as they became; of a fact that was born all.
fn difference(before: Option<&StoredFact>, after: &StoredFact) -> Step<Difference> {
    let mut became = fields(after)?;
    let Some(before) = before else { return Ok((None, became)) };
    let mut was = fields(before)?;
    was.retain(|name, value| became.get(name) != Some(value));
    became.retain(|name, _| was.contains_key(name));
    Ok((Some(was), became))
}

/// Lets the oldest acts go, now that there is this one.
fn prune(connection: &Connection, latest: i64) -> Step<()> {
    connection.prepare_cached("DELETE FROM acts WHERE serial <= ?1")?.execute([latest - rows(ACTS_KEPT)])?;
    if latest % COUNTED_EVERY != 0 {
        return Ok(());
    }
    let count = |query: &str| connection.prepare_cached(query)?.query_row([], |row| row.get::<_, i64>(0));
    let mut surplus = count("SELECT count(*) FROM act_facts")? - rows(CHANGES_KEPT);
    while surplus > 0 {
        // The latest act stays, however large it is.
        let gone: Option<i64> = connection
            .prepare_cached(
                "DELETE FROM acts WHERE serial = (SELECT min(serial) FROM acts)
                 AND serial < (SELECT max(serial) FROM acts) RETURNING serial",
            )?
            .query_row([], |row| row.get(0))
            .optional()?;
        if gone.is_none() {
            break;
        }
        surplus = count("SELECT count(*) FROM act_facts")? - rows(CHANGES_KEPT);
    }
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Act> {
    let number = |name: &str| row.get::<_, i64>(name).map(i64::unsigned_abs);
    Ok(Act {
        number: number("serial")?,
        name: row.get("name")?,
        tick: number("tick")?,
        at: row.get("at")?,
        undone_by: row.get::<_, Option<i64>>("undone_by")?.map(i64::unsigned_abs),
        changes: Vec::new(),
    })
}

/// Changes of an act to facts that still exist, in its order: the fact as it is today, its fields before and after.
type RestoredFact = (StoredFact, Option<Map<String, Value>>, Map<String, Value>);

fn changes_of(connection: &Connection, act: u64) -> Step<Vec<RestoredFact>> {
    let mut statement = connection.prepare_cached(
        "SELECT fact, before, after, intact FROM act_facts WHERE act = ?1 ORDER BY position",
    )?;
    let mut found = statement.query([signed(act)?])?;
    let mut changes = Vec::new();
    while let Some(row) = found.next()? {
        let before: Option<String> = row.get(1)?;
        let before = before.map(|text| serde_json::from_str(&text)).transpose().map_err(unreadable)?;
        let after = serde_json::from_str(&row.get::<_, String>(2)?).map_err(unreadable)?;
        let stored = record::select(connection, "WHERE serial = ?1", [row.get::<_, i64>(0)?])?;
        if let Some(stored) = stored.into_iter().next() {
            changes.push((stored, before, after));
        }
    }
    Ok(changes)
}

/// The name under which the journal keeps what was withdrawn.
pub(crate) const SHADOW: &str = "shadow";
