//! Contradictions in five shapes, told from the words; sentences of our own.

use bardo_core::consolidate::ContradictionKind::{
    self, BoundedValidity, Partial, PolarityFlip, Replacement, Retraction,
};
use bardo_core::consolidate::{contradiction, is_disputed};

const CONTRADICTIONS: &[(&str, &str, ContradictionKind)] = &[
    ("The gateway's port is 8080", "The port of the gateway is now 9090", Replacement),
    ("I live in Bern", "I moved to Lisbon", Replacement),
    ("The user lives in Bern", "The user lives in Lisbon", Replacement),
    ("I work at Acme", "I now work at Globex", Replacement),
    ("The owner of the repository is Anna", "The owner of the repository is Boris", Replacement),
    ("The fee of the pool is 30 basis points", "The fee of the pool is 10 basis points", Replacement),
    ("The default branch is called master", "The default branch was renamed to main", Replacement),
    ("Deployments run on Tuesdays", "Deployments run on Fridays instead", Replacement),
    ("My favourite colour is green", "My favourite colour is blue", Replacement),
    ("We use MySQL for the ledger", "We switched from MySQL to Postgres for the ledger", Replacement),
    ("The timeout is 30 seconds", "The timeout was raised to 60 seconds", Replacement),
    ("Mira works at the observatory", "Mira works at the harbour these days", Replacement),
    ("Gas doubles on Mondays", "Gas doesn't double on Mondays", PolarityFlip),
    ("The user likes coriander", "The user dislikes coriander", PolarityFlip),
    ("ETH rises after an oracle update", "ETH falls after an oracle update", PolarityFlip),
    ("The relayer is safe", "The relayer is unsafe", PolarityFlip),
    ("Retries never help on this endpoint", "Retries help on this endpoint", PolarityFlip),
    ("The staging cluster has backups", "The staging cluster has no backups", PolarityFlip),
    ("I am vegetarian", "I am not vegetarian", PolarityFlip),
    ("The vault accepts deposits in DAI", "The vault rejects deposits in DAI", PolarityFlip),
    ("She works at the observatory", "She no longer works at the observatory", Retraction),
    ("I play the cello", "I stopped playing the cello", Retraction),
    ("The nightly job writes a report", "The nightly job doesn't write a report anymore", Retraction),
    ("I drink coffee in the morning", "I used to drink coffee in the morning", Retraction),
    ("The cache causes the timeouts", "It is not true that the cache causes the timeouts", Retraction),
    ("The keeper was late because of gas", "I was wrong that the keeper was late because of gas", Retraction),
    ("The office opens daily", "The office opens daily except on Sundays", Partial),
    ("The bridge is fast", "The bridge is mostly fast", Partial),
    ("All tests run on every push", "Not all tests run on every push", Partial),
    (
        "Liquidations follow oracle updates",
        "Liquidations follow oracle updates only when gas is cheap",
        Partial,
    ),
    ("The proxy keeps the headers", "The proxy keeps the headers unless they are empty", Partial),
    (
        "The pool charges no withdrawal fee",
        "The pool charges no withdrawal fee until Friday",
        BoundedValidity,
    ),
    ("The office is closed", "The office is closed this week", BoundedValidity),
    ("The feed is down", "The feed is temporarily down", BoundedValidity),
    ("Trading is halted", "Trading is halted between noon and two", BoundedValidity),
    ("Anna signs the releases", "Anna signs the releases for the time being", BoundedValidity),
];

