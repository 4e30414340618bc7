"""Renders the content of a testament as Markdown that a person or any agent can read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from bardo.bequeath.directives import KINDS, Directive
from bardo.bequeath.questions import Question
from bardo.bequeath.worth import RULE_KINDS
from bardo.model import Episode, Fact

#: Headings of directives where they differ from the name of the kind.
_TITLES = {"rule": "Rules", "task": "Open tasks", "flow": "Flows"}
#: Statuses of facts that no longer hold.
ENDED = frozenset({"contradicted", "superseded"})


def render(
    conduct: Sequence[Directive],
    facts: Sequence[Fact],
    episodes: Sequence[Episode],
    questions: Sequence[Question],
    reflection: str,
) -> str:
    """Renders the content of a testament: what holds first, then what no longer does, and open questions."""
    current = [fact for fact in facts if fact.status not in ENDED]
    sections = [
        *_by_kind([one for one in conduct if not one.ended_at]),
        ("Warnings and rules", [of_fact(fact) for fact in current if fact.kind in RULE_KINDS]),
        ("Facts", [of_fact(fact) for fact in current if fact.kind not in RULE_KINDS]),
        ("Episodes", map(of_episode, sorted(episodes, key=lambda one: (one.tick, one.id)))),
        ("No longer true", [of_fact(fact) for fact in facts if fact.status in ENDED]),
        ("No longer in force", [of_directive(one) for one in conduct if one.ended_at]),
        ("Open questions", map(of_question, questions)),
    ]
    told = [f"## {title}\n{lines}" for title, items in sections if (lines := _lines(items))]
    return "\n\n".join([*told, reflection.strip()] if reflection.strip() else told) + "\n"


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
    """Returns the line of a fact."""
    return _one_line(fact.text)


def of_episode(episode: Episode) -> str:
    """Returns the line of an episode."""
    return _one_line(episode.text)


def of_question(question: Question) -> str:
    """Returns the line of an open question."""
    return _one_line(question.question)


def _lines(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _one_line(text: str) -> str:
    return " ".join(text.split())
