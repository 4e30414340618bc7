//! Functional attributes as data: what has one value at a time, by which words a text says it, and by which words a value
//! ends or changes. What is not in these tables is additive: two values of it may hold together.

/// Something that has one value at a time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// Nouns in whose place it stands: "the *price* of the pass is".
    pub nouns: &'static [&'static str],
    /// Phrases that its value follows: "Mira *lives in* Bern".
    pub phrases: &'static [&'static str],
    /// What becomes of the earlier value where a later one is stated.
    pub change: Change,
}

/// How a functional attribute changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It changes: where a text says so, a later value takes the place of an earlier one.
    Changes,
    /// It never changes: of two values one is wrong.
    Never,
}

use Change::{Changes, Never};

/// Every functional attribute.
pub(super) const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        name: "home",
        nouns: &["home", "residence", "hometown", "address", "location", "city"],
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
        change: Changes,
    },
    Attribute {
        name: "employer",
        nouns: &["employer", "workplace"],
        phrases: &["works at", "work at", "works for", "work for", "is employed at", "is employed by"],
        change: Changes,
    },
    Attribute {
        name: "job",
        nouns: &["job", "profession", "occupation", "title", "position"],
        phrases: &["works as", "work as"],
        change: Changes,
    },
    Attribute {
        name: "partner",
        nouns: &["partner", "husband", "wife", "spouse", "girlfriend", "boyfriend", "fiance", "fiancee"],
        phrases: &["is married to", "is engaged to", "is dating"],
        change: Changes,
    },
    Attribute { name: "age", nouns: &["age"], phrases: &[], change: Changes },
    Attribute {
        name: "origin",
        nouns: &[
            "birthday",
            "birthplace",
            "birthdate",
            "nationality",
            "mother",
            "father",
            "height",
            "type",
            "group",
            "founder",
            "author",
            "inventor",
            "creator",
        ],
        phrases: &[
            "was born in",
            "was born on",
            "were born in",
            "was founded in",
            "was built in",
            "died in",
            "died on",
        ],
        change: Never,
    },
    Attribute {
        name: "date",
        nouns: &["deadline", "date"],
        phrases: &[
            "is due on",
            "is due in",
            "is due by",
            "is due",
            "are due on",
            "are due",
            "is planned for",
            "is scheduled for",
            "is set for",
            "is booked for",
            "takes place on",
        ],
        change: Changes,
    },
    Attribute {
        name: "start",
        nouns: &[],
        phrases: &["starts at", "starts on", "begins at", "begins on"],
        change: Changes,
    },
    Attribute {
        name: "end",
        nouns: &["expiry"],
        phrases: &["ends at", "ends on", "expires on", "expires in"],
        change: Changes,
    },
    Attribute {
        name: "departure",
        nouns: &["departure"],
        phrases: &["leaves at", "departs at"],
        change: Changes,
    },
    Attribute { name: "arrival", nouns: &["arrival"], phrases: &["arrives at", "lands at"], change: Changes },
    Attribute { name: "opening", nouns: &[], phrases: &["opens at"], change: Changes },
    Attribute { name: "closing", nouns: &[], phrases: &["closes at"], change: Changes },
    Attribute {
        name: "price",
        nouns: &["price", "cost", "fee", "fare", "rent", "salary", "wage", "premium", "budget", "rate"],
        phrases: &["costs", "cost", "sells for", "is priced at"],
        change: Changes,
    },
    Attribute { name: "dose", nouns: &["dose", "dosage"], phrases: &[], change: Changes },
    Attribute {
        name: "status",
        nouns: &["status", "state", "phase", "stage", "condition", "priority", "visibility"],
        phrases: &[],
        change: Changes,
    },
    Attribute {
        name: "owner",
        nouns: &["owner", "maintainer", "proprietor", "landlord"],
        phrases: &["is owned by", "are owned by", "is maintained by", "belongs to"],
        change: Changes,
    },
    Attribute {
        name: "leader",
        nouns: &[
            "leader",
            "lead",
            "head",
            "boss",
            "manager",
            "director",
            "chair",
            "chairman",
            "president",
            "captain",
            "coach",
            "mayor",
            "ceo",
            "cto",
            "cfo",
            "governor",
            "minister",
            "champion",
        ],
        phrases: &[
            "is led by",
            "are led by",
            "is headed by",
            "is managed by",
            "is run by",
            "is chaired by",
            "is coached by",
        ],
        change: Changes,
    },
    Attribute {
        name: "contact",
        nouns: &["number", "email", "username", "handle", "symbol", "ticker"],
        phrases: &[],
        change: Changes,
    },
    Attribute {
        name: "name",
        nouns: &["name", "nickname", "surname"],
        phrases: &["is called", "are called", "is named"],
        change: Changes,
    },
    Attribute {
        name: "device",
        nouns: &["phone", "laptop", "computer", "tablet", "camera", "car", "bike", "watch"],
        phrases: &[],
        change: Changes,
    },
    Attribute {
        name: "version",
        nouns: &["version", "release", "firmware", "licence", "license"],
        phrases: &["is at version", "is on version", "runs version", "is licensed under"],
        change: Changes,
    },
    Attribute {
        name: "port",
        nouns: &["port", "host", "url", "endpoint", "domain", "region", "zone", "path", "directory"],
        phrases: &[
            "listens on",
            "listens on port",
            "is hosted on",
            "are hosted on",
            "is hosted by",
            "is deployed on",
            "is deployed to",
        ],
        change: Changes,
    },
    Attribute {
        name: "limit",
        nouns: &[
            "limit",
            "cap",
            "threshold",
            "timeout",
            "interval",
            "size",
            "quota",
            "maximum",
            "minimum",
            "capacity",
            "target",
            "frequency",
            "period",
            "retention",
            "leverage",
            "capital",
            "timezone",
            "quorum",
        ],
        phrases: &[],
        change: Changes,
    },
    Attribute {
        name: "choice",
        nouns: &[
            "default",
            "favourite",
            "favorite",
            "branch",
            "password",
            "colour",
            "color",
            "model",
            "editor",
        ],
        phrases: &[],
        change: Changes,
    },
];

