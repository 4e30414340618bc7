"""Vectors of documents: the whole text, its parts, and codes of its tokens."""

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
        whole: Vectors of the whole texts, a row per text.
        parts: Vectors of the parts of the texts with more than one part, in order.
        counts: Number of parts of each text; 0 for a text of one part.
        tokens: Codes of each text's content tokens; None without late interaction.
    """

    whole: Vectors
    parts: Vectors
    counts: list[int]
    tokens: list[bytes] | None


def embed(
    embedder: Embedder, texts: Sequence[str], speakers: Sequence[str | None], *, late: bool
) -> Documents:
    """Embeds texts, each with its speaker's name before it.

    With late interaction only a text too long for the model is cut, because its tokens serve better than vectors of its
    sentences (recall@10 on LoCoMo .848 with tokens alone, .852 with both). Without, a text has a vector per sentence.

    Args:
        embedder: Embedder.
        texts: Texts without speakers.
        speakers: Speakers, one per text.
        late: Whether to make codes of tokens; ignored where the embedder gives no token vectors.

    Raises:
        UnusableVectorError: The model has no vector for some texts or, with tokens, for a part of one.
    """
    # `isinstance` with a protocol checks every member, each time.
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
