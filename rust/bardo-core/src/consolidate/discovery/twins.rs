//! Outcomes that tell the same of the same decisions: a rule about one of them says what a rule about the other says.

use std::collections::BTreeMap;

use super::window::Window;

/// Decisions with both outcomes, at least, before one stands for the other.
const LEAST_SHARED: usize = 8;
/// Name under which the outcome of a prompt is told: the program's own name for it says more.
const VALUE: &str = "value";

/// The outcomes of these names that another one stands for, with its name: it never falls where the other rises, and at
/// least half of its decisions have both.
pub(super) fn twins<'name>(
    window: &Window,
    names: impl Iterator<Item = &'name str>,
) -> BTreeMap<&'name str, &'name str> {
    let rows = |name: &str| window.numbers.get(name).map_or(&[][..], Vec::as_slice);
    let mut names: Vec<&str> = names.collect();
    names.sort_by_key(|name| (*name == VALUE, std::cmp::Reverse(rows(name).len()), *name));
    names.dedup();
    let mut stands: Vec<&str> = Vec::new();
    let mut twins = BTreeMap::new();
    for name in names {
        match stands.iter().find(|other| is_twin(rows(name), rows(other))) {
            Some(other) => drop(twins.insert(name, *other)),
            None => stands.push(name),
        }
    }
    twins
}

/// Whether some outcomes rise with others; both are in the order of positions.
fn is_twin(one: &[(usize, f64)], other: &[(usize, f64)]) -> bool {
    let of_other: BTreeMap<usize, f64> = other.iter().copied().collect();
    let mut pairs: Vec<(f64, f64)> =
        one.iter().filter_map(|(position, number)| Some((*of_other.get(position)?, *number))).collect();
    if pairs.len() < LEAST_SHARED || 2 * pairs.len() < one.len() {
        return false;
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    pairs.windows(2).all(|pair| pair[0].1 <= pair[1].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(columns: &[(&str, &[f64])]) -> Window {
        let column = |(name, numbers): &(&str, &[f64])| {
            ((*name).to_owned(), numbers.iter().copied().enumerate().collect::<Vec<_>>())
        };
        Window { numbers: columns.iter().map(column).collect(), ..Window::default() }
    }

    #[test]
    fn an_outcome_that_rises_with_another_one_is_its_twin() {
        let pnl = [0.3, -1.4, 0.2, 2.5, -0.1, 0.7, 1.1, -0.6, 0.4];
        let value = pnl.map(|pnl: f64| pnl.clamp(-1.0, 1.0));
        let found = window(&[("pnl", &pnl), ("value", &value)]);
        assert_eq!(twins(&found, ["value", "pnl"].into_iter()), [("value", "pnl")].into());
    }

    #[test]
    fn an_outcome_that_falls_where_another_rises_tells_something_else() {
        let pnl = [0.3, -1.4, 0.2, 2.5, -0.1, 0.7, 1.1, -0.6, 0.4];
        let costs = pnl.map(|pnl: f64| -pnl);
        let other = [1.0, 2.0, 1.0, 3.0, 0.0, 1.0, 5.0, 1.0, 2.0];
        let found = window(&[("pnl", &pnl), ("costs", &costs), ("score", &other)]);
        assert!(twins(&found, ["pnl", "costs", "score"].into_iter()).is_empty());
    }

    #[test]
    fn a_few_decisions_with_both_outcomes_say_nothing() {
        let found = window(&[("pnl", &[0.1, 0.2, 0.3]), ("value", &[0.1, 0.2, 0.3])]);
        assert!(twins(&found, ["pnl", "value"].into_iter()).is_empty());
    }
}
