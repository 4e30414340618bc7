"""Matches actions with texts by words, and by embeddings if there is a model.

The thresholds were chosen on pairs of a rejection and an action (the `dev` pairs of `tests/conduct/actions.jsonl`) with
MiniLM's vectors; the tests require about the same figures on the other pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from bardo._printed import printed

#: Whether the person whom a row requires approved the action.
Approved = Callable[[object], bool]
#: Minimum cosine, or minimum number of common words, of an action related to a text.
NEAR, NEAR_WORDS = 0.35, 2
#: Minimum cosine of an action related to a single rejection, its growth per logarithm of their number, its maximum.
NEAR_ALONE, NEAR_PER_LOG, NEAR_MOST = 0.22, 0.041, 0.45
#: Minimum cosine, and minimum share of common words, of an action that equals a text, if no word contradicts.
SAME, SAME_SHARE = 0.88, 0.7


#: Minimum share of a rule's words, or minimum cosine, of an action to which the rule applies.
APPLIES_SHARE, APPLIES = 0.5, 0.6


class Reading(StrEnum):
    """Relation of an action to a rejection or a rule."""

    #: The action is the same.
    SAME = "same"
    #: The action is similar, and not the same.
    NEAR = "near"
    #: The action shares a name; the table knows no more.
    TOUCHES = "touches"
    #: The action is different: it only reads, is the opposite, or has other objects.
    OTHER = "other"
    UNKNOWN = "unknown"


#: Part that told whether the action is the one that was meant: a pattern of what is forbidden, the table of
#: operations, words and meaning, the learned comparison, or a language model.
Decider = Literal["pattern", "operation", "words", "regression", "model"]


class Relation(NamedTuple):
    """Relation of an action to a text, with its cause.

    Args:
        reading: The relation.
        because: Pattern or operation that the action fits; empty without one.
        by: Part that found it.
        exact: Whether it is by the letters of the action: a command, option, package, host or path.
        whole: Whether the action does the operation to the thing, and all conditions hold, of which there is one at
            least.
    """

    reading: Reading
    because: str = ""
    by: Literal["pattern", "operation"] = "pattern"
    exact: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Learned:
    """Learned comparison of an action with a text (`comparison`): log odds over the limit of each decision.

    Args:
        near: Log odds of being about the same thing.
        warn: The lower of these and the log odds of being the same action and no other; 0 or more warns.
        same: Log odds of being the same action; 0 or more blocks. The limit is lower where the table reads it
            so, and no word hints at less.
    """

    near: float
    warn: float
    same: float


@dataclass(frozen=True, slots=True)
class Touch:
    """Match of an action with a text.

    Args:
        cosine: Cosine of the vectors; None without a model.
        share: Share of the text's content words that the action has, 0..1.
        words: Number of these words.
        apart: Whether the common words have another meaning in the action: other numbers or names, an opposite, a
            contrast.
        reading: Relation according to the table of commands and words.
        near_at: Minimum cosine of a related action.
        sure: Whether the action is what the text names by its letters (a command, an option, a package, a host, a path,
            the text itself), or with most of its words, so that no learned comparison decides.
        learned: Learned comparison; None without the model that it was fitted with.
        fitting: Pattern or operation of the relation; empty without one.
        read_by: Part that found the relation.
        whole: Whether operation, thing and conditions of the text are all met, or all words of its act are there and
            its conditions hold. No limit that grows with the number of texts makes such an action an unrelated one.
        partly: Whether the action is what the text states in so many words, but for a part that it leaves open. It is
            never allowed in silence.
        allowed: Whether the action is a case that a person allowed of what the text forbids.
    """

    cosine: float | None
    share: float
    words: int
    apart: bool
    reading: Reading = Reading.UNKNOWN
    near_at: float = NEAR
    sure: bool = False
    learned: Learned | None = None
    fitting: str = ""
    read_by: Literal["pattern", "operation"] = "pattern"
    whole: bool = False
    partly: bool = False
    allowed: bool = False

    __str__ = printed

    @property
    def near(self) -> bool:
        """Whether the action is related to the text."""
        if self.allowed:
            return False
        if self.reading is Reading.OTHER:
            return self.same
        if self.learned is not None:
            return self.same or self.whole or self.partly or self.learned.near >= 0
        if self.partly or self.reading is not Reading.UNKNOWN:
            return True
        return (
            self.words >= NEAR_WORDS or self.same or (self.cosine is not None and self.cosine >= self.near_at)
        )

    @property
    def warns(self) -> bool:
        """Whether the action is so surely related that a rejection warns of it."""
        return self.near and (
            self.learned is None or self.same or self.whole or self.partly or self.learned.warn >= 0
        )

    @property
    def same(self) -> bool:
        """Whether the action equals the action of the text."""
        if self.allowed:
            return False
        if self.learned is not None:
            return self.sure or self.learned.same >= 0
        if self.sure:
            return True
        if self.reading not in (Reading.TOUCHES, Reading.UNKNOWN):
            return self.reading is Reading.SAME
        cosine = self.cosine if self.cosine is not None else 0.0
        return not self.apart and (
            self.whole or self.share == 1.0 or (cosine >= SAME and self.share >= SAME_SHARE)
        )

    @property
    def applies(self) -> bool:
        """Whether a rule of this text applies to the action: most of its words, or the meaning, with no difference."""
        if self.apart or self.reading is Reading.OTHER:
            return False
        by_words = self.words >= NEAR_WORDS and self.share >= APPLIES_SHARE
        return by_words or (self.words > 0 and self.cosine is not None and self.cosine >= APPLIES)

    @property
    def decided_by(self) -> Decider:
        """Part that told whether the action is related to the text, or equals it."""
        if self.reading is Reading.OTHER and not self.same:
            return self.read_by
        if self.learned is not None and not self.sure:
            return "regression"
        if self.reading is Reading.UNKNOWN or (self.reading is Reading.TOUCHES and self.same):
            return "words"
        return self.read_by

    @property
    def because(self) -> str:
        """Cause of the relation: the pattern, operation, words or odds that decided."""
        decider = self.decided_by
        if decider in ("pattern", "operation"):
            return self.fitting
        words = f"{self.share:.0%} of its words in common"
        words += " with another meaning" if self.apart else ""
        words += "" if self.cosine is None else f", cosine {self.cosine:.2f}"
        if self.learned is None or decider == "words":
            return words
        how = (
            "the same action"
            if self.same
            else "about the same thing"
            if self.near
            else "about something else"
        )
        return f"by comparison with labelled pairs {how}; {self.fitting or words}"

    @property
    def closeness(self) -> float:
        """Sort key: the nearest first."""
        return max(self.share, self.cosine or 0.0) + self.same


def near_at(count: int) -> float:
    """Returns the minimum cosine of an action related to one of so many rejections and rules.

    Of unrelated sentences 5 % have a cosine of .22, 1 % of .27 and .1 % of .38: the limit grows with the number of
    comparisons, so that an unrelated action is seldom warned of, however many rejections there are.
    """
    return min(NEAR_MOST, NEAR_ALONE + NEAR_PER_LOG * math.log(max(1, count)))


#: Match of an action with a text that it has nothing in common with.
NOTHING = Touch(None, 0.0, 0, apart=False)
