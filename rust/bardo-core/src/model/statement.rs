//! Statement of a fact: subject, attribute, value, and validity period.
//!
//! Bitemporal (Snodgrass 1999, "Developing Time-Oriented Database Applications in SQL"): `since` and `until` bound when
//! a statement *holds*; the ticks of the fact and its states say when it was *known*.

use serde::{Deserialize, Serialize};

use super::Micros;
use super::calendar::date_time;
use super::episode::check_name;
use crate::error::{Error, Result};

/// Maximum bytes of a value.
pub const VALUE_BYTES: usize = 1024;

/// Subject, attribute and value of a fact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Person or thing that the statement describes.
    pub subject: String,
    /// Name of the attribute, such as `home` or `version`.
    pub attribute: String,
    /// Value of the attribute; empty if every value is denied.
    pub value: String,
    /// Whether the statement denies the value.
    #[serde(default)]
    pub denied: bool,
    /// Case in which it holds, such as an environment or a meal; empty for every case.
    #[serde(default)]
    pub condition: String,
    /// First instant at which it holds; `None` if unknown.
    #[serde(default)]
    pub since: Option<Micros>,
    /// First instant at which it no longer holds; `None` while it holds.
    #[serde(default)]
    pub until: Option<Micros>,
    /// Whether the attribute has one value at a time.
    #[serde(default)]
    pub functional: bool,
}

impl Statement {
    /// Hash of the subject without case, articles and possessive.
    #[must_use]
    pub fn owner_key(&self) -> i64 {
        hash(&[&key(&self.subject)])
    }

    /// Hash of subject, attribute and condition: the slot for the single value of a functional attribute.
    #[must_use]
    pub fn slot_key(&self) -> i64 {
        hash(&[&key(&self.subject), &key(&self.attribute), &key(&self.condition)])
    }

    /// Whether both have the same value, apart from case, articles, spaces and closing marks.
    #[must_use]
    pub fn has_same_value(&self, other: &Self) -> bool {
        key(&self.value) == key(&other.value)
    }

    /// Whether both are about one attribute of one subject, under any condition.
    #[must_use]
    pub fn has_same_attribute(&self, other: &Self) -> bool {
        self.owner_key() == other.owner_key() && key(&self.attribute) == key(&other.attribute)
    }

    /// Whether both have the same slot.
    #[must_use]
    pub fn has_same_slot(&self, other: &Self) -> bool {
        self.slot_key() == other.slot_key()
    }

    /// Whether both give one slot the same value, or deny it, for a common time.
    #[must_use]
    pub fn says_same(&self, other: &Self) -> bool {
        self.has_same_slot(other)
            && self.denied == other.denied
            && self.has_same_value(other)
            && self.overlaps(other)
    }

    /// Whether they cannot both hold: one slot has two values where it takes one, or a value and its denial.
    #[must_use]
    pub fn excludes(&self, other: &Self) -> bool {
        let same = self.has_same_value(other);
        let is_exclusive = match (self.denied, other.denied) {
            (false, false) => !same && self.functional && other.functional,
            (true, true) => false,
            (false, true) => same || other.value.is_empty(),
            (true, false) => same || self.value.is_empty(),
        };
        is_exclusive && self.has_same_slot(other) && self.overlaps(other)
    }

    /// Whether both can hold at one instant, as far as their bounds say.
    fn overlaps(&self, other: &Self) -> bool {
        let ends_before =
            |a: &Self, b: &Self| matches!((a.until, b.since), (Some(end), Some(start)) if end <= start);
        !ends_before(self, other) && !ends_before(other, self)
    }

