//! Applies outcomes, contradictions and retrievals to facts. Each function is one transaction.

use super::end_cause::EndCause;
use super::filter::{Retention, check_fraction};
use super::renew::{renew, same_text};
use super::rows::{self as record, StoredFact, signed};
use super::sqlite::Step;
use super::store::FactStore;
use super::tombstones::is_forgotten;
use super::transaction::{ANSWERS, Writer, counter};
use super::transitions::limited_by_source;
use super::transitions::make_room;
use super::transitions::rebase;
use super::transitions::restore;
use super::transitions::spaced;
use super::transitions::{ENDED, Link, correct, link_both, lower, retire, write_link};
use crate::error::{Error, Result};
use crate::model::decay::{ANTI_KNOWLEDGE_FLOOR, CONTRADICTED_CEILING, confidence_now, reinforced, weakened};
use crate::model::{Fact, FactPayload, FactStatus, Id, Micros, Persistence, Source};

impl FactStore {
    /// A useful outcome or a new supporting episode for each of these facts: confidence moves from what it is now toward
    /// 1 by the fraction, support grows, decay starts again. Within the spacing of the last one that counted only the
    /// evidence is noted. Says how many counted.
    pub fn reinforce(&self, ids: &[Id], evidence: &[Id], tick: u64, retention: Retention) -> Result<usize> {
        check_fraction(retention.reinforcement)?;
        self.write(|writer| {
            let mut counted = 0;
            for id in ids {
                let stored = record::require(&writer.transaction, *id)?;
                counted += usize::from(reinforce_one(writer, stored, evidence, tick, retention)?);
            }
            Ok(counted)
        })
    }

    /// A contrary outcome for each of these facts: confidence falls from what it is now by the fraction, by twice that
    /// for inherited ones. Says how many there were.
    pub fn weaken(&self, ids: &[Id], tick: u64, fraction: f64) -> Result<usize> {
        check_fraction(fraction)?;
        let retention = Retention { reinforcement: fraction, ..self.retention() };
        self.write(|writer| {
            for id in ids {
                weaken_one(writer, record::require(&writer.transaction, *id)?, tick, retention)?;
            }
            Ok(ids.len())
        })
    }

    /// Two facts that cannot both hold: both are linked, the weaker falls to at most 0.3 and expires; an inherited one
    /// falls by the doubled step at least. A pinned fact gives way only to another. The answer
    /// is the weaker one.
    pub fn contradict(&self, a: Id, b: Id, tick: u64, expires_tick: u64) -> Result<Id> {
        if a == b {
            return Err(Error::invalid("a fact cannot contradict itself", "Pass two ids"));
        }
        let retention = self.retention();
        self.write(|writer| {
            let first = record::require(&writer.transaction, a)?;
            let second = record::require(&writer.transaction, b)?;
            for stored in [&first, &second] {
                if !matches!(stored.fact.status, FactStatus::Active | FactStatus::Contradicted) {
                    return Err(Error::invalid(
                        format!(
                            "{} is {}: only what is in force is argued with",
                            stored.fact.id,
                            stored.fact.status.name()
                        ),
                        "Name the fact that is in force; `history` shows what replaced it",
                    )
                    .into());
                }
            }
            oppose(writer, first, second, tick, expires_tick, retention)
        })
    }

    /// Puts a new fact in the place of an old one, which stays as history; the answer is the new id, or that of a fact in
    /// force that says the same and is renewed. A new fact that is held takes the place when it is released.
    pub fn supersede(&self, old: Id, new: &Fact, tick: u64, now: Micros) -> Result<Id> {
        new.validate()?;
        let new = &limited_by_source(new.clone(), tick, self.retention());
        self.write(|writer| {
            let mut stored = record::require(&writer.transaction, old)?;
            if let Some(newer) = stored.fact.superseded_by {
                return Err(Error::invalid(
                    format!("{old} was already superseded by {newer}"),
                    "Supersede that one instead",
                )
                .into());
            }
            if is_forgotten(writer, &new.text)? {
                return Err(Error::forgotten(&new.text).into());
            }
            // The existing fact takes its place; a second fact of the same words would fade on its own.
            let is_plain = new.id == Id::ABSENT
                && new.status != FactStatus::Held
                && new.payload == FactPayload::None
                && new.expires_tick.is_none();
            if is_plain
                && let Some(mut known) = same_text(&writer.transaction, new, tick)?
                && known.fact.id != old
            {
                let id = known.fact.id;
                known.fact.supersedes = known.fact.supersedes.or(Some(old));
                renew(writer, known, new, self.retention(), tick)?;
                if let Some(known) = record::find(&writer.transaction, id)? {
                    correct(writer, &known, &stored, ENDED, tick)?;
                }
                retire(writer, &mut stored, Some(id), &EndCause::Supersede, tick)?;
                return Ok(id);
            }
            let mut fact = self.initial_state(new, tick, now);
            if fact.id != Id::ABSENT && record::find(&writer.transaction, fact.id)?.is_some() {
                return Err(Error::invalid(
                    format!("the id {} is taken", fact.id),
                    "Leave the id of the new fact out",
                )
                .into());
            }
            fact.supersedes = Some(old);
            if fact.status == FactStatus::Held {
                writer.insert(&mut fact)?;
                return Ok(fact.id);
            }
            fact.status = FactStatus::Active;
            writer.insert(&mut fact)?;
            let newer = record::require(&writer.transaction, fact.id)?;
            correct(writer, &newer, &stored, ENDED, tick)?;
            retire(writer, &mut stored, Some(fact.id), &EndCause::Supersede, tick)?;
            if fact.source == Source::Derived {
                make_room(writer, tick)?;
            }
            Ok(fact.id)
        })
    }

