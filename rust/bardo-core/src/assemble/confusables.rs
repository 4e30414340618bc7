//! Reading a text as a model may read it: character references decoded, look-alike letters as the letters they look like.
//!
//! Every table is kept by others: the confusables and the default-ignorable characters of UTS 39, NFKC, general
//! categories, the names of characters, the character references of HTML.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_security::general_security_profile::IdentifierType;
use unicode_security::{GeneralSecurityProfile, skeleton};

/// Longest character reference that is decoded, in bytes: the longest name of HTML has 33.
const LONGEST_REFERENCE: usize = 40;
/// Code points above hold no brackets and no letters of known scripts.
const LAST_BRACKET: u32 = 0x1_ffff;
/// Parts of the names of brackets that are read as angle brackets.
const ANGLE_NAMES: [&str; 4] = ["ANGLE BRACKET", "ANGLE QUOTATION", "LESS-THAN", "LENTICULAR BRACKET"];

/// One character of a text as it is read, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// The character, decoded.
    pub read: char,
    pub start: usize,
    pub end: usize,
}

/// The characters of a text from a place on, with character references, percent-encoding and code point escapes decoded.
#[derive(Clone)]
pub(super) struct Units<'a> {
    text: &'a str,
    at: usize,
    /// Whether the short escapes of JSON strings (`\n`, `\"`) are decoded, too.
    json: bool,
}

impl<'a> Units<'a> {
    pub fn new(text: &'a str, at: usize, json: bool) -> Self {
        Self { text, at, json }
    }

    /// The character that an escape stands for, and the bytes of the escape.
    fn decode(&self) -> Option<(char, usize)> {
        let rest = &self.text[self.at..];
        match rest.as_bytes().first()? {
            b'&' => reference(rest),
            b'%' => percent(rest),
            b'\\' => escape(rest, self.json),
            _ => None,
        }
    }
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        let start = self.at;
        let (read, bytes) = match self.decode() {
            Some(decoded) => decoded,
            None => self.text[start..].chars().next().map(|plain| (plain, plain.len_utf8()))?,
        };
        self.at += bytes;
        Some(Unit { read, start, end: self.at })
    }
}

/// A character reference of HTML, escaped any number of times: `&lt;`, `&#60;`, `&amp;lt;`.
fn reference(rest: &str) -> Option<(char, usize)> {
    let mut at = 1;
    while starts_with_folded(&rest[at..], "amp;") {
        at += 4;
    }
    let window = &rest[at..rest.floor_char_boundary(rest.len().min(at + LONGEST_REFERENCE))];
    let name = window.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(window.len());
    if name == 0 {
        return (at > 1).then_some(('&', at));
    }
    let is_closed = window[name..].starts_with(';');
    // Browsers accept `&lt` without its semicolon, before any character.
    let bare = (!is_closed && starts_with_folded(window, "lt")).then_some(('<', at + 2));
    if !is_closed {
        return bare.or_else(|| (at > 1).then_some(('&', at)));
    }
    let reference = format!("&{};", &window[..name]);
    let decoded = html_escape::decode_html_entities(&reference);
    let mut characters = decoded.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) => Some((one, at + name + 1)),
        _ => (at > 1).then_some(('&', at)),
    }
}

/// An ASCII character in percent-encoding, encoded any number of times: `%3C`, `%253C`.
fn percent(rest: &str) -> Option<(char, usize)> {
    let mut at = 1;
    while rest[at..].starts_with("25") && hex(rest.get(at + 2..at + 4)?).is_some() {
        at += 2;
    }
    let read = hex(rest.get(at..at + 2)?).and_then(char::from_u32)?;
    (read.is_ascii_graphic() || read.is_ascii_whitespace()).then_some((read, at + 2))
}

/// An escape of a string: `\u003c`, `\u{3c}`, `\x3c`, and those of JSON if wanted.
fn escape(rest: &str, json: bool) -> Option<(char, usize)> {
    match (rest.as_bytes().get(1)?, json) {
        (b'u', _) if rest[2..].starts_with('{') => {
            let end = rest[..rest.floor_char_boundary(rest.len().min(12))].find('}')?;
            Some((hex(&rest[3..end]).and_then(char::from_u32)?, end + 1))
        }
        (b'u', _) => {
            let first = hex(rest.get(2..6)?)?;
            let paired = || {
                let second = hex(rest.get(6..)?.strip_prefix("\\u")?.get(..4)?)?;
                let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
                char::decode_utf16(units).next()?.ok().map(|paired| (paired, 12))
            };
            char::from_u32(first).map(|read| (read, 6)).or_else(paired)
        }
        (b'x', _) => Some((hex(rest.get(2..4)?).and_then(char::from_u32)?, 4)),
        (b'n' | b'r', true) => Some(('\n', 2)),
        (b't', true) => Some(('\t', 2)),
        (quoted @ (b'"' | b'\\' | b'/'), true) => Some((char::from(*quoted), 2)),
        _ => None,
    }
}

fn hex(digits: &str) -> Option<u32> {
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
}

fn starts_with_folded(text: &str, beginning: &str) -> bool {
    text.as_bytes()
        .get(..beginning.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(beginning.as_bytes()))
}

/// Whether a character has no shape of its own between letters: ignorable, or a mark on one of them.
pub(super) fn is_unseen(character: char) -> bool {
    is_ignorable(character)
        || (!character.is_ascii()
            && matches!(
                character.general_category(),
                GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
            ))
}

/// Whether a character is not shown: a control or format character, or one that is ignorable by default.
pub(super) fn is_ignorable(character: char) -> bool {
    if character.is_ascii() || character.is_whitespace() {
        return character.is_control() && !character.is_whitespace();
    }
    matches!(
        character.general_category(),
        GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::Unassigned
    ) || character.identifier_type() == Some(IdentifierType::Default_Ignorable)
}

