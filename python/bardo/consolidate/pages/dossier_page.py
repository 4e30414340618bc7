"""Text of the dossier: sections by subject, current facts first, within a number of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from bardo.clock import MICROSECONDS, day_of, last_day
from bardo.config import SECONDS_PER_DAY
from bardo.consolidate.pages.page_facts import LATELY, Known, PageFacts
from bardo.consolidate.pages.subjects import headings
from bardo.consolidate.pages.wording import Rule, counted, is_of_ancestor, one_line, short
from bardo.model import Fact
from bardo.ports import FIRST_AT, LAST_AT

#: Words of one fact at most; a longer one is cut, and counted.
FACT_WORDS = 40
#: A word has so many characters; what has more without a space counts as several (web addresses, Chinese).
WORD_CHARACTERS = 16
#: Evidence below which a line says that the fact is unsure.
UNSURE = 0.5
#: Lines about ended facts, questions, and numbers of one subject at most.
ENDED, QUESTIONS, NUMBERS = 6, 4, 8
#: Orders that come before everything else on the page.
_ORDERED = 10
#: Lines of facts in force that come before lines about others, where the page is full, and warnings among them that
#: come first of all.
_FIRST, _WARNED = 20, 10
#: Number of the next days among these lines that come before all others but warnings.
_COMING = 6
#: Maximum number of words in the names of sections without room.
_NAMED_WORDS = 15
#: Words set aside for the lines above the sections.
_PREFACE_WORDS = 70

ORDERS = "Prohibitions and approvals"
UPCOMING, RULES, DISPUTED = "Coming up", "Rules and warnings", "Disputed"
FADING, PASSED, OVER = "Fading: say again if it still holds", "Days that have passed", "Ended lately"
MEASURED, OPEN = "Measured", "Open questions"
#: Sections in their order on the page; those of subjects, then of ancestors, come after the first ones. A prompt with
#: little room takes the first sections.
_BEFORE, _AFTER = (ORDERS, RULES, UPCOMING), (DISPUTED, FADING, PASSED, OVER, MEASURED, OPEN)
#: Kinds of facts that a person reads as rules, on any subject, and those of them whose loss costs most.
_RULE_KINDS = ("heuristic", "causal_link", "pattern", "warning", "anti_knowledge")
_WARNING_KINDS = ("warning", "anti_knowledge")
#: Kinds and persistences of facts that end with the day that they name.
_PLAN_KINDS, _PLAN_PERSISTENCES = ("goal", "context"), ("weeks", "days")
#: Category of the facts that repeat an order.
_REJECTIONS = "rejections"
#: Words for the relation of a line to another.
_RELATIONS = {
    "causes": "causes",
    "supports": "supports",
    "refines": "narrows",
    "part_of": "part of",
    "see_also": "see",
}
#: Related lines that a line names.
_REFERENCES = 3
_LEGEND = "A date in brackets is the day on which it was noted; “since” is the day from which it holds."
_DAY = SECONDS_PER_DAY * MICROSECONDS


def words(text: str) -> int:
    """How many words a text has; a run of more than 16 characters counts as several."""
    pieces = text.split()
    return len(pieces) + sum(
        (len(piece) - 1) // WORD_CHARACTERS for piece in pieces if len(piece) > WORD_CHARACTERS
    )


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page.

    Args:
        section: Heading above it.
        text: Its words.
        facts: Ids of the facts in force that it tells.
        order: Sort key within the section, the smallest first.
        shortened: Number of texts in it that were cut.
        references: Number of other lines that it may name.
    """

    section: str
    text: str
    facts: tuple[str, ...] = ()
    order: float = 0.0
    shortened: int = 0
    references: int = 0


@dataclass(frozen=True, slots=True)
class Order:
    """A prohibition or a wanted approval in force, which the gate keeps.

    Args:
        text: Its words, with its exceptions and its doubt.
        remark: Who gave it, and the day of the words.
        episode: Id of the episode that it was heard in; empty if none.
    """

    text: str
    remark: str
    episode: str = ""


