"""Composes the reflection of a dying agent, nine sections in prose, by rules from its evidence.

Every sentence follows from the given facts, episodes or counts; a section without evidence says so. A caller may let a
language model write the prose instead, under the same size limit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bardo._core import count_tokens
from bardo._validation import require_text
from bardo.bequeath.content import tallies
from bardo.bequeath.content.regimes import Regimes
from bardo.bequeath.content.tables import LinkTuple
from bardo.bequeath.content.worth import outcome_of
from bardo.bequeath.lineage import Life
from bardo.bequeath.privacy.redact import Redactor, tells_holdings
from bardo.clock import day_of
from bardo.consolidate.pages import incidents
from bardo.consolidate.pages.twins import Wording
from bardo.consolidate.pages.wording import Rule, counted, is_of_ancestor
from bardo.errors import InvalidInputError
from bardo.model import Episode, Fact
from bardo.recall import feedback

#: Maximum size of the reflection in bytes.
REFLECTION_BYTES = 5 * 1024
#: Maximum number of sentences of a section, and of characters of a quotation and of an incident.
_SENTENCES, _QUOTE, _INCIDENT = 5, 160, 480
#: Minimum confidence of a fact that counts as working; confidence below which it counts as unproven.
_WORKED, _UNPROVEN = 0.6, 0.6
#: Minimum number of supporting episodes of a fact that counts as tested.
_TESTED_SUPPORT = 3
#: p-value above which a result is not significant.
_SIGNIFICANCE = 0.05
#: Minimum number of retrievals of a fact, never confirmed by an outcome, that counts as a habit.
_HABIT_MENTIONS = 10
#: Coefficient of variation (standard deviation over mean) above which an average is called unreliable.
_ERRATIC = 1.0
#: Share of all episodes above which one subject counts as dominant.
_LOPSIDED = 0.5
_TITLE_LINE = re.compile(r"^(## .+\n)", re.MULTILINE)
_NOTHING = "Nothing in the record speaks to this."


@dataclass(frozen=True, slots=True)
class Evidence:
    """Input of the reflection.

    Args:
        life: Life of the testator, with its death.
        facts: All facts of the testator, of every status.
        confidences: Decayed confidence of each fact today, in the same order.
        redactor: Redactor of the text.
        episodes: Episodes of the testator, or a sample; those of kind `outcome` have a value in their payload.
        links: Links among the facts.
        questions: Open questions.
        unsettled: Tasks that the death left open.
        settled: Tasks that were settled during the death, each with how.
        counts: Totals `episodes` and `verified`, for when the episodes are a sample.
        moment: Returns the instant of a tick in microseconds UTC, None if no record tells it.
        regimes: Regimes that the payloads of all episodes name.
        losses: Episodes of the worst outcomes, far below the others.
        measured: Number of verified outcomes of the whole life, of any kind of episode.
    """

    life: Life
    facts: Sequence[Fact]
    confidences: Sequence[float]
    redactor: Redactor
    episodes: Sequence[Episode] = ()
    links: Sequence[LinkTuple] = ()
    questions: Sequence[str] = ()
    unsettled: Sequence[str] = ()
    settled: Sequence[tuple[str, str]] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    moment: Callable[[int], int | None] = lambda _: None
    regimes: Regimes = field(default_factory=Regimes)
    losses: Sequence[Episode] = ()
    measured: int = 0

    def own_facts(self) -> list[Fact]:
        """Returns the facts that the testator learned or confirmed itself, of every status but quarantined."""
        return [fact for fact in self.facts if fact.generation == 0 and fact.status != "held"]

    def days(self, first: int, last: int) -> str:
        """Returns the days of two ticks: `3 May 2026`, `3 May 2026 to 9 May 2026`; empty if they are unknown."""
        days = [day_of(at) for tick in (first, last) if (at := self.moment(tick)) is not None]
        return " to ".join(dict.fromkeys(days))

    def line_of(self, fact: Fact) -> str:
        """Returns a redacted fact in one line; that of a heuristic is the rule in words."""
        text, payload = self.redactor.generalize(fact.text, fact.payload, fact.subjects)
        if incidents.story_of(fact):
            return _quote(text, _INCIDENT)
        rule = Rule.of(replace(fact, payload=payload))
        return _quote(rule.sentence if rule else text)

    def ranked_facts(self, *, active: bool = True) -> list[tuple[Fact, float]]:
        """Returns facts with today's confidence, highest first, except those about own holdings or results."""
        pairs = zip(self.facts, self.confidences, strict=True)
        kept = [
            (fact, sure)
            for fact, sure in pairs
            if (fact.status == "active") == active and not tells_holdings(fact.payload)
        ]
        return sorted(kept, key=lambda pair: (-pair[1], -pair[0].support, pair[0].text))