/// The ASCII letter, digit or sign that a character is a form of or looks like, in lower case; `None` if there is none.
pub(super) fn plain(character: char) -> Option<char> {
    if character.is_ascii() {
        return Some(character.to_ascii_lowercase());
    }
    let compatible = base(character);
    if compatible.is_ascii() {
        return Some(compatible.to_ascii_lowercase());
    }
    if character.general_category() == GeneralCategory::OtherSymbol {
        return enclosed_letter(character);
    }
    // Of some letters only the other case looks Latin.
    let cases = [compatible.to_lowercase().next(), compatible.to_uppercase().next()];
    cases.into_iter().flatten().find_map(confusable_ascii)
}

/// A character without its font, width and diacritics.
fn base(character: char) -> char {
    let mut letters = std::iter::once(character)
        .nfkd()
        .filter(|part| part.general_category() != GeneralCategory::NonspacingMark);
    match (letters.next(), letters.next()) {
        (Some(one), None) => one,
        _ => character,
    }
}

/// The one ASCII character that a character is confusable with, in lower case.
fn confusable_ascii(character: char) -> Option<char> {
    let mut buffer = [0; 4];
    let mut prototype = skeleton(character.encode_utf8(&mut buffer));
    match (prototype.next()?, prototype.next(), prototype.next()) {
        (one, None, _) if one.is_ascii() => Some(one.to_ascii_lowercase()),
        // The prototype of everything that looks like an m.
        ('r', Some('n'), None) => Some('m'),
        _ => None,
    }
}

/// The letter in a sign that is named after one, such as NEGATIVE SQUARED LATIN CAPITAL LETTER S.
fn enclosed_letter(character: char) -> Option<char> {
    let name = unicode_names2::name(character)?.to_string();
    let letter = name.rsplit_once("LETTER ")?.1;
    match letter.as_bytes() {
        [one] if one.is_ascii_uppercase() => Some(char::from(one.to_ascii_lowercase())),
        _ => None,
    }
}

/// Whether a character looks like the bracket that begins a tag.
pub(super) fn is_angle(character: char) -> bool {
    character == '<' || (!character.is_ascii() && ANGLES.binary_search(&character).is_ok())
}

/// Whether a character is the bracket that begins a marker, in any width.
pub(super) fn is_square(character: char) -> bool {
    character == '[' || (!character.is_ascii() && !character.is_alphanumeric() && base(character) == '[')
}

/// Whether a character is read as the very sign `<`, not as a bracket or quotation mark of another kind.
pub(super) fn is_less_than(character: char) -> bool {
    plain(character) == Some('<')
}

/// Every character that looks like the beginning of a tag, in order.
static ANGLES: LazyLock<Vec<char>> = LazyLock::new(|| {
    let all = (0x80..=LAST_BRACKET).filter_map(char::from_u32);
    all.filter(|character| match character.general_category() {
        GeneralCategory::OpenPunctuation
        | GeneralCategory::InitialPunctuation
        | GeneralCategory::MathSymbol => plain(*character) == Some('<') || is_named_angle(*character),
        GeneralCategory::Unassigned | GeneralCategory::PrivateUse | GeneralCategory::Surrogate => false,
        _ => confusable_ascii(*character) == Some('<'),
    })
    .collect()
});

fn is_named_angle(character: char) -> bool {
    let Some(name) = unicode_names2::name(character).map(|name| name.to_string()) else { return false };
    ANGLE_NAMES.iter().any(|part| name.contains(part)) && !name.contains("RIGHT")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        Units::new(text, 0, false).map(|unit| unit.read).collect()
    }

    #[test]
    fn escapes_are_read_as_the_characters_they_stand_for() {
        for escaped in
            ["&lt;", "&LT;", "&#60;", "&#x3C;", "&#0000060;", "&amp;lt;", "%3c", "%253C", "\\u003c", "\\x3C"]
        {
            assert_eq!(read(&format!("a{escaped}b")), "a<b", "{escaped}");
        }
        assert_eq!(read("mem&shy;ory &ltb &c %zz 5% \\d &"), "mem\u{ad}ory <b &c %zz 5% \\d &");
        assert_eq!(read("\\ud83d\\ude00"), "😀");
    }

    #[test]
    fn the_places_of_units_cover_the_text() {
        let text = "x&amp;lt;/é%3E";
        let units: Vec<_> = Units::new(text, 0, false).collect();
        assert!(units.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(units.last().map(|unit| unit.end), Some(text.len()));
    }

    #[test]
    fn letters_of_other_alphabets_are_read_as_what_they_look_like() {
        for (character, letter) in [
            ('а', 'a'),
            ('М', 'm'),
            ('м', 'm'),
            ('𝐦', 'm'),
            ('ｅ', 'e'),
            ('🆂', 's'),
            ('é', 'e'),
            ('ο', 'o'),
            ('∕', '/'),
        ] {
            assert_eq!(plain(character), Some(letter), "{character}");
        }
        assert_eq!((plain('红'), plain('и')), (None, None));
    }

    #[test]
    fn brackets_that_look_like_angles_are_known_by_the_tables() {
        for bracket in ['<', '＜', '‹', '«', '⟨', '⟪', '《', '〈', '❮', '≮', '⩽', '⧼', 'ᐸ', '【', '﹤']
        {
            assert!(is_angle(bracket), "{bracket}");
        }
        for other in ['>', '（', '“', '「', '»', '>', '字', 'a', '+'] {
            assert!(!is_angle(other), "{other}");
        }
        assert!(is_less_than('＜') && is_less_than('≮') && !is_less_than('《'));
    }
}
