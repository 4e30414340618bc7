"""`bardo lineage` and `bardo autopsy`: the family of an agent, its beliefs over lives, and the audit of a life."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import HERE, HOME, ROWS, Debug, Json, Limit
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import moment, plain, short

if TYPE_CHECKING:
    from rich.table import Table

    from bardo.bequeath.family.autopsy import AuditedDecision, KnownFact
    from bardo.bequeath.family.beliefs import Belief
    from bardo.bequeath.heir.innate import InnateRule
    from bardo.grimoire.grimoire import Grimoire

app = noun("The agent's family.")

Places = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[PATH...]", exists=True, help="Testaments, grimoires, or folders that hold some."
    ),
]
Folder = Annotated[
    Path,
    typer.Option("--at", envvar=HOME, metavar="DIR", help="The same as a PATH, if none is given."),
]


@app.command("show")
@on_memory
def show(opened: "Grimoire", output: Output) -> None:
    """Show the agent's generation, its parents, and whether it has died."""
    line = opened.lineage
    output.document({"generation": line.generation, "dead": line.is_dead, "parents": plain(line.parents)})
    output.pairs([("agent", opened.agent), ("generation", line.generation), ("dead", line.is_dead)])
    for parent in line.parents:
        output.text(
            f"parent {parent.agent}, generation {parent.generation}, signed by {parent.signer or 'nobody'}"
        )


@app.command()
def tree(
    *,
    places: Places = None,
    at: Folder = HERE,
    dot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the tree in the DOT language of Graphviz.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the tree; the suffix sets the format (.png, .svg)."),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the family tree of all grimoires and testaments at some paths and below."""
    from bardo._atomic import write_atomically
    from bardo.bequeath.family import family, family_plot

    output = Output(as_json=as_json)
    found = family.find(places or [at])
    if dot is not None:
        write_atomically(dot, found.to_dot().encode())
    if plot is not None:
        family_plot.plot(plot, found)
    output.document(found.to_dict())
    output.text(found.render())
    output.note(*found.notes)


@app.command()
def beliefs(
    *,
    places: Places = None,
    at: Folder = HERE,
    limit: Limit = ROWS,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Follow each rule through the lives of a family: lives, deaths while acting on it, confirmations, refutations."""
    from bardo.grimoire import family

    output = Output(as_json=as_json)
    _, found, notes = family.follow(places or [at])
    output.document(
        {"total": len(found), "beliefs": [one.to_dict() for one in found[:limit]], "notes": notes}
    )
    output.note(*notes)
    output.rows(_beliefs, found[:limit], total=len(found))


@app.command()
@on_memory
def knew(
    opened: "Grimoire",
    output: Output,
    text: Annotated[str, typer.Argument(help="Text, or words of it.")],
) -> None:
    """Tell whether any ancestor knew anything like a text, also if that did not cross."""
    found = opened.lineage.knew(text)
    output.document(found.to_dict())
    output.pairs(
        [
            ("known", f"yes, by {found.agent}" if found.known else "no"),
            (
                "score",
                f"{found.score:.2f} of {found.features} words and pairs (known from {found.threshold:.2f})",
            ),
            ("standard error", f"{found.error:.2f}"),
        ]
    )


@app.command("innate")
@on_memory
def innate_(opened: "Grimoire", output: Output) -> None:
    """List the innate rules, which three generations running confirmed, and those that were revoked."""
    found = opened.lineage.innate()
    output.document({"innate": plain(found)})
    output.rows(_innate, found)


@app.command()
@on_memory
def revoke(
    opened: "Grimoire",
    output: Output,
    fact: Annotated[str, typer.Argument(metavar="ID", help="Id of the rule.")],
) -> None:
    """Revoke an innate rule: it fades as any other, and no testament makes it innate again."""
    rule = opened.lineage.revoke(fact)
    output.document(rule)
    output.text(f"revoked: {rule.text or rule.fact}")


def _innate(found: "tuple[InnateRule, ...]") -> "Table":
    from bardo.surfaces.cli import tables

    table = tables.grid("rule", "generations", "state", "id")
    for rule in found:
        table.add_row(short(rule.text), str(rule.generations), rule.state, rule.fact)
    return table


def _beliefs(found: "list[Belief]") -> "Table":
    from bardo.surfaces.cli import tables

    table = tables.grid("rule", "kind", "lives", "deaths", "confirmed", "refuted", "good", "bad", "held by")
    for one in found:
        good, bad = one.outcomes
        lives = "\n".join(f"{life.agent}: {life.state}" for life in one.lives)
        counts = (len(one.lives), one.deaths, one.confirmations, one.refutations, good, bad)
        table.add_row(short(one.text), one.kind, *map(str, counts), lives)
    return table


def autopsy(
    *,
    place: Annotated[
        Path, typer.Argument(metavar="TESTAMENT|FOLDER", exists=True, help="The life to audit.")
    ],
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="TICK", min=0, help="Audit as of this tick; the end if not given."),
    ] = None,
    last: Annotated[int, typer.Option(min=1, help="Number of the last decisions.")] = 5,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Audit a life: what its last decisions cited, what was known then, and what would have warned."""
    from bardo.grimoire import family

    output = Output(as_json=as_json)
    found = family.examine(place, at=at, last=last)
    output.document(found)

    def when(tick: int) -> str:
        at = found.moment(tick)
        return f"tick {tick}" if at is None else f"{moment(at)} (tick {tick})"

    end = "alive" if found.death_tick is None else f"died at {when(found.death_tick)}: {found.cause}"
    rows = [
        ("life", f"{found.agent}, generation {found.generation}, {end}"),
        ("audited", f"as of {when(found.tick)}, with {found.in_force} facts in force"),
    ]
    output.pairs(rows, title="Autopsy")
    for decision in found.decisions:
        title = when(decision.tick)
        output.pairs(
            _decision(decision, when), title=f"\n{title[0].upper()}{title[1:]}: {short(decision.text)}"
        )
    output.note(*found.notes)


def _decision(found: "AuditedDecision", when: Callable[[int], str]) -> list[tuple[str, str]]:
    rows = [("outcome", f"{found.value:+.3g}; decided by the end of {when(found.decided)}")]
    told = ", ".join(f"{name} {value}" for name, value in found.features.items())
    if told or found.subjects:
        rows.append(("situation", "; ".join(part for part in (", ".join(found.subjects), told) if part)))
    rows += [("cited", short(one.text)) for one in found.cited]
    rows += [("cited", f"{id_}, which is gone or did not cross") for id_ in found.gone]
    if not found.cited and not found.gone:
        rows.append(("cited", "no memory"))
    rows += [("heeded", _fact(one)) for one in found.heeded]
    rows += [("would have warned", _fact(one)) for one in found.missed]
    for one in found.precedents:
        lived = f", lived by {one.inherited}" if one.inherited else ""
        rows.append(("went badly before", f"{short(one.text)} ({one.value:+.3g} at {when(one.tick)}{lived})"))
    if not found.missed and not found.precedents:
        rows.append(("would have warned", "nothing that stood in memory"))
    more = found.known_total - len(found.known)
    rows += [("known then", _fact(one)) for one in found.known]
    return [*rows, ("", f"and {more} more facts about its subjects")] if more > 0 else rows


def _fact(one: "KnownFact") -> str:
    marks = ["bloodstain"] * one.bloodstain + [f"{one.conditions} conditions held"] * bool(one.conditions)
    return f"{short(one.text)} ({', '.join([one.kind, f'sure {one.confidence:.2f}', one.source, *marks])})"
