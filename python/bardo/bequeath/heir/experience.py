"""Converts the episodes of a testament to another agent's experience, which the heir does not consolidate."""

from __future__ import annotations

import dataclasses

from bardo.bequeath.content.worth import inherited_fields
from bardo.bequeath.lineage import GENERATION_LIMIT
from bardo.bequeath.privacy.names import OF_TESTAMENT, Names
from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.testament.testament import Testament
from bardo.model import INHERITED_KIND, Episode


def redactor_of(testament: Testament) -> Redactor:
    """Returns the redactor of an inheritance; whether contact data crosses was the testator's choice."""
    texts = [one.text for one in testament.episodes]
    texts += [one.text for one in testament.facts]
    texts += [one.text for one in testament.conduct]
    return Redactor(personal=True, names=Names.of(dict.fromkeys(texts), least=OF_TESTAMENT))


def inherited_episode(episode: Episode, testament: Testament, tick: int, redactor: Redactor) -> Episode:
    """Returns an episode of a testament as the heir records it.

    Args:
        episode: Episode of the testament, its text redacted.
        testament: The testament.
        tick: Tick of the inheritance.
        redactor: Redactor of the inheritance.
    """
    lived = inherited_fields(episode) or {
        "agent": testament.life.agent,
        "testament": testament.hash,
        "tick": episode.tick,
        "kind": episode.kind,
        "importance": episode.importance,
        "payload": episode.payload,
    }
    generation = lived.get("generation", 0)
    lived = {
        **lived,
        "generation": min(generation + 1 if isinstance(generation, int) else 1, GENERATION_LIMIT),
    }
    return dataclasses.replace(
        episode,
        tick=tick,
        event_index=0,
        kind=INHERITED_KIND,
        payload={INHERITED_KIND: redactor.payload(lived)},
        thread=None,
        session=None,
        importance=None,
        verified=False,
        replay_count=0,
        content_hash=0,
    )
