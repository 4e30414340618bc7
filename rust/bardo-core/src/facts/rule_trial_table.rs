//! The tables of the trials of rules and warnings (see `consolidate::rule_trials`, `look_back` and `failure_rates`).

use rusqlite::Transaction;

/// Step of the schema: the trials of rules.
pub(crate) fn rule_trials(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE rule_trials (
            fact INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE,
            followed INTEGER NOT NULL,          -- decisions under the rule that had an outcome
            others INTEGER NOT NULL,            -- other decisions, as far as they are remembered
            mean REAL NOT NULL,                 -- of their outcome
            deviation REAL NOT NULL,
            least REAL NOT NULL,
            greatest REAL NOT NULL,
            gained REAL NOT NULL,               -- log likelihood ratio since the last confirmation
            lost REAL NOT NULL,                 -- fall of the log likelihood ratio from its height
            confirmed INTEGER NOT NULL,         -- times that the prediction was confirmed
            broken_at INTEGER NOT NULL          -- verification up to which it was last doubted; 0 if never
        ) STRICT;
        ",
    )
}

/// Step of the schema: the old episodes that told rules were tested on.
pub(crate) fn look_backs(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE look_backs (
            fact INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE,
            unseen INTEGER NOT NULL,            -- verification up to which no pass counted an episode for it
            gained REAL NOT NULL,               -- log likelihood ratio since the last confirmation
            lost REAL NOT NULL,                 -- fall of the log likelihood ratio from its height
            slices BLOB NOT NULL                -- numbers of the slices that it was tested on, 8 bytes each
        ) STRICT;
        ",
    )
}

/// Step of the schema: how often failures came under the conditions of a warning, and elsewhere.
pub(crate) fn failure_rates(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "
        CREATE TABLE failure_rates (
            fact INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE,
            rates TEXT NOT NULL                 -- JSON
        ) STRICT;
        ",
    )
}
