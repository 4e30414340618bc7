//! Identifiers and counters: numbers that name or order things. They measure nothing, so that they get no mean and make no
//! condition of a rule.

use std::sync::LazyLock;

/// Names of numbers by what they say, from `identifier_names.txt`.
static NAMES: LazyLock<Vec<(Name, &str)>> = LazyLock::new(|| {
    let lines = include_str!("identifier_names.txt").lines().filter_map(|line| line.split_once(':'));
    let named = lines.filter_map(|(kind, names)| {
        let kind = match kind {
            "name" => Name::Identifier,
            "label" => Name::Label,
            "position" => Name::Position,
            _ => return None,
        };
        Some(names.split(',').map(move |name| (kind, name.trim())))
    });
    named.flatten().collect()
});
/// Minimum number of digits of numbers that all have the same number of digits, to be identifiers.
const DIGITS: i32 = 4;
/// Numbers from which on a sequence shows whether it counts.
const LEAST: usize = 32;
/// Share of distinct numbers among those of an ambiguous name.
const DISTINCT: f64 = 0.95;
/// Share of steps that a counter takes upward.
const RISING: f64 = 0.95;
/// Distinct numbers of a counter that repeats each (a build, a lap, a day of uptime), and never falls.
const LEVELS: usize = 5;

/// Whether the numbers under a path, in the order of time, identify or count rather than measure.
pub(crate) fn is_identifier(path: &str, numbers: impl Iterator<Item = f64> + Clone) -> bool {
    let count = numbers.clone().count();
    if count == 0 || !numbers.clone().all(is_whole) {
        return false;
    }
    match name_of(path) {
        Name::Identifier => true,
        Name::Label | Name::Position if count < 3 => false,
        Name::Label if have_same_digits(numbers.clone()) => distinct(numbers) >= DISTINCT,
        Name::Label | Name::Position => distinct(numbers.clone()) >= DISTINCT && is_rising(numbers, count),
        Name::Other if count < LEAST => false,
        Name::Other if distinct(numbers.clone()) >= DISTINCT => is_rising(numbers, count),
        Name::Other => never_falls(numbers.clone()) && levels(numbers) >= LEVELS,
    }
}

/// Whether more numbers go on where a sequence that counts had come to: all lie above its greatest, and rise.
pub(crate) fn continues(greatest: f64, numbers: impl Iterator<Item = f64> + Clone) -> bool {
    let count = numbers.clone().count();
    numbers.clone().all(|number| is_whole(number) && number > greatest) && is_rising(numbers, count)
}

/// Kind of a number by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    /// Whole numbers under it are identifiers.
    Identifier,
    /// Whole numbers that never repeat are identifiers if they rise, or have the same number of digits.
    Label,
    /// Whole numbers that never repeat are a counter if they rise.
    Position,
    Other,
}

fn name_of(path: &str) -> Name {
    let words = words(path).join(" ");
    let is_last = |name: &str| {
        words.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with(' '))
    };
    // The longest name decides: `order no` before `no`.
    let named = NAMES.iter().filter(|(_, name)| is_last(name)).max_by_key(|(_, name)| name.len());
    named.map_or(Name::Other, |(kind, _)| *kind)
}

/// Words of a path in lower case, without digits at their end: `meta.traceId2` is "meta trace id".
fn words(path: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for letter in path.chars().chain(['.']) {
        if !letter.is_alphanumeric() || letter.is_uppercase() && was_lower {
            let whole = std::mem::take(&mut word);
            let named = whole.trim_end_matches(|letter: char| letter.is_numeric());
            words.extend((!named.is_empty()).then(|| named.to_owned()));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words
}

fn have_same_digits(numbers: impl Iterator<Item = f64>) -> bool {
    let mut digits = numbers.map(|number| if number < 1.0 { 0 } else { number.log10().floor() as i32 + 1 });
    digits.next().is_some_and(|first| first >= DIGITS && digits.all(|other| other == first))
}

fn is_whole(number: f64) -> bool {
    number.fract() == 0.0
}

fn distinct(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    levels(numbers.clone()) as f64 / numbers.count().max(1) as f64
}

fn levels(numbers: impl Iterator<Item = f64>) -> usize {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    sorted.len()
}

fn never_falls(numbers: impl Iterator<Item = f64> + Clone) -> bool {
    numbers.clone().zip(numbers.skip(1)).all(|(before, after)| after >= before)
}

fn is_rising(numbers: impl Iterator<Item = f64> + Clone, count: usize) -> bool {
    let steps = numbers.clone().zip(numbers.skip(1));
    let rising = steps.filter(|(before, after)| after >= before).count();
    count < 2 || rising as f64 >= RISING * (count - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, numbers: &[f64]) -> bool {
        is_identifier(path, numbers.iter().copied())
    }

    #[test]
    fn names_of_identifiers_are_recognised_by_their_last_word() {
        for path in ["aave.block", "orderId", "tx_hash", "meta.trace-id", "timestamp", "user_id2"] {
            assert!(check(path, &[19_000_123.0]), "{path}");
        }
        for path in
            ["account_number", "account.number", "order no", "zip", "zipCode", "db.port", "home_phone"]
        {
            assert!(check(path, &[8080.0, 8080.0, 443.0]), "{path}");
        }
        for path in
            ["pnl", "blocked", "liquid", "fluid", "block.lag", "ports", "port.latency", "ticket_count"]
        {
            assert!(!check(path, &[3.0, 1.0, 2.0]), "{path}");
        }
        assert!(!check("id", &[0.5]), "a fraction measures");
    }

    #[test]
    fn a_height_that_repeats_is_measured_and_one_that_rises_counts() {
        assert!(!check("height", &[183.0, 176.0, 183.0, 169.0]));
        assert!(check("height", &[19_000_001.0, 19_000_002.0, 19_000_007.0]));
    }

    #[test]
    fn labels_of_one_length_that_never_repeat_are_identifiers() {
        assert!(check("locker_number", &[50_412.0, 10_977.0, 83_340.0]));
        assert!(!check("locker_number", &[50_412.0, 10_977.0, 50_412.0]));
        assert!(!check("number", &[12.0, 90.0, 41.0]), "two digits count things, too");
        assert!(!check("height", &[5_041.0, 1_097.0, 8_334.0]), "a height is measured unless it rises");
    }

    #[test]
    fn whole_numbers_that_repeat_and_never_fall_are_a_counter() {
        let build: Vec<f64> = (0..64).map(|step| f64::from(7_000 + step / 9)).collect();
        assert!(check("build", &build));
        let replicas: Vec<f64> = (0..64).map(|step| f64::from(3 + step / 30)).collect();
        assert!(!check("replicas", &replicas), "three levels may be chance");
        let mut fell = build;
        fell[40] = 7_001.0;
        assert!(!check("build", &fell));
    }

    #[test]
    fn whole_numbers_that_only_rise_are_a_counter_under_any_name() {
        let counter: Vec<f64> = (0..40).map(|step| f64::from(1_000 + 3 * step)).collect();
        assert!(check("n", &counter));
        let measured: Vec<f64> = (0..40).map(|step| f64::from((step * 7) % 13)).collect();
        assert!(!check("n", &measured));
        assert!(continues(1_117.0, [1_120.0, 1_123.0].into_iter()));
        assert!(!continues(1_117.0, [1_120.0, 1_100.0].into_iter()));
    }
}
