"""Tells whether an action adopts, buys or uses a product, firm or person whose name a rejection refuses.

An action that ends, replaces, reads or tells of it does not, nor does one about something that only has its name.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.match.matching import Reading, Relation
from bardo.conduct.parse import heads
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.actions.operations import words_of
from bardo.conduct.parse.heads import stem_of
from bardo.conduct.parse.rejections import rejected_names
from bardo.conduct.parse.rejections.rejected_names import Rejected, word_lists
from bardo.conduct.parse.rejections.rejection import ParsedRejection

_UNKNOWN = Relation(Reading.UNKNOWN)
#: Length up to which a name may be a word or an abbreviation of something else, unless it has the same capitals.
_SHORT = 4
#: Words before a name of a thing that the action leaves: "replace X with Y", "from X to Y", "migrate off X".
_LEFT = lazy_pattern(
    r"(?:instead of|rather than|away from|off(?: of)?|without|against|about|than|not|no|"
    r"for|like|before|after|unlike)\s+(?:the |a |an |our )?$",
    re.IGNORECASE,
)
_FROM = lazy_pattern(r"\bfrom\s+(?:the |our )?$", re.IGNORECASE)
_TOWARDS = lazy_pattern(r"\b(?:to|into|onto|with|by)\b", re.IGNORECASE)
_SENTENCE = lazy_pattern(
    r"(?<!\b[DM]r)(?<!\bMs)(?<!\bMrs)[.;!?]\s+|\s[-–—]\s|, (?:and|but|so|because|since|as|which) "
)
_CODE = lazy_pattern(r"\b(?:import|from|require|include|using|implementation|gem|FROM|uses)\b")
#: Words before a name to which a thing goes back: "send the gloves back to X"; who goes back uses it again.
_RETURNED = lazy_pattern(
    r"^(?!.*\b(?:go|come|switch|move|change|migrate|turn|get) back\b).*"
    r"(?:\w+ back (?:in)?to|\breturn(?:ing|s)? (?!to\b)[^,;.]+? to)\s+(?:the |our )?$",
    re.IGNORECASE,
)
#: Words of an action that takes something away.
_OUT = lazy_pattern(r"\bout of\b|\baway\b", re.IGNORECASE)
#: Word before a name with which it is another, longer one: "Royal Fireworks".
_LONGER = lazy_pattern(r"(?<=[a-z,] )[A-Z][a-z]+ $")
#: Words before a name that may only tell what a thing is about: "a book on the Amazon rainforest".
_ABOUT = lazy_pattern(r"\b(?:on|of|in) the $", re.IGNORECASE)
#: Words after a name that only tells another thing apart: "X's", "X invoice".
_NEXT = lazy_pattern(r"(?:['’]s)?\s+(?P<next>[a-z]+)")


def compare(rejection: ParsedRejection, action: ParsedAction) -> Relation:
    """Returns `SAME` if an action uses a refused name, `TOUCHES` if it may, else `UNKNOWN`.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
    """
    refused = rejected_names.of_text(rejection.text)
    if refused is None or rejection.forbids.by:
        return _UNKNOWN
    name = next(
        (each for each in refused.names if _pattern(each, is_sure=refused.is_sure).search(action.text)), ""
    )
    if not name:
        return _UNKNOWN
    use = _use(name, refused, action)
    if use is None or not refused.kind <= action.stems:
        return _UNKNOWN
    reason = f"name {name!r}"
    if not use or not refused.scopes <= action.stems or refused.is_narrowed:
        return Relation(Reading.TOUCHES, f"{reason}; whether as rejected is left open", whole=True)
    return Relation(Reading.SAME, f"{reason}, which the action uses", exact=True)


@lru_cache(4_096)
def _pattern(name: str, *, is_sure: bool) -> re.Pattern[str]:
    """Returns an expression that finds a name, in code also with other signs between its words."""
    words = r"[\s_-]?".join(map(re.escape, re.split(r"[\s-]+", name)))
    is_exact = len(name) <= _SHORT or not is_sure
    return re.compile(rf"(?<![^\W_]){words}(?![^\W_])", 0 if is_exact else re.IGNORECASE)


def _use(name: str, refused: Rejected, action: ParsedAction) -> bool | None:
    """Whether an action uses a name, or may (False); None if it does not."""
    pattern = _pattern(name, is_sure=refused.is_sure)
    if action.form == "prose":
        return _in_prose(pattern, refused, action)
    if action.form == "tool" and not _CODE.match(action.text.lstrip()):
        return _in_call(pattern, action)
    if action.reads or action.removes or all(line in action.dry_lines for line in action.lines):
        return None
    return bool(action.verbs) or _CODE.search(action.text) is not None


def _in_prose(pattern: re.Pattern[str], refused: Rejected, action: ParsedAction) -> bool | None:
    """Whether a sentence uses a name, or may (False); None if it does not."""
    for sentence in _SENTENCE.split(action.text):
        found = pattern.search(sentence)
        if found is None:
            continue
        clause = heads.clause_of(sentence)
        before, after = sentence[: found.start()], sentence[found.end() :]
        # "Kestrel fills the order" is what the other does.
        is_told = clause is None or not before.strip()
        if clause is None or is_told or _is_left(before, after, sentence):
            return None
        return _is_used(clause.verbs[-1], before, after, refused)
    return None


def _is_left(before: str, after: str, sentence: str) -> bool:
    """Whether a sentence ends, replaces or tells of what a name in it means, or the name is a part of another one."""
    following = _NEXT.match(after)
    is_about = following is not None and stem_of(following["next"]) in word_lists()["about"]
    is_from = _FROM.search(before) is not None and _TOWARDS.search(after) is not None
    return (
        is_about
        or is_from
        or any(each.search(before) for each in (_LEFT, _LONGER))
        or _OUT.search(sentence) is not None
    )


def _is_used(verb: str, before: str, after: str, refused: Rejected) -> bool | None:
    """Whether the verb of a sentence uses the name between two texts, or may (False); None if it does not."""
    lists = word_lists()
    said = [stem_of(word) for word in words_of(before)]
    if said[0] in lists["moving"]:
        return True if _TOWARDS.search(before) else None
    if not lists["leaving"].isdisjoint(said) or _RETURNED.search(before):
        return None
    following = _NEXT.match(after)
    is_told_apart = (
        following is not None and stem_of(following["next"]) not in lists["dealings"] | refused.kind
    )
    if is_told_apart and _ABOUT.search(before):
        return False
    is_towards = not lists["towards"].isdisjoint(words_of(before.lower())[1:])
    return verb in lists["adopting"] or (is_towards and verb in lists["sending"])


def _in_call(pattern: re.Pattern[str], action: ParsedAction) -> bool | None:
    """Whether a call uses a name: as its tool, or in an argument that names a product, firm or person."""
    lists, known = word_lists(), heads.words()
    called = heads.called_by(action)
    if not known.ending.isdisjoint(called) or action.reads:
        return None
    fields = heads.fields_of(action)
    is_message = not lists["messengers"].isdisjoint(called)
    if any(
        each.key in known.calling and pattern.search(each.value.replace(".", " ").replace("_", " "))
        for each in fields
    ):
        return True
    if is_message:
        return None
    for each in fields:
        if each.key in known.spoken or each.key in lists["leaving_keys"] or each.key in known.calling:
            continue
        if pattern.search(each.value):
            return True
    return None