    /// Draws a link, or changes the weight of the one that is there.
    pub fn link(&self, link: &Link) -> Result<()> {
        check_fraction(link.weight)?;
        self.write(|writer| {
            record::require(&writer.transaction, link.src)?;
            record::require(&writer.transaction, link.dst)?;
            write_link(writer, link)
        })
    }

    /// The links from or to any of these facts.
    pub fn links(&self, ids: &[Id]) -> Result<Vec<Link>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT src, dst, relation, weight, tick, intact FROM links WHERE src = ?1 OR dst = ?1
                 ORDER BY src, dst, relation",
            )?;
            let mut links: Vec<Link> = Vec::new();
            for id in ids {
                let mut rows = statement.query([id.0])?;
                while let Some(row) = rows.next()? {
                    links.push(Link {
                        src: Id(row.get(0)?),
                        dst: Id(row.get(1)?),
                        relation: row.get::<_, String>(2)?.parse()?,
                        weight: row.get(3)?,
                        tick: row.get::<_, i64>(4)?.unsigned_abs(),
                    });
                }
            }
            let key = |link: &Link| (link.src, link.dst, link.relation.name());
            links.sort_by_key(key);
            links.dedup_by_key(|link| key(link));
            Ok(links)
        })
    }

    /// Notes that these facts were retrieved. Confidence does not move: only outcomes raise it (law 5).
    pub fn touch(&self, ids: &[Id], tick: u64) -> Result<()> {
        self.note(|writer| writer.look_at(ids, tick))
    }

    /// Exempts these facts from decay and pruning, or ends the exemption; what they lost is not given back.
    pub fn pin(&self, ids: &[Id], pinned: bool, tick: u64) -> Result<()> {
        let tau = self.retention().tau_ticks;
        self.write(|writer| {
            for id in ids {
                let mut stored = record::require(&writer.transaction, *id)?;
                if stored.fact.pinned != pinned {
                    let now = confidence_now(&stored.fact, tick, tau);
                    rebase(&mut stored.fact, now, tick);
                    stored.fact.pinned = pinned;
                    writer.update(&stored, tick)?;
                }
            }
            Ok(())
        })
    }

    /// Sets how long these facts hold without being said again; none lets their kind decide. What they have faded until now
    /// stays.
    pub fn set_persistence(&self, ids: &[Id], persistence: Option<Persistence>, tick: u64) -> Result<()> {
        let tau = self.retention().tau_ticks;
        self.write(|writer| {
            for id in ids {
                let mut stored = record::require(&writer.transaction, *id)?;
                if stored.fact.persistence != persistence {
                    let now = confidence_now(&stored.fact, tick, tau);
                    rebase(&mut stored.fact, now, tick);
                    stored.fact.persistence = persistence;
                    writer.update(&stored, tick)?;
                }
            }
            Ok(())
        })
    }

    /// Lets a life begin at its first tick: what was inherited at tick 0, before there was any, fades and expires from
    /// here. Returns how many facts that were.
    pub fn begin(&self, tick: u64) -> Result<u64> {
        self.write(|writer| {
            let unborn = record::select(
                &writer.transaction,
                "WHERE source = ?1 AND created_tick = 0 AND reinforced_tick = 0 ORDER BY serial",
                [Source::Testament.name()],
            )?;
            let count = unborn.len() as u64;
            for mut stored in unborn {
                let fact = &mut stored.fact;
                (fact.created_tick, fact.reinforced_tick) = (tick, tick);
                fact.expires_tick = fact.expires_tick.map(|end| end.saturating_add(tick));
                stored.since_tick = tick;
                writer.note(&stored)?;
            }
            Ok(count)
        })
    }

    /// Number of facts of any status.
    pub fn count(&self) -> Result<u64> {
        self.read(|connection| {
            Ok(connection
                .query_row("SELECT count(*) FROM facts", [], |row| row.get::<_, i64>(0))?
                .unsigned_abs())
        })
    }

    /// The tick of the first fact that was not inherited; `None` before there is one.
    pub fn first_tick(&self) -> Result<Option<u64>> {
        self.read(|connection| {
            let query = "SELECT min(created_tick) FROM facts WHERE generation = 0";
            let found: Option<i64> = connection.query_row(query, [], |row| row.get(0))?;
            Ok(found.map(i64::unsigned_abs))
        })
    }

    /// Counts: facts by status, links, vectors, baselines, upsert outcomes, the last change, bytes on disk.
    pub fn stats(&self) -> Result<Vec<(String, i64)>> {
        let mut stats = self.read(|connection| {
            let count = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0));
            let mut stats = vec![("facts".to_owned(), count("SELECT count(*) FROM facts")?)];
            for status in FactStatus::ALL {
                let number = connection.query_row(
                    "SELECT count(*) FROM facts WHERE status = ?1",
                    [status.name()],
                    |row| row.get(0),
                )?;
                stats.push((status.name().to_owned(), number));
            }
            for table in ["links", "vectors", "baselines", "versions", "entities", "triples"] {
                stats.push((table.to_owned(), count(&format!("SELECT count(*) FROM {table}"))?));
            }
            for name in
                ["upsert_new", "upsert_no_existing", "upsert_exact", "upsert_similar", "change", "watermark"]
            {
                stats.push((name.to_owned(), counter(connection, name)?));
            }
            for answer in ANSWERS {
                let name = format!("upsert_llm_{answer}");
                let number = counter(connection, &name)?;
                stats.push((name, number));
            }
            Ok(stats)
        })?;
        let bytes = std::fs::metadata(&self.path).map_or(0, |found| found.len());
        stats.push(("bytes_on_disk".to_owned(), signed(bytes)?));
        Ok(stats)
    }
}

