//! Packed tables: a row holds a run of many entries in key order, as long as it fits into one page.
//!
//! The cost of a redb row (its place in the tree, the slack of its page) is shared by some tens of entries, and keys
//! are prefix-compressed. The key of a row is the first key in it; the runs of a table never overlap. An entry is the
//! length of the prefix that its key shares with the one before (u8), the length of its value ([`push_number`]), the
//! rest of its key, and its value.
//!
//! Every change rewrites the whole run, as redb rewrites its page. Runs at the end of a table are filled
//! completely, so single appends pack as densely as a batch. Other runs are split in half when they are full.

use std::ops::{Bound, Range};

use redb::{AccessGuard, ReadableTable, Table, TableDefinition};

use super::fault::Fault;

/// Table of runs with keys of `N` bytes that sort as bytes.
pub(crate) type Packed<const N: usize> = TableDefinition<'static, &'static [u8; N], &'static [u8]>;
/// Table of runs, open for writing.
pub(crate) type PackedTable<'t, const N: usize> = Table<'t, &'static [u8; N], &'static [u8]>;

/// Maximum bytes of a run of short entries: redb's page of 4,096 bytes less its header, the key and a length.
pub(crate) const SHORT_RUN_BYTES: usize = 4_048;
/// Maximum bytes of a run of vectors, which are read many at a time: 21 of 384 components fill a page of 16,384 bytes,
/// while five would leave a fifth of a small one empty.
pub(crate) const LONG_RUN_BYTES: usize = 16_336;

/// Appends a number as a varint: seven bits per byte, the lowest first.
pub(crate) fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a varint off the front; `None` if there is none.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Entry found by a lookup.
pub(crate) struct PackedEntry<'table> {
    run: AccessGuard<'table, &'static [u8]>,
    place: Range<usize>,
}

impl PackedEntry<'_> {
    pub fn value(&self) -> &[u8] {
        &self.run.value()[self.place.clone()]
    }
}

/// Keys of a run and the offsets of their values in it.
struct Entries<'run, const N: usize> {
    run: &'run [u8],
    at: usize,
    key: [u8; N],
}

impl<'run, const N: usize> Entries<'run, N> {
    const fn of(run: &'run [u8]) -> Self {
        Self { run, at: 0, key: [0; N] }
    }

    fn read(&mut self) -> Option<([u8; N], Range<usize>)> {
        let mut rest = &self.run[self.at..];
        let (&shared, after) = rest.split_first()?;
        rest = after;
        let length = usize::try_from(take_number(&mut rest)?).ok()?;
        let own = self.key.get_mut(usize::from(shared)..)?;
        let (key, after) = rest.split_at_checked(own.len())?;
        own.copy_from_slice(key);
        let start = self.run.len() - after.len();
        self.at = start.checked_add(length).filter(|&end| end <= self.run.len())?;
        Some((self.key, start..self.at))
    }
}

impl<const N: usize> Iterator for Entries<'_, N> {
    type Item = Result<([u8; N], Range<usize>), Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.run.len() {
            return None;
        }
        let entry = self.read();
        if entry.is_none() {
            self.at = self.run.len();
        }
        Some(entry.ok_or_else(|| Fault::Corrupt("a run of entries is cut short".into())))
    }
}

/// Appends an entry to a run whose last key is `before`.
fn push_entry<const N: usize>(run: &mut Vec<u8>, before: Option<&[u8; N]>, key: &[u8; N], value: &[u8]) {
    let same = |before: &[u8; N]| before.iter().zip(key).take_while(|(one, other)| one == other).count();
    let shared = before.map_or(0, same);
    run.push(shared as u8);
    push_number(run, value.len() as u64);
    run.extend_from_slice(&key[shared..]);
    run.extend_from_slice(value);
}

/// Maximum encoded size of an entry in bytes.
const fn entry_bytes<const N: usize>(value: usize) -> usize {
    N + 6 + value
}