const NO_CONTRADICTIONS: &[(&str, &str)] = &[
    ("The user likes tea", "The user likes coffee"),
    ("I have a dog", "I have a cat"),
    ("Anna signs the releases on Friday", "Boris signs the releases on Friday"),
    ("Anna lives in Bern", "Boris lives in Lisbon"),
    ("the red relayer never drops a message", "the blue relayer never drops a message"),
    ("Day 3 ended with 5 trades", "Day 4 ended with 5 trades"),
    ("The gateway's port is 8080", "The port of the database is 5432"),
    ("I work at Acme", "I also work at Globex"),
    ("Gas doubles on Mondays", "On Mondays gas doubles"),
    ("Gas doubles on Mondays", "Does gas not double on Mondays?"),
    ("The relayer is safe", "If the relayer were unsafe, we would leave"),
    ("The relayer is safe", "Bob says the relayer is unsafe"),
    ("ETH rises after an oracle update", "BTC falls after an oracle update"),
    ("Anna is a developer", "Anna is a mother"),
    ("The pool is deep", "The pool is blue"),
    ("I live in Bern", "I live in Bern, Switzerland"),
    ("My sister lives in Bern", "I live in Lisbon"),
    ("The fee is paid in ETH", "The fee is refunded in ETH"),
    ("Mira plays the cello", "Mira plays the cello and the viola"),
    ("The user visited Rome", "The user visited Oslo"),
    ("Deploys fail when the disk is full", "Deploys fail when the network is down"),
    ("The oracle updates before the auction", "The auction starts after the oracle updates"),
    ("The test suite takes 5 minutes", "The build takes 7 minutes"),
    ("I met Jo in 2019", "I met Jo again in Oslo"),
    ("Session 4 had 3 errors", "Session 5 had 3 errors"),
    ("The user wants to learn Rust", "The user wants to learn Python"),
    ("Aave's vault opens at noon", "Maker's vault closes at noon"),
    ("Never sell into a thin book", "Selling into a thin book lost 4 percent"),
    ("The cache stores prices", "The cache stores positions"),
    ("Retry twice", "Retry twice and then alert"),
];

/// Pairs whose newer statement surely takes the place of the older one.
const CERTAIN: &[(&str, &str)] = &[
    ("Nadia lives in Porto", "Nadia moved to Lisbon"),
    ("The team uses Slack", "The team switched from Slack to Zulip"),
    ("The meeting is on Monday", "The meeting was moved to Wednesday"),
    ("The invoice is unpaid", "The invoice was paid on Friday"),
    ("Omar works at Ostrava Steel", "Omar now works at Brightwell"),
    ("Tests run on Jenkins", "Tests were moved from Jenkins to Buildkite"),
    ("The treasurer of the club is Ida", "The treasurer of the club is now Bo"),
    ("Jun's tablet is an iPad", "Jun sold his iPad"),
    ("Nadia is a member of the choir", "Nadia left the choir"),
    ("The signing key is valid", "The signing key was revoked"),
    ("Marta's extension is 555-0101", "Marta's extension was changed to 555-0199"),
    ("Rik is on the board", "Rik left the board in March"),
    ("Oracle updates take 3 minutes", "Oracle updates now take 5 minutes"),
    ("Ben trusts Ida", "Ben no longer trusts Ida"),
    ("Jo is engaged to Kim", "Jo married Kim in June"),
    ("Ben reports to Saskia", "Ben now reports to Dimitri instead of Saskia"),
    ("Greta takes 5 mg of ramipril", "Greta's ramipril was increased to 10 mg"),
    ("Greta plays the cello", "Greta gave up the cello"),
];

/// Pairs of which one is wrong, or holds elsewhere, without evidence which.
const DISPUTED: &[(&str, &str)] = &[
    ("The user lives in Bern", "The user lives in Lisbon"),
    ("Rosa lives in Leeds", "Rosa lives in Yorkshire"),
    ("The price of the pass is 40 euros", "The price of the pass is 45 euros"),
    ("Pavel's father is Jan", "Pavel's father is Karel"),
    ("Sofia was born in Plovdiv", "Sofia was born in Burgas"),
    ("The vault holds 40 ETH", "The vault holds 38 ETH"),
    ("The fee is 30 basis points", "The fee was 5 basis points in the trial"),
    ("Nadia lives in Porto and works at Acme", "Nadia moved to Lisbon"),
    ("The relayer is safe", "Bob says the relayer is unsafe"),
    ("Lars lives in Bergen", "According to Mika, Lars lives in Stavanger"),
    ("The deadline is 12 June", "The deadline might slip to 19 June"),
    ("Mira does not drive", "Mira drove the van to Aachen"),
    ("Ravi speaks fluent German", "A colleague says that Ravi does not speak German"),
    ("The lake is safe", "The paper doubts that the lake is safe"),
    ("Ana works at Helvion", "Someone said Ana may have left Helvion"),
    ("The treaty was signed in 1648", "The treaty was signed in 1649"),
    ("Uma is the lead of project Teal", "Jerzy is the lead of project Teal"),
    ("The museum is open", "The museum was closed"),
];

