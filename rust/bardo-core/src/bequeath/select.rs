//! Selection of facts for a testament under a cap: greedy maximisation of coverage times value.
//!
//! The objective is a weighted facility location (Nemhauser, Wolsey and Fisher 1978 give the bound of the greedy
//! choice; Minoux 1978 the lazy evaluation). The gain of an entry is its coverage of itself and of others beyond the
//! chosen entries, weighted by value, plus a bonus for new subjects. Other entries count by value over the density
//! around them, so that many paraphrases weigh about as much as one entry. A near-copy of a chosen entry is taken only
//! after all others, so that copies cannot displace them.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use xxhash_rust::xxh3::Xxh3;

use super::similar::{COPY, Points};
use crate::error::{Error, Result};
use crate::model::{Fact, FactKind, FactStatus};

/// Minimum number of supporting episodes of a validated procedure.
const VALIDATED_SUPPORT: u32 = 3;
/// Maximum share of warnings in the cap while other entries remain; anti-knowledge has no such limit.
const WARNING_SHARE: f32 = 0.75;
/// Weight of the coverage of other entries, relative to 1 for an entry's coverage of itself.
const OTHERS_WEIGHT: f32 = 0.5;
/// Weight of the bonus for subjects.
const SUBJECTS_WEIGHT: f32 = 0.25;
/// Maximum number of sampled entries for coverage; bounds time.
const GROUND_LIMIT: usize = 512;
/// Maximum size of the closeness table in bytes; bounds memory.
const TABLE_LIMIT: usize = 64 << 20;

/// Minimum confidence of entries; warnings and anti-knowledge are exempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Minimum confidence of heuristics.
    pub heuristic: f32,
    /// Minimum confidence of all other kinds.
    pub insight: f32,
}

/// Reason for leaving out an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exclusion {
    /// Superseded, contradicted, archived or expired.
    NotInForce,
    /// Confidence today below the threshold of the kind.
    BelowThreshold,
    /// Procedure with too few supporting episodes.
    NotValidated,
    /// Near-copy of a chosen entry.
    NearCopy,
    /// Beyond the cap.
    OverCap,
}

impl Exclusion {
    /// Returns the name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotInForce => "not_in_force",
            Self::BelowThreshold => "below_threshold",
            Self::NotValidated => "not_validated",
            Self::NearCopy => "near_copy",
            Self::OverCap => "over_cap",
        }
    }
}

/// Measure of similarity: vectors or words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// No comparison, since all entries fit.
    None,
    /// Cosine of the embeddings.
    Embeddings,
    /// Common words, because some entries have no embedding.
    Words,
}

impl Measure {
    /// Returns the name used outside the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Embeddings => "embeddings",
            Self::Words => "words",
        }
    }
}

/// Selected entries, most needed first, and the reason for each other one.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Indexes into the given facts.
    pub chosen: Vec<usize>,
    /// Indexes of the facts left out, each with its reason.
    pub left_out: Vec<(usize, Exclusion)>,
    /// Measure of similarity: vectors or words.
    pub measure: Measure,
}