@dataclass(slots=True)
class Page:
    """A dossier in the making.

    Args:
        input: Facts to tell.
        agent: Name of the agent.
        at: Now, in microseconds UTC.
        days: Returns the days that a text names, given the text and its instant.
        innate: Ids of the innate rules.
        orders: Orders in force, the surest first.
        turns_at: Instant from which a line no longer is as it should be, though no fact changed; None for never.
    """

    input: PageFacts
    agent: str
    at: int
    days: Callable[[str, int], Sequence[int]]
    innate: frozenset[str] = frozenset()
    orders: Sequence[Order] = ()
    turns_at: int | None = None
    _titles: dict[str, str] = field(default_factory=dict)

    def lines(self) -> list[Line]:
        """All lines, the most important first."""
        self._titles = headings([one.fact for one in self.input.known])
        sides = {id_: group for group in self.input.disputes for id_ in group}
        orders = self._ordered()
        told = {id_ for line in orders for id_ in line.facts}
        found: list[Line] = []
        numbers: dict[tuple[str, str], list[Known]] = {}
        for one in self.input.known:
            if one.fact.id in told:
                continue
            if one.fact.id in sides:
                told |= sides[one.fact.id]
                found.append(
                    self._dispute([each for each in self.input.known if each.fact.id in sides[one.fact.id]])
                )
            elif _is_number(one.fact):
                section = self._of_ancestor(one.fact) or MEASURED
                numbers.setdefault((section, ", ".join(one.fact.subjects)), []).append(one)
            else:
                found.append(self._line(one))
        rest = [_numbers(section, subject, held) for (section, subject), held in numbers.items()]
        dangers = {one.fact.id for one in self.input.known if one.fact.kind in _WARNING_KINDS}
        warned = [line for line in found if not dangers.isdisjoint(line.facts)][:_WARNED]
        coming = sorted((line for line in found if line.section == UPCOMING), key=lambda line: line.order)
        # A day that is missed cannot be made up for.
        first = [*warned, *(line for line in coming[:_COMING] if line not in warned)]
        found = [*first, *(line for line in found if line not in first)]
        found = [*orders[:_ORDERED], *found[:_FIRST], *self._others(), *orders[_ORDERED:], *found[_FIRST:]]
        return [*found, *rest]

    def _ordered(self) -> list[Line]:
        """Lines of the orders in force, each with the facts that repeat it."""
        repeating = [one.fact for one in self.input.known if one.fact.category == _REJECTIONS]
        lines = []
        for place, order in enumerate(self.orders):
            text, cut = _cut(one_line(order.text))
            ids = tuple(fact.id for fact in repeating if order.episode and order.episode in fact.evidence)
            lines.append(Line(ORDERS, f"{text} ({order.remark})", ids, float(place), int(cut)))
        return lines

    def _line(self, one: Known) -> Line:
        fact = one.fact
        section = origin = self._of_ancestor(fact)
        text, cut = self._said(fact)
        remarks = self._remarks(one)
        since = fact.statement.since if fact.statement else None
        # A beginning stands where it would if it had been said on its day.
        order = -float(max(one.noted[1] or 0, since if since is not None and since <= self.at else 0))
        day = self._day(one)
        if day is not None and day >= self._today:
            section, order, text = UPCOMING, float(day), f"{day_of(day)}: {text}"
            self._turn(day + _DAY)
        elif origin is None and one.is_fading:
            section = FADING
        elif day is not None and self._is_over_with_its_day(fact):
            section, order = PASSED, -float(day)
        elif section is None and fact.kind in _RULE_KINDS:
            section, order = RULES, -one.confidence - (fact.kind in _WARNING_KINDS)
        elif section is None:
            section = self._titles[fact.id]
        if origin is not None and section != origin:
            remarks.append(origin[0].lower() + origin[1:])
        if fact.pinned:
            order = float("-inf")
        ending = f" ({'; '.join(remarks)})" if remarks else ""
        links = sum(source == fact.id for source, *_ in self.input.digest.links)
        return Line(section, f"{text}{ending}", (fact.id,), order, int(cut), min(links, _REFERENCES))

    def _dispute(self, sides: Sequence[Known]) -> Line:
        """Both sides of a dispute, the newer first."""
        newest = sorted(sides, key=lambda one: (-(one.noted[1] or 0), one.fact.id))
        parts, cut = [], 0
        for one in newest:
            text, shortened = self._said(one.fact)
            remarks = self._remarks(one)
            origin = self._of_ancestor(one.fact)
            remarks += [] if origin is None else [origin[0].lower() + origin[1:]]
            parts.append(f"{text} ({'; '.join(remarks)})" if remarks else text)
            cut += shortened
        ids = tuple(one.fact.id for one in newest)
        return Line(DISPUTED, "; or: ".join(parts), ids, -float(newest[0].noted[1] or 0), cut)

    def _others(self) -> list[Line]:
        """Lines that tell no fact in force."""
        over = []
        for fact, at in self.input.ended[:ENDED]:
            text, cut = self._said(fact)
            remark = f"{'refuted' if fact.status == 'contradicted' else 'until'} {day_of(at)}"
            remark += f"; from {one_line(fact.origin)}" if is_of_ancestor(fact, self.agent) else ""
            over.append(Line(OVER, f"{text} ({remark})", order=-float(at), shortened=int(cut)))
            self._turn(at + LATELY + 1)
        asked = []
        for gap in self.input.questions[:QUESTIONS]:
            origin = f" (from {one_line(gap.origin)})" if gap.origin else ""
            asked.append(Line(OPEN, _cut(one_line(gap.question))[0] + origin))
        return over + asked

    def _said(self, fact: Fact) -> tuple[str, bool]:
        rule = Rule.of(fact)
        return _cut(one_line(rule.sentence if rule else fact.text))

    def _remarks(self, one: Known) -> list[str]:
        fact, (first, last) = one.fact, one.noted
        remarks = ["pinned"] * fact.pinned + ["innate"] * (fact.id in self.innate)
        rule, confirmed = Rule.of(fact), self.input.confirmed.get(fact.id)
        if rule and fact.generation == 0:
            remarks.append(rule.evidence(fact, self.agent))
            if confirmed is not None:
                remarks.append(f"last confirmed {day_of(confirmed)}")
        else:
            remarks += _dates(fact, first, last)
        if fact.confidence < UNSURE and fact.generation == 0:
            remarks.append("unsure")
        until = fact.statement.until if fact.statement else None
        if until is not None and until > self.at:
            remarks.append(f"until {(last_day if fact.evidence else day_of)(until)}")
            self._turn(until)
        taught = {other.origin for other in one.twins if is_of_ancestor(other, self.agent)}
        if taught and not is_of_ancestor(fact, self.agent):
            remarks.append(f"{', '.join(map(one_line, sorted(taught)))} taught the same")
        return remarks

    def _of_ancestor(self, fact: Fact) -> str | None:
        """The section of facts that the same ancestor left, if one did."""
        if not is_of_ancestor(fact, self.agent):
            return None
        state = "not confirmed here" if fact.source != "self" else "confirmed here"
        return f"From {one_line(fact.origin)}, {state}"

    def _day(self, one: Known) -> int | None:
        """The day that a fact announces: the next one that it names, or else the last; None if it named none ahead."""
        noted = one.noted[0]
        since = one.fact.statement.since if one.fact.statement else None
        if since is not None and since > self.at:
            return since
        if noted is None or not FIRST_AT <= noted <= LAST_AT:
            return None
        ahead = [day for day in self.days(one.fact.text, noted) if day > noted]
        until = one.fact.statement.until if one.fact.statement else None
        if not ahead and until is not None and until > self.at and one.fact.kind == "goal":
            # The last day of a plan whose day has no date: "on Monday".
            return until - _DAY
        return min((day for day in ahead if day >= self._today), default=max(ahead, default=None))

    @property
    def _today(self) -> int:
        return self.at - self.at % _DAY

    @staticmethod
    def _is_over_with_its_day(fact: Fact) -> bool:
        """Whether a fact whose day is past is a plan, and no bound of its statement says that it still holds."""
        bounds = (fact.statement.since, fact.statement.until) if fact.statement else (None, None)
        is_plan = fact.persistence in _PLAN_PERSISTENCES or fact.kind in _PLAN_KINDS
        return is_plan and bounds == (None, None)

    def _turn(self, at: int) -> None:
        self.turns_at = at if self.turns_at is None else min(self.turns_at, at)

    def write(self, chosen: Sequence[Line], preface: str) -> str:
        """The page with some of the lines.

        Args:
            chosen: Lines, the most important first.
            preface: Lines above the sections.
        """
        sections: dict[str, list[Line]] = {}
        for line in chosen:
            sections.setdefault(line.section, []).append(line)
        ancestors = [name for name in sections if name.startswith("From ")]
        last = (*ancestors, *_AFTER)
        subjects = [name for name in sections if name not in (*_BEFORE, *last)]
        order = [name for name in (*_BEFORE, *subjects, *last) if name in sections]
        held = [line for name in order for line in sorted(sections[name], key=lambda line: line.order)]
        numbers = {id_: number for number, line in enumerate(held, start=1) for id_ in line.facts}
        parts = [f"# What {one_line(self.agent)} knows", preface]
        number = 0
        for name in order:
            written = []
            for line in sorted(sections[name], key=lambda line: line.order):
                number += 1
                written.append(f"{number}. {line.text}{self._references(line, numbers)}")
            parts.append(f"## {name}\n" + "\n".join(written))
        return "\n\n".join(parts) + "\n"

    def _references(self, line: Line, numbers: dict[str, int]) -> str:
        if not line.references:
            return ""
        found = {
            (numbers[target], _RELATIONS[relation])
            for source, target, relation, *_ in self.input.digest.links
            if source in line.facts
            and target in numbers
            and target not in line.facts
            and relation in _RELATIONS
        }
        told = [f"{relation} {number}" for number, relation in sorted(found)[:_REFERENCES]]
        return f" [{', '.join(told)}]" if told else ""


