"""Confidence of inherited facts at the birth of an heir: discounted by generations and by outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from bardo import _core
from bardo.bequeath.content import tallies
from bardo.config import Bequeath
from bardo.model import Fact


def births_of(facts: Sequence[Fact], config: Bequeath, base: float) -> list[float]:
    """Computes the confidence of each entry of a testament at its heir, 0..1; never above the testator's.

    Args:
        facts: Entries; `confidence` is the testator's at death.
        config: Discount per generation.
        base: Confidence without a discount, 0..1.
    """

    def discounted(confidences: Sequence[float]) -> list[float]:
        is_linear = config.fading == "step"
        return _core.confidences_at_birth(
            [
                (fact.generation + 1, confidence, fact.kind == "anti_knowledge")
                for fact, confidence in zip(facts, confidences, strict=True)
            ],
            base=base,
            rate=config.generation_step if is_linear else config.generation_decay,
            linear=is_linear,
        )

    births = discounted([fact.confidence for fact in facts])
    # The testator's confidence may have the outcomes of its ancestors already: they discount what it would be without.
    plain = discounted([1.0] * len(facts))
    return [
        min(birth, tallies.expected(fact, without))
        for fact, birth, without in zip(facts, births, plain, strict=True)
    ]
