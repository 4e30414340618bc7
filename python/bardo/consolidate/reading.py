"""Facts from the clauses of texts, and their effects on earlier facts and episodes.

A clause that is worth keeping becomes a fact. Every clause is compared with older facts of the same owner, and with
facts and episodes that share its words or its meaning (`corrections`). A clause that ends an older fact, disputes it,
or corrects an older episode is stored with that effect in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from bardo._core import STATISTICS, ActCounts, EpisodeLog, FactStore
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, form_of
from bardo.consolidate.corrections import corrections
from bardo.consolidate.corrections.bare_doses import with_medicines
from bardo.consolidate.corrections.bare_values import completed
from bardo.consolidate.corrections.candidates import are_apart, is_judged_before, order, precedes
from bardo.consolidate.corrections.compatible import keeps_value
from bardo.consolidate.corrections.compatible_records import is_of_another_slot
from bardo.consolidate.corrections.cosines import cosines
from bardo.consolidate.corrections.effects import (
    Judged,
    Message,
    carries,
    corrected,
    effective,
    outlasts,
    remaining_text,
    text_about,
)
from bardo.consolidate.corrections.endings import restores_same
from bardo.consolidate.corrections.holders import ends_holding
from bardo.consolidate.corrections.kinship import acquainted
from bardo.consolidate.corrections.presumed import presumed
from bardo.consolidate.corrections.templates import may_be_about_one
from bardo.consolidate.drawn import Correction, Drawn, Older, Resolution
from bardo.consolidate.languages import Reader
from bardo.consolidate.pair_odds import PairOdds
from bardo.consolidate.read_clauses import ReadClauses
from bardo.consolidate.routine import is_routine
from bardo.consolidate.texts import worth
from bardo.consolidate.texts.earlier_turns import evidence_of, plain_facts
from bardo.consolidate.texts.noted_facts import (
    LEAST_OF_REMAINDERS,
    UNWORTHY,
    correction_note,
    fact_of,
    lesser_notes,
    without_asides,
)
from bardo.consolidate.texts.rule_extraction import speaker
from bardo.consolidate.texts.secrets import is_secret
from bardo.consolidate.texts.sentence import Note, Sentence, sentences
from bardo.model import DISPUTED, ENDED, CorrectionRule, Episode, Fact, Fingerprint
from bardo.ports import Vectors

if TYPE_CHECKING:
    from bardo.consolidate.cross_encoder import CrossEncoder, Question

#: Maximum number of facts of one episode: a longer list in one message is pasted text.
PER_EPISODE = 12
#: Maximum number of facts of one owner that a clause is compared with, the latest first.
OF_OWNER = 64
#: Number of facts, and of episodes, that are looked up by the words and by the vector of a clause.
NEAR = 8
#: Maximum number of pairs of clauses that the cross-encoder reads for a newer clause, the likeliest by the parses.
READ_AT_MOST = 4
#: The same of a learned sentence, which names its subject and has no context.
LEARNED_READ_AT_MOST = 2
#: Maximum length of a message in words that is read as a whole.
READ_WORDS = 80

#: Embeds texts; returns None while the model is not available.
Embed = Callable[[Sequence[str]], "tuple[Vectors, Fingerprint] | tuple[None, None]"]
#: Episodes that are near a text, best first.
NearEpisodes = Callable[[str, int], Sequence[Episode]]


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
        cross_encoder: Loads the cross-encoder of a question; without one, grammar and vectors alone decide.
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
        rules_off: Collection[CorrectionRule] = (),
        cross_encoder: Callable[[Question], CrossEncoder | None] = lambda _: None,
    ) -> None:
        self._reader = reader
        self._log = log
        self._facts = facts
        self._embed = embed
        self._near = near
        self._agent = agent
        self._rules_off = frozenset(rules_off)
        self._load_cross_encoder = cross_encoder
        self._said = ReadClauses(reader, log, agent)
        self._odds = PairOdds()
        self._cut = 0

    @cached_property
    def _cross_encoder(self) -> CrossEncoder | None:
        return self._load_cross_encoder("corrections")

    @cached_property
    def _worth_encoder(self) -> CrossEncoder | None:
        return self._load_cross_encoder("worth")

    def draw(self, episodes: Sequence[Episode], *, tick: int) -> Drawn:
        """The facts of episodes, oldest first, and their effects on what was known before each of them."""
        drawn = Drawn()
        for episode in episodes:
            self._draw_one(episode, drawn, tick=tick)
        return drawn

    def prepare(self, facts: Sequence[Fact]) -> None:
        """Prepares learned facts that are read next."""
        self._reader.prepare([fact.text for fact in facts])

    def effects_of_learned(self, fact: Fact, near: Sequence[str], *, tick: int) -> Drawn:
        """The effects of a stored fact that came as a sentence.

        Args:
            fact: The fact.
            near: Ids of the earlier facts that it is compared with.
            tick: Logical time.
        """
        drawn = Drawn()
        # A caller gave the statement of a fact, and an ancestor has read that of an inherited one from its words.
        is_sentence = fact.statement is None or fact.source == "testament"
        for clause in self._said.of_fact(fact) if is_sentence else ():
            # The words of a new holder are new, too, so that the rarest words find no earlier fact.
            beside = self._near_facts(clause, tick) if clause.role or clause.gone else ()
            ids = [*near, *(other.id for other in beside)]
            message = Message(fact.text, (clause,))
            self._compare(clause, message, fact.evidence, drawn, newer=fact, near=ids, place=0, tick=tick)
        return drawn.with_each_older_once()

    def cut(self) -> tuple[str, ...]:
        """Note on learned sentences that were like more earlier ones than the cross-encoder read, since the last."""
        number, self._cut = self._cut, 0
        told = f"learned sentences like more than {LEARNED_READ_AT_MOST} others: {number}, compared with the nearest"
        return (told,) if number else ()

    def describe(self, fact: Fact, *, tick: int, now: int, actor: str) -> ActCounts | None:
        """Stores the statement of a learned sentence about a person or thing, and how long it holds.

        Returns:
            What that did to other facts; None if the sentence has no such statement.
        """
        clauses = [clause for clause in self._said.of_fact(fact) if clause.stated]
        if len(clauses) != 1 or fact.statement is not None:
            return None
        (clause,) = clauses
        if not clause.is_about_person or clause.statement is None:
            return None
        persistence = BUILT_IN.attribute(clause.statement.attribute).persistence
        return self._facts.describe(
            fact.id, tick=tick, now=now, actor=actor, statement=clause.statement, persistence=persistence
        )

    def _draw_one(self, episode: Episode, drawn: Drawn, *, tick: int) -> None:
        """Adds the facts of one episode, and their effects."""
        who = speaker(episode, self._agent)
        is_record = form_of(episode) == "record"
        if not who and episode.role == "agent" and not is_record:
            # The agent repeats and supposes; the user's own words tell what holds of the user.
            return
        facts = drawn.facts
        said = completed(self._said.of_episode(episode), lambda each: [*self._near_facts(each, tick), *facts])
        said = with_medicines(said, who, lambda each: self._said.of_facts(self._near_facts(each, tick)))
        found = [sentence for sentence in sentences(self._said.keep(episode.id, said)) if sentence.stated]
        is_spoken = (who or episode.role in ("user", "agent")) and not is_record
        if not is_spoken and is_routine(episode, lambda text: self._near(text, NEAR)):
            # Only a value that replaces another is more than a reading of the moment.
            found = [sentence for sentence in found if sentence.slots]
        worths = (
            self._worths(found, episode.text) if who or episode.role != "user" else [UNWORTHY] * len(found)
        )
        forms = {fact.text.casefold() for fact in plain_facts(episode, self._log, self._agent)}
        seen: set[str] = set()
        compared: dict[str, Older] = {}
        for sentence, value in zip(found, worths, strict=True):
            first: int | None = None
            drawn.judged |= {clause.text.casefold() for clause in sentence.clauses}
            notes = (
                without_asides(list(sentence.notes(who, forms)), self._worths)
                if value >= 0
                else lesser_notes(sentence, value, forms, who=who, at=episode.at)
            )
            if who:
                notes = [
                    note for note in notes if note.tells_change or self._reader.stands_alone(note.text, who)
                ]
            noted = [clause for note in notes for clause in note.clauses]
            notes += [Note("", (clause,)) for clause in sentence.stated if clause not in noted]
            for note in notes:
                effects = self._effects(note, episode, drawn, tick=tick)
                compared |= effects.compared
                ends = any(resolution.ends for resolution in effects.resolutions)
                if not note.text and ends and first is not None:
                    # The statement of the sentence is kept already: a quote would be its second copy.
                    drawn.facts += effects.facts
                    drawn.resolutions += [each._replace(place=first) for each in effects.resolutions]
                    drawn.corrections += effects.corrections
                    continue
                kept = (
                    correction_note(note, sentence, who, self._kin_of(effects))
                    if ends and not note.text
                    else note
                )
                key = kept.text.casefold()
                if key and len(seen) < PER_EPISODE and key not in seen:
                    seen.add(key)
                    evidence = evidence_of(kept.text, kept.clauses, episode, self._log)
                    fact = fact_of(kept.text, kept.clauses, episode, who, evidence)
                    place = drawn.place_of(fact)
                    first = place if first is None else first
                    drawn.facts[place : place + 1] = [fact]
                    drawn.facts += effects.facts
                    drawn.resolutions += [each._replace(place=place) for each in effects.resolutions]
                elif not note.text and effects.resolutions and not is_secret(sentence.text):
                    drawn.corrections += [
                        Correction(episode.id, resolution.older, ENDED if resolution.ends else DISPUTED)
                        for resolution in effects.resolutions
                    ]
                drawn.corrections += effects.corrections
        drawn.corrections += self._presumed(episode, compared.values())

    def _presumed(self, episode: Episode, older: Iterable[Older]) -> list[Correction]:
        """The older records that an episode may replace."""
        message = self._message(episode)
        # A record names its component and environment, by which rules tell what it replaces.
        is_read = form_of(episode) != "record" and len(message.text.split()) <= READ_WORDS
        if self._cross_encoder is None or not is_read:
            return []
        found = presumed(message, older, partial(cosines, self._embed), self._odds_of)
        return [Correction(episode.id, id_, weight) for id_, weight in found.items()]

    def _message(self, episode: Episode) -> Message:
        """The text of an episode with its clauses that state something."""
        return Message(episode.text, [clause for clause in self._said.of_episode(episode) if clause.stated])

    def _kin_of(self, effects: Drawn) -> set[str]:
        """The people, by kinship, of whom the facts tell that some effects end."""
        ended = self._known([each.older for each in effects.resolutions if each.ends])
        people = {clause.alias or clause.owner for fact in ended for clause in self._said.of_fact(fact)}
        return {person for person in people if "'s " in person}

    def _effects(self, note: Note, episode: Episode, drawn: Drawn, *, tick: int) -> Drawn:
        """The effects of the clauses of a note, each older record once."""
        effects = Drawn()
        place = len(drawn.facts)
        message = self._message(episode)
        for clause in note.clauses:
            self._compare(
                clause, message, (episode.id,), effects, newer=None, place=place, tick=tick, before=episode
            )
        return effects.with_each_older_once()

    def _worths(self, found: Sequence[Sentence], text: str = "") -> list[float]:
        """Worth of each sentence of a text; a secret has none."""
        if not found:
            return []
        vectors, fingerprint = self._embed([sentence.text for sentence in found])
        values = worth.worth(found, vectors, fingerprint, self._worth_encoder, text)
        return [
            UNWORTHY
            if sentence.is_mood or is_secret(sentence.text)
            else max(value, 0.0)
            if sentence.is_change
            else value
            for value, sentence in zip(values, found, strict=True)
        ]

    def _compare(
        self,
        clause: Clause,
        message: Message,
        evidence: tuple[str, ...],
        drawn: Drawn,
        *,
        newer: Fact | None,
        place: int,
        tick: int,
        near: Sequence[str] = (),
        before: Episode | None = None,
    ) -> None:
        """Adds the effects of one clause.

        Args:
            clause: The newer clause.
            message: The text in which it stands.
            evidence: Ids of its episodes.
            drawn: Gets the effects.
            newer: Stored fact of the clause; None for a clause of an episode.
            place: Place of the clause's fact among the new ones.
            tick: Logical time.
            near: Ids of the facts with which a stored fact is compared.
            before: Episode of the clause, which older episodes precede; None for a clause of a fact.
        """
        if not clause.stated or not (clause.anchors or clause.figures or clause.names):
            return
        begins_later = before is not None and clause.since is not None and clause.since > before.at
        facts = self._near_facts(clause, tick) if newer is None else self._known(near)
        clause, older = acquainted(clause, self._older(clause, facts, evidence, newer, before))
        drawn.compared |= {record.id: record for record in older}
        judged = self._judged(clause, message, older, is_learned=newer is not None)
        limits = corrections.limits(is_read=self._cross_encoder is not None)
        taking_effect = effective(
            judged,
            limits,
            rules_off=self._rules_off,
            learned=newer.id if newer else None,
            is_carried=lambda other, is_sure: self._is_carried_by(clause, message, other, is_sure=is_sure),
        )
        for judgement, record, ends in taking_effect:
            if record.is_fact:
                by = newer.id if newer else None
                drawn.resolutions.append(Resolution(place, by, record.id, ends, clause.since, judgement.rule))
                if ends:
                    drawn.facts += self._remainder(record, corrected(record, judged, limits), clause)
            elif not begins_later:
                # Until the newer clause holds, the older turn does.
                drawn.corrections += [
                    Correction(source, record.id, ENDED if ends else DISPUTED)
                    for source in evidence
                    if source != record.id
                ]

    def _remainder(self, record: Older, corrected: Sequence[Clause], newer: Clause) -> list[Fact]:
        """Facts of what a record that ends says beside the corrected clauses: its family, and of a quote the clauses.

        Args:
            record: The older record.
            corrected: Its clauses that end or are disputed.
            newer: The clause that ends it.
        """
        (episode,) = self._log.get(list(record.evidence[:1])) or (None,)
        if episode is None:
            return []
        who = speaker(episode, self._agent)
        said = [clause for clause in record.clauses if clause.sentence in episode.text]
        # The family that a clause names holds on when the clause ends, apart from a person who is named in the end.
        kin = {each.text: each for clause in said for each in clause.kin if not each.names & newer.names}
        facts = [fact_of(text, (clause,), episode, who) for text, clause in kin.items()]
        if len({clause.sentence for clause in record.clauses}) > 1:
            return facts
        # "We dropped Vite" names nothing but the thing that is over.
        is_of_end = bool(newer.names) and newer.names <= newer.ended
        over = newer.names if is_of_end and not newer.left else frozenset[str]()
        left = [
            clause
            for clause in record.clauses
            if clause.stated
            and clause.text
            and (clause not in corrected or outlasts(clause, newer))
            and not any(name in clause.text.casefold() for name in over)
        ]
        worths = self._worths([Sentence(clause.text, (clause,)) for clause in left])
        return facts + [
            fact_of(remaining_text(clause, newer, who), (clause,), episode, who)
            for clause, value in zip(left, worths, strict=True)
            if value >= LEAST_OF_REMAINDERS
        ]

    def _is_carried_by(self, clause: Clause, message: Message, older: Clause, *, is_sure: bool) -> bool:
        """Whether a clause stands in a sentence of a message that ends an older clause (`effects.carries`)."""
        is_alone = len(message.sentences) < 2 or clause.sentence not in message.sentences
        if self._cross_encoder is None or clause.retracted or clause.is_completed or is_alone:
            return True
        able = message.sentences_beyond(older) or [clause.sentence]
        odds = self._odds_of([(older.sentence, sentence) for sentence in able])
        return carries(older, clause, message, dict(zip(able, odds, strict=True)), is_sure=is_sure)

    def _judged(
        self, clause: Clause, message: Message, older: Sequence[Older], *, is_learned: bool
    ) -> list[Judged]:
        """Judgements on a clause of a message and each clause of older records, the surest first."""
        limits = corrections.limits()
        least = min(limits.disputes, limits.turns) if self._cross_encoder is None else corrections.UNLIKELY
        # Most pairs have no word of change, or cannot reach a limit with any cosine, and need no vectors.
        likely = [
            (record, other)
            for record in older
            if not any(
                is_of_another_slot(other, clause) or restores_same(other, clause) for other in record.clauses
            )
            for other in record.clauses
            if other.stated
            and not any(keeps_value(other, said) for said in message.clauses)
            and (not is_learned or may_be_about_one(other, clause) or ends_holding(other, clause))
            and ((best := corrections.judge(other, clause, corrections.NEAREST)).rule or self._cross_encoder)
            and best.total >= least
        ]
        if not likely:
            return []
        most = LEARNED_READ_AT_MOST if is_learned else READ_AT_MOST
        others = cosines(self._embed, clause.sentence, [other.sentence for _, other in likely])
        judged = [
            (corrections.judge(other, clause, cosine), record, other, cosine)
            for (record, other), cosine in zip(likely, others, strict=True)
        ]
        judged.sort(key=lambda found: -found[0].total)
        if self._cross_encoder is None:
            return [found[:3] for found in judged]
        # A fact and its episode have one sentence, which is read once.
        read_sentences = list(dict.fromkeys(other.sentence for _, _, other, _ in judged))[:most]
        near = [found for found in judged if found[2].sentence in read_sentences]
        self._cut += is_learned and len(near) < len(judged)
        # A long message is cut to the sentence of the clause and the one before it.
        is_long = len(message.text.split()) > READ_WORDS
        text = f"{clause.context} {clause.sentence}".strip() if is_long else message.text
        odds = self._odds_of([(other.sentence, text) for _, _, other, _ in near])
        own = self._odds_of(
            [(other.sentence, text_about(other, clause, message) or text) for _, _, other, _ in near]
        )
        odds = [min(pair) for pair in zip(odds, own, strict=True)]
        read = [
            (corrections.judge(other, clause, cosine, log_odds), record, other)
            for (_, record, other, cosine), log_odds in zip(near, odds, strict=True)
        ]
        return sorted(read, key=lambda found: -found[0].total)

    def _odds_of(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Log odds by the cross-encoder of pairs of an older sentence and a newer text."""
        assert self._cross_encoder is not None
        return self._odds.of(self._cross_encoder, pairs)

    def _near_facts(self, clause: Clause, tick: int) -> list[Fact]:
        """The facts that share an owner, words or meaning with a clause."""
        facts: dict[str, Fact] = {}
        if clause.owner:
            for fact in self._facts.of_subject(clause.owner, tick=tick)[:OF_OWNER]:
                facts[fact.id] = fact
        found = [id_ for id_, _ in self._facts.search_text(clause.sentence, NEAR)]
        vectors, _ = self._embed([clause.sentence])
        if vectors is not None:
            found += [id_ for id_, _ in self._facts.nearest(vectors[0], NEAR)]
        facts |= {fact.id: fact for fact in self._known([id_ for id_ in found if id_ not in facts])}
        return list(facts.values())

    def _known(self, ids: Sequence[str]) -> list[Fact]:
        """The stored facts of some ids."""
        return [fact for fact in self._facts.get(list(dict.fromkeys(ids))) if fact is not None]

    def _older(
        self,
        clause: Clause,
        facts: Sequence[Fact],
        evidence: tuple[str, ...],
        newer: Fact | None,
        before: Episode | None,
    ) -> list[Older]:
        """The older ones of some facts, and of the episodes near a clause."""
        records = [
            Older(
                fact.id,
                True,
                self._said.of_fact(fact),
                fact.evidence,
                fact.statement is not None and not fact.evidence,
            )
            for fact in facts
            if fact.status in ("active", "contradicted")
            and not is_judged_before(fact, before)
            and fact.payload.get("type", "none") not in STATISTICS
            and not set(evidence) & set(fact.evidence)
            and not (newer is not None and are_apart(newer, fact))
            and (newer is None or order(fact) < order(newer))
        ]
        covered = {id_ for record in records for id_ in record.evidence}
        if before is not None:
            records += [
                Older(episode.id, False, self._said.of_episode(episode), (episode.id,))
                for episode in self._near(clause.sentence, NEAR)
                if precedes(episode, before)
                and (episode.id in covered or speaker(episode, self._agent) or episode.role == "tool")
            ]
        return records
