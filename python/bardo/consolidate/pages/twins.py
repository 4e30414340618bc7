"""Facts that say the same, and facts that exclude each other."""

from __future__ import annotations

from collections.abc import Iterable

from bardo import _core
from bardo.consolidate.pages.wording import Rule
from bardo.model import Fact, Statement

#: Minimum share of common content words of two texts that make the same statement, as in a lint.
_COMMON_WORDS = 0.8


class Wording:
    """Text of a fact, prepared for comparison.

    Args:
        fact: Fact.
    """

    def __init__(self, fact: Fact) -> None:
        self.fact = fact
        self.rule = Rule.read(fact)
        said = _core.without_stop_words(fact.text.casefold()).split()
        self.stems = frozenset(stem for stem in _core.stems(said) if stem)

    def says_same(self, other: Wording) -> bool:
        """Whether both facts make the same statement."""
        if self.rule or other.rule:
            is_one_kind = (self.fact.kind == "warning") == (other.fact.kind == "warning")
            return bool(is_one_kind and self.rule and other.rule and self.rule.key == other.rule.key)
        one, two = self.fact.statement, other.fact.statement
        if one and two and _core.says_same(one, two):
            return True
        if one and two and _core.excludes(one, two):
            return False
        if self.fact.text.casefold() == other.fact.text.casefold():
            return True
        common, every = len(self.stems & other.stems), len(self.stems | other.stems)
        return common >= _COMMON_WORDS * max(every, 1) and _core.may_be_same_statement(
            self.fact.text, other.fact.text
        )


def exclude(one: Fact, other: Fact) -> bool:
    """Whether the statements of two facts cannot both hold."""
    a, b = one.statement, other.statement
    return a is not None and b is not None and _core.excludes(a, b)


def slot(statement: Statement) -> tuple[str, ...]:
    """Subject, attribute and condition of a statement, in any case and spacing."""
    parts = (statement.subject, statement.attribute, statement.condition)
    return tuple(" ".join(part.casefold().split()) for part in parts)


def connected(pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Groups of ids that pairs connect, in the order in which they first occur."""
    groups: list[set[str]] = []
    for pair in pairs:
        joined = set(pair)
        for group in [group for group in groups if group & joined]:
            joined |= group
            groups.remove(group)
        groups.append(joined)
    return groups
