"""Vectors of a text: one of the whole, those of its parts, and codes of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from bardo._core import pack_tokens
from bardo.errors import UnusableVectorError
from bardo.index.embedding import sentences
from bardo.index.embedding.sentences import spoken
from bardo.ports import Embedder, LateEmbedder, Tokens, Vectors


@dataclass(frozen=True, slots=True)
class Documents:
    """Vectors of several texts.

    Args:
        whole: One row a text.
        parts: Rows of the parts of the first text that has more than one, then of the next.
        counts: How many parts each text has; 0 where the whole is the only one.
        tokens: Codes of each text's content tokens; None without late interaction.
    """

    whole: Vectors
    parts: Vectors
    counts: list[int]
    tokens: list[bytes] | None


def embed(
    embedder: Embedder, texts: Sequence[str], speakers: Sequence[str | None], *, late: bool
) -> Documents:
    """Runs texts through the model, each with its speaker's name before it.

    With late interaction a text is cut only where it is too long for the model: its tokens say more than vectors of
    its sentences do (recall@10 on LoCoMo .848 with them alone, .852 with both). Without, it has a vector a sentence.

    Args:
        embedder: The model.
        texts: What was said.
        speakers: Who said it, one per text.
        late: Whether tokens are wanted; they are left out where the embedder has none.

    Raises:
        UnusableVectorError: The model has no vector for some of the texts, or with tokens for a part of one.
    """
    # `isinstance` with a protocol looks at every member, each time.
    if not late or not getattr(embedder, "gives_tokens", False):
        return Documents(*sentences.documents(embedder, texts, speakers=speakers), None)
    embedder = cast("LateEmbedder", embedder)
    cut = [
        embedder.passages(text, beside=spoken("", name)) for text, name in zip(texts, speakers, strict=True)
    ]
    said = [spoken(part, name) for parts, name in zip(cut, speakers, strict=True) for part in parts]
    try:
        vectors, tokens = embedder.embed_late_documents(said)
    except UnusableVectorError as error:
        owners = np.repeat(np.arange(len(texts)), [len(parts) for parts in cut])
        rows: list[int] = np.unique(owners[list(error.rows)]).tolist()
        raise UnusableVectorError(str(error), rows=tuple(rows)) from error
    starts = np.cumsum([0, *map(len, cut)])[:-1]
    several = [len(parts) > 1 for parts in cut]
    kept = np.repeat(np.asarray(several, bool), [len(parts) for parts in cut])
    codes = _pack(tokens, vectors.shape[1])
    return Documents(
        np.ascontiguousarray(vectors[starts]),
        np.ascontiguousarray(vectors[kept]),
        [len(parts) if more else 0 for parts, more in zip(cut, several, strict=True)],
        [b"".join(codes[start : start + len(parts)]) for start, parts in zip(starts, cut, strict=True)],
    )


def _pack(tokens: Sequence[Tokens], dims: int) -> list[bytes]:
    vectors = np.concatenate([np.empty((0, dims), np.float32), *(text.vectors for text in tokens)])
    return pack_tokens([list(text.words) for text in tokens], [list(text.counts) for text in tokens], vectors)
