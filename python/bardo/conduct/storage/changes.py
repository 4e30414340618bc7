"""Reads the rows with which actions are compared: those that an index has not seen yet, and the ids of others."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from bardo.conduct.storage.rows import INDEXED, TABLES, Row, Table


def changed_rows(
    connection: sqlite3.Connection, agent: str, seen: Mapping[str, bytes]
) -> tuple[list[tuple[bytes, Row]], list[str]]:
    """Returns the compared rows in force that differ from the seen ones, and the ids that are no longer in force.

    Rows that were seen with the same checksum are not read: they were intact then. All others are compared with their
    checksums, also those that are not in force, so that no damage makes a row leave unnoticed.

    Args:
        connection: Connection to the file.
        agent: Name of the agent.
        seen: Checksums of the seen rows, by id.

    Raises:
        sqlite3.Error: A row does not match its checksum.
    """
    changed: list[tuple[bytes, Row]] = []
    there: set[str] = set()
    for letter in INDEXED:
        table = TABLES[letter]
        # Without indexes, which could leave out a row.
        query = f"SELECT number, checksum, agent = ? AND {table.in_force} FROM {table.name} NOT INDEXED"
        rows = connection.execute(query, (agent,)).fetchall()
        in_force = {number: checksum for number, checksum, is_in_force in rows if is_in_force}
        there |= {f"{letter}{number}" for number in in_force}
        unseen = [
            number
            for number, checksum, is_in_force in rows
            if not is_in_force or seen.get(f"{letter}{number}") != checksum
        ]
        _select(connection, table, "count(intact)", unseen)
        for number, *fields in _select(
            connection, table, f"number, {', '.join(table.columns)}", filter(in_force.__contains__, unseen)
        ):
            changed.append((in_force[number], table.row(f"{letter}{number}", fields)))
    return changed, [id_ for id_ in seen if id_ not in there]


def _select(
    connection: sqlite3.Connection, table: Table, what: str, numbers: Iterable[int]
) -> list[tuple[object, ...]]:
    query = (
        f"SELECT {what} FROM {table.name} WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number"
    )
    return connection.execute(query, (json.dumps(list(numbers)),)).fetchall()