def compose(evidence: Evidence) -> str:
    """Composes the reflection: redacted Markdown of at most 5 KiB, always with all nine sections."""
    whole = {title: list(tell(evidence)) for title, tell in _SECTIONS}
    kept = {title: told[:_SENTENCES] for title, told in whole.items()}

    def text() -> str:
        more = {title: len(told) - len(kept[title]) for title, told in whole.items()}
        sections = [
            (title, told + [f"{more[title]:,} more"] * bool(more[title])) for title, told in kept.items()
        ]
        return _redacted(_render(evidence, sections), evidence.redactor)

    while len((composed := text()).encode()) > REFLECTION_BYTES:
        # The last sentence of a section is its weakest.
        max(kept.values(), key=lambda told: sum(map(len, told))).pop()
    return composed


def _redacted(reflection: str, redactor: Redactor) -> str:
    """Returns a reflection with redacted sections; their titles are no memories."""
    parts = _TITLE_LINE.split(reflection)
    return "".join(part if place % 2 else redactor.text(part) for place, part in enumerate(parts))


def shortened(reflection: str, tokens: int) -> str:
    """Shortens a reflection to sections with evidence and at most a number of tokens; empty if none has room."""
    parts = [part.splitlines() for part in reflection.split("\n## ")[1:]]
    told = {lines[0]: [line for line in lines if line.startswith("- ")] for lines in parts if lines}
    told = {title: lines for title, lines in told.items() if lines and lines != [f"- {_NOTHING}"]}

    def text() -> str:
        return "\n\n".join("\n".join([f"## {title}", *lines]) for title, lines in told.items())

    while told and count_tokens(text()) > tokens:
        longest = max(told, key=lambda title: sum(map(len, told[title])))
        told[longest].pop()
        told = {title: lines for title, lines in told.items() if lines}
    return text()


def checked_reflection(reflection: str, redactor: Redactor) -> str:
    """Redacts a reflection and checks its size.

    Args:
        reflection: Markdown text.
        redactor: Redactor of the testament.

    Raises:
        InvalidInputError: It has no text, or more than 5 KiB.
    """
    require_text(reflection, "reflection", "Pass its text, or none, and it is written from the evidence")
    text = redactor.text(reflection)
    if (size := len(text.encode())) > REFLECTION_BYTES:
        raise InvalidInputError(
            f"the reflection has {size} bytes, the limit is {REFLECTION_BYTES}. Shorten it"
        )
    return text


def _render(evidence: Evidence, sections: Iterable[tuple[str, Sequence[str]]]) -> str:
    life, own = evidence.life, evidence.own_facts()
    days = evidence.days(life.birth_tick, life.birth_tick if life.death_tick is None else life.death_tick)
    lived = f"Generation {life.generation}{', ' if days else ''}{days}."
    total, verified = _totals(evidence)
    learned = [fact for fact in own if not is_of_ancestor(fact, life.agent)]
    in_force = sum(fact.status == "active" for fact in learned)
    # Those that a newer statement replaced count, too.
    held, confirmed = len(own) - len(learned), max(life.confirmed, len(own) - len(learned))
    lines = [
        f"# What {_quote(life.agent)} leaves",
        "",
        f"{lived} Cause of death: {_quote(life.cause or 'unspecified')}.",
        f"I recorded {counted(total, 'episode')}, {verified:,} verified, and learned "
        f"{counted(len(learned), 'fact')}, of which {in_force:,} {'holds' if in_force == 1 else 'hold'} today."
        + (f" I confirmed {counted(confirmed, 'fact')} of my ancestors" if confirmed else "")
        + ("." if confirmed and held == confirmed else f", {held:,} in the same words." if confirmed else ""),
        *_settlement(evidence),
        "",
    ]
    for title, sentences in sections:
        lines += [f"## {title}", "", *(f"- {sentence}" for sentence in sentences or [_NOTHING]), ""]
    return "\n".join(lines)


