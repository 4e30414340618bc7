"""Tables of memories and records for people. Rich is imported with the first table."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bardo.clock import day_of
from bardo.surfaces.cli.values import moment, short, sure

if TYPE_CHECKING:
    from rich.table import Table

    from bardo.assemble.prompt_feedback import PromptRecord
    from bardo.bequeath.testament.trust import Key
    from bardo.consolidate.calibration import Calibration
    from bardo.consolidate.curator import Change
    from bardo.grimoire.results import Act, Entity, FactState, Reference, RelatedEntity, Triple
    from bardo.language.ledger import CallTotals
    from bardo.model import Episode, Fact, Link
    from bardo.recall.recollection import Explanation, Memory


def grid(*headers: str, title: str | None = None) -> Table:
    """Makes an empty table in the common style."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False)
    for header in headers:
        numeric = header in {"#", "score", "sure", "tick", "support"}
        table.add_column(
            header, justify="right" if numeric else "left", no_wrap=numeric or header == "id", overflow="fold"
        )
    return table


def memories(recollection: Iterable[Memory], *, title: str | None = None) -> Table:
    """Recalled memories with their explanations."""
    from rich.text import Text

    table = grid("#", "memory", "sure now", "score", "why", title=title)
    for rank, memory in enumerate(recollection, 1):
        origin = f"inherited {memory.layer}" if memory.inherited else memory.layer
        when = moment(memory.at) or f"tick {memory.tick}"
        text = Text(short(memory.text))
        text.append(f"\n{origin}, {memory.source}, {when}", style="magenta" if memory.inherited else "dim")
        if memory.standing:
            text.append(f"\n{memory.standing}", style="yellow")
        table.add_row(
            str(rank),
            text,
            sure(memory.confidence if memory.layer == "fact" else None),
            f"{memory.score:.2f}",
            Text(reason(memory.why), style="dim"),
        )
    return table


#: Column names of the terms of a score.
_SHORT = {"temporal": "time", "emotional": "mood", "fused": "fusion"}


def reason(why: Explanation) -> str:
    """Explanation of a memory in a few lines; the JSON has every number."""
    found = [f"{arm.arm} #{arm.rank}" for arm in why.arms if arm.rank is not None]
    lines = [", ".join(found)] if found else []
    if why.matched:
        lines.append(f"words: {' '.join(why.matched)}")
    lines += [f"{name} {part:+.2f}" for name, part in why.conversation.items()]
    lines.append(" ".join(f"{_SHORT.get(name, name)} {value:.2f}" for name, value in why.values.items()))
    lines += [f"{name} x{factor:.3g}" for name, factor in why.discounts.items()]
    lines.append(f"{why.age}; {why.provenance}")
    return "\n".join(lines)


def episodes(found: Sequence[Episode]) -> Table:
    """Episodes, oldest first."""
    table = grid("tick", "when", "who", "text", "about", "verified", "id")
    for episode in found:
        table.add_row(
            str(episode.tick),
            moment(episode.at),
            episode.speaker or episode.role,
            short(episode.text),
            ", ".join(episode.subjects),
            "yes" if episode.verified else "",
            episode.id,
        )
    return table


def facts(
    found: Sequence[tuple[Fact, float]],
    disputed: Container[str] = (),
    retention: Callable[[Fact], float] | None = None,
) -> Table:
    """Facts with their current confidences.

    Args:
        found: The facts.
        disputed: Ids of those that another fact disputes.
        retention: Returns the retention of a fact; without it there is no column for it.
    """
    from rich.text import Text

    kept = [] if retention is None else ["kept"]
    table = grid("sure now", *kept, "kind", "fact")
    for fact, confidence in found:
        text = Text(short(fact.text))
        told = (
            fact.id,
            _status(fact),
            "disputed" if fact.id in disputed else "",
            _bounds(fact),
            f"about {', '.join(fact.subjects)}" if fact.subjects else "",
            f"{fact.support:,} episode{'' if fact.support == 1 else 's'}" if fact.support else "",
            f"{fact.source}, generation {fact.generation}" if fact.generation else fact.source,
        )
        text.append("\n" + "; ".join(part for part in told if part), style="dim")
        table.add_row(
            sure(confidence), *([] if retention is None else [sure(retention(fact))]), fact.kind, text
        )
    return table


def _status(fact: Fact) -> str:
    """Status of a fact that is not in force, with the cause of its end."""
    if fact.status == "active":
        return ""
    return f"{fact.status} by {fact.ended_by}" if fact.ended_by else fact.status


def _bounds(fact: Fact) -> str:
    """First and last day at which the statement of a fact holds, as far as they are told."""
    if fact.statement is None:
        return ""
    bounds = (("since", fact.statement.since), ("until", fact.statement.until))
    return " ".join(f"{word} {day_of(instant)}" for word, instant in bounds if instant is not None)


def changes(found: Sequence[Change]) -> Table:
    """Changes of a pass, one fact per row."""
    table = grid("does", "kind", "text", "sure", "about")
    for change in found:
        fact = change.after
        before = "" if change.before is None else f"{sure(change.before.confidence)} -> "
        about = ", ".join(fact.subjects)
        table.add_row(change.action, fact.kind, short(fact.text), f"{before}{sure(fact.confidence)}", about)
    return table


