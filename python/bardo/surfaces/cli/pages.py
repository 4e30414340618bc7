"""`bardo pages`: pages compiled from facts."""

from typing import TYPE_CHECKING

from bardo.clock import day_of
from bardo.consolidate.pages.wording import counted
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire

app = noun("What facts are compiled into: DOSSIER.md and PLAYBOOK.md.")


@app.command()
@on_memory
def dossier(opened: "Grimoire", output: Output) -> None:
    """Print the dossier, a one-page summary of the facts.

    Recompiled if a fact is newer than DOSSIER.md.
    """
    with output.progress() as step:
        page = opened.pages.dossier(progress=step)
    output.document(page)
    output.text(page.text.rstrip("\n"))


@app.command()
@on_memory
def playbook(opened: "Grimoire", output: Output) -> None:
    """Print the playbook, the heuristics in use.

    The current PLAYBOOK.md, with notes that people added.
    """
    book = opened.pages.playbook()
    output.document(book)
    output.text(
        book.text.rstrip("\n") or "No heuristic has risen so far: `bardo facts why ID` says what one lacks"
    )
    if book.left_out:
        output.note(f"{counted(book.left_out, 'less sure rule')} did not fit")


@app.command()
@on_memory
def versions(opened: "Grimoire", output: Output) -> None:
    """List the stored versions of PLAYBOOK.md."""
    kept = opened.pages.versions()
    output.document([plain(version) for version in kept])
    for version in kept:
        output.text(
            f"{version.number}\t{day_of(version.at) if version.at else '-'}\t{version.entries} entries\t{version.path}"
        )
    if not kept:
        output.text("There is no version so far: the first is written when a heuristic has risen")