/// Row: its first key, and the run.
type Row<'table, const N: usize> = ([u8; N], AccessGuard<'table, &'static [u8]>);

/// The run whose key range covers a key, whether it holds the key or not.
fn run_of<'table, const N: usize>(
    table: &'table impl ReadableTable<&'static [u8; N], &'static [u8]>,
    key: &[u8; N],
) -> Result<Option<Row<'table, N>>, Fault> {
    let row = table.range::<&[u8; N]>(..=key)?.next_back().transpose()?;
    Ok(row.map(|(head, run)| (*head.value(), run)))
}

/// Looks up a key.
pub(crate) fn get<'table, const N: usize>(
    table: &'table impl ReadableTable<&'static [u8; N], &'static [u8]>,
    key: &[u8; N],
) -> Result<Option<PackedEntry<'table>>, Fault> {
    let Some((_, run)) = run_of(table, key)? else { return Ok(None) };
    let mut place = None;
    for entry in Entries::<N>::of(run.value()) {
        let (other, at) = entry?;
        if other >= *key {
            place = (other == *key).then_some(at);
            break;
        }
    }
    Ok(place.map(|place| PackedEntry { run, place }))
}

/// The greatest key; `None` in an empty table.
pub(crate) fn last<const N: usize>(
    table: &impl ReadableTable<&'static [u8; N], &'static [u8]>,
) -> Result<Option<[u8; N]>, Fault> {
    let Some((_, run)) = table.last()? else { return Ok(None) };
    Ok(Entries::<N>::of(run.value()).last().transpose()?.map(|(key, _)| key))
}

