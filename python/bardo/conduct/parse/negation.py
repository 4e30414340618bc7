"""Words that deny, forbid or restrict, in rejections, remarks and lifts."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern

_CONTRACTED = (
    r"(?:do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|should|must|need|ai|sha)n['’]?t(?!\w)"
)
_DENIAL = rf"no|not|nobody|nothing|none|never|nor|neither|cannot|{_CONTRACTED}"
_PROHIBITION = rf"{_DENIAL}|stop|quit|cease|avoid|refrain|hold off|hands off|forbidden|banned|prohibited|veto"

#: Denial: "not", "never", "don't", "dont".
DENIES = lazy_pattern(rf"\b(?:{_DENIAL})\b", re.IGNORECASE)
#: Denial, or a word that forbids: "avoid", "banned".
FORBIDS = lazy_pattern(rf"\b(?:{_PROHIBITION})\b", re.IGNORECASE)
#: The same, or a preposition that restricts: "without".
RESTRICTS = lazy_pattern(rf"\b(?:{_PROHIBITION}|against|without)\b", re.IGNORECASE)
