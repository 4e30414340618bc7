"""Prompts within a token budget: typed blocks in, one text out, and a report of what got in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Literal

from bardo import _core
from bardo.assemble import tokenizers, turns
from bardo.assemble.blocks import FACTS, Block, Rows, block, memory_block, memory_blocks
from bardo.assemble.condense import Condenser
from bardo.assemble.current import without_replaced
from bardo.assemble.learned_rules import LEARNED_RULES, is_seated, rules_block
from bardo.assemble.prompt_memory import MemoryLike, PromptMemory
from bardo.errors import InvalidInputError
from bardo.life.clocks import Phase
from bardo.recall.situation import Situation

__all__ = [
    "BUDGET",
    "FACTS",
    "RESERVE",
    "Block",
    "BlockReport",
    "Phase",
    "Prompt",
    "TaskType",
    "Voice",
    "assemble",
    "block",
    "build",
    "count_tokens",
    "memory_block",
    "memory_blocks",
]

TaskType = Literal["anomaly", "routine", "trade_evaluation"]
Voice = Literal["briefing", "first_person"]

#: Tokens of one prompt and its answer.
BUDGET = 3_200
#: Characters from which a text may have to be shortened: the smallest share of a standard block is 100 tokens.
LONG_TEXT = 400
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
        notes=tuple(_left_out(report, given[report.name]) for report in reports if report.cut),
    )


def _report(block: _core.BlockReport, given: Sequence[MemoryLike]) -> BlockReport:
    """The report of a block with its memories, of those that it was given."""
    shown = [PromptMemory.of(given[place]) for place in sorted(block.places)] if given else ()
    return BlockReport(**{name: getattr(block, name) for name in _OF_THE_CORE}, memories=tuple(shown))


def _memories_short_of_room(reports: Sequence[_core.BlockReport], block: Block) -> Sequence[int]:
    """Places of memories that would have more room without their turns, or leave it to one that did not get in."""
    report = next(report for report in reports if report.name == block.name)
    return [*report.shortened_places, *(turns.last_with_turns(block) if report.left_out else ())]


def _left_out(report: BlockReport, given: Sequence[MemoryLike]) -> str:
    """Describes the omitted part of a block, and the reason."""
    room = f"there were {report.given} tokens for it"
    total = report.shown + report.left_out
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
    counts = ((report.left_out, "not"), (report.shortened, "shortened"))
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


def reserve_set(reserve: int) -> int | None:
    """The reserve of the settings as `assemble` takes it: the default shrinks with the budget, another is kept."""
    return None if reserve == RESERVE else reserve


def build(
    task: str,
    memories: Sequence[MemoryLike] | None,
    *,
    rules: Sequence[MemoryLike] = (),
    blocks: Mapping[str, str | Rows | Sequence[MemoryLike] | Block] | None = None,
    budget: int = BUDGET,
    reserve: int | None = None,
    tokenizer: str = "o200k",
    phase: Phase | None = None,
    task_type: TaskType | None = None,
    voice: Voice | None = None,
    words: Callable[[], _core.WordModel] | None = None,
    caps: Callable[[int, Iterable[str]], Mapping[str, int]] | None = None,
    situation: Mapping[str, Any] | None = None,
) -> Prompt:
    """The prompt for a task, with what was recalled for it.

    The task is the instruction; where `blocks` bring an instruction of their own, it is the event; where they bring
    both, it is not in the prompt. Blocks named `past_events` or `knowledge` stand in place of the memories.

    Args:
        task: What is to be decided or done.
        memories: A recollection, best first; its `notes` become those of the prompt. Empty says that nothing was found,
            None says nothing. The turns beside a memory stand in its entry, each once. Seated rules among them stand in
            the block `learned_rules`, unless `blocks` have one.
        rules: Rules of that block that were searched apart from the memories, the most applicable first.
        blocks: Further blocks by name: text, rows, or blocks.
        budget: Tokens of the prompt and of the answer together.
        reserve: Tokens kept for the answer; the default of `assemble` if None.
        tokenizer: Tokenizer that counts the tokens, by a name of `assemble`.
        phase: Phase of life, which says how much of the budget is spent.
        task_type: Kind of task, which says which block is sure of a part of the window.
        voice: Voice of the memories.
        words: Tells what is predictable: long texts lose that first, as far as the task does not ask for it. Called
            only if there is a text that may have to be shortened.
        caps: Gives blocks that name no cap one of their own, from the tokens of the prompt and the blocks' names.
        situation: Features of the moment, as `recall` takes them: rules are stated as they read there.

    Raises:
        BudgetTooSmallError: The task and the system prompt do not fit; the message names what they need.
        InvalidInputError: A block, a name or a number is not usable.
    """
    parts = {each.name: each for each in (block(name, content) for name, content in (blocks or {}).items())}
    for name in ("instruction", "event"):
        if name not in parts:
            parts[name] = Block(name, task)
            break
    found = [PromptMemory.of(memory) for memory in memories or ()]
    others = [memory for memory in found if not _repeats_task(task, memory)]
    echoes = len(found) - len(others)
    kept = min(RESERVE, budget // 4) if reserve is None else reserve
    window = max(0, budget - kept)
    seated = [memory for memory in others if is_seated(memory)]
    if rules or seated:
        moment = None if situation is None else Situation.of(situation)
        parts.setdefault(LEARNED_RULES, rules_block([*map(PromptMemory.of, rules), *seated], window, moment))
        others = [memory for memory in others if memory not in seated]
    others, replaced = without_replaced(others)
    attached, left_out = turns.attach_turns(others)
    for each in memory_blocks(attached) if attached or (memories is not None and not seated) else ():
        parts.setdefault(each.name, each)
    if caps is not None:
        shares = caps(window, parts)
        parts = {
            name: replace(each, cap=shares[name]) if name in shares and each.cap is None else each
            for name, each in parts.items()
        }
    prompt = assemble(
        list(parts.values()),
        budget=budget,
        reserve=reserve,
        tokenizer=tokenizer,
        phase=phase,
        task_type=task_type,
        voice=voice,
        condenser=Condenser(words(), task) if words and any(map(_is_long, parts.values())) else None,
    )
    notes = [*getattr(memories, "notes", ())]
    if echoes:
        notes.append(f"{echoes} memories have the very words of the task and were left out")
    if replaced:
        notes.append(f"{replaced} facts with older values were left out: the current ones are there")
    if left_out:
        notes.append(
            f"{left_out} turns beside memories were left out: {turns.MOST_BESIDE} characters stand beside one at most"
        )
    return replace(prompt, notes=(*notes, *prompt.notes))


def _repeats_task(task: str, memory: PromptMemory) -> bool:
    """Whether a memory is the task again, as when a message is remembered before it is answered."""
    return memory.text.strip() == task.strip() and not (memory.before or memory.after)


def _is_long(each: Block) -> bool:
    return each.condense and each.content is not None and len(each.content) >= LONG_TEXT


def count_tokens(text: str, tokenizer: str = "o200k") -> int:
    """The number of tokens of a text, exact and offline.

    Raises:
        InvalidInputError: There is no such tokenizer, or the text holds a lone surrogate.
    """
    return _core.count_tokens(text, tokenizers.known(tokenizer))
