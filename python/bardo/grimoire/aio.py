"""The same memory for asyncio: each verb runs in a thread, and the event loop goes on meanwhile."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Generator
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from bardo.grimoire import factory
from bardo.grimoire.grimoire import Grimoire

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from bardo.bequeath.inherit import InheritanceReport
    from bardo.grimoire.events import Event

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def _awaited(
    verb: Callable[Concatenate[Grimoire, Arguments], Answer],
) -> Callable[Concatenate[AsyncGrimoire, Arguments], Coroutine[Any, Any, Answer]]:
    """A verb of `Grimoire` that is awaited."""

    @functools.wraps(verb)
    async def run(self: AsyncGrimoire, /, *args: Arguments.args, **options: Arguments.kwargs) -> Answer:
        return await asyncio.to_thread(verb, self.grimoire, *args, **options)

    return run


class Opening:
    """A memory that is being opened: `await` it, or let `async with` close it again."""

    def __init__(self, make: Callable[[], Grimoire]) -> None:
        self._make = make
        self._opened: AsyncGrimoire | None = None

    def __await__(self) -> Generator[Any, None, AsyncGrimoire]:
        return self._open().__await__()

    async def _open(self) -> AsyncGrimoire:
        return AsyncGrimoire(await asyncio.to_thread(self._make))

    async def __aenter__(self) -> AsyncGrimoire:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()


def _begun(make: Callable[Arguments, Grimoire]) -> Callable[Arguments, Opening]:
    """A way of opening a memory that is awaited."""

    @functools.wraps(make)
    def begin(*args: Arguments.args, **options: Arguments.kwargs) -> Opening:
        return Opening(functools.partial(make, *args, **options))

    return begin


class AsyncGrimoire:
    """`Grimoire` for asyncio, verb for verb: the same arguments, answers and errors, each call in a thread of the loop.

    Calls that do not wait for one another may overtake one another; ticks must not fall, so await a `remember` before
    the next. A call that is cancelled still comes to its end in its thread, and its answer is dropped.

        async with AsyncGrimoire.open("trader-7") as memory:
            await memory.remember("The oracle was late", tick=1)
            print(await memory.recall("what was late?"))

    Attributes:
        grimoire: The memory itself, for its attributes and for callers with a thread of their own.
    """

    def __init__(self, grimoire: Grimoire) -> None:
        self.grimoire = grimoire

    open = staticmethod(_begun(factory.open))
    inherit = staticmethod(_begun(factory.inherit))

    @property
    def agent(self) -> str:
        """Whose memory it is."""
        return self.grimoire.agent

    @property
    def path(self) -> Path:
        """The folder."""
        return self.grimoire.path

    @property
    def now_tick(self) -> int:
        """The tick that was reached."""
        return self.grimoire.now_tick

    @property
    def generation(self) -> int:
        """How many ancestors the agent has."""
        return self.grimoire.generation

    @property
    def inheritance(self) -> InheritanceReport | None:
        """Report of the last inheritance since this memory was opened."""
        return self.grimoire.inheritance

    @property
    def is_dead(self) -> bool:
        """Whether the agent has left its testament; its memory can be read but takes nothing more."""
        return self.grimoire.is_dead

    def on(self, event: type[Event], listener: Callable[[Event], object]) -> Callable[[], None]:
        """Calls a listener in the running event loop whenever something happens; see `Grimoire.on`.

        Returns:
            Call it to hear no more.
        """
        loop = asyncio.get_running_loop()
        return self.grimoire.on(event, lambda told: loop.call_soon_threadsafe(listener, told))

    # Capture and recall.
    remember = _awaited(Grimoire.remember)
    drain_inbox = _awaited(Grimoire.drain_inbox)
    verify = _awaited(Grimoire.verify)
    recall = _awaited(Grimoire.recall)
    get = _awaited(Grimoire.get)
    episodes = _awaited(Grimoire.episodes)
    find = _awaited(Grimoire.find)
    # Knowledge.
    learn = _awaited(Grimoire.learn)
    facts = _awaited(Grimoire.facts)
    confidence = _awaited(Grimoire.confidence)
    history = _awaited(Grimoire.history)
    why = _awaited(Grimoire.why)
    calibration = _awaited(Grimoire.calibration)
    supersede = _awaited(Grimoire.supersede)
    link = _awaited(Grimoire.link)
    links = _awaited(Grimoire.links)
    contradict = _awaited(Grimoire.contradict)
    entities = _awaited(Grimoire.entities)
    entities_of = _awaited(Grimoire.entities_of)
    related = _awaited(Grimoire.related)
    merge_entities = _awaited(Grimoire.merge_entities)
    part_entities = _awaited(Grimoire.part_entities)
    relate = _awaited(Grimoire.relate)
    relations = _awaited(Grimoire.relations)
    # Deciding.
    context = _awaited(Grimoire.context)
    contribute = _awaited(Grimoire.contribute)
    stop_contributing = _awaited(Grimoire.stop_contributing)
    acted = _awaited(Grimoire.acted)
    outcome = _awaited(Grimoire.outcome)
    unlearn = _awaited(Grimoire.unlearn)
    # Consolidating.
    tick = _awaited(Grimoire.tick)
    sleep = _awaited(Grimoire.sleep)
    replay = _awaited(Grimoire.replay)
    dream = _awaited(Grimoire.dream)
    dossier = _awaited(Grimoire.dossier)
    playbook = _awaited(Grimoire.playbook)
    playbook_versions = _awaited(Grimoire.playbook_versions)
    lint = _awaited(Grimoire.lint)
    gaps = _awaited(Grimoire.gaps)
    acts = _awaited(Grimoire.acts)
    undo = _awaited(Grimoire.undo)
    # Death, deletion and upkeep.
    bequeath = _awaited(Grimoire.bequeath)
    adopt = _awaited(Grimoire.adopt)
    forget = _awaited(Grimoire.forget)
    rebuild = _awaited(Grimoire.rebuild)
    rebase_ticks = _awaited(Grimoire.rebase_ticks)
    check = _awaited(Grimoire.check)
    check_model = _awaited(Grimoire.check_model)
    migrate = _awaited(Grimoire.migrate)
    abandon_migration = _awaited(Grimoire.abandon_migration)
    stats = _awaited(Grimoire.stats)
    costs = _awaited(Grimoire.costs)
    close = _awaited(Grimoire.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"Async{self.grimoire!r}"
