//! Compares others' claims of a rule, a link or a pattern with the claims that the agent's own episodes confirm:
//! the same claim becomes one fact, the agent's own, and a claim that says otherwise is lowered.
//!
//! Claims are compared by the payloads of their facts: what they are about must be the same, word for word; the numbers
//! decide whether they agree. What is about the same and neither surely agrees nor surely disagrees stays as it is.

use std::collections::BTreeSet;

use rusqlite::params;

use crate::consolidate::curator::{CuratorReport, Pass};
use crate::consolidate::statistics::baseline::lower;
use crate::consolidate::statistics::numeric_claims::is_archived_by;
use crate::consolidate::upkeep::lint_acts::move_links;
use crate::facts::EndCause;
use crate::facts::outcomes::transfer_outcomes;
use crate::facts::rows::{self as record, StoredFact};
use crate::facts::sqlite::Step;
use crate::facts::sqlite::rows;
use crate::facts::transaction::Writer;
use crate::facts::transitions::confirm;
use crate::facts::transitions::link_both;
use crate::facts::transitions::rebase;
use crate::facts::transitions::replace;
use crate::facts::transitions::revive;
use crate::model::calendar::WEEKDAYS;
use crate::model::decay::confidence_now;
use crate::model::{FactPayload, FactStatus, Id};

/// Claims of others that one pass looks at.
const CLAIMS: usize = 4_096;
/// Part of a bound by which two bounds of one condition may differ and still be the same.
const SAME_BOUND: f64 = 0.1;
const HOURS: u32 = 24;

/// Topic of a claim.
#[derive(Clone, Debug, PartialEq)]
enum Topic {
    Link { cause: String, effect: String },
    Rule { conditions: BTreeSet<Feature>, outcome: String },
    Bursts { event: String },
    Hours { event: String },
    Weekdays { event: String },
}

/// One condition of a rule without its bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feature {
    /// A number is high.
    High(String),
    /// A number is low.
    Low(String),
    /// Any other condition, in words.
    Holds(String),
}

/// A claim as the payload of a fact states it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assertion {
    topic: Topic,
    /// Whether it says more rather than less: of a link more often than by chance, of a rule a higher outcome.
    rises: bool,
    /// Size of the effect, the lag of a link, or the hour or day of a rhythm: the least and the greatest.
    range: Option<(f64, f64)>,
    /// Bounds of the conditions, in the order of the conditions.
    bounds: Vec<Option<f64>>,
}

/// How two claims stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimRelation {
    /// The same claim, and what was measured overlaps.
    Same,
    /// The same topic, and both cannot hold.
    Opposite,
    /// About something else, or not comparable.
    None,
}

impl Assertion {
    /// Topic of a payload; none where it states no hypothesis of the Curator's.
    pub(crate) fn of(payload: &FactPayload) -> Option<Self> {
        match payload {
            FactPayload::CausalLink { cause, effect, lag_ticks, lift, .. } => Some(Self {
                topic: Topic::Link { cause: cause.clone(), effect: effect.clone() },
                rises: *lift >= 1.0,
                range: Some((0.0, *lag_ticks as f64)),
                bounds: Vec::new(),
            }),
            FactPayload::Heuristic { condition, action, outcome, interval, .. } => {
                let (outcome, rises) = direction(outcome)?;
                let mut parts: Vec<(Feature, Option<f64>)> =
                    [condition, action].into_iter().flat_map(|words| features(words)).collect();
                parts.sort_by(|a, b| a.0.cmp(&b.0));
                // A statement without figures has an interval without any.
                let is_measured = interval.0 < interval.1 && interval.0.signum() == interval.1.signum();
                let (features, bounds) = parts.into_iter().unzip();
                Some(Self {
                    topic: Topic::Rule { conditions: features, outcome },
                    rises,
                    range: is_measured.then_some(*interval),
                    bounds,
                })
            }
            FactPayload::Pattern { description, .. } => pattern(description),
            FactPayload::None
            | FactPayload::Baseline { .. }
            | FactPayload::Procedural { .. }
            | FactPayload::AntiKnowledge { .. } => None,
        }
    }

