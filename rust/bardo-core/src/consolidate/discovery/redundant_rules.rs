//! Rules that say nothing beyond another one: a rule that differs from it in its bounds or is its complement, and one
//! whose effect is absent in the cases that the other leaves.

use std::collections::BTreeSet;

use super::subgroups::{Condition, Outcomes, Rule, members};
use super::twins::twins;
use super::window::Window;
use crate::consolidate::statistics::statistic::Statistic;
use crate::consolidate::statistics::stratified::difference;

/// Log likelihood ratio from which a rule has no effect in the cases that another leaves: 20 to 1 against all of its effect.
const ABSENT: f64 = 2.995_732_273_553_991;
/// Standard errors from which the effect of a rule is there to be explained.
const PRESENT: f64 = 2.0;
/// Rules that are kept apart at most while one is compared with another: those that overlap most with it.
const NEIGHBOURS: usize = 8;
/// Correlation of their cases below which a rule explains nothing of another.
const LEAST_CORRELATION: f64 = 0.1;
/// Correlation of the cases of one rule and those outside of another from which they are complements.
const COMPLEMENTS: f64 = 0.8;
/// How much stronger a rule must be than one that says the same, to take its place.
const STRONGER: f64 = 1.05;

/// A rule with what was measured of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasuredRule<'ledger> {
    pub rule: &'ledger Rule,
    pub inside: &'ledger Statistic,
    pub outside: &'ledger Statistic,
    /// Whether a fact states it.
    pub is_stated: bool,
}

/// For each rule, the place of the one that makes it redundant by the episodes of a window. Rules about outcomes that tell
/// the same are compared as rules about one outcome.
pub(crate) fn redundant<'ledger>(rules: &[MeasuredRule<'ledger>], window: &Window) -> Vec<Option<usize>> {
    let mut replaced_by = vec![None; rules.len()];
    let names = || rules.iter().map(|one| one.rule.outcome.as_str());
    let twins = twins(window, names());
    let standing = |name: &'ledger str| *twins.get(name).unwrap_or(&name);
    let outcomes: BTreeSet<&str> = names().map(standing).collect();
    for name in outcomes {
        let Some(rows) = window.numbers.get(name) else { continue };
        let outcome = Outcomes { name, rows };
        let of_outcome = rules.iter().enumerate().filter(|(_, one)| standing(&one.rule.outcome) == name);
        let cases: Vec<RuleCases<'_>> =
            of_outcome.map(|(place, one)| RuleCases::of(place, one, window, &outcome)).collect();
        let mut kept = without_variants(cases, &mut replaced_by);
        // The weakest first: what it does not explain any more, it cannot explain of another.
        kept.sort_by(|a, b| a.strength.total_cmp(&b.strength));
        let mut place = 0;
        while place < kept.len() {
            match explaining(&kept, place, window, &outcome) {
                Some(by) => {
                    replaced_by[kept[place].place] = Some(by);
                    kept.remove(place);
                }
                None => place += 1,
            }
        }
    }
    // A rule that replaced another may have been replaced itself.
    let last = |mut by: usize| {
        while let Some(next) = replaced_by[by] {
            by = next;
        }
        by
    };
    replaced_by.iter().map(|by| by.map(last)).collect()
}

/// A rule with its cases among the outcomes of a window.
struct RuleCases<'ledger> {
    place: usize,
    measured: MeasuredRule<'ledger>,
    strength: f64,
    holds: Vec<bool>,
}

impl<'ledger> RuleCases<'ledger> {
    fn of(place: usize, measured: &MeasuredRule<'ledger>, window: &Window, outcome: &Outcomes<'_>) -> Self {
        let holds = members(window, outcome, &measured.rule.conditions);
        Self { place, measured: *measured, strength: strength(measured), holds }
    }

    const fn rule(&self) -> &'ledger Rule {
        self.measured.rule
    }

    /// How far the cases of another rule are those in which this one lets expect the same direction.
    fn agreement(&self, other: &Self) -> f64 {
        let sign = if self.rule().higher == other.rule().higher { 1.0 } else { -1.0 };
        sign * correlation(&self.holds, &other.holds)
    }

    /// Whether another rule differs in its bounds alone, or says the opposite of nearly all other episodes.
    fn says_the_same(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.rule(), other.rule());
        if mine.higher == theirs.higher {
            return same_features(mine, theirs);
        }
        mine.conditions.len() == theirs.conditions.len() && self.agreement(other) >= COMPLEMENTS
    }
}

/// The rules that stay: one of those that say the same.
fn without_variants<'ledger>(
    cases: Vec<RuleCases<'ledger>>,
    replaced_by: &mut [Option<usize>],
) -> Vec<RuleCases<'ledger>> {
    for one in &cases {
        replaced_by[one.place] = cases
            .iter()
            .find(|two| {
                two.place != one.place
                    && replaced_by[two.place].is_none()
                    && one.says_the_same(two)
                    && is_weaker(one, two)
            })
            .map(|two| two.place);
    }
    cases.into_iter().filter(|one| replaced_by[one.place].is_none()).collect()
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

