//! Reads the input of a digest of all facts in force in one transaction and one light walk over
//! the facts, so that it costs little however many there are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Connection, params};

use super::rows::{self as record, signed};
use super::sqlite::Step;
use super::store::FactStore;
use super::transaction::{LEARNED, counter};
use super::transitions::Link;
use super::transitions::Relation;
use crate::error::Result;
use crate::model::decay::{DecayFactors, decay};
use crate::model::{Fact, FactKind, Id, Micros, Source, is_from_death};

/// The strongest facts in force, category by category, and how many there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Digest {
    /// Number of the last change of what is known: while it stands, no fact is newer than this.
    pub learned: u64,
    /// Facts in force.
    pub total: usize,
    /// The first parts of their categories by name, with the number of facts under each.
    pub categories: Vec<(String, usize)>,
    /// The strongest first, one of each category in turn, with the confidence at the tick.
    pub facts: Vec<(Fact, f64)>,
    /// Those of them that another fact in force contradicts, and that are the stronger.
    pub disputed: Vec<Id>,
    /// Facts in force that give way to a stronger one which contradicts them: none of them is among `facts`.
    pub outweighed: usize,
    /// Links among `facts`.
    pub links: Vec<Link>,
    /// The first tick at which one of the facts in force expires.
    pub expires_tick: Option<u64>,
}

/// Sort key of a fact in the digest.
struct DigestRow {
    serial: i64,
    id: Id,
    category: String,
    pinned: bool,
    confidence: f64,
    /// Confidence by which facts are ordered: of inherited ones that at their birth, so that the order in which an heir
    /// adopts testaments does not order its facts.
    rank: f64,
    importance: f64,
    support: u32,
}

impl DigestRow {
    /// How much it belongs into a digest: what is pinned first, then by confidence and importance, then the older one by
    /// its id, which an heir keeps.
    fn worth(&self) -> (bool, f64) {
        (self.pinned, self.rank * self.importance)
    }

    /// Which of two that contradict each other gives way: as `FactStore::contradict` decides.
    fn weaker<'a>(&'a self, other: &'a Self) -> &'a Self {
        let order = (self.pinned.cmp(&other.pinned))
            .then(self.rank.total_cmp(&other.rank))
            .then(self.support.cmp(&other.support))
            .then(self.id.cmp(&other.id));
        if order.is_le() { self } else { other }
    }
}

impl FactStore {
    /// The strongest facts in force at a tick, at most `limit`, taken in turn from the first parts of their categories so
    /// that no category crowds out the others. A statement that has ended by `now` is not in force. Of two that contradict each other only the stronger is there.
    pub fn digest(&self, tick: u64, now: Micros, limit: usize) -> Result<Digest> {
        let tau = self.retention().tau_ticks;
        self.read(|connection| {
            let (facts, expires_tick) = in_force(connection, (tick, now), tau)?;
            let (outweighed, standing) = disputes(connection, &facts)?;
            let mut categories: BTreeMap<&str, Vec<&DigestRow>> = BTreeMap::new();
            for fact in &facts {
                let first = fact.category.split('/').next().unwrap_or_default();
                categories.entry(first).or_default().push(fact);
            }
            let mut digest = Digest {
                learned: counter(connection, LEARNED)?.unsigned_abs(),
                total: facts.len(),
                categories: categories.iter().map(|(name, held)| ((*name).to_owned(), held.len())).collect(),
                outweighed: outweighed.len(),
                expires_tick,
                ..Digest::default()
            };
            for light in in_turn(categories, &outweighed, limit) {
                let found = record::select(connection, "WHERE serial = ?1", [light.serial])?;
                digest.facts.extend(found.into_iter().map(|stored| (stored.fact, light.confidence)));
                if standing.contains(&light.serial) {
                    digest.disputed.push(light.id);
                }
            }
            digest.links = links_among(connection, &digest.facts)?;
            Ok(digest)
        })
    }
}

