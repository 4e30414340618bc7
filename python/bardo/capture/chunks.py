"""Chunks of a document: short enough for one vector each, cut at the borders of paragraphs and sentences."""

from __future__ import annotations

import re
import textwrap

from bardo import _core

#: Maximum length of a chunk in characters.
LONGEST = 400
#: Maximum number of sentences of a paragraph that are told apart; beyond it, neighbours are joined.
_SENTENCES = 1 << 20
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")


def chunks(text: str) -> list[str]:
    """Cuts a text into chunks of at most 400 characters.

    Sentences stay whole, except those over 400 characters, which are cut between words. Paragraphs that fit into one
    chunk share it. A part without a letter or digit is left out.

    Args:
        text: Text of a document.
    """
    found: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        joint = "\n\n"
        (sentences,) = _core.split_sentences([paragraph], limit=_SENTENCES)
        for sentence in sentences:
            for part in _parts(sentence):
                if found and len(found[-1]) + len(joint) + len(part) <= LONGEST:
                    found[-1] += joint + part
                else:
                    found.append(part)
                joint = " "
    return found


def _parts(sentence: str) -> list[str]:
    if len(sentence) <= LONGEST:
        return [sentence]
    return textwrap.wrap(sentence, LONGEST, break_on_hyphens=False)
