//! Names in a text that nobody told us of: capitalised sequences, names with articles, proper nouns in the middle of
//! sentences, handles, tickers, addresses in hexadecimal (spec 2, "Links and graph"). No model is asked: a word at the
//! beginning of a sentence is no name by itself, and texts that capitalise everything name nothing by it.

use std::collections::HashSet;

use super::stop_words::is_stop_word;

/// Names kept of one text.
pub const NAMES_KEPT: usize = 64;
/// Words of a name at most; longer sequences are headlines.
const WORDS: usize = 5;
/// Bytes of a name at most.
const NAME_BYTES: usize = 64;
/// From this share of capitalised words on, capitals mean nothing (headlines),
const SHOUTING: f32 = 0.6;
/// and from this one in German, which capitalises every noun.
const NOUNS: f32 = 0.2;
/// Words that tell German.
const GERMAN: &[&str] = &[
    "das", "dem", "den", "der", "des", "die", "ein", "eine", "einen", "ist", "mit", "nicht", "und", "zum",
    "zur",
];
/// Different ones of these that are enough.
const GERMAN_ENOUGH: usize = 2;
/// Words from which the share is measured.
const ENOUGH_WORDS: usize = 8;
/// Letters of a ticker at most.
const TICKER_LETTERS: usize = 10;
/// Hexadecimal digits of an address at least.
const ADDRESS_DIGITS: usize = 8;

/// What sort of thing a name stands for, as far as its form or its place tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// A proper noun.
    Name,
    /// What an episode or fact was said to be about.
    Subject,
    /// `@somebody`.
    Handle,
    /// `$ETH`, `ETH/USDC`.
    Ticker,
    /// `0x...`.
    Address,
    /// Somebody who spoke, or who has a title.
    Person,
}

impl EntityKind {
    /// Every kind, the more telling later.
    pub const ALL: [Self; 6] =
        [Self::Name, Self::Subject, Self::Handle, Self::Ticker, Self::Address, Self::Person];

    /// The name used outside the core.
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

    /// The kind of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A name as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Without article and possessive.
    pub name: String,
    /// What it stands for.
    pub kind: EntityKind,
}

/// What makes two names the same: no case, no article, no possessive, no currency sign, single spaces.
#[must_use]
pub fn name_key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for word in name.trim().trim_start_matches('$').split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        key.extend(fold(without_possessive(word)));
    }
    for article in ["the ", "an ", "a "] {
        if let Some(rest) = key.strip_prefix(article) {
            return rest.to_owned();
        }
    }
    key
}

/// Lower case, letter by letter, so that places in the text stay the same; with straight apostrophes.
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

/// Words that stand capitalised where sentences begin, or name a day, and are no names: sorted.
const NO_NAMES: &[&str] = &[
    "absolutely",
    "actually",
    "alright",
    "also",
    "although",
    "amazing",
    "anyway",
    "april",
    "ask",
    "august",
    "awesome",
    "aww",
    "btw",
    "bye",
    "call",
    "check",
    "cheers",
    "congrats",
    "congratulations",
    "cool",
    "dear",
    "december",
    "definitely",
    "did",
    "exactly",
    "february",
    "finally",
    "fine",
    "friday",
    "glad",
    "good",
    "gosh",
    "got",
    "great",
    "haha",
    "happy",
    "hello",
    "hey",
    "hi",
    "however",
    "i'd",
    "i'll",
    "i'm",
    "i've",
    "its",
    "january",
    "july",
    "june",
    "last",
    "let",
    "let's",
    "like",
    "lol",
    "look",
    "man",
    "march",
    "may",
    "maybe",
    "meanwhile",
    "mom",
    "monday",
    "morning",
    "mr",
    "mrs",
    "my",
    "never",
    "next",
    "nice",
    "no",
    "nope",
    "november",
    "october",
    "oh",
    "ok",
    "okay",
    "omg",
    "please",
    "really",
    "saturday",
    "see",
    "september",
    "since",
    "sorry",
    "speaking",
    "still",
    "sunday",
    "sure",
    "talk",
    "tell",
    "thank",
    "thanks",
    "thursday",
    "today",
    "tomorrow",
    "totally",
    "tuesday",
    "wait",
    "wednesday",
    "well",
    "when",
    "while",
    "wonderful",
    "wow",
    "yay",
    "yeah",
    "yep",
    "yes",
    "yesterday",
    "yet",
];
/// What stands before the name of a person.
const TITLES: &[&str] = &["Dr", "Mr", "Mrs", "Ms", "Prof", "Professor", "Sir", "Doctor"];
/// Words inside of names that are not capitalised.
const CONNECTORS: &[&str] = &["da", "de", "del", "der", "di", "du", "la", "of", "the", "van", "von"];

