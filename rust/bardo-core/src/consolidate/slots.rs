//! Whether a newer text gives another value to what an older one gave a value, or ends it: same subject, same functional
//! attribute (see `attributes`). A wrong retirement is worse than a missed one: whatever is not plain in both texts is
//! disputed at most, and what is not surely about one thing is let be.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};

use super::attributes::{
    ADDITIVE, ATTRIBUTES, Attribute, CHANGING, Change, ENDINGS, Ending, NOW, SINGLING, STATES,
};
use crate::index::sense::{NUMBERS, is_negation};
use crate::index::stop_words::is_stop_word;

/// Words of content that a value has at most.
const VALUE_WORDS: usize = 4;
/// Forms of "to be" and other words with which a predicate begins.
const AUXILIARIES: &[&str] = &[
    "am", "are", "be", "became", "become", "becomes", "been", "can", "could", "did", "didn't", "do", "does",
    "doesn't", "don't", "had", "has", "hasn't", "have", "haven't", "is", "isn't", "may", "might", "must",
    "never", "no", "not", "now", "should", "was", "wasn't", "were", "weren't", "will", "won't", "would",
    "also", "always", "already", "usually", "cost", "drive", "go", "help", "hold", "keep", "like", "live",
    "need", "play", "run", "take", "use", "work",
];
const COPULAS: &[&str] = &["am", "are", "is", "was", "were"];
/// Words that end a value.
const BOUNDARIES: &[&str] = &[
    "after", "and", "as", "at", "because", "before", "but", "by", "during", "for", "from", "if", "in",
    "into", "off", "on", "since", "so", "than", "though", "to", "until", "via", "when", "where", "which",
    "while", "who", "with", "within", "without",
];
/// Words that make a statement hold in some cases alone.
const CONDITIONS: &[&str] =
    &["if", "when", "whenever", "unless", "while", "during", "once", "where", "whose", "provided"];
/// Words that leave some of it as it was.
const PARTIAL: &[&str] =
    &["being", "except", "gradually", "mostly", "only", "part", "partially", "partly", "some"];
/// Words that put something beside what there is.
const ADDING: &[&str] =
    &["additional", "additionally", "also", "another", "besides", "both", "second", "too"];
/// Words that say for a while, not from now on.
const PASSING: &[&str] = &[
    "briefly",
    "holiday",
    "lunch",
    "temporarily",
    "tonight",
    "trip",
    "vacation",
    "visit",
    "weekend",
    "while",
    "until",
];
/// Words that date a change, and say nothing of its value.
const DATING: &[&str] = &[
    "ago",
    "autumn",
    "beginning",
    "day",
    "earlier",
    "end",
    "evening",
    "fall",
    "just",
    "last",
    "morning",
    "month",
    "noon",
    "recently",
    "since",
    "spring",
    "start",
    "summer",
    "today",
    "week",
    "winter",
    "year",
    "yesterday",
];
const DAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
    "sundays",
];
/// Verbs, by their stems, that say no more than that something is so.
const LIGHT: &[&str] = &[
    "need", "requir", "take", "get", "keep", "kept", "have", "report", "show", "stand", "set", "list",
    "person", "engin",
];
/// Past forms that are not made by "-ed": what happened is no state.
const HAPPENED: &[&str] = &[
    "ate", "began", "bought", "broke", "brought", "came", "caught", "drew", "drove", "fell", "flew", "found",
    "gave", "got", "grew", "held", "hit", "lost", "made", "met", "paid", "ran", "rose", "said", "sang",
    "saw", "sent", "shot", "sold", "spent", "spoke", "took", "went", "won", "wrote",
];

/// What a newer text says of the value that an older one gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Whether another value takes its place; else it ends.
    pub has_value: bool,
    /// Whether subject, attribute and polarity are plain in both, so that the older one is history.
    pub is_certain: bool,
}

impl Turn {
    const fn value(is_certain: bool) -> Self {
        Self { has_value: true, is_certain }
    }

    const fn end(is_certain: bool) -> Self {
        Self { has_value: false, is_certain }
    }
}

/// One word.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what is noticed of a word, one by one")]
struct Word {
    /// In lower case, without possessive.
    text: String,
    stem: String,
    is_name: bool,
    is_figure: bool,
    is_content: bool,
    is_owner: bool,
    /// Whether a comma follows.
    ends: bool,
}

