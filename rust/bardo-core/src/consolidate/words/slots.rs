//! Whether a newer text gives another value to what an older one gave a value, or ends it: same subject, same functional
//! attribute (see `attributes`). A wrong retirement is worse than a missed one: a change that is not plain in both texts is
//! disputed at most, and texts that may be about different things are left alone.

use std::collections::BTreeSet;

use super::attributes::{Change, ENDINGS, Ending, STATES, noun};
use super::clause::{Clause, Word, clauses, person};
use super::clause_coverage::covers_clause;
use super::value::{ValueKind, is_value, value_kind};
use super::word_lists::{ADDING, CONDITIONS, DENYING, LATER_DENIALS, LIGHT, PLAIN};
use crate::text::same_statement::is_negation;

/// Effect of a newer text on the value that an older one gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::consolidate) struct SlotChange {
    /// Whether another value takes its place; else it ends.
    pub has_value: bool,
    /// Whether subject, attribute and polarity are plain in both, so that the older one is history.
    pub is_certain: bool,
}

/// A turn, and the words of the newer clause that are the new value.
struct ChangeWithValue<'a> {
    turn: SlotChange,
    value: &'a [Word],
}

impl ChangeWithValue<'_> {
    const fn end(is_certain: bool) -> Self {
        Self { turn: SlotChange { has_value: false, is_certain }, value: &[] }
    }
}

impl<'a> ChangeWithValue<'a> {
    const fn value(value: &'a [Word], is_certain: bool) -> Self {
        Self { turn: SlotChange { has_value: true, is_certain }, value }
    }
}

/// How `newer` turns what `older` says; `None` if it does not, as far as the words tell.
pub(in crate::consolidate) fn slot_change(older: &str, newer: &str) -> Option<SlotChange> {
    let [old, new] = [older, newer].map(clauses);
    let doubtful = |turn: SlotChange| SlotChange { is_certain: false, ..turn };
    let [first] = &old[..] else {
        // Of several statements none is retired for the sake of one.
        return old
            .iter()
            .flat_map(|old| new.iter().filter_map(|new| between(old, new)))
            .next()
            .map(doubtful);
    };
    let found: Vec<SlotChange> = new
        .iter()
        .enumerate()
        .filter_map(|(at, clause)| {
            let alone =
                new.iter().enumerate().all(|(other, beside)| other == at || beside.is_unrelated(first));
            between(first, clause).map(|turn| if alone { turn } else { doubtful(turn) })
        })
        .collect();
    found.iter().copied().find(|turn| turn.is_certain).or(found.first().copied())
}

/// Whether a text tells of something that happened: another day it may have happened otherwise.
pub(in crate::consolidate) fn tells_what_happened(text: &str) -> bool {
    clauses(text).iter().any(Clause::happened)
}

/// Whether a text tells of one occasion in the past, and no change or end of what held before.
pub(in crate::consolidate) fn tells_one_occasion(text: &str) -> bool {
    let found = clauses(text);
    let is_past = |clause: &Clause| clause.happened() || clause.has_any(&["did", "didn't"]);
    let turns = |clause: &Clause| {
        clause.is_now()
            || clause.changing().is_some()
            || ENDINGS.iter().any(|ending| clause.find(ending.phrases, 1).is_some())
    };
    found.iter().any(is_past) && !found.iter().any(turns)
}

fn between(old: &Clause, new: &Clause) -> Option<SlotChange> {
    if old.has_any(CONDITIONS) || new.has_any(CONDITIONS) || old.denies() || new.has_any(ADDING) {
        return None;
    }
    let found = from_old(old, new)
        .or_else(|| ended_possession(old, new))
        .or_else(|| denied(old, new))
        .or_else(|| another_state(old, new))
        .or_else(|| another_value(old, new))
        .or_else(|| another_figure(old, new))?;
    let is_plain = !old.words[old.verb.min(old.words.len())..]
        .iter()
        .any(|word| word.text == "and" || word.text == "but");
    let is_certain =
        found.turn.is_certain && is_plain && !new.has_year() && covers_clause(old, new, found.value);
    Some(SlotChange { is_certain, ..found.turn })
}

/// The words of an older clause that a newer one must have to speak of the same: those that say something, without these.
fn missing<'a>(old: &'a Clause, new: &Clause, may_lack: &dyn Fn(&Word) -> bool) -> Option<&'a Word> {
    let known = new.stems();
    old.words.iter().find(|word| word.says() && !known.contains(word.stem.as_str()) && !may_lack(word))
}

