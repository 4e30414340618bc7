//! Ranks of hypotheses: rhythms wait for days, so that they have ranks of their own.

use super::claims::Claim;

/// Rhythms that are kept and gathered for, beside the others: they wait for days, unspoilt by any test, and would take the
/// place of what was tested and lost a little.
const RHYTHMS: usize = 64;

/// Ranks of hypotheses that are looked at from the best on; rhythms have ranks of their own.
#[derive(Default)]
pub(in crate::consolidate) struct Ranks {
    rhythms: usize,
    others: usize,
}

impl Ranks {
    /// Whether the next one is among the best `most`, or among the best rhythms.
    pub const fn next(&mut self, claim: &Claim, most: usize) -> bool {
        if matches!(claim, Claim::Hours { .. } | Claim::Weekdays { .. }) {
            self.rhythms += 1;
            self.rhythms <= RHYTHMS
        } else {
            self.others += 1;
            self.others <= most
        }
    }
}
