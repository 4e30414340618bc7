//! Recognises messages that need no memory: greetings, thanks, acknowledgements, emoji alone, and commands of a chat.
//!
//! The list holds phrases in thirteen languages. A message is trivial if it consists of such phrases alone, apart from
//! emoji and punctuation, so that "thanks, now restart it" is not.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;

/// Maximum bytes of a trivial message.
const LONGEST: usize = 96;
/// Maximum number of words of a phrase.
const PHRASE: usize = 4;
/// Characters of a message that are looked at for a command.
const COMMAND: usize = 64;

/// Result of the pre-filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triviality {
    /// Nothing but punctuation and emoji, or no text at all.
    Emoji,
    /// Greeting, thanks, farewell or acknowledgement.
    SmallTalk,
    /// Command of a chat, such as `/help`.
    Command,
}

impl Triviality {
    /// Name of the result.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Emoji => "emoji",
            Self::SmallTalk => "small_talk",
            Self::Command => "command",
        }
    }
}

/// Recognises a message that needs no memory; `None` if it has to be read.
#[must_use]
pub fn triviality(text: &str) -> Option<Triviality> {
    let text = text.trim();
    if is_command(text) {
        return Some(Triviality::Command);
    }
    if text.len() > LONGEST {
        return None;
    }
    let lowered = text.to_lowercase().replace('’', "'");
    let mut words: Vec<&str> = lowered.unicode_words().collect();
    if words.is_empty() {
        return lowered.chars().all(is_mark).then_some(Triviality::Emoji);
    }
    // A sum, a currency or a sign between words is content.
    if lowered.chars().any(|letter| "$€£¥%+=<>@#/\\".contains(letter)) {
        return None;
    }
    let is_spaced = lowered.is_ascii() || lowered.contains(' ') || !lowered.chars().any(is_unspaced);
    let joined;
    if !is_spaced {
        // Chinese and Japanese have no blanks: their words are single characters here.
        joined = words.concat();
        words = vec![joined.as_str()];
    }
    is_covered(&words).then_some(Triviality::SmallTalk)
}

/// Whether a text is a command of a chat: a slash, a word, and at most a few short arguments.
fn is_command(text: &str) -> bool {
    // The length is looked at first: the first word of a long text can be all of it.
    if text.len() > COMMAND {
        return false;
    }
    let mut words = text.split_whitespace();
    let Some(name) = words.next().and_then(|word| word.strip_prefix('/')) else { return false };
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        && words.count() <= 2
}

/// Whether a character without words around it says nothing: no letter and no digit.
fn is_mark(letter: char) -> bool {
    !letter.is_alphanumeric()
}

/// Whether a character belongs to a script without blanks between words.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// Whether words are a sequence of listed phrases, the longest first; a repeated last letter ("heyyy") counts once.
fn is_covered(words: &[&str]) -> bool {
    let mut place = 0;
    while place < words.len() {
        let most = PHRASE.min(words.len() - place);
        let Some(taken) = (1..=most).rev().find(|&count| is_phrase(&words[place..place + count])) else {
            return false;
        };
        place += taken;
    }
    true
}

fn is_phrase(words: &[&str]) -> bool {
    if let [word] = words {
        return PHRASES.contains(*word)
            || PHRASES.contains(without_repetition(word).as_str())
            || is_laughter(word);
    }
    PHRASES.contains(words.join(" ").as_str())
}

/// Removes repetitions of the last letter: `heyyy` becomes `hey`.
fn without_repetition(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    while letters.len() > 2 && letters[letters.len() - 1] == letters[letters.len() - 2] {
        letters.pop();
    }
    letters.into_iter().collect()
}

/// Whether a word is laughter: `haha`, `jajaja`, `хаха`.
fn is_laughter(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    letters.len() >= 3
        && [('h', 'a'), ('h', 'e'), ('j', 'a'), ('k', 'k'), ('х', 'а'), ('w', 'w')].iter().any(
            |&(one, other)| {
                letters.iter().all(|&letter| letter == one || letter == other) && letters.contains(&one)
            },
        )
}

static PHRASES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("trivial_phrases.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|phrase| !phrase.is_empty())
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_thanks_and_acknowledgements_are_small_talk() {
        for text in [
            "Hi!",
            "heyyy",
            "Thanks a lot :)",
            "ok cool",
            "Good morning, how are you?",
            "lol",
            "hahaha",
            "That's great",
            "Guten Tag",
            "muchas gracias",
            "спасибо большое!",
            "谢谢",
            "ありがとうございます",
            "शुक्रिया",
            "شكرا",
            "👍 thx",
        ] {
            assert_eq!(triviality(text), Some(Triviality::SmallTalk), "{text}");
        }
    }

    #[test]
    fn emoji_and_commands_are_recognised() {
        assert_eq!(triviality("👍👍"), Some(Triviality::Emoji));
        assert_eq!(triviality("?!"), Some(Triviality::Emoji));
        assert_eq!(triviality(""), Some(Triviality::Emoji));
        assert_eq!(triviality("/help"), Some(Triviality::Command));
        assert_eq!(triviality("/mode fast"), Some(Triviality::Command));
    }

    #[test]
    fn messages_with_content_are_not_trivial() {
        for text in [
            "thanks, now restart it",
            "hi, I'm Marta",
            "ok delete it",
            "/etc/hosts is wrong, fix it please",
            "$5",
            "42",
            "good morning, did the build pass?",
            "no, use tabs",
            "我叫小王",
            "yes we use Postgres",
            "50%",
        ] {
            assert_eq!(triviality(text), None, "{text}");
        }
    }
}