fn is_weaker(one: &RuleCases<'_>, two: &RuleCases<'_>) -> bool {
    let (mine, theirs) = (one.strength, two.strength);
    // Without a clear difference the rule that is stated stays.
    match (one.measured.is_stated, two.measured.is_stated) {
        (true, false) => theirs > mine * STRONGER,
        (false, true) => theirs * STRONGER >= mine,
        _ => theirs > mine || theirs >= mine && two.rule().conditions < one.rule().conditions,
    }
}

/// The rule that explains the one at a place, of those that overlap with it the one that does so most.
fn explaining(
    rules: &[RuleCases<'_>],
    place: usize,
    window: &Window,
    outcome: &Outcomes<'_>,
) -> Option<usize> {
    let one = &rules[place];
    let others = rules.iter().enumerate().filter(|(other, _)| *other != place);
    let mut others: Vec<(f64, &RuleCases<'_>)> = others.map(|(_, two)| (one.agreement(two), two)).collect();
    others.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()).then(a.1.place.cmp(&b.1.place)));
    others.truncate(NEIGHBOURS);
    let apart: Vec<&RuleCases<'_>> = others.iter().map(|(_, two)| *two).collect();
    let mut explain = others.iter().filter(|(agreement, two)| {
        *agreement >= LEAST_CORRELATION && is_explained(one, two, &apart, window, outcome)
    });
    explain.next().map(|(_, two)| two.place)
}

