"""`bardo dossier` and `bardo playbook`: what the facts are compiled into."""

from __future__ import annotations

from typing import Annotated

import typer

from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, plain


def dossier(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Print what is known, on one page.

    Compiled anew if a fact is newer than DOSSIER.md.
    """
    output = Output(as_json=as_json)
    with grimoire(at) as opened, output.progress() as step:
        page = opened.dossier(progress=step)
    output.document(page)
    output.text(page.text.rstrip("\n"))


def playbook(
    history: Annotated[bool, typer.Option("--history", help="List the versions that are kept.")] = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print the heuristics that are acted by.

    PLAYBOOK.md as of now, with what people wrote into it.
    """
    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        if history:
            versions = opened.playbook_versions()
            output.document([plain(version) for version in versions])
            for version in versions:
                output.text(
                    f"{version.number}\ttick {version.tick}\t{version.entries} entries\t{version.path}"
                )
            return
        book = opened.playbook()
    output.document(book)
    output.text(
        book.text.rstrip("\n") or "No heuristic has risen so far: `bardo why FACT` says what one lacks"
    )
    if book.left_out:
        output.note(f"{book.left_out} less sure heuristics did not fit")
