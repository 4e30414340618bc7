"""Capabilities: tools and services of the agent, and probes that check whether they work."""

from __future__ import annotations

import builtins
import os
import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bardo._validation import checked
from bardo.conduct.match.matching import Touch
from bardo.conduct.model.procedures import Capability, Health
from bardo.errors import InvalidInputError

if TYPE_CHECKING:
    from bardo.conduct.procedures.parts import Parts

#: Function that checks a capability: False or an exception means that it does not work; a string is a note.
Probe = Callable[[], Any]
#: Maximum run time of a probe in seconds, and maximum length of its note in characters.
SLOWEST, NOTE = 600.0, 200
#: Number of probes that run at once.
_AT_ONCE = 8
_MICROSECONDS = 1_000_000


class Capabilities:
    """Capabilities of an agent; `gate.capabilities`.

    Args:
        parts: Parts of the gate.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        #: Functions of this process that check capabilities, by id.
        self._functions: dict[str, Probe] = {}

    @checked
    def add(
        self,
        name: str,
        what: str = "",
        *,
        usage: str = "",
        probe: str | Probe = "",
        timeout: float = 5.0,
        by: str = "",
        episode: str = "",
    ) -> Capability:
        """Stores a capability; given fields replace those of the one with that name.

        Args:
            name: Name, such as "psql".
            what: Purpose in a sentence; an action near it is reminded of the tool.
            usage: Call or command line that uses it.
            probe: Command line that checks it, without a shell; exit code 0 means that it works. Or a function, which
                only this open gate can call; it is not stored.
            timeout: Maximum run time of the probe, seconds.
            by: Author.
            episode: Id of the source episode; the capability is deleted when that is forgotten.

        Raises:
            InvalidInputError: A text is empty or too long, the command line cannot be split into words, the timeout is
                out of range, or an episode would change a capability that does not come from it.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        parts = self._parts
        parts.ready(write=True)
        if not 0 < timeout <= SLOWEST:
            raise InvalidInputError(f"the timeout is {timeout} s. It must be above 0 and at most {SLOWEST:g}")
        if not isinstance(probe, str) and not callable(probe):
            raise InvalidInputError(f"the probe is {probe!r}. It must be a command line or a function")
        name, what, usage = parts.cleaned(name, what, usage)
        command = probe.strip() if isinstance(probe, str) else ""
        if command:
            _words(command)
        now = parts.clock.now()
        with parts.store.writing():
            known = parts.named(Capability, name)
            if known is None:
                given = Capability("", name, what, usage, command, timeout, by=by, episode=episode, at=now)
            elif known.episode != episode:
                raise InvalidInputError(
                    f"{known.id} ({known.name}) does not come from this episode, and would be deleted with it. Give "
                    "it another name, or no episode"
                )
            else:
                given = replace(
                    known, what=what or known.what, usage=usage or known.usage, probe=command or known.probe,
                    timeout=timeout, by=by or known.by,
                )  # fmt: skip
            kept = parts.store.put(replace(given, changed_at=now))
        if callable(probe):
            self._functions[kept.id] = probe
        return kept

    @checked
    def list(self) -> builtins.list[Capability]:
        """Lists the capabilities by name, with the last results of their probes."""
        self._parts.ready()
        return sorted(self._parts.store.rows(Capability), key=lambda each: each.name)

    @checked
    def get(self, name: str) -> Capability:
        """Returns a capability by its name or id.

        Raises:
            NotFoundError: There is none.
        """
        self._parts.ready()
        return self._parts.resolve(Capability, name)

    @checked
    def check(self, names: str | Iterable[str] | None = None) -> builtins.list[Capability]:
        """Runs the probes, eight at a time, and stores their results; `before` shows them.

        A command that takes too long is killed with its children. A function that takes too long is left running in a
        thread of its own. Capabilities without a probe in this process stay as they are.

        Args:
            names: Names or ids; all if not given.

        Returns:
            The checked capabilities with their results.

        Raises:
            NotFoundError: There is no such capability.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        parts = self._parts
        parts.ready(write=True)
        if names is None:
            asked = parts.store.rows(Capability)
        else:
            listed = [names] if isinstance(names, str) else names
            asked = [parts.resolve(Capability, name) for name in listed]
        probed = [each for each in asked if each.probe or each.id in self._functions]
        if not probed:
            return []
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(_AT_ONCE, len(probed))) as pool:
            results = builtins.list(pool.map(lambda each: _run(each, self._functions.get(each.id)), probed))
        now = parts.clock.now()
        checked_ = []
        with parts.store.writing():
            for each, (health, note, took) in zip(probed, results, strict=True):
                # Read again: it may have been changed or removed while the probe ran.
                there = next((row for row in parts.store.rows(Capability) if row.id == each.id), None)
                if there is not None:
                    done = replace(there, health=health, note=_line(note), checked_at=now, took=took)
                    checked_.append(parts.store.put(done))
        return checked_

    @checked
    def remove(self, name: str) -> Capability:
        """Deletes a capability, and returns it.

        Raises:
            NotFoundError: There is none.
        """
        parts = self._parts
        parts.ready(write=True)
        gone = parts.resolve(Capability, name)
        parts.store.forget([gone.id])
        self._functions.pop(gone.id, None)
        return gone


def shown(
    capabilities: Iterable[Capability], found: Mapping[str, Touch], *, limit: int
) -> tuple[builtins.list[Capability], builtins.list[Capability]]:
    """Sorts capabilities for a verdict.

    Args:
        capabilities: Capabilities of the agent.
        found: Matches of the action, by the text that it was compared with.
        limit: Maximum number of each list.

    Returns:
        Capabilities with a checked probe, the unhealthy first, and tools that the action is near to, the nearest first.
    """
    listed = builtins.list(capabilities)
    probed = [each for each in listed if each.health]
    probed.sort(key=lambda each: (each.health == "ok", -_closeness(each, found), each.name))
    tools = [each for each in listed if each.usage and _closeness(each, found) > 0]
    tools.sort(key=lambda each: (-_closeness(each, found), each.name))
    return probed[:limit], tools[:limit]


def works(capability: Capability) -> bool:
    """Whether the last probe of a capability did not fail; also of one without a probe."""
    return capability.health in ("ok", "")


def health_text(capability: Capability) -> str:
    """Returns a capability with the last result of its probe, in a line for a prompt."""
    what = f": {capability.what}" if capability.what else ""
    note = f" ({capability.note})" if capability.note and capability.health != "ok" else ""
    return f"{capability.name} {capability.health}{note}{what}"


def tool_text(capability: Capability) -> str:
    """Returns a tool with its use, in a line for a prompt."""
    what = f": {capability.what}" if capability.what else ""
    return f"{capability.name}{what}. Use: {capability.usage}"


def _closeness(capability: Capability, found: Mapping[str, Touch]) -> float:
    touches = [found.get(text) for text in (capability.name, capability.what)]
    return max((touch.closeness for touch in touches if touch is not None and touch.near), default=0.0)


def _run(capability: Capability, function: Probe | None) -> tuple[Health, str, int]:
    """Runs a probe; returns its result, a note, and its run time in microseconds."""
    began = time.monotonic()
    if function is not None:
        health, note = _call(function, capability.timeout)
    else:
        health, note = _command(capability.probe, capability.timeout)
    return health, note, round((time.monotonic() - began) * _MICROSECONDS)


def _call(function: Probe, timeout: float) -> tuple[Health, str]:
    results: builtins.list[tuple[Health, str]] = []

    def run() -> None:
        try:
            answer = function()
        except Exception as error:
            results.append(("failed", f"{type(error).__name__}: {error}"))
        else:
            results.append(("failed" if answer is False else "ok", answer if isinstance(answer, str) else ""))

    thread = threading.Thread(target=run, name="bardo-probe", daemon=True)
    thread.start()
    thread.join(timeout)
    return results[0] if results else ("timed out", f"no answer within {timeout:g} s")


def _command(line: str, timeout: float) -> tuple[Health, str]:
    # A hook that only checks actions starts without it.
    import subprocess

    try:
        process = subprocess.Popen(
            _words(line), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return "failed", f"{error.strerror}: {error.filename or line}"
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # The group has the children too, which would keep the pipe open.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "timed out", f"no answer within {timeout:g} s"
    text = output.decode(errors="replace").strip()
    return ("ok" if process.returncode == 0 else "failed"), text or f"exit code {process.returncode}"


def _words(line: str) -> builtins.list[str]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InvalidInputError(
            f"the command line {line!r} cannot be split: {error}. Quote it properly"
        ) from error
    if not words:
        raise InvalidInputError("the command line is empty")
    return words


def _line(text: str) -> str:
    """Returns the first line of a text, cut to the length of a note."""
    first = next(iter(text.splitlines()), "").strip()
    return first if len(first) <= NOTE else f"{first[: NOTE - 1]}…"
