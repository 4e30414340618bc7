"""Things that a rejection refuses at a place, without a verb: "room numbers in chat", "fish in trailer 4471. No."."""

from __future__ import annotations

import re
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.negation import FORBIDS
from bardo.conduct.parse.rejections import acts, substitutes, wording
from bardo.conduct.parse.rejections.acts import Act

#: Maximum number of cached texts.
_TEXTS = 16_384
#: Word of a thing; a list of things ends with "or", or has no verb at all.
_WORD = r"(?:[\w'’/&µ`*+-]|(?<=\w)[–.](?=\w))+"
_WORDS = rf"{_WORD}(?: {_WORD})*?"
_THING = rf"(?P<thing>{_WORDS}(?:(?:, {_WORDS})*,? (?:or|nor) {_WORDS})?)"
_END = r"\s*(?=$|\.(?!\w)|[,;:!?(]|\s[-–—]|\bany ?more\b|\bplease\b|\bnot even\b|\bat all\b)"
_STOP = r"(?=\s*(?:$|[.,;:!(]|[-–—]))"
_AT = r"(?P<place> (?:in|on|at|for|from|with|inside|under) [^.,;:!?–—]+?)?"
#: Event since which a thing is refused, which is no condition: "is off limits after the token scare".
_SINCE = r"(?: (?:after|since|because|as) [^.;:!?]+)?"
_FORMS = tuple(
    lazy_pattern(form)
    for form in (
        # "No production dumps on laptops.", "Hartmann wedding: no peanuts on any plate".
        rf"^(?:(?P<topic>(?-i:[A-Z0-9])[\w'’ –-]{{2,40}}): )?"
        rf"(?i:(?:and |so )?(?:please,? )?no(?: more| new)*) {_THING}{_END}",
        # "customer-level data in Google Sheets: no", "Fresh fish in trailer 4471. No.", "weights in git – no".
        rf"^{_THING}\s*(?:[,:.?]|\([^)]*\)|\s[-–—])+\s*(?i:(?:absolutely |please,? |also |in "
        rf"any \w+ [-–—] )?(?:no|never|not|nope|nowhere|don't)(?: more)?\b{_STOP})",
        # "Key safes on outside walls are off the table".
        rf"^{_THING} (?i:(?:is|are) (?:now |strictly )?(?:off (?:the (?:table|list)|limits)|"
        rf"banned|forbidden|prohibited|out|not allowed|a no(?:[- ]?go)?)){_AT}{_SINCE}{_STOP}",
        # "The recordings don't go on laptops", "drugs don't travel in the tube", "names have no business in logs".
        rf"^{_THING} (?i:(?:do(?:n't|es not|esn't| not)|never) (?:go(?:es)?|comes?|belongs?|"
        rf"travels?|get|put)|have no business|has no business)(?P<place> [^.,;:!]+)",
        # "Core gets no new runtime dependencies".
        rf"^(?P<topic>[\w'’ -]{{2,40}}?) (?i:gets?|takes?|accepts?|has|have|allows?|carry|carries) "
        rf"(?i:no(?: more| new)*) {_THING}{_END}",
    )
)  # fmt: skip
#: Sentence without a verb, which is the refused thing itself: "single-use plastic cups, straws, cutlery".
_BARE = lazy_pattern(
    rf"^(?P<thing>{_WORDS}(?:, (?!(?:in|on|at|with|for|from|to|we|it|that)\b){_WORDS})*?)(?:\.?$|\.\s|\s[-–—]\s|\s*\()"
)
#: Verb of a clause, with which the words are no thing.
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|does|do|may|can|will|voted|that|which|who|whose|what|if|when|\w+n't)\b|"
    r"'s (?:in|on|at)\b"
)
_NOBODY = lazy_pattern(r"(?:we|i|they|you|it|that|this|there|he|she)", re.IGNORECASE)
_PLACES = lazy_pattern(r"(?: (?:in|on|at|to|into|onto|for|with|from|by|of|through|via)\b| in any form)")


@lru_cache(_TEXTS)
def of_text(text: str) -> Act | None:
    """Returns the thing that a rejection refuses, with its places, as an act without a verb; None if it has a verb.

    Args:
        text: Text of a rejection.
    """
    bare = wording.without_emphasis(wording.without_remark(text))
    rest, _ = substitutes.split(bare)
    for form in _FORMS:
        found = form.match(rest)
        if found is None or _VERB.search(found["thing"]) or found["thing"].split()[0].lower().endswith("ing"):
            continue
        named = found.groupdict()
        topic = named.get("topic") or ""
        is_named = bool(topic) and _NOBODY.fullmatch(topic) is None
        where = f"{named.get('place') or ''}{f' for {topic}' if is_named else ''}"
        return acts.without_verb(f"{found['thing']}{where}", rest[found.end() :])
    found = _BARE.match(bare)
    if found is None or _VERB.search(found["thing"]) or not _is_noun(found["thing"]):
        return None
    return acts.without_verb(found["thing"], "")


def _is_noun(words: str) -> bool:
    """Whether words without a verb are no act: their first word is neither a verb nor one that forbids."""
    first = words.split(maxsplit=1)[0].lower()
    parts = operation_table.stem_each(first.split("-"))
    is_verb = first.endswith("ing") or operation_table.phrase_at(parts)[0]
    return not is_verb and FORBIDS.search(words) is None and bool(operation_table.content_stems([first]))
