//! Helpers for tests of the index: reproducible vectors, and the available instruction sets.

use pulp::Arch;

/// Pseudorandom numbers (xorshift; Marsaglia 2003).
pub(crate) struct TestRandom(pub u64);

impl TestRandom {
    /// Number from -1 to 1.
    pub(crate) fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    /// A vector at most `distance` from another one in each component.
    pub(crate) fn near(&mut self, center: &[f32], distance: f32) -> Vec<f32> {
        center.iter().map(|part| part + distance * self.next()).collect()
    }
}

/// Instruction sets available on this processor, from the plainest to the best. Results must be bit-identical on all:
/// an agent may move to another machine.
pub(crate) fn architectures() -> Vec<Arch> {
    let mut found = vec![Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    found.extend(pulp::x86::V3::try_new().map(Arch::V3));
    found.push(Arch::new());
    found
}
