"""Death of an agent: the last pass, the signed testament, and recovery of a death that a crash interrupted."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bardo.bequeath import legacy
from bardo.conduct.inheritance import directives_of
from bardo.conduct.store import ConductStore
from bardo.errors import BardoWarning, InvalidInputError, NotFoundError, StoreError, StoreUnavailableError
from bardo.grimoire.passes import CuratorPasses
from bardo.grimoire.session import Session
from bardo.life.clocks import EARLY_CONFIDENCE
from bardo.ports import no_progress

if TYPE_CHECKING:
    from bardo.bequeath.directives import Directive
    from bardo.bequeath.testament import Testament
    from bardo.config import Bequeath


def bequeath(
    session: Session, passes: CuratorPasses, path: str | Path, *, cause: str, reflection: str | None
) -> Testament:
    """Ends the agent's life; see `Grimoire.bequeath`.

    Args:
        session: Open memory.
        passes: Runner of the last pass.
        path: Testament file to write.
        cause: Cause of death.
        reflection: Markdown text; written from the evidence if None.
    """
    place = Path(path)
    session.ready()
    if session.folder.death.exists():
        return session.emit(legacy.finish(session.path, place))
    session.ready(write=True)
    legacy.check_place(place, session.path)
    with session.idle.awake():
        passes.sleep(dry_run=False, progress=no_progress)
        left = legacy.leave(
            place, folder=session.path, log=session.log, facts=session.facts, config=_settings(session),
            tick=session.now_tick, now=session.clock.now(), cause=cause, loops=session.ticks.loops,
            reflection=reflection, moment=session.moment, conduct=_directives(session),
            language=session.config.curator.language,
        )  # fmt: skip
    for problem in left.unfit:
        warnings.warn(f"the testament is written, but for this: {problem}", BardoWarning, stacklevel=4)
    return session.emit(left)


def _directives(session: Session) -> list[Directive]:
    """Reads the gate's decisions, rejections and rules; a lost file does not hold a death up."""
    store = ConductStore(session.path, facts=session.facts)
    try:
        return directives_of(store, now=session.clock.now())
    except StoreError as error:
        warnings.warn(
            f"the testament has no decisions, rejections and rules: {error}", BardoWarning, stacklevel=4
        )
        return []
    finally:
        store.close()


def _settings(session: Session) -> Bequeath:
    """Settings of the testament: an old agent leaves insights that are less sure, too."""
    settings = session.config.bequeath
    if not session.config.life.lifespan_ticks or not session.vitals.measure().pushes_legacy:
        return settings
    return replace(settings, insight_threshold=min(settings.insight_threshold, EARLY_CONFIDENCE))


def finish(session: Session) -> None:
    """Completes a death that a crash interrupted, and reports it.

    Args:
        session: Open memory.
    """
    if session.is_dead:
        legacy.drop(session.path)
        return
    try:
        left = legacy.finish(session.path)
    except (StoreUnavailableError, InvalidInputError, NotFoundError) as error:
        warnings.warn(
            f"a crash interrupted the death of {session.agent}: {error}", BardoWarning, stacklevel=5
        )
    else:
        warnings.warn(
            f"a crash interrupted the death of {session.agent}, and it is complete now: the testament is {left.path}",
            BardoWarning,
            stacklevel=5,
        )
