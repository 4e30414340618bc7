//! Decides whether two texts of similar meaning can be the same statement. Embeddings barely distinguish 30 basis
//! points from 300, "rises" from "falls", "never" from "always", or one person from another; these rules do.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

use super::qualifiers::{Qualifier, qualifier};
use super::stop_words::is_stop_word;

/// Negations, in the languages that write them as separate words.
const NEGATIONS: &[&str] = &[
    "aucun",
    "aucune",
    "barely",
    "cannot",
    "cant",
    "didnt",
    "doesnt",
    "dont",
    "hardly",
    "isnt",
    "jamais",
    "kein",
    "keine",
    "keinem",
    "keinen",
    "keiner",
    "nao",
    "não",
    "ne",
    "neither",
    "never",
    "nicht",
    "nichts",
    "nie",
    "niemals",
    "nimmer",
    "no",
    "nobody",
    "non",
    "none",
    "nor",
    "not",
    "nothing",
    "nowhere",
    "nunca",
    "ohne",
    "pas",
    "rarely",
    "refuse",
    "refused",
    "rien",
    "sans",
    "scarcely",
    "seldom",
    "senza",
    "sin",
    "unlike",
    "without",
    "wont",
    "без",
    "не",
    "нет",
    "ни",
    "никогда",
    "никто",
    "ничего",
];

/// Number words.
pub(crate) const NUMBERS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "thousand",
    "million",
];

/// Prepositions, which begin a phrase at any position in a sentence: "at night the pool drains".
const PREPOSITIONS: &[&str] = &[
    "about", "above", "across", "after", "against", "along", "among", "around", "as", "at", "before",
    "behind", "below", "beneath", "beside", "between", "beyond", "despite", "during", "for", "from", "if",
    "in", "inside", "into", "near", "of", "off", "on", "onto", "out", "outside", "over", "per", "since",
    "through", "to", "toward", "towards", "under", "unless", "until", "upon", "via", "when", "while", "with",
    "within", "without",
];

/// Words after which word order is uninformative: the passive, and lists.
const REORDERING: &[&str] = &["and", "by", "or"];

/// Pairs of opposites: replacing one by the other reverses a statement.
const OPPOSITES: &[(&[&str], &[&str])] = &[
    (&["above", "over"], &["below", "under", "beneath"]),
    (&["accept", "accepted"], &["reject", "decline", "refuse"]),
    (&["add"], &["remove", "subtract"]),
    (&["ahead"], &["behind"]),
    (&["all", "every", "everybody"], &["none", "nobody"]),
    (&["allow", "permit"], &["forbid", "forbidden", "deny", "prohibit"]),
    (&["always", "often", "usually"], &["never", "seldom", "rarely"]),
    (&["before"], &["after"]),
    (&["best"], &["worst"]),
    (&["better"], &["worse"]),
    (&["bullish"], &["bearish"]),
    (&["buy", "bought"], &["sell", "sold"]),
    (&["cheap", "cheaper"], &["expensive", "dear", "dearer"]),
    (&["create"], &["delete", "destroy"]),
    (&["deposit"], &["withdraw", "withdrew", "withdrawal"]),
    (&["early", "earlier"], &["late", "later"]),
    (&["enable"], &["disable"]),
    (&["expand", "grow", "grew"], &["contract", "shrink", "shrank"]),
    (&["fast", "faster", "quick"], &["slow", "slower"]),
    (&["first"], &["last"]),
    (&["gain", "profit", "win", "won"], &["lose", "lost", "loss"]),
    (&["healthy", "well"], &["sick", "ill"]),
    (&["high", "higher", "upper"], &["low", "lower"]),
    (&["hire", "hired"], &["fire", "fired"]),
    (&["hot", "warm"], &["cold", "cool"]),
    (&["import"], &["export"]),
    (
        &["increase", "rise", "rose", "risen", "climb"],
        &["decrease", "fall", "fell", "fallen", "drop", "decline"],
    ),
    (&["inflow"], &["outflow"]),
    (&["inside"], &["outside"]),
    (&["like", "love", "enjoy"], &["dislike", "hate", "loathe"]),
    (&["long", "longer"], &["short", "shorter"]),
    (&["married"], &["divorced"]),
    (&["maximum", "max"], &["minimum", "min"]),
    (&["more", "most"], &["less", "fewer", "least"]),
    (&["north", "northern"], &["south", "southern"]),
    (&["east", "eastern"], &["west", "western"]),
    (&["on"], &["off"]),
    (&["open", "opened"], &["close", "closed", "shut"]),
    (&["left"], &["right"]),
    (&["positive"], &["negative"]),
    (&["right", "correct"], &["wrong", "incorrect"]),
    (&["safe"], &["unsafe", "dangerous"]),
    (&["start", "begin", "began", "begun"], &["stop", "end", "ended", "finish"]),
    (&["strong", "stronger"], &["weak", "weaker"]),
    (&["succeed", "success"], &["fail", "failure"]),
    (&["surplus"], &["deficit"]),
    (&["tighten"], &["loosen"]),
    (&["true"], &["false"]),
    (&["up"], &["down"]),
    (&["widen"], &["narrow"]),
    (&["with"], &["without"]),
];

