"""Limits of a testament of an unknown signer: statements count as hearsay, claims about itself are ignored."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING

from bardo.model import NEUTRAL, Episode, Fact

if TYPE_CHECKING:
    from bardo.bequeath.testament import Testament

#: Kinds of facts that say who the heir is or what it wants: a stranger has no say in that (law 15).
OWN_KINDS = frozenset({"identity", "goal", "preference", "interest"})
#: Importance of a fact that is not judged.
_UNJUDGED = 0.5
#: Digits of the key that mark what a stranger said, beside its name.
_SHOWN = 16
#: Bytes of a name in an origin; the limit of the store is 256.
_NAME_BYTES = 128


def limit(testament: Testament, counts: Counter[str]) -> Testament:
    """The testament as an heir takes it from an unknown signer.

    Args:
        testament: As it was read.
        counts: Grows by one per thing that was limited, under its name.
    """
    name = testament.life.agent.encode()[:_NAME_BYTES].decode(errors="ignore")
    origin = f"{name} ({testament.signer[:_SHOWN]})"
    kept = [place for place, fact in enumerate(testament.facts) if fact.kind not in OWN_KINDS]
    counts["own_kinds"] += len(testament.facts) - len(kept)
    counts["questions"] += len(testament.gaps)
    counts["ancestors"] += len(testament.lineage.ancestors)
    life = dataclasses.replace(testament.life, generation=0, parents=())
    return dataclasses.replace(
        testament,
        lineage=dataclasses.replace(testament.lineage, life=life, ancestors=()),
        facts=tuple(_fact(testament.facts[place], testament.life.agent, origin, counts) for place in kept),
        vectors=None if testament.vectors is None else testament.vectors[kept],
        episodes=tuple(_episode(episode, counts) for episode in testament.episodes),
        gaps=(),
    )


def _fact(fact: Fact, agent: str, origin: str, counts: Counter[str]) -> Fact:
    counts["origins"] += fact.origin not in {"", agent}
    counts["importances"] += fact.importance != _UNJUDGED
    counts["bloodstains"] += fact.bloodstain
    # The gate of an heir uses anti-knowledge, which never fades below its floor.
    is_ban = fact.kind == "anti_knowledge"
    counts["anti_knowledge"] += is_ban
    return dataclasses.replace(
        fact,
        kind="warning" if is_ban else fact.kind,
        payload={"type": "none"} if is_ban else fact.payload,
        origin=origin,
        importance=_UNJUDGED,
        bloodstain=False,
        quality=None,
        pad=NEUTRAL,
    )


def _episode(episode: Episode, counts: Counter[str]) -> Episode:
    counts["roles"] += episode.role != "environment"
    counts["speakers"] += episode.speaker is not None
    counts["importances"] += episode.importance is not None
    return dataclasses.replace(
        episode, role="environment", speaker=None, importance=None, curiosity=0.0, pad=NEUTRAL
    )
