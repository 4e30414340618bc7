"""Flows: named procedures with triggers and steps, and the results of following them."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bardo._validation import checked
from bardo.conduct.match.matching import APPLIES_SHARE, Touch
from bardo.conduct.model.procedures import Flow
from bardo.conduct.required import require_action, require_person
from bardo.conduct.storage.store import ConductStore
from bardo.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from bardo.conduct.procedures.parts import Parts

#: Minimum cosine of an action with a trigger or a name, for a flow that is found by meaning alone.
MEANT = 0.45


class Flows:
    """Flows of an agent; `gate.flows`.

    Args:
        parts: Parts of the gate.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @checked
    def add(
        self,
        name: str,
        steps: Iterable[str],
        *,
        triggers: Iterable[str] = (),
        needs_approval: bool | None = None,
        domain: str = "",
        by: str = "",
        episode: str = "",
    ) -> Flow:
        """Stores a flow, or a new version of the one in force with that name; other steps begin a new count of results.

        Args:
            name: Name, such as "release".
            steps: Steps in order.
            triggers: Actions for which the flow is meant, in words; those of the earlier version if none are given.
            needs_approval: Whether an action that equals a trigger is blocked without a person's approval; as in the
                earlier version, or not, if None.
            domain: Subject area.
            by: Author. Only a named person changes a flow that needs approval, or makes it go without.
            episode: Id of the source episode; the flow is deleted when that is forgotten.

        Raises:
            InvalidInputError: There are no steps, a text is empty or too long, no person is named, or an episode would
                change a flow that does not come from it.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        parts = self._parts
        parts.ready(write=True)
        name, domain = parts.cleaned(name, domain)
        listed = tuple(parts.cleaned(*_texts("steps", steps)))
        if not listed or not all(listed):
            raise InvalidInputError("a flow needs at least one step, and no step may be empty")
        wanted = tuple(filter(None, parts.cleaned(*_texts("triggers", triggers))))
        now = parts.clock.now()
        with parts.store.writing():
            known = parts.named(Flow, name)
            if known is None:
                return parts.store.put(
                    Flow(
                        "", name, listed, wanted, bool(needs_approval), domain, by, episode, at=now, changed_at=now
                    )
                )  # fmt: skip
            given = replace(
                known,
                steps=listed,
                triggers=wanted or known.triggers,
                needs_approval=known.needs_approval if needs_approval is None else needs_approval,
                domain=domain or known.domain,
            )
            if given == known:
                return known
            if known.needs_approval:
                require_person(by, "changes a flow that needs approval", agent=parts.agent)
            if episode != known.episode:
                raise InvalidInputError(
                    f"{known.id} ({known.name}) does not come from this episode, and would be deleted with it. Give "
                    "the new version another name, or no episode"
                )
            given = replace(given, by=by or known.by, changed_at=now)
            if listed != known.steps:
                given = replace(given, version=known.version + 1, succeeded=0, failed=0, used_at=0)
            return parts.store.put(given)

    @checked
    def list(self, *, domain: str | None = None, every: bool = False) -> builtins.list[Flow]:
        """Lists flows by name; `flow.flag_at(gate.now)` says which to trust, to rewrite or to retire.

        Args:
            domain: Subject area of the flows; any if not given.
            every: Whether to list retired ones, too.
        """
        self._parts.ready()
        found = self._parts.store.rows(Flow, every=every)
        return sorted(
            (flow for flow in found if domain is None or flow.domain == domain), key=lambda flow: flow.name
        )

    @checked
    def get(self, name: str) -> Flow:
        """Returns the flow in force with a name, or a flow by its id.

        Raises:
            NotFoundError: There is none.
        """
        self._parts.ready()
        return self._parts.resolve(Flow, name)

    @checked
    def find(self, action: str) -> builtins.list[Flow]:
        """Returns the flows that are meant for an action, by words and meaning, the closest first.

        Args:
            action: Action in words, or as a command.

        Raises:
            InvalidInputError: The action is empty.
        """
        parts = self._parts
        parts.ready()
        require_action(action)
        parts.index.refresh()
        found, _ = parts.index.match(action, parts.embedder, now=parts.clock.now())
        return [flow for flow, _ in matching(parts.index.flows, found)]

    @checked
    def record(self, name: str, *, passed: bool) -> Flow:
        """Counts the result of a flow that was followed outside `after`.

        Args:
            name: Name or id of the flow.
            passed: Whether it succeeded.

        Raises:
            NotFoundError: There is no such flow in force.
        """
        parts = self._parts
        parts.ready(write=True)
        with parts.store.writing():
            return count(parts.store, in_force(parts, name), passed=passed, now=parts.clock.now())

    @checked
    def retire(self, name: str, *, by: str = "", why: str = "") -> Flow:
        """Retires a flow. Only a named person retires one that needs approval.

        Args:
            name: Name or id of the flow.
            by: Person or agent that retires it.
            why: Reason.

        Raises:
            NotFoundError: There is no such flow in force.
            InvalidInputError: The flow needs approval, and no person is named.
        """
        parts = self._parts
        parts.ready(write=True)
        (why,) = parts.cleaned(why)
        with parts.store.writing():
            flow = in_force(parts, name)
            if flow.needs_approval:
                require_person(by, "retires a flow that needs approval", agent=parts.agent)
            return parts.store.put(replace(flow, retired_by=by.strip() or parts.agent, retired_why=why))


def followed(parts: Parts, name: str, found: Mapping[str, Touch]) -> Flow | None:
    """Returns the named flow, or the one that equals an action; None if there is none.

    Args:
        parts: Parts of the gate.
        name: Name of a flow; empty if none is named.
        found: Matches of the action, by text.
    """
    if name:
        return in_force(parts, name)
    flow, is_same = next(iter(matching(parts.index.flows, found)), (None, False))
    # Counters of the present row: the index may lag behind another process.
    return in_force(parts, flow.id) if flow is not None and is_same else None


def in_force(parts: Parts, name: str) -> Flow:
    """Returns the flow in force with a name or an id.

    Raises:
        NotFoundError: There is none, or it is retired.
    """
    flow = parts.resolve(Flow, name)
    if flow.retired_by:
        raise NotFoundError(f"{flow.id} was retired already by {flow.retired_by}")
    return flow


def matching(flows: Iterable[Flow], found: Mapping[str, Touch]) -> builtins.list[tuple[Flow, bool]]:
    """Returns the flows that are meant for an action, and whether the action equals a trigger or the name.

    Args:
        flows: Flows in force.
        found: Matches of the action, by the text that it was compared with.

    Returns:
        Pairs in order: equal ones, then the closest.
    """
    suited = []
    for flow in flows:
        touches = [touch for text in flow.texts if (touch := found.get(text)) and suits(touch)]
        if touches:
            is_same = any(equals(touch) for touch in touches)
            suited.append((flow, is_same, max(touch.closeness for touch in touches)))
    suited.sort(key=lambda each: (not each[1], -each[2], int(each[0].id[1:])))
    return [(flow, is_same) for flow, is_same, _ in suited]


def equals(touch: Touch) -> bool:
    """Whether an action equals a trigger: it has all of its words, or does the same with half of them.

    The same operation alone is not enough: "deploy to production" is not every deployment.
    """
    return not touch.apart and (touch.share == 1.0 or (touch.same and touch.share >= APPLIES_SHARE))


def suits(touch: Touch) -> bool:
    """Whether a flow with a trigger is meant for an action: most of its words, or its meaning."""
    by_meaning = touch.cosine is not None and touch.cosine >= MEANT and not touch.apart
    return touch.same or touch.applies or (by_meaning and touch.near)


def count(store: ConductStore, flow: Flow, *, passed: bool, now: int) -> Flow:
    """Counts a result of a flow.

    Args:
        store: Flows of the agent.
        flow: Flow in force.
        passed: Whether it succeeded.
        now: Wall clock, microseconds UTC.
    """
    return store.put(
        replace(
            flow, succeeded=flow.succeeded + passed, failed=flow.failed + (not passed), used_at=now
        )
    )  # fmt: skip


def told(flow: Flow, now: int) -> str:
    """Returns a flow with its effectiveness and steps, in a line for a prompt."""
    steps = " ".join(f"{place}. {step}" for place, step in enumerate(flow.steps, 1))
    approval = ", needs a person's approval" if flow.needs_approval else ""
    return f"{flow.name} ({flow.id}, version {flow.version}; {results_text(flow, now)}{approval}): {steps}"


def results_text(flow: Flow, now: int) -> str:
    """Returns the results of a flow, with the interval of its effectiveness and its flag, in words."""
    flags = {"trusted": ", trusted", "rewrite": ", to be rewritten", "retire": ", unused: retire it?", "": ""}
    flag = flags[flow.flag_at(now)]
    if flow.effectiveness is None:
        return f"no results yet{flag}"
    low, high = flow.interval
    return f"{flow.succeeded} of {flow.used} succeeded, 95 % interval {low:.0%} to {high:.0%}{flag}"


def _texts(name: str, given: Iterable[str]) -> Sequence[str]:
    """Refuses a single string where a list of strings is meant."""
    listed = [given] if isinstance(given, str) else builtins.list(given)
    if wrong := next((each for each in listed if not isinstance(each, str)), None):
        raise InvalidInputError(f"{name} has {wrong!r}, which is no string. Give strings")
    return listed
