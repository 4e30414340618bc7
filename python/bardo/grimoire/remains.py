"""Reads the records of a life from its open memory, for audits and for the survival of beliefs."""

from __future__ import annotations

from collections.abc import Iterator

from bardo._core import confidence_now, fact_standing
from bardo.assemble.prompt_feedback import PromptFeedback
from bardo.bequeath.family import family
from bardo.bequeath.family.autopsy import Records
from bardo.bequeath.family.beliefs import LifeBeliefs
from bardo.bequeath.family.family import key
from bardo.bequeath.heir.inherit import provenance
from bardo.bequeath.lineage import is_dead
from bardo.grimoire.session import Session
from bardo.grimoire.stores import all_facts
from bardo.model import Episode
from bardo.recall.rules import RULE_KINDS


def records_of(session: Session) -> Records:
    """Returns the records of the agent: all of its episodes, and its facts as of any tick."""
    store, settings = session.facts, session.config.feedback
    stone = is_dead(session.path)

    def episodes() -> Iterator[Episode]:
        return session.recorder.browse(from_tick=0, to_tick=None, subject=None, thread=None, last=None)

    def decided(prompt: str) -> int | None:
        prompts = PromptFeedback(session.path, learn=False, evidence=settings.evidence)
        try:
            found = prompts.list(prompt_id=prompt, limit=1)
        finally:
            prompts.close()
        return found[0].tick if found else None

    return Records(
        family.lineage_of(session.path).life,
        session.now_tick if stone is None else stone.tick,
        episodes,
        lambda tick: all_facts(store, status=None, as_of=tick),
        lambda fact, tick: confidence_now(fact, tick=tick, tau_ticks=store.tau_ticks),
        decided,
        session.config.curator.outcomes,
        session.ticks.seconds,
    )


def beliefs_of(session: Session) -> LifeBeliefs:
    """Returns the rules of the agent, the outcomes of acting on them, and the memories of its last decision."""
    records = records_of(session)
    rule, life = session.config.playbook, records.life
    facts = all_facts(session.facts, status=None)
    outcomes = {}
    for fact in facts:
        if fact.kind in RULE_KINDS:
            standing = fact_standing(
                session.facts,
                fact.id,
                tick=records.end,
                active_ticks=rule.active_ticks,
                confidence=rule.confidence,
            )
            good, bad, *_ = standing.outcomes or (0, 0)
            outcomes[fact.id] = (int(good), int(bad))
    own = [decision for decision in records.decisions(records.end) if not decision.inherited]
    cited = frozenset(own[-1].cited) if own else frozenset()
    return LifeBeliefs(
        life.agent,
        life.generation,
        key(life),
        facts,
        frozenset(provenance(session.path)),
        outcomes,
        cited,
        life.death_tick is not None,
    )
