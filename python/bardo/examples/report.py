"""Builds the demo's report as a JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo.examples import market
from bardo.examples.lives import Life
from bardo.examples.market import Day
from bardo.surfaces.cli.values import recollection_document

if TYPE_CHECKING:
    from bardo.examples.chat import Chat
    from bardo.examples.twins import Comparison
    from bardo.recall.recollection import Recollection


def document(
    lives: Sequence[Life],
    compared: Comparison | None,
    chat: Chat,
    *,
    days: Sequence[Day],
    picture: Path,
    seconds: float,
) -> dict[str, Any]:
    """Builds the JSON-like report; only `seconds` and paths differ between two runs."""
    return {
        "data": {
            "credit": market.CREDIT,
            "days": len(days),
            "from": str(days[0].date),
            "to": str(days[-1].date),
            "days_with_crude": sum(market.CRUDE in day.returns for day in days),
            "days_with_vix": sum(day.fear is not None for day in days),
        },
        "lives": [_life(life) for life in lives],
        "twins": None if compared is None else _compared(compared),
        "chat": {
            "turns": chat.turns,
            "captured_again": chat.again,
            "answers": [
                {
                    "expected": answer.expected,
                    "rank": answer.rank,
                    **recollection_document(answer.recollection),
                }
                for answer in chat.answers
            ],
            "prompt": {
                "tokens": chat.prompt.tokens,
                "memories": len(chat.prompt.memories),
                "text": str(chat.prompt),
            },
        },
        "picture": str(picture),
        "seconds": round(seconds, 1),
    }


def _life(life: Life) -> dict[str, Any]:
    return {
        "agent": life.agent,
        "generation": life.generation,
        "from": str(life.days[0].date),
        "to": str(life.days[-1].date),
        "days": len(life.days),
        "cause": life.cause,
        "wealth": round(life.wealth[-1], 4),
        "curator": life.totals,
        "outcomes": life.outcomes,
        "inherited": [fact.text for fact in life.inherited],
        "confirmed": [fact.text for fact in life.confirmed],
        "refuted": [fact.text for fact in life.refuted],
        "doubted": [fact.text for fact in life.doubted],
        "never_tested": [fact.text for fact in life.faded],
        "inherited_share": [round(share, 4) for share in life.inherited_share],
        "first_recollection": _recalled(life.first_recollection),
        "last_recollection": _recalled(life.last_recollection),
        "twin": None if life.twin is None else _twin(life.twin),
        "reflection": None if life.testament is None else life.testament.reflection,
    }


def _twin(life: Life) -> dict[str, Any]:
    return {
        "agent": life.agent,
        "days": len(life.days),
        "cause": life.cause,
        "wealth": round(life.wealth[-1], 4),
    }


def _compared(compared: Comparison) -> dict[str, Any]:
    return {
        "pairs": [
            {"from": str(pair.start), "heir": round(pair.heir, 4), "twin": round(pair.twin, 4)}
            for pair in compared.pairs
        ],
        "mean_difference": round(compared.mean, 4),
        "interval": [round(end, 4) for end in compared.interval],
        "ahead": compared.ahead,
        "behind": compared.behind,
        "p_value": round(compared.p_value, 6),
        "more_than_chance": compared.is_more_than_chance,
        "words": f"{compared.figures} {compared.finding}",
    }


def _recalled(recollection: Recollection | None) -> dict[str, Any] | None:
    return None if recollection is None else recollection_document(recollection)