/// Every fact in force, and the first tick at which one of them expires.
fn in_force(
    connection: &Connection,
    (tick, now): (u64, Micros),
    tau_ticks: f64,
) -> Step<(Vec<DigestRow>, Option<u64>)> {
    let mut statement = connection.prepare_cached(
        "SELECT serial, id, category, pinned, confidence, importance, support, reinforced_tick, kind, bloodstain, source,
         expires_tick, persistence FROM facts WHERE status = 'active' AND (expires_tick IS NULL OR expires_tick >= ?1)
         AND (slot_key IS NULL OR ifnull(json_extract(statement, '$.until') > ?2, TRUE)) ORDER BY serial",
    )?;
    let mut rows = statement.query(params![signed(tick)?, now])?;
    let (mut facts, mut first_expiry) = (Vec::new(), None);
    while let Some(row) = rows.next()? {
        let expires: Option<i64> = row.get(11)?;
        if let Some(expires) = expires.map(i64::unsigned_abs) {
            first_expiry = Some(first_expiry.map_or(expires, |first: u64| first.min(expires)));
        }
        let kind = row.get::<_, String>(8)?.parse::<FactKind>()?;
        let (born, support, source) =
            (row.get(4)?, row.get(6)?, row.get::<_, String>(10)?.parse::<Source>()?);
        let decay_factors = DecayFactors {
            tau_ticks,
            kind,
            from_death: is_from_death(kind, row.get(9)?, source),
            pinned: row.get(3)?,
            persistence: row.get::<_, Option<String>>(12)?.map(|name| name.parse()).transpose()?,
        };
        let elapsed = tick.saturating_sub(row.get::<_, i64>(7)?.unsigned_abs());
        let confidence = decay(born, support, elapsed, &decay_factors);
        facts.push(DigestRow {
            serial: row.get(0)?,
            id: Id(row.get(1)?),
            category: row.get(2)?,
            pinned: decay_factors.pinned,
            confidence,
            rank: if source == Source::Testament { born } else { confidence },
            importance: row.get(5)?,
            support,
        });
    }
    Ok((facts, first_expiry))
}

/// The rows that give way, and those that stand, among the facts in force that contradict each other.
fn disputes(connection: &Connection, facts: &[DigestRow]) -> Step<(BTreeSet<i64>, BTreeSet<i64>)> {
    let mut statement = connection
        .prepare_cached("SELECT src, dst, intact FROM links WHERE relation = ?1 ORDER BY src, dst")?;
    let pairs: Vec<([u8; 16], [u8; 16])> = statement
        .query_map([Relation::Contradicts.name()], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let (mut weaker, mut stronger) = (BTreeSet::new(), BTreeSet::new());
    if pairs.is_empty() {
        return Ok((weaker, stronger));
    }
    let known: HashMap<[u8; 16], &DigestRow> = facts.iter().map(|fact| (fact.id.0, fact)).collect();
    for (src, dst) in pairs {
        if let (Some(one), Some(other)) = (known.get(&src), known.get(&dst)) {
            let gives_way = one.weaker(other).serial;
            weaker.insert(gives_way);
            stronger.insert(if gives_way == one.serial { other.serial } else { one.serial });
        }
    }
    stronger.retain(|serial| !weaker.contains(serial));
    Ok((weaker, stronger))
}

/// The best of each category, then the second best of each, and so on; categories by their best.
fn in_turn<'a>(
    categories: BTreeMap<&str, Vec<&'a DigestRow>>,
    left_out: &BTreeSet<i64>,
    limit: usize,
) -> Vec<&'a DigestRow> {
    let before = |a: &DigestRow, b: &DigestRow| {
        let ((pinned, worth), (other_pinned, other)) = (a.worth(), b.worth());
        other_pinned.cmp(&pinned).then(other.total_cmp(&worth)).then(a.id.cmp(&b.id))
    };
    let mut queues: Vec<Vec<&DigestRow>> = categories
        .into_values()
        .map(|mut held| {
            held.retain(|fact| !left_out.contains(&fact.serial));
            held.sort_unstable_by(|a, b| before(a, b));
            held.truncate(limit);
            held
        })
        .filter(|held| !held.is_empty())
        .collect();
    queues.sort_unstable_by(|a, b| before(a[0], b[0]));
    let longest = queues.iter().map(Vec::len).max().unwrap_or(0);
    let turns = (0..longest).flat_map(|turn| queues.iter().filter_map(move |queue| queue.get(turn).copied()));
    turns.take(limit).collect()
}

fn links_among(connection: &Connection, facts: &[(Fact, f64)]) -> Step<Vec<Link>> {
    let shown: BTreeSet<Id> = facts.iter().map(|(fact, _)| fact.id).collect();
    let mut statement = connection.prepare_cached(
        "SELECT dst, relation, weight, tick, intact FROM links WHERE src = ?1 ORDER BY dst, relation",
    )?;
    let mut links = Vec::new();
    for (fact, _) in facts {
        let mut rows = statement.query(params![fact.id.0])?;
        while let Some(row) = rows.next()? {
            let dst = Id(row.get(0)?);
            if shown.contains(&dst) {
                let relation = row.get::<_, String>(1)?.parse()?;
                let tick = row.get::<_, i64>(3)?.unsigned_abs();
                links.push(Link { src: fact.id, dst, relation, weight: row.get(2)?, tick });
            }
        }
    }
    Ok(links)
}
