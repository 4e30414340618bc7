//! Functional attributes as data: what has one value at a time, by which words a text says it, and by which words a value
//! ends or changes. What is not in these tables is additive: two values of it may hold together.

/// Something that has one value at a time, and is said in several ways.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::consolidate) struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// Nouns in whose place it stands: "the *price* of the pass is". All of them mean the same.
    pub nouns: &'static [&'static str],
    /// Phrases that its value follows: "Mira *lives in* Bern".
    pub phrases: &'static [&'static str],
}

/// How a functional attribute changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::consolidate) enum Change {
    /// It changes: where a text says so, a later value takes the place of an earlier one.
    Changes,
    /// It never changes: of two values one is wrong.
    Never,
}

/// The attribute that a noun or a phrase stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::consolidate) struct Key {
    /// Two keys of one name are one attribute.
    pub name: &'static str,
    /// Effect of a later value on the earlier one.
    pub change: Change,
}

use Change::{Changes, Never};

/// The attribute that a noun stands for.
pub(in crate::consolidate) fn noun(word: &str) -> Option<Key> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    let is = |noun: &&str| *noun == word || *noun == singular;
    let alone = |nouns: &'static [&'static str], change| {
        nouns.iter().find(|noun| is(noun)).map(|name| Key { name, change })
    };
    ATTRIBUTES
        .iter()
        .find(|attribute| attribute.nouns.iter().any(is))
        .map(|attribute| Key { name: attribute.name, change: Changes })
        .or_else(|| alone(EACH, Changes))
        .or_else(|| alone(EACH_FOR_EVER, Never))
}

/// The attributes that phrases stand for, with the phrases.
pub(in crate::consolidate) fn phrases() -> impl Iterator<Item = (Key, &'static str)> {
    let changing = ATTRIBUTES.iter().flat_map(|attribute| {
        attribute.phrases.iter().map(|phrase| (Key { name: attribute.name, change: Changes }, *phrase))
    });
    changing.chain(ONCE.iter().map(|phrase| (Key { name: phrase, change: Never }, *phrase)))
}

/// Every functional attribute that is said in several ways.
pub(in crate::consolidate) const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        name: "home",
        nouns: &["home", "residence"],
        phrases: &[
            "lives in",
            "live in",
            "resides in",
            "reside in",
            "is based in",
            "are based in",
            "am based in",
            "moved to",
            "has moved to",
            "have moved to",
            "relocated to",
            "has relocated to",
        ],
    },
    Attribute {
        name: "employer",
        nouns: &["employer", "workplace"],
        phrases: &["works at", "work at", "works for", "work for", "is employed at", "is employed by"],
    },
    Attribute { name: "job", nouns: &["job", "profession", "occupation"], phrases: &["works as", "work as"] },
    Attribute {
        name: "partner",
        nouns: &["partner", "husband", "wife", "spouse", "girlfriend", "boyfriend", "fiance", "fiancee"],
        phrases: &["is married to", "is engaged to", "is dating"],
    },
    Attribute {
        name: "due",
        nouns: &["deadline"],
        phrases: &["is due on", "is due in", "is due by", "is due", "are due on", "are due"],
    },
    Attribute {
        name: "date",
        nouns: &["date"],
        phrases: &["is planned for", "is scheduled for", "is set for", "is booked for", "takes place on"],
    },
    Attribute { name: "start", nouns: &[], phrases: &["starts at", "starts on", "begins at", "begins on"] },
    Attribute {
        name: "end",
        nouns: &["expiry"],
        phrases: &["ends at", "ends on", "expires on", "expires in"],
    },
    Attribute { name: "departure", nouns: &["departure"], phrases: &["leaves at", "departs at"] },
    Attribute { name: "arrival", nouns: &["arrival"], phrases: &["arrives at", "lands at"] },
    Attribute { name: "opening", nouns: &[], phrases: &["opens at"] },
    Attribute { name: "closing", nouns: &[], phrases: &["closes at"] },
    Attribute {
        name: "price",
        nouns: &["price", "cost"],
        phrases: &["costs", "cost", "sells for", "is priced at"],
    },
    Attribute { name: "dose", nouns: &["dose", "dosage"], phrases: &[] },
    Attribute {
        name: "owner",
        nouns: &["owner", "proprietor"],
        phrases: &["is owned by", "are owned by", "belongs to"],
    },
    Attribute {
        name: "maintainer",
        nouns: &["maintainer"],
        phrases: &["is maintained by", "are maintained by"],
    },
    Attribute {
        name: "leader",
        nouns: &["leader", "lead", "head"],
        phrases: &["is led by", "are led by", "is headed by"],
    },
    Attribute {
        name: "manager",
        nouns: &["manager"],
        phrases: &["is managed by", "are managed by", "reports to", "report to"],
    },
    Attribute { name: "chair", nouns: &["chair", "chairman", "chairwoman"], phrases: &["is chaired by"] },
    Attribute { name: "coach", nouns: &["coach"], phrases: &["is coached by"] },
    Attribute {
        name: "name",
        nouns: &["name"],
        phrases: &[
            "is called",
            "are called",
            "is named",
            "was renamed to",
            "were renamed to",
            "has been renamed to",
        ],
    },
    Attribute {
        name: "version",
        nouns: &["version", "release"],
        phrases: &["is at version", "is on version", "runs version"],
    },
    Attribute { name: "licence", nouns: &["licence", "license"], phrases: &["is licensed under"] },
    Attribute { name: "port", nouns: &["port"], phrases: &["listens on", "listens on port"] },
    Attribute {
        name: "host",
        nouns: &["host"],
        phrases: &["is hosted on", "are hosted on", "is hosted by", "is deployed on", "is deployed to"],
    },
    Attribute { name: "favourite", nouns: &["favourite", "favorite"], phrases: &[] },
    Attribute { name: "colour", nouns: &["colour", "color"], phrases: &[] },
];

