//! Statistics of numbers: baselines, their shifts and rebuilding, and others' claims about them.

pub(super) mod agreement;
pub(super) mod baseline;
pub(super) mod identifiers;
pub(super) mod numeric_claims;
pub(super) mod shift;
pub(super) mod statistic;
pub(super) mod statistic_rebuild;
pub(super) mod stratified;
