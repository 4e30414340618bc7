"""Asyncio API of a memory: each method runs in a thread and does not block the event loop."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Generator
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from bardo.grimoire import factory
from bardo.grimoire.curator import Curator
from bardo.grimoire.death import Death
from bardo.grimoire.documents import Documents
from bardo.grimoire.embedding import Embedding
from bardo.grimoire.entities import Entities
from bardo.grimoire.episodes import Episodes
from bardo.grimoire.facts import Facts
from bardo.grimoire.grimoire import Grimoire
from bardo.grimoire.journal import Journal
from bardo.grimoire.life import Life
from bardo.grimoire.lineage import Lineage
from bardo.grimoire.maintenance import Maintenance
from bardo.grimoire.pages import Pages
from bardo.grimoire.prompts import Prompts
from bardo.grimoire.summaries import Summaries

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from bardo.bequeath.heir.inherit import InheritanceReport
    from bardo.bequeath.lineage import Parent
    from bardo.config import Config
    from bardo.grimoire.erasure import ForgetReport
    from bardo.grimoire.events import Event

Owner = TypeVar("Owner")
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class AsyncResource(Generic[Owner]):
    """Base of resources whose methods are awaited.

    Args:
        owner: Synchronous resource, called in a thread.
    """

    def __init__(self, owner: Owner) -> None:
        self._owner = owner


def _async_method(
    verb: Callable[Concatenate[Owner, Arguments], Answer],
) -> Callable[Concatenate[AsyncResource[Owner], Arguments], Coroutine[Any, Any, Answer]]:
    """Makes an awaitable of a method of `Grimoire`, or of one of its resources."""

    @functools.wraps(verb)
    async def run(
        self: AsyncResource[Owner], /, *args: Arguments.args, **options: Arguments.kwargs
    ) -> Answer:
        return await asyncio.to_thread(verb, self._owner, *args, **options)

    return run


class AsyncEpisodes(AsyncResource[Episodes]):
    """`Episodes` for asyncio."""

    list = _async_method(Episodes.list)
    get = _async_method(Episodes.get)
    verify = _async_method(Episodes.verify)
    find = _async_method(Episodes.find)


class AsyncFacts(AsyncResource[Facts]):
    """`Facts` for asyncio."""

    list = _async_method(Facts.list)
    get = _async_method(Facts.get)
    why = _async_method(Facts.why)
    history = _async_method(Facts.history)
    confidence = _async_method(Facts.confidence)
    retention = _async_method(Facts.retention)
    supersede = _async_method(Facts.supersede)
    contradict = _async_method(Facts.contradict)
    link = _async_method(Facts.link)
    links = _async_method(Facts.links)


class AsyncDocuments(AsyncResource[Documents]):
    """`Documents` for asyncio."""

    add = _async_method(Documents.add)
    list = _async_method(Documents.list)
    remove = _async_method(Documents.remove)


class AsyncEntities(AsyncResource[Entities]):
    """`Entities` for asyncio."""

    list = _async_method(Entities.list)
    of = _async_method(Entities.of)
    related = _async_method(Entities.related)
    merge = _async_method(Entities.merge)
    part = _async_method(Entities.part)
    relate = _async_method(Entities.relate)
    relations = _async_method(Entities.relations)


class AsyncCurator(AsyncResource[Curator]):
    """`Curator` for asyncio."""

    replay = _async_method(Curator.replay)
    dream = _async_method(Curator.dream)
    lint = _async_method(Curator.lint)
    gaps = _async_method(Curator.gaps)
    calibration = _async_method(Curator.calibration)


class AsyncPages(AsyncResource[Pages]):
    """`Pages` for asyncio."""

    dossier = _async_method(Pages.dossier)
    playbook = _async_method(Pages.playbook)
    versions = _async_method(Pages.versions)


class AsyncPrompts(AsyncResource[Prompts]):
    """`Prompts` for asyncio."""

    list = _async_method(Prompts.list)
    contribute = _async_method(Prompts.contribute)
    withdraw = _async_method(Prompts.withdraw)
    acted = _async_method(Prompts.acted)
    reset_weights = _async_method(Prompts.reset_weights)


class AsyncSummaries(AsyncResource[Summaries]):
    """`Summaries` for asyncio."""

    list = _async_method(Summaries.list)
    get = _async_method(Summaries.get)
    of = _async_method(Summaries.of)


class AsyncJournal(AsyncResource[Journal]):
    """`Journal` for asyncio."""

    list = _async_method(Journal.list)
    undo = _async_method(Journal.undo)


class AsyncEmbedding(AsyncResource[Embedding]):
    """`Embedding` for asyncio."""

    check = _async_method(Embedding.check)
    migrate = _async_method(Embedding.migrate)
    abandon = _async_method(Embedding.abandon)


class AsyncMaintenance(AsyncResource[Maintenance]):
    """`Maintenance` for asyncio."""

    rebuild = _async_method(Maintenance.rebuild)
    check = _async_method(Maintenance.check)
    drain_inbox = _async_method(Maintenance.drain_inbox)
    costs = _async_method(Maintenance.costs)
    rebase_ticks = _async_method(Maintenance.rebase_ticks)


class AsyncLife(AsyncResource[Life]):
    """`Life` for asyncio."""

    vitality = _async_method(Life.vitality)
    spend = _async_method(Life.spend)
    earn = _async_method(Life.earn)
    decision = _async_method(Life.decision)
    marker = _async_method(Life.marker)
    risks = _async_method(Life.risks)
    dangers = _async_method(Life.dangers)


class AsyncDeath(AsyncResource[Death]):
    """`Death` for asyncio."""

    begin = _async_method(Death.begin)
    status = _async_method(Death.status)
    checklist = _async_method(Death.checklist)
    settle = _async_method(Death.settle)
    complete = _async_method(Death.complete)
    left_behind = _async_method(Death.left_behind)


class AsyncLineage(AsyncResource[Lineage]):
    """`Lineage` for asyncio."""

    adopt = _async_method(Lineage.adopt)
    autopsy = _async_method(Lineage.autopsy)
    innate = _async_method(Lineage.innate)
    knew = _async_method(Lineage.knew)
    revoke = _async_method(Lineage.revoke)

    @property
    def generation(self) -> int:
        """Number of generations of ancestors."""
        return self._owner.generation

    @property
    def parents(self) -> tuple[Parent, ...]:
        """Agents that it inherited from, in order of inheritance."""
        return self._owner.parents

    @property
    def is_dead(self) -> bool:
        """Whether the agent has left its testament; its memory is read-only."""
        return self._owner.is_dead

    @property
    def inheritance(self) -> InheritanceReport | None:
        """Report of the last inheritance since this memory was opened."""
        return self._owner.inheritance


class GrimoireOpener:
    """Memory that is being opened: `await` it, or use `async with`, which closes it at the end."""

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


def _async_opener(make: Callable[Arguments, Grimoire]) -> Callable[Arguments, GrimoireOpener]:
    """Makes an awaitable of a function that opens a memory."""

    @functools.wraps(make)
    def begin(*args: Arguments.args, **options: Arguments.kwargs) -> GrimoireOpener:
        return GrimoireOpener(functools.partial(make, *args, **options))

    return begin


class AsyncGrimoire(AsyncResource[Grimoire]):
    """`Grimoire` for asyncio, with the same methods and resources.

    Arguments, results and errors are the same; each call runs in a thread of the loop.

    Concurrent calls may run in any order. Ticks must not decrease, so await a `remember` before the next. A cancelled
    call still runs to its end in its thread, and its result is dropped.

        async with AsyncGrimoire.open("trader-7") as memory:
            await memory.remember("The oracle was late", tick=1)
            print(await memory.recall("what was late?"))

    Attributes:
        grimoire: Synchronous memory, for its attributes and for threads of your own.
    """

    def __init__(self, grimoire: Grimoire) -> None:
        super().__init__(grimoire)
        self.grimoire = grimoire
        self.episodes = AsyncEpisodes(grimoire.episodes)
        self.facts = AsyncFacts(grimoire.facts)
        self.documents = AsyncDocuments(grimoire.documents)
        self.entities = AsyncEntities(grimoire.entities)
        self.curator = AsyncCurator(grimoire.curator)
        self.pages = AsyncPages(grimoire.pages)
        self.prompts = AsyncPrompts(grimoire.prompts)
        self.summaries = AsyncSummaries(grimoire.summaries)
        self.journal = AsyncJournal(grimoire.journal)
        self.embedding = AsyncEmbedding(grimoire.embedding)
        self.maintenance = AsyncMaintenance(grimoire.maintenance)
        self.life = AsyncLife(grimoire.life)
        self.death = AsyncDeath(grimoire.death)
        self.lineage = AsyncLineage(grimoire.lineage)

    open = staticmethod(_async_opener(factory.open))
    inherit = staticmethod(_async_opener(factory.inherit))

    @property
    def agent(self) -> str:
        """Name of the agent."""
        return self.grimoire.agent

    @property
    def path(self) -> Path:
        """Folder of the memory."""
        return self.grimoire.path

    @property
    def now_tick(self) -> int:
        """Current tick."""
        return self.grimoire.now_tick

    @property
    def lost(self) -> tuple[str, Path | None, int] | None:
        """Fault of the journal, its file, and its recovered episodes; None where no loss was accepted."""
        return self.grimoire.lost

    @property
    def resumed(self) -> tuple[ForgetReport, ...]:
        """Reports of interrupted deletions that were finished when the memory was opened."""
        return self.grimoire.resumed

    @property
    def config(self) -> Config:
        """Current settings."""
        return self.grimoire.config

    def on(self, event: type[Event], listener: Callable[[Event], object]) -> Callable[[], None]:
        """Calls a listener in the running event loop at each event; see `Grimoire.on`.

        Returns:
            Function that ends the subscription.
        """
        loop = asyncio.get_running_loop()
        return self.grimoire.on(event, lambda told: loop.call_soon_threadsafe(listener, told))

    remember = _async_method(Grimoire.remember)
    scribe = _async_method(Grimoire.scribe)
    backtest = _async_method(Grimoire.backtest)
    turn = _async_method(Grimoire.turn)
    boot = _async_method(Grimoire.boot)
    recover = _async_method(Grimoire.recover)
    heartbeat = _async_method(Grimoire.heartbeat)
    checkpoint = _async_method(Grimoire.checkpoint)
    recall = _async_method(Grimoire.recall)
    context = _async_method(Grimoire.context)
    outcome = _async_method(Grimoire.outcome)
    triage = _async_method(Grimoire.triage)
    learn = _async_method(Grimoire.learn)
    forget = _async_method(Grimoire.forget)
    tick = _async_method(Grimoire.tick)
    sleep = _async_method(Grimoire.sleep)
    bequeath = _async_method(Grimoire.bequeath)
    stats = _async_method(Grimoire.stats)
    close = _async_method(Grimoire.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"Async{self.grimoire!r}"
