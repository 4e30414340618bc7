"""Choice of the embedder for the current vectors of a folder, also during a migration."""

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
    """Returns the embedder for the current vectors, also during a migration.

    Args:
        folder: Folder of the memory.
        settings: Settings of the model, used without an embedder.
        embedder: Embedder as in `bardo.open`.
    """
    port = embedders.resolve(embedder, settings)
    if folder.migration.exists():
        port = migration.serving(folder.root, port, settings, chosen=embedder is not None)
    return port
