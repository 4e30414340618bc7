//! Finds the nearest vectors. Few are compared directly by their 8-bit codes. Many are prefiltered by the Hamming
//! distance of their sign bits (`sign_bits.rs`): first the likeliest few are compared, then every vector that
//! could still be as near as the best of those, unless a finer estimate from the same bits (`estimate.rs`) rules
//! it out.
//!
//! The required reach is known: for a memory at an angle `a` to the query, `a / pi` of the signs differ on average, and
//! their number is about binomial. Measured on MiniLM vectors (384 components): the codes alone give recall@10 = 1.000.

use std::ops::RangeInclusive;

use super::estimate::deviation;
use super::index::{SENTENCE, Similarity, VectorIndex};
use super::query_vector::QueryVector;
use super::select::{each_picked, pick};
use crate::error::Result;
use crate::index::lexical::posting::Slot;

/// Maximum number of memories that are compared directly, without the prefilter.
const DIRECT: usize = 4_096;

/// Number of memories that the prefilter passes at first: this factor times the number wanted, a minimum, and
/// one in so many of all.
const PICKED_FACTOR: usize = 3;
const PICKED_LEAST: usize = 256;
const PICKED_ONE_IN: usize = 128;

/// Rank of the memory whose similarity sets the reach of the second pass.
const SURE_RANK: usize = 30;
/// Reach of the second pass in standard deviations of the number of differing signs: one memory in 740 lies
/// beyond.
const SURE_DEVIATIONS: f32 = 3.0;

/// Margin in standard deviations by which an estimate must fall below the threshold to rule a memory out: one in 4,300
/// just above the threshold is lost.
const ESTIMATE_DEVIATIONS: f32 = 3.5;

/// Number of candidates re-scored exactly: this factor times the number wanted, and a minimum.
const RESCORE_FACTOR: usize = 3;
const RESCORE_LEAST: usize = 30;

/// Number of nearest memories by 8-bit codes that are re-scored exactly for a `limit`.
#[must_use]
pub const fn rescored_count(limit: usize) -> usize {
    let factor = limit.saturating_mul(RESCORE_FACTOR);
    if factor < RESCORE_LEAST { RESCORE_LEAST } else { factor }
}

/// Prefetch distance in rows.
const AHEAD: usize = 6;

/// Number of parallel histograms of distances, and bins of each: enough for vectors of up to 1,023 components.
const TABLES: usize = 4;
const COUNTED: usize = 1_024;

/// Distance of a row that is not searched.
const NOT_SEARCHED: u16 = u16::MAX;

/// Reused buffers of a search.
#[derive(Debug, Default)]
pub struct NearestScratch {
    /// Hamming distance by row; for a memory with sentences, the distance equivalent to its combined
    /// similarity.
    distances: Vec<u16>,
    /// Number of memories by distance.
    counts: Vec<u32>,
    /// Value of each distance, greatest first.
    by_distance: Vec<f32>,
    /// Bitmap of the compared rows.
    bits: Vec<u32>,
    /// Compared rows.
    rows: Vec<u32>,
    /// Rows with estimates.
    estimated: Vec<u32>,
    /// Estimated cosines of those rows.
    estimates: Vec<f32>,
}

impl VectorIndex {
    /// Memories near a query with their value by the 8-bit codes, unordered. They include all of the nearest `count` by
    /// the codes if few memories are allowed, and nearly all of them (see the module) if many are.
    ///
    /// `allowed` has an element per slot, of which `searched` are true; `value` ranks similarities.
    pub fn near(
        &self,
        query: &QueryVector,
        allowed: &[bool],
        searched: usize,
        count: usize,
        value: &impl Fn(&Similarity) -> f32,
        scratch: &mut NearestScratch,
    ) -> Vec<(Slot, f32)> {
        let wanted = PICKED_LEAST.max(count * PICKED_FACTOR).max(searched / PICKED_ONE_IN);
        if searched <= DIRECT.max(2 * wanted) || query.dims() != self.dims() {
            return self.compare_all(query, allowed, value);
        }
        self.signs.distances(&query.signs, &mut scratch.distances);
        self.sort_out(allowed, value, scratch);
        let (first, picked) = reach(&scratch.counts, wanted);
        let mut found = Vec::with_capacity(picked);
        self.compare_between(query, 0..=first, f32::NEG_INFINITY, value, scratch, &mut found);
        let sure = sure_distance(&found, count.min(SURE_RANK), &scratch.by_distance);
        if sure > first {
            let more = scratch.counts[usize::from(first) + 1..=usize::from(sure)].iter().sum::<u32>();
            if 2 * (picked + more as usize) > searched {
                return self.compare_all(query, allowed, value);
            }
            let least = value_at(&found, count);
            let least = least - ESTIMATE_DEVIATIONS * deviation(self.dims(), least);
            self.compare_between(query, first + 1..=sure, least, value, scratch, &mut found);
        }
        found
    }

