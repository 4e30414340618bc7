//! Periods that a query names: "yesterday", "two weeks ago", "in April 2026", "on 8 May". They favour what happened in
//! them and never exclude the rest: people misremember dates.
//!
//! The phrases are data of a language: see [`PeriodWords`]. Dates in figures ("2026-05-08") need none.

mod calendar;
mod words;

pub use calendar::{Alternatives, DaySpan, resolve};
pub use words::PeriodWords;
