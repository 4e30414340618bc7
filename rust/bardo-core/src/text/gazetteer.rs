//! Gazetteer: finds all known names in a text in one pass.
//!
//! At each word start, the prefixes of the text are looked up in a hash table, the longest first; the possible lengths
//! are known from the first word. So adding a name costs the same for any number of names; an automaton (Aho and
//! Corasick 1975) cannot grow.

use std::collections::{BTreeSet, HashMap};

use super::names::fold;
use super::stop_words::is_stop_word;

/// Number of an entity in `facts.db`.
pub type EntitySerial = i64;

/// Map with untrusted text keys, hashed with a random seed per process against collision attacks.
type TextMap<V> = HashMap<Box<str>, V, foldhash::fast::RandomState>;

/// A known name.
#[derive(Debug)]
struct KnownName {
    entity: EntitySerial,
    /// Whether it is a single capitalised word: in lower case it may be any word.
    is_proper: bool,
}

/// Known names.
#[derive(Debug, Default)]
pub struct Gazetteer {
    /// Names by key.
    names: TextMap<KnownName>,
    /// Lengths in bytes of the keys by their first word, or by their first character if that is no letter.
    lengths: TextMap<BTreeSet<usize>>,
    /// Size of all keys in bytes.
    key_bytes: usize,
}

impl Gazetteer {
    /// Adds a name by its key.
    pub fn add(&mut self, key: &str, alias: &str, entity: EntitySerial) {
        if key.is_empty() {
            return;
        }
        let is_proper = !key.contains(' ') && alias.starts_with(char::is_uppercase);
        let head = &key[..head_bytes(key)];
        if let Some(lengths) = self.lengths.get_mut(head) {
            lengths.insert(key.len());
        } else {
            self.lengths.insert(head.into(), BTreeSet::from([key.len()]));
        }
        self.key_bytes += key.len();
        self.names.insert(key.into(), KnownName { entity, is_proper });
    }