/// "Tomas sold the Skoda", of what he drives.
fn ended_possession<'a>(old: &Clause, new: &'a Clause) -> Option<ChangeWithValue<'a>> {
    if new.is_negated() {
        return None;
    }
    ENDINGS.iter().find_map(|ending: &Ending| {
        let (from, to) = new.find(ending.phrases, 1)?;
        let ended = |word: &Word| ending.ends.contains(&word.stem.as_str()) || is_head(old, word);
        let told = old.stems();
        let begins = new.words[..from].iter().filter(|word| word.says() || person(&word.text).is_some());
        if !begins.clone().all(|word| told.contains(word.stem.as_str())) || begins.count() == 0 {
            return None;
        }
        let is_at =
            missing(old, new, &|_| false).is_none() && old.words.get(old.verb).is_some_and(Word::is_copula);
        let says = ending.ends.is_empty() || is_at || old.words.iter().any(&ended);
        if !says || missing(old, new, &ended).is_some() {
            return None;
        }
        let (object, rest) = new.value_from(to);
        let object: Vec<&Word> = object.iter().filter(|word| word.says() && !word.dates()).collect();
        if ending.is_intransitive {
            return Some(ChangeWithValue::end(object.is_empty()));
        }
        let is_told = |word: &&Word| told.contains(word.stem.as_str()) || noun(&word.text).is_some();
        if object.is_empty() || !object.iter().all(is_told) || is_passing(rest, &told) {
            return None;
        }
        if rest.first().is_some_and(|word| word.text == "at") {
            return None;
        }
        // "left Acme for Globex", "was replaced as captain by Bo"
        let next = rest.first().filter(|word| ["by", "for"].contains(&word.text.as_str()));
        let value = next.map_or(&[][..], |next| new.value_from(next.place + 1).0);
        let is_name = !value.is_empty() && value_kind(value) == ValueKind::Name;
        Some(ChangeWithValue { value: if is_name { value } else { &[] }, ..ChangeWithValue::end(true) })
    })
}

/// Whether what follows says for how long: "for the summer".
fn is_passing(rest: &[Word], told: &BTreeSet<&str>) -> bool {
    rest.first().is_some_and(|word| word.text == "for")
        && !rest
            .iter()
            .skip(1)
            .find(|word| word.says())
            .is_some_and(|word| word.is_name || told.contains(word.stem.as_str()))
}

/// Whether a word is the noun that names the attribute in the topic.
fn is_head(clause: &Clause, word: &Word) -> bool {
    noun(&word.text).is_some() && clause.words[..clause.verb].iter().any(|known| known.stem == word.stem)
}

/// "She no longer works there", "she does not work there any more": the very statement, with a no.
fn denied<'a>(old: &Clause, new: &'a Clause) -> Option<ChangeWithValue<'a>> {
    let (from, to) = new.find(&DENYING[LATER_DENIALS..], 1).or_else(|| {
        new.find(&DENYING[..LATER_DENIALS], 1)?;
        let no = new.words.iter().position(|word| is_negation(&word.text))?;
        Some((no, no + 1))
    })?;
    let topic = old.topic();
    let is_topic = |word: &Word| !word.says() || topic.contains(word.stem.as_str());
    if !new.words[..from].iter().all(is_topic) {
        return None;
    }
    let but = new.words[to..].iter().position(|word| word.text == "but").map(|at| to + at);
    let end = but.unwrap_or(new.words.len());
    let said: BTreeSet<&str> =
        new.words[..end].iter().filter(|word| word.says()).map(|word| word.stem.as_str()).collect();
    let is_light = |word: &Word| LIGHT.contains(&word.stem.as_str());
    if old.words.iter().any(|word| word.says() && !said.contains(word.stem.as_str()) && !is_light(word)) {
        return None;
    }
    Some(match but {
        Some(but) => ChangeWithValue::value(new.value_from(but + 1).0, true),
        None => ChangeWithValue::end(true),
    })
}

/// "The limit was reduced from 5 to 3", "Ben now reports to Ida instead of Bo": the old value is named as left behind.
fn from_old<'a>(old: &Clause, new: &'a Clause) -> Option<ChangeWithValue<'a>> {
    if new.is_negated() {
        return None;
    }
    let (named, value, passes_on) = new.replaced_value()?;
    let told = old.predicate();
    let named: Vec<&Word> = named.iter().filter(|word| word.says()).collect();
    if named.is_empty() || !named.iter().all(|word| told.contains(word.stem.as_str())) {
        return None;
    }
    let whole = old.stems();
    let begins_with_it = new.words[..new.verb]
        .iter()
        .all(|word| !word.says() || whole.contains(word.stem.as_str()) || noun(&word.text).is_some());
    let light = |word: &Word| {
        noun(&word.text).is_some()
            || LIGHT.contains(&word.stem.as_str())
            || old.words[old.verb..].iter().any(|said| said.stem == word.stem)
    };
    if !(passes_on || begins_with_it) || missing(old, new, &light).is_some() {
        return None;
    }
    Some(ChangeWithValue::value(value, true))
}

