"""Input of the dossier: facts in force, disputes among them, what ended lately, and open questions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bardo._core import Digest, FactStore, digest_facts
from bardo.clock import MICROSECONDS
from bardo.config import SECONDS_PER_DAY
from bardo.consolidate import lint
from bardo.consolidate.pages import incidents
from bardo.consolidate.pages.fact_dates import FactDates
from bardo.consolidate.pages.twins import Wording, connected, exclude
from bardo.consolidate.statement_ends import has_ended
from bardo.model import Fact

#: Facts that are read for a dossier: more cannot stand in it.
CANDIDATES = 128
#: Latest changes of facts among which those that ended are sought.
_CHANGES = 1_024
#: Age up to which the end of a fact is told, in microseconds.
LATELY = 30 * SECONDS_PER_DAY * MICROSECONDS
#: Multiple of the time of warning within which the next fading fact is sought.
_FORESEEN = 256
#: Kinds of open questions that no line of a fact tells already.
_ASKED = ("unknown", "unanswered")
#: Speakers who told episodes in confidence, by the ids of these (`confided.tellers`).
Confided = Callable[[Sequence[str]], Mapping[str, str | None]]


@dataclass(frozen=True, slots=True)
class Known:
    """A fact in force as a page tells it.

    Args:
        fact: The fact.
        confidence: Confidence at the tick of the page.
        twins: Other facts in force that say the same.
        noted: Instants at which it or a twin was noted first and last; None where unknown.
        is_fading: Whether it will be forgotten soon unless it is said again.
    """

    fact: Fact
    confidence: float
    twins: tuple[Fact, ...]
    noted: tuple[int | None, int | None]
    is_fading: bool


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Input of a dossier.

    Args:
        digest: The strongest facts in force.
        known: Facts in force in the order of the digest, each statement once, but for confidences.
        disputes: Groups of ids in `known` that contradict each other.
        ended: Facts that ended lately, with the instant, the latest first.
        questions: Open questions of which no line of a fact tells.
        confirmed: Instant at which a heuristic was confirmed last, by id.
        fades_tick: First tick at which another fact will be fading; None if none is seen coming.
        confided: Number of facts in force that are known from confidences alone. A page may be shown to any person.
    """

    digest: Digest
    known: tuple[Known, ...]
    disputes: tuple[frozenset[str], ...]
    ended: tuple[tuple[Fact, int], ...]
    questions: tuple[lint.Gap, ...]
    confirmed: Mapping[str, int | None]
    fades_tick: int | None
    confided: int


def read(
    facts: FactStore, dates: FactDates, confided: Confided, *, tick: int, now: int, threshold: float
) -> PageFacts:
    """Reads the input of a dossier.

    Args:
        facts: Fact store.
        dates: Dates of facts.
        confided: Returns which of some episodes were told in confidence.
        tick: Now, in ticks.
        now: Now, in microseconds UTC.
        threshold: Confidence below which a fact is forgotten.
    """
    digest = digest_facts(facts, tick=tick, now=now, limit=CANDIDATES)
    rivals, pairs = _rivals(facts, digest, tick, now)
    sure = dict(zip((fact.id for fact in rivals), _confidences(facts, rivals, tick), strict=True))
    held = [*digest.facts, *((fact, sure[fact.id]) for fact in rivals)]
    pairs += [
        (one.id, other.id)
        for place, (one, _) in enumerate(held)
        for other, _ in held[:place]
        if exclude(one, other)
    ]
    groups = connected(pairs)
    soon = tick + int(min(facts.expiry_ticks, facts.tau_ticks))
    fading = _fading(facts, [fact for fact, _ in held], soon, threshold)
    secret = _confided([fact for fact, _ in held], confided)
    said = _once([pair for pair in held if pair[0].id not in secret], groups)
    worded = _in_words([fact for fact, _, _ in said], dates)
    known = tuple(
        Known(fact, confidence, twins, _noted(dates, (fact, *twins)), fact.id in fading)
        for fact, (_, confidence, twins) in zip(worded, said, strict=True)
    )
    ids = {one.fact.id for one in known}
    return PageFacts(
        digest=digest,
        known=known,
        disputes=tuple(sides for group in groups if len(sides := frozenset(group & ids)) > 1),
        ended=_ended(facts, dates, confided, known, now),
        questions=tuple(gap for gap in lint.gaps(facts) if gap.kind in _ASKED),
        confirmed={one.fact.id: dates.confirmed(one.fact) for one in known if one.fact.kind == "heuristic"},
        fades_tick=_next_fading(
            facts, [fact for fact, _ in held if fact.id not in fading], (tick, soon), threshold
        ),
        confided=len(secret),
    )


def _confided(facts: Sequence[Fact], told: Confided) -> frozenset[str]:
    """Ids of the facts that are known from confidences alone."""
    first = told([fact.evidence[0] for fact in facts if fact.evidence])
    likely = [fact for fact in facts if fact.evidence and fact.evidence[0] in first]
    every = told([id_ for fact in likely for id_ in fact.evidence])
    return frozenset(fact.id for fact in likely if set(fact.evidence) <= every.keys())


def _in_words(facts: Sequence[Fact], dates: FactDates) -> tuple[Fact, ...]:
    """Facts, of which warnings of severe failures tell what happened."""
    told = sorted(incidents.failures(facts))
    return incidents.in_words(facts, {one.id: one for one in dates.episodes(told) if one is not None})