impl Word {
    fn is_date(&self) -> bool {
        self.is_content && DAYS.contains(&self.text.as_str())
    }

    fn dates(&self) -> bool {
        self.is_date() || DATING.contains(&self.text.as_str()) || DATING.contains(&self.stem.as_str())
    }

    fn is_year(&self) -> bool {
        self.text.len() == 4 && (self.text.starts_with("19") || self.text.starts_with("20")) && self.is_figure
    }

    fn is_copula(&self) -> bool {
        COPULAS.contains(&self.text.as_str())
    }

    fn says(&self) -> bool {
        self.is_content || self.is_figure
    }
}

/// One clause: whom or what it is about, and what it says of it.
#[derive(Clone, Debug)]
struct Clause {
    words: Vec<Word>,
    /// Where the predicate begins.
    verb: usize,
}

/// Something that is given a value.
struct Slot<'a> {
    attribute: Option<&'static Attribute>,
    /// Whose it is.
    of: BTreeSet<&'a str>,
    value: &'a [Word],
    /// What is said beside it.
    beside: &'a [Word],
}

/// How `newer` turns what `older` says; `None` if it does not, as far as the words tell.
pub(super) fn turn(older: &str, newer: &str) -> Option<Turn> {
    let [old, new] = [older, newer].map(clauses);
    let [first] = &old[..] else {
        // Of several statements none is retired for the sake of one.
        return old
            .iter()
            .flat_map(|old| new.iter().filter_map(|new| between(old, new)))
            .next()
            .map(|turn| Turn { is_certain: false, ..turn });
    };
    let found: Vec<Turn> = new.iter().filter_map(|new| between(first, new)).collect();
    found.iter().copied().find(|turn| turn.is_certain).or(found.first().copied())
}

/// Whether a text tells of something that happened: another day it may have happened otherwise.
pub(super) fn tells_what_happened(text: &str) -> bool {
    clauses(text).iter().any(Clause::happened)
}

fn between(old: &Clause, new: &Clause) -> Option<Turn> {
    let are_dated = old.has_year() && new.has_year();
    if old.has_any(CONDITIONS) || new.has_any(CONDITIONS) || old.says_no() || are_dated || new.has_any(ADDING)
    {
        return None;
    }
    let found = ended(old, new)
        .or_else(|| denied(old, new))
        .or_else(|| from_old(old, new))
        .or_else(|| another_state(old, new))
        .or_else(|| another_value(old, new))
        .or_else(|| another_figure(old, new))?;
    let plain = !old.words[old.verb.min(old.words.len())..]
        .iter()
        .any(|word| word.text == "and" || word.text == "but")
        && !new.has_any(PARTIAL)
        && !new.has_any(PASSING)
        && !old.has_any(PASSING);
    Some(Turn { is_certain: found.is_certain && plain, ..found })
}

/// The words of an older clause that a newer one must have to speak of the same: those that say something, without these.
fn missing<'a>(old: &'a Clause, new: &Clause, may_lack: &dyn Fn(&Word) -> bool) -> Option<&'a Word> {
    let known = new.stems();
    old.words.iter().find(|word| word.says() && !known.contains(word.stem.as_str()) && !may_lack(word))
}

