//! Gaps: questions that the agent could ask, at most ten. Only what they are about is
//! kept; the words are made when they are read, so that nothing of a deleted fact stays in them. An unanswered query is
//! kept as it was put, elsewhere (`facts_questions.rs`).

use std::str::FromStr;

use rusqlite::{Connection, OptionalExtension, params};

use crate::consolidate::fact_text::one_line;
use crate::error::{Error, Result};
use crate::facts::FactStore;
use crate::facts::mention_rows::drop_unnamed;
use crate::facts::mention_rows::introduce;
use crate::facts::rows::signed;
use crate::facts::sqlite::Step;
use crate::facts::sqlite::rows;
use crate::facts::transaction::Writer;
use crate::facts::unanswered::{ASKED_OFTEN, question_row};
use crate::model::Id;
use crate::text::names::EntityKind;

/// Open questions that are kept.
pub const GAPS_KEPT: usize = 10;
/// Open questions from testaments that are kept beside the agent's own.
pub const INHERITED_GAPS_KEPT: usize = 2 * GAPS_KEPT;
/// Memories in which an entity must be named before it is asked about.
pub const NAMED_OFTEN: u64 = 5;
/// The latest memories in which entities are counted: so that it costs the same at any age.
const LATEST_MEMORIES: usize = 4_096;
/// Entities that are named most, which are looked at.
const NAMED_CANDIDATES: usize = 64;
/// Ticks after which an unused heuristic becomes a question, as for promotion.
const UNTRIED_TICKS: u64 = crate::consolidate::trials::promote::ACTIVE_TICKS;

/// Kind of gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapKind {
    /// Two facts in force contradict each other.
    Contradiction,
    /// Memories name it often, and no fact speaks of it.
    Unknown,
    /// A heuristic is in force without an outcome.
    Untried,
    /// A query was asked more than once, and no memory answered.
    Unanswered,
}

impl GapKind {
    const ALL: [Self; 4] = [Self::Contradiction, Self::Unknown, Self::Untried, Self::Unanswered];

    /// The kind with this name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contradiction => "contradiction",
            Self::Unknown => "unknown",
            Self::Untried => "untried",
            Self::Unanswered => "unanswered",
        }
    }
}

impl FromStr for GapKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::of(name)
            .ok_or_else(|| Error::invalid(format!("{name:?} is no kind of question"), "Use one of `gaps`"))
    }
}

/// An open question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Kind of the question.
    pub kind: GapKind,
    /// Text of the question.
    pub question: String,
    /// Facts that it is about.
    pub facts: Vec<Id>,
    /// The entity that it is about.
    pub entity: Option<String>,
    /// Whether it was found at two different ticks: it is kept until it is answered.
    pub is_confirmed: bool,
    /// When it was first found.
    pub first_tick: u64,
    /// When it was last found.
    pub last_tick: u64,
    /// Agent that asked it first, if it came with a testament.
    pub origin: Option<String>,
    /// Lives between that agent and this one.
    pub generation: u32,
}

/// An open question of a testament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InheritedGap {
    /// Kind of the question.
    pub kind: GapKind,
    /// Text of the question.
    pub question: String,
    /// Facts of the heir that it is about, as far as they crossed.
    pub facts: Vec<Id>,
    /// Name of the entity that it is about.
    pub entity: Option<String>,
    /// Agent that asked it first.
    pub origin: String,
    /// Lives between that agent and the heir.
    pub generation: u32,
}

/// Result of taking over the open questions of a testament.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InheritedGaps {
    /// Questions that are open for the heir from now on.
    pub taken: usize,
    /// Questions that the heir has open already, or has answered.
    pub known: usize,
    /// Questions beyond [`INHERITED_GAPS_KEPT`].
    pub left: usize,
}

/// Subject of a question: row of a fact, of an entity or of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GapKey {
    kind: GapKind,
    fact: Option<i64>,
    other: Option<i64>,
    entity: Option<i64>,
    asked: Option<i64>,
}

