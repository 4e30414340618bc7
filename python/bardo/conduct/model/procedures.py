"""Value types of procedures: flows, capabilities, missions, and the outputs that a bridge shows to another agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bardo._printed import printed
from bardo.config import SECONDS_PER_DAY

#: Flag of a flow: its effectiveness is trusted, it is to be rewritten or retired, or none of these.
FlowFlag = Literal["trusted", "rewrite", "retire", ""]
Health = Literal["ok", "failed", "timed out", ""]

#: Minimum lower bound of the effectiveness of a trusted flow.
TRUSTED = 0.95
#: Share of successes under which a flow is to be rewritten, and minimum number of results for this.
WEAK, RESULTS = 0.40, 5
#: Number of days after which an unused flow is to be retired.
UNUSED_DAYS = 30
#: Quantile of the normal distribution for intervals of 95 %.
_Z = 1.959964
_DAY = SECONDS_PER_DAY * 1_000_000


@dataclass(frozen=True, slots=True)
class Flow:
    """Named procedure: steps in order, found by its triggers.

    Args:
        id: `f` and a number.
        name: Name, unique among the flows in force.
        steps: Steps in order.
        triggers: Actions for which the flow is meant, in words, such as "deploy to production".
        needs_approval: Whether an action that equals a trigger is blocked without a person's approval.
        domain: Subject area.
        by: Author.
        episode: Id of the source episode; the flow is deleted when that is forgotten.
        version: Number of the version, from 1; new steps make a new version.
        succeeded: Number of passed actions of this version.
        failed: Number of failed actions of this version.
        at: Time of creation, microseconds UTC.
        changed_at: Time of the last change, microseconds UTC.
        used_at: Time of the last result, microseconds UTC; 0 if there is none.
        retired_by: Person or agent that retired it; empty while it is in force.
        retired_why: Reason for retiring it.
    """

    id: str
    name: str
    steps: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    needs_approval: bool = False
    domain: str = ""
    by: str = ""
    episode: str = ""
    version: int = 1
    succeeded: int = 0
    failed: int = 0
    at: int = 0
    changed_at: int = 0
    used_at: int = 0
    retired_by: str = ""
    retired_why: str = ""

    __str__ = printed

    @property
    def texts(self) -> tuple[str, ...]:
        """Returns the texts with which actions are compared."""
        return tuple(dict.fromkeys((self.name, *self.triggers)))

    @property
    def used(self) -> int:
        """Returns the number of results of this version."""
        return self.succeeded + self.failed

    @property
    def effectiveness(self) -> float | None:
        """Returns the share of successes of this version, 0..1; None without results."""
        return self.succeeded / self.used if self.used else None

    @property
    def interval(self) -> tuple[float, float]:
        """Returns the bounds of the effectiveness, a Wilson interval of 95 %; (0, 1) without results."""
        return wilson(self.succeeded, self.used)

    def flag_at(self, now: int) -> FlowFlag:
        """Returns the flag at a wall clock (microseconds UTC).

        A flow is trusted if the lower bound of its effectiveness is at least .95. It is to be rewritten if fewer than
        .40 of at least five results are successes, and to be retired if it has no result within 30 days.
        """
        if not self.used:
            return "retire" if now - self.changed_at >= UNUSED_DAYS * _DAY else ""
        if self.interval[0] >= TRUSTED:
            return "trusted"
        return "rewrite" if self.used >= RESULTS and self.succeeded / self.used < WEAK else ""


@dataclass(frozen=True, slots=True)
class Capability:
    """Tool or service that the agent can use, with the last result of its probe.

    Args:
        id: `c` and a number.
        name: Name, unique among the agent's capabilities.
        what: Purpose in a sentence; actions are compared with it.
        usage: Call or command line that uses it; empty if there is none.
        probe: Command line that checks it; empty if a function of the process does, or nothing.
        timeout: Maximum run time of the probe, seconds.
        health: Last result of the probe; empty while there is none.
        note: First line of the probe's output, or its error.
        checked_at: Time of the last check, microseconds UTC; 0 if there is none.
        took: Run time of the last check, microseconds.
        by: Author.
        episode: Id of the source episode; the capability is deleted when that is forgotten.
        at: Time of creation, microseconds UTC.
        changed_at: Time of the last change, microseconds UTC.
    """

    id: str
    name: str
    what: str = ""
    usage: str = ""
    probe: str = ""
    timeout: float = 5.0
    health: Health = ""
    note: str = ""
    checked_at: int = 0
    took: int = 0
    by: str = ""
    episode: str = ""
    at: int = 0
    changed_at: int = 0

    __str__ = printed

    @property
    def texts(self) -> tuple[str, ...]:
        """Returns the texts with which actions are compared."""
        return tuple(dict.fromkeys(filter(None, (self.name, self.what))))


@dataclass(frozen=True, slots=True)
class Mission:
    """Standing directive of the agent. One is in force at a time.

    Args:
        id: `m` and a number.
        text: Directive.
        by: Person who gave it; empty if the agent set it itself.
        episode: Id of the source episode; the mission is deleted when that is forgotten.
        at: Time of the beginning, microseconds UTC.
        ended_at: Time of the end, microseconds UTC; 0 while it is in force.
        ended_by: Person or agent that ended it.
        ended_why: Reason for ending it.
    """

    id: str
    text: str
    by: str = ""
    episode: str = ""
    at: int = 0
    ended_at: int = 0
    ended_by: str = ""
    ended_why: str = ""

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Output:
    """Text that the agent published for other agents with a grant.

    Args:
        id: `u` and a number.
        title: Title.
        text: Text.
        domain: Subject area; a grant may be for one only.
        by: Author; the agent if not given.
        episode: Id of the source episode; the output is deleted when that is forgotten.
        at: Time of publication, microseconds UTC.
    """

    id: str
    title: str
    text: str = ""
    domain: str = ""
    by: str = ""
    episode: str = ""
    at: int = 0

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Grant:
    """Permission of another agent to read the published outputs, and nothing else.

    Args:
        id: `g` and a number.
        reader: Name of the agent that may read.
        domain: Subject area of the readable outputs; every one if empty.
        by: Person who granted it.
        at: Time of the grant, microseconds UTC.
        revoked_at: Time of the revocation, microseconds UTC; 0 while it holds.
        revoked_by: Person or agent that revoked it.
        episode: Always empty: a grant has no source episode.
    """

    id: str
    reader: str
    domain: str = ""
    by: str = ""
    at: int = 0
    revoked_at: int = 0
    revoked_by: str = ""
    episode: str = ""

    __str__ = printed


def wilson(successes: int, results: int) -> tuple[float, float]:
    """Returns the bounds of a share as a Wilson score interval of 95 % (E. B. Wilson, 1927).

    Args:
        successes: Number of successes.
        results: Number of results.

    Returns:
        Lower and upper bound, 0..1; (0, 1) without results.
    """
    if not results:
        return 0.0, 1.0
    share, square = successes / results, _Z * _Z
    middle = (share + square / (2 * results)) / (1 + square / results)
    half = (
        _Z
        * (share * (1 - share) / results + square / (4 * results * results)) ** 0.5
        / (1 + square / results)
    )
    # Exact at the ends, where rounding would leave the share outside.
    return max(0.0, middle - half) if successes else 0.0, middle + half if successes < results else 1.0
