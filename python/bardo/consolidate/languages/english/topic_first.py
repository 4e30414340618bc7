"""Sentences whose topic stands before the value: "Brent: the limit is 20" as "the limit for Brent is 20"."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from bardo._patterns import lazy_pattern
from bardo.consolidate.languages.english.frames import frames

_BE = r"(?:is|are|was|stays|stands|remains)"
_NOUN = r"(?P<noun>[a-z][\w-]*(?: [\w-]+){0,3}?)"
#: Name of a thing before a colon, and the value of one of its attributes.
_TOPIC = lazy_pattern(
    rf"\W*(?P<topic>\w[\w&./'-]*(?: [\w&./'-]+){{0,2}}): (?:the|its|our) {_NOUN} (?P<rest>{_BE} .+)"
)
#: Values of an attribute of several things: "on Brent is 25, and on SAP it is 60", "on Brent is 40 lots, copper 60".
_VALUE = r"[€$£]?\d(?:[\d.,]*\d)?(?P<unit>(?: ?%| [a-z][\w/]*)?)"
_LIST = lazy_pattern(
    rf"(?P<first>(?P<det>the|our) {_NOUN} (?P<prep>of|on|for|at|in) [^,;:]+? {_BE} (?:{_VALUE}|[^,;:]+?))"
    r"(?P<others>(?:(?:,? and|, but|[,;]) [^;:]+?)+)[.!]*",
    re.IGNORECASE,
)
_OTHER = lazy_pattern(
    r"(?:,? and|, but|[,;]) (?:(?P<prep>of|on|for|at|in) )?"
    r"(?P<thing>(?!(?:and|but|from|not|now|up|down) )[^,;:\d]{1,40}?)"
    rf"(?P<verb> (?:it(?:'s| is| was| stays)|they are))? (?P<value>(?(verb)[^,;:]+?|{_VALUE}))"
    r"(?=,? and |, |;|$)",
    re.IGNORECASE,
)


def plain_order(sentence: Any, who: str) -> str:
    """A sentence with its topics behind the attributes of which it tells the values; empty if it has no such form.

    A person before a colon may be the one who said the rest.

    Args:
        sentence: The parsed sentence.
        who: Name of the speaker; empty if unknown.
    """
    text = sentence.text.strip()
    if (found := _TOPIC.fullmatch(text)) is not None and _names_attribute(found["noun"]):
        begin = sentence.text.index(found["topic"])
        said = sentence.text[begin : begin + len(found["topic"])]
        words = [token for token in sentence if token.idx - sentence.start_char < begin + len(said)]
        is_person = found["topic"].casefold() == who.casefold() or any(
            token.ent_type_ == "PERSON" for token in words
        )
        is_label = found["topic"].lower().split()[-1] in _labels()
        return "" if is_person or is_label else f"The {found['noun']} for {found['topic']} {found['rest']}"
    if (found := _LIST.fullmatch(text)) is None or not _names_attribute(found["noun"]):
        return ""
    others = list(_OTHER.finditer(found["others"]))
    is_whole = "".join(other[0] for other in others) == found["others"]
    # "The port of the API is 8080, not 9090" has no second thing.
    if not is_whole or not others[0]["prep"]:
        return ""
    said = [
        f"The {found['noun']} {found['prep']} {other['thing']} is {other['value']}"
        + ("" if other["verb"] or other["unit"] else found["unit"] or "")
        for other in others
    ]
    return f"{found['first']}. {'. '.join(said)}."


@cache
def _labels() -> frozenset[str]:
    """Words of `topics.toml`."""
    folder = resources.files("bardo.consolidate.languages.english")
    raw = tomllib.loads(folder.joinpath("topics.toml").read_text(encoding="utf-8"))
    return frozenset(each.strip() for each in raw["labels"].replace("\n", " ").split(","))


def _names_attribute(noun: str) -> bool:
    """Whether a noun with words before it names an attribute: "limit", "opening hours"."""
    nouns, words = frames()["noun"], noun.lower().split()
    return any(" ".join(words[place:]) in nouns for place in range(len(words)))
