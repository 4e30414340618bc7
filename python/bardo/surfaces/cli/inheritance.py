"""`bardo bequeath` and `bardo inherit`: testaments, and inheritance from them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.model import INHERITED_KIND
from bardo.surfaces.cli.command import on_memory, standalone
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_text

if TYPE_CHECKING:
    from bardo.bequeath.testament import Testament
    from bardo.grimoire.grimoire import Grimoire


@on_memory
def bequeath(
    opened: "Grimoire",
    output: Output,
    *,
    testament: Annotated[Path, typer.Argument(help="The testament file to write.")],
    cause: Annotated[str, typer.Option(help="Cause of death, in a word or a sentence.")] = "unspecified",
    reflection: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="A markdown file; written from the evidence if not given."
        ),
    ] = None,
) -> None:
    """End the agent's life and write its testament.

    The testament is signed; the grimoire is read-only from then on.
    """
    text = read_text(reflection) if reflection else None
    written = opened.bequeath(testament, cause=cause, reflection=text)
    _describe(written, testament, output)


@standalone
def inherit(
    output: Output,
    folder: Path,
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
) -> None:
    """Boot an heir from testaments.

    Its grimoire is made in the folder --at; an existing agent there adopts their content.
    """
    import bardo

    with bardo.inherit(testament, folder, agent=agent or None, allow=allow or ()) as heir:
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
    output.pairs((document | {"limited": _counts(document["limited"])}).items(), title=title)
    output.note(*(report.notes if report else ()))


def show_testament(path: Path, output: Output) -> None:
    """Verifies a testament and shows its content."""
    from bardo.bequeath import testament

    _describe(testament.read(path), path, output)


def _describe(written: "Testament", path: Path, output: Output) -> None:
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
    output.pairs(rows, title="A testament, signed and verified")
    output.show(
        Panel(Markdown(written.reflection), title=f"Reflection of {life.agent}", border_style="magenta")
    )


def _counts(counts: Mapping[str, int]) -> str:
    told = ", ".join(f"{number} {reason.replace('_', ' ')}" for reason, number in counts.items() if number)
    return told or "nothing"
