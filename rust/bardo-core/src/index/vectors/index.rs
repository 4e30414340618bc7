//! Vectors in memory with 16 bits per component, in separate arrays of high and low bytes. The high bytes are 8-bit
//! codes that a scan compares (`search.rs`); both together give the exact score of the few candidates.

use prefetch_index::prefetch_index;
use simsimd::SpatialSimilarity;

use super::huge_pages::LargeArray;
use super::quantize::{quantize, scale_to_unit};
use super::query_vector::QueryVector;
use super::sign_bits::{Signer, cosines, words_of};
use super::sign_table::SignTable;
use crate::error::{Error, Result};
use crate::index::lexical::posting::Slot;

/// Flag for the rows of sentences; slots have 26 bits.
pub(crate) const SENTENCE: u32 = 1 << 31;

/// Owner of a removed row.
pub(crate) const NO_OWNER: u32 = u32::MAX;

/// First row of a memory without rows.
const NO_ROW: u32 = u32::MAX;

/// Weight of a high byte.
const HIGH: f64 = 256.0;

/// Size of a cache line in bytes.
const CACHE_LINE: usize = 64;

/// Minimum number of removed rows, and their share of all rows, before they are compacted.
const REMOVED_LEAST: usize = 64;
const REMOVED_ONE_IN: usize = 4;

/// Similarity of a query to one memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Similarity {
    /// Cosine with the vector of the whole text.
    pub whole: f32,
    /// Cosine with the best sentence; equals `whole` without separate sentences.
    pub best: f32,
    /// Number of sentences; 1 without separate sentences.
    pub sentences: u32,
}

impl Similarity {
    /// The greater of the two cosines.
    #[must_use]
    pub const fn nearest(&self) -> f32 {
        self.best.max(self.whole)
    }
}

/// Rows of vectors. The rows of a memory are contiguous: its whole text first, then its sentences.
#[derive(Debug, Default)]
pub struct VectorIndex {
    dims: usize,
    /// High bytes of every row.
    high: LargeArray<i8>,
    /// Low bytes of every row.
    low: LargeArray<i8>,
    /// Scale of each row's components.
    scales: Vec<f32>,
    /// Signs of every row.
    pub(crate) signs: SignTable,
    /// The memory of each row or [`NO_OWNER`]; [`SENTENCE`] is set where the row is a sentence of it.
    pub(crate) owners: Vec<u32>,
    /// The first row of each memory.
    first_rows: Vec<u32>,
    /// Number of rows without an owner.
    removed: usize,
    /// Number of sentence rows.
    sentences: usize,
    /// Cosine for each number of differing signs.
    pub(crate) cosines: Vec<f32>,
    /// Computes the signs.
    signer: Signer,
}

impl VectorIndex {
    /// Adds or replaces the vectors of a memory. A single sentence is dropped, as it equals the whole text.
    pub fn set(&mut self, owner: Slot, whole: &[f32], sentences: &[&[f32]]) -> Result<()> {
        if self.is_empty() {
            self.restart(whole.len());
        }
        let mut rows = Vec::with_capacity((1 + sentences.len()) * self.dims);
        for vector in std::iter::once(&whole).chain(sentences) {
            if vector.len() != self.dims {
                return Err(wrong_dims("a vector", vector.len(), self.dims));
            }
            rows.extend_from_slice(vector);
        }
        self.set_rows(owner, &mut rows)
    }

    /// [`VectorIndex::set`] with contiguous rows, that of the whole text first. Scales them to length 1.
    pub(crate) fn set_rows(&mut self, owner: Slot, rows: &mut [f32]) -> Result<()> {
        if self.dims == 0 || rows.is_empty() || !rows.len().is_multiple_of(self.dims) {
            return Err(wrong_dims("a vector", rows.len(), self.dims));
        }
        let rows = if rows.len() == 2 * self.dims { &mut rows[..self.dims] } else { rows };
        for row in rows.chunks_exact_mut(self.dims) {
            // A zero vector has no direction: it is similar to nothing, and kept unscaled.
            scale_to_unit("a vector", row)?;
        }
        self.remove(owner);
        if self.first_rows.len() <= owner as usize {
            self.first_rows.resize(owner as usize + 1, NO_ROW);
        }
        self.first_rows[owner as usize] = self.owners.len() as u32;
        let mut signs = vec![0; words_of(self.dims)];
        for (at, unit) in rows.chunks_exact(self.dims).enumerate() {
            self.owners.push(if at == 0 { owner } else { owner | SENTENCE });
            self.scales.push(quantize(unit, self.high.add(unit.len()), self.low.add(unit.len())));
            self.signer.write(unit, &mut signs);
            self.signs.add(&signs);
            self.sentences += usize::from(at > 0);
        }
        Ok(())
    }

