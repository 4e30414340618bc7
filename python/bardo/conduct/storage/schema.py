"""Tables of `conduct.db`, as the migrations that make them."""

from __future__ import annotations

SCHEMA = """
    CREATE TABLE state (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, kind TEXT NOT NULL, summary TEXT NOT NULL,
        detail TEXT NOT NULL, domain TEXT NOT NULL, status TEXT NOT NULL, by TEXT NOT NULL, episode TEXT NOT NULL,
        at INTEGER NOT NULL, changed_at INTEGER NOT NULL, closed_by TEXT NOT NULL, closed_why TEXT NOT NULL
    );
    CREATE INDEX state_in_force ON state (agent, kind) WHERE status = 'active';
    CREATE TABLE rules (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, text TEXT NOT NULL, forbids TEXT NOT NULL,
        approval TEXT NOT NULL, score REAL NOT NULL, by TEXT NOT NULL, episode TEXT NOT NULL, at INTEGER NOT NULL,
        confirmed_at INTEGER NOT NULL, violations INTEGER NOT NULL, retired_by TEXT NOT NULL
    );
    CREATE TABLE vectors (
        agent TEXT NOT NULL, text TEXT NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (agent, text)
    ) WITHOUT ROWID;
"""
#: Table of earlier versions of entries and rules: their fields as JSON, and the episode of the change.
VERSIONS = """
    CREATE TABLE versions (
        number INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL, episode TEXT NOT NULL, fields TEXT NOT NULL
    )
"""
#: Columns added to entries and rules, and the table of outcomes, which takes the results out of the entries.
OUTCOMES = """
    ALTER TABLE state ADD COLUMN superseded_by TEXT NOT NULL DEFAULT '';
    ALTER TABLE state ADD COLUMN forbids TEXT NOT NULL DEFAULT '';
    ALTER TABLE rules ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE rules ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE rules ADD COLUMN retired_why TEXT NOT NULL DEFAULT '';
    CREATE TABLE outcomes (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, action TEXT NOT NULL, last TEXT NOT NULL,
        passed INTEGER NOT NULL, failed INTEGER NOT NULL, note TEXT NOT NULL, applied TEXT NOT NULL,
        answer TEXT NOT NULL, by TEXT NOT NULL, episode TEXT NOT NULL, at INTEGER NOT NULL, changed_at INTEGER NOT NULL
    );
    INSERT INTO outcomes (agent, action, last, passed, failed, note, applied, answer, by, episode, at, changed_at)
        SELECT agent, substr(summary, 1, length(summary) - 8), substr(summary, -6), summary LIKE '%: passed',
            summary LIKE '%: failed', detail, '', '', by, episode, at, changed_at
        FROM state WHERE kind = 'learning' AND by = agent AND (summary LIKE '%: passed' OR summary LIKE '%: failed');
    DELETE FROM state WHERE kind = 'learning' AND by = agent
        AND (summary LIKE '%: passed' OR summary LIKE '%: failed')
"""
#: Column of the corrections of what a rule forbids.
CORRECTIONS = "ALTER TABLE rules ADD COLUMN corrections TEXT NOT NULL DEFAULT ''"
#: Column of the corrections of what a rejection forbids, under the name that it has in rules.
STATE_CORRECTIONS = "ALTER TABLE state RENAME COLUMN forbids TO corrections"
#: The same in earlier versions of entries.
EARLIER_CORRECTIONS = """
    UPDATE versions SET fields = json_remove(
        json_set(fields, '$.corrections', json_extract(fields, '$.forbids')), '$.forbids'
    ) WHERE entry LIKE 's%' AND json_type(fields, '$.forbids') IS NOT NULL
"""
#: Tables of flows, capabilities, missions, and outputs with the grants to read them.
PROCEDURES = """
    CREATE TABLE flows (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, name TEXT NOT NULL, steps TEXT NOT NULL,
        triggers TEXT NOT NULL, needs_approval INTEGER NOT NULL, domain TEXT NOT NULL, by TEXT NOT NULL,
        episode TEXT NOT NULL, version INTEGER NOT NULL, succeeded INTEGER NOT NULL, failed INTEGER NOT NULL,
        at INTEGER NOT NULL, changed_at INTEGER NOT NULL, used_at INTEGER NOT NULL, retired_by TEXT NOT NULL,
        retired_why TEXT NOT NULL
    );
    CREATE TABLE capabilities (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, name TEXT NOT NULL, what TEXT NOT NULL,
        usage TEXT NOT NULL, probe TEXT NOT NULL, timeout REAL NOT NULL, health TEXT NOT NULL, note TEXT NOT NULL,
        checked_at INTEGER NOT NULL, took INTEGER NOT NULL, by TEXT NOT NULL, episode TEXT NOT NULL,
        at INTEGER NOT NULL, changed_at INTEGER NOT NULL
    );
    CREATE TABLE missions (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, text TEXT NOT NULL, by TEXT NOT NULL,
        episode TEXT NOT NULL, at INTEGER NOT NULL, ended_at INTEGER NOT NULL, ended_by TEXT NOT NULL,
        ended_why TEXT NOT NULL
    );
    CREATE TABLE outputs (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
        domain TEXT NOT NULL, by TEXT NOT NULL, episode TEXT NOT NULL, at INTEGER NOT NULL
    );
    CREATE TABLE grants (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, reader TEXT NOT NULL, domain TEXT NOT NULL,
        by TEXT NOT NULL, at INTEGER NOT NULL, revoked_at INTEGER NOT NULL, revoked_by TEXT NOT NULL,
        episode TEXT NOT NULL
    )
"""
#: Table of the index over the compared rows as of a stamp (the file's id and its number of writes), one for each agent.
SNAPSHOT = """
    CREATE TABLE snapshot (
        agent TEXT PRIMARY KEY, build TEXT NOT NULL, file INTEGER NOT NULL, writes INTEGER NOT NULL,
        content BLOB NOT NULL
    )
"""
