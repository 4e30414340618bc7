"""Facts that say the same, and facts that exclude each other."""

from __future__ import annotations

from collections.abc import Iterable

from bardo import _core
from bardo.consolidate.wording import Rule
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
        self.rule = Rule.of(fact)
        said = _core.without_stop_words(fact.text.casefold()).split()
        self.stems = frozenset(stem for stem in _core.stems(said) if stem)

    def says_same(self, other: Wording) -> bool:
        """Whether both facts make the same statement."""
        if self.rule or other.rule:
            return bool(self.rule and other.rule and self.rule.key == other.rule.key)
        one, two = self.fact.statement, other.fact.statement
        if one and two and slot(one) == slot(two) and overlap(one, two):
            if (one.value.casefold(), one.denied) == (two.value.casefold(), two.denied):
                return True
            if one.functional and two.functional:
                return False
        if self.fact.text.casefold() == other.fact.text.casefold():
            return True
        common, every = len(self.stems & other.stems), len(self.stems | other.stems)
        return common >= _COMMON_WORDS * max(every, 1) and _core.may_be_same_statement(
            self.fact.text, other.fact.text
        )


def exclude(one: Fact, other: Fact) -> bool:
    """Whether two facts give one slot, which has one value at a time, different values for the same time."""
    a, b = one.statement, other.statement
    if a is None or b is None or not (a.functional and b.functional) or slot(a) != slot(b):
        return False
    same = a.value.casefold() == b.value.casefold()
    return (same if a.denied != b.denied else not same and not a.denied) and overlap(a, b)


def overlap(one: Statement, other: Statement) -> bool:
    """Whether two statements can hold at one instant, as far as their bounds say."""
    return not any(
        a.until is not None and b.since is not None and a.until <= b.since
        for a, b in ((one, other), (other, one))
    )


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
