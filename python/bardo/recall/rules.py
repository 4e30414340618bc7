"""Rules that apply to a decision: which facts take a reserved seat in an answer, and which may not answer.

A rule is a heuristic, a causal link, a warning, a procedure or anti-knowledge. It applies where its conditions hold in
the situation, or, without one, where the task is about its action or outcome, or about decisions like those it was
learned from. A rule that the situation contradicts, or that is no longer believed, is left out.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bardo import _core
from bardo._patterns import lazy_pattern
from bardo.consolidate.pages.wording import cases_of, is_unsurprising, plain
from bardo.model import Episode, Fact, FactKind, FactStatus
from bardo.ports import Vectors
from bardo.recall.decision_questions import asks_for_decision, asks_for_fact, is_question
from bardo.recall.predictions import Prediction
from bardo.recall.situation import (
    ACTION_PATHS,
    Condition,
    Situation,
    is_measured,
    is_of_others,
    parse_conditions,
    payload_paths,
)

#: Kinds of fact that one acts by.
RULE_KINDS: tuple[FactKind, ...] = ("heuristic", "causal_link", "warning", "procedural", "anti_knowledge")
_STATUSES: tuple[FactStatus, ...] = ("active", "contradicted")
#: Memories that show which decisions a task is about.
PROBED = 8
#: Memories among those that must be decisions of a rule's kind.
LEAST_ALIKE = 2
#: The same where no memory is near enough to be an answer.
NEARLY_ALL = 6
#: Rules that are offered a seat.
OFFERED = 6
#: Facts read per page.
_PAGE = 1_024
_NAME_PARTS = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Rule:
    """A fact that one acts by, with the parts that are matched.

    Args:
        fact: The record.
        conditions: Conditions on features and subjects; of a learned rule also those on the action.
        outcome: Path of the outcome; empty if there is none.
        action: Stems of the words of the action.
        topic: Stems of the words of features, outcome and subjects.
        strength: Size of the effect in half-widths of its interval; 1 where none was measured.
        is_unsurprising: Whether it warns of a failure that came no more often than elsewhere.
        prediction: What it states about its outcome; None for facts that are no measured rules.
        is_higher: Whether the outcome is higher under its conditions.
    """

    fact: Fact
    conditions: tuple[Condition, ...]
    outcome: str
    action: frozenset[str]
    topic: frozenset[str]
    strength: float
    is_unsurprising: bool = False
    prediction: Prediction | None = None
    is_higher: bool = False

    @classmethod
    def of(cls, fact: Fact, means: Mapping[str, float]) -> Rule:
        """Reads the parts of a fact.

        Args:
            fact: The record.
            means: Mean of each number that is measured, by path: what "high" and "low" of a rule without figures are
                compared with.
        """
        payload = fact.payload
        kind = payload.get("type")
        conditions: tuple[Condition, ...] = ()
        actions: list[str] = []
        outcome = ""
        strength = 1.0
        told = [*fact.subjects]
        if kind == "heuristic":
            stated = parse_conditions(str(payload.get("condition", "")))
            chosen = parse_conditions(str(payload.get("action", "")))
            conditions = tuple(_with_bound(each, means) for each in (*stated, *chosen))
            # A word that is compared may be a choice under any name; features are known before, choices are not.
            actions = [str(each.value) for each in conditions if each.is_word or not each.path]
            outcome = re.sub(r" is (higher|lower)$", "", str(payload.get("outcome", "")))
            told += [outcome, *(each.path for each in conditions)]
            low, high = payload.get("interval") or (0.0, 0.0)
            half = (high - low) / 2
            strength = abs(payload.get("effect", 0.0)) / half if half > 0 else 1.0
        elif kind == "causal_link":
            actions = [str(payload.get("cause", ""))]
            told.append(str(payload.get("effect", "")))
        elif kind == "procedural":
            actions = [str(payload.get("strategy", ""))]
            told.append(str(payload.get("observation", "")))
        elif kind == "anti_knowledge":
            actions = [str(payload.get("warning", ""))]
        else:
            actions = [fact.text]
        return cls(
            fact, conditions, outcome, stems(actions), stems(told), strength, is_unsurprising(fact),
            Prediction.of(fact), payload.get("effect", 0.0) > 0 if kind == "heuristic" else False,
        )  # fmt: skip

    def reading(self, situation: Situation | None) -> Rule:
        """The rule as it reads in a situation: where its one condition does not hold, it is about the other cases."""
        if situation is None or self.prediction is None or not self.prediction.is_otherwise(situation):
            return self
        opposites = tuple(each.opposite for each in self.conditions)
        return replace(self, conditions=opposites, is_higher=not self.is_higher)

    @property
    def choices(self) -> tuple[str, ...]:
        """The actions that its conditions state."""
        return tuple(
            str(each.value)
            for each in self.conditions
            if each.is_word and each.sign == "==" and each.path.rpartition(".")[2] in ACTION_PATHS
        )

    def is_of_kind(self, episode: Episode) -> bool:
        """Whether an episode is a decision of the kind that the rule was learned from: it has the same fields."""
        measured = {each.path for each in self.conditions if is_measured(each)}
        if not self.outcome or not measured:
            return False
        return measured | {self.outcome} <= payload_paths(episode.payload)


@dataclass(frozen=True, slots=True)
class Asked:
    """Subjects and actions that a question is about.

    Args:
        subjects: Subjects, with the outcomes that are known of each; the empty set if any may be.
        actions: Actions; empty if it names none, or the situation tells them.
    """

    subjects: Mapping[str, frozenset[str]] = field(default_factory=dict)
    actions: frozenset[str] = frozenset()

    def is_of_others(self, rule: Rule) -> bool:
        """Whether a measured rule was learned of other subjects with its outcome, or of other actions."""
        alike = [subject for subject, known in self.subjects.items() if not known or rule.outcome in known]
        return bool(rule.outcome) and (
            is_of_others(rule.fact.subjects, alike) or is_of_others(rule.choices, self.actions)
        )


@dataclass(frozen=True, slots=True)
class Seats:
    """Rules of an answer, as ids.

    Args:
        seated: Facts that apply, the most applicable first.
        left_out: Facts that may not answer.
        unseated: Warnings that take no seat though the question is about them.
    """

    seated: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    unseated: tuple[str, ...] = ()


@dataclass(slots=True)
class RuleBook:
    """The rules of a fact store, read again when facts changed. Safe to share among threads.

    Args:
        facts: Fact store; another process may change it.
    """

    facts: _core.FactStore
    _rules: tuple[Rule, ...] = ()
    _doubted: tuple[str, ...] = ()
    _metrics: frozenset[tuple[str, str]] = frozenset()
    _choices: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _subjects: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = ()
    _change: int = -1
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def rules(self) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
        """The rules in force, and the ids of those that contrary evidence lowered."""
        with self._lock:
            change = self.facts.last_learned
            if change != self._change:
                found = list(self._read())
                measured = self._pages("baseline", "active") if found else ()
                means = {
                    (subject, str(fact.payload.get("metric"))): float(fact.payload.get("mean", 0.0))
                    for fact in measured
                    for subject in fact.subjects
                }
                by_path = {path: mean for (_, path), mean in means.items()}
                self._rules = tuple(
                    Rule.of(fact, by_path | {path: means[s, path] for s, path in means if s in fact.subjects})
                    for fact in found
                    if fact.status == "active"
                )
                self._doubted = tuple(fact.id for fact in found if fact.status == "contradicted")
                self._metrics = frozenset(means)
                self._choices = {choice: _parts(choice) for rule in self._rules for choice in rule.choices}
                self._subjects = _subjects_of(self._rules, self._metrics)
                self._change = change
            return self._rules, self._doubted

    @staticmethod
    def _alike(rule: Rule, lived: Sequence[Episode], least: int) -> bool:
        """Whether enough of what is near are decisions of the rule's kind."""
        alike = sum(rule.is_of_kind(episode) for episode in lived)
        return alike >= (min(least, max(len(lived), 1)) if least == LEAST_ALIKE else least)

    def _asked(self, task: str, situation: Situation | None) -> Asked:
        """Subjects and actions of a question: of its situation, or else those that its words name."""
        words = _parts(task)
        subjects: dict[str, frozenset[str]] = {}
        actions: frozenset[str] = frozenset()
        if situation is not None and situation.subjects:
            subjects = dict.fromkeys(situation.subjects, frozenset())
        else:
            named = {subject: outcomes for subject, parts, outcomes in self._subjects if parts <= words}
            subjects = {
                subject: known for subject, known in named.items() if _core.without_stop_words(subject)
            }
        if situation is None or not situation.actions:
            actions = frozenset(choice for choice, parts in self._choices.items() if parts <= words)
        return Asked(subjects, actions)

    def unseated(self, task: str, situation: Situation | None) -> tuple[str, ...]:
        """Warnings of severe failures that take no seat of a danger, by id.

        They are about another subject or action than the question, or their conditions make no difference.

        Args:
            task: Question or description of the decision.
            situation: Features of the moment; None if they are not known.
        """
        rules, _ = self.rules()
        dangers = [rule for rule in rules if rule.fact.kind == "warning" and rule.outcome]
        asked = self._asked(task, situation) if dangers else Asked()
        return tuple(rule.fact.id for rule in dangers if rule.is_unsurprising or asked.is_of_others(rule))

    def _measures(self, rule: Rule, situation: Situation) -> bool:
        """Whether a feature of the situation is one that is measured of what the rule is about."""
        return any(
            (subject, path) in self._metrics for subject in rule.fact.subjects for path in situation.features
        )

    def _read(self) -> Iterable[Fact]:
        for status in _STATUSES:
            for kind in RULE_KINDS:
                yield from self._pages(kind, status)

    def may_decide(
        self, task: str, situation: Situation | None, vector: Vectors | None, model: str, *, deciding: bool
    ) -> bool:
        """Whether any rule could apply, so that it is worth asking which decisions the task is about.

        Args:
            task: Question or description of the decision.
            situation: Features of the moment; None if they are not known.
            vector: Vector of the task; None without an embedder.
            model: Name of the embedding model.
            deciding: Whether the task is one of a prompt, which may ask for a decision in any form.
        """
        rules, _ = self.rules()
        if not rules:
            return False
        if situation is not None:
            return True
        if vector is not None and (told := asks_for_decision(task, vector, model)) is not None:
            return told
        if asks_for_fact(task):
            return False
        if deciding or is_question(task):
            return True
        words = stems([task])
        return any(words & rule.action for rule in rules)

    def seats(
        self,
        task: str,
        situation: Situation | None,
        found: Sequence[Any],
        tick: int,
        *,
        least: int = LEAST_ALIKE,
    ) -> Seats:
        """The rules that apply to a task.

        Args:
            task: Question or description of the decision.
            situation: Features of the moment; None if they are not known.
            found: Records that a recall finds for the task.
            tick: Logical time, for expiry and confidence.
            least: Memories among these that must be decisions of a rule's kind.
        """
        rules, doubted = self.rules()
        asked = self._asked(task, situation)
        lived = [record for record in found if isinstance(record, Episode)]
        words = stems([task, *(situation.words() if situation else ())])
        contradicted: list[str] = []
        ranked: list[tuple[tuple[float, ...], Rule]] = []
        for known in rules:
            rule = known.reading(situation)
            if rule.fact.expires_tick is not None and rule.fact.expires_tick < tick:
                continue
            met = [each.holds(situation) for each in rule.conditions] if situation else []
            if any(each is False for each in met) or (situation and not _is_possible(rule, situation)):
                contradicted.append(rule.fact.id)
                continue
            if asked.is_of_others(rule):
                continue
            grade = _grade(rule, met, words, situation, self._alike(rule, lived, least))
            if (
                grade is None
                and situation is not None
                and rule.conditions
                and self._measures(rule, situation)
            ):
                grade = (1.0, 0.0, 0.0, rule.strength)
            if grade is not None:
                ranked.append((grade, rule))
        ranked.sort(key=lambda each: (each[1].is_unsurprising, *(-part for part in each[0]), each[1].fact.id))
        chosen = _without_general(rule for _, rule in ranked)
        sure = self.facts.confidence_now([rule.fact.id for rule in chosen], tick=tick) if chosen else []
        seated = [rule.fact.id for rule, now in zip(chosen, sure, strict=True) if now]
        return Seats(tuple(seated[:OFFERED]), (*contradicted, *doubted))

    def _pages(self, kind: FactKind, status: FactStatus) -> Iterable[Fact]:
        after = None
        while page := self.facts.list(kind=kind, status=status, after=after, limit=_PAGE):
            yield from page
            after = page[-1].id


