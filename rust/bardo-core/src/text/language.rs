//! Identifies the language of a text by its script and its trigrams of letters.

/// Language of a text as its ISO 639-3 code, and the confidence in it from 0 to 1; `None` if no letter has a known script.
///
/// The confidence is the lead over the next language, so that a few words alone, or two close languages, give little.
#[must_use]
pub fn identify_language(text: &str) -> Option<(&'static str, f64)> {
    whatlang::detect(text).map(|found| (found.lang().code(), found.confidence()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_script_and_letters() {
        for (text, code) in [
            ("Με λένε Νίκο και μένω στη Θεσσαλονίκη", "ell"),
            ("Käyn lääkärissä joka tiistai", "fin"),
            ("The boiler is serviced every October", "eng"),
        ] {
            let (found, confidence) = identify_language(text).expect("a language");
            assert_eq!(found, code, "{text}");
            assert!(confidence > 0.5, "{text}: {confidence}");
        }
    }

    #[test]
    fn a_text_without_letters_of_a_known_script_has_no_language() {
        assert_eq!(identify_language("12:30 🎉"), None);
        assert_eq!(identify_language("ꯀꯔꯤ ꯇꯧꯔꯤ ꯅꯪ"), None);
        assert_eq!(identify_language(""), None);
    }
}
