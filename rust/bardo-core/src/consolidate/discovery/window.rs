//! Windows: runs of verified episodes that follow one another, each tested once as a whole.
//!
//! They do not overlap, so that each brings fresh evidence about every hypothesis; and they are as long for an old agent
//! as for a young one, so that a pass costs the same.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::cases::{Account, joined};
use super::periodicity::Activity;
use crate::consolidate::batch::VerifiedEpisodes;
use crate::consolidate::replay::situations::quote;
use crate::error::Result;
use crate::facts::schema::Direction;
use crate::model::{Episode, INHERITED_KIND, Id, Micros, Role, Value};

/// Verified episodes in the first window; each next one ends where the total has doubled, until windows have
/// [`LONGEST`].
const FIRST: u64 = 64;
/// Verified episodes in a window of an agent that has seen that many.
const LONGEST: u64 = 1_024;
/// Episodes held in memory at once while a window is read.
const PAGE: usize = 32;
/// Numbers and words of one payload that are looked at; the rest of a larger one is left out.
const FEATURES: usize = 64;
/// Bytes of a word in a payload that may name a group; longer ones are texts.
const WORD_BYTES: usize = 64;
/// Subjects of one episode that make it an event of theirs.
const SUBJECTS: usize = 4;
/// Kind of an episode without a declared kind: only its subject names it.
const NO_KIND: &str = "event";
/// Kind of what is said in a conversation: that answers follow questions is no discovery.
const TURN: &str = "turn";

/// Verified episodes in a window that tests rules. A test wins at most their number, however clear the difference is, so that
/// several short windows tell more than a long one.
const LONGEST_OF_RULES: u64 = 256;
/// How verified episodes are divided into windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    longest: u64,
}

impl Schedule {
    /// Windows of claims on what happens, and when.
    pub const EVENTS: Self = Self { longest: LONGEST };
    /// Windows of rules about outcomes.
    pub const RULES: Self = Self { longest: LONGEST_OF_RULES };

    /// The number of the last verification of the window that is open after `number` of them.
    pub fn end(self, number: u64) -> u64 {
        if number < self.longest {
            (number + 1).next_power_of_two().max(FIRST)
        } else {
            (number / self.longest + 1) * self.longest
        }
    }

    /// Which window ends at `end`, from 1, and after which verification it begins.
    pub fn window(self, end: u64) -> (u64, u64) {
        let doublings = |end: u64| u64::from((end / FIRST).max(1).ilog2()) + 1;
        if end <= FIRST {
            (1, 0)
        } else if end <= self.longest {
            (doublings(end), end / 2)
        } else {
            (doublings(self.longest) + end / self.longest - 1, end - self.longest)
        }
    }
}

/// A sort of event: what happened, and to whom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// The subject, if the episode names any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The kind, unless it is only called an event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl Label {
    /// The label in words.
    #[must_use]
    pub fn words(&self) -> String {
        let parts = [&self.subject, &self.kind];
        parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// When an episode happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EpisodeTime {
    pub id: Id,
    pub tick: u64,
    pub at: Micros,
}

/// Columns of a window. Positions count its episodes by tick.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// From 1.
    pub number: u64,
    /// Verification after which it begins.
    pub begin: u64,
    /// When each episode happened.
    pub moments: Vec<EpisodeTime>,
    /// How many of them each hour and each weekday has.
    pub activity: Activity,
    /// Where each sort of event happened.
    pub events: BTreeMap<Label, Vec<usize>>,
    /// Numbers of payloads by path, with the position of their episode.
    pub numbers: BTreeMap<String, Vec<(usize, f64)>>,
    /// Where a path of the payload holds a word (or "subject" one, or "kind").
    pub words: BTreeMap<(String, String), Vec<usize>>,
    /// The model of the vectors, if there are any.
    pub model: Option<String>,
    /// Content of each episode that has a vector.
    pub said: Vec<Option<EpisodeContent>>,
}

/// Content of an episode.
#[derive(Debug)]
pub(crate) struct EpisodeContent {
    /// By its vector.
    pub direction: Direction,
    /// How it begins.
    pub quote: String,
}

impl Window {
    /// Reads the window of a schedule that ends at this verification.
    pub fn read(source: &impl VerifiedEpisodes, schedule: Schedule, end: u64) -> Result<Self> {
        let (number, begin) = schedule.window(end);
        Ok(Self { number, ..Self::between(source, begin, end, true)? })
    }

