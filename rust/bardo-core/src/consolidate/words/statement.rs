//! A statement as far as it is compared with another: whom it is about, what it says, and with what reservation.

use std::collections::{BTreeSet, HashSet};

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

use super::phrases::{Mark, phrase_at, synonym_stem};
use crate::text::same_statement::is_negation;
use crate::text::stop_words::is_stop_word;

/// One statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statement {
    /// Its words in lower case, in order.
    pub words: Vec<String>,
    /// Stems of what is neither a function word, a figure, a negation nor part of a phrase of `marks`.
    pub content: BTreeSet<String>,
    /// Those of them that are written with a capital within a sentence.
    pub names: BTreeSet<String>,
    /// Stems of all words.
    pub stems: HashSet<String>,
    /// Numbers, in order.
    pub figures: Vec<String>,
    /// Words that say no.
    pub negations: usize,
    /// How it stands to what was said before.
    pub marks: BTreeSet<Mark>,
    /// Whether it states nothing: a question, a guess, reported speech.
    pub is_unsure: bool,
    /// Whom or what it is about: the first word of content, or a person.
    subject: Option<String>,
}

impl Statement {
    /// Reads a text of a sentence or two.
    pub fn read(text: &str) -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        let written: Vec<&str> = text.unicode_words().collect();
        let words: Vec<String> =
            written.iter().map(|word| word.to_lowercase().replace('\u{2019}', "'")).collect();
        let plain: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut statement = Self { is_unsure: text.contains('?'), ..Self::default() };
        let mut place = 0;
        while place < plain.len() {
            // "3 May" is no guess.
            let is_month = place > 0 && written[place] == "May";
            if let Some((mark, length)) = phrase_at(&plain[place..]).filter(|_| !is_month) {
                statement.marks.insert(mark);
                // "moved to" also states a residence, "renamed" a name.
                for word in &plain[place..place + length] {
                    let stem = stemmer.stem(word);
                    if synonym_stem(&stem) != stem {
                        statement.add_term(synonym_stem(&stem).to_owned(), false);
                    }
                    statement.stems.insert(stem.into_owned());
                }
                place += length;
                // "I was wrong that the keeper was late" is about the keeper.
                if mark == Mark::Retraction
                    && (plain[place - 1] == "that" || plain.get(place) == Some(&"that"))
                {
                    statement.subject = None;
                }
                continue;
            }
            statement.read_word(&stemmer, plain[place], written[place]);
            place += 1;
        }
        statement.is_unsure |= statement.marks.contains(&Mark::Unsure);
        statement.words = words;
        statement
    }

    fn read_word(&mut self, stemmer: &Stemmer, word: &str, written: &str) {
        if word.starts_with(|character: char| character.is_ascii_digit()) {
            self.figures.push(word.trim_matches(['.', ',']).to_owned());
            return;
        }
        if is_negation(word) {
            self.negations += 1;
            return;
        }
        let stem = stemmer.stem(word.strip_suffix("'s").unwrap_or(word));
        self.stems.insert(stem.clone().into_owned());
        if let Some(person) = person(word) {
            self.subject.get_or_insert_with(|| person.to_owned());
        } else if word == "other" || !is_stop_word(word) {
            self.add_term(synonym_stem(&stem).to_owned(), written.starts_with(char::is_uppercase));
        }
    }

    fn add_term(&mut self, stem: String, is_name: bool) {
        self.subject.get_or_insert_with(|| stem.clone());
        if is_name {
            self.names.insert(stem.clone());
        }
        self.content.insert(stem);
    }

    /// Whether each speaks of the other's subject.
    pub fn has_same_subject(&self, other: &Self) -> bool {
        let speaks = |one: &Self, of: &Option<String>| match of {
            None => false,
            Some(subject) => one.subject.as_ref() == Some(subject) || one.content.contains(subject),
        };
        speaks(self, &other.subject) && speaks(other, &self.subject)
    }

    /// Whether both begin with the same person or word of content.
    pub fn starts_like(&self, other: &Self) -> bool {
        self.subject == other.subject
    }

    /// Whether each figure is one of the other's too.
    pub fn figures_are_in(&self, other: &Self) -> bool {
        self.figures.iter().all(|figure| other.figures.contains(figure))
    }

    /// Whether both have the same figures in the same order.
    pub fn says_the_same_figures(&self, other: &Self) -> bool {
        self.figures == other.figures
    }
}

/// The person that a pronoun stands for, by one word for all its forms; `user` speaks of himself as "I".
fn person(word: &str) -> Option<&'static str> {
    Some(match word {
        "i" | "i'm" | "i've" | "i'll" | "i'd" | "me" | "my" | "mine" | "myself" | "user" | "user's" => "user",
        "we" | "we're" | "we've" | "us" | "our" | "ours" => "we",
        "he" | "he's" | "him" | "his" => "he",
        "she" | "she's" | "her" | "hers" => "she",
        "they" | "they're" | "they've" | "them" | "their" => "they",
        _ => return None,
    })
}
