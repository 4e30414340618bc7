"""Tables of memories and records, for a person to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from bardo.surfaces.cli.output import moment, plain

if TYPE_CHECKING:
    from bardo.consolidate.curator import Change
    from bardo.grimoire.results import FactState, Link
    from bardo.language.ledger import CallTotals
    from bardo.model import Episode, Fact
    from bardo.recall.recollection import Explanation, Memory, Recollection

#: Characters of a text in a table; the whole is in `bardo show ID` and in the JSON.
TEXT_CHARACTERS = 280


def short(text: str, limit: int = TEXT_CHARACTERS) -> str:
    """A text on one line, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def grid(*headers: str, title: str | None = None) -> Table:
    """An empty table in the house style."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False)
    for header in headers:
        numeric = header in {"#", "score", "sure", "tick", "support"}
        table.add_column(
            header, justify="right" if numeric else "left", no_wrap=numeric or header == "id", overflow="fold"
        )
    return table


def memories(recollection: Iterable[Memory], *, title: str | None = None) -> Table:
    """Recalled memories with the reasons why each came up."""
    table = grid("#", "memory", "sure", "score", "why", title=title)
    for rank, memory in enumerate(recollection, 1):
        origin = f"inherited {memory.layer}" if memory.inherited else memory.layer
        when = moment(memory.at) or f"tick {memory.tick}"
        text = Text(short(memory.text))
        text.append(f"\n{origin}, {memory.source}, {when}", style="magenta" if memory.inherited else "dim")
        table.add_row(
            str(rank),
            text,
            sure(memory.confidence if memory.layer == "fact" else None),
            f"{memory.score:.2f}",
            Text(reason(memory.why), style="dim"),
        )
    return table


#: What the terms of a score are called in a table.
_SHORT = {"semantic": "meaning", "temporal": "time", "emotional": "mood", "fused": "fusion"}


def reason(why: Explanation) -> str:
    """Why a memory came up, in a few lines; every number is in the JSON."""
    found = [f"{arm.arm} #{arm.rank}" for arm in why.arms if arm.rank is not None]
    lines = [", ".join(found)] if found else []
    if why.matched:
        lines.append(f"words: {' '.join(why.matched)}")
    lines += [f"{name} {part:+.2f}" for name, part in why.conversation.items()]
    lines.append(" ".join(f"{_SHORT.get(name, name)} {value:.2f}" for name, value in why.values.items()))
    lines += [f"{name} x{factor:.3g}" for name, factor in why.discounts.items()]
    lines.append(f"{why.age_days:.0f} days old; {why.provenance}")
    return "\n".join(lines)


def sure(confidence: float | None) -> str:
    """A confidence as a person reads it; episodes that happened have none."""
    return "" if confidence is None else f"{confidence:.2f}"


def memory_document(memory: Memory) -> dict[str, Any]:
    """One recalled memory as JSON."""
    document = {
        name: plain(getattr(memory, name))
        for name in ("id", "layer", "text", "score", "confidence", "tick", "at", "source", "inherited")
    }
    record = memory.record
    return {
        **document,
        "kind": record.kind,
        "subjects": list(record.subjects),
        "reason": str(memory.why),
        "why": plain(memory.why),
    }


def recollection_document(recollection: Recollection) -> dict[str, Any]:
    """A recollection as JSON."""
    return {
        "id": recollection.id,
        "query": recollection.query,
        "memories": [memory_document(memory) for memory in recollection],
        "notes": list(recollection.notes),
    }


def episodes(found: Sequence[Episode]) -> Table:
    """Episodes, oldest first."""
    table = grid("tick", "when", "who", "text", "about", "verified", "id")
    for episode in found:
        table.add_row(
            str(episode.tick),
            moment(episode.at),
            episode.speaker or episode.role,
            Text(short(episode.text)),
            ", ".join(episode.subjects),
            "yes" if episode.verified else "",
            episode.id,
        )
    return table


def facts(found: Sequence[tuple[Fact, float]]) -> Table:
    """Facts with what they are worth today."""
    table = grid("sure", "kind", "text", "about", "support", "source", "id")
    for fact, confidence in found:
        source = f"{fact.source}, generation {fact.generation}" if fact.generation else fact.source
        table.add_row(
            sure(confidence),
            fact.kind,
            Text(short(fact.text)),
            ", ".join(fact.subjects),
            str(fact.support),
            source,
            fact.id,
        )
    return table


def changes(found: Sequence[Change]) -> Table:
    """What a pass would do, fact by fact."""
    table = grid("does", "kind", "text", "sure", "about")
    for change in found:
        fact = change.after
        before = "" if change.before is None else f"{sure(change.before.confidence)} -> "
        about = ", ".join(fact.subjects)
        table.add_row(
            change.action, fact.kind, Text(short(fact.text)), f"{before}{sure(fact.confidence)}", about
        )
    return table


def link(drawn: Link, of: str) -> str:
    """A link as it reads from one of its ends."""
    return f"{drawn.relation} {drawn.dst}" if drawn.src == of else f"{drawn.src} {drawn.relation} this"


def state(then: FactState) -> str:
    """A state of a fact: from when to when, and what it said."""
    end = "now" if then.to_tick is None else str(then.to_tick)
    return f"{then.from_tick}-{end} {then.fact.status}, {then.fact.confidence:.2f}: {then.fact.text}"


def pairs(values: Iterable[tuple[str, Any]], *, title: str | None = None) -> Table:
    """Names and values, one a line."""
    table = Table(
        box=None, show_header=False, title=title, title_justify="left", title_style="bold", pad_edge=False
    )
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in values:
        table.add_row(name.replace("_", " "), Text(str(value)))
    return table


def spent(sums: Sequence[CallTotals]) -> Table:
    """What language models took, by what it was for and how it ended."""
    table = grid("for", "model", "ended", "calls", "in", "out", "cached", "cost", "ms")
    for each in sums:
        cost = "no price" if each.unpriced == each.calls else f"{each.cost:.4f}"
        numbers = (each.calls, each.tokens_in, each.tokens_out, each.tokens_cached)
        table.add_row(each.type, each.model, each.outcome, *map(str, numbers), cost, f"{each.latency_ms:.0f}")
    return table
