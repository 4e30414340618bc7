//! Telling whether a bracket begins a tag: one of the prompt's own, or one that chat templates use.
//!
//! A tag is read as a model may read it ([`confusables`](super::confusables)): in any alphabet that looks Latin, escaped, with
//! unseen characters or spaces between its letters. Comparisons, generic types, HTML, placeholders and titles are no tags.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::iter::{Filter, Peekable};
use std::sync::LazyLock;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::block;
use super::confusables::{Unit, Units, is_angle, is_less_than, is_unseen, plain};

/// Longest name that is read, in characters; the names that matter are shorter.
const LONGEST_NAME: usize = 48;
/// Fewest letters that, each by itself between spaces, are read as one word.
const FEWEST_SPACED: usize = 3;
/// A letter of a name that looks like no Latin one.
const UNKNOWN: char = '\u{fffd}';
/// A name may have one unknown letter in so many.
const LETTERS_PER_UNKNOWN: usize = 3;
/// Signs that may stand before a tag at the beginning of a line: of quotations, lists and headings.
const LINE_SIGNS: &[char] = &[' ', '\t', '>', '|', '*', '-', '#'];
/// Signs that, directly after a placeholder such as `<user>`, show that it stands for a part of a larger word.
const JOINING: &[char] = &['@', '/', '.', '-', ':', '_'];

/// Tags that stand inside the blocks of a prompt.
const STRUCTURE: &[&str] = &["bardo", "cut", "memory", "recalled"];
/// Names that mean something to a model when they stand in angle or square brackets, as in chat templates.
const RESERVED: &[&str] = &[
    "ai",
    "assistant",
    "bos",
    "context",
    "data",
    "developer",
    "document",
    "documents",
    "end_of_turn",
    "eos",
    "function",
    "function_call",
    "function_calls",
    "function_results",
    "gate_rules",
    "human",
    "im_end",
    "im_start",
    "inst",
    "instruction",
    "instructions",
    "invoke",
    "learned_rules",
    "memories",
    "message",
    "model",
    "parameter",
    "prompt",
    "rules",
    "s",
    "session_resume",
    "start_of_turn",
    "sys",
    "system",
    "system_prompt",
    "think",
    "thinking",
    "tool",
    "tool_call",
    "tool_calls",
    "tool_response",
    "tool_result",
    "tool_use",
    "tools",
    "user",
];

static OWN_KEYS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let standard = block::standard_blocks().iter().map(|standard| standard.tag);
    STRUCTURE.iter().copied().chain(standard).map(key).collect()
});
static RESERVED_KEYS: LazyLock<Vec<String>> = LazyLock::new(|| RESERVED.iter().copied().map(key).collect());

/// A text in which tags are looked for.
pub(super) struct Tags<'a> {
    text: &'a str,
    /// Names of the prompt's own tags besides the standard ones.
    own: Vec<String>,
    /// Whether tags of chat templates count.
    wide: bool,
    /// Names that are closed somewhere in the text; found when first asked for.
    closed: OnceCell<HashSet<String>>,
}

/// The kind of name that stands in a bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Name of a tag that this prompt uses.
    Own,
    /// Name of a tag that chat templates use.
    Reserved,
}

type VisibleUnits<'a> = Peekable<Filter<Units<'a>, fn(&Unit) -> bool>>;

impl<'a> Tags<'a> {
    pub fn new(text: &'a str, tags: &[&str], wide: bool) -> Self {
        Self { text, own: tags.iter().copied().map(key).collect(), wide, closed: OnceCell::new() }
    }

    /// Whether the angle bracket begins a tag.
    pub fn begins_tag(&self, bracket: Unit) -> bool {
        let mut units = self.visible_units(bracket.end);
        let (spaced, closing) = skip_slashes(&mut units);
        if self.wide && !closing && !spaced && next_is(&mut units, '|') {
            return is_token(units);
        }
        let named = units.clone().next().map(|unit| unit.read);
        let Some(name) = read_name(&mut units) else { return false };
        let Some(kind) = self.kind(&name) else { return false };
        if closing {
            return (!spaced || is_closed(&mut units)) && !continues_name(&mut units);
        }
        self.opens(bracket, spaced, named, units, kind, &name)
    }