    /// The entities whose names occur in a text as whole words, each once, in order. In a query (`is_query`) a name
    /// matches in lower case too, in a memory only when written like a name.
    #[must_use]
    pub fn find(&self, text: &str, is_query: bool) -> Vec<EntitySerial> {
        let folded: String = fold(text).collect();
        let mut found = Vec::new();
        let mut start = 0;
        while start < folded.len() {
            let rest = &folded[start..];
            let head = head_bytes(rest);
            if let Some((key, known)) = self.longest(&folded, start, head) {
                if !known.is_proper
                    || text[start..].starts_with(char::is_uppercase)
                    || (is_query && !is_stop_word(key))
                {
                    found.push(known.entity);
                }
                start += key.len();
            } else {
                start += head;
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The longest name at a position.
    fn longest<'t>(&self, text: &'t str, start: usize, head: usize) -> Option<(&'t str, &KnownName)> {
        let lengths = self.lengths.get(&text[start..start + head])?;
        lengths.iter().rev().find_map(|length| {
            let key = text.get(start..start + length)?;
            let known = self.names.get(key)?;
            is_whole_word(text, start, start + length).then_some((key, known))
        })
    }

    /// Number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the gazetteer is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Approximate size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let rows = self.names.capacity() * size_of::<(Box<str>, KnownName)>();
        let heads = self.lengths.capacity() * size_of::<(Box<str>, BTreeSet<usize>)>();
        self.key_bytes + rows + heads
    }
}

/// Length in bytes of the first word of a text, or of its first character if it begins with no word.
fn head_bytes(text: &str) -> usize {
    let sign = text.chars().next().map_or(0, char::len_utf8);
    text.find(|letter| !is_inside(letter)).unwrap_or(text.len()).max(sign)
}

/// Whether a character may be inside a word.
fn is_inside(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    !text[..start].chars().next_back().is_some_and(is_inside)
        && !text[end..].chars().next().is_some_and(is_inside)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::names::name_key;
    use super::*;

    fn gazetteer(names: &[(&str, EntitySerial)]) -> Gazetteer {
        let mut gazetteer = Gazetteer::default();
        for (name, entity) in names {
            gazetteer.add(&name_key(name), name, *entity);
        }
        gazetteer
    }

    #[test]
    fn known_names_are_found_as_whole_words_and_the_longest_counts() {
        let known = gazetteer(&[("New York", 1), ("New York Times", 2), ("Mel", 3), ("aave", 4)]);
        assert_eq!(known.find("She reads the new york times. Melanie? AAVE!", false), [2, 4]);
        assert_eq!(known.find("Mel's house in New York", false), [1, 3]);
    }

    #[test]
    fn a_proper_noun_in_small_letters_counts_in_queries_only() {
        let known = gazetteer(&[("Caroline", 1), ("Will", 2)]);
        assert!(known.find("what did caroline do?", false).is_empty());
        assert_eq!(known.find("what will caroline do?", true), [1]);
        assert_eq!(known.find("What did Will do?", true), [2]);
    }

    #[test]
    fn a_name_is_found_as_soon_as_it_is_added_however_many_are_known() {
        let mut gazetteer = Gazetteer::default();
        for number in 0..20_000 {
            gazetteer.add(&format!("name {number}"), "", number);
            assert_eq!(gazetteer.find(&format!("of name {number}, again"), false), [number]);
        }
        let text = (0..500).map(|number| format!("name {number}")).collect::<Vec<_>>().join("; ");
        assert_eq!(gazetteer.find(&text, false), (0..500).collect::<Vec<_>>());
        assert_eq!(gazetteer.len(), 20_000);
    }

    #[test]
    fn names_with_signs_are_found_between_any_signs_and_a_part_of_a_word_is_no_name() {
        let known =
            gazetteer(&[("c++", 1), ("@ann", 2), ("u.s.", 3), ("aave/eth", 4), ("новый год", 5), ("橋", 6)]);
        assert_eq!(known.find("(c++), @ann: u.s. и Новый год! aave/eth 橋", false), [1, 2, 3, 4, 5, 6]);
        assert!(known.find("xc++ an@ann u.s.a aave/ethereum _новый год 橋梁", false).is_empty());
    }

    #[test]
    fn a_longer_name_that_ends_within_a_word_does_not_hide_a_shorter_one() {
        let known = gazetteer(&[("new york", 1), ("new york times", 2), ("york", 3)]);
        assert_eq!(known.find("new york timeshare", false), [1]);
        assert_eq!(known.find("new yorkers of york", false), [3]);
    }

    proptest! {
        #[test]
        fn every_name_that_stands_alone_is_found(
            names in prop::collection::btree_set("[ab_.'é ]{1,5}", 1..12), text in "[ab_.'é, ]{0,24}",
        ) {
            let keys: Vec<String> = names.iter().map(|name| name_key(name)).filter(|key| !key.is_empty()).collect();
            let mut known = Gazetteer::default();
            for (serial, key) in (0..).zip(&keys) {
                known.add(key, "", serial);
            }
            let stands = |key: &str| {
                // Occurrences may overlap, and `match_indices` skips overlapping ones.
                text.char_indices().any(|(start, _)| {
                    text[start..].starts_with(key) && is_whole_word(&text, start, start + key.len())
                })
            };
            for found in known.find(&text, false) {
                prop_assert!(stands(&keys[found as usize]));
            }
            // At least the first occurrence in the text is found, with one length or another.
            prop_assert_eq!(known.find(&text, false).is_empty(), !keys.iter().any(|key| stands(key)));
        }
    }

    #[test]
    fn letters_whose_case_changes_their_length_stay_in_place() {
        let known = gazetteer(&[("straße", 1), ("İzmir", 2)]);
        assert_eq!(known.find("ẞ İ İzmir und Straße ﬁn", false), [1, 2]);
    }
}
