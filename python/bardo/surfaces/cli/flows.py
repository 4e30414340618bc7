"""`bardo flows`: named procedures with their effectiveness; the memory may be open elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from bardo.surfaces.cli.gate import By, Domain, Why, open_gate
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

app = noun("Named procedures: the steps of an action, its triggers, and how often they succeeded.")

Name = Annotated[str, typer.Argument(help="Name or id of the flow.")]


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Name, such as 'release'.")],
    steps: Annotated[list[str], typer.Argument(metavar="STEP...", help="Steps in order.")],
    *,
    trigger: Annotated[
        list[str] | None,
        typer.Option("--trigger", help="Action for which the flow is meant, in words; may be repeated."),
    ] = None,
    approval: Annotated[
        bool | None,
        typer.Option(
            "--approval/--no-approval", help="Whether a trigger is blocked without a person's approval."
        ),
    ] = None,
    domain: Domain = "",
    by: By = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Add a flow, or a new version of the one with that name."""
    with open_gate(at, words=True) as opened:
        flow = opened.flows.add(
            name, steps, triggers=trigger or (), needs_approval=approval, domain=domain, by=by
        )
    output = Output(as_json=as_json)
    output.document(flow)
    output.text(f"{flow.id}  {flow.name}, version {flow.version}")


@app.command("list")
def list_(
    *,
    domain: Annotated[str | None, typer.Option("--domain", help="Only flows of this domain.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Include retired flows.")] = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """List flows with their effectiveness, and which of them to trust, to rewrite or to retire."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        found, now = opened.flows.list(domain=domain, every=every), opened.now
    output.document(
        {
            "flows": [
                {
                    **plain(flow), "used": flow.used, "effectiveness": flow.effectiveness, "interval": flow.interval,
                    "flag": flow.flag_at(now),
                }
                for flow in found
            ]
        }
    )  # fmt: skip
    if as_json:
        return
    from bardo.conduct.procedures.flows import results_text
    from bardo.surfaces.cli import tables

    grid = tables.grid("id", "name", "steps", "triggers", "results", "status", title="Flows")
    for flow in found:
        steps = "\n".join(f"{place}. {step}" for place, step in enumerate(flow.steps, 1))
        status = f"retired by {flow.retired_by}" if flow.retired_by else f"version {flow.version}"
        grid.add_row(
            flow.id, flow.name, steps, "\n".join(flow.triggers), results_text(flow, now), status
        )  # fmt: skip
    output.show(grid)


@app.command()
def find(
    action: Annotated[str, typer.Argument(help="The action, in words or as a command.")],
    *,
    words: Annotated[
        bool, typer.Option("--words", help="Compare by words alone: no model is loaded.")
    ] = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print the flows that are meant for an action, the closest first; exits with 3 if there is none."""
    from bardo.conduct.procedures.flows import told
    from bardo.surfaces.cli import exits

    output = Output(as_json=as_json)
    with open_gate(at, words=words) as opened:
        found, now = opened.flows.find(action), opened.now
    output.document({"flows": plain(found)})
    for flow in found:
        output.text(told(flow, now))
    if not found:
        output.note("no flow is meant for this action")
        raise typer.Exit(exits.NOTHING_FOUND)


@app.command()
def record(
    name: Name,
    *,
    failed: Annotated[bool, typer.Option("--failed", help="It did not go well.")] = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Count a result of a flow that was followed outside `bardo gate after`."""
    from bardo.conduct.procedures.flows import results_text

    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        flow, now = opened.flows.record(name, passed=not failed), opened.now
    output.document(flow)
    output.text(f"{flow.id}  {flow.name}: {results_text(flow, now)}")


@app.command()
def retire(
    name: Name, *, by: By = "", why: Why = "", at: At = HERE, as_json: Json = False, debug: Debug = False
) -> None:
    """Retire a flow; one that needs approval needs the name of a person."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        flow = opened.flows.retire(name, by=by, why=why)
    output.document(flow)
    output.text(f"{flow.id}  {flow.name}: retired by {flow.retired_by}")