    /// How a claim of others stands to this one, which own episodes confirm.
    pub(crate) fn relation(&self, other: &Self) -> ClaimRelation {
        if self.topic != other.topic {
            return ClaimRelation::None;
        }
        if self.rises != other.rises {
            return ClaimRelation::Opposite;
        }
        match &self.topic {
            Topic::Bursts { .. } => ClaimRelation::Same,
            // Another lag may be another way from the one to the other.
            Topic::Link { .. } => if_overlapping(self.range, other.range, ClaimRelation::None),
            Topic::Hours { .. } | Topic::Weekdays { .. } => self.rhythm(other),
            // The effect of another bound may well be of another size.
            Topic::Rule { .. } if !self.has_bounds_of(other) => {
                if_overlapping(self.range, other.range, ClaimRelation::None)
            }
            Topic::Rule { .. } => if_overlapping(self.range, other.range, ClaimRelation::Opposite),
        }
    }

    /// Rhythms agree on the same or the next hour, and on the same day.
    fn rhythm(&self, other: &Self) -> ClaimRelation {
        let (Some((own, _)), Some((told, _))) = (self.range, other.range) else { return ClaimRelation::None };
        let apart = (own - told).abs();
        let is_near = match self.topic {
            Topic::Hours { .. } => apart.min(f64::from(HOURS) - apart) <= 1.0,
            _ => apart < 1.0,
        };
        if is_near { ClaimRelation::Same } else { ClaimRelation::Opposite }
    }

    fn has_bounds_of(&self, other: &Self) -> bool {
        self.bounds.len() == other.bounds.len()
            && self.bounds.iter().zip(&other.bounds).all(|bounds| match bounds {
                (Some(one), Some(two)) => (one - two).abs() <= SAME_BOUND * one.abs().max(two.abs()),
                (None, None) => true,
                _ => false,
            })
    }
}

/// The same where two ranges overlap, or one is not told.
fn if_overlapping(
    one: Option<(f64, f64)>,
    two: Option<(f64, f64)>,
    otherwise: ClaimRelation,
) -> ClaimRelation {
    match (one, two) {
        (Some(one), Some(two)) if one.0 > two.1 || two.0 > one.1 => otherwise,
        _ => ClaimRelation::Same,
    }
}

/// The outcome of a rule and whether it is higher.
fn direction(outcome: &str) -> Option<(String, bool)> {
    let (name, rises) = match outcome.strip_suffix(" is higher") {
        Some(name) => (name, true),
        None => (outcome.strip_suffix(" is lower")?, false),
    };
    Some((name.to_owned(), rises))
}

/// The conditions of a rule in words, each with its bound.
fn features(words: &str) -> Vec<(Feature, Option<f64>)> {
    let feature = |part: &str| {
        let bounded =
            |sign: &str| part.split_once(sign).map(|(path, bound)| (path.to_owned(), bound.parse().ok()));
        if let Some((path, bound)) = bounded(" >= ") {
            (Feature::High(path), bound)
        } else if let Some((path, bound)) = bounded(" <= ") {
            (Feature::Low(path), bound)
        } else if let Some(path) = part.strip_suffix(" is high") {
            (Feature::High(path.to_owned()), None)
        } else if let Some(path) = part.strip_suffix(" is low") {
            (Feature::Low(path.to_owned()), None)
        } else {
            (Feature::Holds(part.to_owned()), None)
        }
    };
    words.split(" and ").filter(|part| !part.is_empty()).map(feature).collect()
}

/// A pattern by its description, as `claims` words it. That a number has shifted is about one life alone.
fn pattern(description: &str) -> Option<Assertion> {
    let of = |topic, at: Option<u32>| {
        let at = at.map(f64::from);
        Assertion { topic, rises: true, range: at.map(|at| (at, at)), bounds: Vec::new() }
    };
    if let Some((event, _)) = description.split_once(" comes in bursts: ") {
        return Some(of(Topic::Bursts { event: event.to_owned() }, None));
    }
    let (event, when) = description.split_once(" happens mostly ")?;
    let event = event.to_owned();
    if let Some(hours) = when.strip_prefix("between ") {
        let hour: u32 = hours.split_once(":00 ")?.0.parse().ok()?;
        return (hour < HOURS).then(|| of(Topic::Hours { event }, Some(hour)));
    }
    let day = when.strip_prefix("on ")?.split_once("s:")?.0;
    let day = (0..).zip(WEEKDAYS).find(|(_, name)| *name == day)?.0;
    Some(of(Topic::Weekdays { event }, Some(day)))
}

/// Claims of others that own hypotheses are held against, with their rows.
pub(crate) struct ForeignClaims {
    claims: Vec<(Assertion, i64)>,
}