/// "Tomas sold the Skoda", of what he drives.
fn ended(old: &Clause, new: &Clause) -> Option<Turn> {
    if new.says_no() {
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
            return Some(Turn::end(object.is_empty()));
        }
        if object.is_empty()
            || !object.iter().all(|word| told.contains(word.stem.as_str()) || noun(&word.text).is_some())
        {
            return None;
        }
        if is_passing(rest, &told) || rest.first().is_some_and(|word| word.text == "at") {
            return None;
        }
        Some(Turn::end(true))
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

/// Whether a word is the noun that an attribute goes by in the topic.
fn is_head(clause: &Clause, word: &Word) -> bool {
    noun(&word.text).is_some() && clause.words[..clause.verb].iter().any(|known| known.stem == word.stem)
}

/// "She no longer works there", "it is not true that ...": the very statement, with a no.
fn denied(old: &Clause, new: &Clause) -> Option<Turn> {
    let (from, to) = new
        .find(
            &[
                "no longer",
                "stopped",
                "has stopped",
                "have stopped",
                "quit",
                "ceased",
                "gave up",
                "given up",
                "used to",
            ],
            1,
        )
        .or_else(|| {
            let (from, to) = new.find(&["any more", "anymore", "any longer"], 1)?;
            let no = new.words.iter().position(|word| is_negation(&word.text))?;
            (no < from).then_some((no, no + 1)).filter(|_| to <= new.words.len())
        })?;
    if new.words[..from]
        .iter()
        .filter(|word| word.says())
        .any(|word| !old.stems().contains(word.stem.as_str()))
    {
        return None;
    }
    let end =
        new.words[to..].iter().position(|word| word.text == "but").map_or(new.words.len(), |at| to + at);
    let said: BTreeSet<&str> =
        new.words[..end].iter().filter(|word| word.says()).map(|word| word.stem.as_str()).collect();
    if old
        .words
        .iter()
        .any(|word| word.says() && !said.contains(word.stem.as_str()) && !LIGHT.contains(&word.stem.as_str()))
    {
        return None;
    }
    let told = old.stems();
    let narrower = new.words[to..end]
        .iter()
        .any(|word| word.says() && !word.dates() && !told.contains(word.stem.as_str()) && !word.is_year());
    Some(Turn { has_value: end < new.words.len(), is_certain: !narrower })
}

/// "The limit was reduced from 5 to 3", "Dora took over the lead from Imre".
fn from_old(old: &Clause, new: &Clause) -> Option<Turn> {
    if new.says_no() {
        return None;
    }
    let takes_over = new.find(&["took over", "taken over", "inherited"], 1);
    let changes = takes_over.map(|(_, to)| to).or_else(|| new.changing().map(|at| at + 1))?;
    let at =
        changes + new.words[changes..].iter().position(|word| word.text == "from" || word.text == "off")?;
    let (named, rest) = new.value_from(at + 1);
    let told = old.predicate();
    let named: Vec<&Word> = named.iter().filter(|word| word.says()).collect();
    if named.is_empty() || !named.iter().all(|word| told.contains(word.stem.as_str())) {
        return None;
    }
    let passes_on = takes_over.is_some() || new.words[..changes].iter().any(|word| word.text == "passed");
    if takes_over.is_none() && !rest.iter().any(|word| ["to", "into"].contains(&word.text.as_str())) {
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
    Some(Turn::value(!new.has_year()))
}

/// "The museum has reopened", of one that is closed.
fn another_state(old: &Clause, new: &Clause) -> Option<Turn> {
    if new.says_no() || old.topic() != new.topic() || old.topic().is_empty() {
        return None;
    }
    STATES.iter().find_map(|states| {
        let of = |clause: &Clause| {
            let found: Vec<(usize, usize)> = states
                .iter()
                .enumerate()
                .filter_map(|(state, words)| clause.state(words).map(|end| (state, end)))
                .collect();
            match found[..] {
                [one] => Some(one),
                _ => None,
            }
        };
        let ((before, old_end), (after, end)) = (of(old)?, of(new)?);
        if before == after {
            return None;
        }
        // "closed on Mondays" and "open on Tuesdays" may both be.
        let is_lasting =
            new.words.get(new.verb).is_some_and(|word| ["is", "are", "am"].contains(&word.text.as_str()));
        if old.words[old_end..].iter().any(Word::dates)
            || (is_lasting && new.words[end..].iter().any(Word::dates))
        {
            return None;
        }
        let more = new.words[end..].iter().any(|word| word.says() && !word.dates() && !word.is_name);
        Some(Turn::value(!more && !new.has_year()))
    })
}

/// Another value of one functional attribute of one subject.
fn another_value(old: &Clause, new: &Clause) -> Option<Turn> {
    if new.says_no() {
        return None;
    }
    let (before, after) = (old.slot()?, new.slot()?);
    if before.of != after.of || !is_value(before.value) || !is_value(after.value) {
        return None;
    }
    if is_passing(after.beside, &old.stems()) {
        return None;
    }
    let attribute = match (before.attribute, after.attribute) {
        (Some(one), Some(other)) if one == other => Some(one),
        // "was changed to": of whatever it has.
        (Some(one), None) | (None, Some(one)) if new.changing().is_some() || new.is_now() => Some(one),
        (None, None) => None,
        _ => return None,
    };
    let said = |words: &[Word]| -> BTreeSet<String> {
        words.iter().filter(|word| word.says()).map(|word| word.stem.clone()).collect()
    };
    let (left, right) = (said(before.value), said(after.value));
    let is_lasting = attribute.is_some_and(|attribute| attribute.change == Change::Never);
    if (sort(before.value) != sort(after.value) && !is_lasting)
        || left.is_subset(&right)
        || right.is_subset(&left)
        || (sort(before.value) == Sort::Name && !left.is_disjoint(&right))
    {
        return None;
    }
    let changed = new.is_now() || new.changing().is_some();
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
        return if there.is_empty() || here.is_empty() { Some(Turn::value(false)) } else { None };
    }
    match attribute.map(|attribute| attribute.change) {
        Some(Change::Never) => Some(Turn::value(false)),
        // Without a word of change neither is later for sure, and whoever says both in turn would retire each of them forever.
        Some(Change::Changes) => Some(Turn::value(changed && !new.has_year() && !old.happened())),
        None if !changed || sort(after.value) == Sort::Word => None,
        None => Some(Turn::value(!new.has_year())),
    }
}

/// All alike but for figures or days, which name nothing: "logs are kept for 90 days from now on".
fn another_figure(old: &Clause, new: &Clause) -> Option<Turn> {
    if new.says_no() || !same_topic(old, new) || old.happened() {
        return None;
    }
    let [left, right] = [old, new].map(|clause| clause.said());
    let values = |words: &[&Word]| -> Vec<String> {
        words.iter().filter(|word| word.is_figure || word.is_date()).map(|word| word.stem.clone()).collect()
    };
    let others = |words: &[&Word]| -> BTreeSet<String> {
        words.iter().filter(|word| !word.is_figure && !word.is_date()).map(|word| word.stem.clone()).collect()
    };
    let (figures, newer) = (values(&left), values(&right));
    if figures.is_empty() || newer.is_empty() || figures == newer {
        return None;
    }
    let dated = |clause: &Clause| clause.words.iter().any(|word| word.is_date() || word.is_year());
    let changed = new.is_now() || new.changing().is_some();
    let (frame, frame_now) = (others(&left), others(&right));
    if changed && frame == frame_now && figures.len() == newer.len() {
        return Some(Turn::value(!new.has_year()));
    }
    // Two measurements of two times may both be right, and so may two that count two things.
    let is_one = frame_now.is_superset(&frame) && figures.len() == newer.len() && !dated(old) && !dated(new);
    (is_one && (!new.happened() || new.words.iter().any(|word| word.text == "was")))
        .then_some(Turn { has_value: true, is_certain: false })
}

fn same_topic(old: &Clause, new: &Clause) -> bool {
    let (left, right) = (old.topic(), new.topic());
    let apart: Vec<&&str> = left.symmetric_difference(&right).collect();
    !left.is_empty()
        && !right.is_empty()
        && left.intersection(&right).next().is_some()
        && match apart[..] {
            [] => true,
            [one] => [old, new].iter().any(|clause| {
                clause.words[..clause.verb]
                    .iter()
                    .any(|word| word.stem == **one && noun(&word.text).is_some())
            }),
            _ => false,
        }
}

/// What sort of value it is: only like is compared with like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Date,
    Figure,
    Name,
    Word,
}

