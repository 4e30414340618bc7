//! A text taken apart: its clauses, their words, whom each is about and what it gives a value.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};

use super::attributes::{ADDITIVE, ENDINGS, Key, SINGLING, STATES, noun, phrases};
use super::value::{ValueKind, value_kind};
use super::word_lists::{
    AUXILIARIES, BOUNDARIES, CHANGING, COPULAS, DATING, DAYS, DENYING, FINAL_STATES, HAPPENED, LIGHT, NOW,
    REFERRING, TAKING,
};
use crate::text::qualifiers::qualifier;
use crate::text::same_statement::{NUMBERS, is_negation};
use crate::text::stop_words::is_stop_word;

/// One word.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what is noticed of a word, one by one")]
pub(in crate::consolidate) struct Word {
    /// Text in lower case, without possessive.
    pub(in crate::consolidate) text: String,
    pub(in crate::consolidate) stem: String,
    pub(in crate::consolidate) is_name: bool,
    pub(in crate::consolidate) is_figure: bool,
    pub(in crate::consolidate) is_content: bool,
    pub(in crate::consolidate) is_owner: bool,
    /// Whether a comma follows.
    pub(in crate::consolidate) ends: bool,
    /// Index within its clause.
    pub(in crate::consolidate) place: usize,
}

impl Word {
    pub(in crate::consolidate) fn is_date(&self) -> bool {
        self.is_content && DAYS.contains(&self.text.as_str())
    }

    pub(in crate::consolidate) fn dates(&self) -> bool {
        self.is_date() || DATING.contains(&self.text.as_str()) || DATING.contains(&self.stem.as_str())
    }

    pub(in crate::consolidate) fn is_year(&self) -> bool {
        self.text.len() == 4 && (self.text.starts_with("19") || self.text.starts_with("20")) && self.is_figure
    }

    pub(in crate::consolidate) fn is_copula(&self) -> bool {
        COPULAS.contains(&self.text.as_str())
    }

    pub(in crate::consolidate) fn says(&self) -> bool {
        self.is_content || self.is_figure
    }
}

/// One clause: whom or what it is about, and what it says of it.
#[derive(Clone, Debug)]
pub(in crate::consolidate) struct Clause {
    pub(in crate::consolidate) words: Vec<Word>,
    /// Where the predicate begins.
    pub(in crate::consolidate) verb: usize,
}

/// Something that is given a value.
pub(in crate::consolidate) struct Slot<'a> {
    pub(in crate::consolidate) attribute: Option<Key>,
    /// Whose it is.
    pub(in crate::consolidate) of: BTreeSet<&'a str>,
    pub(in crate::consolidate) value: &'a [Word],
    /// Words beside the value.
    pub(in crate::consolidate) beside: &'a [Word],
}

/// Measured quantity of a clause.
pub(in crate::consolidate) struct Measure<'a> {
    /// Its figures and days.
    pub(in crate::consolidate) values: Vec<&'a Word>,
    /// Words that name the quantity.
    pub(in crate::consolidate) frame: BTreeSet<&'a str>,
}

impl Clause {
    pub(in crate::consolidate) fn new(words: Vec<Word>) -> Self {
        let starts = |at: usize| {
            let word = &words[at].text;
            (AUXILIARIES.contains(&word.as_str()) && !words[at].is_date())
                || HAPPENED.contains(&word.as_str())
                || phrases()
                    .map(|(_, phrase)| phrase)
                    .chain(ENDINGS.iter().flat_map(|ending| ending.phrases).copied())
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

    pub(in crate::consolidate) fn has_any(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.text.as_str()))
    }

    pub(in crate::consolidate) fn has_year(&self) -> bool {
        self.words[self.verb..].iter().any(Word::is_year)
    }

    pub(in crate::consolidate) fn is_negated(&self) -> bool {
        self.words.iter().any(|word| is_negation(&word.text)) && self.find(&["no longer"], 1).is_none()
    }

