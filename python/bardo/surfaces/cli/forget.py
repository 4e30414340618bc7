"""`bardo forget`: permanent deletion from all files, with a preview."""

from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from bardo.recall.options import Selection
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.options import Yes
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain, short

if TYPE_CHECKING:
    from bardo.grimoire.erasure import ForgetReport
    from bardo.grimoire.grimoire import Grimoire

#: Maximum length of a record in the preview, in characters.
_SHOWN = 60


@on_memory
def forget(
    opened: "Grimoire",
    output: Output,
    *,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID...]", help="Ids of episodes, facts or triples.")
    ] = None,
    about: Annotated[
        list[str] | None,
        typer.Option(
            "--about",
            metavar="NAME",
            help="Every memory that names this entity or subject, and its relations; repeatable.",
        ),
    ] = None,
    reason: Annotated[str, typer.Option("--reason", help="Reason; part of the report alone.")] = "asked for",
    allow_again: Annotated[
        bool, typer.Option("--allow-again", help="The same content may be captured again.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be deleted.")] = False,
    yes: Yes = False,
    **selection: Unpack[Selection],
) -> None:
    """Delete episodes and facts everywhere, and verify it.

    Also deletes the facts supported by those episodes alone. Lists all and asks first. It cannot be undone.
    """
    given: dict[str, Any] = {"reason": reason, "about": about or [], "allow_again": allow_again}
    planned = opened.forget(ids or [], dry_run=True, **given, **selection)
    listed = _listed(opened, planned)
    if dry_run:
        output.document(
            {
                "dry_run": True,
                "episodes": listed["episodes"],
                "facts": listed["facts"],
                "triples": planned.triples,
            }
        )
    if dry_run or not yes:
        for layer, records in listed.items():
            for record in records:
                line = f"{layer[:-1]}\t{record['id']}\t{short(record['text'], _SHOWN)}"
                (output.text if dry_run else output.note)(line)
    count = f"{len(planned.episodes)} episodes, {len(planned.facts)} facts and {planned.triples} relations"
    if dry_run:
        output.text(f"{count} would be deleted")
        return
    if not yes:
        output.confirm(f"Delete {count} permanently?")
    # Deletes exactly the listed records, as more may have arrived through the inbox since.
    with output.progress() as step:
        report = opened.forget([*(ids or []), *planned.episodes, *planned.facts], progress=step, **given)
    output.document(report)
    told = {name: len(value) if isinstance(value, list) else value for name, value in plain(report).items()}
    output.pairs(told.items(), title="Forgotten")


def _listed(opened: "Grimoire", planned: "ForgetReport") -> dict[str, list[dict[str, str]]]:
    """Returns the id and text of each record of a preview."""
    return {
        "episodes": [{"id": id_, "text": opened.episodes.get(id_).text} for id_ in planned.episodes],
        "facts": [{"id": id_, "text": opened.facts.get(id_).text} for id_ in planned.facts],
    }
