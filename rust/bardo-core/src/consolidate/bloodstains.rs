//! Bloodstains: a pass writes a warning for each severe failure, with the conditions it came in.
//!
//! An outcome below zero is a severe failure if it lies far below the median of the agent's earlier outcomes of the same name
//! and kind of episode. The distance is in median absolute deviations (Iglewicz and Hoaglin, How to Detect and Handle Outliers,
//! 1993), so that one disaster does not hide the next. It must also be among the worst hundredth, which bounds the rate
//! under any distribution: deviations alone would stain every loss of an outcome that is usually the same.
//! Failures of one cause within a short time share a warning.

use std::collections::{BTreeMap, BTreeSet};

use super::batch::VerifiedEpisodes;
use super::curator::{CuratorReport, Pass};
use super::discovery::foreign_claims::confirm_claim;
use super::discovery::subgroups::{Condition, is_outcome};
use super::discovery::window::Window;
use super::fact_text::one_line;
use super::failure_causes::{self as causes, is_action};
use super::failure_rates::{self, FailureRates};
use super::replay::situations::quote;
use super::severity::{LEAST_OUTCOMES, SEVERE_SHARE, Severity, severe_deviations};
use super::statistics::identifiers::is_identifier;
use crate::error::Result;
use crate::facts::evidence::reinforce_one;
use crate::facts::rows::{self as record, StoredFact};
use crate::facts::sqlite::Step;
use crate::facts::tombstones::is_forgotten;
use crate::facts::transaction::Writer;
use crate::facts::transitions::write_link;
use crate::facts::{FactStore, Link, Relation};
use crate::model::{Episode, Fact, FactKind, FactPayload, Id, Value};

/// Verified episodes before an outcome whose outcomes it is compared with.
const EARLIER: usize = 512;
/// Cases of one kind within which failures of one cause are one, and with whose words those of a failure are compared.
const NEAR: usize = 16;
/// Category of the warnings.
const CATEGORY: &str = "failures";
/// Confidence of a warning that one failure taught.
const CONFIDENCE: f32 = 0.6;
/// Maximum number of memories of a prompt that are looked up among the facts.
const LOOKED_UP: usize = 256;
/// Maximum number of subjects, of unusual numbers, and of cited facts of one warning.
const SUBJECTS: usize = 4;
const UNUSUAL: usize = 2;
const CITED: usize = 8;

/// A severe failure, and the conditions it came in.
#[derive(Debug)]
pub(crate) struct Failure {
    episode: Episode,
    outcome: String,
    severity: Severity,
    /// Conditions on words of the payload, those on the action last.
    conditions: Vec<Condition>,
    /// The cases of its kind shortly before it.
    near: Vec<Id>,
    /// Names of numbers that were higher, or lower, than nearly all earlier ones.
    unusual: Vec<(String, &'static str)>,
    /// How often severe failures came under the conditions; none without conditions.
    rates: Option<FailureRates>,
}

/// Finds the severe failures among the episodes of a batch.
pub(crate) fn prepare(
    source: &impl VerifiedEpisodes,
    batch: &Window,
    (watermark, last): (u64, u64),
    outcomes: &[String],
) -> Result<Vec<Failure>> {
    let has_loss = batch
        .numbers
        .iter()
        .any(|(path, rows)| is_outcome(path, outcomes) && rows.iter().any(|(_, number)| *number < 0.0));
    if !has_loss {
        return Ok(Vec::new());
    }
    let window = Window::between(source, watermark.saturating_sub(EARLIER as u64), last, false)?;
    let history = History::of(&window);
    let new: BTreeSet<Id> = batch.moments.iter().map(|moment| moment.id).collect();
    let mut worst: BTreeMap<usize, (Severity, &str, f64)> = BTreeMap::new();
    for (path, rows) in window.numbers.iter().filter(|(path, _)| is_outcome(path, outcomes)) {
        for (position, number) in rows.iter().filter(|(at, _)| new.contains(&window.moments[*at].id)) {
            if *number < 0.0
                && let Some(severity) = Severity::of(*number, history.before(rows, *position))
                && worst.get(position).is_none_or(|(other, ..)| other.deviations < severity.deviations)
            {
                worst.insert(*position, (severity, path, *number));
            }
        }
    }
    let ids: Vec<Id> = worst.keys().map(|position| window.moments[*position].id).collect();
    let severe: BTreeSet<Id> = ids.iter().copied().collect();
    let mut failures = Vec::new();
    for (episode, (position, (severity, path, number))) in source.episodes(&ids)?.into_iter().zip(worst) {
        // One that was forgotten meanwhile teaches nothing.
        let Some(episode) = episode else { continue };
        let near = history.near(&window.numbers[path], position);
        // A failure before it is told in words of its own, too.
        let ordinary: Vec<Id> =
            near.iter().filter(|(_, other)| *other > number / 2.0).map(|(id, _)| *id).collect();
        let ordinary: Vec<Episode> = source.episodes(&ordinary)?.into_iter().flatten().collect();
        let before = |rows: &[(usize, f64)]| history.before(rows, position);
        let mut conditions = causes::named(&window, position, (&episode, &ordinary), outcomes, before);
        if conditions.is_empty() {
            conditions = causes::of_words(&window, position);
        }
        let mut failure = Failure {
            episode,
            outcome: one_line(path),
            severity,
            conditions,
            near: near.into_iter().map(|(id, _)| id).collect(),
            unusual: history.unusual(position, outcomes),
            rates: None,
        };
        failure.rates = failure.rates(&window, path, (position, number), &severe);
        failures.push(failure);
    }
    Ok(failures)
}

/// A window, with the kind of each of its episodes.
struct History<'window> {
    window: &'window Window,
    kinds: Vec<&'window str>,
}