    /// Whether an opening bracket and a name that matters are a tag, by what stands around them.
    fn opens(
        &self,
        bracket: Unit,
        spaced: bool,
        first: Option<char>,
        mut units: VisibleUnits<'_>,
        kind: Kind,
        name: &str,
    ) -> bool {
        let before = self.text[..bracket.start].chars().next_back();
        let follows_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if follows_name && first.is_some_and(char::is_uppercase) && !self.is_upper(bracket.end) {
            // `List<Memory>`: a type.
            return false;
        }
        let is_sign = is_less_than(bracket.read);
        if !is_sign && bracket.read.general_category() == GeneralCategory::InitialPunctuation {
            // «system»: a quotation.
            return false;
        }
        let at_line_start = self.starts_line(bracket.start);
        if spaced || !is_sign {
            return is_closed(&mut units);
        }
        if kind == Kind::Reserved {
            let stands_alone = at_line_start || matches!(before, Some('<' | '>'));
            return is_closed(&mut units)
                && !units.peek().is_some_and(|unit| JOINING.contains(&unit.read))
                && (stands_alone || self.closed().contains(name));
        }
        let Some(next) = units.peek().map(|unit| unit.read) else { return true };
        if next.is_whitespace() {
            while units.next_if(|unit| unit.read.is_whitespace()).is_some() {}
            let is_word = |unit: &Unit| {
                unit.read.is_alphanumeric() || unit.read.is_whitespace() || matches!(unit.read, '_' | '-')
            };
            let mut letters = 0;
            while units.next_if(is_word).is_some() {
                letters += 1;
            }
            // `<memory leak>` is a placeholder; `<memory date="...">` and one that nothing closes are not.
            let is_placeholder = letters > 0 && units.peek().is_some_and(|unit| is_closer(unit.read));
            return at_line_start || !is_placeholder;
        }
        at_line_start || is_closer(next) || matches!(plain(next), Some('/' | '\\' | '|' | '<' | '"' | '\''))
    }

    /// Whether the square bracket begins a marker such as `[INST]`, `[/SYS]` or `[SESSION_RESUME]`.
    pub fn begins_marker(&self, bracket: Unit) -> bool {
        let before = self.text[..bracket.start].chars().next_back();
        if !self.wide || before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return false;
        }
        let mut units = self.visible_units(bracket.end);
        skip_slashes(&mut units);
        let Some(name) = read_name(&mut units) else { return false };
        while units.next_if(|unit| unit.read.is_whitespace()).is_some() {}
        let closed = units.next().is_some_and(|unit| plain(unit.read) == Some(']'));
        // `[context](page)` is a link.
        closed && !next_is(&mut units, '(') && self.kind(&name).is_some()
    }

    fn visible_units(&self, at: usize) -> VisibleUnits<'a> {
        fn is_visible(unit: &Unit) -> bool {
            !is_unseen(unit.read)
        }
        Units::new(self.text, at, false).filter(is_visible as fn(&Unit) -> bool).peekable()
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        let of = |part: &str| {
            let own = self.own.iter().chain(OWN_KEYS.iter()).any(|key| same(part, key));
            let reserved = || self.wide && RESERVED_KEYS.iter().any(|key| same(part, key));
            if own { Some(Kind::Own) } else { reserved().then_some(Kind::Reserved) }
        };
        name.split(':').filter(|part| !part.is_empty()).find_map(of)
    }

    fn starts_line(&self, at: usize) -> bool {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        self.text[line..at].trim_start_matches(LINE_SIGNS).is_empty()
    }

    /// Whether the first two letters from a place on are capitals, as in a tag that shouts and not in a type.
    fn is_upper(&self, at: usize) -> bool {
        let mut letters =
            self.visible_units(at).map(|unit| unit.read).filter(|c| c.is_alphanumeric()).take(2);
        letters.all(char::is_uppercase)
    }

    fn closed(&self) -> &HashSet<String> {
        self.closed.get_or_init(|| {
            let brackets = Units::new(self.text, 0, false).filter(|unit| is_angle(unit.read));
            brackets
                .filter_map(|bracket| {
                    let mut units = self.visible_units(bracket.end);
                    let (_, closing) = skip_slashes(&mut units);
                    if closing { read_name(&mut units) } else { None }
                })
                .collect()
        })
    }
}

/// Skips spaces and slashes; whether spaces came first, and whether there was a slash.
fn skip_slashes(units: &mut VisibleUnits<'_>) -> (bool, bool) {
    let (mut spaced, mut closing) = (false, false);
    let is_slash = |unit: &Unit| matches!(plain(unit.read), Some('/' | '\\'));
    while let Some(unit) = units.next_if(|unit| unit.read.is_whitespace() || is_slash(unit)) {
        if is_slash(&unit) {
            closing = true;
        } else if !closing {
            spaced = true;
        }
    }
    (spaced, closing)
}

