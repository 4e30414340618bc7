"""Ends a life: collects its memory, composes the reflection, signs the testament and closes the memory for writing."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bardo import _core
from bardo._atomic import damaged, make_folder, unavailable, write_atomically
from bardo._validation import holds_surrogate
from bardo.bequeath import death_journal
from bardo.bequeath.content import left_behind, reflect, tallies, worth
from bardo.bequeath.content.confidences import REASON, confidences_of
from bardo.bequeath.content.contents import StoreContents, read_contents
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.known import KnownTexts
from bardo.bequeath.content.left_behind import LeftBehind
from bardo.bequeath.content.losses import Losses
from bardo.bequeath.content.regimes import Regimes
from bardo.bequeath.content.rule_subjects import with_subjects
from bardo.bequeath.content.statement_dates import with_dates, with_ends
from bardo.bequeath.death_journal import DeathRecord
from bardo.bequeath.heir import ends, innate
from bardo.bequeath.heir.copies import inherited_bundles
from bardo.bequeath.heir.inherit import provenance
from bardo.bequeath.lineage import Lineage, Tombstone, lineage_of, mark_dead
from bardo.bequeath.privacy.names import Names
from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.privacy.results import Results
from bardo.bequeath.privacy.rule_bounds import Spreads
from bardo.bequeath.selection import order_of_time
from bardo.bequeath.selection.selection import Estate, choose
from bardo.bequeath.testament import testament, trust
from bardo.bequeath.testament.signing import signer_of, signing_key
from bardo.bequeath.testament.testament import Testament
from bardo.capture.recorder import PAGE
from bardo.capture.secret_outputs import outputs_of
from bardo.config import Bequeath
from bardo.consolidate.pages import incidents
from bardo.errors import (
    InvalidInputError,
    NotFoundError,
    StoreReadOnlyError,
    StoreUnavailableError,
    TestamentError,
)
from bardo.folder import DEATH_FILE
from bardo.model import Episode

if TYPE_CHECKING:
    from bardo.consolidate.cross_encoder import CrossEncoder
    from bardo.consolidate.languages import Reader

#: Path of the signed testament inside the grimoire until the death is complete.
DRAFT = Path("testaments", "death.testament")
#: Candidates per episode of the testament; copies of one text are taken once, and must not leave places empty.
COPIES = 2
#: Maximum share of the bytes of the log in the own episodes of a testament, and their bytes in any case.
LOG_SHARE, LEAST_BYTES = 0.25, 16 << 10
#: Kinds of episodes for the reflection; the latest are used.
TOLD_KINDS = ("outcome", "regime_shift")
TOLD_LIMIT = 4_096


def leave(
    path: Path,
    *,
    folder: Path,
    log: _core.EpisodeLog,
    facts: _core.FactStore,
    config: Bequeath,
    tick: int,
    now: int,
    record: DeathRecord,
    loops: bool = False,
    reflection: str | None = None,
    conduct: Sequence[Directive] = (),
    unsettled: Sequence[str] = (),
    settled: Sequence[tuple[str, str]] = (),
    rules: Reader | None = None,
    encoder: CrossEncoder | None = None,
    moment: Callable[[int], int | None] = lambda _: None,
    outcomes: Collection[str] = (),
) -> Testament:
    """Writes the testament and the tombstone of a life that ends now.

    The signed testament is stored in the folder, then the journal enters the last phase. From then on `finish`
    completes the death with the same bytes, also after a crash.

    Args:
        path: Path of the testament file.
        folder: Folder of the grimoire.
        log: Episode log.
        facts: Fact store.
        config: Caps and thresholds.
        tick: Tick of death.
        now: Wall clock, microseconds UTC.
        record: Journal of the death so far.
        loops: Whether ticks were loops of the agent rather than seconds.
        reflection: Reflection in the testator's own words; composed from the evidence if not given.
        conduct: Decisions, rejections, tasks and rules, in force or ended.
        unsettled: Tasks that the death left open.
        settled: Tasks that were settled during the death, each with how.
        rules: Reader of texts that finds corrections among the episodes; none are found without one.
        encoder: Cross-encoder of corrections; None without one.
        moment: Returns the instant of a tick for the dates of the reflection, None if no record tells it.
        outcomes: Paths, or last parts of paths, of numbers in a payload that measure an outcome.

    Raises:
        InvalidInputError: The reflection is too long.
        StoreUnavailableError: The file or the folder cannot be written; nothing was published.
    """
    confided = confidences_of(_all(log))
    outputs = outputs_of(_all(log))
    contents, kept_facts = confided.without(read_contents(facts, tick=tick))
    conduct, kept_orders = confided.without_directives(conduct)
    unsettled = [text for text in unsettled if not confided.tells(text)]
    settled = [(text, how) for text, how in settled if not confided.tells(text)]
    known = KnownTexts()
    losses = Losses(outcomes)
    remains = _episodes(
        log, config.episodes * COPIES, contents, known, losses, confided=confided.ids, printed=outputs
    )
    told = incidents.in_words(contents.facts, {one.id: one for one in remains.episodes})
    told = tallies.counted(told, facts.tallies([fact.id for fact in told]), folder)
    contents = dataclasses.replace(contents, facts=with_subjects(told, log))
    known.add(*(fact.text for fact in contents.facts), *(order.text for order in conduct))
    known.add(*(question.question for question in contents.questions))
    lineage = lineage_of(folder, log, facts, tick=tick)
    lineage = _lineage_replacing(path, lineage.died(tick=tick, cause=record.cause), folder)
    counts = {name: log.stats()[name] for name in ("episodes", "verified")}
    counts["episodes"] -= remains.inherited if lineage.life.parents else 0
    redactor = Redactor(
        personal=config.personal,
        names=Names.of(known.texts()),
        results=Results.of(known.texts()),
        outputs=outputs,
        spreads=Spreads.of(contents.facts),
    )
    evidence = reflect.Evidence(
        lineage.life, contents.facts, contents.confidences, redactor.with_own_counts(), remains.told,
        contents.links, counts=counts, unsettled=unsettled, settled=settled,
        # The reflection tells contradictions by themselves.
        questions=[one.question for one in contents.questions if one.kind != "contradiction"], moment=moment,
        regimes=remains.regimes, losses=losses.severe(), measured=losses.count(),
    )  # fmt: skip
    # Ticks that are loops tell no day.
    is_dated = not loops and testament.is_second(tick, now)
    dated = with_ends(contents.facts, facts, log, moment, ends.of(folder))
    dated = with_dates(dated, log, moment, tick=tick) if is_dated else dated
    estate = Estate(
        facts=innate.counted(dated, folder, provenance(folder)),
        confidences=contents.confidences,
        reflection=reflect.compose(evidence) if reflection is None else reflection,
        vectors=contents.vectors,
        episodes=remains.episodes,
        episode_bytes=remains.limit,
        worths=remains.worths,
        links=(
            *contents.links,
            *order_of_time.links_of(
                log, facts, contents, remains.episodes, rules=rules, encoder=encoder, tick=tick
            ),
        ),
        questions=contents.questions,
        conduct=conduct,
        known=known,
        ancestors=inherited_bundles(folder, lineage),
        left_behind=[*kept_facts, *kept_orders, *remains.left_behind],
    )
    choice = choose(estate, lineage.life, config, redactor)
    draft = folder / DRAFT
    make_folder(draft.parent)
    left_behind.save(folder, choice.left_behind)
    written = testament.write(
        draft, choice, lineage=lineage, signing_key=signing_key(folder), now=now, loops=loops
    )
    trust.add_own_key(written.signer, log.agent)
    stone = Tombstone(log.agent, tick, now, record.cause, written.hash, path.name)
    signed = dataclasses.replace(record, phase="legacy", path=str(path.absolute()), tombstone=stone)
    death_journal.save(folder, signed)
    try:
        return finish(folder, path)
    except StoreUnavailableError:
        # Nothing was published, so nothing has to be finished.
        if _bytes_at(path) != draft.read_bytes():
            death_journal.save(folder, record)
            _drop_drafts(folder)
        raise


def finish(folder: Path, path: Path | None = None) -> Testament:
    """Completes a death recorded in the journal: publishes the signed testament, then writes the tombstone.

    Args:
        folder: Folder of the grimoire, with its `death.json`.
        path: Path of the testament file; the one in the journal if not given.

    Raises:
        InvalidInputError: Another file exists at that path.
        NotFoundError: The signed testament was deleted, since it held forgotten content; the agent lives on, and its
            next testament replaces that one.
        StoreDamagedError: The journal or the signed testament is damaged.
        StoreUnavailableError: The testament cannot be written there; the journal stays.
    """
    record = death_journal.load(folder)
    if record is None or record.tombstone is None:
        raise damaged(folder / DEATH_FILE, ValueError("it names no signed testament"))
    asked, stone = Path(record.path), record.tombstone
    draft = folder / DRAFT
    content = _bytes_at(draft)
    if content is None:
        _cancel_death(folder, stone)
        raise NotFoundError(
            f"the testament that {stone.agent} had signed was deleted with what it held. The agent lives; call bequeath"
        )
    place = path or asked
    if (there := _bytes_at(place)) != content:
        if there is not None or os.path.lexists(place):
            check_place(place, folder)
        write_atomically(place, content)
    written = testament.read(place)
    written.lineage.save(folder)
    mark_dead(folder, dataclasses.replace(stone, file=place.name))
    drop(folder)
    return written


def check_place(path: Path, folder: Path) -> None:
    """Checks that a testament may be written to a path.

    An existing file is never replaced, since it may be the only copy. The exception is a testament that this grimoire
    signed itself: its next testament names it as replaced.

    Args:
        path: Path of the testament file to write.
        folder: Folder of the grimoire.

    Raises:
        InvalidInputError: Another file exists at that path, or the path is no UTF-8.
        StoreUnavailableError: Its folder does not exist, or cannot be written to.
    """
    if holds_surrogate(str(path)):
        raise InvalidInputError(
            f"the path {str(path)!r} is no UTF-8, as which the death is recorded. Choose another path"
        )
    if os.path.lexists(path) and _own_testament(path, folder) is None:
        raise InvalidInputError(
            f"{path} exists already, and a testament is written over nothing. Choose another path"
        )
    parent = path.absolute().parent
    if not parent.is_dir():
        what = "is no folder" if parent.exists() else "does not exist"
        raise StoreUnavailableError(
            f"the testament cannot be written to {path}: {parent} {what}. Make it first"
        )
    if not os.access(parent, os.W_OK | os.X_OK):
        raise StoreReadOnlyError(f"the testament cannot be written to {path}. Make {parent} writable")


def _own_testament(path: Path, folder: Path) -> Testament | None:
    """Reads the testament at a path; returns None unless this grimoire signed it."""
    own = signer_of(signing_key(folder))
    try:
        return testament.read(path, trusted_keys=[own])
    except (TestamentError, StoreUnavailableError):
        return None


def _lineage_replacing(path: Path, lineage: Lineage, folder: Path) -> Lineage:
    """Returns the lineage of a dying agent, with its own testament at the path listed as replaced."""
    before = _own_testament(path, folder) if os.path.lexists(path) else None
    life = lineage.life
    if before is None or before.hash in life.replaces:
        return lineage
    life = dataclasses.replace(life, replaces=(*life.replaces, *before.replaces, before.hash))
    return dataclasses.replace(lineage, life=life)


def _cancel_death(folder: Path, stone: Tombstone) -> None:
    """Cancels a death whose testament was deleted; the next one replaces it, since it may already be published."""
    lineage = Lineage.load(folder) or Lineage.founder(stone.agent)
    if lineage.life.testament != stone.testament:
        life = dataclasses.replace(lineage.life, replaces=(*lineage.life.replaces, stone.testament))
        dataclasses.replace(lineage, life=life).save(folder)
    drop(folder)


def drop(folder: Path) -> None:
    """Deletes the signed testament of a completed death and files left by a crash, then the journal."""
    _drop_drafts(folder)
    death_journal.delete(folder)


def _drop_drafts(folder: Path) -> None:
    for path in (folder / DRAFT).parent.glob(f"*{DRAFT.name}*"):
        path.unlink(missing_ok=True)


def _bytes_at(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unavailable("read", path, error) from error


@dataclasses.dataclass(frozen=True, slots=True)
class _Remains:
    """Content of a log for a testament.

    Args:
        episodes: Episodes of worth, best first.
        worths: Worth of these and of all facts, by id.
        told: Latest outcomes and regime shifts.
        limit: Maximum size of the agent's own episodes in the testament, in bytes.
        inherited: Number of episodes that came with testaments.
        left_behind: Episodes that stay behind: those of no worth, and those beyond the maximum number.
        regimes: Regimes that the payloads name.
    """

    episodes: list[Episode]
    worths: dict[str, float]
    told: list[Episode]
    limit: int
    inherited: int
    left_behind: list[LeftBehind]
    regimes: Regimes


def _episodes(
    log: _core.EpisodeLog,
    best: int,
    contents: StoreContents,
    known: KnownTexts,
    losses: Losses,
    *,
    confided: Collection[str],
    printed: Collection[str],
) -> _Remains:
    """Reads the episodes of most worth to an heir, and the latest outcomes and regime shifts, in bounded number.

    Args:
        log: Episode log.
        best: Maximum number of episodes of worth.
        contents: Facts; the episodes of those that no longer hold stay behind.
        known: Texts of the life, to which those of the log are added.
        losses: Outcomes of the life, to which those of the log are added.
        confided: Ids of the episodes that were told in confidence.
        printed: Ids of the episodes with secret outputs, whose texts are no texts of the life.
    """
    survey = _core.Survey(log, kinds=TOLD_KINDS, latest=TOLD_LIMIT)
    novelties = survey.novelty([fact.text for fact in contents.facts])
    judged, reasons = worth.most_worthy(
        log,
        survey,
        best,
        outdated=_outdated(contents, novelties),
        failures=incidents.failures(contents.facts),
    )
    judged = [(one, value) for one, value in judged if one.id not in confided]
    worths = {one.id: value for one, value in judged}
    for fact, novelty in zip(contents.facts, novelties, strict=True):
        worths[fact.id] = worth.worth_of_fact(fact, novelty, worths)
    told = [one for one in log.get(survey.latest) if one is not None and one.id not in confided]
    chosen = {one.id for one, _ in judged}
    behind, regimes = [], Regimes()
    for episode in _all(log):
        if episode.id in confided:
            behind.append(LeftBehind("episode", episode.id, REASON))
            continue
        if episode.id not in printed:
            known.add(episode.text)
        regimes.add(episode)
        losses.add(episode)
        if episode.id not in chosen:
            behind.append(LeftBehind("episode", episode.id, reasons.get(episode.id, "episode_routine")))
    return _Remains(
        [one for one, _ in judged],
        worths,
        told,
        max(int(LOG_SHARE * survey.bytes), LEAST_BYTES),
        survey.inherited,
        behind,
        regimes,
    )


def _all(log: _core.EpisodeLog) -> Iterator[Episode]:
    """Reads the whole log, page by page."""
    number = 0
    while page := log.since(number, PAGE):
        number = page[-1][0]
        yield from (episode for _, episode in page)


def _outdated(contents: StoreContents, novelties: Sequence[float]) -> frozenset[str]:
    """Ids of the episodes that support only facts which facts of worth replaced.

    A line of routine ends no statement of worth: it stays behind itself, and the heir would be told neither. What
    ended with its own date was replaced by nothing: its episode tells what was.
    """
    routine = {
        fact.id
        for fact, novelty in zip(contents.facts, novelties, strict=True)
        if not worth.worth_of_fact(fact, novelty, {})
    }
    groups: dict[bool, set[str]] = {True: set(), False: set()}
    for fact in contents.facts:
        is_replaced = fact.superseded_by is not None and fact.superseded_by not in routine
        groups[fact.status == "superseded" and is_replaced].update(fact.evidence)
    return frozenset(groups[True] - groups[False])