/// Opposites of a stem. Most words have none, so that a comparison of two texts looks up each word once.
static OPPOSITE_STEMS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let stemmer = Stemmer::create(Algorithm::English);
    let stem = |word: &&str| stemmer.stem(word).into_owned();
    let mut opposites: HashMap<String, Vec<String>> = HashMap::new();
    for (these, those) in OPPOSITES {
        for (words, others) in [(these, those), (those, these)] {
            for word in *words {
                opposites.entry(stem(word)).or_default().extend(others.iter().map(stem));
            }
        }
    }
    opposites
});

/// Whether a lower-case word is a negation.
pub(crate) fn is_negation(word: &str) -> bool {
    word.ends_with("n't") || NEGATIONS.contains(&word)
}

/// Whether two texts of similar meaning are the same statement. They carry the same figures, negate as often, name the
/// same people, contain no pair of opposites, are qualified alike (see `qualifiers`), exchange no roles, and are not
/// alike but for one word replaced: "the red pool" is not "the blue pool". Not applicable to texts of different
/// meaning.
pub(crate) fn same_sense(left: &str, right: &str) -> bool {
    if !figures(left).eq(figures(right)) {
        return false;
    }
    let [left, right] = [left, right].map(ContentWords::of);
    left.negations == right.negations
        && left.numbers == right.numbers
        && left.qualifiers == right.qualifiers
        && left.names_the_same_as(&right)
        && !left.is_opposite(&right)
        && !left.replaces_one_word_of(&right)
        && !left.exchanges_roles_with(&right)
}

/// Whether a judge of meaning may treat two texts as the same: figures, names and negations agree.
#[must_use]
pub fn may_be_same_statement(left: &str, right: &str) -> bool {
    if !figures(left).eq(figures(right)) {
        return false;
    }
    let [left, right] = [left, right].map(ContentWords::of);
    left.negations == right.negations
        && (left.numbers == right.numbers || left.numbers.is_empty() || right.numbers.is_empty())
        && left.names_the_same_as(&right)
}

/// Figures of a text, in order.
fn figures(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_numeric() && character != '.' && character != ',')
        .map(|part| part.trim_matches(['.', ',']))
        .filter(|part| !part.is_empty())
}

/// Overlap of an action with the topic of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Share of the text's content words that occur in the action, 0 to 1; 0 for a text without any.
    pub share: f64,
    /// Number of shared content words.
    pub words: usize,
    /// Whether the shared words mean something else there: other figures, another name, an opposite, one word replaced
    /// by another, or a negation that is not in the text.
    pub apart: bool,
}

/// Overlap of `action` with the topic of each text, by the words alone. Negations in a text do not count: one that
/// forbids something ("never short ETH") is still about it.
#[must_use]
pub fn touches<S: AsRef<str>>(abouts: &[S], action: &str) -> Vec<Overlap> {
    let given: Vec<&str> = figures(action).collect();
    let (action, action_no) = ContentWords::without_negations(action);
    abouts
        .iter()
        .map(|about| {
            let about = about.as_ref();
            let figures_differ = !given.is_empty() && figures(about).any(|figure| !given.contains(&figure));
            let (about, about_no) = ContentWords::without_negations(about);
            let words = about.content.intersection(&action.content).count();
            Overlap {
                share: if about.content.is_empty() { 0.0 } else { words as f64 / about.content.len() as f64 },
                words,
                apart: figures_differ
                    || !action_no.is_subset(&about_no)
                    || about.differs_in_name(&action)
                    || about.is_opposite(&action)
                    || about.replaces_one_word_of(&action),
            }
        })
        .collect()
}