impl GapKey {
    const fn nothing(kind: GapKind) -> Self {
        Self { kind, fact: None, other: None, entity: None, asked: None }
    }
}

/// When and how often a question was found, and by whom first.
#[derive(Clone, Debug)]
struct GapHistory {
    times: i64,
    first_tick: i64,
    last_tick: i64,
    origin: Option<String>,
    generation: i64,
}

/// Searches for questions again: those that are answered go, those that were found before at another tick are confirmed and
/// keep their place, and new ones take the room that is left. Questions from testaments have room of their own, and stay
/// until they are answered. Says how many are open.
pub(in crate::consolidate) fn renew(writer: &Writer<'_>, tick: u64) -> Step<usize> {
    let connection = &writer.transaction;
    let known = known(connection)?;
    let now = signed(tick)?;
    let sorts = [
        contradictions(connection)?,
        unknown_entities(connection)?,
        untried(connection, tick)?,
        unanswered(connection)?,
    ];
    let longest = sorts.iter().map(Vec::len).max().unwrap_or(0);
    // In turn, so that no sort of question crowds out the others.
    let mut found: Vec<GapKey> =
        (0..longest).flat_map(|turn| sorts.iter().filter_map(move |sort| sort.get(turn).copied())).collect();
    let mut open: Vec<(GapKey, GapHistory)> = Vec::new();
    let mut inherited: Vec<(GapKey, GapHistory)> = Vec::new();
    for (about, seen) in &known {
        let kept = if seen.origin.is_some() { &mut inherited } else { &mut open };
        if found.contains(about) && seen.last_tick != now {
            kept.push((*about, GapHistory { times: seen.times + 1, last_tick: now, ..seen.clone() }));
        } else if found.contains(about) || (seen.times > 1 && still_stands(connection, about)?) {
            kept.push((*about, seen.clone()));
        }
    }
    found.retain(|about| known.iter().all(|(known, _)| known != about));
    let fresh = GapHistory { times: 1, first_tick: now, last_tick: now, origin: None, generation: 0 };
    open.extend(found.into_iter().map(|about| (about, fresh.clone())));
    // A stable sort: what was there before stays before what is new.
    open.sort_by_key(|(_, seen)| seen.times < 2);
    open.truncate(GAPS_KEPT);
    open.append(&mut inherited);
    connection.prepare_cached("DELETE FROM gaps")?.execute([])?;
    for (about, seen) in &open {
        save(connection, about, seen)?;
    }
    Ok(open.len())
}

fn save(connection: &Connection, about: &GapKey, seen: &GapHistory) -> Step<()> {
    connection
        .prepare_cached(
            "INSERT INTO gaps (kind, fact, other, entity, times, first_tick, last_tick, question, origin, generation)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            about.kind.name(),
            about.fact,
            about.other,
            about.entity,
            seen.times,
            seen.first_tick,
            seen.last_tick,
            about.asked,
            seen.origin,
            seen.generation
        ])?;
    Ok(())
}

/// Takes over the open questions of a testament, confirmed: a life has found them. A question about facts or an entity is
/// about the heir's; one whose facts did not cross is kept in words, and is answered as one that was asked in vain.
pub fn inherit_gaps(store: &FactStore, questions: &[InheritedGap], tick: u64) -> Result<InheritedGaps> {
    store.write(|writer| {
        let connection = &writer.transaction;
        let now = signed(tick)?;
        let mut done = InheritedGaps::default();
        let mut standing = known(connection)?;
        for question in questions {
            if standing.iter().filter(|(_, seen)| seen.origin.is_some()).count() == INHERITED_GAPS_KEPT {
                done.left += 1;
                continue;
            }
            let Some(about) = apply(connection, question, now)? else {
                done.known += 1;
                continue;
            };
            if standing.iter().any(|(known, _)| *known == about) || !still_stands(connection, &about)? {
                done.known += 1;
                continue;
            }
            let seen = GapHistory {
                times: 2,
                first_tick: now,
                last_tick: now,
                origin: Some(question.origin.clone()),
                generation: i64::from(question.generation),
            };
            save(connection, &about, &seen)?;
            standing.push((about, seen));
            done.taken += 1;
        }
        Ok(done)
    })
}

