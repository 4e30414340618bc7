"""Base of a gate: its parts, its resources, its records, and actions under it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar, cast

from bardo._cached_property import locked_cached_property
from bardo._core import FactStore
from bardo._validation import checked
from bardo.assemble.copies import MadePrompts
from bardo.conduct.match.index import ConductIndex
from bardo.conduct.storage.store import ConductStore
from bardo.folder import Folder, dead_error
from bardo.handle import Handle
from bardo.ports import Clock, Embedder, Vectors

if TYPE_CHECKING:
    from bardo.conduct.acting import Checks
    from bardo.conduct.adjudication import Adjudicator
    from bardo.conduct.model.entries import Outcome
    from bardo.conduct.procedures.bridges import Bridges
    from bardo.conduct.procedures.capabilities import Capabilities
    from bardo.conduct.procedures.flows import Flows
    from bardo.conduct.procedures.missions import Missions
    from bardo.conduct.procedures.parts import Parts
    from bardo.conduct.storage.rows import Row
    from bardo.conduct.verdict import Verdict

Function = TypeVar("Function", bound=Callable[..., object])


class GateBase(Handle):
    """Parts, resources and records of a gate. `Gate` adds the verbs."""

    _CLOSED = "the gate of {0} is closed. Open it again with bardo.gate({0!r})"

    def __init__(
        self,
        folder: Folder,
        facts: FactStore,
        *,
        clock: Clock,
        embedder: Embedder | None,
        adjudicator: Adjudicator | None = None,
    ) -> None:
        super().__init__(folder, facts)
        self._adjudicator = adjudicator
        self._clock = clock
        self._embedder = embedder
        self._store = ConductStore(folder.root, facts=facts)
        self._index = ConductIndex(self._store)
        self._made = MadePrompts(folder.root, agent=self.agent)

    @property
    def now(self) -> int:
        """Returns the wall clock, microseconds UTC, at which scores of rules are evaluated."""
        return self._clock.now()

    @locked_cached_property
    def flows(self) -> Flows:
        """Flows: `add`, `list`, `get`, `find`, `record`, `retire`."""
        from bardo.conduct.procedures.flows import Flows

        return Flows(self._parts)

    @locked_cached_property
    def capabilities(self) -> Capabilities:
        """Capabilities: `add`, `list`, `get`, `check`, `remove`."""
        from bardo.conduct.procedures.capabilities import Capabilities

        return Capabilities(self._parts)

    @locked_cached_property
    def missions(self) -> Missions:
        """Missions: `set`, `current`, `list`, `end`."""
        from bardo.conduct.procedures.missions import Missions

        return Missions(self._parts)

    @locked_cached_property
    def bridges(self) -> Bridges:
        """Bridges to other agents: `publish`, `outputs`, `grant`, `revoke`, `grants`, `read`."""
        from bardo.conduct.procedures.bridges import Bridges

        return Bridges(self._parts)

    @checked
    def outcomes(self) -> list[Outcome]:
        """Lists outcomes of actions, the latest first."""
        self._ready()
        return self._store.outcomes()

    @checked
    def history(self, id_: str) -> list[Row]:
        """Lists all versions of an entry, a rule, a flow or another row, the earliest first, with the present one.

        Raises:
            NotFoundError: There is no row with this id.
        """
        self._ready()
        return self._store.versions(id_)

    @checked
    def acting(
        self, action: str, *, approved_by: str = "", flow: str = "", strict: bool = False
    ) -> AbstractContextManager[Verdict]:
        """Runs a block of code as an action: `before` at its beginning, `after` at its end.

        The block gets the verdict. An exception inside it is recorded as a failure, and raised again.

        Args:
            action: Action in words, or as a command.
            approved_by: Person who approved this action.
            flow: Name or id of the flow that the block follows.
            strict: Whether a warning stops the action, too.

        Raises:
            ActionBlockedError: The gate blocks the action, or warns of it if `strict`; the block is not run.
        """
        from bardo.conduct.acting import acting

        return acting(cast("Checks", self), action, approved_by=approved_by, flow=flow, strict=strict)

    @checked
    def gated(
        self, action: str, *, approved_by: str = "", flow: str = "", strict: bool = False
    ) -> Callable[[Function], Function]:
        """Returns a decorator that runs a function, or a coroutine function, as an action; see `acting`.

        Args:
            action: Action in words, with the function's arguments in braces: "deploy {service} to {environment}".
            approved_by: Person who approved these actions.
            flow: Name or id of the flow that the function follows.
            strict: Whether a warning stops a call, too.

        Raises:
            ActionBlockedError: A call is blocked, or warned of if `strict`; the function is not run.
            InvalidInputError: The function is a generator, or a call lacks an argument that the action names.
        """
        from bardo.conduct.acting import gated

        return gated(cast("Checks", self), action, approved_by=approved_by, flow=flow, strict=strict)

    @locked_cached_property
    def _parts(self) -> Parts:
        from bardo.conduct.procedures.parts import Parts

        return Parts(
            self.agent,
            self._store,
            self._index,
            self._clock,
            self._embedder,
            ready=self._ready,
            cleaned=self._cleaned,
        )

    def _vectors(self, texts: Sequence[str]) -> Vectors | None:
        return self._index.vectors(texts, self._embedder)

    def _release(self) -> None:
        if self._adjudicator is not None:
            self._adjudicator.close()
        self._made.close()
        self._store.close()
        self._facts.close()

    def _ready(self, *, write: bool = False) -> None:
        super()._ready()
        if not write:
            return
        # A hook that only checks actions starts without them.
        from bardo.bequeath import lineage
        from bardo.conduct.state.tasks import require_life

        if self._folder.tombstone.exists() and (stone := lineage.is_dead(self.path)) is not None:
            raise dead_error(stone.agent)
        require_life(self._folder, self.agent)

    def _cleaned(self, *texts: str) -> tuple[str, ...]:
        """Removes copies of prompts from texts and reports them in a warning."""
        clean = self._made.cleaner()
        cleaned = tuple(clean(text).strip() for text in texts)
        clean.tell(stacklevel=4)
        return cleaned
