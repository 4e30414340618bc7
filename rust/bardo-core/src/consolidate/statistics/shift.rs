//! Whether a number is no longer what it was: a dream compares what was replayed of late with the long run, and later
//! windows of fresh episodes decide.

use super::statistic::Statistic;
use crate::consolidate::discovery::e_values::log_e_value;
use crate::consolidate::discovery::window::Window;

/// Blocks into which the numbers of a window are cut: neighbours resemble each other, blocks of them less so.
const BLOCKS: usize = 8;
/// Numbers of a window below which nothing is tested: four to a block.
const LEAST: usize = 4 * BLOCKS;

/// Result of testing a shift on a window.
#[derive(Clone, Debug)]
pub(crate) struct ShiftResult {
    /// Logarithm of the winnings.
    pub log_e_value: f64,
    /// The numbers of the window.
    pub since: Statistic,
    /// Their episodes.
    pub positions: Vec<usize>,
}

/// Tests whether a number of a subject is nearer to `now` than to `before`: in how many blocks is its mean beyond the
/// middle between both? If it were what it was, each block would be with a probability of one half at most.
pub(crate) fn test(
    window: &Window,
    subject: &str,
    metric: &str,
    before: f64,
    now: f64,
) -> Option<ShiftResult> {
    let of_subject = window.words.get(&("subject".to_owned(), subject.to_owned()))?;
    let rows: Vec<(usize, f64)> = window
        .numbers
        .get(metric)?
        .iter()
        .filter(|(position, _)| of_subject.binary_search(position).is_ok())
        .copied()
        .collect();
    if rows.len() < LEAST {
        return None;
    }
    let middle = f64::midpoint(before, now);
    let of = |rows: &[(usize, f64)]| {
        rows.iter().map(|(_, number)| Statistic::of(*number)).reduce(|all, one| all.merge(&one))
    };
    let mut beyond = 0;
    for block in 0..BLOCKS {
        let part = &rows[block * rows.len() / BLOCKS..(block + 1) * rows.len() / BLOCKS];
        let mean = of(part)?.mean;
        beyond += usize::from(if now > before { mean > middle } else { mean < middle });
    }
    Some(ShiftResult {
        log_e_value: log_e_value(at_least_heads(beyond)),
        since: of(&rows)?,
        positions: rows.into_iter().map(|(position, _)| position).collect(),
    })
}

/// Probability that so many of [`BLOCKS`] fair coins or more show heads.
fn at_least_heads(heads: usize) -> f64 {
    let mut ways = 1.0;
    let mut tail = 0.0;
    for shown in 0..=BLOCKS {
        if shown >= heads {
            tail += ways;
        }
        ways *= (BLOCKS - shown) as f64 / (shown + 1) as f64;
    }
    tail / 2.0_f64.powf(BLOCKS as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins_are_fair() {
        assert!((at_least_heads(0) - 1.0).abs() < 1e-12);
        assert!((at_least_heads(8) - 1.0 / 256.0).abs() < 1e-12);
        assert!((at_least_heads(4) - 163.0 / 256.0).abs() < 1e-12);
    }
}