impl<'window> History<'window> {
    fn of(window: &'window Window) -> Self {
        let mut kinds = vec![""; window.moments.len()];
        for ((_, kind), positions) in window.words.iter().filter(|((path, _), _)| path == "kind") {
            for position in positions {
                kinds[*position] = kind;
            }
        }
        Self { window, kinds }
    }

    /// Numbers of the episodes of the same kind before this one, so many back for any size of the batch.
    fn before(&self, rows: &[(usize, f64)], position: usize) -> Vec<f64> {
        let is_earlier =
            |at: usize| at < position && at + EARLIER >= position && self.kinds[at] == self.kinds[position];
        rows.iter().filter(|(at, _)| is_earlier(*at)).map(|(_, number)| *number).collect()
    }

    /// Ids and numbers of the latest episodes of the same kind before this one.
    fn near(&self, rows: &[(usize, f64)], position: usize) -> Vec<(Id, f64)> {
        let is_earlier = |at: usize| at < position && self.kinds[at] == self.kinds[position];
        let earlier: Vec<(Id, f64)> = rows
            .iter()
            .filter(|(at, _)| is_earlier(*at))
            .map(|(at, number)| (self.window.moments[*at].id, *number))
            .collect();
        earlier[earlier.len().saturating_sub(NEAR)..].to_vec()
    }

    /// Features of an episode that lie beyond nearly all earlier ones.
    fn unusual(&self, position: usize, outcomes: &[String]) -> Vec<(String, &'static str)> {
        let mut found = Vec::new();
        for (path, rows) in self.window.numbers.iter().filter(|(path, _)| !is_outcome(path, outcomes)) {
            let Some((_, number)) = rows.iter().find(|(at, _)| *at == position) else { continue };
            let earlier = self.before(rows, position);
            if earlier.len() < LEAST_OUTCOMES || is_identifier(path, earlier.iter().copied()) {
                continue;
            }
            let few = SEVERE_SHARE * earlier.len() as f64;
            if earlier.iter().filter(|other| **other >= *number).count() as f64 <= few {
                found.push((one_line(path), "high"));
            } else if earlier.iter().filter(|other| **other <= *number).count() as f64 <= few {
                found.push((one_line(path), "low"));
            }
        }
        found.truncate(UNUSUAL);
        found
    }
}

impl Failure {
    /// Counts the cases of its conditions: as many before it as it was compared with, and the later ones of the window.
    fn rates(
        &self,
        window: &Window,
        path: &str,
        (position, number): (usize, f64),
        severe: &BTreeSet<Id>,
    ) -> Option<FailureRates> {
        if self.conditions.is_empty() {
            return None;
        }
        let subject = self.episode.subjects.first();
        let subject = subject.map(|subject| Condition::Is("subject".to_owned(), subject.clone()));
        let conditions = self.conditions.iter().cloned().chain(subject).collect();
        let kind = self.episode.kind.clone();
        let mut rates = FailureRates::new(path.to_owned(), kind, conditions, number);
        // Which earlier failures were severe in their time depends on the batch that they came in.
        rates.count(window, position.saturating_sub(EARLIER)..position + 1, &BTreeSet::new());
        rates.count(window, position + 1..window.moments.len(), severe);
        Some(rates)
    }

