//! Whether every word of a newer clause is accounted for: by the older clause, by the value that it gives, by the change
//! that it tells, or by the date of that change. A word that is none of these may be a scope, a condition, a part, a guess or
//! another thing, in words that no list foresees. So the list is one of what is harmless, not of what is harmful.

use super::attributes::{self, ENDINGS, Key, noun};
use super::clause::{Clause, Word, matches_at};
use super::value::{ValueKind, value_kind};
use super::word_lists::{CHANGING, DATING, DAYS, DENYING, FINAL, NOW, PLAIN, TAKING};
use crate::text::qualifiers::qualifier;
use crate::text::same_statement::is_negation;

/// Whether nothing qualifies what a newer clause says of an older one, and nothing qualified the older one. `value` is the
/// new value within the newer clause, if it gives one.
pub(in crate::consolidate) fn covers_clause(old: &Clause, new: &Clause, value: &[Word]) -> bool {
    let given = value.first().map_or(0..0, |first| first.place..first.place + value.len());
    let dated = if new.tells_a_change() { dates(&new.words) } else { Vec::new() };
    let phrased = phrases(&new.words);
    let (known, said) = attributes(&old.words);
    let is_plain = |word: &Word, within: &[usize]| {
        qualifier(&word.text).is_none() || word.is_date() || within.contains(&word.place)
    };
    let named = [attributes(&new.words).0, phrased.clone()].concat();
    let keys: Vec<Key> = old.words.iter().filter_map(|word| noun(&word.text)).chain(said).collect();
    is_clean(old, value)
        && old.words.iter().all(|word| is_plain(word, &known) || has(new, word))
        && names(old, new).eq(names(new, old))
        && new.words.iter().filter(|word| !is_plain(word, &named)).all(|word| has_text(old, word))
        && new.words.iter().all(|word| {
            given.contains(&word.place)
                || phrased.contains(&word.place)
                || dated.contains(&word.place)
                || PLAIN.contains(&word.text.as_str())
                || CHANGING.contains(&word.text.as_str())
                || (["but", "for"].contains(&word.text.as_str()) && word.place + 1 == given.start)
                || noun(&word.text).is_some_and(|key| word.place < new.verb || keys.contains(&key))
                || has_same_number(old, new, word)
        })
}

/// Whether the older clause has a word, in the same number: one pool is not all pools. Verbs change their form.
fn has_same_number(old: &Clause, new: &Clause, word: &Word) -> bool {
    let is_plural = |one: &str, other: &str| one.strip_suffix('s').is_some_and(|stem| stem == other);
    old.words.iter().any(|told| {
        told.stem == word.stem
            && (told.place == old.verb
                || word.place == new.verb
                || word.is_figure
                || !(is_plural(&told.text, &word.text) || is_plural(&word.text, &told.text)))
    })
}

fn has(clause: &Clause, word: &Word) -> bool {
    clause.words.iter().any(|known| known.stem == word.stem)
}

/// The names that both have, in the order of the first: who trusts whom.
fn names<'a>(of: &'a Clause, other: &'a Clause) -> impl Iterator<Item = &'a str> {
    let is_owned = |clause: &Clause| clause.words.iter().any(|word| word.is_owner || word.text == "of");
    let mut found: Vec<&str> = of
        .words
        .iter()
        .filter(|word| {
            has(other, word)
                && other.words.iter().chain(&of.words).any(|one| one.stem == word.stem && one.is_name)
        })
        .map(|word| word.stem.as_str())
        .collect();
    // "Jun's tablet" and "the tablet of Jun" are one.
    if is_owned(of) || is_owned(other) {
        found.sort_unstable();
    }
    found.dedup();
    found.into_iter()
}

/// Whether a value is a bare one: a name, a date, one word, or a figure with the unit that the older clause has.
fn is_clean(old: &Clause, value: &[Word]) -> bool {
    let said = value.iter().filter(|word| word.says()).count();
    value
        .iter()
        .all(|word| qualifier(&word.text).is_none() || word.is_date() || word.is_figure || word.is_name)
        && match value_kind(value) {
            _ if value.is_empty() => true,
            ValueKind::Word => said == 1 && !value.iter().any(|word| word.text.ends_with("ly")),
            ValueKind::Name => value.iter().all(|word| word.is_name || word.is_figure || !word.is_content),
            ValueKind::Date => value.iter().all(|word| word.is_date() || word.is_figure || !word.is_content),
            ValueKind::Figure => {
                value.iter().all(|word| word.is_figure || !word.is_content || has(old, word))
            }
        }
}

/// Places of the words of phrases of attributes, and the attributes: what "is planned for" Friday is no plan, it is due.
fn attributes(words: &[Word]) -> (Vec<usize>, Vec<Key>) {
    let found = || {
        (0..words.len()).flat_map(|at| {
            attributes::phrases()
                .filter(move |(_, phrase)| matches_at(words, at, phrase))
                .map(move |(key, phrase)| (at..at + phrase.split(' ').count(), key))
        })
    };
    (found().flat_map(|(places, _)| places).collect(), found().map(|(_, key)| key).collect())
}

fn has_text(clause: &Clause, word: &Word) -> bool {
    clause.words.iter().any(|known| known.text == word.text)
}

/// Places of the words of phrases that say that something changed, ended or is final.
fn phrases(words: &[Word]) -> Vec<usize> {
    let all = || {
        NOW.iter()
            .chain(DENYING)
            .chain(FINAL)
            .chain(TAKING)
            .chain(ENDINGS.iter().flat_map(|ending| ending.phrases))
    };
    (0..words.len())
        .flat_map(|at| {
            let longest = all()
                .filter(|phrase| matches_at(words, at, phrase))
                .map(|phrase| phrase.split(' ').count())
                .max();
            at..at + longest.unwrap_or(0)
        })
        .chain(words.iter().filter(|word| is_negation(&word.text)).map(|word| word.place))
        .collect()
}

/// Places of the words that say when a change came: "on Friday", "last week", "in March", "two days ago". What comes again
/// ("on Fridays", "in winter") is no date of a change.
fn dates(words: &[Word]) -> Vec<usize> {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let is_day = |at: usize| {
        words
            .get(at)
            .is_some_and(|word| word.is_date() && !(word.text.ends_with("days") || word.text.ends_with("ys")))
    };
    let is_figure = |at: usize| words.get(at).is_some_and(|word| word.is_figure);
    let is_time = |at: usize| {
        words
            .get(at)
            .is_some_and(|word| DATING.contains(&word.stem.as_str()) || DAYS.contains(&word.text.as_str()))
    };
    (0..words.len())
        .flat_map(|at| {
            let length = match text(at) {
                "yesterday" | "today" | "recently" | "just" | "already" => 1,
                "last" | "this" if is_time(at + 1) => 2,
                "in" | "on" if is_day(at + 1) => 2 + usize::from(is_figure(at + 2)),
                "in" | "on" if is_figure(at + 1) && is_day(at + 2) => 3,
                _ if is_figure(at) && text(at + 2) == "ago" => 3,
                _ => 0,
            };
            at..at + length
        })
        .collect()
}
