"""The options of a recall, declared once for `Grimoire`, its reader, the command line and asyncio.

`recall` and `context` unpack a `TypedDict` (`**options: Unpack[RecallOptions]`). Editors complete its names, type
checkers refuse others, and `bardo._validation` names the argument in its errors: what callers have of a written-out
signature, without a copy of it in each verb. A dataclass would have been declared once too, but each call would have to
make one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from bardo.clock import Ticks, moment_of
from bardo.errors import InvalidInputError
from bardo.recall.filters import Filters, Layer

if TYPE_CHECKING:
    from datetime import datetime

    from bardo.model import Pad, Role, Source
    from bardo.recall.retriever import Factors

#: The layers that a recall searches if none are named.
BOTH_LAYERS: Sequence[Layer] = ("episode", "fact")
#: Memories that a prompt chooses from; the budget decides how many get in.
CONSIDERED = 24
#: Options that become conditions as they are.
_CONDITIONS = ("kinds", "category", "subjects", "mode", "roles", "min_confidence", "sources")
#: Options that narrow a recall, so that finding nothing is no gap in what is known.
_NARROWING = (*_CONDITIONS, "thread", "session", "since", "until", "as_of")


class RecallOptions(TypedDict, total=False):
    """Options of `recall`, whether or not the process owns the memory.

    Attributes:
        kinds: Only these kinds of episode or fact.
        category: Only facts under this slash path.
        subjects: Only what is about one of these.
        thread: The active thread; its memories are boosted, and its latest mode is taken for the mode (by the owner).
        mode: Only this posture and what has none; `*` for every posture.
        roles: Only episodes by these.
        since: First wall-clock time, microseconds UTC or a datetime with a time zone.
        until: Last wall-clock time, as `since`.
        min_confidence: Only facts at least so sure today.
        sources: Only facts from these.
        as_of: What was known at this tick; where ticks are seconds, a datetime with a time zone as well.
        layers: `episode`, `fact` or both; both if not given.
        policy: `four_factor`, `rrf` or `pinned`.
        situation: Features of the moment of a decision, as `{"volatility": 0.3, "pool": {"fee": 30}}`; nested as
            payloads are, with `subjects` and possible `actions` as lists. Rules whose conditions hold in it reach
            the first five memories, and rules that it contradicts are left out.
        diversity: How much unlike each other the memories are to be: 0 (if not given) by score alone, 1 as unlike as
            can be (maximal marginal relevance).
    """

    kinds: Sequence[str] | None
    category: str | None
    subjects: Sequence[str] | None
    thread: str | None
    mode: str | None
    roles: Sequence[Role] | None
    since: int | datetime | None
    until: int | datetime | None
    min_confidence: float | None
    sources: Sequence[Source] | None
    as_of: int | datetime | None
    layers: Sequence[Layer]
    policy: str | None
    situation: Mapping[str, Any] | None
    diversity: float


class OwnerRecallOptions(RecallOptions, total=False):
    """Options of `Grimoire.recall`: those of `RecallOptions`, and those for which the log must be at hand.

    Attributes:
        session: The active session; on its first turn, before anything of it is remembered, what agents said elsewhere
            is left out.
        pad: The current mood; memories of a like mood come easier.
        factors: Weights of the semantic, temporal, importance and emotional factor; the defaults if not given.
        window: Turns that come along on either side of each episode, in `Memory.before` and `after`; 0 if not given.
    """

    session: str | None
    pad: Pad
    factors: Factors | None
    window: int


class Selection(TypedDict, total=False):
    """Conditions that select the memories of a deletion; those given narrow each other.

    Attributes:
        subject: What is about this, as `subjects` says; `about` also takes what names it.
        author: Episodes that this speaker said or this role authored, and facts that originate from this agent.
        query: What a recall finds for this query and has every content word of it, near-duplicates included; the
            best `limit` of it.
        limit: Memories that a query selects at most; 20 if not given.
    """

    subject: str
    author: str
    query: str
    limit: int


def conditions(options: Mapping[str, Any], ticks: Ticks) -> Filters | None:
    """The conditions among the options of a recall; None if there are none.

    Args:
        options: As a caller gave them.
        ticks: Reads times as ticks.

    Raises:
        InvalidInputError: A time cannot be read, or `layers` is None.
    """
    given = options.get
    if "layers" not in options and all(given(name) is None for name in _NARROWING):
        return None
    return Filters(
        **{name: given(name) for name in _CONDITIONS},
        since=moment_of(given("since"), "since"),
        until=moment_of(given("until"), "until"),
        as_of=ticks.given("as_of", given("as_of")),
        layers=_layers(options),
    )


def _layers(options: Mapping[str, Any]) -> Any:
    layers = options.get("layers", BOTH_LAYERS)
    if layers is None:
        raise InvalidInputError(
            "layers is None. Leave it out to search episodes and facts, or pass layers=['fact']"
        )
    return layers
