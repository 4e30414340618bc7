"""Opens the gate of a memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bardo._validation import checked
from bardo.conduct.gate import Gate
from bardo.config import Config
from bardo.folder import Folder
from bardo.handle import facts_of
from bardo.index.embedding.serving import serving
from bardo.ports import Clock, Embedder, checked_clock


@checked
def gate(
    path: str | Path,
    *,
    agent: str | None = None,
    config: Config | Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    embedder: Embedder | Callable[[list[str]], Any] | None = None,
    words_only: bool = False,
) -> Gate:
    """Opens an agent's decisions, rejections and rules, whether or not another process has its memory open.

    Args:
        path: Folder of the memory.
        agent: Name of the agent, if not in `bardo.toml`.
        config: Settings that override those of `bardo.toml`.
        clock: Source of the wall clock; the computer's if not given.
        embedder: As `bardo.open` takes it. Without a model actions are compared by their words.
        words_only: Whether to compare by words even where there is a model: a hook starts at once then.

    Raises:
        NotFoundError: There is no memory in the folder, or its owner has not finished creating it.
        StoreForeignError: The memory is another agent's.
        StoreError: The fact store, which names the agent, cannot be read.
        ConfigError: A setting does not exist or is out of range.
    """
    folder = Folder.at(path)
    folder.check(create=False)
    settings = config.check() if isinstance(config, Config) else Config.load(folder.root, config)
    facts = facts_of(folder, agent, settings)
    try:
        port = None if words_only else serving(folder, settings.embedding, embedder)
        return Gate(folder, facts, clock=checked_clock(clock), embedder=port)
    except BaseException:
        facts.close()
        raise
