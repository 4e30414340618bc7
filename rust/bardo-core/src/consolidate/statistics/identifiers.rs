//! Identifiers and counters: numbers that name or order things. They measure nothing, so that they get no mean and make no
//! condition of a rule.

/// Last words of the name of an identifier.
const NAMES: [&str; 13] = [
    "id",
    "ids",
    "uuid",
    "guid",
    "hash",
    "nonce",
    "seq",
    "sequence",
    "block",
    "timestamp",
    "epoch",
    "lsn",
    "txid",
];
/// Last words of a name that say identifier only where the numbers never repeat.
const AMBIGUOUS: [&str; 9] = ["number", "no", "height", "index", "slot", "offset", "cursor", "ts", "serial"];
/// Numbers from which on a sequence shows whether it counts.
const LEAST: usize = 32;
/// Share of distinct numbers among those of an ambiguous name.
const DISTINCT: f64 = 0.95;
/// Share of steps that a counter takes upward.
const RISING: f64 = 0.95;

/// Whether the numbers under a path, in the order of time, identify or count rather than measure.
pub(crate) fn is_identifier(path: &str, numbers: impl Iterator<Item = f64> + Clone) -> bool {
    let count = numbers.clone().count();
    if count == 0 || !numbers.clone().all(is_whole) {
        return false;
    }
    match name_of(path) {
        Name::Identifier => true,
        Name::Ambiguous if count >= 3 => distinct(numbers.clone()) >= DISTINCT && is_rising(numbers, count),
        _ => count >= LEAST && distinct(numbers.clone()) >= DISTINCT && is_rising(numbers, count),
    }
}

/// Whether more numbers go on where a sequence that counts had come to: all lie above its greatest, and rise.
pub(crate) fn continues(greatest: f64, numbers: impl Iterator<Item = f64> + Clone) -> bool {
    let count = numbers.clone().count();
    numbers.clone().all(|number| is_whole(number) && number > greatest) && is_rising(numbers, count)
}

enum Name {
    Identifier,
    Ambiguous,
    Other,
}

fn name_of(path: &str) -> Name {
    let last = path.rsplit('.').next().unwrap_or(path);
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for letter in last.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && was_lower {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words.extend((!word.is_empty()).then_some(word));
    match words.last().map(String::as_str) {
        Some(last) if NAMES.contains(&last) => Name::Identifier,
        // `block_number`, `order no`: what is numbered has a name of its own.
        Some(last) if AMBIGUOUS.contains(&last) => Name::Ambiguous,
        _ => Name::Other,
    }
}

fn is_whole(number: f64) -> bool {
    number.fract() == 0.0
}

fn distinct(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.collect();
    let count = sorted.len();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    sorted.len() as f64 / count.max(1) as f64
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
        for path in ["aave.block", "orderId", "tx_hash", "meta.trace-id", "timestamp"] {
            assert!(check(path, &[19_000_123.0]), "{path}");
        }
        for path in ["pnl", "blocked", "liquid", "fluid", "block.lag"] {
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
    fn whole_numbers_that_only_rise_are_a_counter_under_any_name() {
        let counter: Vec<f64> = (0..40).map(|step| f64::from(1_000 + 3 * step)).collect();
        assert!(check("n", &counter));
        let measured: Vec<f64> = (0..40).map(|step| f64::from((step * 7) % 13)).collect();
        assert!(!check("n", &measured));
        assert!(continues(1_117.0, [1_120.0, 1_123.0].into_iter()));
        assert!(!continues(1_117.0, [1_120.0, 1_100.0].into_iter()));
    }
}
