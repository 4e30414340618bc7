"""Directives in a testament: what the parent's gate held (rejections, rules, flows, tasks), for the heir's gate."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bardo._atomic import parse_json
from bardo._printed import printed
from bardo.bequeath.content.directive_kinds import KINDS
from bardo.bequeath.content.left_behind import LeftBehind, content_id
from bardo.bequeath.lineage import GENERATION_LIMIT
from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.privacy.stated_limits import ENFORCED, Limits, numbers
from bardo.model import Episode

#: Maximum number of directives in a testament, of those among them that have ended, and of characters of a text.
DIRECTIVE_LIMIT, ENDED_LIMIT, TEXT_LIMIT = 512, 128, 2_000
#: Prefix of the kind of an episode that was made of a directive.
EPISODE_KIND = "gate."
_TEXTS = (
    "text",
    "detail",
    "domain",
    "forbids",
    "approval",
    "by",
    "origin",
    "ended_by",
    "ended_why",
    "ended_in",
)
#: Fields that are lists of texts, and the maximum length of a list.
_LISTS, LIST_LIMIT = ("steps", "triggers"), 100


@dataclass(frozen=True, slots=True)
class Directive:
    """Decision, rejection, task, rule, flow or mission at the death of an agent: in force, or ended.

    One that has ended is a tombstone: an older testament does not bring it back.

    Args:
        kind: One of `KINDS`.
        text: Content in a sentence; of a rejection the rejected action, of a flow its name.
        detail: Reason and further details.
        domain: Subject area.
        forbids: Action that a rule forbids.
        approval: Action for which a rule requires approval.
        score: Score of a rule today, 0 to 10; 0 for all other kinds.
        by: Author.
        at: Time of the last change, of a rule that of its words, microseconds UTC.
        origin: Agent that held it first; empty for the testator.
        generation: Number of lives between that agent and the testator.
        corrections: Corrections of what a rejection or a rule forbids, as JSON; empty if there are none.
        steps: Steps of a flow.
        triggers: Actions for which a flow is meant.
        needs_approval: Whether a flow needs a person's approval.
        ended_at: Time of its end, microseconds UTC; 0 while it is in force.
        ended_by: Person who ended it; empty if the agent did so itself.
        ended_why: Reason for its end.
        ended_in: Agent in whose life it ended; empty for the testator.
        heard_in: Id of the message that one which has ended was heard in; empty if that does not cross.
    """

    kind: str
    text: str
    detail: str = ""
    domain: str = ""
    forbids: str = ""
    approval: str = ""
    score: float = 0.0
    by: str = ""
    at: int = 0
    origin: str = ""
    generation: int = 0
    corrections: str = ""
    steps: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    needs_approval: bool = False
    ended_at: int = 0
    ended_by: str = ""
    ended_why: str = ""
    ended_in: str = ""
    heard_in: str = ""

    __str__ = printed

    @property
    def id(self) -> str:
        """Id of the episode by which recall finds the directive."""
        return content_id(self.kind, self.text, at=self.at)

    def document(self) -> dict[str, Any]:
        """Returns the fields for `conduct.json`, without those of other kinds."""
        given = dataclasses.asdict(self)
        others = (
            "corrections", "steps", "triggers", "needs_approval", "ended_at", "ended_by", "ended_why", "ended_in",
            "heard_in",
        )  # fmt: skip
        return {name: value for name, value in given.items() if value or name not in others}

    def details(self) -> list[str]:
        """Returns the parts of the directive besides its text, each in a sentence."""
        told = [self.detail]
        told += [f"Forbidden: {self.forbids}"] * bool(self.forbids and self.forbids != self.text)
        told += [f"Needs approval: {self.approval}"] * bool(self.approval)
        told += [f"For: {'; '.join(self.triggers)}"] * bool(self.triggers)
        told += [f"Steps: {'; '.join(self.steps)}"] * bool(self.steps)
        told += ["Needs a person's approval"] * self.needs_approval
        return told

    def line(self) -> str:
        """Returns the directive as a line under a heading that names its kind."""
        begin = re.match(rf"(?:{self.kind}|{KINDS[self.kind]}):\s*(?=\S)", self.text.strip(), re.IGNORECASE)
        said = _sentences(self.text.strip()[begin.end() if begin else 0 :], *self.details())
        if not self.ended_at:
            return said
        ended = f"Ended{f' by {self.ended_by}' if self.ended_by else ''}"
        return _sentences(
            f"{KINDS[self.kind]}: {said}", f"{ended}{f': {self.ended_why}' if self.ended_why else ''}"
        )

    def episode(self) -> Episode:
        """Returns the directive as an episode, by which recall finds it; the same directive has the same id."""
        return Episode(
            _sentences(f"{KINDS[self.kind]}: {self.text}", *self.details()),
            id=self.id,
            at=self.at,
            kind=f"{EPISODE_KIND}{self.kind}",
            role="agent",
        )


def choose(
    given: Iterable[Directive], agent: str, redactor: Redactor
) -> tuple[list[Directive], list[LeftBehind]]:
    """Chooses and redacts the directives that cross a death: by kind, the highest score and the latest first.

    Those that have ended take the room that is left, the ones that a person ended first.

    Args:
        given: Directives in force, and those that have ended.
        agent: Name of the testator.
        redactor: Redactor of the testament.

    Returns:
        Directives that cross, and those that stay behind.
    """
    order = list(KINDS)
    held, ended = list[Directive](), list[Directive]()
    for one in given:
        by = "" if one.ended_by == agent else one.ended_by
        (ended if one.ended_at else held).append(dataclasses.replace(one, ended_by=by))
    held.sort(key=lambda one: (order.index(one.kind), -one.score, -one.at, one.text))
    ended.sort(key=lambda one: (not one.ended_by, -one.ended_at, one.text))
    room = min(ENDED_LIMIT, max(DIRECTIVE_LIMIT - len(held), 0))
    over = [
        LeftBehind("directive", one.id, "directive_over_cap")
        for one in (*held[DIRECTIVE_LIMIT:], *ended[room:])
    ]
    return [redacted(one, agent, redactor) for one in (*held[:DIRECTIVE_LIMIT], *ended[:room])], over


def redacted(one: Directive, agent: str, redactor: Redactor) -> Directive:
    """Redacts a directive; the limits of what the gate enforces stay, in every field.

    Args:
        one: Directive.
        agent: Name of the testator.
        redactor: Redactor of the testament.
    """
    enforced = _enforced(one)
    kept: dict[str, Any] = {
        name: _each(getattr(one, name), lambda text: redactor.text(text, ENFORCED)) for name in enforced
    }
    corrections = redactor.fields(json.loads(one.corrections or "{}"), ENFORCED)
    told = Limits(told=numbers([*kept.values(), corrections]))
    kept |= {
        name: _each(getattr(one, name), lambda text: redactor.text(text, told))
        for name in (*_TEXTS, *_LISTS)
        if name not in enforced
    }
    kept["corrections"] = json.dumps(corrections, ensure_ascii=False) if one.corrections else ""
    kept["origin"] = kept["origin"] or agent
    kept["ended_in"] = kept["ended_in"] or (agent if one.ended_at else "")
    return dataclasses.replace(one, **kept)


def _enforced(one: Directive) -> tuple[str, ...]:
    """Returns the names of the fields by which a gate blocks an action."""
    if one.kind == "rejected":
        return ("text",)
    if one.kind == "rule":
        return ("forbids", "approval")
    return ("text", "triggers") if one.needs_approval else ()


def _each(value: str | tuple[str, ...], redact: Callable[[str], str]) -> Any:
    """Redacts a text or a list of texts, each shortened."""
    if isinstance(value, str):
        return redact(value)[:TEXT_LIMIT]
    return tuple(redact(text)[:TEXT_LIMIT] for text in value[:LIST_LIMIT])


def read(raw: bytes, agent: str) -> tuple[Directive, ...] | None:
    """Parses the part `conduct.json` of a testament; returns None if it is not a short list of directives.

    Args:
        raw: Bytes of the part.
        agent: Name of the testator.
    """
    try:
        found = parse_json(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or len(found) > DIRECTIVE_LIMIT:
        return None
    read_ones = [_directive(one, agent) for one in found]
    return tuple(one for one in read_ones if one is not None) if None not in read_ones else None


def _directive(found: Any, agent: str) -> Directive | None:
    if not isinstance(found, dict) or not found.keys() <= set(Directive.__dataclass_fields__):
        return None
    texts = [found.get(name, "") for name in _TEXTS]
    lists = [found.get(name, []) for name in _LISTS]
    score, at, generation = found.get("score", 0.0), found.get("at", 0), found.get("generation", 0)
    ended_at = found.get("ended_at", 0)
    fits = (
        found.get("kind") in KINDS
        and all(map(_is_text, texts))
        and bool(texts[0].strip())
        and all(map(_is_list, lists))
        and isinstance(found.get("corrections", ""), str)
        and len(found.get("corrections", "")) <= TEXT_LIMIT * 2
        and isinstance(found.get("needs_approval", False), bool)
        and _is_text(found.get("heard_in", ""))
        and isinstance(score, int | float)
        and 0 <= score <= 10
        and all(
            type(number) is int and 0 <= number < limit
            for number, limit in ((at, 1 << 62), (ended_at, 1 << 62), (generation, GENERATION_LIMIT + 1))
        )
    )
    if not fits:
        return None
    tuples = {name: tuple(found.get(name, ())) for name in _LISTS}
    return Directive(**{**found, **tuples, "origin": found.get("origin") or agent})


def _is_text(found: Any) -> bool:
    return isinstance(found, str) and len(found) <= TEXT_LIMIT


def _is_list(found: Any) -> bool:
    return isinstance(found, list) and len(found) <= LIST_LIMIT and all(map(_is_text, found))


def _sentences(*parts: str) -> str:
    return ". ".join(part.strip().rstrip(".") for part in parts if part.strip())


def redacted_episodes(given: Sequence[Directive], agent: str, redactor: Redactor) -> list[Episode]:
    """Returns the episodes of directives, each once, with redacted texts.

    Args:
        given: Directives of a testament.
        agent: Name of the testator.
        redactor: Redactor of the inheritance.
    """
    once = {one.id: redacted(one, agent, redactor) for one in given}
    return [dataclasses.replace(one.episode(), id=id_) for id_, one in once.items()]
