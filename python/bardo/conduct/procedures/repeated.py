"""Flows in old transcripts: the same tool calls, in the same order, that succeeded in several jobs.

A job is what follows a message of a user until the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bardo.capture.tool_calls import calls_in, line_of
from bardo.capture.tool_results import is_failed
from bardo.conduct.model.procedures import Flow
from bardo.conduct.parse.action import parse
from bardo.conduct.storage.rows import LONGEST
from bardo.model import Episode
from bardo.privacy import secrets

#: Minimum number of jobs with the same calls, and the numbers of calls of a flow.
REPEATED, FEWEST, MOST = 2, 2, 12
#: Maximum number of flows, the most repeated first.
FLOWS = 40
#: Maximum length of a name in characters, and number of triggers.
_NAME, _TRIGGERS = 80, 8


@dataclass(slots=True)
class _Job:
    """Job with its calls in order, each with its success.

    Args:
        request: Message of the user.
        calls: Each call in a line.
        succeeded: Whether each call succeeded; None while it has no result.
    """

    request: Episode
    calls: list[str] = field(default_factory=list)
    succeeded: list[bool | None] = field(default_factory=list)


def repeated_flows(episodes: Iterable[Episode]) -> list[Flow]:
    """Returns the flows that transcripts repeat, without ids, the most repeated first.

    Left out are a sequence that is part of a longer one, one that changes nothing, and calls that hold a secret.

    Args:
        episodes: Episodes in order.
    """
    jobs = list(_jobs(episodes))
    counts = Counter(call for job in jobs for call in set(job.calls))
    found: dict[tuple[str, ...], dict[int, _Job]] = {}
    for place, job in enumerate(jobs):
        for run in _runs(job, counts):
            for steps in _sequences(run):
                found.setdefault(steps, {})[place] = job
    kept: list[tuple[tuple[str, ...], list[_Job]]] = []
    for steps, by_place in sorted(found.items(), key=lambda each: -len(each[0])):
        if len(by_place) < REPEATED or all(parse(step).reads for step in steps):
            continue
        if not any(_holds(longer, steps) for longer, _ in kept):
            kept.append((steps, list(by_place.values())))
    kept.sort(key=lambda each: -len(each[1]))
    flows: dict[str, Flow] = {}
    for steps, of_steps in kept[:FLOWS]:
        flow = _flow(steps, of_steps)
        flows.setdefault(flow.name.casefold(), flow)
    return list(flows.values())


def _jobs(episodes: Iterable[Episode]) -> Iterator[_Job]:
    """Splits each conversation into jobs."""
    latest: dict[tuple[str | None, str | None], _Job] = {}
    #: Place of the first call of the latest message with calls.
    first: dict[tuple[str | None, str | None], int] = {}
    for episode in episodes:
        where = (episode.thread, episode.session)
        if episode.role == "user":
            latest[where], first[where] = _Job(episode), 0
            yield latest[where]  # filled while the conversation goes on
        elif (job := latest.get(where)) is None:
            continue
        elif episode.role == "tool":
            # A message with several calls succeeds as a whole, or not.
            for place in range(first[where], len(job.calls)):
                job.succeeded[place] = job.succeeded[place] is not False and not is_failed(episode.text)
        elif calls := calls_in(episode.payload):
            first[where] = len(job.calls)
            job.calls += map(line_of, calls)
            job.succeeded += [None] * len(calls)


def _runs(job: _Job, counts: Counter[str]) -> Iterator[list[str]]:
    """Yields runs of calls that succeeded and that other jobs have, too, without looks at something."""
    run: list[str] = []
    for call, succeeded in zip(job.calls, job.succeeded, strict=True):
        if _only_looks(call):
            continue
        if succeeded and counts[call] >= REPEATED and len(call) <= LONGEST and not secrets.holds(call):
            if not run or run[-1] != call:
                run.append(call)
        else:
            yield run
            run = []
    yield run


def _only_looks(call: str) -> bool:
    """Whether a call reads and is no test: what an agent looks at depends on the job."""
    parsed = parse(call)
    return parsed.reads and "test" not in parsed.operations


def _sequences(run: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for size in range(FEWEST, min(MOST, len(run)) + 1):
        for start in range(len(run) - size + 1):
            steps = tuple(run[start : start + size])
            if len(set(steps)) >= FEWEST:
                yield steps


def _holds(longer: Sequence[str], steps: Sequence[str]) -> bool:
    return any(longer[at : at + len(steps)] == steps for at in range(len(longer) - len(steps) + 1))


def _flow(steps: tuple[str, ...], jobs: Sequence[_Job]) -> Flow:
    """Makes a flow of the jobs that had its steps: named by the latest request, and meant for all of them."""
    last = jobs[-1].request
    requests = [" ".join(job.request.text.split()) for job in reversed(jobs)]
    told = [text for text in dict.fromkeys(requests) if len(text) <= LONGEST and not secrets.holds(text)]
    return Flow(
        "",
        (told[0] if told else steps[0])[:_NAME].rstrip(),
        steps,
        tuple(told[:_TRIGGERS]),
        episode=last.id,
        succeeded=len(jobs),
        at=last.at,
        changed_at=last.at,
        used_at=last.at,
    )
