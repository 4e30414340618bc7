//! The single acts of a lint, and what tells that two facts are one.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};
use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

use crate::consolidate::reconcile::has_one_attribute;
use crate::consolidate::words::contradiction::is_disputed;
use crate::facts::outcomes::transfer_outcomes;
use crate::facts::rows::{self as record, StoredFact, signed};
use crate::facts::schema::Direction;
use crate::facts::sqlite::{Step, rows};
use crate::facts::transaction::Writer;
use crate::facts::transitions;
use crate::facts::transitions::link_both;
use crate::facts::transitions::rebase;
use crate::facts::transitions::retire;
use crate::facts::transitions::write_link;
use crate::facts::{EndCause, Link, Relation, SAME_INSIGHT, SAME_MEANING};
use crate::model::{FactKind, FactPayload, Id, Source, limits};
use crate::text::same_statement::same_sense;
use crate::text::stop_words::is_stop_word;

/// Part of the words of content of two texts together that both must have to be taken for the same by their words.
const SAME_WORDS: f64 = 0.8;
/// Cosine and part of the words from which two texts are about the same thing, so that one may speak against the other.
const RELATED_MEANING: f64 = 0.6;
const RELATED_WORDS: f64 = 0.4;
/// The nearest neighbours that must agree on where a fact belongs.
const NEIGHBOURS: usize = 3;

/// A fact that is looked at.
pub(in crate::consolidate) struct LintItem {
    pub stored: StoredFact,
    vector: Option<Direction>,
    /// Stems of its words of content.
    words: BTreeSet<String>,
    /// How much it says: its words of content, with names and figures twice.
    specificity: usize,
    /// Whether a running statistic or a hypothesis states it: its wording is not ours to change.
    is_stated: bool,
    /// Whether lint may touch it.
    pub is_free: bool,
}

impl LintItem {
    fn new(connection: &Connection, stored: StoredFact) -> Step<Self> {
        let vector: Option<Vec<u8>> = connection
            .prepare_cached("SELECT vector, intact FROM vectors WHERE fact = ?1")?
            .query_row([stored.serial], |row| row.get(0))
            .optional()?;
        let is_stated = connection
            .prepare_cached(
                "SELECT 1 FROM baselines WHERE fact = ?1 UNION ALL SELECT 1 FROM hypotheses WHERE fact = ?1",
            )?
            .exists([stored.fact.id.0])?;
        let stemmer = Stemmer::create(Algorithm::English);
        let (mut words, mut specificity) = (BTreeSet::new(), 0);
        for (place, word) in stored.fact.text.unicode_words().enumerate() {
            let lower = word.to_lowercase();
            if !is_stop_word(&lower) && words.insert(stemmer.stem(&lower).into_owned()) {
                let named = place > 0 && word.contains(char::is_uppercase);
                specificity += 1 + usize::from(named || word.contains(char::is_numeric));
            }
        }
        let is_free = !stored.fact.pinned;
        Ok(Self {
            vector: vector.as_deref().map(Direction::stored),
            words,
            specificity,
            is_stated,
            is_free,
            stored,
        })
    }

    /// Which of two that say the same is kept: what the agent lived itself, then what says more, then what has more behind
    /// it, then the older one.
    pub fn is_better_than(&self, other: &Self) -> bool {
        let worth =
            |item: &Self| (!item.stored.fact.is_hearsay(), item.specificity, item.stored.fact.support);
        (worth(self), other.stored.serial) > (worth(other), self.stored.serial)
    }

    fn cosine(&self, other: &Self) -> f64 {
        match (&self.vector, &other.vector) {
            (Some(one), Some(two)) => one.cosine(two),
            _ => 0.0,
        }
    }

    /// Part of the words of both that both have.
    fn overlap(&self, other: &Self) -> f64 {
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - shared;
        if all == 0 { 0.0 } else { shared as f64 / all as f64 }
    }
}

/// The latest facts that are in force, oldest first. The window is counted over all facts, so that what leaves does not
/// bring older ones in.
pub(in crate::consolidate) fn gather(
    connection: &Connection,
    latest: usize,
    tick: u64,
) -> Step<Vec<LintItem>> {
    let found = record::select(
        connection,
        "WHERE serial IN (SELECT serial FROM facts ORDER BY serial DESC LIMIT ?1) AND status = 'active'
         AND (expires_tick IS NULL OR expires_tick >= ?2) ORDER BY serial",
        params![rows(latest), signed(tick)?],
    )?;
    found.into_iter().map(|stored| LintItem::new(connection, stored)).collect()
}

