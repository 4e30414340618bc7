"""Composes the reflection of a dying agent, nine sections in prose, by rules from its evidence.

Every sentence follows from the given facts, episodes or counts; a section without evidence says so. A caller may let a
language model write the prose instead, under the same size limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bardo.bequeath import redact
from bardo.bequeath.lineage import Life
from bardo.bequeath.tables import LinkTuple
from bardo.model import Episode, Fact

#: Maximum size of the reflection in bytes (spec 6).
REFLECTION_BYTES = 5 * 1024
#: Maximum number of sentences of a section, and of characters of a quotation.
_SENTENCES, _QUOTE = 5, 160
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
_NOTHING = "Nothing in the record speaks to this."


@dataclass(frozen=True, slots=True)
class Evidence:
    """Input of the reflection.

    Args:
        life: Life of the testator, with its death.
        facts: All facts of the testator, of every status.
        confidences: Decayed confidence of each fact today, in the same order.
        episodes: Episodes of the testator, or a sample; outcomes carry a number `value` in their payload.
        links: Links among the facts.
        questions: Open questions.
        counts: Totals `episodes` and `verified`, for when the episodes are a sample.
    """

    life: Life
    facts: Sequence[Fact]
    confidences: Sequence[float]
    episodes: Sequence[Episode] = ()
    links: Sequence[LinkTuple] = ()
    questions: Sequence[str] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    def ranked_facts(self, *, active: bool = True) -> list[tuple[Fact, float]]:
        """Returns facts with today's confidence, highest first, except those about own holdings or results."""
        pairs = zip(self.facts, self.confidences, strict=True)
        kept = [
            (fact, sure)
            for fact, sure in pairs
            if (fact.status == "active") == active and not redact.tells_holdings(fact.payload)
        ]
        return sorted(kept, key=lambda pair: (-pair[1], -pair[0].support, pair[0].text))


def compose(evidence: Evidence) -> str:
    """Composes the reflection: redacted Markdown of at most 5 KiB, always with all nine sections."""
    sections = [(title, list(tell(evidence))[:_SENTENCES]) for title, tell in _SECTIONS]
    while len((text := redact.redact(_render(evidence.life, sections))).encode()) > REFLECTION_BYTES:
        # The last sentence of a section is its weakest.
        longest = max((sentences for _, sentences in sections), key=lambda told: sum(map(len, told)))
        longest.pop()
    return text


def _render(life: Life, sections: Iterable[tuple[str, Sequence[str]]]) -> str:
    lines = [f"# What {_quote(life.agent)} leaves", ""]
    lines += [
        f"Generation {life.generation}, ticks {life.birth_tick} to {life.death_tick}."
        f" Cause of death: {_quote(life.cause or 'unspecified')}.",
        "",
    ]
    for title, sentences in sections:
        lines += [f"## {title}", "", *(f"- {sentence}" for sentence in sentences or [_NOTHING]), ""]
    return "\n".join(lines)


def _successes(evidence: Evidence) -> Iterable[str]:
    for fact, sure in evidence.ranked_facts():
        own = fact.generation == 0 and fact.support >= _TESTED_SUPPORT
        if own and sure >= _WORKED and fact.kind in {"heuristic", "procedural", "insight", "causal_link"}:
            yield f"{_line_of(fact)} ({sure:.2f} sure after {fact.support} episodes)"
    good = [(value, episode) for value, episode in _outcomes(evidence) if value > 0]
    for _, episode in sorted(good, key=lambda pair: (-pair[0], pair[1].tick)):
        yield f"It ended well at tick {episode.tick}: {_quote(episode.text)}"


def _failures(evidence: Evidence) -> Iterable[str]:
    bad = [(value, episode) for value, episode in _outcomes(evidence) if value < 0]
    for _, episode in sorted(bad, key=lambda pair: (pair[0], pair[1].tick)):
        yield f"It ended badly at tick {episode.tick}: {_quote(episode.text)}"
    for fact, _ in evidence.ranked_facts(active=False):
        if fact.status == "contradicted":
            yield f"Held and then contradicted: {_line_of(fact)}"
    replaced = sum(fact.status == "superseded" for fact in evidence.facts)
    if replaced:
        yield f"{replaced} facts had to be replaced by newer ones."


def _contradictions(evidence: Evidence) -> Iterable[str]:
    texts = {fact.id: fact for fact in evidence.facts if not redact.tells_holdings(fact.payload)}
    told: set[frozenset[str]] = set()
    for src, dst, relation, _, _ in evidence.links:
        pair = frozenset((src, dst))
        if relation == "contradicts" and src in texts and dst in texts and pair not in told:
            told.add(pair)
            yield f"Both seemed true: {_line_of(texts[src])} / {_line_of(texts[dst])}"
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
            yield f"{_line_of(fact)} (could be chance: p = {chance:.2f})"
        elif (
            sure < _UNPROVEN
            and fact.generation == 0
            and fact.kind in {"insight", "heuristic", "causal_link", "pattern"}
        ):
            yield f"{_line_of(fact)} (only {sure:.2f} sure, {fact.support} episodes)"


