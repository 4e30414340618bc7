"""Prompts within a token budget: typed blocks in, one text out, and a report of what got in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from bardo import _core
from bardo.assemble import tokenizers, turns
from bardo.assemble.blocks import Block, Rows, block
from bardo.assemble.prompt_memory import MemoryLike, PromptMemory
from bardo.errors import BudgetTooSmallError, InvalidInputError

if TYPE_CHECKING:
    from bardo.assemble.condense import Condenser
    from bardo.life.clocks import Phase

TaskType = Literal["anomaly", "routine", "trade_evaluation"]
Voice = Literal["briefing", "first_person"]

#: Tokens of one prompt and its answer.
BUDGET = 3_200
#: Tokens of a budget kept for the answer; never more than a quarter of it, unless the caller says.
RESERVE = 500


@dataclass(frozen=True, slots=True)
class BlockReport:
    """Report of one block.

    Args:
        name: Name of the block.
        asked: Tokens of all its content; at least this many if it was cut, since what cannot fit is not counted on.
        given: Tokens it was allowed.
        used: Tokens it takes, tags included; 0 if it is not there.
        cut: Whether any of its content is not there.
        shown: Memories or rows that got in.
        shortened: Memories that got in shortened.
        left_out: Memories or rows that did not get in.
        flags: What was found and defused in its content (`bardo.assemble.fence.neutralise`).
        condensed: Part of the tokens that is left of a text whose predictable words went; None if none did.
        text: Its part of the prompt.
        memories: The memories that got in as they are shown, best first: the origin of each line.
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
    condensed: float | None = None
    memories: tuple[PromptMemory, ...] = ()

    def __str__(self) -> str:
        line = f"{self.name}: {self.used} tokens"
        if self.shown or self.left_out:
            line += f", {self.shown} of {self.shown + self.left_out} in"
        if self.shortened:
            line += f", {self.shortened} shortened"
        if self.cut:
            line += f", cut (asked for {self.asked} or more, given {self.given})"
        if self.condensed is not None:
            line += f", condensed to {self.condensed:.0%}"
        if self.flags:
            line += f", flagged: {' '.join(self.flags)}"
        return line

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON types, without the text, which the prompt repeats."""
        numbers = {name: getattr(self, name) for name in _OF_THE_CORE if name not in ("text", "flags")}
        return {
            **numbers,
            "flags": list(self.flags),
            "memories": [memory.to_dict() for memory in self.memories],
        }


#: Fields of a report that the core gives.
_OF_THE_CORE = tuple(each.name for each in fields(BlockReport) if each.name != "memories")


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
        notes: What recall could not do or did not find, and the parts omitted from the prompt with the reason.
        situation: Features of the moment for which it was made, as `context` took them; None if they were not given.
        task: Task for which it was made.
        arrived: Number of the last episode that had arrived when `Grimoire.context` made it; None if it is not known.
    """

    id: str
    text: str
    tokens: int
    budget: int
    reserve: int
    window: int
    tokenizer: str
    blocks: tuple[BlockReport, ...]
    notes: tuple[str, ...] = ()
    situation: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    task: str = field(default="", compare=False, repr=False)
    arrived: int | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.text

    @property
    def memories(self) -> tuple[MemoryLike, ...]:
        """The memories that got in, as they were recalled, block by block, best first."""
        return tuple(memory.recalled for block in self.blocks for memory in block.memories)

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

        Joined, their contents are the text, unless `system` was given another place. Providers add a few tokens of
        their own per message: reserve some.
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
            "blocks": [block.to_dict() for block in self.blocks],
            "memories": [memory.id for block in self.blocks for memory in block.memories],
            "cut": list(self.cut),
            "notes": list(self.notes),
        }


def assemble(
    blocks: Sequence[Block] | Mapping[str, str | Rows | Sequence[MemoryLike] | Block],
    *,
    budget: int = BUDGET,
    reserve: int | None = None,
    tokenizer: str = "o200k",
    phase: Phase | None = None,
    task_type: TaskType | None = None,
    voice: Voice | None = None,
    condenser: Condenser | None = None,
) -> Prompt:
    """One prompt out of blocks. Its tokens, tags and separators included, never exceed `budget - reserve`.

    Protected blocks are there whole. The others are filled by priority, each up to its share; spare tokens go
    to those that were cut, by priority. System and event stand first, positions and instruction last, memories
    between, with their best at both ends.

    Args:
        blocks: Blocks, or a mapping of names to text, rows or memories.
        budget: Tokens of the prompt and of the answer together.
        reserve: Tokens kept for the answer. If not given, 500, and of a budget below 2,000 a quarter.
        tokenizer: `o200k`, `cl100k`, a Hugging Face `tokenizer.json` by its path, or `estimate` (a quarter of the
            characters: not exact, only by name).
        phase: How much of the budget is spent: thriving 1.0, stable 0.8, conservation 0.7, declining 0.6, terminal 0.4.
        task_type: Which block is sure of a part of the window: `anomaly` episodes a third, `routine` facts a quarter,
            `trade_evaluation` positions a quarter.
        voice: Voice of the memories: `briefing` (a report) or `first_person` (one's own past).
        condenser: What is predictable, and what the prompt is for; without it, texts are cut at their ends.

    Raises:
        BudgetTooSmallError: The protected blocks do not fit; the message names what they need.
        InvalidInputError: A block, a name or a number is not usable.
    """
    if isinstance(blocks, Mapping):
        blocks = [block(name, content) for name, content in blocks.items()]
    for name, number in (("budget", budget), ("reserve", reserve)):
        if number is not None and number < 0:
            raise InvalidInputError(f"the {name} is {number} tokens. Use 0 or more")
    fill = partial(
        _core.assemble,
        budget=budget,
        reserve=reserve,
        tokenizer=tokenizers.known(tokenizer),
        phase=phase or "thriving",
        task_type=task_type,
        voice=voice or "briefing",
        model=condenser.model if condenser else None,
        question=condenser.question if condenser else None,
    )
    assembled = fill(blocks)
    while any(map(turns.last_with_turns, blocks)):
        # Turns beside a memory are dropped before any memory is dropped or cut.
        alone = [turns.without(each, _memories_short_of_room(assembled.blocks, each)) for each in blocks]
        if not any(alone):
            break
        blocks = [
            each if without is None else replace(each, memories=without)
            for each, without in zip(blocks, alone, strict=True)
        ]
        assembled = fill(blocks)
    given = {each.name: each.memories or () for each in blocks}
    omitted = {each.name: each.omitted for each in blocks}
    reports = tuple(_report(each, given[each.name]) for each in assembled.blocks)
    return Prompt(
        id=assembled.id,
        text=assembled.text,
        tokens=assembled.tokens,
        budget=budget,
        reserve=assembled.reserve,
        window=assembled.window,
        tokenizer=tokenizer,
        blocks=reports,
        notes=tuple(
            _left_out(report, given[report.name], omitted[report.name])
            for report in reports
            if report.cut or omitted[report.name]
        ),
    )