def _with_bound(condition: Condition, means: Mapping[str, float]) -> Condition:
    """A condition that a number is high or low, with the mean of that number as its bound."""
    if condition.sign == "==" and condition.value in ("high", "low") and condition.path in means:
        return Condition(condition.path, ">=" if condition.value == "high" else "<=", means[condition.path])
    return condition


def _is_possible(rule: Rule, situation: Situation) -> bool:
    """Whether the action of a rule is among the possible ones, where these are told."""
    if not situation.actions or not rule.action:
        return True
    choices = [each for each in rule.conditions if each.is_word and each.holds(situation) is None]
    possible = {action.strip().casefold() for action in situation.actions}
    return not choices or any(str(each.value).strip().casefold() in possible for each in choices)


def _subjects_of(
    rules: Iterable[Rule], metrics: Iterable[tuple[str, str]]
) -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    """Known subjects, with the parts of their names and the outcomes that rules or statistics tell of them."""
    told = [(subject, rule.outcome) for rule in rules for subject in rule.fact.subjects if rule.outcome]
    outcomes = {outcome for _, outcome in told}
    known: dict[str, set[str]] = {}
    for subject, outcome in (*told, *metrics):
        if outcome in outcomes:
            known.setdefault(subject, set()).add(outcome)
    parts = {subject: _parts(subject) for subject in known}
    return tuple((subject, parts[subject], frozenset(known[subject])) for subject in known if parts[subject])