def _settlement(evidence: Evidence) -> list[str]:
    if not evidence.settled:
        return []
    told = [
        f"{_quote(task)}{f' ({_quote(how)})' if how else ''}" for task, how in evidence.settled[:_SENTENCES]
    ]
    more = len(evidence.settled) - len(told)
    rest = f"; and {more} more" if more else ""
    return [f"Before the end I settled {counted(len(evidence.settled), 'task')}: {'; '.join(told)}{rest}."]


def _successes(evidence: Evidence) -> Iterable[str]:
    worked = [
        fact
        for fact, sure in evidence.ranked_facts()
        if sure >= _WORKED and fact.generation == 0 and fact.support >= _TESTED_SUPPORT
        and fact.kind in {"heuristic", "procedural", "insight", "causal_link"} and not _lowers(fact)
    ]  # fmt: skip
    yield from _tested(evidence, worked)
    outcomes = _outcomes(evidence)
    good = [(value, episode) for value, episode in outcomes if value > 0]
    if len(outcomes) > 1:
        yield f"{len(good):,} of the {len(outcomes):,} outcomes that I looked back on were good."
    for _, episode in sorted(_described(good), key=lambda pair: (-pair[0], pair[1].tick)):
        yield f"It ended well on {day_of(episode.at)}: {_quote(episode.text)}"


def _tested(evidence: Evidence, facts: Iterable[Fact]) -> Iterable[str]:
    """States tested facts; of rules that differ in what the testament does not tell, the surest."""
    told: dict[str, Fact] = {}
    for fact in facts:
        told.setdefault(evidence.line_of(fact), fact)
    for line, fact in told.items():
        yield f"{line} ({counted(fact.support, 'episode')})"


def _lowers(fact: Fact) -> bool:
    """Whether a fact is a rule by which an outcome is lower."""
    effect = fact.payload.get("effect")
    return isinstance(effect, int | float) and effect < 0


def _incidents(evidence: Evidence) -> list[Fact]:
    """Returns the severe failures that are on record, the gravest first."""
    held = [fact for fact, _ in evidence.ranked_facts() if fact.bloodstain]
    return sorted(held, key=lambda fact: (fact.generation > 0, -fact.importance))


def _losses(evidence: Evidence) -> list[Episode]:
    """Returns the worst outcomes that no warning of a severe failure tells, the latest first."""
    warned = {one for fact in _incidents(evidence) for one in fact.evidence}
    return [episode for episode in reversed(evidence.losses) if episode.id not in warned]


def _failures(evidence: Evidence) -> Iterable[str]:
    losses = _losses(evidence)
    for episode in losses:
        yield f"It ended badly on {day_of(episode.at)}: {_quote(episode.text, _INCIDENT)}"
    for fact in _incidents(evidence):
        if fact.generation == 0 and (story := incidents.story_of(fact)):
            day = evidence.days(*fact.observed)
            yield f"It ended badly{f' on {day}' if day else ''}: {_quote(evidence.redactor.text(story), _INCIDENT)}"
    yield from _tested(
        evidence,
        (
            fact
            for fact, sure in evidence.ranked_facts()
            if sure >= _WORKED and fact.generation == 0 and fact.support >= _TESTED_SUPPORT
            and not fact.bloodstain and _lowers(fact)
        ),
    )  # fmt: skip
    told = {episode.id for episode in losses}
    bad = [(value, one) for value, one in _outcomes(evidence) if value < 0 and one.id not in told]
    for _, episode in sorted(_described(bad), key=lambda pair: (pair[0], pair[1].tick)):
        yield f"It ended badly on {day_of(episode.at)}: {_quote(episode.text)}"
    for fact, _ in evidence.ranked_facts(active=False):
        if fact.status == "contradicted" or fact.is_refuted:
            yield f"Held and then contradicted: {evidence.line_of(fact)}"
    if replaced := _replaced(evidence):
        yield f"{counted(replaced, 'fact')} of my own ended or gave way to newer ones."


