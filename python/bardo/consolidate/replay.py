"""Which lived episodes are worth another look: prioritised, by utility, or evenly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from bardo import config
from bardo._core import EpisodeLog, FactStore, ReplayBuffer
from bardo._printed import printed
from bardo.errors import InvalidInputError
from bardo.model import Episode

Policy = Literal["prioritised", "utility", "uniform"]

#: Episodes whose utility is worked out for one batch.
CANDIDATES = 1_024
_LARGEST_SEED = 2**64 - 1


@dataclass(frozen=True, slots=True)
class ReplayedEpisode:
    """An episode of a replay batch.

    Args:
        episode: What happened.
        probability: With what probability it was drawn first, 0..1.
        weight: Importance weight that takes back the bias of the draw, in (0, 1].
    """

    episode: Episode
    probability: float
    weight: float

    __str__ = printed


class Replayer:
    """Draws batches, and notes in the log what was replayed.

    Args:
        settings: Constants of the draw.
        log: Where the episodes are.
        facts: What they could still change.
    """

    def __init__(self, settings: config.Replay, log: EpisodeLog, facts: FactStore) -> None:
        self._log, self._facts = log, facts
        self._buffer = ReplayBuffer(
            surprise=settings.surprise,
            alpha=settings.alpha,
            beta=settings.beta,
            recent_share=settings.recent_share,
            recent=settings.recent,
        )

    def batch(self, count: int, *, policy: Policy, seed: int, tick: int) -> list[ReplayedEpisode]:
        """Draws episodes; see `replay` of `g.curator`."""
        if policy not in get_args(Policy):
            raise InvalidInputError(
                f"{policy!r} is not a policy of replay. Use one of: {', '.join(get_args(Policy))}"
            )
        if count < 1:
            raise InvalidInputError(f"count is {count}. Ask for at least one episode")
        if not 0 <= seed <= _LARGEST_SEED:
            raise InvalidInputError(f"seed is {seed}. It must be between 0 and 2**64 - 1")
        self._buffer.refresh(self._log)
        if policy == "utility":
            drawn = self._buffer.sample_by_utility(
                count, self._facts, self._log, tick=tick, candidates=CANDIDATES, seed=seed
            )
        else:
            drawn = self._buffer.sample(count, uniform=policy == "uniform", seed=seed)
        ids = [id_ for id_, _, _ in drawn]
        self._log.mark_replayed(ids)
        return [
            ReplayedEpisode(episode, probability, weight)
            for episode, (_, probability, weight) in zip(self._log.get(ids), drawn, strict=True)
            if episode is not None
        ]