impl ForeignClaims {
    /// The claims of others that are in force, and those that left it because no evidence came, the surest first.
    pub(crate) fn read(writer: &Writer<'_>) -> Step<Self> {
        let found = record::select(
            &writer.transaction,
            "WHERE kind IN ('causal_link', 'pattern', 'heuristic')
             AND (status IN ('active', 'contradicted')
                  OR status = 'archived' AND ended_by IN ('decay', 'capacity', 'stale'))
             AND (generation > 0 OR source IN ('clade', 'testament', 'styx', 'lethe', 'market'))
             ORDER BY status = 'archived', confidence DESC, serial LIMIT ?1",
            params![rows(CLAIMS)],
        )?;
        let claims = found
            .into_iter()
            .filter_map(|stored| Some((Assertion::of(&stored.fact.payload)?, stored.serial)));
        Ok(Self { claims: claims.collect() })
    }

    /// The facts of others that stand like this to an own claim as of a tick. Pinned ones stay unchanged.
    fn of(
        &self,
        writer: &Writer<'_>,
        pass: &Pass,
        own: &Assertion,
        kinship: ClaimRelation,
        tick: u64,
    ) -> Step<Vec<StoredFact>> {
        let mut found = Vec::new();
        for (claim, serial) in &self.claims {
            if own.relation(claim) == kinship {
                let stored = record::select(&writer.transaction, "WHERE serial = ?1", [serial])?;
                found.extend(stored.into_iter().filter(|stored| {
                    let is_there = match stored.fact.status {
                        FactStatus::Active | FactStatus::Contradicted => !is_archived_by(stored, pass, tick),
                        // It left because no evidence came, and this is evidence.
                        FactStatus::Archived => kinship == ClaimRelation::Same,
                        _ => false,
                    };
                    is_there && stored.fact.is_hearsay() && !stored.fact.pinned
                }));
            }
        }
        Ok(found)
    }

    /// The fact of others that states an own claim which no fact of the agent's states yet.
    pub(crate) fn same(
        &self,
        writer: &Writer<'_>,
        pass: &Pass,
        payload: &FactPayload,
        tick: u64,
    ) -> Step<Option<Id>> {
        let Some(own) = Assertion::of(payload) else { return Ok(None) };
        let found = self.of(writer, pass, &own, ClaimRelation::Same, tick)?;
        Ok(found.first().map(|stored| stored.fact.id))
    }

    /// Makes one of an own fact and of those of others that state the same, and lowers those that say otherwise.
    pub(crate) fn apply(
        &self,
        writer: &Writer<'_>,
        pass: &Pass,
        own: Id,
        tick: u64,
        report: &mut CuratorReport,
    ) -> Step<()> {
        let Some(mut stored) = record::find(&writer.transaction, own)? else { return Ok(()) };
        let Some(claim) = Assertion::of(&stored.fact.payload) else { return Ok(()) };
        let same = match stored.fact.status {
            FactStatus::Active => self.of(writer, pass, &claim, ClaimRelation::Same, tick)?,
            // A fact that is not in force replaces none.
            _ => Vec::new(),
        };
        for other in same {
            let id = other.fact.id;
            if id == own {
                continue;
            }
            transfer_outcomes(&writer.transaction, stored.serial, other.serial)?;
            replace(writer, &mut stored, other, &EndCause::Confirmation, tick)?;
            move_links(writer, id, own, tick)?;
            report.confirmed.push(id);
        }
        for mut other in self.of(writer, pass, &claim, ClaimRelation::Opposite, tick)? {
            if other.fact.status == FactStatus::Active && other.fact.id != own {
                let (id, since) = (other.fact.id, other.fact.reinforced_tick);
                lower(writer, pass, &mut other, tick.max(since))?;
                link_both(writer, id, own, tick)?;
                report.refuted.push(id);
            }
        }
        Ok(())
    }
}

