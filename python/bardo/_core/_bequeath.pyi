"""The facts that cross a death."""

from collections.abc import Iterable, Sequence
from typing import Self, final

import numpy as np
import numpy.typing as npt

from bardo._core._capture import EpisodeLog
from bardo.model import Episode, Fact

@final
class Survey:
    """Counts over a whole log before a death: which pairs of neighbouring words are rare in it.

    Attributes:
        bytes: Approximate size of all episodes in bytes.
        inherited: Episodes that came with testaments.
        latest: Ids of the latest verified episodes of some kinds, oldest first.
    """

    def __new__(cls, log: EpisodeLog, *, kinds: Sequence[str], latest: int) -> Survey:
        """Reads a log once.

        Args:
            log: Episode log of the testator.
            kinds: Kinds of the episodes in `latest`.
            latest: Ids in `latest` at most.
        """

    @property
    def bytes(self) -> int: ...
    @property
    def inherited(self) -> int: ...
    @property
    def latest(self) -> list[str]: ...
    def novelty(self, texts: Sequence[str]) -> list[float]:
        """Share of the pairs of each text that are rare in the log, 0..1."""

    def uncommon(
        self, log: EpisodeLog, after: int, limit: int, *, novelty: float, importance: float, mistake: float
    ) -> tuple[int, list[tuple[Episode, float, bool]]]:
        """The next episodes that are no routine, and the number of the last arrival read.

        Each has its novelty, and whether it is no routine although its words are common: a person said it, or it is a
        row of a list with an identifier of its own.

        Args:
            log: Log that was surveyed.
            after: Number of the arrival after which to read.
            limit: Episodes read at most.
            novelty: Novelty from which an episode is no routine.
            importance: Importance from which it is none.
            mistake: Value of an outcome up to which it is none.
        """

@final
class Selection:
    """The facts that cross a death, and why each other one stays behind.

    Attributes:
        chosen: Indexes into the facts that were given, most needed first.
        left_out: Indexes of the other facts, each with its reason: `not_in_force`, `below_threshold`, `not_validated`,
            `near_copy`, or `over_cap`.
        measure: What similarity was measured on: `embeddings`, `words` (some entries had no embedding), or `none`
            (everything fits, so nothing had to be compared).
    """

    chosen: list[int]
    left_out: list[tuple[int, str]]
    measure: str

def select_entries(
    facts: Iterable[Fact],
    confidences: Sequence[float],
    vectors: npt.NDArray[np.float32] | None = None,
    *,
    cap: int,
    insight_threshold: float,
    heuristic_threshold: float,
    tick: int,
) -> Selection:
    """Chooses the facts that cross, by coverage times value, greedily.

    Args:
        facts: All facts of the testator.
        confidences: Their decayed confidence today, 0..1, in the same order.
        vectors: Float32 of shape (len(facts), dims), or None if not all of them are embedded.
        cap: Entries at most.
        insight_threshold: Least confidence of facts that cross; anti-knowledge and warnings always do.
        heuristic_threshold: Least confidence of heuristics that cross.
        tick: The testator's last tick; what expired before it stays behind.

    Raises:
        InvalidInputError: The lengths differ, or a confidence is outside 0..1.
        InvalidVectorError: The vectors have the wrong shape, or hold NaN or infinity.
    """

def confidences_at_birth(
    entries: Sequence[tuple[int, float, bool]], *, base: float, rate: float, linear: bool = False
) -> list[float]:
    """How far an heir trusts what it did not live: `base * rate ** generations`, never more than the testator did.

    Args:
        entries: Per entry: generations since the one that lived it (1 for what the direct parent lived), the testator's
            confidence at death, and whether it is anti-knowledge (which never falls below 0.3).
        base: 0.4 for a chosen direct heir, 0.3 through an archive.
        rate: Factor per generation, or with `linear` what is taken off per generation.
        linear: Subtract a step per generation instead of multiplying by a factor.

    Raises:
        InvalidInputError: The base or the rate is outside 0..1.
    """

@final
class KnownThings:
    """Bundles of all that an agent and its ancestors knew: 10,000 bits per 882 words and pairs of words.

    Args:
        data: Output of `bundle_known`.

    Attributes:
        items: Words and pairs of neighbouring words in all bundles.
        shards: Hypervectors of all bundles.
        agents: Names of the agents, the testator first.

    Raises:
        InvalidInputError: The bytes are no bundles.
    """

    def __new__(cls, data: bytes) -> Self: ...
    @property
    def items(self) -> int: ...
    @property
    def shards(self) -> int: ...
    @property
    def agents(self) -> list[str]: ...
    def familiarity(self, text: str) -> tuple[float, bool, float, float, int, str]:
        """Estimates which share of a text's words and pairs of words was known; the fields of `known.Familiarity`."""

def novel_texts(texts: Sequence[str]) -> list[int]:
    """Returns the places of the texts with a word or pair of words that no earlier one has: the others add nothing."""

def bundle_known(
    agent: str, texts: Sequence[str], withheld: Sequence[tuple[str, str]], ancestors: Sequence[bytes]
) -> tuple[bytes, int]:
    """Bundles the content words of texts, and their pairs of neighbours, without numbers.

    Args:
        agent: Name of the agent, at most 256 bytes.
        texts: Texts that the agent knew.
        withheld: Texts that stay out, each with its redacted form; words that redaction removed stay out everywhere.
        ancestors: Output of this function for ancestors, nearest first.

    Returns:
        Bytes for `KnownThings`, and the number of bundles of ancestors that had no room (256 hypervectors in all).

    Raises:
        InvalidInputError: The name is too long, or an ancestor's bytes are no bundles.
    """