/// One reinforcement of a fact that was just read; says whether it counted.
pub(crate) fn reinforce_one(
    writer: &Writer<'_>,
    mut stored: StoredFact,
    evidence: &[Id],
    tick: u64,
    retention: Retention,
) -> Step<bool> {
    let counted = spaced(&stored, retention.spacing_ticks, tick);
    if counted {
        let before = confidence_now(&stored.fact, tick, retention.tau_ticks);
        rebase(&mut stored.fact, reinforced(before, retention.reinforcement), tick);
        stored.fact.support = stored.fact.support.saturating_add(1);
        stored.spaced_tick = Some(tick);
        restore(&mut stored.fact);
    }
    let noted = record::add_evidence(&writer.transaction, stored.serial, evidence, tick)?;
    if counted || noted > 0 {
        writer.update(&stored, tick)?;
    }
    Ok(counted)
}

/// One contrary outcome for a fact that was just read.
pub(crate) fn weaken_one(
    writer: &Writer<'_>,
    mut stored: StoredFact,
    tick: u64,
    retention: Retention,
) -> Step<()> {
    let before = confidence_now(&stored.fact, tick, retention.tau_ticks);
    let mut after = weakened(before, retention.reinforcement, stored.fact.is_hearsay());
    if stored.fact.kind.is_danger() {
        // One success does not disprove a danger.
        after = after.max(before.min(ANTI_KNOWLEDGE_FLOOR));
    }
    rebase(&mut stored.fact, after, tick);
    writer.update(&stored, tick)
}

/// Lowers the weaker of two facts in force that cannot both hold, links both, and returns the weaker one. On a tie the
/// one with less behind it gives way, then the older one.
pub(crate) fn oppose(
    writer: &Writer<'_>,
    first: StoredFact,
    second: StoredFact,
    tick: u64,
    expires_tick: u64,
    Retention { tau_ticks, reinforcement, .. }: Retention,
) -> Step<Id> {
    let strength = |stored: &StoredFact| confidence_now(&stored.fact, tick, tau_ticks);
    let order = (first.fact.pinned.cmp(&second.fact.pinned))
        .then(strength(&first).total_cmp(&strength(&second)))
        .then(first.fact.support.cmp(&second.fact.support))
        .then(first.serial.cmp(&second.serial));
    let (mut weaker, stronger) = if order.is_le() { (first, second) } else { (second, first) };
    let before = strength(&weaker);
    let labile = if weaker.fact.is_hearsay() { weakened(before, reinforcement, true) } else { before };
    lower(&mut weaker, labile.min(CONTRADICTED_CEILING), tick, expires_tick);
    writer.update(&weaker, tick)?;
    link_both(writer, weaker.fact.id, stronger.fact.id, tick)?;
    Ok(weaker.fact.id)
}
