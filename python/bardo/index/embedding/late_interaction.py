"""Token vectors of a fastembed model, from the same forward pass as the text's vector."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import groupby
from typing import Any

import numpy as np

from bardo._core import split_sentences
from bardo.ports import Tokens, Vectors

#: Maximum number of sentences between which a text is split; a text has at most 64 KiB.
_SENTENCES = 4_096


def run(model: Any, texts: list[str]) -> tuple[Vectors, list[Tokens]]:
    """Returns vectors and tokens of one batch.

    Args:
        model: `fastembed.TextEmbedding` whose ONNX output is a vector per token.
        texts: Texts of the batch.
    """
    inner = model.model
    output = inner.onnx_embed(texts)
    hidden = output.model_output
    pooled = np.asarray(list(inner._post_process_onnx_output(output)), np.float32)
    encodings = inner.tokenize(texts)
    return pooled, [
        _tokens(text, encoding, rows) for text, encoding, rows in zip(texts, encodings, hidden, strict=True)
    ]


def gives_tokens(model: Any) -> bool:
    """Whether the model's output is a vector per token; some exports pool inside the graph."""
    return bool(model.model.onnx_embed(["token"]).model_output.ndim == 3)


def _tokens(text: str, encoding: Any, rows: Vectors) -> Tokens:
    """Groups the tokens of one text by word, without special and padding tokens."""
    words, counts, kept = [], [], []
    places = ((word, place) for place, word in enumerate(encoding.word_ids) if word is not None)
    for _, group in groupby(places, key=lambda pair: pair[0]):
        members = [place for _, place in group]
        start, end = encoding.offsets[members[0]][0], encoding.offsets[members[-1]][1]
        words.append(text[start:end])
        counts.append(len(members))
        kept += members
    return Tokens(words, counts, np.ascontiguousarray(rows[kept], np.float32))


def passages(model: Any, text: str, beside: str) -> list[str]:
    """Splits a text into parts that fit the model's input, between sentences where possible.

    Args:
        model: `fastembed.TextEmbedding`.
        text: Text of any length.
        beside: Text that will precede each part.
    """
    tokenizer = model.model.tokenizer
    limit = (tokenizer.truncation or {}).get("max_length", 0)
    # A token covers at least a byte, so most texts need no tokenization.
    if not limit or len(text.encode()) + len(beside.encode()) + 2 < limit:
        return [text]
    room = max(limit - 2 - len(tokenizer.encode(beside, add_special_tokens=False)), limit // 2)
    first = tokenizer.encode(text)
    offsets = [
        offset
        for encoding in (first, *first.overflowing)
        for offset, word in zip(encoding.offsets, encoding.word_ids, strict=True)
        if word is not None
    ]
    starts = [start for start, _ in offsets]
    if len(starts) <= room:
        return [text]
    ends, position = [], 0
    for sentence in split_sentences([text], _SENTENCES)[0]:
        position = text.index(sentence, position)
        ends.append(bisect_left(starts, position))
        position += len(sentence)
    cuts = [0]
    while len(starts) - cuts[-1] > room:
        # Cuts at the last sentence that begins in the second half of the room, or else at the last token that fits.
        last = cuts[-1] + room
        place = bisect_right(ends, last) - 1
        fits = place >= 0 and ends[place] > cuts[-1] + room // 2
        cuts.append(ends[place] if fits else last)
    bounds = [starts[cut] for cut in cuts[1:]]
    return [text[start:end] for start, end in zip([0, *bounds], [*bounds, len(text)], strict=True)]