/// Calls `visit` with the entries between two keys in order, from the end if `backwards`, until it returns false.
pub(crate) fn walk<const N: usize>(
    table: &impl ReadableTable<&'static [u8; N], &'static [u8]>,
    (low, high): (Bound<[u8; N]>, Bound<[u8; N]>),
    backwards: bool,
    mut visit: impl FnMut(&[u8; N], &[u8]) -> Result<bool, Fault>,
) -> Result<(), Fault> {
    let start = match &low {
        Bound::Included(key) | Bound::Excluded(key) => run_of(table, key)?.map_or(*key, |(head, _)| head),
        Bound::Unbounded => [0; N],
    };
    let end = match high {
        Bound::Included(key) | Bound::Excluded(key) => key,
        Bound::Unbounded => [0xff; N],
    };
    if start > end {
        return Ok(());
    }
    let is_within = |key: &[u8; N]| {
        use std::ops::RangeBounds;
        (low, high).contains(key)
    };
    let mut rows = table.range::<&[u8; N]>(&start..=&end)?;
    while let Some(row) = if backwards { rows.next_back() } else { rows.next() } {
        let (_, run) = row?;
        let run = run.value();
        if backwards {
            let entries: Vec<_> = Entries::<N>::of(run).collect::<Result<_, _>>()?;
            for (key, place) in entries.into_iter().rev().filter(|(key, _)| is_within(key)) {
                if !visit(&key, &run[place])? {
                    return Ok(());
                }
            }
        } else {
            for entry in Entries::<N>::of(run) {
                let (key, place) = entry?;
                if is_within(&key) && !visit(&key, &run[place])? {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Inserts entries, replacing those with the same keys; they must be in order. A row has at most `limit` bytes, unless
/// a single entry is longer.
pub(crate) fn insert<const N: usize>(
    table: &mut PackedTable<'_, N>,
    mut entries: &[([u8; N], &[u8])],
    limit: usize,
) -> Result<(), Fault> {
    while let Some((first, _)) = entries.first() {
        let run = run_of(table, first)?.map(|(head, run)| (head, run.value().to_vec()));
        let after = (Bound::Excluded(first), Bound::Unbounded);
        let next = table.range::<&[u8; N]>(after)?.next().transpose()?.map(|(head, _)| *head.value());
        let own = next.map_or(entries.len(), |next| entries.partition_point(|(key, _)| *key < next));
        let (now, later) = entries.split_at(own);
        join(table, run.as_ref(), now, if next.is_none() { Fill::Whole(limit) } else { Fill::Even(limit) })?;
        entries = later;
    }
    Ok(())
}

/// Removes an entry; returns its value.
pub(crate) fn remove<const N: usize>(
    table: &mut PackedTable<'_, N>,
    key: &[u8; N],
) -> Result<Option<Vec<u8>>, Fault> {
    let Some((head, run)) = run_of(table, key)?.map(|(head, run)| (head, run.value().to_vec())) else {
        return Ok(None);
    };
    let mut removed = None;
    let mut left = Vec::new();
    for entry in Entries::<N>::of(&run) {
        let (other, place) = entry?;
        if other == *key {
            removed = Some(run[place].to_vec());
        } else {
            left.push((other, &run[place]));
        }
    }
    if removed.is_some() {
        write(table, Some(&head), &left, Fill::Whole(usize::MAX))?;
    }
    Ok(removed)
}

/// Fill level of rows, in bytes.
#[derive(Clone, Copy)]
enum Fill {
    /// Each row up to the limit: nothing will be inserted between.
    Whole(usize),
    /// All rows equally, so that each has room.
    Even(usize),
}

/// Merges entries into a run, and writes it as one row or several.
fn join<const N: usize>(
    table: &mut PackedTable<'_, N>,
    run: Option<&([u8; N], Vec<u8>)>,
    entries: &[([u8; N], &[u8])],
    fill: Fill,
) -> Result<(), Fault> {
    let Some((head, run)) = run else { return write(table, None, entries, fill) };
    let mut merged = Vec::new();
    let mut new = entries.iter().copied().peekable();
    for entry in Entries::<N>::of(run) {
        let (key, place) = entry?;
        while let Some(earlier) = new.next_if(|(other, _)| *other < key) {
            merged.push(earlier);
        }
        // A replaced entry comes with the new ones.
        if new.peek().is_none_or(|(other, _)| *other != key) {
            merged.push((key, &run[place]));
        }
    }
    merged.extend(new);
    write(table, Some(head), &merged, fill)
}

/// Writes entries as rows, replacing the row with the key `old`.
fn write<const N: usize>(
    table: &mut PackedTable<'_, N>,
    old: Option<&[u8; N]>,
    entries: &[([u8; N], &[u8])],
    fill: Fill,
) -> Result<(), Fault> {
    if let Some(old) = old
        && entries.first().is_none_or(|(key, _)| key != old)
    {
        table.remove(old)?;
    }
    let limit = match fill {
        Fill::Whole(limit) => limit,
        Fill::Even(limit) => {
            let total: usize = entries.iter().map(|(_, value)| entry_bytes::<N>(value.len())).sum();
            if total > limit { total.div_ceil(total.div_ceil(limit)) } else { limit }
        }
    };
    let mut run = Vec::with_capacity(limit.min(LONG_RUN_BYTES));
    let mut head: Option<&[u8; N]> = None;
    let mut before = None;
    for (key, value) in entries {
        let length = run.len();
        push_entry(&mut run, before, key, value);
        if let Some(first) = head
            && run.len() > limit
        {
            table.insert(first, &run[..length])?;
            run.clear();
            head = None;
            push_entry(&mut run, None, key, value);
        }
        head = head.or(Some(key));
        before = Some(key);
    }
    if let Some(first) = head {
        table.insert(first, run.as_slice())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use redb::backends::InMemoryBackend;
    use redb::{Database, ReadableTableMetadata};

    use super::*;

    const TABLE: Packed<4> = Packed::new("table");
    const LIMIT: usize = 200;

    fn database() -> Database {
        Database::builder().create_with_backend(InMemoryBackend::new()).unwrap()
    }

    fn key(number: u32) -> [u8; 4] {
        number.to_be_bytes()
    }

    fn all(
        table: &PackedTable<'_, 4>,
        bounds: (Bound<[u8; 4]>, Bound<[u8; 4]>),
        backwards: bool,
    ) -> Vec<(u32, Vec<u8>)> {
        let mut found = Vec::new();
        walk(table, bounds, backwards, |key, value| {
            found.push((u32::from_be_bytes(*key), value.to_vec()));
            Ok(true)
        })
        .unwrap();
        found
    }

    proptest! {
        #[test]
        fn any_history_leaves_what_a_map_would_hold(
            steps in prop::collection::vec(
                (prop::collection::btree_map(0..400_u32, prop::collection::vec(any::<u8>(), 0..90), 0..20), any::<bool>()),
                1..12,
            ),
            bounds in (0..410_u32, 0..410_u32),
        ) {
            let database = database();
            let transaction = database.begin_write().unwrap();
            let mut table = transaction.open_table(TABLE).unwrap();
            let mut expected = BTreeMap::new();
            for (step, removes) in steps {
                if removes {
                    for number in step.keys() {
                        prop_assert_eq!(remove(&mut table, &key(*number)).unwrap(), expected.remove(number));
                    }
                } else {
                    let entries: Vec<_> = step.iter().map(|(number, value)| (key(*number), value.as_slice())).collect();
                    insert(&mut table, &entries, LIMIT).unwrap();
                    expected.extend(step);
                }
                let unbounded = (Bound::Unbounded, Bound::Unbounded);
                prop_assert_eq!(all(&table, unbounded, false), expected.clone().into_iter().collect::<Vec<_>>());
                prop_assert_eq!(all(&table, unbounded, true), expected.clone().into_iter().rev().collect::<Vec<_>>());
                prop_assert_eq!(last(&table).unwrap(), expected.keys().next_back().map(|number| key(*number)));
                for number in 0..400 {
                    let found = get(&table, &key(number)).unwrap();
                    prop_assert_eq!(found.as_ref().map(PackedEntry::value), expected.get(&number).map(Vec::as_slice));
                }
                let (low, high) = bounds;
                let within = (Bound::Excluded(key(low)), Bound::Included(key(high)));
                let expected = expected.iter().filter(|(number, _)| low < **number && **number <= high);
                let expected: Vec<_> = expected.map(|(number, value)| (*number, value.clone())).collect();
                prop_assert_eq!(all(&table, within, false), expected);
            }
        }

        #[test]
        fn a_damaged_run_is_reported_or_read_but_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = Entries::<4>::of(&bytes).collect::<Result<Vec<_>, _>>();
        }

        #[test]
        fn a_number_read_back_is_the_one_written(number: u64) {
            let mut bytes = Vec::new();
            push_number(&mut bytes, number);
            prop_assert_eq!(take_number(&mut bytes.as_slice()), Some(number));
        }
    }

    #[test]
    fn appends_one_by_one_lie_as_close_as_a_batch() {
        let database = database();
        let transaction = database.begin_write().unwrap();
        let mut table = transaction.open_table(TABLE).unwrap();
        for number in 0..1_000 {
            insert(&mut table, &[(key(number), &[7; 10])], LIMIT).unwrap();
        }
        let one_by_one = table.len().unwrap();
        transaction.delete_table(table).unwrap();
        let mut table = transaction.open_table(TABLE).unwrap();
        let entries: Vec<_> = (0..1_000).map(|number| (key(number), [7_u8; 10])).collect();
        let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, value.as_slice())).collect();
        insert(&mut table, &entries, LIMIT).unwrap();
        assert_eq!(one_by_one, table.len().unwrap());
        // 200 bytes hold an entry of 16 and thirteen of 13 to 14.
        assert!(one_by_one <= 1_000 / 13, "{one_by_one} rows");
    }
}