/// The rows of the heir that a question of a testament is about; none if it says nothing.
fn apply(connection: &Connection, question: &InheritedGap, now: i64) -> Step<Option<GapKey>> {
    let mut serial = connection.prepare_cached("SELECT serial FROM facts WHERE id = ?1")?;
    let mut facts: Vec<i64> = Vec::new();
    for id in &question.facts {
        facts.extend(serial.query_row([id.0], |row| row.get::<_, i64>(0)).optional()?);
    }
    facts.sort_unstable();
    facts.dedup();
    let nothing = GapKey::nothing(question.kind);
    match (question.kind, facts.as_slice(), &question.entity) {
        (GapKind::Contradiction, [older, newer], _) => {
            return Ok(Some(GapKey { fact: Some(*older), other: Some(*newer), ..nothing }));
        }
        (GapKind::Untried, [fact], _) => return Ok(Some(GapKey { fact: Some(*fact), ..nothing })),
        (GapKind::Unknown, _, Some(name)) => {
            let named = introduce(connection, name, EntityKind::Name, false)?;
            return Ok(named.map(|(entity, _)| GapKey { entity: Some(entity), ..nothing }));
        }
        _ => {}
    }
    let asked = question_row(connection, &question.question, now)?;
    Ok(asked.map(|asked| GapKey { asked: Some(asked), ..GapKey::nothing(GapKind::Unanswered) }))
}

/// Stored questions, in their order.
fn known(connection: &Connection) -> Step<Vec<(GapKey, GapHistory)>> {
    let mut statement = connection.prepare_cached(
        "SELECT kind, fact, other, entity, times, first_tick, last_tick, question, origin, generation, intact
         FROM gaps ORDER BY serial",
    )?;
    let mut found = statement.query([])?;
    let mut known = Vec::new();
    while let Some(row) = found.next()? {
        let name: String = row.get(0)?;
        let Some(kind) = GapKind::of(&name) else { continue };
        let about =
            GapKey { kind, fact: row.get(1)?, other: row.get(2)?, entity: row.get(3)?, asked: row.get(7)? };
        let seen = GapHistory {
            times: row.get(4)?,
            first_tick: row.get(5)?,
            last_tick: row.get(6)?,
            origin: row.get(8)?,
            generation: row.get(9)?,
        };
        known.push((about, seen));
    }
    Ok(known)
}

/// Whether a question is still unanswered.
fn still_stands(connection: &Connection, about: &GapKey) -> Step<bool> {
    let answer = |query: &str| -> Step<bool> {
        Ok(connection.prepare_cached(query)?.exists(params![about.fact, about.other])?)
    };
    match about.kind {
        GapKind::Contradiction => answer(
            "SELECT 1 FROM links JOIN facts AS one ON one.id = links.src JOIN facts AS two ON two.id = links.dst
             WHERE relation = 'contradicts' AND one.status = 'active' AND two.status = 'active'
             AND ((one.serial = ?1 AND two.serial = ?2) OR (one.serial = ?2 AND two.serial = ?1))",
        ),
        GapKind::Untried => answer(
            "SELECT 1 FROM facts WHERE serial = ?1 AND ?2 IS NULL AND status = 'active'
             AND NOT EXISTS (SELECT 1 FROM outcomes WHERE fact = ?1)",
        ),
        GapKind::Unknown => match about.entity {
            Some(entity) => Ok(!is_spoken_of(connection, entity)?),
            None => Ok(false),
        },
        // An answered query is dropped together with its gap.
        GapKind::Unanswered => Ok(true),
    }
}

