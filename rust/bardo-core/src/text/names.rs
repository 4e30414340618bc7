//! Extracts unknown names from a text by rules, without a model: capitalised sequences, names with articles,
//! proper nouns in the middle of sentences, handles, tickers, hexadecimal addresses. A word at the beginning of
//! a sentence is no name by itself, and a text in capitals throughout yields no names.

use std::collections::HashSet;
use std::str::FromStr;

use super::name_words::{CONNECTORS, NO_NAMES, TITLES};
use super::stop_words::is_stop_word;
use crate::error::{Error, Result};

/// Maximum number of names per text.
pub const NAMES_KEPT: usize = 64;
/// Maximum number of capitalised words in a name; longer sequences are headlines.
const WORDS: usize = 5;
/// Maximum bytes of a name.
const NAME_BYTES: usize = 64;
/// Minimum share of capitalised words that makes a long text without other content words a headline.
const SHOUTING: f32 = 0.6;
/// Minimum share of capitalised words from which capitals are ignored in German, which capitalises every
/// noun.
const NOUNS: f32 = 0.2;
/// Minimum number of words of a headline.
const HEADLINE_WORDS: usize = 3;
/// Minimum number of capitalised function words within a text that make it a headline despite a content word in
/// lower case.
const TITLED: usize = 2;
/// Words that identify German.
const GERMAN: &[&str] = &[
    "das", "dem", "den", "der", "des", "die", "ein", "eine", "einen", "ist", "mit", "nicht", "und", "zum",
    "zur",
];
/// Minimum number of distinct such words.
const GERMAN_ENOUGH: usize = 2;
/// Minimum number of words for measuring the share of capitalised ones.
const ENOUGH_WORDS: usize = 8;
/// Maximum number of letters of a ticker.
const TICKER_LETTERS: usize = 10;
/// Minimum number of hexadecimal digits of an address.
const ADDRESS_DIGITS: usize = 8;

/// Kind of entity, as far as the form or position of the name shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// Proper noun.
    Name,
    /// Declared subject of an episode or fact.
    Subject,
    /// `@handle`.
    Handle,
    /// `$ETH`, `ETH/USDC`.
    Ticker,
    /// `0x...`.
    Address,
    /// Speaker, or a name with a title.
    Person,
}

impl EntityKind {
    /// Every kind; later kinds are more specific.
    pub const ALL: [Self; 6] =
        [Self::Name, Self::Subject, Self::Handle, Self::Ticker, Self::Address, Self::Person];

    /// Name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Subject => "subject",
            Self::Handle => "handle",
            Self::Ticker => "ticker",
            Self::Address => "address",
            Self::Person => "person",
        }
    }

    /// The kind with a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Name found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMention {
    /// Name without article and possessive.
    pub name: String,
    /// Kind of entity.
    pub kind: EntityKind,
}

impl FromStr for EntityKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::of(name).ok_or_else(|| {
            let kinds = Self::ALL.map(Self::name).join(", ");
            Error::invalid(format!("{name:?} is not a kind of entity"), format!("Use one of: {kinds}"))
        })
    }
}

/// Normal form of a name: no case, no article, no possessive, no currency sign, single spaces.
#[must_use]
pub fn name_key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for word in name.trim().trim_start_matches('$').split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        // "K." and "K" are one initial.
        let is_initial = word.chars().count() == 2 && word.ends_with('.');
        key.extend(fold(without_possessive(if is_initial { word.trim_end_matches('.') } else { word })));
    }
    for article in ["the ", "an ", "a "] {
        if let Some(rest) = key.strip_prefix(article) {
            return rest.to_owned();
        }
    }
    key
}

/// Lower-cases letter by letter, so that byte offsets stay the same, and straightens apostrophes.
pub(crate) fn fold(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|letter| {
        let mut lower = letter.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) if one.len_utf8() == letter.len_utf8() => one,
            _ => letter,
        }
    })
}

fn without_possessive(word: &str) -> &str {
    ["'s", "’s", "'S", "’S"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word)
}

/// Word of a text with the features that matter.
#[expect(clippy::struct_excessive_bools, reason = "what is noticed of a word, one by one")]
struct Word<'text> {
    text: &'text str,
    /// Whether it begins a sentence.
    begins: bool,
    /// Whether the next word cannot continue it.
    ends: bool,
    /// Whether its first letter is a capital.
    capital: bool,
    /// Whether it is an initial with a full stop.
    is_initial: bool,
}

