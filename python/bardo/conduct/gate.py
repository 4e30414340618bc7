"""Gates: what was rejected, decided and ruled, asked before an action and told after it.

Any process may: nothing here touches the log, so a shell hook gates while the owner works.
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
from bardo.conduct.verdict import Decision, Verdict, with_texts
from bardo.config import Config
from bardo.errors import InvalidInputError, NotFoundError
from bardo.folder import Folder, dead_error
from bardo.handle import Handle, facts_of
from bardo.index.embedding.serving import serving
from bardo.ports import Clock, Embedder, checked_clock

#: Most tokens of a verdict.
BUDGET = 3_000
#: Entries of state that an action is compared with, rejections aside: the latest.
COMPARED = 200
#: The latest entries of state that a verdict shows beside those that the action touches.
LATEST = 5
#: Rules that a verdict shows at most, the highest score first.
TOP = 20
#: Question after an action.
QUESTION = "Did a flow, a tool or a check change, so that this holds by itself, or only a rule?"


@dataclass(frozen=True, slots=True)
class Aftermath:
    """Record of the result of an action.

    Args:
        entry: The one entry that tells of it.
        confirmed: Ids of rules that applied and were kept to: their scores rose.
        violated: Ids of rules that forbade it: counted, and their scores rose, too.
        question: To be answered by the one who acted.
        notes: What could not be done.
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
    """Opens what an agent decided, rejected and ruled, whether or not another process has its memory open.

    Args:
        path: The folder.
        agent: Whose memory it is, if `bardo.toml` does not say.
        config: Settings over those of `bardo.toml`.
        clock: Tells the wall clock; the computer's if not given.
        embedder: As `bardo.open` takes it. Without a model actions are compared by their words.
        words_only: Whether to compare by words even where there is a model: a hook starts at once then.

    Raises:
        NotFoundError: There is no memory in the folder, or its owner has only begun to make it.
        StoreForeignError: It is another agent's.
        StoreError: The facts, which say whose it is, cannot be read.
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
    """Gate before an agent's actions. Made by `bardo.gate`; close it after use. Safe to share among threads.

    Attributes:
        path: The folder.
        agent: Whose memory it is.
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
        """The wall clock, microseconds UTC: what scores of rules are looked at by."""
        return self._clock.now()

    @checked
    def reject(
        self, what: str, *, why: str = "", domain: str = "", by: str = "", episode: str = ""
    ) -> StateEntry:
        """Records a rejection: it blocks such an action until a person lifts it.

        Args:
            what: What is rejected, in words of the action: "short ETH on weekends".
            why: The reason; shown with it.
            domain: What it belongs to.
            by: Who rejected it.
            episode: Id of the episode in which it was; the rejection goes when that is forgotten.

        Returns:
            The entry; the one that is there already, renewed, if the same was rejected before.

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
        """Keeps an entry of state; one in force that says the same is renewed and not doubled.

        One that was taken from an episode belongs to the episode that says it last, or to none if it is said without.
        One that was not stays as it is when an episode says it, too: nothing of the episode is left in it.

        Args:
            kind: `decision`, `task`, `rejected`, `discovery`, `learning`, `context` or `agent_state`.
            summary: In a sentence.
            detail: What else is to be known.
            domain: What it belongs to.
            by: Who said so.
            episode: Id of the episode that it was taken from.

        Raises:
            InvalidInputError: A text is empty or too long, or the kind is none.
            GrimoireClosedError: The agent has died, or the gate was closed.
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
        """Marks an entry as done: a task, say. A rejection is lifted instead.

        Raises:
            NotFoundError: There is no such entry.
            InvalidInputError: It is a rejection or a rule.
        """
        with self._ending(id_) as entry:
            if entry.kind == "rejected":
                raise InvalidInputError(f"{id_} is a rejection. A person lifts it with lift(id, by=...)")
            return self._end(entry, "done", by, why)

    @checked
    def lift(self, id_: str, *, by: str, why: str = "") -> StateEntry:
        """Ends a rejection. It is kept with who lifted it, and blocks nothing any more.

        Args:
            id_: Of the rejection.
            by: The person who lifts it; an agent does not on its own.
            why: The reason.

        Raises:
            NotFoundError: There is no such entry.
            InvalidInputError: It is no rejection, or no person is named.
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
        """Keeps a rule; one in force that says the same is confirmed and not doubled.

        Only a named person changes what a critical one forbids or wants approved. Of rules that were
        taken from episodes the same holds as of entries (`note`).

        Args:
            text: In words.
            forbids: The action that it forbids, in words: a critical rule blocks it, another warns.
            approval: The action that it allows only with a person's approval, in words; without it, it is blocked.
            score: 1 to 10; if not given 9 for a rule of a named person, else 5.
            by: The person who gives it.
            episode: Id of the episode that it was taken from.

        Raises:
            InvalidInputError: A text is empty or too long, the score is out of range, or a critical rule is given by
                no person.
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
        """Ends a rule. A critical one is retired by a person alone, who is named.

        Raises:
            NotFoundError: There is no such rule.
            InvalidInputError: It is an entry of state, or a critical rule and no person is named.
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
        """Entries of state, the latest first; with `every` those that are done or lifted, too."""
        self._ready()
        if kind is not None:
            check_kind(kind)
        return self._store.state(kind=kind, every=every)

    @checked
    def rules(self, *, every: bool = False) -> list[Rule]:
        """Rules in force, the highest score first; with `every` those that faded or were retired, too."""
        self._ready()
        now = self._clock.now()
        found = [rule for rule in self._store.rules() if every or rule.in_force(now)]
        return sorted(found, key=lambda rule: -rule.score_at(now))

    @checked
    def history(self, id_: str) -> list[StateEntry] | list[Rule]:
        """Lists the versions of an entry or a rule, the earliest first, with the present one: renewal loses nothing.

        Raises:
            NotFoundError: There is no such entry or rule.
        """
        self._ready()
        return self._store.versions(id_)  # type: ignore[return-value] # all are of one kind

    @checked
    def before(self, action: str, *, approved_by: str = "", budget: int = BUDGET) -> Verdict:
        """Judges an action: whether it may be done, and what to know before it.

        It is blocked if it is what was rejected, what a critical rule forbids, or what a rule allows with approval
        alone and no person approved; an action that is only about the same thing warns.

        Args:
            action: In words, or as a command.
            approved_by: The person who approved this action.
            budget: Tokens of the text at most.

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
        """Tells what came of an action: one entry is kept, and rules that had to do with it gain.

        What was noted of the same action before stays in `history`.

        Args:
            action: As `before` was asked.
            passed: Whether it went well.
            note: What was learned.
            episode: Id of the episode that tells of it.

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
        """Deletes entries and rules permanently; returns the ids of those that were there."""
        self._ready(write=True)
        return self._store.forget([ids] if isinstance(ids, str) else ids)

    @checked
    def accept_loss(self, *, by: str, why: str = "") -> StateEntry:
        """Opens a gate again whose `conduct.db` is lost, emptied, replaced or an older copy: what it held is given up.

        What is there now is the agent's from then on. A file that is there is kept with what it holds.

        Args:
            by: The person who accepts it; an agent does not on its own.
            why: The reason.

        Returns:
            The decision that keeps this on record.

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

    @contextlib.contextmanager
    def _ending(self, id_: str) -> Iterator[StateEntry]:
        """Locks and return an entry in force."""
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
        """Texts without the copies of prompts in them, which a warning reports."""
        clean = self._made.cleaner()
        cleaned = tuple(clean(text).strip() for text in texts)
        clean.tell(stacklevel=4)
        return cleaned


def _raised_score(rule: Rule, now: int) -> float:
    """The score of a rule that something spoke for. None becomes critical by that: a person gives those."""
    score = rule.score_at(now)
    return min(MOST, score + STEP) if score >= CRITICAL else min(CRITICAL - STEP, score + STEP)


def _require_action(action: str) -> None:
    if not action.strip():
        raise InvalidInputError("there is no action. Say which")


def _named(by: str, does: str) -> str:
    if not by.strip():
        raise InvalidInputError(f"only a person {does}: name who, with by=...")
    return by