def _parts(text: str) -> frozenset[str]:
    return frozenset(part.casefold() for part in _NAME_PARTS.findall(text))


def _grade(
    rule: Rule,
    met: Sequence[bool | None],
    words: frozenset[str],
    situation: Situation | None,
    is_alike: bool,
) -> tuple[float, ...] | None:
    """How well a rule applies: parts to sort by, the greater first; None if nothing connects it with the task."""
    on_action, on_topic = len(words & rule.action), len(words & rule.topic)
    held = sum(known is True for known in met)
    # A severe failure is of one case: alike decisions do not connect it with a question that names nothing of the case.
    is_of_this = rule.fact.kind != "warning" or on_action + on_topic > 0 or situation is not None
    is_connected = held > 0 or (is_alike and is_of_this)
    if not rule.conditions:
        # Nothing structured connects a warning in words: it must share words of substance with the task.
        is_connected = on_action + on_topic > 1 or (on_topic > 0 and situation is not None)
    elif on_action or (situation is None and on_topic > 1):
        is_connected = True
    if not is_connected:
        return None
    is_choice = any(each.is_word for each in rule.conditions) or not rule.conditions
    return float(is_choice), float(min(on_action, 1)), float(held > 0), rule.strength


def _without_general(rules: Iterable[Rule]) -> list[Rule]:
    """Rules without those that a more specific applicable one states more exactly: it has all of their conditions."""
    kept = list(rules)
    measured = [rule for rule in kept if rule.outcome]

    def is_general(rule: Rule) -> bool:
        features = {_feature(each) for each in rule.conditions}
        return bool(rule.outcome) and any(
            other is not rule
            and other.outcome == rule.outcome
            and (other.fact.kind == "warning") == (rule.fact.kind == "warning")
            and features < {_feature(each) for each in other.conditions}
            and other.is_higher == rule.is_higher
            for other in measured
        )

    return [rule for rule in kept if not is_general(rule)]


