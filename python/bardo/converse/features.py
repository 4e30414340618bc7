"""Features of a message for the regressions of triage: words, letters, form, and the message before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

#: Characters of a message that are read.
READ = 500
#: Lengths of the runs of letters, in characters; the shorter ones for scripts without blanks.
RUNS, SHORT_RUNS = (3, 4), (1, 2)
#: Numbers of words that are limits of a class of length.
LENGTHS = (1, 3, 6, 12, 25)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_FORMS = {
    "question mark": re.compile(r"[?？؟]"),
    "exclamation": re.compile(r"[!！]"),
    "number": re.compile(r"\d"),
    "amount": re.compile(r"[$€£¥₹]\s?\d|\d\s?[$€£¥₹%]"),
    "quotation": re.compile(r"[\"'“«「`][^\"'”»」`]{2,}[\"'”»」`]"),
    "colon with content": re.compile(r"[:：]\s*\S"),
    "code": re.compile(r"[{}=;]|\w\(|_\w"),
    "name": re.compile(r"(?<=[a-z,] )[A-Z][a-z]+"),
}


def features(text: str, previous: Sequence[str] = ()) -> frozenset[str]:
    """Returns the features of a message.

    Args:
        text: Message; what lies beyond its first 500 characters is not read.
        previous: Messages before it, the latest last.
    """
    shown = text[:READ].replace("’", "'")
    folded = shown.casefold()
    words = _WORDS.findall(folded)
    found = {f"w {word}" for word in words}
    found |= {f"b {left} {right}" for left, right in pairwise(words)}
    found |= {f"f {' '.join(words[:count])}" for count in (1, 2) if len(words) >= count}
    for word in words:
        if _UNSPACED.search(word):
            found |= {f"c {run}" for run in _runs(word, SHORT_RUNS)}
        else:
            found |= {f"c {run}" for run in _runs(f"^{word}$", RUNS)}
    found |= {f"form {name}" for name, pattern in _FORMS.items() if pattern.search(shown)}
    found.add(f"length {sum(len(words) > limit for limit in LENGTHS)}")
    if previous:
        found.add("previous")
        found |= {f"previous {name}" for name in ("question mark",) if _FORMS[name].search(previous[-1])}
        found.add(f"previous length {sum(len(words) > limit for limit in LENGTHS)}")
    return frozenset(found)


def _runs(word: str, lengths: Sequence[int]) -> set[str]:
    return {word[at : at + length] for length in lengths for at in range(len(word) - length + 1)}
