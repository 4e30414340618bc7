"""`bardo vitality`: the three clocks of the agent's life, its phase and its mood."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.consolidate.pages.wording import counted
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.output import Output

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.life.clocks import Vitality


@on_memory
def vitality(
    opened: "Grimoire",
    output: Output,
    *,
    spend: Annotated[float | None, typer.Option(min=0, help="Record spending of this sum first.")] = None,
    earn: Annotated[float | None, typer.Option(min=0, help="Record earnings of this sum first.")] = None,
) -> None:
    """Show how much life the agent has left."""
    if spend is not None:
        opened.life.spend(spend)
    if earn is not None:
        opened.life.earn(earn)
    found = opened.life.vitality()
    output.document(found.to_dict())
    mood = found.affect
    rows = [
        ("vitality", f"{found.value:.3f}" if found.budget_known else f"at most {found.value:.3f}"),
        ("phase", _phase(found)),
        ("economic", _economic(found)),
        ("epistemic", f"{found.epistemic:.3f}, {counted(found.outcomes, 'outcome')}"),
        ("stochastic", f"{found.stochastic:.3f}, age {counted(found.age, 'tick')}"),
        (
            "mood",
            f"{mood.label} (pleasure {mood.pleasure:+.2f}, arousal {mood.arousal:+.2f}, "
            f"dominance {mood.dominance:+.2f})",
        ),
    ]
    warnings = [len(opened.facts.list(kind=kind)) for kind in ("warning", "anti_knowledge")]
    rows += [
        (
            "markers",
            f"{counted(found.markers, 'situation')}, {found.dangers} of them surely worse than others",
        ),
        ("immune memory", f"{counted(warnings[0], 'warning')}, {warnings[1]} anti-knowledge"),
        ("decision cache", counted(found.decisions, "situation")),
    ]
    if found.budget:
        rows.append(("set aside", f"{found.reserve:g} for the death"))
    if found.death:
        rows.append(("death", f"begun, in the phase {found.death}"))
    if found.ticks_left is not None:
        rows.append(("budget lasts", f"{found.ticks_left:.0f} ticks"))
    if found.dying:
        rows.append(("dying", ", ".join(found.dying)))
    output.pairs(rows)
    output.note(*found.notes)


def _phase(found: "Vitality") -> str:
    if not found.budget_known:
        return "unknown: the budget is not known here"
    if found.is_dead:
        return (
            f"{found.phase}, then dead"
            if found.mortal
            else "dead (its budget and lifespan are not known here)"
        )
    return found.phase if found.mortal else f"{found.phase} (no budget and no lifespan: not mortal)"


def _economic(found: "Vitality") -> str:
    if not found.budget_known:
        moved = f"{found.spent:g} spent" if found.spent >= 0 else f"{-found.spent:g} more earned than spent"
        return f"unknown, {moved}"
    return f"{found.economic:.3f}" + (f", {found.left:g} of {found.budget:g} left" if found.budget else "")
