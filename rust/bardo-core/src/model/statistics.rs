//! Constants of statistics that several stages use.

/// Standard normal quantile at probability 0.975: standard errors on either side of a two-sided interval of 95 %.
pub const NORMAL_975: f64 = 1.959_964;
