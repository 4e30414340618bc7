//! Rules that say nothing beyond another one: a general rule whose effect lies in a special case, a rule about the rest
//! whose effect lies in a case outside of it, and a rule that differs in its bounds alone.

use super::subgroups::{Condition, LEAST_GROUP, Rule};
use crate::consolidate::statistics::statistic::Statistic;

/// Standard errors within which the rest of a general rule is like the other episodes.
const NO_EFFECT: f64 = 2.0;
/// Part of the effect of the special case that the rest may have and still be explained by it.
const NEGLIGIBLE: f64 = 0.25;
/// Overlap of two opposite sides of a number, as a part of the greater bound, at which they still count as apart.
const OVERLAP: f64 = 0.1;
/// How much stronger a rule must be than one that differs in its bounds, to take its place.
const STRONGER: f64 = 1.05;

/// A rule with what was measured of it.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredRule<'ledger> {
    pub rule: &'ledger Rule,
    pub inside: &'ledger Statistic,
    pub outside: &'ledger Statistic,
    /// Whether a fact states it.
    pub is_stated: bool,
}

/// For each rule, whether another one makes it redundant.
pub(crate) fn redundant(rules: &[MeasuredRule<'_>]) -> Vec<bool> {
    let mut is_redundant = vec![false; rules.len()];
    for (place, one) in rules.iter().enumerate() {
        is_redundant[place] = rules.iter().enumerate().any(|(other, two)| {
            other != place
                && one.rule.outcome == two.rule.outcome
                && if one.rule.higher != two.rule.higher {
                    is_rest(one, two)
                } else if same_features(one.rule, two.rule) {
                    is_weaker(one, two) && !is_redundant[other]
                } else {
                    is_explained(one, two)
                }
        });
    }
    is_redundant
}

/// Effect in standard deviations, weighed by how evenly the rule divides the episodes: comparable between rules that were
/// tested on different numbers of episodes.
fn strength(one: &MeasuredRule<'_>) -> f64 {
    let (inside, outside) = (one.inside, one.outside);
    let all = (inside.n + outside.n).max(1) as f64;
    let share = inside.n as f64 / all;
    let deviation = inside.sample_deviation().max(outside.sample_deviation()).max(f64::MIN_POSITIVE);
    (inside.mean - outside.mean).abs() / deviation * (share * (1.0 - share)).sqrt()
}

fn is_weaker(one: &MeasuredRule<'_>, two: &MeasuredRule<'_>) -> bool {
    let (mine, theirs) = (strength(one), strength(two));
    // Without a clear difference the rule that is stated stays.
    match (one.is_stated, two.is_stated) {
        (true, false) => theirs > mine * STRONGER,
        (false, true) => theirs * STRONGER >= mine,
        _ => theirs > mine || theirs >= mine && two.rule.conditions < one.rule.conditions,
    }
}

/// Whether a rule holds only because a case of the opposite effect lies outside of it: without the episodes of that case,
/// its own are like the others ("volatility <= .5, pnl is lower" beside "volatility >= .5 and long, pnl is higher").
fn is_rest(rule: &MeasuredRule<'_>, case: &MeasuredRule<'_>) -> bool {
    // Of rules with as many conditions, either could be the rest of the other.
    let is_outside =
        case.rule.conditions.len() > rule.rule.conditions.len() && excludes(case.rule, rule.rule);
    is_outside && has_effect_of(case, total(rule), rule.outside, rule.inside)
}

/// Whether the episodes of a general rule outside of a special one are like those outside of both.
fn is_explained(general: &MeasuredRule<'_>, special: &MeasuredRule<'_>) -> bool {
    implies(special.rule, general.rule)
        && has_effect_of(special, total(general), general.inside, general.outside)
}

/// Whether episodes differ from the others by the effect of a case among them alone.
///
/// `episodes` and `others` are all `tested` episodes of one rule; those of the case are scaled to that number.
fn has_effect_of(case: &MeasuredRule<'_>, tested: f64, episodes: &Statistic, others: &Statistic) -> bool {
    let (all, cases) = (episodes.n as f64, case.inside.n as f64 * tested / total(case));
    let rest = all - cases;
    if rest < LEAST_GROUP as f64 {
        return false;
    }
    let mean = (episodes.mean * all - case.inside.mean * cases) / rest;
    let sign = if case.rule.higher { 1.0 } else { -1.0 };
    let effect = sign * (mean - others.mean);
    let error = others.sample_deviation() * (1.0 / rest + 1.0 / others.n.max(1) as f64).sqrt();
    let whole = sign * (case.inside.mean - others.mean);
    effect <= (NO_EFFECT * error).max(NEGLIGIBLE * whole)
}

/// Number of episodes that a rule was tested on.
fn total(rule: &MeasuredRule<'_>) -> f64 {
    (rule.inside.n + rule.outside.n).max(1) as f64
}

/// Whether a condition of one rule excludes a condition of another, so that no episode meets both.
fn excludes(one: &Rule, two: &Rule) -> bool {
    one.conditions.iter().any(|a| two.conditions.iter().any(|b| are_opposite(a, b)))
}

/// Whether two conditions are about different words of one feature, or about the two sides of a number. The bounds of two
/// rules are found apart from each other, so that sides may overlap a little.
fn are_opposite(one: &Condition, two: &Condition) -> bool {
    use Condition::{AtLeast, AtMost, Is};
    match (one, two) {
        (AtLeast(a, from), AtMost(b, to)) | (AtMost(b, to), AtLeast(a, from)) => {
            a == b && to - from <= OVERLAP * to.abs().max(from.abs())
        }
        (Is(a, word), Is(b, other)) => a == b && word != other,
        _ => false,
    }
}

/// Whether the conditions of one rule imply those of another, which has fewer.
pub(crate) fn implies(special: &Rule, general: &Rule) -> bool {
    special.conditions.len() > general.conditions.len()
        && general.conditions.iter().all(|wide| special.conditions.iter().any(|narrow| is_side(narrow, wide)))
}

/// Whether two rules differ in their bounds at most.
pub(crate) fn same_features(one: &Rule, two: &Rule) -> bool {
    one.conditions.len() == two.conditions.len()
        && one.conditions.iter().all(|a| two.conditions.iter().any(|b| is_side(a, b)))
}

/// Whether two conditions are about the same side of a number, the same word or one situation.
fn is_side(one: &Condition, two: &Condition) -> bool {
    use Condition::{AtLeast, AtMost, Is, Like};
    match (one, two) {
        (AtLeast(a, _), AtLeast(b, _)) | (AtMost(a, _), AtMost(b, _)) => a == b,
        (Is(a, word), Is(b, other)) => a == b && word == other,
        (Like(a), Like(b)) => a.is_like(b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistic(n: u64, mean: f64) -> Statistic {
        Statistic { n, mean, deviation: 1.0, min: mean - 3.0, max: mean + 3.0 }
    }

    fn rule(conditions: Vec<Condition>) -> Rule {
        Rule { conditions, outcome: "pnl".into(), higher: true }
    }

    fn long() -> Condition {
        Condition::Is("action".into(), "long".into())
    }

    #[test]
    fn a_general_rule_is_redundant_where_a_special_case_has_all_of_its_effect() {
        let (general, special) =
            (rule(vec![long()]), rule(vec![Condition::AtLeast("momentum".into(), 0.65), long()]));
        let outside = statistic(700, 0.0);
        // 100 of 300 long trades gain .8, the others nothing.
        let (inside, cases, others) = (statistic(300, 0.8 / 3.0), statistic(100, 0.8), statistic(900, 0.0));
        let rules = [
            MeasuredRule { rule: &general, inside: &inside, outside: &outside, is_stated: true },
            MeasuredRule { rule: &special, inside: &cases, outside: &others, is_stated: false },
        ];
        assert_eq!(redundant(&rules), [true, false]);
        // Where the other long trades gain as well, both say something.
        let both = statistic(300, 0.6);
        let rules = [MeasuredRule { inside: &both, ..rules[0] }, rules[1]];
        assert_eq!(redundant(&rules), [false, false]);
    }

    #[test]
    fn a_rule_about_the_rest_is_redundant_where_a_case_outside_has_all_of_its_effect() {
        let of = |conditions, higher| Rule { higher, ..rule(conditions) };
        let at_least = |bound| Condition::AtLeast("volatility".into(), bound);
        let rest = of(vec![Condition::AtMost("volatility".into(), 0.5)], false);
        let case = rule(vec![at_least(0.48), long()]);
        // 250 of the 500 volatile episodes are long and gain .8; no other gains anything.
        let (inside, outside) = (statistic(500, 0.0), statistic(500, 0.4));
        let (cases, others) = (statistic(250, 0.8), statistic(750, 0.0));
        let rules = [
            MeasuredRule { rule: &rest, inside: &inside, outside: &outside, is_stated: true },
            MeasuredRule { rule: &case, inside: &cases, outside: &others, is_stated: true },
        ];
        assert_eq!(redundant(&rules), [true, false]);
        // Calm episodes that lose are worth a rule of their own.
        let losses = statistic(500, -0.5);
        assert_eq!(redundant(&[MeasuredRule { inside: &losses, ..rules[0] }, rules[1]]), [false, false]);
        // A case that overlaps with the rule does not explain it.
        let wide = rule(vec![at_least(0.1), long()]);
        assert_eq!(redundant(&[rules[0], MeasuredRule { rule: &wide, ..rules[1] }]), [false, false]);
    }

    #[test]
    fn of_rules_that_differ_in_bounds_the_stronger_stays() {
        let of = |bound| rule(vec![Condition::AtLeast("momentum".into(), bound)]);
        let (one, two) = (of(0.5), of(0.7));
        let (weak, strong, rest) = (statistic(500, 0.3), statistic(400, 0.7), statistic(500, 0.0));
        let rules = [
            MeasuredRule { rule: &one, inside: &weak, outside: &rest, is_stated: true },
            MeasuredRule { rule: &two, inside: &strong, outside: &rest, is_stated: false },
        ];
        assert_eq!(redundant(&rules), [true, false]);
    }
}
