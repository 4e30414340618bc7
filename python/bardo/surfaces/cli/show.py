"""`bardo show` and `bardo stats`: a record or a testament, and counts and sizes."""

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.errors import InvalidInputError, NotFoundError
from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import reading, standalone
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import is_file
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.grimoire.reader import Visitor
    from bardo.model import Episode, Fact


@standalone
def show(
    output: Output,
    folder: Path,
    record: Annotated[
        str, typer.Argument(metavar="ID|FILE", help="Id of an episode or fact, or a testament file.")
    ],
    *,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The whole content of a testament as Markdown, for a prompt.")
    ] = False,
) -> None:
    """Show an episode, a fact or a testament."""
    if is_file(Path(record)):
        from bardo.surfaces.cli.inheritance import show_testament

        show_testament(Path(record), output, markdown=markdown)
        return
    if Path(record).name != record or Path(record).suffix:
        raise NotFoundError(f"there is no file {record}. Name a testament, or the id of an episode or fact")
    if markdown:
        raise InvalidInputError(
            f"--markdown shows a testament, and {record} is no file. Leave it out for a record"
        )
    with grimoire(folder) as opened:
        show_record(opened, record_of(opened, record), output)


@reading
def stats(opened: "Grimoire | Visitor", output: Output, notes: tuple[str, ...]) -> None:
    """Show counts and sizes of all parts."""
    document = plain({**opened.stats(), "notes": notes} if notes else opened.stats())
    output.document(document)
    output.note(*notes)
    output.pairs(_flat(document))


def _flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for name, value in values.items():
        rows += _flat(value, f"{prefix}{name} ") if isinstance(value, dict) else [(f"{prefix}{name}", value)]
    return rows


def show_record(opened: "Grimoire", record: "Episode | Fact", output: Output) -> None:
    """Prints an episode, or a fact with its links and its history."""
    from bardo.model import Fact

    document = {"layer": "fact" if isinstance(record, Fact) else "episode", **plain(record)}
    document["entities"] = [entity.name for entity in opened.entities.of(record)]
    shown = dict(document)
    if isinstance(record, Fact):
        links, history = opened.facts.links(record), opened.facts.history(record)
        confidence = {"confidence_now": opened.facts.confidence(record)}
        document |= {**confidence, "links": plain(links), "history": plain(history)}
        shown |= {
            "confidence_now": f"{confidence['confidence_now']:.4f}",
            "links": [tables.link(link, record.id) for link in links],
            "history": [tables.state(state) for state in history],
        }
    output.document(document)
    output.pairs((name, _cell(value)) for name, value in shown.items() if value not in (None, "", [], {}))


def record_of(opened: "Grimoire", record_id: str) -> "Episode | Fact":
    """Returns the episode or fact with an id.

    Raises:
        NotFoundError: There is neither.
    """
    for kind in (opened.episodes, opened.facts):
        with suppress(NotFoundError):
            return kind.get(record_id)
    raise NotFoundError(
        f"no episode or fact with id {record_id}. List what is there with `bardo episodes list` or `bardo facts list`"
    )


def _cell(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)
