"""Substitutes in a rejection: clauses that say what to do, use or wait for instead of the forbidden act."""

from __future__ import annotations

import re
from functools import lru_cache

from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.negation import FORBIDS
from bardo.consolidate.texts.vocabulary import PAST_IRREGULAR

#: Maximum number of cached texts.
_TEXTS = 16_384
#: End of a clause, with the words that join the next one to it; "and" continues the forbidden act.
_JOINT = re.compile(
    r"(?<=[\w\"'`)])(?:\s*[,;:.!]+\s+(?:(?:but|and|then|so|please|rather|better|just|always)\s+)*|"
    r"\s+[-–—]+\s+(?:but\s+)?|\s*,?\s+but\s+)(?=\S)",
    re.IGNORECASE,
)
#: Act on the thing of the clause before: "do it on Wednesdays", "archive them".
_POINTING = re.compile(
    r"(?:please |instead,? |rather )?(?P<verb>[a-z]+) (?:it|them|that|those|these|this)\b", re.IGNORECASE
)
#: Permission of another time or way: "Thursdays are fine".
_PERMITTED = re.compile(
    r".{1,60}\b(?:is|are|works?|would be) (?:[a-z]+ly |much |also )?"
    r"(?:fine|okay|ok|good|better|allowed|welcome|possible)\b",
    re.IGNORECASE,
)
#: First word of a clause that has a time.
_TIMED = re.compile(r"(?P<verb>[a-z]+)\b.* (?:on|at|in|after|before|during|between)\b", re.IGNORECASE)
_INSTEAD = re.compile(r"instead\b(?! of)|.*\binstead[.!]*$", re.IGNORECASE | re.DOTALL)
#: Things that are kept: "Sentry stays", "TMS only".
_KEPT = re.compile(
    r"(?:the |our )?[\w'’`/& -]{1,40}? (?:stays?|remains?|only)(?:[.!]| (?:in|on|with) [\w ]+)*$",
    re.IGNORECASE,
)
#: All that is left of a choice: "petals or nothing".
_OR_NOTHING = re.compile(r"[\w'’`/& -]{1,40}? or (?:nothing|none)(?: at all)?[.!]*$", re.IGNORECASE)
#: Sentence without a verb that gives a choice: "PyTorch or JAX.", "Email or letter."
_EITHER = re.compile(
    r"(?:(?!(?:no|not|never|any|with|without|for|in|on|at)\b)[\w'’`/&-]+ ){1,4}or (?:[\w'’`/&-]+ ?){1,4}[.!]?$",
    re.IGNORECASE,
)
_WHEN = r"(?=(?:ever )?(?:on|at|in|after|before|during|from|between|over|past|until)\b)"
_ONLY = re.compile(rf"only {_WHEN}", re.IGNORECASE)
#: Exception of a time, which needs no clause of its own: "never deploy except on Wednesdays".
_EXCEPT = re.compile(rf"\s*,?\s*\b(?:except|apart from|other than|but only) {_WHEN}[^,;]*$", re.IGNORECASE)


#: Choice of one thing over another: "use pnpm, not npm", "we deploy to staging rather than production".
_CHOICE = re.compile(
    r"(?P<scope>(?:for|in|on|at) [\w' -]{2,30}? (?=(?:please|always|only|i|we|you) ))?"
    r"(?:(?:please|always|only|just|i|we|you|let's|should|must|would|'d|rather)[\s,]+)*"
    r"(?P<verb>(?:go|stick) (?:with|to)|[a-z]+) "
    r"(?P<chosen>[^,;.]+?)(?:,? (?:and |but )?not|, never|,? (?:rather than|instead of)|(?P<over> over)) "
    r"(?P<other>[^,;.]+?)(?P<end>\s*(?:[,;.!]|\s[-–—]\s|$).*)",
    re.IGNORECASE | re.DOTALL,
)
#: Verbs of a choice that are no operation.
_CHOOSING = re.compile(r"prefer|want|choose|pick|take|like|(?:go|stick) (?:with|to)", re.IGNORECASE)
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|be|do|does|did|has|have|had|can|could|will|would|should|must|may|might)\b",
    re.IGNORECASE,
)
_ONE = re.compile(r" ones?$", re.IGNORECASE)
_PREPOSITION = re.compile(r"(?:in|on|at|to|into|onto|with|via|from|for|by|through|as)\b ?", re.IGNORECASE)


