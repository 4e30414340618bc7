"""Life of the agent: vitality, spending, mood, and markers of situations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bardo._cached_property import locked_cached_property
from bardo._validation import checked
from bardo.errors import InvalidInputError
from bardo.grimoire.session import Session
from bardo.life.clocks import Vitality
from bardo.life.history import Marker, situation_key
from bardo.life.vitals import EARNED, SPENT, told
from bardo.model import Fact, FactKind
from bardo.recall.rules import Rule, RuleBook
from bardo.recall.situation import Condition, Situation

if TYPE_CHECKING:
    from bardo.assemble.blocks import Block

#: Name and tag of the block of a prompt.
BLOCK = "vitality"
#: Tokens of the block, at first.
_TOKENS = 80
#: Kinds of fact that name a danger.
_DANGERS: frozenset[FactKind] = frozenset({"warning", "anti_knowledge"})


class Life:
    """Vitality of the agent; `Grimoire.life`.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def vitality(self) -> Vitality:
        """Measures the vitality at the current tick."""
        self._session.ready()
        return self._session.vitals.measure()

    @checked
    def spend(self, amount: float) -> Vitality:
        """Records spending from the budget `life.budget`, durably. Spending beyond it is a debt: the reserve stays.

        Args:
            amount: Sum in the unit of the budget, not below 0.

        Returns:
            Vitality afterwards.
        """
        return self._book(SPENT, amount)

    @checked
    def earn(self, amount: float) -> Vitality:
        """Records earnings, durably; the economic clock never exceeds the budget at birth.

        Args:
            amount: Sum in the unit of the budget, not below 0.

        Returns:
            Vitality afterwards.
        """
        return self._book(EARNED, amount)

    @checked
    def marker(self, situation: Mapping[str, Any]) -> Marker | None:
        """Returns how earlier situations with the same subjects and words ended; no search is made.

        Args:
            situation: Features of the moment, as `recall` takes them; numbers do not count.
        """
        self._session.ready()
        return self._session.vitals.marker(_key(situation))

    @checked
    def dangers(self, situation: Mapping[str, Any]) -> list[Fact]:
        """Immune memory: returns the dangers whose conditions hold, without a search.

        These are warnings and anti-knowledge with conditions, such as bloodstains. A condition on the action holds if
        the action is possible. Bloodstains come first, then the surest.

        Args:
            situation: Features of the moment, as `recall` takes them, with `actions` for the possible ones.
        """
        session = self._session
        session.ready()
        given = Situation.of(situation)
        moment = Situation(given.settled(), given.subjects, given.actions)
        rules, _ = self._rules.rules()
        known = [rule.fact for rule in rules if rule.fact.kind in _DANGERS and _threatens(rule, moment)]
        sure = session.facts.confidence_now([fact.id for fact in known], tick=session.now_tick)
        held = [
            (fact, now)
            for fact, now in zip(known, sure, strict=True)
            if now and _holds(fact, session.now_tick)
        ]
        return [
            fact for fact, _ in sorted(held, key=lambda pair: (not pair[0].bloodstain, -pair[1], pair[0].id))
        ]

    @locked_cached_property
    def _rules(self) -> RuleBook:
        return RuleBook(self._session.facts)

    def _book(self, name: str, amount: float) -> Vitality:
        session = self._session
        session.ready(write=True)
        if isinstance(amount, bool) or not math.isfinite(amount) or amount < 0:
            raise InvalidInputError(f"amount is {amount!r}. It must be a number of 0 or more")
        session.vitals.book(name, amount)
        session.observe_phase()
        return session.vitals.measure()


def block(session: Session, situation: Mapping[str, Any] | None) -> Block | None:
    """Returns the block of a prompt; None if the agent is neither mortal nor dying, or `life.in_context` is off.

    Args:
        session: Open memory.
        situation: Features of the moment, if known: a marker of it is told.
    """
    from bardo.assemble.blocks import Block

    vitals = session.vitals
    is_told = vitals.is_mortal or session.death is not None
    if not is_told or not session.config.life.in_context:
        return None
    marker = vitals.marker(_key(situation)) if situation else None
    return Block(BLOCK, told(vitals.measure(), marker), priority=4, cap=_TOKENS)


def _threatens(rule: Rule, moment: Situation) -> bool:
    """Whether every condition of a danger holds, or is on an action that is possible."""
    possible = {action.strip().casefold() for action in moment.actions}

    def holds(condition: Condition) -> bool:
        known = condition.holds(moment)
        if known is None:
            return condition.is_word and str(condition.value).strip().casefold() in possible
        return known

    return bool(rule.conditions) and all(holds(each) for each in rule.conditions)


def _holds(fact: Fact, tick: int) -> bool:
    return fact.expires_tick is None or fact.expires_tick >= tick


def _key(situation: Mapping[str, Any]) -> str | None:
    moment = Situation.of(situation)
    return situation_key(moment.subjects, moment.settled())
