"""Ends the tasks that a report says are done: "I sent the form" ends "Send the form to the insurance"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources

from bardo._patterns import lazy_pattern
from bardo.conduct.model.entries import REPORTED, StateEntry
from bardo.conduct.parse.actions.operation_table import content_stems
from bardo.conduct.storage.store import ConductStore

#: Maximum characters of the reason of an end.
_WHY = 500
_LEAD = r"(?:(?:ok(?:ay)?|done|so|and|good news|fyi|great|yes|yep)[\s,.:;!–—-]+)*"
_AGO = r"(?:(?:just|already|now|finally|also)\s+)*"
_OBJECT = (
    r"(?P<thing>[^,;.!?]{2,80}?)"
    r"(?= (?:to|for|in|on|at|by|from|with|this|last|yesterday|today|earlier)\b|\s*[,;.!]|$)"
)
#: "I sent the form", "Done: I've booked the flight".
_DID = lazy_pattern(rf"{_LEAD}(?:i|we)(?:'ve| have)? {_AGO}(?P<verb>[a-z]+) {_OBJECT}", re.IGNORECASE)
#: "The form is sent", "the flight has been booked".
_IS_DONE = lazy_pattern(
    r"(?:(?:ok(?:ay)?|so|and|good news|fyi|great|yes|yep)[\s,.:;!–—-]+)*"
    rf"(?P<thing>(?:the|our|my|your|his|her|their) [^,;.!?]{{2,80}}?)(?: is| are|'s| has been| have been) {_AGO}"
    r"(?P<verb>[a-z]+)(?=$|\s*[,;.!]|\s(?:to|for|in|on|at|by|yesterday|today)\b)",
    re.IGNORECASE,
)
#: Answer that only says that it is done.
_BARE = lazy_pattern(
    r"(?:(?:ok(?:ay)?|yes|yep|yeah|all|that's|it's|this is|it is|that is|just|already|i'm|now)[\s,]+)*"
    r"(?:done|finished|completed|did (?:it|that)|have done (?:it|that))(?: (?:it|that|now|already|today))*[\s.!]*",
    re.IGNORECASE,
)
#: Beginning of an answer that says that what was asked for is done: "Done, the pool is 40 now".
_ANSWERED = lazy_pattern(
    r"(?:(?:ok(?:ay)?|yes|all|that's|it's|and)[\s,]+)*(?:done|finished|completed|fixed)\b\s*(?:[.,:;!–—-]|$)",
    re.IGNORECASE,
)
#: Report that a run succeeded: "All 231 tests pass", "the build went through".
_RESULT = lazy_pattern(
    rf"{_LEAD}(?:(?:all|both|the|our|your|every|full|whole) )*(?:\d+ (?:of \d+ )?)?(?P<thing>[a-z][\w -]{{1,40}}?) "
    r"(?:(?:all|now|have|has|is|are|was|were|just|already|been)\s)*"
    r"(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful|went (?:through|well|fine)|(?:is|are|was) through|"
    r"complete[sd]?|finished|done)(?= in \d|\s*[,;.!:]|\s*$| now\b| again\b)",
    re.IGNORECASE,
)
#: Summary of a run of tests, as test tools print it; and one with failures.
_SUMMARY = lazy_pattern(r"(?<![\w.])[1-9]\d* (?:tests? )?pass(?:ed|ing)\b", re.IGNORECASE)
_FAILURES = lazy_pattern(r"(?<![\w.])[1-9]\d* (?:tests? )?(?:fail(?:ed|ures?|ing)|errors?)\b", re.IGNORECASE)
#: Maximum characters of the end of a tool's output in which its summary stands.
_TAIL = 2_000
#: Words of a task that something is run, beside the thing itself.
_RUNNING = (
    "run", "rerun", "execute", "start", "do", "perform", "launch", "complete", "finish", "again", "full", "whole",
    "suite", "please", "now", "first", "then", "once", "more", "all", "check", "let",
)  # fmt: skip
#: Words of a report that leaves something open.
_OPEN = lazy_pattern(
    r"\?|n't\b|\b(?:not|never|no|but|however|again|almost|nearly|partly|half|some|most|started|still|"
    r"must|need|needs|if|"
    r"once|when|unless|wrong|failed|bounced|back|part|first|draft|tried|except|without)\b",
    re.IGNORECASE,
)
_FINISHED = frozenset({"done", "finished", "completed"})
_WORD = lazy_pattern(r"[a-z0-9][\w'-]*")


def is_completion(text: str) -> bool:
    """Whether words may report that something is done.

    Args:
        text: Words of a user or agent.
    """
    bare = _straight(text)
    forms = (_BARE, _ANSWERED, _DID, _IS_DONE, _RESULT)
    return _OPEN.search(bare) is None and any(form.match(bare) for form in forms)


def is_deed_done(text: str) -> bool:
    """Whether the speaker reports to have done something: "I added the health check".

    Args:
        text: Words of a user or agent.
    """
    bare = _straight(text)
    found = _DID.match(bare)
    return found is not None and _OPEN.search(bare) is None and _is_past(found["verb"].lower())


def result_in(output: str) -> str:
    """Returns the report that the output of a tool makes of a run of tests; empty if it reports no pass, or failures.

    Args:
        output: Output of the tool.
    """
    tail = output[-_TAIL:]
    found = None if _FAILURES.search(tail) else _SUMMARY.search(tail)
    return f"The tests passed: {found[0]}" if found is not None else ""


def end_done(
    store: ConductStore, text: str, before: str, *, by: str, episode: str, at: int
) -> list[StateEntry]:
    """Ends the one open task heard in a conversation that a report names, or that it answers; none if several fit.

    A result ends each task to run the thing: the request, and the agent's "I'll run it".

    Args:
        store: State and rules of the agent, in a transaction.
        text: Report.
        before: Words of the other party just before, which name the task of a bare "done".
        by: Person or agent who reports.
        episode: Id of the episode of the report; a task of it stays.
        at: Time of the report, microseconds UTC; later tasks stay.
    """
    if not is_completion(text):
        return []
    is_of = _matcher(_straight(text), before)
    tasks = [
        task
        for task in store.state(kind="task", limit=-1)
        if task.episode and task.episode != episode and task.at <= at
    ]
    named = [task for task in tasks if is_of(stems_in(task.summary))]
    # "Done, I sent the form" names its task, and answers no other one.
    is_naming = _DID.match(_straight(text)) is not None
    done = named if named or is_naming else [task for task in tasks if _answers(text, before, task.summary)]
    if len(done) != 1:
        done = _run(text, tasks)
    why = f"{REPORTED}{text.strip()}"[:_WHY]
    return [
        store.put(replace(task, status="done", changed_at=at, closed_by=by, closed_why=why)) for task in done
    ]


def _run(text: str, tasks: list[StateEntry]) -> list[StateEntry]:
    """Returns the tasks to run the thing of which a report tells the result."""
    found = _RESULT.match(_straight(text))
    thing = stems_in(found["thing"]) if found is not None else frozenset[str]()
    return [
        task
        for task in tasks
        if thing
        and thing <= (stems := stems_in(task.summary))
        and stems - thing <= stems_in(" ".join(_RUNNING))
    ]


def _answers(text: str, before: str, task: str) -> bool:
    """Whether a report answers the words that gave a task: "Raise the pool to 40", "Done, the pool is 40"."""
    asked, words = _straight(before).casefold(), _straight(task).casefold()
    return _ANSWERED.match(_straight(text)) is not None and "?" not in before and words in asked


def _matcher(text: str, before: str) -> Callable[[frozenset[str]], bool]:
    """Returns whether a report is of a task with some stems: its verb and all words of its object are among them."""
    if _BARE.fullmatch(text):
        asked = stems_in(before) if "?" in before else frozenset[str]()
        return lambda task: len(asked & task) > 1 and asked <= task
    if (found := _DID.match(text) or _IS_DONE.match(text)) is None:
        return lambda _: False
    thing, verb = stems_in(found["thing"]), found["verb"].lower()
    if not thing or not (verb in _FINISHED or _is_past(verb)):
        return lambda _: False
    wanted = thing if verb in _FINISHED else thing | stems_in(_past().get(verb, verb))
    return lambda task: wanted <= task


def _straight(text: str) -> str:
    return text.strip().replace("’", "'")


def _is_past(verb: str) -> bool:
    return verb.endswith("ed") or verb in _past()


def stems_in(text: str) -> frozenset[str]:
    """Returns the stems of the content words of a text.

    Args:
        text: The text.
    """
    return frozenset(content_stems(_WORD.findall(text.lower())))


@cache
def _past() -> Mapping[str, str]:
    """Returns verbs by their irregular forms of the past."""
    text = (
        resources.files("bardo.conduct.hearing.changes")
        .joinpath("completion.toml")
        .read_text(encoding="utf-8")
    )
    table: dict[str, str] = tomllib.loads(text)["past"]
    return table