def assemble_uncounted(blocks: Sequence[Block], *, budget: int, tokenizer: str = "o200k") -> Prompt:
    """Assembles a prompt as `assemble` does, without a reserve, and counts no tokens where the bytes fit the budget.

    A text has at most as many tokens of a built-in vocabulary as bytes, and loading a vocabulary takes longer than all
    else. The sizes of the prompt are in bytes then, and its `tokenizer` is `bytes`.

    Args:
        blocks: Blocks of memories or trusted text.
        budget: Maximum number of tokens.
        tokenizer: Tokenizer that counts the tokens where the bytes do not fit, by a name of `assemble`.
    """
    least = sum(
        len(each.content or "") + sum(len(memory.text) for memory in each.memories or ()) for each in blocks
    )
    if tokenizer in tokenizers.BOUNDED_BY_BYTES and least <= budget:
        with suppress(BudgetTooSmallError):
            prompt = assemble(blocks, budget=budget, reserve=0, tokenizer=tokenizers.BYTES)
            if not prompt.cut:
                return prompt
    return assemble(blocks, budget=budget, reserve=0, tokenizer=tokenizer)


def _report(block: _core.BlockReport, given: Sequence[MemoryLike]) -> BlockReport:
    """The report of a block with its memories, of those that it was given."""
    shown = [PromptMemory.of(given[place]) for place in sorted(block.places)] if given else ()
    return BlockReport(**{name: getattr(block, name) for name in _OF_THE_CORE}, memories=tuple(shown))


def _memories_short_of_room(reports: Sequence[_core.BlockReport], block: Block) -> Sequence[int]:
    """Places of memories that would have more room without their turns, or leave it to one that did not get in."""
    report = next(report for report in reports if report.name == block.name)
    return [*report.shortened_places, *(turns.last_with_turns(block) if report.left_out else ())]


def _left_out(report: BlockReport, given: Sequence[MemoryLike], omitted: int) -> str:
    """Describes the omitted part of a block, and the reason."""
    room = f"there were {report.given} tokens for it"
    if omitted:
        latest = f"it has the first {report.shown + report.left_out} at most"
        room = f"{latest}, and {room}" if report.cut else latest
    total = report.shown + report.left_out + omitted
    if not total:
        left = (
            "was condensed"
            if report.condensed is not None
            else "was cut"
            if report.used
            else "is not in the prompt"
        )
        return f"the block {report.name} {left}: it asked for {report.asked} tokens or more, and {room}"
    is_dossier = _is_dossier(given)
    what = "passages of the dossier" if is_dossier else "memories" if given else "rows"
    if is_dossier and report.left_out:
        room = f"{room}. Left out: {_headings(given, report.memories)}"
    counts = ((report.left_out + omitted, "not"), (report.shortened, "shortened"))
    said = [
        f"{count} of {total} {what} are {how} in the block {report.name}" for count, how in counts if count
    ]
    return f"{' and '.join(said)}: {room}"


def _headings(passages: Sequence[MemoryLike], shown: Sequence[PromptMemory]) -> str:
    """Names the sections of a dossier that are not whole in a prompt, each with the number of its lines."""
    lines: Counter[str] = Counter()
    for passage in passages:
        if PromptMemory.of(passage) not in shown:
            heading, *rest = passage.text.splitlines()
            lines[heading.lstrip("# ")] += sum(1 for line in rest if line.strip())
    return ", ".join(f"{heading} ({count})" for heading, count in lines.items())


def _is_dossier(memories: Sequence[MemoryLike]) -> bool:
    return any(memory.layer == "dossier" for memory in memories)


def count_tokens(text: str, tokenizer: str = "o200k") -> int:
    """The number of tokens of a text, exact and offline.

    Raises:
        InvalidInputError: There is no such tokenizer, or the text holds a lone surrogate.
    """
    return _core.count_tokens(text, tokenizers.known(tokenizer))