/// Chooses at most `cap` facts. `confidences` are the decayed ones of today, one per fact; `vectors` has one row of
/// `dims` per fact, or is `None` if not all are embedded; `tick` is the testator's last.
pub fn select(
    facts: &[Fact],
    confidences: &[f32],
    vectors: Option<(&[f32], usize)>,
    thresholds: Thresholds,
    cap: usize,
    tick: u64,
) -> Result<Selection> {
    check_shapes(facts, confidences, vectors)?;
    let mut left_out = Vec::new();
    let mut crossing = Vec::new();
    for (index, (fact, &confidence)) in facts.iter().zip(confidences).enumerate() {
        match refusal(fact, confidence, thresholds, tick) {
            Some(reason) => left_out.push((index, reason)),
            None => crossing.push(index),
        }
    }
    let entries: Vec<Entry<'_>> =
        crossing.iter().map(|&index| Entry::new(&facts[index], confidences[index])).collect();
    if entries.len() <= cap {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by(|&one, &other| entries[one].precedes(&entries[other]));
        let chosen = order.into_iter().map(|place| crossing[place]).collect();
        return Ok(Selection { chosen, left_out, measure: Measure::None });
    }
    let topics = entries.iter().map(Entry::topic).collect();
    let (points, measure) = match vectors {
        Some((all, dims)) => {
            let mut rows: Vec<f32> = Vec::with_capacity(crossing.len() * dims);
            for &index in &crossing {
                rows.extend_from_slice(&all[index * dims..(index + 1) * dims]);
            }
            (Points::from_vectors(rows, dims, topics), Measure::Embeddings)
        }
        None => {
            (Points::from_words(entries.iter().map(|entry| entry.fact.text.as_str()), topics), Measure::Words)
        }
    };
    let mut greedy = Greedy::new(&entries, &points);
    let chosen = greedy.choose(cap);
    left_out.extend((0..entries.len()).filter(|&place| !greedy.taken[place]).map(|place| {
        let reason = if greedy.is_copy(place) { Exclusion::NearCopy } else { Exclusion::OverCap };
        (crossing[place], reason)
    }));
    Ok(Selection { chosen: chosen.into_iter().map(|place| crossing[place]).collect(), left_out, measure })
}

fn check_shapes(facts: &[Fact], confidences: &[f32], vectors: Option<(&[f32], usize)>) -> Result<()> {
    if confidences.len() != facts.len() {
        return Err(Error::invalid(
            format!("{} confidences for {} facts", confidences.len(), facts.len()),
            "Pass the confidence of today for each fact, in the same order",
        ));
    }
    if let Some(number) = confidences.iter().find(|number| !(0.0..=1.0).contains(*number)) {
        return Err(Error::invalid(format!("a confidence is {number}"), "It must be a number from 0 to 1"));
    }
    if let Some((rows, dims)) = vectors {
        if dims == 0 || rows.len() != facts.len() * dims {
            return Err(Error::vector(
                format!("{} numbers are no {dims}-d vectors for {} facts", rows.len(), facts.len()),
                "Pass one row per fact, in the same order",
            ));
        }
        if !rows.iter().all(|part| part.is_finite()) {
            return Err(Error::vector(
                "a vector holds NaN or infinity",
                "Pass no vectors unless every fact has one",
            ));
        }
    }
    Ok(())
}

fn refusal(fact: &Fact, confidence: f32, thresholds: Thresholds, tick: u64) -> Option<Exclusion> {
    if fact.status != FactStatus::Active || fact.expires_tick.is_some_and(|expiry| expiry < tick) {
        return Some(Exclusion::NotInForce);
    }
    let threshold = match fact.kind {
        FactKind::AntiKnowledge | FactKind::Warning => return None,
        FactKind::Procedural if fact.support < VALIDATED_SUPPORT => return Some(Exclusion::NotValidated),
        FactKind::Heuristic => thresholds.heuristic,
        _ => thresholds.insight,
    };
    (confidence < threshold).then_some(Exclusion::BelowThreshold)
}

/// Priority of entries: anti-knowledge, then warnings and bloodstains, then the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Never,
    Danger,
    Rest,
}

struct Entry<'a> {
    fact: &'a Fact,
    tier: Tier,
    value: f32,
}

impl<'a> Entry<'a> {
    fn new(fact: &'a Fact, confidence: f32) -> Self {
        let tier = match fact.kind {
            FactKind::AntiKnowledge => Tier::Never,
            FactKind::Warning => Tier::Danger,
            _ if fact.bloodstain => Tier::Danger,
            _ => Tier::Rest,
        };
        let merit = fact.quality.map_or(fact.importance, |quality| quality.mean());
        Self { fact, tier, value: confidence * (0.5 + 0.5 * merit) }
    }

    fn precedes(&self, other: &Self) -> Ordering {
        self.tier.cmp(&other.tier).then_with(|| other.value.total_cmp(&self.value))
    }

