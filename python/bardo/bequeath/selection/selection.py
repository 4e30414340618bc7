"""Decides what crosses a death, redacted, and why each other record stays behind."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bardo import _core
from bardo.bequeath.content import directives, tables
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.known import Bundled, KnownTexts
from bardo.bequeath.content.left_behind import LeftBehind, counts_of
from bardo.bequeath.content.markdown import ends_of
from bardo.bequeath.content.questions import QUESTION_LIMIT, Question
from bardo.bequeath.content.reflect import checked_reflection
from bardo.bequeath.content.tables import LinkTuple
from bardo.bequeath.content.told_orders import ToldOrders
from bardo.bequeath.lineage import Life
from bardo.bequeath.privacy.redact import Redactor, is_blank, tells_holdings
from bardo.bequeath.privacy.stated_limits import Limits
from bardo.bequeath.selection.token_limit import Parts, fit, newer_first
from bardo.config import Bequeath
from bardo.errors import InvalidInputError
from bardo.model import INHERITED_KIND, Episode, Fact, Link
from bardo.ports import Vectors

#: Maximum numbers of entries and episodes in a testament, regardless of settings.
ENTRY_LIMIT, EPISODE_LIMIT = 2_048, 2_048
#: Number of episodes for which there is room even beside the maximum number of entries.
EPISODES_AT_LEAST = 128
#: Maximum share of the cap for inherited facts below the threshold, and for inherited episodes.
INHERITED_SHARE = 0.25
#: Maximum share of the cap for beliefs that were refuted or replaced.
TOMBSTONE_SHARE = 0.125
LINK_LIMIT = 16_384
#: Maximum total size of the entries, and of the episodes, in bytes.
_ENTRY_BYTES, _EPISODE_BYTES = 32 << 20, 8 << 20
#: Maximum size of a question, of the name of its entity, and of the cause of death, in bytes.
_QUESTION_BYTES, _NAME_BYTES, _CAUSE_BYTES = 1_024, 256, 256


@dataclass(frozen=True, slots=True)
class Estate:
    """Content of a memory at the death of its agent: everything that could cross.

    Args:
        facts: All facts, of every status.
        confidences: Decayed confidence of each fact at death, in the same order.
        reflection: Markdown of at most 5 KiB, see `bardo.bequeath.content.reflect`.
        vectors: Float32 of shape (len(facts), dims), a row of NaN for a fact without one; they measure which facts say
            nearly the same, and do not cross.
        episodes: Episodes of worth, best first; each text is taken once.
        episode_bytes: Maximum size of the agent's own episodes; None for that of a testament.
        worths: Worth of facts and episodes to an heir by id; a fact of none stays behind.
        links: Links among the facts and episodes; a link crosses if both its ends do.
        questions: Open questions.
        conduct: Decisions, rejections, tasks and rules, in force or ended.
        known: Texts of the life for the bundle; it is left out without them, or under a limit of tokens.
        ancestors: Bundles of ancestors, nearest first.
        left_behind: Episodes of the log that have no worth.
    """

    facts: Sequence[Fact]
    confidences: Sequence[float]
    reflection: str
    vectors: Vectors | None = None
    episodes: Sequence[Episode] = ()
    episode_bytes: int | None = None
    worths: Mapping[str, float] = field(default_factory=dict)
    links: Sequence[LinkTuple] = ()
    questions: Sequence[Question] = ()
    conduct: Sequence[Directive] = ()
    known: KnownTexts | None = None
    ancestors: Sequence[bytes] = ()
    left_behind: Sequence[LeftBehind] = ()

    def __post_init__(self) -> None:
        if len(self.confidences) != len(self.facts):
            raise InvalidInputError(
                f"{len(self.confidences)} confidences for {len(self.facts)} facts. Pass one per fact"
            )
        if self.vectors is not None and len(self.vectors) != len(self.facts):
            raise InvalidInputError(
                f"{len(self.vectors)} vectors for {len(self.facts)} facts. Pass one row per fact"
            )


@dataclass(frozen=True, slots=True)
class Choice:
    """Redacted content that crosses a death, and the records that stay behind.

    Args:
        conduct: Directives, most needed first, then those that have ended.
        facts: Entries, most needed first; `confidence` is the testator's at death.
        episodes: Episodes, best first.
        links: Links among these.
        questions: Open questions.
        reflection: Markdown.
        cause: Cause of death.
        bundle: Bundle of known things; None without one.
        measure: Measure of similarity among entries.
        left_behind: Records that stay behind, each with its reason.
        redacted: Number of secrets and private fields removed, by kind.
    """

    conduct: Sequence[Directive]
    facts: Sequence[Fact]
    episodes: Sequence[Episode]
    links: Sequence[Link]
    questions: Sequence[Question]
    reflection: str
    cause: str
    bundle: Bundled | None
    measure: str
    left_behind: Sequence[LeftBehind]
    redacted: Mapping[str, int]

    @property
    def left_out(self) -> Counter[str]:
        """Number of records left behind, and of texts and bundles that the bundle leaves out, by reason."""
        counts = counts_of(self.left_behind)
        if self.bundle is not None:
            counts += Counter(
                {"private_in_bundle": self.bundle.private, "bundle_over_cap": self.bundle.over_cap}
            )
        return counts


def choose(estate: Estate, life: Life, settings: Bequeath, redactor: Redactor | None = None) -> Choice:
    """Chooses and redacts what crosses.

    Args:
        estate: Content of the memory.
        life: Life of the testator, with its death.
        settings: Caps and thresholds.
        redactor: Redactor that counts what it removes; a new one if not given.

    Raises:
        InvalidInputError: The reflection is too long, or the life names no death.
    """
    if life.death_tick is None or life.cause is None:
        raise InvalidInputError("the lineage names no death. Pass lineage.died(tick=..., cause=...)")
    redactor = redactor or Redactor(personal=settings.personal)
    conduct, over = directives.choose(estate.conduct, life.agent, redactor)
    left = [*estate.left_behind, *over]
    settings = dataclasses.replace(settings, entries=max(settings.entries - len(conduct), 0))
    orders = ToldOrders.of(conduct)
    facts, measure, behind = choose_entries(estate, settings, redactor, orders, tick=life.death_tick)
    left += behind
    episodes, behind = choose_episodes(estate, settings, redactor, orders, entries=len(facts))
    left += behind
    facts, episodes, behind = _without_outdated(facts, episodes, estate)
    left += behind
    asked = [_redacted_question(one, life.agent, redactor) for one in estate.questions[:QUESTION_LIMIT]]
    left += [LeftBehind("question", one.id, "question_over_cap") for one in estate.questions[QUESTION_LIMIT:]]
    reflection = checked_reflection(estate.reflection, redactor)
    parts = Parts(conduct, facts, episodes, asked, reflection, ends_of(link[:4] for link in estate.links))
    if settings.tokens:
        parts, behind = fit(parts, settings.tokens, worths=estate.worths)
        left += behind
    links, behind = choose_links(estate.links, [*parts.facts, *parts.episodes])
    lasting = {episode.id for episode in parts.episodes}
    return Choice(
        conduct=[
            one if one.heard_in in lasting else dataclasses.replace(one, heard_in="") for one in parts.conduct
        ],
        facts=[
            dataclasses.replace(fact, evidence=tuple(one for one in fact.evidence if one in lasting))
            for fact in parts.facts
        ],
        episodes=parts.episodes,
        links=links,
        questions=parts.questions,
        reflection=parts.reflection,
        cause=_shorten(redactor.text(life.cause), _CAUSE_BYTES),
        bundle=None
        if estate.known is None or settings.tokens
        else estate.known.bundle(life.agent, redactor.with_own_counts(), estate.ancestors),
        measure=measure,
        left_behind=[*left, *behind],
        redacted=redactor.counts,
    )


def choose_entries(
    estate: Estate, settings: Bequeath, redactor: Redactor, orders: ToldOrders, *, tick: int
) -> tuple[list[Fact], str, list[LeftBehind]]:
    """Chooses and redacts the entries; returns them, the measure of similarity, and the facts that stay behind."""
    facts, cap = estate.facts, min(settings.entries, ENTRY_LIMIT)
    reasons: dict[int, str] = {}
    for place, fact in enumerate(facts):
        if estate.worths.get(fact.id, 1.0) <= 0.0:
            reasons[place] = "routine"
        elif tells_holdings(fact.payload):
            reasons[place] = "private"
    shareable = [place for place in range(len(facts)) if place not in reasons]
    vectors = None if estate.vectors is None else np.ascontiguousarray(estate.vectors[shareable], np.float32)
    selection = _core.select_entries(
        [facts[place] for place in shareable],
        [estate.confidences[place] for place in shareable],
        None if vectors is None or np.isnan(vectors).any() else vectors,
        cap=cap,
        insight_threshold=settings.insight_threshold,
        heuristic_threshold=settings.heuristic_threshold,
        tick=tick,
    )
    reasons |= {shareable[place]: reason for place, reason in selection.left_out}
    places = [shareable[place] for place in selection.chosen]
    if len(places) < cap:
        places += _below_threshold(
            estate,
            [place for place in shareable if place in reasons],
            cap=cap,
            room=cap - len(places),
            tick=tick,
        )
        room = min(cap - len(places), int(TOMBSTONE_SHARE * settings.entries))
        places += _tombstones(facts, shareable, places)[:room]
    entries: list[Fact] = []
    size = 0
    for place in places:
        limits = orders.limits(facts[place].text)
        fact = _redacted_fact(facts[place], estate.confidences[place], redactor, limits)
        if is_blank(fact.text, statistic=fact.kind == "baseline") and (
            fact.kind == "baseline" or fact.status in tables.TOMBSTONES
        ):
            reasons[place] = "blank"
            continue
        size += tables.size_of(fact)
        if size > _ENTRY_BYTES:
            reasons[place] = "over_size"
        else:
            reasons.pop(place, None)
            entries.append(fact)
    behind = [LeftBehind("fact", facts[place].id, reason) for place, reason in sorted(reasons.items())]
    return entries, selection.measure, behind


def _below_threshold(estate: Estate, rest: Sequence[int], *, cap: int, room: int, tick: int) -> list[int]:
    """Chooses facts below the threshold for the room that the others leave; inherited ones have a quota.

    An inherited fact is born below the threshold, so without this quota it would cross one death only.
    """
    facts = estate.facts
    possible = [place for place in rest if facts[place].source != "dream"]
    groups = (
        ([place for place in possible if facts[place].generation], int(INHERITED_SHARE * cap)),
        ([place for place in possible if not facts[place].generation], cap),
    )
    found: list[int] = []
    for places, quota in groups:
        selection = _core.select_entries(
            [facts[place] for place in places],
            [estate.confidences[place] for place in places],
            cap=min(quota, room - len(found)),
            insight_threshold=0.0,
            heuristic_threshold=0.0,
            tick=tick,
        )
        found += [places[place] for place in selection.chosen]
    return found


def _tombstones(facts: Sequence[Fact], places: Sequence[int], chosen: Sequence[int]) -> list[int]:
    """Finds the beliefs that were refuted, or replaced by a chosen one, the latest first."""
    crossing = {facts[place].id for place in chosen}

    def is_one(fact: Fact) -> bool:
        # An inherited tombstone has no link to its successor.
        replaced = fact.status == "superseded" and (fact.superseded_by in crossing or fact.generation > 0)
        # New observations do not refute a statistic.
        return fact.kind not in ("context", "baseline") and (
            replaced or fact.status == "contradicted" or fact.is_contested
        )

    found = [place for place in places if is_one(facts[place])]
    return sorted(found, key=lambda place: (-facts[place].reinforced_tick, facts[place].id))


def choose_episodes(
    estate: Estate, settings: Bequeath, redactor: Redactor, orders: ToldOrders, *, entries: int
) -> tuple[list[Episode], list[LeftBehind]]:
    """Chooses episodes in the given order, best first, without copies, and redacts them.

    Inherited episodes have a quota of places, and no share of the bytes: a testament chose them within its own. One
    that others correct crosses after them, and not without them: alone it would tell the heir what is outdated.

    Args:
        estate: Content of the memory.
        settings: Caps.
        redactor: Redactor of the testament.
        orders: Orders that cross, whose figures stay in every text.
        entries: Number of chosen entries, which share the cap with the episodes.

    Returns:
        Episodes that cross, best first, and those that stay behind.
    """
    most = min(settings.episodes, max(min(settings.entries, EPISODE_LIMIT) - entries, EPISODES_AT_LEAST))
    own_left = _EPISODE_BYTES if estate.episode_bytes is None else estate.episode_bytes
    inherited_left = int(INHERITED_SHARE * settings.entries)
    given = estate.episodes
    newer = _newer(given, estate.links)
    best: dict[int, Episode] = {}
    left: list[LeftBehind] = []
    over: set[int] = set()
    seen: set[str] = set()
    size = 0
    for place in newer_first(range(len(given)), newer):
        episode = given[place]
        text = folded(episode.text)
        if text in seen:
            left.append(LeftBehind("episode", episode.id, "episode_copy"))
            continue
        is_inherited = episode.kind == INHERITED_KIND
        has_place = len(best) < most and (inherited_left > 0 or not is_inherited)
        if not has_place or not over.isdisjoint(newer[place]):
            over.add(place)
            continue
        found = redactor.with_own_counts()
        kept = _redacted_episode(episode, found, orders.limits(episode.text))
        needed = tables.size_of_episode(kept)
        if size + needed > _EPISODE_BYTES or (not is_inherited and needed > own_left):
            over.add(place)
            continue
        redactor.counts.update(found.counts)
        size += needed
        if is_inherited:
            inherited_left -= 1
        else:
            own_left -= needed
        seen.add(text)
        best[place] = kept
    left += [LeftBehind("episode", given[place].id, "episode_over_cap") for place in sorted(over)]
    return [best[place] for place in sorted(best)], left


def _without_outdated(
    facts: Sequence[Fact], episodes: Sequence[Episode], estate: Estate
) -> tuple[list[Fact], list[Episode], list[LeftBehind]]:
    """Takes out what would tell an older figure in clear beside a newer one that redaction took.

    Args:
        facts: Redacted facts that would cross.
        episodes: Redacted episodes that would cross.
        estate: Content of the memory.

    Returns:
        Facts and episodes that cross, and those that stay behind.
    """
    crossing: list[Fact | Episode] = [*facts, *episodes]
    blank = {one.id for one in crossing if is_blank(one.text)}
    newer = ends_of(link[:4] for link in estate.links)
    replaced = {one.id: one.superseded_by for one in estate.facts if one.superseded_by}

    def is_outdated(one: Fact | Episode) -> bool:
        after = {*newer.get(one.id, ()), replaced.get(one.id)}
        return one.id not in blank and not after.isdisjoint(blank) and any(map(str.isdigit, one.text))

    behind = [LeftBehind("fact", one.id, "blank") for one in facts if is_outdated(one)]
    behind += [LeftBehind("episode", one.id, "blank") for one in episodes if is_outdated(one)]
    return (
        [one for one in facts if not is_outdated(one)],
        [one for one in episodes if not is_outdated(one)],
        behind,
    )


def _newer(episodes: Sequence[Episode], links: Iterable[LinkTuple]) -> list[list[int]]:
    """Places of the episodes that correct each episode."""
    places = {one.id: place for place, one in enumerate(episodes)}
    ends = ends_of(link[:4] for link in links)
    return [[places[one] for one in ends.get(episode.id, ()) if one in places] for episode in episodes]


def folded(text: str) -> str:
    """A text without differences of case and of spaces: copies have the same."""
    return " ".join(text.split()).casefold()


def choose_links(
    links: Iterable[LinkTuple], chosen: Sequence[Fact | Episode]
) -> tuple[list[Link], list[LeftBehind]]:
    """Chooses the links between two chosen entries or episodes, strongest first."""
    crossing = {one.id for one in chosen}
    inside = {Link(*link) for link in links}
    inside = {link for link in inside if link.src in crossing and link.dst in crossing}
    ranked = sorted(inside, key=lambda link: (-link.weight, dataclasses.astuple(link)))
    over = [
        LeftBehind("link", f"{link.src} {link.relation} {link.dst}", "link_over_cap")
        for link in ranked[LINK_LIMIT:]
    ]
    return ranked[:LINK_LIMIT], over


def _redacted_question(question: Question, agent: str, redactor: Redactor) -> Question:
    entity = None if question.entity is None else _shorten(redactor.text(question.entity), _NAME_BYTES)
    return dataclasses.replace(
        question,
        question=_shorten(redactor.text(question.question), _QUESTION_BYTES),
        entity=entity,
        origin=question.origin or agent,
    )


def _shorten(text: str, limit: int) -> str:
    return text.encode()[:limit].decode(errors="ignore")


def _redacted_fact(fact: Fact, confidence: float, redactor: Redactor, limits: Limits) -> Fact:
    # A refuted belief crosses as one, also from the cold tier.
    status = "contradicted" if fact.status == "archived" else fact.status
    return dataclasses.replace(
        redactor.fact(fact, limits), confidence=confidence, supersedes=None, superseded_by=None, status=status
    )


def _redacted_episode(episode: Episode, redactor: Redactor, limits: Limits) -> Episode:
    return dataclasses.replace(
        redactor.episode(episode, limits), session=None, replay_count=0, content_hash=0
    )
