"""`bardo recover`: opens a grimoire without the episodes of a lost journal."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.errors import BardoWarning, JournalLostError
from bardo.surfaces.cli import session
from bardo.surfaces.cli.command import standalone
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import Yes
from bardo.surfaces.cli.output import Output

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.ports import Progress


@standalone
def recover(
    output: Output,
    folder: Path,
    *,
    yes: Yes = False,
    tier: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=3,
            help="Print what an agent lost with its context: 0 state, 1 messages, 2 recap, 3 the log.",
        ),
    ] = None,
) -> None:
    """Recover a lost context (--tier), or open a grimoire without the episodes of a lost journal.

    For a grimoire that is refused because its journal lacks episodes. Readable episodes are recovered, the journal's
    file is set aside, and every index is rebuilt.
    """
    import bardo

    if tier is not None:
        session.brief(output, folder, lambda opened: opened.recover(tier))
        return
    try:
        grimoire(folder).close()
    except JournalLostError as error:
        if not yes:
            output.note(str(error))
            output.confirm("Go on without these episodes?")
    with warnings.catch_warnings():
        # The document reports the loss.
        warnings.simplefilter("ignore", BardoWarning)
        opened = bardo.open(folder, create=False, accept_loss=True)
    with opened, output.progress() as step:
        document = _recovered(opened, step)
    output.document(document)
    if not document["lost"]:
        output.text("The journal is as it should be: there is nothing to recover")
        return
    aside = f" Its file is kept as {document['kept']}" if document["kept"] else ""
    output.text(
        f"The journal {document['what']}. {document['taken']} episodes were taken over from it, "
        f"{document['episodes']} are there.{aside}"
    )


def _recovered(opened: "Grimoire", step: "Progress") -> dict[str, Any]:
    if opened.lost is None:
        return {"lost": False, "episodes": opened.stats()["log"]["episodes"]}
    what, kept, taken = opened.lost
    rebuilt = opened.maintenance.rebuild(progress=step)
    episodes = rebuilt["log"]["episodes"]
    return {"lost": True, "what": what, "kept": kept and str(kept), "taken": taken, "episodes": episodes}
