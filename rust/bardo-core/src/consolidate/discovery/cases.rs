//! One decision is one case: the record of an outcome joins the episode that records the same decision.
//!
//! A program that remembers a trade with its figures and reports the outcome of its prompt, too, tells of one decision
//! twice. As two cases they would make two rules of one difference, and two warnings of one failure.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::ACTIONS;
use super::window::Outline;
use crate::model::{Episode, Id, Value};

/// Name under which the record of an outcome tells the outcome.
const VALUE: &str = "value";
/// Paths of words that belong to one of the two episodes alone.
const OWN_WORDS: [&str; 2] = ["kind", "of"];

/// An account of a decision, as the record of an outcome gives it.
pub(super) struct Account {
    /// The episode that records the decision, if the record names one.
    decision: Option<Id>,
    value: Option<f64>,
}

impl Account {
    /// The account that an episode gives; none if it is no record of an outcome.
    pub(super) fn of(episode: &Episode) -> Option<Self> {
        let Value::Map(entries) = &episode.payload else { return None };
        let value = entries.iter().find(|(name, _)| name == VALUE).and_then(|(_, value)| match value {
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        });
        episode.is_outcome_record().then(|| Self { decision: episode.recorded_as(), value })
    }
}

/// Joins each record of an outcome with its decision. Records are left out whose decision lies in another window, where it
/// counts; those that name none and find none stay cases of their own.
pub(super) fn joined(outlines: Vec<Outline>) -> Vec<Outline> {
    if outlines.iter().all(|outline| outline.account.is_none()) {
        return outlines;
    }
    let mut at_tick: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut by_id: BTreeMap<Id, usize> = BTreeMap::new();
    for (place, outline) in outlines.iter().enumerate().filter(|(_, outline)| outline.account.is_none()) {
        at_tick.entry(outline.moment.tick).or_default().push(place);
        by_id.insert(outline.moment.id, place);
    }
    let mut taken = BTreeSet::new();
    // For each place its target: itself, its decision, or none.
    let mut target: Vec<Option<usize>> = (0..outlines.len()).map(Some).collect();
    for (place, outline) in outlines.iter().enumerate() {
        let Some(account) = &outline.account else { continue };
        target[place] = match account.decision {
            Some(decision) => by_id.get(&decision).copied(),
            None => same_decision(outline, account, &outlines, at_tick.get(&outline.moment.tick))
                .filter(|found| taken.insert(*found))
                .or(Some(place)),
        };
    }
    let mut kept: Vec<Option<Outline>> = outlines.into_iter().map(Some).collect();
    for (place, target) in target.into_iter().enumerate() {
        if target != Some(place)
            && let Some(record) = kept[place].take()
            && let Some(decision) = target.and_then(|found| kept[found].as_mut())
        {
            decision.join(record);
        }
    }
    kept.into_iter().flatten().collect()
}

/// The one episode of the same tick that tells the same action and, as any of its numbers, the same outcome.
fn same_decision(
    record: &Outline,
    account: &Account,
    outlines: &[Outline],
    same_tick: Option<&Vec<usize>>,
) -> Option<usize> {
    // Many decisions come to nothing: two zeros are no sign of one decision.
    let value = account.value.filter(|value| *value != 0.0)?;
    let mut alike = same_tick?.iter().copied().filter(|place| {
        let other = &outlines[*place];
        other.numbers.iter().any(|(_, number)| (number - value).abs() <= f64::EPSILON)
            && agree(record, other, |path| ACTIONS.contains(&path))
            && agree(record, other, |path| path == "subject")
    });
    let found = alike.next()?;
    alike.next().is_none().then_some(found)
}

/// Whether two episodes share a word under some paths, or one of them has none.
fn agree(one: &Outline, two: &Outline, is_meant: impl Fn(&str) -> bool) -> bool {
    let words = |outline: &Outline| -> BTreeSet<String> {
        let meant = outline.words.iter().filter(|(path, _)| is_meant(path));
        meant.map(|(_, word)| word.to_lowercase()).collect()
    };
    let (one, two) = (words(one), words(two));
    one.is_empty() || two.is_empty() || !one.is_disjoint(&two)
}

impl Outline {
    /// Takes over what the record of its outcome tells beside it.
    fn join(&mut self, record: Self) {
        for (path, number) in record.numbers {
            if self.numbers.iter().all(|(known, _)| *known != path) {
                self.numbers.push((path, number));
            }
        }
        let known: BTreeSet<String> = self.words.iter().map(|(path, _)| path.clone()).collect();
        let is_new = |path: &str| !OWN_WORDS.contains(&path) && !known.contains(path);
        self.words.extend(record.words.into_iter().filter(|(path, _)| is_new(path)));
    }
}