    pub(in crate::consolidate) fn is_now(&self) -> bool {
        self.find(NOW, 0).is_some()
    }

    /// Whether its verb is "was" or "were", so that it tells of a time before.
    pub(in crate::consolidate) fn is_over(&self) -> bool {
        self.words.get(self.verb).is_some_and(|word| ["was", "were"].contains(&word.text.as_str()))
    }

    /// Where a verb of change stands.
    pub(in crate::consolidate) fn changing(&self) -> Option<usize> {
        (1..self.words.len()).find(|&at| {
            CHANGING.contains(&self.words[at].text.as_str())
                && self.words[at + 1..]
                    .iter()
                    .any(|word| ["to", "from", "off", "into"].contains(&word.text.as_str()))
        })
    }

    /// Whether it tells of something that happened: that of another day may have happened otherwise.
    pub(in crate::consolidate) fn happened(&self) -> bool {
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

    /// Whether it tells an event or its outcome: "was moved", "has left", "rose". A state of some day is none.
    pub(in crate::consolidate) fn tells_a_change(&self) -> bool {
        self.words.iter().any(|word| {
            CHANGING.contains(&word.text.as_str()) || ["has", "have"].contains(&word.text.as_str())
        }) || ENDINGS.iter().any(|ending| self.find(ending.phrases, 1).is_some())
            || self.happened()
    }

    pub(in crate::consolidate) fn stems(&self) -> BTreeSet<&str> {
        self.words
            .iter()
            .filter(|word| word.says() || person(&word.text).is_some())
            .map(|word| word.stem.as_str())
            .collect()
    }

    pub(in crate::consolidate) fn predicate(&self) -> BTreeSet<&str> {
        self.words[self.verb..].iter().filter(|word| word.says()).map(|word| word.stem.as_str()).collect()
    }

    /// Whom or what it is about.
    pub(in crate::consolidate) fn topic(&self) -> BTreeSet<&str> {
        self.words[..self.verb]
            .iter()
            .filter(|word| word.says() || person(&word.text).is_some())
            .map(|word| person(&word.text).unwrap_or(&word.stem))
            .collect()
    }

    /// Whether it denies: also by "no longer".
    pub(in crate::consolidate) fn denies(&self) -> bool {
        self.is_negated() || self.find(DENYING, 1).is_some()
    }

    /// Whether nothing in it can bear on another clause about the same.
    pub(in crate::consolidate) fn is_unrelated(&self, from: &Self) -> bool {
        let topic = from.topic();
        self.words.first().is_some_and(|word| {
            !REFERRING.contains(&word.text.as_str()) && person(&word.text).is_none_or(|who| who == "user")
        }) && !self.words.iter().any(|word| qualifier(&word.text).is_some() && !word.is_date())
            && self.topic().is_disjoint(&topic)
    }

    /// Whether the state at a place has come about: it is so now, it has become so, or it lasts once it has come.
    pub(in crate::consolidate) fn has_become(&self, place: usize) -> bool {
        let before = self.verb..place;
        let is = |words: &[&str]| {
            self.words[before.clone()].iter().any(|word| words.contains(&word.text.as_str()))
        };
        self.is_now()
            || is(&["has", "have"])
            || is(CHANGING)
            || before.is_empty()
            || FINAL_STATES.contains(&self.words[place].text.as_str())
    }

    /// The old value that it names as left behind, the new one, and whether something passed to another owner.
    pub(in crate::consolidate) fn replaced_value(&self) -> Option<(&[Word], &[Word], bool)> {
        if let Some((_, to)) = self.find(&["instead of", "rather than"], 1) {
            // "now reports to Ida instead of Bo"
            let from = self.words[..to - 2].iter().rposition(|word| !word.is_name && !word.is_figure)? + 1;
            let (named, _) = self.value_from(to);
            return self.is_now().then_some((named, &self.words[from..to - 2], false));
        }
        let takes = self.find(TAKING, 1);
        let changes = takes.map(|(_, to)| to).or_else(|| self.changing().map(|at| at + 1))?;
        let at = changes
            + self.words[changes..].iter().position(|word| word.text == "from" || word.text == "off")?;
        let (named, rest) = self.value_from(at + 1);
        if takes.is_some() {
            let begins = self.words[..self.verb].iter().position(Word::says).unwrap_or(0);
            return Some((named, &self.words[begins..self.verb], true));
        }
        let to = rest.first().filter(|word| ["to", "into"].contains(&word.text.as_str()))?.place;
        let passes_on = self.words[..changes].iter().any(|word| word.text == "passed");
        Some((named, self.value_from(to + 1).0, passes_on))
    }

    /// Its figures and days, and all else that it says: without what names an old value, what says that something changed,
    /// and, where something `changed`, empty verbs. Figures of the topic tell things apart: "validator 17".
    pub(in crate::consolidate) fn measure(&self, changed: bool) -> Measure<'_> {
        let is_verb = |word: &Word| {
            CHANGING.contains(&word.text.as_str()) || (changed && LIGHT.contains(&word.stem.as_str()))
        };
        let skipped = self.changing().and_then(|at| {
            let place = |from: usize, words: [&str; 2]| {
                Some(from + self.words[from..].iter().position(|word| words.contains(&word.text.as_str()))?)
            };
            let from = place(at, ["from", "off"])?;
            Some(from..place(from, ["to", "into"])?)
        });
        let mut found = Measure { values: Vec::new(), frame: BTreeSet::new() };
        for word in &self.words {
            let is_skipped = skipped.as_ref().is_some_and(|skipped| skipped.contains(&word.place))
                || NOW.iter().any(|phrase| matches_at(&self.words, word.place, phrase));
            let is_value = (word.is_figure && !word.is_name) || word.is_date();
            if is_skipped {
                continue;
            }
            if is_value && word.place >= self.verb {
                found.values.push(word);
            } else if let Some(person) = person(&word.text) {
                found.frame.insert(person);
            } else if word.says() && (word.place < self.verb || !is_verb(word)) {
                found.frame.insert(noun(&word.text).map_or(&word.stem, |key| key.name));
            }
        }
        found
    }

