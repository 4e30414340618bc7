//! Word lists by which a statement is taken apart.

/// Forms of "to be" and other words with which a predicate begins.
pub(in crate::consolidate) const AUXILIARIES: &[&str] = &[
    "am", "are", "be", "became", "become", "becomes", "been", "can", "could", "did", "didn't", "do", "does",
    "doesn't", "don't", "had", "has", "hasn't", "have", "haven't", "is", "isn't", "may", "might", "must",
    "never", "no", "not", "now", "should", "was", "wasn't", "were", "weren't", "will", "won't", "would",
    "also", "always", "already", "usually", "cost", "drive", "go", "help", "hold", "keep", "like", "live",
    "need", "play", "run", "take", "use", "work",
];
pub(in crate::consolidate) const COPULAS: &[&str] = &["am", "are", "is", "was", "were"];
/// Words that end a value.
pub(in crate::consolidate) const BOUNDARIES: &[&str] = &[
    "after", "and", "as", "at", "because", "before", "but", "by", "during", "for", "from", "if", "in",
    "into", "off", "on", "since", "so", "than", "though", "to", "until", "via", "when", "where", "which",
    "while", "who", "with", "within", "without",
];
/// Words that make a statement hold in some cases alone.
pub(in crate::consolidate) const CONDITIONS: &[&str] =
    &["if", "when", "whenever", "unless", "while", "during", "once", "where", "whose", "provided"];
/// Words that put something beside what there is.
pub(in crate::consolidate) const ADDING: &[&str] =
    &["additional", "additionally", "also", "another", "besides", "both", "second", "too"];
/// Words that date a change, and say nothing of its value.
pub(in crate::consolidate) const DATING: &[&str] = &[
    "ago",
    "autumn",
    "beginning",
    "day",
    "earlier",
    "end",
    "evening",
    "fall",
    "just",
    "last",
    "morning",
    "month",
    "noon",
    "recently",
    "since",
    "spring",
    "start",
    "summer",
    "today",
    "week",
    "winter",
    "year",
    "yesterday",
];
pub(in crate::consolidate) const DAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
    "sundays",
];
/// Verbs, by their stems, that say no more than that something is so.
pub(in crate::consolidate) const LIGHT: &[&str] =
    &["need", "requir", "take", "get", "keep", "kept", "have", "stand", "set", "charg", "pay", "run", "cost"];
/// Past forms that are not made by "-ed": what happened is no state.
pub(in crate::consolidate) const HAPPENED: &[&str] = &[
    "ate", "began", "bought", "broke", "brought", "came", "caught", "drew", "drove", "fell", "flew", "found",
    "gave", "got", "grew", "held", "hit", "lost", "made", "met", "paid", "ran", "rose", "said", "sang",
    "saw", "sent", "shot", "sold", "spent", "spoke", "took", "went", "won", "wrote",
];

/// Function words that neither bind nor widen a statement.
pub(in crate::consolidate) const PLAIN: &[&str] = &[
    "am", "are", "as", "at", "be", "been", "by", "did", "do", "does", "from", "has", "have", "her", "his",
    "in", "into", "is", "it", "its", "my", "of", "off", "on", "our", "that", "the", "their", "to", "up",
    "was", "were",
];
/// How many of [`DENYING`] follow a no.
pub(in crate::consolidate) const LATER_DENIALS: usize = 3;
/// Phrases that take back what was said.
pub(in crate::consolidate) const DENYING: &[&str] = &[
    "any longer",
    "any more",
    "anymore",
    "ceased",
    "gave up",
    "given up",
    "has stopped",
    "have stopped",
    "no longer",
    "quit",
    "stopped",
    "used to",
];
/// Phrases that say that a change is meant to last.
pub(in crate::consolidate) const FINAL: &[&str] = &[
    "definitively",
    "finally",
    "for good",
    "for ever",
    "forever",
    "permanently",
    "instead of",
    "rather than",
];
/// Phrases of one who takes what another had.
pub(in crate::consolidate) const TAKING: &[&str] =
    &["has taken over", "inherited", "taken over", "took over"];
/// Words that say that a clause speaks of the one before it.
pub(in crate::consolidate) const REFERRING: &[&str] =
    &["but", "however", "it", "its", "that", "then", "these", "this", "those", "which", "yet"];
/// States that do not pass, or are said of the moment at which they begin alone: "was paid", "was resumed".
pub(in crate::consolidate) const FINAL_STATES: &[&str] = &[
    "abandoned",
    "accepted",
    "approved",
    "canceled",
    "cancelled",
    "completed",
    "declined",
    "decommissioned",
    "discontinued",
    "divorced",
    "expired",
    "finished",
    "fixed",
    "included",
    "merged",
    "paid",
    "rejected",
    "removed",
    "reopened",
    "restarted",
    "restored",
    "resumed",
    "unpaused",
    "renewed",
    "repaired",
    "resolved",
    "revoked",
    "settled",
];
/// Verbs of change: before "to", "from" or "off" they say that a value took the place of another.
pub(in crate::consolidate) const CHANGING: &[&str] = &[
    "bumped",
    "changed",
    "climbed",
    "converted",
    "cut",
    "decreased",
    "delayed",
    "downgraded",
    "dropped",
    "extended",
    "fell",
    "flipped",
    "grew",
    "increased",
    "lowered",
    "migrated",
    "moved",
    "passed",
    "postponed",
    "pushed",
    "raised",
    "rebooked",
    "reduced",
    "relicensed",
    "relocated",
    "renamed",
    "replaced",
    "rescheduled",
    "risen",
    "rose",
    "shifted",
    "shortened",
    "slip",
    "slipped",
    "switched",
    "transferred",
    "transitioned",
    "turned",
    "updated",
    "upgraded",
    "went",
    "gone",
];

/// Words that say that something holds from now on.
pub(in crate::consolidate) const NOW: &[&str] = &[
    "now",
    "from now on",
    "instead",
    "these days",
    "as of now",
    "as of today",
    "has become",
    "have become",
    "became",
    "any more",
    "anymore",
    "no longer",
    "was renewed",
    "were renewed",
];