def link(drawn: Link, of: str) -> str:
    """Link, described from one of its ends."""
    return f"{drawn.relation} {drawn.dst}" if drawn.src == of else f"{drawn.src} {drawn.relation} this"


def state(then: FactState) -> str:
    """State of a fact: the time at which it had it, and its text."""
    end = "now" if then.to_tick is None else when(then.to_tick, then.to_at)
    span = f"{when(then.from_tick, then.from_at)} to {end}"
    return f"{span}, {then.fact.status}, {then.fact.confidence:.2f}: {then.fact.text}"


def when(tick: int, at: int | None) -> str:
    """The time of a tick, or the tick where ticks are loops."""
    return f"tick {tick}" if at is None else moment(at)


def pairs(values: Iterable[tuple[str, Any]], *, title: str | None = None) -> Table:
    """Names and values, one per line."""
    from rich.table import Table

    table = Table(
        box=None, show_header=False, title=title, title_justify="left", title_style="bold", pad_edge=False
    )
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in values:
        table.add_row(name.replace("_", " "), str(value))
    return table


def spent(sums: Sequence[CallTotals]) -> Table:
    """Costs of language models, by purpose and outcome."""
    table = grid("for", "model", "ended", "calls", "in", "out", "cached", "cost", "ms")
    for each in sums:
        cost = "no price" if each.unpriced == each.calls else f"{each.cost:.4f}"
        numbers = (each.calls, each.tokens_in, each.tokens_out, each.tokens_cached)
        table.add_row(each.type, each.model, each.outcome, *map(str, numbers), cost, f"{each.latency_ms:.0f}")
    return table


def reliability(found: Calibration) -> Table:
    """Frequency at which facts held, by confidence."""
    table = grid("sure", "outcomes", "held", "", "worth", title=f"{found.outcomes} outcomes")
    for one in found.reliability:
        held = "" if one.held is None else f"{one.held:.2f}"
        bar = "" if one.held is None else "#" * round(20 * one.held)
        table.add_row(f"{one.confidence:.3f}", str(one.outcomes), held, bar, f"{one.stated:.2f}")
    return table


#: Number of changes of an act that a table shows.
_CHANGES = 12


def acts(found: Sequence[Act]) -> Table:
    """Acts of the journal, the last first."""
    table = grid("act", "what", "fact")
    for act in found:
        undone = "" if act.undone_by is None else f", undone by {act.undone_by}"
        table.add_row(str(act.number), act.name, f"{moment(act.at)}, tick {act.tick}{undone}")
        for change in act.changes[:_CHANGES]:
            table.add_row("", change.what, f"{short(change.text)}\n{change.fact}")
        if len(act.changes) > _CHANGES:
            table.add_row("", "more", f"{len(act.changes) - _CHANGES:,} other changes: --json")
    return table


def entities(found: Sequence[Entity]) -> Table:
    """Entities, the most mentioned first."""
    table = grid("entity", "kind", "mentions", "first", "last", "aliases")
    for entity in found:
        first, last = (
            str(tick) if tick is not None else "" for tick in (entity.first_tick, entity.last_tick)
        )
        aliases = ", ".join(entity.aliases)
        table.add_row(entity.name, entity.kind, str(entity.mentions), first, last, aliases)
    return table


def related(found: Sequence[RelatedEntity]) -> Table:
    """Entities named together with another one."""
    table = grid("named with", "kind", "together")
    for other in found:
        table.add_row(other.name, other.kind, str(other.together))
    return table


def triples(found: Sequence[Triple]) -> Table:
    """Relations between entities."""
    table = grid("subject", "predicate", "object", "sure", "from", "to", "id")
    for triple in found:
        end = "" if triple.valid_to is None else when(triple.valid_to, triple.to_at)
        table.add_row(
            triple.subject, triple.predicate, triple.object, sure(triple.confidence),
            when(triple.valid_from, triple.from_at), end, triple.id,
        )  # fmt: skip
    return table


def findings(found: Sequence[Reference]) -> Table:
    """Memories with the address, command or path found in them."""
    table = grid("found", "text", "id")
    for finding in found:
        table.add_row(finding.value, short(finding.record.text), finding.record.id)
    return table


def links(found: Sequence[Link]) -> Table:
    """Links between facts."""
    table = grid("from", "relation", "to", "weight")
    for each in found:
        table.add_row(each.src, each.relation, each.dst, f"{each.weight:.2f}")
    return table


def prompts(found: Sequence[PromptRecord]) -> Table:
    """Recorded prompts, the latest first."""
    table = grid("id", "when", "tick", "task", "memories", "acted", "outcome")
    for record in found:
        acted = "" if record.acted is None else "yes" if record.acted else "no"
        outcome = "" if record.outcome is None else f"{record.outcome:+.2f}"
        row = (record.id, moment(record.at), str(record.tick), record.task_type, str(len(record.memories)))
        table.add_row(*row, acted, outcome)
    return table


def keys(found: Sequence[Key]) -> Table:
    """Keys whose testaments are inherited without limits."""
    table = grid("key", "name", "list")
    for key in found:
        table.add_row(key.key, key.name, key.origin)
    return table