    /// The first of these phrases from a place on: its first word and the one after its last.
    pub(in crate::consolidate) fn find(&self, phrases: &[&str], from: usize) -> Option<(usize, usize)> {
        (from..self.words.len()).find_map(|at| {
            let longest = phrases
                .iter()
                .filter(|phrase| matches_at(&self.words, at, phrase))
                .map(|phrase| phrase.split(' ').count())
                .max()?;
            Some((at, at + longest))
        })
    }

    /// Splits the words from a place at the end of the value.
    pub(in crate::consolidate) fn value_from(&self, from: usize) -> (&[Word], &[Word]) {
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

    /// Where one of the words of a state stands that the predicate gives.
    pub(in crate::consolidate) fn state(&self, words: &[&str]) -> Option<(usize, usize)> {
        let (from, to) = self.find(words, self.verb)?;
        let near = self.words[self.verb..from]
            .iter()
            .filter(|word| word.says())
            .all(|word| CHANGING.contains(&word.text.as_str()));
        // "on" and "off" are states where nothing follows them.
        let stands = to == self.words.len() || self.words[from].text.len() > 3 || to - from > 1;
        (near && stands).then_some((from, to))
    }

    /// Attribute to which the clause gives a value.
    pub(in crate::consolidate) fn slot(&self) -> Option<Slot<'_>> {
        // "The default branch is called master" gives the branch a value, "the cat is called Miso" a name.
        let is_noun = self.topic_without_head().1.is_some();
        self.phrased()
            .filter(|slot| !is_noun || slot.attribute.is_none_or(|attribute| attribute.name != "name"))
            .or_else(|| self.inverted())
            .or_else(|| self.with_noun())
    }

