"""Gates: check an action against rejections, decisions and rules, and record its result.

Any process may use one: a gate does not open the log, so a shell hook can check actions while the owner runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from bardo._core import FactStore
from bardo._validation import checked
from bardo.assemble.copies import MadePrompts
from bardo.bequeath import lineage
from bardo.conduct.entries import CRITICAL, MOST, NEW, SHOWN, STEP, Rule, StateEntry, StateKind
from bardo.conduct.findings import findings_of, place_of_same
from bardo.conduct.matching import touches
from bardo.conduct.store import ConductStore, check, check_kind
from bardo.conduct.tasks import require_life
from bardo.conduct.verdict import Decision, Verdict, with_texts
from bardo.config import Config
from bardo.errors import InvalidInputError, NotFoundError
from bardo.folder import Folder, dead_error
from bardo.handle import Handle, facts_of
from bardo.index.embedding.serving import serving
from bardo.ports import Clock, Embedder, checked_clock

#: Maximum number of tokens of a verdict.
BUDGET = 3_000
#: Number of the latest entries of state, rejections aside, that an action is compared with.
COMPARED = 200
#: Number of the latest entries of state that a verdict shows besides the related ones.
LATEST = 5
#: Maximum number of rules that a verdict shows, the highest score first.
TOP = 20
#: Question after an action.
QUESTION = "Did a flow, a tool or a check change, so that this holds by itself, or only a rule?"


@dataclass(frozen=True, slots=True)
class Aftermath:
    """Record of the result of an action.

    Args:
        entry: Entry that records the result.
        confirmed: Ids of rules that applied and were followed; their scores rose.
        violated: Ids of rules that forbade the action; the violation was counted, and their scores rose, too.
        question: Question for the agent that acted.
        notes: Failures and omissions.
    """

    entry: StateEntry
    confirmed: tuple[str, ...]
    violated: tuple[str, ...]
    question: str
    notes: tuple[str, ...]


@checked
def gate(
    path: str | Path,
    *,
    agent: str | None = None,
    config: Config | Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    embedder: Embedder | Callable[[list[str]], Any] | None = None,
    words_only: bool = False,
) -> Gate:
    """Opens an agent's decisions, rejections and rules, whether or not another process has its memory open.

    Args:
        path: Folder of the memory.
        agent: Name of the agent, if not in `bardo.toml`.
        config: Settings that override those of `bardo.toml`.
        clock: Source of the wall clock; the computer's if not given.
        embedder: As `bardo.open` takes it. Without a model actions are compared by their words.
        words_only: Whether to compare by words even where there is a model: a hook starts at once then.

    Raises:
        NotFoundError: There is no memory in the folder, or its owner has not finished creating it.
        StoreForeignError: The memory is another agent's.
        StoreError: The fact store, which names the agent, cannot be read.
        ConfigError: A setting does not exist or is out of range.
    """
    folder = Folder.at(path)
    folder.check(create=False)
    settings = config.check() if isinstance(config, Config) else Config.load(folder.root, config)
    facts = facts_of(folder, agent, settings)
    try:
        port = None if words_only else serving(folder, settings.embedding, embedder)
        return Gate(folder, facts, clock=checked_clock(clock), embedder=port)
    except BaseException:
        facts.close()
        raise


class Gate(Handle):
    """Gate before an agent's actions, created by `bardo.gate`; close it after use. Safe to share among threads.

    Attributes:
        path: Folder of the memory.
        agent: Name of the agent.
    """

    _CLOSED = "the gate of {0} is closed. Open it again with bardo.gate({0!r})"

    def __init__(self, folder: Folder, facts: FactStore, *, clock: Clock, embedder: Embedder | None) -> None:
        super().__init__(folder, facts)
        self._clock = clock
        self._embedder = embedder
        self._store = ConductStore(folder.root, facts=facts)
        self._made = MadePrompts(folder.root, agent=self.agent)

    @property
    def now(self) -> int:
        """Returns the wall clock, microseconds UTC, at which scores of rules are evaluated."""
        return self._clock.now()

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
            The new entry, or the renewed existing entry if the same action was rejected before.

        Raises:
            InvalidInputError: A text is empty, or longer than 2,000 characters.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
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
    ) -> StateEntry:
        """Stores an entry of state; an entry in force with the same meaning is renewed instead of duplicated.

        An entry from an episode belongs to the latest episode that repeats it, or to none if repeated without one. An
        entry without an episode stays unchanged when an episode repeats it, so it holds nothing of the episode.

        Args:
            kind: `decision`, `task`, `rejected`, `discovery`, `learning`, `context` or `agent_state`.
            summary: Content in a sentence.
            detail: Further details.
            domain: Subject area.
            by: Author.
            episode: Id of the source episode.

        Raises:
            InvalidInputError: A text is empty or too long, or the kind does not exist.
            GrimoireClosedError: The agent has died, or is dying and would take on a task or a decision; or the gate was
                closed.
        """
        self._ready(write=True)
        now = self._clock.now()
        summary, detail = self._cleaned(summary, detail)
        given = StateEntry("", kind, summary, detail, domain, by=by, episode=episode, at=now, changed_at=now)
        check(given)
        with self._store.writing():
            known = self._store.state(kind=kind, limit=-1 if kind == "rejected" else COMPARED)
            place = place_of_same([entry.summary for entry in known], given.summary)
            if place is None:
                # Inside the transaction: a checklist that is read after the death began has every earlier task.
                require_life(self._folder, self.agent, kind)
                return self._store.put(given)
            there = known[place]
            if episode and not there.episode:
                return self._store.put(replace(there, changed_at=now))
            if there.episode != episode:
                there = replace(there, summary=given.summary, detail="", episode=episode)
            return self._store.put(
                replace(
                    there, detail=given.detail or there.detail, domain=domain or there.domain, by=by or there.by,
                    changed_at=now,
                )
            )  # fmt: skip

    @checked
    def finish(self, id_: str, *, by: str = "", why: str = "") -> StateEntry:
        """Marks an entry, such as a task, as done. Rejections are ended with `lift`.

        Raises:
            NotFoundError: There is no such entry.
            InvalidInputError: The id is of a rejection or a rule.
        """
        with self._ending(id_) as entry:
            if entry.kind == "rejected":
                raise InvalidInputError(f"{id_} is a rejection. A person lifts it with lift(id, by=...)")
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
            return self._end(entry, "archived", _named(by, "lifts a rejection"), why)

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
        """Stores a rule; a rule in force with the same meaning is confirmed instead of duplicated.

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
                by a person.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        self._ready(write=True)
        now = self._clock.now()
        score = (CRITICAL if by.strip() else NEW) if score is None else score
        if not 1 <= score <= MOST:
            raise InvalidInputError(f"a rule's score is 1 to 10, not {score}")
        if score >= CRITICAL:
            _named(by, "gives a critical rule")
        text, forbids, approval = self._cleaned(text, forbids, approval)
        given = Rule("", text, forbids, approval, score, by, episode, now, now)
        with self._store.writing():
            known = [rule for rule in self._store.rules() if rule.in_force(now)]
            place = place_of_same([rule.text for rule in known], given.text)
            if place is None:
                return self._store.put(given)
            there = known[place]
            there = replace(
                there, score=max(score, _raised_score(there, now)), by=by or there.by, confirmed_at=now
            )
            if (episode and not there.episode) or (known[place].score >= CRITICAL and not by.strip()):
                return self._store.put(there)
            if there.episode != episode:
                there = replace(there, text=given.text, forbids="", approval="", episode=episode)
            return self._store.put(
                replace(
                    there, forbids=given.forbids or there.forbids, approval=given.approval or there.approval
                )
            )

    @checked
    def retire(self, id_: str, *, by: str = "") -> Rule:
        """Retires a rule. Only a named person can retire a critical one.

        Raises:
            NotFoundError: There is no such rule.
            InvalidInputError: The id is of an entry of state, or of a critical rule and no person is named.
        """
        self._ready(write=True)
        with self._store.writing():
            rule = self._store.get(id_)
            if not isinstance(rule, Rule):
                raise InvalidInputError(f"{id_} is a {rule.kind} and no rule")
            if rule.retired_by:
                raise NotFoundError(f"{id_} was retired already by {rule.retired_by}")
            if rule.score >= CRITICAL:
                _named(by, "retires a critical rule")
            return self._store.put(replace(rule, retired_by=by.strip() or self.agent))

    @checked
    def state(self, kind: StateKind | None = None, *, every: bool = False) -> list[StateEntry]:
        """Lists entries of state, the latest first; with `every` also done and lifted ones."""
        self._ready()
        if kind is not None:
            check_kind(kind)
        return self._store.state(kind=kind, every=every)

    @checked
    def rules(self, *, every: bool = False) -> list[Rule]:
        """Lists rules in force, the highest score first; with `every` also decayed and retired ones."""
        self._ready()
        now = self._clock.now()
        found = [rule for rule in self._store.rules() if every or rule.in_force(now)]
        return sorted(found, key=lambda rule: -rule.score_at(now))

    @checked
    def history(self, id_: str) -> list[StateEntry] | list[Rule]:
        """Lists all versions of an entry or a rule, the earliest first, including the present one.

        Raises:
            NotFoundError: There is no such entry or rule.
        """
        self._ready()
        return self._store.versions(id_)  # type: ignore[return-value] # all are of one kind

    @checked
    def before(self, action: str, *, approved_by: str = "", budget: int = BUDGET) -> Verdict:
        """Checks an action against rejections and rules, and collects the state to know before it.

        The action is blocked if it was rejected, if a critical rule forbids it, or if a rule requires an approval
        that was not given. An action that is only related to one of these gets a warning.

        Args:
            action: Action in words, or as a command.
            approved_by: Person who approved this action.
            budget: Maximum number of tokens of the text.

        Raises:
            InvalidInputError: The action is empty, or the budget is too small for any text.
        """
        self._ready()
        _require_action(action)
        now = self._clock.now()
        rules = self.rules()
        entries = [
            *self._store.state(kind="rejected"),
            *self._store.state(besides="rejected", limit=COMPARED),
        ]
        findings, touched, applying, notes = findings_of(
            self._store, self._embedder, action, entries, rules, approved_by=approved_by, now=now
        )
        others = [entry for entry in entries if entry.kind != "rejected" and entry not in touched]
        shown = [rule for rule in rules if rule.score_at(now) >= SHOWN][:TOP]
        decision: Decision = "allow"
        if findings:
            decision = "block" if findings[0].blocks else "warn"
        verdict = Verdict(
            action, decision, tuple(findings), tuple(shown), (*touched, *others[:LATEST]), "", 0, tuple(notes),
            tuple(applying),
        )  # fmt: skip
        return with_texts(verdict, budget, self._made)

    @checked
    def after(self, action: str, *, passed: bool, note: str = "", episode: str = "") -> Aftermath:
        """Records the result of an action in one entry, and raises the score of the rules concerned.

        Earlier results of the same action stay in `history`.

        Args:
            action: Action as passed to `before`.
            passed: Whether the action succeeded.
            note: Lesson from the action.
            episode: Id of the episode of the result.

        Raises:
            InvalidInputError: The action is empty, or longer than an entry may be.
            GrimoireClosedError: The agent has died, or the gate was closed.
        """
        self._ready(write=True)
        _require_action(action)
        told = f"{action.strip()}: {'passed' if passed else 'failed'}"
        clean = self._made.cleaner()
        told, note = clean(told), clean(note)
        now = self._clock.now()
        rules = self.rules()
        found, why_not = touches(
            self._store,
            [rule.forbids or rule.approval or rule.text for rule in rules],
            action,
            self._embedder,
        )
        broken = {rule.id for rule, touch in zip(rules, found, strict=True) if rule.forbids and touch.same}
        applied = {rule.id for rule, touch in zip(rules, found, strict=True) if touch.near} | broken
        with self._store.writing():
            entry = self.note("learning", told, detail=note, by=self.agent, episode=episode)
            for rule in self._store.rules():
                if rule.id in applied and rule.in_force(now):
                    violations = rule.violations + (rule.id in broken)
                    self._store.put(
                        replace(rule, score=_raised_score(rule, now), confirmed_at=now, violations=violations)
                    )
        notes = (*clean.notes, *((why_not,) if why_not else ()))
        return Aftermath(entry, tuple(sorted(applied - broken)), tuple(sorted(broken)), QUESTION, notes)

    @checked
    def forget(self, ids: str | Iterable[str]) -> list[str]:
        """Deletes entries and rules permanently; returns the deleted ids."""
        self._ready(write=True)
        return self._store.forget([ids] if isinstance(ids, str) else ids)

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
        _named(by, "accepts a loss")
        now = self._clock.now()
        (why,) = self._cleaned(why)

        def entry(what: str) -> StateEntry:
            return StateEntry(
                "", "decision", f"Accepted that earlier rejections, rules and decisions are lost: the file was {what}",
                why, by=by, at=now, changed_at=now,
            )  # fmt: skip

        return self._store.accept_loss(entry)

    def _release(self) -> None:
        self._made.close()
        self._store.close()
        self._facts.close()

    def _ready(self, *, write: bool = False) -> None:
        super()._ready()
        if write and self._folder.tombstone.exists() and (stone := lineage.is_dead(self.path)) is not None:
            raise dead_error(stone.agent)
        if write:
            require_life(self._folder, self.agent)

    @contextlib.contextmanager
    def _ending(self, id_: str) -> Iterator[StateEntry]:
        """Locks and returns an entry in force."""
        self._ready(write=True)
        with self._store.writing():
            entry = self._store.get(id_)
            if not isinstance(entry, StateEntry):
                raise InvalidInputError(f"{id_} is a rule. End it with retire")
            if entry.status != "active":
                raise NotFoundError(f"{id_} is {entry.status} already")
            yield entry

    def _end(self, entry: StateEntry, status: Literal["done", "archived"], by: str, why: str) -> StateEntry:
        now = self._clock.now()
        (why,) = self._cleaned(why)
        return self._store.put(replace(entry, status=status, changed_at=now, closed_by=by, closed_why=why))

    def _cleaned(self, *texts: str) -> tuple[str, ...]:
        """Removes copies of prompts from texts and reports them in a warning."""
        clean = self._made.cleaner()
        cleaned = tuple(clean(text).strip() for text in texts)
        clean.tell(stacklevel=4)
        return cleaned


def _raised_score(rule: Rule, now: int) -> float:
    """Returns the score of a rule after a confirmation, which never makes it critical: only a person does."""
    score = rule.score_at(now)
    return min(MOST, score + STEP) if score >= CRITICAL else min(CRITICAL - STEP, score + STEP)


def _require_action(action: str) -> None:
    if not action.strip():
        raise InvalidInputError("there is no action. Say which")


def _named(by: str, does: str) -> str:
    if not by.strip():
        raise InvalidInputError(f"only a person {does}: name who, with by=...")
    return by
