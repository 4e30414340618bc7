"""Things that a rejection refuses at a place, without a verb: "room numbers in chat", "fish in trailer 4471. No."."""

from __future__ import annotations

from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.parse import acts, substitutes, wording
from bardo.conduct.parse.acts import Act

#: Maximum number of cached texts.
_TEXTS = 16_384
_THING = r"(?P<thing>[\w'’/&µ -]+?)"
_END = r"\s*(?=$|[.,;:!?(]|\s[-–—]|\bany ?more\b|\bplease\b|\bnot even\b|\bat all\b)"
_STOP = r"(?=\s*(?:$|[.,;:!(]|[-–—]))"
_FORMS = tuple(
    lazy_pattern(form)
    for form in (
        # "No production dumps on laptops."
        rf"^(?i:(?:and |so )?(?:please,? )?no(?: more| new)?) {_THING}{_END}",
        # "customer-level data in Google Sheets: no", "Fresh fish in trailer 4471. No.", "weights in git – no".
        rf"^{_THING}\s*(?:[,:.?]|\([^)]*\)|\s[-–—])+\s*(?i:(?:absolutely |please,? |also |in "
rf"any \w+ [-–—] )?(?:no|never|not|nope|nowhere|don't)(?: more)?\b{_STOP})",
        # "Key safes on outside walls are off the table".
        rf"^{_THING} (?i:(?:is|are) (?:now |strictly )?(?:off (?:the (?:table|list)|limits)|"
rf"banned|forbidden|prohibited|out|not allowed|a no(?:[- ]?go)?)){_STOP}",
        # "The recordings don't go on laptops", "drugs don't travel in the tube", "names have no business in logs".
        rf"^{_THING} (?i:(?:do(?:n't|es not|esn't| not)|never) (?:go(?:es)?|comes?|belongs?|"
rf"travels?|get|put)|have no business|has no business)(?P<place> [^.,;:!]+)",
    )
)  # fmt: skip
#: Verb of a clause, with which the words are no thing.
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|does|do|may|can|will|that|which|who|whose|what|if|when|\w+n't)\b|'s (?:in|on|at)\b"
)
_PLACES = lazy_pattern(r"(?: (?:in|on|at|to|into|onto|for|with|from|by|of|through|via)\b| in any form)")


@lru_cache(_TEXTS)
def of_text(text: str) -> Act | None:
    """Returns the thing that a rejection refuses, with its places, as an act without a verb; None if it has a verb.

    Args:
        text: Text of a rejection.
    """
    rest, _ = substitutes.split(wording.without_emphasis(wording.without_remark(text)))
    for form in _FORMS:
        found = form.match(rest)
        if found is None or _VERB.search(found["thing"]) or found["thing"].split()[0].lower().endswith("ing"):
            continue
        place = found.groupdict().get("place") or ""
        return acts.without_verb(f"{found['thing']}{place}", rest[found.end() :])
    return None