    /// Ids of the memories that stood in the prompt, if the episode tells them.
    fn cited(&self) -> Vec<Id> {
        let Value::Map(entries) = &self.episode.payload else { return Vec::new() };
        let Some((_, Value::List(ids))) = entries.iter().find(|(name, _)| name == "memories") else {
            return Vec::new();
        };
        let texts = ids.iter().filter_map(|id| if let Value::Text(text) = id { Some(text) } else { None });
        texts.filter_map(|text| text.parse().ok()).collect()
    }

    /// The warning, about the subjects of the episode, or else those of the facts that were acted on.
    fn fact(&self, cited: &[StoredFact]) -> Fact {
        let mut subjects = self.episode.subjects.clone();
        if subjects.is_empty() {
            subjects = cited.iter().flat_map(|stored| stored.fact.subjects.clone()).collect();
            let mut seen = BTreeSet::new();
            subjects.retain(|subject| seen.insert(subject.clone()));
        }
        subjects.truncate(SUBJECTS);
        let stated = |wanted: bool| {
            let parts = self.conditions.iter().filter(|condition| is_action(condition) == wanted);
            parts.map(Condition::words).collect::<Vec<_>>().join(" and ")
        };
        let payload = if self.conditions.is_empty() {
            FactPayload::None
        } else {
            FactPayload::Heuristic {
                condition: stated(false),
                action: stated(true),
                outcome: format!("{} is lower", self.outcome),
                n: self.severity.earlier as u64,
                // In deviations: sums of money stay with the agent that lost them.
                effect: -self.severity.deviations,
                interval: (0.0, 0.0),
            }
        };
        let text = self.text(&subjects);
        Fact {
            category: CATEGORY.to_owned(),
            subjects,
            support: 1,
            evidence: vec![self.episode.id],
            confidence: CONFIDENCE,
            importance: (1.0 - severe_deviations(self.severity.earlier) / (2.0 * self.severity.deviations))
                as f32,
            observed: (self.episode.tick, self.episode.tick),
            bloodstain: true,
            payload,
            ..Fact::new(FactKind::Warning, text)
        }
    }

    fn text(&self, subjects: &[String]) -> String {
        let mut about: Vec<String> = subjects.first().map(|subject| quote(subject)).into_iter().collect();
        if !matches!(self.episode.kind.as_str(), "event" | "outcome") {
            about.push(one_line(&self.episode.kind));
        }
        let mut text = String::from("Severe failure");
        if !about.is_empty() {
            text = format!("{text} of {}", about.join(" "));
        }
        let is_told = |condition: &&Condition| matches!(condition, Condition::Is(_, word) if subjects.first() == Some(word));
        let words: Vec<String> =
            self.conditions.iter().filter(|condition| !is_told(condition)).map(Condition::words).collect();
        if !words.is_empty() {
            text = format!("{text} when {}", words.join(" and "));
        }
        let Severity { deviations, earlier } = self.severity;
        text = format!(
            "{text}: {} was {deviations:.0} deviations below the median of {earlier} earlier cases",
            self.outcome
        );
        if let Some(rates) = &self.rates {
            text = rates.restate(&text);
        }
        for (path, side) in &self.unusual {
            text = format!("{text}; {path} was unusually {side}");
        }
        // Several failures may share the warning of their conditions: none may be quoted in it, or it could not be forgotten.
        // The text of an outcome without a note says nothing but its number.
        let says_nothing =
            self.episode.text.starts_with("Outcome ") && self.episode.text.contains(" of acting on ");
        if says_nothing || !self.conditions.is_empty() {
            return text;
        }
        format!("{text}: \"{}\"", quote(&self.episode.text))
    }
}

/// Warnings of failures, in force or contradicted.
const WARNINGS: &str = "WHERE kind = 'warning' AND bloodstain AND category = ?1
     AND status IN ('active', 'contradicted', 'held') ORDER BY serial";

