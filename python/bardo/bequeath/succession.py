"""Statements that cross and are about the same: an heir is shown the newer one first.

Few changes are announced: `values.yaml merged: timeout 12 seconds` names neither the old timeout nor a change. A
testament cannot tell whether it ends `the timeout is 3 minutes`, so nothing is ended or disputed. The heir did not live
the change; where both statements answer its question about equally well, the order of time is the better guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bardo import _core
from bardo.bequeath.contents import StoreContents
from bardo.bequeath.replaced import LONGEST
from bardo.bequeath.worth import RULE_KINDS
from bardo.consolidate import corrections
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages import Reader
from bardo.consolidate.rule_extraction import NAMELESS
from bardo.model import INHERITED_KIND, Episode

if TYPE_CHECKING:
    from bardo.consolidate.cross_encoder import CrossEncoder

#: Minimum cosine of two statements about the same.
ALIKE = 0.5
#: Minimum log odds, as `corrections.judge` gives them, that the newer statement replaces the older one. Pairs of which
#: both hold, such as two events, have less.
POSSIBLE = -2.0
#: The same where the cross-encoder has read both.
LIKELY = 0.0
#: Minimum cosine of two statements that share a word which few have, as they are read by the cross-encoder, too.
FAINT = 0.25
#: Maximum number of statements with such a word, and the same as a share of all.
FEW, FEW_OF = 4, 1 / 16
#: Maximum numbers of statements that are compared, and of pairs about the same and of faint ones that are judged; all
#: bound the time of a death.
COMPARED, PAIRS, FAINT_PAIRS = 1_024, 1_024, 512
_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True, slots=True)
class _Told:
    """Statement of the testator's own, with the place of its vector."""

    id: str
    text: str
    tick: int
    at: int
    form: str
    evidence: frozenset[str]


def successions(
    log: _core.EpisodeLog,
    contents: StoreContents,
    episodes: Sequence[Episode],
    rules: Reader | None,
    encoder: CrossEncoder | None = None,
) -> list[tuple[str, str]]:
    """Finds the pairs of own statements of which the newer one is about the same as the older one.

    Args:
        log: Episode log, for the vectors.
        contents: Facts with their vectors.
        episodes: Episodes that cross, best first.
        rules: Reader of texts; nothing is found without one.
        encoder: Cross-encoder of corrections; None without one.

    Returns:
        Ids of the newer and the older statement.
    """
    if rules is None:
        return []
    told, vectors = _statements(log, contents, episodes)
    pairs = _alike(told, vectors, with_faint=encoder is not None)
    reads: Sequence[float | None] = [None] * len(pairs)
    if encoder is not None:
        reads = encoder.read([(told[older].text, told[newer].text) for _, older, newer in pairs])
    least = POSSIBLE if encoder is None else LIKELY
    clauses: dict[str, list[Clause]] = {}
    found = []
    for (cosine, older, newer), read in zip(pairs, reads, strict=True):
        one, other = told[older], told[newer]
        judged = (
            corrections.judge(before, after, cosine, read).total
            for before in _clauses(rules, one, clauses)
            for after in _clauses(rules, other, clauses)
        )
        if max(judged, default=corrections.NEVER) >= least:
            found.append((other.id, one.id))
    return found


def _statements(
    log: _core.EpisodeLog, contents: StoreContents, episodes: Sequence[Episode]
) -> tuple[list[_Told], npt.NDArray[np.float32]]:
    """Own statements of a testator, with their vectors of shape (statements, dims)."""
    told: list[_Told] = []
    rows: list[npt.NDArray[np.float32]] = []
    lacking = {id_ for id_, *_ in log.without_vectors()}
    heard = [
        one for one in episodes
        if one.kind not in ("outcome", INHERITED_KIND) and len(one.text) <= LONGEST and one.id not in lacking
    ][:COMPARED]  # fmt: skip
    if heard:
        rows += list(log.vectors([one.id for one in heard])[0])
    for one in heard:
        form = "record" if one.role == "tool" else "speech"
        told.append(_Told(one.id, one.text, one.tick, one.at, form, frozenset([one.id])))
    for place, fact in enumerate(contents.facts):
        vector = None if contents.vectors is None else contents.vectors[place]
        is_statement = fact.kind not in RULE_KINDS and fact.payload.get("type", "none") == "none"
        is_own = not fact.generation and fact.status == "active" and len(fact.text) <= LONGEST
        if vector is None or np.isnan(vector).any() or not (is_statement and is_own):
            continue
        evidence = frozenset([fact.id, *fact.evidence])
        told.append(_Told(fact.id, fact.text, fact.observed[1], fact.created_at, "note", evidence))
        rows.append(vector)
        if len(told) == 2 * COMPARED:
            break
    dims = rows[0].shape[0] if rows else 0
    if any(row.shape[0] != dims for row in rows):
        # A migration that was interrupted leaves vectors of two models; these do not compare.
        return [], np.zeros((0, 0), np.float32)
    return told, np.array(rows, np.float32).reshape(len(told), dims)


def _alike(
    told: Sequence[_Told], vectors: npt.NDArray[np.float32], *, with_faint: bool
) -> list[tuple[float, int, int]]:
    """Cosine and places of the older and the newer statement of each pair about the same, the most alike first.

    Args:
        told: Statements.
        vectors: Their vectors, shape (statements, dims).
        with_faint: Whether pairs of a lower cosine that share a word which few statements have follow.
    """
    if not told:
        return []
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    ticks = np.array([one.tick for one in told])
    rare = _rare_words(told) if with_faint else []
    found: list[tuple[float, int, int]] = []
    faint: list[tuple[float, int, int]] = []
    for older, one in enumerate(told):
        cosines = unit @ unit[older]
        for newer in np.flatnonzero((cosines >= (FAINT if rare else ALIKE)) & (ticks > one.tick)).tolist():
            other = told[newer]
            if one.evidence & other.evidence or one.text == other.text:
                continue
            pair = (float(cosines[newer]), older, newer)
            if pair[0] >= ALIKE:
                found.append(pair)
            elif rare[older] & rare[newer]:
                faint.append(pair)
    for pairs in (found, faint):
        pairs.sort(key=lambda pair: (-pair[0], pair[1:]))
    return found[:PAIRS] + faint[:FAINT_PAIRS]


def _rare_words(told: Sequence[_Told]) -> list[frozenset[str]]:
    """Words of each statement that few statements have, such as the name of what it is about."""
    words = [frozenset(_WORD.findall(one.text.casefold())) for one in told]
    counts = Counter(word for own in words for word in own)
    most = max(FEW, int(FEW_OF * len(told)))
    return [frozenset(word for word in own if counts[word] <= most) for own in words]


def _clauses(rules: Reader, told: _Told, known: dict[str, list[Clause]]) -> list[Clause]:
    """Clauses of a statement, read once."""
    if told.id not in known:
        speech = Speech(told.text, NAMELESS, told.at, told.form)  # type: ignore[arg-type]
        known[told.id] = [clause for clause in rules.read(speech) if clause.stated]
    return known[told.id]