def choose(lines: Iterable[Line], limit: int) -> list[Line]:
    """The lines that fit a page of fewer words than a limit, the most important first."""
    room = limit - 1 - _PREFACE_WORDS
    chosen: list[Line] = []
    begun: set[str] = set()
    for line in lines:
        # A number stands before each line, and after it up to three words for each reference.
        size = words(line.text) + 1 + 3 * line.references
        size += 0 if line.section in begun else words(line.section) + 1
        if size <= room:
            room -= size
            begun.add(line.section)
            chosen.append(line)
    return chosen


def missing(lines: Iterable[Line], chosen: Iterable[Line]) -> list[str]:
    """The sections of which no line is on the page.

    Args:
        lines: All lines.
        chosen: Lines that are on the page.
    """
    there = {line.section for line in chosen}
    return list(dict.fromkeys(line.section for line in lines if line.section not in there))


def preface(at: int, total: int, counts: Sequence[tuple[int, str]], without: Sequence[str] = ()) -> str:
    """The lines above the sections.

    Args:
        at: Now, in microseconds UTC.
        total: Facts in force.
        counts: Numbers with their meaning; those of zero are left out.
        without: Sections that have no line on the page, the most important first.
    """
    held = f"{counted(total, 'fact')} in force" if total else "no fact is in force"
    told = [held, *(f"{number:,} {why}" for number, why in counts if number)]
    return f"{day_of(at)}: {'; '.join(told)}.{_without(without)}" + (f"\n{_LEGEND}" if total else "")


