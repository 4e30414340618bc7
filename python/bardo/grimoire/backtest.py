"""Backtest: replays old transcripts to seed a new agent, and reports what it learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from bardo._printed import printed
from bardo.capture.recorder import arrivals
from bardo.conduct.procedures.repeated import FEWEST, REPEATED, repeated_flows
from bardo.conduct.storage.store import ConductStore
from bardo.errors import InvalidInputError
from bardo.grimoire.passes import CuratorPasses
from bardo.grimoire.scribe import Scribe, SourceReport
from bardo.grimoire.session import Session
from bardo.grimoire.stores import all_facts
from bardo.ports import Progress, no_progress

#: Maximum number of learned facts that a report shows.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class BacktestReport:
    """Report of a backtest.

    Args:
        sources: Report of each file that was read.
        episodes: Number of episodes.
        facts: Number of facts that were learned.
        learned: Texts of the surest facts, at most 20.
        entries: Number of entries of state, by kind.
        rules: Number of rules.
        flows: Names of the flows: sequences of tool calls that succeeded in several jobs.
        notes: Notes on the files and on the consolidation.
    """

    sources: tuple[SourceReport, ...]
    episodes: int
    facts: int
    learned: tuple[str, ...]
    entries: dict[str, int]
    rules: int
    flows: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    __str__ = printed


def backtest(
    session: Session,
    scribe: Scribe,
    passes: CuratorPasses,
    sources: str | Path | Iterable[str | Path],
    *,
    progress: Progress = no_progress,
) -> BacktestReport:
    """Implements `Grimoire.backtest`.

    Args:
        session: Open memory, without episodes.
        scribe: Reader of the sources.
        passes: Consolidation of their episodes.
        sources: Files or folders, in the order of their replay.
        progress: Callback for progress.
    """
    session.ready(write=True)
    paths = [sources] if isinstance(sources, (str, Path)) else list(sources)
    if not paths:
        raise InvalidInputError("there is nothing to replay. Pass files or folders")
    if len(session.log):
        raise InvalidInputError(
            f"{session.agent} has {len(session.log)} episodes already, and a backtest seeds a new agent. Name a new "
            "folder, or read more transcripts with scribe"
        )
    read: list[SourceReport] = []
    for done, path in enumerate(paths):
        progress("reading", done, len(paths))
        read += scribe.read(path, {"verified": True}, file_format=None, name=None, whole=True).sources
    progress("reading", len(paths), len(paths))
    slept = passes.sleep(dry_run=False, progress=progress)
    flows = tuple(_seed_flows(session))
    return _report(session, read, flows, slept.notes)


def _seed_flows(session: Session) -> Iterator[str]:
    """Stores the flows that the transcripts repeat, and yields their names."""
    store = ConductStore(session.path, facts=session.facts)
    try:
        for flow in repeated_flows(chain.from_iterable(arrivals(session.log))):
            yield store.put(flow).name
    finally:
        store.close()


def _report(
    session: Session, read: list[SourceReport], flows: tuple[str, ...], notes: Iterable[str]
) -> BacktestReport:
    facts = sorted(all_facts(session.facts), key=lambda fact: -fact.confidence)
    store = ConductStore(session.path, facts=session.facts)
    try:
        entries = Counter(str(entry.kind) for entry in store.state())
        rules = sum(rule.in_force(session.clock.now()) for rule in store.rules(every=False))
    finally:
        store.close()
    told = [f"{each.name}: {note}" for each in read for note in each.notes]
    if not entries and not rules:
        told.append(
            "no rejections, decisions or rules were heard in the transcripts: facts alone were learned"
        )
    if not flows:
        told.append(
            f"no flows: no {FEWEST} tool calls in a row, at least one of which changes something, succeeded in "
            f"{REPEATED} jobs or more"
        )
    return BacktestReport(
        tuple(read), len(session.log), len(facts), tuple(fact.text for fact in facts[:SHOWN]),
        dict(entries), rules, flows, (*told, *notes),
    )  # fmt: skip