/// "The museum has reopened", of one that is closed.
fn another_state<'a>(old: &Clause, new: &'a Clause) -> Option<ChangeWithValue<'a>> {
    if new.is_negated() || old.topic() != new.topic() || old.topic().is_empty() {
        return None;
    }
    STATES.iter().find_map(|states| {
        let of = |clause: &Clause| {
            let found: Vec<(usize, (usize, usize))> = states
                .iter()
                .enumerate()
                .filter_map(|(state, words)| Some((state, clause.state(words)?)))
                .collect();
            match found[..] {
                [one] => Some(one),
                _ => None,
            }
        };
        let ((before, (old_from, old_end)), (after, (from, end))) = (of(old)?, of(new)?);
        if before == after {
            return None;
        }
        let lacks = old.words[old_end..].iter().any(|word| word.says() && !has(new, word));
        // "closed on Mondays" and "open on Tuesdays" may both be.
        if lacks && new.words[end..].iter().any(|word| word.says() || !PLAIN.contains(&word.text.as_str())) {
            return None;
        }
        let is_old =
            old.words[old.verb..old_from].iter().all(|word| word.text != "was" && word.text != "were");
        Some(ChangeWithValue::value(&new.words[from..end], !lacks && is_old && new.has_become(from)))
    })
}

fn has(clause: &Clause, word: &Word) -> bool {
    clause.words.iter().any(|known| known.stem == word.stem)
}

/// Another value of one functional attribute of one subject.
fn another_value<'a>(old: &Clause, new: &'a Clause) -> Option<ChangeWithValue<'a>> {
    if new.is_negated() {
        return None;
    }
    let (before, after) = (old.slot()?, new.slot()?);
    if before.of != after.of || !is_value(before.value) || !is_value(after.value) {
        return None;
    }
    if is_passing(after.beside, &old.stems()) {
        return None;
    }
    let changed = new.is_now() || new.changing().is_some();
    let attribute = match (before.attribute, after.attribute) {
        (Some(one), Some(other)) if one == other => Some(one),
        // "was changed to": of the attribute that the older one names.
        (Some(one), None) | (None, Some(one)) if changed => Some(one),
        (None, None) => None,
        _ => return None,
    };
    let said = |words: &[Word]| -> BTreeSet<String> {
        words.iter().filter(|word| word.says()).map(|word| word.stem.clone()).collect()
    };
    let (left, right) = (said(before.value), said(after.value));
    let is_lasting = attribute.is_some_and(|attribute| attribute.change == Change::Never);
    if (value_kind(before.value) != value_kind(after.value) && !is_lasting)
        || left.is_subset(&right)
        || right.is_subset(&left)
        || (value_kind(before.value) == ValueKind::Name && !left.is_disjoint(&right))
        || (value_kind(after.value) == ValueKind::Name && !changed && new.is_over() && !old.is_over())
        || (old.has_year() && new.has_year() && !is_lasting)
        || before.value.iter().any(Word::is_year) != after.value.iter().any(Word::is_year)
    {
        return None;
    }
    let beside = |words: &[Word]| -> BTreeSet<String> {
        words
            .iter()
            .filter(|word| word.says() && !(changed && word.dates()))
            .map(|word| word.stem.clone())
            .collect()
    };
    let (there, here) = (beside(before.beside), beside(after.beside));
    if there != here {
        // Two cases are two values; a case and no case may be one.
        return (there.is_empty() || here.is_empty()).then(|| ChangeWithValue::value(after.value, false));
    }
    match attribute.map(|attribute| attribute.change) {
        Some(Change::Never) => Some(ChangeWithValue::value(after.value, false)),
        // Without a word of change neither is later for sure, and two who say both in turn would retire each of them forever.
        Some(Change::Changes) => Some(ChangeWithValue::value(after.value, changed && !old.happened())),
        None if !changed || value_kind(after.value) == ValueKind::Word => None,
        None => Some(ChangeWithValue::value(after.value, true)),
    }
}

/// All alike but for figures or days, which name nothing: "logs are kept for 90 days from now on".
fn another_figure<'a>(old: &Clause, new: &'a Clause) -> Option<ChangeWithValue<'a>> {
    if new.is_negated() || old.happened() || (old.has_year() && new.has_year()) {
        return None;
    }
    let changed = new.is_now() || new.changing().is_some();
    let [left, right] = [old, new].map(|clause| clause.measure(new.changing().is_some()));
    let (figures, newer) = (&left.values, &right.values);
    let is_same =
        figures.len() == newer.len() && figures.iter().zip(newer).all(|(one, two)| one.stem == two.stem);
    if figures.is_empty() || newer.is_empty() || is_same || left.frame.is_empty() {
        return None;
    }
    // A statement about Tuesdays may also hold on Fridays.
    let comes_again = newer.iter().any(|word| word.text.ends_with("days"));
    if !changed && comes_again {
        return None;
    }
    let (first, last) = (newer[0].place, newer[newer.len() - 1].place);
    let value = &new.words[first..=last];
    if left.frame == right.frame && figures.len() == newer.len() {
        // Two figures that stand apart may be a figure and its case.
        return Some(ChangeWithValue::value(value, changed && !comes_again && value.len() < 2 * newer.len()));
    }
    // A figure with a case beside it may be right in that case, and wrong as it stands. A subject alone, as in "Tamsin is
    // 38", does not tell of what a figure is.
    let is_dated = figures.iter().any(|word| word.is_date()) != newer.iter().any(|word| word.is_date());
    let tells_attribute = left.frame.len() > 1;
    (tells_attribute && right.frame.is_superset(&left.frame) && !is_dated)
        .then(|| ChangeWithValue::value(value, false))
}
