//! Describes a token by its characters alone: classes, runs, and the forms of names that are public.

/// Class of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Digit,
    Upper,
    Lower,
    /// A letter of a script without case.
    Other,
    Sign(char),
}

impl Class {
    fn of(character: char) -> Self {
        match character {
            _ if character.is_numeric() => Self::Digit,
            _ if character.is_uppercase() => Self::Upper,
            _ if character.is_lowercase() => Self::Lower,
            _ if character.is_alphabetic() => Self::Other,
            _ => Self::Sign(character),
        }
    }

    /// Number of the class, or of its sign.
    pub(super) fn code(self) -> u64 {
        match self {
            Self::Digit => 1,
            Self::Upper => 2,
            Self::Lower => 3,
            Self::Other => 4,
            Self::Sign(sign) => 16 + u64::from(u32::from(sign)),
        }
    }
}

/// Characters of one class in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub class: Class,
    pub length: usize,
}

/// Public forms of a token, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    None,
    Year,
    Date,
    Uuid,
    Version,
    Decimal,
    Unit,
    Money,
    Hash,
    Reference,
    Name,
    File,
    Variable,
    Masked,
    Address,
}

/// Shape of a token.
pub(super) struct Shape {
    pub runs: Vec<Run>,
    pub form: Form,
    /// Which classes occur: digits, capitals, small letters, signs.
    pub has: [bool; 4],
    /// How letters are cased, and for a number its length; the coarsest description of a token.
    pub coarse: u64,
    /// Characters, in steps that grow.
    pub length: u64,
}

/// Number of characters up to which each length is told apart, and the steps beyond.
const LENGTHS: [usize; 10] = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24];
/// Minimum number of characters of a hash.
const HASH: usize = 6;

/// Describes a token.
pub(super) fn shape(token: &[char]) -> Shape {
    let mut runs: Vec<Run> = Vec::new();
    for &character in token {
        let class = Class::of(character);
        match runs.last_mut() {
            Some(run) if run.class == class => run.length += 1,
            _ => runs.push(Run { class, length: 1 }),
        }
    }
    let any = |wanted: fn(Class) -> bool| runs.iter().any(|run| wanted(run.class));
    let has = [
        any(|class| class == Class::Digit),
        any(|class| class == Class::Upper),
        any(|class| matches!(class, Class::Lower | Class::Other)),
        any(|class| matches!(class, Class::Sign(_))),
    ];
    let length = LENGTHS.iter().position(|&longest| token.len() <= longest).unwrap_or(LENGTHS.len()) as u64;
    Shape { coarse: coarse(&runs, has, length), form: form(token, &runs, has), runs, has, length }
}

fn coarse(runs: &[Run], [digit, upper, lower, sign]: [bool; 4], length: u64) -> u64 {
    let classes = u64::from(digit) | u64::from(upper) << 1 | u64::from(lower) << 2 | u64::from(sign) << 3;
    let is_number = digit && !upper && !lower;
    let is_capitalised =
        matches!(runs, [Run { class: Class::Upper, length: 1 }, Run { class: Class::Lower, .. }]);
    classes | u64::from(is_capitalised) << 4 | if is_number { (length + 1) << 5 } else { 0 }
}

