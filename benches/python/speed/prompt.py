"""`context()`: choosing and framing 3,200 tokens out of 200 candidates, beside counting the tokens of the result."""

from __future__ import annotations

from pathlib import Path

import bardo
from bardo._core import count_tokens
from bardo.assemble.context import build
from speed import timing
from speed.hybrid import filled
from speed.world import World

CANDIDATES, BUDGET = 200, 3_200
BAR = "2"


def measure(folder: Path, world: World, *, rounds: int) -> list[timing.Row]:
    """Assembling alone (the candidates are recalled before), and the whole call."""
    what = f"context(), {BUDGET:,} tokens out of {CANDIDATES} candidates"
    with filled(folder / "bardo", world) as grimoire:
        tokenizer = grimoire.config.assemble.tokenizer

        def assemble(number: int) -> object:
            return build(
                world.questions[number], recalled[number], budget=BUDGET, reserve=0, tokenizer=tokenizer
            )

        numbers = list(range(min(rounds, len(world.questions))))
        recalled = [grimoire.recall(world.questions[number], limit=CANDIDATES) for number in numbers]
        prompts = [str(assemble(number)) for number in numbers]
        medians = timing.in_turns(
            {
                "counting its tokens alone": lambda number: count_tokens(prompts[number], tokenizer),
                "assembling": assemble,
                "recall and assembling": lambda number: grimoire.context(
                    world.questions[number], budget=BUDGET, reserve=0, limit=CANDIDATES
                ),
            },
            numbers,
        )
    alone = medians["counting its tokens alone"]
    size = sum(len(text.encode()) for text in prompts) / len(prompts)
    return [
        timing.Row(
            what, f"bardo, {name}", seconds, seconds / alone, BAR if name == "assembling" else "",
            f"{bardo.__version__}; {size / 1000:.1f} kB, counted at {size / alone / 1e6:.0f} MB/s"
            if seconds == alone else "",
        )
        for name, seconds in medians.items()
    ]  # fmt: skip
