"""The entities that memories name, and the triples that join them."""

from collections.abc import Sequence
from typing import Any, final

from bardo._core._capture import EpisodeLog
from bardo._core._facts import FactStore

@final
class Names:
    """Names in memories and their relations: entities, web addresses, commands, paths, triples.

    All of it is in the file of the facts and is read from episodes and facts after a watermark, never while they are
    written.

    Args:
        facts: The store whose file holds them.
    """

    def __new__(cls, facts: FactStore) -> Names: ...
    def read(self, log: EpisodeLog, *, least: int = 1) -> dict[str, int]:
        """Reads the episodes that wait, if there are at least so many, and every changed fact.

        Returns:
            Counts: `episodes`, `facts`, `entities` (new ones), `mentions`, `findings`.
        """

    def reread(self) -> None:
        """Forgets what was read, except what callers said, so that the next `read` reads all again."""

    def entities(
        self, *, name: str | None = None, kind: str | None = None, memory: str | None = None, limit: int = 100
    ) -> list[tuple[str, str, list[str], int, tuple[int, int] | None]]:
        """Entities by name or alias, by kind, or named by a memory; the most mentioned first.

        Returns:
            Canonical name, kind, aliases, number of memories, and the ticks of the first and the last of them.
        """

    def related(self, name: str, limit: int = 20) -> list[tuple[str, str, int]]:
        """Name, kind and number of common memories of the entities that are named together with this one.

        Raises:
            NotFoundError: There is no such entity.
        """

    def mentions(self, name: str, limit: int = 100) -> list[str]:
        """Ids of the memories that name an entity, the latest first.

        Raises:
            NotFoundError: There is no such entity.
        """

    def merge(self, into: str, names: Sequence[str]) -> int:
        """Makes several names one entity under the first; unknown ones become aliases. Returns how many were merged."""

    def part(self, name: str, others: Sequence[str]) -> int:
        """Takes other names away from an entity; memories that name it are read again. Returns how many names.

        Raises:
            NotFoundError: There is no such entity, or a name is not one of its other names.
            InvalidInputError: A name is the canonical name of the entity.
        """

    def forget(self, names: Sequence[str]) -> dict[str, Any]:
        """Deletes entities with their other names, triples and questions; unknown names are no error.

        Returns:
            As `FactStore.forget_episodes`.
        """

    def forget_triples(self, numbers: Sequence[int]) -> dict[str, Any]:
        """Deletes triples by their numbers, and the entities that nothing else names; unknown numbers are no error.

        Returns:
            As `FactStore.forget_episodes`.
        """

    def triples_of(
        self, numbers: Sequence[int]
    ) -> list[tuple[str, str, str, float, str | None, int, int | None, int, bool] | None]:
        """The triples with these numbers, as `triples` has them; None where there is none."""

    def find(self, kind: str, fragment: str, limit: int = 100) -> list[tuple[str, str]]:
        """Ids of memories that hold a `url`, `command` or `path` with this fragment, and what it is; latest first."""

    def relate(
        self,
        subject: str,
        predicate: str,
        object: str,  # noqa: A002  # the word of the trade
        *,
        confidence: float = 0.7,
        source: str | None = None,
        valid_from: int,
        valid_to: int | None = None,
        replaces: bool = False,
        tick: int,
    ) -> int:
        """Keeps a triple that holds from one tick up to another.

        `replaces` ends what the subject had by the predicate until then; of statements, if the triple holds at the
        tick `tick`. Returns its number.
        """

    def triples(
        self,
        *,
        entity: str | None = None,
        predicate: str | None = None,
        as_of: int | None = None,
        limit: int = 1024,
    ) -> list[tuple[str, str, str, float, str | None, int, int | None, int, bool]]:
        """Subject, predicate, object, confidence, source, first tick, tick of the end, number; the latest first.

        At the end whether the triple was read from the payload of its source.
        """