def _contradictions(evidence: Evidence) -> Iterable[str]:
    texts = {fact.id: fact for fact in evidence.facts if not tells_holdings(fact.payload)}
    told: set[frozenset[str]] = set()
    for src, dst, relation, _, _ in evidence.links:
        pair = frozenset((src, dst))
        if relation == "contradicts" and src in texts and dst in texts and pair not in told:
            told.add(pair)
            yield f"Both seemed true: {evidence.line_of(texts[src])} / {evidence.line_of(texts[dst])}"
    for fact, _ in evidence.ranked_facts():
        payload = fact.payload
        if payload.get("type") == "baseline" and payload["n"] >= _TESTED_SUPPORT:
            spread, middle = payload["variance"] ** 0.5, abs(payload["mean"])
            if spread > _ERRATIC * middle:
                about = ", ".join(map(_quote, fact.subjects)) or "the whole"
                yield (
                    f"{_quote(str(payload['metric']))} of {about} has a spread of {spread:.4g} around a mean of"
                    f" {payload['mean']:.4g}: the average says little."
                )


def _suspicions(evidence: Evidence) -> Iterable[str]:
    for fact, sure in evidence.ranked_facts():
        chance = fact.payload.get("p_value")
        if isinstance(chance, float) and chance > _SIGNIFICANCE:
            yield f"{evidence.line_of(fact)} (could be chance: p = {chance:.2f})"
        elif (
            sure < _UNPROVEN
            and fact.generation == 0
            and fact.kind in {"insight", "heuristic", "causal_link", "pattern"}
        ):
            bad = str(tallies.of(fact))
            grounds = [counted(fact.support, "episode")] * bool(fact.support or not bad) + [bad] * bool(bad)
            yield f"{evidence.line_of(fact)} (only {sure:.2f} sure, {', '.join(grounds)})"


def _untested_claims(evidence: Evidence) -> Iterable[str]:
    for task in evidence.unsettled:
        yield f"Left unsettled: {_quote(task)}"
    for question in evidence.questions:
        yield f"Open question: {_quote(question)}"
    for fact, _ in evidence.ranked_facts():
        if fact.generation > 0:
            yield f"Inherited and never confirmed: {evidence.line_of(fact)}"
        elif fact.source == "dream":
            yield f"Dreamt and never tried: {evidence.line_of(fact)}"
    thin = sum(fact.support < _TESTED_SUPPORT for fact, _ in evidence.ranked_facts() if fact.generation == 0)
    if thin:
        yield (
            f"{counted(thin, 'fact')} of my own in force {'rests' if thin == 1 else 'rest'} on fewer than "
            f"{_TESTED_SUPPORT} episodes."
        )


def _dangers(evidence: Evidence) -> Iterable[str]:
    for episode in _losses(evidence):
        yield f"Severe loss: {_quote(episode.text, _INCIDENT)}"
    others = [
        fact
        for fact, _ in evidence.ranked_facts()
        if not fact.bloodstain and fact.kind in ("anti_knowledge", "warning")
    ]
    for fact in (*_incidents(evidence), *others):
        days = evidence.days(*fact.observed) if fact.generation == 0 else ""
        subjects = [*dict.fromkeys(map(_quote, fact.subjects))][:4]
        about = f"met with {', '.join(subjects)}" if subjects else ""
        where = ", ".join(part for part in (days, about) if part)
        yield f"{'Bloodstain: ' if fact.bloodstain else ''}{evidence.line_of(fact)}{f' ({where})' if where else ''}"


def _regimes(evidence: Evidence) -> Iterable[str]:
    if told := evidence.regimes.sentence(evidence.moment):
        yield told
    shifts = [episode for episode in evidence.episodes if episode.kind == "regime_shift"]
    if shifts:
        last = day_of(max(one.at for one in shifts))
        yield f"I looked back on {counted(len(shifts), 'regime shift')}, the last on {last}."
    for fact, sure in evidence.ranked_facts():
        is_rule = not fact.bloodstain and "regime is " in str(fact.payload.get("condition"))
        if fact.kind == "pattern" or "regime" in fact.category or is_rule:
            yield f"{evidence.line_of(fact)} ({sure:.2f} sure)"
    for episode in sorted(shifts, key=lambda one: (-(one.importance or 0.0), one.tick)):
        yield f"Shift on {day_of(episode.at)}: {_quote(episode.text)}"


