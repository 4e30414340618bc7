"""Life of the agent: vitality, spending, mood, and markers of situations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bardo._cached_property import locked_cached_property
from bardo._printed import printed
from bardo._validation import checked
from bardo.clock import MICROSECONDS, day_of
from bardo.errors import InvalidInputError
from bardo.grimoire.session import Session
from bardo.life.clocks import Vitality
from bardo.life.history import ACTION, Marker, situation_key
from bardo.life.vitals import EARNED, SPENT, told, told_marker
from bardo.model import Fact, FactKind
from bardo.recall.rules import Rule, RuleBook
from bardo.recall.situation import Condition, Situation

if TYPE_CHECKING:
    from bardo.assemble.blocks import Block

#: Name and tag of the block of a prompt.
BLOCK = "vitality"
#: Tokens of the block, at first.
_TOKENS = 120
#: Maximum number of dangerous actions that a prompt tells.
_TOLD = 3
#: Kinds of fact that name a danger.
_DANGERS: frozenset[FactKind] = frozenset({"warning", "anti_knowledge"})


@dataclass(frozen=True, slots=True)
class Risk:
    """Action that surely ends badly in a situation more often than the other decisions of the agent.

    Args:
        action: Action; empty if the situation names none.
        outcomes: Number of outcomes of the action in such situations.
        bad: Number of outcomes below 0.
        value: Discounted mean of the outcomes, from -1 to 1.
        tick: Tick of the last outcome.
        others: Number of the other outcomes of the agent.
        others_bad: Number of those below 0.
    """

    action: str
    outcomes: int
    bad: int
    value: float
    tick: int
    others: int
    others_bad: int

    def __str__(self) -> str:
        """The risk in words."""
        return (
            f"{self.action or 'this'} ended badly {self.bad} of {self.outcomes} times in such a situation, other "
            f"decisions {self.others_bad} of {self.others} times"
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """Latest decision in a situation.

    Args:
        action: Action; empty if the situation named none.
        value: Its outcome, from -1 to 1.
        tick: Tick of the outcome.
        outcome: Id of the episode of the outcome.
        memories: Ids of the memories that were acted on.
    """

    action: str
    value: float
    tick: int
    outcome: str
    memories: tuple[str, ...]

    __str__ = printed


class Life:
    """Vitality of the agent; `Grimoire.life`.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def vitality(self) -> Vitality:
        """Measures the vitality at the current tick; that of a dead agent at the tick of its death."""
        self._session.ready()
        found = self._session.vitals.measure()
        if (stone := self._session.tombstone) is None:
            return found
        seconds = self._session.ticks.seconds
        when = (
            f"at tick {stone.tick}"
            if seconds is None
            else f"on {day_of((stone.tick - seconds) * MICROSECONDS)}"
        )
        died = f"the agent died {when} ({stone.cause}): its clocks stand still"
        return replace(found, is_dead=True, notes=(*found.notes, died))

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

        Without `actions`, or the feature `action`, the outcomes of every action count.

        Args:
            situation: Features of the moment, as `recall` takes them; numbers do not count.
        """
        self._session.ready()
        return self._session.vitals.marker(_key(situation))

    @checked
    def risks(self, situation: Mapping[str, Any]) -> list[Risk]:
        """Returns the possible actions that ended badly more often than other decisions, the worst first.

        Each is a look-up of its marker, without a search. Its share of bad outcomes must surely be above that of all
        other outcomes of the agent, by an e-value of 1,000 (six of six where 100 of 600 others are bad, say).

        Args:
            situation: Features of the moment, as `recall` takes them, with `actions` for the possible ones.
        """
        self._session.ready()
        return _risks(self._session, situation)

    @checked
    def decision(self, situation: Mapping[str, Any]) -> Decision | None:
        """Returns the latest decision in such a situation from the decision cache; no search is made.

        None if there is no decision, the same action ended otherwise since, a fact that it acted on is no longer in
        force, or a memory that it acted on is gone. The cache has the latest 1,024 situations, and never crosses a
        death.

        Args:
            situation: Features of the moment, as `recall` takes them; actions do not count.
        """
        self._session.ready()
        return _decision(self._session, situation)

    @checked
    def dangers(self, situation: Mapping[str, Any]) -> list[Fact]:
        """Immune memory: returns the dangers of a situation, without a search.

        These are warnings and anti-knowledge in force whose conditions all hold, such as bloodstains, and those without
        conditions that have a subject of the situation. A condition on the action holds if the action is possible.
        Bloodstains come first, then the surest.

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
    """Returns the block of a prompt: vitality of a mortal or dying agent, and risks of the situation.

    None if there is neither, or `life.in_context` is off.

    Args:
        session: Open memory.
        situation: Features of the moment, if known: its marker, risks and latest decision are told.
    """
    from bardo.assemble.blocks import Block

    vitals = session.vitals
    if not session.config.life.in_context:
        return None
    risks = [str(risk) for risk in _risks(session, situation)[:_TOLD]] if situation else []
    if not vitals.is_mortal and session.death is None:
        return Block(BLOCK, f"{'; '.join(risks)}.", priority=4, cap=_TOKENS) if risks else None
    marker = vitals.marker(_key(situation)) if situation else None
    latest = _decision(session, situation) if situation else None
    told_ = told_marker(marker) if marker else []
    # The words of the log are data: only an action that the caller names is told.
    if situation and latest is not None and latest.action in Situation.of(situation).actions:
        told_.append(f"last time {latest.action} ended with {latest.value:+.1f}")
    return Block(BLOCK, told(vitals.measure(), [*told_, *risks]), priority=4, cap=_TOKENS)