def _rivals(
    facts: FactStore, digest: Digest, tick: int, now: int
) -> tuple[list[Fact], list[tuple[str, str]]]:
    """The weaker facts in force that contradict those of a digest, and the pairs of their ids."""
    found: dict[str, Fact] = {}
    seen = {fact.id for fact, _ in digest.facts}
    pairs: list[tuple[str, str]] = []
    front = list(digest.disputed)
    while front:
        links = [(src, dst) for src, dst, relation, *_ in facts.links(front) if relation == "contradicts"]
        others = dict.fromkeys(id_ for pair in links for id_ in pair if id_ not in seen)
        seen.update(others)
        standing = [fact for fact in facts.get(list(others)) if fact and _in_force(fact, tick, now)]
        found.update((fact.id, fact) for fact in standing)
        pairs += links
        front = [fact.id for fact in standing]
    present = {fact.id for fact, _ in digest.facts} | set(found)
    return list(found.values()), [pair for pair in pairs if present.issuperset(pair)]


def _in_force(fact: Fact, tick: int, now: int) -> bool:
    expired = fact.expires_tick is not None and fact.expires_tick < tick
    return fact.status == "active" and not expired and not has_ended(fact, now)


def _fading(facts: FactStore, found: Sequence[Fact], soon: int, threshold: float) -> frozenset[str]:
    """Ids of the facts that will be below a confidence at a tick."""
    then = _confidences(facts, found, soon)
    return frozenset(fact.id for fact, later in zip(found, then, strict=True) if later < threshold)


def _next_fading(
    facts: FactStore, found: Sequence[Fact], ticks: tuple[int, int], threshold: float
) -> int | None:
    """First tick after now at which one of the facts will be fading, found by bisection.

    Args:
        facts: Fact store.
        found: Facts that are not fading now.
        ticks: Now, and the tick of which a fact must be sure now.
        threshold: Confidence below which a fact is forgotten.
    """
    tick, soon = ticks
    last = _FORESEEN * max(1, soon - tick)
    ahead = range(1, last + 1) if found else range(0)
    place = bisect_left(ahead, True, key=lambda step: bool(_fading(facts, found, soon + step, threshold)))
    return tick + ahead[place] if place < len(ahead) else None


def _confidences(facts: FactStore, found: Sequence[Fact], tick: int) -> list[float]:
    return [sure or 0.0 for sure in facts.confidence_now([fact.id for fact in found], tick=tick)]


def _once(
    held: Sequence[tuple[Fact, float]], groups: Iterable[set[str]]
) -> list[tuple[Fact, float, tuple[Fact, ...]]]:
    """Each statement once, with its twins: of these, the agent's own and measured one stands, then the newer one."""
    rivals = {id_: group for group in groups for id_ in group}
    wordings = [(Wording(fact), confidence) for fact, confidence in held]

    def worth(place: int) -> tuple[bool, bool, bool, int, int]:
        wording = wordings[place][0]
        fact = wording.fact
        measured = wording.rule is not None and wording.rule.interval is not None
        return fact.generation > 0, not fact.pinned, not measured, -fact.observed[1], place

    kept: list[int] = []
    twins: dict[int, list[Fact]] = {}
    for place in sorted(range(len(wordings)), key=worth):
        wording = wordings[place][0]
        own = rivals.get(wording.fact.id, ())
        twin = next(
            (
                other
                for other in kept
                if wordings[other][0].fact.id not in own and wordings[other][0].says_same(wording)
            ),
            None,
        )
        if twin is None:
            kept.append(place)
        else:
            twins.setdefault(twin, []).append(wording.fact)
    return [
        (wordings[place][0].fact, wordings[place][1], tuple(twins.get(place, ()))) for place in sorted(kept)
    ]


def _noted(dates: FactDates, said: Sequence[Fact]) -> tuple[int | None, int | None]:
    noted = [dates.noted(fact) for fact in said]
    firsts = [first for first, _ in noted if first is not None]
    lasts = [last for _, last in noted if last is not None]
    return min(firsts, default=None), max(lasts, default=None)


def _ended(
    facts: FactStore, dates: FactDates, confided: Confided, known: Sequence[Known], now: int
) -> tuple[tuple[Fact, int], ...]:
    """Facts that ended lately and that none in force repeats, the latest first."""
    changed = facts.changed_since(max(0, facts.last_change - _CHANGES), limit=_CHANGES)
    standing = [Wording(one.fact) for one in known]
    found: list[tuple[Fact, int]] = []
    told: list[Wording] = []
    for _, fact in changed:
        if (
            not (
                fact.status in ("superseded", "contradicted")
                or (fact.status == "active" and has_ended(fact, now))
            )
            or fact.source == "dream"
            or fact.kind == "baseline"
        ):
            continue
        at = dates.ended(fact, facts.states(fact.id))
        wording = Wording(fact)
        if at is None or not now - LATELY <= at <= now:
            continue
        if any(other.says_same(wording) for other in (*standing, *told)):
            continue
        told.append(wording)
        found.append((fact, at))
    secret = _confided([fact for fact, _ in found], confided)
    found = [pair for pair in found if pair[0].id not in secret]
    return tuple(sorted(found, key=lambda pair: (-pair[1], pair[0].id)))
