//! How a store is opened and listed: options, how confidence fades, and which facts are asked for.

use crate::error::{Error, Result};
use crate::model::decay::{self, check_tau};
use crate::model::{FactKind, FactStatus, Id, Micros, Source};

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct FactOptions {
    /// The owner; a file of another agent is refused.
    pub agent: String,
    /// Seed of the random part of new ids.
    pub seed: u64,
    /// The time of opening, kept as the birth of a new file.
    pub now: Micros,
    /// Whether to begin a new file where there is none.
    pub create: bool,
    /// How confidence fades and is renewed.
    pub retention: Retention,
}

/// How confidence fades and is renewed; see [`decay`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retention {
    /// e-folding time in ticks.
    pub tau_ticks: f64,
    /// Fraction of the gap to 1 that one reinforcement closes.
    pub reinforcement: f64,
    /// Reinforcements within this many ticks count once.
    pub spacing_ticks: u64,
    /// Ticks after which a dream expires that nothing confirmed.
    pub expiry_ticks: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            tau_ticks: decay::LOOP_TAU_TICKS,
            reinforcement: decay::REINFORCEMENT,
            spacing_ticks: decay::SPACING_TICKS,
            expiry_ticks: decay::EXPIRY_TICKS,
        }
    }
}

impl Retention {
    /// The same with these parts replaced, where given.
    #[must_use]
    pub fn with(
        self,
        tau: Option<f64>,
        reinforcement: Option<f64>,
        spacing: Option<u64>,
        expiry: Option<u64>,
    ) -> Self {
        Self {
            expiry_ticks: expiry.unwrap_or(self.expiry_ticks),
            tau_ticks: tau.unwrap_or(self.tau_ticks),
            reinforcement: reinforcement.unwrap_or(self.reinforcement),
            spacing_ticks: spacing.unwrap_or(self.spacing_ticks),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        check_tau(self.tau_ticks)?;
        check_fraction(self.reinforcement)
    }
}

/// Which facts to list; the default is every one.
#[derive(Clone, Debug, Default)]
pub struct FactFilter {
    /// Kind of the facts.
    pub kind: Option<FactKind>,
    /// Category of the facts, which includes those below it.
    pub category: Option<String>,
    /// Subject that the facts are about.
    pub subject: Option<String>,
    /// Source of the facts.
    pub source: Option<Source>,
    /// Status of the facts; ignored when `as_of` is given.
    pub status: Option<FactStatus>,
    /// Tick at whose end the facts were in force; they are listed as they were then.
    pub as_of: Option<u64>,
    /// Id of the last fact of the page before.
    pub after: Option<Id>,
}

/// Refuses a step that is not a fraction.
pub(crate) fn check_fraction(fraction: f64) -> Result<()> {
    if (0.0..=1.0).contains(&fraction) {
        return Ok(());
    }
    Err(Error::invalid(format!("the fraction is {fraction}"), "It must be a number from 0 to 1"))
}