    /// Reads the episodes with verifications after `begin` up to `end`; its number is 0.
    pub fn between(source: &impl VerifiedEpisodes, begin: u64, end: u64, with_vectors: bool) -> Result<Self> {
        let model = source.fingerprint()?.map(|model| model.to_string());
        let mut outlines = Vec::new();
        let mut last = begin;
        'pages: while last < end {
            let page = source.verified_since(last, PAGE)?;
            if page.is_empty() {
                break;
            }
            for (verification, episode) in page {
                if verification > end {
                    break 'pages;
                }
                last = verification;
                if episode.kind != INHERITED_KIND {
                    let vector =
                        if with_vectors && model.is_some() { source.vector(episode.id)? } else { None };
                    let said = vector.map(|vector| EpisodeContent {
                        direction: Direction::of(vector),
                        quote: quote(&episode.text),
                    });
                    outlines.push(Outline { said, ..Outline::of(&episode) });
                }
            }
        }
        let model = model.filter(|_| with_vectors);
        Ok(Self { begin, model, ..Self::laid_out(outlines) })
    }

    /// The columns of these episodes, as if they were a window of their own; its number is 0.
    pub fn of(episodes: &[Episode]) -> Self {
        let lived = episodes.iter().filter(|episode| episode.kind != INHERITED_KIND);
        Self::laid_out(lived.map(Outline::of).collect())
    }

    fn laid_out(mut outlines: Vec<Outline>) -> Self {
        outlines.sort_by_key(|outline| (outline.moment.tick, outline.event_index, outline.moment.id));
        let mut window = Self::default();
        for (position, outline) in joined(outlines).into_iter().enumerate() {
            window.add(position, outline);
        }
        window.activity = Activity::of(&window.moments);
        window
    }

    fn add(&mut self, position: usize, outline: Outline) {
        self.moments.push(outline.moment);
        self.said.push(outline.said);
        for label in outline.labels {
            self.events.entry(label).or_default().push(position);
        }
        for (path, number) in outline.numbers {
            self.numbers.entry(path).or_default().push((position, number));
        }
        for word in outline.words {
            let positions = self.words.entry(word).or_default();
            if positions.last() != Some(&position) {
                positions.push(position);
            }
        }
    }

    /// Subjects of at least four fifths of some episodes, the most frequent first.
    pub fn subjects_of(&self, positions: &[usize]) -> Vec<String> {
        let wanted: BTreeSet<usize> = positions.iter().copied().collect();
        let mut found: Vec<(usize, &String)> = self
            .words
            .iter()
            .filter(|((path, _), _)| path == "subject")
            .map(|((_, word), at)| (at.iter().filter(|position| wanted.contains(position)).count(), word))
            .filter(|(count, _)| *count > 0 && count * 5 >= wanted.len() * 4)
            .collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        found.into_iter().take(SUBJECTS).map(|(_, word)| word.clone()).collect()
    }

    /// Ticks of the first and the last episode.
    pub fn span(&self) -> (u64, u64) {
        let tick = |moment: Option<&EpisodeTime>| moment.map_or(0, |moment| moment.tick);
        (tick(self.moments.first()), tick(self.moments.last()))
    }

    /// Ticks at which a sort of event happened.
    pub fn ticks(&self, label: &Label) -> Vec<u64> {
        self.events.get(label).into_iter().flatten().map(|position| self.moments[*position].tick).collect()
    }

    /// The `count` most frequent sorts of event that happened at least `least` times.
    pub fn frequent(&self, least: usize, count: usize) -> Vec<Label> {
        let mut labels: Vec<(&Label, usize)> =
            self.events.iter().map(|(label, positions)| (label, positions.len())).collect();
        labels.retain(|(_, happened)| *happened >= least);
        labels.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        labels.into_iter().take(count).map(|(label, _)| label.clone()).collect()
    }

    /// Ids of the latest `count` of these episodes, and the ticks of the first and last.
    pub fn evidence(&self, positions: &[usize], count: usize) -> (Vec<Id>, (u64, u64)) {
        let latest = &positions[positions.len().saturating_sub(count)..];
        let tick = |position: Option<&usize>| position.map_or(0, |position| self.moments[*position].tick);
        (
            latest.iter().map(|position| self.moments[*position].id).collect(),
            (tick(positions.first()), tick(positions.last())),
        )
    }
}

