"""The prompt for a task, with what was recalled for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bardo import _core
from bardo.assemble import turns
from bardo.assemble.blocks import FACTS, Block, Rows, block, memory_block, memory_blocks
from bardo.assemble.condense import Condenser
from bardo.assemble.current import without_replaced
from bardo.assemble.learned_rules import LEARNED_RULES, is_seated, rules_block
from bardo.assemble.prompt import (
    BUDGET,
    RESERVE,
    BlockReport,
    Prompt,
    TaskType,
    Voice,
    assemble,
    count_tokens,
)
from bardo.assemble.prompt_memory import MemoryLike, PromptMemory
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

#: Characters from which a text may have to be shortened: the smallest share of a standard block is 100 tokens.
LONG_TEXT = 400


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
