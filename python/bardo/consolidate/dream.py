"""Dreams: replaying many episodes while nothing else is to be done, and what they propose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bardo._core import Curator, EpisodeLog
from bardo._printed import printed
from bardo.consolidate.replay import Policy, Replayer
from bardo.errors import InvalidInputError
from bardo.ports import Progress

#: Episodes of one replay.
BATCH = 32
#: Default number of replays of a dream: 1,024 episodes.
ROUNDS = 32
#: Replays of one dream at most: the core takes in 4,096 episodes.
MOST_ROUNDS = 128
#: Policies that draw the replays of a dream, in turns: by expected learning, and by surprise or importance.
POLICIES: tuple[Policy, ...] = ("utility", "prioritised")


@dataclass(frozen=True, slots=True)
class DreamComplete:
    """Report of a dream.

    Args:
        tick: When.
        rounds: Replays it came to.
        replayed: Different episodes among them.
        estimates: Numbers that were estimated again (NREM).
        shifts: Ids of proposals: a number is no longer what it was (NREM).
        links: Ids of proposals: one event follows another through a third (REM).
        rules: Ids of proposals: a rule does better with another threshold (REM).
        retired: Ids of rules that a better one replaced (evolution).
        facts_withdrawn: Proposals and other held facts that made answers about episodes worse (the shadow check).
        facts_held: Facts that wait for that check.
        acts: Its numbers in the journal, for `g.journal.undo`.
        notes: Omitted parts, with the reason.
    """

    tick: int
    rounds: int
    replayed: int
    estimates: int
    shifts: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    facts_withdrawn: int = 0
    facts_held: int = 0
    acts: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    __str__ = printed

    @property
    def proposed(self) -> tuple[str, ...]:
        """Ids of everything that it proposed."""
        return (*self.shifts, *self.links, *self.rules)


def run(
    curator: Curator,
    log: EpisodeLog,
    replayer: Replayer,
    *,
    rounds: int,
    seed: int,
    tick: int,
    now: int,
    until: Callable[[], bool],
    progress: Progress,
) -> DreamComplete:
    """Replays, and lets the core dream of what was replayed, in one transaction at the end.

    Args:
        curator: Dreams of them.
        log: Where the verified episodes are.
        replayer: Draws them.
        rounds: Replays at most, of 32 episodes each.
        seed: Seed of the random draws.
        tick: Logical time.
        now: Wall clock, microseconds UTC.
        until: Asked before each replay whether to wake up.
        progress: Told after each replay.

    Raises:
        InvalidInputError: The number of rounds is out of its range.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise InvalidInputError(f"rounds is {rounds}. Dream 1 to {MOST_ROUNDS} rounds; dream again for more")
    replayed: dict[str, None] = {}
    done = 0
    notes: tuple[str, ...] = ()
    for number in range(rounds):
        if until():
            notes = (f"woken after {done} of {rounds} rounds",)
            break
        policy = POLICIES[number % len(POLICIES)]
        for one in replayer.batch(BATCH, policy=policy, seed=seed, tick=tick):
            replayed[one.episode.id] = None
        done += 1
        progress("dream", done, rounds)
    report = curator.dream(log, list(replayed), tick=tick, now=now)
    return DreamComplete(
        tick, done, report.replayed, report.estimates, tuple(report.shifts), tuple(report.links), tuple(report.rules),
        tuple(report.retired), acts=() if report.act is None else (report.act,), notes=notes,
    )  # fmt: skip
