"""Recognises the sums of a household's pots of money: "took 750 out of the holiday fund", "60 left in the kitty"."""

from __future__ import annotations

import re

from bardo.privacy.cues import any_cue, cue

#: Words of a lock on a pot of money.
_LOCKED = re.compile(r"(?i)lock|\b(?:combination|combo|opens?|dial\w*|keypad|press\w*|schloss|öffne\w*)\b")
#: Verbs before a sum of a pot of money, and words behind one.
_PUT = re.compile(
    r"(?i)\b(?:took|take[ns]?|taking|spent|spend|put|puts|moved?|paid|pay|saved?|added?|withdr[ae]w|borrowed|lent|gave|"
    r"chipped in|(?:stands|stood|is|are|was|now|still|down|up) (?:now )?at|down to|up to|ha[sd]|holds?|leaves?|left|"
    r"contains?|there(?:'s|’s| is| are| was)|genommen|gelegt|sind|noch)\s"
    r"(?:another |about |around |only |some |just |still |out |back )?(?:[€£$]\s?)?$"
)
_IN_POT = re.compile(
    r"(?i)\s?(?:[€£$]|euros?|pounds?|dollars?|quid|bucks)?\s?(?:is |are |was |now |still |euros? )?"
    r"(?:left|in there|in it|in the|out of|from the|into|to the|towards?|saved|remaining|short|so far|per head|each|"
    r"übrig|drin)\b"
)


def is_sum(text: str, ahead: str, behind: str) -> bool:
    """Whether a number is a sum in a pot of money, in a text without a word for a lock or a means of access.

    Args:
        text: Sentence.
        ahead: Text directly before the number.
        behind: Text directly after it.
    """
    if not cue("pot").search(text) or any_cue("password", "code", "key", "seed").search(text):
        return False
    if _LOCKED.search(text):
        return False
    return bool(_PUT.search(ahead) or _IN_POT.match(behind))
