"""`bardo facts`: facts, their grounds, and the links between them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from bardo.model import Fact, FactKind, Source
from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import on_memory, reading
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.ids import fact_id
from bardo.surfaces.cli.options import ROWS, Limit, tick_or_time, time_given
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.show import show_record
from bardo.surfaces.cli.values import moment, plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.grimoire.reader import Visitor
    from bardo.grimoire.results import Grounds
    from bardo.model import Relation

app = noun("What is known, on what grounds, and how facts stand to each other.")

Id = Annotated[str, typer.Argument(metavar="ID", help="Id of a fact, or its beginning.")]
Other = Annotated[str, typer.Argument(metavar="OTHER", help="Id of another fact, or its beginning.")]
#: Status of a fact, or its standing: in force, and contradicted by another one.
Shown = Literal["active", "contradicted", "superseded", "archived", "held", "disputed"]


@app.command("list")
@reading
def list_(
    opened: "Grimoire | Visitor",
    output: Output,
    notes: tuple[str, ...],
    *,
    limit: Limit = ROWS,
    subject: Annotated[str | None, typer.Option("--subject", "-s", help="Only about this.")] = None,
    kind: Annotated[FactKind | None, typer.Option(help="Only facts of this kind.")] = None,
    category: Annotated[str | None, typer.Option(help="Only facts under this slash path.")] = None,
    source: Annotated[Source | None, typer.Option(help="Only facts from this source.")] = None,
    status: Annotated[
        Shown,
        typer.Option(help="Only facts of this status; disputed: those in force that another contradicts."),
    ] = "active",
    every: Annotated[bool, typer.Option("--all", help="Facts of any status.")] = False,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="TICK|DATE", help="Facts as they were then; a date where ticks are seconds."),
    ] = None,
    valid_at: Annotated[
        str | None,
        typer.Option(
            metavar="DATE", help="Statements that hold at that time, of any status (ISO 8601, UTC)."
        ),
    ] = None,
) -> None:
    """List facts, the most confident now first: sure when last confirmed, times the retention."""
    found = opened.facts.list(
        kind=kind,
        category=category,
        subject=subject,
        source=source,
        status=None if every else "active" if status == "disputed" else status,
        as_of=None if as_of is None else tick_or_time(as_of, "--as-of"),
        valid_at=None if valid_at is None else time_given(valid_at, "--valid-at"),
    )
    disputed = _disputed(opened, found)
    if status == "disputed":
        found = [fact for fact in found if fact.id in disputed]
    today = sorted(((fact, opened.facts.confidence(fact)) for fact in found), key=lambda pair: -pair[1])[
        :limit
    ]
    output.document(
        {
            "total": len(found),
            "facts": [
                {
                    **plain(fact),
                    "confidence_now": sure,
                    "retention": opened.facts.retention(fact),
                    "disputed": fact.id in disputed,
                }
                for fact, sure in today
            ],
            "notes": list(notes),
        }
    )
    output.note(*notes)
    output.rows(lambda shown: tables.facts(shown, disputed, opened.facts.retention), today, total=len(found))


@app.command()
@on_memory
def get(opened: "Grimoire", output: Output, fact: Id) -> None:
    """Show a fact with its links and its history."""
    show_record(opened, opened.facts.get(fact_id(opened, fact)), output)


@app.command()
@on_memory
def why(opened: "Grimoire", output: Output, fact: Id) -> None:
    """Show the grounds of a fact.

    Its episodes, the test of its claim, its history, and its links.
    """
    grounds = opened.facts.why(fact_id(opened, fact))
    output.document(grounds)
    output.pairs(_describe_grounds(grounds), title=grounds.fact.text)
    if grounds.episodes:
        output.show(tables.episodes(grounds.episodes))


@app.command()
@on_memory
def history(opened: "Grimoire", output: Output, fact: Id) -> None:
    """List the states of a fact and of those it replaced or was replaced by, oldest first."""
    states = opened.facts.history(fact_id(opened, fact))
    output.document({"history": plain(states)})
    for state in states:
        output.text(tables.state(state))


@app.command()
@on_memory
def confidence(opened: "Grimoire", output: Output, fact: Id) -> None:
    """Print the confidence of a fact at the current tick."""
    fact = fact_id(opened, fact)
    now = opened.facts.confidence(opened.facts.get(fact))
    output.document({"id": fact, "confidence": now})
    output.text(f"{now:.4f}")


@app.command()
@on_memory
def supersede(
    opened: "Grimoire",
    output: Output,
    *,
    old: Annotated[str, typer.Argument(metavar="ID", help="Id of the fact to replace.")],
    new: Annotated[str, typer.Argument(metavar="TEXT", help="New fact, in a sentence.")],
    sure: Annotated[float, typer.Option("--confidence", help="Its confidence, from 0 to 1.")] = 0.7,
) -> None:
    """Replace a fact by a new one.

    The old fact stays in the history. The new one takes its kind, category, subjects, importance and pin.
    """
    old = fact_id(opened, old)
    fact = opened.facts.supersede(old, new, confidence=sure)
    output.document({"superseded": old, "fact": plain(fact)})
    output.text(f"{fact.id}  {fact.text}")


@app.command()
@on_memory
def contradict(opened: "Grimoire", output: Output, one: Id, other: Other) -> None:
    """Mark two facts as contradicting; the weaker one drops to at most .3 and expires in 14 days."""
    weaker = opened.facts.contradict(fact_id(opened, one), fact_id(opened, other))
    output.document({"weaker": weaker})
    output.text(f"{weaker} is the weaker one")


@app.command()
@on_memory
def link(
    opened: "Grimoire",
    output: Output,
    *,
    src: Id,
    relation: Annotated[
        str, typer.Argument(help="supports, contradicts, refines, causes, part_of or see_also.")
    ],
    dst: Other,
    weight: Annotated[float, typer.Option(help="From 0 to 1.")] = 1.0,
) -> None:
    """Link two facts, or change the weight of an existing link."""
    src, dst = fact_id(opened, src), fact_id(opened, dst)
    opened.facts.link(src, dst, cast("Relation", relation), weight=weight)
    output.document({"src": src, "relation": relation, "dst": dst, "weight": weight})
    output.text(f"{src} {relation} {dst}")


@app.command()
@on_memory
def links(
    opened: "Grimoire",
    output: Output,
    facts: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of facts.")],
) -> None:
    """List the links from or to any of these facts."""
    found = opened.facts.links(*(fact_id(opened, fact) for fact in facts))
    output.document({"links": plain(found)})
    output.rows(tables.links, found)


def _disputed(opened: "Grimoire | Visitor", found: "Sequence[Fact]") -> set[str]:
    """Ids of those of some facts that another fact, itself not over, contradicts."""
    links = opened.facts.links(*found) if found else []
    pairs = [(link.src, link.dst) for link in links if link.relation == "contradicts"]
    if not pairs:
        return set()
    standing = {
        fact.id for fact in opened.facts.list(status=None) if fact.status in ("active", "contradicted")
    }
    return {end for pair in pairs if standing.issuperset(pair) for end in pair}


def _ended(grounds: "Grounds") -> str:
    """Names the rule that ended a fact, and the latest words behind it."""
    rule = str(grounds.fact.ended_by)
    if not grounds.corrections:
        return rule
    last = grounds.corrections[-1]
    speaker = f", {last.speaker}" if last.speaker else ""
    return f"{rule}, {moment(last.at)}{speaker}: {last.text}"


def _describe_grounds(grounds: "Grounds") -> list[tuple[str, object]]:
    fact = grounds.fact
    rows: list[tuple[str, object]] = [
        ("kind", fact.kind),
        ("sure", f"{grounds.confidence:.2f} now, {fact.confidence:.2f} when it was last confirmed"),
        ("retention", f"{grounds.retention:.2f}" + (f", {fact.persistence}" if fact.persistence else "")),
        *([("ended by", _ended(grounds))] if fact.ended_by else []),
        ("worth", f"{grounds.stated:.2f}: how often it is to be expected to hold, going by outcomes"),
        ("status", fact.status),
        ("source", f"{fact.source}, of {fact.origin}"),
        ("support", f"{grounds.support} episodes, the latest {len(grounds.episodes)} below"),
    ]
    asked = (
        f"went well {grounds.good} times and badly {grounds.bad}" if grounds.good + grounds.bad else "untried"
    )
    rows.append(("rank", f"{grounds.rank}, {'' if grounds.confirmed else 'not '}confirmed, {asked}"))
    if grounds.trial:
        trial = grounds.trial
        rows.append(
            (
                "test",
                f"{trial.windows} windows of fresh episodes made {trial.wealth:.3g} of 1 against chance; "
                f"on its own it needed {trial.needed:.3g}",
            )
        )
    rows += [("history", tables.state(state)) for state in grounds.history]
    rows += [("link", tables.link(link, fact.id)) for link in grounds.links]
    return rows
