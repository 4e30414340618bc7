"""`bardo dossier`, `playbook`, `lint` and `gaps`: what facts are compiled into, their order, and what is missing."""

from __future__ import annotations

from typing import Annotated

import typer

from bardo.errors import InvalidInputError
from bardo.surfaces.cli.acts import undo as undo_act
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, plain


def dossier(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Print what is known, on one page.

    Compiled again if a fact is newer than DOSSIER.md.
    """
    output = Output(as_json=as_json)
    with grimoire(at) as opened, output.progress() as step:
        page = opened.pages.dossier(progress=step)
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
            versions = opened.pages.versions()
            output.document([plain(version) for version in versions])
            for version in versions:
                output.text(
                    f"{version.number}\ttick {version.tick}\t{version.entries} entries\t{version.path}"
                )
            if not versions:
                output.text("There is no version so far: the first is written when a heuristic has risen")
            return
        book = opened.pages.playbook()
    output.document(book)
    output.text(
        book.text.rstrip("\n") or "No heuristic has risen so far: `bardo why FACT` says what one lacks"
    )
    if book.left_out:
        output.note(f"{book.left_out} less sure heuristics did not fit")


def lint(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    undo: Annotated[
        int | None, typer.Option("--undo", metavar="ACT", help="Take an earlier lint back, by its number.")
    ] = None,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Put the latest facts in order.

    Duplicates become one, what nobody needs leaves for the cold tier, contradictions are flagged. One act, which --undo
    takes back.
    """
    if undo is not None:
        if dry_run:
            raise InvalidInputError("--dry-run and --undo exclude each other. Choose one")
        undo_act(undo, at=at, as_json=as_json)
        return
    from bardo.surfaces.cli import tables

    output = Output(as_json=as_json)
    with grimoire(at) as opened, output.progress() as step:
        report = opened.curator.lint(dry_run=dry_run, progress=step)
    document = plain(report)
    for change, entry in zip(report.changes, document["changes"], strict=True):
        entry["action"] = report.action(change)
    output.document(document)
    counts = [(name, len(value) if isinstance(value, list) else value) for name, value in document.items()]
    output.show(tables.pairs(counts[:-1], title="What a lint would do" if dry_run else "Put in order"))
    for change in report.changes:
        output.text(f"{report.action(change)}\t{change.after.id}\t{change.after.text}")


def gaps(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Lists what the agent does not know and could ask."""
    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        found = opened.curator.gaps()
    output.document({"gaps": plain(found)})
    for gap in found:
        output.text(f"{'confirmed' if gap.confirmed else 'new'}\t{gap.kind}\t{gap.question}")
    if not found:
        output.note("No question is open. `bardo lint` looks for them")
