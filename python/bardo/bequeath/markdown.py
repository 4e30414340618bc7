"""Renders the content of a testament as Markdown that a person or any agent can read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bardo.bequeath.directives import Directive
from bardo.bequeath.questions import Question
from bardo.model import Episode, Fact

#: Kinds of facts that warn or tell how to act.
RULE_KINDS = frozenset({"anti_knowledge", "warning", "heuristic", "procedural"})
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
        ("Decided, rejected and ruled", map(of_directive, conduct)),
        ("Warnings and rules", [of_fact(fact) for fact in current if fact.kind in RULE_KINDS]),
        ("Facts", [of_fact(fact) for fact in current if fact.kind not in RULE_KINDS]),
        ("Episodes", map(of_episode, sorted(episodes, key=lambda one: (one.tick, one.id)))),
        ("No longer true", [of_fact(fact) for fact in facts if fact.status in ENDED]),
        ("Open questions", map(of_question, questions)),
    ]
    told = [f"## {title}\n{lines}" for title, items in sections if (lines := _lines(items))]
    return "\n\n".join([*told, reflection.strip()] if reflection.strip() else told) + "\n"


def of_directive(directive: Directive) -> str:
    """Returns the line of a directive."""
    return _one_line(directive.episode().text)


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