    /// Hashes the kind and the set of subjects.
    fn topic(&self) -> u64 {
        let mut subjects: Vec<&str> = self.fact.subjects.iter().map(String::as_str).collect();
        subjects.sort_unstable();
        subjects.dedup();
        let mut hasher = Xxh3::new();
        for part in std::iter::once(self.fact.kind.name()).chain(subjects) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.digest()
    }
}

/// Sample of entries on which the coverage of others is measured.
struct CoverageSample {
    members: Vec<usize>,
    /// Value of each member over the density around it.
    weights: Vec<f32>,
    /// Closeness, one row per entry, one column per member.
    table: Vec<u8>,
    said: Vec<u8>,
}

impl CoverageSample {
    fn new(entries: &[Entry<'_>], points: &Points) -> Self {
        let count = points.len();
        let size = count.min(GROUND_LIMIT).min((TABLE_LIMIT / count).max(1));
        // Evenly spaced in the given order, so that valuable but redundant groups are not preferred.
        let members: Vec<usize> = (0..size).map(|place| place * count / size).collect();
        let mut table = vec![0; count * size];
        for (place, row) in table.chunks_exact_mut(size.max(1)).enumerate() {
            row.iter_mut()
                .zip(&members)
                .for_each(|(close, &member)| *close = points.closeness(member, place));
        }
        let weights = members
            .iter()
            .map(|&member| {
                let row = &table[member * size..(member + 1) * size];
                let density: f32 = row.iter().map(|&close| f32::from(close) / f32::from(COPY)).sum();
                entries[member].value / density.max(1.0)
            })
            .collect();
        Self { said: vec![0; size], members, weights, table }
    }

    fn row(&self, place: usize) -> &[u8] {
        let size = self.members.len();
        &self.table[place * size..(place + 1) * size]
    }

    fn gain(&self, place: usize) -> f32 {
        let mut sum = 0.0;
        for (column, &close) in self.row(place).iter().enumerate() {
            if self.members[column] != place {
                sum += self.weights[column] * f32::from(close.saturating_sub(self.said[column]));
            }
        }
        sum / f32::from(COPY)
    }

    fn add(&mut self, place: usize) {
        let size = self.members.len();
        let row = &self.table[place * size..(place + 1) * size];
        self.said.iter_mut().zip(row).for_each(|(said, close)| *said = (*said).max(*close));
    }
}

/// Diminishing returns per subject: `weight * (1 - 2^-touches)`. An entry spreads one touch over its subjects, so
/// that listing many gains nothing.
struct Subjects {
    of: Vec<Vec<usize>>,
    weights: Vec<f32>,
    touches: Vec<f32>,
}

impl Subjects {
    fn new(entries: &[Entry<'_>]) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut weights: Vec<f32> = Vec::new();
        let mut of = Vec::with_capacity(entries.len());
        for entry in entries {
            let mut own: Vec<usize> = Vec::with_capacity(entry.fact.subjects.len());
            for subject in &entry.fact.subjects {
                let next = weights.len();
                let number = *numbers.entry(subject).or_insert(next);
                if number == next {
                    weights.push(0.0);
                }
                weights[number] = weights[number].max(entry.value);
                own.push(number);
            }
            of.push(own);
        }
        Self { touches: vec![0.0; weights.len()], of, weights }
    }

    fn gain(&self, place: usize) -> f32 {
        let own = &self.of[place];
        let touch = 1.0 / own.len().max(1) as f32;
        own.iter()
            .map(|&s| self.weights[s] * ((-self.touches[s]).exp2() - (-self.touches[s] - touch).exp2()))
            .sum()
    }

    fn add(&mut self, place: usize) {
        let touch = 1.0 / self.of[place].len().max(1) as f32;
        for &subject in &self.of[place] {
            self.touches[subject] += touch;
        }
    }
}

/// Queued entry with its gain at the last evaluation.
struct QueueEntry {
    gain: f32,
    place: Reverse<usize>,
    looked_at: usize,
}

impl Ord for QueueEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then_with(|| self.place.cmp(&other.place))
    }
}