fn form(token: &[char], runs: &[Run], [digit, upper, lower, sign]: [bool; 4]) -> Form {
    use Class::{Digit, Lower, Sign, Upper};
    let classes: Vec<Class> = runs.iter().map(|run| run.class).collect();
    let lengths: Vec<usize> = runs.iter().map(|run| run.length).collect();
    let joined =
        |signs: &str| classes.iter().all(|class| !matches!(class, Sign(one) if !signs.contains(*one)));
    match classes.as_slice() {
        [Digit] if lengths[0] == 4 && matches!(token[..2], ['1', '9'] | ['2', '0']) => Form::Year,
        [Digit, Sign('-' | '.'), Digit, Sign('-' | '.'), Digit, ..] if is_date(&lengths) => Form::Date,
        [Digit, Sign('.' | ','), Digit] => Form::Decimal,
        [Sign('$' | '€' | '£' | '¥'), Digit, ..] | [Digit, .., Sign('$' | '€' | '£' | '¥' | '%')] => {
            Form::Money
        }
        [Digit, Lower | Upper] | [Digit, Sign('.' | ','), Digit, Lower | Upper]
            if lengths.last().is_some_and(|&letters| letters <= 3) =>
        {
            Form::Unit
        }
        [Sign('$' | '%'), ..] => Form::Variable,
        _ if classes.contains(&Sign('@')) && classes.contains(&Sign('.')) && joined("@.-_+") => Form::Address,
        _ if token.iter().filter(|one| "*•".contains(**one)).count() >= 3
            || token.windows(3).any(|three| three.iter().all(|one| *one == '.' || *one == 'x')) =>
        {
            Form::Masked
        }
        _ if is_uuid(token) => Form::Uuid,
        _ if !sign
            && token.len() >= HASH
            && digit
            && token.iter().all(char::is_ascii_hexdigit)
            && upper != lower =>
        {
            Form::Hash
        }
        _ if digit && joined(".-+") && is_version(&classes) => Form::Version,
        [Upper, Digit, ..] | [Upper, Sign('-' | '#'), Digit, ..] if joined("-#_") && lengths[0] <= 6 => {
            Form::Reference
        }
        _ if sign && joined("_-") && upper != lower && !matches!(classes[0], Digit) => Form::Name,
        _ if sign && joined("._-") && matches!(classes.last(), Some(Lower)) && lengths.last() <= Some(&5) => {
            Form::File
        }
        _ => Form::None,
    }
}

fn is_date(lengths: &[usize]) -> bool {
    matches!(lengths, [4, 1, 2, 1, 2, ..] | [1 | 2, 1, 1 | 2, 1, 2 | 4])
}

fn is_version(classes: &[Class]) -> bool {
    let numbers = if classes[0] == Class::Lower { &classes[1..] } else { classes };
    matches!(numbers, [Class::Digit, Class::Sign('.'), Class::Digit, Class::Sign('.'), Class::Digit, ..])
}

fn is_uuid(token: &[char]) -> bool {
    token.len() == 36
        && token.iter().enumerate().all(|(place, &one)| {
            if matches!(place, 8 | 13 | 18 | 23) { one == '-' } else { one.is_ascii_hexdigit() }
        })
}

/// Shannon entropy of a token, in bits per character.
pub(super) fn entropy(token: &[char]) -> f64 {
    let mut sorted = token.to_vec();
    sorted.sort_unstable();
    let total = token.len() as f64;
    sorted
        .chunk_by(|one, other| one == other)
        .map(|same| same.len() as f64 / total)
        .map(|share| -share * share.log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formed(token: &str) -> Form {
        shape(&token.chars().collect::<Vec<_>>()).form
    }

    #[test]
    fn public_forms_are_told_apart() {
        for (token, form) in [
            ("2026", Form::Year),
            ("7731", Form::None),
            ("2026-03-01", Form::Date),
            ("1.3.2026", Form::Date),
            ("4.2.1", Form::Version),
            ("v1.20.3-rc1", Form::Version),
            ("3.5", Form::Decimal),
            ("38ms", Form::Unit),
            ("€12", Form::Money),
            ("0f3b9a61c7", Form::Hash),
            ("e36d98c2-4090-4abc-abea-ceb46c02e542", Form::Uuid),
            ("INC-0093382", Form::Reference),
            ("DB_API_KEY", Form::Name),
            ("deploy.staging.sh", Form::File),
            ("$TOKEN", Form::Variable),
            ("****", Form::Masked),
            ("a.b@c.org", Form::Address),
            ("Tr0ub4dor&3", Form::None),
        ] {
            assert_eq!(formed(token), form, "{token}");
        }
    }

    #[test]
    fn entropy_is_zero_for_one_letter_and_log2_for_distinct_ones() {
        assert!(entropy(&['a'; 8]).abs() < 1e-9);
        assert!((entropy(&['a', 'b', 'c', 'd']) - 2.0).abs() < 1e-9);
    }
}
