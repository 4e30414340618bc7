"""Options of a recall, declared once for `Grimoire`, its reader, the command line and asyncio.

`recall` and `context` unpack a `TypedDict` (`**options: Unpack[RecallOptions]`). As with a written-out signature,
editors complete the names, type checkers refuse others, and `bardo._validation` names the argument in its errors, but
no method needs a copy of it. A dataclass could be declared once too, but each call would have to make one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from bardo._core import asks_of_oneself
from bardo.clock import Ticks
from bardo.errors import InvalidInputError
from bardo.recall.filters import Filters, Layer

if TYPE_CHECKING:
    from datetime import datetime

    from bardo.model import Pad, Role, Source
    from bardo.recall.retriever import Factors

#: Default layers of a recall.
BOTH_LAYERS: Sequence[Layer] = ("episode", "fact")
#: Default number of memories that a prompt chooses from, within its budget.
CONSIDERED = 24
#: Remedies for an empty query, and for an empty task of a prompt.
QUERY = "Say what to recall; episodes.list() and facts.list() list memories without a query"
TASK = "Say what is to be decided or answered"
#: Options that become conditions unchanged.
_CONDITIONS = ("kinds", "category", "subjects", "mode", "roles", "min_confidence", "sources")
#: Options that one page for all queries, a latest fact or a summary cannot be filtered by.
FILTERS = frozenset(
    {"kinds", "category", "subjects", "since", "until", "min_confidence", "sources", "as_of", "layers"}
)
#: Options that narrow a recall; an empty result with one of them is not a gap of knowledge.
_NARROWING = (*_CONDITIONS, "thread", "session", "since", "until", "as_of")


class RecallOptions(TypedDict, total=False):
    """Options of `recall`, whether or not the process owns the memory.

    Attributes:
        kinds: Kinds of episodes or facts.
        category: Category of facts, a slash path, with those below it.
        subjects: Subjects, at least one of which matches.
        asker: Person who asks: a query with "I" or "my" is about this person, whose memories rank higher. Memories told
            in confidence by others are left out.
        thread: Active thread; its memories are boosted, and its latest mode is the default of the mode (for the owner).
        mode: Mode of the memories, including those without one; `*` for every mode.
        roles: Authors of episodes.
        since: First wall-clock time, microseconds UTC or a datetime with a time zone.
        until: Last wall-clock time, as `since`.
        min_confidence: Minimum current confidence of facts.
        sources: Sources of facts.
        as_of: Tick as of which to recall; where ticks are seconds, a datetime with a time zone as well.
        layers: `episode`, `fact` or both; both if not given.
        policy: `four_factor`, `rrf` or `pinned`.
        situation: Features of the moment of a decision, as `{"volatility": 0.3, "pool": {"fee": 30}}`; nested as
            payloads are, with `subjects` and possible `actions` as lists. Rules whose conditions hold in it reach
            the first five memories, and rules that it contradicts are left out.
        secrets: Whether episodes that tell secrets answer every query; the setting `recall.secrets` if not given.
            Otherwise they answer a query that asks for their secret, and a note counts the others.
        diversity: Weight of diversity against score (maximal marginal relevance), from 0 (score alone; if not given)
            to 1 (most diverse).
    """

    kinds: Sequence[str] | None
    category: str | None
    subjects: Sequence[str] | None
    asker: str | None
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
    secrets: bool | None
    diversity: float


class OwnerRecallOptions(RecallOptions, total=False):
    """Options of `Grimoire.recall`: those of `RecallOptions`, and those that need the log.

    Attributes:
        session: Active session; before its first episode is stored, episodes of the role `agent` are left out.
        pad: Current mood; memories of a similar mood rank higher.
        factors: Weights of the relevance, temporal, importance and emotional factor; the defaults if not given.
        window: Number of turns on either side of each episode, in `Memory.before` and `after`; 0 if not given.
    """

    session: str | None
    pad: Pad
    factors: Factors | None
    window: int


class Selection(TypedDict, total=False):
    """Conditions that select the memories of a deletion; all given ones must match.

    Attributes:
        subject: Subject of the memories; `about` also selects memories that name it.
        author: Speaker or role of episodes, or agent from which facts originate.
        query: Query of a recall; selects the best `limit` results that have every content word of it, near-duplicates
            included.
        limit: Maximum number of memories that a query selects; 20 if not given.
    """

    subject: str
    author: str
    query: str
    limit: int


def of_asker(query: str, asker: str | None) -> str:
    """Returns a query that names the person who asks, if it is about this person: "when is my appointment? (Ruth)".

    Args:
        query: Query in words.
        asker: Name of the person; None if not known.
    """
    return f"{query} ({asker})" if asker and asks_of_oneself(query) else query


def conditions(options: Mapping[str, Any], ticks: Ticks) -> Filters | None:
    """Returns the conditions among the options of a recall; None if there are none.

    Args:
        options: Options from a caller.
        ticks: Logical time, which converts times to ticks.

    Raises:
        InvalidInputError: A time cannot be read, or `layers` is None.
    """
    given = options.get
    if "layers" not in options and all(given(name) is None for name in _NARROWING):
        return None
    return Filters(
        **{name: given(name) for name in _CONDITIONS},
        since=ticks.instant(given("since"), "since"),
        until=ticks.instant(given("until"), "until"),
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
