//! Upkeep of facts: lint, eviction of faded facts, and gaps in what is known.

pub(super) mod evict;
pub(super) mod gaps;
pub(super) mod lint;
pub(super) mod lint_acts;