def _without(sections: Sequence[str]) -> str:
    """Names the first of the sections that have no line on the page."""
    named: list[str] = []
    for section in sections:
        if words(" ".join((*named, section))) > _NAMED_WORDS:
            break
        named.append(section)
    others = len(sections) - len(named)
    names = [*named, *([counted(others, "more section" if named else "section")] if others else [])]
    return f" No room for: {', '.join(names)}." if names else ""


def _dates(fact: Fact, first: int | None, last: int | None) -> list[str]:
    since = fact.statement.since if fact.statement else None
    if since is not None and (day := day_of(since))[-4:] not in fact.text:
        return [f"since {day}"]
    if first is None or last is None:
        return []
    if fact.supersedes is not None and fact.statement is not None:
        return [f"since {day_of(first)}"]
    days = list(dict.fromkeys((day_of(first), day_of(last))))
    return [days[0] if len(days) == 1 else f"{days[0]}, again {days[1]}"]


def _is_number(fact: Fact) -> bool:
    mean = fact.payload.get("mean")
    return fact.payload.get("type") == "baseline" and isinstance(mean, int | float)


def _numbers(section: str, subject: str, held: Sequence[Known]) -> Line:
    """The running statistics of a subject in one line."""
    told, seen = [], 0
    shown = sorted(held, key=lambda one: str(one.fact.payload.get("metric", "")))[:NUMBERS]
    for one in shown:
        payload = one.fact.payload
        spread = f" ± {short(payload['variance'] ** 0.5)}" if payload.get("variance") else ""
        told.append(f"{one_line(str(payload.get('metric', 'value')))} {short(payload['mean'])}{spread}")
        seen = max(seen, int(payload.get("n") or 0))
    text = f"{one_line(subject) or 'All'}: {', '.join(told)} ({counted(seen, 'observation')})"
    return Line(section, text, tuple(one.fact.id for one in shown), order=1.0)


def _cut(text: str) -> tuple[str, bool]:
    """At most so many words of a text, and whether that was not all."""
    if words(text) <= FACT_WORDS:
        return text, False
    kept: list[str] = []
    room = FACT_WORDS
    for piece in text.split():
        part = piece[: room * WORD_CHARACTERS]
        kept.append(part)
        room -= words(part)
        if room <= 0:
            break
    return f"{' '.join(kept)} ...", True
