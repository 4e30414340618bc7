"""Weights of recall and of the shares of blocks, learned from the outcomes of prompts.

The outcomes are evidence; the weights are derived from them again each time, so that they can be looked at beside the
defaults, switched off, and forgotten without a trace in anything else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bardo.assemble.blocks import standard_blocks

#: The four factors of recall and their default weights.
FACTORS = {"relevance": 0.40, "temporal": 0.20, "importance": 0.25, "emotional": 0.15}
#: Largest multiple of its default that a weight takes; the smallest is its inverse.
LARGEST_FACTOR = 2.0
#: Largest multiple of its default that the share of a block takes; the smallest is its inverse.
LARGEST_SHARE = 1.5
#: Number of outcomes at which half of the measured effect is believed.
HALF_BELIEVED = 30
#: Smallest part of the effect, 0..1, by which a share changes.
SMALLEST_LEANING = 0.1
#: Tokens of the prompt that the table of standard blocks is made for.
BASE_WINDOW = 2_700


class SettledPrompt(NamedTuple):
    """A prompt with an outcome.

    Args:
        window: Tokens of the prompt without the reserve.
        used: Tokens of each block by its name.
        factors: Factors of each memory that a recall found, in the order of `FACTORS`; empty for others.
        outcome: From -1 to 1.
    """

    window: int
    used: Mapping[str, int]
    factors: Sequence[Sequence[float]]
    outcome: float


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Weights learned from the outcomes of one kind of task, beside the defaults.

    Args:
        task_type: Kind of task; empty for prompts that named none.
        outcomes: Prompts with a known outcome.
        enough: Whether there are enough of them to learn from.
        in_force: Whether recall and the prompt use them: enough, and switched on.
        factors: Weight of each factor of recall; they add up to 1.
        defaults: The same as they are without learning.
        shares: What the share of a block is multiplied by, for blocks whose size went with the outcome.
    """

    task_type: str
    outcomes: int
    enough: bool
    in_force: bool
    factors: dict[str, float]
    defaults: dict[str, float]
    shares: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {name: getattr(self, name) for name in self.__slots__}


def derive(task_type: str, settled: Sequence[SettledPrompt], *, learn: bool, evidence: int) -> LearnedWeights:
    """Derives the weights of one kind of task.

    Args:
        task_type: Kind of task.
        settled: Its prompts with an outcome.
        learn: Whether learned weights may come into force.
        evidence: Number of outcomes from which they do.
    """
    believed = len(settled) / (len(settled) + HALF_BELIEVED)
    means = [(_means(each.factors), each.outcome) for each in settled]
    factors = {}
    for place, (name, weight) in enumerate(FACTORS.items()):
        pairs = [(mean[place], outcome) for mean, outcome in means if mean]
        factors[name] = weight * LARGEST_FACTOR ** (believed * _correlation(pairs))
    total = sum(factors.values())
    shares = {}
    for name in sorted({name for each in settled for name in each.used}):
        pairs = [(each.used.get(name, 0) / max(1, each.window), each.outcome) for each in settled]
        leaning = believed * _correlation(pairs)
        if abs(leaning) > SMALLEST_LEANING:
            shares[name] = round(LARGEST_SHARE**leaning, 4)
    enough = len(settled) >= evidence
    return LearnedWeights(
        task_type=task_type,
        outcomes=len(settled),
        enough=enough,
        in_force=enough and learn,
        factors={name: round(weight / total, 4) for name, weight in factors.items()},
        defaults=dict(FACTORS),
        shares=shares,
    )


def caps(learned: LearnedWeights, window: int, names: Iterable[str]) -> dict[str, int]:
    """The caps of standard blocks whose share was learned, in tokens of a prompt's window.

    Args:
        learned: For the kind of task; nothing comes of what is not in force.
        window: Tokens of the prompt without the reserve.
        names: Blocks of the prompt.
    """
    if not learned.in_force:
        return {}
    table = {tag: tokens for tag, tokens, _, protected, _ in standard_blocks() if not protected}
    wanted = [name for name in names if name in learned.shares and name in table]
    return {name: int(table[name] * window / BASE_WINDOW * learned.shares[name]) for name in wanted}


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    known = [row for row in rows if len(row) == len(FACTORS)]
    return [sum(column) / len(known) for column in zip(*known, strict=True)] if known else []


def _correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Pearson's correlation, -1..1; 0 where one of the two never changes."""
    if len(pairs) < 2:
        return 0.0
    left, right = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    both = sum((one - left) * (other - right) for one, other in pairs)
    spread = math.sqrt(
        sum((one - left) ** 2 for one, _ in pairs) * sum((other - right) ** 2 for _, other in pairs)
    )
    return max(-1.0, min(1.0, both / spread)) if spread > 1e-12 else 0.0