    /// Removes the vectors of a memory; nothing of them stays in memory.
    pub fn remove(&mut self, owner: Slot) {
        let rows = self.rows_of(owner);
        if rows.is_empty() {
            return;
        }
        self.first_rows[owner as usize] = NO_ROW;
        self.removed += rows.len();
        self.sentences -= rows.len() - 1;
        self.high[rows.start * self.dims..rows.end * self.dims].fill(0);
        self.low[rows.start * self.dims..rows.end * self.dims].fill(0);
        rows.clone().for_each(|row| self.signs.clear(row));
        self.owners[rows].fill(NO_OWNER);
        if self.removed > REMOVED_LEAST.max(self.owners.len() / REMOVED_ONE_IN) {
            self.clear_away();
        }
    }

    /// Whether a memory has vectors.
    #[must_use]
    pub fn has(&self, owner: Slot) -> bool {
        self.first_row(owner).is_some()
    }

    /// The exact similarity of one memory, if it has vectors.
    #[must_use]
    pub fn exact(&self, query: &QueryVector, owner: Slot) -> Option<Similarity> {
        let first = self.first_row(owner)?;
        Some(self.similarity_of(first, |row| self.cosine(query, row)))
    }

    /// The similarity of one memory by its 8-bit codes, if it has vectors.
    #[must_use]
    pub fn approximate(&self, query: &QueryVector, owner: Slot) -> Option<Similarity> {
        let first = self.first_row(owner)?;
        Some(self.similarity_of(first, |row| self.approximate_cosine(query, row)))
    }

    /// Cosine between the whole texts of two memories, if both have vectors.
    #[must_use]
    pub fn between(&self, left: Slot, right: Slot) -> Option<f32> {
        let (left, right) = (self.first_row(left)?, self.first_row(right)?);
        let left = ((self.part(&self.high, left), self.part(&self.low, left)), self.scales[left]);
        Some(self.product(left.0, right) * left.1)
    }

    /// Refuses a query whose dimensions differ from the stored vectors.
    pub fn check(&self, query: &QueryVector) -> Result<()> {
        if self.is_empty() || query.dims() == self.dims {
            return Ok(());
        }
        Err(wrong_dims("the query vector", query.dims(), self.dims))
    }

    /// Components per vector; 0 while the index is empty.
    #[must_use]
    pub const fn dims(&self) -> usize {
        self.dims
    }

