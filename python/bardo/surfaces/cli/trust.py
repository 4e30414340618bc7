"""`bardo trust`: the keys whose testaments are inherited without limits."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli import tables
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import Debug, Json
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.bequeath.testament.trust import Key

app = noun("Whose testaments are inherited without limits.")

Heir = Annotated[
    Path | None,
    typer.Option("--at", metavar="DIR", help="The list of this grimoire instead of the user's own list."),
]


@app.command()
def add(
    key: Annotated[str, typer.Argument(help="64 hexadecimal digits, or a testament that the key signed.")],
    name: Annotated[str, typer.Option("--name", help="Name of the key's owner.")] = "",
    at: Heir = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Trust a key: testaments that it signed are inherited without limits."""
    from bardo.bequeath.testament import testament, trust

    with suppress(OSError, ValueError):  # not a path: trust.add reports an invalid key
        if Path(key).is_file():
            signed = testament.read(key)
            key, name = signed.signer, name or signed.life.agent
    _print([trust.add(key, name, folder=at)], Output(as_json=as_json))


@app.command("list")
def list_(at: Heir = None, as_json: Json = False, debug: Debug = False) -> None:
    """List the known keys: the user's list, agents that died under this user, and with --at those of an heir."""
    from bardo.bequeath.testament import trust

    output = Output(as_json=as_json)
    _print(trust.known_keys(at), output)
    output.note(f"kept in {trust.config_folder()}")


@app.command()
def remove(
    key: Annotated[str, typer.Argument(help="The key, its first 16 digits or more, or the name beside it.")],
    at: Heir = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Stop trusting a key; what was inherited by it stays."""
    from bardo.bequeath.testament import trust

    _print(trust.remove(key, folder=at), Output(as_json=as_json))


def _print(keys: list[Key], output: Output) -> None:
    output.document({"keys": plain(keys)})
    output.show(tables.keys(keys))