def _feature(condition: Condition) -> tuple[str, str, str]:
    value = condition.value if isinstance(condition.value, str) else ""
    return condition.path, condition.sign[0], value


def stems(texts: Iterable[str]) -> frozenset[str]:
    """Stems of the content words of texts; names such as `scale_out` and `scaleOut` are taken apart."""
    parts = [part.casefold() for text in texts for part in _NAME_PARTS.findall(text)]
    spoken = _core.without_stop_words(" ".join(parts)).split()
    return frozenset(stem for stem in _core.stems(spoken) if stem)


def brief(fact: Fact, situation: Situation | None = None) -> str:
    """A rule as a person would say it, with its evidence in brief; the text of the fact where nothing was measured.

    Args:
        fact: Rule.
        situation: Features of the moment. Where the one condition of a rule does not hold, its other cases are stated.
    """
    payload = fact.payload
    low, high = payload.get("interval") or (0.0, 0.0)
    outcome = str(payload.get("outcome", ""))
    if payload.get("type") != "heuristic" or not outcome or not low < high or low * high <= 0:
        return fact.text
    conditions = " and ".join(part for part in (payload.get("condition"), payload.get("action")) if part)
    about = f"{', '.join(fact.subjects)}: when" if fact.subjects else "When"
    when = plain(conditions, fact.subjects)
    effect, low, high = abs(payload.get("effect", 0.0)), *sorted((abs(low), abs(high)))
    decisions = int(payload.get("n") or 0)
    # Of an inherited rule, the own cases alone are known.
    own = fact.support if fact.generation else cases_of(fact)
    prediction = Prediction.of(fact)
    if situation is not None and prediction is not None and prediction.is_otherwise(situation):
        when = plain(str(prediction.conditions[0].opposite), fact.subjects)
        outcome = f"{prediction.outcome} is {'lower' if prediction.is_higher else 'higher'}"
        own = prediction.figures.others if prediction.figures else own
    cases = f"{own} of {decisions}" if own <= decisions else f"{own}"
    return (
        f"{about} {when}, {outcome} by {_short(effect)} (in {cases} decisions, 95 % {_short(low)} to "
        f"{_short(high)})"
    )


def _short(number: float) -> str:
    return f"{number:.3g}"
