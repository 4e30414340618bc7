"""`bardo missions`: the standing directive with which the agent begins each session."""

from __future__ import annotations

from typing import Annotated

import typer

from bardo.surfaces.cli.gate import By, Why, open_gate
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import moment, plain

app = noun("The standing directive of the agent, which `bardo boot` shows.")


@app.command("set")
def set_(
    text: Annotated[str, typer.Argument(help="The directive.")],
    *,
    by: By = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Set the mission, and end the one before it; a person's mission needs the name of a person."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        kept = opened.missions.set(text, by=by)
    output.document(kept)
    output.text(f"{kept.id}  {kept.text}")


@app.command("list")
def list_(*, at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """List all missions, the latest first."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        found = opened.missions.list()
    output.document({"missions": plain(found)})
    for each in found:
        ended = f"ended by {each.ended_by}: {each.ended_why}".rstrip(": ") if each.ended_at else "in force"
        output.text("  ".join(filter(None, [each.id, moment(each.at), each.text, each.by, f"({ended})"])))


@app.command()
def end(*, by: By = "", why: Why = "", at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """End the mission in force; a person's mission needs the name of a person."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        ended = opened.missions.end(by=by, why=why)
    output.document(ended)
    output.text(f"{ended.id}  {ended.text}: ended by {ended.ended_by}")
