//! Words that limit a statement to a case, a time, a part, a degree or a speaker. A statement with such a word says
//! less than the same statement without it, or says it with less certainty.

/// Effect of a word on its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Qualifier {
    /// Statement reported from another speaker.
    Report,
    /// Guess, wish or plan.
    Guess,
    /// Restriction to some cases.
    Condition,
    /// Exclusion of cases or parts.
    Part,
    /// Restriction to a while, or to now and then.
    Passing,
    /// Addition to the existing.
    Addition,
}

use Qualifier::{Addition, Condition, Guess, Part, Passing, Report};

/// Verbs that introduce a reported statement, with or without "that".
pub(crate) const REPORTING: &[&str] = &[
    "announced",
    "argue",
    "argued",
    "argues",
    "assumed",
    "assumes",
    "believe",
    "believed",
    "believes",
    "claim",
    "claimed",
    "claims",
    "doubt",
    "doubted",
    "doubts",
    "estimated",
    "estimates",
    "guess",
    "guesses",
    "heard",
    "insisted",
    "insists",
    "mentioned",
    "mentions",
    "posted",
    "read",
    "reported",
    "reports",
    "said",
    "saw",
    "say",
    "says",
    "showed",
    "shows",
    "state",
    "states",
    "suggested",
    "suggests",
    "suspect",
    "suspects",
    "think",
    "thinks",
    "thought",
    "told",
    "wrote",
];

/// Words that make a statement a guess.
pub(crate) const GUESSING: &[&str] = &[
    "about",
    "allegedly",
    "almost",
    "apparently",
    "approximately",
    "could",
    "likely",
    "may",
    "maybe",
    "might",
    "nearly",
    "perhaps",
    "possibly",
    "presumably",
    "probably",
    "reportedly",
    "roughly",
    "seemingly",
    "supposedly",
];

/// All other qualifying words, by effect.
const OTHERS: &[(Qualifier, &[&str])] = &[
    (Report, &["according", "alleged", "rumour", "rumor", "rumoured", "rumored"]),
    (
        Guess,
        &[
            "appeared",
            "appears",
            "expected",
            "expects",
            "hopes",
            "intends",
            "planned",
            "planning",
            "plans",
            "seem",
            "seemed",
            "seems",
            "should",
            "tentatively",
            "wants",
            "whether",
            "wishes",
            "would",
        ],
    ),
    (
        Condition,
        &[
            "assuming", "case", "if", "once", "provided", "unless", "when", "whenever", "where", "wherever",
            "while",
        ],
    ),
    (
        Part,
        &[
            "any",
            "besides",
            "both",
            "except",
            "excluding",
            "few",
            "gradually",
            "half",
            "largely",
            "least",
            "mainly",
            "most",
            "mostly",
            "one",
            "only",
            "part",
            "partially",
            "partly",
            "several",
            "some",
        ],
    ),
    (
        Passing,
        &[
            "briefly",
            "during",
            "formerly",
            "holiday",
            "lunch",
            "normally",
            "occasionally",
            "often",
            "once",
            "previously",
            "provisionally",
            "rarely",
            "seldom",
            "sometimes",
            "temporarily",
            "temporary",
            "tonight",
            "trip",
            "until",
            "till",
            "usually",
            "vacation",
            "visit",
            "weekend",
        ],
    ),
    (Addition, &["additional", "additionally", "also", "another", "second", "too"]),
];

/// Effect of a lower-case word on its statement.
pub(crate) fn qualifier(word: &str) -> Option<Qualifier> {
    if REPORTING.contains(&word) {
        return Some(Report);
    }
    if GUESSING.contains(&word) {
        return Some(Guess);
    }
    OTHERS.iter().find(|(_, words)| words.contains(&word)).map(|(qualifier, _)| *qualifier)
}
