"""Records that stayed behind at a death: which, and why each of them did not cross to the heir."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal
from uuid import UUID

from bardo._atomic import damaged, unavailable, write_atomically
from bardo._printed import printed
from bardo.folder import LEFT_BEHIND_FILE

Kind = Literal["episode", "fact", "directive", "question", "link", "reflection"]

#: Reasons for which a record stays behind, each as a sentence.
REASONS = {
    "routine": "It restates routine: its words repeat across the log with other names and numbers.",
    "confidential": 'A person told it in confidence, as in "please keep this between us".',
    "private": "It is a statistic of own holdings or results.",
    "blank": "All its figures are private, or those of the newer statement that took its place.",
    "not_in_force": "It was replaced, refuted or archived, or had expired.",
    "below_threshold": "Its confidence at death was below the threshold, and others took the room that was left.",
    "not_validated": "It is a procedure with fewer than 3 supporting episodes.",
    "near_copy": "Another fact that crossed says nearly the same.",
    "over_cap": "Facts of more value to an heir took all the places (`bequeath.entries`).",
    "over_size": "The facts before it took all the bytes.",
    "episode_routine": "Its words repeat across the log with other names and numbers.",
    "episode_small_talk": "It is a short question or a few words, without anything exact.",
    "episode_dream": "It is a reflection without evidence.",
    "episode_of_directive": "It tells of a directive, which crosses by itself while it is in force.",
    "episode_value_alone": "It is an outcome without words; the confidence of the facts acted on holds its effect.",
    "episode_outdated": "Other facts replaced those that it supported, and cross instead.",
    "episode_copy": "Another episode that crossed has the same text.",
    "episode_over_cap": "Episodes of more worth took all the places or bytes.",
    "directive_over_cap": "More needed directives took all the places.",
    "question_over_cap": "Earlier questions took all the places.",
    "link_over_cap": "Stronger links took all the places.",
    "told_elsewhere": "Another line of a testament limited in tokens tells it already.",
    "over_tokens": "Lines of more worth for their length took all the tokens (`bequeath.tokens`).",
    "reflection": "It took more than its share of the tokens (`bequeath.tokens`).",
}


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """Record that stayed behind.

    Args:
        kind: Kind of the record.
        id: Id of the record; of a link its ends and relation, empty for the reflection.
        reason: Name of the reason; `why` has the sentence.
    """

    kind: Kind
    id: str
    reason: str

    __str__ = printed

    @property
    def why(self) -> str:
        """Reason as a sentence."""
        return REASONS.get(self.reason, f"Reason of a newer bardo: {self.reason}.")


_COLUMNS = [field.name for field in fields(LeftBehind)]


def counts_of(left_behind: Iterable[LeftBehind]) -> Counter[str]:
    """Counts records by reason."""
    return Counter(one.reason for one in left_behind)


def content_id(*parts: str, at: int = 0) -> str:
    """Returns a version-7 UUID of the parts at a time (RFC 9562, section 5.7), for records without an id.

    Args:
        parts: Texts that identify the record.
        at: Time of the record, microseconds UTC.
    """
    from blake3 import blake3

    digest = int.from_bytes(blake3("\0".join(parts).encode()).digest(length=10))
    number = (at // 1_000 & (1 << 48) - 1) << 80 | digest
    number = number & ~(0xF << 76) | 7 << 76
    return str(UUID(int=number & ~(3 << 62) | 2 << 62))


def save(folder: Path, left_behind: Iterable[LeftBehind]) -> None:
    """Writes the records that stay behind into the folder of a dying agent.

    Args:
        folder: Folder of the grimoire.
        left_behind: Records with their reasons.

    Raises:
        StoreUnavailableError: The operating system refused.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    left_behind = list(left_behind)
    columns = {name: pa.array([getattr(one, name) for one in left_behind], pa.string()) for name in _COLUMNS}
    content = io.BytesIO()
    pq.write_table(pa.table(columns), content, compression="zstd")
    write_atomically(folder / LEFT_BEHIND_FILE, content.getvalue())


def load(folder: Path) -> list[LeftBehind] | None:
    """Reads the records that stayed behind; None if the agent died before bardo kept them.

    Args:
        folder: Folder of the grimoire.

    Raises:
        StoreDamagedError: The file is no such table.
        StoreUnavailableError: The operating system refused.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / LEFT_BEHIND_FILE
    try:
        columns = pq.read_table(io.BytesIO(path.read_bytes()), columns=_COLUMNS).to_pydict()
        return [LeftBehind(*row) for row in zip(*(columns[name] for name in _COLUMNS), strict=True)]
    except FileNotFoundError:
        return None
    except pa.ArrowException as error:
        raise damaged(path, error) from error
    except OSError as error:
        raise unavailable("read", path, error) from error
