"""`bardo bequeath` and `bardo inherit`: the end of one life and the start of the next."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.model import INHERITED_KIND
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output

if TYPE_CHECKING:
    from bardo.bequeath.testament import Testament


def bequeath(
    *,
    testament: Annotated[Path, typer.Argument(help="The testament file to write.")],
    cause: Annotated[str, typer.Option(help="Of death, in a word or a sentence.")] = "unspecified",
    reflection: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="A markdown file; written from the evidence if not given."
        ),
    ] = None,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """End this life and write its testament.

    The testament is signed; the grimoire is read-only from then on.
    """
    output = Output(as_json=as_json)
    from bardo.surfaces.cli.remember import read_text

    text = read_text(reflection) if reflection else None
    with grimoire(at) as opened:
        written = opened.bequeath(testament, cause=cause, reflection=text)
    _describe(written, testament, output)


def inherit(
    *,
    testament: Annotated[
        list[Path], typer.Argument(exists=True, dir_okay=False, help="One testament or several.")
    ],
    agent: Annotated[
        str, typer.Option(metavar="NAME", help="The heir; the folder's name if not given.")
    ] = "",
    allow: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help="An unknown signer to inherit from, with limits: a key, or its testator; repeatable.",
        ),
    ] = None,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Boot an heir from testaments.

    Its grimoire is made in the folder --at; an agent that is there already adopts what they hold.
    """
    import bardo
    from bardo.surfaces.cli import tables

    output = Output(as_json=as_json)
    with bardo.inherit(testament, at, agent=agent or None, allow=allow or ()) as heir:
        inherited = heir.facts.list(source="testament")
        report = heir.lineage.inheritance
        document: dict[str, Any] = {
            "path": heir.path.resolve(),
            "agent": heir.agent,
            "generation": heir.lineage.generation,
            "facts": len(inherited),
            "questions": report.questions if report else 0,
            "limited": dict(report.limited) if report else {},
        }
        lived = any(episode.kind != INHERITED_KIND for episode in heir.episodes.list())
        lived = lived or len(inherited) < len(heir.facts.list())
    output.document(document)
    title = "Adopted by an agent with a life of its own" if lived else "An heir is born"
    output.show(tables.pairs((document | {"limited": _counts(document["limited"])}).items(), title=title))
    for note in report.notes if report else ():
        output.note(note)


def show_testament(path: Path, output: Output) -> None:
    """Verifies a testament and shows what is in it."""
    from bardo.bequeath import testament

    _describe(testament.read(path), path, output)


def _describe(written: Testament, path: Path, output: Output) -> None:
    from bardo.surfaces.cli import tables

    life = written.life
    document: dict[str, Any] = {
        "path": path.resolve(),
        "hash": written.hash,
        "signer": written.signer,
        "agent": life.agent,
        "generation": life.generation,
        "cause": life.cause,
        "facts": len(written.facts),
        "episodes": len(written.episodes),
        "links": len(written.links),
        "left_out": written.left_out,
        "redacted": written.redacted,
        "questions": written.questions,
        "written_at": written.written_at,
        "reflection": written.reflection,
    }
    output.document(document)
    if output.as_json:
        return
    from rich.markdown import Markdown
    from rich.panel import Panel

    long = {"left_out", "redacted", "questions", "written_at", "reflection"}
    rows = [(name, value) for name, value in document.items() if name not in long]
    rows += [(name.replace("_", " "), _counts(document[name])) for name in ("left_out", "redacted")]
    output.show(tables.pairs(rows, title="A testament, signed and verified"))
    output.show(
        Panel(Markdown(written.reflection), title=f"Reflection of {life.agent}", border_style="magenta")
    )


def _counts(counts: Mapping[str, int]) -> str:
    told = ", ".join(f"{number} {reason.replace('_', ' ')}" for reason, number in counts.items() if number)
    return told or "nothing"