/// Adjectives that make any noun functional: "the *default* shell", "her *favourite* band".
pub(super) const SINGLING: &[&str] =
    &["current", "default", "favorite", "favourite", "main", "present", "primary"];

/// Nouns of which there may be several, so that another one is no other value.
pub(super) const ADDITIVE: &[&str] = &[
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
pub(super) const STATES: &[&[&[&str]]] = &[
    &[&["open", "opened", "reopened"], &["closed", "shut"]],
    &[
        &["paused", "suspended", "halted", "frozen", "stopped", "on hold"],
        &["resumed", "unpaused", "running", "active", "restarted", "unfrozen", "continued"],
        &["finished", "completed", "cancelled", "canceled", "abandoned"],
    ],
    &[&["valid", "renewed"], &["expired", "invalid", "revoked", "lapsed"]],
    &[&["enabled", "on", "activated"], &["disabled", "off", "deactivated"]],
    &[&["alive"], &["dead", "died", "deceased"]],
    &[&["up", "online", "restored"], &["down", "offline"]],
    &[&["public"], &["private"]],
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
pub(super) struct Ending {
    /// Phrases that say it; what ends follows, if anything does.
    pub phrases: &'static [&'static str],
    /// Stems of words of the older text that the phrase itself stands against.
    pub ends: &'static [&'static str],
    /// Whether what ends stands before the phrase.
    pub is_intransitive: bool,
}

/// Every ending.
pub(super) const ENDINGS: &[Ending] = &[
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

/// Verbs of change: before "to", "from" or "off" they say that a value took the place of another.
pub(super) const CHANGING: &[&str] = &[
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
pub(super) const NOW: &[&str] = &[
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