    /// The nearest memories by their best sentence, re-scored exactly, nearest first; ties by slot.
    pub fn nearest(&self, query: &QueryVector, limit: usize, allowed: &[bool]) -> Result<Vec<(Slot, f32)>> {
        self.check(query)?;
        let searched = allowed.iter().filter(|allowed| **allowed).count();
        let count = rescored_count(limit);
        let best = |similarity: &Similarity| similarity.best;
        let mut found = self.near(query, allowed, searched, count, &best, &mut NearestScratch::default());
        let order =
            |left: &(Slot, f32), right: &(Slot, f32)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0));
        if found.len() > count {
            found.select_nth_unstable_by(count - 1, order);
            found.truncate(count);
        }
        for (owner, cosine) in &mut found {
            *cosine = self.exact(query, *owner).map_or(f32::NEG_INFINITY, |similarity| similarity.best);
        }
        found.sort_unstable_by(order);
        found.truncate(limit);
        Ok(found)
    }

    fn compare_all(
        &self,
        query: &QueryVector,
        allowed: &[bool],
        value: &impl Fn(&Similarity) -> f32,
    ) -> Vec<(Slot, f32)> {
        let is_searched = |owner: u32| owner & SENTENCE == 0 && allowed[owner as usize];
        let first_rows = self.owners.iter().enumerate().filter(|(_, owner)| is_searched(**owner));
        first_rows.map(|(row, _)| self.compare(query, row, value)).collect()
    }

    #[inline]
    fn compare(&self, query: &QueryVector, row: usize, value: &impl Fn(&Similarity) -> f32) -> (Slot, f32) {
        (self.owners[row], value(&self.similarity_of(row, |row| self.approximate_cosine(query, row))))
    }

    /// Compares the memories with a Hamming distance in a range, in row order, except those with an estimated
    /// value below `least`.
    fn compare_between(
        &self,
        query: &QueryVector,
        range: RangeInclusive<u16>,
        least: f32,
        value: &impl Fn(&Similarity) -> f32,
        scratch: &mut NearestScratch,
        found: &mut Vec<(Slot, f32)>,
    ) {
        let NearestScratch { distances, bits, rows, estimated, estimates, .. } = scratch;
        let (start, width) = (*range.start(), range.end() - range.start());
        pick(distances, |distance: u16| distance.wrapping_sub(start) <= width, bits);
        rows.clear();
        each_picked(bits, |row| rows.push(row));
        if least > f32::NEG_INFINITY {
            estimated.clear();
            for &row in rows.iter() {
                estimated.extend(self.rows_from(row as usize).map(|row| row as u32));
            }
            query.estimator.cosines(&self.signs, estimated, estimates);
            let mut estimates = estimates.as_slice();
            rows.retain(|&row| {
                let own = self.rows_from(row as usize);
                let similarity = self.similarity_of(own.start, |row| estimates[row - own.start]);
                estimates = &estimates[own.len()..];
                value(&similarity) >= least
            });
        }
        found.reserve(rows.len());
        for (place, &row) in rows.iter().enumerate() {
            if let Some(&ahead) = rows.get(place + AHEAD) {
                self.prefetch(ahead as usize);
            }
            found.push(self.compare(query, row as usize, value));
        }
    }

    /// Converts the distances of rows into distances of memories, and counts them. Excludes rows of sentences, rows
    /// without an owner and rows outside the filter.
    fn sort_out(&self, allowed: &[bool], value: &impl Fn(&Similarity) -> f32, scratch: &mut NearestScratch) {
        let NearestScratch { distances, counts, by_distance, .. } = scratch;
        let of_one = |&cosine: &f32| value(&Similarity { whole: cosine, best: cosine, sentences: 1 });
        by_distance.clear();
        by_distance.extend(self.cosines.iter().map(of_one));
        counts.clear();
        counts.resize(by_distance.len(), 0);
        if self.is_plain() && !allowed.contains(&false) {
            count(distances, counts);
            return;
        }
        for (row, &owner) in self.owners.iter().enumerate() {
            if owner & SENTENCE != 0 || !allowed[owner as usize] {
                distances[row] = NOT_SEARCHED;
                continue;
            }
            if self.owners.get(row + 1) == Some(&(owner | SENTENCE)) {
                let by_signs = |row: usize| self.cosines[usize::from(distances[row])];
                let value = value(&self.similarity_of(row, by_signs));
                let same = by_distance.partition_point(|other| *other > value).min(by_distance.len() - 1);
                distances[row] = same as u16;
            }
            counts[usize::from(distances[row])] += 1;
        }
    }
}

/// Adds the distances to the histogram.
fn count(distances: &[u16], counts: &mut [u32]) {
    // Most distances fall into few bins, and repeated additions to one bin stall: neighbours add to different tables.
    let mut tables = [const { [0_u16; COUNTED] }; TABLES];
    if counts.len() > COUNTED || distances.len() > usize::from(u16::MAX) {
        for &distance in distances {
            counts[usize::from(distance)] += 1;
        }
        return;
    }
    let (rows, rest) = distances.as_chunks::<TABLES>();
    for row in rows {
        for (table, distance) in tables.iter_mut().zip(row) {
            let count = &mut table[usize::from(*distance) % COUNTED];
            *count = count.wrapping_add(1);
        }
    }
    for &distance in rest {
        counts[usize::from(distance)] += 1;
    }
    for (distance, count) in counts.iter_mut().enumerate() {
        *count += tables.iter().map(|table| u32::from(table[distance])).sum::<u32>();
    }
}