def _untested_claims(evidence: Evidence) -> Iterable[str]:
    for question in evidence.questions:
        yield f"Open question: {_quote(question)}"
    for fact, _ in evidence.ranked_facts():
        if fact.generation > 0:
            yield f"Inherited and never confirmed: {_line_of(fact)}"
        elif fact.source == "dream":
            yield f"Dreamt and never tried: {_line_of(fact)}"
    thin = sum(fact.support < _TESTED_SUPPORT for fact, _ in evidence.ranked_facts() if fact.generation == 0)
    if thin:
        yield f"{thin} of my own facts rest on fewer than {_TESTED_SUPPORT} episodes."
    total, verified = _totals(evidence)
    if total > verified:
        yield f"{total - verified} of {total} episodes were never verified, so nothing was learned from them."


def _dangers(evidence: Evidence) -> Iterable[str]:
    held = evidence.ranked_facts()
    order = ("anti_knowledge", "warning")
    for fact, _ in sorted(held, key=lambda pair: (not pair[0].bloodstain, pair[0].kind not in order)):
        if fact.bloodstain or fact.kind in order:
            about = f", met with {', '.join(map(_quote, fact.subjects[:4]))}" if fact.subjects else ""
            where = f"ticks {fact.observed[0]} to {fact.observed[1]}{about}"
            yield f"{'Bloodstain: ' if fact.bloodstain else ''}{_line_of(fact)} ({where})"


def _regimes(evidence: Evidence) -> Iterable[str]:
    shifts = [episode for episode in evidence.episodes if episode.kind == "regime_shift"]
    if shifts:
        yield f"{len(shifts)} regime shifts were recorded, the last at tick {max(one.tick for one in shifts)}."
    for fact, sure in evidence.ranked_facts():
        if fact.kind == "pattern" or "regime" in fact.category:
            yield f"{_line_of(fact)} ({sure:.2f} sure)"
    for episode in sorted(shifts, key=lambda one: (-(one.importance or 0.0), one.tick)):
        yield f"Shift at tick {episode.tick}: {_quote(episode.text)}"


def _biases(evidence: Evidence) -> Iterable[str]:
    tried = evidence.life.confirmed + evidence.life.refuted
    if tried:
        yield (
            f"Of {tried} inherited entries put to the test, {evidence.life.confirmed} held and"
            f" {evidence.life.refuted} did not."
        )
    for fact, _ in evidence.ranked_facts(active=False):
        if fact.status == "contradicted" and fact.support >= _TESTED_SUPPORT:
            yield f"Trusted on {fact.support} episodes, and wrong: {_line_of(fact)}"
    habits = [
        fact
        for fact, _ in evidence.ranked_facts()
        if fact.mentions >= _HABIT_MENTIONS and fact.support < _TESTED_SUPPORT
    ]
    for fact in sorted(habits, key=lambda fact: (-fact.mentions, fact.text)):
        yield f"Recalled {fact.mentions} times on {fact.support} episodes of support: {_line_of(fact)}"
    subjects = Counter(subject for episode in evidence.episodes for subject in set(episode.subjects))
    for subject, number in subjects.most_common(1):
        share = number / len(evidence.episodes)
        if share > _LOPSIDED and len(subjects) > 1:
            yield f"{share:.0%} of the episodes I looked back on were about {_quote(subject)}; little went to the rest."


def _learning_advice(evidence: Evidence) -> Iterable[str]:
    support: Counter[str] = Counter()
    for fact, _ in evidence.ranked_facts():
        if fact.generation == 0:
            # Several facts may rest on the same episodes, so they are not added up.
            support |= Counter(dict.fromkeys(fact.subjects, fact.support))
    for subject, number in support.most_common(2):
        if number >= _TESTED_SUPPORT:
            yield f"Begin with {_quote(subject)}: {number} episodes there stand behind one lesson."
    settled = [
        fact for fact, sure in evidence.ranked_facts() if sure >= _WORKED and fact.support >= _TESTED_SUPPORT
    ]
    quick = [fact.created_tick - evidence.life.birth_tick for fact in settled if fact.generation == 0]
    if quick:
        yield f"The first fact that lasted came {max(min(quick), 0)} ticks after birth; {len(settled)} lasted in all."
    total, verified = _totals(evidence)
    if total:
        yield f"{verified / total:.0%} of {total} episodes were verified; only those teach, so verify sooner and more."
    outcomes = len(_outcomes(evidence))
    if total and not outcomes:
        yield "No outcome was recorded with a value: confidence had nothing but repetition to grow on."


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
    """Returns the episodes of kind `outcome` with their number `value`."""
    found = []
    for episode in evidence.episodes:
        value = episode.payload.get("value") if isinstance(episode.payload, Mapping) else None
        if episode.kind == "outcome" and isinstance(value, int | float) and not isinstance(value, bool):
            found.append((float(value), episode))
    return found


def _totals(evidence: Evidence) -> tuple[int, int]:
    total = evidence.counts.get("episodes", len(evidence.episodes))
    return total, evidence.counts.get("verified", sum(episode.verified for episode in evidence.episodes))


def _line_of(fact: Fact) -> str:
    return _quote(redact.general(fact.text, fact.payload)[0])


def _quote(text: str) -> str:
    """Reduces a text to one line, so that it cannot open a Markdown section."""
    line = " ".join(text.split()).strip("#>-* ")
    return line if len(line) <= _QUOTE else line[: _QUOTE - 1].rstrip() + "…"