/// Pairs that are near by meaning or by words: each arm has a threshold of its own.
pub(in crate::consolidate) struct SimilarPairs {
    same: Vec<(usize, usize)>,
    related: Vec<(usize, usize)>,
}

impl SimilarPairs {
    /// Compares every fact with every later one.
    pub fn of(items: &[LintItem]) -> Self {
        let (mut same, mut related) = (Vec::new(), Vec::new());
        for (other, newer) in items.iter().enumerate() {
            for (one, older) in items[..other].iter().enumerate() {
                let (cosine, words) = (older.cosine(newer), older.overlap(newer));
                let insight = newer.stored.fact.kind == FactKind::Insight;
                if cosine > if insight { SAME_INSIGHT } else { SAME_MEANING } || words >= SAME_WORDS {
                    same.push((one, other));
                }
                if cosine >= RELATED_MEANING || words >= RELATED_WORDS {
                    related.push((one, other));
                }
            }
        }
        Self { same, related }
    }

    pub fn same(&self) -> impl Iterator<Item = (usize, usize)> {
        self.same.iter().copied()
    }

    pub fn related(&self) -> impl Iterator<Item = (usize, usize)> {
        self.related.iter().copied()
    }
}

/// Whether two facts that are near say the same of the same, and may be made one.
pub(in crate::consolidate) fn is_duplicate(one: &LintItem, other: &LintItem) -> bool {
    let may = |item: &LintItem| {
        item.is_free && !item.is_stated && item.is_in_force() && item.stored.fact.source != Source::Dream
    };
    let (left, right) = (&one.stored.fact, &other.stored.fact);
    may(one)
        && may(other)
        && left.kind == right.kind
        && left.expires_tick == right.expires_tick
        && (left.payload == right.payload
            || left.payload == FactPayload::None
            || right.payload == FactPayload::None)
        && share_a_subject(&left.subjects, &right.subjects)
        && same_sense(&left.text, &right.text)
}

/// Whether two lists of subjects have one in common; one that names none may be about anything.
fn share_a_subject(left: &[String], right: &[String]) -> bool {
    left.is_empty() || right.is_empty() || left.iter().any(|subject| right.contains(subject))
}

/// Lets one fact stand for another, which stays as its history. Counts are added up; confidence is the higher of the two,
/// unless the other was only heard of.
pub(in crate::consolidate) fn merge(
    writer: &Writer<'_>,
    kept: &mut LintItem,
    gone: &mut LintItem,
    (before, other): (f64, f64),
    tick: u64,
) -> Step<()> {
    let hearsay = gone.stored.fact.is_hearsay() && !kept.stored.fact.is_hearsay();
    let (fact, old) = (&mut kept.stored.fact, &gone.stored.fact);
    rebase(fact, if hearsay { before } else { before.max(other) }, tick);
    if !hearsay {
        let shared = old.evidence.iter().filter(|episode| fact.evidence.contains(episode)).count() as u32;
        fact.support = fact.support.saturating_add(old.support.saturating_sub(shared));
        fact.importance = fact.importance.max(old.importance);
        fact.generation = fact.generation.min(old.generation);
        fact.observed = (fact.observed.0.min(old.observed.0), fact.observed.1.max(old.observed.1));
        kept.stored.spaced_tick = kept.stored.spaced_tick.max(gone.stored.spaced_tick);
    }
    fact.mentions = fact.mentions.saturating_add(old.mentions);
    fact.accessed_tick = fact.accessed_tick.max(old.accessed_tick);
    fact.bloodstain |= old.bloodstain;
    if fact.category.is_empty() {
        fact.category.clone_from(&old.category);
    }
    if fact.payload == FactPayload::None {
        fact.payload.clone_from(&old.payload);
    }
    for subject in &old.subjects {
        if fact.subjects.len() < limits::SUBJECTS && !fact.subjects.contains(subject) {
            fact.subjects.push(subject.clone());
        }
    }
    let (from, to, evidence) = (old.id, fact.id, old.evidence.clone());
    writer.update(&kept.stored, tick)?;
    if !hearsay {
        record::add_evidence(&writer.transaction, kept.stored.serial, &evidence, tick)?;
        transfer_outcomes(&writer.transaction, kept.stored.serial, gone.stored.serial)?;
    }
    retire(writer, &mut gone.stored, Some(to), &EndCause::Merge, tick)?;
    if let Some(again) = record::find(&writer.transaction, to)? {
        kept.stored = again;
    }
    move_links(writer, from, to, tick)
}

