"""Parses the texts that actions are compared with: rejections, rules, and entries that forbid nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table, operations
from bardo.conduct.parse.conditions import requirements
from bardo.conduct.parse.forbids import Forbids
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.rejections.forbidden import OMITTING, corrected, wants

#: Maximum number of cached texts.
_TEXTS = 16_384
#: Word with a sign, a digit or a capital inside.
_NAME = lazy_pattern(r"\w[._@/\d-]\w|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class ParsedText:
    """Parsed text of an entry that actions are compared with.

    Args:
        text: The text.
        spoken: Text without framing words, approver and reason; the whole text if one word or less would remain.
        operations: Operations; empty if unknown to the table.
        things: Stems of the objects.
        names: Stems of the objects that are names.
        words: Stems of all words.
        folders: Stems of the names of folders before the last part of a path.
    """

    text: str
    spoken: str
    operations: frozenset[str]
    things: frozenset[str]
    names: frozenset[str]
    words: frozenset[str]
    folders: frozenset[str]


@dataclass(frozen=True, slots=True)
class ParsedRejection(ParsedText):
    """Parsed text of a rejection, or of what a rule forbids or wants approval for.

    Args:
        forbids: Data of what it forbids.
    """

    forbids: Forbids


@lru_cache(_TEXTS)
def parse_text(text: str) -> ParsedText:
    """Parses the text of an entry that forbids nothing."""
    named = operations.forbidden_by(text)
    things = operations.word_stems(named.objects)
    things |= operations.canonical_in(named.text, operation_table.table().same_phrases)
    # The first word is capitalised by the sentence.
    capital = {word for word in operations.words_of(text)[1:] if word[:1].isupper()}
    capital |= {word for word in text.split() if _NAME.search(word)}
    names = operations.word_stems(part for word in capital for part in operations.words_of(word)) & things
    # A single remaining word is too general: any action with it would match.
    kept = " ".join(named.spoken) if len(operations.word_stems(named.spoken)) > 1 else text
    words = operations.word_stems(operations.words_of(text))
    paths = [word.strip("`\"'.,;:/").split("/") for word in text.split() if "/" in word]
    folders = operations.word_stems(
        part for path in paths for each in path[:-1] for part in operations.parts_of(each)
    )
    return ParsedText(text, kept, named.operations, things, names, words, folders)


def _is_empty_code(text: str) -> bool:
    """Whether a text names code that has no content word: "`any`"."""
    quoted = wording.QUOTED.findall(text)
    return bool(quoted) and not operations.word_stems(operations.words_of(" ".join(quoted)))


@lru_cache(_TEXTS)
def parse(text: str, corrections: str = "") -> ParsedRejection:
    """Parses the text of a rejection or rule, with corrections of what it forbids as JSON."""
    whole, core = (
        parse_text(wording.without_emphasis(text)),
        parse_text(requirements.split(wording.clause(text))[0]),
    )
    if _is_empty_code(text):
        # The rest of "no `any` in TypeScript" is the place alone.
        core = replace(core, operations=frozenset(), things=frozenset(), names=frozenset())
    does = OMITTING if wants(text) else core.operations
    return ParsedRejection(
        text, whole.spoken, does, core.things, core.names, whole.words, core.folders,
        corrected(text, corrections),
    )  # fmt: skip