    /// Number of rows, sentences included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.owners.len() - self.removed
    }

    /// Whether the index is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Size in memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.high.capacity()
            + self.low.capacity()
            + self.signs.bytes()
            + (self.scales.capacity() + self.owners.capacity() + self.first_rows.capacity()) * 4
    }

    /// Whether every row is that of a whole text.
    pub(crate) const fn is_plain(&self) -> bool {
        self.removed == 0 && self.sentences == 0
    }

    /// Similarity of the memory whose rows begin at `first`, given the cosine of each of its rows.
    #[inline]
    pub(crate) fn similarity_of(&self, first: usize, cosine: impl Fn(usize) -> f32) -> Similarity {
        let whole = cosine(first);
        let sentence = self.owners[first] | SENTENCE;
        let mut found = Similarity { whole, best: f32::NEG_INFINITY, sentences: 0 };
        while self.owners.get(first + 1 + found.sentences as usize) == Some(&sentence) {
            found.sentences += 1;
            found.best = found.best.max(cosine(first + found.sentences as usize));
        }
        if found.sentences == 0 {
            return Similarity { whole, best: whole, sentences: 1 };
        }
        found
    }

    /// Cosine of a row by its high bytes.
    #[inline]
    pub(crate) fn approximate_cosine(&self, query: &QueryVector, row: usize) -> f32 {
        let product = dot(self.part(&self.high, row), &query.high);
        (product * HIGH * HIGH) as f32 * self.scales[row] * query.scale
    }

    fn cosine(&self, query: &QueryVector, row: usize) -> f32 {
        self.product((&query.high, &query.low), row) * query.scale
    }

    /// Product of a row with another vector of high and low bytes, scaled by the row's factor only.
    fn product(&self, (high, low): (&[i8], &[i8]), row: usize) -> f32 {
        let (own_high, own_low) = (self.part(&self.high, row), self.part(&self.low, row));
        let product = dot(own_high, high) * HIGH * HIGH
            + (dot(own_high, low) + dot(own_low, high)) * HIGH
            + dot(own_low, low);
        product as f32 * self.scales[row]
    }

    /// Prefetches the high bytes of a row, its scale and its owner: rows that are far apart miss the cache.
    #[inline]
    pub(crate) fn prefetch(&self, row: usize) {
        prefetch_index(&self.scales, row);
        prefetch_index(&self.owners, row);
        self.prefetch_part(&self.high, row);
    }

    /// Prefetches the 8-bit codes of a memory.
    pub fn prefetch_high(&self, owner: Slot) {
        if let Some(row) = self.first_row(owner) {
            self.prefetch(row);
        }
    }

    /// Prefetches the further data for the exact similarity of a memory.
    pub fn prefetch_low(&self, owner: Slot) {
        if let Some(row) = self.first_row(owner) {
            self.prefetch_part(&self.low, row);
        }
    }

    fn prefetch_part(&self, bytes: &[i8], row: usize) {
        let start = row * self.dims;
        for at in (start..start + self.dims).step_by(CACHE_LINE) {
            prefetch_index(bytes, at);
        }
    }

    fn part<'bytes>(&self, bytes: &'bytes [i8], row: usize) -> &'bytes [i8] {
        &bytes[row * self.dims..][..self.dims]
    }

    fn first_row(&self, owner: Slot) -> Option<usize> {
        self.first_rows.get(owner as usize).filter(|&&row| row != NO_ROW).map(|&row| row as usize)
    }

    fn rows_of(&self, owner: Slot) -> std::ops::Range<usize> {
        self.first_row(owner).map_or(0..0, |first| self.rows_from(first))
    }

    /// The rows of the memory whose rows begin at `first`.
    pub(crate) fn rows_from(&self, first: usize) -> std::ops::Range<usize> {
        let sentence = self.owners[first] | SENTENCE;
        let sentences = self.owners[first + 1..].iter().take_while(|&&other| other == sentence);
        first..first + 1 + sentences.count()
    }

    /// Empty index with capacity for the given numbers of rows and owners.
    pub(crate) fn with_room(dims: usize, rows: usize, owners: usize) -> Self {
        let mut index = Self::default();
        index.restart(dims);
        index.high.reserve_exact(rows * dims);
        index.low.reserve_exact(rows * dims);
        index.signs.reserve_exact(rows);
        index.scales.reserve_exact(rows);
        index.owners.reserve_exact(rows);
        index.first_rows.reserve_exact(owners);
        index
    }

    /// Removes everything, and sets the dimensions of the next vectors.
    fn restart(&mut self, dims: usize) {
        let signs = SignTable::new(dims);
        *self = Self { dims, signs, cosines: cosines(dims), signer: Signer::new(dims), ..Self::default() };
    }

    /// Compacts the rows: closes the gaps of removed rows.
    fn clear_away(&mut self) {
        let dims = self.dims;
        let mut kept = 0;
        for row in 0..self.owners.len() {
            let owner = self.owners[row];
            if owner == NO_OWNER {
                continue;
            }
            if owner & SENTENCE == 0 {
                self.first_rows[owner as usize] = kept as u32;
            }
            self.high.copy_within(row * dims..(row + 1) * dims, kept * dims);
            self.low.copy_within(row * dims..(row + 1) * dims, kept * dims);
            self.signs.copy(row, kept);
            self.owners[kept] = owner;
            self.scales[kept] = self.scales[row];
            kept += 1;
        }
        self.high.truncate(kept * dims);
        self.low.truncate(kept * dims);
        self.signs.truncate(kept);
        self.owners.truncate(kept);
        self.scales.truncate(kept);
        self.removed = 0;
    }
}

fn dot(left: &[i8], right: &[i8]) -> f64 {
    <i8 as SpatialSimilarity>::dot(left, right).unwrap_or(0.0)
}