def _choice(text: str) -> tuple[str, str] | None:
    """Returns the rejection of one thing and the choice of another that a text makes; None if it makes none."""
    found = _CHOICE.match(text)
    if found is None or not found["chosen"].strip():
        return None
    if FORBIDS.search(found["chosen"]) or _AUXILIARY.search(found["chosen"]):
        return None
    verb = found["verb"].lower()
    is_choosing = _CHOOSING.fullmatch(verb) is not None
    does, does_other = (
        operation_table.phrase_at(operation_table.stem_each(words.lower().split()[:1]), 0)[0]
        for words in (verb, found["other"])
    )
    is_act = bool(does) and not found["over"] and not verb.endswith("ing")
    # "Rebase, not merge" are two acts.
    if does_other or not (is_choosing or is_act):
        return None
    verb = "use" if is_choosing else verb
    chosen, other = found["chosen"], found["other"]
    before = _PREPOSITION.match(chosen)
    other = other if before is None or _PREPOSITION.match(other) else f"{before[0]}{other}"
    # "The three-month contract, never the cash one".
    other = _ONE.sub(f" {chosen.split()[-1]}", other)
    scope = f" {found['scope'][0].lower()}{found['scope'][1:].strip()}" if found["scope"] else ""
    return f"don't {verb} {other}{scope}{found['end']}", f"{verb} {chosen}"


@lru_cache(_TEXTS)
def split(text: str) -> tuple[str, str]:
    """Splits a rejection into the words that forbid and the words of its substitutes.

    Args:
        text: Rejection with straight apostrophes.

    Returns:
        Rejection without substitutes, and the substitutes joined by ", "; the latter is empty if there are none.
    """
    if (choice := _choice(text)) is not None:
        return choice
    kept, substitutes, start = list[str](), list[str](), 0
    joints = [*_JOINT.finditer(text)]
    ends = [*(joint.start() for joint in joints), len(text)]
    begins = [0, *(joint.end() for joint in joints)]
    for begin, end in zip(begins, ends, strict=True):
        clause = text[begin:end]
        is_apart = "," not in text[start:begin]
        is_left = _OR_NOTHING.match(clause) is not None
        is_forbidden = FORBIDS.search("".join(kept)) is not None
        if begin and (is_left or (is_forbidden and _is_substitute(clause, "".join(kept), is_apart=is_apart))):
            substitutes.append(clause)
        else:
            kept.append(text[start:end])
        start = end
    rest = "".join(kept)
    if FORBIDS.search(rest) and (found := _EXCEPT.search(rest)):
        substitutes.append(found[0].strip(" ,"))
        rest = rest[: found.start()]
    return rest, ", ".join(substitutes)


def _is_substitute(clause: str, before: str, *, is_apart: bool) -> bool:
    """Whether a clause after a forbidding one gives a substitute, and forbids nothing itself.

    Args:
        clause: The clause.
        before: Clauses before it.
        is_apart: Whether it is no member of a list: no comma is before it.
    """
    if is_apart and _EITHER.match(clause) and not FORBIDS.search(clause) and not _AUXILIARY.search(clause):
        return True
    if FORBIDS.search(clause) or re.search(r"\bor\b", clause):
        return False
    if _KEPT.match(clause) or _ONLY.match(clause) or _INSTEAD.match(clause) or _PERMITTED.match(clause):
        return True
    if (timed := _TIMED.match(clause)) is not None:
        # The forbidden act again, at another time: "never merge on Fridays, merge on Mondays".
        stems = operation_table.content_stems([timed["verb"].lower()])
        if stems and stems <= operation_table.content_stems(re.findall(r"[a-z]+", before.lower())):
            return True
    found = _POINTING.match(clause)
    if found is None:
        return False
    verb = found["verb"].lower()
    is_base = not verb.endswith(("ed", "ing")) and verb not in PAST_IRREGULAR
    is_base &= not verb.endswith("s") or verb.endswith("ss")
    return is_base and (verb == "do" or bool(operation_table.content_stems([verb])))