def _risks(session: Session, situation: Mapping[str, Any]) -> list[Risk]:
    moment = Situation.of(situation)
    found = []
    for action in moment.actions or ("",):
        features = moment.settled() | ({ACTION: action} if action else {})
        marker = session.vitals.marker(situation_key(moment.subjects, features))
        if marker is None or (base := session.vitals.base(marker)) is None:
            continue
        named = action or str(features.get(ACTION, ""))
        others_bad, others = base
        found.append(Risk(named, marker.outcomes, marker.bad, marker.value, marker.tick, others, others_bad))
    return sorted(found, key=lambda risk: (risk.value, risk.action))


def _decision(session: Session, situation: Mapping[str, Any]) -> Decision | None:
    moment = Situation.of(situation)
    features = {path: value for path, value in moment.settled().items() if path != ACTION}
    cached = session.vitals.decision(situation_key(moment.subjects, features))
    if cached is None:
        return None
    (outcome,) = session.log.get([cached.episode])
    facts = session.facts.get(list(cached.memories))
    gone = [id_ for id_, fact in zip(cached.memories, facts, strict=True) if fact is None]
    ended = any(fact and not (fact.status == "active" and _holds(fact, session.now_tick)) for fact in facts)
    if outcome is None or ended or any(one is None for one in session.log.get(gone)):
        return None
    payload = outcome.payload if isinstance(outcome.payload, Mapping) else {}
    return Decision(str(payload.get(ACTION, "")), cached.value, cached.tick, cached.episode, cached.memories)


def _threatens(rule: Rule, moment: Situation) -> bool:
    """Whether every condition of a danger holds, or is on an action that is possible; without one, its subjects."""
    possible = {action.strip().casefold() for action in moment.actions}

    def holds(condition: Condition) -> bool:
        known = condition.holds(moment)
        if known is None:
            return condition.is_word and str(condition.value).strip().casefold() in possible
        return known

    if not rule.conditions:
        subjects = {subject.strip().casefold() for subject in moment.subjects}
        return any(subject.strip().casefold() in subjects for subject in rule.fact.subjects)
    return all(holds(each) for each in rule.conditions)


def _holds(fact: Fact, tick: int) -> bool:
    return fact.expires_tick is None or fact.expires_tick >= tick


def _key(situation: Mapping[str, Any]) -> str | None:
    moment = Situation.of(situation)
    return situation_key(moment.subjects, moment.settled())
