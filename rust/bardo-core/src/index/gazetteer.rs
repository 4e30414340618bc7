//! Known names, all looked for in one walk over a text (Aho and Corasick 1975).
//!
//! An automaton cannot grow. New names go into a small second one, and both become one when the second is no longer
//! small: adding names one by one costs little more than building once.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::names::fold;
use super::stop_words::is_stop_word;
use crate::error::{Error, Result};

/// New names that the second automaton holds at least before both are made one,
const SECOND_AT_LEAST: usize = 64;
/// or one in this many of all.
const SECOND_ONE_IN: usize = 16;

/// Number of an entity in `facts.db`.
pub type EntitySerial = i64;

/// A known name.
#[derive(Debug)]
struct Known {
    key: Box<str>,
    entity: EntitySerial,
    /// A single word that is written with a capital: in small letters it may be any word.
    is_proper: bool,
}

/// Known names and the automata that find them.
#[derive(Debug, Default)]
pub struct Gazetteer {
    names: Vec<Known>,
    tiers: Vec<Tier>,
}

#[derive(Debug)]
struct Tier {
    automaton: AhoCorasick,
    /// Index of its first name.
    first: usize,
    /// Index after its last name.
    end: usize,
}

impl Gazetteer {
    /// Adds a name by its key; found after the next [`Gazetteer::settle`].
    pub fn add(&mut self, key: &str, alias: &str, entity: EntitySerial) {
        if !key.is_empty() {
            let is_proper = !key.contains(' ') && alias.starts_with(char::is_uppercase);
            self.names.push(Known { key: key.into(), entity, is_proper });
        }
    }

    /// Makes all names findable.
    pub fn settle(&mut self) -> Result<()> {
        let settled = self.tiers.first().map_or(0, |tier| tier.end);
        if self.tiers.last().map_or(0, |tier| tier.end) == self.names.len() {
            return Ok(());
        }
        let waiting = self.names.len() - settled;
        if settled == 0 || waiting > SECOND_AT_LEAST.max(settled / SECOND_ONE_IN) {
            self.tiers = vec![self.build(0)?];
        } else {
            self.tiers.truncate(1);
            self.tiers.push(self.build(settled)?);
        }
        Ok(())
    }

    fn build(&self, first: usize) -> Result<Tier> {
        let keys = self.names[first..].iter().map(|known| known.key.as_bytes());
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(keys)
            .map_err(|cause| {
                Error::invalid(format!("too many names: {cause}"), "Merge or delete entities")
            })?;
        Ok(Tier { automaton, first, end: self.names.len() })
    }

    /// The entities whose names stand in a text as whole words, each once, in order. In a query a name counts in small
    /// letters too (`is_query`), in a memory only where it is written like one.
    #[must_use]
    pub fn find(&self, text: &str, is_query: bool) -> Vec<EntitySerial> {
        let folded: String = fold(text).collect();
        let mut found = Vec::new();
        for tier in &self.tiers {
            for place in tier.automaton.find_iter(&folded) {
                let known = &self.names[tier.first + place.pattern().as_usize()];
                let range = place.start()..place.end();
                if is_whole_word(&folded, range.start, range.end)
                    && (!known.is_proper
                        || text[range.start..].starts_with(char::is_uppercase)
                        || (is_query && !is_stop_word(&known.key)))
                {
                    found.push(known.entity);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no name is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Bytes held, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let names: usize = self.names.iter().map(|known| known.key.len() + size_of::<Known>()).sum();
        names + self.tiers.iter().map(|tier| tier.automaton.memory_usage()).sum::<usize>()
    }
}

fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let inside = |letter: char| letter.is_alphanumeric() || letter == '_';
    !text[..start].chars().next_back().is_some_and(inside) && !text[end..].chars().next().is_some_and(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::names::name_key;

    fn gazetteer(names: &[(&str, EntitySerial)]) -> Gazetteer {
        let mut gazetteer = Gazetteer::default();
        for (name, entity) in names {
            gazetteer.add(&name_key(name), name, *entity);
        }
        gazetteer.settle().unwrap();
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
    fn names_added_one_by_one_are_all_found() {
        let mut gazetteer = Gazetteer::default();
        for number in 0..500 {
            gazetteer.add(&format!("name {number}"), "", number);
            gazetteer.settle().unwrap();
            assert!(gazetteer.tiers.len() <= 2);
        }
        let text = (0..500).map(|number| format!("name {number}")).collect::<Vec<_>>().join("; ");
        assert_eq!(gazetteer.find(&text, false), (0..500).collect::<Vec<_>>());
    }

    #[test]
    fn letters_whose_case_changes_their_length_stay_in_place() {
        let known = gazetteer(&[("straße", 1), ("İzmir", 2)]);
        assert_eq!(known.find("ẞ İ İzmir und Straße ﬁn", false), [1, 2]);
    }
}