    /// "lives in Bern"
    pub(in crate::consolidate) fn phrased(&self) -> Option<Slot<'_>> {
        let (attribute, to) = (self.verb.min(1)..self.words.len()).find_map(|at| {
            let said = phrases().filter(|(_, phrase)| matches_at(&self.words, at, phrase));
            said.map(|(key, phrase)| (key, at + phrase.split(' ').count())).max_by_key(|(_, to)| *to)
        })?;
        let (value, beside) = self.value_from(to);
        let is_place = attribute.name != "home" || value_kind(value) == ValueKind::Name;
        is_place.then(|| Slot { attribute: Some(attribute), of: self.topic(), value, beside })
    }

    /// "Anna is the owner of the repository"
    fn inverted(&self) -> Option<Slot<'_>> {
        let (value, said) = self.words.split_at(self.verb);
        let the = said.iter().position(|word| word.text == "the")?;
        let is_role = said[0].is_copula()
            && said[1..the].iter().all(|word| NOW.contains(&word.text.as_str()))
            && value.iter().all(|word| word.is_name || word.place == 0);
        let head =
            said[the..].iter().take_while(|word| word.text != "of").filter(|word| word.says()).last()?;
        let attribute = noun(&head.text).filter(|_| is_role)?;
        let (role, beside) = self.value_from(self.verb + the + 1);
        let of = role.iter().filter(|word| word.says() && word.place != head.place);
        Some(Slot {
            attribute: Some(attribute),
            of: of.map(|word| word.stem.as_str()).collect(),
            value,
            beside,
        })
    }

    /// "The owner of the repository is Anna", "was renamed to main"
    pub(in crate::consolidate) fn with_noun(&self) -> Option<Slot<'_>> {
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
        if head.is_none()
            && (is_additive || (self.changing().is_none() && value_kind(value) != ValueKind::Name))
        {
            return None;
        }
        // A bare name is this or that; only something with an attribute has a value.
        let topic = &self.words[..self.verb];
        let has_noun = head.is_some()
            || topic.iter().any(|word| word.is_owner || ["the", "of"].contains(&word.text.as_str()));
        has_noun.then_some(Slot { attribute: head, of, value, beside })
    }

    /// Whom the attribute is of: the topic without the noun that names the attribute.
    pub(in crate::consolidate) fn topic_without_head(&self) -> (BTreeSet<&str>, Option<Key>) {
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
pub(in crate::consolidate) fn is_month(word: &str) -> bool {
    word == "may"
}

pub(in crate::consolidate) fn matches_at(words: &[Word], at: usize, phrase: &str) -> bool {
    (at..).zip(phrase.split(' ')).all(|(place, part)| words.get(place).is_some_and(|word| word.text == part))
}

/// The person that a pronoun stands for.
pub(in crate::consolidate) fn person(word: &str) -> Option<&'static str> {
    Some(match word {
        "i" | "me" | "my" | "mine" | "user" => "user",
        "we" | "us" | "our" => "we",
        "he" | "him" | "his" => "he",
        "she" | "her" | "hers" => "she",
        "they" | "them" | "their" => "they",
        _ => return None,
    })
}

/// Stems a word; a noun made of an attribute's verb gets that verb's stem.
pub(in crate::consolidate) fn stem(stemmer: &Stemmer, word: &str) -> String {
    let stem = stemmer.stem(word);
    match stem.as_ref() {
        "ownership" | "owner" => "own",
        "led" | "leadership" | "leader" => "lead",
        "licenc" | "relicens" => "licens",
        "studi" => "study",
        "took" | "taken" => "take",
        "held" => "hold",
        "ran" => "run",
        "drove" | "driven" => "drive",
        "paid" => "pay",
        other => other,
    }
    .to_owned()
}

pub(in crate::consolidate) fn clauses(text: &str) -> Vec<Clause> {
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
                place: words.len(),
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
