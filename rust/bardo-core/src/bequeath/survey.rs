//! Survey of a log before a death: which pairs of neighbouring words are rare in it, and which episodes are no routine.
//!
//! A line of routine differs from the others of its kind by names and numbers alone, so its pairs are common. Pairs are
//! counted by their hash in a table of fixed size (a counting Bloom filter of one hash): pairs that share a counter
//! only look more common. Every digit is read as one digit. The counts are the same in every process.
//!
//! Two kinds of lines with common pairs are no routine: what a person said, and the rows of a list, each with an
//! identifier of its own. A list is told from a stream of readings by its length alone.

use std::collections::VecDeque;

use xxhash_rust::xxh3::Xxh3;

use crate::capture::EpisodeLog;
use crate::error::Result;
use crate::model::{Episode, INHERITED_KIND, Id, Role, Value};

/// Number of counters; a power of two.
const COUNTERS: usize = 1 << 22;
/// Episodes that may share a pair of words, or an identifier, that counts as rare.
const RARE: u8 = 3;
/// Lines of one form up to which they may be a list; more are a stream of readings, with any numbers.
const LIST: u8 = 32;
/// Characters of a text that are read.
const READ: usize = 4_096;
/// Episodes read at a time.
const PAGE: usize = 4_096;
/// Size of an episode in the log besides its text and payload, in bytes: ids, times, role and kind.
const RECORD_BYTES: u64 = 64;

/// Bounds beyond which an episode is no routine.
#[derive(Clone, Copy, Debug)]
pub struct Uncommon {
    /// Least share of rare pairs.
    pub novelty: f32,
    /// Least importance.
    pub importance: f32,
    /// Greatest value of an outcome that was a mistake.
    pub mistake: f64,
}

/// Episode that is no routine, its novelty, and whether it is none although its words are common.
pub type Judged = (Episode, f32, bool);

/// Counts over a whole log.
#[derive(Debug)]
pub struct Survey {
    counts: Vec<u8>,
    /// Approximate size of all episodes in bytes.
    pub bytes: u64,
    /// Episodes that came with testaments.
    pub inherited: u64,
    /// Ids of the latest verified episodes of the kinds asked for, oldest first.
    pub latest: VecDeque<Id>,
}

impl Survey {
    /// Reads a log once.
    pub fn of(log: &EpisodeLog, kinds: &[String], latest: usize) -> Result<Self> {
        let mut survey = Self { counts: vec![0; COUNTERS], bytes: 0, inherited: 0, latest: VecDeque::new() };
        let mut reached = 0;
        loop {
            let page = log.since(reached, PAGE)?;
            let Some((last, _)) = page.last() else { return Ok(survey) };
            reached = *last;
            for (_, episode) in &page {
                survey.add(&episode.text);
                survey.bytes += episode.text.len() as u64 + json_bytes(&episode.payload) + RECORD_BYTES;
                survey.inherited += u64::from(episode.kind == INHERITED_KIND);
                if latest > 0 && episode.annotations.verified && kinds.contains(&episode.kind) {
                    if survey.latest.len() == latest {
                        survey.latest.pop_front();
                    }
                    survey.latest.push_back(episode.id);
                }
            }
        }
    }

    fn add(&mut self, text: &str) {
        let mut found = pairs(text);
        found.extend(identifiers(text));
        found.sort_unstable();
        found.dedup();
        for pair in found {
            let count = &mut self.counts[pair as usize];
            *count = count.saturating_add(1).min(LIST + 1);
        }
    }

    /// Share of the pairs of a text that are rare in the log, 0..1.
    #[must_use]
    pub fn novelty(&self, text: &str) -> f32 {
        self.share(text, RARE)
    }

    /// Share of the pairs of a text that at most so many episodes of the log have, 0..1.
    fn share(&self, text: &str, most: u8) -> f32 {
        let pairs = pairs(text);
        let found = pairs.iter().filter(|pair| self.counts[**pair as usize] <= most).count();
        if pairs.is_empty() { 0.0 } else { found as f32 / pairs.len() as f32 }
    }

    /// Whether an episode in common words is no routine: a person said it, or it is a row of a list, with an identifier
    /// that hardly any other episode has.
    fn is_distinct(&self, text: &str, role: Role, novelty: f32) -> bool {
        let has_identifier = || identifiers(text).any(|one| self.counts[one as usize] <= RARE);
        role == Role::User || (has_identifier() && self.share(text, LIST) >= novelty)
    }

    /// The next `limit` episodes after the arrival `after`: the number of the last one, and those that are no routine,
    /// each with its novelty, and whether it is none although its words are common. What was inherited is always among
    /// them.
    pub fn uncommon(
        &self,
        log: &EpisodeLog,
        after: u64,
        limit: usize,
        bounds: Uncommon,
    ) -> Result<(u64, Vec<Judged>)> {
        let page = log.since(after, limit)?;
        let last = page.last().map_or(after, |(number, _)| *number);
        let judged = page.into_iter().map(|(_, episode)| {
            let novelty = self.novelty(&episode.text);
            let is_distinct =
                novelty < bounds.novelty && self.is_distinct(&episode.text, episode.role, bounds.novelty);
            (episode, novelty, is_distinct)
        });
        let found = judged.filter(|(episode, novelty, is_distinct)| {
            *novelty >= bounds.novelty
                || *is_distinct
                || episode.kind == INHERITED_KIND
                || episode.annotations.importance.is_some_and(|importance| importance >= bounds.importance)
                || outcome(&episode.payload).is_some_and(|value| value <= bounds.mistake)
        });
        Ok((last, found.collect()))
    }
}

