"""`bardo capabilities`: tools and services of the agent, and whether they work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli import exits
from bardo.surfaces.cli.gate import By, open_gate
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import moment, plain

if TYPE_CHECKING:
    from bardo.conduct.model.procedures import Capability

app = noun("Tools and services of the agent, with probes that check whether they work.")


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Name, such as 'psql'.")],
    what: Annotated[str, typer.Argument(help="Purpose in a sentence.")] = "",
    *,
    usage: Annotated[str, typer.Option("--usage", help="Call or command line that uses it.")] = "",
    probe: Annotated[
        str,
        typer.Option("--probe", help="Command line that checks it, without a shell; 0 means that it works."),
    ] = "",
    timeout: Annotated[
        float, typer.Option("--timeout", help="Maximum run time of the probe, seconds.")
    ] = 5.0,
    by: By = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Add a capability, or change the one with that name."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        kept = opened.capabilities.add(name, what, usage=usage, probe=probe, timeout=timeout, by=by)
    output.document(kept)
    output.text(f"{kept.id}  {kept.name}")


@app.command("list")
def list_(*, at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """List capabilities with the last results of their probes."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        found = opened.capabilities.list()
    _print(found, output)


@app.command()
def check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Names or ids; all if not given.")
    ] = None,
    *,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run the probes, and keep their results; exits with 9 if a capability does not work."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        found = opened.capabilities.check(names or None)
    _print(found, output)
    if not found:
        which = " and ".join(names) if names else "any capability"
        output.note(f"no command probes {which}: `bardo capabilities add NAME --probe COMMAND`")
    if any(each.health != "ok" for each in found):
        raise typer.Exit(exits.WARNED)


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="Name or id.")],
    *,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Delete a capability."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        gone = opened.capabilities.remove(name)
    output.document(gone)
    output.text(f"{gone.id}  {gone.name}: removed")


def _print(found: list[Capability], output: Output) -> None:
    output.document({"capabilities": plain(found)})
    if output.as_json:
        return
    from bardo.surfaces.cli import tables

    grid = tables.grid("id", "name", "what", "usage", "health", "note", "checked", title="Capabilities")
    for each in found:
        checked = moment(each.checked_at) if each.checked_at else ""
        grid.add_row(each.id, each.name, each.what, each.usage, each.health, each.note, checked)
    output.show(grid)