fn sort(value: &[Word]) -> Sort {
    if value.iter().any(Word::is_date) {
        Sort::Date
    } else if value.iter().any(|word| word.is_figure && !word.is_name)
        && value.iter().all(|word| !word.is_name)
    {
        Sort::Figure
    } else if value.iter().any(|word| word.is_name) {
        Sort::Name
    } else {
        Sort::Word
    }
}

fn is_value(value: &[Word]) -> bool {
    let count = value.iter().filter(|word| word.says()).count();
    let is_description = value.first().is_some_and(|word| {
        matches!(word.text.as_str(), "a" | "an" | "there" | "here" | "home" | "night") && !word.is_name
    }) && sort(value) != Sort::Figure;
    // "is paid in ETH" says what is done, not what it is.
    let is_deed = sort(value) == Sort::Word && value.iter().any(|word| word.text.ends_with("ed"));
    (1..=VALUE_WORDS).contains(&count) && !is_description && !is_deed
}

/// The attribute that a noun stands for.
fn noun(word: &str) -> Option<&'static Attribute> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    ATTRIBUTES.iter().find(|attribute| attribute.nouns.contains(&word) || attribute.nouns.contains(&singular))
}

impl Clause {
    fn new(words: Vec<Word>) -> Self {
        let starts = |at: usize| {
            let word = &words[at].text;
            (AUXILIARIES.contains(&word.as_str()) && !words[at].is_date())
                || HAPPENED.contains(&word.as_str())
                || ATTRIBUTES
                    .iter()
                    .flat_map(|attribute| attribute.phrases)
                    .chain(ENDINGS.iter().flat_map(|ending| ending.phrases))
                    .any(|phrase| matches_at(&words, at, phrase))
                || (CHANGING.contains(&word.as_str())
                    && words[at + 1..].iter().any(|next| ["to", "from", "off"].contains(&next.text.as_str())))
                || STATES.iter().flat_map(|states| states.iter()).any(|state| {
                    state.contains(&word.as_str()) && word.ends_with("ed") && words[at - 1].says()
                })
        };
        let third_person = |at: usize| {
            let word = &words[at];
            let before = &words[at - 1];
            !word.is_name
                && word.is_content
                && word.text.len() > 3
                && word.text.ends_with('s')
                && !word.is_owner
                && !word.text.ends_with("ss")
                && !word.text.ends_with("us")
                && (before.says() || person(&before.text).is_some())
        };
        let verb = (1..words.len())
            .find(|&at| starts(at))
            .or_else(|| (1..words.len()).find(|&at| third_person(at)))
            .unwrap_or(words.len());
        Self { words, verb }
    }

