"""`bardo facts` and `bardo why`: what is known, and on what grounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.model import FactKind, FactStatus, Source
from bardo.surfaces.cli.opening import grimoire, to_read
from bardo.surfaces.cli.options import HERE, At, Debug, Json, tick_or_moment
from bardo.surfaces.cli.output import Output, plain
from bardo.surfaces.cli.show import ROWS, rows

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.grimoire.reader import Visitor
    from bardo.grimoire.results import Grounds
    from bardo.model import Fact


def facts(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Rows at most.")] = ROWS,
    subject: Annotated[str | None, typer.Option("--subject", "-s", help="Only about this.")] = None,
    kind: Annotated[FactKind | None, typer.Option(help="Only facts of this kind.")] = None,
    category: Annotated[str | None, typer.Option(help="Only facts under this slash path.")] = None,
    source: Annotated[Source | None, typer.Option(help="Only facts from this source.")] = None,
    status: Annotated[FactStatus, typer.Option(help="Only facts of this status.")] = "active",
    every: Annotated[bool, typer.Option("--all", help="Facts of any status.")] = False,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="TICK|DATE", help="Facts as they were then; a date where ticks are seconds."),
    ] = None,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Lists what is known, the surest first."""
    output = Output(as_json=as_json)
    opened, notes = to_read(at)
    with opened:
        found = opened.facts.list(
            kind=kind,
            category=category,
            subject=subject,
            source=source,
            status=None if every else status,
            as_of=tick_or_moment(as_of, "--as-of"),
        )
        _list(opened, found, limit, notes, output)


def why(
    fact: Annotated[str, typer.Argument(metavar="FACT", help="Id of a fact.")],
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show on what grounds a fact is believed.

    Its episodes, the test of its claim, every state it had, and its links.
    """
    from bardo.surfaces.cli import tables

    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        grounds = opened.facts.why(fact)
    output.document(plain(grounds))
    output.show(tables.pairs(_told(grounds), title=grounds.fact.text))
    if grounds.episodes:
        output.show(tables.episodes(grounds.episodes))


def calibration(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Show whether confidences mean what they say: how often facts held that were so sure."""
    from bardo.surfaces.cli import tables

    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        found = opened.curator.calibration()
    output.document(
        {
            "outcomes": found.outcomes,
            "brier": found.brier,
            "error": found.error,
            "reliability": plain(list(found.reliability)),
        }
    )
    if not found.outcomes:
        output.text(
            "No outcome was told yet: `outcome` of the library tells what came of acting on memories."
        )
        return
    table = tables.grid("sure", "outcomes", "held", "", "worth", title=f"{found.outcomes} outcomes")
    for one in found.reliability:
        held = "" if one.held is None else f"{one.held:.2f}"
        bar = "" if one.held is None else "#" * round(20 * one.held)
        table.add_row(f"{one.confidence:.3f}", str(one.outcomes), held, bar, f"{one.stated:.2f}")
    output.show(table)
    output.text(f"Brier score {found.brier:.4f} (always .5 has .25), calibration error {found.error:.3f}")


def _list(
    opened: Grimoire | Visitor, found: list[Fact], limit: int, notes: tuple[str, ...], output: Output
) -> None:
    from bardo.surfaces.cli import tables

    today = sorted(((fact, opened.facts.confidence(fact)) for fact in found), key=lambda pair: -pair[1])[
        :limit
    ]
    document = {
        "total": len(found),
        "facts": [{**plain(fact), "confidence_now": sure} for fact, sure in today],
        "notes": list(notes),
    }
    output.document(document)
    for note in notes:
        output.note(note)
    rows(tables.facts(today), len(today), len(found), output)


def _told(grounds: Grounds) -> list[tuple[str, object]]:
    from bardo.surfaces.cli import tables

    fact = grounds.fact
    rows: list[tuple[str, object]] = [
        ("kind", fact.kind),
        ("sure", f"{grounds.confidence:.2f} now, {fact.confidence:.2f} at tick {fact.reinforced_tick}"),
        ("worth", f"{grounds.stated:.2f}: how often it is to be expected to hold, going by outcomes"),
        ("status", fact.status),
        ("source", f"{fact.source}, of {fact.origin}"),
        ("support", f"{grounds.support} episodes, the latest {len(grounds.episodes)} below"),
    ]
    asked = (
        f"went well {grounds.good} times and badly {grounds.bad}" if grounds.good + grounds.bad else "untried"
    )
    rows.append(("rank", f"{grounds.rank}, {'' if grounds.confirmed else 'not '}confirmed, {asked}"))
    if grounds.trial:
        trial = grounds.trial
        rows.append(
            (
                "test",
                f"{trial.windows} windows of fresh episodes made {trial.wealth:.3g} of 1 against chance; "
                f"on its own it needed {trial.needed:.3g}",
            )
        )
    rows += [("history", tables.state(state)) for state in grounds.history]
    rows += [("link", tables.link(link, fact.id)) for link in grounds.links]
    return rows
