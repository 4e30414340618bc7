//! Signs of many vectors, eight rows interleaved: the same word of each row is contiguous, so that a processor with
//! SIMD popcount has them in one register.

#![expect(clippy::inline_always, reason = "what is not inlined is not compiled for the instruction set")]

use prefetch_index::prefetch_index;
use pulp::{Arch, Simd, WithSimd};

use super::huge_pages::LargeArray;
use super::sign_bits::words_of;

/// Number of interleaved rows.
const LANES: usize = 8;

/// Prefetch distance in words: the hardware prefetcher does not cross a page of 4 KiB.
const AHEAD: usize = 512;

#[cfg(target_arch = "x86_64")]
pulp::simd_type! {
    /// Processors with SIMD popcount of eight words.
    struct PopcountSimd {
        pub avx512f: "avx512f",
        pub avx512bw: "avx512bw",
        pub avx512dq: "avx512dq",
        pub avx512vl: "avx512vl",
        pub avx512vpopcntdq: "avx512vpopcntdq",
        pub popcnt: "popcnt",
    }
}

/// Rows of signs, all of one length.
#[derive(Debug, Default)]
pub(crate) struct SignTable {
    /// Words per row.
    words: usize,
    rows: usize,
    /// Blocks of [`LANES`] rows: the first word of each, then the second of each, and so on.
    blocks: LargeArray<u64>,
}

impl SignTable {
    /// Empty table for the signs of vectors of `dims` components.
    pub fn new(dims: usize) -> Self {
        Self { words: words_of(dims), ..Self::default() }
    }

    /// Reserves capacity for `rows` more rows.
    pub fn reserve_exact(&mut self, rows: usize) {
        self.blocks.reserve_exact(rows.next_multiple_of(LANES) * self.words);
    }

    /// Size in memory in bytes.
    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<u64>()
    }

    /// Appends a row.
    pub fn add(&mut self, signs: &[u64]) {
        if self.rows.is_multiple_of(LANES) {
            self.blocks.add(LANES * self.words);
        }
        self.rows += 1;
        self.put(self.rows - 1, signs.iter().copied());
    }

    /// Zeroes the signs of a row, which stays.
    pub fn clear(&mut self, row: usize) {
        self.put(row, std::iter::repeat(0));
    }

    /// Copies the signs of one row over another.
    pub fn copy(&mut self, from: usize, to: usize) {
        let signs: Vec<u64> = self.row(from).collect();
        self.put(to, signs.into_iter());
    }

    /// Keeps the first rows, and erases the others.
    pub fn truncate(&mut self, rows: usize) {
        for row in rows..self.rows {
            self.clear(row);
        }
        self.rows = rows;
        self.blocks.truncate(rows.next_multiple_of(LANES) * self.words);
    }

    /// The words of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> impl Iterator<Item = u64> {
        let block = &self.blocks[row / LANES * LANES * self.words..][..LANES * self.words];
        let (words, _) = block.as_chunks::<LANES>();
        words.iter().map(move |lanes| lanes[row % LANES])
    }

    /// Writes the Hamming distance of each row from the query.
    pub fn distances(&self, query: &[u64], distances: &mut Vec<u16>) {
        distances.clear();
        distances.resize(self.rows.next_multiple_of(LANES), 0);
        if query.len() == self.words && self.words > 0 {
            let scan = Distances { signs: &self.blocks, query, counts: distances };
            #[cfg(target_arch = "x86_64")]
            match PopcountSimd::try_new() {
                Some(counting) => counting.vectorize(
                    #[inline(always)]
                    || scan.count(),
                ),
                None => Arch::new().dispatch(scan),
            }
            #[cfg(not(target_arch = "x86_64"))]
            Arch::new().dispatch(scan);
        }
        distances.truncate(self.rows);
    }

    fn put(&mut self, row: usize, signs: impl Iterator<Item = u64>) {
        let start = row / LANES * LANES * self.words;
        let block = &mut self.blocks[start..][..LANES * self.words];
        for (word, sign) in block.iter_mut().skip(row % LANES).step_by(LANES).zip(signs) {
            *word = sign;
        }
    }
}

/// Popcount, compiled for the instruction set of the processor.
struct Distances<'scan> {
    signs: &'scan [u64],
    query: &'scan [u64],
    counts: &'scan mut [u16],
}

impl WithSimd for Distances<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.count();
    }
}

impl Distances<'_> {
    #[inline(always)]
    fn count(self) {
        let size = LANES * self.query.len();
        let (counts, _) = self.counts.as_chunks_mut::<LANES>();
        let mut ahead = AHEAD;
        for (block, counts) in self.signs.chunks_exact(size).zip(counts) {
            let (words, _) = block.as_chunks::<LANES>();
            let mut sums = [0_u64; LANES];
            for (words, sign) in words.iter().zip(self.query) {
                // Eight words are one cache line.
                prefetch_index(self.signs, ahead);
                ahead = ahead.wrapping_add(LANES);
                for (sum, word) in sums.iter_mut().zip(words) {
                    // Checked additions would prevent vectorization. A sum is at most the number of signs.
                    *sum = sum.wrapping_add(u64::from((word ^ sign).count_ones()));
                }
            }
            for (count, sum) in counts.iter_mut().zip(sums) {
                *count = sum as u16;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sign_bits::splitmix64;
    use super::super::testing::architectures;
    use super::*;

    #[test]
    fn every_processor_counts_the_same() {
        let query: Vec<u64> = (0..6).map(splitmix64).collect();
        let signs: Vec<u64> = (0..64 * 6).map(|at| splitmix64(at + 99)).collect();
        let mut table = SignTable::new(384);
        signs.chunks(6).for_each(|row| table.add(row));
        let mut expected = Vec::new();
        table.distances(&query, &mut expected);
        for arch in architectures() {
            let mut counts = vec![0; 64];
            arch.dispatch(Distances { signs: &table.blocks, query: &query, counts: &mut counts });
            assert_eq!(counts, expected, "{arch:?}");
        }
    }

    #[test]
    fn every_row_is_counted_whatever_its_length() {
        for words in [1, 4, 5, 6, 8, 12, 16, 17] {
            let query: Vec<u64> = (0..words as u64).map(splitmix64).collect();
            let signs: Vec<u64> = (0..19 * words as u64).map(|at| splitmix64(at + 99)).collect();
            let mut table = SignTable::new(64 * words);
            signs.chunks(words).for_each(|row| table.add(row));
            let mut found = Vec::new();
            table.distances(&query, &mut found);
            let expected =
                |row: &[u64]| row.iter().zip(&query).map(|(a, b)| (a ^ b).count_ones() as u16).sum();
            assert_eq!(found, signs.chunks(words).map(expected).collect::<Vec<u16>>());
        }
    }

    #[test]
    fn rows_are_kept_moved_and_forgotten() {
        let rows: Vec<[u64; 2]> = (0..11).map(|at| [splitmix64(at), splitmix64(at + 50)]).collect();
        let mut table = SignTable::new(128);
        for row in &rows {
            table.add(row);
        }
        table.clear(3);
        table.copy(9, 1);
        let row = |table: &SignTable, row| table.row(row).collect::<Vec<_>>();
        assert_eq!(
            [row(&table, 1), row(&table, 3), row(&table, 10)],
            [rows[9].into(), vec![0; 2], rows[10].into()]
        );
        table.truncate(9);
        table.truncate(2);
        assert!(table.blocks.iter().filter(|word| **word != 0).count() == 4, "{table:?}");
        table.add(&rows[4]);
        assert_eq!(row(&table, 2), rows[4]);
    }
}