/// Kept features of an episode, so that a window of megabytes is never in memory as a whole.
pub(super) struct Outline {
    pub(super) moment: EpisodeTime,
    event_index: u32,
    labels: Vec<Label>,
    pub(super) numbers: Vec<(String, f64)>,
    pub(super) words: Vec<(String, String)>,
    said: Option<EpisodeContent>,
    /// Its account of a decision, if it is the record of an outcome.
    pub(super) account: Option<Account>,
}

impl Outline {
    fn of(episode: &Episode) -> Self {
        let mut numbers: Vec<(String, f64)> = Vec::new();
        episode.payload.numbers(&mut |path, number| {
            let known = numbers.iter().any(|(name, _)| name == path);
            if !known && numbers.len() < FEATURES && !path.is_empty() && path.len() <= WORD_BYTES {
                numbers.push((path.to_owned(), number));
            }
        });
        let mut words = vec![("kind".to_owned(), episode.kind.clone())];
        words.extend(
            episode.subjects.iter().take(SUBJECTS).map(|subject| ("subject".to_owned(), subject.clone())),
        );
        payload_words(&episode.payload, &mut words);
        Self {
            moment: EpisodeTime { id: episode.id, tick: episode.tick, at: episode.at },
            event_index: episode.event_index,
            labels: labels(episode),
            numbers,
            words,
            said: None,
            account: Account::of(episode),
        }
    }
}

fn labels(episode: &Episode) -> Vec<Label> {
    if episode.kind == TURN || episode.is_outcome_record() || matches!(episode.role, Role::User | Role::Agent)
    {
        return Vec::new();
    }
    let kind = (episode.kind != NO_KIND).then(|| episode.kind.clone());
    let mut labels: Vec<Label> = episode
        .subjects
        .iter()
        .take(SUBJECTS)
        .map(|subject| Label { subject: Some(subject.clone()), kind: kind.clone() })
        .collect();
    if labels.is_empty() && kind.is_some() {
        labels.push(Label { subject: None, kind });
    }
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Words and truths at the top of a payload.
fn payload_words(payload: &Value, words: &mut Vec<(String, String)>) {
    let Value::Map(entries) = payload else { return };
    for (name, value) in entries.iter().take(FEATURES) {
        let word = match value {
            Value::Text(text) if text.len() <= WORD_BYTES && !text.trim().is_empty() => text.clone(),
            Value::Bool(truth) => truth.to_string(),
            _ => continue,
        };
        if !name.is_empty() && name.len() <= WORD_BYTES {
            words.push((name.clone(), word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Annotations;

    #[test]
    fn a_record_of_an_outcome_is_no_event_and_one_that_a_caller_calls_so_is() {
        let episode = |fields: &[&str]| Episode {
            id: Id::ABSENT,
            tick: 1,
            event_index: 0,
            at: 0,
            kind: "outcome".into(),
            role: Role::Environment,
            speaker: None,
            text: "Outcome".into(),
            subjects: vec!["ETH".into()],
            payload: Value::Map(fields.iter().map(|name| ((*name).to_owned(), Value::Null)).collect()),
            thread: None,
            session: None,
            mode: None,
            curiosity: 0.0,
            pad: [0.0; 3],
            content_hash: 0,
            annotations: Annotations::default(),
        };
        assert!(labels(&episode(&["value", "of", "memories"])).is_empty());
        assert_eq!(labels(&episode(&["value"])).len(), 1);
    }

    #[test]
    fn windows_follow_one_another_without_a_gap() {
        let ends = |schedule: Schedule, count: usize| -> Vec<u64> {
            std::iter::successors(Some(schedule.end(0)), |end| Some(schedule.end(*end))).take(count).collect()
        };
        let windows = |schedule: Schedule, count: usize| -> Vec<(u64, u64)> {
            ends(schedule, count).into_iter().map(|end| schedule.window(end)).collect()
        };
        assert_eq!(ends(Schedule::EVENTS, 8), [64, 128, 256, 512, 1_024, 2_048, 3_072, 4_096]);
        assert_eq!(
            windows(Schedule::EVENTS, 8),
            [(1, 0), (2, 64), (3, 128), (4, 256), (5, 512), (6, 1_024), (7, 2_048), (8, 3_072)]
        );
        assert_eq!(ends(Schedule::RULES, 5), [64, 128, 256, 512, 768]);
        assert_eq!(windows(Schedule::RULES, 5), [(1, 0), (2, 64), (3, 128), (4, 256), (5, 512)]);
        let end = |number| Schedule::EVENTS.end(number);
        assert_eq!((end(63), end(64), end(1_023), end(1_024)), (64, 128, 1_024, 2_048));
    }
}
