"""The embedder of the vectors that are in force in a folder, also while a migration is under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bardo.config import Embedding
from bardo.folder import Folder
from bardo.index.embedding import embedders, migration
from bardo.ports import Embedder


def serving(
    folder: Folder, settings: Embedding, embedder: Embedder | Callable[[list[str]], Any] | None
) -> Embedder:
    """The embedder of the vectors that are in force, also while a migration is under way.

    Args:
        folder: Of the memory.
        settings: Name the model where no embedder is given.
        embedder: As `bardo.open` takes it.
    """
    port = embedders.resolve(embedder, settings)
    if folder.migration.exists():
        port = migration.serving(folder.root, port, settings, chosen=embedder is not None)
    return port
