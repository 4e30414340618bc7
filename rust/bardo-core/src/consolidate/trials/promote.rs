//! How far a fact has risen: from something noticed to an insight, to a heuristic that was tried, to
//! one that is acted by. The rank is worked out from what is stored, so that it never disagrees with it.

use rusqlite::{Connection, params};

use crate::consolidate::curator::MINIMUM_EPISODES;
use crate::consolidate::discovery::hypothesis_queries::{Trial, trial_in};
use crate::error::Result;
use crate::facts::outcomes::outcome_tally;
use crate::facts::rows::{self as record, StoredFact, signed};
use crate::facts::sqlite::Step;
use crate::facts::{FactStore, OutcomeTally};
use crate::model::decay::confidence_now;
use crate::model::{Fact, FactStatus, Id, Source};

/// Ticks that a fact must have been known for before it can be a heuristic.
pub const ACTIVE_TICKS: u64 = 10;
/// Confidence of today from which a heuristic is acted by.
pub const PLAYBOOK_CONFIDENCE: f32 = 0.7;
/// Kinds of fact that one can act by.
const ACTED_BY: &str = "('insight', 'heuristic', 'warning', 'procedural')";

/// How far a fact has risen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Noticed: fewer than three episodes stand behind it, it was only heard of, or it is not in force.
    Observation,
    /// At least three episodes support it.
    Insight,
    /// Confirmed by what it was not made from, known for ten ticks, and acting on it did good.
    Heuristic,
    /// A heuristic that is as sure as .7 today.
    Playbook,
}

impl Rank {
    /// The name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Insight => "insight",
            Self::Heuristic => "heuristic",
            Self::Playbook => "playbook",
        }
    }
}

/// Grounds of a fact's rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The record.
    pub fact: Fact,
    /// At the tick.
    pub confidence: f64,
    /// Ticks since it came into this store.
    pub known_ticks: u64,
    /// Its test, if it states a hypothesis of the ledger.
    pub trial: Option<Trial>,
    /// Episodes of its kept evidence that came after it was stated.
    pub later_episodes: u64,
    /// Whether an ancestor lived it and the agent's own episodes bore it out.
    pub innate: bool,
    /// Outcomes of acting on it.
    pub outcomes: Option<OutcomeTally>,
}

impl Standing {
    fn read(
        connection: &Connection,
        stored: StoredFact,
        agent: &str,
        tick: u64,
        tau_ticks: f64,
    ) -> Step<Self> {
        let fact = stored.fact;
        let later: i64 = connection
            .prepare_cached("SELECT count(*) FROM evidence WHERE fact = ?1 AND tick > ?2")?
            .query_row([stored.serial, signed(fact.created_tick)?], |row| row.get(0))?;
        Ok(Self {
            confidence: confidence_now(&fact, tick, tau_ticks),
            known_ticks: tick.saturating_sub(fact.created_tick),
            trial: trial_in(connection, fact.id)?,
            later_episodes: later.unsigned_abs(),
            innate: fact.origin != agent && !fact.is_hearsay() && fact.source == Source::SelfLived,
            outcomes: outcome_tally(connection, stored.serial)?,
            fact,
        })
    }

    /// Whether it holds on episodes that it was not made from: in the later windows of its hypothesis, in at least three
    /// episodes that say the same after it was stated, or, handed down, in the heir's own life.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        match &self.trial {
            Some(trial) => trial.windows > 0 && trial.log_wealth > 0.0,
            None => self.innate || self.later_episodes >= MINIMUM_EPISODES,
        }
    }

    /// Its rank.
    #[must_use]
    pub fn rank(&self, rule: Promotion) -> Rank {
        let in_force = self.fact.status == FactStatus::Active && !self.fact.is_hearsay();
        if !in_force || self.fact.source == Source::Dream || !self.is_supported() {
            return Rank::Observation;
        }
        let tried =
            self.known_ticks >= rule.active_ticks && self.outcomes.is_some_and(|told| told.is_positive());
        match (tried && self.is_confirmed(), self.confidence >= f64::from(rule.confidence)) {
            (false, _) => Rank::Insight,
            (true, false) => Rank::Heuristic,
            (true, true) => Rank::Playbook,
        }
    }

    /// A fact that an ancestor lived rests on the ancestor's episodes, whose number did not cross.
    fn is_supported(&self) -> bool {
        self.innate || u64::from(self.fact.support) >= MINIMUM_EPISODES
    }
}

/// Where the thresholds lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promotion {
    /// Ticks that a heuristic must have been known for.
    pub active_ticks: u64,
    /// Confidence of today from which it is acted by; as exact as stored ones are.
    pub confidence: f32,
}

impl Default for Promotion {
    fn default() -> Self {
        Self { active_ticks: ACTIVE_TICKS, confidence: PLAYBOOK_CONFIDENCE }
    }
}

/// Returns the grounds of one fact's rank.
pub fn standing(store: &FactStore, fact: Id, tick: u64) -> Result<Standing> {
    let tau = store.retention().tau_ticks;
    store.read(|connection| {
        Standing::read(connection, record::require(connection, fact)?, store.agent(), tick, tau)
    })
}

/// The facts that are acted by at a tick, the surest first. Only facts with an outcome are considered.
pub fn promoted(store: &FactStore, tick: u64, rule: Promotion) -> Result<Vec<Standing>> {
    let tau = store.retention().tau_ticks;
    store.read(|connection| {
        let tried = record::select(
            connection,
            &format!(
                "WHERE serial IN (SELECT fact FROM outcomes WHERE good > 0 AND total > 0) AND status = 'active'
                 AND kind IN {ACTED_BY} AND (expires_tick IS NULL OR expires_tick >= ?1) AND confidence >= ?2
                 ORDER BY serial"
            ),
            params![signed(tick)?, f64::from(rule.confidence)],
        )?;
        let mut found = Vec::new();
        for stored in tried {
            let standing = Standing::read(connection, stored, store.agent(), tick, tau)?;
            if standing.rank(rule) == Rank::Playbook {
                found.push(standing);
            }
        }
        found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.fact.id.cmp(&b.fact.id)));
        Ok(found)
    })
}
