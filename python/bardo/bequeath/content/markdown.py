"""Renders the content of a testament as Markdown that a person or any agent can read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from bardo.bequeath.content import tallies
from bardo.bequeath.content.directive_kinds import KINDS
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.questions import Question
from bardo.bequeath.content.worth import RULE_KINDS, inherited_fields
from bardo.model import DISPUTED, Episode, Fact

#: Headings of directives where they differ from the name of the kind.
_TITLES = {"rule": "Rules", "task": "Open tasks", "flow": "Flows"}
#: Beginning of the line of an episode below the record that ends it.
BELOW = "  - before: "
#: Newer records by the id of the older one that they end or dispute.
Ends = Mapping[str, Sequence[str]]
#: Statuses of facts that no longer hold.
ENDED = frozenset({"contradicted", "superseded"})


def render(
    conduct: Sequence[Directive],
    facts: Sequence[Fact],
    episodes: Sequence[Episode],
    questions: Sequence[Question],
    reflection: str,
    *,
    ends: Ends = MappingProxyType({}),
) -> str:
    """Renders the content of a testament: what holds first, then what no longer does, and open questions.

    Args:
        conduct: Directives.
        facts: Facts.
        episodes: Episodes; the latest come first.
        questions: Open questions.
        reflection: Markdown.
        ends: Newer records that end or dispute an older episode, by its id; the older one stands below such a record.
    """
    current = [fact for fact in facts if fact.status not in ENDED]
    latest = sorted(episodes, key=lambda one: (not inherited_fields(one), one.tick, one.id), reverse=True)
    below = _below(current, latest, ends)
    inner = {one.id for group in below.values() for one in group}

    def told(records: Iterable[Fact | Episode]) -> Iterator[str]:
        for one in records:
            if one.id not in inner:
                yield of_fact(one) if isinstance(one, Fact) else of_episode(one)
                yield from (f"{BELOW}{_one_line(older.text)}" for older in below.get(one.id, ()))

    sections = [
        *_by_kind([one for one in conduct if not one.ended_at]),
        ("Warnings and rules", told(fact for fact in current if fact.kind in RULE_KINDS)),
        ("Facts", told(fact for fact in current if fact.kind not in RULE_KINDS)),
        ("Episodes", told(latest)),
        ("No longer true", [of_fact(fact) for fact in facts if fact.status in ENDED]),
        ("No longer in force", [of_directive(one) for one in conduct if one.ended_at]),
        ("Open questions", map(of_question, questions)),
    ]
    parts = [f"## {title}\n{lines}" for title, items in sections if (lines := _lines(items))]
    return "\n\n".join([*parts, reflection.strip()] if reflection.strip() else parts) + "\n"


def ends_of(links: Iterable[tuple[str, str, str, float]]) -> Ends:
    """Newer records that end or dispute an older one, by its id.

    Args:
        links: Source, target, relation and weight of links.
    """
    found: dict[str, list[str]] = {}
    for newer, older, relation, weight in links:
        if relation == "corrects" and weight >= DISPUTED:
            found.setdefault(older, []).append(newer)
    return found


def _below(facts: Sequence[Fact], episodes: Sequence[Episode], ends: Ends) -> dict[str, list[Episode]]:
    """Episodes that were ended, by the id of the record below which they stand: the last of their corrections."""
    ids = [one.id for one in reversed(episodes)] + [one.id for one in facts]
    order = {id_: place for place, id_ in enumerate(ids)}
    below: dict[str, list[Episode]] = {}
    for episode in episodes:
        above, seen = episode.id, {episode.id}
        while newer := [one for one in ends.get(above, ()) if one in order and one not in seen]:
            above = max(newer, key=order.__getitem__)
            seen.add(above)
        if above != episode.id and order[above] > order[episode.id]:
            below.setdefault(above, []).append(episode)
    return below


def _by_kind(conduct: Sequence[Directive]) -> Iterator[tuple[str, list[str]]]:
    """The directives by kind; a detail that several of one kind share stands once, in their heading."""
    groups: dict[tuple[str, str], list[Directive]] = {}
    for one in conduct:
        groups.setdefault((one.kind, one.detail), []).append(one)
    kinds: dict[str, list[str]] = {}
    for (kind, detail), held in groups.items():
        title = _TITLES.get(kind, KINDS[kind])
        if detail and len(held) > 1:
            title = f"{title} ({_one_line(detail).rstrip('.')})"
            told = [of_directive(dataclasses.replace(one, detail="")) for one in held]
        else:
            told = [of_directive(one) for one in held]
        kinds.setdefault(title, []).extend(told)
    yield from kinds.items()


def of_directive(directive: Directive) -> str:
    """Returns the line of a directive."""
    return _one_line(directive.line())


def of_fact(fact: Fact) -> str:
    """Returns the line of a fact, with its bad outcomes."""
    bad = str(tallies.of(fact))
    return _one_line(f"{fact.text} ({bad})" if bad else fact.text)


def of_episode(episode: Episode) -> str:
    """Returns the line of an episode."""
    return _one_line(episode.text)


def of_question(question: Question) -> str:
    """Returns the line of an open question."""
    return _one_line(question.question)


def _lines(items: Iterable[str]) -> str:
    return "\n".join(item if item.startswith(BELOW) else f"- {item}" for item in items)


def _one_line(text: str) -> str:
    return " ".join(text.split())
