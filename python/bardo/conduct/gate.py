"""Gates: check an action against rejections, decisions and rules, and record its result.

Any process may use one: a gate does not open the log, so a shell hook can check actions while the owner runs.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from bardo._validation import checked
from bardo.conduct.findings import approves, candidates_of, findings_of
from bardo.conduct.gate_base import GateBase
from bardo.conduct.model.entries import (
    CRITICAL,
    MOST,
    NEW,
    SHOWN,
    Answer,
    Outcome,
    Rule,
    StateEntry,
    StateKind,
)
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.persons import is_person
from bardo.conduct.procedures import capabilities, flows
from bardo.conduct.required import delete, require_action, require_person
from bardo.conduct.storage.rows import check, check_kind
from bardo.conduct.verdict import Decision, Verdict, with_texts
from bardo.errors import InvalidInputError

if TYPE_CHECKING:
    from bardo.conduct.aftermath import Aftermath

#: Maximum number of tokens of a verdict.
BUDGET = 3_000
#: Number of the latest entries of state that a verdict shows besides the related ones.
LATEST = 5
#: Maximum number of rules that a verdict shows, the highest score first.
TOP = 20
#: Maximum numbers of capabilities, and of tools, that a verdict shows.
CAPABILITIES = 10
#: Maximum number of outcomes of the same action that a verdict shows.
OUTCOMES = 3


class Gate(GateBase):
    """Gate before an agent's actions, created by `bardo.gate`; close it after use. Safe to share among threads.

    Attributes:
        path: Folder of the memory.
        agent: Name of the agent.
    """

    @checked
    def reject(
        self, what: str, *, why: str = "", domain: str = "", by: str = "", episode: str = ""
    ) -> StateEntry:
        """Records a rejection, which blocks the action until a person lifts it.

        Args:
            what: Rejected action in words, such as "short ETH on weekends".
            why: Reason, shown with the rejection.
            domain: Subject area.
            by: Author.
            episode: Id of the source episode; the rejection is deleted when that is forgotten.

        Returns:
            The new entry, or the renewed one if the same was rejected before. `forbidden` is what it forbids, as data.

        Raises:
            InvalidInputError: A text is empty, or longer than 2,000 characters.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        # Here, so that an error names the arguments of this call.
        what, why = what.strip(), why.strip()
        return self.note("rejected", what, detail=why, domain=domain, by=by, episode=episode)

    @checked
    def note(
        self,
        kind: StateKind,
        summary: str,
        *,
        detail: str = "",
        domain: str = "",
        by: str = "",
        episode: str = "",
        supersedes: str = "",
    ) -> StateEntry:
        """Stores an entry of state; the same one in force is renewed, a similar one updated, instead of duplicated.

        Similar entries say the same in other words, by words and meaning. Rejections are renewed by the same only. An
        agent's note changes no entry of a person: it becomes an entry of its own, unless it adds nothing.

        An entry from an episode belongs to the latest episode that repeats it, or to none if repeated without one. An
        entry without an episode stays unchanged when an episode repeats it, so it holds nothing of the episode. A rule
        that was heard in a conversation and says the same is retired: the entry stands for it.

        Args:
            kind: `decision`, `task`, `rejected`, `discovery`, `learning`, `context` or `agent_state`.
            summary: Content in a sentence.
            detail: Further details.
            domain: Subject area.
            by: Author.
            episode: Id of the source episode.
            supersedes: Id of the entry that this one replaces; that one is archived and names this one.

        Raises:
            InvalidInputError: A text is empty or too long, the kind does not exist, a rejection would be replaced, or
                a person's entry replaced, or the reason of a person's rejection changed, without a person's name.
            NotFoundError: There is no entry in force to replace.
            GrimoireClosedError: The agent has died, or is dying and would take on a task or a decision; or the gate was
                closed.
        """
        from bardo.conduct.hearing.changes import superseding
        from bardo.conduct.state import state, told
        from bardo.conduct.state.tasks import require_life

        self._ready(write=True)
        now = self._clock.now()
        summary, detail = self._cleaned(summary, detail)
        given = StateEntry("", kind, summary, detail, domain, by=by, episode=episode, at=now, changed_at=now)
        check(given)
        with self._store.writing():
            old = state.replaceable(self._store, supersedes, by, agent=self.agent) if supersedes else None
            # Inside the transaction: a checklist that is read after the death began has every earlier task.
            allowed = functools.partial(require_life, self._folder, self.agent, kind)
            kept = state.keep(
                self._store, given, self._vectors, allowed, agent=self.agent, replaced=(supersedes,)
            )
            told.retire_heard(self._store, kept, agent=self.agent)
            superseding.end_statements(self._store, kept, agent=self.agent)
            if old is not None:
                old = self._store.put(replace(old, superseded_by=kept.id, closed_by=by))
                self._end(old, "archived", by, f"superseded by {kept.id}")
            return kept

    @checked
    def correct(
        self, id_: str, *, forbids: Forbids | Mapping[str, Any], add: bool = False, by: str = ""
    ) -> StateEntry | Rule:
        """Corrects what a rejection or a rule forbids; an agent alone may only widen it.

        Args:
            id_: Id of the rejection or rule.
            forbids: Lists by field of `Forbids`, such as `{"packages": ["moment"]}`; other fields stay as they are.
            add: Whether to add to the lists instead of replacing them.
            by: Person who corrects it.

        Raises:
            NotFoundError: There is no such entry in force.
            InvalidInputError: The entry forbids nothing, a list is not valid, or no person narrows what is forbidden.
        """
        from bardo.conduct.state import correction

        self._ready(write=True)
        return correction.correct(
            self._store, id_, forbids, add=add, by=by, agent=self.agent, now=self._clock.now()
        )

    @checked
    def finish(self, id_: str, *, by: str = "", why: str = "") -> StateEntry:
        """Marks an entry, such as a task, as done. Rejections are ended with `lift`.

        Raises:
            NotFoundError: There is no such entry.
            InvalidInputError: The id is of a rejection or a rule, or of a person's entry other than a task, and no
                person is named.
        """
        from bardo.conduct.state import state

        with self._ending(id_) as entry:
            state.require_finishable(entry, by, agent=self.agent)
            return self._end(entry, "done", by, why)

    @checked
    def lift(self, id_: str, *, by: str, why: str = "") -> StateEntry:
        """Ends a rejection. It is kept with the name of the person, and no longer blocks.

        Args:
            id_: Id of the rejection.
            by: Person who lifts it; an agent must not do so on its own.
            why: Reason.

        Raises:
            NotFoundError: There is no such entry.
            InvalidInputError: The entry is not a rejection, or no person is named.
        """
        with self._ending(id_) as entry:
            if entry.kind != "rejected":
                raise InvalidInputError(f"{id_} is a {entry.kind}, and only a rejection is lifted")
            return self._end(
                entry, "archived", require_person(by, "lifts a rejection", agent=self.agent), why
            )

    @checked
    def rule(
        self,
        text: str,
        *,
        forbids: str = "",
        approval: str = "",
        score: float | None = None,
        by: str = "",
        episode: str = "",
    ) -> Rule:
        """Stores a rule; the same one in force is confirmed, a near-duplicate merged, the better wording winning.

        Only a named person can change the forbidden action or the approval of a critical rule. Rules from episodes
        are treated like entries (`note`).

        Args:
            text: Text of the rule.
            forbids: Forbidden action in words; a critical rule blocks it, another warns.
            approval: Action that is blocked without a person's approval, in words.
            score: Score, 1 to 10; if not given 9 for a rule of a named person, else 5.
            by: Person who gives the rule.
            episode: Id of the source episode.

        Raises:
            InvalidInputError: A text is empty or too long, the score is out of range, or a critical rule is not given
                by a person, or would be changed without one.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        from bardo.conduct.hearing.changes import superseding
        from bardo.conduct.state import rules as population

        self._ready(write=True)
        now = self._clock.now()
        score = (CRITICAL if is_person(by, self.agent) else NEW) if score is None else score
        if isinstance(score, bool) or not 1 <= score <= MOST:
            raise InvalidInputError(f"a rule's score is 1 to 10, not {score}")
        if score >= CRITICAL:
            require_person(by, "gives a critical rule", agent=self.agent)
        text, forbids, approval = self._cleaned(text, forbids, approval)
        given = Rule("", text, forbids, approval, score, by, episode, now, now)
        with self._store.writing():
            kept = population.keep(self._store, given, self._vectors, agent=self.agent, now=now)
            return superseding.end_statements(self._store, kept, agent=self.agent)

    @checked
    def consolidate(self) -> tuple[list[Rule], list[Rule]]:
        """Merges near-duplicate rules by words and meaning, and retires the least used above 80 in force.

        New rules are merged and the least used retired as they come (`rule`). This pass finds what a gate without a
        model could not. Critical rules are never retired by it.

        Returns:
            Rules that were merged into another, and rules that left as the least used; their `retired_why` says which.

        Raises:
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        from bardo.conduct.state import rules as population

        self._ready(write=True)
        return population.consolidate(self._store, self._vectors, agent=self.agent, now=self._clock.now())

    @checked
    def retire(self, id_: str, *, by: str = "") -> Rule:
        """Retires a rule. Only a named person can retire one that is critical, needs approval, or is a person's.

        Raises:
            NotFoundError: There is no such rule.
            InvalidInputError: The id is of an entry of state, or of such a rule and no person is named.
        """
        from bardo.conduct.state import rules as population

        self._ready(write=True)
        return population.retire(self._store, id_, by, agent=self.agent)

    @checked
    def state(
        self, kind: StateKind | None = None, *, domain: str | None = None, every: bool = False
    ) -> list[StateEntry]:
        """Lists entries of state, the latest first.

        Args:
            kind: Kind of the entries; any if not given.
            domain: Subject area of the entries; any if not given.
            every: Whether to list done, lifted and superseded ones, too. Three days after it was done, an entry is
                archived.
        """
        self._ready()
        if kind is not None:
            check_kind(kind)
        now = self._clock.now()
        found = self._store.state(kind=kind, every=every)
        return [entry.as_of(now) for entry in found if domain is None or entry.domain == domain]

    @checked
    def rules(self, *, every: bool = False) -> list[Rule]:
        """Lists rules in force, the highest score first; with `every` also decayed and retired ones."""
        self._ready()
        now = self._clock.now()
        found = [rule for rule in self._store.rules(every=every) if every or rule.in_force(now)]
        return sorted(found, key=lambda rule: -rule.score_at(now))

    @checked
    def before(self, action: str, *, approved_by: str = "", budget: int = BUDGET) -> Verdict:
        """Checks an action against rejections, rules and flows, and collects the state to know before it.

        The action is blocked if it was rejected, if a critical rule forbids it, or if a rule or a flow requires an
        approval that was not given. An action that is only related to one of these gets a warning. With a language
        model, it decides about the warnings within `llm.gate_seconds`, and the notes say so.

        Args:
            action: Action in words, or as a command.
            approved_by: Person who approved this action.
            budget: Maximum number of tokens of the text.

        Raises:
            InvalidInputError: The action is empty, or approved by the agent itself.
            BudgetTooSmallError: The budget is too small for any text.
        """
        self._ready()
        require_action(action)
        if approved_by.strip():
            require_person(approved_by, "approves an action", agent=self.agent)
        now = self._clock.now()
        self._index.refresh()
        rules = self._rules(now)
        found, notes = self._index.match(action, self._embedder, now=now, is_approved=approves(approved_by))
        suited = flows.matching(self._index.flows, found)
        judge = self._adjudicator
        findings, touched, applying, outcomes = findings_of(
            self._index, found, rules, flows=suited, approved_by=approved_by, now=now, is_judged=judge is not None
        )  # fmt: skip
        if judge is not None and findings:
            critical = {rule.id for rule in rules if rule.score_at(now) >= CRITICAL}
            findings, said = judge.judge(
                action, findings, critical=critical, approved=bool(approved_by.strip())
            )
            notes += said
        health, tools = capabilities.shown(self._index.capabilities, found, limit=CAPABILITIES)
        shown = [rule for rule in rules if rule.score_at(now) >= SHOWN][:TOP]
        ids = {entry.id for entry in touched}
        others = [entry for entry in self._index.latest if entry.id not in ids]
        decision: Decision = "allow"
        if findings:
            decision = "block" if findings[0].blocks else "warn"
        verdict = Verdict(
            action, decision, tuple(findings), tuple(shown), (*touched, *others[:LATEST]), tuple(notes),
            tuple(applying), outcomes=tuple(outcomes[:OUTCOMES]), flow=suited[0][0] if suited else None,
            capabilities=tuple(health), tools=tuple(tools), _candidates=candidates_of(self._index, found),
        )  # fmt: skip
        return with_texts(verdict, budget, self._made, now=now)

    @checked
    def after(
        self,
        action: str,
        *,
        passed: bool,
        note: str = "",
        rules: Iterable[str] = (),
        flow: str = "",
        changed: Answer | None = None,
        episode: str = "",
    ) -> Aftermath:
        """Records the result of an action, counts it for its flow, and adjusts the rules that applied to it.

        A pass reinforces them, a failure counts against them. A broken rule is counted and reinforced. Results of the
        same action are one outcome; earlier notes stay in `history`.

        Args:
            action: Action as passed to `before`.
            passed: Whether the action succeeded.
            note: Lesson from the action.
            rules: Ids of rules that the agent followed, besides those that the action shows to apply.
            flow: Name or id of the flow that was followed; if not given, the one with a trigger equal to the action.
            changed: Answer to the question whether a flow, a tool or a check changed, or only a rule.
            episode: Id of the episode of the result.

        Raises:
            InvalidInputError: The action is empty, or longer than an outcome may be.
            NotFoundError: A named rule or flow is not in force.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        from bardo.conduct import aftermath

        self._ready(write=True)
        require_action(action)
        clean = self._made.cleaner()
        what, note = clean(action.strip()), clean(note)
        now = self._clock.now()
        self._index.refresh()
        found, notes = self._index.match(action, self._embedder, now=now)
        named = [rules] if isinstance(rules, str) else list(rules)
        applied, violated = aftermath.split(self._rules(now), found, named)
        followed = flows.followed(self._parts, flow, found)
        outcome = Outcome(
            "", what, "passed" if passed else "failed", int(passed), int(not passed), note, " ".join(sorted(applied)),
            changed or "", self.agent, episode, now, now,
        )  # fmt: skip
        check(outcome)
        with self._store.writing():
            outcome = aftermath.record(self._store, outcome, applied, violated, now=now)
            if followed is not None:
                followed = flows.count(self._store, followed, passed=passed, now=now)
        confirmed, failed = (applied, set[str]()) if passed else (set[str](), applied)
        return aftermath.Aftermath(
            outcome, tuple(sorted(confirmed)), tuple(sorted(violated)), tuple(sorted(failed)),
            "" if outcome.answer else aftermath.QUESTION, (*clean.notes, *notes), followed,
        )  # fmt: skip

    @checked
    def answer(self, id_: str, changed: Answer) -> Outcome:
        """Stores the answer to the question after an action: a changed flow, tool or check, only a rule, or nothing.

        Raises:
            NotFoundError: There is no such outcome.
            InvalidInputError: The id is not of an outcome, or there is no such answer.
        """
        from bardo.conduct import aftermath

        self._ready(write=True)
        return aftermath.answer(self._store, id_, changed)

    @checked
    def forget(self, ids: str | Iterable[str], *, by: str = "") -> list[str]:
        """Deletes entries and rules permanently; returns the deleted ids.

        Args:
            ids: Ids of entries, rules, flows, missions and outcomes.
            by: Person who wants it; needed for what is in force and blocks actions or is a person's word.

        Raises:
            InvalidInputError: A rejection, a critical rule, a rule or flow that needs approval, or an entry, rule, flow
                or mission of a person is in force, and no person is named; nothing was deleted.
        """
        self._ready(write=True)
        return delete(self._store, [ids] if isinstance(ids, str) else list(ids), by, agent=self.agent)

    @checked
    def accept_loss(self, *, by: str, why: str = "") -> StateEntry:
        """Reopens a gate whose `conduct.db` is lost, emptied, replaced or an older copy, and accepts the loss.

        An existing file is kept with its content and belongs to the agent from then on.

        Args:
            by: Person who accepts the loss; an agent must not do so on its own.
            why: Reason.

        Returns:
            Decision that records the loss.

        Raises:
            InvalidInputError: Nothing is lost, or no person is named.
            StoreForeignError: The file is another agent's.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        self._ready(write=True)
        require_person(by, "accepts a loss", agent=self.agent)
        (why,), now = self._cleaned(why), self._clock.now()

        def entry(what: str) -> StateEntry:
            return StateEntry(
                "", "decision", f"Accepted that earlier rejections, rules and decisions are lost: the file was {what}",
                why, by=by, at=now, changed_at=now,
            )  # fmt: skip

        return self._store.accept_loss(entry)

    @checked
    def briefing(self, *, boot: bool = False) -> str:
        """Returns the active state and rejections for a prompt, fenced as data, under 1,000 tokens.

        Args:
            boot: Whether to return all that a session begins with instead, as `Grimoire.boot`, within 3,000 tokens.
        """
        from bardo.conduct import briefing

        self._ready()
        if boot:
            return briefing.boot_text(self._store, self._made, now=self._clock.now())
        return briefing.state_text(self._store, self._made)

    def _rules(self, now: int) -> list[Rule]:
        """Returns the rules in force from the index, the highest score first."""
        found = [rule for rule in self._index.rules if rule.in_force(now)]
        return sorted(found, key=lambda rule: (-rule.score_at(now), int(rule.id[1:])))

    @contextlib.contextmanager
    def _ending(self, id_: str) -> Iterator[StateEntry]:
        """Locks and returns an entry in force."""
        from bardo.conduct.state import state

        self._ready(write=True)
        with self._store.writing():
            yield state.in_force(self._store, id_)

    def _end(self, entry: StateEntry, status: Literal["done", "archived"], by: str, why: str) -> StateEntry:
        (why,), now = self._cleaned(why), self._clock.now()
        return self._store.put(replace(entry, status=status, changed_at=now, closed_by=by, closed_why=why))