/// The least distance within which there are at least `wanted` memories, and their number.
fn reach(counts: &[u32], wanted: usize) -> (u16, usize) {
    let mut sum = 0;
    for (distance, count) in (0..).zip(counts) {
        sum += *count as usize;
        if sum >= wanted {
            return (distance, sum);
        }
    }
    (counts.len().saturating_sub(1) as u16, sum)
}

/// The distance beyond which a memory is unlikely to be as near as the memory of a rank among those compared.
fn sure_distance(found: &[(Slot, f32)], rank: usize, by_distance: &[f32]) -> u16 {
    let signs = by_distance.len() - 1;
    let least = value_at(found, rank);
    if least.is_infinite() {
        return signs as u16;
    }
    // 8-bit codes cannot resolve differences below about one sign.
    let expected = (by_distance.partition_point(|value| *value > least) as f32).max(1.0);
    let deviation = (expected * (1.0 - expected / signs.max(1) as f32)).max(0.0).sqrt();
    ((expected + SURE_DEVIATIONS * deviation) as usize).min(signs) as u16
}

/// Value at a rank, counted from 1; negative infinity beyond the last.
fn value_at(found: &[(Slot, f32)], rank: usize) -> f32 {
    let mut values: Vec<f32> = found.iter().map(|(_, value)| *value).collect();
    if rank == 0 || values.len() < rank {
        return f32::NEG_INFINITY;
    }
    *values.select_nth_unstable_by(rank - 1, |left, right| right.total_cmp(left)).1
}

#[cfg(test)]
mod tests {
    use super::super::testing::TestRandom;
    use super::*;

    const DIMS: usize = 128;
    const COUNT: usize = 9_000;

    fn by_best(similarity: &Similarity) -> f32 {
        similarity.best
    }

    /// Share of the nearest `count` by the codes that the prefilter misses, and the number of memories it
    /// compared.
    fn missed(vectors: &[Vec<f32>], queries: &[Vec<f32>], count: usize) -> (f64, usize) {
        let mut index = VectorIndex::default();
        for (owner, vector) in (0..).zip(vectors) {
            index.set(owner, vector, &[]).unwrap();
        }
        let allowed = vec![true; vectors.len()];
        let (mut missed, mut compared) = (0, 0);
        for query in queries {
            let query = QueryVector::new(query).unwrap().unwrap();
            let mut all = index.compare_all(&query, &allowed, &by_best);
            all.sort_unstable_by(|left, right| right.1.total_cmp(&left.1));
            let scratch = &mut NearestScratch::default();
            let found = index.near(&query, &allowed, vectors.len(), count, &by_best, scratch);
            compared += found.len();
            missed += all[..count].iter().filter(|nearest| !found.contains(nearest)).count();
        }
        (missed as f64 / (count * queries.len()) as f64, compared / queries.len())
    }

    #[test]
    fn the_sieve_lets_the_nearest_through_and_compares_few() {
        let mut numbers = TestRandom(11);
        let zeros = vec![0.0; DIMS];
        let centers: Vec<_> = (0..60).map(|_| numbers.near(&zeros, 1.0)).collect();
        let vectors: Vec<_> = (0..COUNT).map(|at| numbers.near(&centers[at % 60], 0.8)).collect();
        let queries: Vec<_> = (0..25).map(|at| numbers.near(&vectors[at * 101], 0.6)).collect();
        let (missed, compared) = missed(&vectors, &queries, 10);
        assert!(missed <= 0.005, "missed {missed} of the ten nearest");
        assert!(compared < COUNT / 4, "{compared} of {COUNT} were compared");
    }

    #[test]
    fn vectors_that_signs_cannot_tell_apart_are_found_all_the_same() {
        let mut numbers = TestRandom(13);
        let center = numbers.near(&vec![0.0; DIMS], 1.0);
        let vectors: Vec<_> = (0..COUNT).map(|_| numbers.near(&center, 0.01)).collect();
        let queries: Vec<_> = (0..10).map(|at| numbers.near(&vectors[at * 101], 0.005)).collect();
        let (missed, _) = missed(&vectors, &queries, 10);
        assert!(missed <= 0.05, "missed {missed} of the ten nearest");
    }

    #[test]
    fn one_vector_over_and_over_is_found_whole() {
        let mut index = VectorIndex::default();
        for owner in 0..COUNT as Slot {
            index.set(owner, &[1.0, 0.5, 0.25], &[]).unwrap();
        }
        let query = QueryVector::new(&[1.0, 0.5, 0.25]).unwrap().unwrap();
        let found = index.nearest(&query, 5, &[true; COUNT]).unwrap();
        assert_eq!(found.iter().map(|(owner, _)| *owner).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }
}