/// Whether a rule rather has no effect than all of its effect in the cases that another one leaves.
///
/// The other's conditions are kept apart, and so are the cases of all further rules, which could hide or imitate the
/// effect among those that are left.
fn is_explained(
    one: &RuleCases<'_>,
    two: &RuleCases<'_>,
    apart: &[&RuleCases<'_>],
    window: &Window,
    outcome: &Outcomes<'_>,
) -> bool {
    let is_own =
        |condition: &&Condition| one.rule().conditions.iter().any(|own| own.path() == condition.path());
    let conditions = two.rule().conditions.iter().filter(|condition| !is_own(condition));
    let conditions: Vec<Vec<bool>> =
        conditions.map(|condition| members(window, outcome, std::slice::from_ref(condition))).collect();
    let further = apart.iter().filter(|other| other.place != two.place).map(|other| &other.holds);
    let columns: Vec<&Vec<bool>> = further.chain(&conditions).collect();
    let sign = if one.rule().higher { 1.0 } else { -1.0 };
    let row = |row: usize| (one.holds[row], sign * outcome.rows[row].1);
    let stratum = |row: usize| columns.iter().fold(0_u64, |bits, column| bits << 1 | u64::from(column[row]));
    let all = (0..outcome.rows.len()).map(|place| (0, row(place).0, row(place).1));
    let left = (0..outcome.rows.len()).filter(|place| !two.holds[*place]);
    let left = left.map(|place| (stratum(place), row(place).0, row(place).1));
    let (Some(whole), Some(rest)) = (difference(all), difference(left)) else { return false };
    let ratio = whole.mean * (whole.mean / 2.0 - rest.mean) / rest.error.powi(2);
    whole.mean >= PRESENT * whole.error && ratio >= ABSENT
}

/// Correlation of two columns of yes and no.
fn correlation(one: &[bool], two: &[bool]) -> f64 {
    let count =
        |is: &dyn Fn(bool, bool) -> bool| one.iter().zip(two).filter(|(a, b)| is(**a, **b)).count() as f64;
    let (all, a, b, both) = (one.len() as f64, count(&|a, _| a), count(&|_, b| b), count(&|a, b| a && b));
    let spread = (a * (all - a) * b * (all - b)).sqrt();
    if spread > 0.0 { (all * both - a * b) / spread } else { 0.0 }
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
    use crate::consolidate::discovery::subgroups::split;
    use crate::consolidate::discovery::window::EpisodeTime;
    use crate::model::Id;

    /// Decisions with two independent numbers and two actions, whose outcome has noise and what the rules add.
    fn window(effect: impl Fn(f64, f64, bool) -> f64) -> Window {
        let mut window = Window::default();
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for position in 0..1_024 {
            let (momentum, volatility, is_long) = (draw(), draw(), draw() < 0.5);
            let noise = (draw() + draw() + draw() + draw() - 2.0) * 3.0_f64.sqrt();
            let mut put = |name: &str, number| {
                window.numbers.entry(name.to_owned()).or_default().push((position, number));
            };
            put("momentum", momentum);
            put("volatility", volatility);
            put("pnl", 0.8 * noise + effect(momentum, volatility, is_long));
            let word = if is_long { "long" } else { "short" };
            window.words.entry(("action".to_owned(), word.to_owned())).or_default().push(position);
            window.moments.push(EpisodeTime { id: Id::ABSENT, tick: position as u64, at: 0 });
        }
        window
    }

    fn rule(conditions: Vec<Condition>, higher: bool) -> Rule {
        Rule { conditions, outcome: "pnl".into(), higher }
    }

    fn long() -> Condition {
        Condition::Is("action".into(), "long".into())
    }

    fn at_least(path: &str, bound: f64) -> Condition {
        Condition::AtLeast(path.into(), bound)
    }

    fn at_most(path: &str, bound: f64) -> Condition {
        Condition::AtMost(path.into(), bound)
    }

    /// Whether each rule is redundant, measured on the window itself.
    fn replaced(rules: &[Rule], window: &Window) -> Vec<Option<usize>> {
        let rows = &window.numbers["pnl"];
        let outcome = Outcomes { name: "pnl", rows };
        let measured: Vec<(Statistic, Statistic)> = rules
            .iter()
            .map(|rule| split(&outcome, &members(window, &outcome, &rule.conditions)).unwrap())
            .collect();
        let rules: Vec<MeasuredRule<'_>> = rules
            .iter()
            .zip(&measured)
            .map(|(rule, (inside, outside))| MeasuredRule { rule, inside, outside, is_stated: true })
            .collect();
        redundant(&rules, window)
    }

    #[test]
    fn a_general_rule_is_redundant_where_a_special_case_has_all_of_its_effect() {
        let rules = [rule(vec![long()], true), rule(vec![at_least("momentum", 0.6), long()], true)];
        let gains = |momentum: f64, is_long: bool| f64::from(u8::from(is_long && momentum >= 0.6));
        assert_eq!(
            replaced(&rules, &window(|momentum, _, is_long| gains(momentum, is_long))),
            [Some(1), None]
        );
        // Where the other long trades gain as well, both say something.
        let both = window(|momentum, _, is_long| gains(momentum, is_long) + if is_long { 0.5 } else { 0.0 });
        assert_eq!(replaced(&rules, &both), [None, None]);
    }

    #[test]
    fn a_rule_about_the_rest_is_redundant_where_a_case_outside_has_all_of_its_effect() {
        let rules = [
            rule(vec![at_most("volatility", 0.5)], false),
            rule(vec![at_least("volatility", 0.48), long()], true),
        ];
        let gains = |volatility: f64, is_long: bool| f64::from(u8::from(is_long && volatility >= 0.5));
        let one = window(|_, volatility, is_long| gains(volatility, is_long));
        assert_eq!(replaced(&rules, &one), [Some(1), None]);
        // Calm episodes that lose are worth a rule of their own.
        let losses = |volatility: f64| if volatility <= 0.5 { -0.7 } else { 0.0 };
        let both = window(|_, volatility, is_long| gains(volatility, is_long) + losses(volatility));
        assert_eq!(replaced(&rules, &both), [None, None]);
    }

    #[test]
    fn a_rule_is_kept_where_other_rules_hide_its_effect_in_the_rest() {
        // Volatility costs .7 always. Beside calm long trades are only volatile long ones, which gain by momentum.
        let true_ones = |momentum: f64, volatility: f64, is_long: bool| {
            f64::from(u8::from(is_long && momentum >= 0.5)) - if volatility >= 0.75 { 0.7 } else { 0.0 }
        };
        let rules = [
            rule(vec![at_least("volatility", 0.75)], false),
            rule(vec![at_most("volatility", 0.7), long()], true),
            rule(vec![at_least("momentum", 0.5), long()], true),
        ];
        // The one between them adds nothing to the two that hold.
        let found = replaced(&rules, &window(true_ones));
        assert!(found[0].is_none() && found[1].is_some() && found[2].is_none(), "{found:?}");
    }

    #[test]
    fn of_a_rule_and_its_complement_one_stays() {
        let rules =
            [rule(vec![at_most("volatility", 0.73)], true), rule(vec![at_least("volatility", 0.727)], false)];
        let costs = window(|_, volatility, _| if volatility >= 0.727 { -0.7 } else { 0.0 });
        assert_eq!(replaced(&rules, &costs).iter().flatten().count(), 1);
        let words =
            [rule(vec![long()], true), rule(vec![Condition::Is("action".into(), "short".into())], false)];
        let gains = window(|_, _, is_long| if is_long { 0.7 } else { 0.0 });
        assert_eq!(replaced(&words, &gains).iter().flatten().count(), 1);
    }

    #[test]
    fn of_rules_that_differ_in_bounds_the_stronger_stays() {
        let of = |bound| rule(vec![at_least("momentum", bound)], true);
        let gains = window(|momentum, _, _| if momentum >= 0.7 { 0.7 } else { 0.0 });
        assert_eq!(replaced(&[of(0.5), of(0.7)], &gains), [Some(1), None]);
    }
}