impl PartialOrd for QueueEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QueueEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for QueueEntry {}

struct Greedy<'a> {
    entries: &'a [Entry<'a>],
    points: &'a Points,
    ground: CoverageSample,
    subjects: Subjects,
    taken: Vec<bool>,
    /// Coverage of each entry by the first of the chosen ones, and their number: compared with the rest when it is
    /// looked at, so that entries far from the top are compared with few.
    said: Vec<(u8, usize)>,
    chosen: Vec<usize>,
}

impl<'a> Greedy<'a> {
    fn new(entries: &'a [Entry<'a>], points: &'a Points) -> Self {
        Self {
            ground: CoverageSample::new(entries, points),
            subjects: Subjects::new(entries),
            taken: vec![false; entries.len()],
            said: vec![(0, 0); entries.len()],
            chosen: Vec::new(),
            entries,
            points,
        }
    }

    fn choose(&mut self, cap: usize) -> Vec<usize> {
        let others_wait = self.entries.iter().any(|entry| entry.tier == Tier::Rest);
        let for_warnings = if others_wait { (cap as f32 * WARNING_SHARE) as usize } else { cap };
        self.fill(Tier::Never, cap);
        self.fill(Tier::Danger, for_warnings);
        self.fill(Tier::Rest, cap);
        // The rest: warnings beyond their share, then near-copies, in order of priority.
        let mut rest: Vec<usize> = (0..self.entries.len()).filter(|&place| !self.taken[place]).collect();
        rest.sort_by(|&one, &other| self.entries[one].precedes(&self.entries[other]));
        for copies in [false, true] {
            for &place in &rest {
                if self.chosen.len() < cap && !self.taken[place] && self.is_copy(place) == copies {
                    self.take(place);
                }
            }
        }
        self.chosen.clone()
    }

    /// Takes entries of one tier by descending gain until `limit` are chosen in total or only near-copies remain.
    fn fill(&mut self, tier: Tier, limit: usize) {
        let mut queue: BinaryHeap<QueueEntry> = (0..self.entries.len())
            .filter(|&place| self.entries[place].tier == tier)
            .map(|place| self.look_at(place))
            .collect::<Vec<_>>()
            .into();
        while self.chosen.len() < limit
            && let Some(best) = queue.pop()
        {
            let Reverse(place) = best.place;
            if self.covered(place) == COPY {
                continue;
            }
            // Gains only decrease, so an up-to-date entry on top has the largest gain.
            if best.looked_at == self.chosen.len() {
                self.take(place);
            } else {
                queue.push(self.look_at(place));
            }
        }
    }

    fn look_at(&mut self, place: usize) -> QueueEntry {
        let unsaid = f32::from(COPY - self.covered(place)) / f32::from(COPY);
        let gain = self.entries[place].value * unsaid
            + OTHERS_WEIGHT * self.ground.gain(place)
            + SUBJECTS_WEIGHT * self.subjects.gain(place);
        QueueEntry { gain, place: Reverse(place), looked_at: self.chosen.len() }
    }

    fn take(&mut self, place: usize) {
        self.taken[place] = true;
        self.chosen.push(place);
        self.ground.add(place);
        self.subjects.add(place);
    }

    /// Coverage of an entry by the chosen ones.
    fn covered(&mut self, place: usize) -> u8 {
        let (mut said, known) = self.said[place];
        for &other in &self.chosen[known..] {
            if said == COPY {
                break;
            }
            said = said.max(self.points.closeness(place, other));
        }
        self.said[place] = (said, self.chosen.len());
        said
    }

    /// Whether an entry is a near-copy of a chosen one; compares it with those of its topic alone.
    fn is_copy(&self, place: usize) -> bool {
        let (said, known) = self.said[place];
        let rest = self.chosen[known..].iter().filter(|other| self.points.share_topic(place, **other));
        said == COPY || rest.into_iter().any(|&other| self.points.closeness(place, other) == COPY)
    }
}
