//! What the agent does not know and could ask (spec 3, "Lint"): at most ten open questions. Only what they are about is
//! kept; the words are made when they are read, so that nothing of a deleted fact stays in them. What was asked in vain is
//! kept as it was put, elsewhere (`facts_questions.rs`).

use rusqlite::{Connection, OptionalExtension, params};

use super::wording::one_line;
use crate::error::Result;
use crate::index::FactStore;
use crate::index::facts_questions::ASKED_OFTEN;
use crate::index::facts_record::{rows, signed};
use crate::index::facts_write::Writer;
use crate::index::migrate::Step;
use crate::model::Id;

/// Open questions that are kept (spec 3).
pub const GAPS_KEPT: usize = 10;
/// Memories in which an entity must be named before it is asked about.
pub const NAMED_OFTEN: u64 = 5;
/// The latest memories in which entities are counted: so that it costs the same at any age.
const LATEST_MEMORIES: usize = 4_096;
/// Entities that are named most, which are looked at.
const NAMED_CANDIDATES: usize = 64;
/// Ticks after which a heuristic that nobody acted by is asked about, as for promotion.
const UNTRIED_TICKS: u64 = super::promote::ACTIVE_TICKS;

/// What sort of thing is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapKind {
    /// Two facts in force contradict each other.
    Contradiction,
    /// Memories name it often, and no fact speaks of it.
    Unknown,
    /// A heuristic is in force that nobody told an outcome of.
    Untried,
    /// Somebody asked it more than once, and no memory answered.
    Unanswered,
}

impl GapKind {
    const ALL: [Self; 4] = [Self::Contradiction, Self::Unknown, Self::Untried, Self::Unanswered];

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

/// An open question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Of what sort.
    pub kind: GapKind,
    /// In words.
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
}

/// What a question is about: rows of facts, entities and what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct About {
    kind: GapKind,
    fact: Option<i64>,
    other: Option<i64>,
    entity: Option<i64>,
    asked: Option<i64>,
}

impl About {
    const fn nothing(kind: GapKind) -> Self {
        Self { kind, fact: None, other: None, entity: None, asked: None }
    }
}

/// When and how often a question was found.
#[derive(Clone, Copy, Debug)]
struct Seen {
    times: i64,
    first_tick: i64,
    last_tick: i64,
}

/// Looks for questions anew: those that are answered go, those that were found before at another tick are confirmed and
/// keep their place, and new ones take the room that is left. Says how many are open.
pub(super) fn renew(writer: &Writer<'_>, tick: u64) -> Step<usize> {
    let connection = &writer.transaction;
    let known = known(connection)?;
    let now = signed(tick)?;
    let sorts = [
        contradictions(connection)?,
        unknown(connection)?,
        untried(connection, tick)?,
        unanswered(connection)?,
    ];
    let longest = sorts.iter().map(Vec::len).max().unwrap_or(0);
    // In turn, so that no sort of question crowds out the others.
    let mut found: Vec<About> =
        (0..longest).flat_map(|turn| sorts.iter().filter_map(move |sort| sort.get(turn).copied())).collect();
    let mut open: Vec<(About, Seen)> = Vec::new();
    for (about, seen) in &known {
        if found.contains(about) && seen.last_tick != now {
            open.push((*about, Seen { times: seen.times + 1, last_tick: now, ..*seen }));
        } else if found.contains(about) || (seen.times > 1 && still_stands(connection, about)?) {
            open.push((*about, *seen));
        }
    }
    found.retain(|about| known.iter().all(|(known, _)| known != about));
    open.extend(found.into_iter().map(|about| (about, Seen { times: 1, first_tick: now, last_tick: now })));
    // A stable sort: what was there before stays before what is new.
    open.sort_by_key(|(_, seen)| seen.times < 2);
    open.truncate(GAPS_KEPT);
    connection.prepare_cached("DELETE FROM gaps")?.execute([])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO gaps (kind, fact, other, entity, times, first_tick, last_tick, question)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (about, seen) in &open {
        insert.execute(params![
            about.kind.name(),
            about.fact,
            about.other,
            about.entity,
            seen.times,
            seen.first_tick,
            seen.last_tick,
            about.asked
        ])?;
    }
    Ok(open.len())
}

