"""Prompts for decisions, and their outcomes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, cast

from bardo.assemble import context
from bardo.assemble.context import Phase, Prompt, TaskType, Voice
from bardo.assemble.contributors import Situation
from bardo.assemble.learned_weights import caps
from bardo.bequeath.lineage import Lineage
from bardo.errors import NotFoundError, StoreError
from bardo.grimoire import life
from bardo.grimoire.decision_records import LOOKED_AMONG, recorded_decision
from bardo.grimoire.life import BLOCK
from bardo.grimoire.pages import PageWriter
from bardo.grimoire.prompt_dates import dated
from bardo.grimoire.prompts import PromptParts
from bardo.grimoire.replies import UNSEARCHED, Gathered, Replies
from bardo.grimoire.retrieval import Retrieval
from bardo.grimoire.session import Session
from bardo.grimoire.writer import Writer
from bardo.life.history import RECORDED_AS
from bardo.recall import feedback
from bardo.recall.feedback import OutcomeReport
from bardo.recall.options import FILTERS, OwnerRecallOptions
from bardo.recall.predictions import EarlierOutcomes
from bardo.recall.rules import OFFERED
from bardo.recall.situation import Situation as Moment

if TYPE_CHECKING:
    from bardo.assemble.blocks import Block
    from bardo.converse.triage import Triage
    from bardo.model import Episode
    from bardo.recall.recollection import Memory, Recollection
    from bardo.recall.retriever import Factors

#: Priority of the block of a dossier, above that of episodes, so that spare tokens are offered to it first.
DOSSIER_PRIORITY = 7


class Decisions:
    """Makes prompts and records outcomes.

    Args:
        session: Open memory.
        writer: Recorder of outcomes.
        retrieval: Recall of the memories of a prompt.
        parts: Parts that build prompts.
        pages: Source of the dossier.
        replies: Source of the memories of a reply to a chat message.
    """

    def __init__(
        self,
        session: Session,
        writer: Writer,
        retrieval: Retrieval,
        parts: PromptParts,
        pages: PageWriter,
        *,
        replies: Replies,
    ) -> None:
        self._session = session
        self._writer = writer
        self._retrieval = retrieval
        self._parts = parts
        self._pages = pages
        self._replies = replies

    def context(
        self,
        task: str,
        recall: OwnerRecallOptions,
        *,
        blocks: Mapping[str, Any] | None,
        budget: int | None,
        reserve: int | None,
        limit: int,
        phase: Phase | None,
        task_type: TaskType | None,
        voice: Voice | None,
        dossier: bool | None,
        triage: Triage | None,
    ) -> Prompt:
        """Builds a prompt; see `Grimoire.context`."""
        session = self._session
        settings = session.config.assemble
        budget = settings.budget if budget is None else index(budget)
        learned = self._parts.feedback.learned(task_type) if session.config.feedback.learn else None
        if learned is not None and learned.in_force:
            recall.setdefault("factors", cast("Factors", tuple(learned.factors.values())))
        blocks = dict(blocks or {})
        phase = phase or session.vitals.phase()
        vitality = None if BLOCK in blocks else life.block(session, recall.get("situation"))
        if vitality is not None:
            blocks[BLOCK] = vitality
        is_searched = triage is None or triage.memory
        page, told = self._page(blocks, recall) if is_searched and self._wants_page(dossier) else (None, ())
        rules: Sequence[Memory] = ()
        if page is not None:
            rules = self._rules(task, recall)
            recall["layers"] = ("episode",)
            blocks[page.name] = page
        found = self._gathered(task, limit, recall, triage=triage, facts=page is None)
        blocks = found.blocks | blocks
        situation = Situation(task, session.agent, session.now_tick, budget, phase=phase, task_type=task_type)
        brought, notes = self._parts.contributors.blocks(situation, frozenset(blocks))
        prompt = context.build(
            task,
            found.memories,
            rules=dated(rules, session),
            blocks=blocks | {each.name: each for each in brought},
            budget=budget,
            reserve=context.reserve_set(settings.reserve) if reserve is None else reserve,
            tokenizer=settings.tokenizer,
            phase=phase,
            task_type=task_type,
            voice=voice,
            words=self._parts.words.model if settings.condense else None,
            caps=partial(caps, learned) if learned else None,
            situation=recall.get("situation"),
        )
        unrecorded = () if session.is_dead else session.made_prompts.note(prompt)
        prompt = dataclasses.replace(
            prompt,
            notes=(*prompt.notes, *found.notes, *told, *notes, *unrecorded),
            situation=recall.get("situation"),
            task=task,
            arrived=session.log.stats()["last_seq"],
        )
        if session.config.feedback.record and not session.is_dead:
            self._parts.feedback.note(
                prompt, task_type=task_type, phase=phase, tick=session.now_tick, at=session.clock.now()
            )
        return prompt

    def _gathered(
        self, task: str, limit: int, recall: OwnerRecallOptions, *, triage: Triage | None, facts: bool
    ) -> Gathered:
        """Returns the memories of a prompt: of a reply to a chat message if there is a triage of it."""
        if triage is None:
            recalled = self._retrieval.recall(task, limit, recall, deciding=True)
            return Gathered(dated(recalled, self._session), notes=list(recalled.notes))
        if not triage.memory:
            return Gathered(None, notes=[UNSEARCHED])
        return self._replies.gather(task, limit, recall, facts=facts)

    def _wants_page(self, asked: bool | None) -> bool:
        return self._session.config.dossier.in_context if asked is None else asked

    def _page(
        self, blocks: Mapping[str, Any], recall: Mapping[str, Any]
    ) -> tuple[Block | None, tuple[str, ...]]:
        """Returns the dossier as the block of facts, or the reason why the facts are searched instead."""
        narrowing = sorted(FILTERS & recall.keys())
        postures = sorted({"mode", "thread"} & recall.keys())
        if not narrowing and postures and self._session.facts.has_modes():
            # The dossier holds facts of every mode.
            narrowing = postures
        if context.FACTS in blocks or narrowing:
            why = f"{narrowing[0]} was asked for" if narrowing else f"there is a block {context.FACTS}"
            return None, (f"the dossier was not used: {why}",)
        fresh = self._pages.fresh_dossier()
        if fresh is None or not fresh.shown:
            return None, (
                "the dossier is not up to date, so the facts were searched: `pages.dossier()` compiles it",
            )
        passages = fresh.passages()
        return context.Block(context.FACTS, memories=passages, priority=DOSSIER_PRIORITY), ()

    def _rules(self, task: str, recall: OwnerRecallOptions) -> list[Memory]:
        """Returns the rules that apply to a task: the dossier is one page for all tasks."""
        asked = cast("OwnerRecallOptions", {**recall, "layers": ("fact",)})
        found = self._retrieval.recall(task, OFFERED, asked, deciding=True)
        return [memory for memory in found if memory.why.is_seated]

    def outcome(
        self, used: Prompt | Recollection | str, *, value: float, note: str | None, action: str | None
    ) -> OutcomeReport:
        """Records an outcome; see `Grimoire.outcome`."""
        session = self._session
        session.ready(write=True)
        value = feedback.checked_value(value)
        used_id, memories, recent = self._acted_on(used)
        acted_on = tuple(memory for layer, memory in memories if layer == "fact")
        # Refuse facts that cannot be judged before the episode is stored.
        feedback.standing(session.facts, acted_on)
        moment = Moment.of((used.situation if isinstance(used, Prompt) else None) or {}).after(action)
        outcomes = session.config.curator.outcomes
        record = recorded_decision(recent, used_id, moment, value, outcomes=outcomes)
        decision = moment if record is None else record.completed(moment)
        if len(decision.actions) == 1:
            moment = dataclasses.replace(moment, actions=decision.actions)
        self._writer.remember(
            note or feedback.note_of(value, len(memories)),
            None,
            {
                "kind": "outcome",
                "subjects": moment.subjects,
                "payload": {
                    **moment.settled(),
                    "value": value,
                    "of": used_id,
                    "memories": [memory for _, memory in memories],
                    **({} if record is None else {RECORDED_AS: record.episode.id}),
                },
                # An outcome is verified by definition; the reflection at death reads it.
                "verified": True,
                "importance": abs(value),
            },
            truncate=False,
        )
        report = feedback.apply(
            session.facts,
            acted_on,
            value,
            Moment(decision.settled(), decision.subjects, decision.actions),
            text=_told_of(used),
            earlier=EarlierOutcomes(session.vitals.recent),
            outcomes=outcomes,
            measured={} if record is None else record.measured,
            tick=session.now_tick,
            reinforcement=session.config.decay.reinforcement,
        )
        session.hot.sync_facts(session.facts)
        refuted = sum(
            fact is not None and fact.source not in feedback.OWN_SOURCES
            for fact in session.facts.get(report.refuted)
        )
        if (report.earned or refuted) and (family := Lineage.load(session.path)):
            family.tried(confirmed=len(report.earned), refuted=refuted).save(session.path)
        if memories and not acted_on:
            note = f"none of the {len(memories)} memories acted on is a fact, so no confidence moved"
            report = dataclasses.replace(report, notes=(*report.notes, note))
        if session.config.feedback.record:
            try:
                self._parts.feedback.outcome(used_id, value, at=session.clock.now())
            except StoreError as error:
                # The outcome is recorded; only the learning of prompt weights misses it.
                note = f"the record of prompts does not have this outcome: {error}"
                report = dataclasses.replace(report, notes=(*report.notes, note))
        session.observe_phase()
        return report

    def _acted_on(
        self, used: Prompt | Recollection | str
    ) -> tuple[str, Sequence[tuple[str, str]], Sequence[Episode]]:
        """Returns the id of a prompt or recollection, the layer and id of its memories, and the episodes since then."""
        if isinstance(used, Prompt):
            # Entries of the gate have no id among the memories: an outcome is not theirs.
            shown = (memory for block in used.blocks for memory in block.memories if memory.id)
            return used.id, [(memory.layer, memory.id) for memory in shown], self._since(used.arrived)
        if not isinstance(used, str):
            return used.id, [(memory.layer, memory.id) for memory in used.memories], ()
        found = self._parts.feedback.list(prompt_id=used, limit=1)
        if not found:
            raise NotFoundError(
                f"no prompt on record has the id {used!r}. List them with prompts.list(); the owner of the memory "
                "keeps the latest while feedback.record is on"
            )
        # Of one tick the order of arrival is not on record.
        later = self._session.log.range(found[0].tick + 1, self._session.now_tick, limit=LOOKED_AMONG)
        return used, found[0].memories, later

    def _since(self, arrived: int | None) -> Sequence[Episode]:
        """Returns the first episodes that arrived after another one; none if its number is not known."""
        if arrived is None:
            return ()
        return [episode for _, episode in self._session.log.since(arrived, LOOKED_AMONG)]


def _told_of(used: Prompt | Recollection | str) -> str:
    """Task of a prompt or query of a recollection; empty for a prompt on record, which has no text."""
    if isinstance(used, str):
        return ""
    return used.task if isinstance(used, Prompt) else used.query