/// Draws the links of a fact for the one that stands for it.
pub(in crate::consolidate) fn move_links(writer: &Writer<'_>, from: Id, to: Id, tick: u64) -> Step<()> {
    let mut statement = writer.transaction.prepare_cached(
        "SELECT src, dst, relation, weight, intact FROM links WHERE (src = ?1 OR dst = ?1) AND src <> ?2 AND dst <> ?2
         ORDER BY src, dst, relation",
    )?;
    let found: Vec<(Id, Id, String, f64)> = statement
        .query_map([from.0, to.0], |row| Ok((Id(row.get(0)?), Id(row.get(1)?), row.get(2)?, row.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (src, dst, relation, weight) in found {
        let (src, dst) = (if src == from { to } else { src }, if dst == from { to } else { dst });
        let relation: Relation = relation.parse()?;
        let known = writer
            .transaction
            .prepare_cached("SELECT 1 FROM links WHERE src = ?1 AND dst = ?2 AND relation = ?3")?
            .exists(params![src.0, dst.0, relation.name()])?;
        if !known && src != dst {
            write_link(writer, &Link { src, dst, relation, weight, tick })?;
        }
    }
    Ok(())
}

/// Sends a stale fact to the cold tier.
pub(in crate::consolidate) fn archive(writer: &Writer<'_>, item: &mut LintItem, tick: u64) -> Step<()> {
    transitions::archive(writer, &mut item.stored, &EndCause::Stale, tick)
}

/// Whether a fact stands on words alone: what a test states is argued with by its test.
const fn is_untested(payload: &FactPayload) -> bool {
    matches!(payload, FactPayload::None | FactPayload::Procedural { .. } | FactPayload::AntiKnowledge { .. })
}

/// Links two facts that speak against each other, unless they are, or such a link was taken back; says whether it did.
pub(in crate::consolidate) fn flag(
    writer: &Writer<'_>,
    older: &LintItem,
    newer: &LintItem,
    tick: u64,
) -> Step<bool> {
    let (old, new) = (&older.stored.fact, &newer.stored.fact);
    if !is_untested(&old.payload)
        || !is_untested(&new.payload)
        || !share_a_subject(&old.subjects, &new.subjects)
    {
        return Ok(false);
    }
    // A narrower statement stands beside the wider one.
    if has_one_attribute(old, new) || !is_disputed(&old.text, &new.text) {
        return Ok(false);
    }
    let known = writer
        .transaction
        .prepare_cached(
            "SELECT 1 FROM links WHERE relation = 'contradicts' AND ((src = ?1 AND dst = ?2) OR (src = ?2 AND dst = ?1))
             UNION ALL SELECT 1 FROM act_links JOIN acts ON acts.serial = act_links.act
             WHERE relation = 'contradicts' AND src = ?1 AND dst = ?2 AND undone_by IS NOT NULL",
        )?
        .exists([old.id.0, new.id.0])?;
    if !known {
        link_both(writer, old.id, new.id, tick)?;
    }
    Ok(!known)
}

/// Where a fact belongs that is filed nowhere, if its nearest neighbours agree.
pub(in crate::consolidate) fn file(items: &[LintItem], place: usize) -> Option<String> {
    let item = &items[place];
    if !item.is_free || !item.is_in_force() || !item.stored.fact.category.is_empty() {
        return None;
    }
    let mut near: Vec<(f64, i64, &str)> = items
        .iter()
        .filter(|other| other.is_in_force() && !other.is_stated && !other.stored.fact.category.is_empty())
        .map(|other| (item.cosine(other), other.stored.serial, other.stored.fact.category.as_str()))
        .filter(|(cosine, ..)| *cosine >= RELATED_MEANING)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    near.truncate(NEIGHBOURS);
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, _, category) in &near {
        *counted.entry(category).or_default() += 1;
    }
    let (category, votes) = counted.into_iter().next()?;
    (votes == NEIGHBOURS).then(|| category.to_owned())
}
