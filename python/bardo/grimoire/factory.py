"""Opening of a grimoire: a new one, an existing one, or an heir's."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from bardo._core import EpisodeLog, FactStore
from bardo._validation import checked, require_text
from bardo.config import Config, Embedding
from bardo.errors import InvalidInputError
from bardo.folder import Folder, dead_error
from bardo.grimoire.grimoire import Grimoire
from bardo.grimoire.stores import open_stores
from bardo.index.embedding import embedders
from bardo.ports import LLM, Clock, Embedder, Progress, checked_clock, no_progress

if TYPE_CHECKING:
    from bardo.bequeath.testament.testament import Testament


class OpenOptions(TypedDict, total=False):
    """Options of `open`, for the functions that open a memory on the way; `open` describes them."""

    agent: str | None
    config: Config | Mapping[str, Any] | None
    clock: Clock | None
    seed: int | None
    embedder: Embedder | Callable[[list[str]], Any] | None
    llm: LLM | None
    durable: bool
    create: bool
    relearn: bool
    accept_loss: bool


@checked
def open(  # noqa: A001 - `bardo.open` reads as it should
    path: str | Path,
    *,
    agent: str | None = None,
    config: Config | Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    seed: int | None = None,
    embedder: Embedder | Callable[[list[str]], Any] | None = None,
    llm: LLM | None = None,
    durable: bool = True,
    create: bool = True,
    relearn: bool = False,
    accept_loss: bool = False,
) -> Grimoire:
    """Opens an agent's memory; makes the folder if there is none.

    Args:
        path: Folder of the memory.
        agent: Name of the agent; the folder's name for a new memory.
        config: Settings that override those of `bardo.toml`.
        clock: Wall clock; the system clock if not given.
        seed: Seed of ids; random if not given. The same seed, clock and calls give the same memory.
        embedder: `Embedder`, or any callable from a list of texts to vectors; the configured model if not given. A
            callable is identified by its module and name, so `__main__.embed` and `tools.embed` are two models: name it
            with `bardo.function_embedder(embed, name="...")`.
        llm: Language model of your own; the configured one, if any, if not given.
        durable: Whether `remember` waits until the episode is durable on disk. Without, a power loss loses the latest.
        create: Whether to make a new memory where there is none.
        relearn: Whether lost facts may be learned again from the verified episodes.
        accept_loss: Whether to open the memory despite `JournalLostError`. The remaining episodes of the journal are
            recorded, its file is set aside, and `Grimoire.lost` and a `BardoWarning` report the loss.

    Raises:
        NotFoundError: There is no memory in the folder and `create` is false.
        StoreLockedError: Another process has it open.
        JournalLostError: Its journal lacks episodes that were acknowledged; nothing was changed.
        StoreError: A file is damaged, foreign, newer, or cannot be reached; nothing was changed.
        ConfigError: A setting does not exist or is out of range.
    """
    folder = Folder.at(path)
    folder.check(create=create)
    settings = _settings(folder, config)
    if llm is not None and not callable(getattr(llm, "complete", None)):
        raise InvalidInputError(
            f"the language model is a {type(llm).__name__}, which has no method complete. "
            "Pass an object as bardo.ports.LLM describes it, or name a model in bardo.toml under [llm]"
        )
    if agent or not settings.agent:
        settings = replace(settings, agent=agent or folder.root.name)
    folder.prepare(agent=settings.agent)
    clock = checked_clock(clock)
    given = embedders.resolve(embedder, settings.embedding)
    port = given
    if folder.migration.exists():
        from bardo.index.embedding import migration

        port = migration.serving(folder.root, given, settings.embedding, chosen=embedder is not None)

    def complete_switch(log: EpisodeLog, facts: FactStore) -> None:
        if folder.migration.exists():
            from bardo.index.embedding import migration

            migration.complete_switch(folder.root, log, facts, port, late=settings.embedding.late_interaction)

    stores = open_stores(
        folder,
        settings,
        clock=clock,
        seed=int.from_bytes(os.urandom(8)) if seed is None else seed,
        embedder=port,
        durable=durable,
        relearn=relearn,
        accept_loss=accept_loss,
        complete_switch=complete_switch,
    )
    try:
        if embedder is None and port is given:
            # The next opening reads the name of the model from the settings.
            _keep_model(folder.root, settings.embedding)
        return Grimoire(folder, stores, clock=clock, embedder=port, llm=llm)
    except BaseException:
        stores.close()
        raise


def _settings(folder: Folder, config: Config | Mapping[str, Any] | None) -> Config:
    """Settings of a memory: those that a caller gives, over those of `bardo.toml`."""
    return config.check() if isinstance(config, Config) else Config.load(folder.root, config)


def _keep_model(folder: Path, settings: Embedding) -> None:
    """Writes the model that a folder was opened with to `bardo.toml`, unless it is there."""
    if Config.load(folder).embedding.model != settings.model:
        from bardo.settings_file import write_setting

        write_setting(folder, "embedding", "model", settings.model)


@checked
def bequeath_posthumously(
    path: str | Path,
    testament: str | Path | None = None,
    *,
    cause: str = "killed",
    reflection: str | None = None,
    progress: Progress = no_progress,
    **options: Unpack[OpenOptions],
) -> Testament:
    """Writes the testament of an agent that was killed without warning, from its folder.

    The memory is read-only from then on. The tick of death is that of the last record. A death that the agent had begun
    is completed instead, with its own cause and place.

    Args:
        path: Folder of the memory.
        testament: Testament file to write, which must not exist; the folder's name with `.testament`, beside the
            folder, if not given.
        cause: Cause of death.
        reflection: Markdown text of at most 5 KiB; written from the evidence if not given.
        progress: Callback for progress.
        options: Options of `open`.

    Returns:
        Testament, read back from the file and verified.

    Raises:
        NotFoundError: There is no memory in the folder.
        StoreLockedError: The agent still runs: the process that has its memory open is named.
        GrimoireClosedError: The agent has died and left its testament.
        JournalLostError: Its journal lacks episodes; `accept_loss=True` leaves what remains.
        InvalidInputError: The file exists already, or the reflection is too long; the agent stays alive.
    """
    from bardo.bequeath import death_journal, lineage
    from bardo.bequeath.content.reflect import checked_reflection
    from bardo.bequeath.death_journal import CAUSE
    from bardo.bequeath.privacy.redact import Redactor
    from bardo.bequeath.testament.testament import read

    folder = Folder.at(path)
    folder.check(create=False)
    if (stone := lineage.is_dead(folder.root)) is not None:
        raise dead_error(stone.agent)
    if reflection is not None:
        personal = _settings(folder, options.get("config")).bequeath.personal
        checked_reflection(reflection, Redactor(personal=personal))
    require_text(cause, "cause", CAUSE)
    begun = death_journal.load(folder.root)
    place = Path(testament) if testament is not None else None
    options["create"] = False
    with open(folder.root, **options) as memory:
        if memory.lineage.is_dead and begun is not None:
            # The opening has completed the death.
            return read(begun.path)
        if place is None and not (begun is not None and begun.path):
            place = folder.root.with_name(f"{folder.root.name}.testament")
        memory.death.begin(cause=cause, deadline=0, path=place, posthumous=True)
        return memory.death.complete(place, reflection=reflection, abandon=True, progress=progress)


@checked
def inherit(
    testaments: str | Path | Sequence[str | Path],
    path: str | Path,
    *,
    through_archive: bool = False,
    allow: str | Sequence[str] = (),
    **options: Unpack[OpenOptions],
) -> Grimoire:
    """Boots an heir: opens its memory and adopts the content of one or several testaments.

    Args:
        testaments: Testament files, all of which are verified before anything is stored.
        path: Folder of the heir; an existing memory inherits only new entries.
        through_archive: Whether they come from a public archive instead of a chosen parent; lowers the confidence.
        allow: Unknown signers whose testaments are adopted with limits: their keys, the first 16 digits of them, or
            names of testators. Known signers are agents that died under this user, the heir's own lineage, and
            `bardo trust list`.
        options: Options of `open`.

    Raises:
        InvalidInputError: No testament is given.
        TestamentError: A file is not a testament, or was changed; nothing was stored.
        UnknownSignerError: A signer is neither known nor allowed; nothing was stored.
    """
    from bardo.bequeath.testament import testament, trust

    files = [testaments] if isinstance(testaments, (str, Path)) else list(testaments)
    if not files:
        raise InvalidInputError(
            "there is no testament to inherit. Name one at least, or open a memory of its own"
        )
    read = [testament.read(file) for file in files]
    folder = Folder.at(path)
    folder.check(create=True)
    trust.unknown_signers(read, folder.root, allow=allow)
    heir = open(path, **options)
    try:
        heir.lineage.adopt(read, through_archive=through_archive, allow=allow)
    except BaseException:
        heir.close()
        raise
    return heir