    fn has_any(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.text.as_str()))
    }

    fn has_year(&self) -> bool {
        self.words.iter().any(Word::is_year)
    }

    fn says_no(&self) -> bool {
        self.words.iter().any(|word| is_negation(&word.text)) && self.find(&["no longer"], 1).is_none()
    }

    fn is_now(&self) -> bool {
        self.find(NOW, 0).is_some()
    }

    /// Where a verb of change stands.
    fn changing(&self) -> Option<usize> {
        (1..self.words.len()).find(|&at| {
            CHANGING.contains(&self.words[at].text.as_str())
                && self.words[at + 1..]
                    .iter()
                    .any(|word| ["to", "from", "off", "into"].contains(&word.text.as_str()))
        })
    }

    /// Whether it tells of something that happened: that of another day may have happened otherwise.
    fn happened(&self) -> bool {
        self.words[self.verb..].iter().enumerate().any(|(at, word)| {
            HAPPENED.contains(&word.text.as_str())
                || (word.text.ends_with("ed")
                    && !word.is_name
                    && !(at > 0
                        && ["is", "are", "am", "be", "been"]
                            .contains(&self.words[self.verb + at - 1].text.as_str())))
                || ["was", "were"].contains(&word.text.as_str())
        })
    }

    fn stems(&self) -> BTreeSet<&str> {
        self.words
            .iter()
            .filter(|word| word.says() || person(&word.text).is_some())
            .map(|word| word.stem.as_str())
            .collect()
    }

    fn predicate(&self) -> BTreeSet<&str> {
        self.words[self.verb..].iter().filter(|word| word.says()).map(|word| word.stem.as_str()).collect()
    }

    /// Whom or what it is about.
    fn topic(&self) -> BTreeSet<&str> {
        self.words[..self.verb]
            .iter()
            .filter(|word| word.says() || person(&word.text).is_some())
            .map(|word| person(&word.text).unwrap_or(&word.stem))
            .collect()
    }

    /// What it says: without what names the old value, what says that something changed, and empty verbs.
    fn said(&self) -> Vec<&Word> {
        let skipped = self.changing().and_then(|at| {
            let from =
                at + self.words[at..].iter().position(|word| word.text == "from" || word.text == "off")?;
            let to =
                from + self.words[from..].iter().position(|word| word.text == "to" || word.text == "into")?;
            Some(from..to)
        });
        (self.verb..self.words.len())
            .filter(|at| skipped.as_ref().is_none_or(|skipped| !skipped.contains(at)))
            .filter(|&at| !NOW.iter().any(|phrase| matches_at(&self.words, at, phrase)))
            .map(|at| &self.words[at])
            .filter(|word| {
                word.says() && !CHANGING.contains(&word.text.as_str()) && !LIGHT.contains(&word.stem.as_str())
            })
            .filter(|word| noun(&word.text).is_none() || word.is_figure)
            .collect()
    }

    /// The first of these phrases from a place on: its first word and the one after its last.
    fn find(&self, phrases: &[&str], from: usize) -> Option<(usize, usize)> {
        (from..self.words.len()).find_map(|at| {
            let longest = phrases
                .iter()
                .filter(|phrase| matches_at(&self.words, at, phrase))
                .map(|phrase| phrase.split(' ').count())
                .max()?;
            Some((at, at + longest))
        })
    }

    /// What stands from a place up to the end of a value, and what follows it.
    fn value_from(&self, from: usize) -> (&[Word], &[Word]) {
        let mut to = from;
        while to < self.words.len()
            && !(BOUNDARIES.contains(&self.words[to].text.as_str()) && to > from)
            && NOW.iter().all(|phrase| !matches_at(&self.words, to, phrase))
        {
            to += 1;
            if self.words[to - 1].ends {
                break;
            }
        }
        (&self.words[from..to], &self.words[to..])
    }

    /// Where one of the words of a state ends that the predicate gives.
    fn state(&self, words: &[&str]) -> Option<usize> {
        let (from, to) = self.find(words, self.verb)?;
        let near = self.words[self.verb..from]
            .iter()
            .filter(|word| word.says())
            .all(|word| CHANGING.contains(&word.text.as_str()));
        // "on" and "off" are states where nothing follows them.
        let stands = to == self.words.len() || self.words[from].text.len() > 3 || to - from > 1;
        (near && stands).then_some(to)
    }

    /// What it gives a value.
    fn slot(&self) -> Option<Slot<'_>> {
        // "The default branch is called master" gives the branch a value, "the cat is called Miso" a name.
        let is_noun = self.topic_without_head().1.is_some();
        self.phrased()
            .filter(|slot| !is_noun || slot.attribute.is_none_or(|attribute| attribute.name != "name"))
            .or_else(|| self.with_noun())
    }

    /// "lives in Bern"
    fn phrased(&self) -> Option<Slot<'_>> {
        let (attribute, to) = ATTRIBUTES.iter().find_map(|attribute| {
            let (_, to) = self.find(attribute.phrases, self.verb.min(1))?;
            Some((attribute, to))
        })?;
        let (value, beside) = self.value_from(to);
        let is_place = attribute.name != "home" || sort(value) == Sort::Name;
        is_place.then(|| Slot { attribute: Some(attribute), of: self.topic(), value, beside })
    }

    /// "The owner of the repository is Anna", "was renamed to main"
    fn with_noun(&self) -> Option<Slot<'_>> {
        let (of, head) = self.topic_without_head();
        let after = if let Some(at) = self.changing() {
            at + 1
                + self.words[at + 1..].iter().position(|word| word.text == "to" || word.text == "into")?
                + 1
        } else {
            let at = (self.verb..self.words.len()).find(|&at| self.words[at].is_copula())? + 1;
            let mut after = at;
            while self.words.get(after).is_some_and(|word| {
                ["now", "currently", "at", "on", "in", "called", "of", "the", "roughly", "about", "set", "to"]
                    .contains(&word.text.as_str())
            }) {
                after += 1;
            }
            after
        };
        let (value, beside) = self.value_from(after);
        let is_additive = self.words[..self.verb].iter().any(|word| ADDITIVE.contains(&word.text.as_str()));
        if head.is_none() && (is_additive || (self.changing().is_none() && sort(value) != Sort::Name)) {
            return None;
        }
        // A bare name is this or that; only something with an attribute has a value.
        let topic = &self.words[..self.verb];
        let has_noun = head.is_some()
            || topic.iter().any(|word| word.is_owner || ["the", "of"].contains(&word.text.as_str()));
        has_noun.then_some(Slot { attribute: head, of, value, beside })
    }

    /// Whom the attribute is of: the topic without the noun that names the attribute.
    fn topic_without_head(&self) -> (BTreeSet<&str>, Option<&'static Attribute>) {
        let topic = &self.words[..self.verb];
        let end = topic
            .iter()
            .position(|word| ["of", "for", "in", "on", "at"].contains(&word.text.as_str()))
            .unwrap_or(topic.len());
        let head = topic[..end].iter().rposition(Word::says);
        let attribute = head.and_then(|head| noun(&topic[head].text));
        let mut of = self.topic();
        if let (Some(head), Some(_)) = (head, attribute) {
            of.remove(topic[head].stem.as_str());
        }
        let singled = topic.iter().any(|word| SINGLING.contains(&word.text.as_str()));
        (of, attribute.or_else(|| if singled { noun("default") } else { None }))
    }
}

