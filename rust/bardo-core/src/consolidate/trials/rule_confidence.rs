//! Confidence of an own rule by the decisions that followed it.

use crate::consolidate::curator::Pass;
use crate::consolidate::discovery::e_values::FALSE_DISCOVERY_RATE;
use crate::consolidate::statistics::baseline::credible;
use crate::facts::rows as record;
use crate::facts::sqlite::Step;
use crate::facts::transaction::Writer;
use crate::facts::transitions::rebase;
use crate::model::FactStatus;
use crate::model::decay::confidence_now;

/// Raises an own rule that its decisions confirmed: by those of the batch, and to at least the confidence of a discovered
/// rule with as many cases as followed it without a break. Hearsay rises by single outcomes, until several confirmations
/// have made it the agent's own.
pub(crate) fn raise(
    writer: &Writer<'_>,
    pass: &Pass,
    serial: i64,
    tick: u64,
    (latest, unbroken): (u64, u64),
) -> Step<()> {
    for mut stored in record::select(&writer.transaction, "WHERE serial = ?1", [serial])? {
        let before = confidence_now(&stored.fact, tick, pass.retention.tau_ticks);
        let after = confirmed(before, latest, unbroken);
        if !stored.fact.is_hearsay() && stored.fact.status == FactStatus::Active && after > before {
            rebase(&mut stored.fact, after, tick);
            writer.update(&stored, tick)?;
        }
    }
    Ok(())
}

/// Confidence after a confirmation by the latest decisions.
fn confirmed(before: f64, latest: u64, unbroken: u64) -> f64 {
    let most = 1.0 - FALSE_DISCOVERY_RATE;
    credible(before, latest).min(most).max(most * credible(0.0, unbroken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_followed_rule_is_as_sure_as_a_discovered_one_with_as_many_cases() {
        let discovered = (1.0 - FALSE_DISCOVERY_RATE) * credible(0.0, 90);
        assert!((confirmed(0.3, 0, 90) - discovered).abs() < 1e-9);
        assert!(confirmed(0.3, 10, 0) > 0.5, "after a break the latest decisions count");
        assert!(confirmed(0.9, 1_000_000, 1_000_000) <= 1.0 - FALSE_DISCOVERY_RATE);
    }
}
