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
    from bardo.bequeath.testament.testament import Testament

#: Counts of `Testament.left_out` that are of texts of the bundle, and why they are not in it.
_OF_BUNDLE = {"private_in_bundle": "that redaction changes", "bundle_over_cap": "without room"}


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
    from bardo.bequeath.heir.inherit import InheritanceReport
    from bardo.bequeath.lineage import Lineage

    with bardo.inherit(testament, folder, agent=agent or None, allow=allow or ()) as heir:
        inherited = heir.facts.list(source="testament")
        report = heir.lineage.inheritance or InheritanceReport(Lineage.founder(heir.agent))
        document: dict[str, Any] = {
            "path": heir.path.resolve(),
            "agent": heir.agent,
            "generation": heir.lineage.generation,
            "facts": len(inherited),
            "ended_facts": len(heir.facts.list(source="testament", status=None)) - len(inherited),
            "adopted": report.adopted,
            "episodes": report.episodes,
            "directives": report.directives,
            "ended_directives": report.ended,
            "questions": report.questions,
            "innate": report.innate,
            "repeated": list(report.repeated),
            "limited": dict(report.limited),
        }
        lived = any(episode.kind != INHERITED_KIND for episode in heir.episodes.list())
        lived = lived or len(inherited) < len(heir.facts.list())
    output.document(document)
    title = "Adopted by an agent with a life of its own" if lived else "An heir is born"
    notes = list(report.notes)
    if report.repeated and not report.adopted:
        title = "Nothing new was inherited"
        notes.append(
            f"{len(report.repeated)} of the testaments had been inherited before, and nothing of them changes: limits "
            "of that time stay, also if their signer is trusted now. Make a new heir to inherit without them"
        )
    shown = document | {
        "facts": f"{document['facts']:,} that hold, {document['ended_facts']:,} refuted or replaced",
        "directives": f"{report.directives:,} new at the gate, {report.ended:,} ended there",
        "episodes": f"{report.episodes:,}, those of the directives included"
        if report.directives
        else report.episodes,
        "limited": _counts(document["limited"]),
        "repeated": len(document["repeated"]),
    }
    rows = ((name, value) for name, value in shown.items() if not name.startswith("ended_"))
    output.pairs(rows, title=title)
    output.note(*notes)


def show_testament(path: Path, output: Output, *, markdown: bool = False) -> None:
    """Verifies a testament and shows a summary, or its whole content as Markdown."""
    from bardo.bequeath.testament import testament

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
        "ended_facts": len(written.facts) - written.held,
        "episodes": len(written.episodes),
        "directives": len(written.conduct),
        "ended_directives": len(written.ended),
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

    long = {
        "left_out",
        "redacted",
        "questions",
        "written_at",
        "reflection",
        "ended_facts",
        "ended_directives",
    }
    shown = document | {
        "facts": f"{len(written.facts):,}, of which {written.held:,} hold",
        "directives": f"{len(written.conduct):,} in force, {len(written.ended):,} ended",
    }
    rows = [(name, value) for name, value in shown.items() if name not in long]
    left_out = {name: count for name, count in written.left_out.items() if name not in _OF_BUNDLE}
    rows += [("left out", _counts(left_out)), ("redacted", _counts(written.redacted))]
    texts = [
        f"{written.left_out[name]:,} texts {why}"
        for name, why in _OF_BUNDLE.items()
        if written.left_out.get(name)
    ]
    rows += [("not in the bundle of known things", ", ".join(texts))] * bool(texts)
    output.pairs(rows, title="A testament, signed and verified")
    if written.reflection.strip():
        output.show(
            Panel(Markdown(written.reflection), title=f"Reflection of {life.agent}", border_style="magenta")
        )
    else:
        output.note("It has no reflection: that had no room in the limit of its tokens (`bequeath.tokens`)")


def _counts(counts: Mapping[str, int]) -> str:
    told = ", ".join(f"{number:,} {reason}" for reason, number in counts.items() if number)
    return told or "nothing"
