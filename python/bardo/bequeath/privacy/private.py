"""Finds all private text of a testament: secrets and identities, and the private numbers of the agent.

The word lists that give the topic of a sentence are in `private.toml`; numbers are classified in `figures`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.bequeath.privacy import own_sentences, software
from bardo.bequeath.privacy.stated_limits import Limits
from bardo.privacy import assignments, business, figures, identities, secrets
from bardo.privacy.secrets import Span

#: Names of the kinds found here, as in marks and counts.
KINDS = frozenset(
    {
        "password",
        "seed_phrase",
        "secret",
        "identity",
        "contact",
        "key_bytes",
        "random_key",
        "hex_secret",
        "holding",
        "parameter",
    }
)
_FIGURES = frozenset({"holding", "parameter"})
#: Maximum number of characters of a piece of text; longer sentences are split.
_LONGEST = 1_024

#: The end of a sentence: a stop that no abbreviation has, or one that ends a line or a sentence of any script.
_PIECE = re.compile(
    r"[.!?\n。！？](?:(?<=[\n。！？])|(?<=[a-z0-9)%'\"”€$].)(?<!\b[Nn]o.)(?<!\b[Nn]r.)(?<!\b[Aa]rt.)(?<!\bvs.)(?<!\bca.)(?<!\b[DMS]r.)(?<!\bMrs.)(?<!\bMs.)(?<!\bSt.)(?<!\bProf.)(?=\s+[A-ZÀ-ÞА-Я\"'“(]))"
)
#: An address of the web, or a path of Windows, whose numbers are names.
_ADDRESS = re.compile(
    r"https?://[^\s\"'<>]{1,2048}|(?:\\\\|[A-Za-z]:\\)[\w.$-]{1,64}(?:\\[\w.$-]{1,64}){1,16}"
)
#: A number in groups between spaces, which is private as a whole or not at all.
_GROUPED = re.compile(r"(?<![\w.,])\d{2,}(?:[\u0020\u00a0\u202f]\d{2,})+(?![\w]|[.,]\d)")


def spans(
    text: str, known: dict[str, tuple[Span, ...]] | None = None, limits: Limits | None = None
) -> list[Span]:
    """Finds the private spans of a text, in order and without overlap.

    Args:
        text: Text.
        known: Spans of pieces that were searched, by piece; searched pieces are added. Each is searched once.
        limits: Figures of the text that are limits; by default those that it states as such.
    """
    known = {} if known is None else known
    found: list[Span] = []
    start = 0
    for end in (*(match.end() for match in _PIECE.finditer(text)), len(text)):
        while start < end:
            stop = _stop(text, start, end)
            # A number cut in two by the end of a piece is skipped: each half would be another number.
            cuts = {at for at in (start, stop) if 0 < at < len(text) and text[at - 1] not in " \n.!?。！？"}
            if (piece := text[start:stop]) not in known:
                known[piece] = tuple(_of(piece, limits or Limits()))
            found += [
                Span(start + one.start, start + one.end, one.kind, one.instead)
                for one in known[piece]
                if one.kind not in _FIGURES or cuts.isdisjoint({start + one.start, start + one.end})
            ]
            start = stop
    return secrets.apart(found)


def _stop(text: str, start: int, end: int) -> int:
    """Returns the end of a piece of a long sentence: after a space, if there is one."""
    longest = start + _LONGEST
    return end if longest >= end else text.rfind(" ", start + _LONGEST // 2, longest) + 1 or longest


def _of(sentence: str, limits: Limits) -> Iterator[Span]:
    """Finds the private spans of one sentence, ignoring the marks of an earlier pass."""
    taken = [match.span() for match in secrets.MARKED.finditer(sentence)]
    for span in secrets.found(sentence):
        taken.append((span.start, span.end))
        yield span
    plain = secrets.MARKED.sub(lambda match: " " * len(match[0]), sentence)
    plain = assignments.mask(plain)
    # Numbers are skipped inside of spans already found, and inside of permitted telephone and test numbers.
    for start, end in (
        *taken,
        *(match.span() for form in (identities.PHONE, identities.CARD) for match in form.finditer(plain)),
    ):
        plain = plain[:start] + "_" * (end - start) + plain[end:]
    plain = secrets.PRERELEASE.sub(lambda match: "_" * len(match[0]), business.mask(plain))
    plain = _ADDRESS.sub(lambda match: "_" * len(match[0]), plain)
    plain = software.mask(own_sentences.mask(plain))
    groups = [match.span() for match in _GROUPED.finditer(plain)]
    for start, end, kind, instead in figures.figures(plain):
        if kind in _FIGURES and limits.has(plain, start, end):
            continue
        touched = [group for group in groups if group[0] < end and start < group[1]]
        yield Span(
            min([start, *(one for one, _ in touched)]),
            max([end, *(one for _, one in touched)]),
            kind,
            instead,
        )