/// Nouns each of which is an attribute of its own.
const EACH: &[&str] = &[
    "address",
    "age",
    "apartment",
    "bike",
    "boss",
    "branch",
    "budget",
    "camera",
    "cap",
    "capacity",
    "capital",
    "captain",
    "car",
    "ceo",
    "cfo",
    "champion",
    "city",
    "computer",
    "cto",
    "default",
    "director",
    "directory",
    "domain",
    "editor",
    "email",
    "endpoint",
    "fare",
    "fee",
    "firmware",
    "frequency",
    "governor",
    "handle",
    "hometown",
    "interval",
    "landlord",
    "laptop",
    "leverage",
    "limit",
    "location",
    "maximum",
    "mayor",
    "minimum",
    "minister",
    "model",
    "nationality",
    "nickname",
    "number",
    "password",
    "path",
    "period",
    "phase",
    "phone",
    "position",
    "premium",
    "president",
    "priority",
    "quorum",
    "quota",
    "rate",
    "region",
    "rent",
    "retention",
    "salary",
    "size",
    "stage",
    "state",
    "status",
    "surname",
    "symbol",
    "tablet",
    "target",
    "threshold",
    "ticker",
    "timeout",
    "timezone",
    "title",
    "url",
    "username",
    "visibility",
    "wage",
    "watch",
    "zone",
];

/// The same, of attributes that never change: of two values one is wrong.
const EACH_FOR_EVER: &[&str] = &[
    "author",
    "birthdate",
    "birthday",
    "birthplace",
    "creator",
    "father",
    "founder",
    "group",
    "height",
    "inventor",
    "mother",
    "type",
];

/// Phrases of what happens once: of two values one is wrong.
const ONCE: &[&str] = &[
    "was born in",
    "was born on",
    "were born in",
    "was founded in",
    "was built in",
    "was completed in",
    "was discovered in",
    "was established in",
    "was invented in",
    "was published in",
    "was signed in",
    "died in",
    "died on",
];

/// Adjectives that make any noun functional: "the *default* shell", "her *favourite* band".
pub(in crate::consolidate) const SINGLING: &[&str] =
    &["current", "default", "favorite", "favourite", "main", "present", "primary"];

/// Nouns of which there may be several, so that another one is no other value.
pub(in crate::consolidate) const ADDITIVE: &[&str] = &[
    "aunt",
    "brother",
    "child",
    "colleague",
    "cousin",
    "daughter",
    "dog",
    "cat",
    "example",
    "friend",
    "goal",
    "hobby",
    "language",
    "lesson",
    "member",
    "neighbour",
    "neighbor",
    "part",
    "pet",
    "project",
    "reason",
    "sister",
    "skill",
    "son",
    "uncle",
    "use",
];

/// States of which one thing has one at a time, each with the words that say it.
pub(in crate::consolidate) const STATES: &[&[&[&str]]] = &[
    &[&["open", "opened", "reopened"], &["closed", "shut", "resolved"]],
    &[
        &["paused", "suspended", "halted", "frozen", "stopped", "on hold"],
        &["resumed", "unpaused", "running", "active", "restarted", "unfrozen", "continued"],
        &[
            "finished",
            "completed",
            "cancelled",
            "canceled",
            "abandoned",
            "decommissioned",
            "discontinued",
            "shut down",
        ],
    ],
    &[&["valid", "renewed"], &["expired", "invalid", "revoked", "lapsed"]],
    &[&["enabled", "on", "activated"], &["disabled", "off", "deactivated"]],
    &[&["alive"], &["dead", "died", "deceased"]],
    &[&["up", "online", "restored"], &["down", "offline"]],
    &[&["public"], &["private"]],
    &[&["included"], &["removed", "excluded"]],
    &[&["positive"], &["negative"]],
    &[&["locked"], &["unlocked"]],
    &[&["occupied", "taken", "rented"], &["vacant", "free", "empty"]],
    &[&["available", "restocked"], &["unavailable", "sold out"]],
    &[&["approved", "accepted"], &["rejected", "declined"], &["pending"]],
    &[&["unpaid", "overdue"], &["paid", "settled"]],
    &[&["broken"], &["fixed", "repaired"]],
    &[&["employed"], &["unemployed"]],
    &[&["healthy", "recovered"], &["sick", "ill"]],
    &[&["long"], &["short"], &["flat"]],
    &[&["single"], &["engaged"], &["married"], &["divorced"], &["widowed"]],
];

