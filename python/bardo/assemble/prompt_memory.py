"""A memory as a prompt shows it, and the shape of the objects from which it is made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from bardo.model import Episode
    from bardo.recall.recollection import Explanation


class MemoryLike(Protocol):
    """Fields that a prompt reads of a memory; `bardo.recall.recollection.Memory` and `PromptMemory` have them.

    `id`, `standing`, `before` and `after` are read, too, where a memory has them.
    """

    @property
    def text(self) -> str:
        """The text, verbatim."""
        ...

    @property
    def layer(self) -> str:
        """`episode` or `fact`."""
        ...

    @property
    def confidence(self) -> float | None:
        """Confidence now, 0..1; None for what was witnessed and not concluded."""
        ...

    @property
    def tick(self) -> int:
        """Logical time of the agent."""
        ...

    @property
    def at(self) -> int:
        """Wall clock, microseconds UTC; 0 if not known."""
        ...

    @property
    def source(self) -> str:
        """Where it came from."""
        ...

    @property
    def inherited(self) -> bool:
        """Whether a predecessor lived it."""
        ...

    @property
    def record(self) -> Any:
        """The episode or fact itself; its `speaker`, if it has one, is shown."""
        ...


@dataclass(frozen=True, slots=True)
class PromptMemory:
    """A memory as a prompt shows it.

    Args:
        text: Text that is shown.
        layer: `episode`, `fact`, or the name of another sort of entry, such as `dossier`.
        id: Id of the record; empty if it has none.
        confidence: Confidence now, 0..1; None if it has none.
        tick: Logical time of the agent.
        at: Wall clock, microseconds UTC; 0 if not known.
        source: Origin of the record.
        inherited: Whether another agent learned it.
        record: Episode or fact; its speaker, subjects and thread are read.
        standing: How far it holds, such as `corrected on 14 March 2026`; empty if nothing is known against it.
        before: Turns before it in its conversation, oldest first.
        after: Turns after it, likewise.
        alone: Text without its turns, where they stand in `text`; None where they do not.
        original: Memory of which it was made; None if it was made for the prompt.
    """

    text: str
    layer: str
    id: str = ""
    confidence: float | None = None
    tick: int = 0
    at: int = 0
    source: str = "self"
    inherited: bool = False
    record: Any = None
    standing: str = ""
    before: tuple[Episode, ...] = ()
    after: tuple[Episode, ...] = ()
    alone: str | None = None
    original: MemoryLike | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, memory: MemoryLike) -> Self:
        """The memory as a prompt shows it; the memory itself if it is one already."""
        if isinstance(memory, cls):
            return memory
        return cls(
            memory.text,
            memory.layer,
            id=getattr(memory, "id", ""),
            confidence=memory.confidence,
            tick=memory.tick,
            at=memory.at,
            source=memory.source,
            inherited=memory.inherited,
            record=memory.record,
            standing=getattr(memory, "standing", ""),
            before=getattr(memory, "before", ()),
            after=getattr(memory, "after", ()),
            original=memory,
        )

    @property
    def recalled(self) -> MemoryLike:
        """The memory of which it was made, in its own words; itself if it was made for the prompt."""
        return self if self.original is None else self.original

    @property
    def why(self) -> Explanation | None:
        """Explanation of the recall that found it; None if no recall did."""
        why: Explanation | None = getattr(self.original, "why", None)
        return why

    @property
    def outdated(self) -> bool:
        """Whether it no longer holds."""
        return bool(getattr(self.original, "outdated", False))

    def without_turns(self) -> Self:
        """The same memory without the turns beside it."""
        return self if self.alone is None else replace(self, text=self.alone, before=(), after=(), alone=None)

    def to_dict(self) -> dict[str, Any]:
        """Origin of the memory in plain JSON types: id, layer, source, and the ids of the turns in its text."""
        turns = [] if self.alone is None else [turn.id for turn in (*self.before, *self.after)]
        return {"id": self.id, "layer": self.layer, "source": self.source, "turns": turns}
