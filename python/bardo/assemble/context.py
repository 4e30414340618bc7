"""Prompts within a token budget (spec 5): typed blocks in, one text out, and a report of what got in."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from bardo import _core
from bardo.errors import InvalidInputError

Phase = Literal["thriving", "stable", "conservation", "declining", "terminal"]
Task = Literal["anomaly", "routine", "trade_evaluation"]
Profile = Literal["briefing", "first_person"]
Place = Literal["first", "middle", "last"]
Tokenizer = Literal["o200k", "cl100k", "estimate"]
Rows = Sequence[Mapping[str, Any]]

#: Tokens of one prompt and its answer (spec 5, "a call of about 3,200 tokens").
BUDGET = 3_200
#: Of those, kept for the answer.
RESERVE = 500
#: The options of `build` that are about the prompt and not about what is recalled for it.
OPTIONS = frozenset({"reserve", "tokenizer", "phase", "task_type", "framing"})
#: The standard blocks that hold memories.
EPISODES, FACTS = "past_events", "knowledge"
_HIGHEST_PRIORITY = 255


class Recalled(Protocol):
    """What a memory must tell to stand in a prompt; `bardo.recall.retriever.Memory` does."""

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
class Block:
    """One part of a prompt: text, rows of a table, or memories.

    What is None takes the value of the table of spec 5 if the name is a standard one (`system`, `instruction`, `event`,
    `positions`, `cortical_state`, `past_events`, `knowledge`, `relationships`, `tool_results`), else that of a block of
    the caller's own: priority 4, 200 of 2,700 tokens, in the middle.

    Args:
        name: Name in reports, unique in a prompt.
        content: Text, shown as it is; cut at a sentence if it must be.
        rows: Mappings, shown as a markdown table; cut after a row.
        memories: Recalled memories, best first; fenced as data and cut one by one. An empty list says that nothing was
            found; a block that is not given says nothing.
        tag: The tag around it; the name if None. Lower-case ASCII letters, digits and `_`, at most 40.
        priority: Blocks of higher priority are filled first, and first given what is left over; 0 to 255.
        cap: Tokens it is given at first, tag included; what is left over may add to it.
        protected: Whether the call fails rather than cut it. Only text can be; `system` and `instruction` are.
        trusted: Whether its text is left exactly as it is. In any other text the tags of this prompt are made inert.
        place: Where it stands.

    Raises:
        InvalidInputError: None or more than one of content, rows and memories is given, or a number is out of range.
    """

    name: str
    content: str | None = None
    rows: Rows | None = None
    memories: Sequence[Recalled] | None = None
    tag: str | None = None
    priority: int | None = None
    cap: int | None = None
    protected: bool | None = None
    trusted: bool | None = None
    place: Place | None = None

    def __post_init__(self) -> None:
        given = sum(part is not None for part in (self.content, self.rows, self.memories))
        if given != 1:
            raise InvalidInputError(
                f"block {self.name!r} has {given} of content, rows and memories. Give it exactly one of them"
            )
        if self.priority is not None and not 0 <= self.priority <= _HIGHEST_PRIORITY:
            raise InvalidInputError(
                f"block {self.name!r} has priority {self.priority}. Use 0 to {_HIGHEST_PRIORITY}"
            )
        if self.cap is not None and self.cap < 0:
            raise InvalidInputError(f"block {self.name!r} has a cap of {self.cap} tokens. Use 0 or more")


@dataclass(frozen=True, slots=True)
class BlockReport:
    """What became of one block.

    Args:
        name: Name of the block.
        asked: Tokens of all its content; at least this many if it was cut, since what cannot fit is not counted on.
        given: Tokens it was allowed.
        used: Tokens it takes, tags included; 0 if it is not there.
        cut: Whether any of its content is not there.
        shown: Memories or rows that got in.
        shortened: Memories that got in shortened.
        left_out: Memories or rows that did not get in.
        flags: What was found and defused in its content (`bardo.assemble.framing.neutralise`).
        text: Its part of the prompt.
    """

    name: str
    asked: int
    given: int
    used: int
    cut: bool
    shown: int
    shortened: int
    left_out: int
    flags: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        line = f"{self.name}: {self.used} tokens"
        if self.shown or self.left_out:
            line += f", {self.shown} of {self.shown + self.left_out} in"
        if self.shortened:
            line += f", {self.shortened} shortened"
        if self.cut:
            line += f", cut (asked for {self.asked} or more, given {self.given})"
        if self.flags:
            line += f", flagged: {' '.join(self.flags)}"
        return line


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that holds its budget; `str(prompt)` is its text.

    Args:
        id: Hash of the text, 32 hexadecimal digits: the same prompt has the same id.
        text: The whole prompt.
        tokens: Tokens of the whole prompt; never more than `budget - reserve`.
        budget: Tokens of the prompt and of the answer together.
        reserve: Tokens kept for the answer.
        window: Tokens the prompt was allowed in this phase.
        tokenizer: What counted them.
        blocks: The blocks in the order in which they stand, also those that did not get in.
        memories: The memories that got in, block by block, best first.
        notes: What recall could not do or did not find, in words.
    """

    id: str
    text: str
    tokens: int
    budget: int
    reserve: int
    window: int
    tokenizer: str
    blocks: tuple[BlockReport, ...]
    memories: tuple[Recalled, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    @property
    def cut(self) -> tuple[str, ...]:
        """Names of the blocks of which something is not there."""
        return tuple(block.name for block in self.blocks if block.cut)

    @property
    def flagged(self) -> tuple[str, ...]:
        """Names of the blocks in which something was found and defused."""
        return tuple(block.name for block in self.blocks if block.flags)

    def messages(self) -> list[dict[str, str]]:
        """The prompt as chat messages: the system block as `system`, everything else as `user`.

        Joined, their contents are the text. Providers add a few tokens of their own per message: reserve some.
        """
        system = "".join(block.text for block in self.blocks if block.name == "system")
        user = "".join(block.text for block in self.blocks if block.name != "system")
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return [message for message in messages if message["content"]]

    def to_dict(self) -> dict[str, Any]:
        """The prompt and its report as plain JSON types, without the texts of the blocks, which the text repeats."""
        return {
            "id": self.id,
            "text": self.text,
            "tokens": self.tokens,
            "budget": self.budget,
            "reserve": self.reserve,
            "window": self.window,
            "tokenizer": self.tokenizer,
            "blocks": [
                {
                    "name": block.name,
                    "asked": block.asked,
                    "given": block.given,
                    "used": block.used,
                    "cut": block.cut,
                    "shown": block.shown,
                    "shortened": block.shortened,
                    "left_out": block.left_out,
                    "flags": list(block.flags),
                }
                for block in self.blocks
            ],
            "memories": [getattr(memory, "id", "") for memory in self.memories],
            "cut": list(self.cut),
            "notes": list(self.notes),
        }


def memory_block(memories: Sequence[Recalled], *, name: str = EPISODES, cap: int | None = None) -> Block:
    """A block of recalled memories, best first; empty says that nothing was found."""
    return Block(name, memories=memories, cap=cap)


def memory_blocks(memories: Sequence[Recalled]) -> list[Block]:
    """A recollection as its standard blocks: episodes as `past_events`, facts as `knowledge`.

    A layer that brought nothing has no block, but if neither brought anything, the prompt says so once.
    """
    episodes = [memory for memory in memories if memory.layer == "episode"]
    facts = [memory for memory in memories if memory.layer != "episode"]
    blocks = [
        memory_block(found, name=name) for name, found in ((EPISODES, episodes), (FACTS, facts)) if found
    ]
    return blocks or [memory_block((), name=EPISODES)]


def block(name: str, content: str | Rows | Sequence[Recalled] | Block) -> Block:
    """A block of whatever a value is: text, rows (mappings) or memories.

    Raises:
        InvalidInputError: The value is none of these.
    """
    if isinstance(content, Block):
        return content
    if isinstance(content, str):
        return Block(name, content)
    if isinstance(content, Sequence) and not isinstance(content, (bytes, bytearray)):
        if content and all(isinstance(item, Mapping) for item in content):
            return Block(name, rows=content)  # type: ignore[arg-type]
        if all(hasattr(item, "text") and hasattr(item, "source") for item in content):
            memories = bool(content) or name in (EPISODES, FACTS)
            return Block(name, memories=content) if memories else Block(name, "")  # type: ignore[arg-type]
    raise InvalidInputError(
        f"block {name!r} is a {type(content).__name__}. Give it text, a list of mappings (a table) or of memories"
    )


def assemble(
    blocks: Sequence[Block] | Mapping[str, str | Rows | Sequence[Recalled] | Block],
    *,
    budget: int = BUDGET,
    reserve: int = RESERVE,
    tokenizer: str = "o200k",
    phase: Phase | None = None,
    task: Task | None = None,
    framing: Profile | None = None,
) -> Prompt:
    """One prompt out of blocks. Its tokens, tags and separators included, never exceed `budget - reserve`.

    Protected blocks are there whole. The others are filled by priority, each up to its share; what is left over goes
    to those that were cut, by priority. System and event stand first, positions and instruction last, memories
    between, with their best at both ends.

    Args:
        blocks: Blocks, or a mapping of names to text, rows or memories.
        budget: Tokens of the prompt and of the answer together.
        reserve: Tokens kept for the answer.
        tokenizer: `o200k`, `cl100k`, or `estimate` (a quarter of the characters: not exact, only by name).
        phase: How much of the budget is spent: thriving 1.0, stable 0.8, conservation 0.7, declining 0.6, terminal 0.4.
        task: Which block is sure of a part of the window: `anomaly` episodes a third, `routine` facts a quarter,
            `trade_evaluation` positions a quarter.
        framing: Who the memories are told to: `briefing` (a report) or `first_person` (one's own past).

    Raises:
        BudgetTooSmallError: The protected blocks do not fit; the message names what they need.
        InvalidInputError: A block, a name or a number is not usable.
    """
    if isinstance(blocks, Mapping):
        blocks = [block(name, content) for name, content in blocks.items()]
    for name, number in (("budget", budget), ("reserve", reserve)):
        if number < 0:
            raise InvalidInputError(f"the {name} is {number} tokens. Use 0 or more")
    assembled = _core.assemble(
        blocks,
        budget=budget,
        reserve=reserve,
        tokenizer=tokenizer,
        phase=phase or "thriving",
        task=task,
        profile=framing or "briefing",
    )
    parts = assembled.parts
    given = {each.name: each.memories or () for each in blocks}
    memories = [given[part.name][index] for part in parts if given[part.name] for index in sorted(part.shown)]
    return Prompt(
        id=assembled.id,
        text=assembled.text,
        tokens=assembled.tokens,
        budget=budget,
        reserve=reserve,
        window=assembled.window,
        tokenizer=tokenizer,
        blocks=tuple(map(_report, parts)),
        memories=tuple(memories),
    )


def build(
    task: str,
    memories: Sequence[Recalled],
    *,
    blocks: Mapping[str, str | Rows | Sequence[Recalled] | Block] | None = None,
    budget: int = BUDGET,
    reserve: int = RESERVE,
    tokenizer: str = "o200k",
    phase: Phase | None = None,
    task_type: Task | None = None,
    framing: Profile | None = None,
) -> Prompt:
    """The prompt for a task, with what was recalled for it.

    The task is the instruction; where `blocks` bring an instruction of their own, it is the event; where they bring
    both, it is not in the prompt. Blocks named `past_events` or `knowledge` stand in place of the memories.

    Args:
        task: What is to be decided or done.
        memories: A recollection, best first; its `notes` become those of the prompt. Empty says that nothing was found.
        blocks: Further blocks by name: text, rows, or blocks.
        budget: As `assemble` takes it.
        reserve: As `assemble` takes it.
        tokenizer: As `assemble` takes it.
        phase: As `assemble` takes it.
        task_type: The `task` of `assemble`.
        framing: As `assemble` takes it.

    Raises:
        BudgetTooSmallError: The task and the system prompt do not fit; the message names what they need.
        InvalidInputError: A block, a name or a number is not usable.
    """
    parts = {each.name: each for each in (block(name, content) for name, content in (blocks or {}).items())}
    for name in ("instruction", "event"):
        if name not in parts:
            parts[name] = Block(name, task)
            break
    for found in memory_blocks(memories):
        parts.setdefault(found.name, found)
    prompt = assemble(
        list(parts.values()),
        budget=budget,
        reserve=reserve,
        tokenizer=tokenizer,
        phase=phase,
        task=task_type,
        framing=framing,
    )
    return replace(prompt, notes=tuple(getattr(memories, "notes", ())))


def count_tokens(text: str, tokenizer: str = "o200k") -> int:
    """The number of tokens of a text, exact and offline.

    Raises:
        InvalidInputError: There is no such tokenizer, or the text holds a lone surrogate.
    """
    return _core.count_tokens(text, tokenizer)


@functools.cache
def standard_blocks() -> tuple[tuple[str, int, int, bool, str], ...]:
    """The table of spec 5 in the order of a prompt: tag, tokens, priority, protected, place."""
    return tuple(_core.standard_blocks())


def _report(part: _core.AssembledPart) -> BlockReport:
    return BlockReport(
        name=part.name,
        asked=part.asked,
        given=part.given,
        used=part.used,
        cut=part.cut,
        shown=len(part.shown),
        shortened=len(part.shortened),
        left_out=part.left_out,
        flags=tuple(part.flags),
        text=part.text,
    )
