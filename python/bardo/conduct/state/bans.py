"""Recognises a ban that names an act by a noun and the times for which it stands: "no deliveries on Sundays"."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from bardo._patterns import lazy_pattern

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
#: Time that comes again or a state, without which "no calls" may be a report of a day.
LASTING = lazy_pattern(
    rf"\b(?:on {_DAY}|(?:on|at|over the|over) (?:weekends?|weekdays|holidays|public holidays|sundays and holidays)|"
    r"at night|overnight|(?:in|during) the (?:night|evenings?|mornings?|afternoons?|holidays)|"
    r"(?:before|after|past|until|between|from) "
    r"(?:\d{1,2}(?::\d\d)?\b(?! ?(?:days?|weeks?|minutes?|hours?))|noon|midnight)|"
    r"during (?:the |our |an? )?\w+|(?:during|outside|outside of) (?:office|business|working|quiet) hours|"
    r"(?:after|out of) hours|(?:without|unless|while|when|if) \w)",
    re.IGNORECASE,
)
#: The same as an adjective: "no weekend positions", "no late-night deploys".
_TIME = (
    r"(?:weekend|week-end|weekday|overnight|night|(?:late|early)[- ]?(?:night|morning|evening)|"
    r"night-?time|evening|after[- ]hours|out-of-hours|pre-?market|holiday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
#: Words of a report about a time that was, or about the speaker.
_REPORT = lazy_pattern(
    r"\b(?:last|yesterday|so far|yet|this (?:week|month|morning|time)|today|tonight|tomorrow|for (?:me|us)|from|"
    r"were|was|had|have|has|came|is|are)\b",
    re.IGNORECASE,
)
_CLAUSE = lazy_pattern(r"[,;:.!?]|\s[-–—]\s")


@cache
def _ban() -> re.Pattern[str]:
    text = Path(__file__).with_name("bans.toml").read_text(encoding="utf-8")
    nouns = (each.strip() for each in tomllib.loads(text)["acts"].replace("\n", " ").split(","))
    forms = sorted((f"{re.escape(each).removesuffix('y')}(?:ys?|ies)" if each.endswith("y")
                    else f"{re.escape(each)}(?:e?s)?" for each in nouns), key=len, reverse=True)  # fmt: skip
    return re.compile(
        rf"(?:please,? )?no (?:more |further |new )?(?P<time>{_TIME} )?(?:{'|'.join(forms)})\b(?P<rest>[^,;:.!?]*)",
        re.IGNORECASE,
    )


def is_ban(text: str) -> bool:
    """Whether a sentence bans an act at times that come again, and does not report that there was none.

    Args:
        text: Sentence, without the words before its clause.
    """
    found = _ban().match(text)
    if found is None or "?" in text:
        return False
    clause = _CLAUSE.split(found["rest"])[0]
    is_lasting = found["time"] is not None or LASTING.search(clause) is not None
    return is_lasting and _REPORT.search(_CLAUSE.split(text)[0]) is None