/// Whether it is the month that is written like a verb.
fn is_month(word: &str) -> bool {
    word == "may"
}

fn matches_at(words: &[Word], at: usize, phrase: &str) -> bool {
    (at..).zip(phrase.split(' ')).all(|(place, part)| words.get(place).is_some_and(|word| word.text == part))
}

/// The person that a pronoun stands for.
fn person(word: &str) -> Option<&'static str> {
    Some(match word {
        "i" | "me" | "my" | "mine" | "user" => "user",
        "we" | "us" | "our" => "we",
        "he" | "him" | "his" => "he",
        "she" | "her" | "hers" => "she",
        "they" | "them" | "their" => "they",
        _ => return None,
    })
}

/// The stem of a word; nouns made of a verb that an attribute goes by are that verb's.
fn stem(stemmer: &Stemmer, word: &str) -> String {
    let stem = stemmer.stem(word);
    match stem.as_ref() {
        "ownership" | "owner" => "own",
        "led" | "leadership" | "leader" => "lead",
        "licenc" | "relicens" => "licens",
        "studi" => "study",
        other => other,
    }
    .to_owned()
}

fn clauses(text: &str) -> Vec<Clause> {
    let stemmer = Stemmer::create(Algorithm::English);
    let (mut found, mut words) = (Vec::new(), Vec::new());
    for token in text.split_whitespace() {
        let bare = token.trim_matches(|letter: char| !letter.is_alphanumeric());
        let after = &token[token.rfind(bare).map_or(0, |at| at + bare.len())..];
        let lower = bare.to_lowercase().replace('\u{2019}', "'");
        let owner = lower.strip_suffix("'s").or_else(|| lower.strip_suffix('\''));
        let plain = owner.unwrap_or(&lower).to_owned();
        if !plain.is_empty() {
            let number = NUMBERS.iter().position(|number| *number == plain);
            let is_figure = number.is_some() || plain.starts_with(|letter: char| letter.is_ascii_digit());
            let stem = match number {
                Some(number) if number < 13 => number.to_string(),
                _ if is_figure => plain.clone(),
                _ => stem(&stemmer, &plain),
            };
            let is_capital = bare.starts_with(char::is_uppercase) && !words.is_empty();
            let is_letter = is_capital && bare.len() == 1 && bare != "I";
            words.push(Word {
                stem,
                is_name: is_capital && (!is_stop_word(&plain) || is_letter)
                    || bare.chars().skip(1).any(char::is_uppercase),
                is_content: !is_figure
                    && (["own", "other", "another"].contains(&plain.as_str())
                        || is_capital && is_month(&plain)
                        || !is_stop_word(&plain)
                        || is_letter)
                    && !is_negation(&plain)
                    && !NOW.contains(&plain.as_str())
                    && person(&plain).is_none(),
                is_figure,
                is_owner: owner.is_some(),
                ends: after.contains([',', ':']),
                text: plain,
            });
        }
        if after.contains([';', '!']) || (after.ends_with('.') && bare.chars().count() > 2) {
            found.extend((!words.is_empty()).then(|| Clause::new(std::mem::take(&mut words))));
        }
    }
    found.extend((!words.is_empty()).then(|| Clause::new(words)));
    found
}