fn contradictions(connection: &Connection) -> Step<Vec<GapKey>> {
    let mut statement = connection.prepare_cached(
        "SELECT min(one.serial, two.serial) AS older, max(one.serial, two.serial) AS newer FROM links
         JOIN facts AS one ON one.id = links.src JOIN facts AS two ON two.id = links.dst
         WHERE relation = 'contradicts' AND one.status = 'active' AND two.status = 'active'
         GROUP BY older, newer ORDER BY max(min(one.confidence, two.confidence)) DESC, older, newer LIMIT ?1",
    )?;
    let about = |fact, other| GapKey { fact, other, ..GapKey::nothing(GapKind::Contradiction) };
    let found = statement.query_map([rows(GAPS_KEPT)], |row| Ok(about(row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn untried(connection: &Connection, tick: u64) -> Step<Vec<GapKey>> {
    let mut statement = connection.prepare_cached(
        "SELECT serial FROM facts WHERE status = 'active' AND kind IN ('heuristic', 'procedural') AND created_tick <= ?1
         AND NOT EXISTS (SELECT 1 FROM outcomes WHERE fact = serial) ORDER BY confidence DESC, serial LIMIT ?2",
    )?;
    let about = |fact| GapKey { fact, ..GapKey::nothing(GapKind::Untried) };
    let before = signed(tick)? - signed(UNTRIED_TICKS)?;
    let found = statement.query_map([before, rows(GAPS_KEPT)], |row| Ok(about(row.get(0)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// Unanswered queries, the most frequent first.
fn unanswered(connection: &Connection) -> Step<Vec<GapKey>> {
    let mut statement = connection.prepare_cached(
        "SELECT serial FROM questions WHERE times >= ?1
         AND serial NOT IN (SELECT question FROM gaps WHERE question IS NOT NULL AND origin IS NOT NULL)
         ORDER BY times DESC, last_tick DESC, serial LIMIT ?2",
    )?;
    let about = |asked| GapKey { asked, ..GapKey::nothing(GapKind::Unanswered) };
    let found = statement.query_map(params![ASKED_OFTEN, rows(GAPS_KEPT)], |row| Ok(about(row.get(0)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// Entities that the latest memories name often and no fact in force speaks of; the agent itself is none.
fn unknown_entities(connection: &Connection) -> Step<Vec<GapKey>> {
    let mut statement = connection.prepare_cached(
        "SELECT entity FROM mentions WHERE memory > (SELECT max(serial) FROM memories) - ?1
         AND entity NOT IN (SELECT entity FROM aliases
                            WHERE lower(alias) = (SELECT lower(value) FROM meta WHERE key = 'agent'))
         GROUP BY entity HAVING count(*) >= ?2 ORDER BY count(*) DESC, entity LIMIT ?3",
    )?;
    let often: Vec<i64> = statement
        .query_map(params![rows(LATEST_MEMORIES), signed(NAMED_OFTEN)?, rows(NAMED_CANDIDATES)], |row| {
            row.get(0)
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut open = Vec::new();
    for entity in often {
        if !is_spoken_of(connection, entity)? {
            open.push(GapKey { entity: Some(entity), ..GapKey::nothing(GapKind::Unknown) });
        }
    }
    Ok(open)
}

/// Whether a fact in force has one of the names of an entity, or a word of it, among its subjects, or a name in its text.
/// With "Closed" before it, in a text that a program writes again and again, a known subject is no unknown thing.
fn is_spoken_of(connection: &Connection, entity: i64) -> Step<bool> {
    let mut names =
        connection.prepare_cached("SELECT alias, intact FROM aliases WHERE entity = ?1 ORDER BY key")?;
    let names: Vec<String> = names.query_map([entity], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut subject = connection.prepare_cached(
        "SELECT 1 FROM subjects JOIN facts ON facts.serial = subjects.fact WHERE subject = ?1 AND status = 'active'",
    )?;
    let mut text = connection.prepare_cached(
        "SELECT 1 FROM words JOIN facts ON facts.serial = words.rowid WHERE words MATCH ?1 AND status = 'active'",
    )?;
    for name in names {
        let phrase = format!("\"{}\"", name.replace(['"', '\0'], " "));
        for word in name.split_whitespace() {
            if subject.exists([word])? {
                return Ok(true);
            }
        }
        if subject.exists([&name])? || (name.contains(char::is_alphanumeric) && text.exists([&phrase])?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The open questions, confirmed ones first.
pub fn gaps(store: &FactStore) -> Result<Vec<Gap>> {
    store.read(|connection| Ok(open_gaps(connection)?.into_iter().map(|(_, gap)| gap).collect()))
}

/// Deletes open questions by their words; says how many. One that the agent's own memories raise is found again by the
/// next lint.
pub fn forget_gaps(store: &FactStore, questions: &[String]) -> Result<usize> {
    store.write(|writer| {
        let connection = &writer.transaction;
        let mut gone = 0;
        for (about, gap) in open_gaps(connection)? {
            if questions.contains(&gap.question) {
                gone += connection
                    .prepare_cached(
                        "DELETE FROM gaps WHERE kind = ?1 AND fact IS ?2 AND other IS ?3 AND entity IS ?4
                         AND question IS ?5",
                    )?
                    .execute(params![
                        about.kind.name(),
                        about.fact,
                        about.other,
                        about.entity,
                        about.asked
                    ])?;
                connection
                    .prepare_cached("DELETE FROM questions WHERE serial = ?1")?
                    .execute([about.asked])?;
            }
        }
        drop_unnamed(connection)?;
        Ok(gone)
    })
}

fn open_gaps(connection: &Connection) -> Step<Vec<(GapKey, Gap)>> {
    let mut text = connection.prepare_cached("SELECT id, text, intact FROM facts WHERE serial = ?1")?;
    let mut said = |serial: Option<i64>| -> Step<Option<(Id, String)>> {
        let Some(serial) = serial else { return Ok(None) };
        Ok(text.query_row([serial], |row| Ok((Id(row.get(0)?), row.get(1)?))).optional()?)
    };
    let mut name = connection.prepare_cached("SELECT name, intact FROM entities WHERE serial = ?1")?;
    let mut put = connection.prepare_cached("SELECT text, intact FROM questions WHERE serial = ?1")?;
    let mut open = Vec::new();
    for (about, seen) in known(connection)? {
        let facts: Vec<(Id, String)> =
            [said(about.fact)?, said(about.other)?].into_iter().flatten().collect();
        let entity: Option<String> = match about.entity {
            Some(serial) => name.query_row([serial], |row| row.get(0)).optional()?,
            None => None,
        };
        let asked: Option<String> = match about.asked {
            Some(serial) => put.query_row([serial], |row| row.get(0)).optional()?,
            None => None,
        };
        let asked = asked.as_deref().map(one_line);
        let Some(question) = asked.or_else(|| ask(about.kind, &facts, entity.as_deref())) else {
            continue;
        };
        let gap = Gap {
            kind: about.kind,
            question,
            facts: facts.into_iter().map(|(id, _)| id).collect(),
            entity,
            is_confirmed: seen.times > 1,
            first_tick: seen.first_tick.unsigned_abs(),
            last_tick: seen.last_tick.unsigned_abs(),
            origin: seen.origin,
            generation: u32::try_from(seen.generation).unwrap_or(u32::MAX),
        };
        open.push((about, gap));
    }
    Ok(open)
}

fn ask(kind: GapKind, facts: &[(Id, String)], entity: Option<&str>) -> Option<String> {
    match (kind, facts, entity) {
        (GapKind::Contradiction, [(_, one), (_, other)], _) => {
            Some(format!("Which holds: \u{201c}{one}\u{201d} or \u{201c}{other}\u{201d}?"))
        }
        (GapKind::Untried, [(_, text)], _) => Some(format!("Does it help to act by \u{201c}{text}\u{201d}?")),
        (GapKind::Unknown, [], Some(name)) => Some(format!("What is known of {name}?")),
        _ => None,
    }
}