/// The names in a text, each once, in order. `is_known` says whether a name is already known.
pub fn names(text: &str, is_known: &mut dyn FnMut(&str) -> bool) -> Vec<NameMention> {
    let mut found = NameCollector::default();
    let words = words(text, &mut found);
    if is_headline(&words) {
        return found.names;
    }
    let mut from = 0;
    while from < words.len() {
        if !words[from].capital {
            from += 1;
            continue;
        }
        let to = sequence_end(&words, from);
        add_sequence(&words[from..to], is_known, &mut found);
        from = to;
    }
    found.names
}

/// Whether capitals mean nothing in a text: a headline capitalises its verbs, nouns and often its function words, a
/// shouted text every letter, German every noun. A sentence dense with names still has lower-case content words: its
/// verbs.
fn is_headline(words: &[Word<'_>]) -> bool {
    if words.len() < HEADLINE_WORDS {
        return false;
    }
    let is_function = |word: &Word<'_>| is_stop_word(&fold(word.text).collect::<String>());
    let is_shouted = |word: &Word<'_>| !word.text.contains(char::is_lowercase);
    if words.iter().all(is_shouted) && words.iter().any(|word| word.text != "I" && is_function(word)) {
        return true;
    }
    let sure: Vec<&Word<'_>> = words.iter().filter(|word| !word.begins).collect();
    let capitals = sure.iter().filter(|word| word.capital && word.text != "I").count() as f32;
    let many = |share: f32| capitals > share * sure.len() as f32;
    let german =
        GERMAN.iter().filter(|german| words.iter().any(|word| fold(word.text).eq(german.chars()))).count();
    if german >= GERMAN_ENOUGH && many(NOUNS) {
        return true;
    }
    let titled = sure.iter().filter(|word| word.capital && word.text != "I" && is_function(word)).count();
    let is_plain = |word: &Word<'_>| {
        word.text.starts_with(char::is_lowercase) && !is_function(word) && !CONNECTORS.contains(&word.text)
    };
    let is_long = words.len() >= ENOUGH_WORDS && many(SHOUTING);
    if words.iter().any(is_plain) { is_long && titled >= TITLED } else { titled > 0 || is_long }
}