    /// Whether it holds at an instant, within its bounds.
    #[must_use]
    pub fn holds_at(&self, at: Micros) -> bool {
        self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at < until)
    }

    /// Refuses a statement that breaks a documented limit.
    pub fn validate(&self) -> Result<()> {
        for (field, name) in [("the subject", &self.subject), ("the attribute", &self.attribute)] {
            if key(name).is_empty() {
                return Err(Error::invalid(
                    format!("{field} of a statement is empty"),
                    "Name the subject and its attribute, such as subject=\"api\", attribute=\"port\"",
                ));
            }
            check_name(field, name)?;
        }
        if !self.condition.is_empty() {
            check_name("the condition", &self.condition)?;
        }
        if key(&self.value).is_empty() && !self.denied {
            return Err(Error::invalid(
                "the value of a statement is empty",
                "Pass value=..., or denied=True if the subject has no value of this attribute",
            ));
        }
        if self.value.len() > VALUE_BYTES {
            return Err(Error::invalid(
                format!("the value has {} bytes, the limit is {VALUE_BYTES}", self.value.len()),
                "Keep a long value as an episode, and name it in the statement",
            ));
        }
        match (self.since, self.until) {
            (Some(since), Some(until)) if until <= since => Err(Error::invalid(
                format!("the statement would hold from {} until {}", date_time(since), date_time(until)),
                "Let it end after it begins",
            )),
            _ => Ok(()),
        }
    }
}

/// Normal form of a name or value: no case, leading articles, possessive, surrounding spaces or closing
/// marks.
fn key(text: &str) -> String {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    while words.len() > 1 && ["the", "a", "an", "my", "our"].contains(&words[0]) {
        words.remove(0);
    }
    let joined = words.join(" ");
    joined.trim_end_matches(['.', ',', ';', '!', ' ']).trim_end_matches("'s").to_owned()
}

fn hash(parts: &[&str]) -> i64 {
    xxhash_rust::xxh3::xxh3_64(parts.join("\0").as_bytes()).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(subject: &str, attribute: &str, value: &str) -> Statement {
        Statement {
            subject: subject.into(),
            attribute: attribute.into(),
            value: value.into(),
            ..Statement::default()
        }
    }

    #[test]
    fn a_slot_ignores_case_and_articles_of_its_names() {
        let one = statement("The deploy target", "environment", "production");
        let other = statement("deploy target", "Environment", "Production.");
        assert!(one.has_same_slot(&other) && one.has_same_value(&other));
        let web = Statement { condition: "web".into(), ..other };
        assert!(!one.has_same_slot(&web) && one.has_same_attribute(&web));
        assert!(!one.has_same_attribute(&statement("deploy target", "owner", "production")));
    }

    #[test]
    fn a_statement_needs_names_a_value_and_an_order_of_its_bounds() {
        assert!(statement("api", "port", "8080").validate().is_ok());
        assert!(statement(" ", "port", "8080").validate().is_err());
        assert!(statement("api", "port", "").validate().is_err());
        assert!(Statement { denied: true, ..statement("api", "port", "") }.validate().is_ok());
        let bounded = Statement { since: Some(5), until: Some(5), ..statement("api", "port", "8080") };
        assert!(bounded.validate().is_err());
    }

    #[test]
    fn values_of_one_slot_exclude_each_other_where_it_takes_one_at_a_time() {
        let port = |value: &str| Statement { functional: true, ..statement("api", "port", value) };
        let (old, new) = (port("8080"), port("9090"));
        let denial = |value: &str| Statement { denied: true, value: value.into(), ..old.clone() };
        assert!(old.excludes(&new) && new.excludes(&old) && !old.excludes(&old));
        assert!(!old.excludes(&Statement { functional: false, ..new.clone() }));
        assert!(!old.excludes(&Statement { condition: "staging".into(), ..new.clone() }));
        assert!(old.excludes(&denial("8080")) && denial("").excludes(&old));
        assert!(!old.excludes(&denial("9090")) && !denial("8080").excludes(&denial("")));
        let over = Statement { until: Some(5), ..old.clone() };
        assert!(!over.excludes(&Statement { since: Some(5), ..new.clone() }));
        assert!(!over.excludes(&Statement { since: Some(5), ..denial("8080") }));
        assert!(old.says_same(&port("8080.")) && !old.says_same(&denial("8080")));
    }

    #[test]
    fn bounds_include_the_start_and_exclude_the_end() {
        let bounded = Statement { since: Some(5), until: Some(9), ..statement("api", "port", "8080") };
        assert!(!bounded.holds_at(4) && bounded.holds_at(5) && bounded.holds_at(8) && !bounded.holds_at(9));
    }
}
