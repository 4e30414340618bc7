"""Corrects what a rejection or a rule forbids; an agent alone may only widen it, a person may also narrow it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bardo.conduct.model.doubt import without_doubt
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.parse.forbids import LISTS, Forbids
from bardo.conduct.persons import is_person
from bardo.conduct.state.state import ended
from bardo.conduct.storage.store import ConductStore
from bardo.errors import InvalidInputError, NotFoundError


def correct(
    store: ConductStore,
    id_: str,
    given: Forbids | Mapping[str, Any],
    *,
    add: bool,
    by: str,
    agent: str,
    now: int,
) -> StateEntry | Rule:
    """Stores a correction; see `Gate.correct`."""
    with store.writing():
        there = store.get(id_)
        if not isinstance(there, StateEntry | Rule) or not there.forbidden_action:
            raise InvalidInputError(
                f"{id_} forbids nothing. Only a rejection, or a rule that forbids, is corrected"
            )
        if isinstance(there, StateEntry) and there.status != "active":
            raise NotFoundError(f"{id_} {ended(there)}, and is no longer in force")
        if isinstance(there, Rule) and there.retired_by:
            raise NotFoundError(f"{id_} was retired already by {there.retired_by}")
        before = there.forbidden
        changes = _changes(given)
        if not changes:
            raise InvalidInputError(f"nothing is corrected. Give one of {', '.join(LISTS)}")
        if add:
            changes = {name: (*getattr(before, name), *items) for name, items in changes.items()}
        lists: dict[str, Any] = {name: tuple(dict.fromkeys(items)) for name, items in changes.items()}
        after = replace(before, **lists)
        if not is_person(by, agent) and not _is_wider(after, before):
            raise InvalidInputError("only a person narrows what is forbidden: name who, with by=...")
        given_before = without_doubt(there.corrections) if is_person(by, agent) else there.corrections
        kept: dict[str, Any] = json.loads(given_before) if given_before else {}
        kept |= {name: list(getattr(after, name)) for name in changes}
        kept["by"] = by.strip() or kept.get("by", "")
        text = json.dumps(kept, ensure_ascii=False)
        if isinstance(there, StateEntry):
            return store.put(replace(there, corrections=text, changed_at=now))
        return store.put(replace(there, corrections=text))


def _changes(given: Forbids | Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Returns the lists to change; of `Forbids` all, of a mapping those that it names."""
    checked = given if isinstance(given, Forbids) else Forbids.of(given)
    return {name: getattr(checked, name) for name in LISTS if isinstance(given, Forbids) or name in given}


def _is_wider(after: Forbids, before: Forbids) -> bool:
    """Whether everything that was forbidden still is: no pattern less, and no condition or allowed case more."""
    for name in LISTS:
        old, new = set(getattr(before, name)), set(getattr(after, name))
        if name in ("conditions", "allowed"):
            old, new = new, old
        # Without verbs any operation on a thing is forbidden.
        if name == "verbs" and not before.verbs and new:
            return False
        if not old <= new and not (name == "verbs" and not new):
            return False
    # Patterns beside things without any: "no crypto" with a command added still forbids the things.
    return True