def _biases(evidence: Evidence) -> Iterable[str]:
    tried = evidence.life.confirmed + evidence.life.refuted
    if tried:
        yield (
            f"Of {tried} inherited entries put to the test, {evidence.life.confirmed} held and"
            f" {evidence.life.refuted} did not."
        )
    for fact, _ in evidence.ranked_facts(active=False):
        if (fact.status == "contradicted" or fact.is_refuted) and fact.support >= _TESTED_SUPPORT:
            yield f"Trusted on {counted(fact.support, 'episode')}, and wrong: {evidence.line_of(fact)}"
    habits = [
        fact
        for fact, _ in evidence.ranked_facts()
        if fact.mentions >= _HABIT_MENTIONS and fact.support < _TESTED_SUPPORT
    ]
    for fact in sorted(habits, key=lambda fact: (-fact.mentions, fact.text)):
        support = counted(fact.support, "episode")
        yield f"Recalled {fact.mentions:,} times on {support} of support: {evidence.line_of(fact)}"
    subjects = Counter(subject for episode in evidence.episodes for subject in set(episode.subjects))
    for subject, number in subjects.most_common(1):
        share = number / len(evidence.episodes)
        if share > _LOPSIDED and len(subjects) > 1:
            yield f"{share:.0%} of the episodes I looked back on were about {_quote(subject)}; little went to the rest."


def _learning_advice(evidence: Evidence) -> Iterable[str]:
    support: Counter[str] = Counter()
    for fact, _ in evidence.ranked_facts():
        if fact.generation == 0 and fact.kind != "baseline":
            # Several facts may rest on the same episodes, so they are not added up.
            support |= Counter(dict.fromkeys(fact.subjects, fact.support))
    for subject, number in support.most_common(2):
        if number >= _TESTED_SUPPORT:
            yield f"Begin with {_quote(subject)}: {counted(number, 'episode')} there stand behind one lesson."
    settled = [
        fact
        for fact, sure in evidence.ranked_facts()
        if sure >= _WORKED
        and fact.support >= _TESTED_SUPPORT
        and fact.generation == 0
        and fact.kind != "baseline"
    ]
    if settled:
        day = evidence.days(*[min(fact.created_tick for fact in settled)] * 2)
        since = f", the first since {day}" if day else ""
        hold = "holds" if len(settled) == 1 else "hold"
        yield f"{counted(len(settled), 'fact')} of at least {_TESTED_SUPPORT} episodes still {hold}{since}."
    total, verified = _totals(evidence)
    if verified < total:
        yield f"{verified:,} of {counted(total, 'episode')} were verified; only those feed statistics and rules."
    if total and not (evidence.measured or _outcomes(evidence)):
        yield "No verified outcome is on record, so acting on what I knew was never judged."


_SECTIONS: tuple[tuple[str, Callable[[Evidence], Iterable[str]]], ...] = (
    ("What worked", _successes),
    ("What failed", _failures),
    ("What confused me", _contradictions),
    ("What I suspect but cannot prove", _suspicions),
    ("What I never had time to test", _untested_claims),
    ("Dangers", _dangers),
    ("How the regimes behaved", _regimes),
    ("Where my judgement was biased", _biases),
    ("How to learn here faster", _learning_advice),
)


def _outcomes(evidence: Evidence) -> list[tuple[float, Episode]]:
    """Returns the episodes of kind `outcome` with their value."""
    found = []
    for episode in evidence.episodes:
        value = outcome_of(episode.payload) if episode.kind == "outcome" else None
        if value is not None:
            found.append((value, episode))
    return found


def _described(outcomes: Iterable[tuple[float, Episode]]) -> list[tuple[float, Episode]]:
    """Returns the outcomes of which a person or the agent wrote what happened."""
    return [pair for pair in outcomes if not feedback.is_note(pair[1].text)]


def _replaced(evidence: Evidence) -> int:
    """Counts own facts that ended, or that a newer one with another statement replaced."""
    known = {fact.id: fact for fact in evidence.facts}
    ended = [fact for fact in evidence.own_facts() if fact.status == "superseded" and fact.kind != "baseline"]
    merged = [
        fact
        for fact in ended
        if (newer := known.get(fact.superseded_by or "")) and Wording(newer).says_same(Wording(fact))
    ]
    return len(ended) - len(merged)


def _totals(evidence: Evidence) -> tuple[int, int]:
    total = evidence.counts.get("episodes", len(evidence.episodes))
    return total, evidence.counts.get("verified", sum(episode.verified for episode in evidence.episodes))


def _quote(text: str, longest: int = _QUOTE) -> str:
    """Reduces a text to one line, so that it cannot open a Markdown section."""
    line = " ".join(text.split()).strip("#>-* ")
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