/// Pairs that read alike, or share a subject, and may both hold.
const COMPATIBLE: &[(&str, &str)] = &[
    ("The ferry takes two hours", "The ferry took three hours yesterday"),
    ("The treasurer of the club is Ida", "The treasurer of the club was Bo"),
    ("Slippage rises when the pool is thin", "Slippage fell on Monday when the pool was thin"),
    ("Customers reply to short emails", "The customer did not reply to the short email"),
    ("Liquidations follow oracle updates", "Liquidations did not follow oracle updates on Monday"),
    ("Nadia is diabetic", "Nadia moved to Lisbon"),
    ("Nadia is diabetic", "Nadia was promoted to head nurse"),
    ("Lesson 0 about pools that holds", "Lesson 1 about pools that holds"),
    ("Luca was awarded a prize in 2015", "Luca was awarded a prize in 2020"),
    ("Nadia lives in Porto", "Nadia's sister moved to Lisbon"),
    ("Nadia lives in Porto", "Nadia moved to Lisbon for the summer"),
    ("Nadia works at Brightwell", "Nadia left Brightwell early on Friday"),
    ("The pool is paused", "The other pool is no longer paused"),
    ("Peter is single", "Peter's brother married Henrike"),
    ("The retry limit for reads is 5", "The retry limit for writes was reduced from 5 to 3"),
    ("The bakery is closed on Mondays", "The bakery is open on Tuesdays"),
    ("The shop opens at 9", "The shop closes at 6"),
    ("Lars speaks Danish", "Lars now speaks Dutch"),
    ("Sami's friend is Bo", "Sami's friend is now Ida"),
    ("Dana broke her left arm", "Dana broke her right arm"),
    ("The north gate opens at six", "The south gate opens at six"),
    ("Ben trusts Ida", "Ben no longer trusts Marta"),
    ("Chen owns two bakeries", "Chen sold one bakery"),
    ("Nora's son lives in Ghent", "Nora lives in Bruges"),
    ("The lamp is red", "The lamp is now in the hall"),
    ("When funding is negative, go long", "When funding is positive, do not go long"),
];

#[test]
fn only_one_functional_attribute_of_one_subject_is_superseded() {
    let wrong: Vec<String> = CERTAIN
        .iter()
        .filter(|(older, newer)| !contradiction(older, newer).is_some_and(|found| found.is_certain))
        .map(|(older, newer)| format!("{older:?} / {newer:?} is not certain"))
        .chain(DISPUTED.iter().filter_map(|(older, newer)| {
            let retired = contradiction(older, newer).is_some_and(|found| found.is_certain);
            (retired || !is_disputed(older, newer)).then(|| format!("{older:?} / {newer:?} is not disputed"))
        }))
        .chain(COMPATIBLE.iter().filter_map(|(older, newer)| {
            let found = contradiction(older, newer);
            (found.is_some() || is_disputed(older, newer))
                .then(|| format!("{older:?} / {newer:?}: {found:?}"))
        }))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_shape_is_told_from_the_words() {
    let missed: Vec<String> = CONTRADICTIONS
        .iter()
        .filter_map(|(older, newer, shape)| {
            let found = contradiction(older, newer).map(|found| found.shape);
            (found != Some(*shape)).then(|| format!("{older:?} / {newer:?}: {found:?}, not {shape:?}"))
        })
        .collect();
    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), CONTRADICTIONS.len(), missed.join("\n"));
}