/// A word of a text, as far as it matters.
struct Word<'text> {
    text: &'text str,
    /// Whether a sentence begins with it.
    begins: bool,
    /// Whether it cannot be continued by the next word.
    ends: bool,
    /// Whether its first letter is a capital.
    capital: bool,
}

/// The names in a text, each once, in the order of the text. `is_known` says whether a name is known already.
pub fn names(text: &str, is_known: &mut dyn FnMut(&str) -> bool) -> Vec<Named> {
    let mut found = Found::default();
    let words = words(text, &mut found);
    let sure: Vec<&Word<'_>> = words.iter().filter(|word| !word.begins).collect();
    let capitals = sure.iter().filter(|word| word.capital && word.text != "I").count() as f32;
    let german = GERMAN.iter().filter(|german| words.iter().any(|word| word.text == **german)).count();
    let limit = if german >= GERMAN_ENOUGH { NOUNS } else { SHOUTING };
    if words.len() >= ENOUGH_WORDS && capitals > limit * sure.len() as f32 {
        return found.names;
    }
    let mut from = 0;
    while from < words.len() {
        if !words[from].capital {
            from += 1;
            continue;
        }
        let to = sequence_end(&words, from);
        take(&words[from..to], is_known, &mut found);
        from = to;
    }
    found.names
}

/// The end of the capitalised sequence that begins here.
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

/// Takes up one capitalised sequence, without what only begins the sentence.
fn take(words: &[Word<'_>], is_known: &mut dyn FnMut(&str) -> bool, found: &mut Found) {
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
    let joined = |words: &[Word<'_>]| words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    if let [first, rest @ ..] = words
        && first.begins
    {
        // Alone, the first word of a sentence is none unless it is known; `Tell Mira`: what follows may be one by itself.
        let is_alone = rest.is_empty() && !is_known(first.text);
        if is_alone || (rest.iter().all(|word| word.capital) && !rest.is_empty() && is_known(&joined(rest))) {
            words = rest;
        }
    }
    if !words.is_empty() && words.len() <= WORDS {
        found.add(without_possessive(&joined(words)), kind);
    }
}

fn is_no_name(word: &str) -> bool {
    let key: String =
        fold(without_possessive(word)).map(|letter| if letter == '’' { '\'' } else { letter }).collect();
    key.chars().nth(1).is_none() || is_stop_word(&key) || NO_NAMES.binary_search(&key.as_str()).is_ok()
}

/// Cuts a text into words; what has a form of its own is taken up on the way.
fn words<'text>(text: &'text str, found: &mut Found) -> Vec<Word<'text>> {
    let mut words = Vec::new();
    let mut begins = true;
    for line in text.lines() {
        begins |= !line.trim().is_empty();
        for token in line.split_whitespace() {
            let bare = token.trim_matches(|letter: char| !letter.is_alphanumeric());
            if bare.is_empty() {
                begins |= token.contains(['.', '!', '?', ':', '-', '–', '—', '•', '*']);
                continue;
            }
            let opened =
                token.trim_start_matches(|letter: char| !letter.is_alphanumeric() && !"@$".contains(letter));
            let after = &token[token.rfind(bare).unwrap_or(0) + bare.len()..];
            let is_abbreviation = TITLES.contains(&bare) || bare.chars().nth(1).is_none();
            let is_formed = found.formed(opened, bare);
            let is_quoted = token.starts_with(['"', '“', '(', '[', '*']);
            words.push(Word {
                text: bare,
                begins: begins || is_quoted,
                ends: is_formed || !(after.is_empty() || (is_abbreviation && after == ".")),
                capital: !is_formed && is_capitalised(bare),
            });
            begins = after.contains(['.', '!', '?', ':', '…']) && !(is_abbreviation && after == ".");
        }
    }
    words
}

/// Begins with a capital and is a word: `It`, `GPT-4`, `McKay`, not `2X` or `A/B/C`.
fn is_capitalised(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        && word.chars().all(|letter| letter.is_alphanumeric() || "-'’.&".contains(letter))
}

#[derive(Default)]
struct Found {
    names: Vec<Named>,
    keys: HashSet<String>,
}

impl Found {
    fn add(&mut self, name: &str, kind: EntityKind) {
        if self.names.len() < NAMES_KEPT && name.len() <= NAME_BYTES && self.keys.insert(name_key(name)) {
            self.names.push(Named { name: name.to_owned(), kind });
        }
    }

    /// Takes up a handle, ticker, pair or address; says whether it was one.
    fn formed(&mut self, opened: &str, bare: &str) -> bool {
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

/// `ETH`: what stands on one side of a pair.
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
        assert!(found("THE MARKET IS CLOSED TODAY AND NOBODY KNOWS WHY").is_empty());
        assert!(found("Der Hund lief gestern durch den Wald zum alten Haus am See der Familie").is_empty());
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

    #[test]
    fn lists_are_sorted() {
        assert!(NO_NAMES.is_sorted());
    }
}
