"""Facts from texts: a step of the Curator that reads each episode once, in bounded pages, and survives any crash.

Turns of a conversation are read as they arrive: a user's statement about themselves has no outcome to wait for. Other
episodes are read once verified, and only without a payload: statistics read numbers and events. Watermarks of the
reader are written with the facts in one transaction, so that no episode counts twice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bardo._core import EpisodeLog, FactStore, unfit_facts
from bardo.consolidate.clause import form_of
from bardo.consolidate.concluded import apart_from_conclusions
from bardo.consolidate.corrections.candidates import Candidates, order
from bardo.consolidate.drawn import Correction, Resolution
from bardo.consolidate.extraction_report import ExtractionReport
from bardo.consolidate.inherited_disputes import dispute_parents
from bardo.consolidate.llm.questions import ASKED_AT_ONCE, first, of_one_question
from bardo.consolidate.speech import is_narrative, is_speech
from bardo.consolidate.stored_facts import pages
from bardo.consolidate.texts import rule_extraction
from bardo.consolidate.texts.disputes import disputes
from bardo.consolidate.texts.earlier_turns import meant_text, plain_facts
from bardo.consolidate.texts.secrets import is_secret
from bardo.errors import NotFoundError
from bardo.model import DISPUTED, INHERITED_KIND, Episode, Fact, FactStatus, Fingerprint
from bardo.ports import Progress, Vectors

if TYPE_CHECKING:
    from bardo.consolidate.contested import ContestedBeliefs
    from bardo.consolidate.llm.llm_extraction import Asker
    from bardo.consolidate.llm.reconcile import Reconciler, Reconciliation
    from bardo.consolidate.reading import StatementReader

#: Names of the reader's watermarks in the fact store: by arrival, and by verification.
ARRIVED, VERIFIED = "distilled_arrivals", "distilled_verifications"
#: Prefix of the marks of an agent near its death: per stream the highest number that was read ahead, per episode 1.
AHEAD = "ahead of "
#: Maximum number of pending episodes from which those to be read ahead are chosen.
PENDING = 65_536
#: Name of the watermark of learned sentences: birth of the last one that was compared with older facts.
JUDGED = "judged_facts"
#: Number of learned sentences that are parsed together.
TOGETHER = 64
#: Name of this step in the journal.
ACTOR = "texts"

#: Returns the worth of texts to an heir, 0 for one that has another copy.
Rank = Callable[[Sequence[Episode]], Sequence[float]]
#: Embeds texts; returns None while the model is not available.
Embed = Callable[[Sequence[str]], "tuple[Vectors, Fingerprint] | tuple[None, None]"]


@dataclass(frozen=True, slots=True)
class Page:
    """Episodes to read, with the reader's watermarks.

    Args:
        episodes: Episodes whose text is read.
        passed: Number of episodes that were looked at.
        marks: Watermarks after the page.
        reached: Watermarks after each of `episodes`.
    """

    episodes: tuple[Episode, ...]
    passed: int
    marks: dict[str, int] = field(default_factory=dict)
    reached: tuple[dict[str, int], ...] = ()


class Extractor:
    """Extracts facts from episodes that it has not read.

    Args:
        log: Episode log.
        facts: Fact store.
        embed: Embeds new facts, so that similar facts are found.
        agent: Name of the agent.
        batch: Maximum number of episodes looked at in one page.
        learning: Lock: while it is held, no other thread writes the vector of a fact, and the model stays the same.
        hold: Whether new facts are quarantined until the shadow check releases them.
        asker: Reads episodes with a language model as well; None if none is configured.
        reconciler: Asks the language model whether two different texts say the same; None if none is configured.
        statements: Reads clauses by a parse of the language; None if its packages are not installed.
        contested: Finds the contested beliefs that statements repeat; None: without them.
    """

    def __init__(
        self,
        log: EpisodeLog,
        facts: FactStore,
        embed: Embed,
        *,
        agent: str,
        batch: int,
        learning: Callable[[], AbstractContextManager[object]],
        hold: bool = False,
        asker: Asker | None = None,
        reconciler: Reconciler | None = None,
        statements: StatementReader | None = None,
        contested: ContestedBeliefs | None = None,
    ) -> None:
        self._contested = contested
        self._statements = statements
        self._log = log
        self._facts = facts
        self._embed = embed
        self._agent = agent
        self._batch = batch
        self._learning = learning
        self._birth: FactStatus = "held" if hold else "active"
        self._asker = asker
        self._reconciler = reconciler

    def run(
        self,
        *,
        tick: int,
        now: int,
        until_done: bool,
        progress: Progress,
        rank: Rank | None = None,
        is_over: Callable[[], bool] | None = None,
    ) -> ExtractionReport:
        """Reads one page, or all.

        A page for a language model is one question to it. An incomplete one waits for more messages, unless all is
        read or the last message is 5 minutes old.

        Args:
            tick: Logical time.
            now: Wall clock, microseconds UTC.
            until_done: Whether to continue until everything is read.
            progress: Called before and after each page.
            rank: Worth of pending texts, for an agent that may not live to read all: a page of the most worth comes
                first, and all pages are in this order if the purse or the time may end in between.
            is_over: Tells whether the time for reading is over, before each page; None for no limit.
        """
        done = ExtractionReport()
        passed = 0
        if self._asker:
            self._asker.begin()
        marks = self._marks()
        kept = dict(marks)
        if self._statements is not None:
            done = done.plus(self._judge_learned(self._statements, tick=tick, now=now))
            done = done.plus(dispute_parents(self._statements, self._facts, tick=tick, now=now, actor=ACTOR))
        is_over_now = is_over or (lambda: False)
        while rank is not None and not is_over_now() and (page := self._most_valuable(marks, rank)):
            progress("distil", 0, page.passed)
            done = done.plus(self._learn(page, page.marks, tick=tick, now=now))
            progress("distil", page.passed, page.passed + self._batch)
            if not until_done and (self._asker is None or done.read >= ASKED_AT_ONCE):
                return done
            if self._asker is None and is_over is None:
                break
        wait_at = now if rank is None and not until_done else None
        while not is_over_now() and (page := self._page(marks, wait_at=wait_at)):
            marks |= page.marks
            # A page without texts writes nothing: most episodes of some agents are no texts.
            if page.episodes:
                progress("distil", passed, passed + page.passed)
                done = done.plus(self._learn(page, marks, tick=tick, now=now))
                kept = dict(marks)
            passed += page.passed
            progress("distil", passed, passed + (0 if page.passed < self._batch else self._batch))
            is_full = done.read >= ASKED_AT_ONCE or passed >= self._batch
            if not until_done and (self._asker is None or is_full):
                break
        if marks != kept:
            self._facts.upsert([], tick=tick, now=now, actor=ACTOR, marks=marks)
        return replace(done, unread=len(self._pending(marks))) if is_over_now() else done

    def rehearse(self, *, tick: int) -> tuple[ExtractionReport, list[tuple[Fact | None, Fact]]]:
        """Dry run of the next page: the counts, and each fact before (None if it is new) and after."""
        page = self._page(self._marks())
        if page is None:
            return ExtractionReport(), []
        found, _ = self._fit(self._found(page)[0])
        known = self._facts.known(found, tick=tick)
        before = (
            dict(zip(known, self._facts.get([id_ for id_ in known if id_]), strict=False))
            if any(known)
            else {}
        )
        changes: list[tuple[Fact | None, Fact]] = []
        for fact, id_ in zip(found, known, strict=True):
            stored = before.get(id_) if id_ else None
            stamped = replace(fact, created_tick=tick, reinforced_tick=tick, status=self._birth)
            changes.append((stored, stored or stamped))
        new = sum(stored is None for stored, _ in changes)
        return ExtractionReport(len(page.episodes), new, len(changes) - new), changes

    def _marks(self) -> dict[str, int]:
        """The reader's watermarks."""
        return {name: self._facts.mark(name) for name in (ARRIVED, VERIFIED)}

    def _page(self, marks: Mapping[str, int], *, wait_at: int | None = None) -> Page | None:
        """Reads the next page; None if everything was read, or the rest waits.

        Args:
            marks: Watermarks.
            wait_at: Time at which an incomplete question to the model waits, microseconds UTC; None if none waits.
        """
        arrived = self._log.since(marks[ARRIVED], self._batch)
        verified = self._log.verified_since(marks[VERIFIED], self._batch)
        if self._asker:
            # A model takes seconds where the rules take microseconds.
            if wait_at is None:
                arrived, verified = first(arrived, is_speech), first(verified, is_narrative)
            else:
                reads = self._asker.reads
                arrived, verified = of_one_question(
                    (arrived, lambda one: self._is_spoken(one) and reads(one)),
                    (verified, lambda one: is_narrative(one) and reads(one)),
                    size=self._asker.size(), now=wait_at,
                )  # fmt: skip
        if not arrived and not verified:
            return None
        reached = {}
        if arrived:
            reached[ARRIVED] = arrived[-1][0]
        if verified:
            reached[VERIFIED] = verified[-1][0]
        pairs = self._readable(arrived, verified)
        return Page(
            episodes=tuple(episode for episode, _, _ in pairs),
            passed=len(arrived) + len(verified),
            marks=reached,
            reached=tuple({stream: number} for _, stream, number in pairs),
        )

    def _is_spoken(self, episode: Episode) -> bool:
        """Whether an episode is read when it arrives."""
        return is_speech(episode) or (self._statements is not None and form_of(episode) == "record")

    def _readable(
        self, arrived: Sequence[tuple[int, Episode]], verified: Sequence[tuple[int, Episode]]
    ) -> list[tuple[Episode, str, int]]:
        """Returns the episodes whose text is read and was not read ahead, each with its stream and number."""
        spoken = [(episode, ARRIVED, number) for number, episode in arrived if self._is_spoken(episode)]
        told = [(episode, VERIFIED, number) for number, episode in verified if is_narrative(episode)]
        ahead = {stream: self._facts.mark(AHEAD + stream) for stream in (ARRIVED, VERIFIED)}
        return [
            (episode, stream, number)
            for episode, stream, number in (*spoken, *told)
            if number > ahead[stream] or not self._facts.mark(f"{AHEAD}{stream} {number}")
        ]

    def _pending(self, marks: Mapping[str, int]) -> list[tuple[Episode, str, int]]:
        """Returns the episodes to read, at most `PENDING` of each stream."""
        return self._readable(
            self._log.since(marks[ARRIVED], PENDING), self._log.verified_since(marks[VERIFIED], PENDING)
        )

    def _most_valuable(self, marks: Mapping[str, int], rank: Rank) -> Page | None:
        """Chooses a page of most worth among all pending episodes.

        Inherited episodes wait, since their testament is a copy. None if the next page reaches all that is pending, or
        nothing of worth is.
        """
        pending = self._pending(marks)
        # One question to the model: the purse may pay for no further one.
        most = self._asker.size() if self._asker else self._batch
        if len(pending) <= most:
            return None
        own = [one for one in pending if one[0].kind != INHERITED_KIND]
        worths = rank([episode for episode, _, _ in own])
        if not any(worths):
            return None
        order = sorted(range(len(own)), key=lambda place: (-worths[place], own[place][2]))
        best = [own[place] for place in order[:most]]
        # In the order of the log: a correction follows what it corrects.
        best.sort(key=lambda one: (one[0].tick, one[1], one[2]))
        reached = tuple({f"{AHEAD}{stream} {number}": 1} for _, stream, number in best)
        highest = {
            AHEAD + stream: max((number for _, one, number in best if one == stream), default=0)
            for stream in (ARRIVED, VERIFIED)
        }
        read = {name: value for each in reached for name, value in each.items()}
        last = {name: max(value, self._facts.mark(name)) for name, value in highest.items()}
        return Page(tuple(one for one, _, _ in best), len(best), {**read, **last}, reached)

    def _found(self, page: Page) -> tuple[list[Fact], tuple[str, ...]]:
        """Extracts the statements of a page, and lists unreadable texts, which do not stop the others."""
        found: list[Fact] = []
        notes = []
        for episode in page.episodes:
            try:
                found += plain_facts(episode, self._log, self._agent)
            except Exception as error:
                notes.append(_unread(episode, error))
        return found, tuple(notes)

    def _judge_learned(self, statements: StatementReader, *, tick: int, now: int) -> ExtractionReport:
        """Applies the effects of facts that were learned as sentences since the last pass."""
        since = self._facts.mark(JUDGED)
        known = list(pages(self._facts))
        fresh = sorted(
            (
                fact
                for fact in known
                if fact.created_at > since and not fact.evidence and fact.source in ("self", "upload")
                and fact.payload.get("type", "none") == "none"
            ),
            key=order,
        )  # fmt: skip
        done = ExtractionReport()
        if not fresh:
            return done
        candidates = Candidates([*known, *pages(self._facts, "contradicted")])
        for place, fact in enumerate(fresh):
            if place % TOGETHER == 0:
                statements.prepare(fresh[place : place + TOGETHER])
            described = statements.describe(fact, tick=tick, now=now, actor=ACTOR)
            drawn = statements.effects_of_learned(fact, candidates.before(fact), tick=tick)
            done = done if described is None else done.plus(ExtractionReport.of(described))
            if not (drawn.facts or drawn.resolutions) and place + 1 < len(fresh):
                continue
            with self._learning():
                vectors, fingerprint = self._vectors(drawn.facts)
                _, counts = self._facts.upsert_resolved(
                    drawn.facts, tick=tick, now=now, actor=ACTOR, vectors=vectors, fingerprint=fingerprint,
                    marks={JUDGED: fact.created_at}, answered={}, resolutions=drawn.resolutions, corrections=[],
                )  # fmt: skip
            done = done.plus(ExtractionReport.of(counts))
        return done.plus(ExtractionReport(notes=statements.cut()))

    def _learn_statements(
        self, statements: StatementReader, page: Page, marks: Mapping[str, int], *, tick: int, now: int
    ) -> ExtractionReport:
        """Reads a page episode by episode, so that each is compared with those before it."""
        done = ExtractionReport(read=len(page.episodes))
        for episode, reached in zip(page.episodes, page.reached, strict=True):
            try:
                drawn = statements.draw([episode], tick=tick)
                drawn.with_facts(apart_from_conclusions(drawn.facts, [episode], self._facts, tick=tick))
                others = () if form_of(episode) == "record" else plain_facts(episode, self._log, self._agent)
            except Exception as error:
                done = done.plus(ExtractionReport(notes=(_unread(episode, error),)))
                continue
            said = [fact.text.casefold() for fact in drawn.facts]
            # The parse reads statements better than the plain forms do; preferences are orders, which it does not read.
            others = [
                fact
                for fact in others
                if (fact.kind == "preference" or not drawn.judged)
                and not is_secret(fact.text)
                and fact.text.casefold() not in drawn.judged
                and not any(
                    _covers(text, fact.text.casefold()) or fact.text.casefold().startswith(text)
                    for text in said
                )
            ]
            found, unfit = self._fit([*drawn.facts, *others])
            if unfit:
                # Effects name facts by their places, which the missing facts moved.
                drawn.resolutions = []
            if not found and not drawn.corrections:
                done = done.plus(ExtractionReport(notes=unfit))
                continue
            worded = self._in_known_words(found, tick)
            if worded != found:
                # A repetition of a contested belief ends nothing.
                drawn.corrections = [
                    each._replace(weight=min(each.weight, DISPUTED)) for each in drawn.corrections
                ]
                found = worded
            with self._learning():
                vectors, fingerprint = self._vectors(found)
                outcomes, counts = self._facts.upsert_resolved(
                    found, tick=tick, now=now, actor=ACTOR, vectors=vectors, fingerprint=fingerprint, marks=reached,
                    answered={}, resolutions=drawn.resolutions, corrections=drawn.corrections,
                )  # fmt: skip
            done = done.plus(ExtractionReport.of(counts, outcomes, notes=unfit))
        self._facts.upsert([], tick=tick, now=now, actor=ACTOR, marks=marks)
        return done

    def _learn(self, page: Page, marks: Mapping[str, int], *, tick: int, now: int) -> ExtractionReport:
        if self._statements is not None:
            done = self._learn_statements(self._statements, page, marks, tick=tick, now=now)
            if not self._asker:
                return done
            return done.plus(
                dataclasses.replace(self._learn_by_model(page, marks, tick=tick, now=now), read=0)
            )
        return self._learn_by_model(page, marks, tick=tick, now=now)

    def _learn_by_model(
        self, page: Page, marks: Mapping[str, int], *, tick: int, now: int
    ) -> ExtractionReport:
        found, notes = ([], ()) if self._statements is not None else self._found(page)
        judged: Reconciliation | None = None
        if self._asker:
            read = self._asker.read(page.episodes)
            found += [
                one for one in apart_from_conclusions(read, page.episodes, self._facts, tick=tick) if one
            ]
            notes += self._asker.notes
        found, unfit = self._fit(found)
        notes += unfit
        resolutions: list[Resolution] = []
        corrections: list[Correction] = []
        if self._reconciler:
            drawn = self._reconciler.drawn(page.episodes, tick) if self._statements else []
            found, judged = self._judged(self._reconciler, found, drawn, tick=tick)
            notes += judged.notes
            found, resolutions, corrections = judged.effects(found)
        born = [replace(fact, status=self._birth) for fact in self._in_known_words(found, tick)]
        with self._learning():
            vectors, fingerprint = self._vectors(born)
            outcomes, counts = self._facts.upsert_resolved(
                born, tick=tick, now=now, vectors=vectors, fingerprint=fingerprint, actor=ACTOR, marks=marks,
                answered=(judged.answers if judged else None) or {}, resolutions=resolutions,
                corrections=corrections,
            )  # fmt: skip
        # After the mark has moved: should the process end here, a repetition is lost and none counts twice.
        for known, repeated in judged.duplicates if judged else ():
            with suppress(NotFoundError):
                self._facts.reinforce([known.id], tick=tick, evidence=repeated.evidence)
        done = ExtractionReport.of(counts, outcomes, read=len(page.episodes), notes=notes)
        if self._statements is None and not self._asker:
            done = done.plus(self._dispute(page, tick=tick, now=now))
        return replace(done, renewed=done.renewed + (len(judged.duplicates) if judged else 0))

    def _dispute(self, page: Page, *, tick: int, now: int) -> ExtractionReport:
        """Disputes earlier facts that the turns of a page speak against: without a parse nothing ends."""
        done = ExtractionReport()
        turns = [(one, who) for one in page.episodes if (who := rule_extraction.speaker(one, self._agent))]
        for episode, who in turns:
            # A quarantined fact disputes no other, but its turn disputes another turn.
            known = [
                fact for status in ("active", "held") for fact in self._facts.list(subject=who, status=status)
            ]
            resolutions, corrections = disputes(episode, meant_text(episode, self._log), who, known)
            if resolutions or corrections:
                _, counts = self._facts.upsert_resolved(
                    [], tick=tick, now=now, actor=ACTOR, marks={}, answered={}, resolutions=resolutions,
                    corrections=corrections,
                )  # fmt: skip
                done = done.plus(ExtractionReport.of(counts))
        return done

    def _in_known_words(self, found: list[Fact], tick: int) -> list[Fact]:
        """The facts, each that repeats a contested belief in the words of the belief."""
        return found if self._contested is None else self._contested.in_their_words(found, tick=tick)

    def _fit(self, found: Sequence[Fact]) -> tuple[list[Fact], tuple[str, ...]]:
        """Returns the facts within the limits of the store, and a note on each of the others."""
        unfit = dict(unfit_facts(found))
        notes = tuple(
            f"what episode {', '.join(found[place].evidence)} states was not kept as a fact: {problem}"
            for place, problem in unfit.items()
        )
        return [fact for place, fact in enumerate(found) if place not in unfit], notes

    def _vectors(self, facts: Sequence[Fact]) -> tuple[Vectors, Fingerprint] | tuple[None, None]:
        return self._embed([fact.text for fact in facts]) if facts else (None, None)

    def _judged(
        self, reconciler: Reconciler, found: Sequence[Fact], drawn: Sequence[Fact], *, tick: int
    ) -> tuple[list[Fact], Reconciliation]:
        """Reconciles facts that the store does not know, and stored ones that the rules have just drawn.

        Returns:
            The facts to store, and the decisions.
        """
        vectors, fingerprint = self._vectors([*found, *drawn])
        of_found = None if vectors is None else vectors[: len(found)]
        known = self._facts.known(found, tick=tick, vectors=of_found, fingerprint=fingerprint)
        open_ = [place for place, id_ in enumerate(known) if id_ is None]
        asked = [*open_, *range(len(found), len(found) + len(drawn))]
        judged = reconciler.judge(
            [*(found[place] for place in open_), *drawn], None if vectors is None else vectors[asked]
        )
        return [
            *(fact for fact, id_ in zip(found, known, strict=True) if id_ is not None),
            *judged.new,
        ], judged


def _unread(episode: Episode, error: Exception) -> str:
    """Note on an episode whose text could not be read."""
    return f"the text of episode {episode.id} was not read for facts: {type(error).__name__}: {error}"


def _covers(text: str, other: str) -> bool:
    """Whether a sentence holds all words of another."""
    return set(other.split()) <= set(text.split())