/// End index of the capitalised sequence that begins at `from`.
fn sequence_end(words: &[Word<'_>], from: usize) -> usize {
    let mut to = from + 1;
    while to < words.len() && !words[to - 1].ends {
        if words[to].capital {
            to += 1;
        } else if CONNECTORS.contains(&words[to].text) {
            // `Bank of the West`: connectors count only where a capital follows.
            let next = (to + 1..words.len().min(to + 3)).find(|&next| words[next].capital);
            match next {
                Some(next)
                    if words[to..next].iter().all(|word| !word.ends && CONNECTORS.contains(&word.text)) =>
                {
                    to = next + 1;
                }
                _ => break,
            }
        } else {
            break;
        }
    }
    to
}

/// Adds the name in a capitalised sequence, without words that only begin the sentence.
fn add_sequence(words: &[Word<'_>], is_known: &mut dyn FnMut(&str) -> bool, found: &mut NameCollector) {
    let mut words = words;
    let mut kind = EntityKind::Name;
    while let Some((first, rest)) = words.split_first() {
        if TITLES.contains(&first.text) && !rest.is_empty() {
            kind = EntityKind::Person;
        } else if !is_no_name(first.text) && !CONNECTORS.contains(&first.text) {
            break;
        }
        words = rest;
    }
    while let Some((last, rest)) = words.split_last()
        && is_no_name(last.text)
    {
        words = rest;
    }
    let joined = |words: &[Word<'_>]| {
        let mut name = String::new();
        for word in words {
            let space = if name.is_empty() { "" } else { " " };
            name.extend([space, word.text, if word.is_initial { "." } else { "" }]);
        }
        name
    };
    if let [first, rest @ ..] = words
        && first.begins
    {
        // The first word of a sentence alone is no name unless it is known; in `Tell Mira` the rest may be a known
        // name.
        let is_alone =
            rest.is_empty() && !is_known(first.text) && without_possessive(first.text) == first.text;
        if is_alone || (rest.iter().all(|word| word.capital) && !rest.is_empty() && is_known(&joined(rest))) {
            words = rest;
        }
    }
    if !words.is_empty() && words.iter().filter(|word| word.capital).count() <= WORDS {
        found.add(without_possessive(&joined(words)), kind);
    }
}

fn is_no_name(word: &str) -> bool {
    let key: String =
        fold(without_possessive(word)).map(|letter| if letter == '’' { '\'' } else { letter }).collect();
    key.chars().nth(1).is_none() || is_stop_word(&key) || NO_NAMES.binary_search(&key.as_str()).is_ok()
}

/// Splits a text into words; adds names with a form of their own on the way.
fn words<'text>(text: &'text str, found: &mut NameCollector) -> Vec<Word<'text>> {
    let mut words = Vec::new();
    let mut begins = true;
    for line in text.lines() {
        begins |= !line.trim().is_empty();
        for token in line.split_whitespace() {
            let bare = token.trim_matches(|letter: char| !letter.is_alphanumeric());
            if token == "&" && words.last().is_some_and(|before: &Word<'_>| !before.ends) {
                words.push(Word {
                    text: token,
                    begins: false,
                    ends: false,
                    capital: false,
                    is_initial: false,
                });
                continue;
            }
            if bare.is_empty() {
                if let Some(before) = words.last_mut() {
                    before.ends = true;
                }
                begins |= token.contains(['.', '!', '?', ':', '-', '–', '—', '•', '*']);
                continue;
            }
            let opened =
                token.trim_start_matches(|letter: char| !letter.is_alphanumeric() && !"@$".contains(letter));
            let after = &token[token.rfind(bare).unwrap_or(0) + bare.len()..];
            let is_abbreviation = TITLES.contains(&bare) || bare.chars().nth(1).is_none();
            let is_formed = found.add_by_form(opened, bare);
            let is_quoted = token.starts_with(['"', '“', '(', '[', '*']);
            words.push(Word {
                text: bare,
                begins: begins || is_quoted,
                ends: is_formed || !(after.is_empty() || (is_abbreviation && after == ".")),
                capital: !is_formed && is_capitalised(bare),
                is_initial: after == "."
                    && bare.chars().nth(1).is_none()
                    && bare.starts_with(char::is_uppercase),
            });
            begins = after.contains(['.', '!', '?', ':', '…']) && !(is_abbreviation && after == ".");
        }
    }
    words
}

/// Whether a word begins with a capital: `It`, `GPT-4`, `McKay`, not `2X` or `A/B/C`.
fn is_capitalised(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        && word.chars().all(|letter| letter.is_alphanumeric() || "-'’.&".contains(letter))
}

#[derive(Default)]
struct NameCollector {
    names: Vec<NameMention>,
    keys: HashSet<String>,
}

impl NameCollector {
    fn add(&mut self, name: &str, kind: EntityKind) {
        if self.names.len() < NAMES_KEPT && name.len() <= NAME_BYTES && self.keys.insert(name_key(name)) {
            self.names.push(NameMention { name: name.to_owned(), kind });
        }
    }

    /// Adds a handle, ticker, pair or address; returns whether the word was one.
    fn add_by_form(&mut self, opened: &str, bare: &str) -> bool {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        if let Some(handle) = opened.strip_prefix('@') {
            let handle = handle.split(|letter| !is_name(letter)).next().unwrap_or_default();
            if handle.len() > 1 {
                self.add(&format!("@{handle}"), EntityKind::Handle);
            }
            return true;
        }
        if let Some(ticker) = opened.strip_prefix('$') {
            let letters = ticker.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
            let is_ticker = letters.len() <= TICKER_LETTERS
                && letters.starts_with(char::is_alphabetic)
                && ticker.trim_end_matches(|letter: char| !letter.is_alphanumeric()).len() == letters.len();
            if is_ticker {
                self.add(letters, EntityKind::Ticker);
            }
            return true;
        }
        if let Some(digits) = bare.strip_prefix("0x")
            && digits.len() >= ADDRESS_DIGITS
            && digits.chars().all(|digit| digit.is_ascii_hexdigit())
        {
            self.add(bare, EntityKind::Address);
            return true;
        }
        if let Some((base, quote)) = bare.split_once('/')
            && [base, quote].iter().all(|side| is_symbol(side))
        {
            self.add(base, EntityKind::Ticker);
            self.add(quote, EntityKind::Ticker);
            return true;
        }
        false
    }
}