/// Stem of each word; `None` for a function word.
#[must_use]
pub fn stems(words: &[String]) -> Vec<Option<String>> {
    let stemmer = Stemmer::create(Algorithm::English);
    words
        .iter()
        .map(|word| word.to_lowercase())
        .map(|word| (!is_stop_word(&word)).then(|| stemmer.stem(&word).into_owned()))
        .collect()
}

/// Compared features of a text.
#[derive(Default)]
struct ContentWords {
    stems: HashSet<String>,
    /// Stems of the content words.
    content: HashSet<String>,
    /// Stems of the capitalised words.
    names: HashSet<String>,
    /// Stems of the capitalised words, in order.
    named: Vec<String>,
    /// Names that do not begin the text, where any word is capitalised.
    within: HashSet<String>,
    /// Number words, in order.
    numbers: Vec<String>,
    negations: usize,
    /// Stems of the content words, in order: who does what to whom.
    core: Vec<String>,
    /// Whether word order is uninformative about roles: a passive, a list, or a phrase at any position.
    is_reordered: bool,
    /// Qualifiers: a report, a guess or an exception is not the plain statement.
    qualifiers: BTreeSet<Qualifier>,
}

impl ContentWords {
    fn of(text: &str) -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        let mut words = Self::default();
        for (place, word) in text.unicode_words().enumerate() {
            let lower = word.to_lowercase().replace('\u{2019}', "'");
            let is_content = !is_stop_word(&lower) || (place > 0 && is_label(word));
            words.is_reordered |=
                REORDERING.contains(&lower.as_str()) || PREPOSITIONS.contains(&lower.as_str());
            words.negations += usize::from(is_negation(&lower));
            words.qualifiers.extend(qualifier(&lower));
            let stem = stemmer.stem(lower.strip_suffix("'s").unwrap_or(&lower)).into_owned();
            if is_content {
                words.core.push(stem.clone());
                if word.contains(char::is_uppercase) {
                    words.names.insert(stem.clone());
                    words.named.push(stem.clone());
                    if place > 0 {
                        words.within.insert(stem.clone());
                    }
                }
                if NUMBERS.contains(&lower.as_str()) {
                    words.numbers.push(lower);
                }
                words.content.insert(stem.clone());
            }
            words.stems.insert(stem);
        }
        words
    }

    /// Content words of a text without its negations, and the negations.
    fn without_negations(text: &str) -> (Self, HashSet<String>) {
        let (mut no, mut said) = (HashSet::new(), Vec::new());
        for word in text.unicode_words() {
            let lower = word.to_lowercase().replace('\u{2019}', "'");
            if is_negation(&lower) {
                no.insert(lower);
            } else {
                said.push(word);
            }
        }
        (Self::of(&said.join(" ")), no)
    }

    /// Whether each text has a name that is missing from the other.
    fn differs_in_name(&self, other: &Self) -> bool {
        let alone = |one: &Self, other: &Self| one.names.iter().any(|name| !other.stems.contains(name));
        alone(self, other) && alone(other, self)
    }

    /// Whether neither text has a name that is missing from the other, and shared names have the same order: who pays
    /// whom.
    fn names_the_same_as(&self, other: &Self) -> bool {
        let known = |one: &Self, other: &Self| one.within.iter().all(|name| other.stems.contains(name));
        let shared = |one: &Self, other: &Self| -> Vec<String> {
            one.named.iter().filter(|name| other.names.contains(*name)).cloned().collect()
        };
        !self.differs_in_name(other)
            && known(self, other)
            && known(other, self)
            && shared(self, other) == shared(other, self)
    }

    /// Whether the texts share all content words but one each.
    fn replaces_one_word_of(&self, other: &Self) -> bool {
        let alone = |one: &Self, other: &Self| one.content.difference(&other.content).count();
        alone(self, other) == 1 && alone(other, self) == 1
    }

    /// Whether the shared content words have another order: "the parser calls the lexer" reversed.
    fn exchanges_roles_with(&self, other: &Self) -> bool {
        let shared = |one: &Self, other: &Self| -> Vec<String> {
            one.core.iter().filter(|stem| other.content.contains(*stem)).cloned().collect()
        };
        !self.is_reordered && !other.is_reordered && shared(self, other) != shared(other, self)
    }

    fn is_opposite(&self, other: &Self) -> bool {
        opposites(&self.stems, &other.stems)
    }
}

/// Whether a word is a label such as the B of "model B", and not the pronoun "I".
fn is_label(word: &str) -> bool {
    let mut characters = word.chars();
    matches!((characters.next(), characters.next()), (Some(letter), None) if letter.is_uppercase() && letter != 'I')
}

