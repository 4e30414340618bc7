"""Removes the words of deleted messages from rows of others: why they ended, and cases that a message allowed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bardo.conduct.model.entries import ALLOWED_AGAIN, REPORTED

#: Tables with such words, and their field of why a row ended.
_WHY = {"state": "closed_why", "rules": "retired_why"}
#: Lists of corrections that messages add to.
_LISTS = ("allowed", "conditions")


def remove(connection: sqlite3.Connection, episodes: Collection[str], texts: Sequence[str]) -> int:
    """Removes the words of deleted messages; returns the number of changed rows and versions.

    Args:
        connection: Connection in a transaction.
        episodes: Ids of the deleted messages.
        texts: Their texts.
    """
    changed = 0
    for table, why in _WHY.items():
        for number, *values in connection.execute(
            f"SELECT number, {why}, corrections FROM {table} WHERE {why} != '' OR corrections != ''"
        ).fetchall():
            kept = _without(values[0], values[1], episodes, texts)
            if kept != tuple(values):
                connection.execute(
                    f"UPDATE {table} SET {why} = ?, corrections = ? WHERE number = ?", (*kept, number)
                )
                changed += 1
    for number, told in connection.execute("SELECT number, fields FROM versions").fetchall():
        fields: dict[str, Any] = json.loads(told)
        named = next((name for name in _WHY.values() if name in fields), None)
        if named is None:
            continue
        before = (fields[named], fields.get("corrections", ""))
        kept = _without(*before, episodes, texts)
        if kept != before:
            fields |= {named: kept[0], "corrections": kept[1]}
            connection.execute(
                "UPDATE versions SET fields = ? WHERE number = ?", (json.dumps(fields), number)
            )
            changed += 1
    return changed


def heard(corrections: Mapping[str, Any], episode: str, items: Sequence[str]) -> dict[str, Any]:
    """Returns corrections with the message that added items to their lists, so that they are deleted with it.

    Args:
        corrections: Fields of corrections.
        episode: Id of the message.
        items: Items that it added.
    """
    known = corrections.get("heard", {})
    return {**corrections, "heard": known | {episode: list(dict.fromkeys([*known.get(episode, ()), *items]))}}


def _without(why: str, corrections: str, episodes: Collection[str], texts: Sequence[str]) -> tuple[str, str]:
    """Returns why a row ended, and its corrections, without the words of deleted messages."""
    for beginning in (ALLOWED_AGAIN, REPORTED):
        words = why.removeprefix(beginning)
        if words != why and words and any(words in text for text in texts):
            why = beginning
    fields: dict[str, Any] = json.loads(corrections) if corrections else {}
    sources = fields.get("heard", {})
    gone = {item for episode in sources.keys() & set(episodes) for item in sources[episode]}
    if not gone:
        return why, corrections
    fields["heard"] = {episode: items for episode, items in sources.items() if episode not in episodes}
    fields |= {name: [item for item in fields[name] if item not in gone] for name in _LISTS if name in fields}
    return why, json.dumps({name: value for name, value in fields.items() if value != {}}, ensure_ascii=False)
