"""Words of a prompt beside an order that is not in full force: its allowed cases, and its doubt."""

from __future__ import annotations

from bardo.conduct.model.doubt import fields_of, in_few_words

#: Maximum number of allowed cases that are told, the latest first, and maximum characters of one.
CASES, LONGEST_CASE = 3, 60


def standing_of(corrections: str) -> str:
    """Returns the exceptions and the doubt of an order in a few words, in brackets; empty for one in full force.

    Args:
        corrections: Its corrections, as JSON.
    """
    if not corrections:
        return ""
    told = [each for each in (_cases(corrections), in_few_words(corrections)) if each]
    return f" [{'; '.join(told)}]" if told else ""


def _cases(corrections: str) -> str:
    allowed = [str(case) for case in fields_of(corrections).get("allowed") or ()]
    if not allowed:
        return ""
    cases = [
        case if len(case) <= LONGEST_CASE else f"{case[: LONGEST_CASE - 1]}…" for case in allowed[-CASES:]
    ]
    more = f" and {len(allowed) - CASES} more" if len(allowed) > CASES else ""
    return f"except: {', '.join(reversed(cases))}{more}"
