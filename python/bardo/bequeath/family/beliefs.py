"""Survival of beliefs over a lineage: lives that held a rule, deaths while acting on it, confirmations, refutations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bardo._printed import printed
from bardo.bequeath.testament.testament import Testament
from bardo.consolidate.pages.wording import Rule, one_line
from bardo.model import Fact
from bardo.recall.rules import RULE_KINDS

State = Literal["found", "confirmed", "unconfirmed", "refuted"]

#: Statuses of a rule that its life gave up.
_GIVEN_UP = frozenset({"contradicted", "superseded"})
#: Statuses of a fact that never was in force, or that was merely put away.
_ASIDE = frozenset({"held"})


@dataclass(frozen=True, slots=True)
class LifeBeliefs:
    """Rules of one life.

    Args:
        agent: Name of the agent.
        generation: Generation of the agent.
        key: Name of the life in its tree.
        facts: Facts of every status.
        inherited: Ids of the facts that came with a testament.
        outcomes: Numbers of good and bad outcomes of acting on a fact, by its id; empty where they are not recorded.
        last_cited: Ids of the memories in the prompt of the last decision.
        is_dead: Whether the life has ended.
    """

    agent: str
    generation: int
    key: str
    facts: Sequence[Fact]
    inherited: frozenset[str] = frozenset()
    outcomes: Mapping[str, tuple[int, int]] | None = None
    last_cited: frozenset[str] = frozenset()
    is_dead: bool = True

    __str__ = printed

    @classmethod
    def of_testament(cls, left: Testament) -> LifeBeliefs:
        """Returns the rules in a testament: those that crossed, without outcomes."""
        life = left.life
        came = {fact.id for fact in left.facts if fact.generation > 0 or fact.origin not in {"", life.agent}}
        return cls(life.agent, life.generation, left.hash, left.facts, frozenset(came))


@dataclass(frozen=True, slots=True)
class Holding:
    """Rule in one life.

    Args:
        agent: Name of the agent.
        generation: Generation of the agent.
        key: Name of the life in its tree.
        fact: Id of the fact that states it there.
        state: `found` by the agent itself; or inherited, and `confirmed` by its own evidence, or `unconfirmed`; or
            `refuted`, wherever it came from.
        good: Number of good outcomes of acting on it; None where they are not recorded.
        bad: Number of bad ones.
        died_acting: Whether the last decision before the death cited it.
    """

    agent: str
    generation: int
    key: str
    fact: str
    state: State
    good: int | None
    bad: int | None
    died_acting: bool

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Belief:
    """Rule over a lineage.

    Args:
        text: Latest wording.
        kind: Kind of fact.
        origin: Name of the agent that learned it first.
        lives: Lives that held it, eldest generation first.
    """

    text: str
    kind: str
    origin: str
    lives: tuple[Holding, ...]

    __str__ = printed

    @property
    def deaths(self) -> int:
        """Number of lives that ended after a decision that cited it."""
        return sum(one.died_acting for one in self.lives)

    @property
    def confirmations(self) -> int:
        """Number of heirs whose own evidence confirmed it."""
        return sum(one.state == "confirmed" for one in self.lives)

    @property
    def refutations(self) -> int:
        """Number of lives whose own evidence refuted it."""
        return sum(one.state == "refuted" for one in self.lives)

    @property
    def outcomes(self) -> tuple[int, int]:
        """Numbers of good and bad outcomes of acting on it, over the lives that recorded them."""
        return sum(one.good or 0 for one in self.lives), sum(one.bad or 0 for one in self.lives)

    def to_dict(self) -> dict[str, Any]:
        """Returns the belief in plain JSON types."""
        good, bad = self.outcomes
        return {
            "text": self.text,
            "kind": self.kind,
            "origin": self.origin,
            "lives_lived": len(self.lives),
            "deaths_acting_on_it": self.deaths,
            "confirmations": self.confirmations,
            "refutations": self.refutations,
            "good_outcomes": good,
            "bad_outcomes": bad,
            "lives": [asdict(one) for one in self.lives],
        }


def survival(lives: Iterable[LifeBeliefs]) -> list[Belief]:
    """Follows each rule through the lives of a lineage.

    A rule is the same in two lives if its fact has the same id, since inherited facts keep theirs, or if it has the
    same words. The wordings of a measured rule are the same if its conditions differ in their bounds alone.

    Args:
        lives: Lives; each once.

    Returns:
        Beliefs, those of most lives first, then the most confirmed ones.
    """
    ordered = sorted(lives, key=lambda life: (life.generation, life.agent, life.key))
    groups: dict[Any, int] = {}
    members: dict[int, dict[str, tuple[LifeBeliefs, Fact]]] = {}
    for life in ordered:
        for fact in life.facts:
            if fact.kind not in RULE_KINDS or fact.status in _ASIDE or fact.source == "dream":
                continue
            names = (fact.id, _words(fact))
            known = sorted({groups[name] for name in names if name in groups})
            group = known[0] if known else len(groups)
            members.setdefault(group, {})
            for other in known[1:]:
                members[group] = members.pop(other) | members[group]
            for name in (*names, *(name for name, number in groups.items() if number in known[1:])):
                groups[name] = group
            present = members[group].get(life.key)
            # One life may state a rule twice: the one in force speaks for it.
            if present is None or _is_given_up(present[1]):
                members[group][life.key] = (life, fact)
    beliefs = [_belief(list(held.values())) for held in members.values()]
    return sorted(beliefs, key=lambda one: (-len(one.lives), -one.confirmations, one.refutations, one.text))


def _is_given_up(fact: Fact) -> bool:
    return fact.status in _GIVEN_UP or fact.is_refuted


def _belief(held: Sequence[tuple[LifeBeliefs, Fact]]) -> Belief:
    first, last = held[0][1], held[-1][1]
    return Belief(
        last.text, last.kind, first.origin or held[0][0].agent, tuple(_holding(*one) for one in held)
    )


def _holding(life: LifeBeliefs, fact: Fact) -> Holding:
    came = fact.id in life.inherited or fact.generation > 0 or fact.source == "testament"
    state: State = "found"
    if _is_given_up(fact):
        # A tombstone that was inherited is the refutation of an ancestor.
        state = "unconfirmed" if fact.source == "testament" and fact.status == "superseded" else "refuted"
    elif came:
        state = "unconfirmed" if fact.source == "testament" else "confirmed"
    good, bad = (None, None) if life.outcomes is None else life.outcomes.get(fact.id, (0, 0))
    return Holding(
        life.agent, life.generation, life.key, fact.id, state, good, bad,
        life.is_dead and fact.id in life.last_cited,
    )  # fmt: skip


def _words(fact: Fact) -> tuple[Any, ...]:
    """Key of a wording: the parts of a measured rule without its bounds and its subjects, or else its words."""
    rule = Rule.read(fact)
    if rule is not None:
        return (
            "warning" if fact.kind == "warning" else "rule",
            rule.key,
            frozenset(subject.casefold() for subject in fact.subjects),
        )
    return "text", fact.kind, one_line(fact.text).casefold()