/// Whether one set of stems contains the opposite of a word in the other.
pub(crate) fn opposites(left: &HashSet<String>, right: &HashSet<String>) -> bool {
    left.difference(right)
        .filter_map(|stem| OPPOSITE_STEMS.get(stem))
        .flatten()
        .any(|opposite| right.contains(opposite) && !left.contains(opposite))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn touch(about: &str, action: &str) -> Overlap {
        touches(&[about], action).remove(0)
    }

    #[test]
    fn texts_that_differ_in_one_important_word_are_not_the_same() {
        for (left, right) in [
            ("The fee is 30 basis points", "The fee is 300 basis points"),
            ("The lock takes 3 turns", "No lock takes 3 turns"),
            ("Gas doubles on Mondays", "Gas doesn't double on Mondays"),
            ("ETH rises after an oracle update", "ETH falls after an oracle update"),
            ("ETH rose before the update", "ETH rose after the update"),
            ("Anna signs the releases on Friday", "Boris signs the releases on Friday"),
            ("the vault of Aave opens at noon", "the vault of Maker opens at noon"),
            ("He likes tea", "He dislikes tea"),
            ("the red relayer never drops a message", "the blue relayer never drops a message"),
            ("Он пьёт чай", "Он не пьёт чай"),
            ("Anna signs the releases", "Anna and Boris sign the releases"),
            ("Anna pays Boris", "Boris pays Anna"),
            ("Omar has two cats and three dogs", "Omar has three cats and two dogs"),
            ("model B beats model A on the test set", "model A beats model B on the test set"),
            ("the parser calls the lexer", "the lexer calls the parser"),
            ("the lake is safe for swimming", "the paper doubts that the lake is safe for swimming"),
            ("the nightly backup works", "the nightly backup works in most cases"),
            ("the vault opens at noon", "the vault temporarily opens at noon"),
        ] {
            assert!(!same_sense(left, right), "{left} / {right}");
        }
    }

    #[test]
    fn another_order_or_wording_is_the_same() {
        for (left, right) in [
            ("Gas doubles on Mondays", "On Mondays gas doubles"),
            ("The pool never drains at night", "At night the pool never drains"),
            ("Anna signs the releases on Friday", "The releases are signed by Anna on Friday"),
            ("Aave's vault opens at noon", "The vault of Aave opens at noon"),
            ("prices rise and fall with demand", "with demand, prices fall and rise"),
        ] {
            assert!(same_sense(left, right), "{left} / {right}");
        }
    }

    #[test]
    fn an_action_touches_what_forbids_it_whatever_says_no() {
        for about in
            ["short ETH on weekends", "Never short ETH on weekends", "Don't short ETH on the weekend"]
        {
            let touch = touch(about, "Short 2 ETH this weekend at market");
            assert_eq!((touch.share, touch.words, touch.apart), (1.0, 3, false), "{about}");
        }
        assert!(touch("short ETH on weekends", "go long ETH this weekend").apart);
        assert!(touch("short ETH on weekends", "short BTC this weekend").apart);
        assert!(touch("raise leverage to 5x", "raise leverage to 2x").apart);
        assert!(touch("order food with peanuts", "order food that has no peanuts").apart);
        assert!(!touch("Never email customers without asking", "email customers now without asking").apart);
        assert_eq!(touch("", "anything").words, 0);
        assert_eq!(touch("the and of", "the and of").words, 0);
        let none = touch("deploy on Fridays", "water the tomatoes");
        assert_eq!(none, Overlap { share: 0.0, words: 0, apart: none.apart });
    }

    #[test]
    fn stems_leave_out_function_words() {
        let words = ["Backups", "are", "DELETED", "moment"].map(str::to_owned);
        assert_eq!(
            stems(&words),
            [Some("backup".to_owned()), None, Some("delet".to_owned()), Some("moment".to_owned())]
        );
    }

    proptest! {
        #[test]
        fn a_text_touches_itself_wholly_or_has_no_words(text in ".{0,60}") {
            let touch = touch(&text, &text);
            prop_assert!(!touch.apart);
            let whole = if touch.words > 0 { 1.0 } else { 0.0 };
            prop_assert!((touch.share - whole).abs() < f64::EPSILON);
        }

        #[test]
        fn a_text_is_the_same_as_itself_and_order_does_not_matter(left in ".{0,60}", right in ".{0,60}") {
            prop_assert!(same_sense(&left, &left));
            prop_assert_eq!(same_sense(&left, &right), same_sense(&right, &left));
        }
    }
}
