"""`bardo bequeath` and `bardo inherit`: testaments, and inheritance from them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.errors import InvalidInputError
from bardo.model import INHERITED_KIND
from bardo.surfaces.cli.command import standalone
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_text

if TYPE_CHECKING:
    from bardo.bequeath.testament import Testament


@standalone
def bequeath(
    output: Output,
    folder: Path,
    *,
    testament: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The testament file to write; may be left out with --posthumous."
        ),
    ] = None,
    cause: Annotated[
        str, typer.Option(help="Cause of death, in a word or a sentence; `killed` with --posthumous.")
    ] = "",
    posthumous: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Grimoire of an agent that was killed without warning, instead of --at."
        ),
    ] = None,
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
    if posthumous is not None:
        import bardo

        with output.progress() as step:
            written = bardo.bequeath_posthumously(
                posthumous, testament, cause=cause or "killed", reflection=text, progress=step
            )
    elif testament is None:
        raise InvalidInputError("no testament file is named. Write `bardo bequeath FILE`")
    else:
        with grimoire(folder) as opened, output.progress() as step:
            written = opened.bequeath(testament, cause=cause or "unspecified", reflection=text, progress=step)
    describe(written, output)


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
            "adopted": report.adopted if report else 0,
            "repeated": list(report.repeated) if report else [],
            "questions": report.questions if report else 0,
            "limited": dict(report.limited) if report else {},
        }
        lived = any(episode.kind != INHERITED_KIND for episode in heir.episodes.list())
        lived = lived or len(inherited) < len(heir.facts.list())
    output.document(document)
    title = "Adopted by an agent with a life of its own" if lived else "An heir is born"
    notes = list(report.notes) if report else []
    if report and report.repeated and not report.adopted:
        title = "Nothing new was inherited"
        notes.append(
            f"{len(report.repeated)} of the testaments had been inherited before, and nothing of them changes: limits "
            "of that time stay, also if their signer is trusted now. Make a new heir to inherit without them"
        )
    shown = {"limited": _counts(document["limited"]), "repeated": len(document["repeated"])}
    output.pairs((document | shown).items(), title=title)
    output.note(*notes)


def show_testament(path: Path, output: Output, *, markdown: bool = False) -> None:
    """Verifies a testament and shows a summary, or its whole content as Markdown."""
    from bardo.bequeath import testament

    written = testament.read(path)
    if markdown:
        output.document({"markdown": written.markdown})
        output.text(written.markdown)
    else:
        describe(written, output)


def describe(written: "Testament", output: Output) -> None:
    """Shows the content of a verified testament."""
    life = written.life
    document: dict[str, Any] = {
        "path": written.path.resolve(),
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
