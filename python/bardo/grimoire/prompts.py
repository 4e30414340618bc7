"""The verbs around a decision: the prompt for it, who contributes, whether it was acted on, and what came of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from bardo._lazy import dataclasses, modules, once
from bardo._validation import checked, handing_on
from bardo.errors import StoreError
from bardo.grimoire.session import Opened
from bardo.grimoire.stores import listed

if TYPE_CHECKING:
    from bardo.assemble import condense, context, contributors, records
    from bardo.assemble.blocks import Block, Place
    from bardo.assemble.condense import OwnWords
    from bardo.assemble.context import Phase, Profile, Prompt, Task
    from bardo.assemble.contributors import Contributor, Contributors
    from bardo.assemble.records import PromptRecords
    from bardo.consolidate.dossier import Dossier
    from bardo.recall import feedback
    from bardo.recall.feedback import OutcomeReport
    from bardo.recall.recollection import Memory, Recollection
else:
    condense, context, contributors, records, feedback = modules(
        "assemble.condense",
        "assemble.context",
        "assemble.contributors",
        "assemble.records",
        "recall.feedback",
    )

#: Memories that a prompt chooses from; the budget decides how many get in.
CONSIDERED = 24
#: What a recall may be asked for that one page for all questions cannot answer.
_NARROWING = frozenset(
    {"kinds", "category", "subjects", "since", "until", "min_confidence", "sources", "as_of", "layers"}
)


class Deciding(Opened):
    """What a `Grimoire` does for a decision, before it and after it."""

    @once
    def _words(self) -> OwnWords:
        """What is predictable in the agent's own words."""
        return condense.OwnWords(self._log)

    @once
    def _contributors(self) -> Contributors:
        """Who brings a block to every prompt."""
        return contributors.Contributors()

    @once
    def _records(self) -> PromptRecords:
        """What stood in prompts, and what came of them."""
        settings = self.config.feedback
        return records.PromptRecords(self.path, learn=settings.learn, evidence=settings.evidence)

    @abstractmethod
    def _fresh_dossier(self) -> Dossier | None: ...

    @abstractmethod
    def remember(self, *what: Any, **fields: Any) -> Any:
        """Stores what happened."""

    @abstractmethod
    def recall(self, *query: Any, **options: Any) -> Recollection:
        """A few memories that matter for a query."""

    @handing_on("recall")
    @checked
    def context(
        self,
        /,
        task: str,
        *,
        blocks: Mapping[str, Any] | None = None,
        budget: int | None = None,
        reserve: int | None = None,
        limit: int = CONSIDERED,
        phase: Phase | None = None,
        task_type: Task | None = None,
        framing: Profile | None = None,
        dossier: bool | None = None,
        **recall: Any,
    ) -> Prompt:
        """A prompt for a task within a token budget, with the memories that matter for it.

        Args:
            task: What is to be decided: the instruction, and the query of the recall.
            blocks: Further blocks by name: text, table rows (mappings), or `Block`s (spec 5, "Blocks").
            budget: Tokens of the prompt and of the answer together.
            reserve: Tokens kept for the answer. If not given, as `config.assemble.reserve` says: 500, and of a small
                budget a quarter.
            limit: Memories that are considered.
            phase: How much of the budget is spent, from `thriving` to `terminal`.
            task_type: What the blocks are weighted for: `anomaly`, `routine` or `trade_evaluation`.
            framing: Who the memories are told to: `briefing` or `first_person`.
            dossier: Whether the dossier, while no fact is newer, stands in place of facts that are searched for; as
                `config.dossier.in_context` says if not given. An outcome of such a prompt moves no fact: nobody knows
                which of them helped.
            recall: What `recall` takes besides (thread, mode, layers, pad, window, ...). The turns of a window stand in
                the entry of their memory, each once.

        Returns:
            A `Prompt`; `str(prompt)` is its text.

        Raises:
            BudgetTooSmallError: The blocks that may not be cut are larger than the budget.
        """
        settings = self.config.assemble
        budget = settings.budget if budget is None else budget
        learned = self._records.learned(task_type) if self.config.feedback.learn else None
        if learned is not None and learned.in_force:
            recall.setdefault("factors", tuple(learned.factors.values()))
        blocks = dict(blocks or {})
        page, told = self._page(blocks, recall) if self._wants_page(dossier) else (None, ())
        if page is not None:
            recall["layers"] = ("episode",)
            blocks[page.name] = page
        recollection = self.recall(task, limit=limit, **recall)
        situation = contributors.Situation(
            task, self.agent, self.now_tick, budget, phase=phase, task_type=task_type
        )
        brought, notes = self._contributors.blocks(situation, frozenset(blocks))
        prompt = context.build(
            task,
            recollection,
            blocks=blocks | {each.name: each for each in brought},
            budget=budget,
            reserve=context.reserve_set(settings.reserve) if reserve is None else reserve,
            tokenizer=settings.tokenizer,
            phase=phase,
            task_type=task_type,
            framing=framing,
            words=self._words.model if settings.condense else None,
            caps=partial(records.caps, learned) if learned else None,
        )
        unrecorded = () if self.is_dead else self._made_prompts.note(prompt)
        if notes or told or unrecorded:
            prompt = dataclasses.replace(prompt, notes=(*prompt.notes, *told, *notes, *unrecorded))
        if self.config.feedback.record and not self.is_dead:
            self._records.note(prompt, task=task_type, phase=phase, tick=self.now_tick, at=self._clock.now())
        return prompt

    def _wants_page(self, asked: bool | None) -> bool:
        return self.config.dossier.in_context if asked is None else asked

    def _page(
        self, blocks: Mapping[str, Any], recall: Mapping[str, Any]
    ) -> tuple[Block | None, tuple[str, ...]]:
        """The dossier as the block of facts, or why the facts are searched instead."""
        narrowing = sorted(_NARROWING & recall.keys())
        postures = sorted({"mode", "thread"} & recall.keys())
        if not narrowing and postures and self._has_modes():
            # The dossier holds facts of every mode.
            narrowing = postures
        if context.FACTS in blocks or narrowing:
            why = f"{narrowing[0]} was asked for" if narrowing else f"there is a block {context.FACTS}"
            return None, (f"the dossier was not used: {why}",)
        fresh = self._fresh_dossier()
        if fresh is None or not fresh.shown:
            return None, (
                "the dossier is not up to date, so the facts were searched: `dossier()` compiles it",
            )
        return context.memory_block(fresh.passages(), name=context.FACTS), ()

    def _has_modes(self) -> bool:
        """Whether any fact in force is known in some mode alone."""
        ids = [fact.id for fact in listed(self._facts)]
        return any(mode for _, mode in self._facts.scopes(ids))

    @checked
    def contribute(
        self,
        name: str,
        contribute: Contributor,
        *,
        order: int = 10,
        priority: int | None = None,
        cap: int | None = None,
        place: Place | None = None,
    ) -> None:
        """Lets a callable bring a block to every prompt of this grimoire while it is open.

        A contributor that raises, or brings what no block can hold, is logged and left out of that prompt, and the
        prompt's `notes` say so. A block of the same name that `context` is given wins.

        Args:
            name: Name and tag of the block: lower-case ASCII letters, digits and `_`, at most 40.
            contribute: Called with a `Situation` (task, agent, tick, budget, phase, task_type); gives text, rows, a
                `Block`, or None for nothing.
            order: When it runs, the lowest first: stability 5, contemplation 7, current truths 8, continuity 10, code
                evolution 20.
            priority: Of the block: higher ones are filled first; 4 if neither this nor the block says anything.
            cap: Tokens the block is given at first.
            place: `first`, `middle` or `last`.

        Raises:
            InvalidInputError: The name cannot be a tag, or a number is out of range.
        """
        self._ready()
        self._contributors.add(name, contribute, order=order, priority=priority, cap=cap, place=place)

    def stop_contributing(self, name: str) -> bool:
        """Takes a contributor away; whether there was one of that name."""
        return self._contributors.remove(name)

    @checked
    def acted(self, prompt: Prompt, taken: bool = True) -> bool:
        """Tells whether the action that a prompt was for was taken; what was not acted on teaches nothing.

        Returns:
            Whether the prompt is on record: it is while it is among the latest 5,000 without an outcome.
        """
        self._ready(write=True)
        return self._records.acted(prompt.id, taken)

    def unlearn(self) -> None:
        """Forgets the records of prompts and outcomes, and with them every weight that was learned from them."""
        self._ready(write=True)
        self._records.unlearn()

    @checked
    def outcome(self, used: Prompt | Recollection, *, value: float, note: str | None = None) -> OutcomeReport:
        """Tells what came of acting on memories: only this raises (or lowers) the confidence of facts.

        A good outcome counts once in `decay.spacing_ticks` (50) for each fact: it moves no fact that was reinforced in
        fewer ticks before. A bad one counts always. An inherited fact becomes the agent's own with the third good
        outcome that counts, if the sum of those that count is above zero.

        Args:
            used: The prompt or recollection that was acted on.
            value: From -1 (it went as badly as can be) to 1.
            note: What happened, in words.

        Returns:
            Which facts moved, which are not there any more, and what could not be done.

        Raises:
            InvalidInputError: The value is not a number from -1 to 1; nothing was stored.
        """
        self._ready(write=True)
        value = feedback.checked_value(value)
        memories = cast("Sequence[Memory]", used.memories)
        acted_on = feedback.facts_among(memories)
        # Whatever is refused is refused before the episode is stored.
        feedback.standing(self._facts, acted_on)
        self.remember(
            note or f"Outcome {value:+.2f} of acting on {len(memories)} memories",
            kind="outcome",
            payload={"value": value, "of": used.id, "memories": [memory.id for memory in memories]},
            # What came of something is known by definition; the reflection at death reads it.
            verified=True,
            importance=abs(value),
        )
        report = feedback.apply(
            self._facts, acted_on, value, tick=self.now_tick, reinforcement=self.config.decay.reinforcement
        )
        self._hot.sync_facts(self._facts)
        if self.config.feedback.record:
            try:
                self._records.outcome(used.id, value, at=self._clock.now())
            except StoreError as error:
                # The outcome was taken; only what prompts learn from it is missing.
                note = f"the record of prompts does not have this outcome: {error}"
                report = dataclasses.replace(report, notes=(*report.notes, note))
        return report
