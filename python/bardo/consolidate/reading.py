"""From the clauses of texts to facts, and to their effects on what earlier texts said.

A clause that is worth keeping becomes a fact. Every clause is compared with older facts of the same owner, and with facts and
episodes that share its words or its meaning (`corrections`). One that ends an older fact, disputes it, or corrects an older
episode is stored with that effect in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from bardo._core import EpisodeLog, FactStore, findings
from bardo.consolidate import corrections
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
#: Facts of one episode at most: a longer list in one message is pasted text.
PER_EPISODE = 12
#: Facts of one owner that a clause is compared with, the latest first.
OF_OWNER = 64
#: Facts, and episodes, that are looked up by the words and by the vector of a clause.
NEAR = 8
#: Facts that one clause ends at most, and pairs that it disputes.
ENDS_AT_MOST, DISPUTES_AT_MOST = 3, 2
#: Kinds of facts that statistics made: texts do not correct them.
STATISTICS = frozenset({"baseline", "pattern", "causal_link", "heuristic"})

#: Gives texts their vectors, or nothing while the model cannot be asked.
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
        """Gives a learned sentence about a person or thing its statement, and how long it holds."""
        clauses = [clause for clause in self._clauses_of_fact(fact) if clause.stated]
        if len(clauses) != 1 or fact.persistence is not None:
            return
        (clause,) = clauses
        if clause.statement is not None:
            persistence = properties(clause.statement.attribute).persistence or "months"
            self._facts.describe(
                fact.id, tick=tick, now=now, statement=clause.statement, persistence=persistence
            )
        elif is_about_person(clause):
            self._facts.describe(fact.id, tick=tick, now=now, persistence="months")

    def _draw_one(self, episode: Episode, drawn: Drawn, *, tick: int) -> None:
        who = speaker(episode, self._agent)
        if not who and episode.role == "agent":
            # The agent repeats and supposes; what holds of its user is what the user says.
            return
        clauses = [clause for clause in self._clauses_of(episode) if clause.stated or clause.cues]
        alone = [
            clause for clause in clauses if clause.text and clause.stated and not is_secret(clause.sentence)
        ]
        kept = (
            dict(zip(map(id, alone), self._worth(alone), strict=True))
            if who or episode.role != "user"
            else {}
        )
        count = 0
        seen: set[str] = set()
        for clause in clauses:
            is_kept = (
                kept.get(id(clause), False) and count < PER_EPISODE and clause.text.casefold() not in seen
            )
            place = len(drawn.facts)
            effects = Drawn()
            self._compare(clause, (episode.id,), effects, newer=None, place=place, tick=tick, before=episode)
            if not is_kept and effects.resolutions and clause.stated and not is_secret(clause.sentence):
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

    def _worth(self, clauses: Sequence[Clause]) -> list[bool]:
        if not clauses:
            return []
        vectors, fingerprint = self._embed([clause.text for clause in clauses])
        return worth_keeping(clauses, vectors, fingerprint)

    def _clauses_of(self, episode: Episode) -> Sequence[Clause]:
        if (known := self._read.get(episode.id)) is not None:
            return known
        is_record = episode.role in ("tool", "environment", "system")
        speech = Speech(
            episode.text, speaker(episode, self._agent), episode.at, "record" if is_record else "speech"
        )
        return self._keep(episode.id, self._reader.read(speech))

    def _clauses_of_fact(self, fact: Fact) -> Sequence[Clause]:
        if (known := self._read.get(fact.id)) is not None:
            return known
        return self._keep(fact.id, self._reader.read(Speech(fact.text, NAMELESS, fact.created_at, "note")))

    def _origin(self, fact: Fact) -> list[Clause]:
        """The clauses of its episodes that a fact was made of."""
        found = self._log.get(list(fact.evidence[:2])) if fact.evidence else []
        return [
            clause
            for episode in found
            if episode is not None
            for clause in self._clauses_of(episode)
            if clause.text == fact.text
        ]

    def _keep(self, id_: str, clauses: Sequence[Clause]) -> Sequence[Clause]:
        if len(self._read) >= 4_096:
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
        """Adds the effects of one clause."""
        if not clause.stated or not (clause.anchors or clause.figures or clause.names):
            return
        older = self._older(clause, evidence, newer, before, tick)
        pairs = [(record, other) for record in older for other in record.clauses if other.stated]
        if not pairs:
            return
        limits = corrections.limits()
        # Most pairs cannot reach a limit with any cosine, and need no vectors.
        likely = [
            pair
            for pair in pairs
            if corrections.judge(pair[1], clause, corrections.NEAREST).total >= limits.disputes
        ]
        if not likely:
            return
        cosines = self._cosines(clause.sentence, [other.sentence for _, other in likely])
        judged = [
            (corrections.judge(other, clause, cosine), record, other)
            for (record, other), cosine in zip(likely, cosines, strict=True)
        ]
        judged.sort(key=lambda found: -found[0].total)
        ended = disputed = 0
        seen: set[str] = set()
        for judgement, record, _ in judged:
            if record.id in seen:
                continue
            ends = judgement.total >= limits.ends and judgement.rule not in self._rules_off
            if not ends and judgement.total < limits.disputes:
                break
            if (ended if ends else disputed) >= (ENDS_AT_MOST if ends else DISPUTES_AT_MOST):
                continue
            seen.add(record.id)
            ended, disputed = ended + ends, disputed + (not ends)
            if record.is_fact:
                if newer is None or record.id != newer.id:
                    drawn.resolutions.append(
                        (place, newer.id if newer else None, record.id, ends, clause.since, judgement.rule or "words")
                    )  # fmt: skip
            else:
                drawn.corrections += [(source, record.id) for source in evidence if source != record.id]

    def _cosines(self, sentence: str, others: Sequence[str]) -> list[float]:
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


def is_about_person(clause: Clause) -> bool:
    """Whether a clause is about a person by name, the user, or somebody or something of theirs."""
    found = clause.features
    return clause.owner == "user" or bool(
        found.get("self") or found.get("subject named") or found.get("subject of mine")
    )


def _fact(clause: Clause, episode: Episode, who: str) -> Fact:
    """The fact of a clause."""
    kind: FactKind = "context"
    persistence: Persistence | None = "months"
    if clause.statement is not None:
        known = properties(clause.statement.attribute)
        kind, persistence = known.kind, known.persistence or persistence
    elif clause.past:
        persistence = "years"
    text = clause.text or f"{who or 'Record'}: {clause.sentence}"[:240]
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