/// The warning of a failure of the same subjects under the same conditions, or of the same cause a short time ago.
fn known(writer: &Writer<'_>, fact: &Fact, near: &[Id]) -> Step<Option<StoredFact>> {
    let mut found = record::select(&writer.transaction, WARNINGS, [CATEGORY])?;
    let is_same = |stored: &StoredFact| {
        stored.fact.subjects == fact.subjects
            && causes::has_same_conditions(&stored.fact.payload, &fact.payload)
            && (fact.payload != FactPayload::None || stored.fact.text == fact.text)
    };
    let goes_on = |stored: &StoredFact| {
        !stored.fact.is_hearsay()
            && stored.fact.evidence.iter().any(|episode| near.contains(episode))
            && causes::is_one_cause(&stored.fact.payload, &fact.payload)
    };
    let place = found.iter().position(is_same).or_else(|| found.iter().position(goes_on));
    Ok(place.map(|place| found.swap_remove(place)))
}

/// Adds the subjects of a failure to its warning, which is about each of them.
fn widen(stored: &mut StoredFact, subjects: &[String]) {
    let new: Vec<String> =
        subjects.iter().filter(|one| !stored.fact.subjects.contains(one)).cloned().collect();
    stored.fact.subjects.extend(new);
    stored.fact.subjects.truncate(SUBJECTS);
}

/// Begins to count the cases of a warning that came without rates: of an ancestor, or of an earlier version.
fn begin(writer: &Writer<'_>, stored: &mut StoredFact, failure: &Failure, tick: u64) -> Step<()> {
    if let Some(rates) = &failure.rates
        && failure_rates::load(writer, stored.serial)?.is_none()
    {
        failure_rates::save(writer, stored.serial, rates)?;
        stored.fact.text = rates.restate(&stored.fact.text);
        writer.update(stored, tick)?;
    }
    Ok(())
}

/// Writes a warning for each failure, or reinforces the one of an earlier failure like it, and links it to what was acted on.
pub(crate) fn apply(
    writer: &Writer<'_>,
    store: &FactStore,
    pass: &Pass,
    decisions: &Window,
    failures: &[Failure],
    report: &mut CuratorReport,
) -> Step<()> {
    let severe = failures.iter().map(|failure| failure.episode.id).collect();
    let warnings = record::select(&writer.transaction, WARNINGS, [CATEGORY])?;
    failure_rates::follow(writer, warnings, decisions, &severe, decisions.span().1.min(pass.tick))?;
    for failure in failures {
        let tick = failure.episode.tick.min(pass.tick);
        let mut cited = Vec::new();
        for id in failure.cited().into_iter().take(LOOKED_UP) {
            cited.extend(record::find(&writer.transaction, id)?);
            if cited.len() == CITED {
                break;
            }
        }
        let fact = failure.fact(&cited);
        let id = match known(writer, &fact, &failure.near)? {
            Some(mut stored) if stored.fact.is_hearsay() => {
                confirm_claim(&mut stored, tick, f64::from(CONFIDENCE), 1, pass.retention.tau_ticks);
                record::add_evidence(&writer.transaction, stored.serial, &fact.evidence, tick)?;
                writer.update(&stored, tick)?;
                report.confirmed.push(stored.fact.id);
                begin(writer, &mut stored, failure, tick)?;
                stored.fact.id
            }
            Some(mut stored) => {
                let id = stored.fact.id;
                begin(writer, &mut stored, failure, tick)?;
                widen(&mut stored, &fact.subjects);
                let counted = reinforce_one(writer, stored, &fact.evidence, tick, pass.retention)?;
                report.facts_reinforced += u64::from(counted);
                id
            }
            None if is_forgotten(writer, &fact.text)? => continue,
            None => {
                // In force at once: no trial may withdraw what was lived through.
                let mut fact = store.initial_state(&fact, pass.tick, pass.now);
                fact.reinforced_tick = tick;
                let serial = writer.insert(&mut fact)?;
                if let Some(rates) = &failure.rates {
                    failure_rates::save(writer, serial, rates)?;
                }
                report.facts_new += 1;
                fact.id
            }
        };
        report.bloodstains += 1;
        for stored in cited.iter().filter(|stored| stored.fact.id != id) {
            let (dst, relation) = (stored.fact.id, Relation::SeeAlso);
            write_link(writer, &Link { src: id, dst, relation, weight: 1.0, tick })?;
        }
    }
    Ok(())
}
