"""The verbs about death and inheritance."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bardo._lazy import modules
from bardo._validation import checked
from bardo.errors import BardoWarning, InvalidInputError, NotFoundError, StoreUnavailableError
from bardo.grimoire.session import Opened
from bardo.ports import Progress, quiet

if TYPE_CHECKING:
    from bardo.bequeath import inherit, legacy, trust
    from bardo.bequeath.inherit import InheritanceReport
    from bardo.bequeath.testament import Testament
    from bardo.consolidate.curator import CuratorCycleComplete
else:
    inherit, legacy, trust = modules("bequeath.inherit", "bequeath.legacy", "bequeath.trust")


class Dying(Opened):
    """What a `Grimoire` leaves, and what it takes over from those before it."""

    _inheritance: InheritanceReport | None = None

    @property
    def inheritance(self) -> InheritanceReport | None:
        """Report of the last inheritance since this memory was opened."""
        return self._inheritance

    def _finish_death(self) -> None:
        """Completes a death that a crash interrupted, and says so."""
        if self.is_dead:
            legacy.drop(self.path)
            return
        try:
            left = legacy.finish(self.path)
        except (StoreUnavailableError, InvalidInputError, NotFoundError) as error:
            warnings.warn(
                f"a crash interrupted the death of {self.agent}: {error}", BardoWarning, stacklevel=5
            )
        else:
            warnings.warn(
                f"a crash interrupted the death of {self.agent}, and it is complete now: the testament is {left.path}",
                BardoWarning,
                stacklevel=5,
            )

    @abstractmethod
    def sleep(self, *, dry_run: bool = False, progress: Progress = quiet) -> CuratorCycleComplete:
        """Consolidates everything that is verified, embeds what is not, and brings LanceDB up to date."""

    @checked
    def bequeath(
        self, path: str | Path, *, cause: str = "unspecified", reflection: str | None = None
    ) -> Testament:
        """Ends this life: consolidates once more, writes the signed testament, and makes the memory read-only.

        Args:
            path: The testament file to write, where there is none.
            cause: Of death, in a word or a sentence.
            reflection: Markdown of at most 5 KiB; written from the evidence if not given.

        Returns:
            The testament as read back from the file and verified. Where a crash stopped an earlier call, the testament
            that was signed then.

        Raises:
            InvalidInputError: There is a file already, or the reflection is too long; the agent lives on.
        """
        place = Path(path)
        self._ready()
        if self._folder.death.exists():
            return self._emit(legacy.finish(self.path, place))
        self._ready(write=True)
        legacy.check_place(place, self.path)
        self.sleep()
        left = legacy.leave(
            place, folder=self.path, log=self._log, facts=self._facts, config=self.config.bequeath,
            tick=self.now_tick, now=self._clock.now(), cause=cause, loops=self._ticks.loops,
            reflection=reflection,
        )  # fmt: skip
        for problem in left.unfit:
            warnings.warn(f"the testament is written, but for this: {problem}", BardoWarning, stacklevel=3)
        return self._emit(left)

    @checked
    def adopt(
        self,
        testaments: Sequence[Testament],
        *,
        through_archive: bool = False,
        allow: str | Sequence[str] = (),
    ) -> InheritanceReport:
        """Takes over what testaments hold: discounted, marked, never over what the agent learned itself.

        An agent that has lived nothing yet counts its ticks as its testators did, unless `clock.unit` says how; where
        they are loops, its life begins with the first tick that is passed, and what it inherited fades from there.

        Args:
            testaments: As read by `bardo.bequeath.testament.read`.
            through_archive: Whether they come from a public archive instead of a chosen parent.
            allow: Unknown signers whose testaments are taken with limits: their keys, the first 16 digits of them, or
                names of testators.

        Raises:
            UnknownSignerError: A signer is neither known nor allowed; nothing was stored.
        """
        self._ready(write=True)
        strangers = trust.strangers(testaments, self.path, allow=allow)
        self._stores.note_birth(loops=bool(testaments) and all(one.loops for one in testaments))
        with self._upkeep.learning():
            report = inherit.adopt(
                testaments, self._facts, tick=self.now_tick, now=self._clock.now(), config=self.config.bequeath,
                folder=self.path, log=self._log, embedder=self._models.embedder, through_archive=through_archive,
                strangers=strangers,
            )  # fmt: skip
        self._inheritance = report
        self._upkeep.reload()
        self._embed()
        return self._emit(report)
