"""Learned comparison of an action with the text of a rejection or rule, beside the table of operations.

Two logistic regressions (`comparison.json`) join what the table reads, words, conditions and the cosine. One tells
whether the action is about the same thing. The other tells whether it is the same action, and not only near it; for
that a cross-encoder also reads both texts (`consolidate/actions.npz`). They are fitted on labelled pairs by
`benches/python/conduct/fit_recognition.py`. Their limits are chosen by cross-validation, for few false blocks and
warnings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bardo._weights import read_weights
from bardo.conduct import conditions, operations, recognition
from bardo.conduct.deeds import Deed
from bardo.conduct.forbidden import Forbids
from bardo.conduct.matching import Learned, Touch
from bardo.conduct.operations import Reading, Ruling

if TYPE_CHECKING:
    from bardo.consolidate.cross_encoder import CrossEncoder
    from bardo.ports import Embedder

#: Maximum number of pairs that the cross-encoder reads for one action.
PAIRS = 8
#: Words that tell what an action does to the thing, apart from the thing.
_CUES = {
    "asks": r"\b(?:ask|check with|wait for|confirm with|propos\w*|suggest\w*|permission|approval|sign-?off|your ok|"
    r"go-?ahead)\b",
    "tells": r"\b(?:draft|note|write down|document\w*|remind\w*|explain\w*|summar\w*|list|show|look|read|review|check|"
    r"count|compare|report|find out|research)\b",
    "ends": r"\b(?:cancel\w*|remov\w*|delet\w*|undo|revert\w*|disabl\w*|turn\w* off|switch\w* off|stop\w*|uninstall\w*|"
    r"unsubscrib\w*|block\w*|replac\w*|drop\w*|revok\w*|reduc\w*|lower\w*|declin\w*|reject\w*|clos\w*)\b",
    "contrasts": r"\b(?:instead|rather than|without|not|no|never|don't|won't|only|leav\w*|keep\w*|stay\w*)\b",
    "tries": r"--(?:dry-run|check|diff|help|plan|list)\b",
    "elsewhere": r"\b(?:staging|test\w*|sandbox|demo|paper|local\w*|dev|draft|preview)\b",
    "timed": r"\b(?:until|before|after|once|if|when|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    "asked": r"\?",
}
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _CUES.items()}
#: Number of common words that counts as many, and number of cached actions.
_MANY, _ACTIONS = 4, 16
_WORD = re.compile(r"--?[a-z][a-z-]*|[a-z']+|\d+|[?#=:]")


@dataclass(frozen=True, slots=True)
class Pair:
    """Action and forbidding text with everything that words and table tell about them.

    Args:
        text: Text of the rejection or rule.
        forbids: Data of it.
        done: Parsed action.
        touch: Match by words, cosine and table; the cosine is of the model that the regressions were fitted with.
        found: Relation by what is forbidden.
        by_operation: Relation by the operation.
        holding: Whether each condition holds; None for one that the action leaves open.
    """

    text: str
    forbids: Forbids
    done: Deed
    touch: Touch
    found: Reading
    by_operation: Reading
    holding: tuple[bool | None, ...]

    def near_features(self) -> dict[str, float]:
        """Returns the features of being about the same thing, by their names."""
        form, touch = self.done.form, self.touch
        cosine = touch.cosine or 0.0
        joined = recognition.joined(self.found, self.by_operation)
        known = [
            holds
            for condition, holds in zip(self.forbids.conditions, self.holding, strict=True)
            if conditions.is_known(condition)
        ]
        found: dict[str, float] = {
            f"forbidden {self.found}": 1,
            f"operation {self.by_operation}": 1,
            f"table {joined}": 1,
            f"table {joined}, {form}": 1,
            "cosine": 3 * cosine,
            f"cosine, {form}": 3 * cosine,
            "cosine squared": 6 * cosine * cosine,
            "share": touch.share,
            "words": min(touch.words, _MANY) / 2,
            "apart": touch.apart,
            "all words": touch.share == 1.0 and not touch.apart,
            "condition holds": True in known,
            "condition fails": False in known,
            "condition open": None in known,
            "scope fails": False in self.holding,
            "operations meet": not self.done.verbs.isdisjoint(self.forbids.verbs),
            "no operation": not self.forbids.verbs,
        }
        return {name: float(value) for name, value in found.items() if value} | _of_action(self.done)

    def same_features(self, odds: float) -> dict[str, float]:
        """Returns the features of being the same action, by their names.

        Args:
            odds: Log odds of the cross-encoder.
        """
        said = set(_words(self.text))
        words = _words(self.done.text)
        found = self.near_features() | {"read": odds / 2, f"read, {self.done.form}": odds / 2}
        for word in words:
            found[f"w {word}"] = found[f"{'both' if word in said else 'only'} {word}"] = 1.0
        return found | {f"g {one} {other}": 1.0 for one, other in pairwise(("^", *words))}


@lru_cache(_ACTIONS)
def _of_action(done: Deed) -> dict[str, float]:
    """Returns the features of the action alone."""
    told = {
        "reads": done.reads,
        "removes": done.removes,
        "negated": recognition.NEGATED.search(done.text) is not None,
        "asks first": conditions.asks(done.text),
    }
    found = [f"form {done.form}", *(f"cue {name}" for name, cue in _PATTERNS.items() if cue.search(done.text))]
    found += [each for name, holds in told.items() if holds for each in (name, f"{name}, {done.form}")]
    return dict.fromkeys(found, 1.0)


@lru_cache(4 * _ACTIONS)
def _words(text: str) -> tuple[str, ...]:
    """Returns the words, options and marks of a text in lower case; each number is one word."""
    plain = operations.CAMEL.sub(" ", text).lower().replace("’", "'").replace("_", " ")
    return tuple("#" if word.isdigit() else word for word in _WORD.findall(plain))


def weights() -> Mapping[str, Any]:
    """Returns the weights of both regressions."""
    return read_weights("bardo.conduct", "comparison.json")


def is_fitted(embedder: Embedder | None) -> bool:
    """Whether the embedder is of the model that the regressions were fitted with."""
    return embedder is not None and bool(embedder.fingerprint.model == weights()["model"])


def pair_of(
    text: str,
    forbids: Forbids,
    ruling: Ruling,
    done: Deed,
    common: tuple[float, int, bool],
    cosine: float | None,
    *,
    near_at: float,
    now: int,
    approved: bool = False,
) -> Pair:
    """Compares an action with a forbidding text by table and words.

    Args:
        text: Text of the rejection or rule.
        forbids: Data of it.
        ruling: Operation and things of it.
        done: Parsed action.
        common: Share and number of the common words, and whether they differ in meaning (`_core.touches`).
        cosine: Cosine of the vectors; None without a model.
        near_at: Minimum cosine of a related action.
        now: Wall clock, microseconds UTC.
        approved: Whether a person approved the action.
    """
    share, count, differs = common
    found = recognition.compare(forbids, done, now=now, approved=approved)
    by_operation = operations.compare(ruling, done.done)
    # An action that only reads is not the rejected one, even with all of its words.
    apart = differs or (done.reads and "read" not in forbids.verbs)
    touch = Touch(
        cosine, share, count, apart, recognition.joined(found, by_operation), near_at,
        recognition.is_sure(forbids, done) or text.casefold() == done.text.casefold(),
    )  # fmt: skip
    holding = recognition.holding(forbids, done, now=now, approved=approved)
    return Pair(text, forbids, done, touch, found, by_operation, holding)


def encoder() -> CrossEncoder | None:
    """Returns the cross-encoder; None if its packages are not installed."""
    from bardo.consolidate import cross_encoder

    return cross_encoder.load("actions")


def read(pairs: Sequence[Pair], encoder: CrossEncoder | None) -> dict[str, Touch]:
    """Adds the learned comparison to the matches of an action.

    Args:
        pairs: Pairs of one action.
        encoder: Cross-encoder of actions; it reads the pairs that are likeliest about the same thing. None leaves it
            to the table which actions are the same.
    """
    margins = {pair.text: margin("near", pair.near_features()) for pair in pairs}
    likely = [pair for pair in pairs if margins[pair.text] >= 0 and not pair.touch.sure]
    likely = sorted(likely, key=lambda pair: -margins[pair.text])[:PAIRS] if encoder else []
    odds = encoder.read([(pair.text, pair.done.text) for pair in likely]) if encoder else []
    same = {
        pair.text: margin("same", pair.same_features(each)) for pair, each in zip(likely, odds, strict=True)
    }
    return {
        pair.text: replace(pair.touch, learned=Learned(margins[pair.text], same.get(pair.text)))
        for pair in pairs
    }


def margin(question: str, features: Mapping[str, float]) -> float:
    """Returns the log odds over the limit of a regression, `near` or `same`."""
    table = weights()[question]
    known: Mapping[str, float] = table["features"]
    total = sum(value * known.get(name, 0.0) for name, value in features.items())
    return float(table["bias"] + total - table["limit"])