/// Whether text may be one side of a pair, such as `ETH`.
fn is_symbol(side: &str) -> bool {
    (2..=TICKER_LETTERS).contains(&side.len())
        && side.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
        && side.chars().filter(char::is_ascii_uppercase).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        names(text, &mut |_| false).into_iter().map(|named| named.name).collect()
    }

    #[test]
    fn proper_nouns_are_found_in_the_middle_of_sentences() {
        assert_eq!(
            found("Yesterday I met Caroline at the Golden Gate Bridge. We talked about Rust."),
            ["Caroline", "Golden Gate Bridge", "Rust"]
        );
        assert_eq!(found("Hey Mel! Good to see you. Thanks, Caroline."), ["Mel", "Caroline"]);
        assert_eq!(
            found("The Bank of the West is owned by Dr. Ada King-Noel's family"),
            ["Bank of the West", "Ada King-Noel"]
        );
    }

    #[test]
    fn the_first_word_of_a_sentence_is_no_name_by_itself() {
        assert!(found("Pools drain. Nothing helps! Water is wet: Always.").is_empty());
        assert_eq!(found("Golden Gate is long"), ["Golden Gate"]);
        let known = names("Tell Mira about it", &mut |name| name == "Mira");
        assert_eq!(known[0].name, "Mira");
    }

    #[test]
    fn handles_tickers_pairs_and_addresses_are_found_by_their_form() {
        let named = names("@mira_k sold $eth for $5, ETH/USDC to 0xdeadBEEF00 (and/or a/b)", &mut |_| false);
        let found: Vec<(&str, EntityKind)> =
            named.iter().map(|named| (named.name.as_str(), named.kind)).collect();
        assert_eq!(
            found,
            [
                ("@mira_k", EntityKind::Handle),
                ("eth", EntityKind::Ticker),
                ("USDC", EntityKind::Ticker),
                ("0xdeadBEEF00", EntityKind::Address),
            ]
        );
    }

    #[test]
    fn capitals_everywhere_name_nothing() {
        assert!(found("THE MARKET IS CLOSED TODAY AND NO_OWNER KNOWS WHY").is_empty());
        for headline in [
            "Five Ways To Grow Tomatoes On A Balcony",
            "Mayor Opens Second Tram Line After Long Delay",
            "Notes For The Next Release",
            "PLEASE CALL THE OFFICE",
            "Die Katze liegt auf dem Sofa",
        ] {
            assert!(found(headline).is_empty(), "{headline}: {:?}", found(headline));
        }
        assert!(found("Der Hund lief gestern durch den Wald zum alten Haus am See der Familie").is_empty());
    }

    #[test]
    fn a_sentence_dense_with_names_is_no_headline() {
        for (text, names) in [
            ("Alice Smith met Bob Jones in New York", &["Alice Smith", "Bob Jones", "New York"][..]),
            (
                "Anna Vogel, Piet Maas and Lucia Rossi flew to Cape Town",
                &["Anna Vogel", "Piet Maas", "Lucia Rossi", "Cape Town"],
            ),
            ("Present: Nils, Ulla, Tom, Hana, Ravi; excused: Zoe", &["Ulla", "Tom", "Hana", "Ravi"]),
            ("The Order of Saint John left Fort Ricasoli", &["Order of Saint John", "Fort Ricasoli"]),
            ("Maria de los Angeles Ruiz y Soler called", &["Maria de los Angeles Ruiz y Soler"]),
            ("We asked John R. Keller of Smith & Sons", &["John R. Keller of Smith & Sons"]),
            ("Balancer's pool paid less than Curve", &["Balancer", "Curve"]),
        ] {
            assert_eq!(found(text), names, "{text}");
        }
    }

    #[test]
    fn keys_ignore_case_articles_and_possessives() {
        for (name, key) in [
            ("The Beatles", "beatles"),
            ("Mira's", "mira"),
            ("$ETH", "eth"),
            ("  Ada   Lovelace ", "ada lovelace"),
        ] {
            assert_eq!(name_key(name), key);
        }
    }
}
