"""Finds what the clauses of a message permit: "you may change the phone greeting again", "agent/* branches are fine".

A statement about a thing, such as "the party is on Friday", permits nothing, and neither do conditions and guesses.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.verb_forms import base_of
from bardo.conduct.parse.negation import FORBIDS
from bardo.conduct.parse.rejections import wording

_SENTENCE = lazy_pattern(r"\s*[.!?;]+(?:\s+|$)|\s+[-–—]+\s+|\n+")
#: End of a clause, with the words that join the next one.
_JOINT = lazy_pattern(
    r"\s*[,:]\s+(?:(?:so|and|but|because|since|then|though|which means|meaning)\s+)*|"
    r"\s+(?:so|but|because|since|though|and(?= (?:i|you|he|she|it|we|they)\b))\s+",
    re.IGNORECASE,
)
#: Clause that belongs to the one before or after it: "on agent/* branches, force push as you like".
_SCOPE = lazy_pattern(r"(?:just |only )?(?:for|on|in|at|to|with|during|from|of|by)\b", re.IGNORECASE)
_FINITE = lazy_pattern(
    r"\b(?:is|are|was|were|am|has|have|had|will|can|may|must|do|does|did|i|you|he|she|it|we|they)\b|'(?:s|re|ve|m|ll)\b|n't\b",
    re.IGNORECASE,
)
#: Sentence that only bounds the one before it: "Just that one Wednesday".
_BOUND = lazy_pattern(r"(?:just|only)\b", re.IGNORECASE)
_SOURCE = lazy_pattern(r"^(?:\w+ ){1,3}?(?:says|said|told (?:me|us)|wrote|agreed)(?: that)? ", re.IGNORECASE)
_SUBJECT = lazy_pattern(
    r"\b(?:i|you|he|she|it|we|they|that|everyone|everybody|anyone)(?: all)? *$", re.IGNORECASE
)
_ADVERBS = lazy_pattern(
    r"^\s*(?:(?:again|now|also|still|just|only|then|of course|always|all|both|from now on|please)\b\s*)+",
    re.IGNORECASE,
)
_BE = lazy_pattern(r"^\s*(?:be|get) (?P<verb>[a-z]+)\b", re.IGNORECASE)
_VERB = lazy_pattern(r"^\s*(?P<verb>[a-z][\w-]*)\b", re.IGNORECASE)
_TO = lazy_pattern(r"^\s*(?:for [\w' ]{1,30}? )?to (?P<verb>[a-z][\w-]*)\b", re.IGNORECASE)
_AGAIN = lazy_pattern(
    r"\b(?:again|now|after all|from now on|from today|henceforth|once more|these days|any ?more|no longer)\b",
    re.IGNORECASE,
)
#: Words that stand for what an earlier clause names.
_POINTS = lazy_pattern(r"\b(?:those|these|that one|this one|that|them|it)\b", re.IGNORECASE)
_OPENING = lazy_pattern(r"^(?:please|then|ok|okay|well|yes|so)\b[\s,]*", re.IGNORECASE)


class Permission(NamedTuple):
    """Act or thing that a clause permits.

    Args:
        said: Its words, without those that permit.
        verb: Verb of the act in its base form; empty if the clause names a thing, or an act as a thing.
        is_strict: Whether it can only permit, and does not tell how a thing is.
        again: Whether something else held before: "again", "now".
        earlier: Clauses before it for which a word of it stands; empty if none does.
        bounds: Sentence after it that only bounds it.
        is_imperative: Whether it is an imperative, which permits only in a message that points at an order.
    """

    said: str
    verb: str
    is_strict: bool
    again: bool
    earlier: str
    bounds: str
    is_imperative: bool = False


def permits(text: str) -> bool:
    """Whether a person's words may allow what was forbidden.

    Args:
        text: Words of the person.
    """
    return any(True for _ in permissions(text))


def permissions(text: str) -> Iterator[Permission]:
    """Yields what the clauses of a person's words permit.

    Args:
        text: Words of the person.
    """
    if "?" in text:
        return
    straight = wording.straight(text)
    points_at_order = words("pointing").search(straight) is not None
    sentences = [each.strip() for each in _SENTENCE.split(straight) if each.strip()]
    earlier = ""
    for place, sentence in enumerate(sentences):
        bounds = next((each for each in sentences[place + 1 : place + 2] if _BOUND.match(each)), "")
        clauses = _clauses(_SOURCE.sub("", sentence))
        for number, clause in enumerate(clauses):
            known = ", ".join([earlier, *clauses[:number]])
            if words("uncertain").search(sentence) is None:
                found = _permission(clause) or (_imperative(clause) if points_at_order else None)
                if found is not None:
                    yield found._replace(earlier=known if _POINTS.search(clause) else "", bounds=bounds)
        earlier = sentence


def _clauses(sentence: str) -> list[str]:
    """Returns the clauses of a sentence, with the scopes before and after them."""
    clauses: list[str] = []
    waiting = ""
    for part in filter(None, map(str.strip, _JOINT.split(sentence))):
        is_scope = _SCOPE.match(part) is not None and _FINITE.search(part) is None
        if is_scope and not (_asks_act(part) and not clauses):
            if clauses:
                clauses[-1] += f" {part}"
            else:
                waiting += f"{part} "
            continue
        clauses.append(waiting + part)
        waiting = ""
    return clauses + [waiting.strip()] * bool(waiting)


def _asks_act(part: str) -> bool:
    return words("after").search(part) is not None


def _permission(clause: str) -> Permission | None:
    """Returns what a clause permits; None if it permits nothing, or forbids."""
    found = _modal(clause) or _retracted(clause) or _is_well(clause) or _free(clause) or _after(clause)
    if found is None or FORBIDS.search(found.said):
        return None
    return found._replace(again=found.again or _AGAIN.search(clause) is not None)


def _modal(clause: str) -> Permission | None:
    """Permission after its subject: "the dialysis patients may have his number"."""
    match = words("modal").search(clause)
    if match is None or not match.start():
        return None
    left, right = clause[: match.start()], _ADVERBS.sub("", clause[match.end() :])
    if retracted := _retracted(right.strip()):
        return retracted
    passive = _BE.match(right)
    active = None if passive else _VERB.match(right)
    verb = passive["verb"] if passive else active["verb"] if active else ""
    rest = right[(passive or active).end() :] if passive or active else right  # type: ignore[union-attr]
    base = (base_of(verb.lower()) or verb.lower()) if passive else verb.lower()
    if passive and verb.lower() in ("used", "done"):
        base = verb.lower()[:-1] if verb.lower() == "used" else ""
    return _made(f"{_SUBJECT.sub('', left)} {verb} {rest}", base)


def _is_well(clause: str) -> Permission | None:
    """Permission after "is" or "are": "the living room up to 22 is ok"."""
    match = words("is_well").search(clause)
    if match is None:
        return None
    left, right = _SUBJECT.sub("", clause[: match.start()]), clause[match.end() :]
    if (act := _TO.match(right)) is not None:
        return _made(f"{left} {right}", act["verb"].lower())
    is_strict = words("permitted").search(match[0]) is not None
    return _made(f"{left} {right}", "", is_strict=is_strict) if left.strip() else None


def _free(clause: str) -> Permission | None:
    """Permission before an act: "feel free to edit the docs"."""
    match = words("free").search(clause)
    if match is None:
        return None
    act = _VERB.match(clause[match.end() :])
    is_act = act is not None and not match[0].lower().endswith((" with", " for"))
    return _made(
        f"{_SUBJECT.sub('', clause[: match.start()])} {clause[match.end() :]}",
        act["verb"].lower() if act is not None and is_act else "",
    )


def _after(clause: str) -> Permission | None:
    """Permission after an act or thing: "force push as much as you like"."""
    match = words("after").search(clause)
    if match is None or not match.start():
        return None
    return _made(f"{clause[: match.start()]} {clause[match.end() :]}", "")


def _retracted(clause: str) -> Permission | None:
    """Part of an order that is taken back: "scrap the Tesla part"."""
    match = re.match(
        rf"(?:{words('retracting').pattern}) (?:the|that|my) (?P<thing>.+?) (?:{words('retracted').pattern})",
        clause,
        re.IGNORECASE,
    )
    return _made(match["thing"], "")._replace(again=True) if match else None


def _imperative(clause: str) -> Permission | None:
    """Act that a clause orders."""
    bare = words("pointing").sub(" ", _OPENING.sub("", clause)).strip(" ,")
    verb = _VERB.match(bare)
    if verb is None or FORBIDS.search(bare):
        return None
    return _made(bare, verb["verb"].lower())._replace(is_imperative=True)


def _made(said: str, verb: str, *, is_strict: bool = True) -> Permission:
    return Permission(
        words("pointing").sub(" ", said).strip(), verb, is_strict, again=False, earlier="", bounds=""
    )


def stand_ins() -> dict[str, frozenset[str]]:
    """Returns the verbs for which a general verb stands, by the general one."""
    return {verb: frozenset(_items(given)) for verb, given in _table()["stand_in"].items()}


@cache
def words(name: str) -> re.Pattern[str]:
    """Returns the pattern of a list of `partial_lifts.toml`, or of "is" before words that permit (`is_well`)."""
    table = _table()
    if name == "is_well":
        well = "|".join(map(re.escape, _longest(f"{table['well']}, {table['permitted']}")))
        return re.compile(
            rf"(?:\b(?:is|are)|'s|'re) (?:(?:again|now|also|just|always) )*(?:{well})\b", re.IGNORECASE
        )
    items = "|".join(
        ("" if each.startswith("'") else r"(?<![\w-])") + re.escape(each) for each in _longest(table[name])
    )
    return re.compile(rf"(?:{items})\b(?!')", re.IGNORECASE)


def _longest(text: str) -> list[str]:
    return sorted(_items(text), key=len, reverse=True)


def _items(text: str) -> list[str]:
    return [each for part in text.replace("\n", " ").split(",") if (each := part.strip())]


@cache
def _table() -> dict[str, Any]:
    text = (
        resources.files("bardo.conduct.hearing.lifts")
        .joinpath("partial_lifts.toml")
        .read_text(encoding="utf-8")
    )
    table: dict[str, Any] = tomllib.loads(text)
    return table