/// What is kept, in its order.
fn known(connection: &Connection) -> Step<Vec<(About, Seen)>> {
    let mut statement = connection.prepare_cached(
        "SELECT kind, fact, other, entity, times, first_tick, last_tick, question, intact FROM gaps ORDER BY serial",
    )?;
    let mut found = statement.query([])?;
    let mut known = Vec::new();
    while let Some(row) = found.next()? {
        let name: String = row.get(0)?;
        let Some(kind) = GapKind::ALL.into_iter().find(|kind| kind.name() == name) else { continue };
        let about =
            About { kind, fact: row.get(1)?, other: row.get(2)?, entity: row.get(3)?, asked: row.get(7)? };
        known.push((about, Seen { times: row.get(4)?, first_tick: row.get(5)?, last_tick: row.get(6)? }));
    }
    Ok(known)
}

/// Whether nobody has answered a question since.
fn still_stands(connection: &Connection, about: &About) -> Step<bool> {
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
        // What is answered is dropped, and its gap goes with it.
        GapKind::Unanswered => Ok(true),
    }
}

fn contradictions(connection: &Connection) -> Step<Vec<About>> {
    let mut statement = connection.prepare_cached(
        "SELECT min(one.serial, two.serial) AS older, max(one.serial, two.serial) AS newer FROM links
         JOIN facts AS one ON one.id = links.src JOIN facts AS two ON two.id = links.dst
         WHERE relation = 'contradicts' AND one.status = 'active' AND two.status = 'active'
         GROUP BY older, newer ORDER BY max(min(one.confidence, two.confidence)) DESC, older, newer LIMIT ?1",
    )?;
    let about = |fact, other| About { fact, other, ..About::nothing(GapKind::Contradiction) };
    let found = statement.query_map([rows(GAPS_KEPT)], |row| Ok(about(row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn untried(connection: &Connection, tick: u64) -> Step<Vec<About>> {
    let mut statement = connection.prepare_cached(
        "SELECT serial FROM facts WHERE status = 'active' AND kind IN ('heuristic', 'procedural') AND created_tick <= ?1
         AND NOT EXISTS (SELECT 1 FROM outcomes WHERE fact = serial) ORDER BY confidence DESC, serial LIMIT ?2",
    )?;
    let about = |fact| About { fact, ..About::nothing(GapKind::Untried) };
    let before = signed(tick)? - signed(UNTRIED_TICKS)?;
    let found = statement.query_map([before, rows(GAPS_KEPT)], |row| Ok(about(row.get(0)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// What was asked in vain, the most frequent first.
fn unanswered(connection: &Connection) -> Step<Vec<About>> {
    let mut statement = connection.prepare_cached(
        "SELECT serial FROM questions WHERE times >= ?1 ORDER BY times DESC, last_tick DESC, serial LIMIT ?2",
    )?;
    let about = |asked| About { asked, ..About::nothing(GapKind::Unanswered) };
    let found = statement.query_map(params![ASKED_OFTEN, rows(GAPS_KEPT)], |row| Ok(about(row.get(0)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// Entities that the latest memories name often and no fact in force speaks of.
fn unknown(connection: &Connection) -> Step<Vec<About>> {
    let mut statement = connection.prepare_cached(
        "SELECT entity FROM mentions WHERE memory > (SELECT max(serial) FROM memories) - ?1
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
            open.push(About { entity: Some(entity), ..About::nothing(GapKind::Unknown) });
        }
    }
    Ok(open)
}

/// Whether a fact in force has one of the names of an entity among its subjects or in its text.
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
        if subject.exists([&name])? || (name.contains(char::is_alphanumeric) && text.exists([&phrase])?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The open questions, confirmed ones first.
pub fn gaps(store: &FactStore) -> Result<Vec<Gap>> {
    store.read(|connection| {
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
            open.push(Gap {
                kind: about.kind,
                question,
                facts: facts.into_iter().map(|(id, _)| id).collect(),
                entity,
                is_confirmed: seen.times > 1,
                first_tick: seen.first_tick.unsigned_abs(),
                last_tick: seen.last_tick.unsigned_abs(),
            });
        }
        Ok(open)
    })
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