#[test]
fn compatible_statements_are_no_contradiction() {
    let wrong: Vec<String> = NO_CONTRADICTIONS
        .iter()
        .filter_map(|(older, newer)| {
            contradiction(older, newer).map(|found| format!("{older:?} / {newer:?}: {:?}", found.shape))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), NO_CONTRADICTIONS.len(), wrong.join("\n"));
}

/// Pairs that share an attribute's family, a state or a verb, and are about two things.
const OTHER_THINGS: &[(&str, &str)] = &[
    ("The CEO of Lumen is Ada", "The CTO of Lumen is now Bo"),
    ("The minimum of the pool is 5", "The maximum of the pool is now 9"),
    ("Anna trusts Ben", "Ben no longer trusts Anna"),
    ("The vault pays 4 % on USDC", "The vault's fee was raised to 5 %"),
    ("The desk is long AAPL", "The desk is now short TSLA"),
    ("The review is scheduled for Monday", "The deadline of the review was moved to Friday"),
    ("Pavel's mother is Ana", "Pavel's father is Jan"),
    ("The trial of Project Teal is led by Uma", "Project Teal is now led by Jerzy"),
    ("The oven costs 5 euros a month", "The oven now costs 9 euros an hour"),
    ("Tomas drives a Skoda", "Tomas sold a caravan"),
    ("The pools are paused", "The pool is no longer paused"),
    ("Omar no longer works at Acme", "Omar works at Globex"),
];

#[test]
fn two_attributes_of_one_kind_or_two_things_retire_nothing() {
    let wrong: Vec<String> = OTHER_THINGS
        .iter()
        .filter(|(older, newer)| contradiction(older, newer).is_some_and(|found| found.is_certain))
        .map(|(older, newer)| format!("{older:?} / {newer:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Words that may precede a statement, stand in it, or follow it, and say that it holds only somewhere, sometimes, partly or
/// perhaps. Some of them are on no list of the core.
const BEFORE: &[&str] = &[
    "maybe",
    "Mika says that",
    "according to Mika,",
    "in the trial,",
    "on weekends",
    "if all goes well,",
    "in staging,",
    "for partners,",
    "next year",
    "supposedly",
    "I heard that",
    "in one report,",
    "by one account",
];
const WITHIN: &[&str] = &[
    "probably",
    "partly",
    "temporarily",
    "nearly",
    "reportedly",
    "nominally",
    "sometimes",
    "soon",
    "half",
    "mostly",
    "quasi",
    "seasonally",
];
const AFTER: &[&str] = &[
    "for the summer",
    "for partners",
    "in the trial",
    "in staging",
    "on Fridays",
    "at night",
    "in winter",
    "until Friday",
    "if it rains",
    "for now",
    "during the outage",
    "I think",
    "except in Oslo",
    "as a test",
    "next month",
    "at the branch",
    "and came back",
    "twice",
    "on paper",
    "every summer",
    "behind the proxy",
];

proptest::proptest! {
    #[test]
    fn a_qualifier_in_the_later_statement_keeps_the_earlier_one(
        pair in proptest::sample::select(CERTAIN),
        before in proptest::sample::select(BEFORE),
        within in proptest::sample::select(WITHIN),
        after in proptest::sample::select(AFTER),
        place in 1..12_usize,
    ) {
        let (older, newer) = pair;
        let words: Vec<&str> = newer.split(' ').collect();
        let (start, end) = words.split_at(place.min(words.len() - 1));
        let qualified = [
            format!("{before} {newer}"),
            format!("{} {within} {}", start.join(" "), end.join(" ")),
            format!("{newer} {after}"),
        ];
        for newer in qualified {
            let found = contradiction(older, &newer);
            proptest::prop_assert!(!found.is_some_and(|found| found.is_certain), "{older:?} / {newer:?}");
        }
    }
}

proptest::proptest! {
    #[test]
    fn nothing_contradicts_itself(text in "(\\PC{0,40}|([a-zA-Z]{1,8} ){0,8}(not |now |only |until )?[a-z0-9]{0,6})") {
        proptest::prop_assert_eq!(contradiction(&text, &text), None);
    }
}