/// Makes a fact of others that own episodes confirm the agent's own: no less sure than it is, and in force, also from the
/// cold tier.
pub(crate) fn confirm_claim(
    stored: &mut StoredFact,
    tick: u64,
    confidence: f64,
    support: u32,
    tau_ticks: f64,
) {
    revive(stored);
    let before = confidence_now(&stored.fact, tick, tau_ticks);
    confirm(&mut stored.fact, tick, tau_ticks);
    rebase(&mut stored.fact, confidence.max(before), tick);
    stored.fact.support = stored.fact.support.max(support);
    stored.fact.status = FactStatus::Active;
    stored.fact.expires_tick = None;
    stored.spaced_tick = Some(tick);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(condition: &str, outcome: &str, interval: (f64, f64)) -> Assertion {
        Assertion::of(&FactPayload::Heuristic {
            condition: condition.into(),
            action: "side is buy".into(),
            outcome: outcome.into(),
            n: 100,
            effect: f64::midpoint(interval.0, interval.1),
            interval,
        })
        .unwrap()
    }

    fn assertion_of(description: &str) -> Option<Assertion> {
        Assertion::of(&FactPayload::Pattern {
            description: description.into(),
            statistic: 1.0,
            p_value: 0.01,
        })
    }

    #[test]
    fn rules_are_the_same_where_their_effects_overlap() {
        let own = rule("gas >= 68.3 and subject is eth", "pnl is lower", (-1.2, -0.8));
        let kinship = |condition, outcome, interval| own.relation(&rule(condition, outcome, interval));
        let gas = "subject is eth and gas >= 70";
        assert_eq!(kinship(gas, "pnl is lower", (-1.5, -1.1)), ClaimRelation::Same);
        assert_eq!(
            kinship("gas is high and subject is eth", "pnl is lower", (0.0, 0.0)),
            ClaimRelation::Same
        );
        assert_eq!(kinship(gas, "pnl is lower", (-0.7, -0.1)), ClaimRelation::Opposite, "disjoint");
        assert_eq!(kinship(gas, "pnl is higher", (0.8, 1.2)), ClaimRelation::Opposite, "the other sign");
        assert_eq!(
            kinship("gas >= 200 and subject is eth", "pnl is lower", (-9.0, -7.0)),
            ClaimRelation::None
        );
        assert_eq!(
            kinship("gas <= 68.3 and subject is eth", "pnl is lower", (-1.2, -0.8)),
            ClaimRelation::None
        );
        assert_eq!(kinship("gas >= 68.3", "pnl is lower", (-1.2, -0.8)), ClaimRelation::None);
        assert_eq!(kinship(gas, "slippage is lower", (-1.2, -0.8)), ClaimRelation::None);
    }

    #[test]
    fn links_are_the_same_by_cause_effect_and_sign() {
        let link = |cause: &str, lift, lag_ticks| {
            let (cause, effect) = (cause.to_owned(), "liquidation".to_owned());
            Assertion::of(&FactPayload::CausalLink { cause, effect, lag_ticks, lift, p_value: 0.01 }).unwrap()
        };
        let own = link("oracle", 4.0, 2);
        assert_eq!(own.relation(&link("oracle", 2.0, 3)), ClaimRelation::Same);
        assert_eq!(own.relation(&link("oracle", 0.3, 3)), ClaimRelation::Opposite);
        assert_eq!(own.relation(&link("rain", 4.0, 2)), ClaimRelation::None);
    }

    #[test]
    fn rhythms_are_the_same_at_the_same_time() {
        let hour = |hour: u32| {
            assertion_of(&format!("eth trade happens mostly between {hour}:00 and {}:00 UTC: in 9 of 10 days, where chance has 2", (hour + 1) % 24)).unwrap()
        };
        assert_eq!(hour(23).relation(&hour(0)), ClaimRelation::Same);
        assert_eq!(hour(3).relation(&hour(3)), ClaimRelation::Same);
        assert_eq!(hour(3).relation(&hour(9)), ClaimRelation::Opposite);
        let day = |day: &str| {
            assertion_of(&format!("eth trade happens mostly on {day}s: in 9 of 10 weeks, where chance has 2"))
                .unwrap()
        };
        assert_eq!(day("Monday").relation(&day("Monday")), ClaimRelation::Same);
        assert_eq!(day("Monday").relation(&day("Friday")), ClaimRelation::Opposite);
        assert_eq!(day("Monday").relation(&hour(3)), ClaimRelation::None);
        let bursts = assertion_of(
            "eth trade comes in bursts: up to 9 within 20 ticks, where an even background has 2 at most",
        );
        assert_eq!(bursts.clone().unwrap().relation(&bursts.unwrap()), ClaimRelation::Same);
        assert_eq!(
            assertion_of("eth.gas has shifted: mean 3 over the latest 40 observations, 2 before"),
            None
        );
        assert_eq!(assertion_of("eth trade happens mostly between 31:00 and 32:00 UTC: always"), None);
    }
}
