//! How facts are put into words and filed.

use crate::model::limits;

/// A name without control characters and line ends, which could pass for structure in a prompt.
pub(crate) fn one_line(name: &str) -> String {
    let plain: String =
        name.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A path of one part below `parent`, which ends with a slash: what would divide it further is replaced.
pub(crate) fn category(parent: &str, name: &str) -> String {
    let mut name: String = name
        .chars()
        .map(|character| if character.is_control() || character == '/' { '_' } else { character })
        .collect();
    let room = limits::NAME_BYTES - parent.len();
    if name.len() > room {
        name.truncate(name.floor_char_boundary(room));
    }
    format!("{parent}{name}")
}

/// A number with four significant digits, in decimal notation unless it has a dozen zeros or more.
pub(crate) fn short(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-12..1e15).contains(&size) {
        return format!("{number:.3e}");
    }
    let decimals = 3.0 - size.log10().floor();
    if decimals < 0.0 {
        let unit = 10_f64.powf(-decimals);
        return format!("{:.0}", (number / unit).round() * unit);
    }
    let decimals = decimals as usize;
    let text = format!("{number:.decimals$}");
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_in_decimal_notation() {
        let told: Vec<String> =
            [19_004_512.0, -7.764e-5, 0.4074, 1234.56, 999_999.0, 1e-20].map(short).to_vec();
        assert_eq!(told, ["19000000", "-0.00007764", "0.4074", "1235", "1000000", "1.000e-20"]);
    }

    #[test]
    fn any_subject_makes_a_valid_category() {
        for subject in ["ETH/USDC", "../../etc", "\u{1}", &"滑".repeat(85)] {
            let category = category("baselines/", subject);
            assert!(category.len() <= limits::NAME_BYTES && category.matches('/').count() == 1, "{category}");
        }
    }
}
