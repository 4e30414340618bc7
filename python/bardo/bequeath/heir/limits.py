"""Limits the content of a testament of an unknown signer: statements are hearsay, claims about itself are dropped."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING

from bardo.bequeath.heir.innate import CONFIRMED
from bardo.model import NEUTRAL, Episode, Fact

if TYPE_CHECKING:
    from bardo.bequeath.testament.testament import Testament

#: Kinds of facts about the heir's own identity and aims, which an unknown signer must not set (law 15).
OWN_KINDS = frozenset({"identity", "goal", "preference", "interest"})
#: Default importance of a fact.
_UNJUDGED = 0.5
#: Digits of the signer's key in the origin of a fact, beside the agent's name.
_SHOWN = 16
#: Maximum length of the agent's name in an origin, in bytes; the store allows 256 for the origin.
_NAME_BYTES = 128


def limit(testament: Testament, counts: Counter[str]) -> Testament:
    """Limits a testament of an unknown signer to the content that an heir accepts.

    Args:
        testament: Testament to limit.
        counts: Counter of limited items by kind; updated in place.
    """
    name = testament.life.agent.encode()[:_NAME_BYTES].decode(errors="ignore")
    origin = f"{name} ({testament.signer[:_SHOWN]})"
    kept = [place for place, fact in enumerate(testament.facts) if fact.kind not in OWN_KINDS]
    counts["own_kinds"] += len(testament.facts) - len(kept)
    counts["questions"] += len(testament.gaps)
    counts["directives"] += len(testament.conduct)
    counts["ancestors"] += len(testament.lineage.ancestors)
    life = dataclasses.replace(testament.life, generation=0, parents=())
    return dataclasses.replace(
        testament,
        lineage=dataclasses.replace(testament.lineage, life=life, ancestors=()),
        facts=tuple(_fact(testament.facts[place], testament.life.agent, origin, counts) for place in kept),
        vectors=None if testament.vectors is None else testament.vectors[kept],
        episodes=tuple(_episode(episode, counts) for episode in testament.episodes),
        gaps=(),
        conduct=(),
        ended=(),
    )


def note_of(testament: Testament) -> str:
    """Tells what an heir does not take from a testament of an unknown signer."""
    held = len(testament.conduct)
    return (
        f"The testament of {testament.life.agent} was taken with limits: its signer {testament.signer} is unknown"
        + (f". Of its rejections, rules and tasks ({held}) none holds here" if held else "")
    )


def _fact(fact: Fact, agent: str, origin: str, counts: Counter[str]) -> Fact:
    counts["origins"] += fact.origin not in {"", agent}
    counts["importances"] += fact.importance != _UNJUDGED
    counts["bloodstains"] += fact.bloodstain
    # The heir's gate uses anti-knowledge, and its confidence never falls below the floor.
    counts["innate"] += CONFIRMED in fact.metadata
    counts["refutations"] += fact.is_refuted
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
        # The word of a stranger keeps the heir from learning no belief.
        ended_by=None,
        # The word of a stranger makes no rule innate.
        metadata={name: value for name, value in fact.metadata.items() if name != CONFIRMED},
    )


def _episode(episode: Episode, counts: Counter[str]) -> Episode:
    counts["roles"] += episode.role != "environment"
    counts["speakers"] += episode.speaker is not None
    counts["importances"] += episode.importance is not None
    return dataclasses.replace(
        episode, role="environment", speaker=None, importance=None, curiosity=0.0, pad=NEUTRAL
    )
