"""`bardo costs`: what language models have cost."""

from __future__ import annotations

from typing import Annotated

import typer

from bardo.config import MONTH_DAYS
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, plain


def costs(
    *,
    days: Annotated[int, typer.Option(min=1, help="How far to look back.")] = MONTH_DAYS,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show what language models have cost.

    Calls, tokens, money by the prices in bardo.toml, latency, and how calls ended.
    """
    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        found = opened.maintenance.costs(days=days)
    from bardo.surfaces.cli import tables

    output.document({**plain(found), "calls": found.calls, "tokens": found.tokens, "cost": found.cost})
    told = [
        ("tokens today", f"{found.tokens_today} of {found.daily_tokens}"),
        ("calls", found.calls),
        ("tokens", found.tokens),
        ("cost", f"{found.cost:.4f}"),
    ]
    output.show(tables.pairs(told, title=f"Language models, {days} days"))
    if found.spent:
        output.show(tables.spent(found.spent))
