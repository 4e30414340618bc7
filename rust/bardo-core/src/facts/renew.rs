//! Renewal: a repetition is merged into the stored fact that says the same.

use rusqlite::{Connection, params};

use super::end_cause::{EndCause, contested_by};
use super::filter::Retention;
use super::rows::{self as record, StoredFact, normalised, signed};
use super::sqlite::Step;
use super::transaction::Writer;
use super::transitions::{confirm, rebase, release, restore, spaced};
use crate::model::decay::{CONTRADICTED_CEILING, confidence_now, renewed};
use crate::model::{Fact, FactStatus, Source};

/// Applies a repetition to the stored fact.
pub(crate) fn renew(
    writer: &Writer<'_>,
    mut stored: StoredFact,
    incoming: &Fact,
    retention: Retention,
    tick: u64,
) -> Step<()> {
    let before = confidence_now(&stored.fact, tick, retention.tau_ticks);
    let hearsay = incoming.is_hearsay();
    if hearsay && !stored.fact.is_hearsay() {
        return Ok(());
    }
    // A repeated dream is no evidence, either.
    let counted =
        !hearsay && incoming.source != Source::Dream && spaced(&stored, retention.spacing_ticks, tick);
    let most = if stays_contested(&stored.fact, counted) { CONTRADICTED_CEILING } else { 1.0 };
    let given = f64::from(incoming.confidence).min(most);
    let after = renewed(before, given, counted, retention.reinforcement);
    if counted {
        stored.fact.support = stored.fact.support.saturating_add(1);
        stored.spaced_tick = Some(tick);
    }
    // Also when nothing was gained: what follows may change how fast it fades, which must not reach into the past.
    rebase(&mut stored.fact, after, tick);
    stored.fact.expires_tick = prolonged(&stored.fact, incoming);
    if hearsay {
        stored.fact.generation = stored.fact.generation.min(incoming.generation);
    } else if confirms(incoming.source, &stored.fact) {
        confirm(&mut stored.fact, tick, retention.tau_ticks);
    }
    restore(&mut stored.fact);
    stored.fact.importance = stored.fact.importance.max(incoming.importance);
    stored.fact.bloodstain |= incoming.bloodstain;
    stored.fact.pinned |= incoming.pinned;
    if stored.fact.statement.is_none() {
        stored.fact.statement.clone_from(&incoming.statement);
    }
    stored.fact.persistence = stored.fact.persistence.or(incoming.persistence);
    for subject in &incoming.subjects {
        if !stored.fact.subjects.contains(subject) {
            stored.fact.subjects.push(subject.clone());
        }
    }
    record::add_evidence(&writer.transaction, stored.serial, &incoming.evidence, tick)?;
    // A statement of a caller needs no trial.
    if stored.fact.status == FactStatus::Held && incoming.status != FactStatus::Held {
        return release(writer, stored, tick);
    }
    writer.update(&stored, tick)
}

/// Whether a statement leaves a contested fact contested. Statements alone do not undo what outcomes refuted; an own
/// one that an independent own one precedes restores what an ancestor replaced.
fn stays_contested(stored: &Fact, counted: bool) -> bool {
    match contested_by(stored) {
        Some(EndCause::Ancestor) => stored.is_hearsay() || !counted,
        cause => cause.is_some(),
    }
}

/// Whether a fact of this source makes one that says the same the agent's own: the agent lived it, or concluded what it had
/// only heard or dreamt of.
fn confirms(source: Source, stored: &Fact) -> bool {
    match source {
        Source::SelfLived => true,
        Source::Derived => stored.is_hearsay() || stored.source == Source::Dream,
        _ => false,
    }
}

/// End of a fact that is stated again: later, if the agent that lived it or the same source says so; none, if it was
/// only dreamt or heard of and the agent that lived it names no end. An end that was set on purpose is not taken away, nor is
/// that of a contradiction.
fn prolonged(stored: &Fact, incoming: &Fact) -> Option<u64> {
    let lived = matches!(incoming.source, Source::SelfLived | Source::Derived);
    let repeats = incoming.source == stored.source && stored.source != Source::Dream;
    match (stored.expires_tick, incoming.expires_tick) {
        _ if stored.status == FactStatus::Contradicted => stored.expires_tick,
        (Some(before), Some(end)) if lived || repeats => Some(before.max(end)),
        (Some(_), None) if confirms(incoming.source, stored) && stored.source != Source::SelfLived => None,
        (before, _) => before,
    }
}

/// Condition on facts that a repetition may renew: in force, contradicted or held, and not yet expired by tick ?3.
pub(crate) const LIVING: &str =
    "status IN ('active', 'contradicted', 'held') AND (expires_tick IS NULL OR expires_tick >= ?3)";

/// The living fact of the same words, if any.
pub(crate) fn same_text(connection: &Connection, fact: &Fact, tick: u64) -> Step<Option<StoredFact>> {
    of_same_text(connection, fact, LIVING, tick)
}

pub(super) fn of_same_text(
    connection: &Connection,
    fact: &Fact,
    condition: &str,
    tick: u64,
) -> Step<Option<StoredFact>> {
    let candidates = record::select(
        connection,
        &format!("WHERE text_key = ?1 AND category = ?2 AND {condition} ORDER BY serial"),
        params![record::text_key(&fact.text), fact.category, signed(tick)?],
    )?;
    let text = normalised(&fact.text);
    Ok(candidates.into_iter().find(|stored| normalised(&stored.fact.text) == text))
}
