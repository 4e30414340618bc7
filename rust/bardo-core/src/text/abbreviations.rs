//! Abbreviations of English whose full stop ends no sentence, by the word before the stop and by what follows it.

use std::ops::Range;

use super::stop_words::is_stop_word;

/// Abbreviations before a name.
const BEFORE_NAME: &[&str] = &[
    "capt", "cllr", "col", "cpl", "dr", "fr", "ft", "gen", "gov", "hon", "insp", "lt", "messrs", "mr", "mrs",
    "ms", "mt", "mx", "prof", "rev", "sen", "sgt", "st", "supt",
];

/// Abbreviations before a figure. Without one, "no" is an answer.
const BEFORE_FIGURE: &[&str] = &[
    "apt", "art", "bldg", "ca", "ch", "fig", "figs", "fl", "max", "min", "no", "nos", "nr", "p", "para",
    "pp", "rm", "sec", "v", "ver", "vol",
];

/// Abbreviations before a figure, a name, or the rest of a sentence.
const WITHIN: &[&str] = &[
    "approx", "asst", "c.f", "cf", "dept", "e.g", "eg", "esp", "est", "excl", "ext", "extn", "i.e", "ie",
    "incl", "mgr", "resp", "tel", "viz", "vs",
];

/// Kind of the word behind an abbreviation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Figure,
    /// A capitalised word that can be a name: no "She" or "The".
    Name,
    /// A word in lower case.
    Rest,
    Other,
}

/// The abbreviations of a text whose full stop ends no sentence, with their stops, as ranges of bytes in order.
#[must_use]
pub fn abbreviations(text: &str) -> Vec<Range<usize>> {
    text.match_indices('.')
        .filter_map(|(stop, _)| {
            let start = begin_of_word(&text[..stop]);
            let word = text[start..stop].to_lowercase();
            let known = |list: &[&str]| list.contains(&word.as_str());
            let is_open = match next(&text[stop + 1..]) {
                Next::Figure => known(BEFORE_FIGURE) || known(WITHIN),
                Next::Name => known(BEFORE_NAME) || known(WITHIN),
                Next::Rest => known(WITHIN),
                Next::Other => false,
            };
            is_open.then_some(start..stop + 1)
        })
        .collect()
}

/// Offset of the first letter of the word at the end of a text; a word can have stops within, such as "e.g".
fn begin_of_word(text: &str) -> usize {
    text.char_indices()
        .rev()
        .take_while(|(_, letter)| letter.is_alphanumeric() || *letter == '.')
        .last()
        .map_or(text.len(), |(place, _)| place)
}

fn next(after: &str) -> Next {
    let rest = after.trim_start_matches([' ', '\t']);
    if rest.len() == after.len() {
        return Next::Other;
    }
    let word = rest.trim_start_matches(['"', '\'', '“', '‘', '(', '#', '+', '~', '$', '€', '£']);
    let name: String = word.chars().take_while(|letter| letter.is_alphabetic()).collect();
    match word.chars().next() {
        Some(first) if first.is_numeric() => Next::Figure,
        Some(first) if first.is_uppercase() && !is_stop_word(&name.to_lowercase()) => Next::Name,
        Some(first) if first.is_lowercase() => Next::Rest,
        _ => Next::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        abbreviations(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn an_abbreviation_before_a_figure_or_a_name_ends_no_sentence() {
        assert_eq!(of("The manager is Joaquim, ext. 0171."), ["ext."]);
        assert_eq!(
            of("See no. 14, approx. 20 m from St. Mary's, e.g. Dr. Chen vs. Prof. Roe"),
            ["no.", "approx.", "St.", "e.g.", "Dr.", "vs.", "Prof."]
        );
        assert_eq!(of("Ask dept. Head Anna (tel. +44 171)"), ["dept.", "tel."]);
    }

    #[test]
    fn a_stop_that_ends_a_sentence_is_none() {
        assert!(of("The answer is no. Anna left. No. She stayed on the ext. The end.").is_empty());
        assert!(
            of("We met in the dept. She paid. I live on Baker St. It is noisy. no. it is not").is_empty()
        );
        assert!(of("v1.2.3 of example.com, no.14").is_empty());
    }
}
