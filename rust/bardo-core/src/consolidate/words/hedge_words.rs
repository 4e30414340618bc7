//! Hedges: words that mark a statement as reported or as a guess.

use crate::text::qualifiers::{GUESSING, REPORTING};

/// Those of the verbs of reporting that take the contrary for true.
const DOUBTING: &[&str] = &["doubt", "doubted", "doubts"];
/// The same before "to": "seems to be".
const SEEMING: &[&str] = &["appeared", "appears", "seemed", "seems"];

/// Removes the hedge of a guess or of reported speech from a text; `None` if it has none.
pub(in crate::consolidate) fn without_hedges(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare: Vec<String> = words.iter().map(|word| plain(word)).collect();
    if bare.len() > 3 && bare[0] == "according" && bare[1] == "to" {
        let end = words.iter().position(|word| word.ends_with(','))?;
        return Some(words[end + 1..].join(" "));
    }
    let is_said = |at: usize| REPORTING.contains(&bare[at].as_str());
    if let Some(at) = (1..bare.len().saturating_sub(1)).find(|&at| is_said(at)) {
        let mut from = at + 1;
        // "told me that"
        if let Some(that) = (from..bare.len().min(from + 3)).find(|&at| bare[at] == "that") {
            from = that + 1;
        } else if words.get(from).is_some_and(|word| word.starts_with(|letter: char| letter.is_ascii_digit()))
        {
            // A reported figure is a measurement: "the sensor reports 4".
            return Some([&words[..at], &["has"], &words[from..]].concat().join(" "));
        }
        if DOUBTING.contains(&bare[at].as_str()) {
            return Some(format!("It is not true that {}", words[from..].join(" ")));
        }
        let speaker = words.first()?.trim_end_matches("'s").trim_end_matches("’s");
        let said =
            words[from..].iter().enumerate().map(|(place, word)| match (place, plain(word).as_str()) {
                (0, "he" | "she" | "they") => speaker.to_owned(),
                (0, "his" | "her" | "their") => format!("{speaker}'s"),
                _ => (*word).to_owned(),
            });
        return Some(said.collect::<Vec<_>>().join(" "));
    }
    let kept: Vec<&str> = (0..words.len())
        .filter(|&at| {
            let seems = |at: usize| SEEMING.contains(&bare[at].as_str());
            let is_month = at > 0 && words[at].starts_with("May");
            !((GUESSING.contains(&bare[at].as_str()) && !is_month)
                || (seems(at) && bare.get(at + 1).is_some_and(|next| next == "to"))
                || (at > 0 && bare[at] == "to" && seems(at - 1)))
        })
        .map(|at| words[at])
        .collect();
    (kept.len() < words.len()).then(|| kept.join(" "))
}

fn plain(word: &str) -> String {
    word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hedges_are_taken_off_and_what_is_plain_has_none() {
        for (hedged, plain) in [
            ("According to Jo, the tap drips", Some("the tap drips")),
            ("Jo claims that she never owned the boat", Some("Jo never owned the boat")),
            ("Jo's page says that his birthday is on 5 April", Some("Jo's birthday is on 5 April")),
            ("The date might slip to Friday", Some("The date slip to Friday")),
            ("The gauge reports 48 bar", Some("The gauge has 48 bar")),
            ("Jo seems to like tea", Some("Jo like tea")),
            ("Jo doubts that the tap drips", Some("It is not true that the tap drips")),
            ("The tap drips", None),
        ] {
            assert_eq!(without_hedges(hedged).as_deref(), plain, "{hedged}");
        }
    }
}