/// Value of the outcome in a payload.
fn outcome(payload: &Value) -> Option<f64> {
    match field(payload, "outcome").or_else(|| field(payload, "value"))? {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        inner => match field(inner, "value")? {
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        },
    }
}

fn field<'value>(value: &'value Value, name: &str) -> Option<&'value Value> {
    match value {
        Value::Map(entries) => entries.iter().find(|(known, _)| known == name).map(|(_, inner)| inner),
        _ => None,
    }
}

/// Length of a value as compact JSON in bytes, without the signs that escape characters.
fn json_bytes(value: &Value) -> u64 {
    match value {
        Value::Null => 4,
        Value::Bool(truth) => 5 - u64::from(*truth),
        Value::Int(number) => number.to_string().len() as u64,
        Value::Float(number) => number.to_string().len() as u64,
        Value::Text(text) => text.len() as u64 + 2,
        Value::List(values) => 2 + values.iter().map(|inner| json_bytes(inner) + 1).sum::<u64>(),
        Value::Map(entries) => {
            2 + entries.iter().map(|(name, inner)| name.len() as u64 + json_bytes(inner) + 4).sum::<u64>()
        }
    }
}

/// Counters of the pairs of neighbouring words of a text, with its start and its end as words.
fn pairs(text: &str) -> Vec<u32> {
    let read = text.char_indices().nth(READ).map_or(text, |(end, _)| &text[..end]);
    let lowered = read.to_lowercase();
    let mut found = Vec::new();
    let mut before = "";
    let mut rest = lowered.as_str();
    while let Some(start) = rest.find(char::is_alphanumeric) {
        rest = &rest[start..];
        let is_digit = rest.starts_with(char::is_numeric);
        let end = if is_digit {
            rest.chars().next().map_or(0, char::len_utf8)
        } else {
            rest.find(|letter: char| !letter.is_alphabetic()).unwrap_or(rest.len())
        };
        let word = if is_digit { "0" } else { &rest[..end] };
        found.push(counter(before, word));
        (before, rest) = (word, &rest[end..]);
    }
    found.push(counter(before, ""));
    found
}

/// Counters of the words of a text with a digit, such as addresses and numbers of invoices.
fn identifiers(text: &str) -> impl Iterator<Item = u32> {
    let read = text.char_indices().nth(READ).map_or(text, |(end, _)| &text[..end]);
    read.split_whitespace()
        .map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()))
        .filter(|word| word.contains(|sign: char| sign.is_numeric()))
        .map(|word| counter("#", &word.to_lowercase()))
}

fn counter(one: &str, other: &str) -> u32 {
    let mut hash = Xxh3::new();
    hash.update(one.as_bytes());
    hash.update(b" ");
    hash.update(other.as_bytes());
    (hash.digest() % COUNTERS as u64) as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn survey(texts: &[&str]) -> Survey {
        let mut survey =
            Survey { counts: vec![0; COUNTERS], bytes: 0, inherited: 0, latest: VecDeque::new() };
        for text in texts {
            survey.add(text);
        }
        survey
    }

    #[test]
    fn lines_that_differ_in_numbers_alone_are_routine_and_a_statement_is_not() {
        let lines: Vec<String> =
            (10..20).map(|number| format!("Trade {number} closed after {number} blocks")).collect();
        let mut known: Vec<&str> = lines.iter().map(String::as_str).collect();
        known.push("Never sign with the key of the staging host");
        let survey = survey(&known);
        assert!(survey.novelty("Trade 77 closed after 12 blocks") < 1e-6);
        assert!(survey.novelty("never SIGN with the key of the staging host") > 0.99);
    }

    #[test]
    fn rows_of_a_list_with_an_own_identifier_are_no_routine_and_a_stream_is() {
        let host = |number: usize| format!("Host n{number} has address 10.3.{number}.7");
        let distinct = |count: usize, text: &str, role: Role| {
            let known: Vec<String> = (0..count).map(host).collect();
            let survey = survey(&known.iter().map(String::as_str).collect::<Vec<_>>());
            survey.is_distinct(text, role, 0.3)
        };
        assert!(distinct(12, &host(3), Role::Environment));
        assert!(!distinct(12, "Host n has address", Role::Environment), "nothing exact");
        assert!(!distinct(2_000, &host(3), Role::Environment), "a stream");
        assert!(distinct(2_000, &host(3), Role::User), "said by a person");
    }

    #[test]
    fn a_text_without_words_has_the_pair_of_its_ends_alone() {
        assert_eq!(pairs("").len(), 1);
        assert_eq!(pairs(" .,!_ "), pairs(""));
        assert_eq!(pairs("a1b").len(), 4);
    }

    proptest! {
        #[test]
        fn novelty_of_any_text_is_a_share_and_falls_the_more_often_it_was_seen(text in "\\PC{0,80}") {
            let shares: Vec<f32> = (1..6).map(|times| survey(&vec![text.as_str(); times]).novelty(&text)).collect();
            prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
            prop_assert!(shares.windows(2).all(|pair| pair[1] <= pair[0]));
            prop_assert!(shares[4] < 1e-6);
        }
    }
}
