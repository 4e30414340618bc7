"""`bardo vitality`: the three clocks of the agent's life, its phase and its mood."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.output import Output

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire


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
        ("vitality", f"{found.value:.3f}"),
        ("phase", found.phase if found.mortal else f"{found.phase} (no budget and no lifespan: not mortal)"),
        (
            "economic",
            f"{found.economic:.3f}" + (f", {found.left:g} of {found.budget:g} left" if found.budget else ""),
        ),
        ("epistemic", f"{found.epistemic:.3f}, {found.outcomes} outcomes"),
        ("stochastic", f"{found.stochastic:.3f}, age {found.age} ticks"),
        ("mood", f"{mood.label} ({mood.pleasure:+.2f} {mood.arousal:+.2f} {mood.dominance:+.2f})"),
    ]
    rows += [
        ("immune memory", f"{found.markers} situations, {found.dangers} of them mostly ended badly"),
        ("decision cache", f"{found.decisions} situations"),
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
