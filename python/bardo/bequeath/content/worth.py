"""Worth of an episode to an heir: what was said once, exactly or at a cost counts; routine stays behind.

A line of routine differs from the others of its kind by names and numbers alone, so its pairs of neighbouring words are
common in the log (`_core.Survey`). Statements, identifiers, mistakes, decisions and questions have pairs that are rare.
What a person said, and rows of a list that have an identifier of their own, cross last if their words are common.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Container, Iterator, Mapping
from typing import Any

from bardo import _core
from bardo.bequeath.content.directives import EPISODE_KIND
from bardo.capture.recorder import PAGE
from bardo.consolidate.pages import incidents
from bardo.model import INHERITED_KIND, Episode, Fact
from bardo.recall import feedback

#: Minimum share of rare pairs in an episode of worth.
LEAST_NOVELTY = 0.3
#: Worth of an episode in common words that is no routine: it crosses where others leave room.
DISTINCT = 0.05
#: Importance from which an episode is of worth however common its words are.
GRAVE_IMPORTANCE = 0.8
#: Outcome from which on downwards an episode is a mistake, in -1..1.
MISTAKE = -0.5
#: Kinds of facts that warn or tell how to act, and their worth beyond that of their text.
RULE_KINDS = frozenset({"anti_knowledge", "warning", "heuristic", "procedural"})
_RULE = 0.6
#: Worth of a mistake beyond that of its text: of an outcome, and of a severe failure that tells what happened.
_MISTAKE = 0.8
#: Minimum worth of a fact that is no routine, however short its text is.
PLAIN = 0.2
#: Characters of a text that are judged.
_JUDGED = 4_096
#: Words of a remark and of a question below which a text without anything exact is small talk.
_FEW, _SHORT = 3, 8
#: Factor on the worth per generation since the agent that lived the episode.
_PER_GENERATION = 0.85
#: Host names, paths, addresses, versions, times, tickets, hashes, numbers with a unit, and quotations.
_EXACT = re.compile(
    r"(?<![\w.])(?:[\w+.-]*[:/@\\.#_-][\w:/@\\.#_-]*\w|[A-Za-z_]*\d[\w.:-]*(?:\s?%|\s[a-z]{1,5}\b)?|`[^`]+`|\"[^\"]+\")"
)
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
#: Words of decisions, rules, corrections and open questions.
_TELLING = re.compile(
    r"\b(?:decid|decision|agree|never|always|must|should|only|rule|unless|instead|no longer|from now on|correction|"
    r"unclear|unknown|(?:one|body) knows|find out|found out|open question|lesson|mistake|lost|failed|because|owner|"
    r"owns|ask)",
    re.IGNORECASE,
)
#: Kind of episodes that no heir is told of: reflections without evidence.
_DREAM = "dream"


def worth(episode: Episode, novelty: float) -> float:
    """Worth of an episode to an heir; 0 if it stays behind. Arguments as in `judge`."""
    return judge(episode, novelty)[0]


def judge(
    episode: Episode, novelty: float, *, is_distinct: bool = False, is_failure: bool = False
) -> tuple[float, str]:
    """Worth of an episode to an heir, and the reason for which an episode of none stays behind.

    Args:
        episode: Episode of the testator's log, its own or inherited.
        novelty: Share of its pairs of words that are rare in the log.
        is_distinct: Whether it is no routine although its pairs are common.
        is_failure: Whether a warning of a severe failure rests on it.

    Returns:
        Worth, 0 if the episode stays behind; the reason, empty if it has worth.
    """
    lived = inherited_fields(episode)
    kind = str(lived.get("kind", episode.kind))
    importance = lived.get("importance") if lived else episode.importance
    importance = float(importance) if isinstance(importance, int | float) else 0.0
    payload = lived.get("payload") if lived else episode.payload
    is_mistake = is_failure or (kind == "outcome" and (outcome_of(payload) or 0.0) <= MISTAKE)
    if kind == _DREAM:
        return 0.0, "episode_dream"
    if kind.startswith(EPISODE_KIND):
        return 0.0, "episode_of_directive"
    if kind == "outcome" and feedback.is_note(episode.text):
        return 0.0, "episode_value_alone"
    is_common = novelty < LEAST_NOVELTY and not is_mistake and importance < GRAVE_IMPORTANCE
    if is_common and not is_distinct:
        return 0.0, "episode_routine"
    text = episode.text[:_JUDGED]
    exact = min(len(_EXACT.findall(text)) + len(_NAME.findall(text)), 3) / 3
    said = {"user": 0.3, "tool": 0.15, "agent": 0.1}.get(episode.role, 0.0)
    tells = bool(_TELLING.search(text))
    if _is_small_talk(text) and not (exact or tells or is_mistake):
        return 0.0, "episode_small_talk"
    value = DISTINCT if is_common else (
        0.2 * (1 + novelty) + 0.4 * exact * novelty + said + 0.3 * importance + 0.1 * episode.verified
        + 0.3 * tells + _MISTAKE * is_mistake
    )  # fmt: skip
    return value * _PER_GENERATION ** int(lived.get("generation", 0)), ""


def most_worthy(
    log: _core.EpisodeLog,
    survey: _core.Survey,
    count: int,
    *,
    outdated: Container[str] = (),
    failures: Collection[str] = (),
) -> tuple[list[tuple[Episode, float]], dict[str, str]]:
    """Returns the episodes of most worth with their worth, best first, and the reasons against others by id.

    An episode in neither is routine by its words alone; its text is not read.

    Args:
        log: Episode log of the testator.
        survey: Survey of that log.
        count: Maximum number of episodes.
        outdated: Ids of episodes that support only facts which were replaced.
        failures: Ids of the episodes of severe failures: no routine, however common their words are.
    """
    reasons: dict[str, str] = {}

    def judged() -> Iterator[tuple[float, Episode]]:
        for episode, novelty, is_distinct in _uncommon(log, survey, failures):
            value, reasons[episode.id] = judge(
                episode, novelty, is_distinct=is_distinct, is_failure=episode.id in failures
            )
            if value > 0.0:
                reasons[episode.id] = "episode_outdated" if episode.id in outdated else "episode_over_cap"
            if value > 0.0 and episode.id not in outdated:
                yield value, episode

    best = heapq.nlargest(count, judged(), key=lambda one: (one[0], one[1].tick, one[1].id))
    for _, episode in best:
        del reasons[episode.id]
    return [(episode, value) for value, episode in best], reasons


def _uncommon(
    log: _core.EpisodeLog, survey: _core.Survey, failures: Collection[str]
) -> Iterator[tuple[Episode, float, bool]]:
    """Reads the episodes of a log that are no routine, page by page, then failures in the words of routine."""
    rest = set(failures)
    after = -1
    number = 0
    while number != after:
        after = number
        number, page = survey.uncommon(
            log, after, PAGE, novelty=LEAST_NOVELTY, importance=GRAVE_IMPORTANCE, mistake=MISTAKE
        )
        rest.difference_update(episode.id for episode, _, _ in page)
        yield from page
    found = [episode for episode in log.get(sorted(rest)) if episode is not None]
    novelties = survey.novelty([episode.text for episode in found])
    yield from ((episode, novelty, False) for episode, novelty in zip(found, novelties, strict=True))


def worth_of_fact(fact: Fact, novelty: float, episodes: Mapping[str, float]) -> float:
    """Worth of a fact to an heir: that of its text as a user's statement, or of the best episode that it rests on.

    Args:
        fact: Fact of the testator.
        novelty: Share of the pairs of words of its text that are rare in the log.
        episodes: Worth of episodes by id.

    Returns:
        Worth, on the scale of `worth`; 0 for a fact that restates routine.
    """
    if fact.kind in RULE_KINDS or not fact.evidence:
        novelty = 1.0
    is_told = any(one in episodes for one in fact.evidence)
    if novelty < LEAST_NOVELTY and fact.importance < GRAVE_IMPORTANCE and not is_told:
        return 0.0
    spoken = Episode(fact.text, role="user", importance=fact.importance, verified=True)
    # The figures of a statistic are no identifiers, and an heir soon has its own.
    is_figures = fact.payload.get("type") == "baseline" or incidents.is_measured(fact)
    said = PLAIN if is_figures else worth(spoken, novelty)
    value = max([PLAIN, said, *(episodes.get(one, 0.0) for one in fact.evidence)])
    is_disaster = fact.bloodstain and (is_told or not incidents.is_measured(fact))
    return value + _RULE * (fact.kind in RULE_KINDS) + _MISTAKE * is_disaster


def inherited_fields(episode: Episode) -> dict[str, Any]:
    """Returns the fields of an inherited episode as its first agent lived it; empty for the agent's own."""
    if episode.kind != INHERITED_KIND or not isinstance(episode.payload, dict):
        return {}
    lived = episode.payload.get(INHERITED_KIND)
    return lived if isinstance(lived, dict) else {}


def _is_small_talk(text: str) -> bool:
    """Whether a text is a short question, a few words, or a thanks, as in `any news on billing?`."""
    count = len(text.split())
    return (
        _core.triviality(text) is not None or count < _FEW or (count < _SHORT and text.rstrip().endswith("?"))
    )


def outcome_of(payload: Any) -> float | None:
    """Value of the outcome in the payload of an episode of kind `outcome`, in -1..1; None if it has none."""
    value = payload.get("outcome", payload.get("value")) if isinstance(payload, Mapping) else None
    value = value.get("value") if isinstance(value, Mapping) else value
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
