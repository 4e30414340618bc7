"""Facts from the clauses of texts, and their effects on earlier facts and episodes.

A clause that is worth keeping becomes a fact. Every clause is compared with older facts of the same owner, and with
facts and episodes that share its words or its meaning (`corrections`). A clause that ends an older fact, disputes it,
or corrects an older episode is stored with that effect in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from bardo._core import EpisodeLog, FactStore, findings
from bardo.consolidate import corrections, rule_extraction
from bardo.consolidate.attributes import attribute as properties
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages import Reader
from bardo.consolidate.rule_extraction import NAMELESS, slug, speaker
from bardo.consolidate.secrets import is_secret
from bardo.consolidate.worth import worth_keeping
from bardo.model import Episode, Fact, FactKind, Fingerprint, Persistence
from bardo.ports import Vectors

#: Confidence of a statement of a person about themselves.
STATED = 0.8
#: Maximum number of facts of one episode: a longer list in one message is pasted text.
PER_EPISODE = 12
#: Maximum number of facts of one owner that a clause is compared with, the latest first.
OF_OWNER = 64
#: Number of facts, and of episodes, that are looked up by the words and by the vector of a clause.
NEAR = 8
#: Maximum number of older records that one clause ends, and of those that it disputes.
ENDS_AT_MOST, DISPUTES_AT_MOST = 3, 2
#: Maximum number of texts whose clauses are cached.
CACHED = 4_096
#: Maximum characters of a fact that quotes its sentence.
QUOTED_CHARACTERS = 240
#: Kinds of episodes whose text is a record rather than prose.
RECORDS = frozenset({"tool", "commit", "log"})
#: Kinds of facts that statistics made: texts do not correct them.
STATISTICS = frozenset({"baseline", "pattern", "causal_link", "heuristic"})

#: Embeds texts; returns None while the model is not available.
Embed = Callable[[Sequence[str]], "tuple[Vectors, Fingerprint] | tuple[None, None]"]
#: Episodes that are near a text, best first.
NearEpisodes = Callable[[str, int], Sequence[Episode]]


@dataclass(slots=True)
class Drawn:
    """Facts of some texts with their effects.

    Args:
        facts: New facts.
        resolutions: Effects on older facts, as `FactStore.upsert_resolved` takes them.
        corrections: Ids of a newer episode and of an older one that it corrects.
    """

    facts: list[Fact] = field(default_factory=list)
    resolutions: list[tuple[int, str | None, str, bool, int | None, str]] = field(default_factory=list)
    corrections: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Older:
    """An older record that a clause may correct."""

    id: str
    is_fact: bool
    clauses: Sequence[Clause]
    evidence: tuple[str, ...] = ()


class StatementReader:
    """Draws facts from texts.

    Args:
        reader: Rules of the language.
        log: Episode log.
        facts: Fact store.
        embed: Embeds texts.
        near: Finds episodes near a text.
        agent: Name of the agent.
        rules_off: Rules that dispute a fact instead of ending it.
    """

    def __init__(
        self,
        reader: Reader,
        log: EpisodeLog,
        facts: FactStore,
        embed: Embed,
        near: NearEpisodes,
        *,
        agent: str,
        rules_off: Collection[str] = (),
    ) -> None:
        self._reader = reader
        self._log = log
        self._facts = facts
        self._embed = embed
        self._near = near
        self._agent = agent
        self._rules_off = frozenset(rules_off)
        self._read: dict[str, Sequence[Clause]] = {}

    def draw(self, episodes: Sequence[Episode], *, tick: int) -> Drawn:
        """The facts of episodes, oldest first, and their effects on what was known before each of them."""
        drawn = Drawn()
        for episode in episodes:
            self._draw_one(episode, drawn, tick=tick)
        return drawn

    def judge(self, facts: Sequence[Fact], *, tick: int) -> Drawn:
        """The effects of stored facts that came as sentences."""
        drawn = Drawn()
        for fact in facts:
            if fact.statement is not None:
                continue
            for clause in self._clauses_of_fact(fact):
                self._compare(clause, fact.evidence, drawn, newer=fact, place=0, tick=tick)
        return drawn

    def describe(self, fact: Fact, *, tick: int, now: int) -> None:
        """Stores the statement of a learned sentence about a person or thing, and how long it holds."""
        clauses = [clause for clause in self._clauses_of_fact(fact) if clause.stated]
        if len(clauses) != 1 or fact.persistence is not None:
            return
        (clause,) = clauses
        if is_about_person(clause) and clause.statement is not None:
            persistence = properties(clause.statement.attribute).persistence or "months"
            self._facts.describe(
                fact.id, tick=tick, now=now, statement=clause.statement, persistence=persistence
            )

    def _draw_one(self, episode: Episode, drawn: Drawn, *, tick: int) -> None:
        """Adds the facts of one episode, and their effects."""
        who = speaker(episode, self._agent)
        if not who and episode.role == "agent":
            # The agent repeats and supposes; the user's own words tell what holds of the user.
            return
        clauses = [clause for clause in self._clauses_of(episode) if clause.stated]
        worth = self._places_worth_keeping(clauses) if who or episode.role != "user" else set()
        # Statements of the plain forms are kept in any case.
        forms = {fact.text.casefold() for fact in rule_extraction.of_episode(episode, self._agent)}
        worth |= {
            place
            for place, clause in enumerate(clauses)
            if clause.text.casefold() in forms and not is_secret(clause.sentence)
        }
        count = 0
        seen: set[str] = set()
        for number, clause in enumerate(clauses):
            is_kept = number in worth and count < PER_EPISODE and clause.text.casefold() not in seen
            effects = Drawn()
            place = len(drawn.facts)
            self._compare(clause, (episode.id,), effects, newer=None, place=place, tick=tick, before=episode)
            if not is_kept and effects.resolutions and not is_secret(clause.sentence):
                # A correction is kept, although the clause by itself would not be.
                is_kept = bool(clause.text) or any(ends for _, _, _, ends, _, _ in effects.resolutions)
                if not is_kept:
                    effects.corrections += [
                        (episode.id, older) for _, _, older, _, _, _ in effects.resolutions
                    ]
            if is_kept:
                drawn.facts.append(_fact(clause, episode, who))
                seen.add(clause.text.casefold())
                count += 1
                drawn.resolutions += effects.resolutions
            drawn.corrections += effects.corrections

    def _places_worth_keeping(self, clauses: Sequence[Clause]) -> set[int]:
        """Places of the clauses that are worth keeping by themselves."""
        alone = [
            place for place, clause in enumerate(clauses) if clause.text and not is_secret(clause.sentence)
        ]
        worth = self._worth([clauses[place] for place in alone])
        return {place for place, is_worth in zip(alone, worth, strict=True) if is_worth}

    def _worth(self, clauses: Sequence[Clause]) -> list[bool]:
        """Whether each clause is worth keeping."""
        if not clauses:
            return []
        vectors, fingerprint = self._embed([clause.text for clause in clauses])
        return worth_keeping(clauses, vectors, fingerprint)

    def _clauses_of(self, episode: Episode) -> Sequence[Clause]:
        """The clauses of an episode, from the cache if possible."""
        if (known := self._read.get(episode.id)) is not None:
            return known
        is_record = episode.role == "tool" or episode.kind in RECORDS
        speech = Speech(
            episode.text, speaker(episode, self._agent), episode.at, "record" if is_record else "speech"
        )
        return self._keep(episode.id, self._reader.read(speech))

    def _clauses_of_fact(self, fact: Fact) -> Sequence[Clause]:
        """The clauses of the text of a fact, from the cache if possible."""
        if (known := self._read.get(fact.id)) is not None:
            return known
        return self._keep(fact.id, self._reader.read(Speech(fact.text, NAMELESS, fact.created_at, "note")))

    def _origin(self, fact: Fact) -> list[Clause]:
        """The clauses of episodes from which a fact was made."""
        found = self._log.get(list(fact.evidence[:2])) if fact.evidence else []
        return [
            clause
            for episode in found
            if episode is not None
            for clause in self._clauses_of(episode)
            if clause.text == fact.text
        ]

    def _keep(self, id_: str, clauses: Sequence[Clause]) -> Sequence[Clause]:
        """Caches the clauses of a text."""
        if len(self._read) >= CACHED:
            self._read.clear()
        self._read[id_] = clauses
        return clauses

    def _compare(
        self,
        clause: Clause,
        evidence: tuple[str, ...],
        drawn: Drawn,
        *,
        newer: Fact | None,
        place: int,
        tick: int,
        before: Episode | None = None,
    ) -> None:
        """Adds the effects of one clause.

        Args:
            clause: The newer clause.
            evidence: Ids of its episodes.
            drawn: Gets the effects.
            newer: Stored fact of the clause; None for a clause of an episode.
            place: Place of the clause's fact among the new ones.
            tick: Logical time.
            before: Episode of the clause, which older episodes precede; None for a clause of a fact.
        """
        if not clause.stated or not (clause.anchors or clause.figures or clause.names):
            return
        limits = corrections.limits()
        ended = disputed = 0
        seen: set[str] = set()
        for judgement, record in self._judged(clause, self._older(clause, evidence, newer, before, tick)):
            if record.id in seen:
                continue
            ends = judgement.total >= limits.ends and judgement.rule not in self._rules_off
            # Two learned sentences of which none announces a change are rivals at most.
            ends = ends and (newer is None or bool(judgement.rule))
            if not ends and judgement.total < limits.disputes:
                break
            if (ended if ends else disputed) >= (ENDS_AT_MOST if ends else DISPUTES_AT_MOST):
                continue
            seen.add(record.id)
            ended, disputed = ended + ends, disputed + (not ends)
            if not record.is_fact:
                drawn.corrections += [(source, record.id) for source in evidence if source != record.id]
            elif newer is None or record.id != newer.id:
                by = newer.id if newer else None
                rule = judgement.rule or "words"
                drawn.resolutions.append((place, by, record.id, ends, clause.since, rule))

    def _judged(self, clause: Clause, older: Sequence[_Older]) -> list[tuple[corrections.Judgement, _Older]]:
        """Judgements on a clause and each clause of older records, the surest first."""
        least = corrections.limits().disputes
        # Most pairs cannot reach a limit with any cosine, and need no vectors.
        likely = [
            (record, other)
            for record in older
            for other in record.clauses
            if other.stated and corrections.judge(other, clause, corrections.NEAREST).total >= least
        ]
        if not likely:
            return []
        cosines = self._cosines(clause.sentence, [other.sentence for _, other in likely])
        judged = [
            (corrections.judge(other, clause, cosine), record)
            for (record, other), cosine in zip(likely, cosines, strict=True)
        ]
        return sorted(judged, key=lambda found: -found[0].total)

    def _cosines(self, sentence: str, others: Sequence[str]) -> list[float]:
        """Cosines of a sentence with others; 0 without an embedder."""
        vectors, _ = self._embed([sentence, *others])
        if vectors is None:
            return [0.0] * len(others)
        table = np.asarray(vectors, dtype=np.float64)
        lengths = np.linalg.norm(table, axis=1)
        lengths[lengths == 0] = 1.0
        table /= lengths[:, None]
        return [float(value) for value in table[1:] @ table[0]]

    def _older(
        self, clause: Clause, evidence: tuple[str, ...], newer: Fact | None, before: Episode | None, tick: int
    ) -> list[_Older]:
        """The older records that share an owner, words or meaning with a clause."""
        facts: dict[str, Fact] = {}
        if clause.owner:
            for fact in self._facts.of_subject(clause.owner, tick=tick)[:OF_OWNER]:
                facts[fact.id] = fact
        found = [id_ for id_, _ in self._facts.search_text(clause.sentence, NEAR)]
        vectors, _ = self._embed([clause.sentence])
        if vectors is not None:
            found += [id_ for id_, _ in self._facts.nearest(vectors[0], NEAR)]
        for near in self._facts.get([id_ for id_ in dict.fromkeys(found) if id_ not in facts]):
            if near is not None:
                facts[near.id] = near
        records = [
            _Older(fact.id, True, (*self._clauses_of_fact(fact), *self._origin(fact)), fact.evidence)
            for fact in facts.values()
            if fact.status in ("active", "contradicted")
            and fact.payload.get("type", "none") not in STATISTICS
            and not set(evidence) & set(fact.evidence)
            and not (newer is not None and _are_apart(newer, fact))
            and (newer is None or (fact.id != newer.id and fact.created_at <= newer.created_at))
        ]
        covered = {id_ for record in records for id_ in record.evidence}
        if before is not None:
            records += [
                _Older(episode.id, False, self._clauses_of(episode), (episode.id,))
                for episode in self._near(clause.sentence, NEAR)
                if (episode.tick, episode.event_index, episode.id)
                < (before.tick, before.event_index, before.id)
                and (episode.id in covered or speaker(episode, self._agent) or episode.role == "tool")
            ]
        return records


def _are_apart(one: Fact, other: Fact) -> bool:
    """Whether two facts name subjects, and none in common."""
    return bool(one.subjects and other.subjects) and not set(one.subjects) & set(other.subjects)


def is_about_person(clause: Clause) -> bool:
    """Whether a clause is about the user, a named person, or a person or thing of the speaker."""
    found = clause.features
    return clause.owner == "user" or bool(
        found.get("self") or found.get("subject named") or found.get("subject of mine")
    )


def _fact(clause: Clause, episode: Episode, who: str) -> Fact:
    """The fact of a clause.

    Args:
        clause: The clause.
        episode: Its episode.
        who: Name of the speaker; empty for a record.
    """
    kind: FactKind = "context"
    persistence: Persistence | None = "months"
    if clause.statement is not None:
        known = properties(clause.statement.attribute)
        kind, persistence = known.kind, known.persistence or persistence
    elif clause.past:
        persistence = "years"
    text = clause.text or f"{who or 'Record'}: {clause.sentence}"[:QUOTED_CHARACTERS]
    subjects = [
        who.lower() if who == NAMELESS else who,
        *sorted(name.title() for name in clause.names if len(name) > 2),
    ]
    return Fact(
        text,
        kind=kind,
        category=f"people/{slug(who)}" if who else "records",
        subjects=tuple(dict.fromkeys(subject for subject in (*subjects, *episode.subjects) if subject)),
        support=1,
        evidence=(episode.id,),
        confidence=STATED,
        observed=(episode.tick, episode.tick),
        pad=episode.pad,
        metadata=cast(Any, findings(clause.sentence)),
        statement=clause.statement,
        persistence=persistence,
    )