/// Words that end a value: what they are said of, and the words of an older text that they end.
#[derive(Debug)]
pub(in crate::consolidate) struct Ending {
    /// Phrases that say it; what ends follows, if anything does.
    pub phrases: &'static [&'static str],
    /// Stems of words of the older text that the phrase itself stands against.
    pub ends: &'static [&'static str],
    /// Whether what ends stands before the phrase.
    pub is_intransitive: bool,
}

/// Every ending.
pub(in crate::consolidate) const ENDINGS: &[Ending] = &[
    Ending {
        phrases: &[
            "left",
            "has left",
            "quit",
            "resigned from",
            "retired from",
            "was fired from",
            "was laid off from",
            "was dismissed from",
        ],
        ends: &[
            "work", "employ", "employe", "live", "member", "belong", "study", "studi", "attend", "home",
            "job", "sing", "play",
        ],
        is_intransitive: false,
    },
    Ending {
        phrases: &["dropped out of", "graduated from", "was expelled from", "finished at"],
        ends: &["studi", "study", "attend", "enrol", "student"],
        is_intransitive: false,
    },
    Ending {
        phrases: &["moved out of", "moved away from", "moved off"],
        ends: &["live", "resid", "home", "host", "base", "run", "use"],
        is_intransitive: false,
    },
    Ending {
        phrases: &["sold", "has sold", "gave away", "got rid of", "scrapped", "returned", "threw away"],
        ends: &["drive", "own", "have", "ride", "keep", "use", "hold", "bought"],
        is_intransitive: false,
    },
    Ending {
        phrases: &["replaced", "has replaced", "traded in"],
        ends: &["drive", "own", "have", "ride", "use", "run"],
        is_intransitive: false,
    },
    Ending {
        phrases: &[
            "dropped",
            "abandoned",
            "stopped using",
            "ditched",
            "gave up on",
            "moved off",
            "migrated away from",
            "uninstalled",
        ],
        ends: &["use", "decid", "choos", "chose", "chosen", "run", "plan", "host", "rely", "reli"],
        is_intransitive: false,
    },
    Ending {
        phrases: &["closed", "exited", "unwound", "liquidated"],
        ends: &["long", "short", "hold", "have"],
        is_intransitive: false,
    },
    Ending {
        phrases: &["broke off", "called off", "cancelled", "canceled"],
        ends: &["plan", "schedul", "book", "subscrib", "engag"],
        is_intransitive: false,
    },
    Ending {
        phrases: &["gave up", "has given up", "have given up"],
        ends: &[
            "goal", "want", "plan", "play", "sing", "learn", "study", "practis", "practic", "collect",
            "train",
        ],
        is_intransitive: false,
    },
    Ending {
        phrases: &[
            "was sacked as",
            "was fired as",
            "was dismissed as",
            "was removed as",
            "resigned as",
            "stepped down as",
            "retired as",
            "was replaced as",
            "was voted out as",
        ],
        ends: &[],
        is_intransitive: false,
    },
    Ending {
        phrases: &["died", "has died", "passed away", "was put down"],
        ends: &["have", "call", "name", "own", "aliv"],
        is_intransitive: true,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of one list in each group of the table of attributes.
    fn names(list: &str) -> Vec<&'static str> {
        let table = include_str!("../../../../../python/bardo/consolidate/attributes.toml");
        let start = format!("\n{list} = [");
        let bodies = table.split(&start).skip(1).filter_map(|rest| rest.split_once(']'));
        bodies.flat_map(|(body, _)| body.split('"').skip(1).step_by(2)).collect()
    }

    #[test]
    fn no_noun_has_one_value_here_and_many_in_the_table_of_statements_or_the_reverse() {
        let (one, many) = (names("functional"), names("many"));
        assert!(one.contains(&"home") && many.contains(&"allergy"));
        let several: Vec<_> = many.iter().filter(|name| noun(name).is_some()).collect();
        let single: Vec<_> = one.iter().filter(|name| ADDITIVE.contains(name)).collect();
        assert_eq!((several, single), (Vec::<&&str>::new(), Vec::<&&str>::new()));
    }
}
