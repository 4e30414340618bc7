//! Phrases that say how a statement stands to what was said before.

/// Effect of a phrase on the earlier statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// Takes it back.
    Retraction,
    /// Says that something is different now.
    Update,
    /// Leaves cases out.
    Exception,
    /// Gives it a time.
    Bound,
    /// Adds to it: both hold.
    Addition,
    /// Is no statement of what is so: a wish, a guess, a condition, reported speech.
    Unsure,
}

use Mark::{Addition, Bound, Exception, Retraction, Unsure, Update};

/// Phrases in lower case, words apart by one space; the longest that fits counts.
const PHRASES: &[(&str, Mark)] = &[
    ("a mistake", Retraction),
    ("any longer", Retraction),
    ("any more", Retraction),
    ("anymore", Retraction),
    ("disregard", Retraction),
    ("false that", Retraction),
    ("forget that", Retraction),
    ("gave up", Retraction),
    ("given up", Retraction),
    ("ignore that", Retraction),
    ("isn't true", Retraction),
    ("nicht mehr", Retraction),
    ("no longer", Retraction),
    ("not true", Retraction),
    ("quit", Retraction),
    ("retract", Retraction),
    ("scratch that", Retraction),
    ("stopped", Retraction),
    ("turned out to be false", Retraction),
    ("turned out to be wrong", Retraction),
    ("untrue that", Retraction),
    ("used to", Retraction),
    ("was mistaken", Retraction),
    ("was wrong", Retraction),
    ("were wrong", Retraction),
    ("became", Update),
    ("changed from", Update),
    ("changed to", Update),
    ("currently", Update),
    ("from now on", Update),
    ("has become", Update),
    ("increased to", Update),
    ("instead", Update),
    ("instead of", Update),
    ("lowered to", Update),
    ("migrated to", Update),
    ("moved from", Update),
    ("moved to", Update),
    ("now", Update),
    ("raised to", Update),
    ("reduced to", Update),
    ("relocated to", Update),
    ("renamed", Update),
    ("renamed to", Update),
    ("switched from", Update),
    ("switched to", Update),
    ("these days", Update),
    ("updated to", Update),
    ("was replaced by", Update),
    ("apart from", Exception),
    ("but not", Exception),
    ("except", Exception),
    ("except for", Exception),
    ("except when", Exception),
    ("mostly", Exception),
    ("not all", Exception),
    ("not always", Exception),
    ("not every", Exception),
    ("only", Exception),
    ("only some", Exception),
    ("other than", Exception),
    ("partially", Exception),
    ("partly", Exception),
    ("sometimes", Exception),
    ("unless", Exception),
    ("as of", Bound),
    ("between", Bound),
    ("during", Bound),
    ("effective", Bound),
    ("for now", Bound),
    ("for the time being", Bound),
    ("from", Bound),
    ("since", Bound),
    ("starting", Bound),
    ("temporarily", Bound),
    ("this month", Bound),
    ("this week", Bound),
    ("this year", Bound),
    ("till", Bound),
    ("today", Bound),
    ("until", Bound),
    ("also", Addition),
    ("as well", Addition),
    ("another", Addition),
    ("in addition", Addition),
    ("too", Addition),
    ("believes", Unsure),
    ("claims", Unsure),
    ("could", Unsure),
    ("if", Unsure),
    ("imagine", Unsure),
    ("may", Unsure),
    ("maybe", Unsure),
    ("might", Unsure),
    ("perhaps", Unsure),
    ("probably", Unsure),
    ("said", Unsure),
    ("says", Unsure),
    ("should", Unsure),
    ("suppose", Unsure),
    ("thinks", Unsure),
    ("whether", Unsure),
    ("wishes", Unsure),
    ("would", Unsure),
];

/// Words of the longest phrase.
const LONGEST: usize = 5;

/// The phrase that begins with the first of these words in lower case, and how many it takes.
pub(crate) fn phrase_at(words: &[&str]) -> Option<(Mark, usize)> {
    (1..=LONGEST.min(words.len())).rev().find_map(|length| {
        let said = words[..length].join(" ");
        PHRASES.iter().find(|(phrase, _)| *phrase == said).map(|(_, mark)| (*mark, length))
    })
}

/// Maps stems of verbs of equal meaning for residence, occupation and name to one stem.
pub(crate) fn synonym_stem(stem: &str) -> &str {
    match stem {
        "move" | "moved" | "reloc" | "resid" | "dwell" => "live",
        "employ" | "job" | "join" => "work",
        "call" | "renam" => "name",
        "owner" | "ownership" => "own",
        "drove" | "driven" => "drive",
        "took" | "taken" => "take",
        "held" => "hold",
        other => other,
    }
}