fn next_is(units: &mut VisibleUnits<'_>, sign: char) -> bool {
    units.peek().is_some_and(|unit| plain(unit.read) == Some(sign))
}

/// Whether units are a token of a chat template, such as `|im_start|>`.
fn is_token(mut units: VisibleUnits<'_>) -> bool {
    units.next();
    let is_part = |unit: &Unit| {
        unit.read.is_alphanumeric()
            || unit.read == ' '
            || matches!(plain(unit.read), Some('_' | '-'))
            || unit.read == '▁'
    };
    let letters = std::iter::from_fn(|| units.next_if(is_part)).take(LONGEST_NAME).count();
    letters > 0 && next_is(&mut units, '|') && units.nth(1).is_some_and(|unit| is_closer(unit.read))
}

/// Reads a name up to where it ends: its key, with its parts between colons. `None` if there is none, or it is too long.
fn read_name(units: &mut VisibleUnits<'_>) -> Option<String> {
    if let Some((name, rest)) = spaced_name(units.clone()) {
        *units = rest;
        return Some(name);
    }
    let mut name = String::new();
    for _ in 0..=LONGEST_NAME {
        let Some(letter) = units.peek().and_then(|unit| letter(unit.read)) else {
            return (!name.is_empty()).then_some(name);
        };
        push(&mut name, letter);
        units.next();
    }
    None
}

/// A name whose letters stand apart, as in `< m e m o r y >`, and what follows it.
fn spaced_name(mut units: VisibleUnits<'_>) -> Option<(String, VisibleUnits<'_>)> {
    let (mut name, mut letters) = (String::new(), 0);
    while let Some(unit) = units.next_if(|unit| unit.read.is_alphanumeric()) {
        push(&mut name, letter(unit.read)?);
        letters += 1;
        let mut rest = units.clone();
        let mut apart = false;
        while rest.next_if(|unit| unit.read.is_whitespace()).is_some() {
            apart = true;
        }
        match rest.peek() {
            Some(next) if next.read.is_alphanumeric() && !apart => return None,
            Some(next) if next.read.is_alphanumeric() => units = rest,
            _ => break,
        }
    }
    (FEWEST_SPACED..=LONGEST_NAME).contains(&letters).then_some((name, units))
}

/// What a character is in a name: a letter, a digit, `_`, `-`, or the colon between its parts.
fn letter(character: char) -> Option<char> {
    match plain(character) {
        Some(plain) if plain.is_ascii_alphanumeric() || matches!(plain, '_' | '-' | ':') => Some(plain),
        None if character.is_alphanumeric() => Some(UNKNOWN),
        _ => None,
    }
}

/// Adds a letter to a key, in which letters that look alike in ASCII are equal, and `_` and `-` do not count.
fn push(key: &mut String, letter: char) {
    match letter {
        '_' | '-' => {}
        'i' | '1' => key.push('l'),
        '0' => key.push('o'),
        'm' => key.push_str("rn"),
        _ => key.push(letter),
    }
}

fn key(name: &str) -> String {
    let mut made = String::with_capacity(name.len());
    name.chars().for_each(|letter| push(&mut made, letter));
    made
}

/// Whether a name is a key, a few unknown letters aside.
fn same(name: &str, key: &str) -> bool {
    if name == key || !name.contains(UNKNOWN) {
        return name == key;
    }
    let (letters, keys) = (name.chars().count(), key.chars().count());
    let unknown = name.chars().filter(|letter| *letter == UNKNOWN).count();
    letters == keys
        && unknown * LETTERS_PER_UNKNOWN <= letters
        && name.chars().zip(key.chars()).all(|(letter, of_key)| letter == of_key || letter == UNKNOWN)
}

/// Skips spaces; whether a closing bracket follows, which is taken, or the text ends.
fn is_closed(units: &mut VisibleUnits<'_>) -> bool {
    while units.next_if(|unit| unit.read.is_whitespace()).is_some() {}
    units.next().is_none_or(|unit| is_closer(unit.read))
}

/// Whether a path or a longer name goes on after the name of a closing tag: `</system/log`, `</system.log`.
fn continues_name(units: &mut VisibleUnits<'_>) -> bool {
    let joins = units.next_if(|unit| matches!(unit.read, '/' | '.')).is_some();
    joins && units.peek().is_some_and(|unit| unit.read.is_alphanumeric())
}

fn is_closer(character: char) -> bool {
    plain(character) == Some('>')
        || (!character.is_ascii()
            && matches!(
                character.general_category(),
                GeneralCategory::ClosePunctuation
                    | GeneralCategory::FinalPunctuation
                    | GeneralCategory::MathSymbol
            ))
}
