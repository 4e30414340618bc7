"""`bardo bridges`: published outputs, and which other agents may read them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bardo.surfaces.cli.gate import By, Domain, open_gate
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import moment, plain

app = noun("Outputs that the agent publishes, and the agents that a person lets read them.")


@app.command()
def publish(
    title: Annotated[str, typer.Argument(help="Title.")],
    text: Annotated[str, typer.Argument(help="Text; `-` reads standard input.")],
    *,
    domain: Domain = "",
    by: By = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Publish a text for agents with a grant."""
    import sys

    output = Output(as_json=as_json)
    given = sys.stdin.read() if text == "-" else text
    with open_gate(at, words=True) as opened:
        kept = opened.bridges.publish(title, given, domain=domain, by=by)
    output.document(kept)
    output.text(f"{kept.id}  {kept.title}")


@app.command("list")
def list_(*, at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """List the agent's own outputs, and the grants."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        outputs, grants = opened.bridges.outputs(), opened.bridges.grants(every=True)
    output.document({"outputs": plain(outputs), "grants": plain(grants)})
    if as_json:
        return
    from bardo.surfaces.cli import tables

    published = tables.grid("id", "title", "domain", "by", "when", title="Outputs")
    for each in outputs:
        published.add_row(each.id, each.title, each.domain, each.by, moment(each.at))
    granted = tables.grid("id", "reader", "domain", "by", "when", "revoked", title="Grants")
    for grant in grants:
        revoked = f"by {grant.revoked_by}" if grant.revoked_at else ""
        granted.add_row(grant.id, grant.reader, grant.domain or "all", grant.by, moment(grant.at), revoked)
    output.show(published, granted)


@app.command()
def grant(
    reader: Annotated[str, typer.Argument(help="Name of the agent that may read.")],
    *,
    by: Annotated[str, typer.Option("--by", help="The person who grants it.")],
    domain: Domain = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Let another agent read the outputs, or those of one domain."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        kept = opened.bridges.grant(reader, by=by, domain=domain)
    output.document(kept)
    output.text(f"{kept.id}  {kept.reader} may read {kept.domain or 'every output'}")


@app.command()
def revoke(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Id from `bardo bridges list`.")],
    *,
    by: By = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Revoke a grant."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        gone = opened.bridges.revoke(id_, by=by)
    output.document(gone)
    output.text(f"{gone.id}  {gone.reader}: revoked by {gone.revoked_by}")


@app.command()
def read(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the other agent's memory.")],
    *,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print the outputs of another agent that this one may read, the latest first."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        found = opened.bridges.read(folder)
    output.document({"outputs": plain(found)})
    for each in found:
        output.text(f"{each.id}  {each.title} ({each.by}, {moment(each.at)})\n{each.text}")
