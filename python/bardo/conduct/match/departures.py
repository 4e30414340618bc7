"""Tells whether an action in words follows a rejection word by word and departs from it: another object, or more.

"Rinse the parts with isopropanol" follows "rinse the parts with acetone" and replaces the object, so that it is another
act. The words are aligned in order, as a text is compared with its older version. An action with another verb does not
follow a rejection: it may do the same in other words.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from enum import Enum
from functools import lru_cache

from bardo import _core
from bardo.conduct.parse.actions import operation_table, operations
from bardo.conduct.parse.conditions import conditions
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.vocabulary import kinds_in, vocabulary

#: Maximum number of cached texts.
_TEXTS = 4_096
#: Minimum number of common words in order, their minimum shares of the words of the rejection and of the action, and
#: their minimum share of the rejection where the action only has words more.
_COMMON, _OF_TEXT, _OF_ACTION, _WHOLE = 3, 0.6, 0.5, 0.75
#: Cosine above which texts that differ in a word or two say the same: the word is a synonym.
SYNONYM = 0.9


class Departure(Enum):
    """How an action that follows a rejection departs from it."""

    #: Not at all, or it does not follow the rejection.
    NONE = "none"
    #: It has another object, place or time.
    REPLACED = "replaced"
    #: It has further words, a single word aside.
    EXTENDED = "extended"


@lru_cache(_TEXTS)
def of(text: str, action: str) -> Departure:
    """Returns how an action in words departs from the act that a rejection forbids.

    Args:
        text: Rejection.
        action: Action in words.
    """
    forbidden, done = _words(text), _words(action)
    if not (forbidden and done) or not (forbidden[0] == done[0] or _is_alike(forbidden[:1], done[:1])):
        return Departure.NONE
    matcher = SequenceMatcher(None, forbidden, done, autojunk=False)
    common = sum(block.size for block in matcher.get_matching_blocks())
    if common < max(_COMMON, _OF_TEXT * len(forbidden), _OF_ACTION * len(done)):
        return Departure.NONE
    steps = [
        (forbidden[start:end], done[begin:stop])
        for step, start, end, begin, stop in matcher.get_opcodes()
        if step != "equal"
    ]
    if any(before and after and not _is_alike(before, after) for before, after in steps):
        return Departure.REPLACED
    further = [word for _, after in steps for word in after]
    is_longer = common >= _WHOLE * len(forbidden) and len(further) > 1
    return Departure.EXTENDED if is_longer else Departure.NONE


@lru_cache(_TEXTS)
def _words(text: str) -> tuple[str, ...]:
    """Returns the content words of the act of a text as stems, without its times, with the names of aliases."""
    same = operation_table.table().same
    # The conditions decide times: "during the day" holds at noon.
    act, _ = conditions.split(text)
    stems = wording.act(operations.with_particles(act))
    # A function word has no stem; of figures the conditions tell more.
    return tuple(
        same.get(stem, stem)
        for stem, own in zip(stems, _core.stems(stems), strict=True)
        if own is not None and not stem.isdigit()
    )


def _is_alike(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether two groups of words name one operation, or members of one kind that is named."""
    one, other = (_operations_in(words) for words in (before, after))
    if one & other:
        return True
    kinds = vocabulary().kinds_by_stem
    named, member = (kinds_in(frozenset(words), kinds) for words in (before, after))
    return bool(named & (member | kinds_in(frozenset(after), vocabulary().members)))


def _operations_in(words: Sequence[str]) -> frozenset[str]:
    """Returns the operations that a group of stems names."""
    stems = list(words)
    return frozenset().union(*(operation_table.phrase_at(stems, at)[0] for at in range(len(stems))))
