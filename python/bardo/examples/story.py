"""Renders the demo's terminal output, stage by stage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bardo.examples import market
from bardo.examples.lives import Life
from bardo.examples.market import Day
from bardo.examples.trader import Terms
from bardo.surfaces.cli import tables
from bardo.surfaces.cli.values import short

if TYPE_CHECKING:
    from bardo.examples.chat import Chat
    from bardo.examples.twins import Comparison
    from bardo.model import Fact

#: Maximum number of rows in a list of facts.
FEW = 4
CAVEAT = (
    "A demonstration of memory, not of trading: the rules are plain, one path of history proves nothing, "
    "and this is no advice."
)


def opening(days: Sequence[Day]) -> RenderableType:
    """Renders the source of the data and its gaps."""
    feared = [day.date for day in days if day.fear is not None]
    oil = sum(market.CRUDE in day.returns for day in days)
    vix = f"the VIX only from {feared[0]} on ({len(feared)} days)" if feared else "no VIX in these years"
    return Group(
        Rule("One: a market, three lives", style="bold"),
        Text(f"{market.CREDIT}. Loaded from the installed package, not copied.", style="dim"),
        Text(
            f"{len(days)} trading days from {days[0].date} to {days[-1].date}; the year before is the warm-up. "
            f"Crude oil moved on {oil} of them, {vix}; what is missing is left out, not filled in."
        ),
        Text(CAVEAT, style="yellow"),
    )


def life(lived: Life, terms: Terms) -> RenderableType:
    """Renders one life: activity, recall for the last decision, testament."""
    parts: list[RenderableType] = [
        Rule(f"{lived.agent}, generation {lived.generation}: {lived.days[0].date} to {lived.days[-1].date}"),
        tables.pairs(_numbers(lived, terms)),
    ]
    if lived.inherited:
        parts += [_facts("What its own days confirmed of the inheritance", lived.confirmed, "green"),
                  _facts("What they refuted", lived.refuted, "red"),
                  _facts("What it acted on badly, and doubts", lived.doubted, "yellow")]  # fmt: skip
    for when, recalled in (("first", lived.first_recollection), ("last", lived.last_recollection)):
        if recalled is not None and len(recalled):
            title = f"Recalled for its {when} decision: {recalled.query}"
            parts.append(tables.memories(recalled[:FEW], title=title))
    if lived.testament is not None:
        parts.append(
            Panel(
                Markdown(lived.testament.reflection),
                title=f"Reflection of {lived.agent}",
                border_style="magenta",
            )
        )
    return Group(*parts)


def _numbers(lived: Life, terms: Terms) -> list[tuple[str, str]]:
    totals, outcomes = lived.totals, lived.outcomes
    held = market.hold(lived.days, budget=terms.budget, daily_cost=terms.living_cost_per_day)[-1]
    shares = lived.inherited_share
    early = shares[: max(1, len(shares) // 10)]
    rows = [
        (
            "lived",
            f"{len(lived.days)} days; died of: {lived.cause}; wealth at the end {lived.wealth[-1]:.1f} "
            f"(merely holding the S&P 500: {held:.1f})",
        ),
        (
            "slept",
            f"{totals.get('passes', 0)} Curator passes over {totals.get('episodes', 0)} verified episodes: "
            f"{totals.get('facts_new', 0)} facts new, {totals.get('facts_reinforced', 0)} reinforced",
        ),
        (
            "learnt from outcomes",
            f"{outcomes['good']} good and {outcomes['bad']} bad weeks moved memories: "
            f"{outcomes['reinforced']} up, {outcomes['weakened']} down",
        ),
    ]
    if lived.inherited:
        rows.append(
            (
                "inherited",
                f"{len(lived.inherited)} facts: {len(lived.confirmed)} confirmed, {len(lived.refuted)} refuted, "
                f"{len(lived.doubted)} doubted after bad outcomes, {len(lived.faded)} never put to the test",
            )
        )
        rows.append(
            (
                "weight of the inherited",
                f"in its decisions {sum(early) / len(early):.0%} at first, {shares[-1]:.0%} at the end"
                if shares
                else "",
            )
        )
    return rows


def _facts(title: str, found: Sequence[Fact], style: str) -> RenderableType:
    if not found:
        return Text(f"{title}: nothing", style=style)
    table = Table(
        box=None,
        title=f"{title}: {len(found)}",
        title_justify="left",
        title_style=f"bold {style}",
        show_header=False,
    )
    table.add_column(style=style)
    table.add_column()
    for fact in sorted(found, key=lambda fact: -fact.confidence)[:FEW]:
        table.add_row(f"{fact.confidence:.2f}", Text(short(fact.text)))
    if len(found) > FEW:
        table.add_row("", Text(f"and {len(found) - FEW} more", style="dim"))
    return table


def twins(lives: Sequence[Life], compared: Comparison | None) -> RenderableType:
    """Renders heirs beside their twins, and the comparison over several start dates."""
    parts: list[RenderableType] = [Rule("Heirs beside twins that inherited nothing")]
    for heir in lives:
        if heir.twin is not None:
            ended = f"{heir.twin.wealth[-1]:.1f} after {len(heir.twin.days)} days ({heir.twin.cause})"
            mine = f"{heir.wealth[-1]:.1f} after {len(heir.days)} days ({heir.cause})"
            parts.append(Text(f"{heir.agent} ended with {mine}, its twin of the same seed with {ended}."))
    if compared is None:
        parts.append(Text("There are too few days left to compare pairs.", style="yellow"))
    else:
        style = "bold green" if compared.is_more_than_chance and compared.mean > 0 else "bold yellow"
        parts += [Text(compared.figures), Text(compared.finding, style=style)]
    return Group(*parts)


def chat(told: Chat) -> RenderableType:
    """Renders the chat: capture, questions, prompt."""
    parts: list[RenderableType] = [
        Rule("Two: a chat of three months", style="bold"),
        Text(f"{told.turns} turns captured verbatim; read a second time, {told.again} were taken for new."),
    ]
    for answer in told.answers:
        mark = f"answer at place {answer.rank}" if answer.rank else "the answer is not among them"
        parts.append(tables.memories(answer.recollection, title=f"{answer.question}  ({mark})"))
    prompt = told.prompt
    parts.append(
        Panel(
            Text(str(prompt)),
            title=f"A prompt of {prompt.tokens} tokens with {len(prompt.memories)} memories",
            border_style="cyan",
        )
    )
    return Group(*parts)


def closing(folder: Path, picture: Path, seconds: float) -> RenderableType:
    """Renders the paths of the results."""
    return Group(
        Rule(style="bold"),
        Text(f"Done in {seconds:.0f} s. The picture: {picture}"),
        Text(
            f"The memories are ordinary grimoires; look around with: bardo facts list --at {folder / 'trader-3'}"
        ),
    )