fn wrong_dims(what: &str, given: usize, stored: usize) -> Error {
    Error::vector(
        format!("{what} has {given} components, the stored vectors have {stored}"),
        "Use the embedder that the store was built with",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::quantize::unit;
    use super::super::testing::TestRandom;
    use super::*;

    const DIMS: usize = 48;

    fn vector(numbers: &mut TestRandom) -> Vec<f32> {
        (0..DIMS).map(|_| numbers.next() + numbers.next() + numbers.next()).collect()
    }

    fn index_of(vectors: &[Vec<f32>]) -> VectorIndex {
        let mut index = VectorIndex::default();
        for (owner, vector) in (0..).zip(vectors) {
            index.set(owner, vector, &[]).unwrap();
        }
        index
    }

    fn exact_nearest(vectors: &[Vec<f32>], query: &[f32], limit: usize) -> Vec<Slot> {
        let query = unit("query", query).unwrap().unwrap();
        let cosine = |vector: &Vec<f32>| {
            let vector = unit("vector", vector).unwrap().unwrap();
            vector.iter().zip(&query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
        };
        let mut order: Vec<(Slot, f64)> = (0..).zip(vectors.iter().map(cosine)).collect();
        order.sort_by(|left, right| right.1.total_cmp(&left.1));
        order.into_iter().take(limit).map(|(owner, _)| owner).collect()
    }

    fn recall_at_10(vectors: &[Vec<f32>], queries: &[Vec<f32>]) -> f64 {
        let index = index_of(vectors);
        let allowed = vec![true; vectors.len()];
        let mut shared = 0;
        for query in queries {
            let expected = exact_nearest(vectors, query, 10);
            let query = QueryVector::new(query).unwrap().unwrap();
            let found = index.nearest(&query, 10, &allowed).unwrap();
            shared += found.iter().filter(|(owner, _)| expected.contains(owner)).count();
        }
        shared as f64 / (10 * queries.len()) as f64
    }

    #[test]
    fn the_scan_loses_almost_nothing_against_exact_search() {
        let mut numbers = TestRandom(7);
        let scattered: Vec<_> = (0..2_000).map(|_| vector(&mut numbers)).collect();
        let centers: Vec<_> = (0..20).map(|_| vector(&mut numbers)).collect();
        let clustered: Vec<_> = (0..2_000).map(|at| numbers.near(&centers[at % 20], 0.3)).collect();
        for (name, vectors) in [("scattered", scattered), ("clustered", clustered)] {
            let queries: Vec<_> = (0..40).map(|at| numbers.near(&vectors[at * 37], 0.3)).collect();
            let recall = recall_at_10(&vectors, &queries);
            assert!(recall >= 0.99, "{name}: recall@10 is {recall}");
        }
    }

    #[test]
    fn the_best_sentence_counts_and_a_forbidden_memory_is_not_found() {
        let mut index = VectorIndex::default();
        let axis = |at: usize| (0..4).map(|part| if part == at { 1.0 } else { 0.0 }).collect::<Vec<f32>>();
        index.set(0, &axis(0), &[&axis(1), &axis(2)]).unwrap();
        index.set(1, &axis(3), &[]).unwrap();
        let query = QueryVector::new(&axis(2)).unwrap().unwrap();
        assert_eq!(index.nearest(&query, 1, &[true, true]).unwrap()[0].0, 0);
        assert_eq!(index.nearest(&query, 2, &[false, true]).unwrap().len(), 1);
        let exact = index.exact(&query, 0).unwrap();
        assert!(exact.best > 0.99 && exact.whole < 0.01 && exact.sentences == 2);
    }

    #[test]
    fn vectors_that_cannot_be_compared_are_refused() {
        let mut index = VectorIndex::default();
        index.set(0, &[1.0, 0.0], &[]).unwrap();
        for bad in [&[1.0_f32, 0.0, 0.0][..], &[f32::NAN, 0.0], &[f32::INFINITY, 0.0], &[]] {
            assert!(matches!(index.set(1, bad, &[]), Err(Error::InvalidVector { .. })), "{bad:?}");
        }
        assert_eq!(index.len(), 1);
        assert!(QueryVector::new(&[0.0, 0.0]).unwrap().is_none());
    }

    /// Vectors of one memory: of the whole text and of its sentences.
    type Owned = (Vec<f32>, Vec<Vec<f32>>);

    proptest! {
        #[test]
        fn any_history_of_changes_finds_what_a_fresh_index_finds(
            steps in prop::collection::vec((0_u32..8, prop::option::of(1_u64..1_000), 0_usize..4), 1..40),
            seed in 1_u64..1_000,
        ) {
            let mut index = VectorIndex::default();
            let mut model: Vec<Option<Owned>> = vec![None; 8];
            for (owner, change, count) in steps {
                model[owner as usize] = change.map(|seed| {
                    let mut numbers = TestRandom(seed);
                    (vector(&mut numbers), (0..count).map(|_| vector(&mut numbers)).collect())
                });
                match &model[owner as usize] {
                    Some((whole, sentences)) => {
                        let sentences: Vec<&[f32]> = sentences.iter().map(Vec::as_slice).collect();
                        index.set(owner, whole, &sentences).unwrap();
                    }
                    None => index.remove(owner),
                }
            }
            let mut fresh = VectorIndex::default();
            for (owner, vectors) in (0..).zip(&model) {
                if let Some((whole, sentences)) = vectors {
                    let sentences: Vec<&[f32]> = sentences.iter().map(Vec::as_slice).collect();
                    fresh.set(owner, whole, &sentences).unwrap();
                }
            }
            let query = QueryVector::new(&vector(&mut TestRandom(seed))).unwrap().unwrap();
            prop_assert_eq!(index.len(), fresh.len());
            prop_assert_eq!(
                index.nearest(&query, 8, &[true; 8]).unwrap(),
                fresh.nearest(&query, 8, &[true; 8]).unwrap()
            );
        }
    }
}
