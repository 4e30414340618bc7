//! Arrays in huge pages. A search reads rows all over the vectors; with pages of 4 KiB nearly every row is a TLB miss,
//! which takes as long as reading it, and longer in a virtual machine.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// Size of a huge page in bytes on common processors; elsewhere only a round number.
const PAGE_BYTES: usize = 2 * 1024 * 1024;
/// Minimum size in bytes of an array that gets huge pages.
const WORTH_A_PAGE: usize = PAGE_BYTES / 8;

/// Growable array of plain numbers, in huge pages if it is long and the system has them.
#[derive(Debug)]
pub(crate) struct LargeArray<T> {
    held: Storage<T>,
}

#[derive(Debug)]
enum Storage<T> {
    Small(Vec<T>),
    /// Mapped memory and the number of elements in use; the rest is capacity.
    Large(MmapMut, usize),
}

impl<T> Default for LargeArray<T> {
    fn default() -> Self {
        Self { held: Storage::Small(Vec::new()) }
    }
}

impl<T: Pod> LargeArray<T> {
    /// Appends `count` zeros, to be overwritten.
    pub fn add(&mut self, count: usize) -> &mut [T] {
        let start = self.len();
        let end = start + count;
        if end > self.capacity() {
            self.grow(end.max(2 * start));
        }
        match &mut self.held {
            Storage::Small(elements) => elements.resize(end, T::zeroed()),
            Storage::Large(memory, length) => {
                *length = end;
                // Truncation may have left old values.
                elements_mut(memory)[start..end].fill(T::zeroed());
            }
        }
        &mut self[start..]
    }

    /// Reserves capacity for `more` elements.
    pub fn reserve_exact(&mut self, more: usize) {
        let wanted = self.len() + more;
        if wanted > self.capacity() {
            self.grow(wanted);
        }
    }

    /// Truncates to a length.
    pub fn truncate(&mut self, kept: usize) {
        match &mut self.held {
            Storage::Small(elements) => elements.truncate(kept),
            Storage::Large(_, length) => *length = kept.min(*length),
        }
    }

    /// Capacity in elements.
    pub fn capacity(&self) -> usize {
        match &self.held {
            Storage::Small(elements) => elements.capacity(),
            Storage::Large(memory, _) => memory.len() / size_of::<T>(),
        }
    }

    fn grow(&mut self, wanted: usize) {
        let bytes = wanted * size_of::<T>();
        if bytes >= WORTH_A_PAGE
            && let Some(mut memory) = large_pages(bytes)
        {
            let length = self.len();
            elements_mut(&mut memory)[..length].copy_from_slice(self);
            self.held = Storage::Large(memory, length);
            return;
        }
        let mut elements = Vec::with_capacity(wanted);
        elements.extend_from_slice(self);
        self.held = Storage::Small(elements);
    }
}

/// Maps at least so many zeroed bytes; `None` if the system refuses.
fn large_pages(bytes: usize) -> Option<MmapMut> {
    let memory = MmapMut::map_anon(bytes.next_multiple_of(PAGE_BYTES)).ok()?;
    // Only a hint: a system without huge pages gives small ones.
    #[cfg(target_os = "linux")]
    let _ = memory.advise(memmap2::Advice::HugePage);
    Some(memory)
}

fn elements_mut<T: Pod>(memory: &mut MmapMut) -> &mut [T] {
    bytemuck::cast_slice_mut(memory)
}

impl<T: Pod> Deref for LargeArray<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.held {
            Storage::Small(elements) => elements,
            Storage::Large(memory, length) => &bytemuck::cast_slice(memory)[..*length],
        }
    }
}

impl<T: Pod> DerefMut for LargeArray<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.held {
            Storage::Small(elements) => elements,
            Storage::Large(memory, length) => &mut elements_mut(memory)[..*length],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Minimum number of eight-byte elements of an array in huge pages.
    const LARGE: usize = WORTH_A_PAGE / 8;

    proptest! {
        #[test]
        fn a_huge_page_vector_equals_a_vector_through_every_change(
            steps in prop::collection::vec((0..4_u8, 0..LARGE), 1..12),
        ) {
            let (mut ours, mut theirs) = (LargeArray::default(), Vec::new());
            for (kind, number) in steps {
                match kind {
                    0 => ours.reserve_exact(number),
                    1 => {
                        ours.truncate(number);
                        theirs.truncate(number);
                    }
                    _ => {
                        let fresh = ours.add(number);
                        prop_assert!(fresh.iter().all(|element| *element == 0));
                        for (element, at) in fresh.iter_mut().zip(1..) {
                            *element = number as u64 * 1_000_003 + at;
                        }
                        theirs.extend((1..=number as u64).map(|at| number as u64 * 1_000_003 + at));
                    }
                }
                prop_assert!(ours.len() <= ours.capacity());
                prop_assert_eq!(&*ours, &*theirs);
            }
        }
    }
}
